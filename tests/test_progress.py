"""The learner's record survives two notebooks, full disks and damage; progress and certificate tell what is in it."""
import contextlib
import fcntl
import json
import os
import re
import subprocess
import sys
import threading
import types
from pathlib import Path

import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from course_lib.core.errors import WrongArgument
from courseware import progress
from courseware.course import LESSONS, lesson
from courseware.exercises.catalogue import EXERCISES
from courseware.notebook import progress_file as module
from courseware.notebook.progress_file import LearnerRecord, record
from courseware.predictions.catalogue import PREDICTIONS

import pytest
from hypothesis import given, settings, strategies as some

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "course-progress.json"


@pytest.fixture
def own_record(path, monkeypatch):
    """The process's record, in a file of the test's."""
    monkeypatch.setenv("COURSE_PROGRESS", str(path))
    record.cache_clear()
    yield record()
    record.cache_clear()


def test_what_is_written_is_read_again(path):
    LearnerRecord(path).update("exercises", "views", tries=3, solved=True)
    assert LearnerRecord(path).entry("exercises", "views") == {"tries": 3, "solved": True}
    assert LearnerRecord(path).entry("exercises", "translate") == {} and not LearnerRecord(path).news()


def test_the_file_is_json_with_a_schema_version_and_nothing_else_is_left(path):
    LearnerRecord(path).update("predictions", "views-x", answer="ä", after=False)
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == module.SCHEMA
    assert os.listdir(path.parent) == [path.name]


def test_two_notebooks_do_not_lose_each_other_s_answers(path):
    first, second = LearnerRecord(path), LearnerRecord(path)
    first.update("exercises", "views", tries=1)
    second.update("exercises", "translate", tries=2)
    first.update("exercises", "views", solved=True)
    assert LearnerRecord(path).part("exercises") == {"views": {"tries": 1, "solved": True}, "translate": {"tries": 2}}


def write_many(path, name):
    for number in range(25):
        LearnerRecord(path).update("exercises", f"{name}-{number}", tries=number)


# In a process, which imports no more than a record needs, and begins when all of them are there.
WRITE_MANY = """
import sys
from pathlib import Path
from courseware.notebook.progress_file import LearnerRecord
print("ready", flush=True)
input()
for number in range(25):
    LearnerRecord(Path(sys.argv[1])).update("exercises", f"{sys.argv[2]}-{number}", tries=number)
"""


def test_threads_that_write_at_the_same_time_lose_nothing(path):
    writers = [threading.Thread(target=write_many, args=(path, name)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(LearnerRecord(path).part("exercises")) == 75


def test_processes_that_write_at_the_same_time_lose_nothing(path):
    with contextlib.ExitStack() as stack:
        writers = [stack.enter_context(subprocess.Popen([sys.executable, "-c", WRITE_MANY, path, name], cwd=ROOT, text=True,
                                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)) for name in "abc"]
        assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * 3
        for writer in writers:
            writer.stdin.write("\n")
            writer.stdin.flush()
    assert len(LearnerRecord(path).part("exercises")) == 75


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '{"schema": 0}', '{"schema": "1"}', "\x00",
                                  '{"schema": true}', '{"exam": {}}', '{"schema": 1, "exercises": {"views": {"mistakes": [3]}}}',
                                  '{"schema": 1, "exercises": {"views": {"tries": -1000001}}}', '{"schema": 1, "exam": []}', '{"schema": 1, "exercises": {"views": {"mistakes": null}}}',
                                  '{"schema": 1, "exercises": {"\\ud800": {"tries": 1}}}',
                                  '{"schema": 1, "exercises": {"views": {"tries": 1%s}}}' % ("0" * 4000),
                                  '{"schema": 1, "exercises": {"views": {"tries": "many"}}}', '{"schema": 1, "exercises": {"views": {"tries": 1000001}}}',
                                  '{"schema": 1, "exercises": {"views": 3}}', "[" * 100000])
def test_a_damaged_file_is_set_aside_and_said_once(path, text):
    path.write_text(text)
    mended = LearnerRecord(path)
    mended.update("exercises", "views", tries=1)
    assert path.with_name("course-progress.damaged-1.json").read_text() == text
    [sentence] = mended.news()
    assert "could not be understood" in sentence and "course-progress.damaged-1.json" in sentence and not mended.news()
    assert LearnerRecord(path).entry("exercises", "views") == {"tries": 1}


