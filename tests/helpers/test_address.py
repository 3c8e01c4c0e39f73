"""The number behind everything that has an address, and whether the host may read there."""
import ctypes
import mmap

from course_lib import pinned, reservation
from course_lib.core.address import address_of, host_may_read
from course_lib.core.errors import WrongPointer

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from cuda.bindings import driver as cu


class Foreign:
    """Another library's array: all that is known of it is its interface."""

    __cuda_array_interface__ = {"data": (0x7f0000001000, False), "shape": (4,), "typestr": "<i4", "version": 3}


@pytest.mark.parametrize("number", [0, 1, 4096, (1 << 64) - 1, np.uint64(4096), cu.CUdeviceptr(4096)])
def test_a_number_of_64_bits_is_an_address(number):
    assert address_of(number) == int(number) and type(address_of(number)) is int


@pytest.mark.parametrize("thing", [-1, 1 << 64, 4096.0, np.float32(4096), "4096", True, None, object(), [4096]])
def test_anything_else_is_refused(thing):
    with pytest.raises(WrongPointer, match="is not an address: pass an int from 0 to 2\\*\\*64 - 1, or an array or allocation"):
        address_of(thing)


def test_memory_gives_the_address_of_its_first_byte():
    allocation, array, on_device = cuda.mem_alloc(64), np.arange(9), gpuarray.zeros(4, np.int32)
    assert address_of(allocation) == int(allocation)
    assert (address_of(array), address_of(array[2:])) == (array.ctypes.data, array.ctypes.data + 16)
    assert (address_of(on_device), address_of(on_device[1:])) == (int(on_device.gpudata), int(on_device.gpudata) + 4)
    assert address_of(Foreign()) == 0x7f0000001000
    with pinned.allocate(16) as host, reservation.reserve(reservation.granularity()) as addresses:
        assert (address_of(host), address_of(addresses)) == (host.device_address, addresses.start)


def test_the_host_may_read_from_the_first_byte_of_its_pages_to_the_last_and_none_of_a_page_that_is_closed():
    pages, size = mmap.mmap(-1, 3 * mmap.PAGESIZE), mmap.PAGESIZE
    first = np.frombuffer(pages, np.uint8).ctypes.data
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(first + size), ctypes.c_size_t(size), 0) == 0
    bytes_asked = [first, first + size - 1, first + size, first + 2 * size - 1, first + 2 * size, first + 3 * size - 1]
    assert [host_may_read(address) for address in bytes_asked] == [True, True, False, False, True, True]
    assert not host_may_read(0) and not host_may_read((1 << 64) - 1)
