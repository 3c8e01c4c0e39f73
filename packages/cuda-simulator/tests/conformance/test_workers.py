"""Answers are found whatever becomes of the process that finds them. No GPU is needed here."""
import json
import os
import signal
import subprocess
import sys
import time

from . import answering, asking, careful, workers
from .asking import NOTHING, DriverQuestion
from .helpers.processes import FileDescriptor, OtherProcess, remembered
from .recording import alike, compare


def ask(function, **options):
    question = DriverQuestion("subject.name", "a title", function, NOTHING, alone=True, **options)
    return workers.ask_all([question], lambda: None, jobs=1, patience=2)["subject.name"]


def test_one_answer_a_dict_and_pairs():
    assert ask(lambda: 5) == {"": 5}
    assert ask(lambda: {"a": 1, "b": lambda: 2}) == {"a": 1, "b": 2}

    def pairs():
        yield "first", 1
        yield "second", lambda: [2]
    assert ask(pairs) == {"first": 1, "second": [2]}


def test_a_crash_is_an_answer_and_the_others_are_found_still():
    def crashing():
        yield "before", 1
        yield "crash", lambda: os.kill(os.getpid(), signal.SIGSEGV)
        yield "after", 2
    assert ask(crashing) == {"before": 1, "crash": "SIGSEGV", "after": 2}


def test_a_crash_between_two_answers_ends_the_question():
    def crashing():
        yield "before", 1
        os.kill(os.getpid(), signal.SIGABRT)
    assert ask(crashing) == {"before": 1, "(after the last answer)": "SIGABRT"}


def test_what_hangs_is_ended_with_its_children():
    def hanging():
        yield "hang", lambda: (os.fork(), time.sleep(60))
        yield "after", 2
    assert ask(hanging) == {"hang": "no answer", "after": 2}


def test_the_first_run_on_a_machine_compiles_what_the_questions_launch_and_is_answered(tmp_path):
    """NVRTC calls cuInit. A process that had compiled could not fork any that uses CUDA."""
    command = [sys.executable, "-m", "tests.conformance", "ask", "--only", "inside_kernels/windows.starts", "--driver", "simulated", "--jobs", "1"]
    done = subprocess.run(command, env=os.environ | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True, timeout=600)
    assert json.loads(done.stdout) == {"inside_kernels/windows.starts": {"shared": True, "array": True, "local": True}}


def test_nobody_waits_for_who_keeps_a_worker_s_pipe_open(monkeypatch):
    monkeypatch.setattr(workers, "GRACE", 0.3)

    def hanging():
        yield "hang", leave_a_child_and_hang
        yield "after", 2
    began = time.monotonic()
    assert ask(hanging) == {"hang": "no answer", "after": 2}
    assert time.monotonic() - began < 25


def leave_a_child_and_hang():
    if not os.fork():
        os.setsid()    # out of reach of what ends the worker
        time.sleep(30)
        os._exit(0)
    time.sleep(60)


def test_a_call_that_is_not_made_here_is_no_answer_and_the_others_are_found():
    def asking_for_too_much():
        yield "small", 1
        yield "large", refused_here
        yield "after", 2
        raise careful.NotAsked("too little memory")
    answers = ask(asking_for_too_much)
    assert answers == {"small": 1, "large": "(not asked) too little memory", "after": 2, careful.NOT_ASKED: "too little memory"}
    question = DriverQuestion("subject.name", "a title", None)
    assert compare(question, {"small": 1, "large": 3, "after": 5, "never": 4}, answers)[0] == 2


def refused_here():
    raise careful.NotAsked("too little memory")


def test_an_exception_is_an_answer():
    assert ask(lambda: {"wrong": lambda: 1 / 0, "right": 1}) == {"wrong": "raised ZeroDivisionError: division by zero", "right": 1}


def test_a_crash_of_the_gpus_driver_is_like_any_error():
    assert alike("SIGSEGV", "INVALID_HANDLE") and alike("SIGSEGV", "SIGSEGV")
    assert not alike("SIGSEGV", "SUCCESS") and not alike("SIGSEGV", 4)
    assert not alike("INVALID_VALUE", "SIGSEGV") and not alike(0, "INVALID_VALUE")


