"""The container: Dockerfile, dev container and documents say the same, and the image's set-up is done once and for all.

No engine is asked: an image is built by CI (ci.yml).
"""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .test_bootstrap import EVERYTHING, ROOT, bootstrap, commands, kinds, project, setup_steps  # noqa: F401

DOCKERFILE = (ROOT / "Dockerfile").read_text()
# Each instruction on a line of its own, without comments.
INSTRUCTIONS = [line.split(maxsplit=1)
                for line in re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", DOCKERFILE)).splitlines() if line]
IN_STAGE = slice(*[number for number, (instruction, rest) in enumerate(INSTRUCTIONS) if instruction == "FROM"][1:])    # `committed`
COPIES = [rest for instruction, rest in INSTRUCTIONS[IN_STAGE.stop:] if instruction == "COPY"]
README, INSTALL = (ROOT / "README.md").read_text(), (ROOT / "docs" / "install.md").read_text()
DEV = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())


def the(name):
    """What stands behind the only instruction of this name."""
    rest_of_line, = [rest for instruction, rest in INSTRUCTIONS if instruction == name]
    return rest_of_line


def in_devcontainer(script):
    return (ROOT / ".devcontainer" / script).read_text()


FOLDER = the("WORKDIR")


def test_it_installs_what_the_readme_has_a_bare_debian_install():
    packages = re.search(r"--no-install-recommends\s+([^&]+)&&", INSTRUCTIONS[1][1])[1].split()
    named = re.search(r"`sudo apt install ([^`]+)`", README)[1].split()
    assert INSTRUCTIONS[0][1].startswith("debian:") and set(packages) == {"ca-certificates", *named}


def test_the_commands_in_its_first_lines_are_those_of_the_page():
    lines = [" ".join(line.split()) for line in re.findall(r"(?m)^#     (docker .*)$", DOCKERFILE)]
    assert [line.split()[1] for line in lines] == ["build", "run"]
    assert all(f"`{line}`" in INSTALL for line in lines)
    volume = re.search(r"-v \w[\w-]*:(\S+) ", lines[1])[1]
    assert volume == f"{FOLDER}/notebooks"


def test_one_port_is_everywhere():
    port = the("EXPOSE")
    assert f"-p 127.0.0.1:{port}:{port} " in INSTALL
    assert f"--port={port}" in the("CMD") and f"--port={port}" in in_devcontainer("lab") and f"-{port}." in in_devcontainer("lab")
    assert DEV["forwardPorts"] == [int(port)] and list(DEV["portsAttributes"]) == [port]


def test_it_starts_jupyterlab_for_browsers_outside():
    program, script, command, *options = json.loads(the("CMD"))
    assert program == "python3" and (ROOT / script).is_file() and command in bootstrap.COMMANDS
    assert {"--no-browser", "--ip=0.0.0.0"} <= set(options)


def test_its_user_is_the_dev_containers_and_not_root():
    number, name = re.search(r"--uid (\d+) .*?(\w+)\s+&&", INSTRUCTIONS[1][1]).groups()
    assert the("USER") == number != "0" and DEV["remoteUser"] == name
    assert all(rest.startswith(f"--chown={number}:{number} --from=committed /course") for rest in COPIES)


def test_a_gpu_may_be_there_and_the_packages_can_be_told():
    assert "compute" in the("ENV") and DEV["hostRequirements"]["gpu"] == "optional"
    assert the("ARG") == "CUDA=auto" and 'RUN make setup "CUDA=$CUDA"' in DOCKERFILE
    assert "`--gpus all`" in INSTALL and "`--build-arg CUDA=12`" in INSTALL


# The set-up -------------------------------------------------------------------------------------------------------------

@pytest.fixture
def context(tmp_path):
    """What a build is given: what a clone holds."""
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, text=True)
    if files.returncode:
        pytest.skip("not a clone made by git")
    for name in filter(lambda name: (ROOT / name).is_file(), files.stdout.splitlines()):
        (tmp_path / "context" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "context" / name)
    return tmp_path / "context"


def copy_instructions():
    """The sources of each COPY, those before `make setup` and the one after it."""
    setup, = [number for number, (instruction, rest) in enumerate(INSTRUCTIONS) if rest.startswith("make setup")]
    sources = [(number < setup, source.removeprefix("/course").strip("/") or ".")
               for number, (instruction, rest) in enumerate(INSTRUCTIONS) if rest in COPIES for source in rest.split()[2:-1]]
    return [source for before, source in sources if before], [source for before, source in sources if not before]


def test_what_is_copied_before_the_set_up_is_all_that_it_reads_and_the_rest_has_nothing_done_again(
        context, tmp_path, commands):    # noqa: F811
    image = tmp_path / "image"
    image.mkdir()
    first, rest = copy_instructions()
    assert rest == ["."]
    for source in first:
        for path in context.glob(source):
            shutil.copytree(path, image / source) if path.is_dir() else shutil.copy(path, image)
    course = setup_steps.Project(image)
    assert bootstrap.main(course, ["--cuda=auto", "setup"]) == 0
    assert kinds(commands) == EVERYTHING
    commands.clear()
    shutil.copytree(context, image, dirs_exist_ok=True)
    assert bootstrap.main(course, ["setup"]) == 0 and commands == []


