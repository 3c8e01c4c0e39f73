"""Small words to make driver calls with and to speak of their answers without addresses.

    ask(cu.cuMemFree(0))                -> "SUCCESS"
    must(cu.cuMemAlloc(64))             -> the CUdeviceptr, or Refused
    outcome(cu.cuMemHostGetFlags(p))    -> 2, or the error's name
    where(address, block=base)          -> "block", "block+64", "null", "elsewhere"
    with using(context): ...            -> calls in another context
"""
import contextlib
import ctypes
import functools

from cuda.bindings import driver as cu


class Refused(Exception):
    """A call that the question takes for granted answered an error."""


def name(code):
    """INVALID_VALUE for CUDA_ERROR_INVALID_VALUE, from the enum or from its number."""
    try:
        return cu.CUresult(int(code)).name.replace("CUDA_ERROR_", "").replace("CUDA_", "")
    except ValueError:
        return f"CUresult {int(code)}"


def ask(result):
    """The name of the code that a call of cuda.bindings answered with."""
    return name(result[0])


def must(result):
    """What a call gives out (nothing, one value or a tuple); Refused if it failed."""
    if int(result[0]):
        raise Refused(name(result[0]))
    return result[1] if len(result) == 2 else result[1:] or None


def outcome(result, as_=int):
    """What a call gives out, as JSON; the error's name if it failed."""
    if int(result[0]):
        return name(result[0])
    if len(result) == 1:
        return "SUCCESS"
    return as_(result[1]) if len(result) == 2 else [as_(value) for value in result[1:]]


def where(address, **bases):
    """An address as a relation to addresses that the question knows."""
    address = int(address)
    if not address:
        return "null"
    for label, base in bases.items():
        if address == int(base):
            return label
    for label, base in bases.items():
        if abs(address - int(base)) <= 1 << 32:
            return f"{label}{address - int(base):+d}"
    return "elsewhere"


@functools.cache
def _library():
    """Opened once: it costs more than most of its functions take."""
    return ctypes.CDLL("libcuda.so.1")


def raw(function, *arguments):
    """Call the driver without cuda.bindings, which never passes a null output. Integers go as 64 bits."""
    boxed = [ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments]
    return name(getattr(_library(), function)(*boxed))


def device(ordinal=0):
    return must(cu.cuDeviceGet(ordinal))


def new_context(flags=0, ordinal=0):
    """A context of a device, current to this thread."""
    return must(cu.cuCtxCreate(None, flags, device(ordinal)))


@contextlib.contextmanager
def using(context):
    """Make a context current for a few calls."""
    must(cu.cuCtxPushCurrent(context))
    try:
        yield
    finally:
        cu.cuCtxPopCurrent()


def write(address, data):
    """Put bytes into device memory."""
    must(cu.cuMemcpyHtoD(address, bytes(data), len(data)))


def read(address, size):
    """Bytes of device memory."""
    buffer = bytearray(size)
    must(cu.cuMemcpyDtoH(buffer, address, size))
    return bytes(buffer)


def pattern(size, seed=1):
    """Bytes without symmetry: none of the simple mistakes gives the same."""
    return bytes((seed * 37 + 11 * i + i // 251) % 256 for i in range(size))


def short(data):
    """Bytes as something a reader can compare: pieces of equal bytes as value*count."""
    pieces, last, count = [], None, 0
    for byte in data:
        if byte == last:
            count += 1
        else:
            if count:
                pieces.append(f"{last:02x}*{count}" if count > 1 else f"{last:02x}")
            last, count = byte, 1
    pieces.append(f"{last:02x}*{count}" if count > 1 else f"{last:02x}")
    return " ".join(pieces[:24]) + (" ..." if len(pieces) > 24 else "")


def current_context():
    return int(must(cu.cuCtxGetCurrent()))
