"""What is said of a stream besides its flags (cuda.h: cuStreamGetAttribute and what belongs to it). It is remembered;
nothing here goes by it."""
import ctypes

from ..libcuda.library import HEALTHY, call, handle, i32, pointer
from ..libcuda.output import load, store_bytes
from ..libcuda.results import CallError, Result
from .streams import GREATEST_PRIORITY, stream_of

ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN = 1, 3, 8, 9, 10
# As many bytes of the union CUstreamAttrValue as the attribute has.
DEFAULTS = {ACCESS_POLICY_WINDOW: bytes(32), SYNCHRONIZATION_POLICY: b"\xff" * 4, PRIORITY: bytes(4),
            MEM_SYNC_DOMAIN_MAP: b"\x00\x01", MEM_SYNC_DOMAIN: bytes(4)}
MOST_DOMAINS = 4


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


def _value(stream, attribute):
    if attribute not in DEFAULTS:
        raise _invalid(f"a stream has no attribute {attribute}")
    if attribute == PRIORITY:
        return stream.priority.to_bytes(4, "little", signed=True)
    return stream.attributes.get(attribute, DEFAULTS[attribute])


@call("cuStreamGetAttribute", needs=HEALTHY, in_host_functions=True)
def stream_get_attribute(number: handle, attribute: i32, target: pointer):
    store_bytes(target, _value(stream_of(number), attribute))


@call("cuStreamSetAttribute", needs=HEALTHY, in_host_functions=True)
def stream_set_attribute(number: handle, attribute: i32, value: pointer):
    stream = stream_of(number)
    data = bytes(load(value, ctypes.c_ubyte * len(_value(stream, attribute))))
    number = int.from_bytes(data[:4], "little", signed=True)
    if attribute == PRIORITY:
        stream.priority = max(GREATEST_PRIORITY, min(0, number))
    elif attribute == SYNCHRONIZATION_POLICY and not 1 <= number <= 4:
        raise _invalid(f"there is no synchronisation policy {number}")
    elif attribute == MEM_SYNC_DOMAIN and number not in (0, 1):
        raise _invalid(f"there is no memory synchronisation domain {number}")
    elif attribute == MEM_SYNC_DOMAIN_MAP and max(data) >= MOST_DOMAINS:
        raise _invalid(f"domains are numbered up to {MOST_DOMAINS - 1}")
    else:
        stream.attributes[attribute] = data


@call("cuStreamCopyAttributes", needs=HEALTHY, in_host_functions=True)
def stream_copy_attributes(target: handle, source: handle):
    target, source = stream_of(target), stream_of(source)
    if target.context is not source.context:
        raise _invalid("the streams belong to different contexts")
    target.attributes.update(source.attributes)
    target.priority = source.priority
