"""Which memory to look at: the variables of a notebook, the arguments of a call, and what the helpers wrote down.

Not here: what the driver says of it (observe.py).
"""
import itertools
import sys
from dataclasses import dataclass, field

from course_lib.core import journal
from course_lib.core.address import address_of
from course_lib.core.errors import CudaError, Released, WrongContext
from course_lib.kernel_heap import HeapBlocks
from course_lib.pointers.address_facts import attribute
from course_lib.reservation.mapping import Mapping
from course_lib.reservation.physical import Memory

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu
from IPython import get_ipython

MOST_ITEMS = 512        # of a list or dict that are looked at

OF_PYCUDA = (cuda.DeviceAllocation, cuda.PooledDeviceAllocation, cuda.ManagedAllocation, cuda.PagelockedHostAllocation,
             cuda.PooledHostAllocation)


@dataclass(frozen=True)
class Gathered:
    """What to look at, and what is left out because its list is too long."""

    places: list                                        # of Asked
    left_out: dict = field(default_factory=dict)        # name of a list or dict -> how many of its items


@dataclass(frozen=True)
class AskedPlace:
    """Something to look at. `address` is None for physical memory without an address, and for what was released."""

    name: str
    address: int | None = None
    nbytes: int | None = None           # where the value itself knows: an array does, an int does not
    value: object = None                # that leads there, where there is one
    side: str = ""                      # whose address it is: "host", "device"; "either": nobody knows; "": it has both


@dataclass(frozen=True, eq=False)
class HeldHandle:
    """Physical memory that a program holds by its bare handle. The driver tells no size of it."""

    handle: cu.CUmemGenericAllocationHandle
    nbytes: int
    released = False


def everything():
    """What this notebook's variables lead to, then what the helpers made that no variable leads to, as Gathered.

    Looked into: PyCUDA's allocations and GPUArrays, NumPy arrays in page-locked or managed memory, this course's
    objects, the CUdeviceptr of cuda-bindings, and the first MOST_ITEMS of lists, tuples and dicts of these. Left out:
    ordinary NumPy arrays, of which a notebook has too many, and plain ints, which may be anything.
    """
    gathered = Gathered([])
    for name, value in variables().items():
        gathered.places.extend(recognised(name, value, gathered.left_out))
    living = (entry for entry in journal.entries() if entry.alive)
    gathered.places.extend(AskedPlace("", entry.start) for entry in sorted(living, key=_age))
    return gathered


def _age(entry):
    """The order of the journal's entries: a BUFFER_ID is larger the later the allocation, and addresses are chance."""
    return attribute(entry.start, "BUFFER_ID") or 0, entry.kind, entry.nbytes


def arguments(values, named):
    """What the arguments of a call are, as Gathered. `values` get the names of the variables that hold them.

    Raises WrongPointer for what has no address.
    """
    names = {id(value): name for name, value in reversed(variables().items())}
    pairs = [(names.get(id(value), f"argument {number}"), value) for number, value in enumerate(values, 1)]
    return Gathered([place for name, value in [*pairs, *named.items()] for place in expand(name, value)])


def variables():
    """The learner's variables, in the order of their first assignment: {name: value}."""
    shell = get_ipython()
    space = shell.user_ns if shell else vars(sys.modules["__main__"])
    hidden = getattr(shell, "user_ns_hidden", {})
    return {name: value for name, value in list(space.items())
            if not name.startswith("_") and not (name in hidden and hidden[name] is value)}


def expand(name, value):
    """What one value stands for: mostly itself, but a group of heap blocks stands for each of them."""
    if isinstance(value, (list, tuple)):
        return [place for number, item in enumerate(value) for place in expand(f"{name}[{number}]", item)]
    if isinstance(value, dict):
        return [place for key, item in value.items() for place in expand(f"{name}[{key!r}]", item)]
    try:
        if isinstance(value, HeapBlocks):
            alone = len(value.sizes) == 1
            return [AskedPlace(name if alone else f"{name}[{number}]", address, size, value)
                    for number, (address, size) in enumerate(zip(value.addresses, value.sizes))]
        if isinstance(value, Memory):
            return [AskedPlace(name, None, value.nbytes, value)]
        return [AskedPlace(name, _address(value), getattr(value, "nbytes", None), value)]
    except Released:
        return [AskedPlace(name, None, None, value)]


def _address(value):
    # PinnedMemory would ask the driver for its device address, and there may be no context to ask in.
    for name in ("host_address", "get_device_pointer"):
        if hasattr(type(value), name):
            address = getattr(value, name)
            return int(address() if callable(address) else address)
    return address_of(value)


def recognised(name, value, left_out, depth=2):
    """`expand`, for a variable that may be anything: an empty list for what is no memory of CUDA's, or given back.

    left_out: gets an entry for each list with memory that has more than MOST_ITEMS, as Gathered.left_out
    depth:    how many lists or dicts inside each other are looked into
    """
    if type(value) in (list, tuple, dict):
        return _recognised_items(name, value, left_out, depth - 1) if depth else []
    try:
        if not _is_memory(value):
            return []
        return [place for place in expand(name, value) if place.address is not None or _is_alive(place.value)]
    except (CudaError, WrongContext):
        raise
    except Exception:       # what cannot give its address is no part of the picture
        return []


def _recognised_items(name, group, left_out, depth):
    items = group.items() if isinstance(group, dict) else enumerate(group)
    places = []
    for key, item in itertools.islice(items, MOST_ITEMS):
        places += recognised(f"{name}[{key!r}]", item, left_out, depth)
    if places and len(group) > MOST_ITEMS:      # of a list of times, nothing would be drawn anyway
        left_out[name] = len(group) - MOST_ITEMS
    return places


def _is_memory(value):
    if isinstance(value, np.ndarray):
        return value.nbytes > 0 and attribute(value.ctypes.data, "MEMORY_TYPE") is not None
    return (isinstance(value, (*OF_PYCUDA, Mapping, HeapBlocks, Memory, cu.CUdeviceptr))
            or hasattr(type(value), "device_address") or hasattr(type(value), "__cuda_array_interface__"))


def _is_alive(value):
    return isinstance(value, Memory) and not value.released
