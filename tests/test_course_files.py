"""Whatever the course writes is whole, and only over what the course made: files, folders, links."""
import os
import shutil
import subprocess
import sys

import pytest

import course_files
from course_files import MARKER, NotOurs, folder_anew, write_own, write_whole


def contents(folder):
    """{name: text} of everything below a folder but for markers; a link's text is where it leads."""
    return {str(path.relative_to(folder)): f"-> {os.readlink(path)}" if path.is_symlink() else path.read_text()
            for path in folder.rglob("*") if path.name != MARKER and (path.is_symlink() or path.is_file())}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "place"


# Files ----------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("content", ["ü\n", b"\0\xff"])
def test_a_file_is_written_and_nothing_is_left_beside_it(tmp_path, content):
    write_whole(tmp_path / "a", content)
    assert (tmp_path / "a").read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    write_whole(tmp_path / "a", "old")

    def full(path, mode):
        open(path, mode).close()
        return open("/dev/full", "wb")
    monkeypatch.setattr(course_files, "open", full, raising=False)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a", "new")
    assert contents(tmp_path) == {"a": "old"}


def test_of_a_file_that_no_file_system_takes_nothing_is_noted(tmp_path):
    for noted in [], [MARKER, "a"]:
        with pytest.raises((OSError, ValueError)):
            write_own(tmp_path / "no\0name", "1")
        assert sorted(os.listdir(tmp_path)) == noted
        write_own(tmp_path / "a", "1")
    assert "name" not in (tmp_path / MARKER).read_text()


