"""Installing into Google Colab's own Python: what is missing comes, and what is there stays as it is."""
import importlib.metadata
import json
import shutil
import sys
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from packaging.requirements import Requirement

from .test_bootstrap import ROOT, bootstrap, commands, project    # noqa: F401
from .test_pins import requirements

import colab_cell
import colab_install    # in tools/, where test_bootstrap has led

LOCK = {pin.name for pin in requirements("requirements-cuda12.txt")}
COLAB_HAS = {"numpy"}


@pytest.fixture
def here(monkeypatch):
    """``here(numpy="2.1.3")`` has these packages installed and no other."""
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
    found, to_do = set(), [name]
    while to_do:
        for requirement in map(Requirement, importlib.metadata.requires(to_do.pop()) or []):
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name.lower() not in found | COLAB_HAS:
                found.add(requirement.name.lower())
                to_do.append(requirement.name)
    return {name.replace("_", "-") for name in found}


@pytest.mark.parametrize("package", ["pycuda", "cuda-bindings", "numba", "pyopencl"])
def test_what_a_package_needs_is_installed_with_it(package):
    assert imported_by(package) <= colab_install.NEEDED


def test_everything_that_is_needed_has_a_version():
    assert colab_install.NEEDED <= LOCK


def test_numpy_ipython_and_ipywidgets_are_never_installed(here):
    here()
    missing = names(colab_install.ThisPython(ROOT).missing())
    assert "cuda-bindings" in missing
    assert missing & {"numpy", "ipython", "ipykernel", "ipywidgets", "matplotlib", "jupyterlab"} == set()


def test_what_is_here_stays_in_whatever_version(here):
    here(numba="0.60.0", llvmlite="0.43.0", nvidia_cuda_nvrtc_cu12="12.5.82", cuda_bindings="12.6.2")
    missing = names(colab_install.ThisPython(ROOT).missing())
    assert missing & {"numba", "llvmlite", "nvidia-cuda-nvrtc-cu12", "cuda-bindings"} == set()


def test_cuda_bindings_of_another_major_version_are_replaced(here):
    here(cuda_bindings="13.0.3")
    assert "cuda-bindings" in names(colab_install.ThisPython(ROOT).missing())


@pytest.fixture
def course(project, monkeypatch):    # noqa: F811
    """A checkout that is installed into an empty Python."""
    shutil.copy(ROOT / "requirements-cuda12.txt", project.root)
    site_packages = project.venv / "lib" / "python3.11" / "site-packages"
    (site_packages / "pycuda").mkdir(parents=True)
    monkeypatch.setattr(colab_install.ThisPython, "site_packages", site_packages)
    monkeypatch.setattr(bootstrap.BuildPycuda, "needs", lambda self: [])
    return colab_install.ThisPython(project.root)


def test_what_it_installs_drags_nothing_along(course, here, commands):    # noqa: F811
    here()
    colab_install.install(course)
    installs = [command for command in commands if "install" in command]
    assert len(installs) == 3 and str(course.root) in installs[1]
    assert all("--no-deps" in command for command in installs)
    assert all(command[0] == str(course.python) for command in commands)


def test_a_pycuda_that_is_here_is_not_compiled_again(course, here, commands):    # noqa: F811
    here(pycuda="2025.1.2")
    colab_install.install(course)
    assert [command for command in commands if "wheel" in command or "download" in command] == []


def test_without_a_compiler_nothing_is_installed(course, here, commands, monkeypatch, capsys):    # noqa: F811
    here()
    monkeypatch.setattr(bootstrap.BuildPycuda, "needs", lambda self: [("a C++ compiler (g++)", "g++", "gcc-c++")])
    assert colab_install.main(course.root) == 1
    assert "g++" in capsys.readouterr().err and commands == []


def test_the_first_cell_of_every_notebook_is_the_same():
    """What is changed for Colab in one has to be changed in all."""
    first = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text())["cells"]
        source = "".join(next(cell["source"] for cell in cells if cell["cell_type"] == "code"))
        first[path.name] = source.partition("\n\n")[0]
    assert len(first) == len(list(Path(ROOT, "notebooks").glob("*.ipynb"))) and len(set(first.values())) == 1, first
    assert next(iter(first.values())).startswith("try:\n    import course_lib")


# The cell that fetches the course -----------------------------------------------------------------------------------

@pytest.fixture
def published(tmp_path):
    """{name: (notebook before, notebook after)} for notebooks that fetch the course from some address."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(path, folder)
    colab_cell.main(folder, "file:///some/where", "v1.2.3")
    return {path.name: (json.loads((ROOT / "notebooks" / path.name).read_text()), json.loads(path.read_text()))
            for path in folder.glob("*.ipynb")}


def first_cell(notebook):
    return "".join(next(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"))


def test_a_published_notebook_fetches_its_own_version_and_asks_for_a_gpu(published):
    assert published
    for before, after in published.values():
        assert "--branch v1.2.3 file:///some/where" in first_cell(after)
        assert after["metadata"]["accelerator"] == "GPU" and after["metadata"]["colab"]["gpuType"] == "T4"


def test_publishing_leaves_everything_else_as_it_is(published):
    for before, after in published.values():
        assert first_cell(before).partition("\n\n")[2] == first_cell(after).partition("\n\n")[2]
        for cell, changed in zip(before["cells"], after["cells"], strict=True):
            assert {**cell, "source": ""} == {**changed, "source": ""}
        assert sum(cell != changed for cell, changed in zip(before["cells"], after["cells"])) == 1


def test_publishing_twice_is_publishing_once(published):
    for _, after in published.values():
        again = json.loads(json.dumps(after))
        assert colab_cell.change(again, "file:///some/where", "v1.2.3") == after


@pytest.mark.parametrize("in_colab", [True, False])
def test_only_colab_fetches(in_colab, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = InteractiveShell()
    ran = []
    monkeypatch.setattr(shell, "system", ran.append)
    monkeypatch.setitem(sys.modules, "course_lib", None)       # as if it were not installed
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release") if in_colab else monkeypatch.delenv("COLAB_RELEASE_TAG", False)
    shell.run_cell(colab_cell.CELL.format(address="file:///some/where", tag="v1.2.3"))
    assert [command.split()[0] for command in ran] == (["git", "python"] if in_colab else [])
    assert ("make lab" in capsys.readouterr().out) != in_colab
