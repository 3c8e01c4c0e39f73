"""What is told of addresses: the other device's, another process's, nobody's, with any context or none."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers.between import attributes, free, number, put, take
from ...helpers.calls import ask, must, name, new_context, outcome, using, where
from ...helpers.memory_kinds import LARGE, MemoryOfKind, access, create, location, pages, reserve
from ...helpers.peers import LEFT_OUT, block_on, make_on, mapped_on, on, two_contexts, without_context
from ...helpers.pointer_attributes import ATTRIBUTES, attribute_text, driver_knows, get_attribute
from ...helpers.processes import OtherProcess, answer_items, remembered
from ...helpers.shareable import create_physical, descriptor, import_in, ipc_handle, map_memory, open_memory
from ...helpers.shared_pools import import_pointer, import_pool_in, pointer_data, pool, pool_descriptor, take_from_pool

ASKED = [attribute for attribute in ATTRIBUTES if attribute not in LEFT_OUT]


def of_both(first, second, block, address):
    """Every attribute with a context of 0, of 1, and with none: one answer where they agree."""
    for attribute in ASKED:
        text_0 = attribute_text(attribute, block, address)
        text_1 = on(second, attribute_text, attribute, block, address)
        nowhere = without_context(lambda: attribute_text(attribute, block, address))
        yield attribute, text_0 if text_0 == text_1 == nowhere else [text_0, text_1, nowhere]


@question("every attribute of an address inside the other device's larger memory, with any context and with none")
def inside():
    first, second = two_contexts()
    block = make_on(second, "device, 3 MiB")
    yield from of_both(first, second, block, block.address + (1 << 20) + 3)


@question("every attribute of virtual memory of the other device that only this one may use")
def of_virtual():
    first, second = two_contexts()
    yield from of_both(first, second, mapped := mapped_on(1, {0: "read"}), mapped.address + 5)


@question("every attribute of memory that a pool of the other device gave, with access for both")
def of_pool():
    first, second = two_contexts()
    default = must(cu.cuDeviceGetDefaultMemPool(1))
    must(cu.cuMemPoolSetAccess(default, [access("read and write")], 1))
    with using(second):
        a = int(must(cu.cuMemAllocFromPoolAsync(4096, default, 0)))
        must(cu.cuStreamSynchronize(0))
    yield from of_both(first, second, MemoryOfKind("", a, 4096), a)


@question("addresses of the other device that are nobody's, in part or any more")
def nobodys():
    first, second = two_contexts()
    a = block_on(second, size=24 << 20)
    must(cu.cuMemFree(a))
    base = reserve(3 * LARGE)
    must(cu.cuMemMap(base + LARGE, LARGE, 0, create(ordinal=1), 0))
    for label, address in (("freed", a), ("inside what was freed", a + 4096), ("reserved", base),
                           ("mapped, no rights", base + LARGE),
                           ("reserved behind it", base + 2 * LARGE), ("null", 0), ("1", 1),
                           ("a page of the host", pages())):
        for attribute in ("MEMORY_TYPE", "DEVICE_ORDINAL", "RANGE_SIZE", "MAPPED", "ACCESS_FLAGS"):
            code, value, _ = get_attribute(ATTRIBUTES[attribute], address)
            yield f"{label}: {attribute}", name(code) if code else value & 0xFFFFFFFF
        yield f"{label}: range", ask(cu.cuMemGetAddressRange(address))


def attributes_of(labels):
    """All but the context: where there are several, its number is no relation."""
    return {f"{label}: {attribute}": value for label in labels for attribute,
            value in attributes(label).items() if attribute != "CONTEXT"}


@question("memory of the other device that was opened, mapped and imported from another process, attribute by attribute",
          processes=True)
def handed_across():
    take("a"), create_physical("h"), map_memory("v", "h"), pool("o"), take_from_pool("x", "o")
    process = OtherProcess(1)
    yield "received", [process.ask(open_memory, "b", ipc_handle("a")), import_in(process, "k", descriptor("h")),
                       process.ask(map_memory, "w", "k", LARGE, None),
                       import_pool_in(process, "p", pool_descriptor("o")),
                       process.ask(import_pointer, "y", "p", pointer_data("x"))]
    yield from answer_items(process.ask(attributes_of, ["b", "w", "y"]))


def attributes_in_second_context():
    remembered["second"] = int(new_context(ordinal=0))
    return attributes_of(["b"])


@question("the same, when the process makes a context of the memory's device", processes=True)
def then_its_device():
    take("a")
    process = OtherProcess(1)
    process.ask(open_memory, "b", ipc_handle("a"))
    yield from answer_items(process.ask(attributes_in_second_context))
    yield "freed by its owner", free("a")
    yield "asked then", process.ask(types_of, ["b"])


def types_of(labels):
    return [[name(get_attribute(ATTRIBUTES[attribute], number(label))[0])
             for attribute in ("MEMORY_TYPE", "CONTEXT", "DEVICE_ORDINAL")] for label in labels]


@question("an attribute is set for memory of the other device, and seen by both")
def set_one():
    first, second = two_contexts()
    sync, kind_of = (cu.CUpointer_attribute(ATTRIBUTES[attribute]) for attribute in ("SYNC_MEMOPS", "MEMORY_TYPE"))
    for kind in ("device", "stream-ordered", "managed", "pinned", "mapped"):
        block = make_on(second, kind)
        answers = []
        for on_off in (True, False):
            answers += [ask(cu.cuPointerSetAttribute(on_off, sync, block.address)),
                        attribute_text("SYNC_MEMOPS", block, block.address),
                        on(second, attribute_text, "SYNC_MEMOPS", block, block.address)]
        yield kind, answers
        yield f"{kind}: another attribute", ask(cu.cuPointerSetAttribute(True, kind_of, block.address))


@question("the plural call takes addresses of the other device, of nobody, and with no context")
def plural():
    first, second = two_contexts()
    library = ctypes.CDLL("libcuda.so.1")
    numbers = [ATTRIBUTES[attribute] for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "DEVICE_ORDINAL", "IS_MANAGED", "MAPPED")]

    def plural_of(address):
        cells = [ctypes.c_uint64() for _ in numbers]
        data = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(cell) for cell in cells])
        code = library.cuPointerGetAttributes(ctypes.c_uint(len(cells)), (ctypes.c_int * len(cells))(*numbers), data,
                                              ctypes.c_uint64(address))
        values = [cell.value for cell in cells]
        return [name(code), values[0] & 0xFF, where(values[1], asked=address), values[2] & 0xFF,
                *[flag & 0xFF for flag in values[3:]]]
    for label, address in (("device, 3 MiB", make_on(second, "device, 3 MiB").address + 9),
                           ("virtual, 0 may", mapped_on(1, {0: "read"}).address),
                           ("virtual, nobody may", mapped_on(1, {}).address),
                           ("a variable", make_on(second, "module variable").address),
                           ("reserved", reserve()), ("a page of the host", pages())):
        yield label, plural_of(address)
        yield f"{label}, without a context", without_context(lambda: plural_of(address))


@question("pinned memory of either device: forward, back, flags and rights, with either context and with none")
def of_the_host():
    first, second = two_contexts()
    for flags in (0, 1, 2, 4, 7):
        with using(second):
            a = int(must(cu.cuMemHostAlloc(3 << 20, flags)))
        work = lambda: [outcome(cu.cuMemHostGetDevicePointer(a + 7, 0), as_=lambda p: where(p, start=a)),
                        outcome(cu.cuMemHostGetFlags(a)),
                        outcome(cu.cuMemGetAccess(location(), a)),
                        get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], a)[1] & 0xFF]
        yield f"flags {flags}: with 0", work()
        yield f"flags {flags}: with 1", on(second, work)
        yield f"flags {flags}: with none", without_context(work)


@question("an address that was device 1's is freed and taken again on device 0, or elsewhere")
def taken_again():
    first, second = two_contexts()
    a = block_on(second, size=24 << 20)
    yield "freed", [ask(cu.cuMemFree(a)), driver_knows(a)]
    b = block_on(first, size=24 << 20)
    yield "taken on 0", [get_attribute(ATTRIBUTES["DEVICE_ORDINAL"], b)[1] & 0xFF,
                         outcome(cu.cuMemGetAddressRange(b + 1), as_=lambda v: int(v) == b or int(v))]
    remembered["b"] = b
    yield "its handle", [ask(cu.cuIpcGetMemHandle(b)), put("b", 1)]
