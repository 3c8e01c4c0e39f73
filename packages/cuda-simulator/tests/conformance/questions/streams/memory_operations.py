"""A stream that writes and watches memory; many copies in one call."""
import ctypes
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers.calls import ask, must, outcome, pattern, raw, read, write
from ...helpers.memory_kinds import KINDS, blocks, location, make
from ...helpers.streams import stream

GEQ, EQ, AND, NOR, FLUSH = 0, 1, 2, 3, 1 << 30    # CUstreamWaitValue_flags
DEFAULT, NO_BARRIER = 0, 1                        # CUstreamWriteValue_flags


@question("a stream writes a value into memory of which kinds")
def write_by_kind():
    s = stream()
    for kind, block in blocks(*KINDS):
        yield f"{kind}: 32 bits", lambda: [ask(cu.cuStreamWriteValue32(s, block.address & ~7, 7, DEFAULT)), ask(cu.cuStreamSynchronize(s))]
        yield f"{kind}: 64 bits", lambda: [ask(cu.cuStreamWriteValue64(s, block.address & ~7, 7, DEFAULT)), ask(cu.cuStreamSynchronize(s))]


@question("writing a value needs an aligned address, a stream and flags that exist")
def write_arguments():
    s, a = stream(), make("device").address
    for offset in (0, 1, 2, 3, 4, 6, 8):
        yield f"32 bits at {offset}", ask(cu.cuStreamWriteValue32(s, a + offset, 7, DEFAULT))
        yield f"64 bits at {offset}", ask(cu.cuStreamWriteValue64(s, a + offset, 7, DEFAULT))
    for flags in (NO_BARRIER, 2, 3, 4, 8, 1 << 30, 1 << 31):
        yield f"flags {flags:#x}", ask(cu.cuStreamWriteValue32(s, a, 7, flags))
    yield "the last four bytes", ask(cu.cuStreamWriteValue32(s, a + (64 << 10) - 4, 7, DEFAULT))
    yield "eight bytes at the last four", ask(cu.cuStreamWriteValue64(s, a + (64 << 10) - 4, 7, DEFAULT))
    yield "past the end", ask(cu.cuStreamWriteValue32(s, a + (64 << 10), 7, DEFAULT))
    yield "NULL stream", ask(cu.cuStreamWriteValue32(0, a, 7, DEFAULT))
    yield "synchronize", ask(cu.cuStreamSynchronize(s))


def _ends(s, rounds=20):
    """Whether the stream's work ends while another stream waits for what is there already, this many times: on a busy machine both are slow."""
    other_stream, cell = stream(), make("device").address
    must(cu.cuStreamWriteValue32(other_stream, cell, 1, DEFAULT))
    for _ in range(rounds):
        if ask(cu.cuStreamQuery(s)) == "SUCCESS":
            return True
        must(cu.cuStreamWaitValue32(other_stream, cell, 1, EQ))
        must(cu.cuStreamSynchronize(other_stream))
        time.sleep(0.002)
    return ask(cu.cuStreamQuery(s)) == "SUCCESS"


