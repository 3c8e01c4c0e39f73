"""A module of another package is changed as soon as it is imported, and the package is not imported for that."""
import sys

from cuda_without_toolkit import after_import

import pytest


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `later` with a module `part`, not imported yet."""
    folder = tmp_path / "later"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "part.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield
    for name in ("later", "later.part"):
        sys.modules.pop(name, None)


def double(module):
    module.value *= 2


def test_the_module_is_not_imported_for_it_and_changed_once_it_is(package):
    after_import.do("later.part", double)
    assert "later" not in sys.modules
    from later.part import value
    assert value == 2


def test_a_module_that_is_here_is_changed_at_once(package):
    import later.part
    after_import.do("later.part", double)
    assert later.part.value == 2


def test_asked_for_twice_it_is_done_once(package):
    after_import.do("later.part", double)
    after_import.do("later.part", double)
    import later.part
    assert later.part.value == 2


def test_a_module_that_is_not_there_stays_missing(package):
    after_import.do("later.nothing", double)
    with pytest.raises(ModuleNotFoundError):
        import later.nothing  # noqa: F401
