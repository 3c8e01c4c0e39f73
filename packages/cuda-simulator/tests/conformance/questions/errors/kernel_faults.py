"""What a kernel's fault leaves: who sees it, and what still works."""
import ctypes
import time

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, new_context
from ...helpers.kernels import i32
from ...helpers.memory_kinds import make
from ...helpers.whole_api import Objects, calls


def _after(fault):
    """Every call after a kernel's fault; a call may not end the process, so they are asked in one go."""
    objects = Objects(exist=True)
    yield "launch", ask(fault())
    yield "wait", ask(cu.cuCtxSynchronize())
    for label, call in calls(objects).items():
        yield label, ask(call())


@question("after an illegal access every call in the context answers 700, except those that need no context", alone=True)
def after_illegal_address():
    yield from _after(lambda: kernels.launch("poke", 0, i32(1)))


@question("after a trap", alone=True)
def after_trap():
    yield from _after(lambda: kernels.launch("trap"))


@question("after a failed assertion", alone=True)
def after_assert():
    yield from _after(lambda: kernels.launch("failing_assert", i32(1)))


@question("after a fault the error is first seen by the call that waits", alone=True,
          varies={label: "the kernel may have faulted already, or not" for label in ("cuCtxDestroy", "cuModuleUnload")})
def who_sees_it():
    for label, call in {"cuMemcpyDtoH": lambda a: cu.cuMemcpyDtoH(bytearray(4), a, 4), "cuStreamSynchronize": lambda a: cu.cuStreamSynchronize(0),
                        "cuMemAlloc": lambda a: _eventually(lambda: cu.cuMemAlloc(16)),
                        "cuLaunchKernel": lambda a: _eventually(lambda: cu.cuLaunchKernel(a, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)), "cuStreamQuery": lambda a: _eventually(lambda: cu.cuStreamQuery(0)),
                        "cuMemGetInfo": lambda a: _eventually(lambda: cu.cuMemGetInfo()),
                        "cuCtxDestroy": lambda a: cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())),
                        "cuMemFree": lambda a: cu.cuMemFree(a), "cuModuleUnload": lambda a: cu.cuModuleUnload(kernels.module())}.items():
        yield label, lambda: _fault_code(call, needs_function=label == "cuLaunchKernel")


def _eventually(call, patience=5):
    """The call's answer once it is an error; a device that others use may take a while over the fault."""
    end = time.monotonic() + patience
    while True:
        result = call()
        if ask(result) not in ("SUCCESS", "NOT_READY") or time.monotonic() > end:
            return result
        time.sleep(0.05)


def _fault_code(call, needs_function):
    a = kernels.kernel("nothing") if needs_function else int(must(cu.cuMemAlloc(64)))    # before the fault
    kernels.module()
    must(kernels.launch("poke", 0, i32(1)))
    answer = ask(call(a))
    return [answer, ask(cu.cuMemGetInfo())]


@question("after a fault another context of the process, old or new, fails too", alone=True)
def other_contexts_after_fault():
    context = must(cu.cuCtxGetCurrent())
    other_context = new_context()
    b = int(must(cu.cuMemAlloc(64)))
    must(cu.cuCtxSetCurrent(context))
    yield "fault", ask(kernels.run("poke", 0, i32(1)))
    yield "set another", ask(cu.cuCtxSetCurrent(other_context))
    yield "memset in it", ask(cu.cuMemsetD8(b, 1, 4))
    yield "wait in it", ask(cu.cuCtxSynchronize())
    yield "allocate in it", ask(cu.cuMemAlloc(16))
    yield "destroy the faulty one", ask(cu.cuCtxDestroy(context))
    yield "memset again", ask(cu.cuMemsetD8(b, 1, 4))
    yield "destroy the other", ask(cu.cuCtxDestroy(other_context))
    yield "create", ask(cu.cuCtxCreate(None, 0, 0))
    yield "allocate", ask(cu.cuMemAlloc(16))
    yield "retain the primary", ask(cu.cuDevicePrimaryCtxRetain(0))
    yield "init", ask(cu.cuInit(0))
    yield "count", ask(cu.cuDeviceGetCount())


@question("host memory survives a fault: pinned memory can still be read by the host", alone=True)
def memory_after_fault():
    pinned = make("pinned").address
    ctypes.memset(pinned, 5, 16)
    must(kernels.launch("poke", 0, i32(1)))
    yield "wait", ask(cu.cuCtxSynchronize())
    yield "host reads", lambda: ctypes.string_at(pinned, 4).hex()
    yield "destroy", ask(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    yield "host reads after destroy", lambda: ctypes.string_at(pinned, 4).hex()
