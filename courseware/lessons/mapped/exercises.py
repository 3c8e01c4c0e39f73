"""Exercises of "Mapped memory": how far an allocation reaches; copy it, or read it in place."""
from ...exercises.exercise import Case, Exercise
from . import harness

edges = Exercise(
    id="edges", name="edges", sandboxed=True, run=harness.edges,
    cases=(Case("byte 10 of 1000 bytes", (1000, 10), (0, 999), False, "edges(start + 10), less start"),
           Case("the first byte of 1000", (1000, 0), (0, 999), True, "edges(start), less start"),
           Case("the last byte of 1000", (1000, 999), (0, 999), True, "edges(start + 999), less start"),
           Case("byte 1234 of 3000 bytes", (3000, 1234), (0, 2999), True, "edges(start + 1234), less start"),
           Case("a single byte", (1, 0), (0, 0), True, "edges(start), less start"),
           Case("a byte with pages of other memory near it", (1000, 10, (9000, 9000)), (0, 999), True, "edges(start + 10), less start")))


def _rates(source):
    """Rates in which one of the two is faster by a tenth or more: how a float is rounded is not asked."""
    while True:
        nbytes, reads = source.choice([4096.0, 64e3, 1e6, 1e9]), source.choice([1, 2, 3, 6, 20])
        link = {"start": source.choice([1e-6, 6e-6]), "copy": source.choice([5, 12, 25, 55]) * 1e9,
                "kernel": source.choice([3, 11, 22, 60]) * 1e9}
        memory = source.choice([10, 24, 40, 100, 4000]) * 1e9
        copied = link["start"] + nbytes / link["copy"] + reads * nbytes / memory
        in_place = reads * nbytes / link["kernel"]
        if not 0.9 < copied / in_place < 1.1:
            return nbytes, reads, link, memory


faster = Exercise(
    id="copy-or-zero-copy", name="faster", random_case=_rates,
    cases=(Case("little data, two reads", (64e3, 2, {"start": 6e-6, "copy": 50e9, "kernel": 60e9}, 4000e9), "zero-copy"),
           Case("little data, eight reads", (64e3, 8, {"start": 6e-6, "copy": 50e9, "kernel": 60e9}, 4000e9), "copy"),
           Case("more data, one read", (1e6, 1, {"start": 6e-6, "copy": 50e9, "kernel": 60e9}, 4000e9), "zero-copy", True),
           Case("more data, two reads", (1e6, 2, {"start": 6e-6, "copy": 50e9, "kernel": 60e9}, 4000e9), "copy"),
           Case("a slow device memory", (3e7, 1, {"start": 1e-6, "copy": 12e9, "kernel": 11e9}, 100e9), "zero-copy", True),
           Case("a slow device memory, read five times", (3e7, 5, {"start": 1e-6, "copy": 12e9, "kernel": 11e9}, 100e9), "copy", True),
           Case("a device no faster than the link", (1e9, 9, {"start": 1e-6, "copy": 20e9, "kernel": 22e9}, 21e9), "zero-copy", True),
           Case("a slow device memory, read often", (1e6, 40, {"start": 1e-6, "copy": 55e9, "kernel": 3e9}, 100e9), "copy", True),
           Case("a kernel that is slow over the link", (4096, 1, {"start": 1e-6, "copy": 55e9, "kernel": 3e9}, 4400e9), "copy", True),
           Case("a copy that is slow over the link", (1e6, 3, {"start": 1e-6, "copy": 5e9, "kernel": 25e9}, 4400e9),
                "zero-copy", True),
           Case("three reads of a device memory half as fast again as the link",
                (1e6, 3, {"start": 1e-6, "copy": 20e9, "kernel": 20e9}, 32e9), "copy", True)))

EXERCISES = (edges, faster)
