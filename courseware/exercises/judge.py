"""Judge an answer: right, one of the named mistakes, or wrong in a way that can at least be told exactly.

Not here: the kinds of answers, and which of them cannot be run at all (kinds.py), running them (attempt.py,
sandboxed.py), which mistake it is (recognise.py), and putting the verdict under a cell (feedback.py).
"""
import inspect
import re
import textwrap
from dataclasses import dataclass

import numpy as np

from .attempt import Attempt
from .kinds import listed
from .reading import caught_in_vain, changes_in_place, filled_default, has_no_value, shows, tuple_used_whole
from .recognise import constant, proves, recognise, telling
from .sandboxed import attempts, attempts_of_all
from .values import Label, Told, form, same

# What an exception's words tell of its cause.
ABOUT = {
    "'tuple'": "A call of cuda-bindings returns a tuple, the error first: is one of them used whole? `error, answer = cu....` "
               "takes it apart.",
    "'cuda.bindings.driver.CU": "A result of cuda-bindings is an object: `int(...)` gives the number in it.",
    "'NoneType'": "A value is None there: which call, or which view, has no answer?",
}
ONLY_HIDDEN = "Right for the examples, but not for other data."
FOLLOWED = (". So the CPU followed an address that is not one of the host's: what lies at an address of the device "
            "comes by a copy.")


@dataclass(frozen=True)
class Verdict:
    """What came of an answer. `solved`; else `reason`, and where it shows, `example`."""

    solved: bool
    reason: str = ""
    mistake: object = None          # the Mistake, where it is a known one
    example: Attempt | None = None  # the first case that is wrong
    right: int = 0                  # number of cases
    of: int = 0
    hidden: int = 0                 # of these, not in the statement
    printed: str = ""
    tried: bool = True              # False where nothing was run: no answer, the wrong thing, or the starter


def judge(exercise, answer):
    """The Verdict on an answer. Raises what makes running any answer impossible, such as a missing CUDA context."""
    if refused := _refused(exercise, answer):
        return refused
    return _verdict(exercise, answer, *attempts(exercise, answer))


def judge_all(exercise, answers):
    """A Verdict for each answer, as `judge` gives it, except that what they printed is lost. Where answers need a
    process of their own, several share one."""
    refused = [_refused(exercise, answer) for answer in answers]
    made = iter(attempts_of_all(exercise, [answer for answer, no in zip(answers, refused) if not no]))
    return [no or _verdict(exercise, answer, next(made), "") for answer, no in zip(answers, refused)]


def judge_listed(exercise):
    """[(Mistake, code, Verdict)]: how an exercise's own mistakes are judged, each way to make them."""
    made = zip(exercise.mistakes, _known(exercise))
    return [(mistake, code, _refused(exercise, answer) or _verdict(exercise, answer, one, ""))
            for mistake, ways in made for code, one in zip(mistake.ways, ways) for answer in [exercise.answer(code)]]


def _refused(exercise, answer):
    """The Verdict on what cannot be tried; None for what can."""
    refusal = exercise.answer_kind.refusal(exercise, answer)
    return Verdict(False, refusal, tried=False) if refusal else None


def _verdict(exercise, answer, made, printed):
    wrong = next((one for one in made if not one.right), None)
    counts = {"right": sum(one.right for one in made), "of": len(made), "hidden": sum(one.hidden for one in made),
              "printed": printed}
    if wrong is None:
        return Verdict(True, **counts)
    observed = _observed(exercise, answer, made, wrong)
    no_mistake = observed or exercise.answer_kind.has_form and _only_form(made) or _only_none(made)
    known = [] if no_mistake else _known(exercise)
    if known and _whatever_is_tried(made, known) and not _can_be_solved_here(exercise):
        return Verdict(False, "The check cannot run on this machine, whatever the answer is: "
                              f"{made[0].outcome.value}.\n{made[0].outcome.text}", tried=False)
    mistake = None if no_mistake else recognise(exercise, answer, made, known)
    reason = observed or (_named(exercise, answer, made, known, mistake) if mistake else _reason(exercise, answer, made, wrong))
    return Verdict(False, reason, mistake, wrong, **counts)


def _named(exercise, answer, made, known, mistake):
    """A mistake's message: stated where what came of the answer singles it out, and the source shows what it speaks of;
    else asked."""
    alone = proves(exercise, answer, made, known, mistake)
    return mistake.message if alone and shows(answer, mistake.seen) else f"Is it this? {mistake.message}"


def _observed(exercise, answer, made, wrong):
    """What an answer was seen to do that makes it wrong, whatever else it does; "" where nothing was."""
    for seen in (_prints, _changes_an_argument, _keeps_a_default, _uses_a_tuple_whole, _waits_for_an_exception):
        if told := seen(exercise, answer, made, wrong):
            return told
    return ""


def _whatever_is_tried(made, known):
    """Does the answer fail at once, and every listed mistake in the same way? Then it may be the machine's fault."""
    first = made[0].outcome.how, made[0].outcome.value
    return first[0] == "raised" and all((theirs[0].outcome.how, theirs[0].outcome.value) == first
                                        for ways in known for theirs in ways)


