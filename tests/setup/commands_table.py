"""The table of the commands in the documents: what runs each of them. A new command needs a line here.

Not here: where commands are looked for (commands.py), and how they are run (test_commands.py, commands_run.py).
"""
import re
import shutil
from dataclasses import dataclass, field

from tests.browser.conftest import chromium
from tests.conformance.sequences import recording as sequences


@dataclass(frozen=True)
class Typed:
    """The command is typed in a clone of the course, as it stands but for what is said here."""

    says: str               # a pattern for a line that it says; of a JupyterLab, for the address that it writes down
    status: int = 0
    line: str = ""          # what is typed in its place
    instead: dict = field(default_factory=dict)     # a text in it -> what is typed for that
    adds: str = ""          # what is typed after it
    above: bool = False     # it makes the clone: it is typed in an empty folder
    serves: bool = False    # it is JupyterLab, which does not end by itself
    needs: object = None    # a function that finds a program, without which the test is skipped
    first: object = None    # a function of the Clone, called before


@dataclass(frozen=True)
class Elsewhere:
    """Another test runs the command; or holds what can be held of one that is not run, for the reason `why`."""

    by: str                 # file::function, in tests/
    mentions: str           # what stands in that function, or in what it uses
    why: str = ""


HERE = "setup/test_commands.py"
IN_COLAB = f"{HERE}::test_in_colab_the_course_is_fetched_and_installed_over_what_is_there"

# What takes minutes is done in part here; the whole of it is what the other tests do.
LISTED = {'ARGS="': 'ARGS="--collect-only -qq '}
A_FEW = ' ARGS="-n 0 tests/test_nvcc_options.py"'
PASSED = r"\d+ passed"
ONE = " --only free_null"
ALIKE = r"^1 questions; 1 answers compared .* 1 alike"
FIVE = r"^5 sequences; \d+ calls compared"
RECORD_ONE = "python -m tests.conformance record --only free_null --folder somewhere"
NO_TIMES = "^Nothing is recorded: the simulated driver has no times"


def quick(imports, **numbers):
    """A line that runs a file of Python in less time: `imports` imports it, as `command`, whose names get these values."""
    changes = [f"command.{name}; command.{name} = {value}" for name, value in numbers.items()]     # a name has to be there
    return f'python -c "{"; ".join([imports, *changes, "command.main()"])}"'


def five_sequences(clone):
    head, calls, answers = sequences.load(sequences.H200)
    sequences.save(clone.course / "five" / sequences.H200.name, head, {seed: calls[seed] for seed in list(calls)[:5]}, answers)


