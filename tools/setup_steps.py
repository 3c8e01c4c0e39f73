"""The set-up: what stands behind tools/bootstrap.py's commands, which says how to run it.

A set-up is a list of steps (`STEPS`). A step knows what it needs of the machine, whether it is done, and how to
do it. That it is done is written down last, so an interrupted step is done again; and a step that was interrupted
after it had changed .venv has the whole of .venv made anew (uv keeps its downloads, .build/ the compiled PyCUDA).

A new environment is made beside the one that it replaces, in .venv.new, and put in its place when all of it is there. One
that serves this folder under another path, in a container for example, is kept beside and used again there. What the
set-up did not make is never changed: an environment of somebody else's, a link.

Python's venv and pip bring uv, and uv the rest. Whatever is written lies in the project, caches included.
Not here: what is done with an environment. Needs Python's standard library alone.
"""
import contextlib
import errno
import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
sys.path.append(str(TOOLS.parent))

from course_files import put_in_place, refuse_link, write_whole  # noqa: E402

STAMPS = ".course"
# What VERSIONS= says -> the list of an environment beside .venv: with Google Colab's versions, with a PyCUDA for CUDA 12, as
# conda-forge's is, and with the newest release of everything, whose list is made anew each time, and not kept in git.
OTHER_VERSIONS = {"colab": "requirements/colab.txt", "cuda12": "requirements/cuda12.txt", "newest": ".build/requirements-newest.txt"}

PYTHON = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
NOTHING = f"has nothing for {PYTHON} by this name"      # of a package that is too old for this Python, too
# pip's ways, and uv's, to say that they reach no index of packages, or that what answers is none; the first that fits counts.
NO_INDEX = {
    "shows a certificate that this machine does not trust": r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate",
    "cannot be reached":
        r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|Network is unreachable|"
        r"Temporary failure in name resolution|Connection refused|error sending request|client error \(Connect\)|operation timed out|"
        r"Failed to download distribution due to network|RemoteDisconnected|Connection reset by peer|IncompleteRead",
    "answers with an error": r"HTTP error \d+|(?<=HTTP status )\w+ error \(\d+[^)]*\)|\d+ error responses|\d+ Forbidden|\d+ Unauthorized|"
                             r"\d+ redirects",
    "answers with something that is no list of packages":
        r"JSONDecodeError|unexpected JSON|Unsupported `Content-Type`|Skipping page|error decoding response body for url",
    "sends something else than the file that was published, and nothing of that was installed":
        r"DO NOT MATCH THE HASHES|Hash mismatch|Failed to extract archive|BadZipFile|error decoding response body",
    NOTHING:
        r"(?<=satisfies the requirement )\S+(?= .*\(from versions: none\))|\S+(?= was not found in the package registry)|"
        r"(?<=there is no version of )\S+",
}
TOO_NEW = "A new Python has to wait for its packages: name an older one (make clean setup PYTHON=python3.12). "
# And to say that there is no such package for this machine.
NO_PACKAGE = re.compile(r"No matching distribution found for (\S+)|and you require ([^\s,]+), we can conclude")
# What the first stamp says: a path, and a list of packages if it is not the usual one.
MADE_FOR = re.compile(r"(/.*?)(?: [\w-]+\.txt)?", re.DOTALL)
# What uv calls the settings of pip that it cannot do without where they are needed.
UVS_NAMES = {"index-url": "UV_DEFAULT_INDEX", "proxy": "ALL_PROXY", "cert": "SSL_CERT_FILE"}


OF_AN_UPDATE = 0.25     # of a step's disk, which it takes when it is done again: what has changed takes the place of what was there
NEXT_TO_NOTHING = 20e6  # bytes of disk, with which no step ends well; an installer that fails frees some that it had


class Problem(Exception):
    """Something that the user can mend; the text says what it is, and how."""


