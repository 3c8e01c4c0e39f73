"""Pinned and registered memory."""
import gc
import mmap
import os

from course_lib import driver, kernels, pinned, pointers
from course_lib.core import errors
from course_lib.core.address import address_of

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu

FLAGS = [(), "portable", "devicemap", "writecombined", ("portable", "writecombined"), ("portable", "devicemap", "writecombined")]
ADD_ONE = "__global__ void add_one(int *data, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += 1; }"


@pytest.mark.parametrize("flags", FLAGS)
def test_the_device_address_is_the_host_address_whatever_the_flags(flags):
    with pinned.allocate((3, 5), "int16", flags) as host:
        assert host.array.shape == (3, 5) and host.array.dtype == "int16" and host.nbytes == 30
        assert host.device_address == host.host_address == host.array.ctypes.data


@pytest.mark.skipif(not driver.attached.simulated, reason="a GPU's driver does not tell of its calls")
@pytest.mark.parametrize("use", [address_of, lambda host: kernels.compile(ADD_ONE).add_one(1, 1, host, 1)])
def test_the_driver_is_asked_once_for_the_device_address(use):
    from cuda_simulator import watch

    class CallNames(list):
        def call(self, name, arguments, make):
            self.append(name)
            return make()
    with pinned.allocate(1, np.int32) as host, watch.calling(CallNames()) as calls:
        use(host)
    assert calls.count("cuMemHostGetDevicePointer") == 1


@pytest.mark.parametrize("flags", FLAGS)
def test_devicemap_is_reported_whether_asked_for_or_not(flags):
    with pinned.allocate(1 << 16, flags=flags) as host:
        reported = errors.ask(cu.cuMemHostGetFlags, host.host_address)
        assert reported & pinned.ALLOCATE_FLAGS["devicemap"]
        assert bool(reported & pinned.ALLOCATE_FLAGS["writecombined"]) == ("writecombined" in flags)


def test_a_kernel_uses_pinned_memory_in_place():
    with pinned.allocate(100, "int32") as host, kernels.compile(ADD_ONE) as code:
        host.array[:] = np.arange(100)
        code.add_one(1, 32, host, 100)
        cuda.Context.synchronize()
        assert (host.array == np.arange(1, 101)).all()


def test_release_inside_the_block_is_enough():
    with pinned.allocate(8) as host:
        host.release()
    assert repr(host) == "<pinned memory, released>"


def test_pinned_memory_of_another_context(other_context):
    with pinned.allocate(4, "int32", flags="portable") as host:
        host.array[:] = 5
        other_context.push()
        try:
            with kernels.compile(ADD_ONE) as code:
                code.add_one(1, 32, host, 4)
                cuda.Context.synchronize()
        finally:
            cuda.Context.pop()
        assert host.array.tolist() == [6] * 4


def test_registering_changes_neither_address_nor_content():
    array = np.arange(1000)
    address = array.ctypes.data
    with pinned.register(array) as host:
        assert host.array is array and host.host_address == host.device_address == address
        assert errors.ask(cu.cuMemHostGetFlags, address) == pinned.REGISTER_FLAGS["devicemap"] and (array == np.arange(1000)).all()
        assert pointers.facts(array).kind is pointers.Kind.REGISTERED
    assert pointers.facts(array).kind is pointers.Kind.PAGEABLE and array[999] == 999


def test_unaligned_memory_registers_and_exactly_its_bytes_are_known():
    memory = np.zeros(20000, np.uint8)
    part = memory[1001:6000]
    with pinned.register(part) as host:
        assert pointers.host_pointer_for(host.host_address + 4998) == host.host_address + 4998
        assert not pointers.host_pointer_for(host.host_address - 1)
        assert not pointers.host_pointer_for(host.host_address + 4999)


def test_read_only_pages_register_with_their_flag():
    pages = np.frombuffer(mmap.mmap(-1, 8192, prot=mmap.PROT_READ), np.uint8)
    with pytest.raises(errors.WrongPointer, match="read_only"):
        pinned.register(pages)
    with pinned.register(pages, flags="read_only") as host:
        assert pointers.facts(host).kind is pointers.Kind.REGISTERED


def test_one_page_with_two_host_addresses_has_two_device_addresses():
    file = os.memfd_create("page")
    os.ftruncate(file, 4096)
    pages, same_pages = (np.frombuffer(mmap.mmap(file, 4096), np.int32) for _ in range(2))
    with pinned.register(pages) as first, pinned.register(same_pages) as second, kernels.compile(ADD_ONE) as code:
        assert first.device_address != second.device_address
        code.add_one(1, 32, first, 10)
        cuda.Context.synchronize()
        assert same_pages[:11].tolist() == [1] * 10 + [0]
    os.close(file)


def test_registered_memory_is_unregistered_at_collection():
    array = np.zeros(4096, np.uint8)
    pinned.register(array)
    gc.collect()
    with pinned.register(array):
        pass


def test_unregister_is_release():
    array = np.zeros(4096, np.uint8)
    host = pinned.register(array)
    host.unregister()
    with pytest.raises(errors.Released):
        host.unregister()
    array[:] = 1
