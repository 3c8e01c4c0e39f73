"""What can be followed, what is refused, and what a page gets."""
import json
import re

from course_lib.core.errors import WrongArgument
from courseware.follow import follow, follow_cell, follow_source, page
from courseware.follow.steps import steps
from courseware.sandbox import SIGNALS, Outcome

import numpy as np
import pycuda.driver as cuda
import pytest

from . import programs


def what_happens(program, *arguments):
    return [step.sentence for step in follow(program, *arguments).steps]


@pytest.fixture(scope="module")
def held_program():
    return follow(programs.zeros_arrive)


def test_a_function_gets_its_arguments():
    def add(array, number):
        total = array + number
        print(total)
    assert what_happens(add, np.array([1, 2], np.int32), 3)[-1] == "It prints: [4 5]"


def test_of_a_long_list_the_program_says_how_many_items_it_has_not_looked_at():
    def many_of_one():
        import pycuda.driver as cuda
        many = [cuda.mem_alloc(4)] * 515
        many.pop()
    program = follow(many_of_one)
    left_out = "Not looked at, nor drawn: 3 more of many."
    assert left_out in program.notes and left_out in repr(program) and left_out in program.html()


def test_of_a_reservation_too_long_to_be_looked_through_the_program_claims_nothing():
    def reserve(nbytes):
        from course_lib import reservation
        space = reservation.reserve(nbytes)
        print(space.nbytes)
    for nbytes, looked_through in ((1 << 30, True), (4 << 30, False)):
        program = follow(reserve, nbytes)
        assert any("in the part that was looked at" in step.sentence for step in program.steps) is not looked_through
        assert any("of a reservation is looked through" in note for note in program.notes) is not looked_through


def test_memory_of_the_notebook_is_refused_with_a_sentence():
    memory = cuda.mem_alloc(16)

    def read():
        return int(memory)
    with pytest.raises(WrongArgument, match="cannot be sent to another process.*DeviceAllocation.*inside the function"):
        follow(read)


@pytest.mark.parametrize("thing", [3, "x = 1", print, cuda.mem_alloc])
def test_what_has_no_source_in_python_is_refused(thing):
    with pytest.raises(WrongArgument, match="follow takes a function"):
        follow(thing)


def test_a_cell_has_the_notebooks_names_and_leaves_none_behind(shell):
    shell.user_ns["count"] = 4
    seen = follow_cell("", "import numpy as np\nnumbers = np.arange(count, dtype=np.int32)\n")
    assert [(step.line, step.sentence) for step in seen.steps] == [
        (2, "Memory A is new: 16 bytes of pageable memory, with an address for the host only. Memory A holds 0 1 2 3.")]
    assert "numbers" not in shell.user_ns


def test_a_cell_that_uses_memory_of_the_notebook_is_told_its_name(shell):
    memory = shell.user_ns["on_device"] = cuda.mem_alloc(16)
    with pytest.raises(WrongArgument, match="`on_device` is a DeviceAllocation of this notebook.*make it in the cell itself"):
        follow_cell("", "print(on_device)")
    memory.free()


@pytest.fixture
def shell(monkeypatch):
    import types

    import IPython
    shell = types.SimpleNamespace(user_ns={})
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    return shell


def test_work_that_is_held_is_pending_until_the_host_waits(held_program):
    pending = [[work["kind"] for work in step.pending] for step in held_program.steps]
    assert pending == [[], [], [], ["copy"], ["copy"], [], []]
    assert [step.done["kind"] for step in held_program.steps if step.done] == ["copy"]


@pytest.mark.parametrize("count, shown", [(160, "n" * 160), (161, "n" * 159 + "…")])
def test_of_a_long_line_that_is_printed_its_begin_is_told(count, shown):
    def write(count):
        print(count * "n")
    assert what_happens(write, count)[-1] == f"It prints: {shown}"