class Project:
    """The folders of a checkout, with one of its environments."""

    def __init__(self, root, venv=".venv", requirements="requirements/course.txt"):
        self.root = Path(root)
        self.venv = self.root / venv
        self.python = self.venv / "bin" / "python"
        self.uv = self.venv / "bin" / "uv"
        self.stamps = self.venv / STAMPS         # its being there says that .venv is ours
        self.build = self.root / ".build"
        self.log = self.build / "setup.log"
        self.lock = None                            # the file that this process has locked, while it sets up
        self.stopping = threading.Event()           # set when commands that run at the same time have to end
        self.requirements = self.root / requirements
        self.simulator = self.root / "packages" / "cuda-simulator"
        self.stand_in = self.simulator / "src" / "cuda_simulator" / "libcuda" / "libcuda.so.1"

    def with_versions(self, versions):
        """The same checkout with the environment that has these of OTHER_VERSIONS."""
        return Project(self.root, f".venv-{versions}", OTHER_VERSIONS[versions])

    @property
    def environments(self):
        return self, *map(self.with_versions, OTHER_VERSIONS)

    @property
    def versions(self):
        """Which of OTHER_VERSIONS this environment has; "" for .venv."""
        return self.venv.name.removeprefix(".venv").removeprefix("-")

    @property
    def beside(self):
        """The same project with the environment that is to take this one's place, while it is made."""
        return self.with_venv(f"{self.venv.name}.new")

    def kept_for(self, root):
        """The same project with the environment that serves this folder where its path is `root`, while another has its place."""
        return self.with_venv(f"{self.venv.name}.of-{hashlib.sha256(os.fsencode(root)).hexdigest()[:8]}")

    @property
    def replaced(self):
        """The same project with each environment that was replaced, or taken away, and is still there: that was interrupted."""
        return [self.with_venv(path.name) for path in sorted(self.root.glob(f"{self.venv.name}.old.*"))
                if (path / STAMPS).is_dir() and not path.is_symlink()]

    def with_venv(self, venv):
        project = Project(self.root, venv, self.requirements.relative_to(self.root))
        project.lock, project.stopping = self.lock, self.stopping
        return project

    @property
    def served(self):
        """The path of the checkout that the environment serves, as its stamp says; None if it says nothing."""
        try:
            return Path(MADE_FOR.fullmatch((self.stamps / "venv").read_text())[1])
        except (OSError, TypeError, ValueError):
            return None

    def make_build(self):
        """Make .build, or raise NotOurs if it is a link: what is written and removed there would be somebody else's."""
        refuse_link(self.build)
        self.build.mkdir(exist_ok=True)

    @property
    def site_packages(self):
        return next(self.venv.glob("lib/python*/site-packages"))

    def pins(self, *names):
        """What requirements/course.txt says of these packages, without digests: ``numpy==2.4.6 ; python_version >= '3.11'``."""
        return [line.removesuffix("\\").strip() for line in self.requirements.read_text().splitlines()
                if line[:1].isalnum() and re.split("[=; ]", line)[0] in names]    # most lines are digests

    def with_digests(self, chosen):
        """The part of requirements/course.txt for the packages of which `chosen` (a function of the name) is true, as text."""
        packages = re.split(r"\n(?=\w)", self.requirements.read_text().rstrip("\n"))
        return "".join(f"{text}\n" for text in packages if text[0] != "#" and chosen(re.split("[=; ]", text)[0]))


# Steps ----------------------------------------------------------------------------------------------------------------

class SetUpStep:
    """One step of the set-up."""

    name = ""               # of its stamp
    says = ""               # what it is doing, and about how long
    changes_venv = True     # so that an interruption leaves .venv in an unknown state
    with_next = False       # the next step can be done at the same time
    disk = 0                # bytes that it takes, those that it frees again included

    def __init__(self, project):
        self.project = project
        self.stamp = project.stamps / self.name
        self.started = project.stamps / f"{self.name}.started"

    def key(self):
        """Text that changes when the step has to be done again."""
        return ""

    def done(self):
        return self.stamp.is_file() and self.stamp.read_text(errors="replace") == self.key()

    def needs(self):
        """What the machine lacks for it, as (what, Debian's package, Fedora's package)."""
        return []

    def do(self):
        raise NotImplementedError

    def run(self):
        if not self.changes_venv:
            self.do()
            return
        self.project.stamps.mkdir(parents=True, exist_ok=True)
        before = self._installed()
        self.started.touch()
        try:
            self.do()
        except BaseException:
            # A network that is down stops it before anything is replaced: what was there still works.
            if before and before == self._installed():
                self.started.unlink()
            raise
        write_whole(self.stamp, self.key())
        self.started.unlink()

    def _installed(self):
        """What is in .venv, in so far as an installer always changes something of it: every name, with its time and size."""
        folders = (self.project.venv / "bin", *self.project.venv.glob("lib/python*/site-packages"))
        entries = [entry for folder in folders if folder.is_dir() for entry in os.scandir(folder)]
        return {entry.path: (status.st_mtime_ns, status.st_size) for entry in entries for status in [entry.stat(follow_symlinks=False)]}


