"""The annotations of course_lib agree with each other and with the code, as mypy reads them."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_mypy_finds_nothing_in_course_lib():
    ran = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_no_line_of_course_lib_is_kept_from_mypy():
    told_off = [path for path in (ROOT / "course_lib").rglob("*.py") if "type: ignore" in path.read_text()]
    assert not told_off