def test_a_copy_takes_what_is_there_when_it_is_done(held_program):
    assert held_program.steps[-1].sentence.endswith("It prints: [0 0 0 0]")


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_a_number_that_nobody_has_written_is_said_to_be_any(dtype):
    def reads():
        print(cuda.from_device(cuda.mem_alloc(16), 1, dtype))

    def writes():
        print(cuda.from_device(cuda.to_device(np.array([-1515870810], np.int32)), 1, np.int32))
    assert what_happens(reads)[-1].endswith("stands for memory that nobody has written: on a GPU it may be any number.")
    assert "nobody" not in what_happens(writes)[-1]


def test_a_name_that_is_deleted_or_gets_something_else_is_no_more_in_the_picture_and_the_table_says_so():
    def rename():
        import pycuda.driver as cuda
        x = cuda.mem_alloc(16)
        y = z = x
        del x
        y = 0
        z = int(z)
        z = 0
        return y, z
    program = follow(rename)
    names = [[block.names for block in step.scene.blocks] for step in program.steps]
    assert names == [[("x",)], [("x", "y", "z")], [("y", "z")], [("z",)], [("z",)], []]
    pills = [sorted({name for name in ("x", "x, y, z", "y, z", "z") for markup in markups if f">{name}<" in markup})
             for markups in _drawn(page.data(program))]
    assert pills == [["x"], ["x, y, z"], ["y, z"], ["z"], ["z"], []]
    table = page.table(program)
    assert "<code>x</code> does not lead to memory A any more." in table and "<code>y</code> does not lead to memory A any more." in table


def _drawn(data):
    """Of each step what is drawn of it in the wide picture."""
    return [[data["markups"][data["pieces"][piece][-1]] for piece in step["at"][0]] for step in data["steps"]]


TWO_STREAMS = """\
import pycuda.driver as cuda
first, second, memory = cuda.Stream(), cuda.Stream(), cuda.mem_alloc(16)
cuda.memset_d32_async(int(memory), 7, 4, first)
cuda.memset_d32_async(int(memory), 1, 4, second)
first.synchronize()
second.synchronize()
print(cuda.from_device(memory, 1, "int32"))
"""


@pytest.mark.parametrize("early, last", [((), 1), ((0,), 1), ((1,), 7), ((0, 1), 1)])
def test_work_on_an_early_stream_is_done_where_it_is_given_and_on_the_others_where_the_host_waits(early, last):
    program = follow_source(TWO_STREAMS, early=early)
    assert [step.line for step in program.steps if step.done] == sorted(3 + number if number in early else 5 + number for number in (0, 1))
    assert program.outcome.printed == f"[{last}]\n"


def test_a_stream_that_is_early_still_waits_for_an_event_of_one_that_is_late():
    waits = TWO_STREAMS.replace("7, 4, first)\n", "7, 4, first)\nsecond.wait_for_event(cuda.Event().record(first))\n")
    assert follow_source(waits, early=(1,)).outcome.printed == "[1]\n"


def test_a_loop_that_changes_nothing_is_one_turn_of_steps():
    def count():
        total = 0
        print("from", total)
        for number in range(9):
            total += number
        print(total)
    assert [step.line for step in follow(count).steps] == [3, 4, 5, 6]


def test_a_statement_of_several_lines_is_one_step_in_a_function_of_the_program_too():
    def program():
        def add(first, second):
            both = (first +
                    second)
            print(both,
                  first)
        add(1,
            2)
        print()
    assert [step.line for step in follow(program).steps] == [5, 7, 9]


def test_an_endless_loop_is_stopped_after_so_many_lines():
    program = follow(programs.endless, timeout=600)
    assert program.steps[-1].wrong and program.steps[-1].sentence == "It has run 400 lines and not ended, so it is stopped here."


def test_who_sleeps_too_long_is_stopped_in_its_line():
    def sleep():
        import time
        time.sleep(60)
    program = follow(sleep, timeout=3)
    assert (program.steps[-1].line, program.steps[-1].wrong) == (3, True)


