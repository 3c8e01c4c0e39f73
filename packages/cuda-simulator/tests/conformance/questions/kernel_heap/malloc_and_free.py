"""The heap inside kernels: malloc and free in device code, and what the host can do with such addresses."""
import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, read, where
from ...helpers.kernels import i32
from ...helpers.memory_kinds import make, pages

HEAP = cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE


def take(size, threads=1, blocks=1):
    """What malloc(size) gave each thread."""
    cells = int(must(cu.cuMemAlloc(8 * threads * blocks)))
    must(kernels.run("heap_take", np.uint64(size), cells, grid=blocks, block=threads))
    return [int(p) for p in np.frombuffer(read(cells, 8 * threads * blocks), np.uint64)]


def give(addresses):
    cells = int(must(cu.cuMemAlloc(8 * len(addresses))))
    data = np.array(addresses, np.uint64)
    must(cu.cuMemcpyHtoD(cells, data.ctypes.data, data.nbytes))
    return kernels.run("heap_give", cells, i32(len(addresses)))


@question("the heap is 8 MiB unless set")
def default():
    return outcome(cu.cuCtxGetLimit(HEAP))


@question("the heap's limit can be set until a kernel that uses the heap was launched")
def limit_rules():
    yield "set before", [ask(cu.cuCtxSetLimit(HEAP, 16 << 20)), outcome(cu.cuCtxGetLimit(HEAP))]
    kernels.module()
    yield "set after loading a module that uses it", [ask(cu.cuCtxSetLimit(HEAP, 32 << 20)), outcome(cu.cuCtxGetLimit(HEAP))]
    must(kernels.run("nothing"))
    yield "set after launching a kernel without malloc", [ask(cu.cuCtxSetLimit(HEAP, 48 << 20)), outcome(cu.cuCtxGetLimit(HEAP))]
    take(16)
    yield "set after malloc", [ask(cu.cuCtxSetLimit(HEAP, 64 << 20)), outcome(cu.cuCtxGetLimit(HEAP))]
    yield "set to what it is", ask(cu.cuCtxSetLimit(HEAP, 48 << 20))
    yield "another limit after malloc", ask(cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_STACK_SIZE, 4096))


@question("the limit reads back as it was set, or rounded")
def limit_values():
    for value in (0, 1, 1000, 4096, 100000, 1 << 20, (1 << 20) + 1, 8 << 20, 10_000_000, 1 << 30):
        yield f"{value}", [ask(cu.cuCtxSetLimit(HEAP, value)), outcome(cu.cuCtxGetLimit(HEAP))]
    yield "2^46", ask(cu.cuCtxSetLimit(HEAP, 1 << 46))
    yield "after 2^46", outcome(cu.cuCtxGetLimit(HEAP))


@question("a limit larger than the device's memory fails when it is needed")
def limit_too_large():
    yield "set 2^45", ask(cu.cuCtxSetLimit(HEAP, 1 << 45))
    cells = must(cu.cuMemAlloc(8))
    yield "launch", lambda: ask(kernels.run("heap_take", np.uint64(16), cells))


@question("the heap's capacity is at least its limit, less what it needs itself", varies="the allocator's own layout")
def capacity():
    for size in (16, 1000, 65536, 1 << 20):
        new_context()
        blocks = take(size, 256, 16)
        yield f"{size} bytes each", [sum(map(bool, blocks)), len(blocks)]


@question("an exhausted heap gives null in the kernel, and the launch succeeds")
def exhaustion():
    yield "9 MiB of 8", [where(p) for p in take(9 << 20)]
    yield "2^40 bytes", [where(p) for p in take(1 << 40)]
    large = take(1 << 20, 16)
    yield "sixteen times 1 MiB: some are null", 0 in large
    yield "some are not", any(large)
    yield "the context lives", ask(cu.cuCtxSynchronize())
    yield "more of the same", 0 in take(1 << 20, 16)
    yield "free them", ask(give([p for p in large if p]))
    yield "after freeing", any(take(1 << 20, 1))


@question("malloc of nothing")
def malloc_nothing():
    return where(take(0)[0])


