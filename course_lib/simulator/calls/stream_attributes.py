"""What is said of a stream besides its flags (cuda.h: cuStreamGetAttribute and what belongs to it). It is remembered;
nothing here goes by it."""
import ctypes

from ..library import HEALTHY, call, handle, i32, pointer
from ..output import load, store_bytes
from ..results import CudaError, Result
from .streams import GREATEST_PRIORITY, stream_of

ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN = 1, 3, 8, 9, 10
Value = ctypes.c_ubyte * 64    # CUstreamAttrValue
DEFAULTS = {ACCESS_POLICY_WINDOW: b"", SYNCHRONIZATION_POLICY: b"\xff" * 4, MEM_SYNC_DOMAIN_MAP: b"\x00\x01",
            MEM_SYNC_DOMAIN: b""}    # padded with zeros


def _invalid(why):
    return CudaError(Result.INVALID_VALUE, why)


def _value(stream, attribute):
    if attribute == PRIORITY:
        return stream.priority.to_bytes(4, "little", signed=True).ljust(64, b"\0")
    if attribute not in DEFAULTS:
        raise _invalid(f"a stream has no attribute {attribute}")
    return stream.attributes.get(attribute, DEFAULTS[attribute].ljust(64, b"\0"))


@call("cuStreamGetAttribute", needs=HEALTHY)
def stream_get_attribute(number: handle, attribute: i32, target: pointer):
    store_bytes(target, _value(stream_of(number), attribute))


@call("cuStreamSetAttribute", needs=HEALTHY)
def stream_set_attribute(number: handle, attribute: i32, value: pointer):
    stream, given = stream_of(number), bytes(load(value, Value))
    first = int.from_bytes(given[:4], "little", signed=True)
    if attribute == PRIORITY:
        if not GREATEST_PRIORITY <= first <= 0:
            raise _invalid(f"there is no priority {first}")
        stream.priority = first
        return
    _value(stream, attribute)
    if attribute == SYNCHRONIZATION_POLICY and not 1 <= first <= 4:
        raise _invalid(f"there is no synchronisation policy {first}")
    if attribute == MEM_SYNC_DOMAIN and first not in (0, 1):
        raise _invalid(f"there is no memory synchronisation domain {first}")
    stream.attributes[attribute] = given


@call("cuStreamCopyAttributes", needs=HEALTHY)
def stream_copy_attributes(target: handle, source: handle):
    stream_of(target).attributes.update(stream_of(source).attributes)