class MakeVenv(SetUpStep):
    name = "venv"
    disk = 50e6

    @property
    def says(self):
        return f"Making the virtual environment {self.project.venv.name.removesuffix('.new')} (about 5 s)"

    def key(self):
        # An environment has the path of the checkout in it: it cannot be moved. And CUDA 12's packages do not go where CUDA 13's
        # are: they have other names, so both would stay.
        requirements = self.project.requirements.name
        return str(self.project.root) + ("" if requirements == "course.txt" else f" {requirements}")

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
            import ensurepip  # noqa: F401  Debian has it in a package of its own
            import venv  # noqa: F401
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
        # Not sys.executable: that may be the environment being made anew. Not uv: pip is needed to have it.
        run([sys._base_executable, "-m", "venv", venv], self.project)


class InstallTools(SetUpStep):
    """What the other steps work with. It is little, so that PyCUDA can be compiled while the rest is on its way."""

    name = "tools"
    says = "Installing uv, and what PyCUDA is compiled with (50 MB; a few seconds)"
    disk = 0.2e9
    headers = ("nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-profiler-api",
               "nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-profiler-api-cu12")

    def pins(self):
        return self.project.pins("uv", "setuptools", "numpy", *self.headers)

    def key(self):
        return "\n".join(self.pins())

    def do(self):
        names = {re.split("[=; ]", pin)[0] for pin in self.pins()}
        chosen = self.project.stamps / "tools.txt"
        chosen.write_text(self.project.with_digests(names.__contains__))
        # uv compiles all of it to bytecode later, on every core.
        pip(self.project, "install", "--no-deps", "--no-compile", "--require-hashes", "-r", chosen)


class InstallCourse(SetUpStep):
    name = "course"
    says = "Building the simulated driver's library, and installing it and the course (a few seconds)"

    def key(self):
        root, simulator = self.project.root, self.project.simulator
        return digest(root / "pyproject.toml", simulator / "setup.py", simulator / "pyproject.toml",
                      *sorted(simulator.glob("src/cuda_simulator/*/*.[ch]")))

    def done(self):
        return super().done() and self.project.stand_in.is_file()

    def needs(self):
        if not shutil.which(compilers()["CC"].split()[0]):
            yield "a C compiler (gcc)", "gcc libc6-dev", "gcc"

    def do(self):
        # Links into the folder, so that an edit counts at once.
        uv(self.project, "install", "--no-index", "--no-deps", "--no-build-isolation", "--editable", self.project.simulator,
           "--editable", self.project.root,
           environment=compilers())


class InstallPackages(SetUpStep):
    name = "packages"
    says = "Installing JupyterLab, NVRTC, Numba and what they need (410 MB from PyPI)"
    with_next = True
    disk = 1.8e9

    def key(self):
        return digest(self.project.requirements)

    def do(self):
        # PyCUDA is in the list for the sake of its own requirements; the next two steps build and install it.
        chosen = self.project.stamps / "requirements.txt"
        chosen.write_text(self.project.with_digests(lambda name: name != "pycuda"))
        uv(self.project, "install", "--no-deps", "--compile-bytecode", "--require-hashes", "-r", chosen)


class BuildPycuda(SetUpStep):
    """PyCUDA comes as source alone. It needs CUDA's headers, which PyPI has, and at link time a libcuda.so, which is
    the stand-in: what it loads at run time is decided by the name libcuda.so.1, then and there."""

    says = "Compiling PyCUDA (about a minute on two cores, once for each version of Python)"
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
        pins = self.project.pins("pycuda", *InstallTools.headers)
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
            # PyCUDA's build reads its settings from HOME, and waits ten seconds for second thoughts where it finds none.
            (home / ".aksetup-defaults.py").write_text(self.config.format(
                nowhere=str(home), headers=self.headers(), libraries=str(libraries)))
            log = self.project.build / "pycuda.log"
            requirement = Path(work, "pycuda.txt")
            requirement.write_text(self.project.with_digests("pycuda".__eq__))
            # pip's settings and passwords are the user's, while it downloads.
            for name in (".config", ".pip", ".netrc"):
                (home / name).symlink_to(Path.home() / name)
            settings = {**compilers(), "HOME": str(home), "CXXFLAGS": os.environ.get("CXXFLAGS", "-O2 -DNDEBUG -fwrapv")}
            pip(self.project, "download", "--no-deps", "--no-build-isolation", "--no-binary", "pycuda", "--require-hashes",
                "--dest", work, "-r", requirement, environment=settings, log=log)
            for name in (".config", ".pip", ".netrc"):
                (home / name).unlink()
            source, = Path(work).glob("pycuda-*.tar.gz")
            run([self.project.python, TOOLS / "compile_pycuda.py", source, out], self.project, settings, log)
            self.folder().parent.mkdir(exist_ok=True)
            remove(self.folder())
            out.rename(self.folder())