@question("waiting for a value: which comparisons there are, and when each is content")
def wait_comparisons():
    s, a = stream(), make("device").address
    for flags, label in ((GEQ, "at least"), (EQ, "equal"), (AND, "and"), (NOR, "nor")):
        for current, compared_with in ((5, 5), (6, 5), (5, 6), (0, 0), (0xFFFFFFFF, 1), (1, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (12, 3)):
            if (flags, compared_with) in ((AND, 0), (NOR, 0xFFFFFFFF)):
                continue    # no value would ever do
            must(cu.cuMemsetD32(a, current, 1))
            must(cu.cuCtxSynchronize())
            must(cu.cuStreamWaitValue32(s, a, compared_with, flags))
            yield f"{label}: {current:#x} waits for {compared_with:#x}", _ends(s)
            for value in (compared_with, 0xFFFFFFFF, 0):    # let it go, with whatever satisfies it
                if not _ends(s):
                    other_stream = stream()
                    must(cu.cuStreamWriteValue32(other_stream, a, value, DEFAULT))
                    must(cu.cuStreamSynchronize(other_stream))
    for flags in (4, 5, 8, FLUSH, FLUSH | EQ, 1 << 31):
        yield f"flags {flags:#x}", ask(cu.cuStreamWaitValue32(stream(), a, 0, flags))
    yield "64 bits, misaligned", ask(cu.cuStreamWaitValue64(stream(), a + 4, 0, GEQ))


@question("the host lets a stream go by writing to pinned memory that the stream watches")
def wait_for_host():
    s, block = stream(), make("pinned").address
    cell = ctypes.c_uint32.from_address(block)
    cell.value = 0
    must(cu.cuStreamWaitValue32(s, block, 9, EQ))
    must(cu.cuStreamWriteValue32(s, block + 4, 1, DEFAULT))
    time.sleep(0.05)
    yield "before", [ask(cu.cuStreamQuery(s)), ctypes.c_uint32.from_address(block + 4).value]
    cell.value = 9
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    yield "after", ctypes.c_uint32.from_address(block + 4).value


def _operation(kind, address, value=7, flags=0):
    operation = cu.CUstreamBatchMemOpParams()
    operation.operation = cu.CUstreamBatchMemOpType(kind)
    inner = operation.writeValue if kind in (2, 5) else operation.waitValue
    inner.operation = operation.operation
    inner.address, inner.flags = cu.CUdeviceptr(address), flags
    if kind in (4, 5):
        inner.value64 = cu.cuuint64_t(value)
    else:
        inner.value = cu.cuuint32_t(value)
    return operation


@question("a batch of writes and waits happens in its order")
def batch():
    s, a = stream(), make("device").address
    must(cu.cuMemsetD8(a, 0, 64))
    must(cu.cuCtxSynchronize())
    yield "write, wait, write", ask(cu.cuStreamBatchMemOp(s, 3, [_operation(2, a), _operation(1, a, 7, EQ), _operation(5, a + 8, 1 << 40)], 0))
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    yield "content", read(a, 16).hex()
    yield "nothing", ask(cu.cuStreamBatchMemOp(s, 0, [], 0))
    yield "flags 1", ask(cu.cuStreamBatchMemOp(s, 1, [_operation(2, a)], 1))
    yield "misaligned", ask(cu.cuStreamBatchMemOp(s, 1, [_operation(2, a + 1)], 0))
    yield "one right, one wrong", ask(cu.cuStreamBatchMemOp(s, 2, [_operation(2, a + 32, 9), _operation(2, 0)], 0))
    yield "synchronize again", ask(cu.cuStreamSynchronize(s))
    yield "was the right one done", read(a + 32, 4).hex()


def _attributes(order=1):
    attributes = cu.CUmemcpyAttributes()
    attributes.srcAccessOrder = cu.CUmemcpySrcAccessOrder(order)
    return attributes


@question("many copies in one call")
def copies():
    s, a, b = stream(), make("device").address, make("device").address
    host = make("pinned").address
    write(a, pattern(256))
    must(cu.cuCtxSynchronize())
    def batch(to, source, sizes, order=1, on=s):
        return ask(cu.cuMemcpyBatchAsync([cu.CUdeviceptr(p) for p in to], [cu.CUdeviceptr(p) for p in source], list(sizes), len(sizes),
                                         [_attributes(order)], [0], 1, on))
    yield "two within the device", batch([b, b + 64], [a + 3, a], [10, 20])
    yield "to pinned memory", batch([host], [a], [64])
    yield "synchronize", ask(cu.cuStreamSynchronize(s))
    yield "content", [read(b, 10) == pattern(256)[3:13], read(b + 64, 20) == pattern(20), ctypes.string_at(host, 64) == pattern(64)]
    for order in range(4):
        yield f"access order {order}", batch([b], [a], [4], order)
    yield "a size of nothing", batch([b], [a], [0])
    yield "nothing at all", lambda: batch([], [], [])
    yield "past the end", batch([b], [a + (64 << 10) - 2], [4])
    yield "on the NULL stream", batch([b], [a], [4], on=0)
    yield "on the per-thread stream", batch([b], [a], [4], on=2)
    yield "pageable to the device", batch([b], [make("pageable").address], [4])
    yield "managed to mapped", batch([make("mapped").address], [make("managed").address], [4])
    yield "one right, one past the end", batch([b + 128, b], [a, a + (64 << 10) - 2], [4, 4])
    yield "synchronize again", ask(cu.cuStreamSynchronize(s))
    yield "was the right one done", read(b + 128, 4) == pattern(4)
    yield "an unknown address", lambda: batch([b], [0x7F0000000000], [4])


@question("many prefetches and discards in one call")
def prefetches():
    s, m, d = stream(), make("managed").address, make("device").address
    def prefetch(addresses, sizes, flags=0, on=s):
        return ask(cu.cuMemPrefetchBatchAsync([cu.CUdeviceptr(p) for p in addresses], sizes, len(sizes), [location()], [0], 1, flags, on))
    def discard(addresses, sizes, flags=0, on=s):
        return ask(cu.cuMemDiscardBatchAsync([cu.CUdeviceptr(p) for p in addresses], sizes, len(sizes), flags, on))
    for label, call in (("prefetch", prefetch), ("discard", discard)):
        yield f"{label}: managed", call([m], [65536])
        yield f"{label}: device", call([d], [65536])
        yield f"{label}: flags 1", call([m], [65536], 1)
        yield f"{label}: no bytes", call([m], [0])
        yield f"{label}: too many bytes", call([m], [1 << 30])
        yield f"{label}: NULL stream", call([m], [65536], 0, 0)
    yield "synchronize", ask(cu.cuStreamSynchronize(s))


@question("a stream's attributes are read, set and copied")
def stream_attributes():
    s, t = stream(), must(cu.cuStreamCreateWithPriority(1, -3))
    def get(attribute, number):
        out = (ctypes.c_ubyte * 64)(*[0xA5] * 64)
        code = raw("cuStreamGetAttribute", int(attribute), ctypes.c_int(number), out)
        return bytes(out[:8]).hex() if code == "SUCCESS" else code
    def put(attribute, number, value):
        struct = (ctypes.c_ubyte * 64)(*value.to_bytes(64, "little", signed=value < 0))
        return raw("cuStreamSetAttribute", int(attribute), ctypes.c_int(number), struct)
    for number in range(0, 19):
        yield f"attribute {number} by default", lambda: get(s, number)
    for number, values in ((1, (0,)), (3, (0, 1, 2, 3, 4, 5)), (8, (-6, -5, -1, 0, 1)), (9, (0x100, 0x001, 0x200, 0x400)), (10, (0, 1, 2))):
        for value in values:
            yield f"attribute {number} set to {value}", lambda: [put(s, number, value), get(s, number)]
    yield "priority of one made with -3", get(t, 8)
    yield "copy to another", ask(cu.cuStreamCopyAttributes(t, s))
    for number in (3, 8, 9, 10):
        yield f"attribute {number} of the copy", get(t, number)
    yield "copy to itself", ask(cu.cuStreamCopyAttributes(s, s))
    for number in (3, 8):
        yield f"attribute {number} of the NULL stream", lambda: get(0, number)
    yield "of the NULL stream, set", lambda: put(0, 3, 1)


@question("a stream that captures queues nothing, and its graph can be thrown away")
def capture():
    mode = cu.CUstreamCaptureMode
    s = stream()
    yield "thread's mode", lambda: outcome(cu.cuThreadExchangeStreamCaptureMode(mode(2)))
    yield "and back", lambda: outcome(cu.cuThreadExchangeStreamCaptureMode(mode(0)))
    yield "end without a begin", lambda: ask(cu.cuStreamEndCapture(s))
    yield "begin on the NULL stream", lambda: ask(cu.cuStreamBeginCapture(0, mode(0)))
    yield "begin", lambda: ask(cu.cuStreamBeginCapture(s, mode(1)))
    yield "is it capturing", lambda: outcome(cu.cuStreamIsCapturing(s))
    yield "end", lambda: ask(cu.cuStreamEndCapture(s))
