"""What these tests share: a recording of a few made-up figures, a clock that tests wind, a bench that does little."""
import itertools

from courseware.bandwidth.measure.bench import Bench, Effort
from courseware.bandwidth.measure.timing import Clock
from courseware.bandwidth.recording import Interval, LeftOut, Machine, Point, Recording, Series, Timeline

MILLISECONDS = 2.0      # between any two events
SECONDS = 0.5           # between any two looks at the host's clock


class Little(Effort):
    """As little as there can be."""

    def count(self, nbytes):
        return 4


EFFORT = Little(samples=2, step=4, largest=4096, repeats=1)

MACHINE = Machine(device="Made-up GPU", memory_bytes=8 << 30, compute_capability="9.0", driver="580.1", cuda="13.0",
                  nvrtc="13.0", link="PCIe 4.0 x16", link_limit=31.5, cpu=None, cpu_count=4,
                  host_memory_bytes=16 << 30, system="Linux 6", python="3.12.3")


def clock():
    """A clock with the same answers on every machine, also on the simulated driver, which has no times."""
    ticks = itertools.count()
    return Clock(apart=lambda start, end: MILLISECONDS, now=lambda: SECONDS * next(ticks))


def bench(wound=None):
    return Bench(EFFORT, clock=wound or clock())


def recording():
    """A Recording with something in each field."""
    return Recording(
        schema=1, course="0.1.0", date="2026-11-21T07:32:00Z", machine=MACHINE, method={"copy sweep": "By hand."},
        series=(Series("copy sweep", "host to device", "pinned", "copy engine", None, "GB/s", "bytes",
                       (Point(4, (0.001, 0.002)), Point(1024, (1.5,)), Point(4096, (3, 2.0, 4.0))),
                       (LeftOut(1 << 40, "It needs [a lot] of memory."),)),
                Series("reuse", "copied first, random", "pinned", "kernel", 65536, "ms", "times read",
                       (Point(1, (0.1,)),), ())),
        timelines=(Timeline("pageable", (Interval("stream 1", "kernel", 0, 0.25),)),),
        later={"reuse": "2026-11-22T08:00:00Z"})
