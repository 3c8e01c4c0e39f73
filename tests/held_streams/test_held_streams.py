"""Streams that are held back show what a program with two streams and two buffers may do, whatever the GPU's pace."""
import gc
import warnings

from course_lib.core.errors import Misuse, WrongArgument
from courseware import held_streams
from courseware.held_streams import holds, waits
from courseware.held_streams.filling import BEHIND, NOTHING, numbers, worked_on

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu

SLOW = pytest.mark.parametrize("slow", held_streams.SLOW)


def pieces(data, buffers):
    """(number, first, numbers) of each piece."""
    size = len(buffers[0])
    return [(first // size, first, data[first:first + size]) for first in range(0, len(data), size)]


def put(address, number, first, piece, buffers, streams, work):
    staged = buffers[number % 2][:len(piece)]
    staged[:] = piece
    cuda.memcpy_htod_async(address + 4 * first, staged, streams[number % 2])
    work(address + 4 * first, len(piece), streams[number % 2])


def right(address, data, buffers, streams, work):
    for number, first, piece in pieces(data, buffers):
        streams[number % 2].synchronize()
        put(address, number, first, piece, buffers, streams, work)
    cuda.Context.synchronize()


def too_early(address, data, buffers, streams, work):
    for piece in pieces(data, buffers):
        put(address, *piece, buffers, streams, work)
    cuda.Context.synchronize()


def one_by_one(address, data, buffers, streams, work):
    for number, first, piece in pieces(data, buffers):
        put(address, number, first, piece, buffers, streams, work)
        streams[number % 2].synchronize()


def without_an_end(address, data, buffers, streams, work):
    for number, first, piece in pieces(data, buffers):
        streams[number % 2].synchronize()
        put(address, number, first, piece, buffers, streams, work)


@pytest.fixture(scope="module", autouse=True)
def once(context):
    """A GPU's driver takes 2 MiB with the first work in held streams, and keeps them as long as the context lives."""
    held_streams.run(right, 64, 32)


def is_right(report, count):
    return (report.numbers[:count] == worked_on(numbers(count))).all() and (report.numbers[count:] == NOTHING).all()


@SLOW
@pytest.mark.parametrize("count", [0, 5, 32, 139])
def test_a_right_program_is_right_however_slow_the_device_is(slow, count):
    report = held_streams.run(right, count, 32, slow)
    assert is_right(report, count) and not report.early
    assert len(report.pieces) == -(-count // 32) and len(report.numbers) == count + BEHIND


def test_each_kernel_of_a_right_program_has_a_copy_beside_it_but_the_last():
    assert held_streams.run(right, 139, 32).beside == (True, True, True, True, False)
    assert held_streams.run(right, 32, 32, "copies").beside == (), "where copies are held nobody looks for it"


def test_kernels_run_alone_where_the_host_waits_for_each_piece():
    report = held_streams.run(one_by_one, 139, 32)
    assert report.beside == (False,) * 5 and is_right(report, 139)


@pytest.mark.parametrize("slow", ["copies", "copies, stream 1 first"])
def test_a_buffer_that_is_filled_too_early_is_always_seen(slow):
    for _ in range(5):
        assert not is_right(held_streams.run(too_early, 96, 32, slow), 96)


def test_who_returns_too_early_is_told():
    assert held_streams.run(without_an_end, 96, 32, "copies").early
    assert not held_streams.run(one_by_one, 96, 32, "copies").early


def test_what_the_program_raises_is_raised_and_everything_goes_on():
    def broken(address, data, buffers, streams, work):
        put(address, 0, 0, data[:3], buffers, streams, work)
        raise KeyError("on purpose")
    with pytest.raises(KeyError, match="on purpose"):
        held_streams.run(broken, 96, 32, "copies")
    assert is_right(held_streams.run(right, 96, 32), 96)


@pytest.mark.parametrize("first, count, where", [
    (96 + BEHIND, 1, "not within the vector"), (96, BEHIND + 1, "not within the vector"), (-1, 2, "not within the vector"),
    (0, -1, "not within the vector"), (0.5, 1, "not the address of a number")])
def test_work_beside_the_vector_is_refused_and_not_launched(first, count, where):
    def astray(address, data, buffers, streams, work):
        work(address + int(4 * first), count, streams[0])
    with pytest.raises(ValueError, match=f"work on {count} numbers, {int(4 * first)} bytes behind the vector's first: that is {where}"):
        held_streams.run(astray, 96, 32)


def test_who_goes_too_far_works_on_numbers_behind_the_vector():
    def too_far(address, data, buffers, streams, work):
        put(address, 0, 0, data, [data.copy()], streams[:1], work)
        work(address + 4 * 96, BEHIND, streams[0])
        streams[0].synchronize()
    report = held_streams.run(too_far, 96, 32)
    assert (report.numbers[96:] == worked_on(NOTHING)).all() and report.pieces == ((0, 96), (96, BEHIND))


# PyCUDA's copies and those of cuda-bindings, with what they copy and the stream by place or by name.
COPIES = {
    "memcpy_htod_async": lambda to, part, stream: cuda.memcpy_htod_async(to, part, stream),
    "its stream by name": lambda to, part, stream: cuda.memcpy_htod_async(to, part, stream=stream),
    "all but its target by name": lambda to, part, stream: cuda.memcpy_htod_async(to, src=part, stream=stream),
    "memcpy_htod_async by name": lambda to, part, stream: cuda.memcpy_htod_async(dest=to, src=part, stream=stream),
    "cuMemcpyHtoDAsync": lambda to, part, stream: cu.cuMemcpyHtoDAsync(to, part.ctypes.data, part.nbytes, stream.handle),
    "cuMemcpyAsync": lambda to, part, stream: cu.cuMemcpyAsync(to, part.ctypes.data, part.nbytes, stream.handle),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_each_copy_from_the_host_has_the_buffer_that_it_read_from_and_is_held_for_as_long_as_the_host_does_not_wait(copy):
    def swapped(address, data, buffers, streams, work):
        for number, first, piece in pieces(data, buffers):
            staged = (buffers[1], buffers[0], data[first:])[number][:len(piece)]
            staged[:] = piece
            streams[number % 2].synchronize()
            copy(address + 4 * first, staged, streams[number % 2])
            assert not streams[number % 2].is_done()
            work(address + 4 * first, len(piece), streams[number % 2])
        cuda.Context.synchronize()
    report = held_streams.run(swapped, 96, 32, "copies")
    assert is_right(report, 96) and report.turns == (1, 0, None) and report.used == (True, True) and report.beside == ()


def test_a_copy_from_the_device_takes_no_turn():
    def by_the_device(address, data, buffers, streams, work):
        elsewhere = cuda.mem_alloc(data.nbytes)
        cuda.memcpy_htod(elsewhere, data)
        cu.cuMemcpyAsync(address, int(elsewhere), data.nbytes, streams[0].handle)
        work(address, len(data), streams[0])
        streams[0].synchronize()
    report = held_streams.run(by_the_device, 96, 32, "copies")
    assert is_right(report, 96) and report.turns == () and report.used == (False, False)


def test_another_way_to_be_slow_is_refused_and_names_those_there_are():
    with pytest.raises(WrongArgument, match="kernels"):
        held_streams.run(right, 96, 32, "kernel")


def test_a_wait_that_nobody_watches_ends_all_the_same(monkeypatch):
    monkeypatch.setattr(waits, "QUIET", 0.05)
    unwatched = cuda.Stream.synchronize

    def by_itself(address, data, buffers, streams, work):
        for number, first, piece in pieces(data, buffers):
            unwatched(streams[number % 2])
            put(address, number, first, piece, buffers, streams, work)
        for stream in streams:
            unwatched(stream)
    for slow in held_streams.SLOW:
        report = held_streams.run(by_itself, 96, 32, slow)
        assert is_right(report, 96) and not report.early


def test_the_host_is_never_inside_a_call_that_waits_while_something_is_held(monkeypatch):
    """On a GPU such a call may keep a lock on the context, and then nobody could open the holds."""
    pending, copy = [], cuda.memcpy_htod

    def copy_and_look(*arguments):
        pending.append([not stream.is_done() for stream in used])
        return copy(*arguments)
    used = []
    monkeypatch.setattr(cuda, "memcpy_htod", copy_and_look)

    def by_waiting_copies(address, data, buffers, streams, work):
        used[:] = streams
        for number, first, piece in pieces(data, buffers):
            cuda.memcpy_htod(address + 4 * first, piece)
            work(address + 4 * first, len(piece), streams[number % 2])
        for stream in streams:
            stream.synchronize()
    for slow in held_streams.SLOW:
        held_streams.run(by_waiting_copies, 96, 32, slow)
    assert len(pending) == 9 and not any(map(any, pending))


def test_the_calls_of_pycuda_and_cuda_bindings_are_the_old_ones_afterwards():
    before = cuda.Stream.synchronize, cuda.memcpy_htod_async, cu.cuStreamSynchronize, cuda.Context.__dict__["synchronize"]
    held_streams.run(right, 5, 32, "copies")
    assert before == (cuda.Stream.synchronize, cuda.memcpy_htod_async, cu.cuStreamSynchronize,
                      cuda.Context.__dict__["synchronize"])
    cuda.Context.synchronize()


def test_no_stream_is_left_to_be_collected_on_another_thread():
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            held_streams.run(right, 96, 32)
        assert not [item for item in gc.get_objects() if isinstance(item, cuda.Stream)]


def test_a_report_reads_as_a_line_for_each_kernel():
    lines = repr(held_streams.run(right, 96, 32)).splitlines()
    assert lines == ["the kernel of piece 0: another piece arrived while it was held",
                     "the kernel of piece 1: another piece arrived while it was held", "the kernel of piece 2: the last one"]
    assert np.unique(numbers(1000)).size == 1000


def test_more_pieces_than_there_are_holds_are_refused(monkeypatch):
    monkeypatch.setattr(holds, "MOST", 2)
    with pytest.raises(Misuse, match="more than 2 pieces of work: take larger pieces"):
        held_streams.run(right, 96, 32)
    assert is_right(held_streams.run(right, 64, 32), 64)
