"""Host memory registered with the driver, undone, and asked whether it could be.

No call tells whether an address is registered. Who asks tries to register it, for want of a better
question, and nobody else's call may come in between: so all of them are here, under one lock.

Not here: what a refusal means (pinned.py, pointers/address_facts.py).
"""
import threading

from cuda.bindings import driver as cu

from .errors import do

_lock = threading.RLock()    # a collection under it may unregister an array


def register(address: int, nbytes: int, flags: int) -> None:
    """Page-lock host memory in place. (cuMemHostRegister)"""
    with _lock:
        do(cu.cuMemHostRegister, address, nbytes, flags)


def unregister(address: int) -> None:
    """Undo it. (cuMemHostUnregister)"""
    with _lock:
        do(cu.cuMemHostUnregister, address)


def refusal(address: int) -> str | None:
    """Why one byte cannot be registered, by the error's name; None where it could be, and was not
    left so.

    CUDA calls: cuMemHostRegister, and cuMemHostUnregister where that succeeded.
    """
    with _lock:
        status, = cu.cuMemHostRegister(address, 1, 0)
        if int(status) == 0:
            cu.cuMemHostUnregister(address)
            return None
    return status.name
