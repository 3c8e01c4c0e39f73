"""Every command in the documents is known here: it runs, or it is listed with the reason why it does not."""
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys

from courseware.exercises.catalogue import EXERCISES

import pytest

from .test_bootstrap import ROOT, SIMULATOR, bootstrap, project, setup_steps  # noqa: F401

RUNS = ROOT / "docs/runs.md"     # what was typed on other machines
DOCUMENTS = [*ROOT.glob("*.md"), *sorted({*ROOT.glob("docs/*.md")} - {RUNS}), *sorted(SIMULATOR.glob("*.md")),
             *sorted(SIMULATOR.glob("docs/*.md")), SIMULATOR / "tests" / "conformance" / "README.md"]
PROGRAMS = r"make|(\.venv/bin/)?(python3?|pip|pytest|jupyter)|ruff|git|conda|docker|sudo|apt|dnf|bash|sh|uv|npm|ssh|curl"
COMMAND = re.compile(rf"!?([A-Z_]+=\S+ )*({PROGRAMS}) \S.*|\.ci/\w+")
FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", flags=re.MULTILINE | re.DOTALL)


def commands_in(text):
    """Every line of a block that is the shell's, but a loop as one; elsewhere what begins with a program and goes on."""
    plain = FENCED.sub("", text)
    blocks = [(bool(language), block) for _, language, block in FENCED.findall(text) if language in ("sh", "bash", "")]
    blocks.append((False, "\n".join(re.findall(r"^ {4}(\S.*)$", plain, flags=re.MULTILINE))))
    for shell, block in blocks:
        for line in re.findall(r"^ *(for .*?^ *done|[^\s#].*?)$", block, flags=re.MULTILINE | re.DOTALL):
            line = re.sub(r"\s+#\s.*", "", line)
            if shell or COMMAND.fullmatch(line):
                yield line
    for paragraph in re.split(r"\n\s*\n", plain):
        yield from filter(COMMAND.fullmatch, (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", paragraph)))


# A command -> what it says, and what is typed in its place, where that is another line ({} is the command).
ONE = "{} --only free_null"
A_RECORD = "mkdir -p {0} && echo '{{\"schema\": 1}}' > {0}/course-progress.json && {{}}"
RECORD = "python -m tests.conformance record --only free_null --folder somewhere && "
RUN = {
    "python -m course_lib": (r"^The course can run\.$",),
    "python -m courseware.exercises": (r"^\| +\| +\| \d+ exercises",),
    "python -m courseware.exercises times": (r"^\| together ",),
    "python -m courseware.exercises exam": ("^# Exam",),
    "python -m courseware.exercises to-host staging-kernel": ("(?s)^# to-host.*^# staging-kernel",),
    "python -m courseware.exercises reservations": ("^# vmm-order",),
    "python -m courseware.exercises views addresses pinned mapped exam > answers.md": ("^# Exam", "{} && cat answers.md"),
    "python tools/nbgrader_assignments.py graded-course": ("^16_who_comes_first$", f"python {ROOT}/tools/nbgrader_assignments.py "
                                                           "graded-course"),
    "python -m courseware grade records": (
        "^1 learner: gradebook.csv, class-lessons.png, class-learners.png, class-mistakes.png$", A_RECORD.format("records/ada")),
    "python -m courseware grade records --class-list class.csv": (
        "(?s)^1 learner: .*^name,mail,points of .*^ada,a@example.org,0,", "printf 'name,mail\\nada,a@example.org\\n' > class.csv && "
        + A_RECORD.format("records/ada") + " && cat gradebook.csv"),
    "python -m courseware grade graded-course": ("^1 learner: ", A_RECORD.format("graded-course/submitted/ada/02_pinned_memory")),
    "python -m tests.exercises.attempts": (r"^\| together \| +(\d+) +\| +\1 ", "{} views"),
    "python -m tests.exercises.attempts views --unnamed": (r"^\| together \| +(\d+) +\| +\1 ",),
    "python tools/voice.py notebooks/05*.ipynb": (r"(?s)^05_mapped_memory.ipynb\n +\d+ words, .*^README.md\n +\d+ words, ",
                                                   f"cd {ROOT} && {{}} README.md && {{}} Makefile 2>&1 | grep 'neither a notebook'"),
    "python -m courseware record": ("^Nothing is recorded: the simulated driver has no times", "! {}"),
    "python -m courseware record --quick --output gpu1.json": ("^Nothing is recorded", "! {}"),
    "CUDA_SIMULATOR_EXAMINE=1 python program.py": ("^finding: race: ", """cat > program.py <<'end'
import course_lib, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
race = SourceModule("__global__ void f(int *x) { *x = threadIdx.x; }").get_function("f")
race(cuda.mem_alloc(4), block=(64, 1, 1))
cuda.Context.synchronize()
end
{} 2>&1"""),
    "python -m cuda_simulator script.py": (
        r"^\['script.py'\] NVIDIA", "echo 'import sys, pycuda.autoinit as cuda; print(sys.argv, "
                                           "cuda.device.name())' > script.py && {}"),
    "python -m cuda_simulator": (
        "^works .*script.py", "echo 'import pycuda.autoinit, sys; print(\"works\", sys.argv)' > script.py"
                                                       " && {} script.py"),
    "python -m cuda_simulator script.py [arguments]": (
        r"^\['script.py', '1', '2'\] NVIDIA", "echo 'import sys, pycuda.autoinit as cuda; print(sys.argv, cuda.device.name())'"
                                              " > script.py && python -m cuda_simulator script.py 1 2"),
    "COURSE_DRIVER=simulated python script.py": (
        "^NVIDIA H200 .simulated", "echo 'import course_lib, pycuda.autoinit as cuda; print(cuda.device.name())' > script.py && {}"),
    "python -m cuda_simulator --devices 2 script.py": ("^2 devices", "echo 'import pycuda.autoinit, pycuda.driver as cuda; "
                                                       "print(cuda.Device.count(), \"devices\")' > script.py && {}"),
    "python -m cuda_simulator --system registered-differs script.py": (
        "^Simulated: registered-differs .as documented, not recorded", "echo 'import pycuda.autoinit as cuda; print(cuda.device.name())'"
                                                                       " > script.py && {}"),
    "python -m cuda_simulator -c 'import ctypes; ctypes.CDLL(\"./program.so\").main()'": ("^cuInit: 0", """cat > program.c <<'end'
#include <stdio.h>
int cuInit(unsigned flags);
int main(void) { return printf("cuInit: %d\\n", cuInit(0)) < 0; }
end
gcc -shared -fPIC -o program.so program.c
{}"""),
    "python -m cuda_simulator.systems": ("^### registered-differs",),
    "python -m cuda_simulator --doctor": ("^driver API .* functions",),
    "python -m tests.conformance": ("^1 questions; 1 answers compared .* 1 alike", ONE),
    "python -m tests.conformance --driver simulated": ("^1 questions; 1 answers compared .* 1 alike", ONE),
    "python -m tests.conformance --only registered": ("answers compared .* 0 of them for no known reason",),
    "python -m tests.conformance ask --only free_null --driver simulated": ("free_null\": {\\s+\"\": \"SUCCESS\"",),
    "python -m tests.conformance list": ("^.*free_null: ",),
    "python -m tests.conformance record --folder somewhere": ("^1 questions, 1 answers", ONE),
    "python -m tests.conformance record": ("^1 questions, 1 answers", "{} --only free_null --folder somewhere"),
    "python -m tests.conformance record --only free_null": ("^1 questions, 1 answers", "{} --folder somewhere"),
    "python -m tests.conformance --folder somewhere": ("^1 questions; .* 1 alike", RECORD + ONE),
    "ssh -L 8899:localhost:8899 gpu-machine": ("^localforward 8899", "{} -F none -G"),      # -G: says what it would do
}
# Patterns, and why these are not typed.
NOT_RUN = {
    r"git clone (.+ \S*cuda-memory-course && cd \S+|https://\S+)|cd \S+": "there is not an address before the course is published",
    r"!git .*clone .+ course && python course/tools/colab_install\.py": "Colab's: test_colab_install.py installs so",
    "conda env create .*": "conda: test_environment.py compares its packages with pip's, test_binder.py runs binder/postBuild",
    r"docker (build|run) .*": "it needs a container engine: test_container.py compares it with the Dockerfile",
    "sudo apt install .*": "it changes the machine: test_bootstrap.py compares it with what the set-up asks for",
    r"(python -m )?pip install (\./packages/cuda-simulator( \.| .numba-cuda.*)?|.\.\[lessons\].)": "it changes an environment: tools/release.py tries both wheels in empty ones",
    r"pip install (.git\+|(-e )?\. numpy pytest .cuda-bindings|zstandard|.numba-cuda|.cuda-bindings|numpy .cuda-core).*": "another project's: its environment is not this one",
    r"pip install numpy .nvidia-cuda-runtime.*|site=.*|mkdir -p pycuda-build|ln -sf \$site.*|cat > pycuda-build.*|END"
    r"|(CUDA_ROOT|CUDA_INC_DIR|CUDADRV_LIB_DIR|LDFLAGS) = .*|HOME=\$PWD/pycuda-build pip install .*":
        "minutes, and a second PyCUDA: the set-up builds one in this way, test_bootstrap.py has its steps",
    r"pytest --cuda-simulator(-devices 2|-examine)?": "test_pytest_plugin.py runs it",
    r"python -m tests\.peers(\.programs)?( \".*\")?": "minutes, and the network: test_peers.py runs a small suite",
    r"\.ci/(run|versions)": "it runs this suite, and CI runs it",
    "ruff check": "test_style.py runs it",
    r"python3 -m pip index versions cuda-simulator": "PyPI's answer changes with the first release",
    r"python3 tools/release\.py .*": "it changes the course: test_release.py changes a copy",
    r"python3 tools/publish\.py .*": "it changes the course: test_publish.py publishes a copy",
    r"nbgrader .*|for one in source/.*nbgrader .*|pip install nbgrader==.*|\. .venv/bin/activate && cd graded-course"
    r"|(?s:for one in submitted/.*nbgrader autograde.*)|docker build -t cuda-memory-grading \.":
        "nbgrader is none of the course's packages: test_nbgrader.py looks at the assignments",
    "python -m tests.conformance --part sequences": "test_sequences.py replays them all",
    "python -m ipykernel install .*|cp -r /srv/cuda-memory-course.*": "for a machine with several users",
    r"python tools/keep_outputs\.py .*": "it writes notebooks: test_twice.py and nbval run them",
    r"python tools/draw_pictures\.py": "it writes notebooks: test_pictures.py compares them with the drawings",
    r"python -m tests\.conformance\.systems ask": "test_systems.py asks so",
    r"python -m tests\.conformance\.systems page": "it writes docs/systems.md: test_systems.py compares the page",
    r"python -m tests\.mutations .*": "both suites once, then a quarter of a minute or more for each slip",
    r"python -m tests\.follow": "it writes what test_programs.py compares with",
    r"python -m cuda_simulator -m pytest": "it runs somebody else's tests: test_command.py runs a module so",
    r"python benchmarks/examine\.py": "test_benchmarks.py imports it; it takes a minute",
    r"python -m tests\.ptx\.random_kernels\.compare": "ten minutes: test_random_kernels.py takes a sample",
    r"python -m tests\.examine\.(run_corpus|table)": "test_corpus.py runs the corpus",
    r"python -m tests\.examine\.sanitizer": "it needs a GPU and CUDA's toolkit",
}


def as_typed(command):
    return command.removeprefix(".venv/bin/")


COMMANDS = {as_typed(command): document.name for document in DOCUMENTS for command in commands_in(document.read_text("utf-8"))}
MAKE = r"([A-Z_]+=\S+ )*make ([\w-]+)( PYTHON=\S+| (?:CUDA|VERSIONS)=\w+| ARGS=.+)?"
TARGETS = {match[2] for match in map(re.compile(MAKE).fullmatch, COMMANDS) if match}
PYTEST = r"(?:make test ARGS=|(?:python -m )?pytest )(?!--cuda-simulator)(.+)"
SELECTIONS = [match[1] for match in map(re.compile(PYTEST).fullmatch, COMMANDS) if match]


def test_every_command_of_the_documents_is_known():
    unknown = [f"{document}: {command}" for command, document in COMMANDS.items()
               if command not in RUN and not any(re.fullmatch(pattern, command) for pattern in (MAKE, PYTEST, *NOT_RUN))]
    assert not unknown, "\n".join(["Add these to RUN, or to NOT_RUN with the reason:", *unknown])


def test_every_known_command_is_in_a_document():
    assert RUN.keys() - COMMANDS.keys() == set()
    assert [pattern for pattern in NOT_RUN if not any(re.fullmatch(pattern, command) for command in COMMANDS)] == []


def test_commands_are_found_in_blocks_in_indented_lines_and_in_backquotes():
    text = ("Say `make lab`, or `make test\nARGS=\"-k pinned\"`; not `make` nor `A=b`, nor ` alone\n\n"
            "    python -m a.b   # a comment\n"
            "\n```sh\ncp a b   # any line\nfor one in *; do\n    echo\ndone\n```\n\n```\n!git clone here && python there\n```\n"
            "\n```python\nmake = 1\n```\n")
    assert list(commands_in(text)) == ["cp a b", "for one in *; do\n    echo\ndone", "!git clone here && python there",
                                       "python -m a.b", "make lab", 'make test ARGS="-k pinned"']


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "docs/teachers-guide.md"])
def test_a_reader_types_the_courses_own_python_where_its_packages_are_needed(document):
    bare = [line for line in commands_in((ROOT / document).read_text("utf-8"))
            if re.match(r"([A-Z_]+=\S+ )*(python|pip|pytest) ", line)]
    # The name of a program, in a table.
    assert set(bare) <= {"python -m cuda_simulator", "python -m cuda_simulator script.py", "pytest --cuda-simulator"}


