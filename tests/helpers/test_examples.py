"""The examples in the docstrings are true."""
import doctest
import importlib
import inspect
import pkgutil

import course_lib.core
import course_lib.kernel_heap
import course_lib.kernels
import course_lib.mapped
import course_lib.pointers
import course_lib.reservation
from courseware import kernel_views, sandbox, second_process

import pycuda.driver as cuda
import pytest

MODULES = [f"{package.__name__}.{module.name}" for package in (course_lib.core, course_lib.kernel_heap, course_lib.kernels, course_lib.mapped,
                                                             course_lib.pointers, course_lib.reservation, kernel_views, sandbox, second_process)
           for module in pkgutil.iter_modules(package.__path__)]
MODULES += [f"course_lib.{module.name}" for module in pkgutil.iter_modules(course_lib.__path__) if module.name != "__main__"]
MODULES += ["courseware.kernel_views", "courseware.sandbox", "courseware.second_process"]
WITHOUT = {"course_lib.core", "course_lib.driver"}        # the only rooms of course_lib that need no example


@pytest.mark.parametrize("name", MODULES)
def test_example(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"cuda": cuda})
    assert result.failed == 0
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
