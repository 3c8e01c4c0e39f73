"""What is said of a wrong answer: what it was seen to do; else what is wrong, where it is no listed mistake.

Each sentence says what was observed, or asks. Not here: which listed mistake it is (recognise.py), what can be seen in
a source (reading.py), and the verdict (judge.py).
"""
import inspect
import re
import textwrap
from dataclasses import dataclass
from functools import partial

import numpy as np

from .exercise import Exercise, call
from .kinds import quoted
from .reading import (
    caught_in_vain,
    changes_in_place,
    filled_default,
    has_no_value,
    never_read,
    outlives_a_call,
    swallows,
    tuple_used_whole,
)
from .recognise import constant, telling
from .trials import Trial
from .values import Label, Remark, form, same

# What an exception's words tell of its cause.
ABOUT = {
    "'tuple'": "A call of cuda-bindings returns a tuple, the error first: is one of them used whole? "
               "`error, answer = cu....` takes it apart.",
    "'cuda.bindings.driver.CU": "A result of cuda-bindings is an object: `int(...)` gives the number in it.",
    "'NoneType'": "A value is None there: which call, or which view, has no answer?",
}
# What a value is, in words. The first that fits counts: True is an int as well.
TYPES = (
    (Label, "a number"),
    (bool, "`True` or `False`"),
    (type(None), "None"),
    ((int, float, np.number), "a number"),
    (str, "a text"),
    ((list, tuple, np.ndarray), "a list or tuple"),
)
PLACE = "first", "second", "third", "fourth"
FEW_CASES = 3
FEW_ELEMENTS = 2
EXACT = 1e15        # below it, a division of floats gives a whole number back
ONLY_HIDDEN = "Right for the examples, but not for other data."
FOLLOWED = (". So the CPU followed an address that is not one of the host's: what lies at an address of the device "
            "comes by a copy.")


# What shows in the source of an answer that is Python: a function of reading.py that finds it, and what is said of it.
WRONG_WHATEVER_ELSE = (
    (filled_default, "The default of `{shown}` is made once, and now has in it what earlier calls put there. Make a "
                     "new one within the function."),
    (tuple_used_whole, "`{shown}` uses the whole tuple that the call returns: the error, then the results. A tuple "
                       "with something in it counts as true, and equals no number. Take it apart: `error, ... = "
                       "cu....(...)`."),
    (caught_in_vain, "`{shown}` raises nothing where the driver refuses: a call of cuda-bindings returns the error. "
                     "Look at that."),
)
PASSES_OVER = (swallows, "`{shown}` passes over whatever is raised there, a mistake of your own as well. Take it away, "
                         "and see what comes.")
NEVER_READS = never_read, "{name} never reads what it is given as `{shown}`."


@dataclass(frozen=True)
class WrongAnswer:
    """An answer with all that came of it."""

    exercise: Exercise
    answer: object
    trials: list      # every Trial
    case: Trial       # the simplest that is not right

    @property
    def how(self):
        """How the case ended: see trials.CaseOutcome."""
        return self.case.outcome.how

    @property
    def value(self):
        """What the case gave."""
        return self.case.outcome.value

    @property
    def name(self):
        """What the learner defines, as Markdown."""
        return f"`{self.exercise.name}`"

    @property
    def is_text(self):
        """Is the answer source that is no Python?"""
        return self.exercise.answer_kind.is_text

    @property
    def failed(self):
        """The trials that are not right."""
        return [trial for trial in self.trials if not trial.right]

    @property
    def examples_are_right(self):
        """Does only hidden data go wrong?"""
        return all(trial.right for trial in self.trials if not trial.hidden)


def observed(exercise, answer, trials, case):
    """What an answer was seen to do that makes it wrong, whatever else it does; "" where nothing was.

    Arguments: as for WrongAnswer.
    """
    wrong = WrongAnswer(exercise, answer, trials, case)
    in_source = (_in_source(*shows, wrong) for shows in WRONG_WHATEVER_ELSE)
    return next(filter(None, (_prints(wrong), _changes_an_argument(wrong), *in_source)), "")


def only_none(trials):
    """Is None all that ever comes? Many mistakes lead there."""
    values = [trial.outcome.value for trial in trials if trial.outcome.how in ("value", "altered")]
    return len(trials) == len(values) > 1 and all(value is None for value in values)


