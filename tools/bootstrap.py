"""Set the course up, and run it: what stands behind the Makefile.

    python3 tools/bootstrap.py setup            make .venv with everything in it
    python3 tools/bootstrap.py lab  [options]   set up what is missing; open JupyterLab (options are JupyterLab's)
    python3 tools/bootstrap.py test [options]   set up what is missing; run the course's checks (options are pytest's)
    python3 tools/bootstrap.py tiny [options]   those of them that take under ten seconds, for every save
    python3 tools/bootstrap.py test-simulator [...] the simulated driver's checks
    python3 tools/bootstrap.py test-lessons [...] open the lessons and all widgets in a browser; check what is published: the
                                                site, Binder, the installation on Colab, nbgrader's assignments, the
                                                documents' commands
    python3 tools/bootstrap.py ask [options]    set up what is missing; put the questions about CUDA to this machine's GPU
    python3 tools/bootstrap.py site [folder]    set up what is missing; render the course as pages, into .build/site
    python3 tools/bootstrap.py update           set up what is missing; write the tables of documents that follow from the lessons
    python3 tools/bootstrap.py doctor           set up what is missing; say which driver the course uses
    python3 tools/bootstrap.py lock [options]   make requirements/*.txt anew from the groups of pyproject.toml (options are uv's)
    python3 tools/bootstrap.py clean            remove everything that set-up made

Before a command, --cuda=12, --cuda=13 or --cuda=auto says which CUDA's packages .venv has; without it they are those that
serve this machine's driver and GPU (which_cuda.py). --versions=colab, --versions=cuda12 or --versions=newest has the command
work in an environment beside .venv: with Google Colab's versions, with a PyCUDA that is built for CUDA 12, or with today's newest
release of everything. The set-up itself is setup_steps.py. Needs Python's standard library alone.
"""
import sys

if sys.version_info < (3, 10):
    sys.exit("The course needs Python 3.10 or newer, and this is Python %d.%d. Install a newer one and name it: "
             "make lab PYTHON=python3.12" % sys.version_info[:2])

import contextlib
import errno
import os
import re
import secrets
import shutil
from pathlib import Path

import committed
import setup_steps
import which_cuda
from setup_steps import (
    InstallTools,
    MakeVenv,
    Problem,
    Project,
    disk_full,
    environment_of,
    refuse_foreign_venv,
    remove,
    say,
    set_up,
)

from course_files import NotOurs, refuse_changed_folder, refuse_link, write_whole  # after setup_steps, which says where that lies


def setup(project, arguments):
    if set_up(project):
        say("Set up. `make lab` opens the course.")
    else:
        python = project.site_packages.parent.name
        say(f"Set up already, with {python}. `make lab` opens the course; `make clean setup` starts over.")


FIRST = "notebooks/00_two_views_of_one_memory.ipynb"        # whatever a learner keeps beside it


def lab(project, arguments):
    refuse_root(arguments)
    set_up(project)
    home = project.build / "jupyter"
    settle_jupyterlab(home)
    # JupyterLab asks npm where it keeps its packages, if there is an npm, which then writes a log.
    environment = {**jupyters_folders(home), **users_folders(), "npm_config_cache": str(home / "npm")}
    if not os.path.exists(os.path.expanduser("~/.config/matplotlib")):      # it would make that folder, for no settings at all
        environment["MPLCONFIGDIR"] = os.environ.get("MPLCONFIGDIR") or str(home / "matplotlib")
    # JupyterLab shows pictures that are kept in a notebook only where the notebook is trusted, which is written down in
    # Jupyter's data folder. A notebook that cannot be read is no reason not to open the others.
    trusted = committed.unchanged(project.root)
    if trusted:
        with contextlib.suppress(Problem):
            setup_steps.run([project.venv / "bin" / "jupyter-trust", *trusted], project, environment)
    # Not as an argument: then only the browser would be told of it, and not who reads the address in the terminal.
    page = f"/lab/tree/{FIRST}" if (project.root / FIRST).exists() else "/lab"
    replace_this_process(project, ["-m", "jupyterlab", f"--LabApp.default_url={page}", "--LabApp.custom_css=True", *arguments],
                         environment)


def refuse_root(arguments):
    """Raise Problem if JupyterLab would refuse to run, before anything is downloaded for it."""
    if os.geteuid() != 0 or any("allow-root" in argument or "allow_root" in argument for argument in arguments):
        return
    for file in users_config().glob("jupyter*config*"):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if "allow_root" in file.read_text():
                return
    raise Problem("JupyterLab does not run as root unless it is told to. Run this as another user, or, in a container for "
                  "example, with: make lab ARGS=--allow-root")


