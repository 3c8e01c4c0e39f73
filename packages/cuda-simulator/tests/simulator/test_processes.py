"""Processes that share memory and events, and what is left when one of them is killed: nothing, whatever it was about.

What an H200 answered is asked in the folder two_processes of tests/conformance/questions.
"""
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVER = "import cuda_simulator; cuda_simulator.attach(); from tests.simulator.second_process import serve_programs; serve_programs()"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A process that has the driver attached, and is forked for each program."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {"PYTHONPATH": path, "TMPDIR": str(tmp_path_factory.mktemp("programs"))}
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                               env={**os.environ, **variables})
    yield process
    process.communicate()


@pytest.fixture
def output(server):
    """What a program says that ends well and says nothing on stderr; the words are those of second_process.py."""
    def output_of(code):
        server.stdin.write(json.dumps(textwrap.dedent(code)) + "\n")
        server.stdin.flush()
        status, out, errors = json.loads(server.stdout.readline())
        assert (status, errors) == (0, ""), f"status {status}\n{out}\n{errors}"
        return out
    return output_of


# Everything that can be shared, and each step with it in a process that is to be killed.
THINGS = """
    import gc, random, time
    def share_all():
        a, e, h, o = take(), create_event(), create_physical(), pool()
        return dict(a=a, e=e, h=h, o=o, q=take_from_pool(o), x=map_memory(h))
    def exports_of(a, e, h, o, q, x):
        return dict(handle=handle_of(a), event=event_handle(e), fd=export(h), pool_fd=export_pool(o), data=pointer(q))
    def use_all(a, e, q, x, **rest):
        for address in (a, q, x):
            fill(address, 9)
            assert look(address) == [9]
        record_event(e)
    def give_up(a, e, h, o, q, x):
        free(a), unmap_memory(x), release(h), free_in_stream(q), destroy_pool(o), must(cu.cuEventDestroy(e))
    USES = ["b = open_memory(handle)", "fill(b, 3)", "f = open_event(event)", "record_event(f)", "k = import_memory(fd)",
            "v = map_memory(k)", "fill(v, 5)", "p = import_pool(pool_fd)", "r = import_pointer(p, data)", "fill(r, 7)", "close_memory(b)",
            "must(cu.cuEventDestroy(f))", "unmap_memory(v)", "release(k)", "free_in_stream(r)", "destroy_pool(p)"]
    def state():
        gc.collect()
        return memory_files(), free_memory(), len(os.listdir("/proc/self/fd")), files()
    def prepare():
        \"\"\"What a process has that has ever shared something: its directory, and a page of events.\"\"\"
        start(), event_handle(create_event()), free((a := take(), handle_of(a))[0])
        return state()
"""


def test_a_process_that_is_killed_after_any_step_of_using_anothers_memory_leaves_nothing(output):
    assert output(THINGS + """
    seconds = [Second() for _ in range(len(USES) + 2)]
    before = prepare()
    for n, second in enumerate(seconds):
        things = share_all()
        exports = exports_of(**things)
        second("None", **exports)
        for step in ["start()", *USES][:n]:
            second(step)
        second.kill()
        use_all(**things)
        give_up(**things)
    after = state()
    print(after[0], after[1] == before[1], before[2] - after[2] == len(seconds), after[3] == before[3])
    """) == "['directory', 'events'] True True True\n"


