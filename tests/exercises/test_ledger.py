"""What lesson 10's checks count: the memory and addresses that an answer took and did not give back."""
from course_lib import reservation
from course_lib.core.errors import CudaError, WrongArgument, ask, do
from courseware import exercises
from courseware.exercises import actions
from courseware.exercises.catalogue import EXERCISES
from courseware.lessons.growing_vector.ledger import Ledger

import pytest
from cuda.bindings import driver as cu


def grown(name):
    """A vector of a solution, of one granule, in a reservation of four."""
    vector = EXERCISES[name].answer(EXERCISES[name].solution)(4 * reservation.granularity())
    vector.grow_to(1)
    return vector


def test_what_is_left_is_named_and_what_went_back_is_not():
    with Ledger() as ledger:
        vector = grown("vector-let-go")
        assert ledger.left() == "a mapping and the reserved addresses"
        assert sum(ledger.mapped.values()) == reservation.granularity()
        vector.release()
        assert ledger.left() == ""


def test_a_handle_that_is_not_released_is_left():
    with Ledger() as ledger:
        where, _ = reservation.on_the_device()
        handle = ask(cu.cuMemCreate, reservation.granularity(), where, 0)
        assert ledger.left() == "a handle"
        do(cu.cuMemRelease, handle)
        assert ledger.left() == ""
        with pytest.raises(CudaError, match="INVALID_VALUE"):
            do(cu.cuMemRelease, handle)


def test_what_a_cuMemCreate_that_failed_gave_is_no_handle():
    with Ledger() as ledger:
        ledger.fail("cuMemCreate")
        _, handle = cu.cuMemCreate(reservation.granularity(), reservation.on_the_device()[0], 0)
        with pytest.raises(CudaError, match="INVALID_VALUE"):
            do(cu.cuMemRelease, handle)


@pytest.mark.parametrize("name", ["cuMemCreate", "cuMemMap", "cuMemSetAccess"])
def test_a_call_fails_once_when_it_is_told_to(name):
    with Ledger() as ledger:
        vector = grown("vector-let-go")
        ledger.fail(name)
        with pytest.raises(CudaError, match=f"{name} answers CUDA_ERROR_OUT_OF_MEMORY"):
            vector.grow_to(2 * reservation.granularity())
        assert vector.nbytes == reservation.granularity() and not ledger.handles
        vector.grow_to(2 * reservation.granularity())
        assert vector.nbytes == 2 * reservation.granularity()
        vector.release()


def test_the_calls_are_the_driver_s_own_afterwards():
    before = cu.cuMemCreate
    with Ledger():
        assert cu.cuMemCreate is not before
    assert cu.cuMemCreate is before


def test_a_solved_answer_is_yours_and_the_solution_stands_in_until_then(printed, monkeypatch):
    monkeypatch.setattr(actions, "solved_here", {})
    solution = exercises.yours("to-device")
    assert solution([(10, 50, 4)], 11) == 51 and "the course's solution" in printed()
    exercises.check("to-device", lambda pairs, host_address: None)
    exercises.yours("to-device")
    assert "the course's solution" in printed()
    exercises.check("to-device", solution)
    assert exercises.yours("to-device") is solution and "to-device: yours." in printed()
    with pytest.raises(WrongArgument, match="to-device"):
        exercises.yours("to-devise")
