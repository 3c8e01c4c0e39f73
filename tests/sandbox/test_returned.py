"""What comes back from another process is values: whatever its bytes say, nothing is called and nothing is imported here."""
import collections
import datetime
import io
import os
import pickle
import signal
import sys

from courseware import sandbox
from courseware.exercises.trials import CaseOutcome, Trial
from courseware.exercises.values import Remark
from courseware.sandbox import forks, returned

import numpy as np
import pytest
from cuda.bindings import driver as cu


class CallWhenUnpickled:
    """Pickled, it is a call."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def named(module, name, argument):
    """The pickle of module.name(argument), which need not be there."""
    return b"".join([pickle.PROTO, b"\4", *(pickle.SHORT_BINUNICODE + bytes([len(text)]) + text.encode() for text in (module, name)),
                     pickle.STACK_GLOBAL, pickle.BINUNICODE + len(argument).to_bytes(4, "little") + argument.encode(), pickle.TUPLE1,
                     pickle.REDUCE, pickle.STOP])


@pytest.mark.parametrize("what", [
    pickle.dumps({"value": CallWhenUnpickled(os.system, "touch called")}), pickle.dumps({"value": [CallWhenUnpickled(exec, "open('called', 'w')")]}),
    named("courseware.sandbox.process", "os.system", "touch called"), named("subprocess", "Popen", "touch called"),
    named("courseware.sandbox.forks", "Forker", "called"), named("writes_called", "Value", ""), named("operator", "attrgetter", "x")])
def test_what_would_be_called_is_refused(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "writes_called.py").write_text("open('called', 'w')\nValue = int\n")
    assert returned.unpack(what) == returned.REFUSED and not list(returned.unpack_all(io.BytesIO(what)))
    assert not os.path.exists("called") and "writes_called" not in sys.modules


@pytest.mark.parametrize("what", [b"", b"garbage", pickle.dumps(3), pickle.dumps({"printed": "x"}), pickle.dumps({"value": 3})[:-3]])
def test_what_is_no_way_to_end_is_refused(what):
    assert returned.unpack(what) == returned.REFUSED


@pytest.mark.parametrize("value", [
    3, 2.5, 1j, "text", b"bytes", None, True, [1, (2, {3: {4}})], range(3), frozenset({1}), np.int32(7), np.float16(0.5), np.bool_(True),
    np.dtype("<i4"), signal.SIGTERM, cu.CUresult.CUDA_ERROR_UNKNOWN, datetime.datetime(2026, 1, 2), collections.Counter("aab"),
    collections.OrderedDict(a=1), Remark("a sentence"), Trial("what", "f(1)", False, 3, CaseOutcome("value", 3))], ids=repr)
def test_values_come_back_as_they_were(value):
    back = returned.unpack(returned.pack({"value": value}))["value"]
    assert back == value and type(back) is type(value)


@pytest.mark.parametrize("array", [np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3).T, np.zeros(0), np.array(["a", "bc"]),
                                   np.array([1, "x", None], object), np.zeros(2, [("a", "<i4"), ("b", "<f8")])], ids=str)
def test_arrays_too(array):
    back = returned.unpack(returned.pack({"value": array}))["value"]
    assert back.dtype == array.dtype and back.tolist() == array.tolist()


def test_an_exception_is_a_value():
    back = returned.unpack(returned.pack({"value": ValueError("why", 3)}))["value"]
    assert type(back) is ValueError and back.args == ("why", 3)


@pytest.mark.parametrize("as_a_new_program", [False, True])
def test_a_value_that_is_a_call_stays_in_its_process(as_a_new_program, monkeypatch, tmp_path):
    def refuse(*_):
        raise forks.NoFork
    if as_a_new_program:
        monkeypatch.setattr(forks, "run", refuse)
    monkeypatch.chdir(tmp_path)
    ended = sandbox.run(CallWhenUnpickled, os.mkdir, "called")
    assert ended.exception == "TypeError: a CallWhenUnpickled cannot leave its process: return numbers, text or NumPy arrays"
    assert not os.path.exists("called")
