"""What the helpers have in common that give memory as a NumPy array: pinned.py and managed.py.

Not here: which memory it is, and who gives it back.
"""
import ctypes
import weakref
from typing import Any

import numpy as np
from cuda.bindings import driver as cu

from . import journal
from .device_memory import DeviceMemory
from .errors import do
from .ownership import Resource, current_context

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_size_t, [ctypes.py_object, ctypes.c_char_p]


class ArrayMemory(DeviceMemory, Resource):
    """Memory shown as a NumPy array, made in the current context."""

    _DLPACK_KIND = 3        # dlpack.h: kDLCUDAHost, pinned memory

    def __init__(self, array: np.ndarray) -> None:
        super().__init__()
        self._array, self.context = array, current_context()

    @property
    def array(self) -> np.ndarray:
        """The memory as a NumPy array, for the host.

        An array, or a view of it, keeps allocated memory alive: `release` then takes effect when the last one is gone.
        Freeing pages that an array still shows would turn its next use into a segmentation fault.
        """
        self._require()
        return self._array

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return self.array.nbytes

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """As of any memory here, with the array's own shape and dtype."""
        array = self.array.__array_interface__
        return {**super().__cuda_array_interface__, **{name: array[name] for name in ("shape", "typestr", "descr", "strides")}}

    def _read_only(self) -> bool:
        return not self.array.flags.writeable

    def _as_numpy(self) -> np.ndarray:
        return self.array

    def __dlpack__(self, *, stream: int | None = None, dl_device: tuple[int, int] | None = None, **asked: Any) -> Any:
        """The array by DLPack, as memory that the device reaches too. Where the reader names a `stream` of its own, the host waits for
        work on the default stream first."""
        if stream not in (None, -1, 1, 2):      # -1: it does not want to wait; 1, 2: it works on a default stream
            do(cu.cuStreamSynchronize, 1)
        if dl_device not in (None, self.__dlpack_device__()):
            asked["dl_device"] = dl_device          # NumPy refuses what is not the CPU
            return self.array.__dlpack__(**asked)
        capsule = self.array.__dlpack__(**asked)
        name = b"dltensor_versioned" if "versioned" in repr(capsule) else b"dltensor"
        # dlpack.h: the device stands behind the tensor's data pointer, and the tensor behind 32 bytes where there is a version.
        place = _capsule_pointer(capsule, name) + (40 if b"versioned" in name else 8)
        ctypes.c_int32.from_address(place).value = self._DLPACK_KIND
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._DLPACK_KIND, 0

    def release(self) -> None:
        super().release()
        del self._array

    def _owned_by_pycuda(self, kind: str) -> None:
        """Write down that memory of this kind came to be, and the moment when it goes.

        PyCUDA frees it when nothing refers to its allocation any more, the arrays' `base`. So giving back takes no call.
        """
        array = self._array
        entry = journal.note(kind, array.ctypes.data, array.nbytes, self.context)
        weakref.finalize(array.base, journal.note_freed, entry)
        self._hold(_left_to_pycuda)


def _left_to_pycuda() -> None:
    """What is called to give it back: nothing is to be done."""
