"""docs/questions.md: each cell prints what stands below it, with the driver at hand. docs/from-pytorch.md: its program, if the GPU is late."""
import re
from pathlib import Path

from courseware.follow import follow_source

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}


@pytest.mark.parametrize("question", SECTIONS)
def test_a_cell_prints_what_stands_below_it(question, in_new_process):
    cell, = re.findall(r"```python\n(.*?)```", SECTIONS[question], flags=re.DOTALL)
    printed, = re.findall(r"```\n(.*?)```", SECTIONS[question].split("```python")[1].partition("```")[2], flags=re.DOTALL)
    ended = in_new_process(cell)
    assert (ended.stdout, ended.stderr) == (printed, "")


def test_a_block_that_goes_to_another_tensor_before_a_late_copy_is_done_brings_the_others_numbers():
    page = (ROOT / "docs" / "from-pytorch.md").read_text(encoding="utf-8")
    program, printed = re.search(r"```python\n(.*?)```.*?%%follow.*?prints `(.*?)`", page, flags=re.DOTALL).groups()
    assert follow_source(program, timeout=60).outcome.printed == f"{printed}\n" == "[2, 2, 2, 2]\n"


def test_there_are_five():
    assert len(SECTIONS) == 5
