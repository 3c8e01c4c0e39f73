"""The teacher's guide: its times, plans and exercises are the course's, and what it tells to type works."""
import ast
import json
import re
from pathlib import Path

import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from course_lib.core.errors import WrongArgument
from courseware import progress
from courseware.course import LESSONS, SHORT_ROAD, lesson
from courseware.exercises.__main__ import EXAM_MINUTES, main, minutes, times
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.listing import LISTINGS
from courseware.notebook import progress_file
from courseware.predictions.catalogue import PREDICTIONS

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "teachers-guide.md").read_text(encoding="utf-8")
# What the guide calls a notebook, a number or a side trip's title -> its file; the road first.
NOTEBOOKS = {lesson.number or lesson.title: ROOT / "notebooks" / lesson.notebook
             for lesson in sorted(LESSONS, key=lambda lesson: not lesson.number)}
SIDE_TRIPS = [lesson.title for lesson in LESSONS if not lesson.number]
NEAR = 5    # minutes: the plan of an afternoon rounds to fives
# What stands in the guide's code font and is neither a prediction nor an exercise.
OTHER_NAMES = {"grade", "graded-course", "nbgrader", "unshare", "if", "free", "malloc", "real", "simulated", "python3", "off", "release"}


def section(title):
    return re.split(r"\n#+ ", GUIDE.split(f" {title}\n")[1])[0]


def rows(title):
    """The rows of a section's table, below its headings: lists of texts."""
    lines = re.findall(r"^\| (.+) \|$", section(title), flags=re.MULTILINE)
    return [[text.strip() for text in re.split(r"(?<!\\)\|", line)] for line in lines[1:]]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, flags=re.DOTALL)


def code(number):
    return "\n".join("".join(cell["source"]) for cell in json.loads(NOTEBOOKS[number].read_text())["cells"]
                     if cell["cell_type"] == "code")


def block_with(text):
    block, = [block for block in blocks("python") if text in block]
    return block


# Times and plans ------------------------------------------------------------------------------------------------------

def cells(line):
    return [text.strip() for text in line.strip("| ").split("|")]


def test_the_command_prints_the_minutes_of_the_notebooks_and_their_sum():
    *printed, together = [cells(line) for line in times().splitlines()[2:]]
    exam = next(row for row in printed if row[0] == "the exam, in 12")
    assert exam[1:] == [str(EXAM_MINUTES)] * 2 and "exercises.exam()" in code("12")
    printed.remove(exam)
    assert len(printed) == len(NOTEBOOKS)
    for (link, whole, solving), path in zip(printed, NOTEBOOKS.values()):
        assert (ROOT / "docs" / re.search(r"\]\((.+)\)", link)[1]).resolve() == path
        counted = minutes(path)
        assert int(whole) % 5 == 0 and abs(int(whole) - sum(counted)) <= 2.5 and int(solving) == counted[2], link
    assert [int(cell) for cell in together[1:]] == [sum(int(row[place]) for row in [*printed, exam]) for place in (1, 2)]


def test_the_sessions_have_every_notebook_once_and_in_order():
    named = [numbers.split(", ") for _, numbers, _ in rows("Three sessions")]
    others = [title for title in SIDE_TRIPS if not any(title in names for names in named)]
    planned = [[number for name in names for number in (others if name == "and the other side trips" else [name])] for names in named]
    assert sorted(number for numbers in planned for number in numbers) == sorted(NOTEBOOKS)
    assert all(numbers == sorted(numbers, key=list(NOTEBOOKS).index) for numbers in planned)


def test_the_afternoon_lasts_three_hours():
    planned = [(number, names.split(", ") if names else [], int(took)) for number, names, took in rows("One afternoon")]
    for number, names, took in planned:
        reading, running, _ = minutes(NOTEBOOKS[number])
        assert all(f'exercises.show("{name}")' in code(number) for name in names)
        assert abs(took - (reading + running + sum(EXERCISES[name].minutes for name in names))) <= NEAR, number
    assert sum(took for _, _, took in planned) <= 180


