"""A check judges as a good teacher would: attempts at every exercise get the verdict and the mistake written down for them.

The attempts are in the attempts.toml of each lesson's folder; mutants of the solutions are made in attempts/.
"""
import dataclasses
import itertools
import re

from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.judge import judge
from courseware.exercises.values import Iterator, Label, Remark, alike, form, same, settled

import numpy as np
import pytest

from .attempts import demands_nothing, sentences, written
from .attempts.judged import all_judged, counted, judged
from .attempts.mutants import mutants

TRIED = [pytest.param(exercise, id=exercise.id) for exercise in EXERCISES.values()]


@pytest.mark.parametrize("exercise", TRIED)
def test_attempts_are_judged_rightly_and_told_their_mistakes(exercise):
    judgements = all_judged(exercise)
    wrongly = [f"{attempt.why}: {'is to pass' if attempt.says is None else f'is to be told {attempt.says!r}'}, and is told\n{judgement.reply}"
               for judgement in judgements if not judgement.rightly for attempt in [judgement.attempt]]
    assert not wrongly, "\n\n".join(wrongly)
    number, _, wrong, named = counted(judgements)
    listed = sum(len(mistake.ways) for mistake in exercise.mistakes)    # each is told what is wrong: test_table.py
    assert any(judgement.attempt.says is None for judgement in judgements), "none of the attempts in the lesson's attempts.toml is right"
    assert number + listed >= 20, (f"{20 - number - listed} more are wanted in the lesson's attempts.toml, right or wrong: there are {listed} "
                                   f"listed mistakes and {number} attempts, mutants of the solution among them, and 20 is the least")
    assert named + listed >= 0.6 * (wrong + listed), (
        f"{wrong - named} of {wrong + listed} wrong answers are not told what is wrong, and four of ten are the most: list their mistakes. "
        f"They are shown by .venv/bin/python -m tests.exercises.attempts {exercise.id} --unnamed")


@pytest.mark.parametrize("exercise", TRIED)
def test_what_an_attempt_breaks_is_in_the_statement(exercise):
    statement = " ".join(exercise.statement.split())
    for attempt in written(exercise.id):
        assert attempt.breaks in statement and not (attempt.breaks and attempt.says is None), attempt.why


@pytest.mark.parametrize("exercise", TRIED)
def test_each_sentence_of_a_statement_is_broken_by_an_attempt_or_demands_nothing(exercise):
    broken, free = [attempt.breaks for attempt in written(exercise.id) if attempt.breaks], demands_nothing(exercise)
    statement = sentences(exercise)
    held_to_nothing = [sentence for sentence in statement
                       if not any(words in sentence for words in broken) and not sentence.startswith(tuple(free))]
    assert held_to_nothing == [], "\n".join([
        "nothing in the lesson's attempts.toml holds the check to these sentences of the statement:", *(f"    {sentence}" for sentence in held_to_nothing),
        "give a wrong attempt that breaks one of them `breaks = \"words of it\"`. A sentence that demands nothing goes with its first words to",
        f"    [demands_nothing.{exercise.id}]", f'    "{" ".join(held_to_nothing[0].split()[:4])}" = "why it demands nothing"'])
    assert [words for words in free if not any(sentence.startswith(words) for sentence in statement)] == []


def imported_by_names(code, module, short):
    """The code with `from cuda.bindings.driver import cuMemCreate` in the place of `from cuda.bindings import driver as cu`."""
    names = ", ".join(sorted(set(re.findall(rf"\b{short}\.(\w+)", code))))
    code = re.sub(rf"from cuda.bindings import {module}.*", f"from cuda.bindings.{module} import {names}", code)
    return re.sub(rf"\b{short}\.(?=\w)", "", code)


@pytest.mark.parametrize("exercise", [parameters for parameters in TRIED if "from cuda.bindings import" in parameters.values[0].solution])
def test_a_solution_may_import_the_calls_by_their_names(exercise):
    by_driver = imported_by_names(exercise.solution, "driver", "cu")
    code = by_driver if by_driver != exercise.solution else imported_by_names(exercise.solution, "runtime", "runtime")
    assert code != exercise.solution and judge(exercise, exercise.answer(code)).solved, code


@pytest.mark.parametrize("exercise", TRIED)
def test_a_case_reads_on_after_for(exercise):
    for case in exercise.cases if not callable(exercise.cases) else ():
        if exercise.kind == "table":
            continue
        first = case.description.split()[0]
        assert first not in ("it", "inside", "is", "are", "none", "among", "all") and case.description[-1] not in ".:?"


@pytest.mark.parametrize("exercise", [parameters for parameters in TRIED if parameters.values[0].random_case])
def test_random_cases_are_the_same_each_time_and_differ_among_themselves(exercise):
    cases = exercise.random_cases()
    assert cases == dataclasses.replace(exercise).random_cases() and all(case.hidden for case in cases)
    assert len({repr(case.arguments) for case in cases}) > len(cases) / 2
    assert len({repr(case.expected) for case in cases}) > 1


