"""The README lists the course as it is."""
import html
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

from courseware import kernel_views
from courseware.course import LESSONS, WAYS, lesson
from cuda_simulator.examination import Finding

import numpy as np
import opening_picture
import pytest
import update
from PIL import Image

from .test_bootstrap import ROOT, SIMULATOR

opening = importlib.import_module("opening")       # which opening_picture finds
players = importlib.import_module("players")
README = (ROOT / "README.md").read_text()
# The road, then side trips.
NOTEBOOKS = [ROOT / "notebooks" / lesson.notebook for lesson in sorted(LESSONS, key=lambda lesson: not lesson.number)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_lists_every_notebook_under_its_title(path):
    title = "".join(json.loads(path.read_text())["cells"][0]["source"]).splitlines()[0].removeprefix("# ").replace(" · ", " ")
    assert f"[{title}]({path.relative_to(ROOT)})" in README


def test_its_two_ways_are_the_courses():
    going_on = README.partition("## Where to go on")[2].partition("<details>")[0]
    ways = re.findall(r"(?m)^\*\*(.+?):?\*\*((?:.*\n)+?)\n.*\n\n((?:- .*\n)+)", going_on)
    assert [(title, re.findall(r"(?m)^- \[(\d\d) ", listed)) for title, _, listed in ways] == [
        (way.title, [lesson(topic).number for topic in way.topics]) for way in WAYS]
    (_, first, _), (_, second, listed) = ways
    assert re.findall(r"\*\*lesson (\d\d)\*\*", first) == [lesson(WAYS[0].topics[0]).number], "one step is the next"
    assert re.findall(r"(?m)^- .*?\): (.+\?)$", going_on) == [update.questions()[lesson(topic).notebook] for way in WAYS for topic in way.topics]
    assert "Five lessons lead to" in second and listed.count("- [") == 5


def test_its_moving_pictures_are_of_the_present_programs():
    drawings = opening_picture.drawings()
    assert set(re.findall(r"docs/(\w+\.svg)", README)) == set(drawings)
    for name, drawn in drawings.items():
        assert (ROOT / "docs" / name).read_text() == drawn, "run tools/opening_picture.py"
    assert Image.open(ROOT / "docs" / "opening.png").info["source"] == opening_picture.sum_of(opening_picture.card())


@pytest.mark.parametrize("name, answer, there", [("opening", "9 2 6 5", "a, old, b"),
                                                 ("late_block", "[2, 2, 2, 2]", "It prints: [2, 2, 2, 2]")])
def test_the_right_answer_shows_memory_after_the_step_that_proves_it_and_the_others_lead_on(name, answer, there):
    folds = [fold.partition("</details>")[0].strip() for fold in README.partition(f"docs/{name}.svg")[2].split("<details>")[1:4]]
    right, = (fold for fold in folds if f"docs/{name}_answer.svg" in fold)
    assert re.match(rf"<summary>{re.escape(answer)}</summary>\n\n\u2713 (?:.+\n|\n\w)+\n<img ", right), "sentences, and then the picture"
    assert [fold.endswith("\n\nTry another answer.") for fold in folds if fold != right] == [True, True]
    shown, *asked = (html.unescape((ROOT / "docs" / f"{name}{end}.svg").read_text()) for end in ("_answer", "", "_narrow"))
    assert there in shown and not any(there in picture.replace("\N{NO-BREAK SPACE}", " ") for picture in asked)
    assert 'class="line"' not in shown and "animation" not in shown


def test_its_pictures_show_the_lines_of_cpp_and_of_pytorch():
    for name, lines in (("opening", [line for line, _ in opening.cpp()[0]]), ("late_block", opening.late_block()[0].source.splitlines())):
        for kind in ("", "_narrow"):
            shown = re.findall(r'<text class="line"[^>]*>(.*?)</text>', (ROOT / "docs" / f"{name}{kind}.svg").read_text())
            assert " ".join(map(html.unescape, shown)).split() == " ".join(lines).split(), "on a phone long ones are broken"


def test_its_program_in_python_is_the_one_that_the_site_opens_with():
    assert f"```python\n{opening.PROGRAM}```\n" in README


def test_what_came_of_pytorchs_lines_is_what_the_page_about_them_says_and_that_asks_another_question():
    page = opening.FROM_PYTORCH
    (asked_there, _), = opening.of_document(page)
    assert asked_there not in [asked for asked, _ in opening.of_document(README)]
    told, there = (re.findall(r"\b(?:PyTorch \d\S+|H\d+|ones|twos|\d+ (?:runs )?of \d+)", words) for words in (
        opening.ON_A_GPU.search(README)[1], re.search(r"(?s)With PyTorch .*?(?=\. So )", page)[0]))
    assert told == there and len(told) == 6


@pytest.mark.parametrize("figure", [r"\d+ runs of \d+", r"`writes s\["])
def test_what_a_question_is_answered_with_stands_in_a_fold(figure):
    assert re.search(figure, README) and not re.search(figure, re.sub(r"(?s)<details>.*?</details>", "", README))


def test_its_report_is_of_the_boards_kernel_without_its_barrier_and_with_64_threads():
    source = players.TURN.replace("__syncthreads();", "").replace("s[3]", "s[64]").replace("2 - ", "63 - ")

    def two_warps():
        from course_lib import kernels

        import pycuda.driver as cuda
        kernels.compile(source).turn(1, 64, cuda.to_device(np.arange(64, dtype=np.int32)))
    report, = re.findall(r"(?s)```text\nfinding: (race: .*?)\n```", README)
    finding, = kernel_views.examine(two_warps).findings
    assert str(Finding(**finding)).startswith(" ".join(report.split()))
    assert max(map(len, report.splitlines())) < 44, "as a phone has room for"


def test_its_report_of_a_test_is_what_pytest_prints_of_the_program_on_the_page_about_tests(tmp_path):
    page = (SIMULATOR / "docs" / "other-projects.md").read_text()
    program, report = re.search(r"(?s)```python\n(.*?)```.*?^-+ mistakes in kernels -+\n(.*?)\n```", page, re.MULTILINE).groups()
    (tmp_path / "test_twice.py").write_text(program)
    command = [sys.executable, "-m", "pytest", "--cuda-simulator", "-p", "no:cacheprovider", "test_twice.py"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    assert " 1 passed" in printed and " ".join(report.split()) in " ".join(printed.split())
    listing, told, shown = re.search(r"(?s)```python\n(import numpy.*?)```.*?\nThere (.*?)\n\n```text\n(.*?) \.\.\.\n```", README).groups()
    assert listing == program
    assert " ".join(report.split()).startswith(" ".join(shown.split())) and max(map(len, shown.splitlines())) < 40
    launch, blocks, threads = re.search(r"(twice\[(\d+), (\d+)\])", program).groups()
    numbers = int(re.search(r"arange\((\d+)\)", program)[1])
    started = int(blocks) * int(threads)
    assert re.findall(r"`.*?`|[\d,]+\d", told) == [f"`{launch}`", f"{numbers:,}", str(started - numbers), f"{started:,}"]


def test_of_the_boards_reads_the_one_that_its_answer_says_comes_too_early_one_place_up():
    _, orders = players.board()
    (_, replies), order = opening.of_document(README)[-1], [access for accesses in zip(*orders["threads"]) for access in accesses]
    for thread, accesses in enumerate(orders["threads"]):
        place, read = next((place, access) for place, access in enumerate(order) if access is accesses[2])
        written = next(place for place, access in enumerate(order) if access["kind"] == "write" and access["name"] == read["name"])
        assert replies[f"thread {thread} reads {read['name']}"].startswith("\u2713" if written >= place - 1 else "\u2717")
    assert place - written == 5 and "five places before" in replies["thread 2 reads s[0]"]


@pytest.mark.parametrize("language", ["c", "c++"])
def test_its_program_in_cpp_compiles_as_it_stands(language):
    source, *_ = opening.IN_CPP.search(README).groups()
    headers = Path(importlib.util.find_spec("nvidia.cu13").submodule_search_locations[0]) / "include"
    subprocess.run(["g++", "-fsyntax-only", "-Wall", "-Werror", f"-x{language}", f"-I{headers}", "-"], input=source, text=True, check=True)


def test_each_line_of_the_program_has_lines_of_cpp_that_use_the_same_memory():
    lines, _ = opening.cpp()
    python = opening.PROGRAM.splitlines()
    assert all(number == 0 for _, number in lines[:2]) and sorted({number for _, number in lines} - {0}) == [5, 6, 7, 8, 9]
    for number in range(5, 10):
        names = set(re.findall(r"\b(?:a|b|old)\b", python[number - 1].partition("#")[0]))
        assert names == set(re.findall(r"\b(?:a|b|old)\b", " ".join(line for line, of in lines if of == number)))


def test_who_wants_no_motion_gets_a_picture_without_any():
    moving = [picture for picture in re.findall(r"(?s)<picture>(.*?)</picture>", README) if "reduce" in picture]
    assert len(moving) == len(opening_picture.FILMS)
    for picture in moving:
        pictures = {name: "reduce" in media for media, name in re.findall(r'<source media="([^"]+)" srcset="(\S+)">', picture)}
        pictures[re.search(r'<img src="(\S+)"', picture)[1]] = False
        assert sorted(pictures.values()) == [False, False, True, True], "for a phone and for a wide page"
        assert {name: "animation" not in (ROOT / name).read_text() for name in pictures} == pictures


def test_what_was_not_tried_is_said_in_one_place():
    places = [path.name for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
              for _ in re.findall(r"(?i)not (?:been )?tried yet|not yet (?:on|in) ", path.read_text())]
    assert places == ["install.md"]


def test_the_figures_of_the_simulated_driver_add_up_and_are_those_of_the_recording():
    page = (SIMULATOR / "docs" / "simulated-driver.md").read_text()
    number = lambda text: int(text.replace(",", ""))
    questions, answers, alike, differ = re.search(
        r"^\| ([\d,]+) questions, each with its answers \| ([\d,]+) answers \| ([\d,]+) \| ([\d,]+) \|", page,
        re.MULTILINE).groups()
    calls, same, other = re.search(r"sequences .* \| ([\d,]+) calls \| ([\d,]+) \| ([\d,]+) \|", page).groups()
    assert number(alike) + number(differ) == number(answers) and number(same) + number(other) == number(calls)
    recorded = json.loads((SIMULATOR / "tests" / "conformance" / "recorded" / "h200.json").read_text())["answers"]
    assert number(questions) == len(recorded)
