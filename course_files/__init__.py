"""What the course writes and removes: whole or not at all, and only what it made itself.

    write_whole(path, content)      a file that is the program's business alone
    write_own(path, content)        a file that somebody may have put something into meanwhile: then it is refused
    with folder_anew(path) as new:  a folder of files, built beside the one that it replaces

What `write_own` and `folder_anew` made is noted, with digests, in a file of its folder, MARKER. A file that is not noted, or
that is not as it was written, is somebody else's: NotOurs says so, and what to do. A link is somebody else's, too.

Not here: environments, whose marker is a folder of stamps (tools/setup_steps.py). Needs Python's standard library alone,
so that the set-up has it before anything is installed.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
from pathlib import Path

MARKER = ".made-by-the-course.json"


class NotOurs(Exception):
    """A place that the course did not make, or that was changed since. The text says which, and what to do."""


def write_whole(path, content):
    """Write a file that has all of its content or stays as it is. content: text, which is kept as UTF-8, or bytes.

    The file keeps its permissions. Raises OSError as writing does, and NotOurs for a link.
    """
    path = Path(path)
    refuse_link(path)
    content = content.encode() if isinstance(content, str) else content
    partial = _beside(path, "partial")
    try:
        with open(partial, "xb") as file:
            file.write(content)
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def write_own(path, content):
    """`write_whole`, unless a file is there that `write_own` did not write, or that was changed since: NotOurs."""
    path = Path(path)
    refuse_changed(path)
    content = content.encode() if isinstance(content, str) else content
    before = _noted(path.parent)
    # Both what is there and what will be: whenever this process ends, the file is one of them.
    _note(path.parent, before | {path.name: [*([_digest(path.read_bytes())] if path.exists() else []), _digest(content)]})
    try:
        write_whole(path, content)
    except (OSError, ValueError):       # nothing was written: a disk is full, or no file can have the name
        if before:
            _note(path.parent, before)
        else:
            (path.parent / MARKER).unlink()
        raise


def refuse_changed(path):
    """Raise NotOurs if there is something at `path` that `write_own` did not leave there. Before work that ends in a file."""
    path = Path(path)
    refuse_link(path)
    if path.exists() and not _is_noted(path, _noted(path.parent).get(path.name, ())):
        raise NotOurs(f"{path} was not written by this command, or was changed since, and is left as it is. Move it away "
                      f"(mv {path.name} my-{path.name}), or choose another name.")


@contextlib.contextmanager
def folder_anew(path):
    """Give an empty folder to build in, and put it at `path` when the block ends well.

    Until then what is at `path` stays. It may be an empty folder, or one that `folder_anew` made and nobody has changed;
    anything else raises NotOurs before the block begins, and again if it was changed meanwhile.
    """
    path = Path(os.path.abspath(path))
    refuse_changed_folder(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_over(path)
    new = _beside(path, "new")
    new.mkdir()
    lock = os.open(new, os.O_RDONLY)    # the kernel frees it however this process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _note(new, {})
        yield new
        _note(new, {name: [_digest((new / name).read_bytes())] for name in _files(new)})
        refuse_changed_folder(path)
        old = put_in_place(new, path)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    finally:
        os.close(lock)
    if old:
        shutil.rmtree(old, ignore_errors=True)


def _remove_left_over(path):
    """Remove what builders of this folder that were killed left beside it: half of a new one, or the whole old one."""
    for folder in path.parent.iterdir():
        # The names that `_beside` gives, and no others: a copy that somebody keeps beside it has the marker, too.
        left_over = re.fullmatch(re.escape(_beside_prefix(path)) + r"\.(new|old)\.[0-9a-f]{8}", folder.name)
        if not left_over or folder.is_symlink():
            continue
        if not (folder / MARKER).is_file():
            with contextlib.suppress(OSError):      # killed before it had its marker; if something is in it, it stays
                folder.rmdir()
            continue
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)    # raises while somebody builds in it
            if left_over[1] == "old":
                refuse_changed_folder(folder)
            shutil.rmtree(folder, ignore_errors=True)
        except (BlockingIOError, NotOurs):
            pass
        finally:
            os.close(lock)


def refuse_changed_folder(path):
    """Raise NotOurs unless `path` is free, an empty folder, or as `folder_anew` left it."""
    path = Path(path)
    refuse_link(path)
    if not path.exists():
        return
    if not path.is_dir():
        raise NotOurs(f"{path} is a file, and is left as it is. Choose another folder.")
    if any(path.iterdir()) and not (path / MARKER).is_file():
        raise NotOurs(f"{path} was not made by this command, and is left as it is. Name an empty folder, or a new one.")
    noted = _noted(path)
    changed = [name for name in _files(path) if not _is_noted(path / name, noted.get(name, ()))]
    if changed:
        raise NotOurs(f"{path} has what this command did not put there, or what was changed since ({', '.join(changed[:3])}"
                      f"{' and others' * (len(changed) > 3)}), and is left as it is. Move that away, or name another folder.")


def put_in_place(new, path):
    """Rename the folder `new` to `path`. Returns where what was at `path` is now, beside it; None if there was nothing."""
    old = None
    if path.exists():
        old = _beside(path, "old")
        path.rename(old)
    try:
        new.rename(path)
    except BaseException:
        if old:
            old.rename(path)
        raise
    return old


def refuse_link(path):
    """Raise NotOurs if `path` is a symbolic link: what it leads to is somebody else's."""
    if os.path.islink(path):
        raise NotOurs(f"{path} is a link, to {os.readlink(path)}: what that is stays as it is. Remove the link "
                      f"(rm {os.path.basename(path)}), or choose another name.")


def _beside(path, why):
    """A name in the same folder that nothing has."""
    return path.with_name(f"{_beside_prefix(path)}.{why}.{secrets.token_hex(4)}")


def _beside_prefix(path):
    return f".{path.name.removeprefix('.')[:100]}"


def _is_noted(path, digests):
    """Whether `path` is a file, and no link, FIFO or folder, with one of these digests."""
    return bool(digests) and stat.S_ISREG(path.lstat().st_mode) and _digest(path.read_bytes()) in digests


def _files(folder):
    """The names, relative to `folder`, of all files below it but for the marker."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                  if (path.is_symlink() or not path.is_dir()) and path.relative_to(folder) != Path(MARKER))


def _noted(folder):
    """{name: [digests]} of what the course made in a folder. A marker that cannot be understood notes nothing."""
    try:
        marker = folder / MARKER
        refuse_link(marker)
        noted = json.loads(marker.read_bytes()) if marker.is_file() else {}
    except (OSError, ValueError, RecursionError, NotOurs):
        return {}
    if not isinstance(noted, dict):
        return {}
    return {name: digests for name, digests in noted.items() if isinstance(digests, list)}


def _note(folder, noted):
    write_whole(folder / MARKER, json.dumps(noted, indent=1, sort_keys=True) + "\n")


def _digest(content):
    return hashlib.sha256(content).hexdigest()
