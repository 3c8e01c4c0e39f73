"""``python -m courseware record``."""
import dataclasses

from course_lib import driver
from courseware.bandwidth import command, files
from courseware.bandwidth.measure import measuring
from courseware.bandwidth.recording import LeftOut

import pytest

from . import small


def test_on_the_simulated_driver_it_refuses_in_a_sentence(in_new_process, tmp_path):
    result = in_new_process(None, "-m", "courseware", "record", COURSE_DRIVER="simulated")
    assert result.returncode == 1 and not result.stderr and not list(tmp_path.iterdir())
    assert result.stdout.startswith("Nothing is recorded: the simulated driver has no times. This needs an NVIDIA GPU")


def test_without_any_driver_it_says_so(in_new_process):
    result = in_new_process(None, "-m", "courseware", "record", COURSE_DRIVER="imaginary")
    assert result.returncode == 1 and not result.stdout
    assert result.stderr.startswith("COURSE_DRIVER=imaginary is not a driver") and len(result.stderr.splitlines()) == 1


@pytest.fixture
def recorded(monkeypatch, tmp_path):
    """Run the command with a Recording instead of a measurement; gives (status, what it wrote)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(driver, "attached", driver.Driver("real", "a test says so", "", "", (9, 0), (13, 0)))

    def run(recording, **options):
        monkeypatch.setattr(measuring, "record", lambda quick: recording)
        return command.record(**options)
    return run


def test_it_writes_a_file_and_says_where_it_goes(recorded, capsys, tmp_path):
    assert recorded(small.recording()) == 0
    assert files.load(tmp_path / "made-up-gpu-2026-11-21.json") == small.recording()
    printed = capsys.readouterr().out
    assert "made-up-gpu-2026-11-21.json: Made-up GPU, 2026-11-21, 2 series, 1 timelines" in printed
    assert "It needs [a lot] of memory." in printed
    assert f"copy it to {command.FOLDER}/ in a checkout" in printed and "pull request" in printed


def test_the_file_may_be_named(recorded, tmp_path):
    assert recorded(small.recording(), output="here.json") == 0
    assert files.load(tmp_path / "here.json") == small.recording()


def test_what_is_there_stays(recorded, capsys, tmp_path):
    for name in ("made-up-gpu-2026-11-21.json", "thesis.tex"):
        (tmp_path / name).write_text("precious")
    assert recorded(small.recording()) == 0 and recorded(None, output="thesis.tex") == 1
    assert files.load(tmp_path / "made-up-gpu-2026-11-21-2.json") == small.recording()
    assert "there is thesis.tex already" in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir() if path.read_text() == "precious"} == {"made-up-gpu-2026-11-21.json", "thesis.tex"}


def test_a_folder_that_is_not_there_is_noticed_before_three_minutes_of_measuring(recorded, capsys):
    assert recorded(None, output="nowhere/here.json") == 1
    assert "Nothing is recorded: there is no folder" in capsys.readouterr().out


def test_a_quick_or_stopped_one_is_not_asked_for(recorded, capsys):
    recorded(small.recording(), quick=True)
    assert "leave out --quick" in capsys.readouterr().out
    first, second = small.recording().series
    stopped = dataclasses.replace(first, left_out=(LeftOut(5, measuring.STOPPED),))
    recorded(dataclasses.replace(small.recording(), series=(stopped, second)))
    assert "not to contribute" in capsys.readouterr().out
