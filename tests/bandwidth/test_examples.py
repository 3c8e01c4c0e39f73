"""The examples in the docstrings are true, and every public name has a docstring."""
import doctest
import importlib
import inspect
import pkgutil

from courseware import bandwidth

import pytest

MODULES = [bandwidth.__name__, *(module.name for module in pkgutil.walk_packages(bandwidth.__path__, f"{bandwidth.__name__}."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name, context):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name):
    module = importlib.import_module(name)
    assert module.__doc__
    for label, item in vars(module).items():
        own = getattr(item, "__module__", None) == name and not label.startswith("_")
        if own and (inspect.isfunction(item) or inspect.isclass(item)):
            assert item.__doc__, label
