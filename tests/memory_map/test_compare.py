"""Two moments: what is new, gone, or changed."""
from course_lib import pinned, reservation
from course_lib.core import errors
from course_lib.pointers.address_facts import Kind
from courseware import memory_map
from courseware.memory_map.scene import Scene

import numpy as np
import pycuda.driver as cuda
import pytest

from .made_up import block


def changes(before, after):
    """{name: what is marked}, of what is marked."""
    blocks = after.since(before).scene.blocks
    return {block.name: block.difference or block.change for block in blocks if block.change}


def test_what_came_and_what_went():
    stays, goes = cuda.mem_alloc(10), cuda.mem_alloc(20)
    before = memory_map.look(stays=stays, goes=goes)
    goes.free()
    comes = pinned.allocate(5)
    after = memory_map.look(stays=stays, comes=comes).since(before)
    assert changes(before, after) == {"goes": "gone", "comes": "new"}
    assert after.changes == "New: comes. Gone: goes. 1 as before."
    assert [block.name for block in after.scene.blocks] == ["stays", "goes", "comes"]


def test_memory_given_out_again_at_the_same_address_is_new():
    before, after = (memory_map.MemoryMap(Scene((block(0, buffer_id=number),))) for number in (7, 8))
    assert sorted(block.change for block in after.since(before).scene.blocks) == ["gone", "new"]
    assert after.since(after).changes == "Nothing changed."


def test_registering_changes_the_kind_of_memory_and_not_which_it_is(monkeypatch):
    monkeypatch.setattr(memory_map.observe, "_kernels_may_use_pageable", lambda: False)
    array = np.zeros(3000, np.uint8)
    before = memory_map.look(array=array)
    with pinned.register(array) as registered:
        during = memory_map.look(array=array, registered=registered)
        without = "pageable memory, no device address, forward call refused"
        with_it = "registered memory, a device address, forward call answered"
        assert changes(before, during) == {"array, registered": f"{without} → {with_it}"}
    assert changes(during, memory_map.look(array=array)) == {"array": f"{with_it} → {without}"}
    assert changes(during, memory_map.look(registered=registered)) == {"registered": "registered memory → unregistered"}


def test_each_step_of_a_virtual_reservation(granule):
    with reservation.reserve(2 * granule) as space, reservation.create(granule) as memory:
        moments = [memory_map.look(space=space, memory=memory)]
        mapping = space.map(memory, granule)
        moments.append(memory_map.look(space=space, memory=memory))
        mapping.set_access("readwrite")
        moments.append(memory_map.look(space=space, memory=memory))
        mapping.unmap()
        moments.append(memory_map.look(space=space, memory=memory))
        part = f"space + {granule >> 20} MiB"
        assert [changes(*pair) for pair in zip(moments, moments[1:])] == [
            {part: "reserved addresses → mapped reservation, no access for kernels"},
            {part: "mapped reservation, no access for kernels, forward call refused → mapped reservation, forward call answered"},
            {"space": "mapped reservation → reserved addresses",
             "memory": "mapped reservation → physical memory without an address"}]


def test_other_memory_at_the_same_addresses(granule):
    with reservation.reserve(granule) as space, reservation.create(granule) as first, reservation.create(granule) as second:
        space.map(first)
        before = memory_map.look(space=space)
        space.mappings[0].unmap()
        space.map(second)
        assert changes(before, memory_map.look(space=space)) == {"space": "other memory → this memory"}


def test_host_access_is_a_change(granule):
    with reservation.reserve(granule) as space, reservation.create(granule, "host") as memory:
        mapping = space.map(memory)
        mapping.set_access("readwrite")
        before = memory_map.look(space=space)
        mapping.set_access("readwrite", who="host")
        assert changes(before, memory_map.look(space=space)) == {"space": "no host address → a host address"}


def test_a_forward_call_that_is_refused_from_now_on_is_a_change():
    before, after = (memory_map.MemoryMap(Scene((block(0, Kind.PINNED, forward=answer),))) for answer in (1, None))
    assert changes(before, after) == {"b0": "forward call answered → forward call refused"}


def test_nothing_changed():
    memory = cuda.mem_alloc(10)
    before = memory_map.look(memory=memory)
    after = memory_map.look(memory=memory).since(before)
    assert after.changes == "Nothing changed." and "change" not in repr(after).splitlines()[1]


def test_from_nothing_and_to_nothing():
    memory = cuda.mem_alloc(10)
    nothing, something = memory_map.look(**{"none": []}), memory_map.look(memory=memory)
    assert something.since(nothing).changes == "New: memory."
    assert nothing.since(something).changes == "Gone: memory."


def test_the_marks_are_in_the_picture_and_in_the_table():
    memory = cuda.mem_alloc(10)
    html = memory_map.look(memory=memory).since(memory_map.look([])).html
    assert "+ memory" in html and ">new</text>" in html and ">new</td>" in html


def test_only_a_map_can_be_compared_with():
    with pytest.raises(errors.WrongArgument, match="an earlier map"):
        memory_map.look([]).since("before")


def test_what_was_freed_while_its_variable_stays():
    memory, host = cuda.mem_alloc(100), pinned.allocate(10)
    before = memory_map.look(memory=memory, host=host)
    memory.free()
    host.release()
    assert changes(before, memory_map.look(memory=memory, host=host)) == {
        "memory": "device memory → freed", "host": "pinned memory → freed"}
