"""The code is as ruff has it; the rules are in pyproject.toml."""
import importlib.util
import subprocess
import sys

import pytest


@pytest.mark.skipif(importlib.util.find_spec("ruff") is None, reason="ruff is not installed: pip install ruff")
def test_ruff_finds_nothing(project_root):
    checked = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache", "."], cwd=project_root, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