def test_a_process_that_is_killed_after_any_step_of_sharing_takes_nothing_from_those_who_have_it(output):
    assert output(THINGS + """
    MAKES = ["a, h, o, e = take(value=4), create_physical(), pool(), create_event()",
             "x, q = map_memory(h), take_from_pool(o, value=6)", "fill(x, 5)", "handle_of(a)", "event_handle(e)", "export(h)",
             "export_pool(o)", "pointer(q)", "free(a)", "unmap_memory(x)", "release(h)", "free_in_stream(q)", "destroy_pool(o)"]
    TAKES = {"handle_of(a)": open_memory, "event_handle(e)": open_event, "export(h)": lambda fd: map_memory(import_memory(fd)),
             "export_pool(o)": import_pool}
    CONTENT = {"handle_of(a)": 4, "export(h)": 5, "pointer(q)": 6}
    seconds = [Second() for _ in range(len(MAKES) + 1)]
    before = prepare()
    for n, second in enumerate(seconds):
        second("start()")
        mine, handle = {}, None
        for step in MAKES[:n]:
            answer = second(step)
            handle = answer if step == "handle_of(a)" else handle
            if step in TAKES:
                mine[step] = TAKES[step](answer)
            elif step == "pointer(q)":
                mine[step] = import_pointer(mine["export_pool(o)"], answer)
            if isinstance(answer, Fd):
                os.close(answer)
        second.kill()
        for step, value in CONTENT.items():
            if step in mine:
                assert look(mine[step], 2) == [value, value], (n, step)
                fill(mine[step], 8)
                assert look(mine[step]) == [8]
        if "event_handle(e)" in mine:
            record_event(mine["event_handle(e)"]), must(cu.cuEventDestroy(mine["event_handle(e)"]))
        if "export(h)" in mine:
            handle_here = int(must(cu.cuMemRetainAllocationHandle(mine["export(h)"])))
            unmap_memory(mine["export(h)"]), release(handle_here), release(handle_here)
        if "handle_of(a)" in mine:
            close_memory(mine["handle_of(a)"])
        if "pointer(q)" in mine:
            free_in_stream(mine["pointer(q)"])
        if "export_pool(o)" in mine:
            destroy_pool(mine["export_pool(o)"])
        if handle:
            try:
                open_memory(handle)
            except RuntimeError as error:
                assert str(error) == "CUDA_ERROR_INVALID_HANDLE"
    after = state()
    print(after[0], after[1] == before[1], before[2] - after[2] == len(seconds), after[3] == before[3])
    """) == "['directory', 'events'] True True True\n"


def test_processes_that_are_killed_at_any_moment_leave_one_that_goes_on(output):
    assert output(THINGS + """
    seconds = [Second() for _ in range(12)]
    before = prepare()
    things = share_all()
    random.seed(7)
    loop = "\\n    ".join(["while True:", "fd, pool_fd = os.dup(d), os.dup(x)", *USES[:-2], "free_in_stream(r), destroy_pool(p)",
                          "os.close(fd), os.close(pool_fd)"])
    for second in seconds:
        second("start()")
        second("d, x = fd, pool_fd", **exports_of(**things))
        second.tell(loop)
        end = time.monotonic() + random.uniform(0, 0.05)
        while time.monotonic() < end:
            for address in (things["a"], things["x"], things["q"]):
                fill(address, 9)
            must(cu.cuEventRecord(things["e"], 0))
        second.kill()
        record_event(one := create_event()), must(cu.cuEventDestroy(one))
    give_up(**things)
    after = state()
    print(after[0], after[1] == before[1], before[2] - after[2] == len(seconds), after[3] == before[3])
    """) == "['directory', 'events'] True True True\n"


def test_memory_that_its_owner_freed_is_taken_until_nobody_has_it_open(output):
    assert output("""
    closes, dies = Second(), Second()
    start()
    before = free_memory()
    a, h = take(6 << 20), create_physical()
    for second in (closes, dies):
        second("start()"), second("b = open_memory(handle)", handle=handle_of(a)), second("v = map_memory(import_memory(fd))", fd=export(h))
        second("os.close(fd)")
    free(a), release(h)
    print((before - free_memory()) >> 20)
    closes("close_memory(b)"), closes.kill()
    print((before - free_memory()) >> 20)
    print(dies("look(b)"))
    dies.kill()
    print(before - free_memory())
    """).split("\n") == ["8", "8", "[1]", "0", ""]


def test_memory_is_shared_while_a_kernel_uses_it_and_another_process_ends_the_kernel(output):
    assert output("""
    second = Second()
    import numpy as np, pycuda.autoinit
    from pycuda.compiler import SourceModule
    module = SourceModule('''__global__ void wait(volatile int *flag, int *turns) { while (!*flag) ++*turns; }''')
    a = take(24 << 20)
    fill(a, 0, 4096), fill(a + (20 << 20), 7)
    module.get_function("wait")(np.intp(a), np.intp(a + 512), block=(1, 1, 1))
    second("start()")
    second("b = open_memory(handle)", handle=handle_of(a))
    print(second("look(b + (20 << 20))"), int(cu.cuStreamQuery(0)[0]))
    second("fill(b, 1, 4)")
    must(cu.cuCtxSynchronize())
    print(second("look(b + 512, 4)") == look(a + 512, 4) != [0] * 4)
    """) == "[7] 600\nTrue\n"


