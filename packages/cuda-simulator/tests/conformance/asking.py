"""What a question is, and the table of all of them.

A question is a function with a title that states what CUDA does::

    @question("freeing null is allowed")
    def free_null():
        return ask(cu.cuMemFree(0))

It returns one answer, or a dict of label -> answer, or yields (label, answer) pairs. An answer may be a function
without arguments: it is then called when its turn comes, so that where one answer costs the process its life the
others are still found. Answers are JSON: numbers, texts, lists.

Its name is "managed/advice.contexts": the function `contexts` of questions/managed/advice.py.

Not here: running questions (workers.py), comparing answers (recording.py).
"""
import dataclasses
import functools
import importlib
import pkgutil
import types
import typing

# What is there before the question runs.
NOTHING = "nothing"      # not even cuInit: the question has a process of its own
DRIVER = "driver"        # cuInit was called; no context is current
CONTEXT = "context"      # a fresh context of device 0 is current


@dataclasses.dataclass(frozen=True)
class DriverQuestion:
    """One question. `quiet` asks it while no other is asked, because it looks at what the whole device has left. `processes` lets it
    start other processes (processes.py). `devices` is how many there have to be: a question of two is asked where there are two, in a
    process of its own, and every other question sees one. `varies` says why the answers may differ between GPUs or runs: then they are shown, not compared.
    `stricter` says where the simulated driver deliberately answers otherwise, and why."""

    name: str
    title: str
    function: typing.Callable
    needs: str = CONTEXT
    alone: bool = False
    quiet: bool = False
    processes: bool = False
    devices: int = 1
    varies: typing.Any = None
    stricter: typing.Any = None
    open_labels: bool = False    # its labels come from the installed cuda.bindings: only those on both sides are compared

    @property
    def subject(self):
        """Its module below questions/: "managed/advice"."""
        return self.name.partition(".")[0]

    @property
    def topic(self):
        """Its folder: "managed"."""
        return self.name.partition("/")[0]

    def excused(self, label, notes):
        """The reason in `notes` (None, one reason for all labels, or a dict) that holds for this label."""
        return notes.get(label) if isinstance(notes, dict) else notes


QUESTIONS = {}


def question(title, *, needs=CONTEXT, alone=False, quiet=False, processes=False, devices=1, varies=None, stricter=None,
             open_labels=False):
    """Make a function a question. `alone` gives it a process that no other question has used or will use."""
    def register(function):
        name = f"{'/'.join(function.__module__.split('.')[-2:])}.{function.__name__}"
        if name in QUESTIONS:
            raise ValueError(f"two questions are called {name}")
        apart = alone or quiet or needs == NOTHING or devices > 1
        QUESTIONS[name] = DriverQuestion(name, title, function, needs, apart, quiet, processes, devices, varies, stricter, open_labels)
        return function
    return register


two_process_question = functools.partial(question, processes=True)
two_device_question = functools.partial(question, devices=2)


def load():
    """Import every module of questions/ and its folders, and return the table."""
    package = importlib.import_module(f"{__package__}.questions")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return QUESTIONS


def pairs(outcome):
    """(label, answer or function) of whatever a question gave."""
    if isinstance(outcome, types.GeneratorType):
        return outcome
    if isinstance(outcome, dict):
        return outcome.items()
    return [("", outcome)]