def test_a_field_that_this_course_does_not_know_and_a_great_many_tries_are_no_damage(path):
    entry = {"tries": 1_000_000, "mistakes": ["one"], "colour": "red"}
    path.write_text(json.dumps({"schema": 1, "exercises": {"views": entry}}))
    assert LearnerRecord(path).entry("exercises", "views") == entry


def test_several_damaged_files_are_all_kept(path):
    for number in range(1, 4):
        path.write_text(f"damage {number}")
        LearnerRecord(path).part("exam")
        assert path.with_name(f"course-progress.damaged-{number}.json").read_text() == f"damage {number}"


def test_the_file_of_a_newer_course_is_left_as_it_is(path):
    path.write_text('{"schema": 99}')
    learner_record = LearnerRecord(path)
    learner_record.update("exercises", "views", tries=1)
    assert path.read_text() == '{"schema": 99}' and learner_record.entry("exercises", "views") == {"tries": 1}
    assert "newer version" in learner_record.news()[0]


def full(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("call", ["replace", "open"])
def test_a_full_or_read_only_disk_keeps_the_record_in_memory_and_writes_it_later(path, monkeypatch, call):
    learner_record = LearnerRecord(path)
    learner_record.update("exercises", "views", tries=1)
    with monkeypatch.context() as disk:
        disk.setattr(module.os, call, full)
        for tries in (2, 3):
            learner_record.update("exercises", "views", tries=tries)
        assert learner_record.part("exercises") == {"views": {"tries": 3}}
    news = learner_record.news()
    assert all("No space left on device" in sentence and "written with the next one" in sentence for sentence in news) and len(news) == 1
    assert os.listdir(path.parent) == [path.name]
    learner_record.update("exercises", "translate", tries=5)
    assert LearnerRecord(path).part("exercises") == {"views": {"tries": 3}, "translate": {"tries": 5}}
    assert ["is written again" in sentence for sentence in learner_record.news()] == [True]


@pytest.mark.parametrize("kind", ["a pipe", "a device without an end", "a file that is too large", "another program's file"])
def test_what_is_no_record_is_left_as_it_is_and_said_once(tmp_path, kind):
    path = tmp_path / "package.json"
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind.startswith("a device"):
        path.symlink_to("/dev/zero")
    else:
        path.write_text('{"name": "mine"}' if kind.startswith("another") else " " * (module.MOST_BYTES + 1))
    learner_record, before = LearnerRecord(path), os.listdir(tmp_path)
    learner_record.update("exercises", "views", tries=1)
    learner_record.update("exercises", "views", tries=2)
    assert learner_record.part("exercises") == {"views": {"tries": 2}} and len(learner_record.news()) == 1
    assert os.listdir(tmp_path) == before and (not path.is_file() or path.stat().st_size in (16, module.MOST_BYTES + 1))


def test_the_file_keeps_its_permissions_and_a_hard_link_what_it_holds(path, tmp_path):
    LearnerRecord(path).update("exercises", "views", tries=1)
    path.chmod(0o600)
    os.link(path, tmp_path / "backup.json")
    LearnerRecord(path).update("exercises", "views", tries=2)
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / "backup.json").read_text())["exercises"] == {"views": {"tries": 1}}


@pytest.mark.parametrize("path", ["nowhere/record.json", "."], ids=["a folder that is not there", "a folder in the file's place"])
def test_where_no_file_can_be_written_the_record_is_kept_in_memory(tmp_path, path):
    learner_record = LearnerRecord(tmp_path / path)
    learner_record.update("exam", "trap", right=True)
    assert learner_record.entry("exam", "trap") == {"right": True} and len(learner_record.news()) == 1


def test_a_link_to_the_file_stays_a_link(path, tmp_path):
    linked = tmp_path / "elsewhere.json"
    path.symlink_to(linked)
    LearnerRecord(path).update("exam", "trap", right=True)
    assert path.is_symlink() and linked.exists()


@pytest.fixture
def held_lock(path, monkeypatch):
    """Another program has the lock; `release` gives it up."""
    monkeypatch.setattr(module, "LOCK_TIMEOUT", 0.05)
    folder = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    yield types.SimpleNamespace(release=lambda: fcntl.flock(folder, fcntl.LOCK_UN))
    os.close(folder)


def test_a_lock_that_is_held_does_not_stop_the_learner(path, held_lock):
    learner_record = LearnerRecord(path)
    learner_record.update("exam", "trap", right=True)
    learner_record.update("exam", "trap", answer="yes")
    assert learner_record.entry("exam", "trap") == {"right": True, "answer": "yes"}
    [sentence] = learner_record.news()
    assert "held by another program" in sentence and "written with the next one" in sentence


