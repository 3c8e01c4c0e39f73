"""`__managed__` variables: what a module's are, who reads and writes them, how long they live."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, name, new_context, outcome, read, where
from ...helpers.kernels import i32
from ...helpers.managed_memory import PAGE, PLAIN, advise, facts, prefetch
from ...helpers.managed_variables import COUNTERS, address_of, load_counters
from ...helpers.memory_kinds import make
from ...helpers.pointer_attributes import ADDRESSES, ATTRIBUTES, UNIQUE, get_attribute

SIZES = {"counter": 4, "pair": 16, "bytes": 5000, "large": 4 << 20, "pointer": 8}
WRITTEN = """.version 8.0
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 answer = 42;
.visible .entry go(.param .u32 v) {
    .reg .b64 %a; .reg .b32 %r;
    ld.param.u32 %r, [v];
    mov.u64 %a, answer;
    st.global.u32 [%a], %r;
    ret;
}
"""


def number(address):
    return ctypes.c_int.from_address(address)


def start(module, function, *arguments):
    return ask(kernels.run(must(cu.cuModuleGetFunction(module, function.encode())), *arguments))


@question("a module's managed variables are found as its other variables are")
def found():
    module = load_counters()
    for title in (*SIZES, "ordinary", "missing"):
        result = cu.cuModuleGetGlobal(module, title.encode())
        yield title, [ask(result), int(result[2]) if not int(result[0]) else None]
    for title, size in SIZES.items():
        a = address_of(module, title)
        begin, length = must(cu.cuMemGetAddressRange(a))
        yield f"{title}: range", [where(begin, start=a), int(length)]
        yield f"{title}: aligned to 4, 8, 256", [a % n == 0 for n in (4, 8, 256)]
        yield f"{title}: the same twice", address_of(module, title) == a
        yield f"{title}: size", size


@question("the host reads a managed variable's initial value before any kernel ran")
def initial():
    module = load_counters()
    yield "counter", number(address_of(module, "counter")).value
    yield "pair", list((ctypes.c_double * 2).from_address(address_of(module, "pair")))
    yield "bytes", set(ctypes.string_at(address_of(module, "bytes"), 5000)) == {0}
    yield "pointer", where(ctypes.c_uint64.from_address(address_of(module, "pointer")).value)
    yield "copied", read(address_of(module, "counter"), 4).hex()
    yield "an ordinary variable, by the host", lambda: number(address_of(module, "ordinary")).value


@question("host and kernels write and read one managed variable")
def shared():
    module = load_counters()
    cell = number(address_of(module, "counter"))
    yield "a kernel adds", [start(module, "bump"), cell.value]
    cell.value = 100
    yield "the host wrote", [start(module, "bump"), cell.value]
    pointer, elsewhere = ctypes.c_uint64.from_address(address_of(module, "pointer")), int(must(cu.cuMemAllocManaged(PAGE, 1)))
    pointer.value = address_of(module, "counter")
    yield "the host set a pointer to it", [start(module, "through"), cell.value]
    pointer.value, number(elsewhere).value = elsewhere, 5
    yield "the host set it to managed memory", [start(module, "through"), number(elsewhere).value, cell.value]
    yield "the last of a large one", [start(module, "last", i32(77)), number(address_of(module, "large") + SIZES["large"] - 4).value]
    yield "memset", [ask(cu.cuMemsetD32(address_of(module, "counter"), 9, 1)), ask(cu.cuCtxSynchronize()), cell.value]


@question("each pointer attribute of a managed variable", varies={
    f"{title}: {attribute}": "where in the module's memory it lies" for title in ("counter", "large")
    for attribute in ("MAPPING_BASE_ADDR", "MAPPING_SIZE")})
def attributes():
    module = load_counters()
    for title in ("counter", "large"):
        a = address_of(module, title)
        for attribute in ATTRIBUTES:
            code, value, _ = get_attribute(ATTRIBUTES[attribute], a + 2)
            told_value = (where(value, start=a) if attribute in ADDRESSES else where(value, current=must(cu.cuCtxGetCurrent()))
                          if attribute == "CONTEXT" else value != 0 if attribute in (*UNIQUE, "P2P_TOKENS", "MEMPOOL_HANDLE") else value & 0xFF
                          if attribute in ("IS_MANAGED", "SYNC_MEMOPS", "MAPPED") else value & 0xFFFFFFFF)
            yield f"{title}: {attribute}", name(code) if code else told_value
        yield f"{title}: forward", ask(cu.cuMemHostGetDevicePointer(a, 0))
        yield f"{title}: host flags", outcome(cu.cuMemHostGetFlags(a))


@question("a module loaded twice has its managed variables twice")
def two_modules():
    first, second = load_counters(), load_counters()
    cells = [number(address_of(module, "counter")) for module in (first, second)]
    yield "two addresses", address_of(first, "counter") != address_of(second, "counter")
    yield "a kernel of the first", [start(first, "bump"), *(cell.value for cell in cells)]
    yield "the first is unloaded", [ask(cu.cuModuleUnload(first)), cells[1].value, start(second, "bump"), cells[1].value]


@question("a managed variable of one context is read and written by the host and in another")
def two_contexts():
    first, module = must(cu.cuCtxGetCurrent()), load_counters()
    a = address_of(module, "counter")
    second = new_context()
    yield "another module there", address_of(load_counters(), "counter") != a
    yield "memset from the second", [ask(cu.cuMemsetD32(a, 5, 1)), ask(cu.cuCtxSynchronize()), number(a).value]
    yield "a kernel from the second", [ask(kernels.run("fill", a, i32(6), i32(1))), number(a).value & 0xFF]
    must(cu.cuCtxSetCurrent(0))
    yield "the host, without a context", number(a).value & 0xFF
    must(cu.cuCtxSetCurrent(second))
    must(cu.cuCtxDestroy(first))
    yield "its context is destroyed", name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], a)[0])


@question("a managed variable ends with its module")
def unloaded():
    module = load_counters()
    a, large = address_of(module, "counter"), address_of(module, "large")
    yield "unload", ask(cu.cuModuleUnload(module))
    for title, address in (("counter", a), ("large", large)):
        yield f"{title}: known", name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], address)[0])
        yield f"{title}: range", ask(cu.cuMemGetAddressRange(address))
        yield f"{title}: advice", advise(address, 4, "SET_READ_MOSTLY")
        yield f"{title}: the host reads", lambda: len(ctypes.string_at(address, 4))


@question("a managed variable is not freed, attached it is")
def freed():
    module, s = load_counters(), must(cu.cuStreamCreate(1))
    for title in ("counter", "large"):
        a = address_of(module, title)
        yield f"{title}: cuMemFree", [ask(cu.cuMemFree(a)), ask(cu.cuMemFreeHost(a)), ask(cu.cuMemFreeAsync(a, 0))]
        yield f"{title}: register", ask(cu.cuMemHostRegister(a, 4, 0))
        for flags in (1, 2, 4):
            yield f"{title}: attach, flags {flags}", lambda: [ask(cu.cuStreamAttachMemAsync(s, a, 0, flags)), ask(cu.cuStreamSynchronize(s))]
        yield f"{title}: attach by size", lambda: ask(cu.cuStreamAttachMemAsync(s, a, SIZES[title], 4))
        yield f"{title}: attach part", lambda: ask(cu.cuStreamAttachMemAsync(s, a, 2, 4))


@question("a managed variable takes advice and prefetches as managed memory does, as long as it is")
def advised():
    for title, size in (("counter", 4), ("large", 4 << 20)):
        a = address_of(load_counters(), title)
        yield f"{title}: fresh", facts(a, size)
        for advice in mm.ADVICE:
            yield f"{title}: {advice}", [advise(a, size, advice), facts(a, size)]
        for place in PLAIN:
            yield f"{title}: prefetch to {place}", [prefetch(a, size, place), ask(cu.cuCtxSynchronize()), facts(a, size)]
        yield f"{title}: a byte more", [prefetch(a, size + 1), advise(a, size + 1, "SET_READ_MOSTLY")]
    cell = address_of(load_counters(), "counter")
    yield "content after a prefetch", [prefetch(cell, 4), ask(cu.cuCtxSynchronize()), number(cell).value]


@question("a managed variable written in PTX is one as well")
def written_in_ptx():
    module = must(cu.cuModuleLoadData(WRITTEN.encode() + b"\0"))
    cell = number(address_of(module, "answer"))
    yield "initial", cell.value
    yield "a kernel writes", [start(module, "go", i32(7)), cell.value]


@question("a library tells its managed variables apart from its others")
def library():
    loaded = cu.cuLibraryLoadData(kernels.ptx(COUNTERS), [], [], 0, [], [], 0)
    yield "load", ask(loaded)
    for title in ("counter", "large", "ordinary", "missing"):
        managed, plain = (call(loaded[1], title.encode()) for call in (cu.cuLibraryGetManaged, cu.cuLibraryGetGlobal))
        yield title, [[ask(result), int(result[2]) if not int(result[0]) else None] for result in (managed, plain)]
        yield f"{title}: one address", int(managed[1]) == int(plain[1]) if not int(managed[0]) and not int(plain[0]) else None
    plain = int(must(cu.cuLibraryGetGlobal(loaded[1], b"counter"))[0])
    yield "the host reads it", lambda: number(plain).value
    new_context()
    for label, call in (("managed", cu.cuLibraryGetManaged), ("global", cu.cuLibraryGetGlobal)):
        result = call(loaded[1], b"counter")
        yield f"asked in a second context: {label}", [ask(result), int(result[1] or 0) == plain]


@question("a managed variable and managed memory are copied between")
def copied():
    a, b = address_of(load_counters(), "counter"), make("managed").address
    for verb, call in (("cuMemcpy", lambda x, y: cu.cuMemcpy(x, y, 4)), ("DtoD", lambda x, y: cu.cuMemcpyDtoD(x, y, 4)),
                       ("DtoH", lambda x, y: cu.cuMemcpyDtoH(x, y, 4)), ("HtoD", lambda x, y: cu.cuMemcpyHtoD(x, y, 4))):
        ctypes.memset(b, 0, 4)
        yield f"{verb}: out", [ask(call(b, a)), ask(cu.cuCtxSynchronize()), number(b).value]
        number(b).value = 42
        yield f"{verb}: in", [ask(call(a, b)), ask(cu.cuCtxSynchronize()), number(a).value]
