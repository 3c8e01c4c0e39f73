"""The steps of a virtual reservation, forward and back."""
import re

from course_lib.core import errors
from courseware import explorers
from courseware.explorers import reservation_walk
from courseware.explorers.host_reads import host_reads
from courseware.explorers.reservation_walk import STEPS, Walk

import numpy as np
import pytest

ORDER = ["start", "reserve", "create", "map", "set access", "write", "unmap", "release", "free"]
HOST, COPY, KERNEL, BACK = ("the host reads the address", "cuMemcpyDtoH from the address", "a kernel uses the address",
                            "the way back to a host pointer")


def happens(step, where="device"):
    """{what is tried: what happens} after a step."""
    return dict(explorers.reservation_steps(step, where).rows)


def test_there_are_eight_steps_in_the_order_that_cuda_needs():
    assert list(STEPS) == ORDER
    assert not happens("start")


@pytest.mark.parametrize("where", ["device", "host"])
@pytest.mark.parametrize("step", ORDER[1:])
def test_a_copy_and_a_kernel_reach_the_memory_only_between_access_and_unmap(step, where):
    usable = step in ("set access", "write")
    assert (happens(step, where)[COPY] == "CUDA_SUCCESS") == usable
    assert (happens(step, where)[KERNEL] == "works") == usable


@pytest.mark.parametrize("step", ORDER[1:])
def test_the_host_reaches_only_memory_on_the_host_that_it_was_given_access_to(step):
    assert happens(step)[HOST] == "segmentation fault"
    usable = step in ("set access", "write")
    assert happens(step, "host")[HOST] == ("works" if usable else "segmentation fault")
    assert (happens(step, "host")[BACK] == "the same address") == usable


def test_a_copy_that_an_h200s_driver_does_not_survive_is_told_and_not_tried(monkeypatch):
    tried = []
    monkeypatch.setattr(reservation_walk.cu, "cuMemcpyDtoH", lambda *arguments: tried.append(arguments))
    assert happens("map", "host")[COPY] == "segmentation fault, in the driver"
    assert not tried


@pytest.mark.parametrize("step, reason", [
    ("reserve", "RESERVED_ONLY"), ("create", "RESERVED_ONLY"), ("map", "DEVICE_MEMORY"), ("write", "DEVICE_MEMORY"),
    ("unmap", "RESERVED_ONLY"), ("free", "FREED")])
def test_there_is_no_way_back_and_the_reason_follows_the_steps(step, reason):
    assert happens(step)[BACK] == f"none: {reason}"


@pytest.mark.parametrize("step", ORDER[1:])
def test_a_call_out_of_order_is_refused_after_every_step(step):
    *_, (_, answer) = explorers.reservation_steps(step).rows
    assert answer == "CUDA_ERROR_INVALID_VALUE"


def test_the_number_written_is_in_the_memory():
    walk = Walk("host")
    try:
        walk.go_to("write")
        assert walk.mapping.array("int32")[0] == 42
    finally:
        walk.close()


def test_next_and_back_move_one_step_and_stop_at_the_ends():
    made = explorers.reservation_steps()
    (back, forward, _), step = made.children[0].children, made.children[1]
    seen = [step.value]
    for button in [forward] * 9 + [back] * 9:
        button.click()
        seen.append(step.value)
    assert seen == [*ORDER, ORDER[-1], *ORDER[-2::-1], ORDER[0]]


def test_the_widget_and_the_plain_call_answer_alike():
    made = explorers.reservation_steps()
    (*_, where), step, _ = made.children[0].children, *made.children[1:]
    step.value, where.value = "map", "host"
    plain = explorers.reservation_steps(3, "host")
    shown, told = (re.sub(r"map-\w+|0x\w+", "", text) for text in (made.answer.value, plain.html(announced=True)))
    assert plain.picture and shown.endswith(told)


def test_the_memory_map_follows_the_steps():
    kinds = [set(re.findall("reserved addresses|physical memory without an address|mapped reservation, no access for kernels|"
                            "mapped reservation|freed", explorers.reservation_steps(step).picture)) for step in ORDER]
    reserved, unmapped, mapped = "reserved addresses", "physical memory without an address", "mapped reservation"
    assert kinds[:4] == [set(), {reserved}, {reserved, unmapped}, {f"{mapped}, no access for kernels"}]
    assert kinds[4:] == [{mapped}, {mapped}, {reserved, unmapped}, {reserved, "freed"}, {"freed"}]


@pytest.mark.parametrize("arguments, says", [
    (("jump",), "'jump' is not a step: the steps are start, reserve"), ((9,), "9 is not a step"), ((-1,), "not a step"),
    (("map", "moon"), "'moon' is not a place"), (([],), "not a step")])
def test_a_wrong_word_is_answered_with_the_right_ones(arguments, says):
    with pytest.raises(errors.WrongArgument, match=says.replace("[", r"\[")):
        explorers.reservation_steps(*arguments)


def test_what_the_host_reads_is_told_without_a_segmentation_fault():
    assert host_reads(np.zeros(1).ctypes.data) and not host_reads(0) and not host_reads(1 << 63)
