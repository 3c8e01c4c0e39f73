"""Page-locked ("pinned") host memory: allocate it, or register memory that exists already.

Page-locked memory stays at its physical place, so that the device's copy engines and kernels can
reach it. The memory here is the *host's*: NumPy reads and writes it as any other. Two ways to have
some:

- `allocate` asks the driver for new pages. In C that is ``cudaHostAlloc(&p, size, flags)``;
  ``cudaMallocHost`` is the same with default flags, and so is ``allocate`` without flags;
- `register` page-locks an array where it is: neither its address nor its content changes.

    >>> from course_lib import pinned
    >>> with pinned.allocate((2, 3), "float32", flags="writecombined") as host:
    ...     host.array[:] = 7
    ...     host.nbytes, host.device_address == host.host_address
    (24, True)

Not here: how a kernel uses it in place (`course_lib.mapped`), and what is known of an address
(`course_lib.pointers`).
"""
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from .core import journal, registration
from .core.array_memory import ArrayMemory
from .core.device import device_attribute
from .core.errors import CudaError, NotSupported, WrongArgument, WrongOrder, WrongPointer, WrongSize, ask
from .core.ownership import ContextOf, current_context, in_context
from .core.shapes import checked

ALLOCATE_FLAGS: dict[str, int] = {name: getattr(cu, f"CU_MEMHOSTALLOC_{name.upper()}")
                                  for name in ("portable", "devicemap", "writecombined")}
REGISTER_FLAGS: dict[str, int] = {name: getattr(cu, f"CU_MEMHOSTREGISTER_{name.upper()}")
                                  for name in ("portable", "devicemap", "iomemory", "read_only")}


class PinnedMemory(ArrayMemory):
    """Page-locked memory, as `allocate` and `register` return it. Use it in ``with``, or call
    `release`."""

    @property
    def host_address(self) -> int:
        """Where the memory starts, for the host: an int."""
        return self.array.ctypes.data

    @property
    def device_address(self) -> int:
        """Where it starts, for the device: an int. (cuMemHostGetDevicePointer)

        Of allocated memory it equals `host_address` (on an H200 write-combined memory too, though
        `cuda.h` lets that differ). Of registered memory it does where
        CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM is 1 for every visible device (``cuda.h``, at
        cuMemHostGetDevicePointer).
        """
        return int(ask(cu.cuMemHostGetDevicePointer, self.host_address, 0))


class AllocatedMemory(PinnedMemory):
    """Page-locked memory from `allocate`."""

    def __init__(self, array: np.ndarray) -> None:
        super().__init__(array)
        self._owned_by_pycuda(self._name())

    def _name(self) -> str:
        return "pinned memory"


class RegisteredMemory(PinnedMemory):
    """Memory page-locked in place by `register`. It keeps the array alive as long as it is
    registered."""

    def __init__(self, array: np.ndarray, flags: int) -> None:
        super().__init__(array)
        registration.register(array.ctypes.data, array.nbytes, flags)
        entry = journal.note("registered memory", array.ctypes.data, array.nbytes, self.context)
        self._hold(_unregister, array, self.context, entry)

    def unregister(self) -> None:
        """Undo `register`: the array stays, as pageable memory. The same as `release`.
        (cuMemHostUnregister)"""
        self.release()

    def _name(self) -> str:
        return "registered memory"


def allocate(shape: int | Iterable[int], dtype: npt.DTypeLike = np.uint8, flags: str | Iterable[str] = ()) -> PinnedMemory:
    """Allocate page-locked memory for an array, and return it as PinnedMemory. The content is not
    initialised.

    shape: number of elements, or a tuple of dimensions
    dtype: of the elements, as NumPy takes it
    flags: name or names, of

    - ``portable``: for every context, not only the current one. Here every allocation is (unified
      addressing);
    - ``devicemap``: give it an address that the device can use. Here every allocation gets one;
    - ``writecombined``: bypass the CPU's caches. May speed up transfers; may make the CPU's reads
      very slow.

    Raises WrongSize for no elements, WrongArgument for unknown flags or a dtype of Python objects,
    and PyCUDA's MemoryError where there is not as much memory.

    CUDA call: cuMemHostAlloc, through pycuda.driver.pagelocked_empty
    (CUDA Driver API, Memory Management; CUDA C++ Programming Guide, Page-Locked Host Memory).
    """
    bits = _bits(flags, ALLOCATE_FLAGS)
    shape, dtype = checked(shape, dtype)
    current_context()
    return AllocatedMemory(cuda.pagelocked_empty(shape, dtype, mem_flags=bits))


