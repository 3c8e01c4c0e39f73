"""As for the helpers' tests: every module has a context of its own, and every test leaves the driver as it found it."""
import mmap
import os

from course_lib import reservation
from courseware import memory_map

import numpy as np
import pytest

from ..helpers.conftest import context, nothing_is_left  # noqa: F401


@pytest.fixture
def granule():
    """The size that all reservations and mappings are multiples of."""
    return reservation.granularity()


@pytest.fixture
def two_views():
    """Two NumPy arrays over one page: two host addresses of one memory."""
    file = os.memfd_create("page")
    os.ftruncate(file, mmap.PAGESIZE)
    views = [np.frombuffer(mmap.mmap(file, mmap.PAGESIZE), np.uint8) for _ in range(2)]
    os.close(file)
    return views


@pytest.fixture
def blocks():
    """``blocks(a=a, b=b)``: what the map says of each, by its name."""
    return lambda **named: {block.name: block for block in memory_map.look(**named).scene.blocks}
