"""Virtual memory management, step by step."""
import gc

from course_lib import kernels, pointers, reservation
from course_lib.core import errors
from course_lib.reservation import GrowingBuffer

import numpy as np
import pycuda.driver as cuda
import pytest

FILL = "__global__ void fill(int *p, int value, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = value + i; }"


@pytest.fixture(scope="module")
def size(context):
    return reservation.granularity()


def put(address, *numbers):
    cuda.memcpy_htod(address, np.array(numbers, np.int32))


def get(address, n=3):
    return cuda.from_device(address, n, np.int32).tolist()


def test_granularity_and_rounding(size):
    assert size == 2 << 20 == reservation.granularity("host")
    assert [reservation.round_up(n) for n in (0, 1, size - 1, size, size + 1)] == [size, size, size, size, 2 * size]


def test_the_states(size):
    addresses, memory = reservation.reserve(2 * size), reservation.create(size)
    assert (addresses.state, memory.state) == ("reserved", "created")
    mapping = addresses.map(memory)
    assert (addresses.state, memory.state, mapping.state) == ("partly mapped", "mapped at 1 place", "mapped")
    mapping.set_access("readwrite")
    assert mapping.state == "accessible" and mapping.access() == "readwrite"
    mapping.set_access("none")
    assert mapping.state == "mapped" and mapping.access() is None
    addresses.map(memory, size)
    assert (addresses.state, memory.state) == ("mapped", "mapped at 2 places")
    memory.release()
    assert memory.state == "released, but mapped at 2 places"
    for view in addresses.mappings:
        view.unmap()
    assert (addresses.state, memory.state, mapping.state) == ("reserved", "gone", "unmapped")
    addresses.free()
    assert addresses.state == "freed"


def test_with_its_addresses_memory_is_mapped_nowhere_any_more(size):
    with reservation.reserve(3 * size) as others, reservation.create(size) as memory:
        others.map(memory)
        with reservation.reserve(2 * size) as addresses:
            addresses.map(memory), addresses.map(memory, size)
            assert memory.state == "mapped at 3 places"
        assert memory.state == "mapped at 1 place"
    assert memory.state == "gone"


def test_each_says_how_much_it_is_and_its_state(size):
    with reservation.reserve(2 * size) as addresses, reservation.create(size, "host") as memory:
        mapping = addresses.map(memory)
        assert [repr(thing) for thing in (addresses, memory, mapping)] == [
            f"<{2 * size} addresses, partly mapped>", f"<{size} bytes of physical memory on the host, mapped at 1 place>",
            f"<mapping of {size} bytes, mapped>"]
    with GrowingBuffer(2 * size) as buffer:
        buffer.grow(size)
        assert repr(buffer) == f"<growing buffer of {size} bytes, at most {2 * size}>"
    assert repr(buffer) == "<growing buffer, released>"


def test_a_reservation_at_a_wanted_address(size):
    addresses = reservation.reserve(4 * size)
    start = addresses.start
    addresses.free()
    with reservation.reserve(size, wanted=start) as first, reservation.reserve(size, wanted=start) as second:
        assert first.start == start and second.start != start


def test_alignment(size):
    with reservation.reserve(size, alignment=64 * size) as addresses:
        assert addresses.start % (64 * size) == 0


def test_reserving_costs_no_memory(size):
    free = cuda.mem_get_info()[0]
    with reservation.reserve(1 << 40):
        assert cuda.mem_get_info()[0] == free


def test_aliases_are_one_memory(size):
    with reservation.reserve(2 * size) as addresses, reservation.create(size) as memory:
        first, second = addresses.map(memory), addresses.map(memory, size)
        first.set_access("readwrite")
        second.set_access("read")
        put(first.start, 1, 2, 3)
        assert get(second.start) == [1, 2, 3]
        assert second.access() == "read"


def test_mappings_may_touch_and_one_is_equal_to_itself(size):
    with reservation.reserve(2 * size) as space, reservation.create(size) as memory:
        behind, before = space.map(memory, size), space.map(memory)
        assert space.mappings == [before, behind] and before != behind and before != before.start
    with reservation.reserve(3 * size) as space, reservation.create(size) as memory, reservation.create(2 * size) as larger:
        space.map(memory, size)
        with pytest.raises(errors.WrongOrder, match=f"at offset {size} already"):
            space.map(larger)


def test_a_kernel_crosses_the_border_of_two_mappings(size):
    with reservation.reserve(2 * size) as addresses, kernels.compile(FILL) as code:
        for offset in (0, size):
            with reservation.create(size) as memory:
                addresses.map(memory, offset).set_access("readwrite")
        code.fill(1, 32, addresses.start + size - 8, 10, 4)
        assert get(addresses.start + size - 8, 4) == [10, 11, 12, 13]


