"""What only a simulation can show of a kernel: how its warps' accesses coalesced, and where banks of shared memory or the
addresses of constants made a warp wait.

    from cuda_simulator.watch import Transactions, watching

    with watching(Transactions()) as seen:
        kernel(x, block=(32, 1, 1))
        cuda.Context.synchronize()
    for access in seen.counts.values():
        print(access.access, access.requests, access.transactions, access.efficiency)

Counts are facts about addresses, not times. They are had from the simulated driver alone: with a GPU's driver attached
nothing comes by. Another observer follows a thread (stepping/follower.py).
"""
import contextlib

from .libcuda.state import thread
from .ptx import BankConflicts, ConstantReads, Observer, Transactions

__all__ = ["BankConflicts", "ConstantReads", "Observer", "Transactions", "watching"]


@contextlib.contextmanager
def watching(observer):
    """Let `observer` see every kernel that this thread launches inside the block; the block's value is the observer.

    A launch only starts a kernel: synchronize before looking at what was seen.
    """
    before, thread.observer = thread.observer, observer
    try:
        yield observer
    finally:
        thread.observer = before
