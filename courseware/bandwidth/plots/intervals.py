"""What follows from a timeline: its streams, how long it took, and how long copies and kernels ran together."""


def lanes(intervals):
    """[(stream, its intervals)], in order of the streams' names."""
    streams = sorted({interval.stream for interval in intervals})
    return [(stream, [interval for interval in intervals if interval.stream == stream]) for stream in streams]


def span(intervals):
    """Milliseconds from the first beginning to the last end."""
    return max(interval.end_ms for interval in intervals) - min(interval.start_ms for interval in intervals)


def together(intervals):
    """Milliseconds in which a kernel and at least one copy ran at the same time."""
    edges = sorted({edge for interval in intervals for edge in (interval.start_ms, interval.end_ms)})
    total = 0
    for start, end in zip(edges, edges[1:]):
        running = [interval for interval in intervals if interval.start_ms <= start and end <= interval.end_ms]
        if {interval.what == "kernel" for interval in running} == {True, False}:
            total += end - start
    return total
