"""Every module, and every public name in it, says what it is for."""
import importlib
import inspect
import pkgutil

import course_lib
import courseware

LEARNERS = {"starters", "solutions", "mistakes"}    # which are read, and not imported by anybody
MODULES = [module.name for package in (course_lib, courseware) for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
           if not {*LEARNERS, "__main__"} & set(module.name.split("."))]


def named(module):
    """(name, what it stands for) of a module, its public functions and classes, and the methods and properties of these."""
    yield module.__name__, module
    for name, item in vars(module).items():
        if name.startswith("_") or getattr(item, "__module__", None) != module.__name__ or not (inspect.isfunction(item) or inspect.isclass(item)):
            continue
        yield f"{module.__name__}.{name}", item
        if inspect.isclass(item) and not issubclass(item, tuple):
            for member, value in vars(item).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield f"{module.__name__}.{name}.{member}", getattr(item, member)


def is_told(item):
    """A class says it itself; a method may leave it to the one that it overrides."""
    return bool(item.__doc__ if inspect.isclass(item) else inspect.getdoc(item))


def test_every_public_name_has_a_docstring():
    assert not [name for module in MODULES for name, item in named(importlib.import_module(module)) if not is_told(item)]
