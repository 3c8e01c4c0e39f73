"""The set-up's steps: when they are done, when they are done again, and what they say where they cannot be."""
import ast
import contextlib
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jupyter_server.services.contents.filemanager import FileContentsManager
from traitlets.config.loader import KeyValueConfigLoader

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = ROOT / "packages" / "cuda-simulator"
sys.path.append(str(ROOT / "tools"))
from courseware.course import LESSONS  # noqa: E402

import bootstrap  # noqa: E402
import setup_steps  # noqa: E402


@pytest.fixture
def project(tmp_path):
    """A checkout with what the steps read."""
    project = setup_steps.Project(tmp_path / "course")
    shutil.copytree(SIMULATOR / "src/cuda_simulator/libcuda", project.stand_in.parent, ignore=shutil.ignore_patterns("[!s]*"))
    (project.root / "requirements").mkdir()
    for name in ("packages/cuda-simulator/setup.py", "packages/cuda-simulator/pyproject.toml", "pyproject.toml",
                 "requirements/course.txt"):
        shutil.copy(ROOT / name, project.root / name)
    return project


@pytest.fixture
def commands(monkeypatch, project):
    """Commands are not run but listed, one after the other; making an environment makes its folders, and building PyCUDA
    its wheel."""
    listed = []

    def run(command, project, environment=(), log=None):
        command = [str(word) for word in command]
        listed.append(command)
        if "venv" in command:
            for package in ("pycuda", "nvidia/cu13/include"):
                (project.venv / "lib" / "python3.11" / "site-packages" / package).mkdir(parents=True)
            (project.venv / "bin").mkdir()
            project.python.symlink_to(sys.executable)
        elif "--editable" in command:
            project.stand_in.write_text("built")
        elif "download" in command:
            Path(command[command.index("--dest") + 1], "pycuda-2026.1.tar.gz").touch()
        elif kinds([command]) == ["compile_pycuda.py"]:
            out = Path(command[-1])
            out.mkdir()
            (out / "pycuda-2026.1-cp311.whl").touch()
        elif "--force-reinstall" in command:
            (project.site_packages / "pycuda" / "_driver.so").write_bytes(b"\x7fELF..\0libcuda.so.1\0..")

    monkeypatch.setattr(setup_steps, "run", run)
    monkeypatch.setattr(setup_steps, "do_together", lambda project, steps: [step.run() for step in steps])
    monkeypatch.setattr(setup_steps, "pips_settings", lambda project: {})
    for name in ("tools/pycuda_import_hint.py", "tools/ipython_kernel_config.py", "courseware/notebook/missing_name.py"):
        (project.root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project.root / name)
    return listed


def kinds(commands):
    """What each command is for."""
    def kind(command):
        words = {Path(word).name.split("==")[0] for word in command}
        return next((kind for kind in EVERYTHING if kind in words), Path(command[0]).name)
    return [kind(command) for command in commands]


EVERYTHING = ["venv", "tools.txt", "--editable", "requirements.txt", "download", "compile_pycuda.py", "--force-reinstall"]
COMPILING = ["download", "compile_pycuda.py"]
KEPT = [kind for kind in EVERYTHING if kind not in COMPILING]


# Doing, and doing again -----------------------------------------------------------------------------------------------

def test_a_first_set_up_does_every_step_and_a_second_none(project, commands):
    assert setup_steps.set_up(project) is True
    assert kinds(commands) == EVERYTHING
    commands.clear()
    assert setup_steps.set_up(project) is False
    assert commands == []


@pytest.mark.parametrize("interrupted, again", [
    ("venv", EVERYTHING),
    ("tools.txt", EVERYTHING),          # a half-done installation: the environment is made anew
    ("--editable", EVERYTHING),
    ("requirements.txt", EVERYTHING),
    ("download", EVERYTHING[4:]),       # compiling changes nothing in it
    ("compile_pycuda.py", EVERYTHING[4:]),
    ("--force-reinstall", KEPT),        # the compiled wheel is kept
])
@pytest.mark.parametrize("how", [KeyboardInterrupt, setup_steps.Problem("no network"), OSError(errno.ENOSPC, "full")])
def test_an_interrupted_set_up_is_taken_up_and_made_whole(project, commands, monkeypatch, interrupted, again, how):
    run = setup_steps.run

    def interrupt(command, place, *arguments):
        run(command, place, *arguments)
        if kinds([[str(word) for word in command]]) == [interrupted]:
            (place.site_packages / "half").touch()
            raise how
    monkeypatch.setattr(setup_steps, "run", interrupt)
    with pytest.raises(how if isinstance(how, type) else type(how)):
        setup_steps.set_up(project)
    monkeypatch.setattr(setup_steps, "run", run)
    commands.clear()
    setup_steps.set_up(project)
    assert kinds(commands) == again
    assert not setup_steps.set_up(project)
    assert not list(project.build.glob("pycuda-*"))


def test_a_step_that_failed_before_it_changed_anything_leaves_the_environment_as_good_as_it_was(project, commands, monkeypatch):
    setup_steps.set_up(project)
    run, pins = setup_steps.run, project.requirements.read_text()
    project.requirements.write_text(pins + "# newer\n")

    def no_network(command, *arguments):
        raise setup_steps.Problem("no network")
    monkeypatch.setattr(setup_steps, "run", no_network)
    with pytest.raises(setup_steps.Problem):
        setup_steps.set_up(project)
    project.requirements.write_text(pins)
    assert not setup_steps.set_up(project)
    project.requirements.write_text(pins + "# newer\n")
    monkeypatch.setattr(setup_steps, "run", run)
    commands.clear()
    setup_steps.set_up(project)
    assert kinds(commands) == ["requirements.txt"]


# What was there before ------------------------------------------------------------------------------------------------

def everything_in(folder):
    """{name: content} of all files; a link's content is where it leads."""
    return {str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in folder.rglob("*") if path.is_symlink() or path.is_file()}


@pytest.fixture
def moved(project, commands):
    """The environment in place serves another path of this folder, and has a package that its user installed there."""
    setup_steps.set_up(project)
    commands.clear()
    (project.stamps / "venv").write_text("/elsewhere/course")
    (project.site_packages / "nbgrader").mkdir()
    (project.site_packages / "nbgrader" / "marks").write_text("precious")
    return project