def test_turns_of_a_loop_that_do_the_same_are_counted_and_not_all_shown():
    def fill():
        import pycuda.driver as cuda
        memory = cuda.mem_alloc(4)
        while True:
            cuda.memset_d32(memory, 1, 1)
    steps = follow(fill, timeout=600).steps
    assert steps[-1].sentence.endswith("so it is stopped here.")
    given = [step.sentence for step in steps if "given to the GPU" in step.sentence]
    assert [sentence.endswith("more times, and is left out here.") for sentence in given] == [False] * 5 + [True]
    assert any(step.sentence.endswith("the fill of 4 bytes, 21 times.") for step in steps)


def test_numbers_that_nobody_has_written_are_unknown():
    def fresh():
        import numpy as np
        import pycuda.driver as cuda
        here, pinned, there = np.empty(2, np.int32), cuda.pagelocked_empty(2, np.int32), cuda.mem_alloc(8)
        return here, pinned, there
    assert [numbers for _, numbers in follow(fresh).steps[0].contents.values()] == [[None, None]] * 3


def test_of_a_kernels_block_only_what_the_kernel_wrote_is_known():
    def block():
        from course_lib import kernels

        import pycuda.driver as cuda
        make = kernels.compile("__global__ void make() { int *block = (int *) malloc(16); block[0] = 5; block[2] = 0; }").make
        make(1, 1)
        cuda.Context.synchronize()
    assert list(follow(block).steps[-1].contents.values()) == [("int32", ["5", None, "0", None])]


def test_a_number_stands_at_the_side_that_gave_it_and_at_both_if_nobody_knows():
    [pinned, *_] = follow(programs.whose_number).steps[-1].scene.blocks
    assert [pinned.name_at(side) for side in ("host", "device")] == ["data, host, answer", "device, again, answer"]


def test_a_number_that_is_converted_stays_at_its_side():
    def converted():
        data = cuda.pagelocked_empty(4, np.int32)
        number, other = int(data.ctypes.data), int("10", 16)
        print(number > other)
    [pinned, *_] = follow(converted).steps[-1].scene.blocks
    assert [pinned.name_at(side) for side in ("host", "device")] == ["data, number", ""]


def test_memory_is_new_before_bytes_go_there():
    [step] = [step for step in follow_source("import numpy, pycuda.driver as cuda\nthere = cuda.to_device(numpy.zeros(4, numpy.int32))").steps
              if "go from" in step.sentence]
    assert re.match("Memory A is new: .* 16 bytes go from the host to memory A. Memory A holds 0 0 0 0", step.sentence)


def test_where_the_sides_have_other_numbers_each_has_the_names_of_its_own():
    steps = follow_source('''
import numpy as np
from course_lib import pinned
for memory in [pinned.register(np.array([4, 15], np.int32))]:
    book = [(memory.host_address, memory.device_address)]
for host, device in book:
    inside, beyond = host + 4, device + 4
''', system="registered-differs").steps
    [block] = steps[-1].scene.blocks
    assert [block.name_at(side) for side in ("host", "device")] == ["memory, host, inside (+4)", "memory, device, beyond (+4)"]
    assert any("`host` is the host's address of memory A" in step.sentence for step in steps)


def test_it_does_not_matter_how_they_were_made():
    def fresh():
        import numpy as np
        import pycuda.driver as cuda
        here, part = np.ndarray(2, np.int32), np.empty(2, np.int32).reshape(2, 1)
        aligned, (pitched, _) = cuda.aligned_empty(2, np.int32), cuda.mem_alloc_pitch(8, 1, 4)
        view = here[:]      # no empty() makes this one
        view[:] = 3
        return part, aligned, pitched
    steps = follow(fresh).steps
    assert [set(numbers) for _, numbers in steps[1].contents.values()] == [{None}] * 4
    assert steps[-1].sentence == "Memory A holds 3 3."


def test_what_is_made_beside_an_empty_array_keeps_its_numbers():
    def beside():
        import numpy as np
        here, empty = np.array([3, 1], np.int32), np.empty(2, np.int32)
        total = np.add(here, here, np.empty(2, np.int32))
        print(here, total, empty.shape)
    steps = follow(beside).steps
    assert steps[0].contents == {"A": ("int32", ["3", "1"]), "B": ("int32", [None, None])} and steps[-1].sentence == "It prints: [3 1] [6 2] (2,)"


