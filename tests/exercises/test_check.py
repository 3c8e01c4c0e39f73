"""What a learner is told by `check`, `hint` and `solution`, whatever is passed."""
import dataclasses
import threading
import time
from unittest import mock

from course_lib import driver
from course_lib.core.errors import CudaError, WrongArgument
from courseware import exercises
from courseware.exercises import actions, examined, faults, judge as judging, trials, views
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.feedback import feedback
from courseware.exercises.judge import judge
from courseware.exercises.recognise import simplest_wrong
from courseware.exercises.trials import run_cases
from courseware.exercises.values import same
from courseware.kernel_views import Examined
from courseware.lessons.stream_order import harness
from courseware.notebook.progress_file import record

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu
from hypothesis import given, settings, strategies as some


def endless(book, host_address):
    while True:
        pass


def endless_and_deaf(book, host_address):
    while True:
        try:
            print("still here")
        except:     # noqa: E722  (as a learner may write it)
            pass


def leaves(book, host_address):
    raise SystemExit(1)


def raises(book, host_address):
    return book["no such block"]


def deep(book, host_address):
    return deep(book, host_address)


def takes_len_away(book, host_address):
    import builtins
    builtins.len = None
    return 20000


def takes_all_away(book, host_address):
    import builtins
    for name in list(vars(builtins)):
        vars(builtins)[name] = None


class Odd:
    def __eq__(self, other):
        raise ValueError("not to be compared")

    def __repr__(self):
        raise ValueError("not to be shown")


@pytest.mark.parametrize("answer, says", [
    (None, "wants the function itself"), (None, "It got nothing."), (12, "It got an int."), ("to_device", "It got a str."),
    (lambda: 1, "is called with 2 arguments"), (lambda book: 1, "keep the starter's first line"),
    (endless, "was stopped before its end"), (endless_and_deaf, "was stopped before its end"), (leaves, "raises SystemExit"),
    (raises, "raises TypeError for the start of a block"), (deep, "raises RecursionError"),
    (lambda book, address: print("hello") or book, "Printed while it ran:\n\n    hello"),
    (lambda book, address: Odd(), "and gives `<Odd instance"),
    (lambda book, address: [0] * 10**6, "and gives `[0, 0, 0"),
    (lambda book, address: True, "gives the same every time"), (max, "raises TypeError"),
    (lambda book, address: book.clear(), "end in a `return` with a value?"),
    (takes_len_away, "the name len another meaning"), (takes_all_away, "another meaning in all of Python"),
], ids=lambda value: None if not isinstance(value, str) else value[:20])
def test_every_wrong_answer_gets_a_sentence(answer, says, printed, monkeypatch):
    with monkeypatch.context() as patched:
        if says == "was stopped before its end":
            patched.setattr(trials, "SECONDS", 0.5)
        exercises.check("to-device", answer)
    text = printed()
    assert says in text and "Traceback" not in text
    # and the next check is as good as before
    exercises.check("to-device", EXERCISES["to-device"].answer(EXERCISES["to-device"].solution))
    assert printed().startswith("Solved.")


def test_what_was_raised_is_told_once(printed):
    exercises.check("to-device", raises)
    assert printed().count("list indices must be integers") == 1


def test_the_timer_rings_in_the_answer_only(printed, monkeypatch):
    monkeypatch.setattr(trials, "SECONDS", 0.1)
    line_of = trials.line_of

    def slow_line_of(error):
        end = time.monotonic() + 0.1        # five rings
        while time.monotonic() < end:
            len("reading the source from a slow disk")
        return line_of(error)
    monkeypatch.setattr(trials, "line_of", slow_line_of)
    exercises.check("to-device", endless)
    assert "was stopped before its end" in printed()



