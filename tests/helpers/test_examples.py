"""The examples in the docstrings are true."""
import doctest
import importlib
import inspect

import pycuda.driver as cuda
import pytest

from ..test_docstrings import MODULES

WITHOUT_OUTPUT = {"courseware.follow"}      # its example shows a page, which tests/follow compares
WITHOUT = {"course_lib.core", "course_lib.driver"}        # the only rooms of course_lib that need no example


@pytest.mark.parametrize("name", MODULES)
def test_example(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"cuda": cuda})
    assert result.failed == 0 or name in WITHOUT_OUTPUT
    assert (result.attempted > 0) == (">>> " in inspect.getsource(module)), "an example that nobody runs"
    if name.startswith("course_lib.") and name.count(".") == 1:
        assert result.attempted or name in WITHOUT, f"{name} shows no example of its use in its docstring"