# Exercises and predictions --------------------------------------------------------------------------------------------

def test_an_exercise_is_shown_in_the_notebook_of_its_lesson_and_no_other():
    shown = {name: number for number in NOTEBOOKS for name in re.findall(r'exercises\.show\("([^"]+)"\)', code(number))}
    assert shown == {exercise.id: lesson(exercise.lesson).number or lesson(exercise.lesson).title for exercise in EXERCISES.values()}
    assert all(exercise.tests and exercise.slips for exercise in EXERCISES.values())


def test_a_prediction_that_the_guide_names_is_in_the_notebook_it_names():
    text = section("Where learners go wrong")
    named = re.findall(rf"({'|'.join(map(re.escape, NOTEBOOKS))}) `([a-z0-9-]+)`", text)
    assert len(named) == len([name for name in re.findall(r"`([a-z0-9-]+)`", text) if name in PREDICTIONS]) > 10
    assert [(number, name) for number, name in named if f'"{name}"' not in code(number)] == []


def test_every_name_in_the_guide_is_a_prediction_an_exercise_or_known():
    assert set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)*)`", GUIDE)) - {*EXERCISES, *PREDICTIONS} == OTHER_NAMES
    assert set(re.findall(r"\b(?:exercise|exercises) `([^`]+)`", GUIDE)) <= set(EXERCISES)
    assert set(re.findall(r"\bprediction `([^`]+)`", GUIDE)) <= set(PREDICTIONS)


def test_a_section_of_a_lesson_that_the_first_session_names_is_in_that_lesson():
    named = re.findall(r'(\d\d), "([^"]+)"', section("The first session"))
    assert len(named) == 3
    for number, heading in named:
        prose = [line for cell in json.loads(NOTEBOOKS[number].read_text())["cells"] if cell["cell_type"] == "markdown"
                 for line in "".join(cell["source"]).splitlines()]
        assert f"## {heading}" in prose


def test_the_first_session_lasts_an_hour():
    assert sum(int(took) for took, _ in rows("The first session") if took.isdigit()) == 60


def test_the_short_road_is_the_course_s_and_takes_two_and_a_half_hours():
    road = [lesson(topic).number for topic in SHORT_ROAD]
    assert [number for number, _ in rows("The short road")] == road
    assert 120 <= sum(sum(minutes(NOTEBOOKS[number])) for number in road) <= 165
    paragraph = next(text for cell in json.loads(NOTEBOOKS["00"].read_text())["cells"] for text in "".join(cell["source"]).split("\n\n")
                     if "*short road*" in text)
    assert re.findall(r"\b\d\d\b(?=[ \]])", paragraph) == road


def test_a_variable_that_answers_a_prediction_is_in_a_notebook():
    variable, answer = re.search(r'`(\w+)\.answer\("(\w+)"\)`', GUIDE).groups()
    name = re.search(rf'^{variable} = predict\("([^"]+)"', code("00"), re.MULTILINE)[1]
    assert answer in PREDICTIONS[name]["options"]


def test_a_file_that_the_guide_names_is_written_by_somebody():
    """By the course, by Jupyter, by nbgrader, or by the reader: then it is in the list here."""
    by_notebooks = {progress_file.FILE, progress.CERTIFICATE}
    by_the_reader = {"own_exercises.py", "jupyterhub_config.py", "class.csv", "gpu1.json", "answers.md", "ada.md"}
    by_commands = {"gradebook.csv", *(f"class-{name}.png" for name in ("lessons", "learners", "mistakes")), "grades.csv",
                   "nbgrader_config.py"}
    named = set(re.findall(r"`([\w-]+\.(?:json|md|py|csv|png))`", GUIDE))
    assert named <= {*by_notebooks, *by_the_reader, *by_commands}


# Commands -------------------------------------------------------------------------------------------------------------

def test_the_command_tells_each_mistake_and_its_message(capsys):
    main(["to-host", "vmm-order"])
    printed = capsys.readouterr().out
    for name in ("to-host", "vmm-order"):
        assert all(mistake.message in printed for mistake in EXERCISES[name].mistakes)
        assert all(hint in printed for hint in EXERCISES[name].hints)


@pytest.mark.parametrize("names, says", [
    ([], f"{len(EXERCISES)} exercises | {sum(exercise.minutes for exercise in EXERCISES.values())} "), (["reservations"], "# vmm-order: "), (["09"], "# vmm-order: "),
    (["times"], "| together ")])
def test_the_command_tells_all_exercises_those_of_a_lesson_or_their_times(names, says, capsys):
    assert main(names) == 0
    printed = capsys.readouterr().out
    assert says in " ".join(printed.split()) and "# to-host: " not in printed


def test_the_command_tells_the_right_options_of_every_listing_and_refutes_the_others(capsys):
    main(["exam"])
    printed = capsys.readouterr().out
    lines = [line for listing in LISTINGS.values() for line in listing.lines]
    assert printed.count("**(right)**") == len(lines) and all(f"- `{line.right}` **(right)**" in printed for line in lines)
    assert all(f"- `{option}` {see.why} {see.link}" in printed for line in lines for option, see in line.wrong.items())


def test_an_exercise_that_there_is_not_is_a_sentence(capsys):
    assert main(["vmm-ordre"]) == 1
    assert capsys.readouterr().out == "There is no exercise 'vmm-ordre'. Did you mean 'vmm-order'?\n"


def test_times_without_notebooks_are_a_sentence(tmp_path):
    with pytest.raises(WrongArgument, match="There are no notebooks in"):
        times(tmp_path)


def test_every_link_of_the_documents_leads_somewhere():
    for document in (ROOT / "docs").glob("*.md"):
        links = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
        for file, _, heading in (link.partition("#") for link in links if "://" not in link):
            target = document.parent / file if file else document
            assert target.exists(), file
            if not heading:
                continue
            # in a notebook a line is a string of JSON
            headings = re.findall(r'^(?: *")?#+ (.+?)(?:(?:\\n)?",?)?$', target.read_text(), flags=re.MULTILINE)
            choices = [f"do-{name}" for lesson in LESSONS if lesson.notebook == target.name for name in lesson.read("choices.toml")]   # on its page
            assert heading in [re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings] + choices


# Code that teachers copy ----------------------------------------------------------------------------------------------

def test_a_recording_of_one_s_own_is_drawn_beside_the_course_s(tmp_path, in_new_process):
    ended = in_new_process("from courseware import bandwidth\n"
                           "bandwidth.save(bandwidth.recordings()[0], 'gpu1.json')\n"
                           + block_with("plots.sweep").replace("plots.sweep", "picture = plots.sweep")
                           + "print(picture)")
    assert ended.stdout.startswith("Copies from host to device"), ended.stderr


def test_an_exercise_of_one_s_own_works_as_the_others_do(in_new_process):
    ended = in_new_process(block_with("locked-pages") + """
from courseware import exercises
from courseware.exercises.judge import judge

own = exercises.EXERCISES["locked-pages"]
assert not judge(own, own.answer(own.starter)).tried
assert judge(own, own.answer(own.solution)).solved
for mistake in own.mistakes:
    assert judge(own, own.answer(mistake.code)).mistake is mistake
exercises.show("locked-pages")
exercises.check("locked-pages", own.answer(own.solution))
""", COURSE_PROGRESS="off")
    assert "Solved. All 4 cases are right, 2 of them hidden." in ended.stdout, ended.stderr


@pytest.mark.parametrize("setting", ["c.Spawner", "c.DockerSpawner"])
def test_the_setting_of_jupyterhub_is_python(setting):
    ast.parse(block_with(setting))