def jupyters_folders(home):
    """The variables that have Jupyter and IPython write below `home`, and not in the user's HOME."""
    return {"IPYTHONDIR": str(home / "ipython"), "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"), "JUPYTER_RUNTIME_DIR": str(home / "runtime")}


def settle_jupyterlab(home):
    """Keep JupyterLab from the network; the first time, take over what the user has set in it (the theme, say), which it
    reads from one folder alone."""
    refuse_link(home)
    settings, users = home / "config" / "lab" / "user-settings", users_config() / "lab" / "user-settings"
    if not home.exists() and os.path.isdir(users):      # False, where Path.is_dir raises, for a HOME that is not this user's
        shutil.copytree(users, settings)
    page = home / "config" / "labconfig" / "page_config.json"
    page.parent.mkdir(parents=True, exist_ok=True)
    # The extension that asks the network for Jupyter's news and for newer versions.
    write_whole(page, '{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}\n')
    # A notebook that a learner saves keeps its widgets' state: opened again, it shows them in place of an error.
    write_whole(page.with_name("default_setting_overrides.json"), Path(__file__).with_name("jupyterlab_settings.json").read_bytes())
    # CUDA C++ in Python strings has colours.
    shutil.copytree(Path(__file__).with_name("labextensions"), home / "data" / "labextensions", dirs_exist_ok=True)
    # The course's looks, which come with each widget, hold before a cell is run.
    (home / "config" / "custom").mkdir(exist_ok=True)
    style = Path(__file__).parents[1] / "courseware" / "notebook" / "style.css"
    write_whole(home / "config" / "custom" / "custom.css", style.read_bytes())


def users_folders():
    """The variables that have Jupyter read the user's own configuration and kernels all the same."""
    folders = {"JUPYTER_CONFIG_PATH": users_config(),
               "JUPYTER_PATH": Path(os.environ.get("JUPYTER_DATA_DIR") or "~/.local/share/jupyter").expanduser()}
    return {name: os.pathsep.join(filter(None, [os.environ.get(name), str(folder)])) for name, folder in folders.items()}


def users_config():
    return Path(os.environ.get("JUPYTER_CONFIG_DIR") or "~/.jupyter").expanduser()


# What is published beside the notebooks, and how a lesson looks and is used in a browser. A change of a lesson or a helper seldom
# breaks it, and it takes a third of the time: `test-lessons` checks it.
PUBLISHED = ["tests/setup/test_site.py", "tests/browser", "tests/setup/test_binder.py", "tests/setup/test_colab_install.py",
             "tests/setup/test_commands.py", "tests/setup/test_nbgrader.py", "tests/setup/test_choices.py"]


# What other versions can change; all of it in .venv, and with the newest of everything, published things as well.
TEST = {
    "": ["tests", "notebooks", *(f"--ignore={path}" for path in PUBLISHED)],
    # What shows in a notebook, and asks IPython or ipywidgets; the rest is text that no version of theirs changes. The gallery has
    # every widget, so two lessons are enough in a browser.
    "colab": ["tests/browser", "tests/predictions/test_covered.py", "tests/explorers", "tests/exercises/test_exam.py",
              "tests/memory_map/test_look.py", "tests/memory_map/test_states.py", "notebooks", "--lessons", "two"],
    # What calls CUDA or compiles for it; sentences and widgets are the same. A solution that passes has been through all that its
    # exercise asks the driver; mistakes go the same way, and are half of the time.
    "cuda12": ["tests/helpers", "tests/kernel_views", "tests/sandbox", "tests/held_streams",
               "tests/exercises/test_table.py::test_a_solution_passes", "tests/exercises/test_order.py", "notebooks"],
    "newest": ["tests", "notebooks"],
}
# The simulated driver's recorded answers, asked through a PyCUDA for CUDA 12.
TEST_SIMULATOR = {"cuda12": ["tests/conformance/test_questions.py"]}


def test(project, arguments):
    set_up(project)
    # What can be run twice can be so with any version.
    run_checks(project, TEST[project.versions], arguments, twice=project.versions not in ("colab", "cuda12"))


# What a change of the helpers or of the house breaks first.
TINY = ["tests/test_house.py", "tests/test_style.py", "tests/helpers/test_pinned.py", "tests/helpers/test_reservation.py",
        "tests/helpers/test_pointers.py", "tests/helpers/test_mapped.py", "tests/helpers/test_address_book.py",
        "tests/test_docstrings.py"]


def tiny(project, arguments):
    set_up(project)
    run_checks(project, TINY, ["-q", *arguments])


def test_simulator(project, arguments):
    set_up(project)
    run_checks(project, TEST_SIMULATOR.get(project.versions, ["tests"]), arguments, folder=project.simulator)


