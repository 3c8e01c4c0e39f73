"""The end of managed memory: freed, gone with its context, behind a kernel's fault; and pointers kept in it."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, outcome, read, where
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait
from ...helpers.memory_kinds import make
from ...helpers.pointer_attributes import driver_knows

SOURCE = r"""
extern "C" {
struct Node { int value; Node *next; };
__global__ void follow(Node *first, int *sum) {
    int total = 0;
    for (Node *node = first; node; node = node->next) total += node->value;
    *sum = total;
}
__global__ void through(unsigned char **cell, int value) { **cell = value; }
__global__ void give(void **cell, void *pointer) { *cell = pointer; }
__global__ void give_own(void **cell, int where) {
    __shared__ int shared;
    int local[4];
    if (where == 0) cell[0] = &shared;
    if (where == 1) cell[0] = &local[cell[1] != 0];
    if (where == 2) cell[0] = malloc(64);
}
__global__ void add_system(int *sum) { atomicAdd_system(sum, threadIdx.x + 1); }
__global__ void swap(int *cell, int expected, int value, int *old) { *old = atomicCAS_system(cell, expected, value); }
}
"""


def start(function, *arguments, **shape):
    module = must(cu.cuModuleLoadData(kernels.ptx(SOURCE)))
    return ask(kernels.run(must(cu.cuModuleGetFunction(module, function.encode())), *arguments, **shape))


@question("a list that the host builds in managed memory is followed by a kernel, through any memory that it can reach")
def linked_list():
    def built(kinds):
        nodes = [make(kind).address for kind in kinds]
        for value, (a, following) in enumerate(zip(nodes, [*nodes[1:], 0]), 1):
            must(cu.cuMemcpyHtoD(a, value.to_bytes(8, "little") + following.to_bytes(8, "little"), 16))
        out = fresh()
        must(cu.cuCtxSynchronize())
        return [start("follow", nodes[0], out), ctypes.c_int.from_address(out).value]
    for kinds in (("managed",) * 3, ("managed", "device", "managed"),
                  ("managed", "pinned", "managed, attached to the host"), ("device", "managed", "mapped"),
                  ("managed", "stream-ordered", "registered")):
        yield " -> ".join(kinds), lambda: built(kinds)


@question("a kernel writes through a pointer that is kept in managed memory, if it can reach what that points to")
def kept_pointers():
    for kind in ("device", "pinned", "registered", "managed", "mapped", "mapped, on the host", "stream-ordered",
                 "module variable", "kernel heap",
                 "pageable", "reserved only", "null"):
        cell = fresh()
        ctypes.c_uint64.from_address(cell).value = make(kind).address
        yield kind, lambda: start("through", cell, i32(7))


@question("the host follows a pointer that a kernel left in managed memory, if it can reach its target", alone=True)
def given_pointers():
    def followed(kind):
        cell, target = fresh(), make(kind).address
        code = start("give", cell, target)
        pointer = ctypes.c_uint64.from_address(cell).value
        return [code, where(pointer, target=target), host_write(pointer, 7, 4), host_byte(pointer)]
    for kind in ("managed", "pinned", "registered", "pageable", "mapped, on the host", "device", "mapped"):
        yield kind, lambda: followed(kind)

    def own(number):
        cell = fresh()
        start("give_own", cell, i32(number))
        return host_byte(ctypes.c_uint64.from_address(cell).value)
    for number, label in enumerate(("shared memory", "a local variable", "the kernel heap")):
        yield label, lambda: own(number)


@question("atomic additions of many blocks all arrive in managed memory, and a kernel swaps what the host wrote")
def atomics():
    for flags in (1, 2):
        a = fresh(flags=flags)
        cells = (ctypes.c_int * 4).from_address(a)
        cells[0] = 1000
        yield f"allocated with {flags}: added", [start("add_system", a, grid=8, block=64), cells[0]]
        cells[1] = 5
        yield f"allocated with {flags}: swapped", [start("swap", a + 4, i32(5), i32(9), a + 8), cells[1], cells[2]]
        yield f"allocated with {flags}: not swapped", [start("swap", a + 4, i32(5), i32(11), a + 8), cells[1], cells[2]]


@question("a kernel that follows a freed managed address fails where nothing else is there")
def kernel_after_free():
    def written(size, neighbour):
        kernels.module()    # is loaded first: it wants memory of its own
        a, neighbour_ = fresh(size), fresh(size) if neighbour else None
        host_write(a, 7, min(size, 64))
        prefetch_and_wait(a, size)
        must(cu.cuMemFree(a))
        return [ask(kernels.run("fill", a, i32(1), i32(4))), neighbour_ is not None]
    for size in (2 * MIB, 4 * MIB, 16 * MIB):
        for neighbour in (False, True):
            yield f"{size}{' with a neighbour' if neighbour else ''}", lambda: written(size, neighbour)


@question("the host that follows a freed managed address ends where nothing else is there")
def host_after_free():
    def looked(size):
        a, neighbours = fresh(size), [fresh(size) for _ in range(2)]
        host_write(a, 7, min(size, 64))
        must(cu.cuMemFree(a))
        return [len(neighbours), len(ctypes.string_at(a, 1))]
    for size in (2 * MIB, 4 * MIB, 16 * MIB):
        yield f"{size}", lambda: looked(size)


@question("after its context is destroyed, managed memory is nobody's")
def context_destroyed():
    first, a = must(cu.cuCtxGetCurrent()), fresh()
    host_write(a, 7)
    second = new_context()
    yield "destroy", ask(cu.cuCtxDestroy(first))
    must(cu.cuCtxSetCurrent(second))
    yield "known", driver_knows(a)
    yield "range", [ask(cu.cuMemGetAddressRange(a)), facts(a, PAGE)]
    yield "advise, prefetch", [advise(a, PAGE, "SET_READ_MOSTLY"), prefetch(a, PAGE)]
    yield "attach", ask(cu.cuStreamAttachMemAsync(must(cu.cuStreamCreate(1)), a, 0, 1))
    yield "copy, memset", [ask(cu.cuMemcpyDtoH(bytearray(4), a, 4)), ask(cu.cuMemsetD8(a, 1, 4))]
    yield "free", ask(cu.cuMemFree(a))


@question("the host that reads managed memory after its context is destroyed ends")
def host_after_context():
    def looked(size):
        context, a = new_context(), fresh(size)
        host_write(a, 7)
        must(cu.cuCtxDestroy(context))
        return host_byte(a)
    for size in (100, 4 * MIB):
        yield f"{size}", lambda: looked(size)


@question("a kernel that reads managed memory after its context is destroyed fails")
def kernel_after_context():
    def looked(size):
        kernels.module()
        context, a = new_context(), fresh(size)
        prefetch_and_wait(a, size)
        must(cu.cuCtxDestroy(context))
        return ask(kernels.run("fill", a, i32(1), i32(4)))
    for size in (2 * MIB, 4 * MIB):
        yield f"{size}", lambda: looked(size)


@question("the primary context's managed memory ends with its last release or its reset", needs=DRIVER)
def primary_context():
    for label, end in (("released", lambda: cu.cuDevicePrimaryCtxRelease(0)),
                       ("reset", lambda: cu.cuDevicePrimaryCtxReset(0))):
        primary = must(cu.cuDevicePrimaryCtxRetain(0))
        must(cu.cuCtxSetCurrent(primary))
        a = fresh()
        host_write(a, 7)
        other_context = new_context()
        answers = [ask(cu.cuMemsetD8(a + 1, 9, 1)), ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 3).hex()]
        yield label, [answers, ask(end()), driver_knows(a), facts(a, PAGE), ask(cu.cuMemFree(a))]
        must(cu.cuCtxDestroy(other_context))
        must(cu.cuCtxSetCurrent(0))


FAULTS = {"an illegal access": lambda: ask(kernels.run("poke", 64 << 40, i32(1))),
          "a trap": lambda: ask(kernels.run("trap")),
          "a failed assertion": lambda: ask(kernels.run("failing_assert", i32(1))),
          "a misaligned access": lambda: ask(kernels.run("misaligned", make("device").address))}


@question("after a kernel's fault the host reads and writes managed memory on, and no call takes it")
def after_a_fault():
    def then(fault, work):
        a = fresh()
        host_write(a, 7)
        prefetch_and_wait(a, 4 * MIB)
        return [fault(), work(a)]
    works = {"the host reads": host_byte, "the host writes": lambda a: [host_write(a, 9), host_byte(a)],
             "advise": lambda a: advise(a, PAGE, "SET_READ_MOSTLY"), "prefetch": lambda a: prefetch(a, PAGE, "host"),
             "said": lambda a: facts(a, PAGE), "known": driver_knows,
             "address range": lambda a: ask(cu.cuMemGetAddressRange(a)),
             "allocate": lambda a: ask(cu.cuMemAllocManaged(PAGE, 1)), "free": lambda a: ask(cu.cuMemFree(a))}
    for label, work in works.items():
        yield f"an illegal access: {label}", lambda: then(FAULTS["an illegal access"], work)
    for label in list(FAULTS)[1:]:
        yield f"{label}: the host reads", lambda: then(FAULTS[label], host_byte)


@question("no bytes are copied, set, prefetched or asked about at any address within managed memory, or just behind it")
def no_bytes():
    a, d = fresh(), make("device").address
    for offset in (0, 1, PAGE, 4 * MIB - 1, 4 * MIB):
        at = a + offset
        yield f"at {offset}: memsets", [ask(cu.cuMemsetD8(at, 1, 0)), ask(cu.cuMemsetD8Async(at, 1, 0, 0)),
                                        ask(cu.cuMemsetD32(at & ~3, 1, 0)),
                                        ask(cu.cuMemsetD2D8(at, 16, 1, 0, 4)), ask(cu.cuMemsetD2D8(at, 16, 1, 4, 0))]
        yield f"at {offset}: copies", [ask(cu.cuMemcpy(at, d, 0)), ask(cu.cuMemcpyDtoD(d, at, 0)),
                                       ask(cu.cuMemcpyDtoH(bytearray(1), at, 0)),
                                       ask(cu.cuMemcpyHtoD(at, b"", 0)), ask(cu.cuMemcpyDtoDAsync(at, d, 0, 0))]
        yield f"at {offset}: prefetch, advise, range", [prefetch(at, 0), advise(at, 0, "SET_READ_MOSTLY"),
                                                        attribute(mm.MOSTLY, at, 0)]
    yield "synchronize", [ask(cu.cuCtxSynchronize()), outcome(cu.cuMemGetAddressRange(a)[::2]), read(a, 4).hex()]


@question("managed memory that is freed and taken many times is taken and freed each time")
def many_times():
    for size in (100, 65536, 4 * MIB):
        codes = set()
        for round_ in range(60):
            a = fresh(size, 1 + round_ % 2)
            host_write(a, round_, min(size, 64))
            codes |= {host_byte(a) == round_, ask(kernels.run("fill", a, i32(round_ + 1), i32(2))),
                      host_byte(a + 1) == round_ + 2,
                      advise(a, size, "SET_READ_MOSTLY"), prefetch(a, size, ("device", "host")[round_ % 2]),
                      ask(cu.cuMemFree(a)),
                      ask(cu.cuMemGetAddressRange(a))}
        yield f"{size}", sorted(map(str, codes))
