"""Each question put to the attached driver; its answers are those recorded on a GPU.

The questions of a module are asked together, at the first test of one of them; conftest.py of the project gives these tests
to one worker.
"""
import ast
import functools
from pathlib import Path

import pytest

from . import asking, careful, cuda12, drivers, known, recording, workers

QUESTIONS = asking.load()


@pytest.fixture(scope="module")
def answers(request, ask):
    """``answers(name)``; of its subject, all that are to be tested now are found at once."""
    names = {item.callspec.params["name"] for item in request.session.items
             if getattr(item, "originalname", "") == "test_answers_as_recorded"}

    @functools.cache
    def of(subject):
        return ask(workers.ask_all, [QUESTIONS[name] for name in QUESTIONS if name in names and QUESTIONS[name].subject == subject])
    return lambda name: of(QUESTIONS[name].subject)[name]


def answers_are_simulated():
    """Are these the simulated driver's answers?"""
    return not drivers.a_device_answers()


@pytest.fixture(scope="module")
def recorded():
    return recording.load()[1]


def accidents(by_label):
    """The answers that are a mistake of the question's own: {label: answer}."""
    return {label: answer for label, answer in by_label.items() if label == "(question)" or isinstance(answer, str) and answer.startswith("raised")}


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_as_recorded(name, answers, recorded):
    if not recorded.get(name):
        assert not accidents(answers(name))
        pytest.skip("not recorded yet: `python -m tests.conformance ask --only NAME` prints what this driver answers")
    if cuda12.HERE and name in cuda12.LEFT_OUT:
        pytest.skip(cuda12.LEFT_OUT[name])
    if careful.NOT_ASKED in answers(name):
        pytest.skip(f"not asked: {answers(name)[careful.NOT_ASKED]}")
    _, differences = recording.compare(QUESTIONS[name], recorded[name], answers(name))
    unexpected = [difference for difference in differences if known.reason(difference) is None]
    assert not unexpected, "\n\n".join(map(str, unexpected))
    if answers_are_simulated():
        no_longer_different = known.QUESTIONS.get(name, {}).keys() - {difference.label for difference in differences}
        assert not no_longer_different, f"no longer different, so take it out of known.py: {no_longer_different}"


def test_every_question_states_something():
    titles = [question.title for question in QUESTIONS.values()]
    assert len(set(titles)) == len(titles)
    assert all(title[0].islower() or title[:2].isupper() or title.startswith(("SYNC", "PTX", "NULL", "PyCUDA", "cu")) for title in titles)


def test_the_recording_holds_no_accidents_of_the_suite():
    assert not [name for name, by_label in recording.load()[1].items() if accidents(by_label)]


def test_the_recording_holds_no_addresses():
    def leaves(value):
        if isinstance(value, dict):
            return [leaf for element in value.values() for leaf in leaves(element)]
        return [leaf for element in value for leaf in leaves(element)] if isinstance(value, list) else [value]
    compared = {name: {label: answer for label, answer in by_label.items() if not QUESTIONS[name].excused(label, QUESTIONS[name].varies)}
                for name, by_label in recording.load()[1].items()}
    assert not [leaf for leaf in leaves(compared) if isinstance(leaf, int) and 0x7000_0000_0000 <= leaf < 1 << 47]


def test_no_module_of_questions_borrows_from_another():
    """What several of them need is in helpers/."""
    borrowed = [(module.name, node.module) for module in sorted((Path(__file__).parent / "questions").rglob("*.py"))
                for node in ast.walk(ast.parse(module.read_text()))
                if isinstance(node, ast.ImportFrom) and (0 < node.level < 3 or "questions" in (node.module or ""))]
    assert not borrowed
