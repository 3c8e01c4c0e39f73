"""The examples in the docstrings are true."""
import doctest
import importlib
import inspect
import pkgutil

import course_lib
import courseware

import pycuda.driver as cuda
import pytest

LEARNERS = {"starters", "solutions", "mistakes"}    # which are read, and not imported by anybody
MODULES = [module.name for package in (course_lib, courseware) for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
           if not {*LEARNERS, "__main__"} & set(module.name.split("."))]
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


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name):
    module = importlib.import_module(name)
    assert module.__doc__
    for label, item in vars(module).items():
        if label.startswith("_") or getattr(item, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(item) or inspect.isclass(item):
            assert item.__doc__, label
        if inspect.isclass(item) and not issubclass(item, tuple):
            for member, value in vars(item).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    assert inspect.getdoc(getattr(item, member)), f"{label}.{member}"
