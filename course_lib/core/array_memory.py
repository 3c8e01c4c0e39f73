"""What the helpers have in common that give memory as a NumPy array: pinned.py and managed.py.

Not here: which memory it is, and who gives it back.
"""
import weakref

import numpy as np

from . import journal
from .ownership import Resource, current_context


class ArrayMemory(Resource):
    """Memory shown as a NumPy array, made in the current context."""

    def __init__(self, array: np.ndarray) -> None:
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
