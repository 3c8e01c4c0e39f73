"""A cell that compares shows nothing until its question is answered; then everything, in its place."""
import json
import os
import sys
import tempfile

import nbformat
import pytest
from nbclient import NotebookClient

START = """\
import os
os.environ["COURSE_PROGRESS"] = {record!r}
from IPython.display import HTML, display
from courseware.notebook import progress_file
from courseware.predictions import SESSION, catalogue, predict
progress_file.record.cache_clear()
SESSION.__init__()
catalogue.PREDICTIONS["views-test"] = dict(question="Equal?", options=["yes", "no"], replies=dict(no="One range."))
catalogue.PREDICTIONS["views-count"] = dict(question="How many?")
asked = predict("views-test")
count = predict("views-count")"""
TRIED = """\
print("first")
display(HTML("<b>second</b>"))
print("third")
asked.compare("yes")"""
OBSERVED = "You have not predicted.\nObserved: yes"
SHOWN = ["first\n", "<b>second</b>", "third\n"]


class Notebook:
    """A notebook that is run cell by cell; `outputs(n)` is what stands under cell n now. It has a kernel that nothing was asked in."""

    def __init__(self, client, record):
        self._client, self._record, self._begins = client, record, len(client.nb.cells) + 1
        self.start = START.format(record=str(record))
        self.run("%reset -f", self.start)

    def record(self):
        """The predictions in the learner's record."""
        return json.loads(self._record.read_text())["predictions"]

    def run(self, *sources):
        """Add cells and run them; an exception that a cell ends in stays under it."""
        for source in sources:
            cells = self._client.nb.cells
            cells.append(nbformat.v4.new_code_cell(source))
            self._client.execute_cell(cells[-1], len(cells) - 1)

    def count(self, number):
        """How many outputs there are, empty ones too."""
        return len(self._cell(number).outputs)

    def _cell(self, number):
        return self._client.nb.cells[self._begins + number]

    def outputs(self, number):
        """Of each output its HTML, or its text, without those that are empty."""
        texts = []
        for output in self._cell(number).outputs:
            data = output.get("data", {"text/plain": output.get("text", output.get("evalue", ""))})
            plain = data["text/plain"]
            texts.append(plain if plain.startswith(("You", "As you", "Not ", "Right", "Predict")) else data.get("text/html") or plain)
        return [text for text in texts if text]


@pytest.fixture(scope="module")
def client(tmp_path_factory, project_root):
    """A kernel for all: each takes two seconds to start."""
    path = os.pathsep.join([str(project_root), *filter(None, [os.environ.get("PYTHONPATH")])])
    client = NotebookClient(nbformat.v4.new_notebook(), timeout=600, allow_errors=True, store_widget_state=False)
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable
    with tempfile.TemporaryDirectory() as folder:       # its path is short enough for a socket
        # Ports are chosen before they are bound, and kernels that start at the same time take each other's.
        client.km.transport, client.km.ip = "ipc", f"{folder}/kernel"
        with client.setup_kernel(cwd=str(tmp_path_factory.mktemp("covered")), env={**os.environ, "PYTHONPATH": path}):
            yield client


@pytest.fixture
def notebook(client, tmp_path):
    return Notebook(client, tmp_path / "course-progress.json")


def test_a_cell_that_compares_nothing_shows_it_as_it_comes(notebook):
    notebook.run("print('at once')")
    assert [output.output_type for output in notebook._cell(1).outputs] == ["stream"]


def test_what_a_cell_shows_is_covered_until_the_answer_and_then_in_its_order(notebook):
    notebook.run(TRIED)
    waiting, = notebook.outputs(1)
    assert "Answer the question above first" in waiting and "asked.answer(&#x27;yes&#x27;)" in waiting
    notebook.run("asked.answer('no')")
    assert notebook.outputs(1) == ["Not as you predicted.\nYou predicted: no\nObserved: yes\n\nOne range.", *SHOWN]
    assert notebook.outputs(2) == []
    assert notebook.record()["views-test"] == {"answer": "no", "after": False, "right": False, "observed": "yes"}