def test_memory_moves_and_its_content_with_it(size):
    with reservation.reserve(size) as old, reservation.reserve(2 * size) as new, reservation.create(size) as memory:
        mapping = old.map(memory)
        mapping.set_access("readwrite")
        put(mapping.start, 4, 5, 6)
        moved = mapping.move(new, size)
        assert mapping.state == "unmapped" and old.state == "reserved" and moved.start == new.start + size
        assert get(moved.start) == [4, 5, 6]
        moved.set_access("none")
        assert moved.move(old).access() is None


def test_a_move_that_cannot_be_leaves_everything_as_it_was(size):
    with reservation.reserve(size) as addresses, reservation.create(size) as memory:
        mapping = addresses.map(memory)
        mapping.set_access("readwrite")
        put(mapping.start, 1, 2, 3)
        with pytest.raises(errors.WrongSize):
            mapping.move(addresses, size)
        assert get(mapping.start) == [1, 2, 3]


def test_memory_lives_while_it_is_mapped(size):
    memory = reservation.create(size)
    with reservation.reserve(size) as addresses:
        mapping = addresses.map(memory)
        mapping.set_access("readwrite")
        memory.release()
        put(mapping.start, 7, 8, 9)
        assert get(mapping.start) == [7, 8, 9]


def test_memory_on_the_host_is_shared_in_place(size):
    with reservation.reserve(size) as addresses, reservation.create(size, "host") as memory, kernels.compile(FILL) as code:
        mapping = addresses.map(memory)
        mapping.set_access("readwrite")
        mapping.set_access("readwrite", who="host")
        array = mapping.array("int32")
        code.fill(1, 32, mapping, 5, 100)
        cuda.Context.synchronize()
        assert (array[:100] == np.arange(5, 105)).all() and array.ctypes.data == mapping.start
        del array


def test_a_read_only_view(size):
    with reservation.reserve(size) as addresses, reservation.create(size, "host") as memory:
        mapping = addresses.map(memory)
        mapping.set_access("read", who="host")
        with pytest.raises(ValueError, match="read-only"):
            mapping.array()[0] = 1


def test_an_array_keeps_memory_mapped(size):
    with reservation.reserve(size) as addresses, reservation.create(size, "host") as memory:
        mapping = addresses.map(memory)
        mapping.set_access("readwrite", who="host")
        part, other = mapping.array()[5:8], mapping.array()
        address = mapping.start
        with pytest.raises(errors.WrongOrder):
            mapping.unmap()
    part[:] = 9    # the block has ended, and this is still no segmentation fault
    del part
    gc.collect()
    assert other[5] == 9 and pointers.facts(address).kind is pointers.Kind.MAPPED_HOST
    del other
    gc.collect()
    assert pointers.facts(address).kind is pointers.Kind.FREED


@pytest.mark.parametrize("steps", range(5))
def test_teardown_whatever_the_state(size, steps):
    """An exception after any number of steps leaves nothing behind (conftest looks)."""
    with pytest.raises(ZeroDivisionError):
        with reservation.reserve(4 * size) as addresses, reservation.create(size) as memory:
            mapping = None
            for step in range(steps):
                mapping = [lambda: addresses.map(memory), lambda: mapping.set_access("readwrite") or mapping,
                           lambda: addresses.map(memory, 2 * size), lambda: memory.release()][step]()
            1 // 0


def test_collection_tears_down_too(size):
    for _ in range(3):
        addresses, memory = reservation.reserve(2 * size), reservation.create(size)
        addresses.map(memory).set_access("readwrite")
        del addresses, memory
        gc.collect()


def test_a_buffer_grows_in_place(size):
    with GrowingBuffer(most=8 * size) as buffer, kernels.compile(FILL) as code:
        buffer.grow(size)
        address = buffer.device_address
        put(address, 1, 2, 3)
        buffer.grow(3 * size)
        assert buffer.nbytes == 4 * size and buffer.device_address == address and get(address) == [1, 2, 3]
        code.fill(1, 32, address + size - 4, 1, 2)
        assert get(address + size - 4, 2) == [1, 2]
        buffer.shrink()
        assert buffer.nbytes == size and get(address) == [1, 2, 3]


def test_a_buffer_that_cannot_grow_stays_as_it_is(size):
    with GrowingBuffer(most=1 << 45) as buffer:
        buffer.grow(size)
        with pytest.raises(MemoryError):
            buffer.grow(1 << 44)
        assert buffer.nbytes == size
        buffer.grow(size)


def test_it_works_in_another_context(size, other_context):
    with reservation.reserve(size) as addresses, reservation.create(size) as memory:
        mapping = addresses.map(memory)
        mapping.set_access("readwrite")
        put(mapping.start, 3, 2, 1)
        cuda.Context.synchronize()    # from pageable memory the copy may still be under way, and no context waits for another's
        other_context.push()
        try:
            assert get(mapping.start) == [3, 2, 1]
        finally:
            cuda.Context.pop()