def test_on_a_file_system_without_locks_the_record_is_written_all_the_same(path, monkeypatch):
    monkeypatch.setattr(module.fcntl, "flock", full)
    LearnerRecord(path).update("exam", "trap", right=True)
    assert LearnerRecord(path).entry("exam", "trap") == {"right": True}


def test_nothing_is_written_without_the_lock_and_nothing_is_lost(path, held_lock):
    learner_record = LearnerRecord(path)
    learner_record.update("exercises", "views", tries=1)
    path.write_text(json.dumps({"schema": 1, "exercises": {"translate": {"tries": 5}}}))     # by the one who has the lock
    learner_record.update("exercises", "views", solved=True)
    assert "views" not in path.read_text()
    assert learner_record.part("exercises") == {"translate": {"tries": 5}, "views": {"tries": 1, "solved": True}}
    held_lock.release()
    learner_record.update("exam", "trap", right=True)
    there = LearnerRecord(path)
    assert there.part("exercises") == learner_record.part("exercises") and there.entry("exam", "trap") == {"right": True}
    assert not there.news()


AT_THE_END = """
import os, sys
from courseware.notebook import progress_file
progress_file.LOCK_TIMEOUT = 0.05
lock, progress_file._lock = progress_file._lock, lambda folder: False
progress_file.record().update("exam", "trap", right=True)
assert not os.path.exists(sys.argv[1])
progress_file._lock = lock
"""


def test_what_waits_still_is_written_when_the_kernel_ends(path):
    subprocess.run([sys.executable, "-c", AT_THE_END, str(path)], check=True,
                   env={**os.environ, "COURSE_PROGRESS": str(path)})
    assert LearnerRecord(path).entry("exam", "trap") == {"right": True}


def test_what_waits_no_more_is_not_written_when_the_kernel_ends(path):
    removed = 'progress_file.record().update("exam", "trap", answer="yes")\nos.remove(sys.argv[1])     # the learner does'
    subprocess.run([sys.executable, "-c", AT_THE_END + removed, str(path)], check=True, env={**os.environ, "COURSE_PROGRESS": str(path)})
    assert not path.exists()


def test_what_waits_is_kept_in_memory_where_the_file_fails_then(path, held_lock, monkeypatch):
    learner_record = LearnerRecord(path)
    learner_record.update("exercises", "views", tries=1)
    held_lock.release()
    monkeypatch.setattr(module.os, "replace", full)
    learner_record.update("exercises", "views", solved=True)
    assert learner_record.entry("exercises", "views") == {"tries": 1, "solved": True} and len(learner_record.news()) == 2


@pytest.mark.parametrize("value, file", [("off", None), ("OFF", None), ("", "course-progress.json"),
                                         ("mine.json", "mine.json"), ("~/mine.json", "mine.json")])
