"""Which listed mistake an answer makes; and what is said of a wrong value beside the right one, where none is recognised."""
import dataclasses
import gc
import weakref

from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.exercise import Mistake
from courseware.exercises.kinds import KINDS
from courseware.exercises.reading import (
    caught_in_vain,
    changes_in_place,
    filled_default,
    has_no_value,
    never_read,
    outlives_a_call,
    source_of,
    swallows,
    tuple_used_whole,
)
from courseware.exercises.reasons import _by_how_much, _places, observed, reason_for
from courseware.exercises.recognise import constant, proves, recognise, simplest_wrong, telling
from courseware.exercises.trials import CaseOutcome, Trial
from courseware.exercises.values import Label, Remark

import pytest


@pytest.mark.parametrize("got, wanted, says", [
    ((11, 12), (1, 2), "Both are too large by 10."), ((0, "b"), (0, "c"), "The second element is wrong, and the other one is right."),
    ((1, 2, 3), (11, 12, 13), "All are too small by 10."), ([3], [1], ""), ((True, 1), (2, 2), ""), ([3, 4, 3], [1, 2, 3], ""),
    ([1, 2, 3, 5], [1, 2, 3, 4], "The fourth element is wrong, and the others are right."), ([1, 2, 3, 4, 6], [1, 2, 3, 4, 5], ""),
    ([1], [1, 2], "It has 1 element, and should have 2."), ([1, 2], [1], "It has 2 elements, and should have 1."),
    ("abcdefghij", "abcdefghix", ""), ("xbcdefghijk", "abcdefghijk", ""), ("abcdefghijk", "abcdefghijkl", ""), ("abcdefghijk.", "abcdefghijkl", "They are alike up to place 11, counted from 0."),
    ((1, 2), [1, 2], ""), ("the same address", Label("the same address"), ""), (5, 6, "")])
def test_it_is_said_which_element_is_wrong(got, wanted, says):
    assert _places(got, wanted) == says


@pytest.mark.parametrize("pairs, says", [
    ([(4, 3), (9, 8)], "Each wrong number is too large by 1."), ([(6, 3), (8, 4)], "Each wrong number is 2 times what it should be."),
    ([(2, 3), (7, 8)], "Each wrong number is too small by 1."), ([(9, 6), (12, 8)], ""), ([(6, 3), (12, 4)], ""), ([(0, 3), (0, 4)], ""),
    ([(4, 0), (6, 3)], ""), ([(4, 2), (True, 1)], ""), ([(1.5, 1), (2.5, 2)], "Each wrong number is too large by 0.5."), ([(-1, 3), (-1, 1)], ""),
    ([(1e15, 1e15 - 1), (2, 1)], ""), ([(4, 3)], ""), ([(3.0, 3), (4.0, 4)], ""), ([(float("inf"), 3), (float("inf"), 4)], ""), ([(10**400, 3), (7, 4)], "")])
def test_it_is_said_by_how_much_every_number_is_wrong(pairs, says):
    trials = [Trial(f"case {got}", "", False, wanted, CaseOutcome("value", got)) for got, wanted in pairs]
    assert _by_how_much(trials) == says


def came(value, expected, how="value", text="", description="a block", arguments=(), printed="", **more):
    return Trial(description, "", more.pop("hidden", False), expected, CaseOutcome(how, value, text, printed), arguments, **more)


def reason(*tried, answer=None, **changed):
    """What is said of an answer to to-device, which finds the device's address for a host's in a book."""
    exercise = dataclasses.replace(EXERCISES["to-device"], **changed)
    return reason_for(exercise, answer or (lambda book, host_address: book and host_address), tried, simplest_wrong(tried))


def cases(*values):
    """A Trial for each value, where 100, 200, ... are right; a Trial stays as it is, but for its place."""
    trials = [value if isinstance(value, Trial) else came(value, 100 * place) for place, value in enumerate(values, 1)]
    return [dataclasses.replace(trial, description=f"case {place}") for place, trial in enumerate(trials, 1)]


def mistakes(listed_values, kind="function", seen=""):
    """(an exercise with a listed mistake for each of what they come to, an answer to it, its mistakes)"""
    listed = tuple(Mistake("", f"mistake {number}", seen=seen) for number, _ in enumerate(listed_values))
    return dataclasses.replace(EXERCISES["to-device"], kind=kind, mistakes=listed), EXERCISES["to-device"].answer("def to_device(): pass"), listed


