"""The course as it was committed: what of a checkout may leave this machine, or show its stored outputs before a cell is run.

    with committed.folder(root) as source:      the files of git's HEAD, for a while
    committed.differing(root)                   the files of the checkout that are not as HEAD has them
    committed.unchanged(root)                   the notebooks that are
    python3 tools/committed.py | xargs -0 -r jupyter trust

A trusted notebook's stored outputs may hold scripts, which run when it is opened, with all that its reader may do; and what a
learner or a teacher did in a notebook is theirs. An image has no git: there LIST has the digests of its own notebooks, as
sha256sum writes them. A lesson that its learner ran is trusted by Jupyter itself. Needs Python's standard library alone.
"""
import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

LIST = "notebooks.sha256"


class NotCommitted(Exception):
    """Nobody can tell what was committed. The text says why."""


def notebooks(root):
    """The paths, relative to `root`, of all notebooks, without Jupyter's copies of them."""
    return sorted(path.relative_to(root) for path in (root / "notebooks").rglob("*.ipynb")
                  if ".ipynb_checkpoints" not in path.parts)


def unchanged(root):
    """The notebooks that nobody has changed since they were committed or listed, links left out; none if nobody can tell."""
    # A line break in a name would have git answer about another file; a folder, a FIFO or what this user may not read would keep it
    # from any answer.
    files = [path for path in notebooks(root) if (root / path).is_file() and not (root / path).is_symlink()
             and os.access(root / path, os.R_OK) and "\n" not in str(path)]
    listed = _listed(root)
    if listed is not None:
        return [path for path in files if listed.get(str(path)) == hashlib.sha256((root / path).read_bytes()).hexdigest()]
    try:
        tree = os.fsdecode(_git(root, "ls-tree", "-r", "-z", "HEAD", "notebooks"))
        digests = _git(root, "hash-object", "--no-filters", "--stdin-paths", stdin="".join(f"{path}\n" for path in files)).decode().split()
    except NotCommitted:
        return []
    blobs = dict(reversed(line.split("\t", 1)) for line in tree.split("\0") if line)
    return [path for path, digest in zip(files, digests) if blobs.get(str(path), "").split()[2:] == [digest]]


@contextlib.contextmanager
def folder(root):
    """A folder with the course as git has it in HEAD, for a while; without git, with the notebooks of LIST and what is beside them.
    Raises NotCommitted if nobody can tell what that is."""
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        listed = _listed(root)
        if listed is None:
            with zipfile.ZipFile(io.BytesIO(_git(root, "archive", "--format=zip", "HEAD"))) as archive:
                archive.extractall(place)
        else:
            as_committed = unchanged(root)
            if gone := set(listed) - {str(path) for path in as_committed}:
                raise NotCommitted("There is no git to ask how these notebooks were before they were changed: "
                                   f"{', '.join(sorted(gone))}.")
            shutil.copytree(root, place, dirs_exist_ok=True, ignore=_not_the_courses)
            for path in as_committed:
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / path, place / path)
        yield place


def _not_the_courses(directory, names):
    return [name for name in names if name in ("notebooks", "__pycache__") or name.startswith((".venv", ".build", "course-progress"))]


def differing(root):
    """The files of the checkout that are not as HEAD, or LIST, has them, new ones included. Raises NotCommitted as `folder` does."""
    if _listed(root) is not None:
        return [str(path) for path in sorted({*notebooks(root)} - {*unchanged(root)})]
    entries = os.fsdecode(_git(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", "."))
    return [entry[3:] for entry in entries.split("\0") if entry]


def _listed(root):
    """{path: digest} of LIST; None without one, or if git can tell."""
    if (root / ".git").exists():
        return None
    try:
        lines = (root / LIST).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def _git(root, *question, stdin=None):
    """What git answers about the checkout, as bytes. Raises NotCommitted if there is no git, or no clone with its root here."""
    if not (root / ".git").exists():
        raise NotCommitted("This folder is no checkout of git, so nobody can tell what was done here from what the course came with. "
                           "Clone the repository.")
    # A hook of git's runs with variables that name another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(["git", "-C", root, *question], env=environment, input=stdin and os.fsencode(stdin), capture_output=True,
                              check=True).stdout
    except FileNotFoundError:
        raise NotCommitted("This is a checkout of git, and there is no git here: install it (sudo apt install git).") from None
    except subprocess.CalledProcessError as error:
        raise NotCommitted(f"git cannot say what was committed: {error.stderr.decode(errors='replace').strip()}") from None


if __name__ == "__main__":
    sys.stdout.write("".join(f"{path}\0" for path in unchanged(Path(__file__).resolve().parents[1])))