# A command as it stands in a document, or a pattern for several -> what runs it.
TABLE = {
    "git clone <this repository> cuda-memory-course && cd cuda-memory-course": Typed("^Makefile$", above=True, adds=" && ls"),
    "git clone <this repository> /srv/cuda-memory-course && cd /srv/cuda-memory-course":
        Typed("^Makefile$", above=True, adds=" && ls", instead={" /srv": " srv"}),

    # The set-up's. `make` hands every target on to it, so its own list needs no second run.
    "make setup": Typed("^Set up already"),
    "make setup PYTHON=python3.12": Typed("^Set up already"),
    "make setup PYTHON=/usr/bin/python3": Typed("^Set up already", instead={"/usr/bin/": ""}),
    "make lab": Typed("/lab/tree/notebooks/00_", serves=True),
    'make lab ARGS="--no-browser --port 8899"': Typed(r":8[7-9]\d\d/lab/tree/notebooks/00_", serves=True),
    # The doctor, who is started as JupyterLab is, says what becomes of the variable.
    "COURSE_DRIVER=real make lab": Typed("COURSE_DRIVER=real", instead={"lab": "doctor || true"}),
    "COURSE_DRIVER=simulated make lab": Typed("COURSE_DRIVER=simulated", instead={"lab": "doctor"}),
    "CUDA_VISIBLE_DEVICES=1 make lab": Typed("^The course can run", instead={"lab": "doctor"}),
    "make doctor": Typed("^The course can run"),
    "make site": Typed(r"^\d+ pages; open .*/\.build/site/index\.html"),
    "make site ARGS=folder": Elsewhere("setup/test_site.py::test_make_site_renders_it", '["site", "folder"]'),
    r"make lock( ARGS=--upgrade)?": Elsewhere(f"{HERE}::test_lock_has_uv_resolve_each_of_the_lists", "make lock"),
    "make clean": Elsewhere(f"{HERE}::test_clean_leaves_what_git_keeps", "make clean"),
    r"python3 tools/bootstrap\.py .*":
        Elsewhere(f"{HERE}::test_make_hands_each_of_its_targets_to_the_set_up", "tools/bootstrap.py"),

    # Checks
    "make test": Typed(PASSED, adds=A_FEW),
    "COURSE_DRIVER=simulated make test": Typed(PASSED, adds=A_FEW),
    'make test ARGS="-k pinned"': Typed(PASSED, instead={'ARGS="': 'ARGS="-n 0 tests/explorers/test_address.py '}),
    'make test ARGS="-k recording"': Typed(PASSED, instead={'ARGS="': 'ARGS="-n 0 tests/bandwidth/test_examples.py '}),
    'make test ARGS="notebooks tests/notebooks"': Typed("tests/notebooks/test_notebooks.py: ", instead=LISTED),
    'make test ARGS="notebooks tests/notebooks tests/setup"': Typed("tests/setup/test_guide.py: ", instead=LISTED),
    'make test ARGS="tests/exercises tests/notebooks tests/setup"': Typed("tests/exercises/.*: ", instead=LISTED),
    ".venv/bin/python -m pytest tests/test_driver_choice.py": Typed(PASSED, adds=" -k description"),
    "pytest tests/conformance": Typed("tests/conformance/test_questions.py: ", adds=" --collect-only -qq"),
    # With this Python's packages in the place of those that they would fetch. CI runs them with their own.
    "make test-colab": Typed(PASSED, adds=A_FEW),
    "make test-cuda12": Typed(PASSED, adds=A_FEW),
    "make test-newest": Typed(PASSED, adds=A_FEW),
    "sudo apt install chromium":
        Elsewhere("browser/conftest.py::browser", "sudo apt install chromium",
                  why="it changes the machine; the same words stand where a check is skipped"),
    r"sudo apt install git make g\+\+ python3-venv python3-dev":
        Elsewhere("setup/test_bootstrap.py::test_the_readme_names_the_packages_that_a_bare_debian_is_told_to_install",
                  "sudo apt install", why="it changes the machine; the set-up asks for the same"),

    # In workflows
    ".ci/run": Elsewhere("setup/test_documents.py::test_ci_runs_make_test", ".ci/run", why="it runs this suite; CI runs it"),
    ".venv/bin/jupyter nbconvert --to notebook --execute --output-dir .build/executed notebooks/*.ipynb":
        Typed(r"Writing \d+ bytes to \.build/executed/02b_", instead={"notebooks/*": "notebooks/02b*"}),
    "gh release create \"$GITHUB_REF_NAME\" --title \"$GITHUB_REF_NAME\" --notes-file CHANGELOG.md $(find pycuda -name '*.whl')":
        # What the shell makes of it; gh itself would ask GitHub.
        Typed("^release create v1 --title v1 --notes-file CHANGELOG.md pycuda/one.whl$", adds=" && ls CHANGELOG.md",
              instead={"gh": "GITHUB_REF_NAME=v1; mkdir pycuda; touch pycuda/one.whl; echo"}),

    # What course_lib has of its own
    "python -m course_lib": Typed("^The course can run"),
    r"(\.venv/bin/)?python -m course_lib record( --quick --output gpu1\.json)?": Typed(NO_TIMES, status=1),
    r"(\.venv/bin/)?python -m course_lib\.exercises": Typed(r"^\| +\| +\| \d+ exercises"),
    r"(\.venv/bin/)?python -m course_lib\.exercises times": Typed(r"^\| all "),
    r"(\.venv/bin/)?python -m course_lib\.exercises exam": Typed("^# Exam"),
    r"(\.venv/bin/)?python -m course_lib\.exercises to-device 04": Typed("^# staging-kernel"),
    r"(\.venv/bin/)?python -m course_lib\.exercises to-host staging-kernel": Typed("^# to-host"),
    r"(\.venv/bin/)?python -m course_lib\.exercises 05": Typed("^# vmm-order"),
    ".venv/bin/python -m course_lib.exercises 00 01 02 03 04 05 06 exam > answers.md":
        Typed("^# Exam", adds=" && cat answers.md"),
    "for record in records/*.json; do":
        Elsewhere("setup/test_guide.py::test_the_records_of_a_class_are_shown_one_after_the_other", "for record"),

    # Other places
    "conda env create -f environment.yml && conda activate cuda-memory-course && bash binder/postBuild && jupyter lab":
        # Its packages are pip's here; test_environment.py holds conda's to them, and test_binder.py runs postBuild.
        Typed(r"/lab\?token=", serves=True, line="jupyter lab"),
    r"!git( -c \S+)? clone .* course( && python course/tools/colab_install\.py)?|!python course/tools/colab_install\.py":
        Elsewhere(IN_COLAB, "!git "),
    "python3 tools/publish.py https://github.com/OWNER/NAME TAG":
        Typed(r"^Changed \d+ files\. Commit them", instead={"TAG": "v1.2.3"}, adds=" && git checkout -q ."),
    ".venv/bin/python -m ipykernel install --prefix /srv/cuda-memory-kernel --name python3":
        Typed("/share/jupyter/kernels/python3$", instead={"/srv": "../srv"}),
    "cp -r /srv/cuda-memory-course/notebooks ~/cuda-memory-course":
        Typed("^00_two_views_of_one_memory.ipynb$", instead={"/srv": ".."}, adds=" && ls ~/cuda-memory-course"),
    "ssh -L 8899:localhost:8899 gpu-machine":      # -G has it say what it would do
        Typed("^localforward 8899", instead={"ssh": "ssh -F none -G"}, needs=lambda: shutil.which("ssh")),
    ".venv/bin/python tools/website [folder]": Elsewhere("setup/test_site.py::test_make_site_renders_it", "tools/website"),
    ".venv/bin/python tools/lesson_picture.py [file]":
        Typed("^picture.png$", instead={"[file]": "picture.png"}, adds=" && ls picture.png", needs=chromium),

    # Conformance
    r"(COURSE_DRIVER=simulated )?python -m tests\.conformance": Typed(ALIKE, adds=ONE),
    "python -m tests.conformance --only registered": Typed("answers compared .* 0 of them for no known reason"),
    "python -m tests.conformance --part sequences": Typed(FIVE, adds=" --folder five", first=five_sequences),
    "python -m tests.conformance list": Typed("^.*free_null: "),
    "python -m tests.conformance ask": Typed("free_null", adds=ONE),
    "python -m tests.conformance record": Typed("^1 questions, 1 answers", adds=f"{ONE} --folder somewhere"),
    "python -m tests.conformance record --only free_null": Typed("^1 questions, 1 answers", adds=" --folder somewhere"),
    "python -m tests.conformance record --folder somewhere": Typed("^1 questions, 1 answers", adds=ONE),
    "python -m tests.conformance --folder somewhere": Typed(ALIKE, adds=ONE, instead={"python": f"{RECORD_ONE} && python"}),
    "python -m tests.ptx.corpus.record_on_gpu":     # the simulated driver in the GPU's place, and two of the kernels
        Typed("^2 cases on NVIDIA H200", line=quick(
            "import course_lib, pathlib; from tests.ptx.corpus import record_on_gpu as command",
            CASES="dict(list(command.CASES.items())[:2])", RECORDING="pathlib.Path('two.npz')")),

    # Benchmarks
    "python benchmarks/bandwidth.py": Typed("^The simulated driver has no times", status=1),
    "python benchmarks/driver.py": Typed("^pointer attribute, the binding alone", line=quick(
        "from benchmarks import driver as command", CALLS=20, COPY=1 << 20)),
    "python benchmarks/memory.py": Typed("MB   02b_registered", adds=" 02b"),
    "python benchmarks/memory.py 04 05": Typed("MB   02b_registered", instead={"04 05": "02b"}),
    "python benchmarks/memory_map.py": Typed("^200 blocks: draw"),
    "python benchmarks/widgets.py": Typed("^exam "),
    "python benchmarks/kernels/interpreter.py": Typed("^pointer chasing"),
    "python benchmarks/kernels/peers.py": Typed("^Numba's CUDA simulator"),
    "pip install numba triton":     # Triton is not among the course's packages
        Typed("^Requirement already satisfied: numba", instead={"numba triton": "--no-index numba"}),
}


def row(command):
    """The key of the first row that is for a command, or None."""
    return next((key for key in TABLE if key == command or re.fullmatch(key, command)), None)