def test_the_environment_says_where(value, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COURSE_PROGRESS", value)
    record.cache_clear()
    assert record().path == (tmp_path / file if file else None)
    record().update("exam", "trap", right=True)
    assert os.listdir(tmp_path) == ([file] if file else [])
    record.cache_clear()


@pytest.mark.parametrize("fields", [{"tries": "1"}, {"tries": True}, {"unknown": 1}])
def test_a_field_of_another_type_is_never_written(path, fields):
    with pytest.raises(ValueError):
        LearnerRecord(path).update("exercises", "views", **fields)
    assert not path.exists()


@given(some.dictionaries(some.sampled_from(["schema", "exercises", "exam", "predictions"]),
                         some.recursive(some.none() | some.integers() | some.text(max_size=3),
                                        lambda inner: some.dictionaries(some.text(max_size=3), inner, max_size=2))))
@settings(max_examples=60)
def test_any_json_is_a_record_or_is_refused_with_a_reason(data):
    try:
        checked = module.checked(json.dumps(data))
    except ValueError as error:
        assert str(error)
    else:
        assert set(module.FIELDS) <= set(checked) and checked["schema"] == module.SCHEMA


# What is shown of it --------------------------------------------------------------------------------------------------

def exercises_of(topic):
    return [name for name, exercise in EXERCISES.items() if exercise.lesson == topic]


def test_progress_counts_over_all_lessons(own_record, capsys):
    asked = [name for name in PREDICTIONS if name.startswith("views-")]
    views, more = asked[:2]
    for name, right, after in ((views, True, False), (more, False, False), ("views-gone", True, False),
                               ("kernel-heap-fewest", True, False), ("kernel-heap-refused", True, True), ("gone", True, False)):
        own_record.update("predictions", name, answer="x", right=right, after=after)
    own_record.update("exercises", "views", solved=True, hints=2)
    own_record.update("exercises", "to-host", tries=1, solved=False, hints=1)
    own_record.update("exercises", "no-longer-there", solved=True, hints=2)
    progress.show()
    rows = {line[:2]: line.split() for line in capsys.readouterr().out.splitlines() if line}
    of_00, of_08 = exercises_of("views"), exercises_of("kernel-heap")
    assert rows["00"][-9:] == ["2", "of", str(len(asked)), "1", "■" + "□" * (len(of_00) - 1), "1", "of", str(len(of_00)), "2"]
    asked_of_08 = len(lesson("kernel-heap").read("predictions.toml"))
    assert rows["08"][-9:-4] == ["1", "of", str(asked_of_08), "1", "□" * len(of_08)] and rows["07"][-1] == "1"
    assert rows["al"][2:] == ["3", "of", str(len(PREDICTIONS)), "2", "1", "of", str(len(EXERCISES)), "3"]


def test_every_lesson_has_a_row_of_its_own_and_is_a_link(own_record, monkeypatch):
    htmls = []
    monkeypatch.setattr(progress.shown, "show", lambda text, html: htmls.append(html))
    progress.show()
    assert re.findall(r"<td[^>]*><a href='([^']+)'", htmls[0]) == [lesson.notebook for lesson in LESSONS]
    monkeypatch.chdir(ROOT / "notebooks" / "side_trips")
    progress.show()
    targets = re.findall(r"<td[^>]*><a href='([^']+)'", htmls[1])
    assert len(targets) == len(LESSONS) and all(Path(target).exists() for target in targets)


def test_progress_says_where_to_go_on(own_record, capsys):
    progress.show()
    assert "Next: lesson 00, exercise two-answers." in capsys.readouterr().out
    for name in EXERCISES:
        own_record.update("exercises", name, solved=True)
    progress.show()
    assert "Every exercise is solved" in capsys.readouterr().out


def test_the_end_of_a_lesson_says_what_is_solved_predicted_and_next(own_record, capsys):
    own_record.update("exercises", "translate", solved=True)
    own_record.update("predictions", "views-two-numbers", answer="equal", right=True, after=False)
    progress.lesson("views")
    asked, still_open = len(lesson("views").read("predictions.toml")), [name for name in exercises_of("views") if name != "translate"]
    solved = f"■{'□' * len(still_open)} 1 of {1 + len(still_open)}"
    assert capsys.readouterr().out.splitlines()[:4] == [
        f"00 Two views of one memory: exercises solved: {solved}; predicted: 1 of {asked}, 1 right.",
        f"Still open here: {', '.join(f'`{name}`' for name in still_open)}.", "Next: 01 Addresses from Python",
        "On the short road: 05 Mapped memory"]
    progress.lesson("mapped")
    assert "On the short road" not in capsys.readouterr().out, "its next lesson is the road's"
    progress.lesson("order")
    assert "\nNext: 17 Inside the kernel\nFrom the puzzles: 19 Memory in stream order\n" in capsys.readouterr().out
    progress.lesson("addresses")
    assert "\nOn the way: side trip: Three libraries\n" in capsys.readouterr().out
    for last in "stream-order", "fragmentation":        # the last lesson, and a side trip from it
        progress.lesson(last)
        said = capsys.readouterr().out
        assert "\nThe road ends here. " in said
        other_way = "\nThis is the last lesson from the puzzles. The other way begins with 00 Two views of one memory\n"
        assert (other_way in said) == (last == "stream-order")
    progress.lesson("why")
    assert "\nThis is the last lesson on the short road. The other way begins with 16 Who comes first?\n" in capsys.readouterr().out


def test_of_a_lesson_that_is_done_nothing_is_said_to_be_open_and_it_gets_its_mark(own_record, monkeypatch):
    shown, names = [], exercises_of("views")
    monkeypatch.setattr(progress.shown, "show", lambda *text_and_html: shown.append(text_and_html))
    for name in names:
        own_record.update("exercises", name, solved=True)
        progress.lesson("views")
    assert shown[-1][0].splitlines()[1] == "Next: 01 Addresses from Python"
    assert ["&#10003;" in html for _, html in shown] == [name == names[-1] for name in names]


def test_the_line_at_the_end_of_a_lesson_links_to_the_next_one(own_record, monkeypatch):
    shown = []
    monkeypatch.setattr(progress.shown, "show", lambda text, html: shown.append(html))
    monkeypatch.chdir(ROOT / "notebooks" / "side_trips")
    for lesson_ in LESSONS:
        progress.lesson(lesson_.topic)
        targets = re.findall(r"<a href='([^']+)'", shown[-1])
        assert all(Path(target).exists() for target in targets) and (targets or lesson_ is LESSONS[-1])


def test_a_lesson_that_there_is_not_is_refused():
    with pytest.raises(WrongArgument, match="There is no lesson 'pined'"):
        progress.lesson("pined")


# Beginning again ------------------------------------------------------------------------------------------------------

def test_a_reset_wants_a_word_and_keeps_what_was(own_record, path, capsys):
    own_record.update("exercises", "views", solved=True)
    before = path.read_text()
    progress.reset()
    progress.reset("yes")
    assert path.read_text() == before and "progress.reset('start over')" in capsys.readouterr().out
    progress.reset("start over")
    aside = path.with_name("course-progress.before-reset-1.json")
    assert aside.read_text() == before and str(aside) in capsys.readouterr().out
    assert not path.exists() and record().part("exercises") == {}
    own_record.update("exercises", "spy", solved=True)
    assert list(LearnerRecord(path).part("exercises")) == ["spy"]


def test_before_the_first_answer_there_is_nothing_that_a_reset_could_keep(own_record, path):
    assert own_record.reset() is None and not path.exists()


def test_a_second_reset_keeps_both(own_record, path):
    for name in "views", "spy":
        own_record.update("exercises", name, solved=True)
        progress.reset("start over")
    assert [list(module.checked(module.content(path.with_name(f"course-progress.before-reset-{number}.json")))["exercises"])
            for number in (1, 2)] == [["views"], ["spy"]]


def test_a_reset_keeps_what_still_waited_to_be_written(own_record, path, held_lock):
    own_record.update("exercises", "views", tries=1)
    held_lock.release()
    assert module.checked(module.content(own_record.reset()))["exercises"] == {"views": {"tries": 1}}
    assert own_record.part("exercises") == {}


def test_a_record_that_is_held_or_cannot_be_renamed_is_not_reset(own_record, path, held_lock, capsys, monkeypatch):
    path.write_text(json.dumps({"schema": 1, "exercises": {"views": {"tries": 1}}}))
    progress.reset("start over")
    assert "Nothing was changed: course-progress.json is held by another program." in capsys.readouterr().out
    held_lock.release()
    monkeypatch.setattr(module.Path, "rename", full)
    progress.reset("start over")
    assert "Nothing was changed: No space left" in capsys.readouterr().out and own_record.part("exercises") != {}


def test_a_record_in_memory_is_emptied(monkeypatch, capsys):
    monkeypatch.setenv("COURSE_PROGRESS", "off")
    record.cache_clear()
    record().update("exercises", "views", solved=True)
    progress.reset("start over")
    assert record().part("exercises") == {} and "There was no file" in capsys.readouterr().out
    record.cache_clear()


# The certificate ------------------------------------------------------------------------------------------------------

def test_the_certificate_is_a_file_of_what_was_answered(own_record, path, capsys):
    own_record.update("exercises", "views", solved=True)
    own_record.update("exercises", "to-host", solved=True, solution=True)
    target = path.with_name("certificate.md")
    progress.certificate(target)
    text = target.read_text(encoding="utf-8")
    assert "- Back from memory to addresses (lesson 00)\n" in text
    assert "- The way back (lesson 07), after its solution was shown" in text
    assert "This is a record, not a proof." in text and "## Exam\n\nNot taken yet." in text and "Written on 2" in text
    assert f"This is in the file {target}" in capsys.readouterr().out


def test_a_certificate_that_cannot_be_written_is_shown(own_record, tmp_path, capsys):
    progress.certificate(tmp_path / "nowhere" / "certificate.md")
    out = capsys.readouterr().out
    assert "cannot be written (No such file or directory)" in out and "what was done" in out


def test_a_certificate_needs_a_name_that_a_file_can_have(own_record, capsys):
    for path in None, 3:
        with pytest.raises(WrongArgument, match="path is the name of the file"):
            progress.certificate(path)
    with pytest.raises(WrongArgument, match="at most 255 bytes, and this one has 5000"):
        progress.certificate("x" * 5000)
    progress.certificate("a\0b")
    assert "cannot be written (" in capsys.readouterr().out


def test_no_certificate_is_written_where_nothing_is(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("COURSE_PROGRESS", "off")
    monkeypatch.chdir(tmp_path)
    record.cache_clear()
    progress.certificate()
    record.cache_clear()
    assert "No file was written" in capsys.readouterr().out and os.listdir(tmp_path) == []
