"""The kernels of `find-the-race` are tried here: examined over the simulated driver, on every machine.

In lockstep such kernels give the right numbers, so the numbers alone tell nothing.
"""
from course_lib import kernels
from course_lib.core.errors import Misuse

from ...exercises.examined import examined

RIGHT = "the right numbers, and nothing found"
NAMES = "reverse", "total", "smooth"


def tried(source, name, grid, block):
    """What examining one of the three kernels comes to, in a few words without threads and lines; the findings are printed."""
    code, found = kernels.compile(source), examined(_run, source, 4, block)     # an error of the compiler's is raised here
    if not found.findings and not found.failed and " wrong\n" not in found.printed:     # only then another shape tells more
        found = examined(_run, source, grid, block)
    for missing in (one for one in NAMES if not hasattr(code, one)):
        raise Misuse(f"there is no kernel {missing}: keep the names of the three")
    mine = [one for one in found.findings if one["kernel"] == name]
    for one in mine:
        print(f"{one['kind']}: {one['message']}. {one['remedy']}")
    if mine:
        kind = mine[0]["kind"]
        about = f" about {mine[0]['variable']}" if mine[0]["variable"] else ""
        return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} finding{about}"
    if f"{name} right\n" in found.printed:
        return RIGHT
    return "the wrong numbers" if f"{name} wrong\n" in found.printed else found.failed


def _run(source, grid, block):
    """In a process of its own: launch each kernel, and print whether its numbers are right."""
    import numpy as np
    import pycuda.driver as cuda
    # In no order and on no curve: the mean of three, rounded down, is nowhere the middle one.
    code, numbers = kernels.compile(source), np.random.default_rng(9).integers(0, 1009, grid * block, np.int32)
    left, right = np.roll(numbers, 1), np.roll(numbers, -1)
    smooth = (left + numbers + right) // 3
    smooth[[0, -1]] = numbers[[0, -1]]
    wanted = {"reverse": numbers.reshape(grid, block)[:, ::-1].ravel(), "total": numbers.sum(keepdims=True), "smooth": smooth}
    for name in NAMES:
        x, total = cuda.to_device(numbers), cuda.to_device(np.zeros(1, np.int32))
        shape = (1, grid * block) if name == "smooth" else (grid, block)
        getattr(code, name)(*shape, x, *[total] * (name == "total"))
        cuda.Context.synchronize()
        found = cuda.from_device(total if name == "total" else x, len(wanted[name]), np.int32)
        print(name, "right" if (found == wanted[name]).all() else "wrong")
