"""What an answer took from the driver by the calls of virtual memory management, and has not given back.

While a `Ledger` is entered these calls of cuda-bindings are watched, and one of them can be made to fail. A call that
would follow a handle which was released is refused here, as the driver refuses it, if it does not crash.
"""
import functools

from cuda.bindings import driver as cu

from ...exercises.watching import replaced

CALLS = ("cuMemAddressReserve", "cuMemAddressFree", "cuMemCreate", "cuMemRelease", "cuMemMap", "cuMemUnmap",
         "cuMemSetAccess")
OUT_OF_MEMORY, INVALID_VALUE = cu.CUresult.CUDA_ERROR_OUT_OF_MEMORY, cu.CUresult.CUDA_ERROR_INVALID_VALUE


class Ledger:
    """Use it in ``with``. answer: whose calls are watched, see `replaced`.

    What is left mapped at the end is unmapped, and nothing else is given back: an object of the answer's may do that later, when
    the same number may be somebody else's. The process ends soon.
    """

    def __init__(self, answer=None):
        self.reserved, self.handles, self.mapped = {}, {}, {}   # start -> size; handle -> size; start -> size
        self.calls, self.refused = [], []    # the names of the calls, in order; of those that the driver refused
        self.before_unmap = None    # a function to call before cuMemUnmap
        self.most = None            # bytes that may be created and mapped: more is refused, as by a device that has no more
        self._failing = None        # (name, error) of the call that fails the next time
        self._real = {name: getattr(cu, name) for name in CALLS}
        self._watching = replaced(answer, cu, {name: self._in_place_of(name) for name in CALLS})

    def _in_place_of(self, name):
        return functools.wraps(self._real[name], ("__name__",), ())(functools.partial(self._call, name))

    def __enter__(self):
        self._watching.__enter__()
        return self

    def __exit__(self, *exception):
        self._watching.__exit__(*exception)
        cu.cuCtxSynchronize()       # a kernel of the answer's may be using what is unmapped
        for start, size in self.mapped.items():
            cu.cuMemUnmap(start, size)

    def fail(self, name, error=OUT_OF_MEMORY):
        """Let the next call of this name fail, without making it."""
        self._failing = name, error

    def left(self):
        """What was not given back, in words; "" for nothing."""
        leftovers = [words for words, some in (("a mapping", self.mapped), ("a handle", self.handles),
                                               ("the reserved addresses", self.reserved)) if some]
        return " and ".join(leftovers)

    def _call(self, name, *arguments, **keywords):
        self.calls.append(name)
        if self._failing and self._failing[0] == name:
            error, self._failing = self._failing[1], None
            return (error, None) if name in ("cuMemAddressReserve", "cuMemCreate") else (error,)
        if name == "cuMemCreate" and self.most and sum((*self.handles.values(), *self.mapped.values(), int(arguments[0]))) > self.most:
            return OUT_OF_MEMORY, None
        handle = {"cuMemRelease": arguments[:1], "cuMemMap": arguments[3:4]}.get(name)
        if handle and int(handle[0] or 0) not in self.handles:     # None comes of a call that failed
            return (INVALID_VALUE,)
        if name == "cuMemUnmap" and self.before_unmap:
            self.before_unmap()
        result = self._real[name](*arguments, **keywords)
        if int(result[0]):
            self.refused.append(name)
        else:
            getattr(self, f"_{name}")(result, *arguments)
        return result

    def _cuMemAddressReserve(self, result, size, *_):
        self.reserved[int(result[1])] = int(size)

    def _cuMemAddressFree(self, _, start, size):
        self.reserved.pop(int(start), None)

    def _cuMemCreate(self, result, size, *_):
        self.handles[int(result[1])] = int(size)

    def _cuMemRelease(self, _, handle):
        del self.handles[int(handle)]

    def _cuMemMap(self, _, start, size, *__):
        self.mapped[int(start)] = int(size)

    def _cuMemUnmap(self, _, start, size):
        for address in [address for address in self.mapped if int(start) <= address < int(start) + int(size)]:
            del self.mapped[address]

    def _cuMemSetAccess(self, *_):
        """It takes nothing."""
