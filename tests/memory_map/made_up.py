"""Blocks made up for tests: no driver is asked."""
from course_lib.pointers.address_facts import Kind
from courseware.memory_map.scene import Block, PhysicalMemory

HOST_KINDS = (Kind.PINNED, Kind.REGISTERED, Kind.PAGEABLE)


def block(number, kind=Kind.DEVICE, nbytes=64, memory=None, **more):
    """A block with plausible addresses; of memory of its own, unless another's is given."""
    where = "host" if kind in HOST_KINDS else "both" if kind is Kind.MANAGED else "device"
    address = 0x10000000 * (number + 1)
    host = address if where != "device" else None
    device = None if kind is Kind.PAGEABLE else address
    return Block(**{"names": (f"b{number}",), "kind": kind, "nbytes": nbytes, "host": host, "device": device,
                    "memory": memory or PhysicalMemory((number,), where, nbytes), "way_back": host if device else None,
                    "forward": host if kind in (Kind.PINNED, Kind.REGISTERED) else None, **more})