def recognised(values, *listed_values, **more):
    exercise, answer, listed = mistakes(listed_values, **more)
    mistake = recognise(exercise, answer, cases(*values), [[cases(*theirs)] for theirs in listed_values])
    return mistake and listed.index(mistake)


YES, NO, NOT_TRIED = came(True, True), came(False, True), came(None, 5, "untried")


def raised(name, message, expected=5):
    return came(name, expected, "raised", message)


@pytest.mark.parametrize("values, listed_values, number", [
    ((101, 201, 300), [(101, 201, 300)], 0), ((101, 201, 300), [(102, 201, 300)], None), ((101, 201, 300), [(101, 200, 300), (101, 201, 300)], 1),
    ((101, 201, 300), [(101, 201, 300), (101, 201, 300)], 0), ((101, 201, 300), [(101, 201, 300), (101, 200, 300)], 0),
    ((101, 201, 303, 404), [(101, 201, 301, 401)], 0), ((101, 201, 303, 404, 505), [(101, 201, 301, 401, 501)], None),
    ((101, 200, 300), [(101, 201, 301)], 0), ((101, 201, 300, 400, 500), [(101, 201, 301, 401, 501)], 0), ((101, 200, 300, 400), [(101, 201, 301, 401)], None), ((101, 200), [(101, 201), (101, 200)], 1),
    ((NO, NO, NO, NO, NO, 600), [(NO, NO, NO, NO, YES, 600)], 0), ((NO, NO, NO, NO, 500), [(NO, NO, NO, YES, 500)], None),
    ((NO, NO, YES), [(NO, NO, NO)], 0), ((NO, YES), [(NO, NO)], None), ((NO, NO, YES, YES), [(NO, NO, NO, NO)], None),
    ((50, 50, 50), [(50, 50, 51)], None), ((50, 50, 50), [(50, 50, 50)], 0), ((101, NOT_TRIED, NOT_TRIED), [(101, 201, 301)], 0),
    ((raised("TypeError", "takes 2"), 200), [(raised("TypeError", "takes 3"), 200)], 0), ((raised("TypeError", "no"), 200), [(raised("TypeError", "yes"), 200)], None),
    ((raised("TypeError", "NoneType has no a"), 200), [(raised("TypeError", "NoneType + int"), 200)], 0),
    ((raised("KeyError", "no"), 200), [(raised("KeyError", "yes"), 200)], 0), ((raised("KeyError", ""), 200), [(raised("TypeError", ""), 200)], None),
    ((raised("KeyError", ""), 200), [("KeyError", 200)], None), ((101, 201), [(101.0, 201)], 0)])
def test_a_mistake_is_named_that_explains_the_first_wrong_case_and_enough_of_the_others(values, listed_values, number):
    assert recognised(values, *listed_values) == number


def test_where_what_was_chosen_tells_the_mistake_one_case_is_enough_and_where_the_source_lacks_it_it_was_not_made():
    values, theirs = (101, 202, 303, 404), (101, 200, 300, 400)
    assert recognised(values, theirs, kind="table") == 0 and recognised(values, theirs) is None
    assert recognised(theirs, theirs, seen="pass") == 0 and recognised(theirs, theirs, seen="return") is None


@pytest.mark.parametrize("values, listed_values, proved", [
    ((101, 201, 300), [(101, 201, 300)], True), ((101, 201, 300), [(101, 201, 301)], False), ((101, 201, 300), [(101, 200, 300)], False),
    ((101, 201, 300), [(101, 201, 300), (101, 201, 300)], False), ((101, 201, 300), [(101, 201, 300), (101, 202, 300)], True),
    ((101, 201), [(101, 201, 300)], False), ((came(Remark("a hole"), 5), 201), [(came(Remark("a hole"), 5), 202)], True),
    ((came(Remark("a hole"), 5), 201), [(came(Remark("a hole"), 5), 202), (came(Remark("a hole"), 5), 203)], False)])
def test_a_mistake_is_proved_that_comes_to_all_that_came_and_no_other_does(values, listed_values, proved):
    exercise, answer, listed = mistakes(listed_values)
    assert proves(exercise, answer, cases(*values), [[cases(*theirs)] for theirs in listed_values], listed[0]) == proved


