"""Files of other systems' answers: how they are made, what they have to be, and docs/systems.md in step with them."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from . import asking, careful, recording, workers
from .systems import comparing, files, machine, page, report, session, topics

QUESTIONS = asking.load()
HEAD = {"schema": 1, "asked with": "python -m tests.conformance.systems ask", "date": "2026-11-22", "device": "NVIDIA GeForce RTX 3060",
        "driver": "580.95.05", "cuda": "13.0", "compute capability": "8.6", "memory": 12 << 30, "devices": 1,
        "system": "Linux 6.12", "processor": "a processor", "host memory": 32 << 30, "python": "3.12.3",
        "cuda-bindings": "13.0.3", "nvrtc": "13.0", "seconds": 200, "questions": 1}
NULL = "device_memory/allocations.free_by_kind"
CONTRIBUTED = sorted(files.FOLDER.glob("*.json"))


# -- what is in the repository -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", CONTRIBUTED, ids=lambda path: path.stem)
def test_a_contributed_file_is_whole_and_named_after_what_it_has(path):
    assert files.faults(path, *files.load(path)) == []


def test_the_page_has_what_the_files_have():
    assert page.PAGE.read_text(encoding="utf-8") == page.text(files.systems()), (
        "python -m tests.conformance.systems page"
    )


def test_every_question_has_its_topic():
    assert topics.TOPICS.keys() == {question.topic for question in QUESTIONS.values()}, "name the folder in systems/topics.py, TOPICS"


def test_every_claim_rests_on_an_answer():
    recorded = recording.load()[1]
    labels = [(question, label) for name, question in QUESTIONS.items() for label in recorded.get(name, {"": None})]
    answered = {topics.rest(question, label).says for question, label in labels}
    assert [says for _, _, says in topics.CLAIMS if says not in answered] == []


# -- what a file has to be ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change, fault",
    [
        ({}, None),
        ({"device": "NVIDIA H200 (simulated)"}, "simulated"),
        ({"driver": "unknown"}, "the driver's version"),
        ({"memory": "12 GiB"}, "memory is no int"),
        ({"host": "ada's laptop"}, "a field host"),
        ({"questions": 5}, "5 questions"),
        ({"date": "2026-11-23"}, "is called nvidia-geforce-rtx-3060-580-95-05-2026-11-23.json"),
    ],
)
def test_faults_of_a_header_are_told(change, fault):
    head = HEAD | change
    name = files.name(HEAD if "date" in change else head)
    faults = files.faults(name, head, {NULL: {"null": "SUCCESS"}})
    assert (fault in faults[0] and len(faults) == 1) if fault else not faults


def test_a_missing_field_and_an_address_are_faults():
    assert files.faults(files.name(HEAD), {key: HEAD[key] for key in HEAD if key != "system"}, {}) == [
        "the header has no system"
    ]
    faults = files.faults(files.name(HEAD), HEAD, {NULL: {"null": ["SUCCESS", {"at": 0x7F12_3456_7000}]}})
    assert faults == [f"there are addresses in it: {NULL}: null"]


def test_a_damaged_file_is_refused(tmp_path):
    for number, content in enumerate(
        ["", "[]", "{}", '{"header": 1, "answers": {}}', '{"header": {}, "answers": {"a": 1}}']
    ):
        path = tmp_path / f"{number}.json"
        path.write_text(content)
        with pytest.raises(ValueError, match=r"\d.json: this is no file of"):
            files.load(path)


def test_what_was_saved_is_loaded(tmp_path):
    path = tmp_path / files.name(HEAD)
    files.save(path, HEAD, {NULL: {"null": "SUCCESS", "host": [1, None]}})
    assert files.load(path) == (HEAD, {NULL: {"null": "SUCCESS", "host": [1, None]}})
    assert [path_.name for path_ in tmp_path.iterdir()] == ["nvidia-geforce-rtx-3060-580-95-05-2026-11-22.json"]


# -- asking, and going on ----------------------------------------------------------------------------------------------


def ask(path, names, known_answers=None, attach=lambda: None):
    return session.ask([QUESTIONS[name] for name in names], attach, path, HEAD, known_answers or {}, jobs=2, patience=5)


def test_answers_are_added_to_what_is_known(tmp_path, monkeypatch):
    path = tmp_path / files.name(HEAD)
    monkeypatch.setattr(
        workers, "ask_all", lambda questions, *arguments, **options: {question.name: {"": 1} for question in questions}
    )
    ask(path, [NULL], {"errors/codes_and_entry_points.names": {"": 2}})
    head, answers = files.load(path)
    assert answers == {"errors/codes_and_entry_points.names": {"": 2}, NULL: {"": 1}} and head["questions"] == 2


def test_the_newest_file_that_lacks_something_is_gone_on_with(tmp_path):
    def save(date, answers, **change):
        files.save(tmp_path / files.name(HEAD | {"date": date}), HEAD | {"date": date} | change, answers)

    everything = {name: {"": 1} for name in QUESTIONS}
    save("2026-11-01", {NULL: {"": 1}})
    save("2026-11-02", {NULL: {"": 2}})
    save("2026-11-03", everything)
    save("2026-11-04", {NULL: {"": 4}}, cuda="13.1")
    (tmp_path / files.name(HEAD | {"date": "2026-11-05"})).write_text("broken")
    path, head, answers = session.open_file(tmp_path, None, HEAD)
    assert (head["date"], answers) == ("2026-11-02", {NULL: {"": 2}})
    path.unlink()
    (tmp_path / files.name(HEAD | {"date": "2026-11-01"})).unlink()
    assert session.open_file(tmp_path, None, HEAD) == (tmp_path / files.name(HEAD), HEAD, {})


def test_nothing_of_another_system_is_overwritten(tmp_path):
    path = tmp_path / "mine.json"
    files.save(path, HEAD | {"device": "NVIDIA L4"}, {})
    with pytest.raises(ValueError, match=r"the answers of another system, NVIDIA L4 \(driver 580.95.05.*--output"):
        session.open_file(tmp_path, path, HEAD)
    with pytest.raises(ValueError, match="no folder that can be written to"):
        session.open_file(tmp_path, tmp_path / "nowhere" / "mine.json", HEAD)


def test_costly_questions_are_first_and_by_themselves():
    ordered = session.in_order(
        [QUESTIONS[name] for name in ("contexts/contexts.stack", "errors/kernel_faults.after_trap", "device_memory/allocations.kernel_reads", NULL)]
    )
    assert [(question.name, question.alone) for question in ordered] == [
        ("errors/kernel_faults.after_trap", True),
        ("device_memory/allocations.kernel_reads", True),
        ("contexts/contexts.stack", False),
        (NULL, False),
    ]


PROGRAM = """
import os, sys, time
from pathlib import Path
from tests.conformance import asking, workers
from tests.conformance.systems import files, session
session.OFTEN = 0
def quick(): return 1
def slow():
    yield "first", 1
    yield "second", lambda: time.sleep(60)
