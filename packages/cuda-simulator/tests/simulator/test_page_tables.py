"""Which pages are in this process's page tables: asked without touching them, in pieces, and where the system does not tell."""
import builtins
import ctypes
import mmap

from cuda_simulator import page_tables

import pytest

PAGE = mmap.PAGESIZE


@pytest.fixture
def fresh():
    """The address of 16 pages that nobody has used, each by itself."""
    memory = mmap.mmap(-1, 16 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    view = ctypes.c_char.from_buffer(memory)
    yield ctypes.addressof(view)
    del view
    memory.close()


def present_pages(address, size):
    first_page = address // PAGE
    return [(start - first_page, end - first_page, is_there) for start, end, is_there in page_tables.present(address, size)]


@pytest.mark.parametrize("at_once", [1, 3, 5, 1 << 20])
def test_pages_are_there_once_they_are_touched(fresh, monkeypatch, at_once):
    monkeypatch.setattr(page_tables, "_AT_ONCE", at_once)
    for _ in range(2):      # to ask touches nothing
        assert present_pages(fresh, 16 * PAGE) == [(0, 16, False)]
    for page in (0, 4, 5, 15):
        ctypes.memset(fresh + page * PAGE + 7, 1, 1)
    assert present_pages(fresh, 16 * PAGE) == [(0, 1, True), (1, 4, False), (4, 6, True), (6, 15, False), (15, 16, True)]


def test_bytes_are_in_every_page_that_they_touch(fresh):
    ctypes.memset(fresh + PAGE, 1, 1)
    assert present_pages(fresh + PAGE - 1, 2) == [(0, 1, False), (1, 2, True)]
    assert present_pages(fresh + PAGE + 5, 1) == [(0, 1, True)]


def test_where_the_system_does_not_tell_there_is_no_answer(fresh, monkeypatch):
    monkeypatch.setattr(builtins, "open", lambda *arguments, **named: (_ for _ in ()).throw(PermissionError()))
    assert page_tables.present(fresh, PAGE) is None
