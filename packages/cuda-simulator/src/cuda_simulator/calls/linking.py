"""The linker (cuda.h: cuLink*): PTX texts that are to become one module.

A library can be added too, if it is NVIDIA's device runtime (libcudadevrt.a): its machine code cannot be run here, so
PTX of this module's own stands for its cudaMalloc and cudaFree, which take from the same heap as malloc and free, and for the barrier of
a whole grid, which Numba calls (grid.sync). The rest of it (launching kernels from kernels) is not simulated.
"""
import ctypes
import re

from ..device import modules
from ..libcuda import handles, lacking, process_memory
from ..libcuda.library import HEALTHY, call, handle, i32, pointer, size, u32
from ..libcuda.output import load_string, store
from ..libcuda.results import CallError, Result
from ..libcuda.state import current
from .modules import JitOptions

PTX_INPUT, LIBRARY_INPUT = 1, 4    # CUjitInputType
_NOT_NULL = {"number": Result.INVALID_HANDLE}
_ARCHIVE, _RUNTIME = b"!<arch>\n", b"cuda_device_runtime.o"

DEVICE_RUNTIME = """.version 9.0
.target sm_75
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .func (.param .b32 code) __cudaCDP2Malloc (.param .b64 place, .param .b64 bytes) {
    .reg .b64 %place, %bytes, %found; .reg .pred %none; .reg .b32 %code;
    ld.param.b64 %place, [place]; ld.param.b64 %bytes, [bytes];
    mov.b32 %code, 1;                      // cudaErrorInvalidValue
    setp.eq.u64 %none, %bytes, 0;
    @%none bra done;
    { .param .b64 n; .param .b64 r; st.param.b64 [n], %bytes; call.uni (r), malloc, (n); ld.param.b64 %found, [r]; }
    setp.eq.u64 %none, %found, 0;
    mov.b32 %code, 2;                      // cudaErrorMemoryAllocation
    @%none bra done;
    st.b64 [%place], %found;
    mov.b32 %code, 0;                      // cudaSuccess
done:
    st.param.b32 [code], %code;
    ret;
}
.visible .func (.param .b32 code) __cudaCDP2Free (.param .b64 p) {
    .reg .b64 %p;
    ld.param.b64 %p, [p];
    { .param .b64 q; st.param.b64 [q], %p; call.uni free, (q); }
    st.param.b32 [code], 0;
    ret;
}
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle (.param .b32 scope) {
    .reg .b32 %half<2>; .reg .b64 %handle;
    mov.b32 %half0, %envreg2; mov.b32 %half1, %envreg1;     // where the blocks of a cooperative launch are counted, else 0
    mov.b64 %handle, {%half0, %half1};
    st.param.b64 [handle], %handle;
    ret;
}
.visible .func (.param .b32 code) cudaCGSynchronize (.param .b64 handle, .param .b32 flags) {
    .reg .b64 %place; .reg .b32 %x<4>, %y<4>, %blocks, %came, %round, %now; .reg .pred %none, %first, %wait;
    ld.param.b64 %place, [handle];
    setp.eq.u64 %none, %place, 0;
    @%none trap;                           // the launch was not cooperative
    bar.sync 0;
    mov.u32 %x0, %tid.x; mov.u32 %x1, %tid.y; mov.u32 %x2, %tid.z;
    or.b32 %x3, %x0, %x1; or.b32 %x3, %x3, %x2;
    setp.ne.u32 %first, %x3, 0;
    @%first bra done;
    mov.u32 %y0, %nctaid.x; mov.u32 %y1, %nctaid.y; mov.u32 %y2, %nctaid.z;
    mul.lo.u32 %blocks, %y0, %y1; mul.lo.u32 %blocks, %blocks, %y2;
    membar.gl;
    atom.add.u32 %came, [%place], 1;
    div.u32 %round, %came, %blocks;        // blocks that came, by blocks: the round that this one is in
again:
    ld.volatile.u32 %now, [%place];
    div.u32 %now, %now, %blocks;
    setp.eq.u32 %wait, %now, %round;
    @%wait bra again;
    membar.gl;
done:
    bar.sync 0;
    st.param.b32 [code], 0;
    ret;
}
"""


class LinkState:
    """What is to become one module. What "links" here is one PTX text after the other."""

    def __init__(self, options):
        self.context = current()
        self.options, self.texts, self.result = options, [], None
        self.failed, self.destroyed, self.most_registers = False, False, options.most_registers()
        self.has_runtime = False


