"""`__managed__` variables of programs: tables, structures, namespaces, several modules, modules that come and go."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, pattern, raw, read, where
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import MIB, PAGE, advise, facts, fresh, host_byte, host_write, prefetch_and_wait, sure, view
from ...helpers.managed_variables import load, start, variable
from ...helpers.memory_kinds import make
from ...helpers.rectangles import rectangle
from ...helpers.streams import stream

ONE = r"""
extern "C" { __managed__ unsigned char only[5000]; __global__ void touch(int n) { only[n] += 1; } }
"""
LINKED = (r"""
extern "C" { __managed__ int common = 30; __global__ void first() { common += 1; } }
""", r"""
extern "C" { extern __managed__ int common; __global__ void second() { common *= 2; } }
""")
WRITTEN = """.version 8.0
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 8 .b8 name[12] = {77, 97, 110};
.visible .global .attribute(.managed) .align 4 .f32 ratio = 0f3F000000;
.visible .global .attribute(.managed) .align 8 .u64 far[3] = {1, 2, 1099511627776};
.visible .entry go() {
    .reg .b64 %a; .reg .b64 %v; .reg .f32 %f;
    ld.global.f32 %f, [ratio];
    add.f32 %f, %f, %f;
    st.global.f32 [ratio], %f;
    ld.global.u64 %v, [far+16];
    add.u64 %v, %v, 1;
    st.global.u64 [far], %v;
    st.global.u8 [name+11], 33;
    ret;
}
"""


class EntryStructure(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char), ("value", ctypes.c_int), ("share", ctypes.c_double)]


@question("a managed array of structures has the values that the source gives it, and a kernel changes them")
def structures():
    module = load()
    address, size = variable(module, "entries")
    entries = (EntryStructure * 3).from_address(address)

    def all_of():
        return [[entry.key.decode(), entry.value, entry.share] for entry in entries]
    yield "size", size
    yield "at first", all_of()
    yield "after a kernel", [start(module, "share"), all_of()]
    entries[1].value, entries[2].key = 100, b"x"
    yield "after the host and a kernel", [start(module, "share"), all_of()]


@question("managed variables of each width have their size, their value and an address that suits them")
def widths():
    module = load()
    for title, kind, count in (("flag", np.uint8, 1), ("small", np.int16, 3), ("wide", np.int64, 1),
                               ("text", np.uint8, 8), ("aligned", np.int32, 1)):
        address, size = variable(module, title)
        values = view(address, kind, count).tolist()
        must(kernels.run(must(cu.cuModuleGetFunction(module, b"each"))))
        yield title, [size, values, view(address, kind, count).tolist(), address % np.dtype(kind).itemsize]
    yield "aligned to 64", variable(module, "aligned")[0] % 64


@question("a managed variable in a namespace is found by its mangled name alone")
def namespaces():
    module = load()
    for title in ("stock", "shop::stock", "_ZN4shop5stockE"):
        result = cu.cuModuleGetGlobal(module, title.encode())
        yield title, [ask(result), int(result[2] or 0)]
    cell = view(variable(module, "_ZN4shop5stockE")[0], np.int32, 1)
    yield "sold", [int(cell[0]), start(module, "_ZN4shop4sellEi", i32(5)), int(cell[0])]


@question("kernel and driver give a managed variable one address")
def one_address():
    module, out = load(), fresh()
    yield "kernel", start(module, "addresses", out)
    for at, (title, offset) in enumerate((("flag", 0), ("_ZN4shop5stockE", 0), ("grid", 32), ("text", 0))):
        yield title, where(int(view(out, np.uint64, 4)[at]), variable=variable(module, title)[0] + offset)


@question("a managed table of rows points to memory of four kinds, and a kernel adds to them")
def table_of_rows():
    module = load()
    rows, grid = view(variable(module, "rows")[0], np.uint64, 4), view(variable(module, "grid")[0], np.float32, 32)
    yield "at first", [rows.tolist(), grid[:10].tolist()]
    blocks = [make(kind).address for kind in ("managed", "device", "pinned")]
    for a in blocks:
        must(cu.cuMemsetD32(a, 0, 8))
    rows[:3] = blocks
    grid[16:24] = 9
    yield "added", [start(module, "add_rows", block=8),
                    [np.frombuffer(read(a, 12), np.float32).tolist() for a in blocks]]
    rows[3] = variable(module, "grid")[0]
    yield "a row of the table itself", [start(module, "add_rows", block=8), grid[:4].tolist()]


@question("a column of a managed matrix is copied out and in by rows")
def columns():
    module, a = load(), fresh()
    grid = variable(module, "grid")[0]
    ctypes.memmove(grid, pattern(128), 128)
    yield "out", [ask(cu.cuMemcpy2D(rectangle(grid, a, 4, 4, 32, 4, x=(8, 0)))), ask(cu.cuCtxSynchronize()),
                  ctypes.string_at(a, 16) == b"".join(pattern(128)[row:row + 4] for row in (8, 40, 72, 104))]
    yield "in", [ask(cu.cuMemcpy2D(rectangle(a, grid, 4, 3, 4, 32, x=(0, 28)))), ask(cu.cuCtxSynchronize()),
                 ctypes.string_at(grid + 28, 4).hex(), ctypes.string_at(grid + 92, 4).hex()]
    yield "set", [ask(cu.cuMemsetD2D32(grid, 32, 7, 1, 4)), ask(cu.cuCtxSynchronize()),
                  view(grid, np.int32, 32)[::8].tolist()]


@question("a module's only managed variable is copied and set up to its last byte")
def only_one():
    module = load(ONE)
    address, size = variable(module, "only")
    yield "size, range", [size, where(must(cu.cuMemGetAddressRange(address + 4999))[0], start=address)]
    yield "to its end", [ask(cu.cuMemcpyHtoD(address + 4992, pattern(8), 8)), ask(cu.cuMemsetD8(address + 4984, 5, 8)),
                         ask(cu.cuCtxSynchronize()),
                         ctypes.string_at(address + 4984, 16).hex()]
    yield "a kernel at its end", [start(module, "touch", i32(4999)), host_byte(address + 4999)]
    yield "a byte more", [ask(cu.cuMemcpyDtoH(bytearray(9), address + 4992, 9)),
                          ask(cu.cuMemcpyHtoD(address + 4992, bytes(9), 9)),
                          ask(cu.cuMemsetD8(address + 4992, 1, 9)), ask(cu.cuCtxSynchronize())]
    yield "address or size alone", [raw("cuModuleGetGlobal_v2", ctypes.byref(out := ctypes.c_uint64(0)), None,
                                        int(module), b"only"),
                                    where(out.value, start=address),
                                    raw("cuModuleGetGlobal_v2", None, ctypes.byref(out), int(module), b"only"),
                                    out.value]


@question("a module that is unloaded and loaded again has its managed variables as at first, without advice")
def loaded_again():
    for round_ in range(3):
        module = load()
        big, size = variable(module, "big")
        first_answers = [int(view(big, np.int32, 1)[0]), facts(big, size), host_byte(variable(module, "flag")[0])]
        view(big, np.int32, 1)[0], view(variable(module, "flag")[0], np.uint8, 1)[0] = 5, 1
        sure(advise(big, size, "SET_READ_MOSTLY"))
        sure(advise(big, PAGE, "SET_PREFERRED_LOCATION", "host"))
        prefetch_and_wait(big, size, "device")
        yield f"round {round_}", [first_answers, facts(big, size), ask(cu.cuModuleUnload(module))]


@question("two modules that are linked share a managed variable", alone=True)
def linked():
    state = must(cu.cuLinkCreate(0, [], []))
    for at, source in enumerate(LINKED):
        image = kernels.ptx(source, "--relocatable-device-code=true")
        yield f"add {at}", ask(cu.cuLinkAddData(state, cu.CUjitInputType.CU_JIT_INPUT_PTX, image, len(image), b"part",
                                                0, [], []))
    image = cu.cuLinkComplete(state)
    yield "complete", ask(image)
    if int(image[0]):
        return
    module = must(cu.cuModuleLoadData(image[1]))
    cell = view(variable(module, "common")[0], np.int32, 1)
    yield "at first", int(cell[0])
    yield "both add", [start(module, "first"), int(cell[0]), start(module, "second"), int(cell[0])]


@question("managed variables that are written in PTX as bytes, floats and rows of numbers have their values")
def written_in_ptx():
    module = must(cu.cuModuleLoadData(WRITTEN.encode() + b"\0"))
    name, ratio, far = (variable(module, title) for title in ("name", "ratio", "far"))
    yield "sizes", [name[1], ratio[1], far[1]]
    yield "at first", [ctypes.string_at(name[0], 12).hex(), float(view(ratio[0], np.float32, 1)[0]),
                       view(far[0], np.uint64, 3).tolist()]
    yield "after a kernel", [start(module, "go"), ctypes.string_at(name[0], 12).hex(),
                             float(view(ratio[0], np.float32, 1)[0]),
                             view(far[0], np.uint64, 3).tolist()]


@question("a large managed variable is attached to a stream, prefetched by parts and used in that stream")
def in_a_stream():
    module, s = load(), stream()
    big = variable(module, "big")[0]
    yield "attached", [attach(s, big), ask(cu.cuStreamSynchronize(s)), attach(s, big, MIB), attach(s, big, 5000)]
    host_write(big, 7)
    prefetch_and_wait(big + 8 * PAGE, 3 * PAGE, "device")
    yield "prefetched", [facts(big + 8 * PAGE, 3 * PAGE), facts(big + 12 * PAGE, PAGE)]
    yield "used", [ask(kernels.launch("fill", big + 1, i32(1), i32(3), stream=int(s))), ask(cu.cuStreamSynchronize(s)),
                   ctypes.string_at(big, 6).hex()]
