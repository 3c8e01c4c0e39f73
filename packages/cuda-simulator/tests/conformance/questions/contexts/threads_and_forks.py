"""Threads share contexts, each with a stack of its own; a forked child has no CUDA."""
import ctypes
import threading

from cuda.bindings import driver as cu

from ...asking import NOTHING, question
from ...helpers.calls import ask, must, pattern
from ...helpers.memory_kinds import make
from ...helpers.threads_and_forks import in_child, in_thread
from ...helpers.whole_api import Objects, calls


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
    equal = []
    threads = [threading.Thread(target=lambda s=s: equal.append(work(s))) for s in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [len(equal), all(equal)]