def register(array: np.ndarray, flags: str | Iterable[str] = ()) -> RegisteredMemory:
    """Page-lock an existing NumPy array where it is, and return it as PinnedMemory.

    array: contiguous; any alignment and size. Neither its address nor its content changes
    flags: name or names, of

    - ``portable``, ``devicemap``: as for `allocate`; here they change nothing;
    - ``read_only``: for pages that cannot be written, such as a file mapped for reading: kernels
      may only read it;
    - ``iomemory``: for the address space of another PCIe device. Ordinary memory is refused with
      it.

    Raises WrongPointer for an array that cannot be registered, WrongOrder where a byte of it is
    already, WrongSize for an empty one, WrongArgument for what is no array or holds Python objects,
    NotSupported where the device takes no read-only pages.

    CUDA call: cuMemHostRegister, through cuda.bindings: pycuda.driver.register_host_memory of
    PyCUDA 2026.1 fails. (CUDA Driver API, Memory Management)
    """
    bits = _bits(flags, REGISTER_FLAGS)
    if not isinstance(array, np.ndarray):
        raise WrongArgument(f"register takes a NumPy array, not {type(array).__name__}: np.frombuffer(buffer, np.uint8)"
                            " makes one of any buffer without a copy")
    if array.nbytes == 0:
        raise WrongSize("an empty array has no memory to register")
    if array.dtype.hasobject:
        raise WrongArgument("the array holds Python objects, which no device can use")
    if not array.flags.forc:
        raise WrongPointer("the array is not contiguous: register the array that it is a view of (array.base)")
    if not array.flags.writeable and "read_only" not in _names(flags):
        raise WrongPointer("the array is read-only: register(array, flags='read_only'), and kernels may read it only")
    if bits & REGISTER_FLAGS["read_only"] and not device_attribute("READ_ONLY_HOST_REGISTER_SUPPORTED"):
        raise NotSupported("this device cannot register read-only memory: copy the array and register the copy")
    try:
        return RegisteredMemory(array, bits)
    except CudaError as error:
        raise _register_refused(error, bits) from error


def _register_refused(error: CudaError, bits: int) -> Exception:
    """The exception to raise where the driver refuses to register."""
    if error.name == "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED":
        return WrongOrder("some byte of this array is registered already: unregister that first, or use it as it is")
    if error.name != "CUDA_ERROR_INVALID_VALUE":
        return error
    if bits & REGISTER_FLAGS["iomemory"]:
        return WrongPointer("flag iomemory is for another device's memory, and this is ordinary memory: leave it out")
    return WrongPointer("the driver does not register these pages. Memory that CUDA allocated is page-locked already: "
                        "use it as it is. Pages that cannot be written need flags='read_only'")


def _unregister(array: np.ndarray, context: ContextOf, entry: journal.Entry) -> None:
    journal.note_freed(entry)
    in_context(context, registration.unregister, array.ctypes.data)


def _names(flags: str | Iterable[str]) -> tuple[str, ...]:
    return (flags,) if isinstance(flags, str) else tuple(flags)


def _bits(flags: str | Iterable[str], bit_of: dict[str, int]) -> int:
    if isinstance(flags, (int, np.integer)):
        raise WrongArgument(f"flags are given by name: {', '.join(bit_of)}")
    unknown = [name for name in _names(flags) if name not in bit_of]
    if unknown:
        raise WrongArgument(f"no flag is called {unknown[0]}: there are {', '.join(bit_of)}")
    return sum({bit_of[name] for name in _names(flags)})
