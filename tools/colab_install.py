"""Install the course into the Python that runs this: for Google Colab, where a notebook comes alone.

    !git clone -q --depth 1 --branch TAG ADDRESS course && python course/tools/colab_install.py

in a cell, and `import courseware` works in the next line of the same cell: nothing has to be restarted. TAG is a
release of the course, and ADDRESS any repository that has it.

It installs what is missing and nothing else: no package that is here is upgraded, NumPy, IPython and ipywidgets least
of all. cuda-bindings alone is replaced if it is of another major version than the rest. PyCUDA is one for CUDA 12:
Colab's driver speaks 12.4 (googlecolab/colabtools#5578), newer ones and the simulated driver serve it as well. It is
taken, compiled, from the release that has this checkout's tag, and compiled here where that has none.

Not for a machine of your own: there `make lab` sets up an environment of its own (setup_steps.py, whose steps these are).
"""
import hashlib
import importlib.metadata
import platform
import re
import subprocess
import sys
import sysconfig
import urllib.request
from pathlib import Path

import setup_steps

from course_files import write_whole  # after setup_steps, which says where that lies

DIGESTS = "SHA256SUMS"      # of a release's files, as sha256sum writes them
# What the course and the side trip Three libraries import, and what that imports. Colab has the rest: NumPy, matplotlib,
# ipywidgets.
NEEDED = {"cuda-bindings", "cuda-core", "backports-strenum", "cuda-pathfinder", "mako", "markupsafe", "platformdirs",
          "pytools", "siphash24", "typing-extensions", "numba", "llvmlite"}
# Asked of a process of its own: this one's packages are those from before.
FOUND = """import course_lib, pycuda.driver
print("The course is installed. Driver:", course_lib.driver.attached.kind, "-", course_lib.driver.attached.device)"""


class ThisPython(setup_steps.Project):
    """A checkout with, in the place of .venv, the Python that runs this."""

    def __init__(self, root):
        super().__init__(root, requirements="requirements/cuda12.txt")
        self.python = Path(sys.executable)
        # Here and not in the checkout: a Python that runs already does not see what is installed as a link.
        self.stand_in = self.site_packages / "cuda_simulator" / "libcuda" / "libcuda.so.1"

    @property
    def site_packages(self):
        return Path(sysconfig.get_path("purelib"))

    def missing(self):
        """The names of what is needed and not here; pip reads the markers in the lock."""
        names = {re.split("[=; ]", line)[0] for line in self.requirements.read_text().splitlines() if "==" in line}
        return {name for name in names if needed(name) and not all(is_here(pin) for pin in self.pins(name))}


def needed(name):
    return name in NEEDED or name.startswith("nvidia-")


def is_here(line):
    """Whether a package is installed, in any version; cuda-bindings only in one of the same major version."""
    name, version = re.match(r"([\w.-]+)==(\d+)", line).groups()
    try:
        installed = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return name != "cuda-bindings" or installed.split(".")[0] == version


def install(project):
    """Install what is missing, the course, and PyCUDA. Raises setup_steps.Problem with what to do."""
    build = setup_steps.BuildPycuda(project)
    setup_steps.refuse_lacks(list(build.needs()))
    project.make_build()
    missing = project.missing()
    if missing:
        setup_steps.say(f"[1/3] Installing {len(missing)} packages that are missing here (about half a minute)")
        chosen = project.build / "missing.txt"
        chosen.write_text(project.with_digests(missing.__contains__))
        setup_steps.pip(project, "install", "--no-deps", "--require-hashes", "-r", chosen)
    setup_steps.say("[2/3] Installing the course")
    # Built in an environment of its own, by pip's default: Colab's setuptools is older than what the course asks for.
    setup_steps.pip(project, "install", "--no-deps", "--force-reinstall", project.simulator, project.root)
    if not is_here(*project.pins("pycuda")):
        setup_steps.say("[3/3] Fetching the PyCUDA that the release carries, compiled (a few seconds)")
        if not build.wheel() and not fetch_wheel(project, build.folder()):
            setup_steps.say(f"      It has none for this Python. {build.says}")
            build.do()
        setup_steps.InstallPycuda(project).do()


def fetch_wheel(project, folder):
    """Put the release's compiled PyCUDA for this Python into `folder`; returns whether there is one, as the release's digests have it."""
    address, tag = (git(project, *question) for question in (("remote", "get-url", "origin"),
                                                             ("describe", "--tags", "--exact-match")))
    release = f"{address.removesuffix('.git')}/releases/download/{tag}"
    name = wheel_name(*project.pins("pycuda"))
    try:
        content, digests = (fetch(f"{release}/{file}") for file in (name, DIGESTS))
    except (OSError, ValueError):       # no such release, no network, or an address that is none
        return False
    if f"{hashlib.sha256(content).hexdigest()}  {name}".encode() not in digests.splitlines():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / name, content)
    return True


def fetch(address):
    with urllib.request.urlopen(address, timeout=30) as answer:
        return answer.read()


def git(project, *question):
    """What git answers about the checkout; "" where it has no answer."""
    return subprocess.run(["git", "-C", str(project.root), *question], capture_output=True, text=True).stdout.strip()


def wheel_name(pin):
    """``pycuda==2025.1.2`` -> the name that its wheel for this Python has."""
    python = "cp{}{}".format(*sys.version_info)
    return f"{pin.replace('==', '-')}-{python}-{python}-linux_{platform.machine()}.whl"


def main(root):
    """Install the course that lies in `root`, and say which driver it finds; returns the exit status."""
    try:
        install(ThisPython(root))
    except setup_steps.Problem as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    return subprocess.run([sys.executable, "-c", FOUND]).returncode


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
