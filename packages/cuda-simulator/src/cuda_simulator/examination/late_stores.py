"""What a kernel writes for the host, seen late: where a fence is missing, the host may see the second store before the first.

Stores to different places reach the host in an order of their own, unless __threadfence_system() lies between them. In this
process they would keep their order, and a mailbox without its fence would work. So while kernels are examined, a store to host
memory is held back: until a fence for the whole system, or the end of the kernel, or a moment later. A second store passes it.

The device sees its own stores meanwhile. No finding comes of it: whether the host minds depends on what the host reads, and that
nobody sees here. The host does.
"""
import time

import numpy as np

from ..memory.windows import window
from ..ptx.spaces import BASE, END_OF_WINDOWS, FIRST_WINDOW, MEMORY

# Seconds of the thread that runs the kernel, not of a clock: a busy machine keeps the host from looking as long as the device. At the
# most so long a store is held back, from the kernel's next look at host memory on.
MOMENT = 20e-3
WIDEST = 16         # bytes of one store


class LateStores:
    """The one store of a launch that the host does not see yet."""

    def __init__(self):
        self._room = np.zeros(2 * WIDEST, np.uint8)
        self._meanwhile = -(-self._room.ctypes.data // WIDEST) * WIDEST - BASE      # where the device finds it
        self._place, self._size, self._since = None, 0, 0.0

    def access(self, addresses, places, size, access):
        """The places that an access to global memory goes to."""
        low = addresses if type(addresses) is int else int(addresses[0])
        if low in window or FIRST_WINDOW <= low < END_OF_WINDOWS:
            return places
        place = places if type(places) is int else int(places[0]) if len(places) == 1 else None
        if place is None or access == "atomic":
            self.show()
            return places
        if self._place is not None:
            same_bytes = (place, size) == (self._place, self._size)
            if access == "read" and same_bytes:
                return self._instead(places)
            if same_bytes or place < self._place + self._size and self._place < place + size:
                self.show()
            elif access == "read" and time.thread_time() - self._since > MOMENT:
                self.show()
            if not same_bytes:
                return places       # another store passes the one that is held
        if access == "write":
            self._place, self._size, self._since = place, size, time.thread_time()
            return self._instead(places)
        return places

    def _instead(self, places):
        return self._meanwhile if type(places) is int else np.array([self._meanwhile])

    def show(self):
        """What was held back, the host sees from now on."""
        if self._place is None:
            return
        for part in range(0, self._size, 8):
            width = min(self._size - part, 8)
            memory, shift = MEMORY[8 * width], width.bit_length() - 1
            memory[(self._place + part) >> shift] = memory[(self._meanwhile + part) >> shift]
        self._place = None
