"""The device of the current context: its attributes, and how the driver is told where memory is.

Not here: which driver and device were attached (`course_lib.driver`), and whether an address is on
the device (`course_lib.pointers`).
"""
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .errors import WrongArgument, ask, do

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


def location(where: str, numa: bool = False) -> cu.CUmemLocation:
    """The CUmemLocation called "device", the current context's, or "host".

    numa: name the host by its NUMA node nearest to that device. Physical memory and pools are made
          at such a node, and know no "host" by itself

    Raises WrongArgument for another name, WrongContext without a context.
    """
    if where not in ("device", "host"):
        raise WrongArgument(f"there is no location {where!r}: memory is on the 'device' or on the 'host'")
    kind, number = where.upper(), 0
    if where == "device":
        number = current_device()
    elif numa:
        kind, number = "HOST_NUMA", max(device_attribute("HOST_NUMA_ID"), 0)     # -1: the machine has no NUMA nodes
    structure = cu.CUmemLocation()
    structure.type, structure.id = getattr(cu.CUmemLocationType, f"CU_MEM_LOCATION_TYPE_{kind}"), number
    return structure


def advise(address: int, nbytes: int, advice: cu.CUmem_advise, where: cu.CUmemLocation) -> None:
    """Give advice about managed memory, or take it back. (cuMemAdvise)"""
    do(_advise, address, nbytes, advice, where)


def prefetch(address: int, nbytes: int, where: cu.CUmemLocation, stream: cuda.Stream | None = None) -> None:
    """Send managed memory to a location, in the order of a stream. The call does not wait.
    (cuMemPrefetchAsync)"""
    do(_prefetch, address, nbytes, where, 0, stream.handle if stream else 0)
