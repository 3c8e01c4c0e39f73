"""Set the course up, and run it: what stands behind the Makefile.

    python3 tools/bootstrap.py setup            make .venv with everything in it
    python3 tools/bootstrap.py lab  [options]   set up what is missing; open JupyterLab (options are JupyterLab's)
    python3 tools/bootstrap.py test [options]   set up what is missing; run every check (options are pytest's)
    python3 tools/bootstrap.py test-colab [...] the same for what shows in a notebook, in a second environment,
                                                .venv-colab, that has the versions of Google Colab
    python3 tools/bootstrap.py test-cuda12 [...] the same for the lessons and what they import, in a third environment,
                                                .venv-cuda12, whose PyCUDA is built for CUDA 12
    python3 tools/bootstrap.py test-newest [...] every check in a fourth environment, .venv-newest, with today's newest
                                                release of everything
    python3 tools/bootstrap.py site [folder]    set up what is missing; render the course as pages, into .build/site
    python3 tools/bootstrap.py doctor           set up what is missing; say which driver the course uses
    python3 tools/bootstrap.py lock [options]   make requirements.txt anew from requirements.in (options are uv's)
    python3 tools/bootstrap.py clean            remove everything that set-up made

A set-up is a list of steps (`STEPS`). A step knows what it needs of the machine, whether it is done, and how to
do it. That it is done is written down last, so an interrupted step is done again; and a step that was interrupted
while it changed .venv has the whole of .venv made anew (pip keeps its downloads, .build/ the compiled PyCUDA).

Needs Python's standard library alone.
"""
import sys

if sys.version_info < (3, 10):
    sys.exit("The course needs Python 3.10 or newer, and this is Python %d.%d. Install a newer one and name it: "
             "make lab PYTHON=python3.12" % sys.version_info[:2])

import contextlib
import errno
import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

# pip's ways to say that it reaches no server.
NO_NETWORK = ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ReadTimeoutError", "ProxyError",
              "Network is unreachable", "Temporary failure in name resolution", "Connection refused")


class Problem(Exception):
    """Something that the user can mend; the text says what it is, and how."""


class Project:
    """The folders of a checkout, with one of its environments."""

    def __init__(self, root, venv=".venv", requirements="requirements.txt"):
        self.root = Path(root)
        self.venv = self.root / venv
        self.python = self.venv / "bin" / "python"
        self.stamps = self.venv / ".course"         # its being there says that .venv is ours
        self.build = self.root / ".build"
        self.log = self.build / "setup.log"
        self.lock = None                            # the file that this process has locked, while it sets up
        self.requirements = self.root / requirements
        self.stand_in = self.root / "course_lib" / "simulator" / "libcuda.so.1"

    @property
    def for_colab(self):
        """The same checkout with the environment that has Google Colab's versions."""
        return Project(self.root, ".venv-colab", "requirements-colab.txt")

    @property
    def for_cuda12(self):
        """The same checkout with the environment whose PyCUDA is built for CUDA 12, as conda-forge's is."""
        return Project(self.root, ".venv-cuda12", "requirements-cuda12.txt")

    @property
    def for_newest(self):
        """The same checkout with the newest release of everything. Its list is made anew each time, and not kept in git."""
        return Project(self.root, ".venv-newest", ".build/requirements-newest.txt")

    @property
    def environments(self):
        return self, self.for_colab, self.for_cuda12, self.for_newest

    @property
    def site_packages(self):
        return next(self.venv.glob("lib/python*/site-packages"))

    def pins(self, *names):
        """The lines of requirements.txt for these packages."""
        lines = self.requirements.read_text().splitlines()
        return [line for line in lines if re.split("[=; ]", line)[0] in names]


# Steps ----------------------------------------------------------------------------------------------------------------

class Step:
    """One step of the set-up."""

    name = ""               # of its stamp
    says = ""               # what it is doing, and about how long
    changes_venv = True     # so that an interruption leaves .venv in an unknown state
    disk = 0                # bytes that it takes, those that it frees again included

    def __init__(self, project):
        self.project = project
        self.stamp = project.stamps / self.name
        self.started = project.stamps / f"{self.name}.started"

    def key(self):
        """Text that changes when the step has to be done again."""
        return ""

    def done(self):
        return self.stamp.is_file() and self.stamp.read_text() == self.key()

    def needs(self):
        """What the machine lacks for it, as (what, Debian's package, Fedora's package)."""
        return []

    def do(self):
        raise NotImplementedError

    def run(self):
        if self.changes_venv:
            self.project.stamps.mkdir(parents=True, exist_ok=True)
            self.started.touch()
        self.do()
        if self.changes_venv:
            write_whole(self.stamp, self.key())
            self.started.unlink()


