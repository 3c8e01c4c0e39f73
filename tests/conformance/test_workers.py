"""Answers are found whatever becomes of the process that finds them. No driver is needed here."""
import os
import signal
import time

from . import asking, workers
from .asking import NOTHING, Question
from .recording import alike, compare


def ask(function, **more):
    question = Question("subject.name", "a title", function, NOTHING, alone=True, **more)
    return workers.ask_all([question], lambda: None, jobs=1, patience=2)["subject.name"]


def test_one_answer_a_dict_and_pairs():
    assert ask(lambda: 5) == {"": 5}
    assert ask(lambda: {"a": 1, "b": lambda: 2}) == {"a": 1, "b": 2}

    def pairs():
        yield "first", 1
        yield "second", lambda: [2]
    assert ask(pairs) == {"first": 1, "second": [2]}


def test_a_crash_is_an_answer_and_the_others_are_found_still():
    def crashing():
        yield "before", 1
        yield "crash", lambda: os.kill(os.getpid(), signal.SIGSEGV)
        yield "after", 2
    assert ask(crashing) == {"before": 1, "crash": "SIGSEGV", "after": 2}


def test_a_crash_between_two_answers_ends_the_question():
    def crashing():
        yield "before", 1
        os.kill(os.getpid(), signal.SIGABRT)
    assert ask(crashing) == {"before": 1, "(after the last answer)": "SIGABRT"}


def test_what_hangs_is_ended_with_its_children():
    def hanging():
        yield "hang", lambda: (os.fork(), time.sleep(60))
        yield "after", 2
    assert ask(hanging) == {"hang": "no answer", "after": 2}


def test_an_exception_is_an_answer():
    assert ask(lambda: {"wrong": lambda: 1 / 0, "right": 1}) == {"wrong": "raised ZeroDivisionError: division by zero", "right": 1}


def test_a_crash_of_the_gpus_driver_is_like_any_error():
    assert alike("SIGSEGV", "INVALID_HANDLE") and alike("SIGSEGV", "SIGSEGV")
    assert not alike("SIGSEGV", "SUCCESS") and not alike("SIGSEGV", 4)
    assert not alike("INVALID_VALUE", "SIGSEGV") and not alike(0, "INVALID_VALUE")


def test_excused_answers_are_not_compared():
    question = Question("subject.name", "a title", None, varies={"time": "differs"}, stricter=None)
    compared, differences = compare(question, {"time": 1, "code": "SUCCESS", "gone": 1}, {"time": 2, "code": "INVALID_VALUE", "new": 1})
    assert compared == 2
    assert [d.label for d in differences] == ["code", "gone"]


def test_questions_are_named_after_their_module_and_function():
    assert all(one.name == f"{one.function.__module__.rpartition('.')[2]}.{one.function.__name__}" for one in asking.load().values())