def reason_for(exercise, answer, trials, case):
    """What is wrong with an answer that is no listed mistake: what the first of these has to say that recognises it.

    Arguments: as for WrongAnswer.
    """
    wrong = WrongAnswer(exercise, answer, trials, case)
    for recognised in (_endless, _ended, _not_compiled, _told_by_its_kind, _raised, _always_none, _another_form,
                       partial(_in_source, *PASSES_OVER), _constant, partial(_in_source, *NEVER_READS), _exchanged,
                       _an_argument, _told_by_the_check, _no_word_to_choose_from):
        reason = recognised(wrong)
        if reason is not None:
            return reason
    return _compared(wrong)


# Each of these returns what to say of a WrongAnswer, or None where it is not what they recognise.

def _in_source(shows, sentence, wrong):
    """The sentence about what `shows` finds in the source."""
    shown = "" if wrong.is_text else shows(wrong.answer)
    return sentence.format(shown=shown, name=wrong.name) if shown else None


def _prints(wrong):
    if wrong.how != "value" or wrong.value is not None or wrong.case.expected is None:
        return None
    printed = wrong.case.outcome.printed.strip()
    if not printed or printed != str(wrong.case.expected):
        return None
    return f"{wrong.name} prints `{printed}`, which is right, and returns nothing. What it finds, it has to `return`."


def _changes_an_argument(wrong):
    if wrong.how == "changed":
        return (f"The first call is right, and it changes `{wrong.case.outcome.text}`: the same call gives another "
                "answer the second time. Leave what belongs to the caller as it is, or work on a copy.")
    if wrong.how == "altered":
        return ("What you are given belongs to the caller. Leave it as it is, or work on a copy, such as `sorted(...)` "
                "makes.")


def _endless(wrong):
    if wrong.how != "endless":
        return None
    line = wrong.case.outcome.text
    if wrong.is_text:
        return line or "Your kernel was stopped, for its time was up. Can each loop in it come to its end?"
    stopped = f"{wrong.name} was stopped, because the check waits no longer."
    if not line:
        return f"{stopped} What does it wait for, or repeat?"
    loop = " Can the condition of the loop become false?" if re.match(r"while\b", line) else ""
    return f"{stopped} When its time was up, it was in the line `{line}`.{loop}"


def _ended(wrong):
    if wrong.how == "ended":
        text = wrong.case.outcome.text
        return f"Your code did not survive: it {text.strip()}{FOLLOWED if 'SIGSEGV' in text else ''}"


def _not_compiled(wrong):
    if wrong.how != "raised" or wrong.value != "CompileError":
        return None
    errors = wrong.case.outcome.text
    causes = []
    if re.search(r"^\s*\.\.\.", wrong.answer, re.MULTILINE):
        causes.append("A `...` of the starter still stands there. ")
    if host := re.search(r'identifier "(cuda[A-Z]\w+)" is undefined', errors):
        causes.append(f"`{host[1]}` is a function for the host, and a kernel cannot call it: its threads do the work "
                      "themselves. ")
    return f"{''.join(causes)}It does not compile. The compiler says:\n\n" + textwrap.indent(errors, "    ")


def _told_by_its_kind(wrong):
    return wrong.exercise.answer_kind.reason(wrong.exercise, wrong.case) or None


def _raised(wrong):
    if wrong.how != "raised":
        return None
    message, expected = wrong.case.outcome.text, wrong.case.expected
    headline, _, line = message.partition("\n")
    sentence = f"{wrong.name} raises {wrong.value} for {wrong.case.description}{': ' + headline if headline else '.'}"
    about = next((words for sign, words in ABOUT.items() if sign in message), "")
    is_expected = expected is None or expected is False
    instead = f"`{expected!r}` is asked for there, and no exception." if is_expected else ""
    return "\n".join(filter(None, (sentence, line, about, instead)))


def _always_none(wrong):
    if only_none(wrong.trials):
        return f"{wrong.name} {_why_none(wrong.answer)}"


def _why_none(answer):
    if has_no_value(answer):
        return "has no `return` with a value, so what it gives is None."
    if method := changes_in_place(answer):
        return (f"returns None every time. `{method}` changes what it is called on, and returns None itself: is that "
                "what you return?")
    return ("returns None every time: is its condition ever true, and does each way through it end in a `return` with "
            "a value?")


def _another_form(wrong):
    if not wrong.exercise.answer_kind.has_form:
        return None
    if any(trial.right and same(trial.outcome.value, wrong.value) for trial in wrong.trials):
        return None     # a value that is right for another case is no other form
    return form(wrong.value, wrong.case.expected) or None