for number in range(3):
    name = f"quick{number}.one"
    asking.QUESTIONS[name] = asking.DriverQuestion(name, "", quick, asking.NOTHING, alone=True)
asking.QUESTIONS["slow.one"] = asking.DriverQuestion("slow.one", "", slow, asking.NOTHING, alone=True)
print("asking", flush=True)
def attach():
    with open(sys.argv[2], "a") as pids: pids.write(f"{os.getpid()} ")
session.ask(list(asking.QUESTIONS.values()), attach, Path(sys.argv[1]), {"seconds": 0}, {}, 2, 60)
"""


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_what_was_answered_is_kept_and_no_worker_is_left(tmp_path, ended_by):
    path, pids = tmp_path / "answers.json", tmp_path / "pids"
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, path, pids], cwd=page.ROOT, env=os.environ | {"PYTHONPATH": str(page.ROOT)}
    )
    until(lambda: path.exists() and len(json.loads(path.read_text())["answers"]) == 3)
    running.send_signal(ended_by)
    running.wait(10)
    assert json.loads(path.read_text())["answers"] == {f"quick{number}.one": {"": 1} for number in range(3)}
    until(lambda: not [pid for pid in pids.read_text().split() if os.path.exists(f"/proc/{pid}")])


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# -- what differs ------------------------------------------------------------------------------------------------------

OURS = {
    NULL: {"null": "SUCCESS", "host": "SIGSEGV", "freed": 1},
    "kernel_heap/malloc_and_free.default": {"": 8 << 20},
    "devices/properties.what": {"name": "NVIDIA H200"},
}


def test_crashes_and_what_varies_are_no_differences():
    theirs = {
        NULL: {"null": "SUCCESS", "host": "INVALID_VALUE", "freed": 1, "new": 2},
        "devices/properties.what": {"name": "another"},
        "managed/pages_at_the_host.page_size": {"": 4096},
        "no.longer": {"": 1},
    }
    compared = comparing.compare(OURS, theirs)
    assert (compared.count, compared.differences, compared.unshared, compared.varying) == (3, [], 2, 1)
    assert comparing.beside([OURS, theirs]) == []


def test_a_difference_is_told_with_question_answers_and_topic():
    theirs = OURS | {"kernel_heap/malloc_and_free.default": {"": 1 << 20}}
    lines = "\n".join(
        report.comparison(
            comparing.compare(OURS, theirs), {"device": "NVIDIA H200", "driver": "1", "cuda": "13.0", "date": "today"}
        )
    )
    assert (
        lines
        == """kernel_heap/malloc_and_free.default: the heap is 8 MiB unless set
    answer
        NVIDIA H200: 8388608
        here: 1048576
    The heap of kernels: the heap has 8 MiB unless set.

