"""What an exercise is made of. A lesson's exercises.py says how its exercises are tried, and on which cases.

What an exercise says is in the lesson's exercises.toml. Everything else about it is code that runs: the starter, the
solution, and the mistakes that learners make. So a check knows a mistake by what it *does*, whatever it looks like:
recognise.py. The starter and the solution of "reserve-for" are files of the lesson's folder, starters/reserve_for.py
and solutions/reserve_for.py. catalogue.py reads all of these.

Not here: the kinds of answers (kinds.py), running one (trials.py), and judging it (judge.py).
"""
import copy
import functools
import linecache
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .kinds import KINDS

RANDOM_CASES = 12   # of an exercise that can make them


@dataclass(frozen=True)
class Case:
    """One question that is put to an answer."""

    description: str            # in words that may follow "for": "an address one past the end of a block"
    arguments: tuple            # for `Exercise.run`
    expected: object
    hidden: bool = False        # not among the examples of the statement
    call: str = ""              # how feedback writes the call, where the arguments would not tell
    random: bool = False        # of random data


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that learners give, and what to tell them: what is wrong, and what to do next."""

    code: str
    message: str
    also: tuple = ()                # other codes that make the same mistake, and come to something else
    # What the message speaks of: a regular expression, to be found in the learner's source.
    seen: str = ""

    @property
    def ways(self):
        """The codes of all ways to make it."""
        return (self.code, *self.also)

    @property
    def short(self):
        """The first sentence of the message: the mistake in a few words."""
        return self.message.partition(". ")[0].rstrip(".")


def call(answer, *arguments):
    """The usual `Exercise.run`: call the learner's function."""
    return answer(*arguments)


@dataclass(frozen=True)
class Exercise:
    """One exercise."""

    id: str                     # "to-device"
    name: str                   # what the learner defines: `check(id, name)`
    cases: object = ()          # a tuple of Case; or a function of a contextlib.ExitStack that makes them with CUDA
    kind: str = "function"      # of its answers: a key of kinds.KINDS
    run: Callable = call        # run(answer, *case.arguments) gives what is compared with case.expected
    sandboxed: bool = False     # answers run in a process of their own: they might break CUDA for their process
    # Of sandboxed ones: all cases are tried once more on this documented system (docs/systems.md).
    also_on: str = ""
    # The statement says that its arguments stay as they are: not even their order may change.
    keeps: bool = False
    # random_case(random.Random) gives a case's arguments, or a Case that says how it is called. The solution says what
    # is right, so the statement has to leave no doubt of it.
    random_case: Callable | None = None
    # What follows catalogue.py fills in, from the lesson's exercises.toml and the files beside it.
    title: str = ""
    minutes: int = 5            # how long it takes
    tests: str = ""             # for teachers, in the guide: what it tests,
    slips: str = ""             # and the common mistakes, in a few words
    statement: str = ""         # 2 to 5 sentences, and examples; for code in it see notebook.display.paragraphs
    hints: tuple = ()           # two texts
    mistakes: tuple = ()        # of Mistake, three or more
    lines: dict = field(default_factory=dict)    # of kind "order": {name: line}, in a right order
    options: tuple = ()         # of kind "table": the words to choose from
    judged: dict = field(default_factory=dict)   # of kind "table": {a question without a right answer: {option: reply}}
    lesson: str = ""            # the topic of its lesson
    starter: str = ""           # code; says how long the answer is
    solution: str = ""          # code

    @property
    def answer_kind(self):
        """What its answers are, as a kinds.AnswerKind."""
        return KINDS[self.kind]

    def answer(self, code):
        """Code (the starter, the solution, a mistake) as the answer that a learner would pass to `check`."""
        if self.answer_kind.is_text:
            return code
        names = {"__name__": "__main__"}
        file = f"<{self.id} {zlib.crc32(code.encode()):x}>"
        exec(compile(code, file, "exec"), names)
        # As of a cell: its lines can be shown.
        linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
        return names[self.name]

    def make_cases(self, stack):
        """The cases, as a list. What they hold of the driver's goes back with the stack."""
        cases = self.cases(stack) if callable(self.cases) else self.cases
        return [*cases, *self.random_cases()]

    def random_cases(self):
        """Cases of random data, the same ones each time. What is right the solution says."""
        return copy.deepcopy(self._random_cases)    # an answer may change its arguments

    @functools.cached_property
    def _random_cases(self):
        if self.random_case is None:
            return []
        solution = self.answer(self.solution)
        source = random.Random(self.id)
        cases = []
        for number in range(1, RANDOM_CASES + 1):
            case = self.random_case(source)
            if not isinstance(case, Case):
                case = Case("", case, None)
            expected = self.run(solution, *copy.deepcopy(case.arguments))
            description = f"random data (set {number} of {RANDOM_CASES})"
            cases.append(replace(case, description=description, expected=expected, hidden=True, random=True))
        return cases
