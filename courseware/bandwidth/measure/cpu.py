"""What a CPU reads and writes of each kind of host memory, with one thread.

NumPy reads by summing up, and writes by copying a piece that stays in the CPU's cache. Small buffers stay in the cache
as well, where the kind of memory allows it.
"""
import numpy as np

from . import patterns
from .buffers import ON_HOST, buffer
from .job import Job, one_buffer, powers

METHOD = {
    "cpu access": "One thread. Read: NumPy sums up words of 8 bytes. Write: NumPy copies a piece of 64 KiB that is in"
                  " the cache, again and again. By the host's clock, 64 MiB or more in a sample.",
}
PIECE, LARGEST = 64 << 10, 256 << 20


def jobs(effort):
    """The jobs of this module's experiment."""
    for memory in ON_HOST:
        for what in ("read", "write"):
            yield Job("cpu access", what, memory, "CPU", powers(PIECE, LARGEST, max(4, effort.step)), access,
                      one_buffer(memory), lambda x: effort.samples * max(x, 64 << 20) / 5e9)


def access(bench, job, xs):
    """GB/s of each size."""
    measure = {"read": _read, "write": _write}[job.what]
    with buffer(job.memory, max(xs)) as memory:
        for nbytes in xs:
            yield [measure(bench, memory.words[:nbytes // 4]) for _ in range(bench.effort.samples)]


def _read(bench, words):
    sample, wide, sums = bench.next_sample(), words.view(np.uint64), []
    patterns.fill(words, sample)
    seconds = bench.clock.on_host(lambda: sums.append(int(np.add.reduce(wide))), count := _count(words))
    patterns.check(words, sample)
    if len({*sums}) != 1:
        raise patterns.WrongData("the same words gave different sums")
    return words.nbytes * count / seconds / 1e9


def _write(bench, words):
    piece = np.empty(PIECE // 4, np.uint32)
    patterns.fill(piece, bench.next_sample())
    pieces = words.reshape(-1, piece.size)
    seconds = bench.clock.on_host(lambda: np.copyto(pieces, piece), count := _count(words))
    if not (pieces == piece).all():
        raise patterns.WrongData("the memory does not hold what the CPU wrote")
    return words.nbytes * count / seconds / 1e9


def _count(words):
    return max(1, (64 << 20) // words.nbytes)