def test_the_events_of_a_process_take_a_page_for_each_256(output):
    assert output("""
    owner = Second()
    start()
    owner("start()")
    owner("kept = [create_event() for number in range(300)]")
    mine = [open_event(owner(f"event_handle(kept[{number}])")) for number in (0, 299)]
    open_here = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    print({os.stat(path).st_size for path in open_here if os.path.exists(path) and "events of process" in os.readlink(path)})
    """) == "{8192}\n"


LEFT_PENDING = """
    import signal, threading
    owner = Second()
    start()
    owner("start()")
    owner("a, e, s = take(value=0), create_event(), int(must(cu.cuStreamCreate(1)))")
    mine = open_event(owner("event_handle(e)"))
    owner("must(cu.cuStreamWaitValue32(s, a, 1, 0)), must(cu.cuEventRecord(e, s))")
    owner.kill()
"""


def test_an_interrupt_ends_a_wait_for_an_event_that_a_dead_process_left_pending(output):
    assert output(LEFT_PENDING + """
    def interrupted(call, *arguments):
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            call(*arguments)
        except KeyboardInterrupt:
            return "interrupted"
    stream = must(cu.cuStreamCreate(1))
    print(interrupted(cu.cuEventSynchronize, mine), cu.cuStreamQuery(stream)[0].name)
    must(cu.cuStreamWaitEvent(stream, mine, 0))
    print(interrupted(cu.cuStreamSynchronize, stream), cu.cuStreamQuery(stream)[0].name)
    """) == "interrupted CUDA_SUCCESS\ninterrupted CUDA_ERROR_LAUNCH_TIMEOUT\n"


def test_an_interrupt_ends_a_stream_that_records_an_event_behind_a_record_that_a_dead_process_left_pending(output):
    assert output(LEFT_PENDING + """
    stream = must(cu.cuStreamCreate(1))
    must(cu.cuEventRecord(mine, stream))
    print(cu.cuStreamQuery(stream)[0].name)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        cu.cuStreamSynchronize(stream)
    except KeyboardInterrupt:
        print("interrupted", cu.cuStreamQuery(stream)[0].name)
    """) == "CUDA_ERROR_NOT_READY\ninterrupted CUDA_ERROR_LAUNCH_TIMEOUT\n"


@pytest.mark.parametrize("opened_before", [False, True])
def test_an_event_that_is_opened_after_its_owners_end_is_one_event_for_all_who_have_it(output, opened_before):
    assert output(f"""
    owner, second = Second(), Second()
    start(), owner("start()"), second("start()")
    handle = owner("event_handle(create_event())")
    before = open_event(handle) if {opened_before} else None
    owner.kill()
    theirs = second("e = open_event(handle)", handle=handle)
    mine = open_event(handle)
    second("a, s = take(value=0), int(must(cu.cuStreamCreate(1)))")
    second("must(cu.cuStreamWaitValue32(s, a, 1, 0)), must(cu.cuEventRecord(e, s))")
    print(cu.cuEventQuery(mine)[0].name)
    second("fill(a, 1)")
    print(cu.cuEventSynchronize(mine)[0].name, second("cu.cuEventQuery(e)[0].name"))
    """) == "CUDA_ERROR_NOT_READY\nCUDA_SUCCESS CUDA_SUCCESS\n"


def test_the_file_of_a_contexts_events_is_closed_when_the_context_ends(output):
    assert output("""
    start()
    def rounds(count):
        for _ in range(count):
            context = must(cu.cuCtxCreate(None, 0, 0))
            event_handle(create_event()), must(cu.cuCtxDestroy(context))
        return len(os.listdir("/proc/self/fd"))
    print(rounds(1) == rounds(5))
    """) == "True\n"


def test_no_write_is_lost_while_memory_is_moved_to_be_shared(output):
    assert output("""
    import threading
    start()
    context = must(cu.cuCtxGetCurrent())
    lost, ending = [], threading.Event()
    def writes(address):
        must(cu.cuCtxSetCurrent(context))
        value = 0
        while not ending.is_set():
            value = value % 250 + 1
            must(cu.cuMemcpyHtoD(address, bytes([value]) * 4096, 4096))
            if look(address, 4096) != [value] * 4096:
                lost.append(address)
    blocks = [take() for _ in range(12)]
    threads = [threading.Thread(target=writes, args=(one,)) for one in blocks[::4]]
    [thread.start() for thread in threads]
    handles = {handle_of(one) for one in blocks}
    ending.set()
    [thread.join() for thread in threads]
    print(lost, len(handles))
    """) == "[] 12\n"


