"""Modules: PTX in, functions and variables out; what the compiler's logs say; linking."""
import ctypes
import os

from cuda.bindings import driver as cu

from ...asking import DRIVER, NOTHING, question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, outcome, raw, read, where, write
from ...helpers.kernels import BAD, TINY, i32

O = cu.CUjit_option
LIBRARY = """.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 v;
.visible .entry k(.param .u32 a) { ret; }
"""


def load(text):
    return cu.cuModuleLoadData(text if isinstance(text, bytes) else text.encode() + b"\0")


@question("PTX loads with its terminating zero, with several, and with text after the zero")
def terminators():
    yield "zero", ask(load(TINY))
    yield "several", ask(load(TINY.encode() + b"\0\0\0"))
    yield "text after", ask(load(TINY.encode() + b"\0garbage"))
    yield "comment first", ask(load("// a comment\n" + TINY))
    yield "blank lines first", ask(load("\n\n  \n" + TINY))
    yield "windows line ends", ask(load(TINY.replace("\n", "\r\n")))
    yield "block comment first", ask(load("/* a comment */" + TINY))


@question("what is not an image is refused")
def not_an_image():
    for label, text in {"nothing": b"\0", "spaces": b"   \0", "words": b"hello world\0", "an instruction": BAD.encode() + b"\0",
                        "no version": TINY.partition("\n")[2].encode() + b"\0", "no target": TINY.replace(".target sm_75\n", "").encode() + b"\0",
                        "a newer version": TINY.replace("8.0", "9.9").encode() + b"\0",
                        "an old version": TINY.replace("8.0", "6.0").encode() + b"\0",
                        "a newer target": TINY.replace("sm_75", "sm_120").encode() + b"\0",
                        "target sm_90": TINY.replace("sm_75", "sm_90").encode() + b"\0",
                        "target sm_90a": TINY.replace("sm_75", "sm_90a").encode() + b"\0",
                        "target sm_999": TINY.replace("sm_75", "sm_999").encode() + b"\0",
                        "target sm_35": TINY.replace("sm_75", "sm_35").encode() + b"\0",
                        "32-bit addresses": TINY.replace("size 64", "size 32").encode() + b"\0",
                        "unclosed": TINY.rstrip("}\n").encode() + b"\0",
                        "undeclared register": TINY.replace("ret;", "mov.u32 %r1, 1; ret;").encode() + b"\0",
                        "an unresolved function": TINY.replace(".visible", ".extern .func f();\n.visible").replace("ret;", "call f; ret;").encode() + b"\0",
                        "an ELF head": b"\x7fELF" + bytes(200), "a fatbin head": b"\x50\xed\x55\xba" + bytes(200)}.items():
        yield label, lambda: ask(load(text))
    yield "null", lambda: raw("cuModuleLoadData", ctypes.byref(ctypes.c_uint64()), 0)
    yield "null output", lambda: raw("cuModuleLoadData", None, TINY.encode())
    yield "fatbin call", lambda: ask(cu.cuModuleLoadFatBinary(TINY.encode() + b"\0"))


@question("a module loads from a file, or says that the file is not there", varies={"a folder": "what reading a folder gives"})
def files():
    import tempfile
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(TINY.encode())
        file.flush()
        yield "PTX without terminating zero", ask(cu.cuModuleLoad(file.name.encode()))
    yield "no such file", ask(cu.cuModuleLoad(b"/nonexistent/file.ptx"))
    yield "a folder", ask(cu.cuModuleLoad(b"/tmp"))
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        yield "an empty file", ask(cu.cuModuleLoad(file.name.encode()))


