"""Each of the programs has the steps that are kept in steps/: on every Python, and however it ends."""
import re
from pathlib import Path

from courseware.follow import follow

import pytest

from .programs import PROGRAMS

COMMAND = "python -m tests.follow"


def kept(program):
    """The file with the steps of a program."""
    return Path(__file__).parent / "steps" / f"{program.__name__}.txt"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_has_the_steps_that_are_kept(program):
    assert f"{follow(program, timeout=600)!r}\n" == kept(program).read_text(), f"if it should, `{COMMAND}` keeps them anew"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_steps_have_no_address(program):
    assert not re.search("0x[0-9a-f]{6,}|[0-9]{12,}", kept(program).read_text())
