"""Managed memory beside other kinds: calls that are for others, others under its calls, other processes."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.between import address_range, copy_code, free, keep, look, number, put, take, take_kind, word
from ...helpers.calls import ask, must, raw, read, write
from ...helpers.kernels import i32
from ...helpers.managed_memory import MIB, PAGE, PLAIN, advise, attribute, batch, facts, fresh, host_byte, host_write, prefetch
from ...helpers.managed_pools import pool_block, pool_of
from ...helpers.managed_variables import address_of, load_counters
from ...helpers.memory_kinds import KINDS, LARGE, access, create, location, make, reserve
from ...helpers.processes import OtherProcess
from ...helpers.shareable import ipc_handle, open_memory

OTHER_KINDS = [kind for kind in KINDS if not kind.startswith("managed")]


@question("each advice is refused for memory of other kinds")
def advice_for_others():
    for kind in OTHER_KINDS:
        yield kind, lambda: [advise(make(kind).address, PAGE, advice,
                                    place) for advice in mm.ADVICE for place in ("device", "host")]


@question("a prefetch to any place is refused for memory of other kinds")
def prefetch_of_others():
    for kind in OTHER_KINDS:
        yield kind, lambda: [prefetch(make(kind).address, PAGE, place) for place in PLAIN]


@question("memory of other kinds says nothing of advice and prefetches")
def others_say():
    for kind in OTHER_KINDS:
        yield kind, lambda: [attribute(attribute_, make(kind).address, PAGE) for attribute_ in mm.ATTRIBUTES]


@question("calls of virtual memory management refuse managed memory")
def virtual_memory():
    a, handle = fresh(), create()
    aligned = (a + LARGE - 1) // LARGE * LARGE
    rights = [access("read and write")]
    for label, at in (("its start", a), ("a multiple of 2 MiB in it", aligned)):
        yield f"{label}: map", lambda: ask(cu.cuMemMap(at, LARGE, 0, handle, 0))
        yield f"{label}: set access", lambda: ask(cu.cuMemSetAccess(at, LARGE, rights, 1))
        yield f"{label}: get access", lambda: ask(cu.cuMemGetAccess(location(), at))
        yield f"{label}: unmap", lambda: ask(cu.cuMemUnmap(at, LARGE))
        yield f"{label}: free the range", lambda: ask(cu.cuMemAddressFree(at, LARGE))
        yield f"{label}: its handle", lambda: ask(cu.cuMemRetainAllocationHandle(at))
    result = cu.cuMemAddressReserve(LARGE, 0, aligned, 0)
    yield "reserved with its address as a hint", [ask(result), not a <= int(result[1]) < a + 4 * MIB]
    host_write(a, 7)
    yield "still there", [host_byte(a), ask(kernels.run("fill", a, i32(1), i32(2))), ask(cu.cuMemFree(a))]


@question("managed memory and virtual memory side by side are copied between, and each refuses the other's calls")
def beside_virtual():
    a, v = fresh(), make("mapped").address
    host_write(a, 7)
    yield "copied", [ask(cu.cuMemcpyDtoD(v, a, 16)), read(v, 4).hex(), ask(cu.cuMemsetD8(v, 9, 4)),
                     ask(cu.cuMemcpyDtoD(a + 8, v, 8)),
                     ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 18).hex()]
    yield "the virtual one", [facts(v, PAGE), ask(cu.cuStreamAttachMemAsync(must(cu.cuStreamCreate(1)), v, 0, 1)),
                              ask(cu.cuMemFree(v))]
    r = reserve()
    yield "reserved only", [advise(r, PAGE, "SET_READ_MOSTLY"), prefetch(r, PAGE), facts(r, PAGE),
                            ask(cu.cuMemcpyDtoD(r, a, 4))]


@question("managed memory is not registered by any part, nor is what a module or a pool has of it")
def registered():
    blocks = {"allocated": fresh(), "small": fresh(100), "attached to the host": fresh(flags=2),
              "a variable": address_of(load_counters(), "large")}
    result = pool_of()
    if not int(result[0]):
        blocks["of a pool"] = pool_block(result[1])
    for label, a in blocks.items():
        for flags in (0, 1, 2, 8):
            for offset, size in ((0, 100), (16, 1), (0, PAGE)):
                code = ask(cu.cuMemHostRegister(a + offset, size, flags))
                yield f"{label}: {size} bytes at {offset}, flags {flags}", code
        yield f"{label}: unregister, flags, pointer", [ask(cu.cuMemHostUnregister(a)), ask(cu.cuMemHostGetFlags(a)),
                                                      ask(cu.cuMemHostGetDevicePointer(a, 0))]


@question("managed memory stays unmoved by what happens to its neighbours of other kinds")
def unmoved():
    a = fresh()
    host_write(a, 7)
    facts_before = facts(a, 4 * MIB)
    for kind in OTHER_KINDS:
        if kind not in ("kernel heap", "null", "the number 1", "not a canonical address"):
            block = make(kind)
            if block.release:
                block.release()
    yield "said", [facts(a, 4 * MIB) == facts_before, host_byte(a), read(a, 2).hex()]


@question("one managed variable is advised and its neighbour in the module is not", varies={
    "counter and pair": "whether they lie in one page"})
def variables():
    module = load_counters()
    large, counter, pair = (address_of(module, title) for title in ("large", "counter", "pair"))
    for advice, number_ in (("SET_READ_MOSTLY", mm.MOSTLY), ("SET_PREFERRED_LOCATION", mm.PREFERRED),
                            ("SET_ACCESSED_BY", mm.ACCESSED_BY)):
        advise(large + MIB, PAGE, advice)
        yield f"large: {advice}", [attribute(number_, large + at, PAGE) for at in (0, MIB - PAGE, MIB, MIB + PAGE)]
        advise(counter, 4, advice)
        yield "counter and pair", [attribute(number_, counter, 4), attribute(number_, pair, 16)]
    second_module = load_counters()
    yield "of another module", facts(address_of(second_module, "large") + MIB, PAGE)
    yield "in the first", facts(large + MIB, PAGE)


@question("a managed variable is discarded and prefetched in batches")
def variables_in_batches():
    s, a = must(cu.cuStreamCreate(1)), address_of(load_counters(), "large")
    for verb in (mm.PREFETCH, mm.DISCARD, mm.BOTH):
        for size in (PAGE, 2 * MIB, 4 << 20, (4 << 20) + 1):
            yield f"{verb}: {size} bytes", lambda: [batch(verb, [a], [size], ["device"], stream=s),
                                                    ask(cu.cuStreamSynchronize(s)),
                                                   attribute(mm.PREFETCHED, a, PAGE)]
    host_write(a, 9)
    yield "written after it", [host_byte(a), read(a, 2).hex(), ask(kernels.run("fill", a, i32(1), i32(2))),
                               host_byte(a + 1)]


@word
def take_managed(label, size=4 * MIB):
    code = keep(label, cu.cuMemAllocManaged(size, 1))
    host_write(number(label), 7)
    return code


@word
def everything(label):
    """What calls say of an address that is kept, without following it."""
    a = number(label)
    return [advise(a, PAGE, "SET_READ_MOSTLY"), prefetch(a, PAGE), facts(a, PAGE), ask(cu.cuMemGetAddressRange(a)),
            ask(cu.cuMemFree(a)),
            raw("cuStreamAttachMemAsync", 0, a, 0, 1)]


@word
def facts_after_advice(label, advice=None):
    a = number(label)
    return [advise(a, PAGE, advice) if advice else "nothing done", prefetch(a, PAGE, "host"),
            ask(cu.cuCtxSynchronize()), facts(a, PAGE),
            host_byte(a)]


@question("two processes have managed memory of their own, and one's end does nothing to the other's", processes=True)
def two_processes():
    take_managed("a")
    process = OtherProcess()
    yield "there", process.ask(take_managed, "a")
    yield "advised there", process.ask(facts_after_advice, "a", "SET_READ_MOSTLY")
    yield "here", facts_after_advice("a")
    yield "filled there, by size", [process.ask(put, "a", 3), process.ask(look, "a"), look("a"), process.ask(address_range, "a")]
    yield "the other is killed", [process.kill(), facts_after_advice("a", "SET_ACCESSED_BY"), look("a"), free("a")]


@question("memory that came from another process is no managed memory, and is copied to managed memory", processes=True)
def from_another_process():
    process = OtherProcess()
    process.ask(take, "a")
    yield "open", open_memory("b", process.ask(ipc_handle, "a"))
    yield "what it is not", everything("b")[:3]
    take_managed("m")
    yield "copied to managed memory", [ask(cu.cuMemcpyDtoD(number("m"), number("b"), 4)), ask(cu.cuCtxSynchronize()),
                                       look("m"), look("b")]
    yield "copied from it", [ask(cu.cuMemcpyDtoD(number("b") + 8, number("m"), 4)), ask(cu.cuCtxSynchronize()),
                             process.ask(look, "a", 12)]
    yield "no handle of managed memory", [ipc_handle("m"), process.ask(take_managed, "m"), process.ask(ipc_handle, "m")]


@question("a handle of other memory is opened beside managed memory, whose address it never gets", processes=True)
def addresses_apart():
    take_managed("m")
    process = OtherProcess()
    for kind in ("device", "device, 3 MiB"):
        process.ask(take_kind, kind, kind)
        yield f"{kind}: open", open_memory(kind, process.ask(ipc_handle, kind))
        yield f"{kind}: apart", abs(number(kind) - number("m")) >= 4 * MIB
        yield f"{kind}: both", [copy_code(kind), look("m")]
    write(number("m"), b"abcd")
    yield "what is written here", [look("m"), process.ask(address_range, "device")]
