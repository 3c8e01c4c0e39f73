"""Managed memory: one address, pages, prefetches and advice."""

from course_lib import driver, kernels, managed, pointers
from course_lib.core import errors
from course_lib.managed import PAGE, RangeAttributes

import numpy as np
import pycuda.driver as cuda
import pytest

ADD_ONE = "__global__ void add_one(int *data, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += 1; }"
OWN_PAGES = 2 << 20     # bytes: an allocation as large shares no page with another
NOTHING = RangeAttributes(None, None, False, ())


@pytest.fixture
def memory():
    with managed.allocate(OWN_PAGES) as memory:
        yield memory


def last_prefetches(part):
    return [facts.last_prefetch for facts in managed.facts(part)]


@pytest.mark.parametrize("attach", ["global", "host"])
def test_host_and_kernel_use_one_address(attach):
    with managed.allocate((5, 20), "int32", attach) as memory, kernels.compile(ADD_ONE) as code:
        assert memory.array.shape == (5, 20) and memory.nbytes == 400
        assert memory.address == memory.host_address == memory.device_address == memory.array.ctypes.data
        memory.array[:] = np.arange(100).reshape(5, 20)
        code.add_one(1, 32, memory, 100)
        cuda.Context.synchronize()
        assert (memory.array.ravel() == np.arange(1, 101)).all()


def test_it_is_managed_memory_and_not_pinned(memory):
    assert pointers.facts(memory).kind is pointers.Kind.MANAGED
    assert pointers.host_pointer_for(memory.address + 7) == memory.address + 7


def test_as_many_pages_are_asked_about_as_the_limit_says_and_not_one_more(memory, monkeypatch):
    monkeypatch.setattr(managed, "MOST_PAGES", 4)
    assert len(managed.facts(memory.array[:4 * PAGE])) == 4
    with pytest.raises(errors.WrongSize, match="5 pages are too many"):
        managed.facts(memory.array[:4 * PAGE + 1])


@pytest.mark.skipif(not driver.attached.simulated, reason="a GPU that others use should not be asked for more than it has")
def test_more_than_the_device_has_is_allocated():
    with managed.allocate(2 * cuda.mem_get_info()[1]) as memory:
        memory.array[-1] = 7
        assert memory.array[-1] == 7


def test_fresh_pages_say_nothing(memory):
    assert managed.facts(memory) == (NOTHING,) * (OWN_PAGES // PAGE)


@pytest.mark.parametrize("place, target", [("device", "device 0"), ("host", "host")])
@pytest.mark.parametrize("first, nbytes, pages", [(0, 1, [0]), (0, PAGE, [0]), (1, PAGE, [0, 1]), (PAGE - 1, 1, [0]), (PAGE - 1, 2, [0, 1]),
                                                  (100, 3 * PAGE, [0, 1, 2, 3])])
def test_a_prefetch_is_told_of_every_page_that_it_touches(memory, place, target, first, nbytes, pages):
    managed.prefetch(memory.array[first:first + nbytes], to=place)
    assert last_prefetches(memory.array[:5 * PAGE]) == [target if page in pages else None for page in range(5)]


def test_a_part_is_named_by_an_array_or_by_numbers(memory):
    managed.prefetch((memory.address + PAGE, 1))
    assert last_prefetches(memory.array[:3 * PAGE]) == [None, "device 0", None]
    assert last_prefetches((memory.address + PAGE + 5, 1)) == ["device 0"]
    managed.prefetch(memory.array[:4 * PAGE].reshape(4, PAGE)[2:], to="host")
    assert last_prefetches(memory.array[:5 * PAGE]) == [None, "device 0", "host", "host", None]


def test_a_prefetch_keeps_the_content(memory):
    memory.array[:256] = np.arange(256)
    for place in ("device", "host", "device"):
        managed.prefetch(memory, to=place)
        cuda.Context.synchronize()
        assert (memory.array[:256] == np.arange(256)).all()


def test_who_touches_a_page_later_changes_nothing_that_is_told(memory):
    managed.prefetch(memory)
    cuda.Context.synchronize()
    memory.array[:] = 1
    assert set(last_prefetches(memory)) == {"device 0"}


def test_a_prefetch_takes_its_turn_in_a_stream(memory):
    stream = cuda.Stream()
    managed.prefetch(memory, to="host", stream=stream)
    stream.synchronize()
    assert set(last_prefetches(memory)) == {"host"}


@pytest.mark.parametrize("advice, where, facts", [
    ("read_mostly", "device", RangeAttributes(None, None, True, ())), ("preferred_location", "device", RangeAttributes(None, "device 0", False, ())),
    ("preferred_location", "host", RangeAttributes(None, "host", False, ())), ("accessed_by", "device", RangeAttributes(None, None, False, ("device 0",))),
    ("accessed_by", "host", RangeAttributes(None, None, False, ("host",)))])
def test_advice_is_told_until_it_is_withdrawn(memory, advice, where, facts):
    part = memory.array[PAGE:2 * PAGE]
    managed.withdraw(part, advice, where)
    managed.advise(part, advice, where)
    assert managed.facts(memory.array[:3 * PAGE]) == (NOTHING, facts, NOTHING)
    managed.withdraw(part, advice, where)
    assert managed.facts(part) == (NOTHING,)


def test_all_that_is_told_stands_beside_each_other(memory):
    managed.advise(memory, "read_mostly")
    managed.advise(memory, "preferred_location", "host")
    for who in ("host", "device"):
        managed.advise(memory, "accessed_by", who)
    managed.prefetch(memory.array[:PAGE])
    assert managed.facts(memory)[0] == RangeAttributes("device 0", "host", True, ("device 0", "host"))
    assert repr(managed.facts(memory)).splitlines()[1:] == [
        "0         device 0       host       yes          device 0, host",
        "1 to 511  never          host       yes          device 0, host",
        "Where a page is now is not told: whoever touched it since then may have moved it."]


def test_pages_that_differ_are_each_told_rightly(memory):
    for page in (0, 2, 3, 7):
        managed.prefetch((memory.address + page * PAGE, 1), to="host")
    managed.prefetch((memory.address + PAGE, 1))
    assert last_prefetches(memory.array[PAGE // 2:8 * PAGE]) == ["host", "device 0", "host", "host", None, None, None, "host"]


def test_a_managed_variable_is_managed_memory_too():
    with kernels.compile("__managed__ int counter = 42; __global__ void unused() { counter = 0; }") as code:
        address, _ = code.variable("counter")
        managed.prefetch((address, 4))
        assert last_prefetches((address, 4)) == ["device 0"]
        with pytest.raises(errors.WrongSize, match="past the end"):
            managed.prefetch((address, 5))


@pytest.mark.parametrize("lacking, mistake", [
    ("MANAGED_MEMORY", lambda: managed.allocate(8)), ("CONCURRENT_MANAGED_ACCESS", lambda: managed.prefetch(managed.allocate(8))),
    ("CONCURRENT_MANAGED_ACCESS", lambda: managed.advise(managed.allocate(8), "read_mostly"))])
def test_a_device_that_lacks_it_is_told_apart(monkeypatch, lacking, mistake):
    monkeypatch.setattr(managed.device, "device_attribute", lambda name: name != lacking)
    with pytest.raises(errors.NotSupported, match="managed memory: take|CONCURRENT_MANAGED_ACCESS is 0"):
        mistake()
