"""Memory that is a NumPy array: when pinned and managed memory are given back."""
import gc

from course_lib import managed, pinned, pointers

import pytest

BOTH = pytest.mark.parametrize("allocate, kind", [(pinned.allocate, pointers.Kind.PINNED), (managed.allocate, pointers.Kind.MANAGED)],
                               ids=["pinned", "managed"])


@BOTH
def test_memory_lives_while_an_array_shows_it(allocate, kind):
    memory = allocate(8, "int32")
    address, view = memory.host_address, memory.array[2:5]
    memory.release()
    view[:] = 7
    assert view.tolist() == [7, 7, 7] and pointers.facts(address).kind is kind
    del view
    assert pointers.host_pointer_for(address).reason is pointers.Reason.FREED


@BOTH
def test_memory_is_freed_at_collection(allocate, kind):
    address = allocate(4096).host_address
    gc.collect()
    assert not pointers.host_pointer_for(address)


@BOTH
def test_an_exception_releases_it(allocate, kind):
    with pytest.raises(ZeroDivisionError):
        with allocate(8) as memory:
            1 // 0
    assert memory.released and repr(memory).endswith("memory, released>")