@question("functions and variables are found by name; what is not there is NOT_FOUND")
def lookups():
    module = kernels.module()
    yield "function", ask(cu.cuModuleGetFunction(module, b"fill"))
    yield "no such function", ask(cu.cuModuleGetFunction(module, b"nope"))
    yield "a variable's name as function", ask(cu.cuModuleGetFunction(module, b"counter"))
    yield "empty name", ask(cu.cuModuleGetFunction(module, b""))
    yield "the same function twice", int(must(cu.cuModuleGetFunction(module, b"fill"))) == int(must(cu.cuModuleGetFunction(module, b"fill")))
    for variable in (b"counter", b"zeros", b"pair", b"table", b"symbol_address", b"kept"):
        yield f"size of {variable.decode()}", outcome(cu.cuModuleGetGlobal(module, variable)[::2])
    yield "no such variable", ask(cu.cuModuleGetGlobal(module, b"nope"))
    yield "a function's name as variable", ask(cu.cuModuleGetGlobal(module, b"fill"))
    yield "null name", lambda: raw("cuModuleGetFunction", ctypes.byref(ctypes.c_uint64()), int(module), 0)
    yield "null module", lambda: raw("cuModuleGetFunction", ctypes.byref(ctypes.c_uint64()), 0, b"fill")
    yield "null module, variable", lambda: raw("cuModuleGetGlobal_v2", ctypes.byref(ctypes.c_uint64()), None, 0, b"fill")
    out, size = ctypes.c_uint64(), ctypes.c_uint64()
    yield "variable, no address wanted", lambda: [raw("cuModuleGetGlobal_v2", None, ctypes.byref(size), int(module), b"pair"), size.value]
    yield "variable, no size wanted", lambda: [raw("cuModuleGetGlobal_v2", ctypes.byref(out), None, int(module), b"pair"), out.value != 0]
    yield "variable, neither wanted", lambda: raw("cuModuleGetGlobal_v2", None, None, int(module), b"pair")
    yield "texture reference", ask(cu.cuModuleGetTexRef(module, b"nope"))
    yield "loading mode", outcome(cu.cuModuleGetLoadingMode())


@question("variables begin with their initial values, keep what is written, and each load has its own")
def variables():
    module = kernels.module()
    def address(of, where_from=module):
        return int(must(cu.cuModuleGetGlobal(where_from, of))[0])
    yield "counter", int.from_bytes(read(address(b"counter"), 4), "little")
    yield "zeros", set(read(address(b"zeros"), 256)) == {0}
    yield "pair", read(address(b"pair"), 16).hex()
    yield "table", read(address(b"table"), 64).hex()
    yield "an address as value", where(int.from_bytes(read(address(b"symbol_address"), 8), "little"), counter=address(b"counter"))
    must(kernels.run("bump", grid=2, block=5))
    yield "after ten bumps", int.from_bytes(read(address(b"counter"), 4), "little")
    write(address(b"counter"), (100).to_bytes(4, "little"))
    must(kernels.run("bump"))
    yield "after the host wrote 100 and a bump", int.from_bytes(read(address(b"counter"), 4), "little")
    second_module = must(cu.cuModuleLoadData(kernels.ptx()))
    yield "a second load", int.from_bytes(read(address(b"counter", second_module), 4), "little")
    yield "its address differs", address(b"counter", second_module) != address(b"counter")
    yield "constant written by the host", [ask(cu.cuMemcpyHtoD(address(b"table"), b"\1" * 8, 8)), read(address(b"table"), 10).hex()]
    yield "range of counter", [where(int(cu.cuMemGetAddressRange(address(b"counter"))[1]), counter=address(b"counter")),
                               int(cu.cuMemGetAddressRange(address(b"counter"))[2])]
    yield "free a variable", ask(cu.cuMemFree(address(b"counter")))
    yield "aligned to 256", [address(v) % 256 == 0 for v in (b"counter", b"zeros", b"pair", b"table")]


@question("an unloaded module's functions and variables are gone", varies={"unload again": "the driver reads what it has given back"})
def unload():
    module = must(cu.cuModuleLoadData(kernels.ptx()))
    address = int(must(cu.cuModuleGetGlobal(module, b"counter"))[0])
    function = must(cu.cuModuleGetFunction(module, b"nothing"))
    yield "unload", ask(cu.cuModuleUnload(module))
    yield "unload null", lambda: ask(cu.cuModuleUnload(0))
    yield "copy from its variable", ask(cu.cuMemcpyDtoH(bytearray(4), address, 4))
    yield "its variable's type", ask(cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address))
    yield "launch its function", lambda: ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    yield "unload again", lambda: ask(cu.cuModuleUnload(module))
    yield "get a function", lambda: ask(cu.cuModuleGetFunction(module, b"nothing"))