def _constant(wrong):
    if wrong.is_text or _is_sentence(wrong.value) or not constant(wrong.trials):
        return None
    # A number that a harness makes of an address is how far it is from where it should be.
    elements = wrong.value if isinstance(wrong.value, (list, tuple)) else [wrong.value]
    as_given = wrong.exercise.run is call or all(map(_comes_as_it_is, elements))
    return f"{wrong.name} gives the same every time, whatever it is given." if as_given else None


def _comes_as_it_is(element):
    """Is this the answer's own value, whatever a harness may make of numbers?"""
    return isinstance(element, (str, bool, type(None))) and not isinstance(element, Label)


def _exchanged(wrong):
    """Two words in each other's place, in each wrong case and in no right one."""
    failed = [trial for trial in wrong.failed if trial.outcome.how == "value"]
    pairs = {(trial.outcome.value, trial.expected) for trial in failed
             if isinstance(trial.outcome.value, str) and _is_word(trial.expected)}
    words = {word for pair in pairs for word in pair}
    if len(words) != 2 or len(pairs) != 2:
        return None
    for trial in wrong.trials:
        if isinstance(trial.outcome.value, Remark):
            return None
        among_the_two = (trial.expected if trial.right else trial.outcome.value) in words
        if among_the_two == trial.right:
            return None
    return f"{' and '.join(f'`{word!r}`' for word in sorted(words))} are exchanged."


def _an_argument(wrong):
    """An answer that gives an argument back as it came."""
    failed, exercise = wrong.failed, wrong.exercise
    if exercise.kind != "function" or not any(map(telling, failed)):
        return None
    names = list(inspect.signature(exercise.answer(exercise.starter)).parameters)
    if any(trial.outcome.how != "value" or len(trial.arguments) != len(names) for trial in failed):
        return None
    for place, name in enumerate(names):
        if all(same(trial.outcome.value, trial.arguments[place]) for trial in failed):
            return f"You return `{name}` as it came in."


def _told_by_the_check(wrong):
    """The check's own sentence says all, and is shown below."""
    if isinstance(wrong.value, Remark):
        return ONLY_HIDDEN if wrong.examples_are_right else ""


def _no_word_to_choose_from(wrong):
    got, expected = wrong.value, wrong.case.expected
    if isinstance(got, (list, tuple)) and isinstance(expected, (list, tuple)):
        for element, expected_element in zip(got, expected):
            if isinstance(expected_element, Label) and type(element) is str:
                return _text_for_an_address(element)
        return None
    if wrong.exercise.kind != "function" or not _is_word(got) or not isinstance(expected, str):
        return None
    words = {trial.expected for trial in wrong.trials if _is_word(trial.expected)}
    if got in words:
        return None
    if isinstance(expected, Label):
        return _text_for_an_address(got)
    if len(words) > 1 and not _is_sentence(got) and all(word in wrong.exercise.statement for word in words):
        return f"`{got!r}` is not one of the words to choose from: {quoted(sorted(words))}."


def _text_for_an_address(text):
    return f"`{text!r}` is a text, and an address is asked for: the number."


def _is_word(value):
    """Is this a text that an answer can give, and not a check's word for another value?"""
    return isinstance(value, str) and not isinstance(value, Label)


def _compared(wrong):
    """What can be said of any answer: what is missing in it, whether the examples are right, and of what type it is."""
    expected, hidden = wrong.case.expected, ONLY_HIDDEN if wrong.examples_are_right else ""
    sentences = [_places(wrong.value, expected), hidden]
    if wrong.exercise.answer_kind.has_form:
        sentences.insert(1, _elements(wrong.value, expected))
        sentences += [_none_or_type(wrong), _by_how_much(wrong.failed), _outlives(wrong.answer)]
    return " ".join(filter(None, [*sentences, _also_wrong(wrong)]))


def _places(got, expected):
    """Which elements of a few are wrong; "" where none or all are."""
    if isinstance(got, str) and isinstance(expected, str):
        return _alike_up_to(got, expected)
    if not isinstance(got, (list, tuple)) or not isinstance(expected, (list, tuple)):
        return ""
    if len(got) != len(expected):
        return f"It has {len(got)} element{'' if len(got) == 1 else 's'}, and should have {len(expected)}."
    excess = _all_off_by(got, expected)
    if excess:
        return f"{'Both' if len(got) == 2 else 'All'} are too {_large_by(excess)}."
    places = [place for place, elements in enumerate(zip(got, expected)) if not same(*elements)]
    if len(places) == 1 < len(got) <= len(PLACE):
        others = "the other one is" if len(got) == 2 else "the others are"
        return f"The {PLACE[places[0]]} element is wrong, and {others} right."
    return ""