def test_who_runs_another_cell_sees_it_without_an_answer_and_may_still_answer(notebook):
    notebook.run(TRIED, "1 + 1")
    assert notebook.outputs(1) == [OBSERVED, *SHOWN]
    notebook.run("asked.answer('yes')")
    assert notebook.outputs(1) == ["Right.\nYou said afterwards: yes\nObserved: yes", *SHOWN]
    assert "counts as said afterwards" in notebook.outputs(3)[0]
    assert notebook.record()["views-test"] == {"answer": "yes", "after": True, "right": True, "observed": "yes"}


def test_a_print_of_nothing_is_no_output(notebook):
    notebook.run("print('', end='')\nasked.compare('yes')", "1 + 1")
    assert notebook.count(1) == 1       # the comparison


def test_a_cell_that_is_run_again_without_an_answer_covers_nothing(notebook):
    notebook.run(TRIED, "1 + 1", TRIED)
    assert notebook.outputs(3) == [OBSERVED, *SHOWN]


def test_a_cell_that_is_run_again_after_the_answer_shows_the_same(notebook):
    notebook.run(TRIED, "asked.answer('no')", TRIED, "1 + 1", TRIED)
    assert notebook.outputs(1) == notebook.outputs(3) == notebook.outputs(5) and notebook.outputs(5)[1:] == SHOWN


def test_an_answer_stays_on_the_next_day(notebook):
    notebook.run(TRIED, "asked.answer('no')", "1 + 1", notebook.start, TRIED, "asked.answer('yes')")
    assert notebook.outputs(5) == ["Not as you predicted.\nYou predicted: no\nObserved: yes\n\nOne range.", *SHOWN]
    assert "your prediction stays: no" in notebook.outputs(6)[0]


def test_a_question_that_is_answered_covers_nothing(notebook):
    notebook.run("asked.answer('yes')", TRIED)
    assert notebook.outputs(2) == ["As you predicted.\nYou predicted: yes\nObserved: yes", *SHOWN]


def test_what_is_no_answer_uncovers_nothing(notebook):
    notebook.run(TRIED, "asked.answer('perhaps')")
    assert len(notebook.outputs(1)) == 1 and "it takes one of" in notebook.outputs(2)[0]


def test_a_cell_that_fails_shows_what_it_had_shown(notebook):
    notebook.run("print('before')\n1 / 0\nasked.compare('yes')", "print('after')")
    assert sorted(notebook.outputs(1)) == ["before\n", "division by zero"]
    assert notebook.outputs(2) == ["after\n"]


def test_a_cell_that_does_not_come_to_compare_shows_everything(notebook):
    notebook.run("print('before')\nif False:\n    asked.compare('yes')")
    assert notebook.outputs(1) == ["before\n"]


def test_two_questions_of_one_cell_are_both_waited_for(notebook):
    notebook.run("print('seen')\nasked.compare('yes')\ncount.compare(3)", "count.answer(4)")
    assert "seen\n" not in notebook.outputs(1)
    assert "Not as you predicted.\nYou predicted: 4\nObserved: 3" in notebook.outputs(1)
    notebook.run("asked.answer('yes')")
    assert "seen\n" in notebook.outputs(1)


def test_one_cell_may_ask_try_and_compare(notebook):
    notebook.run('late = predict("views-test")\nprint("seen")\nlate.compare("yes")')
    question, waiting = notebook.outputs(1)
    assert question.startswith("Predict: Equal?") and "Answer the question above first" in waiting
    notebook.run("late.answer('yes')")
    assert notebook.outputs(1)[1:] == ["As you predicted.\nYou predicted: yes\nObserved: yes", "seen\n"]


def test_where_there_is_no_learner_nothing_is_covered(notebook):
    notebook.run("import os\nos.environ['COURSE_PROGRESS'] = 'off'", TRIED)
    assert notebook.outputs(2) == ["first\n", "<b>second</b>", "third\n", OBSERVED]