@question("the attributes of a function tell its needs")
def function_attributes():
    exact = ("MAX_THREADS", "SHARED", "CONST", "PTX_VERSION", "BINARY", "CACHE", "MAX_DYNAMIC", "CARVEOUT", "CLUSTER")
    for kernel in ("nothing", "static_shared", "dynamic_shared", "bounded", "many_parameters", "local_array", "wait_for"):
        for attribute in map(cu.CUfunction_attribute, range(16)):
            if any(part in attribute.name for part in exact):
                yield f"{kernel}: {attribute.name[18:]}", outcome(cu.cuFuncGetAttribute(attribute, kernels.kernel(kernel)))
    yield "local memory is used", outcome(cu.cuFuncGetAttribute(cu.CUfunction_attribute(3), kernels.kernel("local_array"))) >= 400
    yield "local memory is not used", outcome(cu.cuFuncGetAttribute(cu.CUfunction_attribute(3), kernels.kernel("nothing")))
    yield "attribute 99", lambda: raw("cuFuncGetAttribute", ctypes.byref(ctypes.c_int()), ctypes.c_int(99), int(kernels.kernel("nothing")))
    yield "null function", lambda: raw("cuFuncGetAttribute", ctypes.byref(ctypes.c_int()), ctypes.c_int(0), 0)
    yield "null output", lambda: raw("cuFuncGetAttribute", None, ctypes.c_int(0), int(kernels.kernel("nothing")))


@question("registers of a function", varies="the compiler's choice")
def registers():
    for kernel in ("nothing", "fill", "local_array", "heap_take"):
        for number in (3, 4):
            yield f"{kernel}: {number}", outcome(cu.cuFuncGetAttribute(cu.CUfunction_attribute(number), kernels.kernel(kernel)))


@question("some attributes of a function can be set")
def set_function_attributes():
    f = kernels.kernel("dynamic_shared")
    for attribute in map(cu.CUfunction_attribute, [n for n in range(16) if n not in (3, 4)]):
        for value in (0, 1, 1000, 49152, 100000, 232448, 232449, -1, -2):
            yield f"{attribute.name[18:]} {value}", lambda: [ask(cu.cuFuncSetAttribute(f, attribute, value)),
                                                            outcome(cu.cuFuncGetAttribute(attribute, f))]
    yield "cache", [ask(cu.cuFuncSetCacheConfig(f, c)) for c in cu.CUfunc_cache]
    yield "shared memory", [ask(cu.cuFuncSetSharedMemConfig(f, c)) for c in cu.CUsharedconfig]
    yield "name", outcome(cu.cuFuncGetName(f), lambda n: n.decode())
    m = kernels.kernel("many_parameters")
    for index in range(9):
        yield f"parameter {index}", outcome(cu.cuFuncGetParamInfo(m, index))


def _load_with_logs(text, size=4096, extra=()):
    """(code, error log, info log) of cuModuleLoadDataEx."""
    error, info = ctypes.create_string_buffer(max(size, 1)), ctypes.create_string_buffer(max(size, 1))
    options = [3, 4, 5, 6, *(option for option, _ in extra)]
    values = [ctypes.addressof(info), size, ctypes.addressof(error), size, *(value for _, value in extra)]
    kinds = (ctypes.c_int * len(options))(*options)
    boxed = (ctypes.c_void_p * len(values))(*values)
    code = ctypes.CDLL("libcuda.so.1").cuModuleLoadDataEx(ctypes.byref(ctypes.c_uint64()), text.encode() + b"\0",
                                                          ctypes.c_uint(len(options)), kinds, boxed)
    return name(code), error.value.decode(errors="replace"), info.value.decode(errors="replace"), boxed[1], boxed[3]


@question("a module that does not compile leaves its reason, with the line, in the error log")
def error_log():
    code, error, info, info_size, error_size = _load_with_logs(BAD)
    yield "code", code
    yield "the line is named", "line 5" in error
    yield "the word error", "error" in error.lower()
    yield "the instruction is named", "no_such_instruction" in error
    yield "information", bool(info)
    yield "the size of the error log is told back", error_size == len(error) or error_size == len(error) + 1
    code, error, *_ = _load_with_logs(TINY)
    yield "nothing wrong: code", code
    yield "nothing wrong: log", error
    code, error, *_ = _load_with_logs(BAD, size=10)
    yield "a log of 10 bytes", [code, len(error) <= 10]
    code, error, *_ = _load_with_logs(BAD, size=0)
    yield "a log of no bytes", [code, error]


