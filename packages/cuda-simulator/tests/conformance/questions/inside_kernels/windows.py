"""Windows: which numbers a kernel reports as the addresses of its shared and local memory, its constants and its parameters."""
import contextlib
import ctypes
import time

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, read, using
from ...helpers.inside_kernels import SOURCE, at_address, convert, kernel, numbers, own_memory, pair, report
from ...helpers.kernels import i32
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute

MiB16 = 1 << 24
BLOCK, THREADS = 3, 40


def addresses_of(name, **shape):
    """The addresses of one thing that the threads of a grid report, without repetitions."""
    return {row[name] for rows in report(BLOCK, THREADS, **shape) for row in rows}


def start(space):
    return own_memory(f"start of the {space} window", "address")


@question("a shared variable has the same address in every block and thread")
def shared_address():
    for name in ("shared", "array", "dynamic"):
        yield name, len(addresses_of(name, shared=64))


@question("a local array has the same address in every thread of every block")
def local_address():
    for name in ("local", "second"):
        yield name, len(addresses_of(name))


@question("the same shared address holds another value in each block, the same local address another in each thread")
def contents():
    return report(2, 3, contents=True)


@question("a constant, a variable and a parameter have the same address in every thread")
def addresses_of_all():
    for name in ("constant", "variable", "one", "other"):
        yield name, len(addresses_of(name))


@question("a generic shared or local address is the start of its window plus the address in the space")
def starts():
    row = report(1, 1, 64)[0][0]
    yield "shared", row["shared"] - row["shared offset"] == start("shared")
    yield "array", row["array"] - row["array offset"] == start("shared")
    yield "local", row["local"] - row["local offset"] == start("local")


@question("a window starts at a multiple of 16 MiB")
def aligned():
    for space in ("shared", "local"):
        yield space, start(space) % MiB16 == 0
        yield f"{space}: of 4 GiB", start(space) % (1 << 32) == 0


@question("a window's numbers are such as the addresses of a process are: below 2^47")
def below():
    for space in ("shared", "local"):
        yield space, start(space) < 1 << 47


@question("the windows of shared and local memory do not overlap, and neither holds what the driver allocated")
def apart():
    shared, local = start("shared"), start("local")
    yield "16 MiB apart or more", abs(shared - local) >= MiB16
    yield "exactly 16 MiB", abs(shared - local) == MiB16
    yield "shared comes first", shared < local
    row = report()[0][0]
    yield "constant", any(0 <= row["constant"] - window < MiB16 for window in (shared, local))
    yield "variable", any(0 <= row["variable"] - window < MiB16 for window in (shared, local))
    yield "parameter", any(0 <= row["one"] - window < MiB16 for window in (shared, local))


@question("the windows stay where they are: in the next launch, another kernel, another module, another context")
def stay():
    addresses = start("shared"), start("local")
    yield "next launch", (start("shared"), start("local")) == addresses
    yield "another kernel", [convert(0, "cvta.shared") == addresses[0], convert(0, "cvta.local") == addresses[1]]
    second_function = must(cu.cuModuleGetFunction(must(cu.cuModuleLoadData(kernels.ptx(SOURCE))), b"converted"))
    out = int(must(cu.cuMemAlloc(64)))
    must(kernels.run(second_function, 0, i32(0), out))
    yield "another module", int.from_bytes(read(out, 8), "little") == addresses[0]
    with using(new_context()):
        yield "another context", [start("shared") == addresses[0], start("local") == addresses[1]]


@question("the first static shared variable lies behind what the system keeps for itself", varies="the compiler's choice for a device")
def first_offset():
    row = report()[0][0]
    reserved = must(cu.cuDeviceGetAttribute(cu.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0))
    yield "offset", min(row["shared offset"], row["array offset"])
    yield "is the reserved size", min(row["shared offset"], row["array offset"]) == reserved