def _alike_up_to(got, expected):
    """Up to where two long texts are alike, as a sentence; "" where they differ at once, or in length."""
    if len(got) != len(expected) or len(got) <= 10:
        return ""
    place = next((place for place, letters in enumerate(zip(got, expected)) if len(set(letters)) == 2), 0)
    return f"They are alike up to place {place}, counted from 0." if place else ""


def _all_off_by(got, expected):
    """By how much each of several whole numbers is too large, where it is the same; else 0."""
    if len(got) < 2 or any(type(number) is not int for number in (*got, *expected)):
        return 0
    differences = {number - right for number, right in zip(got, expected)}
    return differences.pop() if len(differences) == 1 else 0


def _large_by(difference):
    return f"{'large' if difference > 0 else 'small'} by {abs(difference)}"


def _by_how_much(failed):
    """By how much every wrong number is wrong, where it is always the same; "" else. failed: the trials that are not
    right"""
    pairs = [(trial.outcome.value, trial.expected) for trial in failed]
    if len(pairs) < 2 or not all(_is_exact(number) for pair in pairs for number in pair):
        return ""
    differences = {got - expected for got, expected in pairs}
    if len(differences) == 1 and differences != {0}:
        return f"Each wrong number is too {_large_by(differences.pop())}."
    if not all(expected for _, expected in pairs):
        return ""
    times, *others = {got / expected for got, expected in pairs}
    if others or times <= 1 or times != int(times):
        return ""
    return f"Each wrong number is {times:g} times what it should be."


def _is_exact(number):
    return type(number) in (int, float) and abs(number) < EXACT


def _outlives(answer):
    name = outlives_a_call(answer)
    if not name:
        return ""
    return f"`{name}` lives on from one call to the next: does what an earlier call put there belong to this one?"


def _also_wrong(wrong):
    """The other cases that go wrong, where they are a few with names of their own."""
    others = [trial for trial in wrong.failed if trial is not wrong.case and trial.outcome.how != "untried"]
    if not 0 < len(others) <= FEW_CASES or any(trial.random for trial in others):
        return ""
    return f"It also goes wrong for {', and for '.join(trial.description for trial in others)}."


def _none_or_type(wrong):
    if wrong.value is None:
        return (f"{wrong.name} returns None for {wrong.case.description}: is that meant, or is there a way through it "
                "without a `return`?")
    if all(trial.expected is None for trial in wrong.failed):
        return "Where there is no answer, return `None`."
    return _other_type(wrong.value, wrong.case.expected)


def _is_sentence(value):
    """Is this what a check says of an answer, and not the answer's own value?"""
    return isinstance(value, Remark) or isinstance(value, str) and len(value.split()) > 3


def _other_type(got, expected):
    """The sentence for a value of another type than is asked for, or for a list of such; "" otherwise."""
    if _type(got) != _type(expected):
        return f"It should be {_type(expected)}, and is {_type(got)}."
    if not isinstance(got, (list, tuple)) or not len(got) or not len(expected):
        return ""
    types, expected_types = set(map(_type, got)), set(map(_type, expected))
    if _type(got[0]) in expected_types:
        return ""
    subject = "Each element" if len(types) == len(expected_types) == 1 else "The first element"
    return f"{subject} should be {_type(expected[0])}, and is {_type(got[0])}."


def _type(value):
    """What a value is, in words."""
    if isinstance(value, Remark):
        return str(value)
    fallback = f"an object of type {type(value).__name__}"
    return next((words for kind, words in TYPES if isinstance(value, kind)), fallback)


def _elements(got, expected):
    """Which elements of a list are missing, and which do not belong there; "" where that says little."""
    if not isinstance(got, (list, tuple)) or not isinstance(expected, list):
        return ""
    if not any(element in expected for element in got):
        return ""
    twice = [element for element in expected if got.count(element) > expected.count(element)]
    kinds = {"Missing:": [element for element in expected if element not in got],
             "Not asked for:": [element for element in got if element not in expected],
             "More than once in the list:": twice}
    return " ".join(f"{words} {' and '.join(f'`{element!r}`' for element in elements)}."
                    for words, elements in kinds.items() if 0 < len(elements) <= FEW_ELEMENTS)