@pytest.mark.parametrize("fails", [kind for kind in EVERYTHING if kind not in COMPILING])
def test_an_environment_stays_whole_until_the_one_that_replaces_it_is(moved, commands, monkeypatch, fails):
    before, run = everything_in(moved.venv), setup_steps.run

    def fail(command, *rest, **settings):
        run(command, *rest, **settings)
        if kinds([[str(word) for word in command]]) == [fails]:
            raise setup_steps.Problem("no network")
    monkeypatch.setattr(setup_steps, "run", fail)
    assert bootstrap.main(moved, ["setup"]) == 1
    assert everything_in(moved.venv) == before


def test_the_environment_of_another_path_is_kept_and_used_again_there(moved, commands, capsys):
    before = everything_in(moved.venv)
    assert setup_steps.set_up(moved)
    set_aside, = moved.root.glob(".venv.of-*")
    assert everything_in(set_aside) == before and moved.served == moved.root
    printed = capsys.readouterr().out
    assert "/elsewhere/course" in printed and set_aside.name in printed
    # And there: as if this were the other path.
    (set_aside / ".course" / "venv").write_text(str(moved.root))
    set_aside.rename(moved.kept_for(moved.root).venv)
    (moved.stamps / "venv").write_text("/elsewhere/course")
    commands.clear()
    setup_steps.set_up(moved)
    assert commands == [] and (moved.site_packages / "nbgrader" / "marks").read_text() == "precious"
    assert bootstrap.main(moved, ["clean"]) == 0
    assert not list(moved.root.glob(".venv*"))


def test_an_environment_that_was_broken_is_not_kept(project, commands):
    setup_steps.set_up(project)
    project.python.unlink()
    setup_steps.set_up(project)
    assert [path.name for path in project.root.glob(".venv*")] == [".venv"]


def test_scripts_begin_with_the_path_that_the_environment_has_in_the_end(project, commands, monkeypatch):
    run = setup_steps.run

    def script(command, *rest, **settings):
        run(command, *rest, **settings)
        if "--editable" in [str(word) for word in command]:
            (project.beside.venv / "bin" / "pytest").write_text(f"#!{project.beside.python}\n")
            (project.beside.venv / "bin" / "pytest").chmod(0o755)
    monkeypatch.setattr(setup_steps, "run", script)
    setup_steps.set_up(project)
    assert (project.venv / "bin" / "pytest").read_text() == f"#!{project.python}\n"
    assert os.access(project.venv / "bin" / "pytest", os.X_OK)


