"""What is said of a wrong answer: what it was seen to do, whatever else it does; and what is wrong where it is no listed mistake.

Each sentence says what was observed, or asks. Not here: which listed mistake it is (recognise.py), what can be seen in a source
(reading.py), and the verdict (judge.py).
"""
import inspect
import re
import textwrap

import numpy as np

from .exercise import call
from .kinds import listed
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
from .values import Label, Told, form, same

# What an exception's words tell of its cause.
ABOUT = {
    "'tuple'": "A call of cuda-bindings returns a tuple, the error first: is one of them used whole? `error, answer = cu....` "
               "takes it apart.",
    "'cuda.bindings.driver.CU": "A result of cuda-bindings is an object: `int(...)` gives the number in it.",
    "'NoneType'": "A value is None there: which call, or which view, has no answer?",
}
PLACE = "first", "second", "third", "fourth"
FEW_CASES = 3
ONLY_HIDDEN = "Right for the examples, but not for other data."
FOLLOWED = (". So the CPU followed an address that is not one of the host's: what lies at an address of the device "
            "comes by a copy.")


def observed(exercise, answer, attempts, wrong):
    """What an answer was seen to do that makes it wrong, whatever else it does; "" where nothing was."""
    for seen in (_prints, _changes_an_argument, _keeps_a_default, _uses_a_tuple_whole, _waits_for_an_exception):
        if reason := seen(exercise, answer, attempts, wrong):
            return reason
    return ""


def only_none(attempts):
    """Is None all that ever comes? Many mistakes lead there."""
    values = [attempt.outcome.value for attempt in attempts if attempt.outcome.how in ("value", "altered")]
    return len(attempts) == len(values) > 1 and all(value is None for value in values)


def reason_for(exercise, answer, attempts, wrong):
    """What is wrong with an answer that is no listed mistake: what the first of these has to say that recognises it."""
    for recognised in (_endless, _ended, _not_compiled, _told_by_its_kind, _raised, _always_none, _another_form,
                       _swallows, _constant, _never_reads, _exchanged, _an_argument, _told_by_the_check, _no_word_to_choose_from):
        reason = recognised(exercise, answer, attempts, wrong)
        if reason is not None:
            return reason
    return _compared(exercise, answer, attempts, wrong)


# Each of these returns what to say of an answer, or None where it is not what they recognise. made: every Attempt;
# wrong: the first that is not right.

def _prints(exercise, answer, attempts, wrong):
    if wrong.outcome.how == "value" and wrong.outcome.value is None and wrong.expected is not None:
        printed = wrong.outcome.printed.strip()
        if printed and printed == str(wrong.expected):
            return f"`{exercise.name}` prints `{printed}`, which is right, and returns nothing. What it finds, it has to `return`."


def _changes_an_argument(exercise, answer, attempts, wrong):
    if wrong.outcome.how == "changed":
        return (f"The first call is right, and it changes `{wrong.outcome.text}`: the same call gives another answer the second "
                "time. Leave what belongs to the caller as it is, or work on a copy.")
    if wrong.outcome.how == "altered":
        return "What you are given belongs to the caller. Leave it as it is, or work on a copy, such as `sorted(...)` makes."


def _uses_a_tuple_whole(exercise, answer, attempts, wrong):
    line = "" if exercise.answer_kind.is_text else tuple_used_whole(answer)
    if line:
        return (f"`{line}` uses the whole tuple that the call returns: the error, then the results. A tuple with something in it "
                "counts as true, and equals no number. Take it apart: `error, ... = cu....(...)`.")


def _keeps_a_default(exercise, answer, attempts, wrong):
    name = "" if exercise.answer_kind.is_text else filled_default(answer)
    if name:
        return (f"The default of `{name}` is made once, and now has in it what earlier calls put there. Make a new one within the "
                "function.")


def _waits_for_an_exception(exercise, answer, attempts, wrong):
    call = "" if exercise.answer_kind.is_text else caught_in_vain(answer)
    if call:
        return f"`{call}` raises nothing where the driver refuses: a call of cuda-bindings returns the error. Look at that."