@pytest.mark.parametrize("call, says", [
    (lambda: exercises.check("to-device"), "Say what is to be checked: `exercises.check('to-device', to_device)`"),
    (lambda: exercises.check("to-devise", max), "Did you mean 'to-device'"),
    (lambda: exercises.check(None), "There is no exercise None. There are: two-answers, "),
    (lambda: exercises.hint("nothing"), "There is no exercise"), (lambda: exercises.show(3), "There is no exercise"),
    (lambda: exercises.solution(["to-device"]), "There is no exercise"),
    (lambda: exercises.check("is-pinned", lambda: 1), "is called with 1 argument, (address), and yours takes ()"),
    (lambda: exercises.check("vmm-order", ""), "Give the lines in order, by their names: `exercises.check('vmm-order', \"...\")`"),
    (lambda: exercises.check("follow", {"a": 1}), "keep the starter's questions"),
    (lambda: exercises.check("follow", 1), "wants a dict"),
    (lambda: exercises.check("address-book", max), "wants a Python class"),
    (lambda: exercises.check("staging-kernel", max), "wants CUDA C++ source"),
    (lambda: exercises.check("vmm-order", 3), "wants the lines of a program in order"),
    (lambda: exercises.check("vmm-order", "reserve"), "The line 'create' is missing"),
    (lambda: exercises.check("vmm-order", "reserve creat fre"), "There is no line 'creat'"),
    (lambda: exercises.check("vmm-order", "free free reserve reserve create map access use unmap release"),
     "The line 'free' comes more than once"),
])
def test_every_wrong_call_gets_a_sentence(call, says, printed):
    call()
    assert says in printed()


