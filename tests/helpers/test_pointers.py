"""What is known of addresses of every kind, and the way back."""
import ctypes
import re

from course_lib import kernel_heap, kernels, pinned, pointers, reservation
from course_lib.core import errors, journal
from course_lib.core.ownership import current_context
from course_lib.pointers import Kind, Reason, facts, host_pointer_for
from courseware import sandbox

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest

from .pools import from_host_pool

HEAP = """
__device__ int variable[10];
__constant__ float table[4];
__global__ void take(unsigned long long *out) { *out = (unsigned long long) malloc(64); variable[0] = (int) table[1]; }
__global__ void give(unsigned long long *out) { free((void *) *out); }
"""


def test_pinned_and_registered_have_a_way_back():
    with pinned.allocate(1000) as allocated, pinned.register(np.zeros(1000, np.uint8)) as registered:
        for host, kind in ((allocated, Kind.PINNED), (registered, Kind.REGISTERED)):
            told_of = facts(host.device_address + 999)
            assert told_of.kind is kind and told_of.memory_type == "host"
            assert (told_of.start, told_of.nbytes) == (host.host_address, 1000)
            assert host_pointer_for(host.device_address + 999) == host.host_address + 999
            assert told_of.flags & 2


@pytest.mark.parametrize("device_access", [True, False])
def test_memory_from_a_pool_on_the_host_has_a_way_back_and_none_forward(device_access):
    with from_host_pool(64, device_access) as address:
        told_of = facts(address + 5)
        assert (told_of.kind, told_of.memory_type, told_of.nbytes) == (Kind.HOST_POOL, "host", 64)
        assert told_of.start == (address if device_access else None)
        assert pointers.both(address + 5) == (None, address + 5) and host_pointer_for(address + 5) == address + 5
        assert told_of.device_address == (address + 5 if device_access else None)


def test_managed_memory_has_a_way_back():
    array = cuda.managed_empty(100, "int32", mem_flags=cuda.mem_attach_flags.GLOBAL)
    assert facts(array).kind is Kind.MANAGED
    assert host_pointer_for(array[3:]) == array.ctypes.data + 12


@pytest.mark.parametrize("make", [lambda: cuda.mem_alloc(1000), lambda: gpuarray.zeros(250, "float32")])
def test_device_memory_has_none(make):
    thing = make()
    start = int(thing) if isinstance(thing, cuda.DeviceAllocation) else thing.ptr
    for offset in (0, 1, 999):
        told_of = facts(start + offset)
        assert (told_of.kind, told_of.start, told_of.nbytes) == (Kind.DEVICE, start, 1000)
        assert host_pointer_for(start + offset).reason is Reason.DEVICE_MEMORY
    assert facts(thing).address == start


def test_variables_of_a_module_are_device_memory():
    with kernels.compile(HEAP) as code:
        for name in ("variable", "table"):
            address, size = code.variable(name)
            assert host_pointer_for(address + size - 1).reason is Reason.DEVICE_MEMORY


def test_the_heap_of_anyones_kernel_is_told_from_what_is_unknown():
    out = gpuarray.zeros(1, np.uint64)
    with kernels.compile(HEAP) as code:
        code.take(1, 1, out)
        address = int(out.get()[0])
        assert address and host_pointer_for(address + 63).reason is Reason.KERNEL_HEAP
        assert facts(address).host_address is None
        code.give(1, 1, out)
        cuda.Context.synchronize()


@pytest.mark.parametrize("kind", [Kind.KERNEL_HEAP, Kind.DEVICE])
def test_the_heap_where_something_of_an_earlier_context_was(kind):
    context = cuda.Device(0).make_context()
    earlier = current_context()
    kernel_heap.allocate(1000)
    cuda.Context.pop()
    context.detach()
    out = gpuarray.zeros(1, np.uint64)
    with kernels.compile(HEAP) as code:
        code.take(1, 1, out)
        address = int(out.get()[0])
        # A GPU's driver does it by itself. Nobody tells the journal of device memory's end.
        journal.note(kind.value, address, 32, earlier if kind is Kind.KERNEL_HEAP else None).unsure = True
        assert host_pointer_for(address + 31).reason is Reason.KERNEL_HEAP
        assert len(kernel_heap.bring_out(address, 64)) == 64    # the 32 bytes of then are not today's
        kernel_heap.free(address)