def _endless(exercise, answer, attempts, wrong):
    if wrong.outcome.how == "endless":
        line = wrong.outcome.text
        if exercise.answer_kind.is_text:
            return line or "Your kernel was stopped, for its time was up. Can each loop in it come to its end?"
        where = f" When its time was up, it was in the line `{line}`." if line else ""
        loop = " Can the condition of the loop become false?" if re.match(r"while\b", line) else (
            "" if line else " What does it wait for, or repeat?")
        return f"`{exercise.name}` was stopped, because the check waits no longer.{where}{loop}"


def _ended(exercise, answer, attempts, wrong):
    if wrong.outcome.how == "ended":
        text = wrong.outcome.text
        return f"Your code did not survive: it {text.strip()}{FOLLOWED if 'SIGSEGV' in text else ''}"


def _not_compiled(exercise, answer, attempts, wrong):
    if wrong.outcome.how == "raised" and wrong.outcome.value == "CompileError":
        left = re.search(r"^\s*\.\.\.", answer, re.MULTILINE)
        still = "A `...` of the starter still stands there. " if left else ""
        host = re.search(r'identifier "(cuda[A-Z]\w+)" is undefined', wrong.outcome.text)
        if host:
            still += f"`{host[1]}` is a function for the host, and a kernel cannot call it: its threads do the work themselves. "
        return f"{still}It does not compile. The compiler says:\n\n" + textwrap.indent(wrong.outcome.text, "    ")


def _told_by_its_kind(exercise, answer, attempts, wrong):
    return exercise.answer_kind.reason(exercise, wrong) or None


def _raised(exercise, answer, attempts, wrong):
    if wrong.outcome.how == "raised":
        message = wrong.outcome.text
        about = next((words for sign, words in ABOUT.items() if sign in message), "")
        first, _, line = message.partition("\n")
        what = f"`{exercise.name}` raises {wrong.outcome.value} for {wrong.what}{': ' + first if first else '.'}"
        wanted = f"`{wrong.expected!r}` is asked for there, and no exception." if wrong.expected is None or wrong.expected is False else ""
        return "\n".join(filter(None, (what, line, about, wanted)))


def _always_none(exercise, answer, attempts, wrong):
    if only_none(attempts):
        return f"`{exercise.name}` {_why_none(answer)}"


def _why_none(answer):
    if has_no_value(answer):
        return "has no `return` with a value, so what it gives is None."
    if method := changes_in_place(answer):
        return (f"returns None every time. `{method}` changes what it is called on, and returns None itself: is that what you "
                "return?")
    return "returns None every time: is its condition ever true, and does each way through it end in a `return` with a value?"


def _another_form(exercise, answer, attempts, wrong):
    # A value that is right for another case is no other form.
    if exercise.answer_kind.has_form and not any(each.right and same(each.outcome.value, wrong.outcome.value) for each in attempts):
        return form(wrong.outcome.value, wrong.expected) or None


def _constant(exercise, answer, attempts, wrong):
    # A number that a harness makes of an address is how far it is from where it should be.
    elements = wrong.outcome.value if isinstance(wrong.outcome.value, (list, tuple)) else [wrong.outcome.value]
    as_given = exercise.run is call or all(isinstance(element, (str, bool, type(None))) and not isinstance(element, Label)
                                           for element in elements)
    if constant(attempts) and as_given and not _is_sentence(wrong.outcome.value) and not exercise.answer_kind.is_text:
        return f"`{exercise.name}` gives the same every time, whatever it is given."


def _swallows(exercise, answer, attempts, wrong):
    line = "" if exercise.answer_kind.is_text else swallows(answer)
    if line:
        return f"`{line}` passes over whatever is raised there, a mistake of your own as well. Take it away, and see what comes."


def _never_reads(exercise, answer, attempts, wrong):
    if name := never_read(answer):
        return f"`{exercise.name}` never reads what it is given as `{name}`."