def make(*arguments, **environment):
    """What `make` would run."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    # This may run under a make itself, which would have its say.
    environment.update((name, value) for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "ARGS")))
    return subprocess.run(["make", "-n", *arguments], cwd=ROOT, capture_output=True, text=True, env=environment).stdout


@pytest.mark.parametrize("target", sorted(TARGETS | bootstrap.COMMANDS.keys()))
def test_make_hands_a_target_and_its_arguments_to_the_set_up(target):
    assert target in bootstrap.COMMANDS
    assert make(target, "ARGS=more") == f"python3 tools/bootstrap.py {target} more\n"


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_selection_of_tests_is_not_empty(selection):
    options = ("--nbval", "--twice")
    arguments = [word for word in shlex.split(selection.strip('"')) if word not in options] or ["tests"]
    if arguments[0] == "-k":        # a file's name counts as a part of its tests' names, and so does an exercise's id
        _, word = arguments
        assert word in EXERCISES or list(ROOT.glob(f"tests/**/test_*{word}*.py"))
    else:
        for path in (ROOT / argument for argument in arguments):
            path = path if path.exists() else SIMULATOR / path.relative_to(ROOT)
            assert path.is_file() or [*path.rglob("test_*.py"), *path.glob("*.ipynb")], path


@pytest.mark.parametrize("command", RUN)
def test_a_command_says_what_its_document_says(command, tmp_path):
    says, typed = (*RUN[command], "{}")[:2]
    if command.startswith("ssh") and not shutil.which("ssh"):
        pytest.skip("ssh is not installed")
    folder = SIMULATOR if "tests.conformance" in command else ROOT
    environment = {**os.environ, "COURSE_DRIVER": "simulated",
                   "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
                   "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    ended = subprocess.run(["bash", "-ec", typed.replace("{}", command)], cwd=tmp_path, env=environment, timeout=600,
                           capture_output=True, text=True)
    assert re.search(says, ended.stdout, flags=re.MULTILINE) and ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize("tool", ["draw_pictures", "keep_outputs", "update", "voice"])
def test_a_tool_that_is_asked_for_help_says_what_it_is_for_and_does_nothing(tool):
    module = importlib.import_module(tool)
    assert module.main(["--help"]) == module.__doc__


@pytest.mark.parametrize("more", [[], ["--upgrade"]])
def test_lock_has_uv_resolve_each_of_the_lists(project, monkeypatch, more):    # noqa: F811
    asked = []
    monkeypatch.setattr(setup_steps, "run", lambda command, *more: asked.append(command) if "compile" in command else None)
    monkeypatch.setattr(setup_steps, "pips_settings", lambda project: {})
    monkeypatch.setattr(bootstrap, "set_up", lambda *arguments: True)
    bootstrap.lock(project, more)
    lists = {f"requirements/{path.name}" for path in ROOT.glob("requirements/*.txt")}
    assert {str(command[command.index("-o") + 1]) for command in asked} == lists
    assert all(("--upgrade" in command) == bool(more) for command in asked)