@pytest.mark.parametrize("name, answer", [
    ("translate", lambda pages, address: pages.get(address // 4096)),
    ("address-book", type("Book", (), {"__init__": lambda self: None, "add": lambda self, *view: view,
                                       "free": lambda self, view: None, "to_device": lambda self, address: None,
                                       "to_host": lambda self, address: None})),
    ("heap-exhausted", """__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    try { blocks[threadIdx.x] = new char[sizes[threadIdx.x]]; } catch (...) { atomicAdd(failed, 1); }
}"""),
    ("follow", {question: "no idea" for question in EXERCISES["follow"].answer(EXERCISES["follow"].starter)}),
])
def test_who_wrote_something_is_never_told_that_it_is_the_starter(name, answer):
    verdict = judge(EXERCISES[name], answer)
    assert not verdict.solved and verdict.tried and "starter" not in verdict.reason


def test_the_starter_is_told_in_words_that_fit_it(printed):
    for name, put in (("follow", "Replace each `\"?\"` with your answer; then run"), ("translate", "ending in a `return`; then run"),
                      ("staging-kernel", "Replace the `...` with your code; then run"), ("address-book", "Replace the `...` with your code; then run")):
        exercises.check(name, EXERCISES[name].answer(EXERCISES[name].starter))
        assert put in printed()


def test_a_kernel_with_a_part_of_the_starter_left_says_so():
    starter = EXERCISES["heap-exhausted"].starter
    verdict = judge(EXERCISES["heap-exhausted"], starter.replace("...", "char *mine = (char *) malloc(1);\n    ...", 1))
    assert verdict.tried and verdict.reason.startswith("A `...` of the starter still stands there. It does not compile.")


def test_a_wrong_value_is_told_with_the_call_and_what_was_expected(printed):
    exercises.check("to-device", lambda book, host_address: host_address % 1000 + 7)
    text = printed()
    assert "to_device([(5000, 70000, 64), (1000, 20000, 16)], 1000)" in text
    assert "For the start of a block, this should give `20000`, and gives `7`:" in text
    assert "exercises.hint('to-device')" in text


def test_an_answer_that_spoils_its_arguments_is_wrong_the_second_time(printed):
    solution = EXERCISES["to-device"].answer(EXERCISES["to-device"].solution)

    def to_device(book, host_address):
        address = solution(book, host_address)
        book.clear()
        return address

    def in_order(book, host_address):       # gives the same each time, but the statement says that the book stays as it is
        book.sort()
        return solution(book, host_address)
    exercises.check("to-device", to_device)
    assert "it changes `book`" in (text := printed()) and "should give `20000`, and gives `None` the second time" in text
    assert judge(EXERCISES["to-device"], solution).solved and not judge(EXERCISES["to-device"], in_order).solved
    assert judge(dataclasses.replace(EXERCISES["to-device"], keeps=False), in_order).solved


def test_a_reply_begins_with_what_came_and_what_should_have(printed):
    exercises.check("translate", lambda table, address: table.get(address // 16, 0))
    assert printed().startswith("Not yet. For an address inside a page, this should give `133`, and gives `8`:")


def prints(table, address):
    print(table[address // 16] * 16 + address % 16 if address // 16 in table else None)


def finds(table, address):
    table[address // 16] * 16 + address % 16 if address // 16 in table else None


def sorts(table, byte):
    addresses = [page * 16 + byte % 16 for page in table if table[page] == byte // 16]
    return addresses.sort()


def untaken(address):
    from cuda.bindings import driver as cu
    return not cu.cuMemHostGetDevicePointer(address, 0)


def counts(table, byte):
    addresses, page = [], 0
    while page >= 0:
        page += 1
    return addresses


@pytest.mark.parametrize("name, answer, says", [
    ("translate", prints, "`translate` prints `133`, which is right, and returns nothing."),
    ("translate", finds, "`translate` has no `return` with a value, so what it gives is None."),
    ("views", sorts, "`sort` changes what it is called on, and returns None itself: is that what you return?"),
    ("is-pinned", untaken, "`return not cu.cuMemHostGetDevicePointer(address, 0)` uses the whole tuple that the call returns"),
    ("views", counts, "When its time was up, it was in the line `"),
])
def test_a_common_slip_gets_one_sentence_the_same_everywhere(name, answer, says, printed, monkeypatch):
    monkeypatch.setattr(trials, "SECONDS", 0.5)
    exercises.check(name, answer)
    assert says in printed()


@pytest.mark.skipif(not driver.attached.simulated, reason="a GPU's driver does not tell where a kernel was")
def test_a_kernel_that_never_ends_is_told_by_its_line(printed, monkeypatch):
    monkeypatch.setenv("CUDA_SIMULATOR_KERNEL_SECONDS", "0.5")
    exercises.check("heap-exhausted", """
__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    for (int i = threadIdx.x; i < 100;)
        *failed = i;
}""")
    assert "Your kernel `allocate` was stopped, because the check waits no longer. When its time was up, thread (0,0,0) of block (0,0,0) was in line" in printed()


def test_a_mistake_is_stated_where_it_is_singled_out_and_asked_where_it_is_not(printed):
    exercises.check("translate", lambda table, address: table.get(address))
    assert "\n\nYou look up the whole address, " in printed()
    exercises.check("translate", lambda table, address: table.get(address, -1 if address // 16 in table else None))
    assert "You look up the whole address" not in printed().replace("Is it this? You look up", "")


def test_hints_come_one_by_one_then_the_way_to_the_solution(printed):
    first, second = EXERCISES["to-host"].hints
    for there, not_yet in ((first, second), (second, "no more hints"), ("no more hints", None)):
        exercises.hint("to-host")
        text = printed()
        assert there in text and (not_yet is None or not_yet not in text)
    exercises.solution("to-host")
    assert "return host_start + (device_address - device_start)" in printed()


def test_what_stands_below_a_button_names_buttons_and_no_calls(printed):
    exercise, puzzle = EXERCISES["to-host"], EXERCISES["vmm-order"]
    texts = [actions.solution(exercise)[0], *(actions.hint(exercise)[0] for _ in range(3)), actions.check(puzzle, "reserve create")[0],
             actions.check(puzzle, puzzle.solution)[0]]
    assert sum("exercises." in text for text in texts) == 3
    assert [text for text in map(views.by_buttons, texts) if "exercises." in text] == []


def test_the_solution_is_shown_without_hints_to_who_asks_twice(printed):
    exercises.solution("views")
    assert "There are 2 hints left" in printed()
    exercises.solution("views")
    assert "divmod(byte, 16)" in printed()
    assert record().entry("exercises", "views")["solution"]


def test_who_has_solved_it_sees_the_solution_at_once(printed):
    exercises.check("views", EXERCISES["views"].answer(EXERCISES["views"].solution))
    exercises.solution("views")
    assert "divmod" in printed() and record().entry("exercises", "views") == {"tries": 1, "solved": True}


def test_a_solved_exercise_stays_solved(printed):
    exercises.check("views", EXERCISES["views"].answer(EXERCISES["views"].solution))
    exercises.check("views", lambda table, byte: [])
    entry = record().entry("exercises", "views")
    assert (entry["tries"], entry["solved"]) == (2, True)


def test_a_solved_exercise_says_how_many_of_its_lesson_are_and_says_so_when_it_is_shown_again(printed):
    of_the_lesson = sum(exercise.lesson == "views" for exercise in EXERCISES.values())
    exercises.show("views")
    assert "You have solved this" not in printed()
    exercises.check("views", EXERCISES["views"].answer(EXERCISES["views"].solution))
    assert "Solved. All " in (text := printed()) and f"That is 1 of {of_the_lesson} in this lesson." in text
    record().update("exercises", "translate", solved=True)
    exercises.show("views")
    assert f"You have solved this: 2 of {of_the_lesson} in this lesson." in printed()


@pytest.mark.parametrize("name", ["to-device", "vmm-order", "follow", "staging-kernel", "address-book"])
def test_an_exercise_is_shown_with_its_statement_and_the_call_that_checks_it(name, printed):
    exercises.show(name)
    text = printed()
    assert EXERCISES[name].title in text and f'exercises.check("{name}", ' in text
    exercises.starter(name)
    assert "Copy this into a cell" in printed()


def test_prose_is_filled_to_fit_a_static_page_and_code_and_lists_keep_their_lines(printed):
    exercises.show("where-is")
    lines, as_they_are = printed().splitlines(), (" ", "-")
    assert max(len(line) for line in lines if not line.startswith(as_they_are)) <= views.PLAIN_WIDTH
    statement = EXERCISES["where-is"].statement.strip().splitlines()
    unwrapped = [line for line in statement if line.startswith(as_they_are)]
    assert set(unwrapped) <= set(lines) and {line[0] for line in unwrapped} == set(as_they_are)


def test_what_the_listed_mistakes_come_to_is_found_out_once(monkeypatch):
    exercise, run = dataclasses.replace(EXERCISES["to-device"]), mock.Mock(wraps=judging._run_known)
    monkeypatch.setattr(judging, "_run_known", run)
    verdicts = [judge(exercise, lambda book, address: 5) for _ in range(2)]
    assert not verdicts[0].solved and run.call_count == 1


def test_a_kernel_that_does_not_compile_is_told_in_the_compiler_s_words(printed):
    exercises.check("heap-exhausted", "__global__ void allocate(char **blocks) { *blocks = missing; }")
    assert 'identifier "missing" is undefined' in printed()


def test_code_that_kills_its_process_leaves_this_one(printed):
    def host_pointer_for(address):
        import ctypes
        return ctypes.c_int.from_address(address).value
    exercises.check("host-pointer-for", host_pointer_for)
    text = printed()
    assert "For device memory, this should give `'no host pointer'`, and ends its process:" in text and "ended by SIGSEGV" in text


def test_where_a_slow_answer_was_is_not_said_of_how_it_ended_then(printed):
    def host_pointer_for(address):
        import ctypes
        import signal
        signal.raise_signal(signal.SIGALRM)     # as after most of the time that a check waits
        return ctypes.c_int.from_address(address).value
    exercises.check("host-pointer-for", host_pointer_for)
    text = printed()
    assert "ended by SIGSEGV" in text and "Current thread" not in text and "File " not in text


def test_all_cases_are_counted_whichever_way_one_fails():
    exercise, verdicts = EXERCISES["ways-to-share"], []
    for ending in ("os.abort()", "raise ValueError", "return 5"):
        verdicts.append(judge(exercise, exercise.answer(exercise.solution.replace('return "descriptor"', ending))))
    # handle, descriptor, None in this order; mapped memory is the second case
    assert [(verdict.right, verdict.of, verdict.untried) for verdict in verdicts] == [(1, 12, 10), (1, 12, 10), (10, 12, 0)]
    assert "1 of 12 cases is right (10 not tried)." in feedback(exercise, verdicts[0])
    assert "10 of 12 cases are right. " in feedback(exercise, verdicts[2])


def test_the_case_that_is_shown_is_an_example_before_others_and_the_shortest_of_random_data():
    exercise = EXERCISES["to-device"]
    right = exercise.answer(exercise.solution)
    hidden_first = dataclasses.replace(exercise, cases=exercise.cases[::-1], random_case=None)
    assert judge(hidden_first, lambda book, address: 5 if address > 1000 else right(book, address)).example.description == "one past the end of a block"
    outcomes, _ = run_cases(exercise, lambda book, address: 5 if len(book) == 4 else right(book, address))
    wrong = [outcome for outcome in outcomes if not outcome.right]
    assert len(wrong) > 1 and all(outcome.random for outcome in wrong)
    shortest = min(len(outcome.call) for outcome in wrong)
    assert len(simplest_wrong(outcomes).call) == len(simplest_wrong(outcomes[::-1]).call) == shortest


def test_without_the_simulated_driver_a_check_that_counts_says_so_and_blames_no_answer():
    counts_nothing = mock.Mock(side_effect=driver.DriverError("The simulated driver is needed, but it is not built."))
    verdict = judge(dataclasses.replace(EXERCISES["to-device"], run=counts_nothing, random_case=None), max)
    assert not verdict.tried and "whatever your answer is: The simulated driver is needed" in verdict.reason


def test_a_kernel_s_fault_leaves_this_context(printed, context):
    exercises.check("heap-exhausted", """
        __global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
            ((char **) 64)[threadIdx.x] = 0;
        }""")
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in printed()
    context.synchronize()


values = some.recursive(some.none() | some.booleans() | some.integers() | some.text(max_size=3),
                        lambda inner: some.lists(inner, max_size=3) | some.tuples(inner, inner), max_leaves=5)


@given(values)
@settings(max_examples=100)
def test_a_value_is_the_same_as_itself_and_True_is_not_1(value):
    assert same(value, value)
    assert not same(True, 1) and not same(1.0, 1)


def test_a_list_may_stand_for_a_pair_and_nothing_for_a_list():
    assert same([1, (2,)], (1, (2,))) and not same((1, 2), [1, 2]) and not same((1, (2,)), (1, [2]))


@pytest.mark.parametrize("got, right", [({"a": 1}, 3), (3, {"a": 1}), (np.array([0.5]), [0]), (iter([1]), [1])])
def test_what_is_another_value_is_not_the_same(got, right):
    assert not same(got, right)


class EqualToAll:
    def __eq__(self, other):
        return True

    __hash__ = None


@pytest.mark.parametrize("right", [5, 2.5, "ab", None, True, (1, 2), [1], {"a": 1}, {1, 2}, b"a", range(3)])
def test_an_object_that_says_it_equals_anything_is_no_answer(right):
    assert not same(EqualToAll(), right) and not same([EqualToAll()], [right]) and not same({"a": EqualToAll()}, {"a": right})


@pytest.mark.skipif(not driver.attached.simulated, reason="a GPU's driver explains no fault")
@pytest.mark.parametrize("exercise, answer, says", [
    ("heap-exhausted", """
__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    for (int i = threadIdx.x; i < 10; i += blockDim.x)
        *failed = sizes[i + 100000000000];
}""", "Line 4 of your source, `*failed = sizes[i + 100000000000];`: thread (0, 0, 0) of block (0, 0, 0) reads 8 bytes"),
    ("heap-exhausted", """
__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    blocks[threadIdx.x] = (char *) 12345;
}""", "The check's own kernel `look` could not follow an address that your answer gave it"),
    ("heap-exhausted", """
__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    failed[threadIdx.x + 64] = 1;
}""", "out-of-bounds: kernel allocate: thread (0,0,0) writes failed[64] at line 3"),
])
def test_a_fault_is_told_by_the_line_of_the_learner_s_source(exercise, answer, says, printed):
    exercises.check(exercise, answer)
    text = printed()
    assert says in text and "PTX" not in text and "kernel.cu" not in text


KERNEL = "__global__ void f(int *x) {\n    *x = 1;\n}"
FAULT = "kernel f: an address that is nobody's; block (1,0,0), thread (2,0,0)"


@pytest.mark.parametrize("explanation, answer, says", [
    (f"{FAULT}; write of 4 bytes at 0x7f (global); kernel.cu:2; PTX line 9\n0x7f is 16 bytes behind x", KERNEL,
     "Line 2 of your source, `*x = 1;`: thread (2,0,0) of block (1,0,0) writes 4 bytes, 16 bytes behind x. (An address that is nobody's.)"),
    (f"{FAULT}; read of 1 bytes at 0x7f (global); kernel.cu:3", KERNEL,
     "Line 3 of your source, `}`: thread (2,0,0) of block (1,0,0) reads 1 byte at 0x7f. (An address that is nobody's.)"),
    (f"{FAULT}; atomic of 8 bytes at 0x7f (global); kernel.cu:4", KERNEL,
     "Your kernel `f`: thread (2,0,0) of block (1,0,0) updates 8 bytes at 0x7f. (An address that is nobody's.)"),
    (FAULT, KERNEL, "Your kernel `f`: thread (2,0,0) of block (1,0,0). (An address that is nobody's.)"),
    (f"{FAULT}; write of 4 bytes at 0x7f (global)", KERNEL.replace("f(", "g("),
     "The check's own kernel `f` could not follow an address that your answer gave it: an address that is nobody's. It is 0x7f."),
    (f"{FAULT}; write of 4 bytes at 0x7f (global)\n0x7f is freed", max,
     "The check's own kernel `f` could not follow an address that your answer gave it: an address that is nobody's. It is freed."),
    ("cuMemFree is refused", KERNEL, "")])
def test_a_fault_is_told_with_as_much_as_the_driver_explains(explanation, answer, says):
    assert faults.in_words(explanation, answer) == says


@pytest.mark.parametrize("where, answer, says", [
    (" Its thread (0,0,0) of block (0,0,0) was at line 2 when it ended.", KERNEL,
     "Your kernel `f` was stopped, because the check waits no longer. When its time was up, thread (0,0,0) of block (0,0,0) was in line 2, `*x = 1;`."),
    (" Its thread (0,0,0) of block (0,0,0) was at line 3 when it ended.", KERNEL, "was in line 3, `}`."),
    (" Its thread (0,0,0) of block (0,0,0) was at line 4 when it ended.", KERNEL, "Your kernel `f` was stopped, because the check waits no longer."),
    ("", KERNEL, "Your kernel `f` was stopped, because the check waits no longer."), ("", max, "")])
def test_a_kernel_that_seems_never_to_end_is_told_with_as_much_as_the_driver_explains(where, answer, says):
    reply = faults.endless(f"kernel f was ended after 3 seconds: it seems never to end.{where}", answer)
    assert reply.endswith(f"{says} Can the loop there come to its end?") if says else not reply
    assert faults.endless("cuMemFree is refused", KERNEL) == ""


def finding(kind, message="two threads write x[0]: at lines 2 and 3"):
    return {"kind": kind, "message": message, "remedy": "Wait."}


@pytest.mark.parametrize("seen, says, prints", [
    ([], "", ""), ([finding("race"), finding("race"), finding("uninitialised", "a read")], "a race finding",
                   "race: two threads write x[0]: at lines 2 and 3. Wait.\nuninitialised: a read. Wait.\n"),
    ([finding("uninitialised", "a read")], "an uninitialised finding", "uninitialised: a read. Wait.\n"),
    ([finding("race", "two blocks write")], "a race between blocks finding", "race between blocks: two blocks write. Wait.\n"),
    ([finding("freed", "thread 0 writes x[9]: freed")], "an out-of-bounds finding", "out-of-bounds: thread 0 writes x[9], which is outside of the array\n")])
def test_the_first_finding_is_told_and_each_is_printed_once(seen, says, prints, capsys):
    assert examined.findings(Examined(tuple(seen), {}, 1)) == says and capsys.readouterr().out == prints


@pytest.mark.parametrize("printed_, failed, says", [
    ("wrong\n", "", "It is wrong."), ("not quite wrong", "KeyError", "KeyError"), ("", "illegal access", examined.STRAY.format("x")), ("", "", "")])
def test_a_launch_is_told_by_the_line_that_it_printed_or_by_how_it_failed(printed_, failed, says):
    assert examined.printed(Examined((), {}, 1, failed, printed_), {"wrong": "It is wrong."}, "x") == says


@pytest.mark.parametrize("result, wanted, kernel, line", [
    ([1, 5, 7], [1, 2, 3], "", "`x[1]` is 5, and should be 2"), ([4], [3], "", "`x` is 4, and should be 3"), ([1, 5], [1, 2], "f", "f: `x[1]` is 5, and should be 2")])
def test_of_numbers_the_first_that_is_wrong_is_printed(result, wanted, kernel, line, capsys):
    examined.show_difference("x", np.array(result), np.array(wanted), kernel)
    examined.differences(Examined((), {}, 1, printed=f"more\n{capsys.readouterr().out}"), kernel)
    assert capsys.readouterr().out == f"{line}\n"
    examined.differences(Examined((), {}, 1, printed=f"{examined.DIFFERS}{line}"), "other")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("error, says", [
    (WrongArgument("There is no such exercise."), "There is no such exercise."),
    (CudaError("cuMemAlloc", cu.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS), "The CUDA context of this notebook no longer answers (cuMemAlloc answers CUDA_ERROR_ILLEGAL_ADDRESS"),
    (cuda.LogicError("cuMemFree failed"), "The CUDA context of this notebook no longer answers (cuMemFree failed)"),
    (KeyboardInterrupt(), "Stopped before the end. Nothing was kept of it")])
def test_what_cannot_be_done_is_a_sentence_and_no_verdict(error, says):
    text, good = actions.as_sentence(mock.Mock(side_effect=error))()
    assert text.startswith(says) and good is None


def broken(*arguments):
    raise OSError("libnvrtc.so.13: cannot open shared object file")


def broken_at_first(answer, *arguments):
    return broken() if arguments == EXERCISES["views"].cases[0].arguments else answer(*arguments)


@pytest.mark.parametrize("run", [broken, broken_at_first])
def test_where_the_machine_fails_whatever_is_tried_no_mistake_is_named(run):
    exercise = dataclasses.replace(EXERCISES["views"], run=run, random_case=None)
    verdict = judge(exercise, exercise.answer(exercise.solution))
    assert verdict.mistake is None and not verdict.tried
    assert verdict.reason.startswith("The check cannot run on this machine, whatever the answer is: OSError.\nlibnvrtc.so.13")


def test_a_step_of_a_cache_that_has_no_processor_core_does_not_wait_for_a_stream(monkeypatch):
    looked, by_stream = threading.Semaphore(0), EXERCISES["cache-by-stream"]

    def seconds(process, thread):
        looked.release()
        return time.monotonic()     # it never has one

    class Slow(by_stream.answer(by_stream.solution)):
        def allocate(self, nbytes, stream):
            assert all(looked.acquire(timeout=600) for _ in range(4))
            return super().allocate(nbytes, stream)

    monkeypatch.setattr(harness, "PATIENCE", 1e-9)
    monkeypatch.setattr(harness, "seconds_without_a_core", seconds)
    case = by_stream.cases[0]
    assert harness.by_stream(Slow, *case.arguments) == case.expected


@pytest.mark.parametrize("length, shown", [(12, "9, 10, 11]"), (13, "9, 10, 11, ...]")])
def test_of_a_long_list_twelve_elements_are_shown(length, shown):
    exercise = EXERCISES["views"]
    assert shown in feedback(exercise, judge(exercise, lambda table, byte: list(range(length))))
