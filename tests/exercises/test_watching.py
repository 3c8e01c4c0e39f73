"""Calls of an answer are noted however it names them, and however it is written."""
import functools

from courseware.exercises.watching import watched

import pytest
from cuda.bindings import driver as cu

NAMES = {}
exec("""
from cuda.bindings.driver import cuDriverGetVersion

def function():
    return cuDriverGetVersion()

class Called:
    __slots__ = ()
    def __call__(self):
        return cuDriverGetVersion()

class Base:
    def ask(self):
        return cuDriverGetVersion()
    @staticmethod
    def ask_without_self():
        return cuDriverGetVersion()

class Derived(Base):
    pass
""", NAMES)


@pytest.mark.parametrize("answer, call", [
    (NAMES["function"], NAMES["function"]), (NAMES["Called"](), NAMES["Called"]()), (functools.partial(NAMES["function"]), NAMES["function"]),
    (NAMES["Derived"], NAMES["Derived"]().ask), (NAMES["Derived"]().ask, NAMES["Derived"]().ask),
    (NAMES["Base"].ask_without_self, NAMES["Base"].ask_without_self)])
def test_a_call_by_its_own_name_is_noted(answer, call):
    with watched(answer, cu, "cuDriverGetVersion") as calls:
        call()
    assert [name for name, *_ in calls] == ["cuDriverGetVersion"]
    assert NAMES["cuDriverGetVersion"] is cu.cuDriverGetVersion
