"""Make nbgrader assignments of the course's notebooks: ``python tools/nbgrader_assignments.py COURSE``.

COURSE is the folder of an nbgrader course, with its ``nbgrader_config.py``, or one to be made. Each notebook with exercises
becomes an assignment of its own, ``source/06_the_way_back/06_the_way_back.ipynb``: the cell of an answer begins with the
starter and has the solution between nbgrader's marks, and behind it is a graded cell that makes the same check as the lesson.
Points are the exercise's minutes. They are made of the notebooks as they were committed: what somebody has done in them since stays
here. Nothing of nbgrader is needed to make them.
"""
import argparse
import copy
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from courseware.course import LESSONS  # noqa: E402
from courseware.exercises.catalogue import EXERCISES  # noqa: E402

import committed  # noqa: E402

from course_files import MARKER, NotOurs, refuse_link, write_own, write_whole  # noqa: E402

CHECK = re.compile(r'^exercises\.check\("([^"]+)", .*\)\s*$', re.MULTILINE)
SHOW = re.compile(r'^exercises\.show\("([^"]+)"\)\s*$', re.MULTILINE)
SCHEMA = 3      # of nbgrader's metadata
CONFIG = f'''"""For assignments made of the course on CUDA's memory spaces."""
c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "cuda-memory-spaces"
c.CourseDirectory.ignore.append("{MARKER}")      # what tools/nbgrader_assignments.py knows its files by
c.ClearSolutions.code_stub = {{"python": "# Your code goes in the place of the starter's, above."}}
c.ExecutePreprocessor.timeout = 180     # seconds: some cells start processes of their own
c.Execute.timeout = 180
'''


def assignment(notebook):
    """A notebook of the course, as nbgrader's source of an assignment; None where it has no exercise."""
    source_notebook, cells = copy.deepcopy(notebook), []
    source_notebook["metadata"].pop("widgets", None)    # their state: what somebody chose
    for cell in source_notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
        check = CHECK.search(source)
        if check is None:
            cells.append(cell)
            shown = SHOW.fullmatch(source.strip())
            if shown and EXERCISES[shown[1]].answer_kind.is_puzzle:     # no cell of its own in the lesson
                cells += answer(EXERCISES[shown[1]], "")
        else:
            cells += answer(EXERCISES[check[1]], CHECK.sub("", source).strip("\n"))
    source_notebook["cells"] = cells
    return source_notebook if any("nbgrader" in cell["metadata"] for cell in cells) else None


def answer(exercise, starter):
    """The two cells of an exercise: the learner's, and the graded one."""
    name, kind = exercise.name, exercise.answer_kind
    solution = exercise.solution.strip("\n")
    if kind.is_puzzle:
        name = exercise.id.replace("-", "_")
        starter, solution = f'{name} = ""      # the names of the lines, in order', f"{name} = {solution!r}"
    elif kind.is_text:
        solution = f'{name} = """\n{solution}\n"""'
    text = f"{starter}\n\n### BEGIN SOLUTION\n{solution}\n### END SOLUTION"
    yield code(text, f"{exercise.id}-answer", grade=False, solution=True, locked=False)
    yield code(f'exercises.require("{exercise.id}", {name})', exercise.id, grade=True, solution=False, locked=True,
               points=exercise.minutes)


def code(source, grade_id, **marks):
    return {"cell_type": "code", "execution_count": None, "id": grade_id, "outputs": [],
            "source": source.splitlines(keepends=True),
            "metadata": {"nbgrader": {"schema_version": SCHEMA, "grade_id": grade_id, "task": False, **marks}}}


def write(course, notebooks=ROOT / "notebooks"):
    """Write the assignments of the lessons in the folder `notebooks` into an nbgrader course.

    Returns (their names, sentences on those that somebody has changed since, which stay as they are). Raises NotOurs for a link in
    the place of `source` or of the configuration, and OSError.
    """
    course, names, changed = Path(course), [], []
    for place in course / "source", course / "nbgrader_config.py":
        refuse_link(place)
    for path in sorted(notebooks / lesson.notebook for lesson in LESSONS):
        source_notebook = assignment(json.loads(Path(path).read_text(encoding="utf-8")))
        if source_notebook is None:
            continue
        target = course / "source" / path.stem / path.name
        try:
            refuse_link(target.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_own(target, json.dumps(source_notebook, indent=1, ensure_ascii=False) + "\n")
            names.append(path.stem)
        except NotOurs as error:
            changed.append(str(error))
    config = course / "nbgrader_config.py"
    if not config.exists():
        write_whole(config, CONFIG)
    return names, changed


def main():
    parser = argparse.ArgumentParser(description="Make nbgrader assignments of the course's notebooks.")
    parser.add_argument("course", help="the folder of an nbgrader course, or one to be made")
    course = parser.parse_args().course
    try:
        with committed.folder(ROOT) as source:
            names, changed = write(course, source / "notebooks")
    except (committed.NotCommitted, NotOurs, OSError) as error:
        sys.exit(str(error))
    print(*names, *changed, sep="\n")


if __name__ == "__main__":
    main()
