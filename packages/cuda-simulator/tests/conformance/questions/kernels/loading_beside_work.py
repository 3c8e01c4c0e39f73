"""A kernel that gets into the device while other work is held: which work waits for which?

By default a kernel is put into the device when its function is asked for, and not with its module (CUDA C++ Programming Guide,
"Lazy Loading").
"""
import itertools
import os
import threading
import time

from cuda.bindings import driver as cu

from ...asking import NOTHING, question
from ...helpers import kernels
from ...helpers.calls import must, new_context
from ...helpers.held import Held
from ...helpers.streams import Gate, stream

LOOKS = 100         # a millisecond apart and more on a busy machine, until work that is not done counts as work that waits
SECONDS = 1         # and until a call that has not come back does
HOLDS = {"a word": lambda s: Held(s).go, "a kernel": lambda s: Gate(s).open}
MORE_MEMORY = "a load may wait for the work, presumably if the driver needs more memory for code: of 53 on an H200, 18 did"
_numbers = itertools.count()


def image():
    """PTX that no module was loaded from: two kernels and a variable."""
    return (kernels.TINY + f".visible .entry other() {{ ret; }}\n// {next(_numbers)}").encode() + b"\0"


def load():
    return must(cu.cuModuleLoadData(image()))


def function_of(module, name="go"):
    return must(cu.cuModuleGetFunction(module, name.encode()))


def is_done(a_stream):
    """Is all work of the stream done, now or soon?"""
    for _ in range(LOOKS):
        if not int(cu.cuStreamQuery(a_stream)[0]):
            return True
        time.sleep(0.001)
    return False


def runs(function):
    """Does the kernel run on a stream of its own?"""
    a_stream = stream()
    must(kernels.launch(function, stream=int(a_stream)))
    return is_done(a_stream)


class Others:
    """Other streams, and work for them that needs nothing new."""

    def __init__(self):
        memory, host = int(must(cu.cuMemAlloc(64))), int(must(cu.cuMemHostAlloc(64, 0)))
        event, self.kernel = must(cu.cuEventCreate(2)), function_of(load())
        self.kinds = {
            "kernel": lambda s: kernels.launch(self.kernel, stream=int(s)),
            "memset": lambda s: cu.cuMemsetD32Async(memory, 7, 1, s),
            "copy to the device": lambda s: cu.cuMemcpyHtoDAsync(memory + 16, host, 4, s),
            "copy to the host": lambda s: cu.cuMemcpyDtoHAsync(host + 16, memory + 32, 4, s),
            "word": lambda s: cu.cuStreamWriteValue32(s, host + 32, 1, 0),
            "event": lambda s: cu.cuEventRecord(event, s),
        }
        for submit in self.kinds.values():      # each once, so that none is new
            must(submit(stream()))
        must(cu.cuCtxSynchronize())

    def are_done(self):
        """Give each kind of work to a stream of its own, and say which is done."""
        streams = {kind: stream() for kind in self.kinds}
        for kind, submit in self.kinds.items():
            must(submit(streams[kind]))
        return {kind: is_done(a_stream) for kind, a_stream in streams.items()}


class Busy:
    """A stream that is held by a word or a kernel until the end of the block."""

    def __init__(self, how="a word"):
        self.how = how

    def __enter__(self):
        self.stream = stream()
        self.go = HOLDS[self.how](self.stream)
        return self

    def __exit__(self, *_):
        self.go()
        must(cu.cuCtxSynchronize())

    def comes_back(self, call):
        """Does the call return while the stream is held? If it does not, the stream goes on after a while."""
        waited = threading.Event()
        timer = threading.Timer(SECONDS, lambda: (waited.set(), self.go()))
        timer.start()
        result = call()
        timer.cancel()
        must(result)
        return not waited.is_set()


BEFORE = {
    "its module was loaded": lambda module: None,
    "another kernel of its module was named": lambda module: function_of(module, "other"),
    "another kernel of its module was launched": lambda module: must(kernels.run(function_of(module, "other"))),
    "it was named": function_of,
    "it was launched": lambda module: must(kernels.run(function_of(module))),
}


@question("a kernel that is named while work is held: its load comes behind that work, and all later work behind the load", alone=True)
def named_meanwhile():
    other_work = Others()
    for how, label in [*(("a word", label) for label in BEFORE), ("a kernel", "its module was loaded"), ("a kernel", "it was named")]:
        module = load()
        BEFORE[label](module)
        with Busy(how):
            function = function_of(module)
            yield f"{how}; before, {label}: the kernel runs", runs(function)
            yield f"{how}; before, {label}: others run", runs(other_work.kernel)