def test_the_heap_of_the_helper():
    with kernel_heap.allocate([100, 200]) as blocks:
        address = blocks.addresses[1]
        assert host_pointer_for(address + 199).reason is Reason.KERNEL_HEAP
    assert host_pointer_for(address + 199).reason is Reason.FREED


def test_the_stages_of_virtual_memory():
    size = reservation.granularity()
    with reservation.reserve(2 * size) as addresses, reservation.create(size) as memory:
        inside = addresses.start + size + 77
        assert host_pointer_for(inside).reason is Reason.RESERVED_ONLY
        mapping = addresses.map(memory, size)
        assert facts(inside).kind is Kind.MAPPED and host_pointer_for(inside).reason is Reason.DEVICE_MEMORY
        mapping.set_access("readwrite")
        told_of = facts(inside)
        assert (told_of.start, told_of.nbytes) == (addresses.start, 2 * size)    # the reservation
        assert told_of.mapping == (addresses.start + size, size)                # the mapping
        mapping.unmap()
        assert host_pointer_for(inside).reason is Reason.RESERVED_ONLY
    assert host_pointer_for(inside).reason is Reason.FREED


def test_addresses_are_reserved_before_a_mapping_and_behind_it():
    size = reservation.granularity()
    with reservation.reserve(4 * size) as addresses, reservation.create(size) as memory:
        def kinds():
            return [facts(addresses.start + granule * size + 77).kind for granule in range(4)]
        assert kinds() == 4 * [Kind.RESERVED]
        mapping = addresses.map(memory, size)
        assert kinds() == [Kind.RESERVED, Kind.MAPPED, Kind.RESERVED, Kind.RESERVED]
        mapping.unmap()
        assert kinds() == 4 * [Kind.RESERVED]
    with reservation.reserve(1 << 40) as huge:
        assert facts(huge.start + (1 << 39)).kind is Kind.RESERVED


def every_kind():
    """An address of each kind of memory, in every state."""
    size = reservation.granularity()
    device, array, once_pinned = cuda.mem_alloc(1000), np.zeros(1000, np.uint8), pinned.allocate(1000)
    neighbour = pinned.allocate(1000)    # of the same larger piece, which stays
    freed = once_pinned.host_address
    once_pinned.release()
    with (pinned.allocate(1000) as allocated, pinned.register(np.zeros(1000, np.uint8)) as registered, neighbour,
          kernel_heap.allocate(64) as heap, reservation.reserve(2 * size) as addresses, reservation.create(size) as memory):
        managed = cuda.managed_empty(100, "int32", mem_flags=cuda.mem_attach_flags.GLOBAL)
        mapping = addresses.map(memory)
        yield from (device, array, freed, allocated, registered, managed, heap.addresses[0], addresses.start + size, 0, 1, mapping)
        mapping.set_access("readwrite")
        yield mapping


def test_the_docstring_names_every_call_that_is_made(monkeypatch):
    """And none that would unmap: where another thread maps memory meanwhile, that would take it away."""
    from cuda.bindings import driver as cu
    called = set()

    def noted(name, function):
        def call(*arguments):
            called.add(name)
            return function(*arguments)
        return call
    for name in dir(cu):
        if name.startswith("cu") and callable(getattr(cu, name)):
            monkeypatch.setattr(cu, name, noted(name, getattr(cu, name)))
    documented = set(re.findall(r"\bcu[A-Z]\w+", facts.__doc__))
    for address in every_kind():
        called.clear()
        facts(address)
        assert called <= documented, address
    assert not [name for name in documented if re.search("Unmap|Free|Alloc$", name)]


def test_what_another_thread_unregisters_meanwhile_is_not_left_registered(monkeypatch):
    array = np.zeros(5000, np.uint8)
    registered = pinned.register(array)
    asked = pointers.facts.__globals__["is_mapped"]

    def in_the_middle(address):
        if not registered.released:
            registered.unregister()
        return asked(address)
    monkeypatch.setitem(pointers.facts.__globals__, "is_mapped", in_the_middle)
    assert facts(array).kind is Kind.PAGEABLE
    pinned.register(array).release()        # the driver would refuse if one byte were registered still


def test_memory_on_the_host_has_a_way_back_once_the_host_has_access():
    size = reservation.granularity("host")
    with reservation.reserve(size) as addresses, reservation.create(size, "host") as memory:
        mapping = addresses.map(memory)
        mapping.set_access("readwrite")
        assert facts(mapping).kind is Kind.MAPPED_HOST and host_pointer_for(mapping).reason is Reason.NO_HOST_ACCESS
        mapping.set_access("readwrite", who="host")
        assert host_pointer_for(mapping.start + 5) == mapping.start + 5