def _exchanged(exercise, answer, attempts, wrong):
    """Two words in each other's place, in each wrong case and in no right one."""
    pairs = {(attempt.outcome.value, attempt.expected) for attempt in attempts if not attempt.right and attempt.outcome.how == "value"
             and isinstance(attempt.outcome.value, str) and isinstance(attempt.expected, str) and not isinstance(attempt.expected, Label)}
    words = {word for pair in pairs for word in pair}
    if len(words) == 2 == len(pairs) and not any(isinstance(attempt.outcome.value, Told) or attempt.right and attempt.expected in words or
                                                 not attempt.right and attempt.outcome.value not in words for attempt in attempts):
        return f"{' and '.join(f'`{word!r}`' for word in sorted(words))} are exchanged."


def _an_argument(exercise, answer, attempts, wrong):
    """An answer that gives an argument back as it came."""
    failed = [attempt for attempt in attempts if not attempt.right]
    if exercise.kind != "function" or not any(map(telling, failed)):
        return None
    if any(attempt.outcome.how != "value" or not attempt.arguments for attempt in failed):
        return None
    names = list(inspect.signature(exercise.answer(exercise.starter)).parameters)
    for place, name in enumerate(names):
        if all(len(attempt.arguments) == len(names) and same(attempt.outcome.value, attempt.arguments[place]) for attempt in failed):
            return f"You return `{name}` as it came in."


def _told_by_the_check(exercise, answer, attempts, wrong):
    """The check's own sentence says all, and is shown below."""
    if isinstance(wrong.outcome.value, Told):
        return ONLY_HIDDEN if _examples_are_right(attempts, wrong) else ""


def _no_word_to_choose_from(exercise, answer, attempts, wrong):
    got = wrong.outcome.value
    if isinstance(got, (list, tuple)) and isinstance(wrong.expected, (list, tuple)):
        return next((f"`{element!r}` is a text, and an address is asked for: the number." for element, wanted in zip(got, wrong.expected)
                     if isinstance(wanted, Label) and type(element) is str), None)
    if exercise.kind != "function" or not isinstance(got, str) or isinstance(got, Label) or not isinstance(wrong.expected, str):
        return None
    words = {attempt.expected for attempt in attempts if isinstance(attempt.expected, str) and not isinstance(attempt.expected, Label)}
    if isinstance(wrong.expected, Label) and got not in words:
        return f"`{got!r}` is a text, and an address is asked for: the number."
    if len(words) > 1 and got not in words and not _is_sentence(got) and all(word in exercise.statement for word in words):
        return f"`{got!r}` is not one of the words to choose from: {listed(sorted(words))}."


def _compared(exercise, answer, attempts, wrong):
    """What can be said of any answer: what is missing in it, whether the examples are right, and of what type it is."""
    got, parts = wrong.outcome.value, [ONLY_HIDDEN if _examples_are_right(attempts, wrong) else ""]
    if exercise.answer_kind.has_form:
        parts = [_elements(got, wrong.expected), *parts, _none_or_type(exercise, attempts, wrong), _by_how_much(attempts)]
        parts.append(_outlives(answer))
    return " ".join(filter(None, [_places(got, wrong.expected), *parts, _also_wrong(attempts, wrong)]))


def _places(got, wanted):
    """Which elements of a few are wrong; "" where none or all are."""
    if isinstance(got, str) and isinstance(wanted, str) and len(got) == len(wanted) > 10:
        first = next((place for place, pair in enumerate(zip(got, wanted)) if len({*pair}) > 1), 0)
        return f"They are alike up to place {first}, counted from 0." if first else ""
    if not isinstance(got, (list, tuple)) or not isinstance(wanted, (list, tuple)):
        return ""
    if len(got) != len(wanted):
        return f"It has {len(got)} element{'' if len(got) == 1 else 's'}, and should have {len(wanted)}."
    numbers = [(mine, theirs) for mine, theirs in zip(got, wanted) if all(type(number) is int for number in (mine, theirs))]
    by = {mine - theirs for mine, theirs in numbers}
    if len(numbers) == len(got) > 1 == len(by) and by != {0}:
        by = by.pop()
        return f"{'Both' if len(got) == 2 else 'All'} are too {'large' if by > 0 else 'small'} by {abs(by)}."
    places = [place for place, (mine, theirs) in enumerate(zip(got, wanted)) if not same(mine, theirs)]
    if len(places) == 1 < len(got) <= len(PLACE):
        rest = "the other one is" if len(got) == 2 else "the others are"
        return f"The {PLACE[places[0]]} element is wrong, and {rest} right."
    return ""


