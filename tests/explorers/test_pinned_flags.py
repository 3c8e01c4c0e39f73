"""Flags of pinned memory: asked for, and reported."""
import itertools

from course_lib import pinned
from course_lib.core import errors
from courseware import explorers
from courseware.explorers.panel import Answer

import pytest

FLAGS = {"allocate": ["portable", "devicemap", "writecombined"],
         "register": ["portable", "devicemap", "iomemory", "read_only"]}
READ_ONLY = "pages that cannot be written"


def reported(answer):
    """{flag: (asked, reported)}"""
    return {flag: (asked, told) for flag, asked, told in answer.rows}


@pytest.mark.parametrize("flags", [flags for n in range(4) for flags in itertools.combinations(FLAGS["allocate"], n)])
def test_memory_allocated_alone_has_the_flags_asked_for_and_devicemap(flags):
    answer = explorers.pinned_flags(*flags or [""])
    assert "answers CUDA_SUCCESS" in answer.sentence and "are equal" in answer.remark
    for flag, (asked, told) in reported(answer).items():
        assert asked == ("yes" if flag in flags else "no")
        assert told == ("yes" if flag in flags or flag == "devicemap" else "no")


def test_a_small_piece_tells_the_portable_flag_of_the_larger_one_it_was_cut_from():
    with pinned.allocate(4096, flags="portable"):
        answer = explorers.pinned_flags("", size="4 KiB")
        if reported(answer)["portable"] == ("no", "yes"):
            assert "cut from a larger piece" in answer.remark
        else:
            assert "cut from" not in answer.remark


def test_registering_is_refused_for_each_reason_with_cudas_name():
    assert "CUDA_SUCCESS" in explorers.pinned_flags("", how="register", size="4 KiB").sentence
    again = explorers.pinned_flags("", how="register", pages="an array that is registered already")
    assert "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" in again.sentence and "unregister it first" in again.remark
    memory_of_io = explorers.pinned_flags("iomemory", how="register")
    assert "CUDA_ERROR_INVALID_VALUE" in memory_of_io.sentence and "PCIe" in memory_of_io.remark
    pages = explorers.pinned_flags("", how="register", pages=READ_ONLY)
    assert "CUDA_ERROR_INVALID_VALUE" in pages.sentence and "ask for read_only" in pages.remark
    assert "CUDA_SUCCESS" in explorers.pinned_flags("read_only", how="register", pages=READ_ONLY).sentence


def test_registers_own_flags_are_told_by_nobody():
    answer = explorers.pinned_flags("read_only", how="register")
    assert reported(answer)["read_only"] == ("yes", "not told") and reported(answer)["devicemap"] == ("no", "yes")


@pytest.mark.parametrize("flags, settings, says", [
    (["fast"], {}, "cuMemHostAlloc has no flag 'fast': there are portable"),
    (["read_only"], {}, "no flag 'read_only'"),
    ([["portable"]], {}, "no flag"),
    (["portable"], {"how": "steal"}, "'steal' is not one of: allocate, register"),
    (["portable"], {"size": 4096}, "4096 is not one of: 4 KiB, 4 MiB"),
    ([""], {"how": "register", "pages": "some"}, "'some' is not one of"),
])
def test_a_wrong_word_is_answered_with_the_right_ones(flags, settings, says):
    with pytest.raises(errors.WrongArgument, match=says):
        explorers.pinned_flags(*flags, **settings)


def test_the_flags_shown_are_those_of_the_call_chosen():
    made = explorers.pinned_flags()
    chosen, _, pages, *rows = made.children[:-1]
    for how in FLAGS:
        chosen.value = how
        visible = [box.description for row in rows if row.layout.display == "flex" for box in row.children]
        assert visible == FLAGS[how]
        assert (pages.layout.display == "flex") == (how == "register")


def test_switches_and_the_plain_call_answer_alike():
    made = explorers.pinned_flags()
    rows = made.children[3].children
    rows[0].value = rows[2].value = True
    plain = explorers.pinned_flags("portable", "writecombined")
    assert isinstance(plain, Answer) and made.answer.value.endswith(plain.html(announced=True))
