"""How many blocks of a kernel the device holds at once (cuda.h: Occupancy).

By threads, blocks and shared memory of a multiprocessor; how many registers a kernel takes is not known here.
"""
import ctypes

from ..device.device_facts import ATTRIBUTES, MULTIPROCESSORS
from ..libcuda.library import CONTEXT, HEALTHY, call, handle, i32, pointer, size, u32
from ..libcuda.output import load, store
from ..libcuda.process_memory import round_up
from ..libcuda.results import CallError, Result
from .libraries import function_of

MOST_THREADS, WARP, LARGEST_CLUSTER = 1024, 32, 8
MULTIPROCESSOR_THREADS, MULTIPROCESSOR_BLOCKS, MULTIPROCESSOR_SHARED = 39, 106, 81    # CUdevice_attribute
SYSTEM_SHARED = 111        # kept of each block's shared memory by the system
SHARED_GRANULARITY = 128


def _invalid(why):
    return CallError(Result.INVALID_VALUE, why)


def blocks_by_threads(threads):
    """Blocks of that many threads that fit one multiprocessor, if they need nothing else."""
    return min(ATTRIBUTES[MULTIPROCESSOR_BLOCKS], ATTRIBUTES[MULTIPROCESSOR_THREADS] // WARP // -(-threads // WARP))


def blocks_at_once(function, threads, shared_bytes):
    """Blocks of a kernel that fit one multiprocessor."""
    shared_bytes &= 0xFFFFFFFF    # as an H200's driver reads it
    if shared_bytes > function.most_dynamic_shared or not 0 < threads <= MOST_THREADS:
        return 0
    shared = function.kernel.static_shared_bytes + shared_bytes + ATTRIBUTES[SYSTEM_SHARED]
    return min(blocks_by_threads(threads), ATTRIBUTES[MULTIPROCESSOR_SHARED] // round_up(shared, SHARED_GRANULARITY))


@call("cuOccupancyMaxActiveBlocksPerMultiprocessor")
def occupancy(target: pointer, number: handle, threads: i32, shared_bytes: size):
    _occupancy(target, number, threads, shared_bytes)


@call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def occupancy_with_flags(target: pointer, number: handle, threads: i32, shared_bytes: size, flags: u32):
    _check(flags)
    _occupancy(target, number, threads, shared_bytes)


def _check(flags):
    """CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE is the one flag; it changes nothing here, because caching costs this device no occupancy."""
    if flags > 1:
        raise _invalid(f"no flags {flags:#x}")


def _occupancy(target, number, threads, shared_bytes):
    function = function_of(number)
    if threads <= 0:
        raise _invalid(f"a block of {threads} threads")
    store(target, ctypes.c_int, blocks_at_once(function, threads, shared_bytes))


@call("cuOccupancyMaxPotentialBlockSize", needs=CONTEXT)
def occupancy_max_potential_block_size(grid: pointer, block: pointer, number: handle, shared_of_block: pointer,
                                       shared_bytes: size, limit: i32):
    _best_block(grid, block, number, shared_of_block, shared_bytes, limit)


@call("cuOccupancyMaxPotentialBlockSizeWithFlags", needs=CONTEXT)
def occupancy_max_potential_block_size_with_flags(grid: pointer, block: pointer, number: handle, shared_of_block: pointer,
                                                  shared_bytes: size, limit: i32, flags: u32):
    _check(flags)
    _best_block(grid, block, number, shared_of_block, shared_bytes, limit)


def _best_block(grid, block, number, shared_of_block, shared_bytes, limit):
    """The block size with the most threads at once, the largest of equal ones, and the grid that fills the device.

    `shared_of_block`, if there is one, is the caller's function: how much shared memory a block of so many threads takes.
    """
    function = function_of(number)
    shared = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(shared_of_block) if shared_of_block else lambda threads: shared_bytes
    if limit < 0:
        raise _invalid(f"at most {limit} threads")
    most = min(function.kernel.max_threads_per_block, limit or MOST_THREADS)
    sizes = [min(most, aligned) for aligned in range(round_up(most, WARP), 0, -WARP)]
    best = max(sizes, key=lambda threads: threads * blocks_at_once(function, threads, shared(threads)))
    blocks = blocks_at_once(function, best, shared(best))
    store(block, ctypes.c_int, best if blocks else 0)
    store(grid, ctypes.c_int, blocks * ATTRIBUTES[MULTIPROCESSORS])


@call("cuOccupancyAvailableDynamicSMemPerBlock", needs=HEALTHY)
def occupancy_available_dynamic_shared(target: pointer, number: handle, blocks: i32, threads: i32):
    """The dynamic shared memory that a block may take so that so many of them fit one multiprocessor."""
    function = function_of(number)
    if threads <= 0 or threads > MOST_THREADS or not 0 < blocks <= blocks_by_threads(threads):
        raise _invalid(f"{blocks} blocks of {threads} threads do not fit a multiprocessor")
    share = ATTRIBUTES[MULTIPROCESSOR_SHARED] // blocks // SHARED_GRANULARITY * SHARED_GRANULARITY
    room = share - function.kernel.static_shared_bytes
    store(target, ctypes.c_size_t, max(0, min(room, function.most_dynamic_shared)))


@call("cuOccupancyMaxPotentialClusterSize", needs=HEALTHY)
def occupancy_max_potential_cluster_size(target: pointer, number: handle, config: pointer):
    """As large as every device of this architecture allows."""
    function_of(number)
    load(config, ctypes.c_size_t)
    store(target, ctypes.c_int, LARGEST_CLUSTER)
