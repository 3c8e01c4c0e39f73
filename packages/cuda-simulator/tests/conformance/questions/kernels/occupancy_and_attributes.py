"""Kernels as the driver describes them: occupancy, attributes of libraries' kernels, launch attributes."""
import ctypes
import tempfile

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, outcome, raw, read
from ...helpers.kernels import BAD, TINY, i32, kernel
from ...helpers.memory_kinds import make

NAMES = ("nothing", "static_shared", "dynamic_shared", "bounded")
Attribute = cu.CUfunction_attribute


@question("how many blocks of a kernel fit a multiprocessor at once")
def occupancy():
    for kernel_name in NAMES:
        for threads in (1, 31, 32, 33, 64, 96, 128, 256, 500, 1000, 1024):
            for shared in (0, 1, 1000, 40000, 49152):
                yield f"{kernel_name}, {threads} threads, {shared} bytes", outcome(
                    cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(kernel(kernel_name), threads, shared))
    for threads, shared in ((0, 0), (-1, 0), (1025, 0), (5000, 0), (128, 232448), (128, 1 << 20), (128, 1 << 40)):
        yield f"nothing, {threads} threads, {shared} bytes", outcome(
            cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(kernel("nothing"), threads, shared))
    for flags in (0, 1, 2, 4):
        yield f"flags {flags}", outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(kernel("nothing"), 128, 0, flags))
    yield "null function", lambda: outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(0, 128, 0))


@question("how much dynamic shared memory a block may have beside others")
def available_shared():
    for kernel_name in NAMES:
        for blocks in (0, 1, 2, 3, 5, 6, 7, 8, 11, 13, 32, 33):
            for threads in (32, 128, 1024):
                yield f"{kernel_name}, {blocks} blocks of {threads}", outcome(
                    cu.cuOccupancyAvailableDynamicSMemPerBlock(kernel(kernel_name), blocks, threads))


@question("the block size that keeps the most threads busy")
def best_block():
    for kernel_name in NAMES:
        for shared in (0, 10000, 49152):
            for limit in (0, 1, 32, 100, 512, 1024, 2000):
                yield f"{kernel_name}, {shared} bytes, at most {limit}", outcome(
                    cu.cuOccupancyMaxPotentialBlockSize(kernel(kernel_name), None, shared, limit))
    yield "at most -1", outcome(cu.cuOccupancyMaxPotentialBlockSize(kernel("nothing"), None, 0, -1))


@question("the flag for the block size is checked, and changes nothing where caching costs no occupancy")
def best_block_with_flags():
    for kernel_name in NAMES:
        for flags in (0, 1, 2, 4, 1 << 31):
            yield f"{kernel_name}, flags {flags}", outcome(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(kernel(kernel_name), None, 10000,
                                                                                                        100, flags))
    yield "at most -1, flags 2", outcome(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(kernel("nothing"), None, 0, -1, 2))
    yield "null function, flags 0", lambda: outcome(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(0, None, 0, 0, 0))
    yield "null function, flags 2", lambda: outcome(cu.cuOccupancyMaxPotentialBlockSizeWithFlags(0, None, 0, 0, 2))


def _config(grid=1, block=32, shared=0, attributes=()):
    config = cu.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = grid, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = block, 1, 1
    config.sharedMemBytes, config.hStream = shared, cu.CUstream(0)
    built = []
    for number, fill in attributes:
        attribute = cu.CUlaunchAttribute()
        attribute.id = cu.CUlaunchAttributeID(number)
        fill(attribute.value)
        built.append(attribute)
    config.attrs, config.numAttrs = built, len(built)
    return config


