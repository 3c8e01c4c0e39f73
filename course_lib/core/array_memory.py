"""What the helpers have in common that give memory as a NumPy array: pinned.py and managed.py.

Not here: which memory it is, and who gives it back.
"""
import weakref

from . import journal
from .ownership import Resource, current_context


class ArrayMemory(Resource):
    """Memory shown as a NumPy array, made in the current context."""

    def __init__(self, array):
        self._array, self.context = array, current_context()

    @property
    def nbytes(self):
        """Its size in bytes."""
        return self.array.nbytes

    def release(self):
        super().release()
        self._array = None

    def _owned_by_pycuda(self, kind):
        """Write down that memory of this kind came to be, and the moment when it goes.

        PyCUDA frees it when nothing refers to its allocation any more, the arrays' `base`. So giving back takes no call.
        """
        array = self._array
        entry = journal.note(kind, array.ctypes.data, array.nbytes, self.context)
        weakref.finalize(array.base, journal.note_freed, entry)
        self._hold(_left_to_pycuda)


def _left_to_pycuda():
    """What is called to give it back: nothing is to be done."""
