"""CUDA's memory for Python, small enough to read.

    import course_lib       # attaches a CUDA driver to this process: the machine's own, or the simulated one (driver/)

Import it before PyCUDA and cuda.bindings. Then, one concept a module:

    pinned, managed, mapped     memory of the host that kernels use; one memory for both sides; the device's address of it
    kernel_heap, reservation    memory that kernels allocate; addresses without memory, and memory without addresses
    sharing                     memory that several processes use
    pointers                    what the driver knows of an address, and the way back to the host's
    kernels                     CUDA C++ in, callable kernels out
    core                        errors, ownership, the device's attributes, and what else the others share

Not here: the lessons' exercises, pictures and measurements (the package courseware), and the simulated driver (cuda_simulator).
"""
import sys

from . import driver

__version__ = "0.1.0"

# Not while Python imports this package for the sake of `python -m course_lib`, the doctor, which attaches by itself, to report
# what is wrong instead of failing on it.
if not (sys.argv[:1] == ["-m"] and __name__ in sys.orig_argv):
    chosen = driver.attach()
    # A notebook's first cell shows which driver it has; a program would compute on without a word. Processes that multiprocessing
    # starts, which have it imported, belong to the program that has said it.
    multiprocessing = sys.modules.get("multiprocessing")
    if (chosen.simulated and driver.choice() == "auto" and "ipykernel" not in sys.modules
            and not (multiprocessing and multiprocessing.parent_process())):
        print(f"course_lib: this process uses the simulated CUDA driver, because {chosen.why}. Set COURSE_DRIVER=simulated if you "
              "want that, or COURSE_DRIVER=real for an error instead.", file=sys.stderr)