class MakeVenv(Step):
    name = "venv"
    disk = 50e6

    @property
    def says(self):
        return f"Making the virtual environment {self.project.venv.name} (about 5 s)"

    def key(self):
        return str(self.project.root)       # an environment has its own path in its scripts: it cannot be moved

    def done(self):
        return super().done() and not list(self.project.stamps.glob("*.started")) and self._python_runs()

    def _python_runs(self):
        # A new version of the system's Python leaves an environment whose links lead nowhere.
        try:
            return subprocess.run([self.project.python, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0
        except OSError:
            return False

    def needs(self):
        try:
            import ensurepip    # noqa: F401  Debian has it in a package of its own
            import venv         # noqa: F401
        except ImportError:
            version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
            yield "Python's venv module", f"{version}-venv", "python3-libs"

    def do(self):
        # `run` made .venv/.course already, so that even half an environment is known for ours.
        venv = self.project.venv
        for path in venv.iterdir():
            if path != self.project.stamps:
                remove(path)
        for path in self.project.stamps.iterdir():
            if path != self.started:
                path.unlink()
        # Not sys.executable: that may be the environment being made anew.
        run([sys._base_executable, "-m", "venv", venv], self.project)


class InstallPackages(Step):
    name = "packages"
    says = "Installing JupyterLab, NVRTC, Numba, PyOpenCL and what they need (430 MB from PyPI; about a minute)"
    disk = 1.8e9

    def key(self):
        return digest(self.project.requirements)

    def do(self):
        # PyCUDA is in the list for the sake of its own requirements; two steps further down build and install it.
        pins = [line for line in self.project.requirements.read_text().splitlines()
                if line not in self.project.pins("pycuda")]
        chosen = self.project.stamps / "requirements.txt"
        chosen.write_text("\n".join(pins))
        pip(self.project, "install", "--no-deps", "-r", chosen)


class InstallCourse(Step):
    name = "course"
    says = "Building the simulated driver's library, and installing course_lib (a few seconds)"

    def key(self):
        root = self.project.root
        return digest(root / "setup.py", root / "pyproject.toml", *sorted(self.project.stand_in.parent.glob("*.[ch]")))

    def done(self):
        return super().done() and self.project.stand_in.is_file()

    def needs(self):
        if not shutil.which(compilers()["CC"].split()[0]):
            yield "a C compiler (gcc)", "gcc libc6-dev", "gcc"

    def do(self):
        # Links into the folder, so that an edit counts at once.
        pip(self.project, "install", "--no-index", "--no-deps", "--no-build-isolation", "--editable", self.project.root,
            environment=compilers())


class BuildPycuda(Step):
    """PyCUDA comes as source alone. It needs CUDA's headers, which pip has, and at link time a libcuda.so, which is
    the stand-in: what it loads at run time is decided by the name libcuda.so.1, then and there."""

    says = "Compiling PyCUDA (about a minute and a half, once for each version of Python)"
    changes_venv = False
    disk = 0.3e9
    config = """\
CUDA_ROOT = {nowhere!r}
CUDA_INC_DIR = {headers!r}
CUDADRV_LIB_DIR = [{libraries!r}]
CUDA_ENABLE_CURAND = False
"""

    def folder(self):
        """Where the wheel is kept: a folder for each Python, machine, and set of pins."""
        pins = self.project.pins("pycuda", "nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-profiler-api",
                                 "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-profiler-api-cu12")
        key = hashlib.sha256("\n".join([*pins, self.config]).encode()).hexdigest()[:12]
        python = self.project.site_packages.parent.name
        return self.project.build / "wheels" / f"{python}-{platform.machine()}-{key}"

    def wheel(self):
        return next(self.folder().glob("pycuda-*.whl"), None)

    def headers(self):
        """The folders of CUDA's headers: one of CUDA 13's packages together, one of each package of CUDA 12's."""
        return [str(folder) for folder in sorted(self.project.site_packages.glob("nvidia/cu*/include"))]

    def done(self):
        return self.project.venv.is_dir() and any(self.project.venv.glob("lib/python*/site-packages")) and bool(self.wheel())

    def needs(self):
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        if not shutil.which(compilers()["CXX"].split()[0]):
            yield "a C++ compiler (g++)", "g++", "gcc-c++"
        if not Path(sysconfig.get_path("include"), "Python.h").is_file():
            yield f"the headers of Python {version}", f"python{version}-dev", "python3-devel"

    def do(self):
        for left_over in self.project.build.glob("pycuda-*"):
            remove(left_over)
        with tempfile.TemporaryDirectory(dir=self.project.build, prefix="pycuda-") as work:
            home, libraries, out = (Path(work, name) for name in ("home", "libraries", "out"))
            home.mkdir()
            libraries.mkdir()
            (libraries / "libcuda.so").symlink_to(self.project.stand_in)
            requirement, = self.project.pins("pycuda")
            pip(self.project, "download", "--no-deps", "--no-build-isolation", "--no-binary", "pycuda",
                "--dest", work, requirement)
            # PyCUDA's build reads its settings from here; a HOME of its own also keeps the user's settings out.
            (home / ".aksetup-defaults.py").write_text(self.config.format(
                nowhere=str(home), headers=self.headers(), libraries=str(libraries)))
            source, = Path(work).glob("pycuda-*.tar.gz")
            pip(self.project, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "--no-cache-dir",
                "--wheel-dir", out, source, environment={**compilers(), "HOME": str(home)})
            self.folder().parent.mkdir(exist_ok=True)
            remove(self.folder())
            out.rename(self.folder())


class InstallPycuda(Step):
    name = "pycuda"
    says = "Installing PyCUDA (a few seconds)"

    def key(self):
        return BuildPycuda(self.project).folder().name

    def do(self):
        pip(self.project, "install", "--no-index", "--no-deps", "--force-reinstall", BuildPycuda(self.project).wheel())
        module = next(self.project.site_packages.glob("pycuda/_driver*.so"))
        # The linker drops a library that lends no symbol. In _driver's string table the name stands only as NEEDED.
        if b"\0libcuda.so.1\0" not in module.read_bytes():
            remove(BuildPycuda(self.project).folder())
            raise Problem(f"The compiled PyCUDA does not ask for libcuda.so.1 ({module}): remove {self.project.build} and "
                          f"run this again; if it happens again, please report it with {self.project.log}.")


class InstallImportHint(Step):
    name = "hint"
    says = "Adding a hint for who imports PyCUDA before course_lib"

    @property
    def source(self):
        return self.project.root / "tools" / "pycuda_import_hint.py"

    def key(self):
        return digest(self.source)

    def do(self):
        shutil.copy(self.source, self.project.site_packages)
        (self.project.site_packages / "pycuda_import_hint.pth").write_text("import pycuda_import_hint\n")


STEPS = (MakeVenv, InstallPackages, InstallCourse, BuildPycuda, InstallPycuda, InstallImportHint)


# The set-up -----------------------------------------------------------------------------------------------------------

def set_up(project, steps=STEPS):
    """Do every step that is not done. Returns whether there was anything to do."""
    steps = [step(project) for step in steps]
    if all(step.done() for step in steps):
        return False
    project.build.mkdir(exist_ok=True)
    with only_one(project):
        project.log.unlink(missing_ok=True)
        # Whatever could stop it is said before the first minutes of waiting.
        refuse_foreign_venv(project)
        to_do = [step for step in steps if not step.done()]
        refuse_lacks([lack for step in to_do for lack in step.needs()])
        refuse_small_disk(project, sum(step.disk for step in to_do))
        for number, step in enumerate(steps, 1):
            if not step.done():
                say(f"[{number}/{len(steps)}] {step.says}")
                began = time.monotonic()
                step.run()
                say(f"      done in {time.monotonic() - began:.0f} s")
    return True


@contextlib.contextmanager
def only_one(project):
    """Let one set-up at a time work in a checkout.

    The kernel frees the lock however a process ends; `run` hands it down, so that a pip whose set-up was killed
    has ended too before the next one starts.
    """
    with open(project.build / "lock", "w") as project.lock:
        try:
            fcntl.flock(project.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up is running in this folder; waiting for it.")
            fcntl.flock(project.lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            project.lock = None


def refuse_foreign_venv(project):
    if project.venv.exists() and not project.stamps.is_dir():
        raise Problem(f"{project.venv} was not made by this set-up, and is left as it is. Move it away "
                      f"(mv {project.venv.name} my-venv), and run this again.")


def refuse_lacks(lacks):
    if lacks:
        whats, debian, fedora = zip(*lacks)
        raise Problem(f"This machine lacks {' and '.join(dict.fromkeys(whats))}. "
                      f"Install with: {install_command(debian, fedora)}")


def refuse_small_disk(project, needed):
    free = shutil.disk_usage(project.root).free
    if free < needed:
        raise Problem(f"What is to be set up takes {needed / 1e9:.1f} GB of disk, and {project.root} has {free / 1e9:.1f} GB "
                      "free. Free some, and run this again: it goes on from here.")


def install_command(debian, fedora):
    """The command that installs packages on this system: Debian's and Ubuntu's, Fedora's, or both to choose from."""
    apt, dnf = f"sudo apt install {' '.join(debian)}", f"sudo dnf install {' '.join(fedora)}"
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        system = {}
    family = {system.get("ID"), *system.get("ID_LIKE", "").split()}
    if family & {"debian", "ubuntu"}:
        return apt
    if family & {"fedora", "rhel", "centos"}:
        return dnf
    return f"{apt} (Debian, Ubuntu), or {dnf} (Fedora)"


# Tools ----------------------------------------------------------------------------------------------------------------

def compilers():
    """CC and CXX, the user's if set. Some Pythons name the compiler that they were built with, which may not be here."""
    return {"CC": os.environ.get("CC", "gcc"), "CXX": os.environ.get("CXX", "g++")}


def clean_environment():
    """The user's environment, in which .venv is the Python that counts."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")}


def pip(project, *arguments, environment=()):
    """Run .venv's pip. Its index, proxy and certificates stay the user's, not where it installs."""
    settings = {"PIP_USER": "0", "PIP_TARGET": "", "PIP_PREFIX": "", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    run([project.python, "-m", "pip", *arguments], project, {**settings, **dict(environment)})


def run(command, project, environment=()):
    """Run a command with its output in the log, and a clock on the terminal. Raises Problem if it fails."""
    project.build.mkdir(exist_ok=True)
    with open(project.log, "ab+") as log:
        start = log.seek(0, os.SEEK_END)
        began = time.monotonic()
        child = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env={**clean_environment(), **dict(environment)}, cwd=project.root,
                                 pass_fds=[project.lock.fileno()] if project.lock else [])
        try:
            while child.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=1)
                if sys.stdout.isatty():
                    print(f"\r      {time.monotonic() - began:.0f} s ", end="", flush=True)
        except BaseException:
            child.terminate()
            child.wait()
            raise
        finally:
            if sys.stdout.isatty():
                print("\r", end="", flush=True)
        log.seek(start)
        output = log.read().decode(errors="replace")
    if child.returncode != 0:
        raise Problem(diagnosis(output, project))


def diagnosis(output, project):
    """The sentence for a command that failed with this output."""
    if os.strerror(errno.ENOSPC) in output:
        return disk_full(project)
    if any(sign in output for sign in NO_NETWORK):
        return ("PyPI cannot be reached. Check the network (and pip's proxy and index settings: pip config list), and run this "
                "again: it goes on from here.")
    pin = re.search(r"No matching distribution found for (\S+)", output)
    if pin:
        python = f"Python {sys.version_info[0]}.{sys.version_info[1]} on {platform.machine()}"
        return (f"There is no {pin[1]} for {python} where pip looks. A new Python has to wait for its packages: name an older one "
                "(make clean setup PYTHON=python3.12). If pip is set to an index of its own (pip config list), see whether that "
                f"has it. pip's words are in {project.log}.")
    tail = "\n".join("    " + line for line in output.strip().splitlines()[-12:])
    return f"This step failed. Its last words:\n\n{tail}\n\nAll of them are in {project.log}. Run this again to try again."


def disk_full(project):
    return (f"The disk is full ({project.root}, or {tempfile.gettempdir()}). Free some of it, or set TMPDIR to a folder "
            "with space, and run this again: it goes on from here.")


def digest(*files):
    return hashlib.sha256(b"\0".join(Path(file).read_bytes() for file in files)).hexdigest()


def write_whole(path, text):
    """Write a file that is there with all of its text or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text)
    partial.replace(path)


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def say(text):
    print(text, flush=True)


# Commands -------------------------------------------------------------------------------------------------------------

def setup(project, arguments):
    if set_up(project):
        say("Set up. `make lab` opens the course.")
    else:
        python = project.site_packages.parent.name
        say(f"Set up already, with {python}. `make lab` opens the course; `make clean setup` starts over.")


def lab(project, arguments):
    set_up(project)
    notebooks = sorted(path.relative_to(project.root) for path in (project.root / "notebooks").glob("*.ipynb"))
    home = project.build / "jupyter"
    settle_jupyterlab(home)
    # JupyterLab asks npm where it keeps its packages, if there is an npm, which then writes a log.
    environment = {**jupyters_folders(home), **users_folders(), "npm_config_cache": str(home / "npm")}
    if not Path("~/.config/matplotlib").expanduser().exists():      # it would make that folder, for no settings at all
        environment["MPLCONFIGDIR"] = os.environ.get("MPLCONFIGDIR") or str(home / "matplotlib")
    # JupyterLab shows pictures that are kept in a notebook only where the notebook is trusted, which is written down in
    # Jupyter's data folder. A notebook that cannot be read is no reason not to open the others.
    with contextlib.suppress(Problem):
        run([project.venv / "bin" / "jupyter-trust", *notebooks], project, environment)
    # Not as an argument: then only the browser would be told of it, and not who reads the address in the terminal.
    replace_this_process(project, ["-m", "jupyterlab", f"--LabApp.default_url=/lab/tree/{notebooks[0]}", *arguments],
                         environment)


def jupyters_folders(home):
    """The variables that have Jupyter and IPython write below `home`, and not in the user's HOME."""
    return {"IPYTHONDIR": str(home / "ipython"), "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"), "JUPYTER_RUNTIME_DIR": str(home / "runtime")}


def settle_jupyterlab(home):
    """Keep JupyterLab from the network; the first time, take over what the user has set in it (the theme, say), which it
    reads from one folder alone."""
    settings, users = home / "config" / "lab" / "user-settings", users_config() / "lab" / "user-settings"
    if not home.exists() and users.is_dir():
        shutil.copytree(users, settings)
    page = home / "config" / "labconfig" / "page_config.json"
    page.parent.mkdir(parents=True, exist_ok=True)
    # The extension that asks the network for Jupyter's news and for newer versions.
    page.write_text('{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}\n')


def users_folders():
    """The variables that have Jupyter read the user's own configuration and kernels all the same."""
    folders = {"JUPYTER_CONFIG_PATH": users_config(),
               "JUPYTER_PATH": Path(os.environ.get("JUPYTER_DATA_DIR") or "~/.local/share/jupyter").expanduser()}
    return {name: os.pathsep.join(filter(None, [os.environ.get(name), str(folder)])) for name, folder in folders.items()}


def users_config():
    return Path(os.environ.get("JUPYTER_CONFIG_DIR") or "~/.jupyter").expanduser()


def test(project, arguments):
    set_up(project)
    run_checks(project, ["tests", "notebooks"], arguments)


def test_colab(project, arguments):
    set_up(project.for_colab)
    run_checks(project.for_colab,
               ["tests/browser", "tests/explorers", "tests/exercises", "tests/memory_map", "notebooks"], arguments)


def test_cuda12(project, arguments):
    set_up(project.for_cuda12)
    run_checks(project.for_cuda12, ["tests/helpers", "tests/exercises", "tests/conformance/test_questions.py", "notebooks"], arguments)


def test_newest(project, arguments):
    newest = project.for_newest
    say("Resolving the newest release of everything")
    resolve(project, newest.requirements, "--upgrade", "--python", sys.executable,
            "requirements.in", "--override", "requirements-newest.in")
    set_up(newest)
    run_checks(newest, ["tests", "notebooks"], arguments)


def run_checks(project, everything, arguments):
    """Become pytest, for the paths among the arguments, or for everything."""
    paths_given = any((project.root / argument.split("::")[0]).exists() for argument in arguments)
    # Jupyter, IPython, Matplotlib and Chromium get folders of their own: neither the user's settings nor their history take part.
    home = project.build / "test-home"
    home.mkdir(parents=True, exist_ok=True)
    replace_this_process(project, [
        "-m", "pytest", "-n", "logical", "--maxprocesses", "4", "--dist", "loadfile",
        "--nbval", "--nbval-current-env", "--nbval-cell-timeout", "120",
        "--nbval-sanitize-with", "tests/notebooks/sanitise.cfg",
        "-o", "tmp_path_retention_policy=failed",       # what passed leaves no 50 MB in /tmp
        *([] if paths_given else everything), *arguments],
        {**jupyters_folders(home), "MPLCONFIGDIR": str(home / "matplotlib"), "XDG_CONFIG_HOME": str(home / "config")})


def doctor(project, arguments):
    set_up(project)
    replace_this_process(project, ["-m", "course_lib"])


def site(project, arguments):
    set_up(project)
    replace_this_process(project, ["tools/website", *arguments])


def lock(project, arguments):
    for_colab = ["--override", "requirements-colab.in"]
    # As an input too: what replaces CUDA 13's packages has other names.
    for_cuda12 = ["requirements-cuda12.in", "--override", "requirements-cuda12.in"]
    for out, overrides in (("requirements.txt", []), ("requirements-colab.txt", for_colab),
                           ("requirements-cuda12.txt", for_cuda12)):
        say(f"Resolving requirements.in and pyproject.toml into {out}")
        resolve(project, out, "--universal", "--python-version", "3.10", "requirements.in", *overrides, *arguments)


def resolve(project, out, *arguments):
    """Write the version of everything that pyproject.toml and `arguments` ask for (they are uv's) into the file `out`."""
    tool = project.build / "uv"
    if not (tool / "bin" / "uv").exists():
        say("Installing uv, which resolves for every version of Python at once (into .build)")
        run([sys.executable, "-m", "venv", tool], project)
        run([tool / "bin" / "python", "-m", "pip", "install", "uv"], project)
    # Without the address of the index it was made from: whoever installs chooses their own.
    run([tool / "bin" / "uv", "pip", "compile", "--system-certs", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links",
         "--custom-compile-command", "make lock", "-o", out, "pyproject.toml", *arguments], project)


def clean(project, arguments):
    for one in project.environments:
        refuse_foreign_venv(one)
    for one in project.environments:
        if one.venv.exists():
            # First the name: what is left of a removal that was interrupted is no environment of somebody else's.
            one.venv.rename(tempfile.mkdtemp(dir=project.root, prefix=".venv."))
    for pattern in (".venv.*", ".build", "build", "*.egg-info", ".pytest_cache", ".hypothesis", "**/__pycache__",
                    "**/.ipynb_checkpoints"):
        for path in list(project.root.glob(pattern)):
            remove(path)
    remove(project.stand_in)


def replace_this_process(project, arguments, environment=()):
    """Become .venv's Python with these arguments, so that signals and the exit status are its own."""
    os.chdir(project.root)
    # With the caches of PyCUDA, PoCL and others in the project, where `clean` finds them.
    environment = {**clean_environment(), "XDG_CACHE_HOME": str(project.build / "cache"), **dict(environment)}
    environment["PATH"] = f"{project.python.parent}:{environment.get('PATH', os.defpath)}"
    os.execve(project.python, [str(project.python), *arguments], environment)


COMMANDS = {command.__name__.replace("_", "-"): command
            for command in (setup, lab, test, test_colab, test_cuda12, test_newest, site, doctor, lock, clean)}


def main(project, arguments):
    """Run the command; returns the exit status."""
    if not arguments or arguments[0] not in COMMANDS:
        print(__doc__)
        return 0 if arguments[:1] in (["--help"], ["-h"]) else 2
    try:
        COMMANDS[arguments[0]](project, arguments[1:])
        return 0
    except Problem as problem:
        print(f"\n{problem}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nInterrupted. Run the same command again: it goes on from here.", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        print(f"\n{disk_full(project)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    if sys.platform != "linux":
        sys.exit("The course runs on Linux (on Windows: inside WSL 2).")
    sys.exit(main(Project(Path(__file__).resolve().parent.parent), sys.argv[1:]))
