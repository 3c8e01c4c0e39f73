"""Memory that is a NumPy array: when pinned and managed memory are given back, and as what others get it."""
import ctypes
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
    assert memory.released and repr(memory) == f"<{kind.value}, released>"


# dlpack.h: where the device is in what a capsule of that name holds; the kinds of devices.
DEVICE_AT = {b"dltensor": 8, b"dltensor_versioned": 40}
CPU, CUDA_HOST, CUDA_MANAGED = 1, 3, 13


@BOTH
@pytest.mark.parametrize("name, asked", [(b"dltensor", {}), (b"dltensor_versioned", {"max_version": (1, 0)}), (b"dltensor", {"dl_device": (CPU, 0)}),
                                         (b"dltensor", {"dl_device": None})])
def test_by_dlpack_it_is_the_devices_too_unless_the_reader_asks_for_the_hosts(allocate, kind, name, asked):
    inside = ctypes.pythonapi.PyCapsule_GetPointer
    inside.restype, inside.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    with allocate(4, "int32") as memory:
        capsule = memory.__dlpack__(**asked)
        device = ctypes.c_int32.from_address(inside(capsule, name) + DEVICE_AT[name]).value
    assert device == (CPU if asked.get("dl_device") else {pointers.Kind.PINNED: CUDA_HOST, pointers.Kind.MANAGED: CUDA_MANAGED}[kind])