def _by_how_much(attempts):
    """By how much every wrong number is wrong, where it is always the same; "" else."""
    pairs = [(attempt.outcome.value, attempt.expected) for attempt in attempts if not attempt.right]
    if len(pairs) < 2 or any(type(number) not in (int, float) or not abs(number) < 1e15 for pair in pairs for number in pair):
        return ""       # nor for what is no number, or none that a division gives back
    differences, times = {got - wanted for got, wanted in pairs}, {got / wanted for got, wanted in pairs if wanted}
    if len(differences) == 1 and differences != {0}:
        by = differences.pop()
        return f"Each wrong number is too {'large' if by > 0 else 'small'} by {abs(by)}."
    by = times.pop() if len(times) == 1 and all(wanted for _, wanted in pairs) else 1
    return f"Each wrong number is {by:g} times what it should be." if by > 1 and by == int(by) else ""


def _outlives(answer):
    name = outlives_a_call(answer)
    return f"`{name}` lives on from one call to the next: does what an earlier call put there belong to this one?" if name else ""


def _also_wrong(attempts, wrong):
    """The other cases that go wrong, where they are a few with names of their own."""
    others = [attempt.what for attempt in attempts if not attempt.right and attempt is not wrong and attempt.outcome.how != "untried"]
    named = [what for what in others if not what.startswith("random data")]
    return f"It also goes wrong for {', and for '.join(named)}." if 0 < len(others) == len(named) <= FEW_CASES else ""


def _none_or_type(exercise, attempts, wrong):
    if wrong.outcome.value is None:
        return (f"`{exercise.name}` returns None for {wrong.what}: is that meant, or is there a way through it without "
                "a `return`?")
    if all(attempt.right or attempt.expected is None for attempt in attempts):
        return "Where there is no answer, return `None`."
    return _other_type(wrong.outcome.value, wrong.expected)


def _examples_are_right(attempts, wrong):
    return wrong.hidden and all(attempt.right for attempt in attempts if not attempt.hidden)


def _is_sentence(value):
    """Is this what a check says of an answer, and not the answer's own value?"""
    return isinstance(value, Told) or isinstance(value, str) and len(value.split()) > 3


def _other_type(got, wanted):
    """The sentence for a value of another type than is asked for, or for a list of such; "" otherwise."""
    if _type(got) != _type(wanted):
        return f"It should be {_type(wanted)}, and is {_type(got)}."
    if isinstance(got, (list, tuple)) and len(got) and len(wanted) and _type(got[0]) not in map(_type, wanted):
        kinds, theirs = set(map(_type, wanted)), set(map(_type, got))
        if len(kinds) == len(theirs) == 1:
            return f"Each element should be {_type(wanted[0])}, and is {_type(got[0])}."
        return f"The first element should be {_type(wanted[0])}, and is {_type(got[0])}."
    return ""


def _type(value):
    """What a value is, in words."""
    if isinstance(value, Told):
        return str(value)
    kinds = ((Label, "a number"), (bool, "`True` or `False`"), (type(None), "None"), ((int, float, np.number), "a number"), (str, "a text"),
             ((list, tuple, np.ndarray), "a list or tuple"))
    words_ = [words for kind, words in kinds if isinstance(value, kind)]
    return words_[0] if words_ else f"an object of type {type(value).__name__}"


def _elements(got, wanted):
    """Which elements of a list are missing, and which do not belong there; "" where that says little."""
    if not isinstance(got, (list, tuple)) or not isinstance(wanted, list) or not any(element in wanted for element in got):
        return ""
    missing = [element for element in wanted if element not in got]
    too_much = [element for element in got if element not in wanted]
    twice = [element for element in wanted if got.count(element) > wanted.count(element)]
    kinds = (("Missing:", missing), ("Not asked for:", too_much), ("More than once in the list:", twice))
    return " ".join(f"{words} {' and '.join(f'`{element!r}`' for element in few)}." for words, few in kinds if 0 < len(few) < 3)
