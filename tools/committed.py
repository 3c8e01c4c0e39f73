"""Which notebooks are as the course ships them: those may show their stored outputs before a cell is run.

    python3 tools/committed.py | xargs -0 -r jupyter trust

A trusted notebook's stored outputs may hold scripts, which run when it is opened, with all that its reader may do. So a notebook
is trusted if it is what git's last commit has, or, where there is no git, if LIST has its digest, as sha256sum writes it: an
image has that of its own notebooks. A lesson that its learner ran is trusted by Jupyter itself. Needs Python's standard
library alone.
"""
import hashlib
import subprocess
import sys
from pathlib import Path

LIST = "notebooks.sha256"


def notebooks(root):
    """The paths, relative to `root`, of all notebooks, without Jupyter's copies of them."""
    return sorted(path.relative_to(root) for path in (root / "notebooks").rglob("*.ipynb")
                  if ".ipynb_checkpoints" not in path.parts)


def committed(root):
    """Those that nobody has changed since they were committed or listed, links left out."""
    files = [path for path in notebooks(root) if not (root / path).is_symlink()]
    listed = _listed(root)
    if listed is not None:
        return [path for path in files if listed.get(str(path)) == hashlib.sha256((root / path).read_bytes()).hexdigest()]
    blobs = dict(reversed(line.split("\t", 1)) for line in _git(root, "ls-tree", "-r", "-z", "HEAD", "notebooks").split("\0") if line)
    here = _git(root, "hash-object", "--stdin-paths", stdin="".join(f"{path}\n" for path in files)).split()
    return [path for path, digest in zip(files, here) if blobs.get(str(path), "").split()[2:] == [digest]]


def _listed(root):
    """{path: digest} of LIST; None without one."""
    try:
        lines = (root / LIST).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def _git(root, *question, stdin=None):
    """What git answers about the checkout; "" if there is no git, or if this folder is not a clone's root."""
    try:
        top = subprocess.run(["git", "-C", root, "rev-parse", "--show-toplevel"], capture_output=True, text=True).stdout.rstrip("\n")
        if not top or not Path(top).samefile(root):
            return ""
        return subprocess.run(["git", "-C", root, *question], input=stdin, capture_output=True, text=True).stdout
    except OSError:
        return ""


if __name__ == "__main__":
    sys.stdout.write("".join(f"{path}\0" for path in committed(Path(__file__).resolve().parents[1])))