def test_what_was_chosen_proves_a_mistake():
    exercise, answer, listed = mistakes([1], kind="table")
    assert proves(exercise, answer, cases(101, 202), [[cases(101, 203)]], listed[0])


@pytest.mark.parametrize("value, tells", [(10, True), (-10, True), (9, False), (None, False), (True, False), ("x" * 21, True), ("x" * 20, False),
                                          ([1], True), ([], False), (object(), False), (10.5, True)])
def test_a_small_number_a_word_or_nothing_comes_of_many_mistakes(value, tells):
    assert telling(came(value, 5)) == tells and not telling(came(value, 5, "raised"))


@pytest.mark.parametrize("values, one", [((1, 1, 1), True), ((1, 1), False), ((1, 1, 2), False), ((1, 1, raised("KeyError", "")), False)])
def test_an_answer_comes_to_the_same_whatever_it_is_asked_where_three_cases_do(values, one):
    assert constant(cases(*values)) == one


@pytest.mark.parametrize("tried, first", [
    ([came(1, 2), came(None, 2, "ended")], 1), ([came(1, 2, hidden=True), came(1, 2)], 1), ([came(2, 2), came(1, 2, hidden=True)], 1),
    ([NOT_TRIED, came(1, 2)], 1), ([came(1, 2), came(3, 2)], 0),
    ([dataclasses.replace(came(1, 2, hidden=True, random=True), call=call) for call in ("f(1, 2)", "f(1)")] + [came(1, 2, hidden=True)], 2),
    ([dataclasses.replace(came(1, 2, hidden=True, random=True), call=call) for call in ("f(1, 2)", "f(1)")], 1)])
def test_the_simplest_wrong_case_is_shown(tried, first):
    assert simplest_wrong(tried) is tried[first]


RIGHT, WRONG = came(7, 7, description="another block"), came(50, 60)
WORDS = {"statement": "Is it of the `host` or the `device`?"}
EXCHANGED = came("host", "device"), came("device", "host")


@pytest.mark.parametrize("tried, says", [
    ([came(None, 5, "endless")], "waits no longer. What does it wait for, or repeat?"),
    ([came(None, 5, "endless", "while free:")], "in the line `while free:`. Can the condition of the loop become false?"),
    ([came(None, 5, "endless", "for block in book:")], "in the line `for block in book:`."),
    ([came(None, 5, "ended", "was ended by SIGSEGV")], "comes by a copy."), ([came(None, 5, "ended", "exits with 3")], "it exits with 3"),
    ([came("KeyError", None, "raised", "no key")], "raises KeyError for a block: no key\n`None` is asked for there, and no exception."),
    ([came("KeyError", False, "raised")], "for a block.\n`False` is asked for there, and no exception."), ([came("KeyError", 0, "raised")], "for a block."),
    ([came(50, 60), came(50, 61), came(50, 62)], "gives the same every time, whatever it is given."),
    ([came(50, 60), came(50, 61), came(51, 62)], "It also goes wrong for a block, and for a block."),
    ([came(50, 60, arguments=([], 50)), came(51, 61, arguments=([], 51)), RIGHT], "You return `host_address` as it came in."),
    ([came([], 60, arguments=([], 50)), came([], 61, arguments=([], 51)), came(52, 62, arguments=([], 52))], "It also goes wrong for a block, and for a block."),
    ([came((3, 4), 60), RIGHT], "It should be a number, and is a list or tuple."), ([came(None, 60), RIGHT], "or is there a way through it without a `return`?"),
    ([came(None, 60)], "or is there a way through it without a `return`?"), ([came(None, 60), came("KeyError", 5, "raised")], "It also goes wrong for a block."),
    ([came(None, 60), came(None, 61)], "returns None every time: is its condition ever true, and does each way through it end in a `return` with a value?"),
    ([came(3, [3]), RIGHT], "return a list, even for a single element: `[3]`."), ([came(3, [3]), came(3, 3)], "It should be a list or tuple, and is a number."),
    ([came(["x"], [1]), RIGHT], "Each element should be a number, and is a text."),
    ([came(50, None), came(51, None), RIGHT], "Where there is no answer, return `None`. It also goes wrong for a block."),
    ([came([None, 3], [1, 2]), RIGHT], "The first element should be a number, and is None."),
    ([came([None, None], [1, 2]), RIGHT], "Each element should be a number, and is None."),
    ([came([1, 2], [1, 2, 3]), RIGHT], "It has 2 elements, and should have 3. Missing: `3`."),
    ([came([1, 2, 3], [1, 2, 4]), RIGHT], "and the others are right. Missing: `4`. Not asked for: `3`."),
    ([came([1], [1, 2, 3]), RIGHT], "and should have 3. Missing: `2` and `3`."), ([came([1], [1, 2, 3, 4]), RIGHT], "and should have 4."),
    ([RIGHT, came([1], [1, 2], hidden=True)], "and should have 2. Missing: `2`. Right for the examples, but not for other data."),
    ([came([], [1]), RIGHT], "It has 0 elements, and should have 1."), ([came([1], []), RIGHT], "It has 1 element, and should have 0."),
    ([came([1, 1, 2], [1, 2]), RIGHT], "and should have 2. More than once in the list: `1`."),
    ([came([1, 9], [1, 2, 3, 4]), RIGHT], "and should have 4. Not asked for: `9`."),
    ([WRONG, came(8, 7, description="two"), came(8, 6, description="three"), came(8, 6, description="four")], "It also goes wrong for two, and for three, and for four."),
    ([came("x", 60), RIGHT, came(50, 60, hidden=True)], "It also goes wrong for a block."), ([RIGHT, came(50, 60, hidden=True)], "Right for the examples, but not for other data."),
    ([came(Remark("a number"), 60, hidden=True), RIGHT], "Right for the examples, but not for other data."),
    ([came("0x10", Label("the address of the block")), RIGHT], "`'0x10'` is a text, and an address is asked for: the number."),
    ([came(["0x10"], [Label("the address of the block")]), RIGHT], "`'0x10'` is a text, and an address is asked for: the number."),
])
def test_a_wrong_answer_is_told_what_came_of_it(tried, says):
    assert reason(*tried).endswith(says)


