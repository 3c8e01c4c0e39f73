"""The examples in the docstrings are true."""
import doctest
import importlib
import inspect

import pycuda.driver as cuda
import pytest

MODULES = ["addresses", "address_book", "errors", "facts", "growing_buffer", "journal", "kernel_arguments", "kernel_heap", "kernels",
           "mailbox", "mapped", "mapping", "ownership", "physical", "pinned", "pointers", "reservation", "sandbox",
           "sandbox_child", "signature", "staging"]
WITH_EXAMPLES = ["addresses", "address_book", "growing_buffer", "kernel_heap", "kernels", "mailbox", "mapped", "pinned", "pointers",
                 "reservation", "sandbox", "signature"]


@pytest.mark.parametrize("name", MODULES)
def test_example(name):
    module = importlib.import_module(f"course_lib.{name}")
    result = doctest.testmod(module, extraglobs={"cuda": cuda})
    assert result.failed == 0
    assert (result.attempted > 0) == (name in WITH_EXAMPLES)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name):
    module = importlib.import_module(f"course_lib.{name}")
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
