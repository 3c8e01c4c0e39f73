"""Both directions at once: what the forward call and the way back answer for one address.

Use it as ``pointers.both``. It gives the driver's answers as they are. Not here: why there is none
(__init__.py and ../mapped/, whose functions ask one direction each).
"""
from typing import Any, NamedTuple

from cuda.bindings import driver as cu

from ..core.address import address_of
from ..core.ownership import current_context
from .address_facts import attribute, value_in


class BothWays(NamedTuple):
    """The answers of `both`: an int each, None where the driver has no answer."""

    device: int | None      # cuMemHostGetDevicePointer: the forward call
    host: int | None        # HOST_POINTER: the way back

    def __repr__(self) -> str:
        return "  ".join(f"{side} {'none' if answer is None else hex(answer)}" for side, answer in zip(self._fields, self))


def both(address: Any) -> BothWays:
    """What the driver answers in both directions: the pair (device, host), None where it has no
    answer.

    address: an int, which both calls are asked about; or what has an address, as for `facts`. Of an
             object with a `host_address` of its own, as those of pinned.py, the forward call is
             asked about that one

    Raises WrongPointer for what is not an address, CudaError once a kernel has broken CUDA for its process.

    CUDA calls: cuMemHostGetDevicePointer (CUDA Driver API, Memory Management) for `device`,
    cuPointerGetAttribute with CU_POINTER_ATTRIBUTE_HOST_POINTER (Unified Addressing) for `host`.
    """
    on_device = address_of(address)
    on_host = getattr(address, "host_address", on_device)
    current_context()
    return BothWays(value_in("cuMemHostGetDevicePointer", cu.cuMemHostGetDevicePointer(on_host, 0)),
                    attribute(on_device, "HOST_POINTER"))