def test_aliases_have_a_buffer_id_each():
    size = reservation.granularity()
    with reservation.reserve(2 * size) as addresses, reservation.create(size) as memory:
        first, second = addresses.map(memory), addresses.map(memory, size)
        assert facts(first).buffer_id != facts(second).buffer_id


def test_what_the_driver_does_not_know():
    array = np.zeros(10)
    assert facts(array).kind is Kind.PAGEABLE and host_pointer_for(array).reason is Reason.PAGEABLE
    assert host_pointer_for(0).reason is Reason.NULL
    assert host_pointer_for(1).reason is Reason.UNKNOWN
    assert host_pointer_for(1 << 62).reason is Reason.UNKNOWN


def test_freed_memory_that_was_seen_before():
    memory = cuda.mem_alloc(3 << 20)
    address = int(memory) + 5
    assert host_pointer_for(address).reason is Reason.DEVICE_MEMORY
    memory.free()
    assert host_pointer_for(address).reason is Reason.FREED
    array = np.zeros(5000)
    pinned.register(array).release()
    assert host_pointer_for(array).reason is Reason.PAGEABLE    # it lives, and is the host's own again


@pytest.mark.parametrize("seen, freed, kind, nbytes, stays", [
    (False, False, Kind.MANAGED, 64, True), (True, False, Kind.DEVICE, 64, True), (True, False, Kind.DEVICE, 63, True),
    (True, False, Kind.MANAGED, 64, False), (True, False, Kind.DEVICE, 65, False), (False, True, Kind.DEVICE, 64, False)])
def test_the_drivers_word_of_now_takes_the_place_of_what_was_only_seen_or_is_freed(seen, freed, kind, nbytes, stays):
    start = 1 << 62
    before = journal.note(Kind.DEVICE.value, start, 64)
    before.seen, before.freed = seen, freed
    journal.note_seen(kind.value, start, nbytes)
    now = journal.find(start)
    assert (now is before) == stays and (stays or (now.kind, now.nbytes, now.seen, now.alive) == (kind.value, nbytes, True, True))
    journal.note_freed(now)


def test_freed_memory_among_living_memory_is_not_taken_for_the_kernel_heap():
    def free_one_of_many():
        with kernel_heap.allocate(64):
            pieces = [cuda.mem_alloc(64) for _ in range(9)]
            address = int(pieces[4])
            del pieces[4]
            return host_pointer_for(address).reason.name
    # In a new process, or somebody may have seen the address before: then the answer is FREED.
    assert sandbox.run(free_one_of_many).value == "UNKNOWN"


def test_one_past_the_end_belongs_to_nobody():
    with pinned.register(np.zeros(5000, np.uint8)[:4999]) as host:
        assert host_pointer_for(host.host_address + 4999).reason is Reason.PAGEABLE


def test_the_answer_never_leads_the_host_astray():
    def read_what_is_answered():
        with kernel_heap.allocate(64) as blocks, pinned.allocate(64) as host:
            addresses = [*blocks.addresses, int(cuda.mem_alloc(64)), 1, 0, host.device_address]
            answers = [host_pointer_for(address) for address in addresses]
            return [ctypes.c_ubyte.from_address(answer).value is not None for answer in answers if answer]
    assert sandbox.run(read_what_is_answered).value == [True]


def test_no_host_pointer_counts_as_false_and_can_be_matched():
    answer = host_pointer_for(0)
    assert not answer and answer == pointers.NoHostPointer(Reason.NULL)
    match answer:
        case pointers.NoHostPointer(Reason.NULL):
            pass
        case _:
            pytest.fail("no match")


def test_one_attribute_is_the_driver_s_number_or_none():
    with pinned.allocate(16) as host:
        assert pointers.attribute(host.device_address + 3, "HOST_POINTER") == host.host_address + 3
        assert pointers.attribute(host, "MEMORY_TYPE") == 1
    with pytest.raises(errors.WrongArgument, match="there is no pointer attribute 'HOST'"):
        pointers.attribute(8, "HOST")
    device = cuda.mem_alloc(16)
    assert pointers.attribute(device, "MEMORY_TYPE") == 2
    assert pointers.attribute(device, "HOST_POINTER") is None


