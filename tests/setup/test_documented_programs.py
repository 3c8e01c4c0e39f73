"""The programs and snippets of documents print what stands below them, with the driver at hand."""
import re

from courseware import sandbox

import pytest

from .test_questions import ROOT

PAGES = ["in-your-own-program", "error-messages"]
# What the simulated driver says of the faults that programs of these pages make on purpose
FAULTS = ("kernel write: no memory that this kernel may write;", "kernel write: the address is not a multiple of 4;", "kernel check: trap;")
PROGRAM = re.compile(r"```python\n(.*?)```\n\n```\n(.*?)```", flags=re.DOTALL)


def programs(page):
    for section in (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        for number, (program, printed) in enumerate(PROGRAM.findall(section)):
            yield pytest.param(program, printed, id=f"{section.partition(chr(10))[0]}{f' ({number + 1})' if number else ''}")


EVERY = [program for page in PAGES for program in programs(page)]
OF_A_FILE = [program for program in EVERY if "multiprocessing" in program.values[0]]


@pytest.mark.parametrize("program, printed", [program for program in EVERY if program not in OF_A_FILE])
def test_a_program_prints_what_stands_below_it(program, printed):
    ended = sandbox.run(program, context=False)
    assert (ended.printed, ended.ok) == (printed, True), ended.explanation
    assert ended.explanation == "" or ended.explanation.startswith(FAULTS)


@pytest.mark.parametrize("program, printed", OF_A_FILE)
def test_so_does_a_program_that_starts_its_own_file_once_more(program, printed, in_new_process, tmp_path):
    (tmp_path / "program.py").write_text(program)
    ended = in_new_process(None, "program.py")
    assert (ended.stdout, ended.stderr, ended.returncode) == (printed, "", 0)


@pytest.mark.parametrize("page", PAGES)
def test_every_program_of_a_page_is_run(page):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert text.count("```python") == len(list(programs(page))) > 5


def test_the_list_of_errors_has_every_section_in_order():
    text = (ROOT / "docs" / "error-messages.md").read_text(encoding="utf-8")
    listed = [" ".join(words.split()) for words, place in re.findall(r"\[([^\]]+)\]\(#([\w-]+)\)", text.partition("\n## ")[0])]
    sections = re.findall(r"(?m)^## (.+)", text)
    assert [words for words in listed if words in sections] == sections


def test_a_program_for_your_own_use_has_at_most_thirty_lines():
    assert [program.id for program in programs("in-your-own-program") if program.values[0].count("\n") > 30] == []
