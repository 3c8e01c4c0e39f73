"""How much managed memory there may be: more than is free, at the borders of the addresses, many small ones. Only pages are touched."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, new_context, outcome, read, where
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, advise, attribute, facts, fresh, host_byte, host_write, prefetch

GIB = 1 << 30


def free():
    return int(must(cu.cuMemGetInfo())[0])


def total():
    return int(must(cu.cuMemGetInfo())[1])


@question("half as much again as the device has is allocated, and takes nothing until it is touched", quiet=True)
def more_than_there_is():
    free_before, size = free(), (total() * 3 // 2) >> 21 << 21
    result = cu.cuMemAllocManaged(size, 1)
    yield "allocate", ask(result)
    if int(result[0]):
        return
    a = int(result[1])
    yield "free memory is what it was", free_before - free()
    begin, length = must(cu.cuMemGetAddressRange(a + size - 1))
    yield "range", [where(begin, a=a), int(length) == size]
    yield "fresh", facts(a, size)
    host_write(a + size - PAGE, 7)
    yield "the host touched its last page", [host_byte(a + size - PAGE), host_byte(a + size - PAGE + 64), host_byte(a)]
    middle = a + size // 2
    yield "a kernel touched one in the middle", [ask(kernels.run("fill", middle, i32(1), i32(4))), ctypes.string_at(middle, 6).hex()]
    yield "what the host wrote, copied", read(a + size - PAGE, 2).hex()
    yield "advice for all of it", [advise(a, size, advice) for advice in ("SET_READ_MOSTLY", "UNSET_READ_MOSTLY", "SET_PREFERRED_LOCATION")]
    yield "one page of it is prefetched", [prefetch(middle, PAGE, "host"), ask(cu.cuCtxSynchronize()), attribute(mm.PREFETCHED, middle, PAGE),
                                           attribute(mm.PREFETCHED, a, size)]
    yield "free it", ask(cu.cuMemFree(a))


@question("what the device has left for cuMemAlloc is not taken by managed memory that nobody touched", quiet=True,
          varies={"three quarters, at most, of what is free": "the size of the device's memory"})
def beside_device_memory():
    a = cu.cuMemAllocManaged(total() * 2, 1)
    yield "twice the device's memory, managed", ask(a)
    d = cu.cuMemAlloc(min(free() // 4 * 3, 64 * GIB))
    yield "three quarters, at most, of what is free", ask(d)
    if not int(d[0]):
        yield "free that", ask(cu.cuMemFree(d[1]))
    b = cu.cuMemAllocManaged(total() * 2, 1)
    yield "as much managed again", ask(b)
    for label, result in (("first", a), ("second", b)):
        if not int(result[0]):
            yield f"{label}: its last page", [host_write(int(result[1]) + total() * 2 - PAGE, 3), host_byte(int(result[1]) + total() * 2 - PAGE)]
            yield f"{label}: free", ask(cu.cuMemFree(result[1]))


@question("managed memory may be as large as there are addresses for it", quiet=True,
          varies={"0x600000000000": "which addresses the process has left"})
def borders():
    for power in (31, 32, 36, 40, 44, 45, 46, 47, 48, 49, 50, 56, 60, 63):
        for label, size in ((f"2^{power}", 1 << power), (f"2^{power} less a page", (1 << power) - PAGE), (f"2^{power} and a byte", (1 << power) + 1)):
            result = cu.cuMemAllocManaged(size, 1)
            yield label, [ask(result), *([outcome(cu.cuMemGetAddressRange(result[1])[::2]) == size, ask(cu.cuMemFree(result[1]))]
                                         if not int(result[0]) else [])]
    for size in ((1 << 64) - 1, (1 << 64) - PAGE, 3 << 45, 3 << 46):
        result = cu.cuMemAllocManaged(size, 1)
        yield f"{size:#x}", [ask(result), *([ask(cu.cuMemFree(result[1]))] if not int(result[0]) else [])]


@question("several large ones are there at once, until the addresses end", quiet=True,
          varies={"how many of 2^43 bytes, of 8": "which addresses the process has left"})
def several_large():
    for power in (40, 43):
        results = [cu.cuMemAllocManaged(1 << power, 1) for _ in range(8)]
        addresses = [int(result[1]) for result in results if not int(result[0])]
        yield f"how many of 2^{power} bytes, of 8", len(addresses)
        yield f"2^{power}: refused with", sorted({ask(result) for result in results} - {"SUCCESS"}) if power == 40 else "not compared"
        yield f"2^{power}: none overlap", all(y - x >= 1 << power for x, y in zip(sorted(addresses), sorted(addresses)[1:]))
        yield f"2^{power}: freed", sorted({ask(cu.cuMemFree(address)) for address in addresses})


@question("many small ones are apart from each other, keep their content, and are freed in any order")
def many_small():
    for size in (1, 100, 5000):
        blocks = [fresh(size) for _ in range(300)]
        for i, address in enumerate(blocks):
            host_write(address, i % 251, size)
        ordered = sorted(blocks)
        yield f"{size}: apart", all(y - x >= size for x, y in zip(ordered, ordered[1:]))
        yield f"{size}: aligned to 256", all(address % 256 == 0 for address in blocks)
        yield f"{size}: ranges", all(outcome(cu.cuMemGetAddressRange(address)[::2]) == size for address in blocks)
        yield f"{size}: content", all(host_byte(address + size - 1) == i % 251 for i, address in enumerate(blocks))
        yield f"{size}: every other freed", sorted({ask(cu.cuMemFree(address)) for address in blocks[::2]})
        yield f"{size}: content of the rest", all(host_byte(address) == i % 251 for i, address in enumerate(blocks) if i % 2)
        yield f"{size}: the freed again", sorted({ask(cu.cuMemFree(address)) for address in blocks[:20:2]})
        yield f"{size}: the rest freed, backwards", sorted({ask(cu.cuMemFree(address)) for address in blocks[1::2][::-1]})


@question("pages that the device touches are taken from its free memory, and stay taken when they are prefetched to the host", quiet=True,
          varies="how much the driver takes at once, and when it gives back")
def counted_when_touched():
    must(kernels.run("nothing"))
    free_before = free()
    a = fresh(8 * MIB)
    yield "allocated", free_before - free()
    must(cu.cuMemsetD8(a, 1, 8 * MIB))
    must(cu.cuCtxSynchronize())
    yield "touched on the device", free_before - free()
    yield "prefetched to the host", [prefetch(a, 8 * MIB, "host"), ask(cu.cuCtxSynchronize()), free_before - free()]
    yield "freed", [ask(cu.cuMemFree(a)), free_before - free()]


@question("a large one is freed by its start alone, once, and is then unknown")
def freed():
    a = fresh(1 << 34)
    for offset in (1, PAGE, 2 * MIB, (1 << 34) - 1):
        yield f"at {offset}", ask(cu.cuMemFree(a + offset))
    host_write(a + (1 << 33), 7)
    yield "its content meanwhile", host_byte(a + (1 << 33))
    yield "free", ask(cu.cuMemFree(a))
    yield "again", ask(cu.cuMemFree(a))
    yield "range", ask(cu.cuMemGetAddressRange(a + (1 << 33)))
    yield "the host reads what it was", lambda: host_byte(a + (1 << 33))


@question("a large one ends with its context, and its addresses may be had again")
def with_its_context():
    context, a = must(cu.cuCtxGetCurrent()), fresh(1 << 40)
    new_context()
    yield "seen from another context", outcome(cu.cuMemGetAddressRange(a)[::2])
    yield "freed from another context", [ask(cu.cuMemFree(a)), ask(cu.cuMemGetAddressRange(a))]
    must(cu.cuCtxSetCurrent(context))
    b = fresh(1 << 40)
    third = new_context()
    yield "its context is destroyed", [ask(cu.cuCtxDestroy(context)), ask(cu.cuMemGetAddressRange(b))]
    must(cu.cuCtxSetCurrent(third))
    yield "another as large", ask(cu.cuMemAllocManaged(1 << 40, 1))