@question("dynamic shared memory begins behind the static one")
def dynamic_start():
    row = report(shared=64)[0][0]
    ends = [row["shared"] + 4, row["array"] + 800]
    yield "behind both", row["dynamic"] >= max(ends)
    yield "by less than 16 bytes", row["dynamic"] - max(ends) < 16
    yield "with none asked for", report()[0][0]["dynamic"] == row["dynamic"]
    yield "is it shared, with none asked for", own_memory("dynamic shared", "spaces")


@question("two local arrays lie behind one another")
def two_locals():
    row = report()[0][0]
    yield "distance", abs(row["second"] - row["local"]) >= 200
    yield "less than 16 bytes between", abs(row["second"] - row["local"]) < 216


@question("a call that goes deeper has its local array at a lower address")
def deeper():
    depth = numbers("deep", i32(4))[:5]
    yield "each lower than its caller's", all(inner < outer for inner, outer in zip(depth, depth[1:]))
    yield "equally far", len({outer - inner for inner, outer in zip(depth, depth[1:])}) == 1


@question("two parameters that stay in the constant bank are as far apart as the driver says")
def parameters():
    row = report()[0][0]
    offsets = [int(must(cu.cuFuncGetParamInfo(kernel("report"), n))[0]) for n in (0, 1)]
    yield "distance", row["other"] - row["one"] == offsets[1] - offsets[0]
    yield "their values", [own_memory("grid constant", "read"), own_memory("grid constant", "read", offset=8)]
    yield "next launch", report()[0][0]["one"] == row["one"]


@contextlib.contextmanager
def two_waiting():
    """Two kernels that run at the same time: words[0] and words[2] are where their parameters are, and both wait; afterwards words[1] and
    words[3] are what they found at these addresses. Gives (words, streams)."""
    host = int(must(cu.cuMemHostAlloc(4096, 2)))
    ctypes.memset(host, 0, 4096)
    words, flag = (ctypes.c_uint64 * 4).from_address(host), ctypes.c_int.from_address(host + 64)
    streams = [must(cu.cuStreamCreate(1)) for _ in range(2)]
    for number, stream in enumerate(streams):
        must(kernels.launch(kernel("meanwhile"), pair(71 + number, 0), host + 16 * number, host + 64, stream=int(stream)))
    end = time.monotonic() + 5      # the second one could wait for the first
    while not (words[0] and words[2]) and time.monotonic() < end:
        pass
    yield words, streams
    flag.value = 1
    must(cu.cuCtxSynchronize())


@question("two kernels that run at the same time have their parameters at two addresses")
def parameters_meanwhile():
    with two_waiting() as (words, streams):
        yield "both run", [ask(cu.cuStreamQuery(stream)) for stream in streams]
        yield "both said where", bool(words[0] and words[2])
        yield "one address", words[0] == words[2]
    yield "their values", [words[1], words[3]]


@question("a kernel reads another one's parameters where that one has them, while both run")
def parameters_of_the_other():
    with two_waiting() as (words, _):
        words[0], words[2] = words[2], words[0]
    yield "what each found", [words[1], words[3]]


@question("what a kernel finds where an earlier launch had its parameters")
def parameters_before():
    address = own_memory("grid constant", "address")
    yield "is it the next launch's", own_memory("grid constant", "address") == address
    yield "is there memory", isinstance(at_address(address, "read"), int)
    yield "its spaces", at_address(address, "spaces")


@question("the host's calls know nothing of the address of a kernel's parameter")
def parameters_on_the_host():
    address = own_memory("grid constant", "address")
    yield "forward", ask(cu.cuMemHostGetDevicePointer(address, 0))
    for name in ("HOST_POINTER", "DEVICE_POINTER", "MEMORY_TYPE", "RANGE_START_ADDR"):
        yield name, ask(cu.cuPointerGetAttribute(getattr(cu.CUpointer_attribute, f"CU_POINTER_ATTRIBUTE_{name}"), address))


