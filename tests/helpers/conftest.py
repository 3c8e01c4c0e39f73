"""Every module of these tests has a context of its own, and must leave the driver as it found it."""
import gc

import course_lib  # noqa: F401  (attaches the driver, so it comes first)

import pycuda.driver as cuda
import pytest

from . import tables


@pytest.fixture(scope="module", autouse=True)
def context():
    cuda.init()
    current = cuda.Device(0).make_context()
    references = tables.use_everything_once()
    gc.collect()
    gc.freeze()     # what the first use has made, the compiler's tables above all, is no garbage of a test's
    yield current
    del references
    gc.collect()
    current.pop()
    current.detach()


@pytest.fixture
def other_context(context):
    """A second context of the device; not current."""
    other = cuda.Device(0).make_context()
    cuda.Context.pop()
    yield other
    other.detach()


@pytest.fixture(autouse=True)
def nothing_is_left(context):
    gc.collect()
    before = tables.now()
    yield
    gc.collect()
    assert tables.left(before) is None
