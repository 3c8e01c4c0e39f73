"""What is found between two streams, and between a stream and the host; and that no clean program is accused."""
import json
import textwrap

from cuda_simulator.examination.streams import caller

import pytest

from ..simulator.programs import run

START = '''
from cuda.bindings import driver as cu
import cuda_simulator, json
module = SourceModule("""
__global__ void write(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void read(int *x, int *y) {
    y[threadIdx.x] = x[threadIdx.x];
}
__global__ void halves(int *x) { x[threadIdx.x * 2] = 1; }
__device__ int table[64];
__global__ void to_table() { table[threadIdx.x] = threadIdx.x; }
__global__ void from_table(int *y) { y[threadIdx.x] = table[threadIdx.x]; }
__global__ void give(int *x, volatile int *flag) { x[threadIdx.x] = 1; __threadfence(); if (threadIdx.x == 0) *flag = 1; }
__global__ void take(int *x, volatile int *flag, int *y) { while (*flag == 0) ; __threadfence(); y[threadIdx.x] = x[threadIdx.x]; }
""")
write, read, give, take, to_table, from_table, halves = (
    module.get_function(name) for name in ("write", "read", "give", "take", "to_table", "from_table", "halves"))
one, other, blocking = cuda.Stream(1), cuda.Stream(1), cuda.Stream(0)      # 1: does not wait for the NULL stream
x, y, flag = (cuda.to_device(np.zeros(64, np.int32)) for _ in range(3))
pinned, block, found = cuda.pagelocked_zeros(64, np.int32), dict(block=(64, 1, 1)), {}
event = cuda.Event()
'''
USED_TWICE = ("p = cu.cuMemAllocAsync(256, one.handle)[1]; write(np.intp(int(p)), stream=one, **block); event.record(one); "
              "other.wait_for_event(event); read(np.intp(int(p)), y, stream=other, **block); ")
BATCH = ("attributes = cu.CUmemcpyAttributes(); attributes.srcAccessOrder = cu.CUmemcpySrcAccessOrder(1); "
         "cu.cuMemcpyBatchAsync([cu.CUdeviceptr(int({}))], [cu.CUdeviceptr(int({}))], [256], 1, [attributes], [0], 1, other.handle)")
# Two copies: only the first one's source may be written as soon as the call has returned.
DURING_THE_CALL = ("during, later = cu.CUmemcpyAttributes(), cu.CUmemcpyAttributes(); "
                   "during.srcAccessOrder, later.srcAccessOrder = map(cu.CUmemcpySrcAccessOrder, (2, 1)); at = [pinned.ctypes.data, pinned.ctypes.data + 128]; "
                   "cu.cuMemcpyBatchAsync([cu.CUdeviceptr(int(x) + 128 * part) for part in range(2)], [cu.CUdeviceptr(part) for part in at], "
                   "[128, 128], 2, [during, later], [0, 1], 2, other.handle); pinned[{}] += 1; other.synchronize()")
ROWS = ("rows = cu.CUDA_MEMCPY2D(); rows.srcMemoryType = rows.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_UNIFIED; "
        "rows.srcDevice, rows.dstDevice = cu.CUdeviceptr(int({})), cu.CUdeviceptr(int({})); rows.srcPitch = rows.dstPitch = 8; "
        "rows.WidthInBytes, rows.Height = 4, 32; cu.cuMemcpy2DAsync(rows, other.handle)")      # every second int