@question("a launch may carry attributes")
def launch_attributes():
    out = make("device").address
    argument = np.array([out], np.uint64)
    pointers = np.array([argument.ctypes.data], np.uint64)
    def ran(*attributes, grid=1):
        must(cu.cuMemsetD32(out, 0, 1))
        code = ask(cu.cuLaunchKernelEx(_config(grid, 32, 0, attributes), kernel("count_threads"), pointers.ctypes.data, 0))
        return [code, ask(cu.cuCtxSynchronize()), int.from_bytes(read(out, 4), "little")]
    def cluster(x):
        def fill(value):
            value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = x, 1, 1
        return fill
    yield "none", lambda: ran()
    for value in (0, 1):
        yield f"cooperative {value}", lambda: ran((2, lambda v: setattr(v, "cooperative", value)))
    for value in (-6, -5, 0, 3):
        yield f"priority {value}", lambda: ran((8, lambda v: setattr(v, "priority", value)))
    for x in (1, 2, 3, 16):
        yield f"cluster of {x} for 4 blocks", lambda: ran((4, cluster(x)), grid=4)
    yield "ignored", lambda: ran((0, lambda v: None))


@question("a library's kernels have attributes, names and parameters without a context's function")
def library_kernels():
    library = must(cu.cuLibraryLoadData(kernels.ptx(), [], [], 0, [], [], 0))
    for kernel_name in ("nothing", "static_shared", "bounded", "many_parameters"):
        kernel_ = must(cu.cuLibraryGetKernel(library, kernel_name.encode()))
        for number in (0, 1, 5, 6, 8, 9):
            yield f"{kernel_name}: {Attribute(number).name[18:]}", outcome(cu.cuKernelGetAttribute(Attribute(number), kernel_, 0))
        yield f"{kernel_name}: name", lambda: outcome(cu.cuKernelGetName(kernel_), lambda text: text.decode())
        for index in range(3):
            yield f"{kernel_name}: parameter {index}", outcome(cu.cuKernelGetParamInfo(kernel_, index))
    kernel_ = must(cu.cuLibraryGetKernel(library, b"dynamic_shared"))
    function = must(cu.cuKernelGetFunction(kernel_))
    for value in (0, 100000, 232448, 232449, -1):
        yield f"set dynamic shared memory {value}", [ask(cu.cuKernelSetAttribute(Attribute(8), value, kernel_, 0)),
                                                     outcome(cu.cuKernelGetAttribute(Attribute(8), kernel_, 0)),
                                                     outcome(cu.cuFuncGetAttribute(Attribute(8), function))]
    yield "on device 9", ask(cu.cuKernelGetAttribute(Attribute(0), kernel_, 9))
    yield "cache", ask(cu.cuKernelSetCacheConfig(kernel_, cu.CUfunc_cache(1), 0))
    yield "null kernel", lambda: ask(cu.cuKernelGetAttribute(Attribute(0), 0, 0))
    yield "attributes of its function", [outcome(cu.cuFuncGetAttribute(Attribute(n), function)) for n in (0, 1, 5, 6)]
    yield "name of its function", outcome(cu.cuFuncGetName(function), lambda text: text.decode())


