"""Every command in every document is run by a test: here, in a clone of the course, or by the test that its row names."""
import ast
import re
import shutil

import pytest

from . import commands
from .commands_run import ROOT, Clone, bootstrap, python_with_packages
from .commands_table import TABLE, Elsewhere, Typed, row
from .test_pins import requirements

DOCUMENTS = commands.documents(ROOT)
COMMANDS = sorted({command for found in DOCUMENTS.values() for command in found})


def rows(kind):
    return [command for command in COMMANDS if row(command) and isinstance(TABLE[row(command)], kind)]


# The table ------------------------------------------------------------------------------------------------------------

def test_every_command_of_every_document_is_in_the_table():
    missing = [f"{document}: {command}" for document, found in DOCUMENTS.items() for command in found if not row(command)]
    assert not missing, "\n".join(["Nothing runs these. Give each a row in commands_table.py, or mend the document:", *missing])


def test_every_row_is_for_a_command_of_some_document():
    unused = TABLE.keys() - set(map(row, COMMANDS))
    assert not unused, "\n".join(["No document has these any more. Take their rows out of commands_table.py:", *sorted(unused)])


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "docs/teachers-guide.md"])
def test_a_reader_types_the_courses_own_python_where_its_packages_are_needed(document):
    assert [command for command in DOCUMENTS[document] if re.match(r"(\w+=\S+ )*(python|pip|pytest) ", command)] == []


@pytest.mark.parametrize("entry", dict.fromkeys(entry for entry in TABLE.values() if isinstance(entry, Elsewhere)),
                         ids=lambda entry: entry.by)
def test_a_test_that_a_row_names_is_there_and_is_about_the_command(entry):
    file, function = entry.by.split("::")
    assert entry.mentions in what_it_uses(ROOT / "tests" / file, function)


def what_it_uses(path, name):
    """The source of a function, and of whatever it names of the same file (fixtures, constants), and so on."""
    text = path.read_text()
    parts = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            parts[node.name] = node
        elif isinstance(node, ast.Assign):
            parts.update((target.id, node) for target in node.targets if isinstance(target, ast.Name))
    assert isinstance(parts.get(name), ast.FunctionDef), f"{path.name} has no {name}"
    used, to_do = {}, [name]
    while to_do:
        node = parts[to_do.pop()]
        used[node] = [ast.get_source_segment(text, part) for part in (*getattr(node, "decorator_list", ()), node)]
        named = {getattr(part, "id", None) or getattr(part, "arg", None) for part in ast.walk(node)}
        to_do += [other for other in named & parts.keys() if parts[other] not in used and other not in to_do]
    return "\n".join(part for sources in used.values() for part in sources)


# Typing ---------------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    return Clone(tmp_path_factory.mktemp("commands")).make()


@pytest.mark.parametrize("command", rows(Typed), ids=lambda command: command[:60])
def test_a_command_does_what_its_document_says(clone, tmp_path, command):
    typed = TABLE[row(command)]
    if typed.needs and not typed.needs():
        pytest.skip("a program that it needs is not on this machine")
    if typed.first:
        typed.first(clone)
    line = typed.line or command + typed.adds
    for text, other in typed.instead.items():
        assert text in line
        line = line.replace(text, other)
    line = line.replace("<this repository>", str(clone.origin))
    if typed.serves:
        with clone.served(line) as (address, page):
            assert re.search(typed.says, address) and "jupyter-config-data" in page
    else:
        ended = clone.bash(line, tmp_path if typed.above else None)
        assert re.search(typed.says, ended.said, flags=re.MULTILINE) and ended.status == typed.status, ended.said


def test_make_hands_each_of_its_targets_to_the_set_up(clone):
    listed = re.findall(r"^ +python3 tools/bootstrap\.py ([a-z0-9-]+)", clone.must("make help"), flags=re.MULTILINE)
    assert set(listed) == set(bootstrap.COMMANDS)
    for target in listed:
        assert clone.must(f"make -n {target} ARGS=more") == f"python3 tools/bootstrap.py {target} more\n"


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make lock")])
def test_lock_has_uv_resolve_each_of_the_lists(clone, command):
    log = clone.course / ".build" / "setup.log"
    log.unlink(missing_ok=True)
    clone.must(command)
    asked = re.findall("^uv pip compile (.*)", log.read_text(), flags=re.MULTILINE)
    assert {re.search(r"-o (\S+)", one)[1] for one in asked} == {path.name for path in ROOT.glob("requirements*.txt")}
    assert all(one.endswith("--upgrade") == command.endswith("--upgrade") for one in asked)


def test_clean_leaves_what_git_keeps(clone, tmp_path):
    clone.must(f"git clone -q {clone.origin} course", tmp_path)
    course = tmp_path / "course"
    for name in (".venv/.course", ".venv-colab/.course", ".build/wheels", "course_lib/__pycache__"):
        (course / name).mkdir(parents=True)
    (course / "course_lib" / "simulator" / "libcuda.so.1").touch()
    clone.must("make clean", course)
    assert clone.must("git status --short --ignored", course) == "" and len(list(course.iterdir())) > 10


@pytest.fixture(scope="module")
def colab(clone):
    """A Python that lacks the course and nothing else: CUDA 12's packages, which Colab has, are there by name."""
    folder = clone.folder / "colab"
    packages = python_with_packages(folder)
    for installed in packages.glob("cuda_bindings-*"):
        installed.unlink()
    for pin in requirements("requirements-cuda12.txt"):
        if pin.name == "cuda-bindings" or pin.name.startswith("nvidia-"):
            version = next(iter(pin.specifier)).version
            about = packages / f"{pin.name.replace('-', '_')}-{version}.dist-info"
            about.mkdir(exist_ok=True)
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {pin.name}\nVersion: {version}\n")
    return folder


@pytest.mark.parametrize("command", [command for command in COMMANDS if re.match("!git .*clone ", command)])
def test_in_colab_the_course_is_fetched_and_installed_over_what_is_there(clone, colab, tmp_path, command):
    line = command.removeprefix("!").replace("<this repository>", "ADDRESS").replace("ADDRESS", f"file://{clone.origin}")
    line = re.sub(r"--branch \S+", "--branch v1.2.3", line)
    if "colab_install" not in line:     # in a notebook's first cell, where it is a line of its own
        line += " && python course/tools/colab_install.py"
    ended = clone.bash(line, tmp_path, PATH=f"{colab / 'bin'}:{clone.environment['PATH']}",
                       PIP_NO_BUILD_ISOLATION="0")      # pip's way to say --no-build-isolation
    assert "The course is installed. Driver: simulated" in ended.said and ended.status == 0, ended.said


def test_a_course_that_has_an_address_names_no_other_commands(clone, tmp_path):
    publish = "python3 tools/publish.py https://github.com/own.er/name v1.2.3"
    clone.must(f"git clone -q {clone.origin} course && cd course && {publish}", tmp_path)
    found = {command for inside in commands.documents(tmp_path / "course").values() for command in inside}
    assert any("--branch v1.2.3" in command for command in found)
    assert [command for command in found if not row(command)] == []
