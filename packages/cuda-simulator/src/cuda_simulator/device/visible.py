"""Which devices a process is shown, and in which order: how many the simulated machine has (CUDA_SIMULATOR_DEVICES), and
which of those the program is to see (CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER).

While nobody said how many there are, there is one, and the other two variables are left to the GPUs that they may have been
set for. How they are read rests on what two H200s answered (tests/conformance: devices/visible).
"""
import ctypes
import re

from ..libcuda.results import CallError, Result

COUNT, VISIBLE, ORDER = "CUDA_SIMULATOR_DEVICES", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"    # environment variables
MOST = 8    # devices of one machine
_BEGINS_A_UUID = "GPU-", "MIG-"
_ORDERS = None, "FASTEST_FIRST", "PCI_BUS_ID"    # one after the other here, by either

_getenv = ctypes.CDLL(None).getenv    # not os.environ, which does not see what C code sets
_getenv.restype, _getenv.argtypes = ctypes.c_char_p, [ctypes.c_char_p]


def variable(name):
    """An environment variable as the driver finds it now; None where it is not set."""
    value = _getenv(name.encode())
    return value.decode(errors="replace") if value is not None else None


def checked_count(count):
    """`count`, a number or a text, as a number of devices; ValueError where it is none."""
    if str(count) not in map(str, range(1, MOST + 1)):
        raise ValueError(f"The simulated machine has 1 to {MOST} devices, not {count!r} ({COUNT}, pytest's "
                         "--cuda-simulator-devices, --devices, attach(devices=...))")
    return int(count)


def count():
    """How many devices the simulated machine has; ValueError where CUDA_SIMULATOR_DEVICES is no such number."""
    asked_for = variable(COUNT)
    return 1 if asked_for is None else checked_count(asked_for)


def uuid(slot):
    """The UUID of the device at a slot of the machine: 16 bytes, which differ from the first on."""
    return bytes([0x51 + slot]) + b"simulated H200 "


def visible_slots():
    """The slots, from 0 on, of the devices that the process gets, in the order of their numbers there.

    CallError where it gets none: NO_DEVICE, or INVALID_DEVICE where the variables make no sense.
    """
    if variable(COUNT) is None:
        return [0]
    if variable(ORDER) not in _ORDERS:
        raise CallError(Result.INVALID_DEVICE, f"{ORDER} is {variable(ORDER)!r}: it may be FASTEST_FIRST or PCI_BUS_ID")
    slots, text = range(count()), variable(VISIBLE)
    if text is None:
        return list(slots)
    listed = _listed_slots(text, slots)
    if len(set(listed)) < len(listed):
        raise CallError(Result.INVALID_DEVICE, f"{VISIBLE} is {text!r}: it names a device twice")
    if not listed:
        raise CallError(Result.NO_DEVICE, f"{VISIBLE} is {text!r}: its first entry is none of the {len(slots)} simulated "
                        f"device{'s' * (len(slots) > 1)}. To have them all, unset it")
    return listed


def _listed_slots(text, slots):
    """The slots that a list names, up to the first entry that names none. It is of numbers or of UUIDs, as it begins."""
    by_uuid = text.startswith(_BEGINS_A_UUID)
    listed = []
    for entry in text.split(","):
        slot = _by_uuid(entry, slots) if by_uuid else _by_number(entry, slots)
        if slot is None:
            break
        listed.append(slot)
    return listed


def _by_number(entry, slots):
    """As C's strtol reads it: spaces and a sign before the digits, anything after them; kept in an int of 32 bits."""
    digits = re.match(r"[ \t\n\v\f\r]*([+-]?[0-9]+)", entry)
    if not digits:
        return None
    number = ctypes.c_int(max(-1 << 63, min(int(digits[1]), (1 << 63) - 1))).value
    return number if number in slots else None


def _by_uuid(entry, slots):
    """The one device whose UUID begins so. Hyphens between the digits may be missing; what follows 32 of them is not read."""
    if not entry.startswith(_BEGINS_A_UUID):
        return None
    digits = re.match(r"[0-9a-f-]*", entry[4:].lower())[0].replace("-", "")[:32]
    alike = [slot for slot in slots if uuid(slot).hex().startswith(digits)]
    return alike[0] if len(alike) == 1 else None
