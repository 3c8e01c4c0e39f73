"""What the map says of each kind of memory: on a GPU and on the simulated driver the same."""
import doctest
import mmap
import os
import re

from course_lib import kernel_heap, mapped, pinned, reservation
from course_lib.core import errors
from course_lib.pointers.address_facts import Kind
from courseware import memory_map
from courseware.memory_map import gather

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from cuda.bindings import driver as cu

from ..helpers.pools import from_host_pool


def test_pinned_memory_has_two_views_of_one_memory_and_a_way_back(blocks):
    array = cuda.pagelocked_empty(4, "int32")
    block = blocks(array=array)["array"]
    assert block.kind is Kind.PINNED and block.nbytes == 16
    assert block.host == block.device == block.way_back == array.ctypes.data
    assert block.memory.where == "host"


@pytest.mark.parametrize("device_access", [True, False])
def test_memory_from_a_pool_on_the_host_has_only_a_way_back(blocks, device_access):
    with from_host_pool(64, device_access) as address:
        block = blocks(pooled=address)["pooled"]
        assert (block.kind, block.host, block.way_back, block.forward) == (Kind.HOST_POOL, address, address, None)
        assert block.device == (address if device_access else None)
        assert block.no_forward == "INVALID_VALUE" and block.memory.where == "host"


def test_device_memory_has_one_view_and_no_way_back(blocks):
    memory = cuda.mem_alloc(100)
    block = blocks(memory=memory)["memory"]
    assert (block.kind, block.nbytes, block.device, block.host) == (Kind.DEVICE, 100, int(memory), None)
    assert block.way_back is None and "which the host cannot read" in block.no_way_back
    assert block.memory.where == "device"


def test_pageable_memory_has_no_way_back(blocks):
    array = np.zeros(100)
    block = blocks(array=array)["array"]
    assert (block.kind, block.nbytes, block.host) == (Kind.PAGEABLE, 800, array.ctypes.data)
    assert block.way_back is None and block.memory.where == "host"


def test_pageable_memory_has_a_device_address_where_kernels_may_follow_it(blocks, monkeypatch):
    array = np.zeros(100)
    for answer in (False, True):
        monkeypatch.setattr(memory_map.observe, "_kernels_may_use_pageable", lambda: answer)
        assert (blocks(array=array)["array"].device == array.ctypes.data) is answer


def test_managed_memory_is_where_it_is_used(blocks):
    array = cuda.managed_empty(100, "int32", mem_flags=cuda.mem_attach_flags.GLOBAL)
    block = blocks(array=array)["array"]
    assert block.kind is Kind.MANAGED and block.memory.where == "both"
    assert block.host == block.device == block.way_back


def test_two_host_views_of_one_page_show_one_memory(blocks, two_views):
    with pinned.register(two_views[0]) as first, pinned.register(two_views[1]) as second:
        shown = blocks(first=first, second=second, other=np.zeros(10))
        assert shown["first"].memory == shown["second"].memory != shown["other"].memory
        assert shown["first"].device != shown["second"].device
        assert all(shown[name].way_back == shown[name].host for name in ("first", "second"))


def test_two_views_of_one_memory_stand_together(blocks, two_views):
    with pinned.register(two_views[0]) as first, pinned.register(two_views[1]) as second:
        assert list(blocks(first=first, other=np.zeros(10), second=second)) == ["first", "second", "other"]


def test_views_that_overlap_in_part_show_one_memory(blocks, two_views):
    with pinned.register(two_views[0][:1000]) as first, pinned.register(two_views[1][999:]) as second:
        shown = blocks(first=first, second=second)
        assert shown["first"].memory == shown["second"].memory
        assert shown["first"].memory.nbytes == len(two_views[0])


def test_views_of_different_bytes_show_different_memory(blocks, two_views):
    with pinned.register(two_views[0][:1000]) as first, pinned.register(two_views[1][1000:]) as second:
        shown = blocks(first=first, second=second)
        assert shown["first"].memory != shown["second"].memory


