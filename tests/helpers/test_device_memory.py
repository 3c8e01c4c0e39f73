"""What other libraries see of memory: PyCUDA a pointer, Numba and others an array by its interface, NumPy the host's array."""
import contextlib

from course_lib import managed, mapped, pinned, reservation
from course_lib.core.errors import WrongArgument

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule
from pycuda.gpuarray import GPUArray

ADD_FIVE = "__global__ void add_five(int *x) { x[threadIdx.x] += 5; }"


@contextlib.contextmanager
def mapping(where="device"):
    size = reservation.granularity(where)
    with reservation.reserve(size) as addresses, reservation.create(size, where) as memory:
        view = addresses.map(memory)
        view.set_access("readwrite")
        yield view


@contextlib.contextmanager
def reserved():
    with mapping() as view:
        yield view.addresses


@contextlib.contextmanager
def buffer():
    size = reservation.granularity()
    with reservation.GrowingBuffer(2 * size) as growing:
        growing.grow(size)
        yield growing


MEMORIES = {"pinned": lambda: pinned.allocate(4, np.int32), "registered": lambda: pinned.register(np.zeros(4, np.int32)),
            "managed": lambda: managed.allocate(4, np.int32), "mapping": mapping, "mapping on the host": lambda: mapping("host"),
            "reserved addresses": reserved,
            "growing buffer": buffer}


@pytest.fixture(params=MEMORIES)
def memory(request):
    with MEMORIES[request.param]() as memory:
        yield memory


def numbers_in(memory):
    return GPUArray(4, np.int32, gpudata=memory).get().tolist()


def test_pycuda_copies_to_it_and_has_an_array_of_it(memory):
    cuda.memcpy_htod(memory, np.arange(4, dtype=np.int32))
    assert (GPUArray(4, np.int32, gpudata=memory) * 2).get().tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("prepared", [False, True])
def test_pycudas_kernels_take_it(memory, prepared):
    add_five = SourceModule(ADD_FIVE).get_function("add_five")
    cuda.memcpy_htod(memory, np.arange(4, dtype=np.int32))
    if prepared:
        add_five.prepare("P").prepared_call((1, 1), (4, 1, 1), memory)
    else:
        add_five(memory, block=(4, 1, 1))
    assert numbers_in(memory) == [5, 6, 7, 8]


def test_its_interface_names_its_bytes_and_the_default_stream(memory):
    interface = memory.__cuda_array_interface__
    assert interface["data"] == (memory.device_address, False) and (interface["version"], interface["stream"]) == (3, 1)
    assert np.prod(interface["shape"]) * np.dtype(interface["typestr"]).itemsize == memory.nbytes


def test_the_interface_of_an_array_keeps_its_shape_and_order():
    with pinned.register(np.zeros((2, 3), order="F")) as memory:
        interface = memory.__cuda_array_interface__
        assert (interface["shape"], interface["strides"], interface["typestr"]) == ((2, 3), (8, 16), "<f8")


def test_the_interface_says_what_may_only_be_read():
    with mapping() as memory:
        memory.set_access("read")
        assert memory.__cuda_array_interface__["data"][1] is True


@pytest.mark.parametrize("kind", ["pinned", "registered", "managed"])
def test_numpy_takes_host_memory_as_the_array_that_it_is(kind):
    with MEMORIES[kind]() as memory:
        assert np.asarray(memory) is memory.array and np.shares_memory(np.from_dlpack(memory), memory.array)
        assert not np.shares_memory(np.array(memory), memory.array)
        assert np.asarray(memory, np.float64).dtype == np.float64
        with pytest.raises(ValueError, match="only by a copy"):
            memory.__array__(np.float64, copy=False)
        assert np.shares_memory(memory.__array__(memory.array.dtype, copy=False), memory.array)


def test_dlpack_calls_it_pinned_or_managed_and_numpy_still_reads_it():
    with pinned.allocate(4, np.int32) as locked, managed.allocate(4, np.int32) as moving:
        assert (locked.__dlpack_device__(), moving.__dlpack_device__()) == ((3, 0), (13, 0))     # dlpack.h: kDLCUDAHost, kDLCUDAManaged
        for memory in (locked, moving):
            memory.array[:] = range(4)
            assert np.from_dlpack(memory).tolist() == [0, 1, 2, 3]
            with pytest.raises(BufferError):
                memory.__dlpack__(dl_device=(2, 0))     # kDLCUDA: it is not there


def test_numpy_shows_a_mapping_on_the_host_once_the_host_has_access():
    with mapping("host") as memory:
        memory.set_access("readwrite", who="host")
        np.asarray(memory)[:2] = 7, 8
        assert bytes(cuda.from_device(int(memory), 2, np.uint8)) == b"\7\x08"


def test_an_array_of_device_memory_is_pycudas_and_the_error_says_how():
    with mapping() as memory, pytest.raises(WrongArgument, match="GPUArray.*gpudata="):
        mapped.as_gpuarray(memory)


def test_a_broken_context_is_reported_before_a_buffer_grows(in_new_process):
    printed = in_new_process("""
import course_lib
import pycuda.autoinit
from course_lib import kernels, reservation
from course_lib.core.errors import CudaError
buffer = reservation.GrowingBuffer(reservation.granularity())
kernels.compile("__global__ void write(int *x) { *x = 1; }").write(1, 1, buffer.device_address)
try:
    buffer.grow(buffer.most)
except CudaError as error:
    print(error.name, error.__context__, buffer.nbytes)
""").stdout
    assert printed == "CUDA_ERROR_ILLEGAL_ADDRESS None 0\n"