def test_memory_that_lost_its_address_keeps_its_numbers():
    step = next(step for step in follow(programs.reservation).steps if "does not lead" in step.sentence or "do not lead" in step.sentence)
    assert [block.device for block in step.scene.blocks if block.memory] == [None] and step.contents["A"][1][0] == "42"


def test_a_bare_handle_holds_its_memory_until_it_is_released():
    def bare():
        from course_lib import reservation
        from course_lib.core.errors import ask

        from cuda.bindings import driver as cu
        where, _ = reservation.on_the_device()
        handle = ask(cu.cuMemCreate, 2 << 20, where, 0)
        cu.cuMemRelease(handle)
    assert what_happens(bare) == ["Memory A is new: 2 MiB of physical memory, and no address leads to it.", "Memory A is gone."]


def test_a_program_in_which_nothing_happens_has_one_step():
    def nothing():
        number = 1
        return number
    assert what_happens(nothing) == ["Nothing changes in memory."]


def test_a_fill_that_is_done_is_told_by_what_memory_holds_then_and_of_a_stream_that_waits_it_is_said_that_the_host_does_not():
    def waits():
        import pycuda.driver as cuda
        first, second, memory = cuda.Stream(), cuda.Stream(), cuda.mem_alloc(16)
        cuda.memset_d32_async(memory, 7, 4, first)
        second.wait_for_event(cuda.Event().record(first))
        first.synchronize()
    assert what_happens(waits)[-2:] == ["From here on a stream waits for an event. The host does not wait.",
                                        "Now the fill of 16 bytes is done. Memory A holds 7 7 7 7."]


@pytest.mark.parametrize("outcome, sentence", [
    (Outcome(), ""), (Outcome(status=3), "Here the program ends its process with exit status 3."), (Outcome(timed_out=True), "It did not end, so it was stopped here."),
    (Outcome(status=0), "Here the program ends its process with exit status 0."), (Outcome(exception="KeyError: 3."), "Here the program ends with KeyError: 3."),
    (Outcome(signal="SIGUSR1"), "Here the program ends with SIGUSR1: a signal."), (Outcome(signal="SIGSEGV"), f"Here the program ends with SIGSEGV: {SIGNALS['SIGSEGV']}."),
    (Outcome(error="CUDA_ERROR_ILLEGAL_ADDRESS"), "Here the program ends with the CUDA error CUDA_ERROR_ILLEGAL_ADDRESS.")])
def test_where_no_line_has_begun_there_is_one_step_and_it_has_no_line(outcome, sentence):
    [step] = steps([], outcome)
    assert (step.line, step.sentence) == (0, sentence)


def test_what_comes_after_a_broken_context_is_not_told():
    def broken():
        from course_lib import kernels

        import pycuda.driver as cuda
        add = kernels.compile(programs.ADD).add_100
        add(1, 1, 8)
        try:
            cuda.Context.synchronize()
        except cuda.Error:
            pass
        number = 1
        return number
    assert what_happens(broken)[-2].startswith("What this changes in memory is not known")


def test_the_data_of_a_step_are_placed_for_both_widths(held_program):
    data = page.data(held_program)
    for step in data["steps"]:
        for width, at in zip(data["widths"], step["at"]):
            assert all(0 <= data["pieces"][piece][2] <= width for piece in at)
    assert [step["flights"] for step in data["steps"] if step["flights"]] == [[("A", "B", 0, 0, 4)], [("B", "", 0, 0, 4)]], "and what is printed goes to the host"
    assert len(json.dumps(data)) < 40_000


