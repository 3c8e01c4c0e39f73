"""Copies (cuda.h: Memory Management, cuMemcpy*).

Not here: fills (fills.py), many copies in one call (batches.py).
"""
import ctypes

import numpy as np

from ..device import context as contexts
from ..examination import precedence
from ..examination.session import current_session
from ..libcuda.lacking import not_answered, not_simulated
from ..libcuda.library import HEALTHY, NO_DEAD_CONTEXT, call, handle, pointer, size
from ..libcuda.output import load
from ..libcuda.results import CallError, Result
from ..libcuda.state import contexts as living, current, current_or_none, driver
from ..memory.allocations import memory
from ..memory.managed import note_copy
from ..memory.moving import use
from ..memory.transfers import Box, Role, is_managed, is_on_device, is_pageable, move, segments
from ..systems import current_system
from .streams import stream_of

HOST, DEVICE, UNIFIED = Role.HOST, Role.DEVICE, Role.UNIFIED
_TO = {HOST: " to the host", DEVICE: " to the device", UNIFIED: ""}     # as a finding names a copy


def queue_of(stream):
    """The stream in whose order a call acts: the one that was given, or the current context's NULL stream."""
    return stream_of(stream or 0)


STAGED_AT_MOST = 2 << 20    # bytes; an H200's driver makes the call wait from one byte more on


def reaching(queue):
    """The context that has to reach memory which a copy uses: the current one, whatever the stream's. For memory of a pool CUDA
    documents it (CUDA C++ Programming Guide, Stream Ordered Memory Allocator)."""
    return current_or_none() or queue.context


def inside(number, role, context):
    """Where a number leads: one of the device as its context counts."""
    return context.space.inside(number) if role is DEVICE else number


def _copy(target, to_role, source, from_role, count, stream=None, named=(None, None)):
    """One-dimensional copy; asynchronous where a `stream` is given and both sides let it. `named` are those that have to
    reach the target and the source, where a call names them."""
    queue = queue_of(stream)
    if count == 0:
        return
    to_context, from_context = (context or reaching(queue) for context in named)
    target, source = inside(target, to_role, to_context), inside(source, from_role, from_context)
    to_segments = segments(target, count, to_role, to_context, write=True)
    from_segments = segments(source, count, from_role, from_context, write=False)
    note_copy(target, count)
    note_copy(source, count)
    if _taken_over(stream, count, source, target):
        staging = np.empty(count, np.uint8)
        move([(staging.ctypes.data, count)], from_segments)
        work = _submit(queue, lambda work=None: move(to_segments, [(staging.ctypes.data, count)]), _elsewhere(queue, target))
        from_segments = []
    else:
        work = do_in_order(queue, stream, lambda work=None: move(to_segments, from_segments), (target, to_role), (source, from_role))
    tell(queue, work, f"the copy{_TO[to_role]}", (target, to_segments), (source, from_segments))


def tell(queue, work, name, target, source, watched=True):
    """Tell an examining session of a copy. target, source: (address, its segments); watched: the source is read in its turn"""
    session = current_session()
    if session is None:
        return
    (to_address, to_segments), (from_address, from_segments) = target, source
    watched &= work is not None and not is_on_device(from_address)
    if work is None and is_pageable(from_address) and is_on_device(to_address):
        # The call returns when the bytes are staged. They may still be on their way (CUDA Driver API, "API synchronization behavior").
        work, name = queue.submit(), f"{name} from pageable memory, which may go on when its call has returned,"
    session.call(work.stamp if work else precedence.stamp(precedence.HOST, ()), name, from_segments, to_segments, watched=watched)


def _taken_over(stream, count, source, target):
    """Does the call take the bytes over at once, into memory of the driver's own? They arrive when it is their turn."""
    return stream is not None and count <= STAGED_AT_MOST and is_pageable(source) and is_on_device(target)


def do_in_order(queue, stream, action, *sides):
    """Act in the order of `queue`; `sides` are the addresses and what the call says of each. Returns the work, unless the host waited."""
    null_streams = _elsewhere(queue, *(address for address, _ in sides))
    if _host_waits(stream, sides):
        for waited_for in (queue, *null_streams):
            waited_for.wait()
        with use:
            action()
        return None
    return _submit(queue, action, null_streams)


def _host_waits(stream, sides):
    """Does the host wait for a copy? Not if it gave a stream, or the bytes stay on the device.

    With pageable memory it waits: no copy engine may reach that while the host goes on. An H200's driver takes managed memory
    for pageable where a call names it as the host's. From host memory to host memory it waits, too (CUDA Driver API, "API
    synchronization behavior").
    """
    if any(is_pageable(address) or role is HOST and is_managed(address) for address, role in sides):
        return True
    if not any(is_on_device(address) for address, _ in sides):
        return True
    return stream is None and not all(is_on_device(address) and not is_managed(address) for address, _ in sides)


