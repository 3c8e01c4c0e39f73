"""Queues between host and device in managed memory: work is put in at one end and taken out at the other."""
import ctypes

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, read
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import MIB, PAGE, advise, facts, fresh, host_byte, host_write, prefetch, prefetch_and_wait, view
from ...helpers.memory_kinds import make
from ...helpers.streams import LEGACY, PER_THREAD, Gate, stream

SOURCE = r"""
extern "C" {
struct Belt { unsigned head, tail; int slots[8]; };
__global__ void drain(Belt *belt, int *sum, int most) {
    while (most-- > 0 && belt->head != belt->tail) *sum += belt->slots[belt->head++ % 8];
}
__global__ void supply(Belt *belt, int first, int n) {
    for (int i = 0; i < n && belt->tail - belt->head < 8; i++) belt->slots[belt->tail++ % 8] = first + i;
}
__global__ void keep_odd(const int *from, int n, int *to, unsigned *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && from[i] % 2) to[atomicAdd_system(count, 1u)] = from[i];
}
__global__ void shares(unsigned *ticket, int tickets, int *by_block) {
    __shared__ unsigned mine;
    while (true) {
        if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
        __syncthreads();
        if (mine >= tickets) return;
        atomicAdd(&by_block[mine], threadIdx.x);
        __syncthreads();
    }
}
__global__ void order(int *cells, int *count, int mark) { cells[(*count)++] = mark; }
__global__ void seal(unsigned *words, int n) {
    unsigned sum = 0;
    for (int i = 0; i < n; i++) sum = sum * 31 + words[i];
    words[n] = sum;
}
}
"""


class Belt(ctypes.Structure):
    _fields_ = [("head", ctypes.c_uint), ("tail", ctypes.c_uint), ("slots", ctypes.c_int * 8)]


def launch(title, *arguments, **shape):
    return ask(kernels.launch(kernels.kernel(title, SOURCE), *arguments, **shape))


def run(title, *arguments, **shape):
    return ask(kernels.run(kernels.kernel(title, SOURCE), *arguments, **shape))


def load(a):
    """Run the kernel that leaves marks once, away from them: loading it behind a kernel that waits might hang."""
    must(kernels.run(kernels.kernel("order", SOURCE), a + 2 * PAGE, a + 3 * PAGE, i32(0)))


@question("the host puts work on a managed belt of eight slots, and a kernel takes it off, around the end too")
def taken_off():
    belt, total = Belt.from_address(a := fresh()), view(o := fresh(), np.int32, 1)
    for batch_, most in ((5, 3), (6, 8), (8, 0), (0, 100)):
        for value in range(batch_):
            if belt.tail - belt.head < 8:
                belt.slots[belt.tail % 8] = 10 * batch_ + value
                belt.tail += 1
        yield f"{batch_} put on, {most} taken off", [run("drain", a, o, i32(most)), belt.head, belt.tail,
                                                     int(total[0])]


@question("a kernel puts work on a managed belt, and the host takes it off")
def put_on():
    belt, items = Belt.from_address(a := fresh()), []
    belt.head = belt.tail = 0xFFFFFFFC
    for start, count, most in ((1, 5, 2), (20, 9, 6), (40, 1, 9)):
        code = run("supply", a, i32(start), i32(count))
        while most and belt.head != belt.tail:
            items.append(belt.slots[belt.head % 8])
            belt.head, most = belt.head + 1, most - 1
        yield f"{count} from {start}", [code, belt.head, belt.tail, items[-3:]]
    yield "both ends by kernels of one stream", [launch("supply", a, i32(70), i32(3)),
                                                 run("drain", a, a + PAGE, i32(9)),
                                                 view(a + PAGE, np.int32, 1).tolist()]


@question("what many threads keep is counted in managed memory, and the host finds as much as the count says")
def kept():
    f, t, c = fresh(), fresh(flags=2), fresh(4)
    view(f, np.int32, 3000)[:] = np.arange(3000) * 3
    count = view(c, np.uint32, 1)
    for n in (1, 777, 3000):
        count[0] = 0
        code = run("keep_odd", f, i32(n), t, c, grid=12, block=256)
        kept_ = view(t, np.int32, 3000)[:int(count[0])]
        yield f"of {n}", [code, int(count[0]), int(kept_.sum()), len(set(kept_.tolist()))]
    yield "on top of what is there", [run("keep_odd", f, i32(10), t, c, block=32), int(count[0])]


@question("blocks draw tickets from managed memory until there are none, and each piece of work is done once")
def tickets():
    for place in ("device", "host"):
        t, b = fresh(), fresh()
        prefetch_and_wait(t, PAGE, place)
        yield f"on the {place}", [run("shares", t, i32(50), b, grid=4, block=32), view(t, np.uint32, 1).tolist(),
                                  sorted(set(view(b, np.int32, 50).tolist())), int(view(b, np.int32, 51)[50])]
        yield f"on the {place}: none left", [run("shares", t, i32(50), b, grid=2, block=32),
                                             view(t, np.uint32, 1).tolist()]


