"""PyCUDA is ready, and no measurement leaves a context behind."""
import course_lib  # noqa: F401  (attaches the driver, so it comes first)

import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu


@pytest.fixture(autouse=True)
def the_current_context_stays():
    cuda.init()
    before = int(cu.cuCtxGetCurrent()[1])
    yield
    assert int(cu.cuCtxGetCurrent()[1]) == before


@pytest.fixture
def context():
    """A learner's context, current."""
    current = cuda.Device(0).make_context()
    yield current
    current.pop()
    current.detach()