@question("addresses are 16-byte aligned, and those of living allocations do not overlap")
def alignment():
    for size in (1, 16, 24, 100, 4096):
        addresses = sorted(take(size, 64))
        yield f"{size}: aligned", all(p % 16 == 0 for p in addresses)
        yield f"{size}: apart", all(b - a >= size for a, b in zip(addresses, addresses[1:]))


@question("freeing null in a kernel is allowed")
def free_null():
    return ask(give([0, 0]))


@question("what one kernel allocates and writes another one reads, of another module too")
def across_kernels():
    must(kernels.run("heap_keep", i32(64)))
    out = int(must(cu.cuMemAlloc(64)))
    yield "read by another kernel", ask(kernels.run("heap_read_kept", out, i32(64)))
    yield "content", read(out, 64) == bytes(range(64))
    address = int.from_bytes(read(int(must(cu.cuModuleGetGlobal(kernels.module(), b"kept"))[0]), 8), "little")
    second_module = must(cu.cuModuleLoadData(kernels.ptx()))
    copy = must(cu.cuModuleGetFunction(second_module, b"copy"))
    must(cu.cuMemsetD8(out, 0, 64))
    yield "copied by a kernel of another module", ask(kernels.run(copy, out, address, i32(64)))
    yield "content copied", read(out, 64) == bytes(range(64))
    give_there = must(cu.cuModuleGetFunction(second_module, b"heap_give"))
    cells = int(must(cu.cuMemAlloc(8)))
    must(cu.cuMemcpyHtoD(cells, address.to_bytes(8, "little"), 8))
    yield "freed by a kernel of another module", ask(kernels.run(give_there, cells, i32(1)))


@question("the heap outlives the module whose kernel allocated from it")
def outlives_module():
    address = take(64)[0]
    must(cu.cuModuleUnload(kernels.module()))
    kernels.forget()
    out = int(must(cu.cuMemAlloc(64)))
    return ask(kernels.run("copy", out, address, i32(64)))


@question("a heap address of one context, used in another")
def other_context():
    address = take(64)[0]
    new_context()
    out = int(must(cu.cuMemAlloc(64)))
    yield "kernel", lambda: ask(kernels.run("copy", out, address, i32(64)))


@question("the host's calls refuse a heap address, except memset; and the context lives")
def host_calls():
    address = make("kernel heap").address
    d = int(must(cu.cuMemAlloc(64)))
    calls = {
        "DtoH": lambda: cu.cuMemcpyDtoH(pages(), address, 64), "HtoD": lambda: cu.cuMemcpyHtoD(address, pages(), 64),
        "DtoD from": lambda: cu.cuMemcpyDtoD(d, address, 64), "DtoD to": lambda: cu.cuMemcpyDtoD(address, d, 64),
        "DtoHAsync": lambda: cu.cuMemcpyDtoHAsync(pages(), address, 64, 0), "free": lambda: cu.cuMemFree(address),
        "freeAsync": lambda: cu.cuMemFreeAsync(address, 0), "range": lambda: cu.cuMemGetAddressRange(address),
        "D8": lambda: cu.cuMemsetD8(address, 7, 16), "D16": lambda: cu.cuMemsetD16(address, 7, 16),
        "D32": lambda: cu.cuMemsetD32(address, 7, 16), "D2D8": lambda: cu.cuMemsetD2D8(address, 16, 7, 4, 4),
        "D8Async": lambda: cu.cuMemsetD8Async(address, 7, 16, 0), "free host": lambda: cu.cuMemFreeHost(address),
        "unregister": lambda: cu.cuMemHostUnregister(address), "flags": lambda: cu.cuMemHostGetFlags(address),
        "device pointer": lambda: cu.cuMemHostGetDevicePointer(address, 0),
        "retain": lambda: cu.cuMemRetainAllocationHandle(address), "unmap": lambda: cu.cuMemUnmap(address & ~0x1FFFFF, 2 << 20)}
    for label, call in calls.items():
        yield label, lambda: [ask(call()), ask(cu.cuCtxSynchronize())]


@question("what memset leaves in the heap, a kernel reads", varies="the documentation forbids it")
def memset_content():
    address = take(64)[0]
    must(cu.cuMemsetD8(address, 7, 16))
    out = int(must(cu.cuMemAlloc(64)))
    must(kernels.run("copy", out, address, i32(16)))
    return read(out, 16).hex()
