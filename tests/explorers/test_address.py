"""An address typed in, and what is known of it."""
import sys

from course_lib import pinned
from course_lib.core import errors
from courseware import explorers

import numpy as np
import pycuda.driver as cuda
import pytest
from hypothesis import given, strategies as some


class Shell:
    """A notebook with these variables."""

    def __init__(self, **names):
        self.user_ns = names


@pytest.fixture
def notebook(monkeypatch):
    """Set the notebook's variables: ``notebook(name=value)``."""
    def have(**names):
        monkeypatch.setattr(sys.modules["courseware.explorers.address"], "get_ipython", lambda: Shell(**names))
    return have


def known(answer):
    return dict(answer.rows)


def test_pinned_memory_has_a_host_pointer_and_the_byte_is_counted(notebook):
    with pinned.allocate(100) as host:
        start = host.host_address
        notebook(host=host, number=start + 7)
        for text in ("host + 7", "number", str(start + 7), f"{start + 7:#x}", f" {start + 17} - 10 "):
            answer = explorers.address(text)
            assert answer.sentence.endswith("pinned memory")
            assert known(answer)["this byte"] == "number 7 of 100"
            assert known(answer)["host pointer"] == f"{start + 7:#x}"


def test_device_memory_has_none_and_the_reason_is_told():
    on_device = cuda.mem_alloc(64)
    answer = explorers.address(on_device)
    assert "device memory" in answer.sentence and known(answer)["host pointer"] == "none"
    assert answer.remark.startswith("DEVICE_MEMORY")


def test_a_name_may_lead_to_an_attribute(notebook):
    array = np.zeros(4)
    notebook(array=array)
    assert f"{array.ctypes.data:#x}: pageable memory" in explorers.address("array.ctypes.data").sentence


@pytest.mark.parametrize("text, says", [
    ("nothing", "the notebook has no variable nothing"), ("array.length", "array has no length"),
    ("(", "cannot be read"), ("", "cannot be read"), ("array\0", "cannot be read"), ("f(3)", "is not understood here"),
    ("'text'", "is not understood here"), ("1e9", "is not understood here"), ("-5", "is not understood here"), ("True", "is not understood here"),
    ("word", "is not an address"), ("none", "is not an address"), ("array + word", "not a number of bytes"), ("array * 2", "is not understood here"),
    ("1 - 2", "is not an address"), ("0x1ffffffffffffffff", "is not an address"), ("9" * 5000, "5000 characters"),
])
def test_what_leads_to_no_address_is_answered_with_a_sentence(notebook, text, says):
    notebook(array=np.zeros(4), word="hello", none=None)
    with pytest.raises(errors.WrongPointer, match=says):
        explorers.address(text)
    explorer = explorers.address()
    explorer.children[0].children[0].value = text
    assert "Traceback" not in explorer.answer.value and "could not be answered" not in explorer.answer.value


@given(some.text(max_size=40) | some.from_regex(r"[\w.+\-() x]{0,12}", fullmatch=True))
def test_no_text_raises_anything_but_a_sentence(text):
    try:
        explorers.address(text)
    except errors.WrongPointer as error:
        assert len(str(error)) > 10


@given(some.integers(0, (1 << 64) - 1))
def test_every_number_that_can_be_an_address_is_answered(number):
    assert explorers.address(hex(number)).sentence.startswith(f"{number:#x} = {number:#x}: ")


def test_look_again_asks_anew():
    on_device = cuda.mem_alloc(64)
    explorer = explorers.address()
    text, again = explorer.children[0].children
    text.value = hex(int(on_device))
    assert "device memory" in explorer.answer.value
    on_device.free()
    again.click()
    assert "freed" in explorer.answer.value


def test_nothing_typed_yet_is_told_what_to_type():
    assert "press Enter" in explorers.address().answer.value
