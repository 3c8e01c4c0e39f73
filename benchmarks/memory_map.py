"""How long a memory map takes: asking the driver, and drawing.

    python benchmarks/memory_map.py

Each figure is the median of several repetitions, with the smallest and the largest. A map of 200 blocks should take no
more than 300 ms.
"""
import statistics
import time

from course_lib import driver, managed, pinned, reservation
from courseware import memory_map  # noqa: F401  (attaches the driver, so it comes first)

import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402

REPETITIONS = 9


def milliseconds(function):
    """Milliseconds of each repetition, after one that is not counted."""
    function()
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def show(what, samples):
    print(f"{what:50} {statistics.median(samples):7.1f} ms   ({min(samples):.1f} to {max(samples):.1f})")


def blocks(count):
    """As many allocations, of several kinds."""
    makers = [lambda: cuda.mem_alloc(4096), lambda: cuda.pagelocked_empty(1024, "int32"), lambda: pinned.allocate(5000),
              lambda: reservation.reserve(reservation.granularity())]
    return {f"block_{number}": makers[number % len(makers)]() for number in range(count)}


def look_at(count):
    things = blocks(count)
    seen = memory_map.look(**things)
    show(f"{count} blocks: ask the driver", milliseconds(lambda: memory_map.look(**things)))
    show(f"{count} blocks: draw", milliseconds(lambda: seen._repr_html_()))
    show(f"{count} blocks: ask and draw", milliseconds(lambda: memory_map.look(**things)._repr_html_()))


def main():
    print(f"driver: {driver.attached.kind}, {driver.attached.device}")
    for count in (2, 20, 200):
        look_at(count)
    with reservation.reserve(1 << 40) as huge:
        show("1 TiB of reserved addresses: ask and draw", milliseconds(lambda: memory_map.look(huge)._repr_html_()))
    with managed.allocate(2 << 20) as table:
        show("512 pages of managed memory: ask", milliseconds(lambda: memory_map.pages(table)))
        show("512 pages of managed memory: ask and draw", milliseconds(lambda: memory_map.pages(table)._repr_html_()))


if __name__ == "__main__":
    main()
