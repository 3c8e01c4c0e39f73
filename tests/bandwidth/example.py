"""Small recordings for tests. Their numbers are made up, and look it: they are drawn nowhere else."""
from courseware.bandwidth.recording import EXPERIMENTS, SCHEMA, Interval, LeftOut, Machine, Point, Recording, Series, Timeline

MACHINE = Machine(device="Example GPU", memory_bytes=1 << 30, compute_capability="9.0", driver="1.2.3", cuda="13.0",
                  nvrtc="13.0", link="PCIe 9.0 x16", link_limit=60.0, cpu="Example CPU", cpu_count=2,
                  host_memory_bytes=2 << 30, system="Linux", python="3.12")


def series(experiment, what, memory, values, by="copy engine", nbytes=None, left_out=()):
    """A series from {x: samples}, a number standing for one sample."""
    units = EXPERIMENTS[experiment]
    points = tuple(Point(x, tuple(samples) if isinstance(samples, list) else (samples,))
                   for x, samples in sorted(values.items()))
    return Series(experiment, what, memory, by, nbytes, units.unit, units.x_unit, points,
                  tuple(LeftOut(x, why) for x, why in left_out))


def recording(*all_series, timelines=(), device="Example GPU", date="2001-02-03T04:05:06Z", **machine):
    """A Recording of some series."""
    where = Machine(**{**vars(MACHINE), "device": device, **machine})
    method = {series_.experiment: f"How {series_.experiment} was made up." for series_ in all_series}
    return Recording(SCHEMA, "0.0", date, where, method, tuple(all_series), tuple(timelines))


def sweep(what="host to device", scale=1.0):
    """Three kinds of memory at four sizes: pageable leads at 4 B, pinned and registered from 1 KiB on."""
    def curve(memory, *medians):
        return series("copy sweep", what, memory, {
            4 ** (5 * place + 1): [scale * median * part for part in (0.9, 1, 1.1)]
            for place, median in enumerate(medians)})
    return (curve("pageable", 0.003, 0.5, 5, 9), curve("pinned", 0.001, 0.75, 30, 55),
            curve("registered", 0.001, 0.74, 30, 54))


def timeline(memory, *intervals):
    """A Timeline from (stream, what, start, end)s."""
    return Timeline(memory, tuple(Interval(*interval) for interval in intervals))


def reuse(nbytes=1 << 20, pattern="coalesced", in_place=(1, 2, 4, 8, 16), copied=(3, 3.5, 4.5, 5, 6)):
    """Milliseconds for 1, 2, 4, 8 and 16 reads; as they stand, copying first takes less time from 8 reads on."""
    ways = ("read in place", in_place), ("copied first", copied)
    return tuple(series("reuse", f"{way}, {pattern}", "pinned", {2 ** place: time for place, time in enumerate(times)},
                        by="kernel", nbytes=nbytes) for way, times in ways)


def ladder():
    """How far away memory is: L1 to 128 KiB, L2 to 1 MiB, device memory beyond, at 2 GHz."""
    def curve(experiment, what, memory, *stretches):
        values = [value for value, count in stretches for _ in range(count)]
        points = {1 << 10 + place: value for place, value in enumerate(values)}
        return series(experiment, what, memory, points, "kernel")
    return (curve("latency ladder", "read through L1", "device", (16, 8), (140, 3), (340, 6)),
            curve("latency ladder", "read past L1", "device", (140, 11), (340, 6)),
            curve("latency ladder", "read past L1", "pinned", (1300, 6)),
            curve("latency ladder", "read", "shared", (14, 3)),
            curve("clock rate", "one thread reads", "device", (2, 1)))