WRONG = {
    "two kernels on two streams": ("write(x, stream=one, **block); read(x, y, stream=other, **block)",
                                   "kernel read (", "at line 4", "kernel write (", "at line 2"),
    "a copy beside a kernel that writes": ("write(x, stream=one, **block); cuda.memcpy_dtoh(np.zeros(64, np.int32), x)",
                                           "the copy to the host", "at line 2"),
    "a copy of a batch beside a kernel that writes": ("write(x, stream=one, **block); " + BATCH.format("y", "x"), "a copy of a batch", "at line 2"),
    "a copy of rows beside a kernel that writes": ("write(x, stream=one, **block); " + ROWS.format("x", "y"), "the copy", "at line 2"),
    "the host overwrites the source of a copy of rows": (ROWS.format("pinned.ctypes.data", "x") + "; pinned[:] = 6; other.synchronize()",
                                                         "the host writes to the source of the copy"),
    "the host overwrites the source of a copy of a batch": (BATCH.format("x", "pinned.ctypes.data") + "; pinned[:] = 5; other.synchronize()",
                                                            "the host writes to the source of a copy of a batch"),
    "the host overwrites the source of one of two copies of a batch": (DURING_THE_CALL.format(40), "the host writes to the source of a copy of a batch"),
    # Reported in https://github.com/ashalliants/ninfer-3090/pull/44: of 200 kernels 146 read what had been there before.
    "a copy from pageable memory that may go on when it has returned": (
        "cuda.memcpy_htod(x, np.arange(64, dtype=np.int32)); read(x, y, stream=one, **block)", "from pageable memory", "at line 4"),
    "a fill beside a kernel": ("cuda.memset_d32_async(x, 1, 64, one); read(x, y, stream=other, **block)", "the fill", "reads"),
    "a fill of rows beside a kernel": ("cu.cuMemsetD2D32Async(int(x), 64, 1, 8, 4, one.handle); read(x, y, stream=other, **block)", "the fill", "reads"),
    "an event that was recorded too early": ("event.record(one); write(x, stream=one, **block); other.wait_for_event(event); "
                                             "read(x, y, stream=other, **block)", "kernel read (", "at line 4", "kernel write (", "at line 2"),
    "the host overwrites the source of a copy": ("cuda.memcpy_htod_async(x, pinned, one); pinned[:] = 7; one.synchronize()",
                                                 "the host writes to the source of the copy to the device"),
    "the host overwrites the source of a copy, while other work writes elsewhere": (
        "cuda.memcpy_htod_async(x, pinned, one); pinned[:] = 9; write(y, stream=other, **block); other.synchronize(); one.synchronize()",
        "the host writes to the source of the copy to the device"),
    "the host reads the target of a copy too early": ("cuda.memcpy_dtoh_async(pinned, x, one); pinned[3] + 0; one.synchronize()",
                                                      "the host uses what the copy to the host (", "before it has waited for it"),
    "the host reads what a kernel writes too early": ("write(np.intp(pinned.ctypes.data), stream=one, **block); pinned.sum(); "
                                                      "one.synchronize()", "the host uses what kernel write ("),
    "the host writes where a copy still writes": ("cuda.memcpy_dtoh_async(pinned, x, one); pinned[:] = 0; one.synchronize()",
                                                  "the host uses what the copy to the host ("),
    "the host waits for another stream, and reads": ("cuda.memcpy_dtoh_async(pinned, x, one); other.synchronize(); pinned[3] + 0; "
                                                     "one.synchronize()", "the host uses what the copy to the host ("),
    "the host reads too early, after a kernel has signalled in the device's memory": (
        "above = cuda.mem_alloc(4); give(x, flag, stream=other, **block); give(x, above, stream=other, **block); other.synchronize(); "
        "cuda.memcpy_dtoh_async(pinned, y, one); pinned[3] + 0; one.synchronize()", "the host uses what the copy to the host ("),
    "the host asks an event, and does not wait": ("cuda.memcpy_dtoh_async(pinned, x, one); pinned[0] + 0; event.record(one); "
                                                  "event.synchronize()", "the host uses what the copy to the host ("),
    "memory before its allocation's turn": ("p = cu.cuMemAllocAsync(256, one.handle)[1]; write(np.intp(int(p)), stream=other, **block); "
                                            "cuda.Context.synchronize(); cu.cuMemFreeAsync(p, one.handle)", "cuMemAllocAsync",
                                            "allocates"),
    "memory that another stream may have freed": ("p = cu.cuMemAllocAsync(256, one.handle)[1]; one.synchronize(); "
                                                  "write(np.intp(int(p)), stream=other, **block); "
                                                  "time.sleep(.2); cu.cuMemFreeAsync(p, one.handle)", "cuMemFreeAsync", "frees"),
    "memory that is freed before the other stream's kernel comes to it": (
        "gate = cuda.pagelocked_zeros(1, np.uint32); p = cu.cuMemAllocAsync(256, one.handle)[1]; event.record(one); "
        "other.wait_for_event(event); cu.cuStreamWaitValue32(other.handle, gate.ctypes.data, 1, 1); "
        "write(np.intp(int(p)), stream=other, **block); cu.cuMemFreeAsync(p, one.handle)\nwhile not one.is_done(): pass\ngate[0] = 1",
        "cuMemFreeAsync", "frees"),
    "memory that is given to its stream again while another stream reads it": (
        USED_TWICE + "time.sleep(.2); cu.cuMemFreeAsync(p, one.handle); q = cu.cuMemAllocAsync(256, one.handle)[1]; "
                     "write(np.intp(int(q)), stream=one, **block)",
        "kernel read (", "cuMemFreeAsync", "frees"),
    "one event that two streams record: only the last record counts": (
        "write(x, stream=one, **block); event.record(one); write(y, stream=blocking, **block); event.record(blocking); "
        "other.wait_for_event(event); read(x, y, stream=other, **block)", "kernel read (", "at line 4", "kernel write (", "at line 2"),
    "a module's variable": ("to_table(stream=one, **block); from_table(y, stream=other, **block)", "table[", "to_table", "from_table"),
    "parts of one array that overlap": ("write(x, stream=one, block=(40, 1, 1)); write(np.intp(int(x) + 64), stream=other, block=(40, 1, 1))",
                                        "kernel write (", "writes"),
    "double buffering that forgets the way back": (
        "write(x, stream=one, **block); event.record(one); other.wait_for_event(event); cuda.memcpy_dtoh_async(pinned, x, other); "
        "write(x, stream=one, **block); one.synchronize(); other.synchronize()", "the copy to the host", "kernel write ("),
}
CLEAN = {
    "one stream": "write(x, stream=one, **block); read(x, y, stream=one, **block)",
    "an event": "write(x, stream=one, **block); event.record(one); other.wait_for_event(event); read(x, y, stream=other, **block)",
    "one event that two streams record, waited for in between": (
        "write(x, stream=one, **block); event.record(one); other.wait_for_event(event); write(y, stream=blocking, **block); "
        "event.record(blocking); other.wait_for_event(event); read(x, y, stream=other, **block)"),
    "double buffering": (
        "write(x, stream=one, **block); event.record(one); other.wait_for_event(event); cuda.memcpy_dtoh_async(pinned, x, other); "
        "event.record(other); one.wait_for_event(event); write(x, stream=one, **block); other.synchronize(); pinned.sum()"),
    "a prefetcher with two buffers": (
        "buffers, events = (pinned, cuda.pagelocked_zeros(64, np.int32)), (cuda.Event(), cuda.Event())\nfor turn in range(4):\n"
        "    if turn > 1: events[turn % 2].synchronize()\n    buffers[turn % 2][:] = turn\n"
        "    cuda.memcpy_htod_async(x, buffers[turn % 2], one); events[turn % 2].record(one); read(x, y, stream=one, **block)"),
    "a kernel between the rows of a copy": "halves(np.intp(int(x) + 4), stream=one, block=(32, 1, 1)); " + ROWS.format("x", "y"),
    "a kernel between the rows of a fill": "cu.cuMemsetD2D32Async(int(x) + 4, 8, 1, 1, 32, one.handle); halves(x, stream=other, block=(32, 1, 1))",
    "elements in turn": "halves(x, stream=one, block=(32, 1, 1)); halves(np.intp(int(x) + 4), stream=other, block=(32, 1, 1))",
    "a stream that was waited for": "write(x, stream=one, **block); one.synchronize(); read(x, y, stream=other, **block)",
    "an event that was asked until it had come": "write(x, stream=one, **block); event.record(one)\n"
                                                 "while not event.query(): pass\nread(x, y, stream=other, **block)",
    "the NULL stream's rules": "write(x, stream=blocking, **block); read(x, y, **block); write(y, stream=blocking, **block)",
    "a copy that the host waits for": "write(x, **block); cuda.memcpy_dtoh(np.zeros(64, np.int32), x); write(x, stream=other, **block)",
    "a copy from pageable memory before work that waits for the NULL stream":
        "cuda.memcpy_htod(x, np.arange(64, dtype=np.int32)); read(x, y, stream=blocking, **block); read(x, y, **block)",
    "a copy from pageable memory that was waited for":
        "cuda.memcpy_htod(x, np.arange(64, dtype=np.int32)); cuda.Context.synchronize(); read(x, y, stream=one, **block)",
    "copies of a batch that the host waits for": BATCH.format("x", "pinned.ctypes.data") + "; other.synchronize(); pinned[:] = 5; "
                                                 "read(x, y, stream=one, **block)",
    "a source that a batch reads during its call": DURING_THE_CALL.format(4),
    "a function of the host": "write(x, stream=one, **block)\ncome = threading.Event()\n"
                              "tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: come.set())\n"
                              "cu.cuLaunchHostFunc(one.handle, ctypes.cast(tell, ctypes.c_void_p).value, 0)\ncome.wait()\n"
                              "read(x, y, stream=other, **block)",
    "different bytes": "write(x, stream=one, **block); write(y, stream=other, **block)",
    "two readers": "read(x, y, stream=one, **block); read(x, flag, stream=other, **block)",
    "a flag between two kernels": "give(x, flag, stream=one, **block); take(x, flag, y, stream=other, **block)",
    "a target that is read after the wait": "cuda.memcpy_dtoh_async(pinned, x, one); one.synchronize(); pinned[3] + 0",
    "a target that is read between two copies": "for turn in range(3):\n    cuda.memcpy_dtoh_async(pinned, x, one)\n"
                                                "    one.synchronize()\n    pinned[:] = pinned + 1",
    "another array, while a copy is under way": "more = cuda.pagelocked_zeros(64, np.int32); more[:] = 3\n"
                                                "large = cuda.pagelocked_zeros(4096, np.int32); large[:] = 3\n"
                                                "cuda.memcpy_dtoh_async(pinned, x, one); more.sum(), large.sum(); one.synchronize()",
    "the other half of a buffer": "cuda.memcpy_dtoh_async(pinned[:32], x, one); pinned[32:] + 0; one.synchronize()",
    "a target that an event tells of": "cuda.memcpy_dtoh_async(pinned, x, one); event.record(one)\n"
                                       "while not event.query(): pass\npinned[3] + 0",
    "a function of the host that reads the target": "cuda.memcpy_dtoh_async(pinned, x, one)\n"
                                                    "tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: pinned.sum())\n"
                                                    "cu.cuLaunchHostFunc(one.handle, ctypes.cast(tell, ctypes.c_void_p).value, 0)\n"
                                                    "one.synchronize()",
    "a value that the stream writes behind a copy": "done = cuda.pagelocked_zeros(1, np.int32)\n"
                                                    "cuda.memcpy_dtoh_async(pinned, x, one)\n"
                                                    "cu.cuStreamWriteValue32(one.handle, done.ctypes.data, 1, 0)\n"
                                                    "while not done[0]: pass\npinned[3] + 0; one.synchronize()",
    "a mailbox": "box = cuda.pagelocked_zeros(1, np.int32)\n"
                 "give(np.intp(pinned.ctypes.data), np.intp(box.ctypes.data), stream=one, **block)\n"
                 "while not box[0]: pass\npinned[3] + 0; one.synchronize()",
    "a source that is read while it is copied": "cuda.memcpy_htod_async(x, pinned, one); pinned[3] + 0; one.synchronize()",
    "a source that is left alone": "cuda.memcpy_htod_async(x, pinned, one); one.synchronize(); pinned[:] = 9",
    "a source that a later copy overwrites": "cuda.memcpy_htod_async(x, pinned, one); cuda.memcpy_dtoh_async(pinned, y, one); "
                                             "one.synchronize()",
    "memory in the order of its stream": "p = cu.cuMemAllocAsync(256, one.handle)[1]; write(np.intp(int(p)), stream=one, **block); "
                                         "cu.cuMemFreeAsync(p, one.handle)",
    "memory that is given to its stream again when another stream has read it":
        USED_TWICE + "event.record(other); one.wait_for_event(event); cu.cuMemFreeAsync(p, one.handle); "
                     "q = cu.cuMemAllocAsync(256, one.handle)[1]; write(np.intp(int(q)), stream=one, **block)",
    "memory that is given again while its first user is still at work":
        "p = cu.cuMemAllocAsync(256, one.handle)[1]; write(np.intp(int(p)), stream=one, **block)\n"
        "for turn in range(9):\n    read(np.intp(int(p)), y, stream=one, **block); cu.cuMemFreeAsync(p, one.handle)\n"
        "    p = cu.cuMemAllocAsync(256, one.handle)[1]; write(np.intp(int(p)), stream=one, **block)",
    "memory that another stream gets behind an event":
        "p = cu.cuMemAllocAsync(256, one.handle)[1]; write(np.intp(int(p)), stream=one, **block); cu.cuMemFreeAsync(p, one.handle); "
        "event.record(one); other.wait_for_event(event); q = cu.cuMemAllocAsync(256, other.handle)[1]; "
        "write(np.intp(int(q)), stream=other, **block)",
    "memory that was freed and given to somebody else": "a = cuda.mem_alloc(256); write(a, stream=one, **block); a.free(); "
                                                        "b = cuda.mem_alloc(256); write(b, stream=other, **block)",
}