def test_the_same_bytes_of_different_files_are_different_memory(blocks):
    files = [os.memfd_create("page") for _ in range(2)]
    for file in files:
        os.ftruncate(file, mmap.PAGESIZE)
    first, second = (np.frombuffer(mmap.mmap(file, mmap.PAGESIZE), np.uint8) for file in files)
    shown = blocks(first=first, second=second)
    assert shown["first"].memory != shown["second"].memory
    for file in files:
        os.close(file)


def test_two_device_addresses_of_one_allocation_show_one_memory(blocks, granule):
    with reservation.reserve(granule) as x, reservation.reserve(granule) as y, reservation.create(granule) as memory:
        x.map(memory), y.map(memory).set_access("readwrite")
        shown = blocks(x=x, y=y)
        assert shown["x"].memory == shown["y"].memory
        assert (shown["x"].access, shown["y"].access) == (False, True)
        assert memory_map.look(x=x, memory=memory).scene.memory_names == {shown["x"].memory: ("memory",)}


def test_a_reservation_in_the_order_of_its_addresses(blocks, granule):
    with reservation.reserve(4 * granule) as space, reservation.create(2 * granule) as memory:
        mapping = space.map(memory, granule)
        for access in ("none", "readwrite"):        # without access, no call tells the size of a mapping
            mapping.set_access(access)
            shown = list(blocks(space=space, mapping=mapping).values())
            assert [(block.kind, block.nbytes // granule) for block in shown] == [
                (Kind.RESERVED, 1), (Kind.MAPPED, 2), (Kind.RESERVED, 1)]
            assert [block.name for block in shown] == ["space + 0", "mapping", f"space + {3 * granule >> 20} MiB"]
        assert {block.reservation.nbytes for block in shown} == {4 * granule}


def test_a_variable_at_the_first_address_names_the_whole_reservation_unless_it_is_a_mapping(blocks, granule):
    with reservation.reserve(3 * granule) as space, reservation.create(granule) as memory:
        mapping = space.map(memory)
        shown = blocks(space=space, mapping=mapping, inside=space.start + granule + 5)
        assert list(shown) == ["mapping", "inside (+5)"] and {block.reservation.names for block in shown.values()} == {("space",)}


def test_memories_that_are_mapped_side_by_side_are_two_mappings_even_before_anybody_has_access(granule):
    with reservation.reserve(3 * granule) as space, reservation.create(granule) as first, reservation.create(granule) as second:
        space.map(first), space.map(second, granule)
        shown = memory_map.look(space=space).scene.blocks
        assert [(block.kind, block.nbytes // granule) for block in shown] == [(Kind.MAPPED, 1), (Kind.MAPPED, 1), (Kind.RESERVED, 1)]
        assert shown[0].memory != shown[1].memory


def test_a_mapping_far_into_a_reservation_is_found_by_its_variable(granule):
    with reservation.reserve(10_000 * granule) as space, reservation.create(granule) as memory:
        mapping = space.map(memory, 9_000 * granule)
        names = [block.name for block in memory_map.look(space=space, mapping=mapping).scene.blocks]
        assert names[1] == "mapping" and len(names) == 3


def test_far_into_a_reservation_memory_may_be_mapped_that_no_variable_leads_to(blocks, granule):
    reserved, far = 4 << 30, 3 << 30
    with reservation.reserve(reserved) as space, reservation.create(granule) as memory:
        errors.do(cu.cuMemMap, space.start + far, granule, 0, memory.handle, 0)
        try:
            looked_at = memory_map.look(space=space)
            [row] = memory_map.table.lines(looked_at.scene)
            assert row["physical memory"] == "not all looked at"
            assert "nothing behind it" not in looked_at.picture and "not all looked at</text>" in looked_at.picture
            assert "Only the first 1 GiB of a reservation is looked through" in repr(looked_at)
            before, mapped, behind = blocks(space=space, mapped=space.start + far).values()
            assert (mapped.kind, mapped.walked) == (Kind.MAPPED, True) and not before.walked and not behind.walked
        finally:
            errors.do(cu.cuMemUnmap, space.start + far, granule)


def test_a_reservation_that_is_looked_through_to_its_end_says_nothing_of_it(granule):
    with reservation.reserve(1 << 30) as space:
        assert "looked" not in repr(memory_map.look(space=space))
    with reservation.reserve((1 << 30) + granule) as space:
        assert "looked" in repr(memory_map.look(space=space))
        last = space.start + (1 << 30)
        assert "looked" not in repr(memory_map.look(space=space, last=last)), "a variable leads to what is behind the first GiB"


def test_reserved_addresses_have_nothing_behind_them(blocks, granule):
    with reservation.reserve(3 * granule) as space:
        block = blocks(space=space)["space"]
        assert (block.kind, block.nbytes, block.memory, block.host) == (Kind.RESERVED, 3 * granule, None, None)


def test_addresses_that_a_program_reserves_by_itself_have_their_size_from_the_driver(blocks, granule):
    for count in (4, 1, 2):     # mostly at the same address: what was there before does not count
        start = int(errors.ask(cu.cuMemAddressReserve, count * granule, 0, 0, 0))
        try:
            assert {(block.kind, block.nbytes, block.device) for block in blocks(first=start, last=start + count * granule - 1).values()} == {
                (Kind.RESERVED, count * granule, start)}
        finally:
            errors.do(cu.cuMemAddressFree, start, count * granule)


def test_physical_memory_may_have_no_address(blocks, granule):
    with reservation.create(granule) as memory, reservation.create(granule, "host") as on_host:
        shown = blocks(memory=memory, on_host=on_host)
        assert [(block.memory.where, block.kind) for block in shown.values()] == [("device", Kind.MAPPED), ("host", Kind.MAPPED_HOST)]
        assert all(block.host is block.device is None for block in shown.values())
        assert shown["memory"].kind_text == "physical memory without an address"


def test_memory_mapped_on_the_host_has_a_way_back_once_the_host_has_access(blocks, granule):
    with reservation.reserve(granule) as space, reservation.create(granule, "host") as memory:
        mapping = space.map(memory)
        mapping.set_access("readwrite")
        assert blocks(it=mapping)["it"].way_back is None
        mapping.set_access("readwrite", who="host")
        block = blocks(it=mapping)["it"]
        assert block.way_back == block.host == block.device and block.memory.where == "host"


def test_heap_blocks_are_known_by_what_the_helper_wrote_down(blocks):
    with kernel_heap.allocate([5, 100]) as heap:
        shown = blocks(heap=heap, inside=heap.addresses[1] + 7)
        assert [(name, block.kind, block.nbytes) for name, block in shown.items()] == [
            ("heap[0]", Kind.KERNEL_HEAP, 5), ("heap[1], inside (+7)", Kind.KERNEL_HEAP, 100)]


def test_variables_that_lead_to_one_allocation_share_a_row(blocks):
    with pinned.allocate(100) as host:
        assert list(blocks(host=host, array=host.array, part=host.array[10:], address=host.device_address,
                           view=mapped.as_gpuarray(host.array))) == ["host, array, part (+10), address, view"]


def test_what_was_freed_has_no_memory_behind_it(blocks):
    memory, host = cuda.mem_alloc(1000), pinned.allocate(10)
    numbers = {"memory": int(memory), "host": host.host_address}
    assert set(blocks(memory=memory, host=host)) == {"memory", "host"}
    memory.free()
    host.release()
    for block in blocks(memory=memory, host=host).values():
        assert block.kind is Kind.FREED and block.memory is None
    shown = blocks(**numbers)
    assert {name: (block.kind, block.nbytes, block.host) for name, block in shown.items()} == {
        "memory": (Kind.FREED, 1000, None), "host": (Kind.FREED, 10, numbers["host"])}


def test_flags_are_those_that_the_driver_reports(blocks):
    with pinned.allocate(4096, flags="writecombined") as host:
        block = blocks(host=host)["host"]
        assert "writecombined" in block.flags and "devicemap" in block.flags
        assert block.kind_text == "pinned memory, write-combined"


def test_lists_and_dicts_are_looked_into(blocks):
    first, second = cuda.mem_alloc(10), gpuarray.zeros(3, "int32")
    assert list(blocks(many=[first, {"two": second}])) == ["many[0]", "many[1]['two']"]


def test_of_a_notebooks_variables_an_array_of_no_bytes_is_no_memory():
    with pinned.allocate(16) as memory:
        [place] = gather.recognised("part", memory.array[:1], {})
        assert place.address == memory.host_address and gather.recognised("empty", memory.array[:0], {}) == []


@pytest.mark.parametrize("told", [lambda address: {"device_address": address},
                                  lambda address: {"__cuda_array_interface__": {"data": (address, False), "shape": (10,), "typestr": "|u1"}}])
def test_of_a_notebooks_variables_an_object_of_anybodys_that_tells_its_device_address_is_memory(told):
    memory = cuda.mem_alloc(10)
    thing = type("Theirs", (), told(int(memory)))()
    assert [place.address for place in gather.recognised("thing", thing, {})] == [int(memory)]


def test_of_a_notebooks_variables_what_cannot_tell_its_address_is_no_memory():
    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError
    assert gather.recognised("broken", Broken(), {}) == []


def test_of_a_notebooks_variables_physical_memory_is_one_until_it_is_released(granule):
    with reservation.create(granule) as memory:
        assert [place.value for place in gather.recognised("memory", memory, {})] == [memory]
    assert gather.recognised("memory", memory, {}) == []


def test_of_a_list_that_a_variable_holds_the_first_512_are_looked_at_and_the_others_counted(monkeypatch):
    memory = cuda.mem_alloc(10)
    variables = {"many": [memory] * 515, "by_name": {"part": [memory] * 513}, "few": [memory] * 512, "times": [0.5] * 1000}
    monkeypatch.setattr(memory_map.gather, "variables", lambda: variables)
    looked_at = memory_map.look()
    [block] = (block for block in looked_at.scene.blocks if block.device == int(memory))     # the helpers' own memory is shown too
    names = block.name.split(", ")
    assert "many[511]" in names and "many[512]" not in names
    counted = "Not looked at, nor drawn: 3 more of many, 1 more of by_name['part']."
    assert counted in repr(looked_at) and counted.replace("'", "&#x27;") in looked_at.picture
    assert "Not looked at" not in repr(memory_map.look(many=variables["many"])), "what was asked for by name is all looked at"


def test_pageable_memory_inside_other_is_part_of_it(blocks):
    array = np.zeros(100, np.uint8)
    assert list(blocks(part=array[4:], whole=array, address=array.ctypes.data + 99)) == [
        "part (+4), whole, address (+99)"]
    assert list(blocks(whole=array, behind=array.ctypes.data + 100)) == ["whole", "behind"]
    shown = blocks(left=array[:60], right=array[50:])       # neither holds the other
    assert [(name, block.nbytes) for name, block in shown.items()] == [("left", 60), ("right", 50)]


def test_two_addresses_of_one_block_are_one_block_also_once_it_is_freed(blocks):
    memory, host = cuda.mem_alloc(1000), pinned.allocate(1000)
    starts = int(memory), host.host_address
    for freed in (False, True):
        for start in starts:
            [block] = blocks(first=start, inside=start + 4).values()
            assert (block.name, block.nbytes, block.kind is Kind.FREED) == ("first, inside (+4)", 1000, freed)
        if not freed:
            memory.free()
            host.release()


def test_what_was_unregistered_is_not_freed(blocks):
    array = np.zeros(100, np.uint8)
    with pinned.register(array) as registered:
        pass
    shown = blocks(array=array, registered=registered)
    assert shown["array"].kind is Kind.PAGEABLE and shown["registered"].kind_text == "unregistered"
    looked_at = memory_map.look(array=array, registered=registered)
    assert not re.search("freed|nothing", repr(looked_at)) and "the registration was given back" in looked_at._repr_html_()


def test_two_ranges_of_one_physical_memory_name_it_and_each_other(granule):
    with reservation.reserve(3 * granule) as space, reservation.create(granule) as memory:
        lower, upper = space.map(memory), space.map(memory, 2 * granule)
        html = memory_map.look(lower=lower, upper=upper, memory=memory)._repr_html_()
    assert "physical memory: A (memory), on the device" in html
    assert "the same memory: lower" in html and "the same memory: upper" in html


def test_the_forward_call_is_put_to_every_kind_of_memory(blocks, granule):
    managed = cuda.managed_empty(100, "int32", mem_flags=cuda.mem_attach_flags.GLOBAL)
    mine = np.zeros(100, np.uint8)
    with (reservation.reserve(3 * granule) as space, reservation.create(granule) as memory, kernel_heap.allocate([8]) as heap,
          pinned.register(np.zeros(9, np.uint8)) as registered):
        usable, closed = space.map(memory), space.map(memory, granule)
        usable.set_access("readwrite")
        shown = blocks(pinned=pinned.allocate(5), registered=registered, managed=managed, device=cuda.mem_alloc(5),
                       pageable=mine, usable=usable, closed=closed, reserved=space.start + 2 * granule, heap=heap,
                       null=0, no_address=memory)
        answers = {name: memory_map.descriptions.forward_call(block) for name, block in shown.items()}
    same = ("pinned", "registered", "usable")
    assert answers == {name: "the same number" if name in same else "INVALID_VALUE" for name in shown}


def test_physical_memory_without_an_address_is_not_asked_about(blocks, granule):
    with reservation.create(granule) as memory:
        assert memory_map.descriptions.forward_call(blocks(memory=memory)["memory"]) == "-"


def test_the_forward_call_answers_before_the_host_has_access(blocks, granule):
    with reservation.reserve(granule) as space, reservation.create(granule, "host") as memory:
        space.map(memory).set_access("readwrite")
        block = blocks(space=space)["space"]
        assert block.forward == block.device and block.way_back is None and block.host is None


@pytest.mark.parametrize("result, answer, words", [("CUDA_SUCCESS", 0x123000, "0x000000123000"),
                                                  ("CUDA_ERROR_NOT_SUPPORTED", 0, "NOT_SUPPORTED")])
def test_the_map_says_what_the_forward_call_answers_whatever_the_kind(monkeypatch, result, answer, words):
    with pinned.allocate(8) as host:
        monkeypatch.setattr(cu, "cuMemHostGetDevicePointer", lambda address, flags: (getattr(cu.CUresult, result), answer))
        assert f" {words} " in repr(memory_map.look(array=host.array))


@pytest.mark.parametrize("thing", ["text", 1.5, None, object(), -1])
def test_what_has_no_address_is_refused_with_a_sentence(thing):
    with pytest.raises(errors.WrongPointer, match="is not an address"):
        memory_map.look(thing)


def test_the_text_is_a_table_and_only_the_digits_of_addresses_differ():
    host, on_device = cuda.pagelocked_empty(16, "uint8"), cuda.mem_alloc(1)
    assert re.sub("0x[0-9a-f]{6,}", "ADDRESS", repr(memory_map.look(host=host, on_device=on_device))) == """\
name       kind           size      host address    device address  forward call     way back         physical memory
host       pinned memory  16 bytes  ADDRESS  ADDRESS  the same number  the same number  A, on the host
on_device  device memory  1 byte    -               ADDRESS  INVALID_VALUE    none             B, on the device"""


def test_a_map_keeps_nothing_alive():
    memory = cuda.mem_alloc(3 << 20)
    looked_at, free = memory_map.look(memory=memory), cuda.mem_get_info()[0]
    del memory
    assert cuda.mem_get_info()[0] > free
    assert "memory" in repr(looked_at)


def test_looking_changes_nothing_on_the_driver(granule, two_views):
    pinned_view = pinned.register(two_views[0])
    with reservation.reserve(2 * granule) as space, reservation.create(granule) as memory, pinned_view:
        space.map(memory).set_access("read")
        first = memory_map.look(space, memory, two_views[1])
        assert repr(memory_map.look(space, memory, two_views[1])) == repr(first)
        assert memory.state == "mapped at 1 place"


def test_the_example_is_true():
    assert doctest.testmod(memory_map).failed == 0 < doctest.testmod(memory_map).attempted