class InstallPycuda(SetUpStep):
    name = "pycuda"
    says = "Installing PyCUDA (a few seconds)"

    def key(self):
        return BuildPycuda(self.project).folder().name

    def do(self):
        # With pip, which a Python that is not ours has too (colab_install.py).
        pip(self.project, "install", "--no-index", "--no-deps", "--force-reinstall", BuildPycuda(self.project).wheel())
        module = next(self.project.site_packages.glob("pycuda/_driver*.so"))
        # The linker drops a library that lends no symbol. In _driver's string table the name stands only as NEEDED.
        if b"\0libcuda.so.1\0" not in module.read_bytes():
            remove(BuildPycuda(self.project).folder())
            raise Problem(f"The compiled PyCUDA does not ask for libcuda.so.1 ({module}): remove {self.project.build} and "
                          f"run this again; if it happens again, please report it with {self.project.build}/pycuda.log.")


class InstallHints(SetUpStep):
    name = "hint"
    says = "Adding hints for who runs a cell before the set-up cell, or imports PyCUDA before course_lib"

    @property
    def modules(self):
        return [self.project.root / "tools" / "pycuda_import_hint.py", self.project.root / "courseware" / "notebook" / "missing_name.py"]

    @property
    def kernel_config(self):
        return self.project.root / "tools" / "ipython_kernel_config.py"

    def key(self):
        return digest(*self.modules, self.kernel_config)

    def do(self):
        for module in self.modules:
            shutil.copy(module, self.project.site_packages)
        (self.project.site_packages / "pycuda_import_hint.pth").write_text("import pycuda_import_hint\n")
        settings = self.project.venv / "etc" / "ipython"
        settings.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.kernel_config, settings)


STEPS = (MakeVenv, InstallTools, InstallCourse, InstallPackages, BuildPycuda, InstallPycuda, InstallHints)


# The set-up -----------------------------------------------------------------------------------------------------------

def set_up(project, steps=STEPS):
    """Do every step that is not done. Returns whether there was anything to do."""
    if all(step(project).done() for step in steps) and not project.replaced:
        return False
    # Whatever could stop it is said before the first minutes of waiting.
    refuse_path(project)
    project.make_build()
    with only_one(project):
        project.log.unlink(missing_ok=True)
        refuse_foreign_venv(project)
        anew = MakeVenv in steps and not MakeVenv(project).done()
        if anew:
            refuse_environment_in_use(project)
            refuse_foreign_venv(project.beside)
            elsewhere = project.kept_for(project.root)
            refuse_foreign_venv(elsewhere)
            if MakeVenv(elsewhere).done():
                replace_environment(elsewhere, project)
                anew = False
        do_steps(project.beside if anew else project, steps)
        if anew:
            refuse_environment_in_use(project)
            replace_environment(project.beside, project)
        for left_over in project.replaced:
            refuse_environment_in_use(left_over)
            put_away(left_over, project)
    return True


def do_steps(project, steps):
    steps = [step(project) for step in steps]
    to_do = [step for step in steps if not step.done()]
    refuse_lacks([lack for step in to_do for lack in step.needs()])
    refuse_small_disk(project, sum(step.disk * (OF_AN_UPDATE if step.stamp.is_file() else 1) for step in to_do))
    together = []
    for number, step in enumerate(steps, 1):
        if not step.done():
            say(f"[{number}/{len(steps)}] {step.says}")
            together.append(step)
        if together and not step.with_next:
            began = time.monotonic()
            do_together(project, together)
            say(f"      done in {time.monotonic() - began:.0f} s")
            together = []


