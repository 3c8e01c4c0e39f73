"""The benchmarks can be started: what they import is there."""
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_is_there(path, in_new_process):
    code = f"import importlib.util as u; s = u.spec_from_file_location('it', {str(path)!r}); s.loader.exec_module(u.module_from_spec(s))"
    result = in_new_process(code)
    assert result.returncode == 0, result.stderr
