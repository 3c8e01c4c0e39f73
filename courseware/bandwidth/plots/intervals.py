"""What follows from a timeline: its streams, how long it took, and how long copies and kernels ran together."""


def lanes(intervals):
    """[(stream, its intervals)], in order of the streams' names."""
    streams = sorted({one.stream for one in intervals})
    return [(stream, [one for one in intervals if one.stream == stream]) for stream in streams]


def span(intervals):
    """Milliseconds from the first beginning to the last end."""
    return max(one.end_ms for one in intervals) - min(one.start_ms for one in intervals)


def together(intervals):
    """Milliseconds in which a kernel and at least one copy ran at the same time."""
    edges = sorted({edge for one in intervals for edge in (one.start_ms, one.end_ms)})
    total = 0
    for start, end in zip(edges, edges[1:]):
        is_kernel = {one.what == "kernel" for one in intervals if one.start_ms <= start and end <= one.end_ms}
        if is_kernel == {True, False}:
            total += end - start
    return total
