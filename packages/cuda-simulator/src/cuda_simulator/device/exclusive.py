"""Managed memory on a system without CONCURRENT_MANAGED_ACCESS: while kernels run, it is the device's alone.

From a launch until the host has waited for it, the host's pages are closed: who touches them is ended by a segmentation fault, though
the kernel has nothing to do with the memory, and though it may have ended already (CUDA C++ Programming Guide 11.2, L.2.2.1, "GPU Exclusive
Access To Managed Memory"). Memory that was attached to the host stays open, and that of a single stream opens when this has
nothing to do (cuda.h, cuStreamAttachMemAsync).

Not here: which kernels reach it (execution.py).
"""
import threading

from ..examination import precedence
from ..memory.allocations import AllocationKind, memory

ATTACHED_TO_HOST = "host"
_running = []       # Work that nobody has waited for
_lock = threading.RLock()


def begin():
    """From now on it is kept what the host has waited for. Idempotent."""
    if _look not in precedence.listeners:
        precedence.keep(1)
        precedence.listeners.append(_look)


def launch(submit):
    """Close the memory and launch: `submit` returns the Work."""
    with _lock:
        _close(None)
        work = submit()
        _running.append(work)
        _look()
    return work


def attach(allocation, to):
    """Managed memory is the host's, a stream's, or everybody's (None) from now on."""
    allocation.attached = to
    _look()


def _look():
    """Open what nobody uses any more."""
    with _lock:
        _running[:] = [work for work in _running if not work.stamp.known_to_the_host()]
        _close({work.stream for work in _running})


def _close(streams):
    """Close what kernels in these streams may use, and open the rest. None: a stream that is not known yet."""
    for allocation in memory.allocations:
        if allocation.kind in (AllocationKind.MANAGED, AllocationKind.MANAGED_VARIABLE):
            to = allocation.attached
            idle = streams is not None and (to not in streams if to is not None else not streams)
            allocation.block.close_to_host(not idle and to != ATTACHED_TO_HOST)