@pytest.mark.parametrize("tried", [
    [came(Remark("a number"), 60), RIGHT], [came([8, 9], [1, 3]), RIGHT], 3 * [came(Remark("a number"), 60)], [came(number, 70) for number in range(50, 55)], [WRONG, came(52, 61, random=True)], [WRONG, came(None, 61, "untried")]])
def test_where_nothing_more_is_known_nothing_more_is_said(tried):
    assert not reason(*tried)


@pytest.mark.parametrize("value, says", [
    ("host", True), (None, True), (["host", None], True), (50, False), (Label("an address"), False), (["host", 50], False)])
def test_what_a_harness_makes_of_an_address_is_not_said_to_be_the_same_every_time(value, says):
    tried = [came(value, expected) for expected in (60, 61.5, "other")]
    assert ("gives the same every time, whatever it is given." in reason(*tried, came(value, 2), run=lambda answer: None)) == (says and value is not None)


@pytest.mark.parametrize("tried, says", [
    (came(None, 5, "endless", "Your kernel was in line 3."), "Your kernel was in line 3."),
    (came(None, 5, "endless"), "Your kernel was stopped, for its time was up. Can each loop in it come to its end?"),
    (came("CompileError", 5, "raised", "kernel.cu:1"), "It does not compile. The compiler says:\n\n    kernel.cu:1"),
    (came("CompileError", 5, "raised", 'identifier "cudaMalloc" is undefined'),
     "`cudaMalloc` is a function for the host, and a kernel cannot call it: its threads do the work themselves. It does not compile. The compiler says:"
     '\n\n    identifier "cudaMalloc" is undefined'), (came(50, 60), "")])
def test_a_kernel_that_does_not_end_or_compile_is_told_so(tried, says):
    assert (reason(tried, came(50, 61), came(50, 62), answer="__global__ void f() { }", kind="source") or "") == (
        says or "It also goes wrong for a block, and for a block.")


@pytest.mark.parametrize("body, says", [
    ("book", "has no `return` with a value, so what it gives is None."),
    ("return book.sort()", "`sort` changes what it is called on, and returns None itself: is that what you return?")])
def test_an_answer_that_only_gives_none_is_told_where_it_comes_from(body, says):
    answer = EXERCISES["to-device"].answer(f"def to_device(book, host_address):\n    {body}")
    assert reason(came(None, 60), came(None, 61), answer=answer).endswith(says)


