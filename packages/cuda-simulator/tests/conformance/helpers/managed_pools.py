"""Pools of managed memory by place, and memory from them (CUDA 13).

Not here: other pools (pools.py).
"""
from cuda.bindings import driver as cu

from .calls import must
from .managed_memory import MIB, PAGE, PLACES
from .pools import take

MANAGED = 2    # CU_MEM_ALLOCATION_TYPE_MANAGED
MOVABLE = ("nowhere", "device", "host", "host numa")


def place_of(title):
    location = cu.CUmemLocation()
    kind, ordinal = PLACES[title]
    location.type, location.id = cu.CUmemLocationType(kind), ordinal
    return location


def pool_of(title="device", max_size=0, handle_types=0, usage=0):
    """cuMemPoolCreate of a managed pool, raw result."""
    properties = cu.CUmemPoolProps()
    properties.allocType, properties.location, properties.maxSize = cu.CUmemAllocationType(MANAGED), place_of(title), max_size
    properties.handleTypes, properties.usage = cu.CUmemAllocationHandleType(handle_types), usage
    return cu.cuMemPoolCreate(properties)


def pool_block(pool, size=4 * MIB):
    a = int(must(take(pool, size)))
    must(cu.cuStreamSynchronize(0))
    return a


def pools():
    """(place, pool) for the places where this driver makes managed pools and gives memory from them; Refused if nowhere."""
    results = [(title, pool_of(title)) for title in MOVABLE]
    return [(title, result[1]) for title, result in results if not int(result[0]) and not int(take(result[1], PAGE)[0])] or [
        ("device", must(results[1][1]))]