# What gets into it ------------------------------------------------------------------------------------------------------

def committed(folder, tmp_path):
    """What the stage `committed` makes of a folder, with its own commands: the ended process, and the files' names and contents."""
    (_, copy), (_, script) = INSTRUCTIONS[IN_STAGE][1:]
    assert copy == "Makefile .gi[t] /repository/"
    shutil.copytree(folder / ".git", tmp_path / "repository") if (folder / ".git").is_dir() else (tmp_path / "repository").mkdir()
    ran = subprocess.run(["sh", "-c", re.sub("/(?=repository|course)", f"{tmp_path}/", script)], capture_output=True, text=True)
    return ran, {str(path.relative_to(tmp_path / "course")): path.read_bytes()
                 for path in (tmp_path / "course").rglob("*") if path.is_file()}


def test_git_is_all_that_a_build_gets_and_what_was_committed_all_that_the_image_has(tmp_path):
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines == ["*", "!.git", "!Makefile"]
    clone = tmp_path / "clone"
    (clone / "notebooks").mkdir(parents=True)
    (clone / "notebooks" / "02.ipynb").write_text("the lesson")
    for command in ["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@a", "commit", "-qm", "a"]:
        subprocess.run(["git", "-C", clone, *command], check=True)
    for name in "02.ipynb", "diary.ipynb":
        (clone / "notebooks" / name).write_text("the answer of Ada")
    assert committed(clone, tmp_path)[1] == {"notebooks/02.ipynb": b"the lesson"}


def test_a_folder_without_git_is_refused_with_a_reason(tmp_path):
    ran, files = committed(tmp_path / "a folder of a .zip", tmp_path)
    assert ran.returncode == 1 and ran.stderr.startswith("This folder has no git repository") and files == {}


# The dev container ------------------------------------------------------------------------------------------------------

def test_its_files_are_where_it_says():
    folder = ROOT / ".devcontainer"
    assert (folder / DEV["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (folder / DEV["build"]["context"]).resolve() == ROOT
    for name in ("onCreateCommand", "postAttachCommand"):
        assert os.access(ROOT / DEV[name], os.X_OK)


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Run a script of the dev container in a workspace, with programs that only say how they are called."""
    (tmp_path / "bin").mkdir()
    for name in ("make", "python3"):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    workspace = tmp_path / "workspace"
    (workspace / ".devcontainer").mkdir(parents=True)
    for path in (ROOT / ".devcontainer").iterdir():
        shutil.copy(path, workspace / ".devcontainer")

    def run(name, *arguments, **environment):
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CODESPACE", "GITHUB_"))}
        ran = subprocess.run([workspace / ".devcontainer" / name, *arguments], env={**inherited, **environment, "PATH": path},
                             capture_output=True, text=True, cwd="/")
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.splitlines()
    run.workspace = workspace
    return run


def test_it_takes_over_what_the_image_has_downloaded_and_compiled_and_sets_up_the_clone(script, tmp_path):
    build = tmp_path / "image" / ".build"
    for name in ("wheels/one.whl", "cache/uv/file", "cuda.json"):
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_text("the image's")
    assert script("create", IMAGE=str(tmp_path / "image")) == ["make setup"]
    build = script.workspace / ".build"
    taken = {str(path.relative_to(build)) for path in build.rglob("*") if path.is_file()}
    assert taken == {"wheels/one.whl", "cache/uv/file"}     # which packages serve is asked here
    (script.workspace / ".build" / "wheels" / "one.whl").write_text("one's own")
    script("create", IMAGE=str(tmp_path / "image"))
    assert (script.workspace / ".build" / "wheels" / "one.whl").read_text() == "one's own"


def test_it_sets_up_without_such_an_image_too(script):
    assert script("create", IMAGE="/nonexistent") == ["make setup"]


def test_the_image_is_sought_where_the_dockerfile_puts_it():
    assert f"${{IMAGE:-{FOLDER}}}" in in_devcontainer("create")


def test_jupyterlab_is_told_a_codespaces_address_and_no_other(script):
    plain, = script("lab", "--more")
    assert plain == f"python3 tools/bootstrap.py lab --no-browser --port={the('EXPOSE')} --more"
    *_, line = script("lab", CODESPACE_NAME="ada-1", GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN="example.dev")
    assert line.endswith("--ServerApp.allow_remote_access=True --ServerApp.allow_origin=https://ada-1-8888.example.dev")


def test_the_guides_image_for_a_hub_builds_on_this_one():
    guide = (ROOT / "docs" / "teachers-guide.md").read_text()
    block = re.search(r"```dockerfile\n(.*?)```", guide, re.DOTALL)[1]
    name = re.search(r"docker build -t (\S+) ", DOCKERFILE)[1]
    assert block.startswith(f"FROM {name}\n") and f"PATH={FOLDER}/.venv/bin:" in block
    assert f'"{FOLDER}/notebooks"' in guide


def test_ci_builds_it_on_both_kinds_of_machine():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert "run: docker build -t cuda-memory-course .\n" in workflow and "ubuntu-24.04-arm" in workflow
    for name in re.findall(r"notebooks/\S+\.ipynb", workflow.split("container:")[-1]):
        assert Path(ROOT / name).is_file()