@pytest.mark.parametrize("tried, says", [
    (came(None, 5, printed="5\n"), "`to_device` prints `5`, which is right, and returns nothing. What it finds, it has to `return`."),
    (came(None, 5, printed="6"), ""), (came(None, 5), ""), (came(7, 5, printed="5"), ""), (came(None, None, printed="None"), ""),
    (came(None, 5, "raised", printed="5"), ""), (came(5, 5, "altered"), "What you are given belongs to the caller. Leave it as it is, or work on a copy, "
     "such as `sorted(...)` makes."), (came(7, 5, "changed", "book"), "The first call is right, and it changes `book`: the same call gives another answer "
     "the second time. Leave what belongs to the caller as it is, or work on a copy.")])
def test_what_an_answer_was_seen_to_do_is_told_whatever_else_it_does(tried, says):
    assert observed(EXERCISES["to-device"], max, [tried], tried) == says


@pytest.mark.parametrize("tried, says", [
    (EXCHANGED, "`'device'` and `'host'` are exchanged."), ((*EXCHANGED, came("neither", "neither")), "`'device'` and `'host'` are exchanged."),
    ((*EXCHANGED, came("host", "host")), "It also goes wrong for a block."), ((*EXCHANGED, came("host", "neither")), "for a block, and for a block."),
    ((came("hosts", "host"), came("device", "device")), "`'hosts'` is not one of the words to choose from: `\"device\"` and `\"host\"`."),
    ((came("hosts", "host"), came("neither", "neither")), ""), ((came("hosts", "host"),), "")])
def test_words_that_are_exchanged_or_not_to_choose_from_are_named(tried, says):
    assert reason(*tried, **WORDS).endswith(says) if says else not reason(*tried, **WORDS)


@pytest.mark.parametrize("kind, how, value, says", [
    ("function", "value", 5, ""), ("table", "value", "device", "`'device'` is not right for \"a block\"."),
    ("table", "value", "?", "\"a block\" has no answer yet. The options are `\"host\"` and `\"device\"`."),
    ("table", "value", "hosts", "\"a block\" is answered by `'hosts'`, which is not an option. The options are `\"host\"` and `\"device\"`."),
    ("table", "raised", "KeyError", ""), ("source", "value", 5, ""), ("source", "raised", "CUDA_ERROR_ILLEGAL_ADDRESS", ""),
    ("source", "raised", "TypeError", "The kernel cannot be launched as the check launches it: it takes 2"),
    ("order", "value", "`cuMemMap` fails", "In this order it does not work."), ("order", "raised", "TypeError", "")])
def test_what_is_wrong_whatever_else_went_wrong_is_told_by_the_kind_of_answer(kind, how, value, says):
    exercise = dataclasses.replace(EXERCISES["to-device"], options=("host", "device"))
    assert KINDS[kind].reason(exercise, came(value, "host", how, "it takes 2")) == says


@pytest.mark.parametrize("how, says", [
    ("value", "this should give `5`, and gives `7`:"), ("raised", "this should give `5`, and raises TypeError:"),
    ("changed", "this should give `5`, and gives `7` the second time:"), ("endless", "this should give `5`, and was stopped before its end:"),
    ("ended", "this should give `5`, and ends its process:"), ("altered", "this gives `7`, which is right, but `book` is `[]` afterwards:")])
def test_the_first_wrong_case_is_told_with_what_came_of_it(how, says):
    case = dataclasses.replace(came("TypeError", 5, how, "`book` is `[]` afterwards"), call="to_device([], 1)")
    assert KINDS["function"].example(case, "5", "7") == f"For a block, {says}\n\n    to_device([], 1)"


class Shared:
    blocks = {}

    def keep(self, address):
        self.blocks[address] = True


class OwnBlocks:
    blocks = {}

    def __init__(self):
        self.blocks = {}

    def keep(self, address):
        self.blocks[address] = True


KNOWN = {}


def remembers(address):
    KNOWN[address] = True


def looks_up(address):
    return KNOWN.get(address)


SEEN = set()


def collects(address):
    SEEN.add(address)


def keeps_the_last(address):
    global LAST
    LAST = address


def keeps_for_itself(address):
    SEEN = set()
    SEEN.add(address)
    return SEEN


class Unused:
    blocks = {}

    def keep(self, address):
        return address


@pytest.mark.parametrize("answer, name", [
    (keeps_the_last, "LAST"), (Shared, "blocks"), (OwnBlocks, ""), (remembers, "KNOWN"), (collects, "SEEN"), (looks_up, ""),
    (keeps_for_itself, ""), (Unused, "")])