def test_a_mutant_differs_by_one_slip():
    by_slips = mutants("def f(a, b):\n    return a <= b and not pow(a, 2) < 1")
    what_of = {code.split("return ")[1].replace("(not pow", "not pow").replace(")", ""): what for what, code in by_slips}
    assert {"a < b and not pow(a, 2 < 1", "a <= b or not pow(a, 2 < 1", "a <= b and not pow(2, a < 1", "a <= b", "None",
            "a <= b and not pow(a, 3 < 1", "a <= b and not pow(a, 2 <= 1", "not pow(a, 2 < 1"} <= set(what_of)
    assert what_of["a < b and not pow(a, 2 < 1"] == "line 2: Lt for LtE"


def test_what_changes_nothing_is_no_slip():
    assert not {what for what, _ in mutants("def f(a, b):\n    x = max(a, b)\n    return None")}


@pytest.mark.parametrize("got, wanted, says", [
    (3.0, 3, "it is a float"), ("3", 3, "without the quotation marks"), (1, True, "`True` or `False`"),
    ([3], 3, "list of its own"),
    (3, [3], "return a list"), ([[3, 4]], [3, 4], "one pair of brackets"), ([4, 3], [3, 4], "another order"),
    ({3, 4}, [3, 4], "has no order"), (settled(iter([3, 4])), [3, 4], "read only once"),
    ("Unknown", "unknown", "letter by letter"),
    ([3.0, 4], [3, 4], "it is a float"), ((3, 4), [3, 4], "a list is asked for"), (range(2), [0, 1], "a list is asked for"),
    (np.array([0.]), [0], "a list is asked for"), ({3: 0, 4: 0}.values(), [0, 0], "has no order"), (True, 1, "return a number"),
    ([3.0], 3, "in an array or a list"), ([["3"]], [[3]], "without the quotation marks"), ([[3], [4]], [3, 4], "list of its own"), ("[3, 4]", [3, 4], "is a text"),
    (settled(zip([3])), [(3,)], "You return a zip"), (settled(iter([3])), [3], "You return a list_iterator"),
    (settled(enumerate([3])), [(0, 3)], "You return an enumerate"), (settled(itertools.cycle([3])), [3] * 1000, "You return a cycle"),
])
def test_a_right_value_in_another_form_is_told_by_its_form(got, wanted, says):
    assert not same(got, wanted) and says in form(got, wanted)


@pytest.mark.parametrize("got, wanted", [
    ([3, 4], (3, 4)), (np.int64(3), 3), (np.array([3, 4]), (3, 4)), (np.array([0.]), (0,)), (range(2), (0, 1)), ([np.int64(3)], [3]),
    (np.True_, True), (float("nan"), float("nan")), (Iterator([3]), Iterator([3])), ({"a": [3]}, {"a": (3,)}), (Remark("a range"), "a range")])
def test_what_means_the_same_is_the_same(got, wanted):
    assert same(got, wanted)


@pytest.mark.parametrize("got, wanted", [(4, 3), ("x", "y"), ({"a": 1}, 3), (np.array([0.5]), [0]), ([3], [3, 4]), ((4, 3), (3, 4)), (None, 3), ("", 3),
                                         ("??", ".."), ([3, 3], [3, 4]), ([3, 4, 4], [3, 4]), ({3, 4}, [3, 5]), ({3}, [3, 3]),
                                         ([["3"], [5]], [[3], [4]]), ([3, 4], 3), ([], 3), (3, [4]), (3, [3, 4]), (settled(iter([3])), [4]),
                                         ([[]], []), (["3"], [3, 4]), (settled(iter([3])), settled(iter([4]))), ({"a": 1}, {"a": 1, "b": 2}), ({"a": 1}, {"a": 2}), ({3}, 3),
                                         ([True], 1), ([1], True), ("the same", Label("The same")), (2, True), (3.5, 3)])
def test_a_wrong_value_is_no_matter_of_form(got, wanted):
    assert not same(got, wanted) and form(got, wanted) == ""


def test_what_an_answer_gave_is_kept_as_it_was_then_and_no_more_of_it_than_a_right_answer_has():
    given = [1]
    settled_before = settled(given)
    given.append(2)
    assert settled_before == [1] and settled((1, 2)) == (1, 2) and settled(5) == 5 and settled("text") == "text" and settled({1}) == {1}
    for endless in (itertools.count(), [0] * 1001, (0,) * 1001):
        assert len(settled(endless)) == 1000
    assert settled(Iterator([3])) == [3] and repr(settled(iter((3,)))) == "<tuple_iterator of [3]>"


@pytest.mark.parametrize("got, other, same_but_for_the_form", [
    ([1, 2], [2, 1], True), ([1, 2], "[1, 2]", True), ("[1, 2]", [1, 2], True), (3, [3], True), ([3], 3, True), (3, 3.0, True), (3, 3, True),
    ([[1, 2]], [1, 2], False), (4, 3, False), ([1, 2], (2, 1), True)])
def test_two_answers_are_alike_up_to_their_form(got, other, same_but_for_the_form):
    assert alike(got, other) == same_but_for_the_form


def test_answers_that_share_a_process_are_judged_as_each_alone_is():
    exercise = EXERCISES["host-pointer-for"]
    some = [attempt for attempt in written("host-pointer-for") if "plural" in attempt.why][:1]
    verdict = judge(exercise, some[0].answer)
    assert judged(exercise, some)[0].solved == verdict.solved and verdict.mistake
