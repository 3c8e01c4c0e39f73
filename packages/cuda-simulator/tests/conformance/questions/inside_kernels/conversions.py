"""Conversions between generic addresses and those of a space: forward (cvta), back (cvta.to), and asking first (isspacep)."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, read
from ...helpers.inside_kernels import WHICH, at_address, conversion_source, convert, own_memory
from ...helpers.memory_kinds import blocks, make

HOST_KINDS = ("device", "stream-ordered", "pinned", "registered", "managed", "mapped", "mapped, on the host", "module variable",
              "constant variable", "kernel heap")
NOT_USABLE = ("pageable", "reserved only", "mapped, access never set", "freed device", "never allocated", "null", "the number 1",
              "not a canonical address")
MEMORIES = ("shared", "local", "constant", "grid constant", "device variable", "dynamic shared", "kernel heap", "parameter")


def start(space):
    return own_memory(f"start of the {space} window", "address")


@question("in which space is what a kernel has of its own")
def own_spaces():
    for name in MEMORIES:
        yield name, lambda: own_memory(name, "spaces", shared=64)


@question("in which space is memory that the driver gave")
def spaces_of_kinds():
    for kind, block in blocks(*HOST_KINDS):
        yield kind, at_address(block.address, "spaces")


@question("isspacep.global says yes of every number outside of the windows, whether there is memory or not")
def spaces_of_nothing():
    for kind, block in blocks(*NOT_USABLE):
        yield kind, at_address(block.address, "spaces")
    for label, number in {"2^49": 1 << 49, "2^63": 1 << 63, "2^64 - 1": (1 << 64) - 1}.items():
        yield label, at_address(number, "spaces")


@question("the edges of the shared window: asked of numbers around it")
def shared_edges():
    for label, offset in {"one before": -1, "its first": 0, "one past 256 bytes of the variable": 256, "64 KiB": 1 << 16, "228 KiB": 228 << 10,
                          "the last of 16 MiB": (1 << 24) - 1}.items():
        yield label, own_memory("start of the shared window", "spaces", offset)


@question("past 16 MiB the shared window has ended", varies="what lies behind it is the driver's choice")
def past_shared():
    for offset in (1 << 24, 1 << 25, 1 << 32):
        yield f"{offset}", own_memory("start of the shared window", "spaces", offset)


@question("the edges of the local window: asked of numbers around it")
def local_edges():
    for label, offset in {"its first": 0, "512 KiB": 512 << 10, "the last of 16 MiB": (1 << 24) - 1}.items():
        yield label, own_memory("start of the local window", "spaces", offset)


@question("past 16 MiB the local window has ended", varies="what lies behind it is the driver's choice")
def past_local():
    for offset in (-1, 1 << 24, 1 << 25, 1 << 32):
        yield f"{offset}", own_memory("start of the local window", "spaces", offset)


@question("isspacep answers in a kernel without shared or local memory as in one with both")
def asked_elsewhere():
    for name in ("shared", "local", "grid constant", "parameter"):
        address = own_memory(name, "address")
        for kind in ("given", "given_shared", "given_local"):
            yield f"{name}, in {kind}", at_address(address, "spaces", kind)


def _there_and_back(space, count):
    forward = convert(count, f"cvta.{space}")
    return convert(forward, f"cvta.to.{space}") == count


@question("forward and back again gives the number that one began with, inside the window")
def round_trips():
    for space in ("shared", "local"):
        for count in (0, 1, 1024, 48 << 10, 227 << 10, (1 << 24) - 1):
            yield f"{space}, {count}", _there_and_back(space, count)


@question("forward and back again, of numbers larger than the window")
def round_trips_outside():
    for space in ("shared", "local"):
        for count in (1 << 24, 1 << 31, 1 << 32, (1 << 40) + 5):
            yield f"{space}, {count}", _there_and_back(space, count)


@question("forward adds the window's start, also to numbers that no shared memory is long enough for")
def forward():
    for space in ("shared", "local"):
        for count in (0, 5, 227 << 10, 1 << 24, 1 << 32):
            yield f"{space}, {count}", convert(count, f"cvta.{space}") - start(space) == count


@question("back and forward again gives the generic address, inside the window")
def back_and_forward():
    for space in ("shared", "local"):
        for offset in (0, 4, 1024, (1 << 24) - 4):
            address = start(space) + offset
            yield f"{space}, {offset}", convert(convert(address, f"cvta.to.{space}"), f"cvta.{space}") == address


def _description(address, back, start):
    """What going back without asking makes of an address."""
    candidates = {"the address": address, "address - start": (address - start) % (1 << 64), "its low 24 bits": address % (1 << 24),
                  "its low 32 bits": address % (1 << 32), "low 32 bits of address - start": (address - start) % (1 << 32),
                  "low 24 bits of address - start": (address - start) % (1 << 24), "0": 0}
    return [label for label, number in candidates.items() if number == back] or "something else"


@question("going back with an address of another space: what comes out")
def back_of_others():
    for space in ("shared", "local"):
        for label, address in _strangers():
            yield f"{space} of {label}", _description(address, convert(address, f"cvta.to.{space}"), start(space))


def _strangers():
    for label, allocate in {"device memory": cu.cuMemAlloc, "pinned memory": cu.cuMemAllocHost}.items():
        # An address with a one among its bits 24 to 31. Else its low 24 bits and its low 32 are one number, by chance.
        address = int(must(allocate(2 << 24)))
        yield label, address if address >> 24 & 0xff else address + (1 << 24)
    yield "2^40 + 4097", (1 << 40) + 4097
    yield "null", 0


@question("the conversions for global memory change nothing")
def global_identity():
    for label, address in [*_strangers(), ("a shared address", own_memory("shared", "address"))]:
        for how in ("cvta.global", "cvta.to.global"):
            yield f"{how} of {label}", convert(address, how) == address


@question("null forward: zero is an address of shared and of local memory, and becomes the window's start")
def null_forward():
    for space in ("shared", "local"):
        yield space, [convert(0, f"cvta.{space}") == start(space), convert(0, f"cvta.{space}") == 0]


def _constant(instruction, number):
    out = int(must(cu.cuMemAlloc(64)))
    function = kernels.kernel("converted", conversion_source(instruction))
    code = ask(kernels.run(function, number, out))
    return code if code != "SUCCESS" else [int.from_bytes(read(out + 8 * n, 8), "little") for n in (0, 1)]


@question("forward for a constant's number in its space", alone=True, varies="which number a constant has is the compiler's choice")
def constant_forward():
    addresses = _constant("cvta.const", 0)
    yield "of 0 gives the first constant's address", addresses if isinstance(addresses, str) else addresses[0] == addresses[1]


@question("back for the generic address of another module's constant, and forward again", alone=True,
          varies="PTX leaves undefined what comes of an address outside of the window")
def back_for_another_modules_constant():
    address = make("constant variable").address
    back = _constant("cvta.to.const", address)
    yield "back is another number", back if isinstance(back, str) else back[0] != address
    result = back if isinstance(back, str) else _constant("cvta.const", back[0])
    yield "and forward again", result if isinstance(result, str) else result[0] == address


@question("back for the generic address of another launch's parameter, and forward again", alone=True,
          varies="PTX leaves undefined what comes of an address outside of the window")
def back_for_another_launchs_parameter():
    address = own_memory("grid constant", "address")
    back = _constant("cvta.to.param::entry", address)
    yield "back is another number", back if isinstance(back, str) else back[0] != address
    result = back if isinstance(back, str) else _constant("cvta.param::entry", back[0])
    yield "and forward again", result if isinstance(result, str) else result[0] == address


@question("each thing that a kernel has is in at most one space of those with a window")
def one_space():
    for name in WHICH:
        yield name, len(set(own_memory(name, "spaces")) & {"shared", "local", "param"})