def replace_environment(whole, project):
    """Put the environment of `whole`, which is complete, in the place of the project's, and put that away."""
    # The scripts of an environment begin with the path of its Python.
    for file in [whole.venv / "pyvenv.cfg", *(whole.venv / "bin").glob("*")]:
        if file.is_file() and not file.is_symlink() and os.fsencode(whole.venv) in (content := file.read_bytes()):
            write_whole(file, content.replace(os.fsencode(whole.venv), os.fsencode(project.venv)))
    replaced = put_in_place(whole.venv, project.venv)
    if replaced:
        put_away(project.with_venv(replaced.name), project)


def put_away(replaced, project):
    """Remove an environment that was replaced; keep one that serves another path."""
    served = replaced.served
    if served in (None, project.root) or os.path.lexists(place := project.kept_for(served).venv):
        remove_environment(replaced.venv)
    else:
        replaced.venv.rename(place)
        say(f"The environment that was here serves this folder where its path is {served}. It is kept for there, as {place.name}; "
            "`make clean` removes it.")


def remove_environment(venv):
    """Remove an environment, what says that it is ours last: a removal that is interrupted can be taken up."""
    for path in venv.iterdir():
        if path.name != STAMPS:
            remove(path)
    remove(venv)


def do_together(project, steps):
    """Do steps at the same time, with a clock on the terminal. If one fails, or the user interrupts, all of them stop."""
    began = time.monotonic()
    project.stopping.clear()
    with ThreadPoolExecutor(len(steps)) as threads:
        waiting = {threads.submit(step.run) for step in steps}
        try:
            while waiting:
                ended, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
                for step in ended:
                    step.result()       # raises what the step has raised
                if sys.stdout.isatty():
                    print(f"\r      {time.monotonic() - began:.0f} s \r", end="", flush=True)
        except BaseException:
            project.stopping.set()
            raise


@contextlib.contextmanager
def only_one(project):
    """Let one set-up at a time work in a checkout.

    The kernel frees the lock however a process ends; `run` hands it down, so that a pip whose set-up was killed
    has ended too before the next one starts.
    """
    with locked(project.build / "lock") as project.lock:
        try:
            yield
        finally:
            project.lock = None


def locked(path):
    """Open and lock a file, which `clean` may remove while this waits for it: then the one that is there by now."""
    while True:
        file = open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another set-up is running in this folder; waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()


def refuse_foreign_venv(project):
    """Raise Problem if the project's environment is not one that the set-up made for this path alone."""
    venv = project.venv
    if venv.is_symlink():
        raise Problem(f"{venv} is a link, to {os.readlink(venv)}: the environment there is not this folder's, and is left as it "
                      f"is. Remove the link (rm {venv.name}), and run this again.")
    if venv.exists() and not project.stamps.is_dir():
        raise Problem(f"{venv} was not made by this set-up, and is left as it is. Move it away "
                      f"(mv {venv.name} my-venv), and run this again.")
    served = project.served
    if served not in (None, project.root) and same(served / venv.name, venv):
        raise Problem(f"{venv} serves the same folder under its other path, {served}, and is left as it is. Run this there "
                      f"(cd {served}), or remove that environment there first (make clean).")


def same(path, other_path):
    try:
        return os.path.samefile(path, other_path)
    except OSError:
        return False


def refuse_environment_in_use(project):
    """Raise Problem if a command that the set-up started still runs in the environment."""
    with contextlib.suppress(FileNotFoundError), open(project.stamps / "venv") as stamp:
        try:
            fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Problem(f"{project.venv.name} is in use: JupyterLab or another command of the course runs in it. End that, "
                          "and run this again.") from None
        except OSError:     # a file system without such locks
            pass


def hold_environment(project):
    """Have this process, and what it becomes, count as one that uses the environment."""
    with contextlib.suppress(OSError):
        number = os.open(project.stamps / "venv", os.O_RDONLY)
        os.set_inheritable(number, True)
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)


def refuse_path(project):
    """Raise Problem for a path that the installers do not understand; say who could not read what they make."""
    if re.search(r"[$\x00-\x1f\x7f]", str(project.root)):
        raise Problem(f"{str(project.root)!r} has a $, a line break or the like in it, with which setuptools and uv cannot install. "
                      "Rename that folder, or clone into another.")
    os.umask(umask := os.umask(0))
    if umask & 0o055:
        say(f"Because this terminal's umask is {umask:03o}, other users will not be able to use what is set up here. If they should, "
            "stop this (Ctrl-C), type umask 022, and run it again.")


def refuse_lacks(lacks):
    if lacks:
        whats, debian, fedora = zip(*lacks)
        raise Problem(f"This machine lacks {' and '.join(dict.fromkeys(whats))}. "
                      f"Install with: {install_command(debian, fedora)}")


