"""Let cuda-bindings 12 put questions that are written for cuda-bindings 13.

CUDA 13 gave three functions new forms under their old names; CUDA 12 calls the older forms so, and two of the newer ones
by name with _v2 (cuda.h of 12.9 and of 13.0). `adapt` gives cuda-bindings 12 CUDA 13's names. What is called then are
CUDA 12's functions, cuCtxCreate_v2 where CUDA 13 has cuCtxCreate_v4, and the same answers are expected.
"""
import cuda.bindings
from cuda.bindings import driver as cu

HERE = cuda.bindings.__version__.startswith("12.")


def adapt():
    """Do so, where these are cuda-bindings 12."""
    if HERE:
        create = cu.cuCtxCreate
        cu.cuCtxCreate = lambda parameters, flags, device: create(flags, device)
        cu.cuMemAdvise = cu.cuMemAdvise_v2
        cu.cuMemPrefetchAsync = cu.cuMemPrefetchAsync_v2


# Questions that CUDA 12 cannot be asked as CUDA 13 can, and why.
LEFT_OUT = {
    "kernels/modules.function_attributes": "NVRTC 12.9 writes PTX 8.8, where 13.0 writes PTX 9.0",
    "kernels/modules.set_function_attributes": "NVRTC 12.9 writes PTX 8.8, where 13.0 writes PTX 9.0",
    "kernels/occupancy_and_attributes.library_kernels": "NVRTC 12.9 writes PTX 8.8, where 13.0 writes PTX 9.0",
    "streams/memory_operations.copies": "cuMemcpyBatchAsync has one more argument; the simulated driver has CUDA 13's form alone",
    "streams/memory_operations.prefetches": "CUDA 12 has no cuMemPrefetchBatchAsync",
    "devices/properties.names_and_peers": "one peer attribute has no name in CUDA 12",
    "virtual_memory/physical_memory.create_properties": "one type of allocation has no name in CUDA 12",
    "pools/limits_and_places.other_pools": "one type of allocation has no name in CUDA 12",
    "pools/limits_and_places.pools_of_places": "CUDA 12 has no cuMemGetMemPool",
    "two_devices/peer_access.which_can": "one peer attribute has no name in CUDA 12",
    "two_devices/virtual_managed_and_pooled.pools": "CUDA 12 has no cuMemGetDefaultMemPool",
    **{f"managed/pools.{name}": "CUDA 12 has no pools of managed memory" for name in (
        "created", "defaults", "attributes", "used", "advised", "taken_again", "accessible", "counted", "sizes", "freed",
        "outlives", "exported")},
    **{f"managed/pool_memory.{name}": "CUDA 12 has no pools of managed memory" for name in (
        "parts", "default_pools", "largest_size", "attributes", "in_order", "copies", "contexts", "refused", "several_pools")},
    **{f"managed/pools_in_programs.{name}": "CUDA 12 has no pools of managed memory" for name in (
        "counted", "structures", "table", "copied", "memsets", "threads", "destroyed_in_use", "prefetched", "refused")},
    "managed/calls_for_other_memory.registered": "CUDA 12 has no pools of managed memory",
    **dict.fromkeys(("managed/nulls_and_borders.other_managed", "managed/pointers_given_to_libraries.ways_to_free",
                     "managed/mixed_programs.change_places", "managed/mixed_programs.freed_by_a_thread"),
                    "CUDA 12 has no pools of managed memory"),
    "two_devices/pools.current": "CUDA 12 has no cuMemSetMemPool",
    **dict.fromkeys(("managed/copies.batches", "managed/copies_in_programs.batches", "two_devices/copies_by_kind.batch"),
                    "cuMemcpyBatchAsync has one more argument; the simulated driver has CUDA 13's form alone"),
}
