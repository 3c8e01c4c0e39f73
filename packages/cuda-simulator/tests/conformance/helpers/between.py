"""Words that a process says for itself or lets another one say (processes.py): each keeps an address under a name, and answers
without it.

    take("a")                       allocate and fill, here
    process.ask(take, "a")          the same there
    process.ask(look, "a")          -> the first bytes, or the error's name

Not here: words for one process (calls.py, memory_kinds.py), handles that pass from one to the other (shareable.py).
"""
import ctypes
import functools
import time

from cuda.bindings import driver as cu

from . import kernels
from .calls import Refused, ask, must, outcome, pattern
from .kernels import i32
from .memory_kinds import SMALL, MemoryOfKind, make
from .pointer_attributes import ATTRIBUTES, attribute_text
from .processes import remembered

OF_THE_RUN = ("MAPPING_BASE_ADDR", "MAPPING_SIZE", "P2P_TOKENS")    # the driver's choice of a piece; numbers


def word(function):
    """Let a function that is refused something say so, here as in another process."""
    @functools.wraps(function)
    def saying(*arguments, **keywords):
        try:
            return function(*arguments, **keywords)
        except Refused as error:
            return f"refused: {error}"
    return saying


def keep(label, result):
    """Remember the address or handle that a call gave out, and answer with its code."""
    if not int(result[0]):
        remembered[label] = int(result[1])
    return ask(result)


def number(label):
    """The address or handle that is kept: for comparing, not for answering."""
    if label not in remembered:
        raise Refused(f"nothing is kept as {label}")
    return int(remembered[label])


@word
def distance(label, other_label):
    return number(other_label) - number(label)


# -- content ----------------------------------------------------------------------------------------------------------

@word
def take(label, size=SMALL, seed=1):
    """Device memory, whose first bytes are a pattern."""
    remembered[label] = int(must(cu.cuMemAlloc(size)))
    put(label, seed, min(size, 64))
    return "SUCCESS"


@word
def take_kind(label, kind):
    remembered[label] = make(kind).address
    return "SUCCESS"


@word
def look(label, size=4, offset=0):
    """What a copy finds there: hexadecimal, or the error's name."""
    buffer = bytearray(size)
    code = ask(cu.cuMemcpyDtoH(buffer, number(label) + offset, size))
    return buffer.hex() if code == "SUCCESS" else code


@word
def copy_code(label, size=4, offset=0):
    """The code alone, where the content is anything."""
    return ask(cu.cuMemcpyDtoH(bytearray(size), number(label) + offset, size))


@word
def put(label, seed, size=4, offset=0):
    """Write bytes that depend on the seed, and wait until they are there."""
    code = ask(cu.cuMemcpyHtoD(number(label) + offset, pattern(size, seed), size))
    return code if code != "SUCCESS" else ask(cu.cuCtxSynchronize())


@word
def fill(label, value, size=4, offset=0):
    """The same by a kernel."""
    return ask(kernels.run("fill", number(label) + offset, i32(value), i32(size)))


@word
def kernel_byte(label, offset=0):
    """One byte, as a kernel reads it."""
    out = must(cu.cuMemAlloc(64))
    code = ask(kernels.run("peek", number(label) + offset, int(out)))
    buffer = bytearray(1)
    return code if code != "SUCCESS" else must(cu.cuMemcpyDtoH(buffer, out, 1)) or buffer.hex()


@word
def free(label):
    return ask(cu.cuMemFree(number(label)))


@word
def address_range(label):
    """Where the allocation begins, seen from the address, and its size."""
    result = cu.cuMemGetAddressRange(number(label))
    return ask(result) if int(result[0]) else [number(label) - int(result[1]), int(result[2])]


@word
def attributes(label):
    """Every pointer attribute that is free of numbers of this run."""
    block = MemoryOfKind("", number(label))
    return {attribute: attribute_text(attribute, block, block.address) for attribute in ATTRIBUTES if attribute not in OF_THE_RUN}


@word
def available():
    """Bytes that the device has left."""
    must(cu.cuCtxSynchronize())
    return int(must(cu.cuMemGetInfo())[0])


def stable_available(patience=3):
    """The same, when it no longer changes: what a dead process had may be given back a moment after its end."""
    end, free_bytes = time.monotonic() + patience, available()
    while time.monotonic() < end:
        time.sleep(0.2)
        free_bytes, previous = available(), free_bytes
        if free_bytes == previous:
            break
    return free_bytes


@word
def destroy_context():
    return ask(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))


# -- pages of the host ------------------------------------------------------------------------------------------------

@word
def host_bytes(label, size=4, offset=0):
    return ctypes.string_at(number(label) + offset, size).hex()


@word
def host_put(label, value, size=4, offset=0):
    ctypes.memset(number(label) + offset, value, size)
    return "written"


def count():
    return outcome(cu.cuDeviceGetCount())


def primary_state():
    must(cu.cuInit(0))
    return [outcome(cu.cuDevicePrimaryCtxGetState(0)), outcome(cu.cuCtxGetCurrent(), as_=lambda context: int(context) == 0)]
