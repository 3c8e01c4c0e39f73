"""The primary context: retained, released, never destroyed like another."""
from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers.calls import ask, current_context, must, outcome, where


@question("the primary context is inactive until it is retained, and again when it is released", needs=DRIVER,
          varies={"old memory": "the new context may have memory at the same address"})
def primary():
    yield "state", outcome(cu.cuDevicePrimaryCtxGetState(0))
    yield "release what was not retained", ask(cu.cuDevicePrimaryCtxRelease(0))
    first = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "not made current", where(current_context(), primary=first)
    yield "state retained", outcome(cu.cuDevicePrimaryCtxGetState(0))
    second = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "retained again: the same", where(second, primary=first)
    yield "release once", ask(cu.cuDevicePrimaryCtxRelease(0))
    yield "state then", outcome(cu.cuDevicePrimaryCtxGetState(0))
    must(cu.cuCtxSetCurrent(first))
    a = must(cu.cuMemAlloc(64))
    yield "release the last", ask(cu.cuDevicePrimaryCtxRelease(0))
    yield "state at the end", outcome(cu.cuDevicePrimaryCtxGetState(0))
    yield "release once more", ask(cu.cuDevicePrimaryCtxRelease(0))
    yield "still on the stack", where(current_context(), primary=first)
    yield "call in it", ask(cu.cuMemAlloc(16))
    yield "its memory", ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))
    third = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "retained anew: the same value", where(third, primary=first)
    yield "call in the new one", ask(cu.cuMemAlloc(16))
    yield "old memory", ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))


@question("the primary context cannot be destroyed like another", needs=DRIVER)
def primary_destroy():
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "destroy", lambda: ask(cu.cuCtxDestroy(primary))
    yield "state", outcome(cu.cuDevicePrimaryCtxGetState(0))
    yield "set current", lambda: ask(cu.cuCtxSetCurrent(primary))
    yield "use", lambda: ask(cu.cuMemAlloc(16))
    yield "detach", lambda: ask(cu.cuCtxDetach(primary))
    yield "state after detach", lambda: outcome(cu.cuDevicePrimaryCtxGetState(0))


@question("the primary context's flags can be set before and while it is active", needs=DRIVER)
def primary_flags():
    for flags in (0, 1, 2, 3, 4, 5, 8, 16, 24, 128, 256):
        yield f"{flags}", [ask(cu.cuDevicePrimaryCtxSetFlags(0, flags)), outcome(cu.cuDevicePrimaryCtxGetState(0))]
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    for flags in (0, 1, 4, 16):
        yield f"active: {flags}", [ask(cu.cuDevicePrimaryCtxSetFlags(0, flags)), outcome(cu.cuDevicePrimaryCtxGetState(0))]
    must(cu.cuCtxSetCurrent(primary))
    yield "context flags", outcome(cu.cuCtxGetFlags())


@question("the primary context of a device that does not exist", needs=DRIVER)
def primary_wrong_device():
    for ordinal in (-1, 99):
        yield f"retain {ordinal}", ask(cu.cuDevicePrimaryCtxRetain(ordinal))
        yield f"release {ordinal}", ask(cu.cuDevicePrimaryCtxRelease(ordinal))
        yield f"state {ordinal}", ask(cu.cuDevicePrimaryCtxGetState(ordinal))
        yield f"flags {ordinal}", ask(cu.cuDevicePrimaryCtxSetFlags(ordinal, 0))


@question("the primary context's memory ends with its last release or a reset, and its handle comes again")
def primary_memory():
    previous = must(cu.cuCtxGetCurrent())
    primary = must(cu.cuDevicePrimaryCtxRetain(0))
    context = must(cu.cuDevicePrimaryCtxRetain(0))
    yield "the same context", int(primary) == int(context)
    must(cu.cuCtxPushCurrent(primary))
    a, p = int(must(cu.cuMemAlloc(4096))), int(must(cu.cuMemHostAlloc(4096, 0)))
    yield "release once", [ask(cu.cuDevicePrimaryCtxRelease(0)), ask(cu.cuMemsetD8(a, 1, 16))]
    yield "flags while active", ask(cu.cuDevicePrimaryCtxSetFlags(0, 1))
    yield "reset", ask(cu.cuDevicePrimaryCtxReset(0))
    yield "memory after the reset", [ask(cu.cuMemsetD8(a, 1, 16)), ask(cu.cuMemHostGetFlags(p))]
    yield "state after the reset", outcome(cu.cuDevicePrimaryCtxGetState(0))
    must(cu.cuCtxSetCurrent(previous))
    yield "its memory from another context", ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))
    third = cu.cuDevicePrimaryCtxRetain(0)
    yield "retained anew", [ask(third), int(third[1]) == int(primary)]
    yield "release, and once too often", [ask(cu.cuDevicePrimaryCtxRelease(0)) for _ in range(3)]
    yield "device 9", [ask(cu.cuDevicePrimaryCtxReset(9)), ask(cu.cuDevicePrimaryCtxSetFlags(9, 0))]
    must(cu.cuDevicePrimaryCtxSetFlags(0, 0))
