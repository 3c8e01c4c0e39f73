"""A stream that stands still, and which calls wait for it."""
from course_lib.core.errors import WrongArgument
from courseware import held_streams

import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu


def test_freeing_waits_for_a_stranger_and_allocating_does_not():
    stream, memory, allocations = cuda.Stream(), cuda.mem_alloc(4096), []
    assert held_streams.waits_for(stream, memory.free)
    assert not held_streams.waits_for(stream, lambda: allocations.append(cuda.mem_alloc(4096)))


def test_a_held_stream_goes_on_at_the_end_of_its_block_even_if_that_raises():
    stream = cuda.Stream()
    with pytest.raises(KeyError), held_streams.held(stream):
        assert not stream.is_done()
        raise KeyError
    assert stream.is_done()


def test_what_the_call_raises_is_raised_and_the_stream_goes_on():
    stream = cuda.Stream()
    with pytest.raises(ZeroDivisionError):
        held_streams.waits_for(stream, lambda: 1 / 0)
    assert int(cu.cuStreamQuery(stream.handle)[0]) == 0


def test_what_is_no_function_is_refused():
    with pytest.raises(WrongArgument, match="lambda"):
        held_streams.waits_for(cuda.Stream(), 5)