def test_lessons(project, arguments):
    set_up(project)
    run_checks(project, PUBLISHED, arguments)


def run_checks(project, everything, arguments, twice=True, folder=None):
    """Become pytest, for the paths among the arguments, or for everything. `twice`: every cell of a notebook is run twice;
    `folder`: where the checks lie, if it is not the course's own folder."""
    paths_given = any(((folder or project.root) / argument.split("::")[0]).exists() for argument in arguments)
    # Jupyter, IPython, Matplotlib and Chromium get folders of their own: neither the user's settings nor their history take part.
    home = project.build / "test-home"
    home.mkdir(parents=True, exist_ok=True)
    replace_this_process(project, [
        # Two workers more than processors: some wait for a notebook's kernel or a browser, or for a time limit to pass.
        "-m", "pytest", "-n", str(min(os.cpu_count() or 1, 4) + 2), *(["-p", "no:nbval"] if folder else ["--nbval", *["--twice"] * twice]),
        "--max-worker-restart", "0",                    # after a worker that crashed, the scheduler (course_pytest.py) waits for ever
        "-o", "tmp_path_retention_policy=failed",       # what passed leaves no 50 MB in /tmp
        *([] if paths_given else everything), *arguments],
        {**jupyters_folders(home), "MPLCONFIGDIR": str(home / "matplotlib"), "XDG_CONFIG_HOME": str(home / "config"),
         # Hundreds of short processes import NumPy, and none multiplies large matrices: threads that wait for that cost
         # each a fifth of its start.
         "OPENBLAS_NUM_THREADS": "1"}, folder)


def ask(project, arguments):
    set_up(project)
    # The file of answers is written where the command was typed, and not beside the questions.
    replace_this_process(project, ["-m", "tests.conformance.systems", "ask", "--folder", str(project.root), *arguments],
                         folder=project.simulator)


def doctor(project, arguments):
    set_up(project)
    replace_this_process(project, ["-m", "course_lib"])


def site(project, arguments):
    set_up(project)
    replace_this_process(project, ["tools/website", *arguments])


# Which groups of pyproject.toml each list is made of.
GROUPS = {"course": ["cuda13", "jupyter", "libraries", "tools"],
          "cuda12": ["cuda12", "jupyter", "libraries", "tools"],
          "colab": ["cuda13", "colab", "libraries", "tools"]}


def update(project, arguments):
    set_up(project)
    replace_this_process(project, ["tools/update.py", *arguments])


def lock(project, arguments):
    for name, groups in GROUPS.items():
        say(f"Resolving pyproject.toml into requirements/{name}.txt")
        resolve(project, f"requirements/{name}.txt", groups, "--universal", "--python-version", "3.10", *arguments)


def with_versions(project, versions):
    """The project with the environment that VERSIONS= names. Raises Problem for anything else that it says."""
    if versions not in setup_steps.OTHER_VERSIONS:
        raise Problem(f"VERSIONS={versions} is not one of the course's: {', '.join(setup_steps.OTHER_VERSIONS)}.")
    chosen = project.with_versions(versions)
    if versions == "newest":
        say("Resolving the newest release of everything")
        resolve(which_cuda.settle(project), chosen.requirements, ["newest", "tools"], "--upgrade", "--python", sys.executable)
    return chosen


def resolve(project, out, groups, *arguments):
    """Write the version of everything that pyproject.toml and these groups of it ask for into the file `out`; `arguments` are uv's."""
    set_up(project, [MakeVenv, InstallTools])
    # Without the address of the index it was made from: whoever installs chooses their own, and the digests say whether that has
    # the same. (uv.lock and pylock.toml have the address with every package, so neither takes the place of these lists.)
    setup_steps.uv(project, "compile", "--generate-hashes", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links",
                   "--no-emit-package", "cuda-simulator", "--custom-compile-command", "make lock", "-o", out, "pyproject.toml",
                   "--extra", "lessons", *[word for group in groups for word in ("--group", group)], *arguments)


# What commands of the course, and its tests, write into .build, but for JupyterLab's settings and history and the home of a user who
# has no other, which are the user's.
BUILT = ("cache", "wheels", "pycuda-*", "*.log", "cuda.json", "requirements-newest.txt", "missing.txt", "test-home",
         "screenshots", "executed", "coverage", "mypy")
CACHES = (".pytest_cache", ".mypy_cache", ".hypothesis", ".ruff_cache")
CODE = ("course_files", "course_lib", "courseware", "tools", "tests", "benchmarks", "packages/cuda-simulator")


