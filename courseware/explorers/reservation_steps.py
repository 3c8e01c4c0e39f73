"""Explorer of a virtual reservation: its eight steps, forward and back, and what works and fails after each.

    >>> from courseware import explorers
    >>> explorers.reservation_steps("map")
    Step 3 of 8. The address points to the memory, but nobody may use it yet.
    call                                   what happens
    cuMemMap(address, size, 0, memory, 0)  CUDA_SUCCESS
    the host reads the address             segmentation fault
    cuMemcpyDtoH from the address          CUDA_ERROR_INVALID_VALUE
    a kernel uses the address              would end in ILLEGAL_ADDRESS: it has no access
    the way back to a host pointer         none: DEVICE_MEMORY
    cuMemMap at the same address, again    CUDA_ERROR_INVALID_VALUE

For each answer all steps up to the one asked for are done anew, and undone before it is shown. So it goes back as
easily as forward, and holds nothing in between. Not here: the steps (reservation_walk.py).
"""
from course_lib.core.errors import WrongArgument
from course_lib.core.ownership import current_context

import ipywidgets as widgets

from ..notebook.controls import choice
from .panel import Answer, Panel
from .reservation_walk import STEPS, Walk

NAMES = list(STEPS)


def reservation_steps(step=None, where="device"):
    """The explorer, a widget; with a step the answer for it at once, without a widget.

    step:  one of start, reserve, create, map, set access, write, unmap, release, free; or its number, 0 to 8
    where: the memory is on the "device", or on the "host"

    Raises WrongArgument for another step or place, WrongContext where there is no context, NotSupported where the
    device cannot do it.
    CUDA calls: those of the steps (CUDA Driver API, Virtual Memory Management); what is tried is named in the answer.
    """
    if step is None and where == "device":
        return _panel()
    if isinstance(step, int) and 0 <= step < len(NAMES):
        step = NAMES[step]
    if step not in NAMES:
        raise WrongArgument(f"{step!r} is not a step: the steps are {', '.join(NAMES)}, or 0 to {len(NAMES) - 1}")
    if where not in ("device", "host"):
        raise WrongArgument(f"{where!r} is not a place for memory: choose 'device' or 'host'")
    current_context()
    return _answer(step, where)


def _answer(step, where):
    """Take the steps, look, try, and undo; returns the Answer."""
    call, outcome = STEPS[step]
    walk = Walk(where)
    try:
        walk.go_to(step)    # raises unless every call answers CUDA_SUCCESS
        said = f"Step {NAMES.index(step)} of {len(NAMES) - 1}. {outcome}"
        rows = ((call, "CUDA_SUCCESS"), *walk.attempts(step)) if call else ()
        return Answer(said, ("call", "what happens") if call else (), rows, picture=walk.picture())
    finally:
        walk.close()


def _panel():
    step = choice([(f"{number} {name}", name) for number, name in enumerate(NAMES)], NAMES[0], "step")
    where = choice([("on the device", "device"), ("on the host", "host")], "device", "memory")
    back, forward = (widgets.Button(description=text, layout={"width": "auto"}) for text in ("Back", "Next step"))
    where.layout.margin = "0 0 0 16px"

    def move(by):
        step.value = NAMES[min(max(NAMES.index(step.value) + by, 0), len(NAMES) - 1)]
    back.on_click(lambda button: move(-1))
    forward.on_click(lambda button: move(1))
    return Panel("a reservation, step by step", [widgets.HBox([back, forward, where], layout={"flex_flow": "row wrap"}), step],
                 lambda: _answer(step.value, where.value), 'explorers.reservation_steps("map")')
