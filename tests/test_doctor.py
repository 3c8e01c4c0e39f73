"""``python -m course_lib`` reports, and its exit status says whether the course can run."""
import importlib.metadata

from course_lib import __main__ as doctor, driver
from cuda_without_toolkit import nvrtc

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


@pytest.mark.parametrize("version, mend", [((3, 9, 18), "make clean setup PYTHON=python3.12"), ((3, 10, 0), "")])
def test_a_python_older_than_310_comes_with_the_command_that_takes_another(monkeypatch, version, mend):
    monkeypatch.setattr(doctor.sys, "version_info", version)
    diagnosis = next(doctor.python())
    assert (diagnosis.mend or "") == mend and ("needs 3.10 or newer" in diagnosis.text) == bool(mend)


def test_a_missing_package_comes_with_the_command_that_installs_it(report, without):
    without("matplotlib")
    status, text = report()
    assert status == 1
    assert "matplotlib  " in text and "not installed" in text
    assert f"To mend matplotlib:  cd {doctor.CHECKOUT} && make " in text


def test_outside_a_checkout_the_command_is_pips(report, without, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "CHECKOUT", tmp_path)
    without("numpy")
    status, text = report()
    assert status == 1 and "-m pip install --force-reinstall numpy" in text and "A program that uses course_lib cannot run yet." in text


def test_the_library_alone_can_run_without_what_only_lessons_need(report, without, monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "CHECKOUT", tmp_path)
    without("matplotlib")
    status, text = report()
    assert status == 0 and "not installed; only lessons need it" in text and "A program that uses course_lib can run." in text
    assert "To mend matplotlib" not in text


def test_jupyterlab_may_be_missing(report, without):
    without("jupyterlab")
    status, text = report()
    assert status == 0 and "The course can run." in text and "To mend jupyterlab:" in text


def test_a_compiler_that_does_not_load_is_found(report, monkeypatch):
    def fail():
        raise RuntimeError("libnvrtc.so.13 is missing")
    monkeypatch.setattr(nvrtc, "version", fail)
    status, text = report()
    assert status == 1 and "does not work: libnvrtc.so.13 is missing" in text and "To mend NVRTC" in text


def test_headers_may_be_missing(report, monkeypatch):
    monkeypatch.setattr(nvrtc, "cuda_include_dirs", lambda: ())
    status, text = report()
    assert status == 0 and "To mend CUDA headers" in text


def test_a_pycuda_that_does_not_load_is_found(report, monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "pycuda.driver", None)
    status, text = report()
    assert status == 1 and "To mend PyCUDA" in text


# CUDA's packages -------------------------------------------------------------------------------------------------------

@pytest.fixture
def packages(report, monkeypatch):
    """What the doctor says of CUDA's packages, for those of CUDA `installed`, a driver and GPU that answer (or None), and what the
    set-up has written down (or None): the line, and the lines that say how to mend it."""
    def ask_doctor(installed, machine, chosen=False, set_up=True):
        answer = machine and {"device": "Fake GPU", "cuda_version": machine[0], "compute_capability": machine[1]}
        monkeypatch.setattr(driver, "installed_cuda", lambda: installed)
        monkeypatch.setattr(driver, "choice", lambda: "auto")
        monkeypatch.setattr(driver, "machine", lambda: answer)
        monkeypatch.setattr(doctor, "chosen_cuda", lambda: {"cuda": installed, "why": "it was so", "told": chosen} if set_up else None)
        status, text = report()
        assert status == 0      # the simulated driver is there
        line, = [line.partition("  ")[2].strip() for line in text.splitlines() if line.startswith("CUDA packages")]
        return line, [line for line in text.splitlines() if line.startswith("To mend CUDA packages:")]
    return ask_doctor


@pytest.mark.parametrize("installed, machine", [(13, None), (13, ((13, 0), (7, 5))), (12, ((12, 4), (8, 6))), (12, ((13, 0), (6, 1)))])
def test_packages_that_serve_the_machine_come_with_the_reason_for_them(packages, installed, machine):
    assert packages(installed, machine) == ({12: "12.9", 13: "13.0"}[installed] + ", because it was so", [])


@pytest.mark.parametrize("installed, machine, says", [
    (13, ((12, 4), (8, 6)), "They do not serve Fake GPU, and those of CUDA 12.9 do: the driver is for CUDA 12.4"),
    (13, ((13, 0), (6, 1)), "They do not serve Fake GPU, and those of CUDA 12.9 do: the GPU has compute capability 6.1"),
])
@pytest.mark.parametrize("chosen", [False, True])
def test_packages_that_no_longer_fit_come_with_the_command_that_chooses_again(packages, installed, machine, says, chosen):
    line, mend = packages(installed, machine, chosen)
    assert says in line
    assert mend == [f"To mend CUDA packages:  cd {doctor.CHECKOUT} && make setup CUDA=auto"]


def test_elsewhere_than_in_the_set_ups_environment_they_come_without_that_command(packages):
    line, mend = packages(13, ((12, 4), (8, 6)), set_up=False)
    assert line.startswith("13.0. They do not serve Fake GPU, and those of CUDA 12.9 do") and not mend


def test_newer_packages_that_would_serve_too_are_mentioned_unless_somebody_has_chosen(packages):
    assert packages(12, ((13, 0), (8, 6))) == ("12.9, because it was so. Fake GPU and its driver run those of CUDA 13.0 too "
                                               "(make setup CUDA=auto)", [])
    assert packages(12, ((13, 0), (8, 6)), chosen=True) == ("12.9, because it was so", [])


def test_a_machine_that_no_packages_serve_is_told_the_least_that_would_do(packages):
    line, mend = packages(13, ((11, 8), (8, 6)))
    assert line.endswith("No packages serve Fake GPU: the driver is for CUDA 11.8, and CUDA 12.9's packages need driver 535 or "
                         "newer") and not mend


def test_what_the_set_up_has_chosen_is_read_in_its_environment_alone(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "CHECKOUT", tmp_path)
    (tmp_path / ".build").mkdir()
    (tmp_path / ".build" / "cuda.json").write_text('{"cuda": 12, "why": "it was so", "told": true}')
    assert doctor.chosen_cuda() is None
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    assert doctor.chosen_cuda()["why"] == "it was so"
    (tmp_path / ".build" / "cuda.json").write_text("{")
    assert doctor.chosen_cuda() is None