def test_a_set_up_that_was_killed_before_it_put_the_environment_in_place_does_that_next(project, commands, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt
    with monkeypatch.context() as patch:
        patch.setattr(setup_steps, "replace_environment", killed)
        with pytest.raises(KeyboardInterrupt):
            setup_steps.set_up(project)
    monkeypatch.setattr(setup_steps, "do_together", killed)     # nothing is left to do
    setup_steps.set_up(project)
    assert project.venv.is_dir() and not project.beside.venv.exists()


@pytest.fixture
def killed_between_the_renames(project, monkeypatch):
    """A function that sets the project up in a process of its own, which dies when the old environment has lost its place and the new
    one has not got it. The commands are not run there either."""
    def set_up():
        child = os.fork()
        if not child:
            rename = Path.rename

            def die(path, target):
                if path == project.beside.venv:
                    os.kill(os.getpid(), signal.SIGKILL)
                return rename(path, target)
            monkeypatch.setattr(Path, "rename", die)
            with contextlib.suppress(BaseException):
                setup_steps.set_up(project)
            os._exit(0)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        assert not project.venv.exists() and project.beside.venv.is_dir()
    return set_up


def test_a_set_up_that_was_killed_between_the_two_renames_keeps_what_serves_another_path(moved, killed_between_the_renames):
    before = everything_in(moved.venv)
    killed_between_the_renames()
    assert setup_steps.set_up(moved) and not setup_steps.set_up(moved)
    set_aside, = moved.root.glob(".venv.of-*")
    assert everything_in(set_aside) == before
    assert {path.name for path in moved.root.glob(".*venv*")} == {".venv", set_aside.name}


def test_a_set_up_that_was_killed_between_the_two_renames_leaves_nothing_to_the_next(project, commands, killed_between_the_renames):
    setup_steps.set_up(project)
    project.python.unlink()
    killed_between_the_renames()
    assert setup_steps.set_up(project) and not setup_steps.set_up(project)
    assert [path.name for path in project.root.glob(".*venv*")] == [".venv"]


def test_a_removal_that_was_interrupted_is_taken_up_and_somebody_elses_folder_is_none(project, commands):
    setup_steps.set_up(project)
    shutil.copytree(project.stamps, project.root / ".venv.old.01234567" / ".course")
    (project.root / ".venv.old.mine" / "bin").mkdir(parents=True)
    (project.root / ".venv.old.89abcdef").symlink_to(".venv")
    assert setup_steps.set_up(project) and not setup_steps.set_up(project)
    assert {path.name for path in project.root.glob(".venv*")} == {".venv", ".venv.old.mine", ".venv.old.89abcdef"}
    assert project.python.exists()


@pytest.mark.parametrize("command", ["setup", "clean"])
@pytest.mark.parametrize("venv", [".venv", ".venv.new"])
@pytest.mark.parametrize("target", ["theirs", "nothing"])
def test_an_environment_that_is_a_link_is_left_alone_and_so_is_what_it_leads_to(project, commands, capsys, command, venv, target):
    theirs = setup_steps.Project(project.root.with_name("theirs"))
    theirs.stamps.mkdir(parents=True)
    (theirs.stamps / "venv").write_text(str(theirs.root))
    (project.root / venv).symlink_to(Path("..", target, ".venv"))
    before = everything_in(project.root.parent)
    assert bootstrap.main(project, [command]) == 1
    assert f"{venv} is a link, to ../{target}/.venv" in capsys.readouterr().err
    after = everything_in(project.root.parent)
    assert {name: after[name] for name in before} == before and commands == []


def test_an_environment_that_serves_the_same_folder_at_its_other_path_is_refused(moved, commands, monkeypatch, capsys):
    before = everything_in(moved.venv)
    monkeypatch.setattr(setup_steps, "same", lambda path, other: str(path) == "/elsewhere/course/.venv")
    for command in "setup", "clean":
        assert bootstrap.main(moved, [command]) == 1
        assert "serves the same folder under its other path, /elsewhere/course" in capsys.readouterr().err
    assert everything_in(moved.venv) == before


@pytest.mark.parametrize("command", ["setup", "clean"])
def test_an_environment_in_which_something_runs_is_neither_replaced_nor_removed(moved, commands, capsys, command):
    before = everything_in(moved.venv)
    with subprocess.Popen([sys.executable, "-c", f"""
import os, sys
sys.path.append({str(ROOT / "tools")!r})
import setup_steps
setup_steps.hold_environment(setup_steps.Project({str(moved.root)!r}))
os.execvp("sh", ["sh", "-c", "echo runs; read _"])
"""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "runs\n"
        assert bootstrap.main(moved, [command]) == 1
        running.stdin.close()
    assert ".venv is in use" in capsys.readouterr().err
    assert everything_in(moved.venv) == before
    assert bootstrap.main(moved, [command]) == 0


def test_a_killed_set_up_is_taken_up_by_the_next(tmp_path):
    script = tmp_path / "steps.py"
    script.write_text(f"""
import sys, time
sys.path.append({str(ROOT / "tools")!r})
import setup_steps
class First(setup_steps.SetUpStep):
    name, says = "first", "first"
    def do(self): time.sleep(float(sys.argv[2]))
setup_steps.set_up(setup_steps.Project(sys.argv[1]), [First])
print("whole")
""")
    folder = tmp_path / "course"
    folder.mkdir()
    child = subprocess.Popen([sys.executable, script, folder, "60"])
    started = folder / ".venv" / ".course" / "first.started"
    while not started.exists() and child.poll() is None:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert not (started.parent / "first").exists()
    # The kernel has freed the dead one's lock.
    assert "whole" in subprocess.run([sys.executable, script, folder, "0"], timeout=600, capture_output=True, text=True).stdout
    assert not started.exists()


def test_two_set_ups_in_one_folder_wait_for_each_other(project, capsys):
    project.build.mkdir()
    with setup_steps.only_one(project):
        waiting = subprocess.Popen([sys.executable, "-c", f"""
import sys
sys.path.append({str(ROOT / "tools")!r})
import setup_steps
with setup_steps.only_one(setup_steps.Project({str(project.root)!r})):
    print("mine")
"""], stdout=subprocess.PIPE, text=True)
        assert waiting.stdout.readline().startswith("Another set-up is running")
        assert waiting.poll() is None
    assert waiting.stdout.read() == "mine\n"
    waiting.wait()
    waiting.stdout.close()


def test_what_a_killed_set_up_left_running_is_waited_for(project, monkeypatch):
    project.build.mkdir()
    monkeypatch.setattr(setup_steps, "say", lambda text: (project.root / "told").write_text(text))
    with setup_steps.only_one(project):
        setup_steps.run(["sh", "-c", "(until [ -s told ]; do sleep 0.01; done; touch done) &"], project)
    with setup_steps.only_one(project):
        assert (project.root / "done").exists()
    assert "waiting for it" in (project.root / "told").read_text()


@pytest.fixture
def two_steps(project):
    """A step that takes a minute, and one at the same time that ends as the test wants it to."""
    class Long(setup_steps.SetUpStep):
        name = says = "long"
        with_next = True

        def do(self):
            setup_steps.run(["sleep", "60"], self.project)

    class Short(setup_steps.SetUpStep):
        name = says = "short"

        def do(self):
            while not (self.project.stamps / "long.started").exists():
                time.sleep(0.01)
            raise self.ends

    return Long, Short


@pytest.mark.parametrize("how", [KeyboardInterrupt, setup_steps.Problem("no g++")])
def test_of_two_steps_at_the_same_time_none_goes_on_when_one_fails(project, two_steps, how):
    two_steps[1].ends = how
    began = time.monotonic()
    with pytest.raises((KeyboardInterrupt, setup_steps.Problem)) as raised:
        setup_steps.set_up(project, two_steps)
    assert str(raised.value) == str(how() if how is KeyboardInterrupt else how)
    assert time.monotonic() - began < 30
    assert {path.name for path in project.stamps.iterdir()} == {"long.started", "short.started"}


def test_a_step_that_can_be_done_at_the_same_time_is_done_alone_when_the_other_is_done(project, commands):
    setup_steps.set_up(project)
    for stamp, kind in (("packages", ["requirements.txt"]), (None, COMPILING)):
        commands.clear()
        if stamp:
            (project.stamps / stamp).unlink()
        else:
            shutil.rmtree(setup_steps.BuildPycuda(project).folder())
        setup_steps.set_up(project)
        assert kinds(commands) == kind


def test_a_changed_pin_of_cuda_has_pycuda_compiled_again(project, commands):
    setup_steps.set_up(project)
    commands.clear()
    pins = project.requirements.read_text()
    project.requirements.write_text(pins.replace("nvidia-cuda-runtime==13.0.96", "nvidia-cuda-runtime==13.0.97"))
    setup_steps.set_up(project)
    assert kinds(commands) == ["tools.txt", "requirements.txt", *COMPILING, "--force-reinstall"]


def test_a_changed_pin_of_jupyterlab_has_the_packages_installed_and_nothing_compiled(project, commands):
    setup_steps.set_up(project)
    commands.clear()
    project.requirements.write_text(project.requirements.read_text().replace("jupyterlab==", "jupyterlab==1"))
    setup_steps.set_up(project)
    assert kinds(commands) == ["requirements.txt"]


@pytest.mark.parametrize("name", [f"packages/cuda-simulator/{name}" for name in (
    "setup.py", "src/cuda_simulator/libcuda/stand_in.c", "src/cuda_simulator/libcuda/stand_in_names.h")])
def test_a_change_of_the_stand_in_has_it_built_again(project, commands, name):
    setup_steps.set_up(project)
    commands.clear()
    with open(project.root / name, "a") as file:
        file.write("\n")
    setup_steps.set_up(project)
    assert kinds(commands) == ["--editable"]


def test_a_stand_in_that_is_gone_is_built_again(project, commands):
    setup_steps.set_up(project)
    commands.clear()
    project.stand_in.unlink()
    setup_steps.set_up(project)
    assert kinds(commands) == ["--editable"]


@pytest.mark.parametrize("breakage", [
    lambda project: (project.python.unlink(), project.python.symlink_to("/nonexistent/python3")),   # the system's was upgraded
    lambda project: project.python.unlink(),
    lambda project: shutil.rmtree(project.venv),
    lambda project: (project.stamps / "venv").write_text("/another/folder"),                       # the checkout was moved
])
def test_a_broken_environment_is_made_anew_and_the_compiled_pycuda_kept(project, commands, breakage):
    setup_steps.set_up(project)
    commands.clear()
    breakage(project)
    setup_steps.set_up(project)
    assert kinds(commands) == KEPT


def test_pycuda_is_built_from_the_pin_against_pypis_headers_and_the_stand_in(project, commands, monkeypatch):
    seen = {}
    run = setup_steps.run

    def look(command, project, environment=(), log=None):
        if kinds([[str(word) for word in command]]) == ["download"]:
            seen["requirement"] = Path(command[command.index("-r") + 1]).read_text()
        if kinds([[str(word) for word in command]]) == ["compile_pycuda.py"]:
            home = Path(environment["HOME"])
            exec((home / ".aksetup-defaults.py").read_text(), seen)
            seen["linked"] = Path(seen["CUDADRV_LIB_DIR"][0], "libcuda.so").resolve()
        run(command, project, environment)
    monkeypatch.setattr(setup_steps, "run", look)
    setup_steps.set_up(project)
    assert seen["CUDA_INC_DIR"] == [str(project.beside.venv / "lib/python3.11/site-packages/nvidia/cu13/include")]
    assert seen["linked"] == project.stand_in.resolve()
    assert seen["CUDA_ENABLE_CURAND"] is False
    assert not Path(seen["CUDA_ROOT"]).exists()
    assert re.fullmatch(r"pycuda==[\d.]+ \\\n    --hash=sha256:\w{64}\n", seen["requirement"])


def test_what_is_installed_from_an_index_has_the_digest_that_is_kept(project, commands):
    setup_steps.set_up(project)
    fetching = [command for command in commands if "-r" in command]
    assert kinds(fetching) == ["tools.txt", "requirements.txt", "download"]
    assert all("--require-hashes" in command for command in fetching)
    for name in "tools.txt", "requirements.txt":
        packages = re.split(r"\n(?=\w)", (project.stamps / name).read_text())
        assert len(packages) > 3 and all("--hash=sha256:" in package for package in packages)


def test_pycudas_source_is_run_without_the_users_home(project, commands, monkeypatch, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".netrc").write_text("password")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    homes, run = [], setup_steps.run

    def look(command, project, environment=(), log=None):
        if kinds([[str(word) for word in command]]) == ["compile_pycuda.py"]:
            homes.append({path.name for path in Path(environment["HOME"]).iterdir()})
        run(command, project, environment)
    monkeypatch.setattr(setup_steps, "run", look)
    setup_steps.set_up(project)
    assert homes == [{".aksetup-defaults.py"}]


def test_a_pycuda_that_does_not_ask_for_libcuda_is_refused_and_not_kept(project, commands, monkeypatch):
    run = setup_steps.run

    def drop(command, project, *rest):
        run(command, project, *rest)
        if "--force-reinstall" in command:
            (project.site_packages / "pycuda" / "_driver.so").write_bytes(b"\x7fELF")
    monkeypatch.setattr(setup_steps, "run", drop)
    with pytest.raises(setup_steps.Problem, match="does not ask for libcuda.so.1"):
        setup_steps.set_up(project)
    assert not setup_steps.BuildPycuda(project).done()


def test_the_hints_are_where_every_start_of_python_and_of_a_kernel_reads_them(project, commands):
    setup_steps.set_up(project)
    assert (project.site_packages / "missing_name.py").is_file() and (project.venv / "etc" / "ipython" / "ipython_kernel_config.py").is_file()
    assert (project.site_packages / "pycuda_import_hint.pth").read_text() == "import pycuda_import_hint\n"
    assert (project.site_packages / "pycuda_import_hint.py").is_file()


# What is missing ------------------------------------------------------------------------------------------------------

def refusal(project):
    with pytest.raises(setup_steps.Problem) as problem:
        setup_steps.set_up(project)
    assert not project.venv.exists()
    return str(problem.value)


@pytest.fixture
def debian(monkeypatch):
    monkeypatch.setattr(setup_steps.platform, "freedesktop_os_release", lambda: {"ID": "linuxmint", "ID_LIKE": "ubuntu debian"})


def test_a_missing_compiler_is_named_before_anything_is_installed(project, commands, monkeypatch, debian):
    monkeypatch.setattr(setup_steps.shutil, "which", lambda name: None if name == "g++" else "/usr/bin/" + name)
    assert refusal(project) == "This machine lacks a C++ compiler (g++). Install with: sudo apt install g++"


def test_missing_headers_of_python_are_named(project, commands, monkeypatch, debian):
    monkeypatch.setattr(setup_steps.sysconfig, "get_path", lambda name: "/nonexistent")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert refusal(project) == (f"This machine lacks the headers of Python {version}. "
                                f"Install with: sudo apt install python{version}-dev")


def test_a_missing_venv_module_is_named(project, commands, monkeypatch, debian):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert refusal(project).endswith(f"Install with: sudo apt install python{version}-venv")


def test_the_readme_names_the_packages_that_a_bare_debian_is_told_to_install(project, commands, monkeypatch, debian):
    monkeypatch.setattr(setup_steps.shutil, "which", lambda name: None)
    monkeypatch.setattr(setup_steps.sysconfig, "get_path", lambda name: "/nonexistent")
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    listed = set(re.sub(r"python\d\.\d+", "python3", refusal(project)).split("apt install ")[1].split())
    named = re.search(r"`sudo apt install ([^`]+)`", (ROOT / "README.md").read_text())[1].split()
    # g++ brings gcc and the C library's headers along; the first two are for git clone and make.
    assert {*named} == {"git", "make"} | listed - {"gcc", "libc6-dev"}


def test_all_that_is_missing_is_named_at_once(project, commands, monkeypatch):
    monkeypatch.setattr(setup_steps.platform, "freedesktop_os_release", lambda: {"ID": "fedora"})
    monkeypatch.setattr(setup_steps.shutil, "which", lambda name: None)
    monkeypatch.setattr(setup_steps.sysconfig, "get_path", lambda name: "/nonexistent")
    sentence = refusal(project)
    assert "a C compiler (gcc) and a C++ compiler (g++) and the headers of Python" in sentence
    assert sentence.endswith("sudo dnf install gcc gcc-c++ python3-devel")


def test_on_an_unknown_system_both_commands_are_named(monkeypatch):
    def unknown():
        raise OSError
    monkeypatch.setattr(setup_steps.platform, "freedesktop_os_release", unknown)
    assert setup_steps.install_command(["g++"], ["gcc-c++"]) == (
        "sudo apt install g++ (Debian, Ubuntu), or sudo dnf install gcc-c++ (Fedora)")


def test_a_small_disk_is_refused_before_it_is_full(project, commands, monkeypatch):
    monkeypatch.setattr(setup_steps.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**10, 10**10 - 10**9, 10**9))
    assert "has 1.0 GB free" in refusal(project)


def test_a_pin_that_has_changed_needs_no_room_for_everything(project, commands, monkeypatch):
    setup_steps.set_up(project)
    project.requirements.write_text(project.requirements.read_text() + "# newer\n")
    monkeypatch.setattr(setup_steps.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**10, 10**10 - 10**9, 10**9))
    assert setup_steps.set_up(project)


@pytest.mark.parametrize("name", ["a$x", "a\nb", "a\tb"])
def test_a_path_that_installers_cannot_read_is_refused_before_anything_is_installed(tmp_path, name):
    project = setup_steps.Project(tmp_path / name)
    assert repr(str(project.root)) in refusal(project)
    assert not project.root.exists()


@pytest.mark.parametrize("umask, keeps_others_out", [(0o077, True), (0o027, True), (0o022, False), (0o002, False)])
def test_a_user_who_keeps_others_out_is_told_so_first(project, commands, capsys, umask, keeps_others_out):
    before = os.umask(umask)
    try:
        setup_steps.set_up(project)
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    printed = capsys.readouterr().out
    assert (f"umask is {umask:03o}," in printed.splitlines()[0]) == keeps_others_out


def test_an_environment_of_somebody_elses_is_left_alone(project, commands):
    project.venv.mkdir()
    (project.venv / "precious").touch()
    for command in ("setup", "clean"):
        assert bootstrap.main(project, [command]) == 1
    assert os.listdir(project.venv) == ["precious"] and commands == []


@pytest.mark.parametrize("output, expected", [
    ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "The disk is full"),
    ("WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: No matching distribution",
     "The package index cannot be reached (NewConnectionError)"),
    ("error: Request failed after 3 retries in 8.8s\n  cause: error sending request for url (...)",
     "The package index cannot be reached (error sending request)"),
    # What pip and uv said of a server that refuses, sends pages of its own, redirects, cuts, and changes what it has.
    ("ERROR: Could not find a version that satisfies the requirement a==5.1 (from versions: none)\nERROR: No matching "
     "distribution found for a==5.1", f"The package index has nothing for {setup_steps.PYTHON} by this name (a==5.1)"),
    ("  cause: Because there is no version of a==5.1 and you require a==5.1, we can conclude that your requirements are unsatisfiable.",
     f"The package index has nothing for {setup_steps.PYTHON} by this name (a==5.1)"),
    ("  cause: Because a was not found in the package registry and you require a==5.1, we can conclude that your requirements are "
     "unsatisfiable.\n\nhint: An index (http://x/simple) returned a 403 Forbidden error.",
     "The package index answers with an error (403 Forbidden)"),
    ("error: Failed to fetch: http://x/simple/a/\n  cause: HTTP status client error (407 Proxy Authentication Required) for url (...)",
     "The package index answers with an error (client error (407 Proxy Authentication Required))"),
    ("ERROR: Could not install packages due to an OSError: Exceeded 30 redirects.", "answers with an error (30 redirects)"),
    ("error: Unsupported `Content-Type` \"text/plain\" for `http://x/simple/a/`.", "something that is no list of packages"),
    ("error: a\n  cause: error decoding response body for url (http://x/simple/a/)", "something that is no list of packages"),
    ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "something else than the file that was published"),
    ("error: Failed to download `a==5.1`\n  cause: Failed to extract archive: a.whl\n  cause: Invalid zip file structure",
     "something else than the file that was published"),
    ("  cause: error sending request for url (...)\n  cause: client error (Connect)\n  cause: invalid peer certificate: UnknownIssuer",
     "The package index shows a certificate that this machine does not trust"),
    ("ERROR: Could not find a version that satisfies the requirement a==5.1 (from versions: 4.0, 5.0)\nERROR: No matching "
     "distribution found for a==5.1", f"There is no a==5.1 for {setup_steps.PYTHON} on "),
    ("error: command 'g++' failed", "error: command 'g++' failed"),
])
def test_a_command_that_fails_ends_in_a_sentence(project, output, expected):
    with pytest.raises(setup_steps.Problem, match=re.escape(expected)):
        setup_steps.run(["sh", "-c", 'echo "$0"; exit 1', output], project)
    assert output.split("\n")[-1] in project.log.read_text()


