"""What is said of a wrong value beside the right one, where no listed mistake is recognised."""
import dataclasses
import gc
import weakref

from courseware.exercises.attempt import CaseOutcome, TriedCase
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.reading import outlives_a_call, source_of
from courseware.exercises.reasons import _by_how_much, _places, reason_for
from courseware.exercises.recognise import simplest_wrong
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
    ([(4, 3)], ""), ([(3.0, 3), (4.0, 4)], ""), ([(float("inf"), 3), (float("inf"), 4)], ""), ([(10**400, 3), (7, 4)], "")])
def test_it_is_said_by_how_much_every_number_is_wrong(pairs, says):
    attempts = [TriedCase(f"case {got}", "", False, wanted, CaseOutcome("value", got)) for got, wanted in pairs]
    assert _by_how_much(attempts) == says


def came(value, expected, how="value", text="", what="a block", arguments=(), **more):
    return TriedCase(what, "", more.pop("hidden", False), expected, CaseOutcome(how, value, text), arguments, **more)


def reason(*tried, answer=None, **changed):
    """What is said of an answer to to-device, which finds the device's address for a host's in a book."""
    exercise = dataclasses.replace(EXERCISES["to-device"], **changed)
    return reason_for(exercise, answer or (lambda book, host_address: book and host_address), tried, simplest_wrong(tried))


RIGHT, WRONG = came(7, 7, what="another block"), came(50, 60)
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
    ([came(50, None), came(51, None), RIGHT], "Where there is no answer, return `None`. It also goes wrong for a block."),
    ([came([None, 3], [1, 2]), RIGHT], "The first element should be a number, and is None."),
    ([came([None, None], [1, 2]), RIGHT], "Each element should be a number, and is None."),
    ([came([1, 2], [1, 2, 3]), RIGHT], "It has 2 elements, and should have 3. Missing: `3`."),
    ([came([1, 2, 3], [1, 2, 4]), RIGHT], "and the others are right. Missing: `4`. Not asked for: `3`."),
    ([came([1, 1, 2], [1, 2]), RIGHT], "and should have 2. More than once in the list: `1`."),
    ([came([1, 9], [1, 2, 3, 4]), RIGHT], "and should have 4. Not asked for: `9`."),
    ([WRONG, came(8, 7, what="two"), came(8, 6, what="three"), came(8, 6, what="four")], "It also goes wrong for two, and for three, and for four."),
    ([came("x", 60), RIGHT, came(50, 60, hidden=True)], "It also goes wrong for a block."), ([RIGHT, came(50, 60, hidden=True)], "Right for the examples, but not for other data."),
    ([came(Remark("a number"), 60, hidden=True), RIGHT], "Right for the examples, but not for other data."),
    ([came("0x10", Label("the address of the block")), RIGHT], "`'0x10'` is a text, and an address is asked for: the number."),
    ([came(["0x10"], [Label("the address of the block")]), RIGHT], "`'0x10'` is a text, and an address is asked for: the number."),
])
def test_a_wrong_answer_is_told_what_came_of_it(tried, says):
    assert reason(*tried).endswith(says)


@pytest.mark.parametrize("tried", [
    [came(Remark("a number"), 60), RIGHT], [came(number, 70) for number in range(50, 55)], [WRONG, came(52, 61, random=True)], [WRONG, came(None, 61, "untried")]])
def test_where_nothing_more_is_known_nothing_more_is_said(tried):
    assert not reason(*tried)


@pytest.mark.parametrize("tried, says", [
    (EXCHANGED, "`'device'` and `'host'` are exchanged."), ((*EXCHANGED, came("neither", "neither")), "`'device'` and `'host'` are exchanged."),
    ((*EXCHANGED, came("host", "host")), "It also goes wrong for a block."), ((*EXCHANGED, came("host", "neither")), "for a block, and for a block."),
    ((came("hosts", "host"), came("device", "device")), "`'hosts'` is not one of the words to choose from: `\"device\"` and `\"host\"`."),
    ((came("hosts", "host"), came("neither", "neither")), ""), ((came("hosts", "host"),), "")])
def test_words_that_are_exchanged_or_not_to_choose_from_are_named(tried, says):
    assert reason(*tried, **WORDS).endswith(says) if says else not reason(*tried, **WORDS)


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


@pytest.mark.parametrize("answer, name", [(Shared, "blocks"), (OwnBlocks, ""), (remembers, "KNOWN"), (collects, "SEEN"), (looks_up, "")])
def test_what_outlives_a_call_is_named(answer, name):
    assert outlives_a_call(answer) == name


def test_what_an_answer_holds_goes_with_it_although_its_source_was_read():
    def answer_with(memory):
        return lambda: memory
    memory = {1}        # which a weak reference can be made of, as of an allocation
    answer, alive = answer_with(memory), weakref.ref(memory)
    assert "lambda: memory" in source_of(answer)
    del answer, memory
    gc.collect()
    assert alive() is None
