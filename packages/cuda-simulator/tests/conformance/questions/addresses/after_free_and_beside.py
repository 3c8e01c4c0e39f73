"""Outside of what is allocated: which address comes again after a free, and what a kernel meets beside and after an allocation."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, pattern, read, where, write
from ...helpers.kernels import i32

SMALL, LARGE = 1000, 4 << 20


def _device(size):
    return int(must(cu.cuMemAlloc(size)))


def _pinned(size):
    return int(must(cu.cuMemHostAlloc(size, 0)))


def _managed(size):
    return int(must(cu.cuMemAllocManaged(size, 1)))


def _stream_ordered(size):
    address = int(must(cu.cuMemAllocAsync(size, 0)))
    must(cu.cuStreamSynchronize(0))
    return address


def _free_stream_ordered(address):
    must(cu.cuMemFreeAsync(address, 0))
    must(cu.cuStreamSynchronize(0))


MAKERS = {"device": (_device, lambda a: must(cu.cuMemFree(a))), "pinned": (_pinned, lambda a: must(cu.cuMemFreeHost(a))),
          "managed": (_managed, lambda a: must(cu.cuMemFree(a))), "stream-ordered": (_stream_ordered, _free_stream_ordered)}


def _six(make, size):
    return {name: make(size) for name in "abcdef"}


def _places(make, free, size):
    """Of six in a row some are freed: where do the next ones lie?"""
    def place_of(freed, sizes):
        six = _six(make, size)
        for name in freed:
            free(six[name])
        addresses = [make(size) for size in sizes]
        places = [where(address, **six) for address in addresses]
        for address in [*addresses, *(six[name] for name in six if name not in freed)]:
            free(address)
        return places
    yield "none freed", lambda: place_of("", [size])
    yield "one freed, one made", lambda: place_of("c", [size])
    yield "two freed in order, two made", lambda: place_of("bd", [size, size])
    yield "two freed from behind, two made", lambda: place_of("db", [size, size])
    yield "two neighbours freed, one of both sizes made", lambda: place_of("cd", [2 * size])
    yield "one freed, a smaller one and then two more made", lambda: place_of("c", [size // 4, size // 4, size])
    yield "one freed, a larger one made", lambda: place_of("c", [2 * size])
    yield "the last freed, a larger one made", lambda: place_of("f", [2 * size])


def _depends():
    """Where large allocations lie that do not fit into what was freed is the driver's choice; of pinned ones the system's."""
    for kind in MAKERS:
        for steps in ("none freed", "one freed, a smaller one and then two more made", "one freed, a larger one made",
                      "the last freed, a larger one made"):
            yield f"{kind}, large: {steps}", "the driver chooses a place for it"
    for steps in ("one freed, one made", "two freed in order, two made", "two freed from behind, two made",
                  "two neighbours freed, one of both sizes made"):
        yield f"pinned, large: {steps}", "the operating system chooses the simulated driver's place for it"


@question("which address comes again after a free, where others live", varies=dict(_depends()))
def places():
    for kind, (make, free) in MAKERS.items():
        for label, size in (("small", SMALL), ("large", LARGE)):
            for steps, answer in _places(make, free, size):
                yield f"{kind}, {label}: {steps}", answer


def _place_after_free(make, free, size):
    address = make(size)
    free(address)
    return where(make(size), first=address)


@question("which address comes again after a free, where nothing else lives")
def alone():
    for kind, (make, free) in MAKERS.items():
        for size in (100, 1 << 20, 4 << 20, 64 << 20):
            yield f"{kind}, {size} bytes", _place_after_free(make, free, size)
    def reserved():
        return int(must(cu.cuMemAddressReserve(4 << 20, 0, 0, 0)))
    yield "reserved addresses", _place_after_free(lambda size: reserved(), lambda a: must(cu.cuMemAddressFree(a, 4 << 20)), 0)


def _looked_at(address, offset, how="peek"):
    out = _device(LARGE)    # a piece of its own, so that it keeps none alive
    if how == "peek":
        return ask(kernels.run("peek", address + offset, out))
    return ask(kernels.run("poke", address + offset, i32(7)))


@question("a kernel a little outside of a small allocation of each kind", varies={
    label: "what the driver has put there" for label in (
        *(f"{kind}: {how} at -1" for kind in MAKERS for how in ("peek", "poke")), *(f"device, 4 MiB: peek at {at}" for at in (-1, 4 << 20)))})
def beside():
    for kind, (make, _) in MAKERS.items():
        for how in ("peek", "poke"):
            for offset in (-1, 1000, 1023):
                yield f"{kind}: {how} at {offset}", lambda: _looked_at(make(SMALL), offset, how)
    for offset in (-1, 4 << 20):
        yield f"device, 4 MiB: peek at {offset}", lambda: _looked_at(_device(LARGE), offset)


def _after_free(make, free, size, neighbour, how):
    out = _device(LARGE)    # a piece of its own, so that it keeps none alive
    address, neighbours = make(size), [make(size) for _ in range(neighbour)]
    if how == "peek":
        write(address, pattern(16)) if make is not _pinned else ctypes.memmove(address, bytes(pattern(16)), 16)
    must(cu.cuCtxSynchronize())
    free(address)
    if how == "poke":
        return ask(kernels.run("poke", address, i32(7)))
    must(cu.cuMemsetD8(out, 0, 4))
    answer = ask(kernels.run("peek", address + 5, out))
    del neighbours
    return answer if answer != "SUCCESS" else ["SUCCESS", "the old value" if read(out, 1) == pattern(16)[5:6] else "another"]


@question("a kernel that follows the address of freed memory, with and without living neighbours", varies={
    f"{kind}, 0 neighbours: peek": "the piece goes back at once, or a little later" for kind in MAKERS})
def freed():
    for kind, (make, free) in MAKERS.items():
        for neighbours in (0, 1, 3):
            for how in ("peek", "poke"):
                yield f"{kind}, {neighbours} neighbours: {how}", lambda: _after_free(make, free, SMALL, neighbours, how)
        yield f"{kind}, 4 MiB: peek", lambda: _after_free(make, free, LARGE, 1, "peek")


@question("memory that was freed and is given out again holds what was written before")
def content():
    for kind, (make, free) in MAKERS.items():
        neighbour, freed = make(SMALL), make(SMALL)
        if kind == "pinned":
            ctypes.memmove(freed, bytes(pattern(16)), 16)
        else:
            write(freed, pattern(16))
        must(cu.cuCtxSynchronize())
        free(freed)
        second = make(SMALL)
        place = where(second, first=freed)
        content_ = ctypes.string_at(second, 16) if kind == "pinned" else read(second, 16)
        yield kind, [place, "the old value" if content_ == bytes(pattern(16)) else "zeros" if not any(content_) else "another"]
        del neighbour
