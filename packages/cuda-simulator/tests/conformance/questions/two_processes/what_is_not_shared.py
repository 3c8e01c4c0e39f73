"""What processes do not share: addresses, contexts, limits, faults, memory."""

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import (
    available,
    count,
    fill,
    kernel_byte,
    look,
    number,
    primary_state,
    put,
    stable_available,
    take,
    take_kind,
    word,
)
from ...helpers.calls import Refused, ask, must, name, outcome
from ...helpers.kernels import i32
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess, remembered


@word
def beyond(count, size=32 << 20):
    """Allocate until an address is far from those that another process of the same making has; then it is a number only there."""
    for _ in range(count):
        remembered["x"] = int(must(cu.cuMemAlloc(size)))
    return remembered["x"]


def foreign():
    """An address that means something in another process, and nothing here."""
    process = OtherProcess()
    address = process.ask(beyond, 6)
    if isinstance(address, str) or not get_attribute(ATTRIBUTES["MEMORY_TYPE"], address)[0]:
        raise Refused("no address that only the other process knows")
    remembered["x"] = address
    return process


@question("another process's device address means nothing here")
def foreign_address():
    foreign()
    for attribute in ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "CONTEXT", "RANGE_START_ADDR"):
        yield attribute, name(get_attribute(ATTRIBUTES[attribute], number("x"))[0])
    yield "copy from it", look("x")
    yield "copy to it", put("x", 1)
    yield "between two addresses", ask(cu.cuMemcpyDtoD(int(must(cu.cuMemAlloc(64))), number("x"), 4))
    yield "range", outcome(cu.cuMemGetAddressRange(number("x")))
    yield "free", ask(cu.cuMemFree(number("x")))
    yield "IPC handle", ask(cu.cuIpcGetMemHandle(number("x")))
    yield "memset", lambda: [ask(cu.cuMemsetD8(number("x"), 1, 4)), ask(cu.cuCtxSynchronize())]
    yield "kernel", lambda: ask(kernels.run("poke", number("x"), i32(1)))
    yield "unified copy", lambda: ask(cu.cuMemcpy(int(must(cu.cuMemAlloc(64))), number("x"), 4))


@question("a context of one process is not current, and its primary context not active, in another")
def contexts():
    must(cu.cuDevicePrimaryCtxRetain(0))
    process = OtherProcess(None)
    yield "before cuInit", process.ask(count)
    yield "primary context", [outcome(cu.cuDevicePrimaryCtxGetState(0)), process.ask(primary_state), outcome(cu.cuDevicePrimaryCtxGetState(0))]
    must(cu.cuDevicePrimaryCtxRelease(0))


@question("limits are each process's own")
def limits():
    must(cu.cuCtxSetLimit(cu.CUlimit(2), 64 << 20))
    return {"here": outcome(cu.cuCtxGetLimit(cu.CUlimit(2))), "there": OtherProcess().ask(heap_limit)}


def heap_limit():
    return outcome(cu.cuCtxGetLimit(cu.CUlimit(2)))


@question("what one process allocates is missing from what every process is told is free", quiet=True)
def free_memory():
    process = OtherProcess()
    ours, theirs = available(), process.ask(available)
    yield "both are told the same", ours == theirs
    yield "allocate there", process.ask(take, "a", 64 << 20)
    yield "missing here and there", [(ours - available()) >> 20, (theirs - process.ask(available)) >> 20]
    yield "free there", [process.ask(free_there, "a"), (ours - available()) >> 20]


def free_there(label):
    return ask(cu.cuMemFree(number(label)))


@question("what a dead process had is free again", quiet=True)
def the_dead_hold_nothing():
    free_before = available()
    for how in ("kill", "leave"):
        process = OtherProcess()
        for kind in ("device, 3 MiB", "pinned", "managed", "mapped", "stream-ordered"):
            process.ask(take_kind, kind, kind)
        taken_bytes = free_before - available()
        getattr(process, how)()
        yield how, [taken_bytes > 5 << 20, free_before - stable_available()]


@question("a kernel's fault in one process is no matter of another")
def faults():
    take("a")
    process, third = OtherProcess(), OtherProcess()
    third.ask(take, "b")
    yield "a fault there", process.ask(fault)
    yield "there then", process.ask(take, "c")
    yield "here", [look("a"), fill("a", 3), kernel_byte("a")]
    yield "in a third", [third.ask(look, "b"), third.ask(fill, "b", 4), third.ask(kernel_byte, "b")]
    yield "in a new one", OtherProcess().first_answer


def fault():
    return ask(kernels.run("poke", 0, i32(1)))


@question("a kernel that does not end in one process lets those of another run, and ends with its process")
def endless():
    take("a")
    process = OtherProcess()
    process.start(hanging)
    yield "here", [fill("a", 3), look("a"), kernel_byte("a")]
    yield "kill it", process.kill()
    yield "here then", [fill("a", 5), look("a")]


def hanging():
    host = int(must(cu.cuMemHostAlloc(4096, 0)))
    return ask(kernels.run("wait_for", host, host + 4))
