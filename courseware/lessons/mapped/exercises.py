"""Exercises of "Mapped memory": copy it, or read it in place."""
from ...exercises.exercise import Case, Exercise, change, slip


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
    id="copy-or-zero-copy", title="Copy it, or read it in place?", name="faster", minutes=6, random_case=_rates,
    statement="""
A kernel reads `nbytes` bytes of host memory `reads` times. In place, each read crosses the link, at `link["kernel"]`
bytes a second. Copied first, they cross once, at `link["copy"]`, and then each read comes from device memory, at
`memory` bytes a second. Write `faster(nbytes, reads, link, memory)`: `"copy"` or `"zero-copy"`, whichever takes less
time by this count. Three lines are enough.

    link = {"copy": 50e9, "kernel": 60e9}
    faster(1e6, 1, link, 4000e9)        # "zero-copy"
    faster(1e6, 2, link, 4000e9)        # "copy"
""",
    hints=("A time is bytes divided by bytes a second. Write down both times before you compare.",
           'The copy takes `nbytes / link["copy"]`, and after it the kernel still reads everything, from device memory.'),
    mistakes=(
        slip(" + reads * nbytes / memory", "",
             "After the copy the kernel still has to read, from device memory: that takes time too."),
        slip("reads * nbytes / memory", "nbytes / memory",
             "The kernel reads the copy as often as it would read in place: multiply by `reads` there, too."),
        slip("in_place = reads * nbytes", "in_place = nbytes",
             "In place, each read crosses the link anew: multiply by `reads`."),
        slip('nbytes / link["copy"]', 'reads * nbytes / link["copy"]',
             "What you return does not depend on `reads`. Copied, the data crosses the link once, however often the "
             "kernel reads; in place it crosses the link with each read. Compute both times.", """\
def faster(nbytes, reads, link, memory):
    return 'copy' if link['copy'] > link['kernel'] else 'zero-copy'
"""),
        slip("copied < in_place", "copied > in_place", "You return the slower one: turn the comparison round."),
        slip("""\
nbytes / link["copy"] + reads * nbytes / memory
    in_place = reads * nbytes / link["kernel"]""",
             """\
nbytes * link["copy"] + reads * nbytes * memory
    in_place = reads * nbytes * link["kernel"]""",
             "A time is bytes divided by bytes a second: you multiply."),
        slip('link["copy"]', 'link["kernel"]', 'The copy crosses the link at its own rate, `link["copy"]`.',
             change('link["copy"]', "0", 'link["kernel"]', 'link["copy"]', "/ 0", '/ link["kernel"]')),
        slip('link["kernel"]', 'link["copy"]',
             'In place the kernel reads over the link at its own rate, `link["kernel"]`.'),
    ),
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