def test_excused_answers_are_not_compared():
    question = DriverQuestion("subject.name", "a title", None, varies={"time": "differs"}, stricter=None)
    compared, differences = compare(question, {"time": 1, "code": "SUCCESS", "gone": 1}, {"time": 2, "code": "INVALID_VALUE", "new": 1})
    assert compared == 2
    assert [d.label for d in differences] == ["code", "gone"]


def test_questions_are_named_after_their_module_and_function():
    assert all(f"tests.conformance.questions.{question.name.replace('/', '.')}"
               == f"{question.function.__module__}.{question.function.__name__}"
               for question in asking.load().values())


# -- other processes (processes.py): what they are asked to do -------------------------------------------------------------

def remember(value):
    remembered["value"] = value
    return remembered.get("before")


def recall():
    remembered["before"] = remembered["value"]
    return remembered["value"]


def process_id():
    return os.getpid()


def hang():
    time.sleep(60)


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def new_file(text):
    fd = os.memfd_create("passed on")
    os.write(fd, text)
    return FileDescriptor(fd)


def content(size, fd):
    return os.pread(fd, size, 0).decode()


def test_another_process_keeps_what_it_was_told_and_nobody_else_does():
    def turns():
        first, second = OtherProcess(None), OtherProcess(None)
        first.ask(remember, 7)
        yield "first", first.ask(recall)
        yield "second", second.ask(recall)
        yield "here", sorted(remembered)
        yield "three processes", len({os.getpid(), first.ask(process_id), second.ask(process_id)})
    assert ask(turns, processes=True) == {"first": 7, "second": "raised KeyError: 'value'", "here": [], "three processes": 3}


def test_descriptors_are_passed_in_both_directions():
    def turns():
        fd = OtherProcess(None).ask(new_file, b"a few words")
        yield "from one", content(5, fd)
        yield "to another", OtherProcess(None).ask(content, 11, fds=[fd])
    assert ask(turns, processes=True) == {"from one": "a few", "to another": "a few words"}


def test_how_another_process_ended_is_an_answer_and_it_stays_ended():
    def turns():
        crashed, hung, killed, left = (OtherProcess(None) for _ in range(4))
        yield "crashed", [crashed.ask(crash), crashed.ask(process_id)]
        yield "hung", [hung.ask(hang, patience=0.3), hung.ask(process_id)]
        yield "killed", [killed.kill(), killed.kill()]
        yield "left", left.leave()
    assert ask(turns, processes=True) == {"crashed": ["SIGSEGV"] * 2, "hung": ["no answer"] * 2, "killed": ["SIGKILL"] * 2, "left": "exit status 0"}


def test_no_other_process_outlives_its_question(tmp_path):
    noted = tmp_path / "pids"

    def leaving(last_answer):
        processes = [OtherProcess(None) for _ in range(3)]
        noted.write_text(" ".join(str(process.ask(process_id)) for process in processes))
        processes[0].start(hang)
        yield "last", last_answer
    for last_answer in (1, lambda: os.kill(os.getpid(), signal.SIGKILL)):
        ask(lambda last_answer=last_answer: leaving(last_answer), processes=True)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and any(os.path.exists(f"/proc/{pid}") for pid in noted.read_text().split()):
            time.sleep(0.05)
        assert not [pid for pid in noted.read_text().split() if os.path.exists(f"/proc/{pid}")]


def test_a_question_that_needs_more_devices_than_there_are_is_left_out_and_not_compared(monkeypatch):
    monkeypatch.setattr(answering, "_count_devices", lambda not_here: 1)
    answers = ask(lambda: 5, devices=2)
    assert answers == {careful.NOT_ASKED: "too few devices"}
    assert compare(DriverQuestion("subject.name", "a title", None), {"": 6}, answers) == (0, [])
    assert ask(lambda: 5, devices=1) == {"": 5}
