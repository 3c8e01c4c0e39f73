"""Managed memory while work is under way: kernels that wait on it, host functions, events, who waits for whom."""
import ctypes
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels, managed_memory as mm
from ...helpers.calls import ask, must, raw, read
from ...helpers.kernels import i32
from ...helpers.managed_calls import attach
from ...helpers.managed_memory import PAGE, advise, attribute, batch, facts, fresh, host_byte, host_write, prefetch
from ...helpers.memory_kinds import make
from ...helpers.streams import Gate, stream
from ...helpers.threads_and_forks import in_thread

EQ = 1    # of CUstreamWaitValue_flags


def ends_in_time(s, patience=3):
    """Whether a stream's work ends within some seconds."""
    end = time.monotonic() + patience
    while ask(cu.cuStreamQuery(s)) == "NOT_READY" and time.monotonic() < end:
        time.sleep(0.005)
    return ask(cu.cuStreamQuery(s)) != "NOT_READY"


class Waiting:
    """A kernel in a stream of its own that waits until the int at `a` is not 0, and writes one more to the next int."""

    def __init__(self, flags=1):
        self.a, self.stream = fresh(flags=flags), stream()
        self.cells = (ctypes.c_int * 4).from_address(self.a)
        self.cells[0] = self.cells[1] = 0
        must(kernels.launch("wait_for", self.a, self.a + 4, stream=int(self.stream)))

    def end(self):
        """What the kernel answered, and whether the host had to help."""
        helped = not ends_in_time(self.stream)
        if helped:
            self.cells[0] = 99
        return [ask(cu.cuStreamSynchronize(self.stream)), self.cells[1], "the host helped" if helped else "by itself"]


@question("a kernel that waits at managed memory sees what anyone writes there", alone=True)
def seen_while_running():
    source = ctypes.create_string_buffer((5).to_bytes(4, "little"))
    device = make("device").address
    must(cu.cuMemsetD32(device, 5, 1))
    # Of two streams, of which the second is made right after the first: only eight are sure to be independent.
    writers = {
        "the host": lambda a, other_stream: host_write(a, 5, 1),
        "another thread": lambda a, other_stream: in_thread(lambda: host_write(a, 5, 1)),
        "memset": lambda a, other_stream: ask(cu.cuMemsetD32Async(a, 5, 1, other_stream)),
        "HtoD": lambda a, other_stream: ask(cu.cuMemcpyHtoDAsync(a, source, 4, other_stream)),
        "DtoD": lambda a, other_stream: ask(cu.cuMemcpyDtoDAsync(a, device, 4, other_stream)),
        "DtoH": lambda a, other_stream: ask(cu.cuMemcpyDtoHAsync(a, device, 4, other_stream)),
        "a stream's write": lambda a, other_stream: ask(cu.cuStreamWriteValue32(other_stream, a, 5, 0)),
        "another kernel": lambda a, other_stream: ask(kernels.launch("fill", a, i32(5), i32(1), stream=int(other_stream)))}
    for label, write in writers.items():
        waiting = Waiting()
        answer = [ask(cu.cuStreamQuery(waiting.stream)), write(waiting.a, stream()), waiting.end()]
        yield label, answer


@question("memory at which a kernel waits is prefetched, advised, attached and asked about meanwhile", alone=True)
def moved_while_running():
    other_stream = stream()
    acts = {f"prefetch to the {place}": lambda a, place=place: [prefetch(a, PAGE, place, 0, other_stream),
                                                                ask(cu.cuStreamSynchronize(other_stream))]
            for place in ("device", "host")}
    acts |= {f"{advice}, {place}": lambda a, advice=advice, place=place: advise(a, PAGE, advice, place)
             for advice in mm.ADVICE for place in ("device", "host")}
    acts |= {f"attach with {flags}": lambda a, flags=flags: [attach(other_stream, a, 0, flags),
                                                             ask(cu.cuStreamSynchronize(other_stream))] for flags in (1, 2, 4)}
    acts["prefetch in a batch"] = lambda a: [batch(mm.PREFETCH, [a], [PAGE], ["host"], stream=other_stream),
                                             ask(cu.cuStreamSynchronize(other_stream))]
    for label, act in acts.items():
        waiting = Waiting()
        answer = [act(waiting.a), facts(waiting.a, PAGE), ask(cu.cuStreamQuery(waiting.stream))]
        waiting.cells[0] = 7
        yield label, [*answer, waiting.end()]