@question("the address of a device variable in a kernel is the one that the driver tells")
def variable_address():
    row = report()[0][0]
    for label, symbol in (("variable", b"variable"), ("constant", b"constants")):
        yield label, row[label] == int(must(cu.cuModuleGetGlobal(kernels.module(SOURCE), symbol))[0])


@question("the host can not read at the number of a shared or local address")
def host_reads():
    row = report()[0][0]
    for name in ("shared", "local", "one"):
        yield name, lambda: ctypes.string_at(row[name], 4).hex()


@question("in the process's own address map, the numbers of the windows belong to somebody, and nobody may follow them",
          varies="where the driver reserves addresses")
def in_the_map():
    row = report()[0][0]
    for name in ("shared", "local", "one"):
        yield name, _rights(row[name])


def _rights(address):
    with open("/proc/self/maps") as maps:
        for line in maps:
            where, rights = line.split()[:2]
            low, high = (int(part, 16) for part in where.split("-"))
            if low <= address < high:
                return rights
    return "nothing there"


@question("no reservation is given inside the windows")
def reservations():
    for space in ("shared", "local"):
        result = cu.cuMemAddressReserve(2 << 20, 0, start(space), 0)
        yield space, [ask(result), int(result[1] or 0) == start(space)]


@question("a kernel that writes through a shared address changes its own block's memory alone")
def write_through():
    out = int(must(cu.cuMemAlloc(64)))
    must(kernels.run(kernel("write_through"), 0, i32(77), out, grid=2, block=64))
    return [int.from_bytes(read(out + 4 * n, 4), "little") for n in (0, 1)]


WINDOW = r"""
extern "C" {
// Of block 0 and block 1: where their variables are, and then what is at the addresses. One kernel does both, so that its local
// variable has one place. They are numbers, for NVRTC takes a pointer that it finds in global memory for one into global memory.
__global__ void pass(unsigned long long *at, int *found, int first) {
    __shared__ int shared;
    volatile int local = 80 + blockIdx.x;
    *(volatile int *)&shared = 70 + blockIdx.x;
    if (first) {
        at[2 * blockIdx.x] = (unsigned long long)&shared;
        at[2 * blockIdx.x + 1] = (unsigned long long)&local;
    } else {
        found[4 * blockIdx.x] = (unsigned long long)&shared == at[0];
        found[4 * blockIdx.x + 1] = *(volatile int *)at[0];
        found[4 * blockIdx.x + 2] = (unsigned long long)&local == at[1];
        found[4 * blockIdx.x + 3] = *(volatile int *)at[1];
    }
}
}
"""


@question("a number in a window leads every block to a variable of its own, and the driver knows nothing of it")
def one_number_in_every_block():
    at, contents = (int(must(cu.cuMemAlloc(64))) for _ in range(2))
    for offset in 1, 0:
        module = must(cu.cuModuleLoadData(kernels.ptx(WINDOW)))
        must(kernels.run(must(cu.cuModuleGetFunction(module, b"pass")), at, contents, kernels.i32(offset), grid=2))
    values, addresses = np.zeros(8, np.int32), np.zeros(4, np.uint64)
    must(cu.cuMemcpyDtoH(values, contents, values.nbytes))
    must(cu.cuMemcpyDtoH(addresses, at, addresses.nbytes))
    for label, column in (("shared", 0), ("local", 2)):     # of what each block found
        one_number, content = (values[[column + i, column + 4 + i]].tolist() for i in (0, 1))
        yield f"{label}: one number in both blocks, and what they find there", [one_number, content]
    for label, address in (("shared", int(addresses[0])), ("local", int(addresses[1]))):
        yield f"{label}: forward", ask(cu.cuMemHostGetDevicePointer(address, 0))
        for name in ("MEMORY_TYPE", "HOST_POINTER", "DEVICE_POINTER"):
            yield f"{label}: {name}", outcome(get_attribute(ATTRIBUTES[name], address))
        yield f"{label}: copied to the host", lambda address=address: ask(cu.cuMemcpyDtoH(bytearray(4), address, 4))
