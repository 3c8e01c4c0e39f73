"""What the helpers have in common that give memory as a NumPy array: pinned.py and managed.py.

Not here: which memory it is, and who gives it back.
"""
import ctypes
import weakref
from typing import Any

import numpy as np
import pycuda.driver as cuda

from . import journal
from .device_memory import DeviceMemory
from .ownership import Resource, current_context

_inside = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class ArrayMemory(DeviceMemory, Resource):
    """Memory shown as a NumPy array, made in the current context."""
    _DLPACK_KIND = 3        # dlpack.h: kDLCUDAHost, pinned memory

    def __init__(self, array: np.ndarray) -> None:
        super().__init__()
        self._array, self.context = array, current_context()

    @property
    def array(self) -> np.ndarray:
        """The memory as a NumPy array, for the host.

        An array, or a view of it, keeps allocated memory alive: `release` then takes effect when
        the last one is gone. Freeing pages that an array still shows would turn its next use into a
        segmentation fault.
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

    def __repr__(self) -> str:
        if self.released:
            return f"<{self._name()}, released>"
        return f"<{self._name()} of {self.nbytes} bytes, {self.array.dtype}{list(self.array.shape)}>"

    def _read_only(self) -> bool:
        return not self.array.flags.writeable

    def _as_numpy(self) -> np.ndarray:
        return self.array

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        """The array by DLPack, as memory that the device reaches too. If the reader has a `stream`
        of its own, the host waits first."""
        if stream not in (None, -1, 1, 2):      # -1: it does not want to wait; 1, 2: it works on a default stream
            cuda.Context.synchronize()
        capsule = self.array.__dlpack__(**options)
        if options.get("dl_device") is None:    # dlpack.h: the device is behind the data, and with a version behind 32 bytes more
            name, place = (b"dltensor_versioned", 40) if "versioned" in repr(capsule) else (b"dltensor", 8)
            ctypes.c_int32.from_address(_inside(capsule, name) + place).value = self._DLPACK_KIND
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._DLPACK_KIND, 0

    def release(self) -> None:
        super().release()
        del self._array

    def _owned_by_pycuda(self, kind: str) -> None:
        """Write down that memory of this kind came to be, and the moment when it goes.

        PyCUDA frees it when nothing refers to its allocation any more, the arrays' `base`. So
        giving back takes no call.
        """
        array = self._array
        entry = journal.note(kind, array.ctypes.data, array.nbytes, self.context)
        weakref.finalize(array.base, journal.note_freed, entry)
        self._hold(lambda: None)        # PyCUDA gives it back