Compared with NVIDIA H200 (driver 1, CUDA 13.0, today): 4 answers, 3 alike, 1 different.
Not compared: 0 that the other was not asked, 1 that vary from run to run or by the device's size."""
    )


def test_what_could_not_be_asked_is_told_once():
    theirs = {NULL: {"(question)": "raised Refused: NOT_SUPPORTED"}}
    compared = comparing.compare(OURS, theirs)
    lines = [line for line in report.comparison(compared, HEAD) if "missing" in line]
    assert lines == ["    here 3 of its answers are missing: (not answered: raised Refused: NOT_SUPPORTED)"]
    assert [(label, values) for _, rows in comparing.beside([OURS, theirs]) for label, values in rows] == [
        (comparing.HOW_IT_ENDED, ["in good order", "raised Refused: NOT_SUPPORTED"])
    ]


def test_the_page_puts_three_systems_beside_each_other():
    second = {
        NULL: {"null": "INVALID_VALUE", "host": "SIGSEGV", "freed": 1},
        "kernel_heap/malloc_and_free.default": {careful.NOT_ASKED: "too little memory"},
    }
    third = {NULL: OURS[NULL], "kernel_heap/malloc_and_free.default": {"": 8 << 20}}
    text = page.text([(HEAD, OURS), (HEAD | {"driver": "590.1"}, second), (HEAD | {"device": "NVIDIA|L4"}, third)])
    assert "| asked | NVIDIA GeForce RTX 3060, 580.95.05 | NVIDIA GeForce RTX 3060, 590.1 | NVIDIA\\|L4 |" in text
    assert "Of the 2 questions that at least two of them were asked, 1 got the same answers. In the other 1, **1 answer differs**." in text
    assert "All of them have compute capability 8.6" in text and "| null | SUCCESS | INVALID_VALUE | SUCCESS |" in text
    assert "### Device memory" in text
    assert "| NVIDIA GeForce RTX 3060, 590.1 | 1 | The heap of kernels | too little memory |" in text


def test_neighbours_with_the_same_answers_share_a_row():
    rows = [("size 1", ["a", "b"]), ("size 2", ["a", "b"]), ("size 4", ["a", "c"]), ("other", ["a", "c"])]
    assert page.together(rows) == [["size 1, 2", "a", "b"], ["size 4, other", "a", "c"]]


def test_a_reason_is_given_only_for_what_differs():
    differing = {question.name for question, _ in comparing.beside([answers for _, answers in files.systems()])}
    assert topics.REASONS.keys() <= differing


# -- the machine -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("free, mode, jobs", [(80 << 30, 0, 4), (4 << 30, 0, 2), (1 << 30, 0, 1), (80 << 30, 3, None)])
def test_as_many_ask_at_once_as_fit(monkeypatch, free, mode, jobs):
    monkeypatch.setattr(machine, "_memory_free", lambda: (free, mode))
    monkeypatch.setattr(careful, "host_memory_free", lambda: 64 << 30)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(4))
    if jobs:
        assert machine.fitting_jobs(lambda: None) == jobs
    else:
        with pytest.raises(RuntimeError, match="not for several processes at once"):
            machine.fitting_jobs(lambda: None)


def test_a_device_that_does_not_answer_is_told():
    def dies():
        os.kill(os.getpid(), signal.SIGKILL)
    with pytest.raises(RuntimeError, match="no device answers"):
        machine.header(dies)
    with pytest.raises(RuntimeError, match="no room for a context"):
        machine.fitting_jobs(dies)


# -- care --------------------------------------------------------------------------------------------------------------


def test_no_more_managed_memory_is_asked_for_than_is_free(monkeypatch):
    from cuda.bindings import driver as cu

    sizes = []
    monkeypatch.setattr(cu, "cuMemAllocManaged", lambda size, flags: sizes.append(size))
    monkeypatch.setattr(cu, "cuMemGetInfo", lambda: (0, 6 << 30, 8 << 30))
    monkeypatch.setattr(careful, "host_memory_free", lambda: 4 << 30)
    careful.hold_back()
    for size in (1, careful.SMALL, 4 << 30):
        cu.cuMemAllocManaged(size, 1)
    for size in ((4 << 30) + 1, 1 << 46, 1 << 63):
        with pytest.raises(careful.NotAsked, match="more managed memory than is free"):
            cu.cuMemAllocManaged(size, 1)
    assert sizes == [1, careful.SMALL, 4 << 30]


def test_what_is_free_is_what_the_machine_and_the_container_leave(tmp_path, monkeypatch):
    limit, used = tmp_path / "max", tmp_path / "current"
    monkeypatch.setattr(careful, "CGROUP", ((limit, used),))
    free = careful.host_memory_free()
    assert free > 0
    limit.write_text(str(used.write_text("5") and 1005))
    assert careful.host_memory_free() == 1000
    limit.write_text("max")
    assert abs(careful.host_memory_free() - free) < 4 << 30