@question("host and kernel write different bytes of one page while the kernel runs, and none is lost", alone=True)
def one_page():
    for flags in (1, 2):
        waiting = Waiting(flags)
        for at in range(16, 64):
            (ctypes.c_ubyte * 1).from_address(waiting.a + at)[0] = at
        waiting.cells[0] = 7
        yield f"allocated with {flags}", [waiting.end(), ctypes.string_at(waiting.a, 72).hex(),
                                          read(waiting.a, 72).hex()]


@question("host functions read and write managed memory between two kernels", alone=True)
def host_functions():
    library = ctypes.CDLL("libcuda.so.1")
    for flags in (1, 2, 4):
        s, a, answers = stream(), fresh(), []
        must(cu.cuStreamAttachMemAsync(s, a, 0, flags))

        def act(data):
            answers.append([data, ctypes.string_at(a, 6).hex()])
            host_write(a + 1, 0xEE, 2)
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(act)
        must(kernels.launch("fill", a, i32(1), i32(4), stream=int(s)))
        code = library.cuLaunchHostFunc(ctypes.c_void_p(int(s)), function, ctypes.c_void_p(7))
        must(kernels.launch("fill", a + 3, i32(0x20), i32(2), stream=int(s)))
        yield f"attached with {flags}", [code, ask(cu.cuStreamSynchronize(s)), answers, ctypes.string_at(a, 6).hex()]


@question("an event after a prefetch is done when the prefetch is, and other streams wait for it", alone=True)
def events():
    for place in ("device", "host"):
        s, t, a, event = stream(), stream(), fresh(), must(cu.cuEventCreate(2))
        host_write(a, 7)
        gate = Gate(s)
        codes = [prefetch(a, 4 * PAGE, place, 0, s), ask(cu.cuEventRecord(event, s)), ask(cu.cuEventQuery(event)),
                 ask(cu.cuStreamWaitEvent(t, event, 0)), ask(kernels.launch("fill", a, i32(1), i32(2), stream=int(t))),
                 ask(cu.cuStreamQuery(t)),
                 host_byte(a)]
        gate.open()
        yield place, [*codes, ask(cu.cuEventSynchronize(event)), ask(cu.cuStreamSynchronize(t)),
                      ask(cu.cuEventQuery(event)),
                      ctypes.string_at(a, 4).hex()]


@question("a stream waits for a value in managed memory that the host, a kernel or a stream writes", alone=True)
def waits_for_value():
    writers = {"the host": lambda a: host_write(a, 9, 1),
               "a kernel": lambda a: ask(kernels.launch("fill", a, i32(9), i32(1), stream=int(stream()))),
               "another stream": lambda a: ask(cu.cuStreamWriteValue32(stream(), a, 9, 0))}
    for label, write in writers.items():
        for flags in (1, 2):
            s, a = stream(), fresh(flags=flags)
            host_write(a, 0, 8)
            codes = [ask(cu.cuStreamWaitValue32(s, a, 9, EQ)), ask(cu.cuStreamWriteValue32(s, a + 4, 3, 0))]
            time.sleep(0.02)
            codes += [ask(cu.cuStreamQuery(s)), host_byte(a + 4), write(a)]
            helped = not ends_in_time(s)
            if helped:
                host_write(a, 9, 1)
            yield f"{label}, allocated with {flags}", [*codes, ask(cu.cuStreamSynchronize(s)), helped,
                                                       ask(cu.cuCtxSynchronize()), ctypes.string_at(a, 8).hex()]


