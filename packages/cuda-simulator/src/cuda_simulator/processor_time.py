"""How long a process or a thread had to wait for a processor core, as Linux counts it (man 5 proc, schedstat).

A limit of time does not count that against who waits: a busy machine is nobody's mistake. Not here: the limits themselves.
"""
import contextlib
from pathlib import Path


def seconds_without_a_core(process, thread="*"):
    """How long a process could have run and had no processor core, its threads' times added up, or that of one `thread`.

    process: its number, or "self". thread: its native number. 0 if Linux does not say
    """
    seconds = 0.0
    for path in Path("/proc").glob(f"{process}/task/{thread}/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):      # a thread that has ended meanwhile
            seconds += int(path.read_text().split()[1]) * 1e-9
    return seconds
