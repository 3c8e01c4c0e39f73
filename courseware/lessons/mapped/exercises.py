"""Exercises of "Mapped memory": copy it, or read it in place."""
from ...exercises.exercise import Case, Exercise


def _rates(source):
    """Rates in which one of the two is faster by a tenth or more: how a float is rounded is not asked."""
    while True:
        nbytes, reads = source.choice([4096.0, 1e6, 1e9]), source.choice([1, 2, 3, 6, 20])
        link = {"copy": source.choice([5, 12, 25, 55]) * 1e9, "kernel": source.choice([3, 11, 22, 60]) * 1e9}
        memory = source.choice([10, 24, 40, 100, 4000]) * 1e9
        copied, in_place = nbytes / link["copy"] + reads * nbytes / memory, reads * nbytes / link["kernel"]
        if not 0.9 < copied / in_place < 1.1:
            return nbytes, reads, link, memory


faster = Exercise(
    id="copy-or-zero-copy", name="faster", random_case=_rates,
    cases=(Case("one read", (1e6, 1, {"copy": 50e9, "kernel": 60e9}, 4000e9), "zero-copy"),
           Case("two reads", (1e6, 2, {"copy": 50e9, "kernel": 60e9}, 4000e9), "copy"),
           Case("a slow device memory", (3e7, 1, {"copy": 12e9, "kernel": 11e9}, 100e9), "zero-copy", True),
           Case("a slow device memory, read five times", (3e7, 5, {"copy": 12e9, "kernel": 11e9}, 100e9), "copy", True),
           Case("a device no faster than the link", (1e9, 9, {"copy": 20e9, "kernel": 22e9}, 21e9), "zero-copy", True),
           Case("a slow device memory, read often", (1e6, 40, {"copy": 55e9, "kernel": 3e9}, 100e9), "copy", True),
           Case("a kernel that is slow over the link", (4096, 1, {"copy": 55e9, "kernel": 3e9}, 4400e9), "copy", True),
           Case("a copy that is slow over the link", (1e6, 3, {"copy": 5e9, "kernel": 25e9}, 4400e9),
                "zero-copy", True),
           Case("three reads of a device memory half as fast again as the link",
                (1e6, 3, {"copy": 20e9, "kernel": 20e9}, 32e9), "copy", True)))

EXERCISES = (faster,)