@question("what waits for the load of a kernel that was named while a stream was held", alone=True)
def what_waits():
    other_work, module, memory = Others(), load(), int(must(cu.cuMemAlloc(16)))
    with Busy() as busy:
        stream_before, idle = stream(), stream()
        go = HOLDS["a word"](stream_before)
        must(kernels.launch(other_work.kernel, stream=int(stream_before)))
        function_of(module)
        yield from other_work.are_done().items()
        go()
        yield "a stream that was given its work before", is_done(stream_before)
        yield "a stream that has none", is_done(idle)
        yield "allocating returns", busy.comes_back(lambda: cu.cuMemAlloc(16))
        yield "a copy from the host returns", busy.comes_back(lambda: cu.cuMemcpyHtoD(memory, bytes(4), 4))


@question("a module that is loaded while work is held gives its kernels at once", alone=True,
          varies={f"{how}: loading returns": MORE_MEMORY for how in HOLDS})
def loaded_meanwhile():
    other_work = Others()
    for how in HOLDS:
        with Busy(how) as busy:
            module = []
            yield f"{how}: loading returns", busy.comes_back(lambda: module.extend(cu.cuModuleLoadData(image())) or module)  # noqa: B023
            function = function_of(module[1])
            yield f"{how}: the kernel runs", runs(function)
            yield f"{how}: others run", runs(other_work.kernel)


@question("the first launch of a kernel that was named before: nothing waits", alone=True)
def launched_first():
    other_work = Others()
    for how in HOLDS:
        function, behind = function_of(load()), function_of(load())
        with Busy(how) as busy:
            yield f"{how}: beside the held stream, it runs", runs(function)
            yield f"{how}: behind the held stream, the launch returns", busy.comes_back(
                lambda: kernels.launch(behind, stream=int(busy.stream)))    # noqa: B023
            yield f"{how}: others run", runs(other_work.kernel)


@question("a library's kernel beside a held stream: its module is loaded then, and holds up nothing", alone=True,
          varies={"its function as well: the call returns": MORE_MEMORY, "only launched: the launch returns": MORE_MEMORY})
def of_a_library():
    other_work = Others()
    library = lambda: must(cu.cuLibraryLoadData(image(), [], [], 0, [], [], 0))     # noqa: E731
    kernel = lambda of: must(cu.cuLibraryGetKernel(of, b"go"))      # noqa: E731
    for label, steps in {"the kernel is asked for": 1, "its function as well": 2, "only launched": 0}.items():
        loaded = library()
        kernel_ = kernel(loaded) if not steps else None
        with Busy() as busy:
            kernel_ = kernel_ or kernel(loaded)
            if steps == 2:
                yield f"{label}: the call returns", busy.comes_back(lambda: cu.cuKernelGetFunction(kernel_))  # noqa: B023
            if steps:
                yield f"{label}: others run", runs(other_work.kernel)
            else:
                free = stream()
                yield f"{label}: the launch returns", busy.comes_back(lambda: kernels.launch(kernel_, stream=int(free)))  # noqa: B023
                yield f"{label}: it runs", is_done(free)
                yield f"{label}: others run", runs(other_work.kernel)


USERS = {"print": lambda: (kernels.i32(1),), "heap_take": lambda: (16, int(must(cu.cuMemAlloc(64))))}


@question("the first kernel of a context that prints, or that allocates from the heap, beside a held stream", alone=True)
def first_of_its_kind():
    for (name, arguments), where in itertools.product(USERS.items(), ("behind", "beside")):
        new_context()
        kernels.forget()
        other_work, first, second = Others(), kernels.kernel(name), kernels.kernel(name, kernels.SOURCE + "\n")
        kernel_arguments = arguments()
        for turn, function in (("first", first), ("first again", first), ("a second kernel", second)):
            with Busy() as busy:
                target = busy.stream if where == "behind" else stream()
                yield f"{name}, {turn}, {where}: the launch returns", busy.comes_back(
                    lambda: kernels.launch(function, *kernel_arguments, stream=int(target)))       # noqa: B023
                if where == "beside":
                    yield f"{name}, {turn}, beside: it runs", is_done(target)
                yield f"{name}, {turn}, {where}: others run", runs(other_work.kernel)


@question("a kernel that frees counts as one that allocates: only the first of either holds others up", alone=True)
def first_of_the_heap():
    for order in itertools.permutations(("heap_take", "heap_give")):
        new_context()
        kernels.forget()
        other_work, cell = Others(), int(must(cu.cuMemAlloc(64)))
        must(cu.cuMemsetD32(cell, 0, 16))       # free(nullptr), where nothing was allocated
        arguments = {"heap_take": (16, cell), "heap_give": (cell, 1)}
        functions = {name: kernels.kernel(name) for name in order}
        for name in order:
            with Busy():
                must(kernels.launch(functions[name], *arguments[name], stream=int(stream())))
                yield f"{' and then '.join(order)}: {name} lets others run", runs(other_work.kernel)


@question("with CUDA_MODULE_LOADING=EAGER a kernel that is named holds up nothing", needs=NOTHING)
def eagerly():
    os.environ["CUDA_MODULE_LOADING"] = "EAGER"
    must(cu.cuInit(0))
    new_context()
    other_work, module = Others(), load()
    with Busy():
        function = function_of(module)
        yield "the kernel runs", runs(function)
        yield "others run", runs(other_work.kernel)
