"""What is said of a wrong value beside the right one, where no listed mistake is recognised."""
import gc
import weakref

from courseware.exercises.attempt import CaseOutcome, TriedCase
from courseware.exercises.reading import outlives_a_call, source_of
from courseware.exercises.reasons import _by_how_much, _places
from courseware.exercises.values import Label

import pytest


@pytest.mark.parametrize("got, wanted, says", [
    ((11, 12), (1, 2), "Both are too large by 10."), ((0, "b"), (0, "c"), "The second element is wrong, and the other one is right."),
    ([1], [1, 2], "It has 1 element, and should have 2."), ("abcdefghijk.", "abcdefghijkl", "They are alike up to place 11, counted from 0."),
    ((1, 2), [1, 2], ""), ("the same address", Label("the same address"), ""), (5, 6, "")])
def test_it_is_said_which_element_is_wrong(got, wanted, says):
    assert _places(got, wanted) == says


@pytest.mark.parametrize("pairs, says", [
    ([(4, 3), (9, 8)], "Each wrong number is too large by 1."), ([(6, 3), (8, 4)], "Each wrong number is 2 times what it should be."),
    ([(4, 3)], ""), ([(3.0, 3), (4.0, 4)], ""), ([(float("inf"), 3), (float("inf"), 4)], ""), ([(10**400, 3), (7, 4)], "")])
def test_it_is_said_by_how_much_every_number_is_wrong(pairs, says):
    attempts = [TriedCase(f"case {got}", "", False, wanted, CaseOutcome("value", got)) for got, wanted in pairs]
    assert _by_how_much(attempts) == says


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
