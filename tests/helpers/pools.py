"""Memory from a pool on the host, as cuMemPoolCreate makes one: no helper of the course makes it."""
import contextlib

from course_lib.core.device import location
from course_lib.core.errors import ask, do

from cuda.bindings import driver as cu


@contextlib.contextmanager
def from_host_pool(nbytes, device_access=True):
    """The address of so many bytes, for the time of a `with`."""
    kind = cu.CUmemPoolProps()
    kind.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    kind.location = location("host", numa=True)
    pool = ask(cu.cuMemPoolCreate, kind)
    if device_access:
        access = cu.CUmemAccessDesc()
        access.location, access.flags = location("device"), cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        do(cu.cuMemPoolSetAccess, pool, [access], 1)
    address = int(ask(cu.cuMemAllocFromPoolAsync, nbytes, pool, 0))
    do(cu.cuStreamSynchronize, 0)
    yield address
    do(cu.cuMemFreeAsync, address, 0)
    do(cu.cuStreamSynchronize, 0)
    do(cu.cuMemPoolDestroy, pool)
