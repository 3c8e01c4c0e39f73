"""The course as it was committed: what of a checkout may leave this machine. What a learner or a teacher did since may not.

    with last_commit.folder(root) as source:    the files of git's HEAD, for a while
    last_commit.differing(root)                 the files of the checkout that are not as HEAD has them

Both raise NotCommitted where there is no git, or it refuses. Needs Python's standard library alone.
"""
import contextlib
import io
import os
import subprocess
import tempfile
import zipfile
from pathlib import Path


class NotCommitted(Exception):
    """Nobody can tell what was committed. The text says why."""


@contextlib.contextmanager
def folder(root):
    """A folder with the course as git has it in HEAD, for a while."""
    with tempfile.TemporaryDirectory() as place:
        with zipfile.ZipFile(io.BytesIO(_git(root, "archive", "--format=zip", "HEAD"))) as archive:
            archive.extractall(place)
        yield Path(place)


def differing(root):
    """The files of the checkout that are not as HEAD has them, new ones included."""
    entries = _git(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", ".").decode(errors="replace")
    return [entry[3:] for entry in entries.split("\0") if entry]


def _git(root, *arguments):
    if not (root / ".git").exists():
        raise NotCommitted("This folder is no checkout of git, so nobody can tell what was done here from what the course came with. "
                           "Clone the repository.")
    # A hook of git's runs with variables that name another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(["git", "-C", str(root), *arguments], env=environment, capture_output=True, check=True).stdout
    except FileNotFoundError:
        raise NotCommitted("This is a checkout of git, and there is no git here: install it (sudo apt install git).") from None
    except subprocess.CalledProcessError as error:
        raise NotCommitted(f"git cannot say what was committed: {error.stderr.decode(errors='replace').strip()}") from None
