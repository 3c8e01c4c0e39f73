"""Execute a sequence about memory in the order of streams, and say each answer without addresses.

What is taken is told by where it lies: in which freed memory of the sequence ("a7+512"), else by its distance from the pool's first. A
call that has not returned after a while has waited for a held stream: then all are let go, and its answer says so. "Done" is seen in
memory that the streams write, so that the driver is asked nothing.
"""
import ctypes
import os
import threading
import time

from cuda.bindings import driver as cu

from ..helpers import kernels
from ..helpers.calls import name
from ..helpers.memory_kinds import access, location, pages

PATIENCE = 1.0    # seconds
PINNED = cu.CUmemAllocationType(1)
UNSET = ["unset"]


class OrderExecutor:
    def __init__(self):
        self.streams = {"s0": 0} | {f"s{n}": cu.cuStreamCreate(1)[1] for n in (1, 2, 3)}
        self.host = int(cu.cuMemHostAlloc(64 << 10, 0)[1])
        ctypes.memset(self.host, 0, 64 << 10)
        self.words = (ctypes.c_uint32 * 4096).from_address(self.host)
        kernels.module()
        self.used = 64                                      # words: 0 to 15 are the marks of the streams
        self.held = {name: set() for name in self.streams}    # stream -> gates that hold it, as the calls say
        self.gates, self.events, self.pools, self.memory = {}, {}, {}, {}
        self.dead = []                                      # names, the last freed last
        self.first_addresses = {}                                     # pool -> the first address it gave
        self.owner, self.mark, self.waited = {}, 0, False

    def word(self):
        self.used += 4
        return self.used

    def execute(self, call):
        verb, *arguments = call
        self.waited = False
        timer = threading.Timer(PATIENCE, self._give_up)
        timer.start()
        try:
            answer = getattr(self, verb.replace(" ", "_"))(*arguments)
        except KeyError:
            answer = UNSET
        timer.cancel()
        if self.waited:
            self._all_done()
            answer = [*answer, "waited"]
        return answer

    def _give_up(self):
        self.waited = True
        for gate in list(self.gates.values()):
            self.words[gate] = 1

    # -- streams and events

    def hold(self, gate, stream, how):
        at = self.gates[gate] = self.word()
        self.held[stream].add(gate)
        if how == "wait":
            return [name(cu.cuStreamWaitValue32(self.streams[stream], self.host + 4 * at, 1, 1)[0])]
        kernels.launch("wait_for", self.host + 4 * at, self.host + 4 * at + 4, stream=int(self.streams[stream]))
        return ["SUCCESS"]

    def let_go(self, gate):
        self.words[self.gates.pop(gate)] = 1
        for gates in (*self.held.values(), *(gates for _, gates in self.events.values())):
            gates.discard(gate)
        return self._done([stream for stream in self.streams if not self.held[stream]])

    def let_all_go(self):
        for gate in list(self.gates):
            self.words[self.gates.pop(gate)] = 1
        return self._all_done()

    def _all_done(self):
        self.gates.clear()
        for gates in (*self.held.values(), *(gates for _, gates in self.events.values())):
            gates.clear()
        return self._done(list(self.streams))

    def _done(self, streams):
        """Wait until these have done what they were given, without asking the driver. A stream may still wait inside for another's."""
        self.mark += 1
        for stream in streams:
            cu.cuStreamWriteValue32(self.streams[stream], self.host + 4 * int(stream[1]), self.mark, 0)
        until = time.monotonic() + (2 if not self.gates else 0.1)
        while any(self.words[int(stream[1])] != self.mark for stream in streams) and time.monotonic() < until:
            time.sleep(0.0005)
        time.sleep(0.003)
        return ["SUCCESS", [stream for stream in streams if self.words[int(stream[1])] != self.mark]]

    def record(self, event, stream):
        if event not in self.events:
            self.events[event] = cu.cuEventCreate(2)[1], set()
        handle = self.events[event][0]
        self.events[event] = handle, set(self.held[stream])
        return [name(cu.cuEventRecord(handle, self.streams[stream])[0])]

    def wait(self, stream, event):
        handle, gates = self.events[event]
        self.held[stream] |= gates
        return [name(cu.cuStreamWaitEvent(self.streams[stream], handle, 0)[0])]

    def event_query(self, event):
        return [name(cu.cuEventQuery(self.events[event][0])[0])]

    def query(self, stream):
        return [name(cu.cuStreamQuery(self.streams[stream])[0])]

    def synchronize(self, stream):
        return [name((cu.cuCtxSynchronize() if stream == "all" else cu.cuStreamSynchronize(self.streams[stream]))[0])]

    # -- memory

    def pool(self, pool, kind):
        props = cu.CUmemPoolProps()
        props.allocType, props.location = PINNED, location(kind if kind == "host numa" else "device")
        if "exportable" in kind:
            props.handleTypes = cu.CUmemAllocationHandleType(1)
        if "MiB" in kind:
            props.maxSize = 96 << 20
        code, handle = cu.cuMemPoolCreate(props)
        if not int(code):
            self.pools[pool] = handle
            if kind == "host numa":
                cu.cuMemPoolSetAccess(handle, [access("read and write")], 1)
        return [name(code)]

    def take(self, label, size, pool, stream):
        code, address = cu.cuMemAllocFromPoolAsync(size, self.pools[pool], self.streams[stream])
        if int(code):
            return [name(code)]
        address = int(address)
        place = next((f"{dead}+{address - self.memory[dead][0]}" for dead in reversed(self.dead)
                      if self.memory[dead][0] <= address < self.memory[dead][0] + self.memory[dead][1]), None)
        self.memory[label] = address, size
        self.first_addresses.setdefault(pool, address)
        distance = address - self.first_addresses[pool]
        return [name(code), place or (distance if abs(distance) < 1 << 30 else "far")]

    def take_as(self, label, earlier, pool, stream):
        return self.take(label, self.memory[earlier][1], pool, stream)

    def _note_free(self, label, code):
        if not int(code):
            self.dead.append(label)
        return [name(code)]

    def _is_anothers(self, label):
        """Was it freed, and is now part of something else?"""
        address = self.memory[label][0]
        return label in self.dead and any(other not in self.dead and at <= address < at + size for other, (at, size) in self.memory.items())

    def free(self, label, stream):
        if self._is_anothers(label):
            return UNSET
        return self._note_free(label, cu.cuMemFreeAsync(self.memory[label][0], self.streams[stream])[0])

    def cuMemFree(self, label):
        if self._is_anothers(label):
            return UNSET
        return self._note_free(label, cu.cuMemFree(self.memory[label][0])[0])

    def fill(self, label, value, stream):
        if label in self.dead:
            return UNSET
        address, size = self.memory[label]
        return [name(cu.cuMemsetD8Async(address, value, min(size, 64), self.streams[stream])[0])]

    def fetch(self, label, stream):
        if label in self.dead:
            return UNSET
        return [name(cu.cuMemcpyDtoHAsync(self.host + 4 * self.word(), self.memory[label][0], 1, self.streams[stream])[0])]

    def ask(self, subject, label):
        if self._is_anothers(label):
            return UNSET
        address, size = self.memory[label]
        if subject == "range":
            code, start, length = cu.cuMemGetAddressRange(address)
            return [name(code)] if int(code) else [name(code), int(start) - address, int(length)]
        if subject == "forward":
            return [name(cu.cuMemHostGetDevicePointer(address, 0)[0])]
        if subject == "copy":
            return [name(cu.cuMemcpyDtoH(bytearray(1), address, 1)[0])]
        number = {"type": 2, "start": 11, "pool": 17}[subject]
        return [name(ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute(ctypes.byref(ctypes.c_uint64()), ctypes.c_int(number), ctypes.c_uint64(address)))]

    # -- pools

    def counts(self, pool):
        return [int(cu.cuMemPoolGetAttribute(self.pools[pool], cu.CUmemPool_attribute(attribute))[1]) for attribute in (7, 5, 8, 6)]

    def _set(self, pool, number, value):
        return [name(cu.cuMemPoolSetAttribute(self.pools[pool], cu.CUmemPool_attribute(number), cu.cuuint64_t(value) if number > 3 else value)[0])]

    def threshold(self, pool, value):
        return self._set(pool, 4, value)

    def switch(self, pool, number, value):
        return self._set(pool, number, value)

    def lower_marks(self, pool):
        return [*self._set(pool, 6, 0), *self._set(pool, 8, 0)]

    def trim(self, pool, keep):
        return [name(cu.cuMemPoolTrimTo(self.pools[pool], keep)[0])]

    def destroy(self, pool):
        return [name(cu.cuMemPoolDestroy(self.pools.pop(pool))[0])]

    def export(self, pool):
        code, descriptor = cu.cuMemPoolExportToShareableHandle(self.pools[pool], cu.CUmemAllocationHandleType(1), 0)
        if not int(code):
            os.close(int(descriptor))
        return [name(code)]

    def export_pointer(self, label):
        if label in self.dead:
            return UNSET
        return [name(cu.cuMemPoolExportPointer(self.memory[label][0])[0])]

    def other_memory(self, kind, size):
        if kind == "register":
            return [name(cu.cuMemHostRegister(pages(max(size, 4096)), size, 0)[0])]
        return [name({"cuMemAlloc": lambda: cu.cuMemAlloc(size), "cuMemHostAlloc": lambda: cu.cuMemHostAlloc(size, 0),
                      "managed": lambda: cu.cuMemAllocManaged(size, 1)}[kind]()[0])]

    def close(self):
        self.let_all_go()
        cu.cuCtxSynchronize()
        for label, (address, _) in self.memory.items():
            if label not in self.dead:
                cu.cuMemFreeAsync(address, 0)
        cu.cuCtxSynchronize()
        for pool in self.pools.values():
            cu.cuMemPoolDestroy(pool)


def execute(calls):
    """Yield (number of the call, answer)."""
    executor = OrderExecutor()
    for number, call in enumerate(calls):
        yield str(number), executor.execute(call)
    executor.close()