def _linker(number):
    return handles.find(number, LinkState)


@call("cuLinkCreate", "cuLinkCreate_v2")
def link_create(count: u32, options: pointer, values: pointer, target: pointer):
    store(target, ctypes.c_size_t, handles.give(LinkState(JitOptions(count, options, values))))


def _fail(linker, result, why):
    linker.failed = True
    linker.options.report(error=why)
    raise CallError(result, why)


def _add(linker, kind, image):
    if kind == LIBRARY_INPUT and image.startswith(_ARCHIVE) and _RUNTIME in image:
        linker.has_runtime = True
        return
    if kind != PTX_INPUT:
        lacking.note(lacking.MACHINE_CODE)
        _fail(linker, Result.INVALID_IMAGE, "the simulated driver links PTX, and the device runtime")
    try:
        text = modules.checked_ptx(image.split(b"\0")[0])
        names = modules.names(text)
    except CallError as error:
        _fail(linker, error.result, str(error))
    earlier = map(modules.names, linker.texts)
    twice = set().union(*((names.exported - names.weak) & (other.exported - other.weak) for other in earlier))
    if twice:
        _fail(linker, Result.UNKNOWN, f"defined twice: {', '.join(sorted(twice))}")
    linker.texts.append(text)


@call("cuLinkAddData", "cuLinkAddData_v2")
def link_add_data(number: handle, kind: i32, data: pointer, bytesize: size, name: pointer, count: u32,
                  options: pointer, values: pointer):
    linker = _linker(number)
    try:
        image = process_memory.read(data, bytesize)
    except process_memory.BadAddress:
        raise CallError(Result.INVALID_VALUE, "nothing to link at this address") from None
    _add(linker, kind, image)


@call("cuLinkAddFile", "cuLinkAddFile_v2")
def link_add_file(number: handle, kind: i32, path: pointer, count: u32, options: pointer, values: pointer):
    linker = _linker(number)
    try:
        with open(load_string(path), "rb") as file:
            image = file.read()
    except OSError as error:
        _fail(linker, Result.FILE_NOT_FOUND if kind == LIBRARY_INPUT else Result.INVALID_VALUE, str(error))
    _add(linker, kind, image)


@call("cuLinkComplete", needs=HEALTHY, not_null=_NOT_NULL)
def link_complete(number: handle, target: pointer, bytesize: pointer):
    linker = _linker(number)
    if linker.failed:
        raise CallError(Result.UNKNOWN, "an input was refused before")
    texts = list(linker.texts)
    parts = [modules.names(text) for text in texts]
    runtime = modules.names(DEVICE_RUNTIME)
    if linker.has_runtime and any(part.imported & runtime.exported for part in parts):
        texts.append(DEVICE_RUNTIME)
        parts.append(runtime)
    missing = set().union(*(part.imported for part in parts)).difference(*(part.exported for part in parts))
    if missing:
        if any(name.startswith("cuda") for name in missing):
            lacking.note(f"CUDA's device runtime ({', '.join(sorted(missing))})")
        _fail(linker, Result.UNKNOWN, f"defined nowhere: {', '.join(sorted(missing))}")
    texts = [_with_its_own(text, number, parts) for number, text in enumerate(texts)]
    if linker.most_registers:
        texts = [re.sub(r"\.entry\s+[\w$]+\s*\([^)]*\)", rf"\g<0> .maxnreg {linker.most_registers}", text) for text in texts]
    header = (".version", ".target", ".address_size")
    first_text, *other_texts = texts or [".version 9.0\n.target sm_90\n.address_size 64\n"]
    lines = [line for text in other_texts for line in text.splitlines() if not line.lstrip().startswith(header)]
    linker.result = ctypes.create_string_buffer("\n".join([first_text, *lines]).encode())
    store(target, ctypes.c_size_t, ctypes.addressof(linker.result))
    if bytesize:
        store(bytesize, ctypes.c_size_t, len(linker.result))


def _with_its_own(text, number, parts):
    """Text `number`: what it keeps to itself is called differently where another text has that name too."""
    other_names = set().union(*(names for part in parts[:number] + parts[number + 1:] for names in part))
    for name in parts[number].local & other_names:
        text = re.sub(rf"(?<![\w$%.]){re.escape(name)}(?![\w$])", f"{name}$text{number}", text)
    return text


@call("cuLinkDestroy", needs=HEALTHY, not_null=_NOT_NULL)
def link_destroy(number: handle):
    handles.forget(_linker(number))
