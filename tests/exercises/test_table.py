"""Of every exercise: the starter is unsolved, the solution passes, each listed mistake gets its own words."""
import functools
import re

from courseware.course import BY_TOPIC, LESSONS
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.exercise import KINDS
from courseware.exercises.feedback import feedback
from courseware.exercises.judge import judge, judge_listed

import pytest

EVERY = [pytest.param(exercise, id=exercise.id) for exercise in EXERCISES.values()]
PROJECTS = "growing-vector", "stream-order", "fragmentation"     # whose exercises are the steps of one program
# Those whose answers are Python that can be called with the examples' arguments.
CALLED = [pytest.param(exercise, id=exercise.id) for exercise in EXERCISES.values()
          if exercise.kind == "function" and not callable(exercise.cases) and not exercise.sandboxed]


def test_every_exercise_of_the_course_is_counted_and_none_that_a_teacher_adds():
    own, course = EXERCISES.maps
    assert len(course) == len(EVERY) - len(own)


@pytest.mark.parametrize("exercise", EVERY)
def test_a_starter_is_unsolved(exercise):
    verdict = judge(exercise, exercise.answer(exercise.starter))
    assert not verdict.solved and not verdict.tried
    assert "starter" in verdict.reason or exercise.kind == "order"


@pytest.mark.parametrize("exercise", EVERY)
def test_a_solution_passes(exercise):
    verdict = judge(exercise, exercise.answer(exercise.solution))
    assert verdict.solved, feedback(exercise, verdict)
    says = {"table": f"All {verdict.of} answers are right.", "order": "In your order every call succeeds."}
    assert says.get(exercise.kind, f"All {verdict.of} cases are right") in feedback(exercise, verdict)


@pytest.mark.parametrize("exercise", EVERY)
def test_listed_mistakes_are_refused_in_their_own_words(exercise):
    """However they are made."""
    judged = judge_listed(exercise)
    assert len(judged) == sum(len(mistake.ways) for mistake in exercise.mistakes)
    for mistake, code, verdict in judged:
        assert not verdict.solved
        assert verdict.mistake is mistake, code + feedback(exercise, verdict)
        assert mistake.message in feedback(exercise, verdict)


@pytest.mark.parametrize("exercise", CALLED)
def test_hard_coded_examples_are_refused(exercise):
    examples = {repr(case.arguments): case.expected for case in exercise.cases if not case.hidden}
    function = exercise.answer(exercise.starter)

    @functools.wraps(function)
    def hard_coded(*arguments):
        return examples.get(repr(arguments))
    verdict = judge(exercise, hard_coded)
    assert not verdict.solved and verdict.example.hidden
    assert "Right for the examples, but not for other data" in verdict.reason or verdict.mistake


@pytest.mark.parametrize("exercise", EVERY)
def test_an_exercise_is_complete(exercise):
    assert exercise.kind in KINDS and exercise.lesson in BY_TOPIC
    assert 1 <= exercise.minutes <= (30 if exercise.lesson in PROJECTS else 10)
    assert len(exercise.hints) == 2 and len(exercise.mistakes) >= 3
    messages = [mistake.message for mistake in exercise.mistakes]
    assert len(set(messages)) == len(messages)
    if exercise.kind not in ("order", "table", "class"):
        assert re.search(r"(lines?|line or three)\b", exercise.starter), "the starter says how long the answer is"


@pytest.mark.parametrize("exercise", EVERY)
def test_hints_do_not_hold_the_solution(exercise):
    hints = " ".join(exercise.hints)
    assert exercise.solution.strip() not in hints
    returned = re.findall(r"return (.{25,})", exercise.solution)
    assert not [line for line in returned if line in hints]


@pytest.mark.parametrize("exercise", [parameters for parameters in EVERY if not callable(parameters.values[0].cases)])
def test_cases_are_asymmetric_and_some_are_hidden(exercise):
    cases = exercise.cases
    assert {case.hidden for case in cases} == {True, False} or exercise.kind == "table"
    assert len({repr(case.expected) for case in cases}) > 1 or exercise.id in (
        "lend", "find-the-race", "reverse-blocks", "spy", "stale-registration")
    assert len({case.description for case in cases}) == len(cases)


PARTS = sorted({lesson.part for lesson in LESSONS} - {"order"})     # its one exercise has three kernels


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_course_has_three_exercises_or_more(part):
    assert len([exercise for exercise in EXERCISES.values() if BY_TOPIC[exercise.lesson].part == part]) >= 3


def test_there_are_puzzles_in_two_lessons_or_more():
    assert len({exercise.lesson for exercise in EXERCISES.values() if exercise.kind == "order"}) >= 2


def test_the_forecast_of_lesson_01_is_what_happens():
    """The table of the exercise `follow`, each line tried."""
    from courseware import sandbox

    import numpy as np

    def host_reads(kind):
        import ctypes

        import pycuda.driver as cuda
        memory = cuda.mem_alloc(64) if kind == "device" else cuda.pagelocked_zeros(16, np.int32)
        address = int(memory) if kind == "device" else memory.ctypes.data
        return ctypes.c_int.from_address(address).value

    def kernel_reads_null():
        from course_lib import kernels

        import pycuda.driver as cuda
        code = kernels.compile("__global__ void read(const int *from, int *to) { *to = *from; }")
        code.read(1, 1, 0, cuda.mem_alloc(4))
        try:
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        cuda.mem_alloc(4)

    answers = EXERCISES["follow"].answer(EXERCISES["follow"].solution)
    assert sandbox.run(host_reads, "device").signal == answers["the host reads through the address of device memory"]
    assert sandbox.run(host_reads, "pinned").value == 0
    broken = sandbox.run(kernel_reads_null)
    assert "illegal memory access" in broken.printed
    assert broken.error == "CUDA_ERROR_" + answers["cuMemAlloc, after a kernel read through the null pointer"]
