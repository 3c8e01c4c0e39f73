"""Installing into Google Colab's own Python: what is missing comes, and what is there stays as it is."""
import functools
import http.server
import importlib.metadata
import shutil
import subprocess
import threading
from pathlib import Path

import colab_install
import pytest
import yaml
from packaging.requirements import Requirement

from .test_binder import copied, python_without_the_course, run
from .test_bootstrap import COMPILING, ROOT, commands, kinds, project, setup_steps  # noqa: F401
from .test_pins import requirements

LOCK = {pin.name for pin in requirements("requirements/cuda12.txt")}
COLAB_HAS = {"numpy"}


@pytest.fixture
def installed(monkeypatch):
    """``installed(numpy="2.1.3")`` has these packages installed and no other."""
    def install(**versions):
        def version(name):
            try:
                return versions[name.replace("-", "_")]
            except KeyError:
                raise importlib.metadata.PackageNotFoundError(name) from None
        monkeypatch.setattr(colab_install.importlib.metadata, "version", version)
    return install


def names(lines):
    return {Requirement(line).name for line in lines}


def imported_by(name):
    """The names of everything that an installed package requires, whatever that requires included."""
    required, to_do = set(), [name]
    while to_do:
        for requirement in map(Requirement, importlib.metadata.requires(to_do.pop()) or []):
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name.lower() not in required | COLAB_HAS:
                required.add(requirement.name.lower())
                to_do.append(requirement.name)
    return {name.replace("_", "-") for name in required}


@pytest.mark.parametrize("package", ["pycuda", "cuda-bindings", "numba"])
def test_what_a_package_needs_is_installed_with_it(package):
    assert imported_by(package) <= colab_install.NEEDED


def test_everything_that_is_needed_has_a_version():
    assert colab_install.NEEDED <= LOCK


def test_numpy_ipython_and_ipywidgets_are_never_installed(installed):
    installed()
    missing = names(colab_install.ThisPython(ROOT).missing())
    assert "cuda-bindings" in missing
    assert missing & {"numpy", "ipython", "ipykernel", "ipywidgets", "matplotlib", "jupyterlab"} == set()


def test_what_is_here_stays_in_whatever_version(installed):
    installed(numba="0.60.0", llvmlite="0.43.0", nvidia_cuda_nvrtc_cu12="12.5.82", cuda_bindings="12.6.2")
    missing = names(colab_install.ThisPython(ROOT).missing())
    assert missing & {"numba", "llvmlite", "nvidia-cuda-nvrtc-cu12", "cuda-bindings"} == set()


def test_cuda_bindings_of_another_major_version_are_replaced(installed):
    installed(cuda_bindings="13.0.3")
    assert "cuda-bindings" in names(colab_install.ThisPython(ROOT).missing())


@pytest.fixture
def course(project, monkeypatch):    # noqa: F811
    """A checkout, of no repository, that is installed into an empty Python."""
    (project.root / "requirements").mkdir(exist_ok=True)
    shutil.copy(ROOT / "requirements/cuda12.txt", project.root / "requirements")
    site_packages = project.venv / "lib" / "python3.11" / "site-packages"
    (site_packages / "pycuda").mkdir(parents=True)
    monkeypatch.setattr(colab_install.ThisPython, "site_packages", site_packages)
    monkeypatch.setattr(setup_steps.BuildPycuda, "needs", lambda self: [])
    return colab_install.ThisPython(project.root)


def test_what_it_installs_drags_nothing_along(course, installed, commands):    # noqa: F811
    installed()
    colab_install.install(course)
    installs = [command for command in commands if "install" in command]
    assert len(installs) == 3 and {str(course.root), str(course.simulator)} <= set(installs[1])
    assert all("--no-deps" in command for command in installs)
    assert all(command[0] == str(course.python) for command in commands)


def test_a_pycuda_that_is_here_is_not_compiled_again(course, installed, commands):    # noqa: F811
    installed(pycuda="2025.1.2")
    colab_install.install(course)
    assert [command for command in commands if kinds([command])[0] in COMPILING] == []