@pytest.fixture(scope="module")
def findings_of():
    """{name: messages} of all programs, each in the same process after the last one has ended."""
    code = START
    for name, program in {**{name: case[0] for name, case in WRONG.items()}, **CLEAN}.items():
        code += (f"with cuda_simulator.examine() as seen:\n{textwrap.indent(program, '    ')}\n    cuda.Context.synchronize()\n"
                 f"found[{name!r}] = [str(one) for one in seen.findings]\n")
    result = run(code + "print(json.dumps(found))")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", WRONG)
def test_what_nothing_orders_is_found_and_told_with_both_sides(name, findings_of):
    finding, = findings_of[name]
    assert finding.startswith("race: ") and [words for words in WRONG[name][1:] if words not in finding] == []


@pytest.mark.parametrize("name", CLEAN)
def test_what_is_ordered_is_not_accused(name, findings_of):
    assert [finding for finding in findings_of[name] if finding.startswith("race")] == []


def test_a_line_counts_from_the_def_in_a_function_of_a_cell_and_from_the_top_outside():
    cell = {"caller": caller}
    exec(compile("\n\ndef story():\n    return caller()\nplace = caller()", "<cell>", "exec"), cell)
    assert (cell["story"](), cell["place"]) == ("line 2 in story", "line 5")


def test_a_process_that_is_examined_is_told_of_races_between_streams():
    result = run(START + "write(x, stream=one, **block); read(x, y, stream=other, **block); cuda.Context.synchronize()",
                 CUDA_SIMULATOR_EXAMINE="1")
    lines = [line for line in result.stderr.splitlines() if "nothing orders the two" in line]
    assert len(lines) == 1 and lines[0].startswith("finding: race: kernel ")


def test_a_free_that_came_first_by_chance_is_told_once_as_the_race_that_it_is():
    wrong, *words = WRONG["memory that is freed before the other stream's kernel comes to it"]
    printed = run(START + wrong + "\nother.synchronize()", CUDA_SIMULATOR_EXAMINE="1").stderr
    line, = (line for line in printed.splitlines() if line.startswith("finding: "))
    assert line.startswith("finding: race: ") and all(word in line for word in words)
