"""In the sandbox: one look at memory.

What the program's names lead to, what the driver says of it, and the first numbers in it.

Memory that nobody has written is filled with a byte that tells it: to read it is a mistake, and any content is allowed.
So "nobody has written it" is seen, and not guessed. Not here: when to look (tracer.py).
"""
import ctypes
import dataclasses
import itertools

from course_lib.pointers.address_facts import Kind, attribute, facts
from cuda_simulator import watch

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ..memory_map import gather, observe
from .sentences import POISON
from .sides import Sides

MOST_NUMBERS = 8        # of a memory's that are shown
MOST_ITEMS = 64         # of a list that are looked at
SHORT = 64              # bytes of new memory that are filled with it

# Calls that move bytes: where in their arguments the target is, the source, and the count.
COPIES = {f"cuMemcpy{kind}{how}": (0, 1, 2) for kind in ("", "HtoD", "DtoH", "DtoD") for how in ("", "Async")}
COPIES |= {"cuMemcpyPeer": (0, 2, 4), "cuMemcpyPeerAsync": (0, 2, 4)}
FILLS = {f"cuMemsetD{bits}{how}": bits // 8 for bits in (8, 16, 32) for how in ("", "Async")}
# Calls for memory.
FRESH = {"cuMemAlloc", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemHostAlloc", "cuMemAllocHost",
         "cuMemAllocManaged", "cuMemAllocPitch"}
LAUNCHES = ("cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel")
ASKED = {"cuPointerGetAttribute": 2, "cuPointerGetAttributes": 3}   # calls -> where the address is that they ask about
# Other calls that are told of. What else a program calls, such as the many questions for attributes, is not.
OTHER_CALLS = {
    "cuMemFree", "cuMemFreeHost", "cuMemHostRegister", "cuMemHostUnregister", "cuMemHostGetDevicePointer",
    "cuMemAddressReserve", "cuMemAddressFree", "cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap",
    "cuMemSetAccess", "cuMemFreeAsync", "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize",
    "cuStreamWaitEvent", "cuEventRecord", "cuStreamCreate", "cuMemPrefetchAsync", "cuMemcpy2D", "cuMemcpy2DAsync",
    "cuMemcpy3D", "cuMemcpy3DAsync", "cuLaunchHostFunc", "cuStreamWriteValue32", "cuStreamWaitValue32"}


def about(name, arguments):
    """What a call does, as a dict; an empty one where there is no more to tell than its name, None where nothing is."""
    if name in COPIES:
        target, source, nbytes = (arguments[place] for place in COPIES[name])
        sides = "host" if "HtoD" in name else "", "host" if "DtoH" in name else ""
        return {"kind": "copy", "to": target, "from": source, "bytes": nbytes, "sides": sides}
    if name in FILLS:
        return {"kind": "fill", "to": arguments[0], "bytes": arguments[2] * FILLS[name]}
    if name in LAUNCHES:
        return {"kind": "kernel"}
    if name in FRESH:
        return {"kind": "allocate"}
    if name == "cuMemFreeAsync":
        return {"kind": "free", "to": arguments[0]}
    if name == "cuMemHostRegister" and arguments[1] == 1:       # a question of the course's helpers: pointers.facts
        return None
    return {} if name in OTHER_CALLS else None


class Looking:
    """Looks at memory, and remembers of which type the numbers in it are."""

    def __init__(self, source):
        self.sides = Sides(source)
        self.types = {}         # address, or PhysicalMemory -> dtype, as a copy brought it there
        self.allocations = set()    # their addresses, when the last statement had ended
        self.last_look = None   # (ids of what the names stand for, its first bytes, what was seen): keeps nothing alive
        self.addresses = []     # that were looked at then
        self.mapped = set()     # physical memory that was seen where it may be used
        self.arrays = set()     # addresses of the program's ordinary arrays

    def came_of(self, arguments, operation):
        """Complete what `about` has said, after the call was answered with success."""
        if operation["kind"] == "allocate":
            address = ctypes.c_size_t.from_address(arguments[0]).value
            self.allocated(address)
            return {**operation, "to": address}
        return operation

    def allocated(self, address):
        """There is new memory at an address."""
        watch.bytes_of(address, SHORT)[:] = POISON
        self.types.pop(address, None)

    def fill_empty(self, arrays):
        """After a line such as ``result = numpy.empty(4)``: fill the new arrays, which hold what was there before."""
        for array in arrays:
            if isinstance(array, np.ndarray) and _is_whole(array) and array.ctypes.data not in self.arrays \
                    and array.flags.c_contiguous and not array.dtype.hasobject:      # else reshape would copy all of it
                array.reshape(-1).view(np.uint8)[:SHORT] = POISON

    def launch(self, launch, operation):
        """What is told of work that was held: of a launch its kernel, and the memory that it was given."""
        if launch is None:
            return operation
        name, parameters = launch
        numbers = np.frombuffer(parameters[:len(parameters) // 8 * 8], np.uint64).tolist()
        addresses = [number for number in numbers if attribute(number, "MEMORY_TYPE")]
        return {"kind": "kernel", "name": name, "uses": addresses}

    def look(self, names, line=0, within=False, moved=False, called=True):
        """(the Scene of what these names lead to, {PhysicalMemory: (type of its numbers, the first of them as text)}).

        line:   on which the statement begins that has ended
        within: while a statement runs. What a library allocates then is not looked at, for it may be gone before the
                statement ends
        moved:  were bytes copied since the last look?
        called: has the program called the driver since? If not, and all is as it was by what the host can see, nobody
                is asked
        """
        if not called and self.last_look[:2] == (_ids(names), self._bytes(names)):
            return self.last_look[2]
        if not within:
            self.sides.look(names, line)
        places, left_out = [], {}
        for name, value in names.items():
            side = self.sides.of(name, value)
            places += [dataclasses.replace(place, side=side) for place in _recognised(name, value, left_out)]
        self.arrays = {place.address for place in places if isinstance(place.value, np.ndarray)}
        named = {place.address for place in places}
        allocations = dict(watch.allocations())
        if not within:
            self.allocations = set(allocations)
        nameless = [*((start, nbytes) for start, nbytes in allocations.items() if start in self.allocations - named),
                    *watch.heap_blocks()]
        places += [gather.AskedPlace("", start, nbytes) for start, nbytes in nameless]
        scene = observe.scene(lambda: gather.Gathered(places, left_out))
        for block in scene.blocks:
            if block.kind in (Kind.MAPPED, Kind.MAPPED_HOST) and block.access and block.device:
                self._usable(block, moved)
        result = scene, self._contents(scene, places)
        self.addresses = [place.address for place in places
                          if place.address is not None and not isinstance(place.value, np.ndarray)]
        self.last_look = _ids(names), self._bytes(names), result
        return result

    def _usable(self, block, moved):
        """A program may use this mapping. When its memory is first seen so, and nobody has written it, it is filled."""
        if block.memory in self.mapped:
            return
        self.mapped.add(block.memory)
        fresh = None if moved else watch.bytes_of(block.device, SHORT)
        if fresh is not None and not fresh.any():
            fresh[:] = POISON

    def _bytes(self, names):
        """The first bytes of what was looked at, as far as they can be had without a call."""
        arrays = [_first(value, MOST_NUMBERS) for value in names.values() if isinstance(value, np.ndarray)]
        allocations = (watch.bytes_of(address, SHORT) for address in self.addresses)
        return arrays + [bytes(content) for content in allocations if content is not None]

    def _contents(self, scene, places):
        types = {}
        for place in places:
            array = getattr(place.value, "array", place.value)
            if isinstance(getattr(array, "dtype", None), np.dtype):
                types.setdefault(place.address, array.dtype)
        dtypes = set(types.values())
        usual = dtypes.pop() if len(dtypes) == 1 else np.dtype(np.int32)
        contents = {}
        for block in scene.blocks:
            if block.memory is None:
                continue
            address = block.device if block.host is None else block.host
            earlier = block.memory if block.device is None else block.device
            dtype = types.get(block.host) or types.get(block.device) or self.types.get(earlier) or usual
            if dtype.hasobject:
                continue
            self.types.update({where: self.types.get(where, dtype) for where in (earlier, block.memory)})
            count = min(MOST_NUMBERS, block.nbytes // dtype.itemsize)
            if block.kind is Kind.PAGEABLE:
                data = next((place.value for place in places if place.address == block.host), None)
                raw = _first(data, count) if isinstance(data, np.ndarray) else None
            elif address is None:       # physical memory without an address: what came there where it was mapped
                content = watch.held_memory(block.memory.key[1]) if block.memory in self.mapped else None
                raw = None if content is None else content[:count * dtype.itemsize]
            else:
                raw = watch.bytes_of(address, count * dtype.itemsize) if block.access else None
            if raw is not None:
                contents[block.memory] = dtype.name, _numbers(bytes(raw), dtype)
        return contents


def _recognised(name, value, left_out):
    """What a name stands for: as the memory map has it, but ordinary arrays too, and numbers that are addresses."""
    try:
        if isinstance(value, cu.CUmemGenericAllocationHandle):
            memory = watch.held_memory(int(value))
            if memory is None:
                return []
            return [gather.AskedPlace(name, None, memory.nbytes, gather.HeldHandle(value, memory.nbytes))]
        if isinstance(value, np.ndarray) and value.nbytes and not value.dtype.hasobject:
            return gather.expand(name, value)
        if type(value) is int and value > 1 << 20:
            return [gather.AskedPlace(name, value)] if facts(value).kind not in (Kind.UNKNOWN, Kind.PAGEABLE) else []
    except Exception:
        return []
    return gather.recognised(name, value, left_out)


def _is_whole(array):
    """Has an array memory of its own, or all of another's that has?

    ``numpy.empty(8).reshape(2, 4)`` and ``cuda.aligned_empty(8)`` have all of another's.
    """
    base = array if array.base is None else array.base
    if isinstance(base, np.ndarray):
        return base.flags.owndata and base.nbytes == array.nbytes
    return isinstance(base, cuda.AlignedHostAllocation)


def _ids(names):
    """The id of what each name stands for, and of what is in lists and dicts."""
    def ids_in(value):
        items = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
        return [id(item) for item in itertools.islice(items, MOST_ITEMS)]
    return [(name, id(value), ids_in(value)) for name, value in names.items()
            if type(value) is not int or value > 1 << 20]


def _first(array, count):
    """The first bytes of an array, for so many numbers."""
    return array.reshape(-1)[:count].tobytes() if array.flags.c_contiguous else None


def _numbers(raw, dtype):
    """Numbers as text; None for each that nobody has written."""
    size = dtype.itemsize
    texts = []
    for number, value in enumerate(np.frombuffer(raw, dtype)):
        unwritten = raw[number * size:(number + 1) * size] == bytes([POISON]) * size
        texts.append(None if unwritten else f"{value:.6g}" if dtype.kind == "f" else str(value))
    return texts