@question("marks are left in the order of events between streams, whichever was filled first")
def order_of_events():
    a, first, second = fresh(), stream(), stream()
    cells, event = view(a, np.int32, 16), must(cu.cuEventCreate(2))
    load(a)
    gate = Gate(first)
    codes = [launch("order", a, a + PAGE, i32(1), stream=int(first)), ask(cu.cuEventRecord(event, first)),
             ask(cu.cuStreamWaitEvent(second, event, 0)), launch("order", a, a + PAGE, i32(2), stream=int(second)),
             prefetch(a, PAGE, "device", 0, second), launch("order", a, a + PAGE, i32(3), stream=int(second))]
    yield "codes", codes
    yield "before", [ask(cu.cuStreamQuery(first)), ask(cu.cuStreamQuery(second)), ask(cu.cuEventQuery(event)),
                     cells[:2].tolist()]
    gate.open()
    yield "after", [ask(cu.cuStreamSynchronize(second)), ask(cu.cuStreamQuery(first)), ask(cu.cuEventQuery(event)),
                    cells[:4].tolist()]
    yield "prefetched", facts(a, PAGE)


@question("work of a blocking stream waits for the NULL stream's at managed memory, a non-blocking one's does not")
def null_between():
    for flags, label in ((0, "blocking"), (1, "non-blocking")):
        a, s = fresh(), stream(flags)
        cells = view(a, np.int32, 4)
        load(a)
        gate = Gate(0)
        code = launch("order", a, a + PAGE, i32(5), stream=int(s))
        waits = ask(cu.cuStreamQuery(s)) if flags == 0 else ask(cu.cuStreamSynchronize(s))
        yield label, [code, waits, int(cells[0])]
        gate.open()
        yield f"{label}: after", [ask(cu.cuCtxSynchronize()), int(cells[0])]


@question("a message in managed memory is sealed by a kernel and checked by the host, after copies by every stream")
def sealed():
    a, b = fresh(), fresh()
    words = view(b, np.uint32, 8)
    view(a, np.uint32, 7)[:] = np.arange(7) * 1000003
    yield "sealed", [run("seal", a, i32(7)), int(view(a, np.uint32, 8)[7])]
    for label, s in (("NULL", 0), ("legacy", LEGACY), ("the thread's", PER_THREAD), ("another", stream())):
        host_write(b, 0, 32)
        code = ask(cu.cuMemcpyAsync(b, a, 32, s))
        sum_ = 0
        waited = ask(cu.cuStreamSynchronize(s))
        for word in words[:7].tolist():
            sum_ = (sum_ * 31 + word) & 0xFFFFFFFF
        yield label, [code, waited, sum_ == int(words[7])]


@question("a block that goes from stream to stream is attached to each in turn, and to none at the end")
def from_stream_to_stream():
    for flags in (1, 2):
        a, streams = fresh(flags=flags), [stream(), stream(0), PER_THREAD]
        answers = []
        for mark, s in enumerate(streams):
            answers.append([attach(s, a), launch("order", a, a + PAGE, i32(mark + 4), stream=int(s)),
                            ask(cu.cuStreamSynchronize(s))])
        yield f"allocated with {flags}: each", answers
        yield f"allocated with {flags}: content", [view(a, np.int32, 4).tolist(), host_byte(a + PAGE)]
        yield f"allocated with {flags}: none", [attach(0, a, 0, 1), attach(streams[0], a, 0, 2),
                                                ask(cu.cuCtxSynchronize()), facts(a, PAGE)]


@question("slots that host and kernel fill are copied out together by one call, from both ends of the belt")
def both_ends():
    a, d = fresh(), make("device").address
    sure_ = [advise(a, 2 * PAGE, "SET_PREFERRED_LOCATION", "host"), prefetch(a + PAGE, PAGE),
             ask(cu.cuCtxSynchronize())]
    host_write(a + PAGE - 8, 0xA1, 8)
    yield "filled", [sure_, ask(kernels.run("fill", a + PAGE, i32(1), i32(8)))]
    yield "copied", [ask(cu.cuMemcpyDtoD(d, a + PAGE - 4, 8)), read(d, 8).hex()]
    yield "moved within the belt", [ask(cu.cuMemcpyDtoD(a + MIB, a + PAGE - 2, 4)), ask(cu.cuCtxSynchronize()),
                                    ctypes.string_at(a + MIB, 5).hex()]
    yield "set over the border", [ask(cu.cuMemsetD16(a + PAGE - 2, 0x7788, 2)), ask(cu.cuCtxSynchronize()),
                                  ctypes.string_at(a + PAGE - 4, 8).hex()]