@question("a log that is longer than its buffer is cut, and the size that is told back is that of what is there")
def cut_log():
    whole = _load_with_logs(BAD)[1]
    for label, size in {"1": 1, "2": 2, "10": 10, "half": len(whole) // 2, "its length": len(whole), "one more": len(whole) + 1, "two more": len(whole) + 2}.items():
        code, error, _, _, told_back = _load_with_logs(BAD, size=size)
        begins = next((n for n in range(len(error)) if not whole.startswith(error[:n + 1])), len(error))
        yield label, [code, where(len(error), size=size), "all of it begins the whole" if begins == len(error) else "it differs", where(told_back or 0, size=size)]


@question("the texts of the compiler's logs", varies="the compiler's version")
def log_texts():
    for label, text in {"unknown instruction": BAD, "undeclared": TINY.replace("ret;", "mov.u32 %r1, 1; ret;"), "right": TINY,
                        "newer version": TINY.replace("8.0", "9.9"), "unresolved": TINY.replace(
                            ".visible", ".extern .func f();\n.visible").replace("ret;", "call f; ret;")}.items():
        yield label, list(_load_with_logs(text, extra=[(12, 1)]))


@question("the compiler's options are accepted")
def jit_options():
    for label, extra in {"registers 32": [(0, 32)], "optimization 0": [(7, 0)], "optimization 4": [(7, 4)], "optimization 9": [(7, 9)],
                         "target from context": [(8, 1)], "target 90": [(9, 90)], "target 75": [(9, 75)], "target 7": [(9, 7)],
                         "debug": [(11, 1)], "verbose": [(12, 1)], "line info": [(13, 1)], "cache": [(14, 1)],
                         "fallback": [(10, 0)], "threads per block": [(1, 64)], "fast": [(16, 1)], "unknown 99": [(99, 1)],
                         "unknown -1": [(-1, 1)]}.items():
        yield label, lambda: _load_with_logs(TINY, extra=extra)[0]


@question("cuda.bindings passes options and their values")
def jit_options_bindings():
    log = bytearray(1024)
    result = cu.cuModuleLoadDataEx(BAD.encode() + b"\0", 2, [O.CU_JIT_ERROR_LOG_BUFFER, O.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES], [log, 1024])
    return [ask(result), b"no_such_instruction" in bytes(log)]


@question("PTX can be linked into an image that loads")
def link():
    state = must(cu.cuLinkCreate(0, [], []))
    ptx = cu.CUjitInputType.CU_JIT_INPUT_PTX
    data = TINY.encode() + b"\0"
    yield "add", ask(cu.cuLinkAddData(state, ptx, data, len(data), b"one", 0, [], []))
    caller = TINY.replace("answer", "other").replace("go", "go2").encode() + b"\0"
    yield "add another", ask(cu.cuLinkAddData(state, ptx, caller, len(caller), b"two", 0, [], []))
    result = cu.cuLinkComplete(state)
    yield "complete", ask(result)
    module = cu.cuModuleLoadData(result[1])
    yield "load", ask(module)
    yield "functions", [ask(cu.cuModuleGetFunction(module[1], n)) for n in (b"go", b"go2", b"go3")]
    yield "variable", int.from_bytes(read(must(cu.cuModuleGetGlobal(module[1], b"other"))[0], 4), "little")
    yield "destroy", ask(cu.cuLinkDestroy(state))
    state = must(cu.cuLinkCreate(0, [], []))
    bad = BAD.encode() + b"\0"
    yield "add what does not compile", ask(cu.cuLinkAddData(state, ptx, bad, len(bad), b"bad", 0, [], []))
    yield "add the same name twice", [ask(cu.cuLinkAddData(state, ptx, data, len(data), b"one", 0, [], [])) for _ in range(2)]
    yield "complete with a duplicate", ask(cu.cuLinkComplete(state))
    cu.cuLinkDestroy(state)
    state = must(cu.cuLinkCreate(0, [], []))
    unresolved = TINY.replace(".visible", ".extern .func f();\n.visible").replace("ret;", "call f; ret;").encode() + b"\0"
    yield "add an unresolved call", ask(cu.cuLinkAddData(state, ptx, unresolved, len(unresolved), b"u", 0, [], []))
    yield "complete it", ask(cu.cuLinkComplete(state))
    yield "add a file that is not there", ask(cu.cuLinkAddFile(state, ptx, b"/nonexistent.ptx", 0, [], []))
    empty = must(cu.cuLinkCreate(0, [], []))
    yield "complete nothing", lambda: ask(cu.cuLinkComplete(empty))
    yield "null state", lambda: ask(cu.cuLinkComplete(0))


@question("calls across linked modules work, and variables are shared")
def link_calls():
    definition = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .global .u32 shared_one = 7;\n" \
                 ".visible .func f() { .reg .u32 %r; ld.global.u32 %r, [shared_one]; add.u32 %r, %r, 1; st.global.u32 [shared_one], %r; ret; }\n"
    user = ".version 8.0\n.target sm_75\n.address_size 64\n.extern .func f();\n.visible .entry go() { call f; ret; }\n"
    state = must(cu.cuLinkCreate(0, [], []))
    for label, text in ((b"d", definition), (b"u", user)):
        must(cu.cuLinkAddData(state, cu.CUjitInputType.CU_JIT_INPUT_PTX, text.encode() + b"\0", len(text) + 1, label, 0, [], []))
    image = must(cu.cuLinkComplete(state))[0]
    module = must(cu.cuModuleLoadData(image))
    function = must(cu.cuModuleGetFunction(module, b"go"))
    must(kernels.run(function))
    return int.from_bytes(read(must(cu.cuModuleGetGlobal(module, b"shared_one"))[0], 4), "little")


@question("a module belongs to the context in which it was loaded")
def other_context():
    module = kernels.module()
    function = kernels.kernel("poke")
    address = int(must(cu.cuModuleGetGlobal(module, b"counter"))[0])
    new_context()
    yield "get function", ask(cu.cuModuleGetFunction(module, b"fill"))
    yield "get variable", ask(cu.cuModuleGetGlobal(module, b"counter"))
    yield "read the variable", ask(cu.cuMemcpyDtoH(bytearray(4), address, 4))
    yield "attribute", ask(cu.cuFuncGetAttribute(cu.CUfunction_attribute(0), function))
    yield "launch", lambda: ask(kernels.launch(function, int(must(cu.cuMemAlloc(16))), i32(1)))
    yield "unload", lambda: ask(cu.cuModuleUnload(module))


@question("the library interface loads PTX without a context of its own, and gives kernels")
def libraries():
    result = cu.cuLibraryLoadData(TINY.encode() + b"\0", [], [], 0, [], [], 0)
    yield "load", ask(result)
    yield "kernel", ask(kernel_ := cu.cuLibraryGetKernel(result[1], b"go"))
    yield "no such kernel", ask(cu.cuLibraryGetKernel(result[1], b"nope"))
    yield "function", ask(cu.cuKernelGetFunction(kernel_[1]))
    yield "launch a kernel as a function", ask(cu.cuLaunchKernel(int(kernel_[1]), 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    yield "unload", ask(cu.cuLibraryUnload(result[1]))


@question("a library loads while no context is current, and tells its kernels; what lies in a context it tells in one", needs=DRIVER)
def libraries_without_a_context():
    loaded = cu.cuLibraryLoadData(LIBRARY.encode() + b"\0", [], [], 0, [], [], 0)
    yield "load", ask(loaded)
    yield "what is no PTX", ask(cu.cuLibraryLoadData(b"not a module\0", [], [], 0, [], [], 0))
    yield "as a module", ask(load(LIBRARY))
    kernel_ = cu.cuLibraryGetKernel(loaded[1], b"k")
    yield "kernel", ask(kernel_)
    yield "no such kernel", ask(cu.cuLibraryGetKernel(loaded[1], b"none"))
    yield "how many", outcome(cu.cuLibraryGetKernelCount(loaded[1]))
    yield "most threads", outcome(cu.cuKernelGetAttribute(cu.CUfunction_attribute(0), kernel_[1], 0))
    in_a_context = {"parameter": lambda: ask(cu.cuKernelGetParamInfo(kernel_[1], 0)), "function": lambda: ask(cu.cuKernelGetFunction(kernel_[1])),
                    "module": lambda: ask(cu.cuLibraryGetModule(loaded[1])), "variable": lambda: ask(cu.cuLibraryGetGlobal(loaded[1], b"v"))}
    yield from in_a_context.items()
    new_context()
    for label, answer in in_a_context.items():
        yield f"{label}, in a context", answer


def is_loaded(function):
    return outcome(cu.cuFuncIsLoaded(function), lambda state: state.name.removeprefix("CU_FUNCTION_LOADING_STATE_"))


@question("a kernel is loaded when it is launched for the first time, or when that is asked for", alone=True)
def loading():
    module = must(cu.cuModuleLoadData(kernels.ptx()))
    functions = {name: must(cu.cuModuleGetFunction(module, name.encode())) for name in ("nothing", "bump", "trap", "cube", "fill", "print")}
    states = lambda: {name: is_loaded(function) for name, function in functions.items()}  # noqa: E731
    yield "at first", states()
    must(kernels.run(functions["nothing"]))
    yield "nothing was launched", states()
    yield "load bump", [ask(cu.cuFuncLoad(functions["bump"])), ask(cu.cuFuncLoad(functions["bump"]))]
    must(cu.cuFuncGetAttribute(cu.CUfunction_attribute(0), functions["cube"]))
    yield "cube's attribute was asked for", states()
    must(cu.cuFuncSetAttribute(functions["fill"], cu.CUfunction_attribute(8), 1024))
    yield "fill was given an attribute", states()
    must(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(functions["print"], 32, 0))
    yield "print's occupancy was asked for", states()
    function_again = must(cu.cuModuleGetFunction(module, b"nothing"))
    yield "the same function, found again", is_loaded(function_again)
    second_function = must(cu.cuModuleGetFunction(must(cu.cuModuleLoadData(kernels.ptx())), b"nothing"))
    yield "of the same PTX, loaded again", is_loaded(second_function)
    library = must(cu.cuLibraryLoadData(kernels.ptx(), [], [], 0, [], [], 0))
    kernel_ = must(cu.cuLibraryGetKernel(library, b"nothing"))
    function = must(cu.cuKernelGetFunction(kernel_))
    yield "of a library", is_loaded(function)
    yield "of a library, launched", [ask(kernels.run(function)), is_loaded(function)]
    new_context()
    yield "asked in another context", is_loaded(functions["nothing"])
    yield "loaded from another context", [ask(cu.cuFuncLoad(functions["cube"])), is_loaded(functions["cube"])]


@question("CUDA_MODULE_LOADING=EAGER loads kernels with their module", needs=NOTHING)
def loading_eagerly():
    os.environ["CUDA_MODULE_LOADING"] = "EAGER"
    must(cu.cuInit(0))
    new_context()
    module = must(cu.cuModuleLoadData(kernels.ptx()))
    return is_loaded(must(cu.cuModuleGetFunction(module, b"nothing")))


@question("a module counts its kernels, and gives their functions in the order of its text")
def enumerated():
    source = "".join(f'extern "C" __global__ void {name}(int *p) {{ *p = 1; }}\n' for name in ("zeta", "alpha", "mid"))
    m = kernels.module(source)
    yield "count", outcome(cu.cuModuleGetFunctionCount(m))
    for most in (0, 2, 3, 5):
        functions = (ctypes.c_void_p * 5)()
        yield f"up to {most}", [raw("cuModuleEnumerateFunctions", ctypes.addressof(functions), ctypes.c_uint(most), int(m)),
                                [outcome(cu.cuFuncGetName(cu.CUfunction(f)), bytes.decode) for f in functions if f]]
    functions = (ctypes.c_void_p * 1)()
    raw("cuModuleEnumerateFunctions", ctypes.addressof(functions), ctypes.c_uint(1), int(m))
    yield "loaded", [outcome(cu.cuFuncIsLoaded(cu.CUfunction(functions[0])))]
    yield "the function that its name gives", functions[0] == int(kernels.kernel("zeta", source))
    yield "loaded then", [outcome(cu.cuFuncIsLoaded(cu.CUfunction(functions[0])))]
    yield "variables alone", outcome(cu.cuModuleGetFunctionCount(kernels.module('extern "C" { __device__ int lonely = 3; }')))
    yield "null outputs", [raw("cuModuleGetFunctionCount", 0, int(m)), raw("cuModuleEnumerateFunctions", 0, ctypes.c_uint(1), int(m)),
                           raw("cuModuleEnumerateFunctions", 0, ctypes.c_uint(0), int(m))]
    yield "null module", lambda: ask(cu.cuModuleGetFunctionCount(0))