def test_a_disk_that_is_so_full_that_the_log_ends_before_the_reason_is_named_all_the_same(project, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**12, 10**12 - 4096, 4096))
    with pytest.raises(setup_steps.Problem, match="^The disk is full"):
        setup_steps.run(["sh", "-c", "echo writing manifest fi; exit 1"], project)


@pytest.mark.parametrize("error, status, sentence", [
    (setup_steps.Problem("no g++"), 1, "no g++"),
    (KeyboardInterrupt(), 130, "it goes on from here"),
    (OSError(errno.ENOSPC, "full"), 1, "The disk is full"),
    (PermissionError(errno.EACCES, "Permission denied", "ROOT/.build/jupyter"), 1, "ROOT/.build/jupyter: Permission denied"),
    (OSError(errno.EROFS, "Read-only file system", "ROOT/.build"), 1, "ROOT/.build: Read-only file system"),
])
def test_every_failure_is_a_sentence_and_a_status(project, monkeypatch, capsys, error, status, sentence):
    def fail(project, arguments):
        if isinstance(error, OSError) and error.filename:
            error.filename = error.filename.replace("ROOT", str(project.root))
        raise error
    monkeypatch.setitem(bootstrap.COMMANDS, "setup", fail)
    assert bootstrap.main(project, ["setup"]) == status
    assert sentence.replace("ROOT", str(project.root)) in capsys.readouterr().err


