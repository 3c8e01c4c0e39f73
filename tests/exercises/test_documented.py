"""Every module of predictions, exercises and progress says what it is for and what it is not; public names are told."""
import importlib
import inspect
import pkgutil

from courseware import exercises

import pytest

MODULES = ["courseware.predictions", "courseware.progress", "courseware.notebook.progress_file", "courseware.notebook.display",
           *(f"courseware.exercises.{module.name}" for module in pkgutil.iter_modules(exercises.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name):
    module = importlib.import_module(name)
    assert module.__doc__
    for label, item in vars(module).items():
        if label.startswith("_") or getattr(item, "__module__", None) != name:
            continue
        if inspect.isfunction(item) or inspect.isclass(item):
            assert item.__doc__, label