def test_a_process_that_shares_nothing_has_no_memory_file(output):
    assert output("""
    start()
    take(), take_from_pool(int(must(cu.cuDeviceGetDefaultMemPool(0)))), map_memory(create_physical()), must(cu.cuMemHostAlloc(4096, 0))
    print(memory_files())
    """) == "[]\n"


def test_where_no_descriptor_is_left_nothing_is_exported_and_nothing_is_lost(output):
    assert output("""
    import resource
    start()
    h, a, o = create_physical(), take(value=5), pool()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    codes = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    for work in (lambda: export(h), lambda: handle_of(a), pool, lambda: export_pool(o), create_event):
        try:
            codes.append(work())
        except RuntimeError as error:
            codes.append(str(error))
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    print(set(codes), look(a), len(handle_of(a)), os.close(export(h)))
    """) == "{'CUDA_ERROR_OPERATING_SYSTEM'} [5] 64 None\n"


def test_a_handle_of_an_earlier_process_with_the_same_number_is_refused(output):
    assert output("""
    owner = Second()
    start()
    owner("start()")
    handle = owner("handle_of(take())")
    earlier = handle[:8] + (int.from_bytes(handle[8:16], "little") - 2).to_bytes(8, "little") + handle[16:]
    close_memory(open_memory(handle))
    try:
        open_memory(earlier)
    except RuntimeError as error:
        print(error)
    """) == "CUDA_ERROR_INVALID_HANDLE\n"


def test_nobody_cuts_pages_off_that_others_use(output):
    assert output("""
    start()
    h = create_physical()
    fd, x = export(h), map_memory(h)
    try:
        os.ftruncate(fd, 0)
    except PermissionError:
        print("refused", fill(x, 3), look(x))
    """) == "refused None [3]\n"


def test_a_child_that_is_forked_keeps_nothing_of_what_its_parent_shares(output):
    assert output("""
    second = Second()
    start(), second("start()")
    a, h, o, q = take(), create_physical(), pool(), pool("HOST_NUMA")
    handle_of(a), os.close(export(h))
    for shared in (o, q):
        second("p = import_pool(fd)", fd=export_pool(shared)), second("os.close(fd)")
        second("x = import_pointer(p, data)", data=pointer(take_from_pool(shared)))
    print(len(memory_files()), memory_files_of_a_child(), second("memory_files_of_a_child()"))
    """) == "5 [] []\n"


@pytest.mark.parametrize("at, form, value, already, answers", [
    (40, "=Q", 1 << 40, False, "0"), (40, "=Q", 1 << 40, True, "0"), (32, "=Q", 1 << 30, False, "1"), (32, "=Q", 1 << 30, True, "1"),
    (20, "=I", 9, False, "400"), (20, "=I", 0xFFFFFFFF, False, "400"), (4, "=i", -1, False, "400"), (16, "=i", -7, False, "400"),
    (48, "=Q", 0, False, "1")])
def test_a_handle_of_memory_that_was_changed_gives_no_more_than_there_is_and_no_defect(output, at, form, value, already, answers):
    """size, offset, number of the entry, process, descriptor of the directory, mark; `already`: what was not changed is open"""
    assert output(f"""
    import struct
    second = Second()
    start(), second("start()")
    true = bytes(handle_of(take(4096)))
    handle = true[:{at}] + struct.pack({form!r}, {value}) + true[{at} + struct.calcsize({form!r}):]
    if {already!r}:
        second("open_memory(handle)", handle=true)
    second("struct = cu.CUipcMemHandle()")
    second("put_bytes(struct, handle)", handle=handle)
    second("answer = cu.cuIpcOpenMemHandle(struct, 1)")
    print(second("int(answer[0])"), second("int(answer[0]) != 0 or int(cu.cuMemGetAddressRange(answer[1])[2]) <= 32 << 20"))
    """) == answers + " True\n"