def test_what_goes_to_or_from_memory_that_is_gone_before_its_line_ends_has_no_flight():
    def to_what_is_gone():
        import numpy as np
        import pycuda.driver as cuda
        there = cuda.to_device(np.arange(4, dtype=np.int32))
        (lambda gone: cuda.memcpy_dtod(gone, there, 16))(cuda.mem_alloc(16))
    flights = [[step["flights"] for step in page.data(follow(program))["steps"] if step["flights"]]
               for program in (programs.memory_that_is_gone_before_its_line_ends, to_what_is_gone)]
    assert flights == [[], [[("", "A", 0, 0, 4)]]]


def test_the_calls_beside_a_step_are_those_that_its_sentence_does_not_name():
    steps = page.data(follow(programs.reservation))["steps"]
    refused, mapped = (next(step for step in steps if words in step["say"]) for words in ("is refused with", "lead to memory A now"))
    assert "cuMemcpyHtoD" in refused["say"] and refused["calls"] == "" and mapped["calls"] == "cuMemMap"


def test_when_a_kernel_has_run_the_line_to_the_memory_that_it_used_flows():
    data = page.data(follow(programs.with_a_copy, timeout=60))
    assert [len(step["flows"]) for step in data["steps"]] == [0, 0, 0, 0, 0, 1, 0, 0]
    for pieces in data["steps"][5]["at"]:
        assert data["steps"][5]["flows"][0] in {data["pieces"][piece][0] for piece in pieces}


def test_a_program_whose_memory_is_all_the_devices_has_no_column_for_the_host_unless_it_asks_what_is_there():
    def heads(program):
        data = page.data(follow(program, timeout=60))
        return [word for word in ("host addresses", "device addresses") if any(word in markup for markup in data["markups"])]

    def of_the_device():
        import numpy as np
        import pycuda.driver as cuda
        memory = cuda.to_device(np.arange(4))
        memory.free()

    def asked_about():
        from course_lib.pointers import host_pointer_for

        import pycuda.driver as cuda
        memory = cuda.mem_alloc(16)
        print(host_pointer_for(memory))
    assert [heads(program) for program in (of_the_device, asked_about, programs.zeros_arrive)] == [
        ["device addresses"], *2 * [["host addresses", "device addresses"]]]


@pytest.mark.parametrize("program, asks", [(programs.reciprocal, True), (programs.one_memory, True), (programs.zeros_arrive, False),
                                           (programs.with_a_copy, False)])
def test_the_ways_across_are_drawn_in_every_step_of_a_program_that_asks_for_one_and_in_no_step_of_another(program, asks):
    data = page.data(follow(program, timeout=60))
    for step in data["steps"]:
        drawn = "".join(data["markups"][data["pieces"][piece][4]] for piece in step["at"][0])
        assert ("forward: a function" in drawn) == asks


def test_a_page_without_scripts_has_the_code_and_what_happens_as_a_table(held_program):
    table = held_program.html(alone=False)
    assert "<script" not in table and "<style" not in table
    assert re.search(r">4</td><td [^>]*>7</td><td [^>]*><code>cuda.memcpy_htod_async.*?</td><td [^>]*>The copy of 16 bytes is given to the GPU", table)


def test_what_the_gpu_does_after_the_program_is_at_its_end():
    assert re.search(r">end</td><td [^>]*><code></code>", follow(programs.nobody_waits).html(alone=False))


def test_a_program_cannot_leave_its_script():
    def sly():
        text = "</script><script>alert(1)</script>"
        print(text)
    text = follow(sly)._repr_html_()
    assert text.count("<script>") == text.count("</script>") == 1


def test_a_process_with_a_gpus_driver_gets_nothing_of_the_simulated_one():
    import subprocess
    import sys
    program = ("import types, sys; from course_lib import driver; driver.attached = types.SimpleNamespace(simulated=False); "
               "import courseware.follow; print('courseware.follow.tracer' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"


def test_words_texts_and_comments_of_python_have_a_class_each_in_each_of_their_lines():
    assert page.highlighted('if x:    # why\n    y = """a\nb"""\n') == [
        '<span class="k">if</span> x:    <span class="c"># why</span>', '    y = <span class="s">&quot;&quot;&quot;a</span>',
        '<span class="s">b&quot;&quot;&quot;</span>']
