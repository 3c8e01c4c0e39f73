"""Copies and kernels at the same time, or one after the other: what ran when, on several streams.

The work is cut into slices; each is copied to the device, worked on by a kernel, and copied back, on one of three
streams in turn. From pinned memory the copies of one stream run beside the kernels of another. From pageable memory
they cannot: the host takes part in each copy, and enqueues the next only when it is done.
"""
from course_lib.core.errors import do

import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ..recording import Interval, Timeline
from .buffers import buffer

METHOD = {
    "overlap": "12 slices of 16 MiB (smaller if memory is short) on three streams. Each is copied to the device, "
               "worked on by a kernel that takes about as long as a copy from pinned memory, and copied back, with an "
               "event before and after each step. Recorded once, after an unrecorded run.",
}
MEMORY = ("pinned", "pageable")
SLICES, SLICE, UNIT = 12, 16 << 20, 4096       # how many, of how many bytes each, a multiple of what
FIRST_GUESS = 256       # rounds of the kernel
STEPS = ("host to device", "kernel", "device to host")


def timeline(bench, memory, slice_bytes=SLICE):
    """The Timeline of one kind of host memory."""
    nbytes = SLICES * slice_bytes
    with buffer(memory, nbytes) as host, buffer("device", nbytes) as device:
        rounds = _rounds(bench, device, slice_bytes)
        for _ in range(2):      # the first warms up
            sample = bench.next_sample()
            bench.fill(host, nbytes, sample)
            start, marks = _run(bench, host, device, slice_bytes, rounds)
            _check(bench, host, nbytes, sample, rounds)
        # Rounded to microseconds: events are half of one apart at the least.
        return Timeline(memory, tuple(
            Interval(stream, step, round(bench.clock.apart(start, begin), 3), round(bench.clock.apart(start, end), 3))
            for stream, step, begin, end in marks))


def _run(bench, host, device, slice_bytes, rounds):
    """Enqueue all slices and wait; returns the event of the start, and (stream, step, event before, event after)s."""
    start, marks = cuda.Event(), []
    start.record(bench.streams[0])
    for stream in bench.streams[1:]:
        stream.wait_for_event(start)
    for number in range(SLICES):
        which = number % len(bench.streams)
        stream, offset = bench.streams[which], number * slice_bytes
        on_host, on_device = host.address + offset, device.address + offset
        steps = ((do, cu.cuMemcpyHtoDAsync, on_device, on_host, slice_bytes, stream.handle),
                 (bench.code.work, on_device, slice_bytes, rounds, stream),
                 (do, cu.cuMemcpyDtoHAsync, on_host, on_device, slice_bytes, stream.handle))
        for step, (function, *arguments) in zip(STEPS, steps):
            before, after = cuda.Event(), cuda.Event()
            before.record(stream)
            function(*arguments)
            after.record(stream)
            marks.append((f"stream {which + 1}", step, before, after))
    for stream in bench.streams:
        stream.synchronize()
    return start, marks


def _rounds(bench, device, slice_bytes):
    """How many rounds let the kernel take as long as a copy of a slice from pinned memory."""
    with buffer("pinned", slice_bytes) as source:
        copy = bench.clock.on_device(bench.stream, bench.gate, lambda: do(
            cu.cuMemcpyHtoDAsync, device.address, source.address, slice_bytes, bench.stream.handle), 4)
    def kernel(rounds):
        return bench.clock.on_device(bench.stream, bench.gate, lambda: bench.code.work(
            device.address, slice_bytes, rounds, bench.stream), 4)
    rounds = FIRST_GUESS
    for _ in range(4):      # each guess is nearer: the kernel has to read and write the slice as well
        rounds = max(1, round(rounds * copy / kernel(rounds)))
    return rounds


def _check(bench, host, nbytes, sample, rounds):
    """Each word must be `rounds` more than the pattern."""
    host.words[:] -= rounds
    bench.check(host, nbytes, sample)
