"""The examples in the docstrings are true."""
import doctest
import importlib
import inspect

import pycuda.driver as cuda
import pytest

MODULES = ["core.address", "core.errors", "core.journal", "core.ownership", "core.ranges", "core.shapes", "core.sizes",
           "core.tables",
           "kernel_heap", "kernel_heap.staging", "kernels", "kernels.arguments", "kernels.banks", "kernels.coalescing",
           "kernels.counting", "kernels.examination", "kernels.layout", "kernels.listing", "kernels.notation", "kernels.ptx_text",
           "kernels.signature", "managed", "mapped", "mapped.mailbox", "pinned", "pointers", "pointers.address_book", "pointers.address_facts",
           "reservation", "reservation.addresses", "reservation.growing_buffer", "reservation.mapping", "reservation.physical",
           "sandbox", "sandbox.child", "sandbox.process", "sharing", "sharing.handles", "sharing.other_process", "sharing.turns"]
WITH_EXAMPLES = ["core.address", "core.shapes", "core.sizes", "core.tables", "kernel_heap", "kernels", "kernels.banks", "kernels.coalescing",
                 "kernels.examination", "kernels.layout", "kernels.listing", "kernels.signature", "managed", "mapped", "mapped.mailbox",
                 "pinned", "pointers",
                 "pointers.address_book", "reservation", "reservation.growing_buffer", "sandbox", "sharing"]


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
