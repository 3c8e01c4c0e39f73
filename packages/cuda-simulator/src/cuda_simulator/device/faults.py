"""What to say about an address that went wrong: the nearest thing that the driver knows."""
from ..memory.allocations import ON_HOST, AllocationKind, memory
from ..memory.heap import blocks
from ..memory.views import UNIFIED
from ..memory.virtual import reservations
from ..systems import current_system

NULL_PAGE = 4096
PAGEABLE = "near nothing that CUDA knows; pageable host memory, perhaps"


def _bytes(count):
    return f"{count} byte" if count == 1 else f"{count} bytes"


def freed_at(address):
    """The allocation that held `address` last, and was freed; None where there was none."""
    return next((past for past in reversed(memory.history) if past.start <= address < past.end), None)


def nearest(address, device, look_back=True):
    """"40 bytes past the end of the 4096-byte allocation made by cuMemAlloc", and the like, for a kernel on `device`.

    look_back: whether what was freed counts
    """
    if address < NULL_PAGE:
        return "a null pointer" if address == 0 else f"{_bytes(address)} from a null pointer"
    allocation = memory.at(address) or blocks.at(address)
    if allocation is not None:
        if UNIFIED in allocation.views:
            device_address = allocation.views[UNIFIED].start + address - allocation.start
            return f"{_bytes(address - allocation.start)} into {_name(allocation, device)}, which the device has at {device_address:#x}"
        refused = allocation.mapped_for(device) or allocation.device is device
        why = "which does not allow this access" if refused else _elsewhere(allocation, device)
        return f"{_bytes(address - allocation.start)} into {_name(allocation, device)}, {why}"
    past = freed_at(address) if look_back else None
    if past is not None:
        return f"{_bytes(address - past.start)} into {_name(past, device)}, which was freed"
    reservation = reservations.at(address)
    if reservation is not None:
        return f"in {_bytes(reservation.size)} of reserved addresses with nothing mapped there"
    candidates = []
    for table in (memory.allocations, blocks):
        below, above = table.neighbours(address)
        if below is not None:
            candidates.append((address - below.end, f"past the end of {_name(below, device)}"))
        if above is not None:
            candidates.append((above.start - address, f"before the start of {_name(above, device)}"))
    near = [candidate for candidate in candidates if candidate[0] < 1 << 30]
    if near:
        distance, text = min(near)
        return f"{_bytes(distance)} {text}"
    if current_system().pageable_access:
        return "near nothing that CUDA knows, and in no page of the host that allows this access"
    return PAGEABLE


def behind(address, size, device):
    """Of a word that begins in an allocation and ends behind it, what of it is where; "" for any other."""
    allocation = memory.at(address) or blocks.at(address)
    if allocation is None:
        return ""
    past = address + size - allocation.end
    return f"its last {'byte lies' if past == 1 else f'{past} bytes lie'} past the end of {_name(allocation, device)}"


def _elsewhere(allocation, device):
    """Why a kernel on `device` has no way to memory of another device, and what would give it one."""
    this_device = f"device {device.ordinal}"
    if allocation.pool is not None:
        remedy = f"its pool can give {this_device} access (cuMemPoolSetAccess)"
    elif allocation.kind is AllocationKind.MAPPING:
        remedy = f"cuMemSetAccess can give {this_device} access; peer access does not cover it"
    elif allocation.kind is AllocationKind.DEVICE:
        remedy = f"a context of {this_device} can enable access to the context that made it (cuCtxEnablePeerAccess)"
    else:
        remedy = "peer access covers what cuMemAlloc gives, and not this"
    return f"to which the kernel, on {this_device}, has no way: {remedy}"


def _name(allocation, device):
    on_host = allocation.kind in ON_HOST or allocation.kind is AllocationKind.MAPPING and allocation.physical.on_host
    whose = "" if on_host or allocation.device is device else f" of device {allocation.device.ordinal}"
    return f"the {allocation.size}-byte allocation made by {allocation.maker} ({allocation.kind.value}{whose})"
