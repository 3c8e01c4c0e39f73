"""Pools of one process: attributes by name, what is taken from one, what it counts.

Not here: pools of other processes (shared_pools.py), of managed memory (managed_pools.py).
"""
from cuda.bindings import driver as cu

from .calls import must, told

POOL = cu.CUmemPool_attribute
USED, RESERVED = POOL.CU_MEMPOOL_ATTR_USED_MEM_CURRENT, POOL.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT
THRESHOLD = POOL.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD


def take(pool, size, stream=0):
    return cu.cuMemAllocFromPoolAsync(size, pool, stream)


def now(pool):
    return [told(cu.cuMemPoolGetAttribute(pool, one)) for one in (USED, RESERVED)]


def default_pool():
    return must(cu.cuDeviceGetDefaultMemPool(0))