@pytest.mark.parametrize("command", ["setup", "lab", "clean"])
def test_a_file_where_the_course_writes_is_named(project, replaced, commands, capsys, command):
    project.build.write_text("precious")
    assert bootstrap.main(project, [command]) == 1
    assert f"{project.build}: " in capsys.readouterr().err
    assert project.build.read_text() == "precious" and commands == []


@pytest.mark.parametrize("command", ["setup", "lab", "clean"])
@pytest.mark.parametrize("name", [".build", ".build/lock"])
def test_nothing_is_written_or_removed_through_a_link(project, replaced, commands, capsys, command, name):
    theirs = project.root.with_name("theirs")
    (theirs / "wheels").mkdir(parents=True)
    (theirs / "wheels" / "pycuda.whl").write_text("precious")
    (theirs / "lock").write_text("precious")
    (project.root / name).parent.mkdir(exist_ok=True)
    (project.root / name).symlink_to(theirs / Path(name).relative_to(".build"))
    before = everything_in(theirs)
    assert bootstrap.main(project, ["--cuda=13", command] if command != "clean" else [command]) == 1
    assert str(project.root / name) in capsys.readouterr().err
    assert everything_in(theirs) == before and commands == []


def test_a_stamp_that_is_damaged_is_one_of_nothing(project, commands):
    setup_steps.set_up(project)
    for stamp in [path for path in project.stamps.iterdir() if path.is_file()]:
        stamp.write_bytes(b"\xff\0\xfe")
    assert setup_steps.set_up(project) and not setup_steps.set_up(project)


