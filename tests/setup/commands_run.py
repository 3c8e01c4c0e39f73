"""A clone of the course in which commands can be typed as a reader types them: set up, in a folder and with a HOME of its own.

The clone has what the working tree has, committed or not. Nothing is fetched: the packages of its environments, the compiled
PyCUDA included, are links to those of the Python that runs the tests. What else the first environment needs `make setup`
does. Not here: which commands there are (commands.py), and what is expected of them (test_commands.py).
"""
import contextlib
import functools
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path

from .test_bootstrap import ROOT, bootstrap

# Of the outer run: a Makefile's variables, pytest's and git's own, and where Jupyter writes.
OUTER = re.compile("MAKE|MFLAGS|ARGS$|PYTHON|PYTEST|GIT_|JUPYTER|IPYTHONDIR|MPLCONFIGDIR|COURSE_|CUDA_|VIRTUAL_ENV|XDG_")
OF_THE_COURSE = re.compile("cuda_memory_course|__editable__|pycuda_import_hint")
ADDRESS = re.compile(r"http://(?:localhost|127\.0\.0\.1):\d+/\S*token=\w+")
PATIENCE = 120      # seconds; where the machine is busy with other tests, too


class Ended:
    """What became of a command: its exit status, and everything that it said."""

    def __init__(self, status, said):
        self.status, self.said = status, said


class Clone:
    """A clone of the working tree below `folder`, an empty one. `origin` is the repository that it was cloned from."""

    def __init__(self, folder):
        self.folder, self.home, self.origin = folder, folder / "home", folder / "origin.git"
        self.course = folder / "srv" / "cuda-memory-course"
        self.programs = folder / "programs"
        self.environment = {name: value for name, value in os.environ.items() if not OUTER.match(name)}
        # Before the rest of PATH, for a `make` that is run with another Python than python3.
        path = [self.course / ".venv" / "bin", self.programs, os.path.dirname(sys.executable), os.environ["PATH"]]
        self.environment.update(PATH=os.pathsep.join(map(str, path)), HOME=str(self.home), PIP_NO_INDEX="1",
                                COURSE_DRIVER="simulated", COURSE_PROGRESS="off", IN_A_CLONE="1")

    def make(self):
        """Clone, and set up."""
        # Or a Makefile that loses its ARGS has the whole suite run in a clone, and in a clone of that, and so on.
        assert "IN_A_CLONE" not in os.environ, "a command that was typed in a clone has started all the tests there"
        settings = self.home / ".jupyter" / "jupyter_server_config.json"
        settings.parent.mkdir(parents=True)
        # No window here; and CI machines may have no other user.
        settings.write_text(json.dumps({"ServerApp": {"allow_root": True, "open_browser": False}}))
        self.programs.mkdir()
        (self.programs / "python3.12").symlink_to(sys.executable)       # whatever its version
        # The working tree is read, and nothing is written there: the repository lies elsewhere.
        git = f"git -c user.name=a -c user.email=a@b --git-dir={self.origin} --work-tree={ROOT}"
        self.must(f"git init -q --bare {self.origin} && {git} add --all && {git} commit -q -m . && {git} tag v1.2.3", self.folder)
        self.must(f"git clone -q {self.origin} {self.course}", self.folder)
        # uv would come from PyPI, and ask PyPI.
        uv = self.course / ".build" / "uv" / "bin" / "uv"
        uv.parent.mkdir(parents=True)
        uv.write_text('#!/bin/sh\necho "uv $*"\n')
        uv.chmod(0o755)
        first, *others = bootstrap.Project(self.course).environments
        already_set_up(first, bootstrap.MakeVenv, bootstrap.InstallPackages, bootstrap.InstallPycuda)
        assert "[3/6]" in self.must("make setup")
        for other in others:
            if not other.requirements.exists():
                shutil.copy(first.requirements, other.requirements)
            already_set_up(other, *(step for step in bootstrap.STEPS if step.changes_venv))
        return self

    def must(self, command, *rest):
        """What a command says that has to succeed."""
        ended = self.bash(command, *rest)
        assert ended.status == 0, ended.said
        return ended.said

    @functools.cache
    def bash(self, command, where=None, **environment):
        """Type a command, in the course's folder unless another is given. What was typed before is not typed again."""
        with self._started(command, where, environment) as process:
            said = process.stdout.read()
            return Ended(process.wait(), said)

    @contextlib.contextmanager
    def served(self, command):
        """The address that a JupyterLab started by this command writes down, and what is there."""
        with self._started(command) as process:
            said, address = "", None
            for line in process.stdout:
                said += line
                if address := ADDRESS.search(line):
                    break
            assert address, said
            yield address[0], answer(address[0])

    @contextlib.contextmanager
    def _started(self, command, where=None, environment=()):
        """A process of its own session, of which nothing is left at the end, nor after PATIENCE."""
        process = subprocess.Popen(["bash", "-ec", command], cwd=where or self.course, start_new_session=True,
                                   env={**self.environment, **dict(environment)}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        alarm = threading.Timer(PATIENCE, end, [process, signal.SIGKILL])
        alarm.start()
        try:
            yield process
        finally:
            end(process, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            end(process, signal.SIGKILL)
            alarm.cancel()
            process.stdout.close()
            process.wait()


def end(process, how):
    """Send a signal to a process that has not ended, and to all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, how)


def answer(address):
    """The page at an address of this machine, which is written down a moment before it is served."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with opener.open(address, timeout=PATIENCE) as page:
                return page.read().decode()
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError) or time.monotonic() > until:
                raise
        time.sleep(0.1)


def already_set_up(project, *steps):
    """Make a project's environment, and have these steps of the set-up count as done in it."""
    python_with_packages(project.venv)
    project.stamps.mkdir()
    wheels = bootstrap.BuildPycuda(project).folder()
    wheels.mkdir(parents=True, exist_ok=True)
    (wheels / "pycuda-kept.whl").touch()        # looked for, and not opened: PyCUDA is installed
    for step in steps:
        bootstrap.write_whole(step(project).stamp, step(project).key())


def python_with_packages(folder):
    """An environment that has everything which this Python has installed, but for the course."""
    venv.create(folder)
    packages, = folder.glob("lib/python*/site-packages")
    for installed in Path(sysconfig.get_path("purelib")).iterdir():
        if not OF_THE_COURSE.match(installed.name):
            (packages / installed.name).symlink_to(installed)
    for name in ("share", "etc"):       # JupyterLab's pages and settings
        if (Path(sys.prefix) / name).is_dir() and not (folder / name).exists():
            (folder / name).symlink_to(Path(sys.prefix) / name)
    python = folder / "bin" / "python"
    for script in importlib.metadata.entry_points(group="console_scripts"):
        path = folder / "bin" / script.name
        if not path.exists():
            path.write_text(f"#!{python}\nimport sys\nimport {script.module} as module\nsys.exit(module.{script.attr}())\n")
            path.chmod(0o755)
    return packages
