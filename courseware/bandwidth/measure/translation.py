"""How far the translation of addresses reaches: one read that waits for the one before, of few lines that lie far
apart.

The lines themselves stay in L2, so a read that takes longer has waited for the translation of its address. To have far
more addresses than memory, the same physical memory is mapped again and again behind reserved addresses.
"""
import contextlib

from course_lib import reservation
from course_lib.core.errors import do

from cuda.bindings import driver as cu

from ..recording import EXPERIMENTS
from .buffers import buffer
from .chase_code import ChaseCode
from .job import Job
from .ladder import samples, sizes

METHOD = {
    "translation reach": "One thread follows a chain of addresses as in the latency ladder, past L1, with one line of "
                         "128 bytes in every 64 KiB, 2 MiB or 32 MiB of x bytes, 4,096 steps. In memory of "
                         "cuMemAlloc; or in reserved addresses behind which one piece of 256 MiB of physical memory "
                         "(cuMemCreate) is mapped again and again. No two lines are at the same physical place.",
}
STEPS = 1 << 12
MOST_LINES = 1 << 15            # 4 MiB of lines: they stay in L2
PIECE = 256 << 20               # of physical memory
APART = {"one read in 64 KiB": 64 << 10, "one read in 2 MiB": 2 << 20, "one read in 32 MiB": 32 << 20}
LARGEST = 256 << 30


def jobs(effort):
    """The jobs of this module's experiment."""
    for spacing in EXPERIMENTS["translation reach"].whats:
        apart = APART[spacing]
        for memory in ("mapped reservation", "device") if spacing == "one read in 2 MiB" else ("mapped reservation",):
            xs = sizes(4 * apart, min(MOST_LINES * apart, LARGEST), effort)
            yield Job("translation reach", spacing, memory, "kernel", xs, reach,
                      (lambda x: (0, x)) if memory == "device" else lambda x: (0, PIECE),
                      lambda x: effort.samples * 0.0013)


def reach(bench, job, xs):
    """Nanoseconds of a read, for each number of bytes that the reads are spread over."""
    apart, again = APART[job.what], job.memory != "device"
    bits = (PIECE // apart).bit_length() - 1 if again else 63
    with ChaseCode(bench.stream) as code, repeated(max(xs), PIECE) if again else buffer("device", max(xs)) as memory:
        for nbytes in xs:
            chain = code.lay(memory if again else memory.address, nbytes, apart, bits)
            yield samples(bench, code, chain, "read past L1", STEPS)[0]


@contextlib.contextmanager
def repeated(nbytes, piece):
    """Reserved addresses, at least `nbytes`, behind which the same `piece` bytes of device memory are mapped again and
    again: the first of them.

    CUDA calls: cuMemCreate, cuMemAddressReserve, cuMemMap, cuMemSetAccess, cuMemUnmap, cuMemAddressFree, cuMemRelease.
    """
    count = -(-nbytes // piece)
    _, access = reservation.on_the_device()
    with (reservation.create(piece) as memory, reservation.reserve(count * piece) as addresses,
          contextlib.ExitStack() as mappings):
        for place in range(addresses.start, addresses.start + count * piece, piece):
            do(cu.cuMemMap, place, piece, 0, memory.handle, 0)     # Addresses.map compares each place with all others
            mappings.callback(do, cu.cuMemUnmap, place, piece)
            do(cu.cuMemSetAccess, place, piece, [access], 1)
        try:
            yield addresses.start
        finally:
            do(cu.cuCtxSynchronize)
