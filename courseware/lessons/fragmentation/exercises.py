"""Exercises of "Six blocks for one array": blocks that are cut from one vector, and joined again."""
from ...exercises.exercise import Case, Exercise
from . import harness

GRANULE = (2 << 20) // harness.UNIT     # as on every GPU that was asked


def _splitting(description, steps, most, expected, hidden=True):
    def line(step):
        if step[0] == "free":
            return f"segment.free({step[1]})"
        name, granules, nbytes = step
        size = " + ".join(filter(None, [f"{granules} * granularity" * (granules > 0), f"{nbytes}" * (nbytes != 0)])).replace("+ -", "- ")
        return f"{name} = segment.allocate({size})"
    return Case(description, (steps, most), expected, hidden, "\n".join(map(line, steps)))


def _any_script(source):
    """Requests and frees in any order, of sizes of which several fit."""
    steps, live = [], []
    for number in range(10):
        if live and source.random() < 0.45:
            steps.append(("free", live.pop(source.randrange(len(live)))))
        else:
            live.append("abcdefghij"[number])
            steps.append((live[-1], 0, 512 * source.choice([1, 2, 3, 5, 8, 700, 2000]) - source.choice([0, 0, 1, 300, 511])))
    return _splitting("", tuple(steps), 9, None)


split = Exercise(
    id="cache-split", name="Segment", kind="class", sandboxed=True, run=harness.split, random_case=_any_script,
    cases=(_splitting("two blocks, one behind the other", (("x", 0, 1000), ("y", 0, 512)), 4, ((0, 2), 1), False),
           _splitting("four blocks of sizes that are rounded up", (("x", 0, 100), ("y", 0, 1200), ("z", 0, 1), ("w", 0, 1537)),
                      4, ((0, 1, 4, 5), 1)),
           _splitting("a block that fits into what was freed",
                      (("x", 0, 2048), ("y", 0, 512), ("free", "x"), ("z", 0, 512), ("w", 0, 1024)), 4, ((0, 4, 0, 1), 1), False),
           _splitting("two freed neighbours, and a request that needs both",
                      (("x", 0, 1024), ("y", 0, 1024), ("z", 0, 512), ("free", "x"), ("free", "y"), ("w", 0, 2048)), 4,
                      ((0, 2, 4, 0), 1), False),
           _splitting("two freed neighbours, the second of which was freed first",
                      (("x", 0, 1024), ("y", 0, 1024), ("z", 0, 512), ("free", "y"), ("free", "x"), ("w", 0, 2048)), 4,
                      ((0, 2, 4, 0), 1)),
           _splitting("a block that is freed between two freed ones",
                      (("x", 0, 512), ("y", 0, 512), ("z", 0, 512), ("v", 0, 512), ("free", "x"), ("free", "z"), ("free", "y"),
                       ("w", 0, 1536)), 4, ((0, 1, 2, 3, 0), 1)),
           _splitting("two pieces that fit, the smaller of which is larger by its address",
                      (("x", 0, 4096), ("y", 0, 512), ("z", 0, 1024), ("v", 0, 512), ("free", "x"), ("free", "z"), ("w", 0, 1024)),
                      4, ((0, 8, 9, 11, 9), 1)),
           _splitting("two pieces of the same size that fit, of which the second was freed first",
                      (("x", 0, 512), ("y", 0, 512), ("z", 0, 512), ("v", 0, 512), ("free", "z"), ("free", "x"), ("w", 0, 512)),
                      4, ((0, 1, 2, 3, 0), 1)),
           _splitting("an unused piece in the middle, and none at the end",
                      (("x", 0, 512), ("y", 1, -512), ("free", "x"), ("z", 1, 0)), 4, ((0, 1, GRANULE), 2)),
           _splitting("a request that needs the unused end and more memory", (("x", 0, 512), ("y", 1, 512)), 4, ((0, 1), 2)),
           _splitting("two requests that need the unused end and more memory", (("x", 0, 512), ("y", 1, 512), ("z", 1, 0)),
                      4, ((0, 1, 4098), 3)),
           _splitting("a request of three granules", (("x", 3, 0),), 4, ((0,), 3))))

EXERCISES = (split,)