def what_could_wait():
    """{name: call that gives a code}, each with managed memory that nothing under way uses."""
    a, host, device = fresh(), make("pageable").address, make("device").address
    host_write(a, 7, 4 * PAGE)
    spare, own = fresh(), stream()
    return {
        "allocate": lambda: ask(cu.cuMemAllocManaged(4 << 20, 1)),
        "allocate a little": lambda: ask(cu.cuMemAllocManaged(100, 1)),
        "free": lambda: ask(cu.cuMemFree(spare)), "memset": lambda: ask(cu.cuMemsetD8(a, 1, 64)),
        "memset in a stream": lambda: ask(cu.cuMemsetD8Async(a, 1, 64, own)),
        "copy to the host": lambda: ask(cu.cuMemcpyDtoH(host, a, 64)),
        "copy from the host": lambda: ask(cu.cuMemcpyHtoD(a, host, 64)),
        "copy to the device": lambda: ask(cu.cuMemcpyDtoD(device, a, 64)),
        "copy within": lambda: ask(cu.cuMemcpyDtoD(a + 64, a, 64)),
        "copy, unified": lambda: ask(cu.cuMemcpy(a + 64, a, 64)),
        "prefetch": lambda: prefetch(a, PAGE), "prefetch in a stream": lambda: prefetch(a, PAGE, "host", 0, own),
        "read mostly": lambda: advise(a, PAGE, "SET_READ_MOSTLY"),
        "prefer the host": lambda: advise(a, PAGE, "SET_PREFERRED_LOCATION", "host"),
        "accessed by the device": lambda: advise(a, PAGE, "SET_ACCESSED_BY"),
        "range": lambda: attribute(mm.MOSTLY, a, PAGE),
        "attach to all": lambda: attach(own, a, 0, 1), "attach to one": lambda: attach(own, a, 0, 4),
        "discard": lambda: batch(mm.DISCARD, [spare], [2 << 20], stream=own), "host reads": lambda: host_byte(a),
        "address range": lambda: raw("cuMemGetAddressRange_v2", None, None, a)}


@question("which calls with managed memory wait for work in a stream that has nothing to do with it", alone=True)
def what_waits():
    for kind in (0, 1):
        for label in what_could_wait():
            call, s = what_could_wait()[label], stream(kind)
            must(cu.cuCtxSynchronize())
            gate = Gate(s)
            gate.open(0.2)
            code = call()
            answer = [code, "waited" if ask(cu.cuStreamQuery(s)) == "SUCCESS" else "did not wait"]
            must(cu.cuCtxSynchronize())
            yield f"{label}, {'non-' if kind else ''}blocking stream", answer


@question("freeing managed memory waits for the work that uses it", alone=True)
def freed_while_used():
    for label, queue in {"a kernel": lambda a, s: must(kernels.launch("fill", a, i32(1), i32(64), stream=int(s))),
                         "a memset": lambda a, s: must(cu.cuMemsetD8Async(a, 1, 64, s)), "a prefetch": lambda a,
                         s: prefetch(a, PAGE, "device", 0, s),
                         "nothing": lambda a, s: None}.items():
        s, a = stream(), fresh()
        host_write(a, 7)
        gate = Gate(s)
        queue(a, s)
        gate.open(0.15)
        answer = [ask(cu.cuMemFree(a)), "waited" if ask(cu.cuStreamQuery(s)) == "SUCCESS" else "did not wait"]
        yield label, [*answer, ask(cu.cuStreamSynchronize(s)), ask(cu.cuMemGetAddressRange(a))]


@question("two streams prefetch one page to two places, one after the other by an event", alone=True)
def two_streams():
    for first, second in (("device", "host"), ("host", "device")):
        s, t, a, event = stream(), stream(), fresh(), must(cu.cuEventCreate(2))
        host_write(a, 7)
        gate = Gate(s)
        codes = [prefetch(a, PAGE, first, 0, s), ask(cu.cuEventRecord(event, s)),
                 ask(cu.cuStreamWaitEvent(t, event, 0)),
                 prefetch(a, PAGE, second, 0, t), attribute(mm.PREFETCHED, a, PAGE)]
        gate.open()
        yield f"{first}, then {second}", [*codes, ask(cu.cuStreamSynchronize(t)), attribute(mm.PREFETCHED, a, PAGE),
                                          host_byte(a), read(a, 2).hex()]
