"""Threads share contexts, each with a stack of its own; a forked child has no CUDA."""
import ctypes
import json
import os
import signal
import threading

from cuda.bindings import driver as cu

from ..asking import NOTHING, question
from ..calls import ask, must, pattern
from ..memory_kinds import make
from .whole_api import Objects, calls


def in_child(work):
    """What work() gives in a forked child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        signal.alarm(5)    # a call that hangs is an answer too
        try:
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    found = b""
    while piece := os.read(reading, 65536):
        found += piece
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    return json.loads(found) if found else f"status {status}"


@question("a child forked after cuInit cannot use CUDA", alone=True)
def forked_child():
    objects = Objects(exist=True)
    yield "cuInit", in_child(lambda: ask(cu.cuInit(0)))
    yield "cuInit, then count", in_child(lambda: [ask(cu.cuInit(0)), ask(cu.cuDeviceGetCount())])
    for label, call in calls(objects).items():
        yield label, lambda: in_child(lambda: ask(call()))
    yield "the parent works on", ask(cu.cuMemsetD8(objects.device, 1, 16))


@question("a child forked before cuInit can use CUDA", needs=NOTHING)
def forked_before_init():
    yield "child", in_child(lambda: [ask(cu.cuInit(0)), ask(cu.cuDeviceGetCount()), ask(cu.cuCtxCreate(None, 0, 0)), ask(cu.cuMemAlloc(16))])
    yield "parent afterwards", ask(cu.cuInit(0))


@question("a forked child: what the host sees of CUDA's memory", alone=True)
def forked_memory():
    pinned, registered, managed = make("pinned").address, make("registered").address, make("managed").address
    for label, address in (("pinned", pinned), ("registered", registered), ("managed", managed)):
        ctypes.memset(address, 5, 8)
        yield label, in_child(lambda: ctypes.string_at(address, 2).hex())


def in_thread(work):
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0] if found else "no answer"


@question("each thread has a stack of contexts of its own; a context may be current to several")
def threads():
    context = must(cu.cuCtxGetCurrent())
    a = int(must(cu.cuMemAlloc(64)))
    yield "another thread has none", in_thread(lambda: [ask(cu.cuMemAlloc(16)), int(must(cu.cuCtxGetCurrent())) == 0])
    yield "it may take this one", in_thread(lambda: [ask(cu.cuCtxSetCurrent(context)), ask(cu.cuMemsetD8(a, 1, 16))])
    yield "what a thread allocates", in_thread(lambda: [ask(cu.cuCtxPushCurrent(context)), ask(cu.cuMemAlloc(16)), ask(cu.cuCtxPopCurrent())])
    yield "destroyed in another thread", in_thread(lambda: ask(cu.cuCtxDestroy(context)))
    yield "here then", [ask(cu.cuMemAlloc(16)), int(must(cu.cuCtxGetCurrent())) == int(context)]
    yield "pop it", ask(cu.cuCtxPopCurrent())


@question("eight threads may call at once")
def many_threads():
    context = must(cu.cuCtxGetCurrent())
    def work(seed):
        must(cu.cuCtxSetCurrent(context))
        data = pattern(4096, seed)
        for _ in range(20):
            a = must(cu.cuMemAlloc(4096))
            must(cu.cuMemcpyHtoD(a, data, 4096))
            back = bytearray(4096)
            must(cu.cuMemcpyDtoH(back, a, 4096))
            must(cu.cuMemFree(a))
            if bytes(back) != data:
                return False
        return True
    found = []
    threads = [threading.Thread(target=lambda s=s: found.append(work(s))) for s in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [len(found), all(found)]
