"""Exercises are checked in a context of their own, and with a record that nobody else has."""
import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from courseware.notebook.progress_file import record

import pycuda.driver as cuda
import pytest


@pytest.fixture(scope="package", autouse=True)
def context():
    cuda.init()
    current = cuda.Device(0).make_context()
    yield current
    current.pop()
    current.detach()


@pytest.fixture(autouse=True)
def nothing_done_yet(monkeypatch):
    """A record in memory, empty."""
    monkeypatch.setenv("COURSE_PROGRESS", "off")
    record.cache_clear()
    yield
    record.cache_clear()


@pytest.fixture
def printed(capsys):
    """What was shown since the last call, as text."""
    def read():
        return capsys.readouterr().out.strip()
    return read
