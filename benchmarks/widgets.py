"""How long a learner waits for a widget, after a click or the move of a slider.

    python benchmarks/widgets.py

For each widget every control is set to everything that it can be set to, several times over; a figure is the time from
the change until the widget's new state is there, in this process. What the browser adds is not in it. The target is
100 ms. A listing of the exam that is handed in is run in another process, which takes most of a second and says so; that
button is left out.
"""
import os
import statistics
import time

os.environ["COURSE_PROGRESS"] = "off"

import course_lib  # noqa: E402  (attaches a driver before PyCUDA is imported)
from courseware import exercises, explorers

import IPython.display  # noqa: E402
import ipywidgets as widgets  # noqa: E402
import numpy as np  # noqa: E402
import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402

TARGET = 100        # milliseconds
ROUNDS = 5


def displayed(function, *arguments):
    """The widget that a function displays."""
    caught = []
    display, IPython.display.display = IPython.display.display, lambda thing: caught.append(thing.widget)
    try:
        function(*arguments)
    finally:
        IPython.display.display = display
    return caught[0]


def controls(box):
    """Everything in a widget that can be operated."""
    for child in box.children:
        if hasattr(child, "children") and not hasattr(child, "options"):     # a Choice is a box, and one control
            yield from controls(child)
        elif not isinstance(child, (widgets.HTML, widgets.Label)):
            yield child


def actions(control, texts):
    """What a user can do with a control: functions."""
    if isinstance(control, widgets.Button):
        return [] if control.description.startswith("Hand in listing") else [control.click]
    if isinstance(control, widgets.Checkbox):
        values = [True, False]
    elif isinstance(control, widgets.Text):
        values = texts
    else:
        values = [option[1] if isinstance(option, tuple) else option for option in control.options]
    return [lambda value=value: setattr(control, "value", value) for value in values]


def milliseconds(widget, texts):
    """Of every action, in every round."""
    for _ in range(ROUNDS):
        for control in list(controls(widget)):
            for act in actions(control, texts):
                began = time.perf_counter()
                act()
                yield (time.perf_counter() - began) * 1e3


def main():
    host, on_device = cuda.pagelocked_empty(100, np.int32), cuda.mem_alloc(64)
    texts = [hex(int(on_device)), hex(host.ctypes.data + 5), "0", "no such variable"]
    shown = {"address": explorers.address(), "copy or zero-copy": explorers.copy_or_zero_copy(),
            "exercise": displayed(exercises.show, "to-device"),
            "puzzle": displayed(exercises.show, "vmm-order"), "exam": displayed(exercises.exam)}
    print(course_lib.driver.attached.device)
    print(f"{'widget':20}{'actions':>8}{'median':>10}{'longest':>10}   (ms; the target is {TARGET})")
    for name, widget in shown.items():
        taken = list(milliseconds(widget, texts))
        print(f"{name:20}{len(taken):8}{statistics.median(taken):10.2f}{max(taken):10.2f}")


if __name__ == "__main__":
    main()