def _can_be_solved_here(exercise):
    """Does the solution get through its first case?"""
    return attempts_of_all(exercise, [exercise.answer(exercise.solution)])[0][0].right


def _only_form(made):
    """Is every wrong case right but for its form?"""
    return all(one.right or one.outcome.how == "value" and form(one.outcome.value, one.expected) for one in made)


def _only_none(made):
    """Is None all that ever comes? Many mistakes lead there."""
    return len(made) > 1 and all(one.outcome.how == "value" and one.outcome.value is None for one in made)


def _known(exercise):
    """What the listed mistakes come to: for each a list of lists of Attempt, one for each way to make it.

    It takes a process of its own, or as long as many answers, and comes to the same each time: it is kept, but where
    the driver makes the cases, with other addresses each time.
    """
    if callable(exercise.cases) and not exercise.sandboxed:
        return _run_known(exercise)
    if exercise.id not in _kept or _kept[exercise.id][0] is not exercise:
        _kept[exercise.id] = exercise, _run_known(exercise)
    return _kept[exercise.id][1]


_kept = {}      # an exercise's id -> (the Exercise, what its mistakes come to)


def _run_known(exercise):
    codes = [exercise.answer(code) for mistake in exercise.mistakes for code in mistake.ways]
    found = iter(attempts_of_all(exercise, codes))
    return [[next(found) for _ in mistake.ways] for mistake in exercise.mistakes]


def _reason(exercise, answer, made, wrong):
    """What is wrong with an answer that is no listed mistake: what the first of these has to say that recognises it."""
    for recognised in (_endless, _ended, _not_compiled, _told_by_its_kind, _raised, _always_none, _another_form,
                       _constant, _an_argument, _told_by_the_check, _no_word_to_choose_from):
        told = recognised(exercise, answer, made, wrong)
        if told is not None:
            return told
    return _compared(exercise, made, wrong)


# Each of these returns what to say of an answer, or None where it is not what they recognise. made: every Attempt;
# wrong: the first that is not right.

def _prints(exercise, answer, made, wrong):
    if wrong.outcome.how == "value" and wrong.outcome.value is None and wrong.expected is not None:
        said = wrong.outcome.printed.strip()
        if said and said == str(wrong.expected):
            return f"`{exercise.name}` prints `{said}`, which is right, and returns nothing. What it finds, it has to `return`."


def _changes_an_argument(exercise, answer, made, wrong):
    if wrong.outcome.how == "changed":
        return (f"The first call is right, and it changes `{wrong.outcome.text}`: the same call gives another answer the second "
                "time. Leave what belongs to the caller as it is, or work on a copy.")


def _uses_a_tuple_whole(exercise, answer, made, wrong):
    line = "" if exercise.answer_kind.is_text else tuple_used_whole(answer)
    if line:
        return (f"`{line}` uses the whole tuple that the call returns: the error, then the results. A tuple with something in it "
                "counts as true, and equals no number. Take it apart: `error, ... = cu....(...)`.")


def _keeps_a_default(exercise, answer, made, wrong):
    name = "" if exercise.answer_kind.is_text else filled_default(answer)
    if name:
        return (f"The default of `{name}` is made once, and now has in it what earlier calls put there. Make a new one within the "
                "function.")


def _waits_for_an_exception(exercise, answer, made, wrong):
    call = "" if exercise.answer_kind.is_text else caught_in_vain(answer)
    if call:
        return f"`{call}` raises nothing where the driver refuses: a call of cuda-bindings returns the error. Look at that."


def _endless(exercise, answer, made, wrong):
    if wrong.outcome.how == "endless":
        line = wrong.outcome.text
        if exercise.answer_kind.is_text:
            return line or "Your kernel does not end, or not in time. Is there a loop that goes on for ever?"
        where = f" When its time was up, it was in the line `{line}`." if line else ""
        loop = " Can the condition of the loop become false?" if re.match(r"while\b", line) else (
            "" if line else " Is there a loop that goes on for ever?")
        return f"`{exercise.name}` does not end, or not in time.{where}{loop}"


def _ended(exercise, answer, made, wrong):
    if wrong.outcome.how == "ended":
        text = wrong.outcome.text
        return f"Your code did not survive: it {text.strip()}{FOLLOWED if 'SIGSEGV' in text else ''}"


def _not_compiled(exercise, answer, made, wrong):
    if wrong.outcome.how == "raised" and wrong.outcome.value == "CompileError":
        left = re.search(r"^\s*\.\.\.", answer, re.MULTILINE)
        still = "A `...` of the starter still stands there. " if left else ""
        return f"{still}It does not compile. The compiler says:\n\n" + textwrap.indent(wrong.outcome.text, "    ")


def _told_by_its_kind(exercise, answer, made, wrong):
    return exercise.answer_kind.reason(exercise, wrong) or None


