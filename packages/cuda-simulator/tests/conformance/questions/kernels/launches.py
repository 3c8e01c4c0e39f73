"""Launching kernels: shapes and their limits, parameters, and how a launch goes wrong."""
import ctypes
import os
import sys
import tempfile

import numpy as np
from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, outcome, read
from ...helpers.kernels import i32
from ...helpers.memory_kinds import make


def _cell():
    cell = int(must(cu.cuMemAlloc(64)))
    must(cu.cuMemsetD8(cell, 0, 64))
    return cell


def _number(cell):
    return int.from_bytes(read(cell, 4), "little", signed=True)


@question("a grid runs as many threads as it has, in up to three dimensions")
def threads():
    for grid, block in ((1, 1), (3, 5), ((2, 3, 4), 1), (1, (2, 3, 4)), ((2, 2, 2), (4, 4, 4)), (1000, 256), (1, 1024),
                        (1, (1, 1024, 1)), (1, (16, 1, 64)), (2, (32, 32, 1)), ((1, 65535, 1), 1), ((1, 1, 65535), 1)):
        cell = _cell()
        yield f"{grid} x {block}", [ask(kernels.run("count_threads", cell, grid=grid, block=block)), _number(cell)]


@question("shapes that are empty or too large are refused")
def bad_shapes():
    for grid, block in ((0, 1), (1, 0), ((1, 0, 1), 1), ((1, 1, 0), 1), (1, (1, 0, 1)), (1, (1, 1, 0)), (1, 1025), (1, (33, 32, 1)),
                        (1, (1, 1025, 1)), (1, (1, 1, 65)), (1, (2, 1, 64)), (1, (16, 2, 64)), ((1, 65536, 1), 1), ((1, 1, 65536), 1),
                        (1 << 31, 1), ((1 << 31) - 1, 0), (0, 0), (1, 1 << 31)):
        yield f"{grid} x {block}", ask(kernels.launch("nothing", grid=grid, block=block))
    yield "a good one afterwards", ask(kernels.run("nothing"))


@question("a block may not have more threads than the kernel's launch bounds")
def launch_bounds():
    cell = _cell()
    for size in (1, 127, 128, 129, 256, 1024):
        yield f"{size}", ask(kernels.run("bounded", cell, block=size))