def test_pips_index_is_uvs_too_unless_uv_has_its_own(project, monkeypatch):
    project.python = Path(sys.executable)
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.invalid/simple")
    assert setup_steps.pips_settings(project)["UV_DEFAULT_INDEX"] == "https://mirror.invalid/simple"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://uvs.invalid/simple")
    assert "UV_DEFAULT_INDEX" not in setup_steps.pips_settings(project)


def test_what_is_downloaded_is_kept_in_the_project(project):
    setup_steps.run(["sh", "-c", "echo $XDG_CACHE_HOME"], project)
    assert Path(project.log.read_text().strip()).is_relative_to(project.build)


def test_an_old_python_is_told_so():
    code = f"import sys; sys.version_info = (3, 8, 10); exec(open({str(ROOT / 'tools' / 'bootstrap.py')!r}).read())"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert result.stderr.startswith("The course needs Python 3.10 or newer, and this is Python 3.8.")


def test_an_old_python_can_read_as_far_as_that_sentence():
    ast.parse((ROOT / "tools" / "bootstrap.py").read_text(), feature_version=(3, 7))


# Commands -------------------------------------------------------------------------------------------------------------

def test_clean_removes_what_the_set_up_made_and_nothing_else(project, commands):
    before = {path.relative_to(project.root) for path in project.root.rglob("*")}
    setup_steps.set_up(project)
    (project.root / "cuda_memory_course.egg-info").mkdir()
    (project.simulator / "src" / "cuda_simulator.egg-info").mkdir()
    (project.simulator / "build" / "lib" / "cuda_simulator").mkdir(parents=True)
    (project.simulator / "src" / "cuda_simulator" / "__pycache__").mkdir()
    assert bootstrap.main(project, ["clean"]) == 0
    assert {path.relative_to(project.root) for path in project.root.rglob("*")} == before
    assert bootstrap.main(project, ["clean"]) == 0


def test_clean_leaves_what_a_user_made(project, commands):
    setup_steps.set_up(project)
    users = {".venv.mine/bin/python", ".venv.of-mine/a", "build/thesis.tex", "foo.egg-info/PKG-INFO", ".build/mine",
             ".build/jupyter/config/lab/user-settings/theme", ".build/jupyter/ipython/history.sqlite", ".build/site/mine.html", ".build/home/thesis.tex",
             "notebooks/.ipynb_checkpoints/00-checkpoint.ipynb", ".venv.mine/lib/__pycache__/a.pyc",
             "packages/cuda-simulator/build/thesis.tex"}
    for name in users:
        (project.root / name).parent.mkdir(parents=True, exist_ok=True)
        (project.root / name).write_text("precious")
    assert bootstrap.main(project, ["clean"]) == 0
    assert users <= set(everything_in(project.root))
    assert {path.name for path in project.build.iterdir()} == {"mine", "jupyter", "site", "home"}


@pytest.mark.parametrize("name", ["build", "build/lib"])
def test_clean_removes_nothing_behind_a_link(project, commands, name):
    theirs = project.root.with_name("theirs")
    for place in theirs / "cuda_simulator", theirs / "lib" / "cuda_simulator", theirs / "empty":
        place.mkdir(parents=True)
    link = project.simulator / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(theirs)
    assert bootstrap.main(project, ["clean"]) == 0
    assert {str(path.relative_to(theirs)) for path in theirs.rglob("*")} == {"cuda_simulator", "lib", "lib/cuda_simulator", "empty"}


def test_clean_waits_for_a_set_up_and_then_locks_the_file_that_is_there(project, commands):
    setup_steps.set_up(project)
    with setup_steps.only_one(project):
        cleaning = subprocess.Popen([sys.executable, "-c", f"""
import sys
sys.path.append({str(ROOT / "tools")!r})
import bootstrap
sys.exit(bootstrap.main(bootstrap.Project({str(project.root)!r}), ["clean"]))
"""], stdout=subprocess.PIPE, text=True)
        assert cleaning.stdout.readline().startswith("Another set-up is running")
        assert project.venv.is_dir()
        (project.build / "lock").unlink()      # as a `clean` that came before would have
        another = setup_steps.locked(project.build / "lock")
    assert cleaning.stdout.readline().startswith("Another set-up is running")
    assert project.venv.is_dir()
    another.close()
    assert cleaning.wait() == 0 and not project.venv.exists()
    cleaning.stdout.close()


@pytest.fixture
def replaced(project, commands, monkeypatch):
    """What the process becomes."""
    became = []
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(bootstrap.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup_steps, "hold_environment", lambda project: None)      # this process goes on
    monkeypatch.setattr(bootstrap.os, "execve", lambda path, command, environment: became.append((command, environment)))
    return became