def _elsewhere(queue, *addresses):
    """The NULL streams that a copy in the NULL stream `queue` waits for beside it, and that wait for the copy: those of the other
    devices whose memory it uses (CUDA C++ Programming Guide, Peer-to-Peer Memory Copy; an H200 waits with copies from and to
    the host, too)."""
    if not queue.null or len(driver.devices) == 1:
        return []
    devices = {memory.at(address).device for address in addresses if is_on_device(address)} | {queue.context.device}
    if len(devices) == 1:
        return []
    return [context.null_stream for context in list(living.values())
            if context.device in devices and context is not queue.context and not context.destroyed]


def _submit(queue, action, null_streams):
    """Queue a copy behind the work of these streams, too, and theirs behind it."""
    copy = queue.submit(action, after=[null_stream.submit() for null_stream in null_streams])
    for null_stream in null_streams:
        null_stream.submit(after=[copy])
    return copy


@call("cuMemcpyHtoD_v2")
def memcpy_h_to_d(target: pointer, source: pointer, count: size):
    _copy(target, DEVICE, source, HOST, count)


@call("cuMemcpyDtoH_v2")
def memcpy_d_to_h(target: pointer, source: pointer, count: size):
    _copy(target, HOST, source, DEVICE, count)


@call("cuMemcpyDtoD_v2")
def memcpy_d_to_d(target: pointer, source: pointer, count: size):
    _copy(target, DEVICE, source, DEVICE, count)


@call("cuMemcpy")
def memcpy(target: pointer, source: pointer, count: size):
    _copy(target, UNIFIED, source, UNIFIED, count)


@call("cuMemcpyHtoDAsync_v2", needs=HEALTHY)
def memcpy_h_to_d_async(target: pointer, source: pointer, count: size, stream: handle):
    _copy(target, DEVICE, source, HOST, count, stream)


@call("cuMemcpyDtoHAsync_v2", needs=HEALTHY)
def memcpy_d_to_h_async(target: pointer, source: pointer, count: size, stream: handle):
    _copy(target, HOST, source, DEVICE, count, stream)


@call("cuMemcpyDtoDAsync_v2", needs=HEALTHY)
def memcpy_d_to_d_async(target: pointer, source: pointer, count: size, stream: handle):
    _copy(target, DEVICE, source, DEVICE, count, stream)


@call("cuMemcpyAsync", needs=NO_DEAD_CONTEXT)
def memcpy_async(target: pointer, source: pointer, count: size, stream: handle):
    _copy(target, UNIFIED, source, UNIFIED, count, stream)


def _contexts_of(*handles):
    """The contexts that a peer copy names; null means the current one. They matter only for memory that not every context may
    copy: of pools, and mapped (CUDA C++ Programming Guide, Stream Ordered Memory Allocator)."""
    return [contexts.find(number) if number else current() for number in handles]


@call("cuMemcpyPeer")
def memcpy_peer(target: pointer, to_context: handle, source: pointer, from_context: handle, count: size):
    _copy(target, DEVICE, source, DEVICE, count, named=_contexts_of(to_context, from_context))


@call("cuMemcpyPeerAsync", needs=HEALTHY)
def memcpy_peer_async(target: pointer, to_context: handle, source: pointer, from_context: handle, count: size, stream: handle):
    _copy(target, DEVICE, source, DEVICE, count, stream, _contexts_of(to_context, from_context))


# -- two and three dimensions -------------------------------------------------------------------------------------

class Memcpy2D(ctypes.Structure):
    """CUDA_MEMCPY2D."""
    _fields_ = [field for side in ("src", "dst") for field in (
        (f"{side}XInBytes", ctypes.c_size_t), (f"{side}Y", ctypes.c_size_t), (f"{side}MemoryType", ctypes.c_int),
        (f"{side}Host", ctypes.c_size_t), (f"{side}Device", ctypes.c_size_t), (f"{side}Array", ctypes.c_size_t),
        (f"{side}Pitch", ctypes.c_size_t))] + [("WidthInBytes", ctypes.c_size_t), ("Height", ctypes.c_size_t)]