@question("dynamic shared memory is limited to 48 KiB until the kernel asks for more, then to 227 KiB")
def shared_memory():
    cell = _cell()
    for size in (0, 4, 1000, 49152, 49153, 65536, 232448, 1 << 20, 1 << 31, (1 << 32) - 1):
        yield f"{size}", ask(kernels.run("dynamic_shared", cell, i32(0), shared=size))
    f = kernels.kernel("dynamic_shared")
    must(cu.cuFuncSetAttribute(f, cu.CUfunction_attribute(8), 232448))
    for size in (49153, 65536, 232448, 232449):
        yield f"{size} when allowed", ask(kernels.run("dynamic_shared", cell, i32(0), shared=size))
    yield "all of it used", [ask(kernels.run("dynamic_shared", cell, i32(232448 // 4), shared=232448, block=64)), _number(cell)]
    yield "static and dynamic together", ask(kernels.run("static_shared", cell, shared=49152 - 4000))
    yield "static and dynamic, too much", ask(kernels.run("static_shared", cell, shared=49152 - 3999))


@question("parameters of every size arrive as they were passed, by pointers or in one packed buffer")
def parameters():
    out = int(must(cu.cuMemAlloc(64)))
    values = (np.int8(-3), np.int16(-300), i32(70000), np.int64(1 << 40), np.float32(1.5), np.float64(-2.25))
    yield "by pointers", [ask(kernels.run("many_parameters", *values, out)), list(np.frombuffer(read(out, 48), np.float64))]
    must(cu.cuMemsetD8(out, 0, 64))
    packed = np.zeros(48, np.uint8)
    for offset, value in zip((0, 2, 4, 8, 16, 24), values):
        packed[offset:offset + value.nbytes] = np.frombuffer(value.tobytes(), np.uint8)
    packed[32:40] = np.frombuffer(np.uint64(out).tobytes(), np.uint8)
    yield "packed", [_launch_packed(packed, 40), list(np.frombuffer(read(out, 48), np.float64))]
    for size in (41, 48, 4096, 0):    # fewer than 40, and the kernel reads what is left in its place from the launch before
        yield f"packed, {size} bytes", lambda: _launch_packed(np.zeros(4096, np.uint8), size)
    yield "unknown extra option", lambda: _launch_packed(packed, 40, first_key=7)
    yield "both at once", lambda: _launch_packed(packed, 40, pointers=True)


def _launch_packed(buffer, size, first_key=1, pointers=False, function="many_parameters"):
    """Launch with CU_LAUNCH_PARAM_BUFFER_POINTER 1, BUFFER_SIZE 2, END 0."""
    length = ctypes.c_size_t(size)
    extra = (ctypes.c_void_p * 5)(first_key, buffer.ctypes.data, 2, ctypes.addressof(length), None)
    arguments = [ctypes.c_void_p(int(kernels.kernel(function) if isinstance(function, str) else function)), *[ctypes.c_uint(1)] * 6, ctypes.c_uint(0), None]
    code = ctypes.CDLL("libcuda.so.1").cuLaunchKernel(*arguments, extra if pointers else None, extra)
    return [name(code), ask(cu.cuCtxSynchronize())]


@question("a kernel that takes parameters and is given none", varies="what is read then is not defined")
def no_parameters():
    yield "peek", lambda: ask(cu.cuLaunchKernel(kernels.kernel("peek"), 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))


@question("a buffer may hold fewer bytes than the kernel takes, if it holds any, and no more")
def short_buffers():
    source = """extern "C" { __global__ void none() {} __global__ void pointer(int *p) {} __global__ void three(int *p, int n, char c) {}
    __global__ void characters(char a, char b, char c, char d, char e) {} }"""
    for function in ("none", "pointer", "three", "characters"):
        for size in (0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 16, 32764, 32765):
            yield f"{function}, {size} bytes", lambda: _launch_packed(np.zeros(40000, np.uint8), size,
                                                                      function=kernels.kernel(function, source))


@question("a null or wrong function is refused")
def wrong_function():
    yield "null", lambda: ask(cu.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    yield "a module", lambda: ask(cu.cuLaunchKernel(int(kernels.module()), 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    buffer = ctypes.create_string_buffer(65536)
    yield "not a function", lambda: ask(cu.cuLaunchKernel(ctypes.addressof(buffer) + 8192, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))


@question("a kernel that goes wrong ends with a code of its own, seen at the next synchronization")
def faults():
    a = make("device").address
    for label, launch in {"trap": lambda: kernels.launch("trap"), "assert": lambda: kernels.launch("failing_assert", i32(1)),
                          "misaligned store": lambda: kernels.launch("misaligned", a),
                          "read of null": lambda: kernels.launch("peek", 0, a), "write to null": lambda: kernels.launch("poke", 0, i32(1)),
                          "write to address 1": lambda: kernels.launch("poke", 1, i32(1)),
                          "write to pageable memory": lambda: kernels.launch("poke", make("pageable").address, i32(1)),
                          "write beyond 2^49": lambda: kernels.launch("poke", 1 << 50, i32(1)),
                          "write beyond 2^62": lambda: kernels.launch("poke", 1 << 62, i32(1)),
                          "write far past an allocation": lambda: kernels.launch("poke", a + (1 << 40), i32(1))}.items():
        yield label, lambda: [ask(launch()), ask(cu.cuCtxSynchronize()), ask(cu.cuMemAlloc(16))]
    yield "assert that holds", lambda: [ask(kernels.launch("failing_assert", i32(1234))), ask(cu.cuCtxSynchronize())]


@question("what else ends in a fault leaves which code")
def wrong_ptx():
    head = ".version 8.0\n.target sm_75\n.address_size 64\n"
    bodies = {"store through a shared address out of range": ".shared .u32 s; .reg .u32 %r; mov.u32 %r, s; add.u32 %r, %r, 1000000; st.shared.u32 [%r], %r;",
              "misaligned shared store": ".shared .align 8 .u64 s; .reg .u32 %r; mov.u32 %r, s; add.u32 %r, %r, 1; st.shared.u32 [%r], %r;",
              "load through a constant address out of range": ".reg .u32 %r; .reg .u64 %d; mov.u64 %d, 1000000000; ld.const.u32 %r, [%d]; st.global.u32 [%d], %r;",
              "store to local memory out of range": ".local .u32 l; .reg .u32 %r; mov.u32 %r, l; add.u32 %r, %r, 100000000; st.local.u32 [%r], %r;",
              "trap": "trap;", "breakpoint": "brkpt;", "exit": "exit;"}
    for label, body in bodies.items():
        text = (head + ".visible .entry k() { " + body + " ret; }").encode() + b"\0"
        yield label, lambda: ask(kernels.run(must(cu.cuModuleGetFunction(must(cu.cuModuleLoadData(text)), b"k"))))


@question("a kernel in device memory of every kind: the launch itself succeeds, the wait tells")
def launch_then_wait():
    for kind in ("pageable", "mapped, access never set", "reserved only", "registered, read-only", "null", "freed reservation"):
        yield kind, lambda: [ask(kernels.launch("poke", make(kind).address, i32(1))), ask(cu.cuCtxSynchronize())]


@question("a kernel that writes constant memory")
def write_constant():
    yield "generic store", lambda: ask(kernels.run("poke", make("constant variable").address, i32(5)))
    yield "generic load", lambda: ask(kernels.run("peek", make("constant variable").address, make("device").address))


@question("text that kernels print appears when the context is synchronized")
def printing():
    def printed(*waits):
        sys.stdout.flush()
        with tempfile.TemporaryFile() as file:
            standard_output = os.dup(1)
            os.dup2(file.fileno(), 1)
            try:
                must(kernels.launch("print", i32(7), block=2))
                for wait in waits:
                    wait()
                ctypes.CDLL(None).fflush(None)
            finally:
                os.dup2(standard_output, 1)
                os.close(standard_output)
            file.seek(0)
            return file.read().decode()
    yield "cuCtxSynchronize", printed(cu.cuCtxSynchronize)
    yield "cuStreamSynchronize", printed(lambda: cu.cuStreamSynchronize(0))
    yield "cuMemcpyDtoH", printed(lambda: cu.cuMemcpyDtoH(bytearray(4), _cell(), 4))
    event = must(cu.cuEventCreate(0))
    yield "cuEventSynchronize", printed(lambda: (cu.cuEventRecord(event, 0), cu.cuEventSynchronize(event)))
    must(cu.cuCtxSynchronize())


@question("cooperative and extended launches run a kernel too")
def other_launches():
    f = kernels.kernel("nothing")
    yield "cooperative", [ask(cu.cuLaunchCooperativeKernel(f, 2, 1, 1, 32, 1, 1, 0, 0, 0)), ask(cu.cuCtxSynchronize())]
    yield "cooperative, too many blocks", ask(cu.cuLaunchCooperativeKernel(f, 1 << 20, 1, 1, 1024, 1, 1, 0, 0, 0))
    config = cu.CUlaunchConfig()
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1
    yield "extended", [ask(cu.cuLaunchKernelEx(config, f, 0, 0)), ask(cu.cuCtxSynchronize())]
    yield "occupancy, 128 threads", outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(f, 128, 0))
    yield "occupancy, 1024 threads", outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(f, 1024, 0))
    yield "occupancy, 2000 threads", outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(f, 2000, 0))
    yield "occupancy, no threads", outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(f, 0, 0))
    yield "occupancy, 100 KB shared", outcome(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(kernels.kernel("dynamic_shared"), 128, 40000))
    yield "potential block size", outcome(cu.cuOccupancyMaxPotentialBlockSize(f, None, 0, 0))


@question("a launch without a current context", needs=DRIVER)
def without_context():
    first = new_context()
    function = kernels.kernel("nothing")
    must(cu.cuCtxPopCurrent())
    yield "none", ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    second = new_context()
    yield "another", ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    stream = must(cu.cuStreamCreate(0))
    must(cu.cuCtxSetCurrent(first))
    yield "its own, another's stream", ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0))
    must(cu.cuCtxSetCurrent(0))
    must(cu.cuCtxSetCurrent(first))
    own = must(cu.cuStreamCreate(0))
    must(cu.cuCtxSetCurrent(0))
    yield "none, its own stream", ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, own, 0, 0))
    yield "wait", ask(cu.cuStreamSynchronize(own))
    must(cu.cuCtxSetCurrent(second))


@question("a kernel reads what another wrote, in memory of every kind that it may reach")
def by_kind():
    out = int(must(cu.cuMemAlloc(64)))
    for kind in ("device", "pinned", "registered", "registered, unaligned", "managed", "mapped", "mapped, on the host", "stream-ordered", "module variable"):
        block = make(kind)
        yield kind, [ask(kernels.run("fill", block.address + 5, i32(100), i32(9), grid=2, block=3)),
                     ask(kernels.run("copy", out, block.address + 5, i32(9))), read(out, 9).hex()]
