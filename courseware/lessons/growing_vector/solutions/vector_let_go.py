from course_lib import reservation
from course_lib.core.errors import ask      # ask(call, *arguments): its result, or an exception
from cuda.bindings import driver as cu

class Vector:
    def __init__(self, capacity):
        self.reserved = reservation.round_up(capacity)
        self.address = int(ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0))
        self.nbytes = 0

    def grow_to(self, nbytes):
        if nbytes <= self.nbytes:
            return
        if nbytes > self.reserved:
            raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")
        where, access = reservation.on_the_device()
        end, more = self.address + self.nbytes, reservation.round_up(nbytes - self.nbytes)
        handle = ask(cu.cuMemCreate, more, where, 0)
        try:
            ask(cu.cuMemMap, end, more, 0, handle, 0)
        finally:
            ask(cu.cuMemRelease, handle)
        try:
            ask(cu.cuMemSetAccess, end, more, [access], 1)
        except BaseException:
            ask(cu.cuMemUnmap, end, more)
            raise
        self.nbytes += more

    def release(self):
        if self.address is not None:
            ask(cu.cuCtxSynchronize)
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
            ask(cu.cuMemAddressFree, self.address, self.reserved)
            self.address, self.nbytes = None, 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()