def test_lab_sets_up_and_opens_the_first_lesson_with_the_options_given(project, replaced, commands):
    first = project.root / bootstrap.FIRST
    first.parent.mkdir()
    for name in (first.name, "03_mapped.ipynb", "00_a_learners.ipynb", "-x.ipynb"):
        (first.parent / name).touch()
    bootstrap.main(project, ["lab", "--no-browser", "--port", "8899"])
    (command, environment), = replaced
    assert kinds(commands) == EVERYTHING
    assert command == [str(project.python), "-m", "jupyterlab", f"--LabApp.default_url=/lab/tree/{bootstrap.FIRST}",
                       "--LabApp.custom_css=True", "--no-browser", "--port", "8899"]
    assert environment["PATH"].split(":")[0] == str(project.venv / "bin")
    assert bootstrap.FIRST == f"notebooks/{LESSONS[0].notebook}" and (ROOT / bootstrap.FIRST).exists()


def test_lab_opens_without_a_first_lesson(project, replaced, commands):
    assert bootstrap.main(project, ["lab"]) == 0
    (command, _), = replaced
    assert "--LabApp.default_url=/lab" in command


def test_lab_as_root_is_refused_before_anything_is_downloaded(project, replaced, users_home, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap.os, "geteuid", lambda: 0)
    assert bootstrap.main(project, ["lab"]) == 1
    assert "make lab ARGS=--allow-root" in capsys.readouterr().err
    assert not project.venv.exists() and replaced == []
    assert bootstrap.main(project, ["lab", "--allow-root"]) == 0
    (users_home / ".jupyter" / "jupyter_server_config.py").write_text("c.ServerApp.allow_root = True")
    assert bootstrap.main(project, ["lab"]) == 0 and len(replaced) == 2


@pytest.fixture
def clone(project, replaced, users_home):
    """The project as a clone, with a lesson that nobody changed, and notebooks of other kinds."""
    folder = project.root / "notebooks"
    for name in "00_two_views", "01_as_it_was", "02_changed":
        (folder / f"{name}.ipynb").write_text(name)
    for command in ["init", "-q"], ["add", "notebooks"], ["-c", "user.name=a", "-c", "user.email=a@a", "commit", "-qm", "a"]:
        subprocess.run(["git", "-C", project.root, *command], check=True)
    (folder / "02_changed.ipynb").write_text("<script>")
    (folder / "homework_of_eve.ipynb").write_text("<script>")
    (folder / "sub").mkdir()
    (folder / "sub" / "01_as_it_was.ipynb").write_text("01_as_it_was")
    (folder / "folder.ipynb").mkdir()
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "link.ipynb").symlink_to("01_as_it_was.ipynb")
    (folder / "01_as_it_was.ipynb").rename(folder / "03.ipynb")
    (folder / "01_as_it_was.ipynb").symlink_to("03.ipynb")
    return project


def trusted(commands):
    return [command[1:] for command in commands if Path(command[0]).name == "jupyter-trust"]


def test_lab_trusts_what_was_committed_and_nothing_else(clone, commands):
    bootstrap.main(clone, ["lab"])
    assert trusted(commands) == [["notebooks/00_two_views.ipynb"]]


def test_lab_trusts_a_notebook_byte_by_byte_whatever_gits_filters_make_of_it(clone, commands):
    notebook = clone.root / "notebooks" / "00_two_views.ipynb"
    notebook.write_text("$Id$")
    for command in ["add", notebook], ["-c", "user.name=a", "-c", "user.email=a@a", "commit", "-qm", "b"]:
        subprocess.run(["git", "-C", clone.root, *command], check=True)
    (clone.root / ".gitattributes").write_text("*.ipynb ident\n")
    notebook.write_text("$Id: <script> $")
    bootstrap.main(clone, ["lab"])
    assert trusted(commands) == []


def test_lab_trusts_what_is_listed_where_there_is_no_git(clone, commands):
    shutil.rmtree(clone.root / ".git")
    bootstrap.main(clone, ["lab"])
    assert trusted(commands) == []
    listed = subprocess.run(["sha256sum", "notebooks/03.ipynb", "notebooks/02_changed.ipynb"], cwd=clone.root, capture_output=True)
    (clone.root / "notebooks.sha256").write_bytes(listed.stdout)
    (clone.root / "notebooks" / "02_changed.ipynb").write_text("changed again")
    bootstrap.main(clone, ["lab"])
    assert trusted(commands) == [["notebooks/03.ipynb"]]


def test_lab_trusts_nothing_because_of_a_name_that_git_reads_as_two(clone, commands):
    # Of three names git is given four lines, so that each file after the first had the answer about the one before it.
    folder = clone.root / "notebooks"
    (folder / "-\nnotebooks").mkdir()
    (folder / "-\nnotebooks" / "00.ipynb").write_text("<script>")
    (folder / "-").touch()
    shutil.copy(folder / "00_two_views.ipynb", folder / "00.ipynb")
    (folder / "00_two_views.ipynb").write_text("<script>")
    bootstrap.main(clone, ["lab"])
    assert trusted(commands) == []


def test_lab_trusts_nothing_by_the_commits_of_a_repository_around_it(clone, commands):
    (clone.root / ".git").rename(clone.root.parent / ".git")
    bootstrap.main(clone, ["lab"])
    assert trusted(commands) == []


@pytest.fixture
def users_home(project, commands, monkeypatch, tmp_path):
    """The HOME of a user who has chosen a theme and a password; the project has a notebook."""
    settings = tmp_path / "home" / ".jupyter" / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "themes.jupyterlab-settings").write_text('{"theme": "JupyterLab Dark"}')
    (project.root / "notebooks").mkdir()
    (project.root / "notebooks" / "00_two_views.ipynb").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_PATH",
                 "JUPYTER_PATH"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


def test_lab_has_jupyter_write_in_the_project_and_read_the_users_configuration(project, replaced, users_home):
    bootstrap.main(project, ["lab"])
    (_, environment), = replaced
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "npm_config_cache"):
        assert Path(environment[name]).is_relative_to(project.build)
    assert environment["JUPYTER_CONFIG_PATH"] == str(users_home / ".jupyter")
    assert environment["JUPYTER_PATH"] == str(users_home / ".local" / "share" / "jupyter")


def test_caches_are_kept_in_the_project(project, replaced, users_home):
    bootstrap.main(project, ["lab"])
    (_, environment), = replaced
    assert Path(environment["XDG_CACHE_HOME"]).is_relative_to(project.build)