def _raised(exercise, answer, made, wrong):
    if wrong.outcome.how == "raised":
        said = wrong.outcome.text
        about = next((words for sign, words in ABOUT.items() if sign in said), "")
        return "\n".join(filter(None, (f"`{exercise.name}` raises {wrong.outcome.value} for {wrong.what}.", said, about)))


def _always_none(exercise, answer, made, wrong):
    if _only_none(made):
        return f"`{exercise.name}` {_why_none(answer)}"


def _why_none(answer):
    if has_no_value(answer):
        return "has no `return` with a value, so what it gives is None."
    if method := changes_in_place(answer):
        return (f"returns None every time. `{method}` changes what it is called on, and returns None itself: is that what you "
                "return?")
    return "returns None every time: is its condition ever true, and does each way through it end in a `return` with a value?"


def _another_form(exercise, answer, made, wrong):
    if exercise.answer_kind.has_form:
        return form(wrong.outcome.value, wrong.expected) or None


def _constant(exercise, answer, made, wrong):
    if constant(made) and not _is_sentence(wrong.outcome.value):
        return f"`{exercise.name}` gives the same every time, whatever it is given."


def _an_argument(exercise, answer, made, wrong):
    """An answer that gives an argument back as it came."""
    failed = [one for one in made if not one.right]
    if exercise.kind != "function" or not any(map(telling, failed)):
        return None
    if any(one.outcome.how != "value" or not one.arguments for one in failed):
        return None
    names = list(inspect.signature(exercise.answer(exercise.starter)).parameters)
    for place, name in enumerate(names):
        if all(len(one.arguments) == len(names) and same(one.outcome.value, one.arguments[place]) for one in failed):
            return f"You return `{name}` as it came in."


def _told_by_the_check(exercise, answer, made, wrong):
    """The check's own sentence says all, and is shown below."""
    if isinstance(wrong.outcome.value, Told):
        return ONLY_HIDDEN if _examples_are_right(made, wrong) else ""


def _no_word_to_choose_from(exercise, answer, made, wrong):
    got = wrong.outcome.value
    if exercise.kind != "function" or not isinstance(got, str) or not isinstance(wrong.expected, str):
        return None
    if isinstance(wrong.expected, Label):
        return f"`{got!r}` is a text, and an address is asked for: the number." if not isinstance(got, Label) else None
    words = {one.expected for one in made if isinstance(one.expected, str) and not isinstance(one.expected, Label)}
    if len(words) > 1 and got not in words and not _is_sentence(got):
        return f"`{got!r}` is not one of the words to choose from: {listed(sorted(words))}."


def _compared(exercise, made, wrong):
    """What can be said of any answer: what is missing in it, whether the examples are right, and of what type it is."""
    parts = [ONLY_HIDDEN if _examples_are_right(made, wrong) else ""]
    if exercise.answer_kind.has_form:
        parts = [_elements(wrong.outcome.value, wrong.expected), *parts, _none_or_type(exercise, made, wrong)]
    return " ".join(filter(None, parts))


def _none_or_type(exercise, made, wrong):
    if wrong.outcome.value is None:
        return (f"`{exercise.name}` returns None for {wrong.what}: is that meant, or is there a way through it without "
                "a `return`?")
    if all(one.right or one.expected is None for one in made):
        return "Where there is no answer, return `None`."
    return _other_type(wrong.outcome.value, wrong.expected)


def _examples_are_right(made, wrong):
    return wrong.hidden and all(one.right for one in made if not one.hidden)


def _is_sentence(value):
    """Is this what a check says of an answer, and not the answer's own value?"""
    return isinstance(value, Told) or isinstance(value, str) and len(value.split()) > 3


def _other_type(got, wanted):
    """The sentence for a value of another type than is asked for, or for a list of such; "" otherwise."""
    if _type(got) != _type(wanted):
        return f"It should be {_type(wanted)}, and is {_type(got)}."
    if isinstance(got, (list, tuple)) and len(got) and len(wanted) and _type(got[0]) not in map(_type, wanted):
        return f"Each element should be {_type(wanted[0])}, and is {_type(got[0])}."
    return ""


def _type(value):
    """What a value is, in words."""
    kinds = ((bool, "`True` or `False`"), (type(None), "None"), ((int, float, np.number), "a number"), (str, "a text"),
             ((list, tuple, np.ndarray), "a list or tuple"))
    found = [words for kind, words in kinds if isinstance(value, kind)]
    return found[0] if found else f"an object of type {type(value).__name__}"


def _elements(got, wanted):
    """Which elements of a list are missing, and which do not belong there; "" where that says little."""
    if not isinstance(got, (list, tuple)) or not isinstance(wanted, list) or not any(one in wanted for one in got):
        return ""
    missing = [one for one in wanted if one not in got]
    too_much = [one for one in got if one not in wanted]
    twice = [one for one in wanted if got.count(one) > wanted.count(one)]
    found = (("Missing:", missing), ("Not asked for:", too_much), ("More than once in the list:", twice))
    return " ".join(f"{words} {' and '.join(f'`{one!r}`' for one in few)}." for words, few in found if 0 < len(few) < 3)