def test_a_file_that_is_written_again_keeps_its_permissions_and_a_new_one_has_the_users(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a", "1")
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
        (tmp_path / "a").chmod(0o600)
        write_whole(tmp_path / "a", "2")
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_what_was_written_is_written_again(tmp_path):
    for content in "1", "1", "2", "3":
        write_own(tmp_path / "a", content)
        assert contents(tmp_path) == {"a": content}
    (tmp_path / "a").unlink()
    write_own(tmp_path / "a", "4")
    assert contents(tmp_path) == {"a": "4"}


@pytest.mark.parametrize("write", [write_whole, write_own])
def test_a_link_is_not_followed_and_not_removed(tmp_path, write):
    (tmp_path / "theirs").write_text("precious")
    for link, target in ("to-a-file", "theirs"), ("to-nothing", "nothing"):
        (tmp_path / link).symlink_to(target)
        with pytest.raises(NotOurs, match=f"is a link, to {target}"):
            write(tmp_path / link, "mine")
    assert contents(tmp_path) == {"theirs": "precious", "to-a-file": "-> theirs", "to-nothing": "-> nothing"}


def test_a_file_that_somebody_else_wrote_or_changed_is_refused(tmp_path):
    (tmp_path / "theirs").write_text("precious")
    write_own(tmp_path / "ours", "1")
    (tmp_path / "ours").write_text("1, and a remark")
    for name in "theirs", "ours":
        with pytest.raises(NotOurs, match=f"{name} was not written by this command, or was changed since.*mv {name} my-{name}"):
            write_own(tmp_path / name, "2")
    assert contents(tmp_path) == {"theirs": "precious", "ours": "1, and a remark"}


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused(place, make):
    make(place)
    with pytest.raises(NotOurs):
        write_own(place, "mine")


@pytest.mark.parametrize("marker", ["", "[]", '{"a": 1}', "\0"])
def test_a_damaged_marker_makes_nothing_ours(tmp_path, marker):
    write_own(tmp_path / "a", "1")
    (tmp_path / MARKER).write_text(marker)
    with pytest.raises(NotOurs):
        write_own(tmp_path / "a", "2")


def test_a_write_that_was_killed_after_it_was_noted_leaves_a_file_that_is_ours(tmp_path, monkeypatch):
    write_own(tmp_path / "a", "1")
    write = course_files.write_whole

    def killed(path, content):
        if path.name == "a":
            raise KeyboardInterrupt
        write(path, content)
    monkeypatch.setattr(course_files, "write_whole", killed)
    with pytest.raises(KeyboardInterrupt):
        write_own(tmp_path / "a", "2")
    monkeypatch.undo()
    write_own(tmp_path / "a", "3")


@pytest.mark.parametrize("damage", ["", "[" * 100_000, "null", '{"a": 1}', "a fifo"])
def test_a_marker_that_cannot_be_understood_notes_nothing(tmp_path, damage):
    (tmp_path / "a").write_text("mine")
    os.mkfifo(tmp_path / MARKER) if damage == "a fifo" else (tmp_path / MARKER).write_text(damage)
    with pytest.raises(NotOurs, match="not written by this command"):
        write_own(tmp_path / "a", "other")
    assert (tmp_path / "a").read_text() == "mine"


# Folders --------------------------------------------------------------------------------------------------------------

def build(place, **files):
    with folder_anew(place) as folder:
        for name, content in files.items():
            (folder / name).write_text(content)
        (folder / "below").mkdir()
        (folder / "below" / "c").write_text("c")


def test_a_folder_takes_the_place_of_nothing_of_an_empty_one_and_of_the_one_before(place):
    build(place, a="1")
    assert contents(place) == {"a": "1", "below/c": "c"}
    build(place, b="2")
    assert contents(place) == {"b": "2", "below/c": "c"}
    empty = place.with_name("empty")
    empty.mkdir()
    build(empty)
    assert sorted(os.listdir(place.parent)) == ["empty", "place"]


@pytest.mark.parametrize("how", [KeyboardInterrupt, OSError(28, "full")])
def test_a_folder_that_was_not_built_to_its_end_replaces_nothing(place, how):
    build(place, a="1")
    with pytest.raises((KeyboardInterrupt, OSError)), folder_anew(place) as folder:
        (folder / "a").write_text("half")
        raise how
    assert contents(place.parent) == {"place/a": "1", "place/below/c": "c"}


def test_a_process_that_is_killed_while_it_builds_leaves_the_folder_as_it_was(place):
    build(place, a="1")
    code = f"""
import os, course_files
with course_files.folder_anew({str(place)!r}) as folder:
    (folder / "a").write_text("half")
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    assert contents(place) == {"a": "1", "below/c": "c"} and len(os.listdir(place.parent)) == 2
    build(place, a="2")
    assert os.listdir(place.parent) == ["place"]


def test_of_what_builders_left_beside_the_folder_only_what_nobody_builds_in_or_changed_is_removed(place):
    build(place, a="1")
    for name in ".place.old.11111111", ".place.old.22222222", ".place.before.2026", ".place.new.ideas":
        shutil.copytree(place, place.with_name(name))
    for name in ".place.old.22222222", ".place.new.ideas":
        (place.with_name(name) / "mine").write_text("precious")
    place.with_name(".place.old.33333333").symlink_to("place")
    for name in ".place.new.44444444", ".place.new.55555555":
        place.with_name(name).mkdir()
    (place.with_name(".place.new.55555555") / "mine").write_text("precious")
    with folder_anew(place) as folder:
        build(place, a="2")
        left = {".place.old.22222222", ".place.old.33333333", ".place.new.55555555", ".place.before.2026", ".place.new.ideas", "place"}
        assert set(os.listdir(place.parent)) == left | {folder.name}
        (folder / "a").write_text("3")
    assert contents(place) == {"a": "3"} and set(os.listdir(place.parent)) == left


@pytest.mark.parametrize("change, reason", [
    (lambda place: (place / "a").write_text("changed"), r"\(a\)"),
    (lambda place: (place / "thesis.tex").write_text("mine"), r"\(thesis.tex\)"),
    (lambda place: ((place / "a").unlink(), (place / "a").symlink_to("below/c")), r"\(a\)"),
    (lambda place: [(place / name).write_text("mine") for name in "xyz"], r"\(x, y, z\), and"),
    (lambda place: [(place / name).write_text("mine") for name in "wxyz"], r"\(\w, \w, \w and others\), and"),
    (lambda place: os.mkfifo(place / "below" / "fifo"), r"\(below/fifo\)"),
    (lambda place: (place / MARKER).unlink(), "was not made by this command"),
])
def test_a_folder_that_somebody_changed_is_refused(place, change, reason):
    build(place, a="1")
    change(place)
    before = sorted(map(str, place.rglob("*")))
    with pytest.raises(NotOurs, match=reason):
        build(place, a="2")
    assert sorted(map(str, place.rglob("*"))) == before


def test_a_folder_that_is_changed_while_the_new_one_is_built_stays(place):
    build(place, a="1")
    with pytest.raises(NotOurs, match=r"\(mine\)"), folder_anew(place):
        (place / "mine").write_text("precious")
    assert contents(place.parent) == {"place/a": "1", "place/below/c": "c", "place/mine": "precious"}


def test_somebody_elses_folder_file_or_link_is_refused_before_anything_is_built(tmp_path):
    (tmp_path / "folder" / "empty").mkdir(parents=True)
    (tmp_path / "file").write_text("precious")
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "dangling").symlink_to("nothing")
    for name in "folder", "file", "link", "dangling":
        with pytest.raises(NotOurs, match=name), folder_anew(tmp_path / name):
            raise AssertionError("was built")
    assert sorted(os.listdir(tmp_path)) == ["dangling", "file", "folder", "link"]


def test_a_folder_whose_successor_cannot_be_put_in_place_comes_back(tmp_path):
    (tmp_path / "old").mkdir()
    with pytest.raises(FileNotFoundError):
        course_files.put_in_place(tmp_path / "new", tmp_path / "old")
    assert os.listdir(tmp_path) == ["old"]