def test_lab_keeps_the_users_settings_of_matplotlib_and_else_has_its_folder_in_the_project(project, replaced, users_home,
                                                                                          monkeypatch):
    monkeypatch.delenv("MPLCONFIGDIR", raising=False)
    bootstrap.main(project, ["lab"])
    (users_home / ".config" / "matplotlib").mkdir(parents=True)
    bootstrap.main(project, ["lab"])
    (_, without), (_, with_settings) = replaced
    assert Path(without["MPLCONFIGDIR"]).is_relative_to(project.build) and "MPLCONFIGDIR" not in with_settings


@pytest.fixture
def forbidden_home(monkeypatch):
    """HOME is another user's, and this one may not look into it."""
    monkeypatch.setenv("HOME", "/forbidden")
    stat = os.stat

    def refuse(path, *arguments, **options):
        if str(path).startswith("/forbidden/"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return stat(path, *arguments, **options)
    monkeypatch.setattr(os, "stat", refuse)


def test_lab_needs_nothing_of_a_home_that_is_another_users(clone, replaced, forbidden_home):
    assert bootstrap.main(clone, ["lab"]) == 0 and len(replaced) == 1


def test_a_user_whom_nobody_knows_gets_a_home_in_the_project(clone, replaced, monkeypatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    assert bootstrap.main(clone, ["lab"]) == 0
    (_, environment), = replaced
    assert environment["HOME"] == str(clone.build / "home")
    monkeypatch.delenv("HOME")


@pytest.mark.parametrize("name", ["", "config/custom/custom.css", "config/labconfig/page_config.json",
                                  "config/labconfig/default_setting_overrides.json"])
def test_lab_writes_through_no_link(project, replaced, users_home, capsys, name):
    theirs = project.root.with_name("theirs")
    (theirs / "config" / "custom").mkdir(parents=True)
    (theirs / "config" / "custom" / "custom.css").write_text("precious")
    link = project.build / "jupyter" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(theirs / "config" / "custom" / "custom.css" if name else theirs)
    before = everything_in(theirs)
    assert bootstrap.main(project, ["lab"]) == 1 and replaced == []
    assert f"{link} is a link" in capsys.readouterr().err and everything_in(theirs) == before


def test_lab_leaves_out_the_extension_that_asks_the_network_for_news(project, replaced, users_home):
    bootstrap.main(project, ["lab"])
    page = json.loads((project.build / "jupyter" / "config" / "labconfig" / "page_config.json").read_text())
    assert page == {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


def test_notebooks_of_one_name_have_checkpoints_of_their_own(project, replaced, users_home, tmp_path):
    bootstrap.main(project, ["lab"])
    (command, _), = replaced
    config = KeyValueConfigLoader([word for word in command if re.match(r"--\w+\.", word)]).load_config()
    contents = FileContentsManager(config=config, root_dir=str(tmp_path))
    checkpoints = {}
    for path in "ada/02.ipynb", "bob/02.ipynb":
        (tmp_path / path).parent.mkdir()
        contents.save({"type": "file", "format": "text", "content": path}, path)
        checkpoints[path] = contents.create_checkpoint(path)["id"]
    for path, checkpoint in checkpoints.items():
        contents.restore_checkpoint(checkpoint, path)
        assert (tmp_path / path).read_text() == path


def test_lab_takes_over_the_users_theme_once(project, replaced, users_home):
    theme = "lab/user-settings/@jupyterlab/apputils-extension/themes.jupyterlab-settings"
    bootstrap.main(project, ["lab"])
    own = project.build / "jupyter" / "config" / theme
    assert own.read_text() == (users_home / ".jupyter" / theme).read_text()
    own.write_text('{"theme": "JupyterLab Light"}')
    bootstrap.main(project, ["lab"])
    assert own.read_text() == '{"theme": "JupyterLab Light"}'


def test_a_notebook_that_cannot_be_trusted_keeps_lab_from_nothing(clone, replaced, monkeypatch):
    project, run = clone, setup_steps.run

    def fail(command, *rest):
        run(command, *rest)
        if "trust" in str(command[0]):
            raise setup_steps.Problem("not a notebook")
    monkeypatch.setattr(setup_steps, "run", fail)
    assert bootstrap.main(project, ["lab"]) == 0 and len(replaced) == 1


def test_test_runs_the_tests_and_every_notebook(project, replaced, commands):
    bootstrap.main(project, ["test", "-k", "pinned"])
    (command, environment), = replaced
    assert {"--nbval", "--twice", "tests", "notebooks"} <= set(command) and "--lessons" not in command
    # What it leaves out `test-lessons` runs.
    assert [word.partition("=")[2] for word in command if word.startswith("--ignore=")] == bootstrap.PUBLISHED
    assert all((ROOT / path).exists() for path in bootstrap.PUBLISHED)
    assert command[-2:] == ["-k", "pinned"]
    assert environment["IPYTHONDIR"].startswith(str(project.build))


def test_the_browser_and_what_is_published_have_a_command_of_their_own(project, replaced, commands):
    bootstrap.main(project, ["test-lessons", "-x"])
    (command, _), = replaced
    assert command[-1] == "-x" and {"tests/browser", *bootstrap.PUBLISHED} <= set(command) and "--lessons" not in command
    assert "make test-lessons" in (ROOT / ".ci" / "run").read_text()


def test_test_runs_only_the_paths_that_are_given(project, replaced, commands):
    (project.root / "notebooks").mkdir()
    bootstrap.main(project, ["test", "notebooks::0", "-x"])
    (command, _), = replaced
    assert "tests" not in command and command[-2:] == ["notebooks::0", "-x"]


def test_an_unknown_command_shows_the_known_ones(project, capsys):
    assert bootstrap.main(project, ["instal"]) == 2
    assert all(f"bootstrap.py {command}" in capsys.readouterr().out for command in ["setup"])


def test_a_command_sees_the_users_environment_but_for_what_leads_out_of_the_venv(project, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.invalid/simple")
    setup_steps.run(["sh", "-c", "echo $PYTHONPATH $PIP_INDEX_URL"], project)
    assert project.log.read_text() == "https://mirror.invalid/simple\n"


def test_bytecode_is_kept_even_where_the_environment_says_that_there_should_be_none(project, replaced, users_home, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    bootstrap.main(project, ["lab"])
    (_, environment), = replaced
    assert "PYTHONDONTWRITEBYTECODE" not in environment
