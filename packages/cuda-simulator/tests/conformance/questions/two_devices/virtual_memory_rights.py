"""Rights of virtual memory for two devices: set, asked for, given late, cut in parts, seen through two views."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, two_device_question as question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context, outcome, pattern, raw, using, write
from ...helpers.kernels import i32
from ...helpers.memory_kinds import LARGE, access, create, location, properties, reserve
from ...helpers.peers import block_on, copied_bytes, copy_code_at, kernel_read, kernel_write, mapped_on, on, two_contexts

BOTH = {0: "read and write", 1: "read and write"}


def rights(address):
    return [outcome(cu.cuMemGetAccess(location(ordinal=ordinal), address)) for ordinal in (0, 1)]


def give(address, entries, size=LARGE):
    return ask(cu.cuMemSetAccess(address, size, [access(right, ordinal=ordinal) for ordinal, right in entries.items()],
                                 len(entries)))


def access_descriptor(kind, ordinal, flags):
    """A CUmemAccessDesc of any numbers."""
    return (ctypes.c_int * 3)(kind, ordinal, flags)


@question("access descriptors with wrong places and rights are refused, and change nothing")
def wrong_descriptors():
    two_contexts()
    a = mapped_on(1, {1: "read and write"}).address
    for label, numbers in {"device 2": (1, 2, 3), "device -1": (1, -1, 3), "no place": (0, 0, 3), "host": (2, 0, 3),
                           "host node 0": (3, 0, 3),
                           "host node 9": (3, 9, 3), "the current node": (4, 0, 3), "place 9": (9, 0, 3),
                           "right 2": (1, 0, 2), "right 4": (1, 0, 4),
                           "right 7": (1, 0, 7)}.items():
        yield label, [raw("cuMemSetAccess", a, LARGE, access_descriptor(*numbers), 1), rights(a)]
    yield "a null list", [raw("cuMemSetAccess", a, LARGE, None, 1), raw("cuMemSetAccess", a, LARGE, None, 0)]
    yield "a wrong one behind a right one", [raw("cuMemSetAccess", a, LARGE, (ctypes.c_int * 6)(1, 0, 3, 1, 2, 3), 2),
                                             rights(a)]
    yield "asked into nothing", raw("cuMemGetAccess", None, (ctypes.c_int * 2)(1, 0), a)


@question("rights are asked for inside, beyond, before and after the mapping, for each device")
def asked_where():
    two_contexts()
    base = reserve(3 * LARGE)
    for n, ordinal in ((0, 0), (1, 1)):
        must(cu.cuMemMap(base + n * LARGE, LARGE, 0, create(ordinal=ordinal), 0))
    yield "mapped only", [rights(base), rights(base + LARGE)]
    yield "given", [give(base, {1: "read"}), give(base + LARGE, {0: "read and write"})]
    for label, offset in (("start", 0), ("inside", 4097), ("the last byte", LARGE - 1), ("the second", LARGE),
                          ("its last", 2 * LARGE - 1),
                          ("reserved only", 2 * LARGE), ("past the range", 3 * LARGE)):
        yield label, rights(base + offset)
    yield "null", rights(0)
    yield "device memory of each", [rights(block_on(must(cu.cuCtxGetCurrent())))]


@question("access is set over two mappings at once, over one, and over parts")
def over_two():
    two_contexts()
    base = reserve(2 * LARGE)
    for n in (0, 1):
        must(cu.cuMemMap(base + n * LARGE, LARGE, 0, create(ordinal=n), 0))
    for label, offset, size, entries in (("both", 0, 2 * LARGE, BOTH),
                                         ("the second, 0 no more", LARGE, LARGE, {0: "none"}),
                                         ("half of the first", 0, LARGE // 2, {1: "none"}),
                                         ("from the middle", LARGE // 2, LARGE, {1: "none"}),
                                         ("more than is mapped", 0, 3 * LARGE, {1: "none"}),
                                         ("nothing", 0, 0, {1: "none"}),
                                         ("both, 1 to read", 0, 2 * LARGE, {1: "read"})):
        yield label, [give(base + offset, entries, size), rights(base), rights(base + LARGE)]


@question("a copy crosses from a mapping that the device may use into one that it may not")
def across_border():
    first, second = two_contexts()
    base = reserve(2 * LARGE)
    for n in (0, 1):
        must(cu.cuMemMap(base + n * LARGE, LARGE, 0, create(ordinal=n), 0))
        give(base + n * LARGE, {n: "read and write"})
    for label, context in (("0", first), ("1", second)):
        yield f"in {label}: within each", on(context, lambda: [copy_code_at(base), copy_code_at(base + LARGE)])
        yield f"in {label}: over the border", on(context, copy_code_at, base + LARGE - 2)
        yield f"in {label}: a memset over it", lambda: on(context,
                                                          lambda: [ask(cu.cuMemsetD8(base + LARGE - 2, 1, 4)),
                                                                   ask(cu.cuCtxSynchronize())])
        yield f"in {label}: a kernel over it", lambda: on(context,
                                                          lambda: ask(kernels.run("fill", base + LARGE - 2, i32(1),
                                                              i32(4))))
    yield "both may", [give(base, BOTH, 2 * LARGE), ask(kernels.run("fill", base + LARGE - 2, i32(1), i32(4))),
                       on(second, copied_bytes, base + LARGE - 2)]


@question("one memory is shown twice, to each device its own view")
def two_views():
    first, second = two_contexts()
    for place in (0, 1):
        handle = create(ordinal=place)
        views = [reserve() for _ in range(2)]
        for who, view in enumerate(views):
            must(cu.cuMemMap(view, LARGE, 0, handle, 0))
            give(view, {who: "read and write"})
        yield f"on {place}: rights", [rights(view) for view in views]
        yield f"on {place}: each by its own", [kernel_write(views[0], 5), on(second, kernel_read, views[1]),
                                               on(second, kernel_write, views[1], 6), copied_bytes(views[0], 1)]
        yield f"on {place}: 0 by the other's view", lambda: kernel_read(views[1])
        yield f"on {place}: copies by either", [copy_code_at(views[1]), on(second, copy_code_at, views[0])]


@question("a mapping to be read is read by the devices and written by none")
def read_only():
    first, second = two_contexts()
    a = mapped_on(1, BOTH).address
    with using(second):
        write(a, pattern(64, 3)), must(cu.cuCtxSynchronize())
    yield "to read", [give(a, {0: "read", 1: "read"}), rights(a)]
    for label, context in (("0", first), ("1", second)):
        yield f"in {label}: read", on(context, lambda: [kernel_read(a), copied_bytes(a)])
        yield f"in {label}: a copy to it", on(context, lambda: [ask(cu.cuMemcpyHtoD(a, bytes(4), 4)),
                                                                ask(cu.cuMemcpyDtoD(a, block_on(first), 4))])
        yield f"in {label}: a memset", lambda: on(context, lambda: [ask(cu.cuMemsetD8(a, 1, 4)),
                                                                    ask(cu.cuCtxSynchronize())])
        yield f"in {label}: a kernel writes", lambda: on(context, kernel_write, a)
    yield "content", copied_bytes(a)


@question("rights are given to a device before it has a context", needs=DRIVER)
def before_contexts():
    must(cu.cuInit(0))
    a = mapped_on(0, {1: "read and write"}).address
    yield "rights", rights(a)
    yield "a copy without a context", copy_code_at(a)
    second = new_context(ordinal=1)
    yield "a context of 1", [ask(cu.cuMemcpyHtoD(a, pattern(16), 16)), copied_bytes(a), kernel_read(a), kernel_write(a, 3)]
    first = new_context()
    yield "a context of 0", copy_code_at(a)
    yield "a kernel of 0", lambda: on(first, kernel_read, a)
    yield "a kernel of 1", lambda: on(second, kernel_read, a)


@question("rights come with the mapping and go with it")
def with_the_mapping():
    two_contexts()
    base, handle = reserve(), create(ordinal=1)
    for n in range(2):
        yield f"{n}: map", [ask(cu.cuMemMap(base, LARGE, 0, handle, 0)), rights(base)]
        yield f"{n}: give", [give(base, BOTH), rights(base), copy_code_at(base)]
        yield f"{n}: unmap", [ask(cu.cuMemUnmap(base, LARGE)), rights(base), copy_code_at(base), give(base, BOTH)]
    yield "release, free", [ask(cu.cuMemRelease(handle)), ask(cu.cuMemAddressFree(base, LARGE)), rights(base)]


@question("rights are given step by step, to read, to write, to nobody, for each device")
def step_by_step():
    first, second = two_contexts()
    a = mapped_on(0, {}).address
    for entries in ({0: "read"}, {1: "read"}, {0: "read and write"}, {1: "read and write"}, {0: "none"}, {0: "read"},
                    {1: "none"}, BOTH):
        yield f"{len(entries)}: {entries}", [give(a, entries), rights(a), copy_code_at(a), on(second, copy_code_at, a)]


@question("memory of a node of the host is given to one device, to the host, to the other")
def on_the_host():
    first, second = two_contexts()
    base, handle = reserve(), create(place="host numa")
    must(cu.cuMemMap(base, LARGE, 0, handle, 0))
    host = location("host numa")
    for label, entry in {"1": access("read and write", ordinal=1), "the host": access("read and write", "host numa"),
                         "0 to read": access("read"),
                         "another node": access("read and write", "host numa", 9)}.items():
        yield label, [ask(cu.cuMemSetAccess(base, LARGE, [entry], 1)), rights(base),
                      outcome(cu.cuMemGetAccess(host, base))]
    yield "1 writes, 0 and the host read", [on(second, kernel_write, base, 0x31), kernel_read(base),
                                            ctypes.string_at(base, 1).hex(), copied_bytes(base, 1)]
    yield "0 writes by a copy", [ask(cu.cuMemcpyHtoD(base, bytes(4), 4)), ask(cu.cuMemsetD8(base, 1, 1))]
    yield "0 writes by a kernel", lambda: kernel_write(base)


@question("physical memory is made for wrong places, and with wrong sizes, on either device")
def creation():
    two_contexts()
    for label, ordinal in (("0", 0), ("1", 1), ("2", 2), ("-1", -1)):
        yield label, [ask(cu.cuMemCreate(size, properties(ordinal=ordinal), 0)) for size in (LARGE, LARGE + 1, 0, 4096)]
    yield "flags", [ask(cu.cuMemCreate(LARGE, properties(ordinal=1), flags)) for flags in (1, 1 << 40)]
    yield "granularity", [outcome(cu.cuMemGetAllocationGranularity(properties(place, ordinal),
                                                                   cu.CUmemAllocationGranularity_flags(0)))
                          for place, ordinal in (("device", 1), ("device", 7), ("host numa", 0), ("host numa", 9))]