class Memcpy3D(ctypes.Structure):
    """CUDA_MEMCPY3D; CUDA_MEMCPY3D_PEER has the same layout, with contexts where this one has reserved fields."""
    _fields_ = [field for side in ("src", "dst") for field in (
        (f"{side}XInBytes", ctypes.c_size_t), (f"{side}Y", ctypes.c_size_t), (f"{side}Z", ctypes.c_size_t),
        (f"{side}LOD", ctypes.c_size_t), (f"{side}MemoryType", ctypes.c_int), (f"{side}Host", ctypes.c_size_t),
        (f"{side}Device", ctypes.c_size_t), (f"{side}Array", ctypes.c_size_t), (f"{side}Context", ctypes.c_size_t),
        (f"{side}Pitch", ctypes.c_size_t), (f"{side}Height", ctypes.c_size_t))] + [
            ("WidthInBytes", ctypes.c_size_t), ("Height", ctypes.c_size_t), ("Depth", ctypes.c_size_t)]


_ROLES = {1: HOST, 2: DEVICE, 4: UNIFIED}    # CUmemorytype
_ARRAY = 3


def _box(copy, side, depth, context):
    """One side of a two- or three-dimensional copy: its bytes, and whose they are said to be."""
    kind = getattr(copy, f"{side}MemoryType")
    if kind == _ARRAY and getattr(copy, f"{side}Array"):
        raise not_simulated("cuMemcpy2D, cuMemcpy3D (CUDA arrays)")
    if kind not in _ROLES:
        raise CallError(Result.INVALID_VALUE, f"there is no memory type {kind}, or no array")
    role = _ROLES[kind]
    if role is UNIFIED and not current_system().unified_addressing:
        raise not_answered("CU_MEMORYTYPE_UNIFIED is of CUDA 4.0")
    base = getattr(copy, f"{side}Host") if role is HOST else getattr(copy, f"{side}Device")
    x, y = getattr(copy, f"{side}XInBytes"), getattr(copy, f"{side}Y")
    pitch, rows = getattr(copy, f"{side}Pitch"), getattr(copy, f"{side}Height", 0)
    if pitch and pitch < copy.WidthInBytes + x:
        raise CallError(Result.INVALID_VALUE, "the pitch is smaller than the row")
    if rows and rows < copy.Height + y:
        raise CallError(Result.INVALID_VALUE, "the box does not fit the height")
    pitch, rows = pitch or copy.WidthInBytes, rows or copy.Height
    layer = pitch * rows
    start = base + getattr(copy, f"{side}Z", 0) * layer + y * pitch + x
    start = inside(start, role, context)
    return Box(start, copy.WidthInBytes, copy.Height, depth, pitch, layer), role


def _copy_boxes(copy, stream=None, named=(None, None)):
    queue = queue_of(stream)
    to_context, from_context = (context or reaching(queue) for context in named)
    depth = getattr(copy, "Depth", 1)
    if not copy.WidthInBytes or not copy.Height or not depth:
        return
    to_box, to_role = _box(copy, "dst", depth, to_context)
    from_box, from_role = _box(copy, "src", depth, from_context)
    to_box.find(to_role, to_context, write=True)
    from_box.find(from_role, from_context, write=False)
    note_copy(to_box.address, to_box.extent)
    note_copy(from_box.address, from_box.extent)
    staged = _taken_over(stream, from_box.width * from_box.height * from_box.depth, from_box.address, to_box.address)
    if staged:
        staging = from_box.staged()
        work = _submit(queue, lambda work=None: to_box.fill_from(staging), _elsewhere(queue, to_box.address))
    else:
        work = do_in_order(queue, stream, lambda work=None: to_box.fill_from(from_box), (to_box.address, to_role),
                           (from_box.address, from_role))
    if current_session() is not None:      # a copy may have very many rows, which nobody else asks for
        tell(queue, work, f"the copy{_TO[to_role]}", (to_box.address, to_box.rows(to_box.pieces)),
             (from_box.address, [] if staged else from_box.rows(from_box.pieces)))


@call("cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2")
def memcpy_2d(copy: pointer):
    _copy_boxes(load(copy, Memcpy2D))


@call("cuMemcpy2DAsync_v2", needs=HEALTHY)
def memcpy_2d_async(copy: pointer, stream: handle):
    _copy_boxes(load(copy, Memcpy2D), stream)


@call("cuMemcpy3D_v2")
def memcpy_3d(copy: pointer):
    _copy_boxes(load(copy, Memcpy3D))


@call("cuMemcpy3DAsync_v2", needs=HEALTHY)
def memcpy_3d_async(copy: pointer, stream: handle):
    _copy_boxes(load(copy, Memcpy3D), stream)


@call("cuMemcpy3DPeer")
def memcpy_3d_peer(copy: pointer):
    box = load(copy, Memcpy3D)
    _copy_boxes(box, None, _contexts_of(box.dstContext, box.srcContext))


@call("cuMemcpy3DPeerAsync", needs=HEALTHY)
def memcpy_3d_peer_async(copy: pointer, stream: handle):
    box = load(copy, Memcpy3D)
    _copy_boxes(box, stream, _contexts_of(box.dstContext, box.srcContext))