@pytest.fixture
def release(course, tmp_path):
    """A server with the releases of a repository, of which the checkout is a clone with a tag; a folder to fill."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for command in ("init", f"remote add origin http://127.0.0.1:{server.server_port}/owner/name.git",
                        "-c user.name=x -c user.email=x commit --allow-empty -m x", "tag v1.2.3"):
            subprocess.run(["git", "-C", str(course.root), *command.split()], check=True, capture_output=True)
        folder = tmp_path / "owner" / "name" / "releases" / "download" / "v1.2.3"
        folder.mkdir(parents=True)
        yield folder
        server.shutdown()


def compiled(commands):    # noqa: F811
    return [command for command in commands if kinds([command]) == ["compile_pycuda.py"]]


@pytest.fixture
def wheel(course, release):
    """The release has a wheel for this Python, and its digest."""
    wheel = release / colab_install.wheel_name(*course.pins("pycuda"))
    wheel.write_bytes(b"compiled")
    sums = subprocess.run(["sha256sum", wheel.name], cwd=release, check=True, capture_output=True).stdout
    (release / colab_install.DIGESTS).write_bytes(b"0" * 64 + b"  another.whl\n" + sums)
    return wheel


def test_a_pycuda_that_the_release_carries_is_not_compiled(course, wheel, installed, commands):    # noqa: F811
    installed()
    colab_install.install(course)
    assert not compiled(commands)
    path, = [command[-1] for command in commands if "--force-reinstall" in command and "--no-index" in command]
    assert Path(path).name == wheel.name and Path(path).read_bytes() == b"compiled"


@pytest.mark.parametrize("what", ["no wheel", "another wheel", "no digests", "digests of others"])
def test_without_one_of_which_the_release_has_the_digest_it_is_compiled(course, wheel, installed, commands, what):    # noqa: F811
    installed()
    digests = wheel.with_name(colab_install.DIGESTS)
    if what.startswith("no"):
        (wheel if "wheel" in what else digests).unlink()
    elif what == "another wheel":
        wheel.write_bytes(b"compiled by somebody else")
    else:
        digests.write_text(digests.read_text().replace(wheel.name, "another.whl"))
    colab_install.install(course)
    assert len(compiled(commands)) == 1


def test_the_name_asked_for_is_the_one_that_pip_gives_the_wheel():
    """As compiled here: the folder of compiled wheels has one, with the same parts in its name."""
    checkout = setup_steps.Project(ROOT)
    built = checkout.venv.is_dir() and setup_steps.BuildPycuda(checkout).wheel()
    if not built:
        pytest.skip("PyCUDA was not compiled in this checkout")
    pin, = checkout.pins("pycuda")
    assert built.name == colab_install.wheel_name(pin)


def test_a_release_is_given_the_wheels_that_are_asked_for():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert f"sha256sum -- * > {colab_install.DIGESTS}" in text
    workflow = yaml.safe_load(text)
    pin, = setup_steps.Project(ROOT, requirements="requirements/cuda12.txt").pins("pycuda")
    steps = [step.get("with", {}).get("path", "") for step in workflow["jobs"]["pycuda"]["steps"]]
    assert f".build/wheels/*/{pin.replace('==', '-')}-*.whl" in steps


def test_without_a_compiler_nothing_is_installed(course, installed, commands, monkeypatch, capsys):    # noqa: F811
    installed()
    monkeypatch.setattr(setup_steps.BuildPycuda, "needs", lambda self: [("a C++ compiler (g++)", "g++", "gcc-c++")])
    assert colab_install.main(course.root) == 1
    assert "g++" in capsys.readouterr().err and commands == []


def test_with_a_pip_that_is_not_made_up_the_course_is_installed_over_what_is_there(tmp_path):
    """CUDA 12's packages, which Colab has, are here by name; what they would do the packages of this Python do."""
    environment, packages = python_without_the_course(copied(tmp_path))
    for installed in packages.glob("cuda_bindings-*"):
        installed.unlink()
    for pin in requirements("requirements/cuda12.txt"):
        if pin.name == "cuda-bindings" or pin.name.startswith("nvidia-"):
            version = next(iter(pin.specifier)).version
            about = packages / f"{pin.name.replace('-', '_')}-{version}.dist-info"
            about.mkdir(exist_ok=True)
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {pin.name}\nVersion: {version}\n")
    # PIP_NO_BUILD_ISOLATION=0 is pip's way to say --no-build-isolation.
    ended = run(["python", "course/tools/colab_install.py"],
                {**environment, "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}, tmp_path)
    assert "The course is installed. Driver: simulated" in ended.stdout and ended.returncode == 0, ended.stdout + ended.stderr
