from course_lib import reservation
from course_lib.core.errors import ask
from cuda.bindings import driver as cu

# ask(cu.cuMemUnmap, address, nbytes)               removes mappings
# ask(cu.cuMemAddressFree, address, reserved)       gives the addresses back
# ask(cu.cuCtxSynchronize)                          waits for work under way, on every stream

class Vector:
    def __init__(self, capacity): ...       # as in vector-grow
    def grow_to(self, nbytes): ...      # as there, but if a call fails, the vector stays as it was
    def release(self): ...              # about five lines
    def __enter__(self): ...            # one line: what `as` gets
    def __exit__(self, *exception): ...     # one line