def test_both_ways_answer_for_every_byte_of_pinned_and_registered_memory():
    with pinned.allocate(40) as allocated, pinned.register(np.zeros(40, np.uint8)) as registered:
        for host in (allocated, registered):
            for byte in (0, 1, 39):
                assert pointers.both(host.host_address + byte).device == host.device_address + byte
                assert pointers.both(host.device_address + byte).host == host.host_address + byte
            assert pointers.both(host) == (host.device_address, host.host_address)


def test_both_ways_fill_all_four_cells_of_the_table():
    size = reservation.granularity()
    managed = cuda.managed_empty(100, "int32", mem_flags=cuda.mem_attach_flags.GLOBAL)
    with (pinned.allocate(40) as host, reservation.reserve(size) as addresses, reservation.create(size) as memory,
          kernel_heap.allocate(64) as heap):
        assert pointers.both(addresses) == (None, None)
        mapping = addresses.map(memory)
        mapping.set_access("readwrite")
        cells = {"pinned": host, "managed": managed, "mapped on the device": mapping, "device": cuda.mem_alloc(40),
                 "pageable": np.zeros(10), "heap": heap.addresses[0], "null": 0}
        answers = {name: tuple(answer is not None for answer in pointers.both(where)) for name, where in cells.items()}
    assert answers == {"pinned": (True, True), "managed": (False, True), "mapped on the device": (True, False),
                       "device": (False, False), "pageable": (False, False), "heap": (False, False), "null": (False, False)}


def test_both_ways_ask_about_the_host_address_forward_and_about_the_device_address_back(monkeypatch):
    """Which is seen only where the two numbers differ, so the driver is made to give two."""
    from cuda.bindings import driver as cu
    offset = 1 << 20
    forward, back = cu.cuMemHostGetDevicePointer, cu.cuPointerGetAttribute
    monkeypatch.setattr(cu, "cuMemHostGetDevicePointer",
                        lambda address, flags: (lambda status, number: (status, int(number) + offset))(*forward(address, flags)))
    monkeypatch.setattr(cu, "cuPointerGetAttribute", lambda which, address: back(which, address - offset))
    with pinned.allocate(40) as host:
        assert host.device_address == host.host_address + offset
        assert pointers.both(host) == (host.host_address + offset, host.host_address)


def test_both_ways_are_readable():
    assert repr(pointers.BothWays(0x7f0000001000, None)) == "device 0x7f0000001000  host none"
    assert repr(pointers.BothWays(None, 0x7f0000001000)) == "device none  host 0x7f0000001000"


@pytest.mark.parametrize("call", ["cuMemHostGetDevicePointer", "cuPointerGetAttribute"])
def test_both_ways_do_not_take_a_broken_context_for_none(monkeypatch, call):
    from cuda.bindings import driver as cu
    monkeypatch.setattr(cu, call, lambda *arguments: (cu.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS, 0))
    with pytest.raises(errors.CudaError, match=f"{call} answers CUDA_ERROR_ILLEGAL_ADDRESS"):
        pointers.both(8)


def test_facts_are_readable():
    with pinned.allocate(64) as host:
        told_of = facts(host)
        assert repr(told_of).startswith("kind           pinned memory\naddress        0x")
        assert "<th style='text-align:left'>buffer id</th>" in told_of._repr_html_()


@pytest.mark.parametrize("told, lines", [
    ({"nbytes": 64, "flags": 2, "memory_type": "host"}, ["nbytes         64", "memory type    host", "flags          2"]),
    ({"start": 4096, "context": 0, "device": 1, "buffer_id": 16}, ["start          0x1000", "buffer id      16", "context        0x0", "device         1"]),
    ({"mapping": (4096, 32)}, ["mapping        32 bytes from 0x1000"]), ({"mapping": (None, 32)}, ["mapping        32 bytes"])])
def test_addresses_are_told_in_hexadecimal_and_counts_in_decimal(told, lines):
    assert repr(pointers.Facts(16, Kind.MAPPED, **told)).splitlines() == ["kind           mapped reservation", "address        0x10", *lines]


@pytest.mark.parametrize("thing", [-1, 1 << 64, 1.5, "0x10", None, object(), True])
@pytest.mark.parametrize("asked", [facts, pointers.both])
def test_what_is_no_address_is_refused(asked, thing):
    with pytest.raises(errors.WrongPointer, match="is not an address"):
        asked(thing)
