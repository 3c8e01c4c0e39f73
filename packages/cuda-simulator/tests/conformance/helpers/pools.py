"""Pools of one process: attributes by name, what is taken from one, what it counts.

Not here: pools of other processes (shared_pools.py), of managed memory (managed_pools.py).
"""
from cuda.bindings import driver as cu

from .calls import must, outcome
from .memory_kinds import location

POOL = cu.CUmemPool_attribute
USED, RESERVED = POOL.CU_MEMPOOL_ATTR_USED_MEM_CURRENT, POOL.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT
THRESHOLD = POOL.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD


def take(pool, size, stream=0):
    return cu.cuMemAllocFromPoolAsync(size, pool, stream)


def used_and_reserved(pool):
    return [outcome(cu.cuMemPoolGetAttribute(pool, attribute)) for attribute in (USED, RESERVED)]


def default_pool():
    return must(cu.cuDeviceGetDefaultMemPool(0))


def create_pool(place="device", ordinal=0, max_size=0, kind=cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED):
    """What making a pool answers."""
    props = cu.CUmemPoolProps()
    props.allocType, props.location, props.maxSize = kind, location(place, ordinal), max_size
    return cu.cuMemPoolCreate(props)


def new_pool(threshold=0):
    """A pool of the device's, with nothing in it yet."""
    pool = must(create_pool())
    if threshold:
        must(cu.cuMemPoolSetAttribute(pool, THRESHOLD, cu.cuuint64_t(threshold)))
    return pool


def pool_block(pool, size, stream=0):
    return int(must(take(pool, size, stream)))


def free(address, stream=0):
    must(cu.cuMemFreeAsync(address, stream))
