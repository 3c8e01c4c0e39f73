"""A program of others ran if it ended well and said so; else the table has what it lacks, or its last line."""
from . import programs

PROGRAMS = {
    "ran.py": ("print('Passed Tests!')", ""),
    "silent.py": ("print('Failed Tests.')", "Failed Tests."),
    "lacks.py": ("from cuda.bindings import driver\ndriver.cuInit(0)\ndriver.cuGraphCreate(0)\n1 / 0", "not simulated: cuGraphCreate (asked once)"),
    "fails.py": ("1 / 0", "ZeroDivisionError: division by zero"),
}
SUITE = programs.Programs("somebody/something", "0" * 40, ".", "*.py", "cuda.bindings", says="Passed Tests!", preamble="value = 1")


def test_what_came_of_a_program_is_told_in_a_line(tmp_path):
    for name, (code, why) in PROGRAMS.items():
        (tmp_path / name).write_text(code)
        assert programs.run(tmp_path / name, SUITE, tmp_path, 60) == why


def test_a_program_without_an_end_is_stopped(tmp_path):
    (tmp_path / "endless.py").write_text("while True: pass")
    assert programs.run(tmp_path / "endless.py", SUITE, tmp_path, 3) == "did not end within 3 seconds"
