"""Puzzles: the check makes the calls in the learner's order, so CUDA itself says which orders are right."""
from course_lib.reservation import physical
from courseware import exercises
from courseware.exercises import views
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.feedback import feedback
from courseware.exercises.judge import judge

import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu
from hypothesis import HealthCheck, given, settings, strategies as some

PUZZLES = {exercise.id: exercise for exercise in EXERCISES.values() if exercise.kind == "order"}


@pytest.mark.parametrize("name, order", [
    ("vmm-order", "create reserve map access use unmap free release"),
    ("vmm-order", "reserve create map release access use unmap free"),
    ("vmm-order", ["create", "reserve", "map", "access", "use", "release", "unmap", "free"]),
    ("vmm-order", "reserve, create, map, access, release, use, unmap, free"),
    ("register-order", "allocate register translate copy unregister free"),
])
def test_every_order_that_cuda_takes_is_right(name, order):
    assert judge(EXERCISES[name], order).solved


@pytest.mark.parametrize("order, says", [
    ("reserve create map use access unmap release free", "Until access is set"),
    ("reserve create map access unmap use release free", "After `cuMemUnmap` nothing is at the address any more"),
    ("reserve create map access unmap use release free", "The call that fails: `cuMemsetD8(address, 7, size); cuCtx"),
    ("free reserve create map access use unmap release", "`address`, which no line above it makes"),
])
def test_an_order_that_cuda_refuses_is_told_by_its_call(order, says):
    verdict = judge(EXERCISES["vmm-order"], order)
    assert not verdict.solved and says in feedback(EXERCISES["vmm-order"], verdict)


@pytest.mark.parametrize("name", PUZZLES)
@given(data=some.data())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_order_leaves_anything_behind(name, data):
    order = data.draw(some.permutations(sorted(PUZZLES[name].lines)))
    cuda.Context.synchronize()
    free, _ = cuda.mem_get_info()
    judge(PUZZLES[name], order)
    assert cuda.mem_get_info()[0] == free
    # a whole granule can be reserved at once, and pinned memory registered anew: nothing is in the way
    status, address = cu.cuMemAddressReserve(physical.granularity(), 0, 0, 0)
    assert int(status) == 0 and int(cu.cuMemAddressFree(address, physical.granularity())[0]) == 0


@pytest.mark.parametrize("name", PUZZLES)
def test_a_puzzle_is_shuffled_always_alike_and_not_solved(name):
    shuffled = [line for line, _ in views.shuffled(PUZZLES[name])]
    assert shuffled == [line for line, _ in views.shuffled(PUZZLES[name])]
    assert sorted(shuffled) == sorted(PUZZLES[name].lines)
    assert not judge(PUZZLES[name], shuffled).solved


@pytest.mark.parametrize("name", PUZZLES)
def test_the_widget_moves_lines_and_checks_them(name, monkeypatch):
    shown = []
    monkeypatch.setattr(views, "show", lambda text, html, widget: shown.append(widget))
    exercises.show(name)
    _, puzzle, _, below = shown[0].children
    listed, buttons = puzzle.children[0], {button.description: button for button in puzzle.children[1].children}
    up, down, check = buttons["Move up"], buttons["Move down"], buttons["Check"]
    for place, line in enumerate(PUZZLES[name].solution.split()):
        listed.value = line
        for _ in range([key for _, key in listed.options].index(line) - place):
            up.click()
        assert listed.value == line
    check.click()
    assert "Solved." in below.value
    down.click()    # the chosen line is the last one: nothing moves
    check.click()
    assert "Solved." in below.value
    listed.value = PUZZLES[name].solution.split()[0]
    down.click()
    up.click()
    check.click()
    assert "Solved." in below.value


@pytest.mark.parametrize("when", ["shown", "checked"])
def test_a_puzzle_can_be_checked_that_is_shown_or_checked_where_no_context_is_current(when, context, monkeypatch):
    shown = []
    monkeypatch.setattr(views, "show", lambda text, html, widget: shown.append(widget))

    def without_a_context(step, act):
        if step == when:
            context.pop()
        act()
        if step == when:
            context.push()
    without_a_context("shown", lambda: exercises.show("vmm-order"))
    _, puzzle, _, below = shown[0].children
    without_a_context("checked", puzzle.children[1].children[-1].click)
    assert "which no line above it makes" in below.value


def test_each_button_that_moves_says_where_the_chosen_line_is(monkeypatch):
    shown = []
    monkeypatch.setattr(views, "show", lambda text, html, widget: shown.append(widget))
    exercises.show("vmm-order")
    listed, buttons, place = shown[0].children[1].children
    last, first = listed.options[-1][1], listed.options[0][1]
    for button, words in zip(buttons.children, (f"{last}</code> is line 8", f"{first}</code> is line 1",
                                                f"{first}</code> is now line 1", f"{first}</code> is now line 2")):
        button.click()
        assert f"<code>{words} of 8." in place.value and "role='alert'" in place.value


def test_the_buttons_give_hints_and_the_solution(monkeypatch):
    shown = []
    monkeypatch.setattr(views, "show", lambda text, html, widget: shown.append(widget))
    exercises.show("to-device")
    _, buttons, below = shown[0].children
    buttons.children[0].click()
    assert "Hint 1 of 2" in below.value
    buttons.children[1].click()
    assert "There is 1 hint left" in below.value
    buttons.children[1].click()
    assert "return device_start" in below.value
