"""The device of the current context: its attributes, and how the driver is told a place.

A place is a CUmemLocation: a device, the host, or the host's memory near one processor (NUMA).

Not here: which driver and device were attached (`course_lib.driver`), and whether an address is on
the device (`course_lib.pointers`).
"""
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .errors import ask, do

# CUDA 13's cuda-bindings has only the newer form of these two calls, under the older name; CUDA
# 12's has both. It is the newer one that takes a CUmemLocation.
_advise = getattr(cu, "cuMemAdvise_v2", cu.cuMemAdvise)
_prefetch = getattr(cu, "cuMemPrefetchAsync_v2", cu.cuMemPrefetchAsync)


def current_device() -> int:
    """The number of the current context's device. Raises WrongContext without a context.
    (cuCtxGetDevice)"""
    return int(ask(cu.cuCtxGetDevice))


def device_attribute(name: str) -> int:
    """An attribute of the current context's device, such as "PAGEABLE_MEMORY_ACCESS".
    (cuDeviceGetAttribute)

    Raises WrongContext without a context.
    """
    return int(ask(cu.cuDeviceGetAttribute, getattr(cu.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}"), current_device()))


def place(kind: str, number: int = 0) -> cu.CUmemLocation:
    """A CUmemLocation.

    kind:   "DEVICE", "HOST" or "HOST_NUMA", as in CU_MEM_LOCATION_TYPE_DEVICE
    number: of the device, or of the NUMA node
    """
    location = cu.CUmemLocation()
    location.type, location.id = getattr(cu.CUmemLocationType, f"CU_MEM_LOCATION_TYPE_{kind}"), number
    return location


def device_or_host(where: str) -> cu.CUmemLocation:
    """The CUmemLocation called "device", that of the current context, or "host"."""
    return place("DEVICE", current_device()) if where == "device" else place("HOST")


def advise(address: int, nbytes: int, advice: cu.CUmem_advise, where: cu.CUmemLocation) -> None:
    """Give advice about managed memory, or take it back. (cuMemAdvise)"""
    do(_advise, address, nbytes, advice, where)


def prefetch(address: int, nbytes: int, where: cu.CUmemLocation, stream: cuda.Stream | None = None) -> None:
    """Send managed memory to a place, in the order of a stream. The call does not wait.
    (cuMemPrefetchAsync)"""
    do(_prefetch, address, nbytes, where, 0, stream.handle if stream else 0)
