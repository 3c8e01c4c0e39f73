"""What the site and the README open with: a program to step through, and a question before the step that answers it.

With a script the question stands over the picture, as soon as the step before is reached (site.js); without one it stands above the
table of steps.
"""
from players import followed
from questions import box

PROGRAM = """\
import numpy as np, pycuda.driver as cuda
from course_lib import pointers

numbers = cuda.pagelocked_empty(4, np.int32)
numbers[:] = [3, 1, 4, 15]
cuda.memset_d32(numbers.base.get_device_pointer(), 7, 2)
back = pointers.host_pointer_for(numbers)
print(back == numbers.ctypes.data)

on_device = cuda.mem_alloc(16)
cuda.memcpy_htod(on_device, numbers)
print(pointers.host_pointer_for(on_device))
"""
BEFORE = "mem_alloc"        # what is in the line that answers
QUESTION = """\
The driver leads your program from the host's address of memory A to the device's, and back. The next line asks for 16 bytes on the GPU. \
What will the driver know of them?"""
REPLIES = {
    "an address for each side, as of memory A": """\
✗ Both sides have an address for memory A because both page tables have an entry for it. `cudaMalloc` makes an entry for the GPU only, \
so the forward call has nothing to begin with.""",
    "an address for the device, which leads back to the same number": """\
✗ It looks like that with memory A, because its two numbers are equal. But the way back asks where the CPU finds the memory, and \
its page table has no entry.""",
    "an address for the device, and no way back": """\
✓ So it is. The forward call needs a host address to begin with, and the way back would have to end at one, but this memory has none.""",
}


def opening():
    """The HTML of the program and its question."""
    player, program = followed(PROGRAM)
    place = next(number for number, step in enumerate(program.steps) if BEFORE in program.code(step))
    folds = [(option, "right" if reply.startswith("✓") else "wrong", reply) for option, reply in REPLIES.items()]
    return box("opening", QUESTION, folds, attributes=f" data-before='{place}'") + player