def test_what_outlives_a_call_is_named(answer, name):
    assert outlives_a_call(answer) == name


CALL = "cu.cuMemFree(book)"


@pytest.mark.parametrize("looks, body, found", [
    (has_no_value, "pass", True), (has_no_value, "return", True), (has_no_value, "return None", True), (has_no_value, "return book", False),
    (has_no_value, "yield book", False), (has_no_value, "return 0", False), (has_no_value, "if book: return book", False),
    (changes_in_place, "return book.sort()", "sort"), (changes_in_place, "return sorted(book)", ""),
    *((tuple_used_whole, body, body) for body in (
        f"return {CALL} == 0", f"return 0 != {CALL}", f"return not {CALL}", f"return {CALL} and book", f"return book or {CALL}", f"return {CALL} + 1",
        f"return 1 - {CALL}", f"return int({CALL})", f"assert {CALL}", f"if {CALL}: return book", f"while {CALL}: return book",
        f"return book if {CALL} else 0", "return cudaFree(book) == 0")),
    *((tuple_used_whole, body, "") for body in (
        f"return {CALL}[0] == 0", f"return {CALL} == (0,)", f"return str({CALL})", "return cudaMemoryType(book) == 1", "return cudaError(book) == 0",
        "return cut(book) == 0", f"return len({CALL}) == 1")),
    (caught_in_vain, f"try: {CALL}\n    except Exception: return 1", CALL), (caught_in_vain, f"try: {CALL}\n    finally: print()", ""),
    (caught_in_vain, f"try:\n        {CALL}\n        print()\n    except Exception: return 1", ""),
    (caught_in_vain, f"try: error, = {CALL}\n    except Exception: return 1", ""), (caught_in_vain, "try: print()\n    except Exception: return 1", ""),
    *((swallows, f"try: return book\n    {line}", line) for line in ("except: pass", "except Exception: return None", "except BaseException: return")),
    *((swallows, f"try: return book\n    {line}", "") for line in ("except ValueError: pass", "except Exception: return 0", "except: print()")),
    (never_read, "return book", "host_address"), (never_read, "host_address = 1; return book, host_address", "host_address"),
    (never_read, "return book, host_address", ""), (never_read, "return book, locals()", ""),
    (never_read, "host_address += 1; return book", ""), (never_read, "for host_address in book: return book", ""),
    (never_read, "book = host_address = book + host_address; return book", "")])
def test_what_the_source_proves_is_found_and_nothing_else(looks, body, found):
    assert looks(EXERCISES["to-device"].answer(f"def to_device(book, host_address):\n    {body}")) == found


@pytest.mark.parametrize("default, then, found", [
    ("[]", "append(1)", "seen"), ("[1]", "append(1)", "seen"), ("set()", "add(1)", "seen"), ("{}", "update(a=1)", "seen"), ("[1]", "copy()", ""),
    ("set()", "copy()", ""), ("max(1, 2)", "bit_length()", ""), ("(1, 2)", "count(1)", "")])
def test_a_default_that_calls_have_filled_is_named(default, then, found):
    code = f"def other(seen=[]): return seen\ndef to_device(book, seen={default}): return seen\nto_device.__defaults__[0].{then}\nother().append(1)"
    assert filled_default(EXERCISES["to-device"].answer(code)) == found


class ReadsNothing:
    def keep(self, address):
        pass


def test_what_a_method_does_not_read_is_no_mistake():
    assert never_read(ReadsNothing) == ""


@pytest.mark.parametrize("answer, source", [
    ("f(); // one\n/* two\nthree */ g();", "f(); \n g();"), (max, ""),
    (EXERCISES["to-device"].answer('def to_device(book):\n    """Text."""\n    return book  # one\n'), "def to_device(book):\n    \n    return book  \n")])
def test_a_source_is_read_without_comments(answer, source):
    assert source_of(answer) == source


def test_what_an_answer_holds_goes_with_it_although_its_source_was_read():
    def answer_with(memory):
        return lambda: memory
    memory = {1}        # which a weak reference can be made of, as of an allocation
    answer, alive = answer_with(memory), weakref.ref(memory)
    assert "lambda: memory" in source_of(answer)
    del answer, memory
    gc.collect()
    assert alive() is None