def refuse_small_disk(project, needed):
    free = shutil.disk_usage(project.root).free
    if free < needed:
        raise Problem(f"What is to be set up takes {needed / 1e9:.1f} GB of disk, and {project.root} has {free / 1e9:.1f} GB "
                      "free. Free some, and run this again: it goes on from here. (`make clean` removes what was set up before.)")


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


def environment_of(project):
    """The user's environment, in which .venv is the Python that counts, and caches lie in the project, where `clean` finds them.

    Bytecode too, also where containers say that there should be none (PYTHONDONTWRITEBYTECODE): without it every process that
    imports the course, each sandbox for example, takes twice as long to start.
    """
    left_out = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**environment, "XDG_CACHE_HOME": str(project.build / "cache")}


def pip(project, *arguments, environment=(), log=None):
    """Run .venv's pip. Its index, proxy and certificates stay the user's, not where it installs."""
    settings = {"PIP_USER": "0", "PIP_TARGET": "", "PIP_PREFIX": "", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    run([project.python, "-m", "pip", *arguments], project, {**settings, **dict(environment)}, log)


def uv(project, command, *arguments, environment=()):
    """Run .venv's `uv pip`, in .venv, with the user's settings: uv's, and pip's where uv has none."""
    run([project.uv, "pip", command, "--system-certs", *arguments], project,
        # No limit of a minute for bytecode: the compilers beside it may have all the cores.
        {"UV_PYTHON": str(project.python), "UV_SYSTEM_PYTHON": "0", "UV_COMPILE_BYTECODE_TIMEOUT": "0",
         **pips_settings(project), **dict(environment)})


def pips_settings(project):
    """What uv has to know of pip's configuration, as variables: who set pip's index meant every installer's."""
    listed = subprocess.run([project.python, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    settings = dict(re.findall(r"^(?:global|install|:env:)\.([\w-]+)='(.*)'$", listed, flags=re.MULTILINE))
    return {UVS_NAMES[name]: value for name, value in settings.items() if UVS_NAMES.get(name, "PATH") not in os.environ}


def run(command, project, environment=(), log=None):
    """Run a command with its output in the log. Raises Problem if it fails, or `project.stopping` is set."""
    project.make_build()
    with open(log or project.log, "ab+") as file:
        start = file.seek(0, os.SEEK_END)
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                 env={**environment_of(project), **dict(environment)}, cwd=project.root,
                                 pass_fds=[project.lock.fileno()] if project.lock else [])
        try:
            while child.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=0.5)
                if project.stopping.is_set():
                    raise Problem("Stopped.")
        except BaseException:
            child.terminate()
            child.wait()
            raise
        file.seek(start)
        output = file.read().decode(errors="replace")
    if child.returncode != 0:
        raise Problem(diagnosis(output, project, log or project.log))


def diagnosis(output, project, log):
    """The sentence for a command that failed with this output."""
    # On a full disk the log ends before the sign.
    if os.strerror(errno.ENOSPC) in output or shutil.disk_usage(project.root).free < NEXT_TO_NOTHING:
        return disk_full(project)
    for trouble, signs in NO_INDEX.items():
        if sign := re.search(signs, output):
            return (f"The package index {trouble} ({sign[0]}). Check the network, whether it wants you to log in first, and which "
                    f"proxy and index pip is told to use (pip config list). {TOO_NEW if trouble == NOTHING else ''}Then run this again: "
                    f"it goes on from here. All that was said is in {log}.")
    pin = NO_PACKAGE.search(output)
    if pin:
        return (f"There is no {pin[1] or pin[2]} for {PYTHON} on {platform.machine()} where pip and uv look. {TOO_NEW}If an "
                f"index of its own is set (pip config list), see whether that has it. All that was said is in {log}.")
    tail = "\n".join("    " + line for line in output.strip().splitlines()[-12:])
    return f"This step failed. Its last words:\n\n{tail}\n\nAll of them are in {log}. Run this again to try again."


def disk_full(project):
    return (f"The disk is full ({project.root}, or {tempfile.gettempdir()}). Free some of it, or set TMPDIR to a folder "
            "with space, and run this again: it goes on from here.")


def digest(*files):
    return hashlib.sha256(b"\0".join(Path(file).read_bytes() for file in files)).hexdigest()


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def say(text):
    print(text, flush=True)