@question("a library tells its kernels, variables and module")
def library_contents():
    library = must(cu.cuLibraryLoadData(kernels.ptx(), [], [], 0, [], [], 0))
    count = must(cu.cuLibraryGetKernelCount(library))
    yield "all of them", len(set(map(int, must(cu.cuLibraryEnumerateKernels(count, library))))) == count
    yield "three of them", len(must(cu.cuLibraryEnumerateKernels(3, library)))
    yield "a variable's size", outcome(cu.cuLibraryGetGlobal(library, b"zeros")[::2])
    yield "no such variable", ask(cu.cuLibraryGetGlobal(library, b"nope"))
    yield "a managed variable", ask(cu.cuLibraryGetManaged(library, b"zeros"))
    yield "a unified function", ask(cu.cuLibraryGetUnifiedFunction(library, b"nothing"))
    yield "module", ask(cu.cuLibraryGetModule(library))
    address = int(must(cu.cuLibraryGetGlobal(library, b"counter"))[0])
    must(cu.cuMemsetD32(address, 5, 1))
    new_context()
    yield "another context has its own variable", int(must(cu.cuLibraryGetGlobal(library, b"counter"))[0]) != address
    yield "unload", ask(cu.cuLibraryUnload(library))
    yield "unload null", lambda: ask(cu.cuLibraryUnload(0))
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(TINY.encode() + b"\0")
        file.flush()
        yield "from a file", ask(cu.cuLibraryLoadFromFile(file.name.encode(), [], [], 0, [], [], 0))
    yield "from no file", ask(cu.cuLibraryLoadFromFile(b"/nonexistent.ptx", [], [], 0, [], [], 0))
    for label, text in {"what is no PTX": b"nothing of the kind\0", "what does not compile": BAD.encode() + b"\0", "nothing": b"\0",
                        "what is newer": TINY.replace("8.0", "9.9").encode() + b"\0"}.items():
        result = cu.cuLibraryLoadData(text, [], [], 0, [], [], 0)
        yield f"from {label}", ask(result)
        if not int(result[0]):
            yield f"from {label}: a kernel", lambda: ask(cu.cuLibraryGetKernel(result[1], b"go"))
            yield f"from {label}: how many", lambda: ask(cu.cuLibraryGetKernelCount(result[1]))
            yield f"from {label}: its module", lambda: ask(cu.cuLibraryGetModule(result[1]))
            yield f"from {label}: unload", lambda: ask(cu.cuLibraryUnload(result[1]))
    yield "from a null address", lambda: raw("cuLibraryLoadData", ctypes.byref(ctypes.c_uint64()), None, None, None, ctypes.c_uint(0), None,
                                             None, ctypes.c_uint(0))


@question("clusters of blocks: what fits")
def clusters():
    config = _config(8, 128, 0, [(4, lambda v: (setattr(v.clusterDim, "x", 2), setattr(v.clusterDim, "y", 1), setattr(v.clusterDim, "z", 1)))])
    yield "largest cluster", outcome(cu.cuOccupancyMaxPotentialClusterSize(kernel("nothing"), _config(8, 128)))
    yield "clusters at once", outcome(cu.cuOccupancyMaxActiveClusters(kernel("nothing"), config))


@question("a launch waits for nobody and counts its parameters by the kernel")
def launch_details():
    d = make("device").address
    f = kernel("poke")
    def packed(data, shown_size=None):
        buffer = ctypes.create_string_buffer(bytes(data), len(data))
        length = ctypes.c_size_t(len(data) if shown_size is None else shown_size)
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(length), 0)
        code = name(ctypes.CDLL("libcuda.so.1").cuLaunchKernel(
            ctypes.c_void_p(int(f)), *[ctypes.c_uint(1)] * 6, ctypes.c_uint(0), None, None, extra))
        return [code, ask(cu.cuCtxSynchronize())]
    right = d.to_bytes(8, "little") + (7).to_bytes(4, "little")
    for label, data in (("exact", right), ("four bytes more", right + bytes(4)), ("one byte less", right[:-1]), ("one byte more", right + b"\0"),
                        ("sixteen bytes more", right + bytes(16))):
        yield label, lambda: packed(data)
    yield "no extra, no parameters, a kernel without any", lambda: ask(kernels.run("nothing"))
    yield "of another context's module", lambda: _foreign_launch(d)


def _foreign_launch(d):
    f = kernel("poke")
    new_context()
    s = must(cu.cuStreamCreate(1))
    return [ask(kernels.launch(f, d, i32(1))), ask(kernels.launch(f, d, i32(1), stream=int(s)))]


@question("null function: every question about a function")
def null_function():
    for label, call in {"attribute": lambda: cu.cuFuncGetAttribute(Attribute(0), 0), "set attribute": lambda: cu.cuFuncSetAttribute(0, Attribute(8), 0),
                        "cache": lambda: cu.cuFuncSetCacheConfig(0, cu.CUfunc_cache(0)),
                        "parameter": lambda: cu.cuFuncGetParamInfo(0, 0),
                        "launch": lambda: cu.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)}.items():
        yield label, lambda: ask(call())
    yield "occupancy", lambda: raw("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(ctypes.c_int()), 0, ctypes.c_int(32), 0)
