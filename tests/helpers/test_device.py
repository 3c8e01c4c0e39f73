"""Calls that hand out nothing, one value or several; the device's attributes, and the locations that the driver is told."""
from course_lib.core import device, errors

import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu


def test_ask_returns_the_one_value_and_ask_all_several():
    assert int(errors.ask(cu.cuCtxGetDevice)) == device.current_device() == 0
    assert errors.ask(cu.cuCtxSynchronize) is None
    free, total = errors.ask_all(cu.cuMemGetInfo)
    assert 0 < free <= total


def test_ask_refuses_a_function_that_hands_out_several_values():
    with pytest.raises(errors.WrongArgument, match=r"cuMemGetInfo hands out 2 values: ask_all\(\)"):
        errors.ask(cu.cuMemGetInfo)


def test_do_returns_nothing_and_raises_what_the_driver_refuses():
    assert errors.do(cu.cuMemGetInfo) is None
    for call in (errors.ask, errors.ask_all, errors.do):
        with pytest.raises(errors.CudaError, match="cuMemFree answers CUDA_ERROR_INVALID_VALUE"):
            call(cu.cuMemFree, 1)


def test_the_attributes_are_those_that_pycuda_tells():
    current = cuda.Context.get_device()
    for name in ("UNIFIED_ADDRESSING", "MAX_GRID_DIM_Y", "CONCURRENT_MANAGED_ACCESS"):
        assert device.device_attribute(name) == current.get_attribute(getattr(cuda.device_attribute, name))


def test_without_a_context_there_is_no_device_to_ask(context):
    context.pop()
    try:
        with pytest.raises(errors.WrongContext):
            device.device_attribute("UNIFIED_ADDRESSING")
    finally:
        context.push()


@pytest.mark.parametrize("where, numa, kind", [("device", False, "DEVICE"), ("device", True, "DEVICE"), ("host", False, "HOST"),
                                               ("host", True, "HOST_NUMA")])
def test_a_location_says_of_which_kind_it_is_and_which_one(where, numa, kind):
    location = device.location(where, numa)
    assert location.type == getattr(cu.CUmemLocationType, f"CU_MEM_LOCATION_TYPE_{kind}") and location.id == 0


def test_memory_is_on_the_device_or_on_the_host():
    with pytest.raises(errors.WrongArgument, match="'disk'"):
        device.location("disk")
