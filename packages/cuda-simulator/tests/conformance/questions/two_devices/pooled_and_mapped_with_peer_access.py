"""Copies from a pool's and from mapped memory of the other device, with peer access, with rights of their own, and with neither."""

from cuda.bindings import driver as cu

from ...asking import two_device_question as question
from ...helpers.calls import ask, must, using
from ...helpers.held import Held
from ...helpers.memory_kinds import access
from ...helpers.peers import enable, kernel_read, mapped_on, on, pooled, two_contexts
from ...helpers.pools import create_pool


def _copy_calls(source, target, second, first):
    """What a program of the first device does with 8 bytes of the second's."""
    return {"DtoH": lambda: cu.cuMemcpyDtoH(bytearray(8), source, 8), "DtoD here": lambda: cu.cuMemcpyDtoD(target, source, 8),
            "DtoD there": lambda: cu.cuMemcpyDtoD(source, target, 8), "unified": lambda: cu.cuMemcpy(target, source, 8),
            "peer": lambda: cu.cuMemcpyPeer(target, first, source, second, 8),
            "peer, async": lambda: cu.cuMemcpyPeerAsync(target, first, source, second, 8, 0),
            "peer, contexts exchanged": lambda: cu.cuMemcpyPeer(target, second, source, first, 8)}


@question("copies of the other device's pooled or mapped memory: what peer access changes, and what rights of the memory change")
def copies():
    for kind in ("pool", "mapped", "cuMemAlloc"):
        for rights in ("none", "peer access", "own rights", "both"):
            first, second = two_contexts()
            target = int(must(cu.cuMemAlloc(64)))
            if kind == "pool":
                pool = must(create_pool(ordinal=1))
                source = on(second, pooled, pool)
                if rights in ("own rights", "both"):
                    must(cu.cuMemPoolSetAccess(pool, [access("read and write", ordinal=0)], 1))
            elif kind == "mapped":
                source = mapped_on(1, {1: "read and write"} | ({0: "read and write"} if rights in ("own rights", "both") else {})).address
            else:
                with using(second):
                    source = int(must(cu.cuMemAlloc(64)))
            if rights in ("peer access", "both"):
                yield f"{kind}, {rights}: enable", enable(second)
            for label, call in _copy_calls(source, target, second, first).items():
                yield f"{kind}, {rights}: {label}", [ask(call()), ask(cu.cuCtxSynchronize())]
            yield f"{kind}, {rights}: mapped for a kernel", lambda: kernel_read(source)
            if rights in ("peer access", "both"):
                must(cu.cuCtxDisablePeerAccess(second))


@question("a stream of one device takes again what a held stream of the other freed to one pool only behind an event")
def reuse_across_devices():
    first, second = two_contexts()
    pool = must(create_pool(ordinal=0))
    must(cu.cuMemPoolSetAccess(pool, [access("read and write", ordinal=1)], 1))
    must(cu.cuMemPoolSetAttribute(pool, cu.CUmemPool_attribute(4), cu.cuuint64_t(1 << 40)))
    with Held() as a:
        p = int(must(cu.cuMemAllocFromPoolAsync(4096, pool, a.stream)))
        must(cu.cuMemFreeAsync(p, a.stream))
        event = must(cu.cuEventCreate(2))
        must(cu.cuEventRecord(event, a.stream))
        with using(second):
            b = must(cu.cuStreamCreate(1))
            yield "without an event", [ask(result := cu.cuMemAllocFromPoolAsync(4096, pool, b)), int(result[1] or 0) == p]
            must(cu.cuStreamWaitEvent(b, event, 0))
            yield "behind it", [ask(result := cu.cuMemAllocFromPoolAsync(4096, pool, b)), int(result[1] or 0) == p]
        a.go()
        must(cu.cuCtxSynchronize())
    with using(second):
        must(cu.cuCtxSynchronize())
