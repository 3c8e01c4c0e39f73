"""`whose` is asked here, in the sandbox, about addresses of a vector and of other memory.

What comes out has names in the place of host addresses.
"""
import functools
import mmap
import types

from course_lib import managed, pinned, reservation
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda

from ...exercises.values import Label

PARTS = ((0, 400, "first"), (512, 1024, "second"), (1600, 64, "third"))     # (offset, bytes, host copy)
LAST = Label("the last number's")      # index: it depends on the granularity


def whose(answer, place, offset=0):
    """Ask about the address `offset` bytes from a place; returns the answer with names for host addresses."""
    world = _world(current_context())
    address = world.places[place] + offset if place != "number" else offset
    vector = world.empty if place == "empty" else world.vector
    got = answer(types.SimpleNamespace(**{**vars(vector), "copies": list(vector.copies)}), address)     # an answer may sort them in place
    if not isinstance(got, (tuple, list)) or len(got) != 3:
        return got
    where, index, host = got
    return where, _index(world, index), _named(world, host)


def _index(world, index):
    if not isinstance(index, (int, np.integer)) or abs(index) < 10000:
        return index
    return LAST if index == world.vector.nbytes // 4 - 1 else Label("an index that it does not have")


def _named(world, address):
    """A host address as what it stands for: "byte 5 of the first copy"."""
    if not isinstance(address, (int, np.integer)) or isinstance(address, bool):
        return address
    for name, memory in world.memory.items():
        if memory.host_address <= address < memory.host_address + memory.nbytes:
            return Label(f"byte {address - memory.host_address} of {name}")
    inside = 0 <= address - world.vector.address < world.vector.reserved
    return Label("an address of the vector" if inside else "another number")


@functools.lru_cache(1)
def _world(context):
    """A vector of two granules in a reservation of three, with host copies of three parts; and other memory."""
    buffer = reservation.GrowingBuffer(3 * reservation.granularity())
    buffer.grow(2 * reservation.granularity())
    copies = {name: pinned.allocate(nbytes) for _, nbytes, name in PARTS}
    other_pinned, on_device, managed_memory = pinned.allocate(256), cuda.mem_alloc(256), managed.allocate(256)
    # Forward answers for the first of these and not for the second; back the other way round.
    mapped = reservation.GrowingBuffer(reservation.granularity())
    mapped.grow(reservation.granularity())
    registered = pinned.register(np.frombuffer(mmap.mmap(-1, mmap.PAGESIZE), np.uint8))
    vector = types.SimpleNamespace(
        address=buffer.device_address, nbytes=buffer.nbytes, reserved=buffer.most,
        copies=[(offset, nbytes, copies[name].host_address) for offset, nbytes, name in (PARTS[2], PARTS[0], PARTS[1])])
    empty = types.SimpleNamespace(address=vector.address, nbytes=0, reserved=vector.reserved, copies=[])
    places = {"vector": vector.address, "empty": empty.address, "pinned": other_pinned.host_address, "device": int(on_device),
              "copy": copies["second"].host_address, "end": vector.address + vector.nbytes,
              "last": vector.address + vector.reserved, "mapped": mapped.device_address, "managed": managed_memory.host_address,
              "registered": registered.device_address}
    memory = {**{f"the {name} copy": copy for name, copy in copies.items()}, "other pinned memory": other_pinned,
              "managed memory": managed_memory,
              "registered memory": registered}
    return types.SimpleNamespace(vector=vector, empty=empty, places=places, memory=memory, kept=(buffer, on_device, mapped))