def clean(project, arguments):
    project.make_build()
    with setup_steps.only_one(project):
        places = [*(place for environment in project.environments for place in (environment, environment.beside)),
                  *(project.with_venv(path.name) for path in project.root.glob(".venv*") if LEFT_OVER.fullmatch(path.name))]
        for place in places:
            refuse_foreign_venv(place)
            setup_steps.refuse_environment_in_use(place)
        for place in places:
            if place.venv.exists():
                # First the name: an environment that lacks half of itself is none.
                setup_steps.remove_environment(place.venv.rename(place.venv.with_name(f".venv.old.{secrets.token_hex(4)}")))
        remove_what_was_built(project)
    with contextlib.suppress(OSError):      # where JupyterLab's settings are, or something of the user's
        project.build.rmdir()


# Environments whose removal was interrupted, and those that serve the folder under another path.
LEFT_OVER = re.compile(r"\.venv[\w-]*(\.new)?\.(old\.|of-)[0-9a-f]{8}")


def remove_what_was_built(project):
    for folder, names in ((project.build, BUILT), (project.root, [*CACHES, "cuda_memory_course.egg-info", "__pycache__"]),
                          (project.simulator, [*CACHES, "src/cuda_simulator.egg-info", "build/*/cuda_simulator",
                                               "build/*/cuda_without_toolkit"])):
        for path in [path for name in names for path in folder.glob(name) if not behind_a_link(path, folder)]:
            remove(path)
    for path in [path for name in CODE for path in (project.root / name).rglob("__pycache__")]:
        remove(path)
    for path in [*project.simulator.glob("build/*"), project.simulator / "build"]:
        if behind_a_link(path, project.simulator):
            continue
        with contextlib.suppress(OSError):      # it has something of the user's, or is none
            path.rmdir()
    with contextlib.suppress(NotOurs):
        refuse_changed_folder(project.build / "site")
        remove(project.build / "site")
    for library in ("libcuda.so.1", "other_name.so"):
        remove(project.stand_in.with_name(library))
    remove(project.build / "lock")


def behind_a_link(path, folder):
    """Whether a folder between `folder` and `path`, which is below it, is a link: what is there is somebody else's."""
    return path.parent.resolve() != folder.resolve() / path.parent.relative_to(folder)


def replace_this_process(project, arguments, environment=(), folder=None):
    """Become .venv's Python with these arguments, so that signals and the exit status are its own."""
    os.chdir(folder or project.root)
    setup_steps.hold_environment(project)
    environment = {**environment_of(project), **dict(environment)}
    environment["PATH"] = f"{project.python.parent}:{environment.get('PATH', os.defpath)}"
    os.execve(project.python, [str(project.python), *arguments], environment)


COMMANDS = {command.__name__.replace("_", "-"): command
            for command in (setup, lab, tiny, test, test_simulator, test_lessons, ask, site, update, doctor, lock, clean)}
CHOICES = "--cuda=", "--versions="


def main(project, arguments):
    """Run the command; returns the exit status."""
    if os.path.expanduser("~") == "~":      # no HOME, and a user whom nobody knows, as some containers have
        os.environ["HOME"] = str(project.build / "home")
    choices, arguments = {}, [*arguments]
    while arguments and arguments[0].startswith(CHOICES):
        choice, _, value = arguments.pop(0).partition("=")
        choices[choice] = value
    if not arguments or arguments[0] not in COMMANDS:
        print(__doc__)
        return 0 if arguments[:1] in (["--help"], ["-h"]) else 2
    command = arguments[0]
    try:
        if choices and command == "clean":
            raise Problem("clean removes every environment, so neither CUDA= nor VERSIONS= can be said of it.")
        if len(choices) > 1:
            raise Problem("CUDA= is for .venv, and VERSIONS= for an environment beside it: say one of them.")
        if "--versions" in choices:
            project = with_versions(project, choices["--versions"])
        elif command != "clean":
            project = which_cuda.settle(project, choices.get("--cuda", ""), again=command == "setup")
        COMMANDS[command](project, arguments[1:])
        return 0
    except (Problem, NotOurs) as problem:
        print(f"\n{problem}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\nInterrupted. Run the same command again: it goes on from here.", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            print(f"\n{disk_full(project)}", file=sys.stderr)
        elif error.filename and Path(os.fsdecode(error.filename)).is_relative_to(project.root):
            print(f"\n{os.fsdecode(error.filename)}: {error.strerror}. The course writes into its own folder, {project.root}: it has "
                  "to be yours, and what it makes there has to be free. Take a clone of your own, or move what is in the way.",
                  file=sys.stderr)
        else:
            raise
    return 1


if __name__ == "__main__":
    if sys.platform != "linux":
        sys.exit("The course runs on Linux (on Windows: inside WSL 2).")
    sys.exit(main(Project(Path(__file__).resolve().parent.parent), sys.argv[1:]))
