"""What kernels printed, until the host waits: a ring that keeps the newest, as a GPU's does.

Each printf of a thread takes one record of 256 bytes, whatever it prints (asked of an H200: 33,792 records in 8,650,752 bytes, the
default of CU_LIMIT_PRINTF_FIFO_SIZE there; several launches share them). A GPU's host empties the ring while it waits, so a kernel that
prints slowly loses nothing there. Here it is emptied when the wait has ended.
"""
import threading
from collections import deque

FIFO_LIMIT = 1          # CU_LIMIT_PRINTF_FIFO_SIZE
RECORD = 256


class Printed:
    """The records of one context."""

    def __init__(self, limits):
        self._limits, self._records, self._lost = limits, deque(), 0
        self._lock = threading.Lock()

    def add(self, texts):
        """One text for each thread that printed."""
        with self._lock:
            self._records.extend(texts)
            while len(self._records) > self._limits[FIFO_LIMIT] // RECORD:
                self._records.popleft()
                self._lost += 1

    def take(self):
        """What is left, as (stream, text) pairs, and how much was lost; it is empty then."""
        with self._lock:
            records, self._records, lost, self._lost = self._records, deque(), self._lost, 0
        warning = (f"printf: {lost} records before these were overwritten: the buffer has room for {self._limits[FIFO_LIMIT] // RECORD} "
                   "until the host waits (CU_LIMIT_PRINTF_FIFO_SIZE). A GPU says nothing.\n")
        return [("stdout", "".join(records))] * bool(records) + [("stderr", warning)] * bool(lost)
