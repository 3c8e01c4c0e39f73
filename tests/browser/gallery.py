"""A notebook of the tests' own that shows every widget and every picture of the course, one a cell."""
import nbformat

START = """\
import course_lib
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from course_lib import kernel_heap, kernels, managed, pinned, reservation
from courseware import exercises, explorers, memory_map, progress
from courseware.bandwidth import plots
from courseware.predictions import catalogue, predict
host = cuda.pagelocked_empty(100, np.int32)
on_device = cuda.mem_alloc(64)
heap, reserved = kernel_heap.allocate([64]), reservation.reserve(reservation.granularity())
catalogue.PREDICTIONS |= {
    "gallery-choice": {"question": "Are they `equal`?", "options": ["equal", "different"]},
    "gallery-number": {"question": "How many?", "unit": "GB/s", "tolerance": 0.2}}
choice, number = predict("gallery-choice"), predict("gallery-number")"""

# name -> the cell that shows it
WIDGETS = {
    "address": "explorers.address()",
    "copy or zero-copy": "explorers.copy_or_zero_copy()",
    "exercise": "exercises.show('to-device')",
    "puzzle": "exercises.show('vmm-order')",
    "exam": "exercises.exam()",
}
# What shows itself without being a widget.
PICTURES = {
    "memory map": "memory_map.look()",
    "pages": ("table = managed.allocate(2 << 20)\nmanaged.prefetch(table.array[:8192])\nbefore = memory_map.pages(table)\n"
              "table.array[0] = 7\nmemory_map.pages(table).since(before)"),
    "inside": ("code = kernels.compile('__global__ void f(long long *x) { __shared__ int s[8]; x[blockIdx.x] = (long long)s; }')\n"
               "code.f(2, 1, on_device)\nmemory_map.inside(code.f, {'s': cuda.from_device(on_device, (2, 1), np.uint64)})"),
    "listing": ("from courseware import kernel_views\nkernel_views.source(kernels.compile('__global__ void f(const void *p, long long *x) "
                "{ x[0] = (long long)__cvta_shared_to_generic(__cvta_generic_to_shared(p)) + x[threadIdx.x]; }'))"),
    "plot": "plots.timeline()",
    "check": "exercises.check('to-device', lambda pairs, address: address)",
    "progress": "progress.show()",
}
# Two questions of one cell, which waits for both. The last: what waits is shown when another cell is run.
QUESTIONS = "print('Here it is.')\nchoice.compare('equal')\nnumber.compare(50)"
NAMES = ["prediction", "number", *WIDGETS]


def write(folder):
    """Write the notebook into a folder; returns the file's name."""
    cells = [nbformat.v4.new_code_cell(source) for source in (START, *WIDGETS.values(), *PICTURES.values(), QUESTIONS)]
    kernel = {"name": "python3", "display_name": "Python 3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / "gallery.ipynb")
    return "gallery.ipynb"
