"""The kernels of `find-the-race` are tried here: examined over the simulated driver, on every machine.

In lockstep such kernels give the right numbers, so the numbers alone tell nothing.
"""
from course_lib import kernels
from course_lib.core.errors import Misuse

from ...exercises.examined import differences, examined, show_difference

RIGHT = "the right numbers, and nothing found"
NAMES = "reverse", "total", "smooth"


def tried(source, name, grid, block):
    """What examining one of the three kernels comes to, in a few words without threads and lines; the findings are printed."""
    code, report = kernels.compile(source), examined(_run, source, 4, block)    # an error of the compiler's is raised here
    if not report.findings and not report.failed and " wrong\n" not in report.printed:    # only then another shape tells more
        report = examined(_run, source, grid, block)
    for missing in (kernel for kernel in NAMES if not hasattr(code, kernel)):
        raise Misuse(f"there is no kernel {missing}, so keep the names of the three")
    mine = [finding for finding in report.findings if finding["kernel"] == name]
    for finding in mine:
        print(f"{finding['kind']}: {finding['message']}. {finding['remedy']}")
    if mine:
        kind = mine[0]["kind"]
        about = f" about {mine[0]['variable']}" if mine[0]["variable"] else ""
        return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} finding{about}"
    if f"{name} right\n" in report.printed:
        return RIGHT
    differences(report, name)
    return "the wrong numbers" if f"{name} wrong\n" in report.printed else report.failed


def _run(source, grid, block):
    """In a process of its own: launch each kernel, and print whether its numbers are right."""
    import numpy as np
    import pycuda.driver as cuda
    # In no order and on no curve: the mean of three, rounded down, is nowhere the middle one.
    # Too large for a short, and small enough for the sum of all.
    code, numbers = kernels.compile(source), np.random.default_rng(9).integers(0, 1009, grid * block, np.int32) * 4001
    left, right = np.roll(numbers, 1), np.roll(numbers, -1)
    smooth = (left + numbers + right) // 3
    smooth[[0, -1]] = numbers[[0, -1]]
    expected = {"reverse": numbers.reshape(grid, block)[:, ::-1].ravel(), "total": numbers.sum(keepdims=True), "smooth": smooth}
    for name in NAMES:
        x, total = cuda.to_device(numbers), cuda.to_device(np.zeros(1, np.int32))
        shape = (1, grid * block) if name == "smooth" else (grid, block)
        getattr(code, name)(*shape, x, *[total] * (name == "total"))
        cuda.Context.synchronize()
        computed = cuda.from_device(total if name == "total" else x, len(expected[name]), np.int32)
        print(name, "right" if (computed == expected[name]).all() else "wrong")
        if (computed != expected[name]).any():
            show_difference("*sum" if name == "total" else "x", computed, expected[name], name)
