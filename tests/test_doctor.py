"""``python -m course_lib`` reports, and its exit status says whether the course can run."""
import importlib.metadata

from course_lib import __main__ as doctor
from cuda_simulator.toolkit import nvrtc

import pytest


@pytest.fixture
def report(capsys):
    def run():
        status = doctor.main()
        return status, capsys.readouterr().out
    return run


@pytest.fixture
def without(monkeypatch):
    """Have a distribution count as not installed."""
    version = importlib.metadata.version

    def remove(distribution):
        def lookup(name):
            if name == distribution:
                raise importlib.metadata.PackageNotFoundError(name)
            return version(name)
        monkeypatch.setattr(importlib.metadata, "version", lookup)
    return remove


def test_a_machine_that_has_everything_can_run_the_course(in_new_process):
    result = in_new_process(None, "-m", "course_lib", COURSE_DRIVER="simulated")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "simulated, because COURSE_DRIVER=simulated" in result.stdout
    assert "The course can run." in result.stdout
    for label in ("Python", "PyCUDA", "cuda-bindings", "NVRTC", "device", "jupyterlab"):
        assert label in result.stdout


def test_it_writes_nothing(in_new_process, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    result = in_new_process(None, "-B", "-m", "course_lib", COURSE_DRIVER="simulated", HOME=str(home), XDG_CACHE_HOME=str(home))
    assert result.returncode == 0 and not list(home.iterdir())


def test_a_driver_that_cannot_be_attached_is_a_finding_not_a_traceback(in_new_process):
    result = in_new_process(None, "-m", "course_lib", COURSE_DRIVER="gpu")
    assert result.returncode == 1
    assert "COURSE_DRIVER=gpu is not a driver" in result.stdout
    assert "To mend driver:  unset COURSE_DRIVER" in result.stdout
    assert not result.stderr


def test_a_missing_package_comes_with_the_command_that_installs_it(report, without):
    without("matplotlib")
    status, said = report()
    assert status == 1
    assert "matplotlib  " in said and "not installed" in said
    assert f"To mend matplotlib:  cd {doctor.CHECKOUT} && make " in said


def test_outside_a_checkout_the_command_is_pips(report, without, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "CHECKOUT", tmp_path)
    without("matplotlib")
    assert "-m pip install --force-reinstall matplotlib" in report()[1]


def test_jupyterlab_may_be_missing(report, without):
    without("jupyterlab")
    status, said = report()
    assert status == 0 and "The course can run." in said and "To mend jupyterlab:" in said


def test_a_compiler_that_does_not_load_is_found(report, monkeypatch):
    def fail():
        raise RuntimeError("libnvrtc.so.13 is missing")
    monkeypatch.setattr(nvrtc, "version", fail)
    status, said = report()
    assert status == 1 and "does not work: libnvrtc.so.13 is missing" in said and "To mend NVRTC" in said


def test_headers_may_be_missing(report, monkeypatch):
    monkeypatch.setattr(nvrtc, "cuda_include_dirs", lambda: ())
    status, said = report()
    assert status == 0 and "To mend CUDA headers" in said


def test_a_pycuda_that_does_not_load_is_found(report, monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "pycuda.driver", None)
    status, said = report()
    assert status == 1 and "To mend PyCUDA" in said
