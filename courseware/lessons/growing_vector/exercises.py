"""Exercises of "A vector that grows": what the course taught, put together in four steps."""
from ...exercises.exercise import Case, Exercise, Mistake, Program, change, slip
from . import fill_harness, harness, whose_harness
from .harness import AS_BEFORE, BACK, GROWS, REFUSED


def _growth(what, most, steps, expected, hidden=True):
    call = f"vector = Vector(most)      # most: {_bytes(*most)}\n" + "\n".join(
        f"vector.grow({_bytes(*step)})" for step in steps)
    return Case(what, (most, steps), expected, hidden, call)


def _bytes(granules, more):
    return " + ".join(filter(None, [f"{granules} * granularity" if granules else "", str(more) if more else ""])) or "0"


grow = Exercise(
    id="vector-grow", title="It grows in place", name="Vector", kind="class", minutes=25, sandboxed=True,
    run=harness.grow,
    statement="""
Write `Vector(most)`: it reserves addresses for `most` bytes, rounded up to the granularity, and takes no memory yet.
`grow(nbytes)` makes room for `nbytes` bytes in all (lesson 10's `grow` was told how much to add), also rounded up: it
maps new memory behind what is there, and takes no more than is needed. `address` and `nbytes` say where the vector
begins and how much is mapped. What does not fit into the reservation is a `ValueError` that says so, raised before
anything is made. Make the driver's calls by `cu`; about fifteen lines are enough.

    vector = Vector(1 << 40)        # vector.nbytes is 0
    vector.grow(1000)               # the granularity: 2097152 on an H200
    vector.grow(3000000)            # twice the granularity, at the same address, with the same content
    vector.grow(5)                  # there is room for 5 already: nothing happens
""",
    hints=("The steps are lesson 09's: create, map, set access, and release the handle, for a mapping keeps its "
           "memory. What is new is *where*: behind what is mapped already, at `self.address + self.nbytes`.",
           "Only what is missing is created: `reservation.round_up(nbytes - self.nbytes)`. Look first whether anything "
           "is missing, and whether it fits; `round_up` gives at least one granule."),
    mistakes=(
        slip("        ask(cu.cuMemSetAccess, end, more, [access], 1)\n", "",
             "Mapped is not yet accessible: each new part needs `cuMemSetAccess`."),
        slip("reservation.round_up(nbytes - self.nbytes)", "nbytes - self.nbytes",
             "`cuMemCreate` and `cuMemMap` take multiples of the granularity: round up what is missing."),
        slip("end, more = self.address + self.nbytes,", "end, more = self.address,",
             "The second part is mapped where the first one is: it belongs behind it, at `self.address + self.nbytes`."),
        slip("reservation.round_up(nbytes - self.nbytes)", "reservation.round_up(nbytes)",
             "`nbytes` is the room in all. Create only what is missing: take away what is there."),
        slip("        if nbytes <= self.nbytes:\n            return\n", "",
             "Where there is room already, nothing is to be made: `round_up` gives one granule even for 0 bytes, or "
             "fewer."),
        slip("""\
        if nbytes > self.reserved:
            raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")
""",
             "",
             "More than was reserved has to be a ValueError of your own, before any call: what lies behind the "
             "reservation belongs to somebody else."),
        slip('raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")', "return",
             "Who asks for more than was reserved has to be told: raise a ValueError that says how much there is."),
        slip('            raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")',
             "            raise ValueError", "The ValueError says nothing: give it a text with both numbers."),
        slip("self.reserved = reservation.round_up(most)", "self.reserved = most",
             "Addresses are reserved in multiples of the granularity, too: round `most` up."),
        slip("self.nbytes += more", "self.nbytes = nbytes",
             "`nbytes` is how much is mapped, and that is a multiple of the granularity: add what you have created."),
        slip("        self.nbytes += more\n", "", "The vector does not know that it has grown: set `self.nbytes`."),
        slip("reservation.round_up(nbytes - self.nbytes)", "self.reserved - self.nbytes",
             "You map the whole reservation at once. Take no more memory than is asked for, rounded up."),
        slip("        self.nbytes = 0\n", "        self.nbytes = 0\n        self.grow(1)\n",
             "A new vector takes no memory: it reserves addresses, which cost nothing, and `grow` does the rest."),
        slip("        end, more =", """\
        if self.nbytes:
            ask(cu.cuMemUnmap, self.address, self.nbytes)
            self.nbytes = 0
        end, more =""",
             "You unmap the old memory and map a new one: its content is gone. Leave what is there, and map only what "
             "is missing."),
        slip("        self.nbytes += more\n", "        self.nbytes += more\n        self.address = end\n",
             "`address` is where the vector begins. It stays; the end is `address + nbytes`."),
    ),
    cases=(_growth("a vector that grows once", (5, 0), ((0, 1000),), GROWS, False),
           _growth("a vector that grows three times", (8, 0), ((0, 1000), (1, 1), (5, 0)), GROWS, False),
           _growth("more than was reserved", (2, 0), ((1, 0), (2, 1), (2, 0)), REFUSED, False),
           _growth("a room that is there already", (4, 0), ((2, 0), (1, 7), (0, 0), (2, 0)), GROWS),
           _growth("a size that is not a multiple of the granularity", (2, 5), ((2, 5),), GROWS),
           _growth("a vector that has much, and grows by little", (9, 0), ((4, 0), (4, 1)), GROWS),
           _growth("more than was reserved, at once", (3, 0), ((7, 3),), REFUSED)))


def _filling(what, count, piece, hidden=True):
    return Case(what, (count, piece), fill_harness.FILLED if count else fill_harness.EMPTY, hidden,
                f"fill(address, data, buffers, streams, work)     # {count} numbers, buffers of {piece}")


fill = Exercise(
    id="vector-fill", title="Copies beside kernels", name="fill", minutes=30, sandboxed=True, run=fill_harness.fill,
    statement="""
Write `fill(address, data, buffers, streams, work)`. `data` is an array of int32 in pageable memory. It goes to the
device, from `address` on, in pieces: each through one of the two pinned `buffers` in turn, by a copy that does not
wait. Behind its copy, `work(address, count, stream)` puts a kernel on a stream, which works on that piece. While one
piece is worked on, the next one is copied. A buffer may be filled again when its copy is done, and not before; when
`fill` returns, all work is done. You choose what goes on which stream, and how to wait. Ten lines are enough.

    buffers: two int32 arrays of 32 numbers     streams: two cuda.Stream
    data: 96 numbers, three pieces              address + 4 * 32: where the second piece goes
""",
    hints=("Piece number k goes through `buffers[k % 2]` and `streams[k % 2]`: put the numbers into the buffer, then "
           "`cuda.memcpy_htod_async(...)`, then `work(...)`, both on its stream. The last piece may be shorter.",
           "Before you fill a buffer again, wait for the piece that went through it, and for no other: "
           "`stream.synchronize()` of *its* stream. The other stream goes on meanwhile. At the end, wait for both."),
    mistakes=(
        Mistake(Program("fill_does_not_wait.py"),
                "You fill a buffer again before its copy is done: the copy engine reads the buffer when its turn "
                "comes, and finds the numbers of a later piece (lesson 02). Wait for the stream of that buffer first."),
        Mistake(Program("fill_waits_for_each.py"),
                "Nothing is copied while a kernel runs. Do you wait for each piece before you begin the next? Take the "
                "copy that does not wait, and wait as late as you can: just before you fill the same buffer again. Or "
                "does the next copy stand behind the kernel, on one stream? Give it the other one.",
                also=(change("cuda.memcpy_htod_async(address + 4 * start, piece, stream)",
                             "cuda.memcpy_htod(address + 4 * start, piece)"),
                      change("        stream.synchronize()\n        piece",
                             "        cuda.Context.synchronize()\n        piece"))),
        slip("    for stream in streams:\n        stream.synchronize()\n", "",
             "You return while the last pieces are still under way: wait for both streams at the end."),
        Mistake(Program("fill_copies_from_data.py"),
                "You copy from `data`, which is pageable memory: a large copy then holds the host up, which copies "
                "every byte itself, or waits (lesson 02). Put each piece into a pinned buffer, and copy from there."),
        slip("cuda.memcpy_htod_async(address + 4 * start, piece, stream)",
             "cuda.memcpy_htod_async(address + 4 * start, data[start:start + size], stream)",
             "You put the numbers into the buffer, and copy from `data` all the same, or from another array, which is "
             "pageable memory: give the copy the part of the buffer."),
        slip("cuda.memcpy_htod_async(address + 4 * start, piece, stream)",
             "cuda.memcpy_htod_async(address + 4 * start, piece, streams[1 - number % 2])",
             "The kernel may run before the numbers are there: nothing orders two streams. Put the copy and its kernel "
             "on one stream.", change("len(piece), stream)", "len(piece), streams[1 - number % 2])")),
        slip("cuda.memcpy_htod_async(address + 4 * start, piece, stream)",
             "cuda.memcpy_htod_async(address + start, piece, stream)",
             "`address` counts bytes, and a number has 4: the piece goes to `address + 4 * start`.",
             change("4 * start", "start")),
        slip("        work(address + 4 * start, len(piece), stream)\n", "",
             "Nobody works on the numbers: call `work(address, count, stream)` behind each copy."),
        slip("work(address + 4 * start, len(piece), stream)", "work(address, len(piece), stream)",
             "The kernel works on the first piece each time: give it the address of *this* piece.",
             change("work(address + 4 * start, len(piece), stream)", "work(address, start + len(piece), stream)")),
        slip("""\
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, stream)
""",
             """\
        cuda.memcpy_htod_async(address + 4 * start, piece, stream)
        piece[:] = data[start:start + size]
""",
             "The copy is asked for before the numbers are in the buffer, and may run at once: fill first, then copy."),
        slip("range(0, len(data), size)", "range(0, len(data) - size + 1, size)",
             "The last piece is missing where it is shorter than a buffer: it has to go as well."),
        slip("len(piece), stream)\n", "size, stream)\n",
             "The last piece may be shorter than a buffer: the kernel has to stop at the end of the data."),
        slip("buffer, stream = buffers[number % 2], ", "buffer, stream = buffers[0], ",
             "You use one buffer only. While its copy is under way the next piece could be put into the other one: "
             "take them in turn.",
             change("buffer, stream = buffers[number % 2], ", "buffer, stream = buffers[0], ",
                    "        stream.synchronize()\n        piece", "        cuda.Context.synchronize()\n        piece")),
        slip("        stream.synchronize()\n        piece", """\
        if number == 2:
            stream.synchronize()
        piece""",
             "You wait once, for the first piece of a buffer. Every piece that goes through it has to be waited for."),
    ),
    cases=(_filling("three pieces", 96, 32, False), _filling("five pieces, of which the last is shorter", 139, 32),
           _filling("one piece that is shorter than a buffer", 5, 32), _filling("two whole pieces", 48, 24),
           _filling("an array of no numbers", 0, 16)))

PLACES = {"vector": "vector.address", "pinned": "other pinned memory", "device": "other device memory",
          "copy": "the host address of the second copy", "end": "vector.address + vector.nbytes",
          "last": "vector.address + vector.reserved", "number": ""}


def _asked(what, place, offset, expected, hidden=True):
    more = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
    told = PLACES[place] + more if place != "number" else str(offset)
    return Case(what, (place, offset), expected, hidden, f"whose(vector, {told})")


def _any_address(source):
    """An address in the vector, near one of its borders, or elsewhere."""
    place = source.choice(["vector", "vector", "vector", "end", "last", "pinned", "device", "copy", "number"])
    near = {"vector": (-1, 0, 1, 399, 400, 511, 512, 1023, 1024, 1535, 1536, 1599, 1600, 1663, 1664),
            "pinned": range(256), "device": range(256), "copy": range(512), "end": range(-9, 9), "last": range(-9, 1),
            "number": (-8, -1, 0, 8, 1 << 64, (1 << 64) + 5)}
    offset = source.choice(list(near[place]))
    return _asked("", place, source.choice([offset, source.randrange(1800)]) if place == "vector" else offset, None)


whose = Exercise(
    id="vector-whose", title="Whose is an address?", name="whose", minutes=25, sandboxed=True, run=whose_harness.whose,
    random_case=_any_address,
    statement="""
Write `whose(vector, address)`. A vector of 4-byte numbers has `address`, `nbytes` (what is mapped), `reserved` (bytes
of addresses), and `copies`, a list of `(offset, nbytes, host address)`: of these bytes the program keeps a copy on
the host. Return `("vector", index, host)` within the mapped part: the number's index, and the host's address of the
same byte, or `None` where there is no copy. Return `("reserved", None, None)` in the rest of the reservation, and
`("elsewhere", None, host)` for every other integer, where `host` is the driver's answer to HOST_POINTER, or `None`.
Fifteen lines are enough.

    # vector.copies == [(0, 400, first), (512, 1024, second), (1600, 64, third)]
    whose(vector, vector.address + 633)             # ("vector", 158, second + 121)
    whose(vector, vector.address + vector.nbytes)   # ("reserved", None, None)
    whose(vector, address of other pinned memory)   # ("elsewhere", None, the same address)
""",
    hints=("Count from the vector's first byte: `offset = address - vector.address`. From 0 up to `nbytes` it is the "
           "vector's, up to `reserved` it is reserved; the first address behind a range does not belong to it.",
           "The driver has no way back for the vector's memory, so your own book, `copies`, answers there. For "
           "everything else ask the driver (lesson 11), which takes no number below 0 or from 2**64 on."),
    mistakes=(
        slip("0 <= offset < vector.nbytes", "0 <= offset <= vector.nbytes",
             "The address behind the last mapped byte has no memory: it is reserved. Compare with `<`."),
        slip("0 <= offset < vector.nbytes", "0 <= offset < vector.reserved",
             "Not all that is reserved is mapped: the vector has memory up to `nbytes` only."),
        slip('    if 0 <= offset < vector.reserved:\n        return "reserved", None, None\n', "",
             'Addresses that are reserved and not mapped belong to the vector all the same: say `"reserved"`.'),
        slip("0 <= offset < vector.reserved", "0 <= offset <= vector.reserved",
             "The first address behind the reservation is not its own: compare with `<`."),
        slip("0 <= offset < vector.reserved", "offset < vector.reserved",
             "An address before the vector is not reserved: its offset is negative.",
             change("0 <= offset < vector.nbytes", "offset < vector.nbytes")),
        slip("host + offset - start", "host + offset",
             "A copy begins at its own offset: the byte is `offset - start` bytes into it."),
        slip("host + offset - start", "host", "You give where the copy begins: add how far into it the byte is."),
        slip("start <= offset < start + nbytes", "start <= offset <= start + nbytes",
             "The byte behind a copy is not in it: compare with `<`."),
        slip("start <= offset < start + nbytes", "start <= offset < nbytes",
             "A copy is given by its offset and its *length*: it ends at `start + nbytes`."),
        Mistake(change("start <= offset < start", "start <= offset // 4 < start", "host + offset - start",
                       "host + offset - 4 * start"),
                "`copies` counts bytes, its offsets as well as its lengths: compare them with `offset`, and not with "
                "the number's index.",
                also=tuple(change("start <= offset < start", "start <= offset // 4 < start", "host + offset - start", there)
                           for there in ("host + offset // 4 - start", "host + 4 * (offset // 4 - start)"))),
        slip("0 <= offset < vector.reserved", "0 <= offset < vector.nbytes + vector.reserved",
             "`reserved` counts from the vector's first byte: what is mapped is a part of it."),
        slip("start <= offset < start + nbytes", "start <= offset",
             "Not every byte behind the start of a copy is in it: look at its length too."),
        slip('        return "vector", offset // 4, None\n', '            return "vector", offset // 4, None\n',
             "You give up after the first copy: the `return` belongs behind the loop."),
        slip("offset // 4, None", "None, None",
             "A byte without a copy is a byte of a number all the same: give its index.",
             change('        return "vector", offset // 4, None\n', '        return "elsewhere", None, None\n'),
             change('        return "vector", offset // 4, None\n', "")),
        slip("offset // 4", "offset", "You give the byte's place. A number has 4 bytes: its index is `offset // 4`.",
             change("offset // 4", "offset / 4")),
        slip('    if not 0 <= address < 1 << 64:\n        return "elsewhere", None, None\n', "",
             "cuda-bindings cannot ask about a number that is not an address, and raises an OverflowError: answer for "
             "it yourself, below 0 and from 2**64 on."),
        slip("int(host) if error == cu.CUresult.CUDA_SUCCESS else None", "int(host)",
             "Where the driver has no answer there is only an error: look at that before you use the host pointer."),
        slip("""\
    error, host = cu.cuPointerGetAttribute(attribute, address)
    return "elsewhere", None, int(host) if error == cu.CUresult.CUDA_SUCCESS else None""",
             '    return "elsewhere", None, None',
             "Other memory may have a host address, which the driver knows: ask it for HOST_POINTER."),
        slip("int(host) if error == cu.CUresult.CUDA_SUCCESS else None", "address",
             "Not all other memory has a host pointer: device memory has none, and a reader there would crash. Ask the "
             "driver, by `cuPointerGetAttribute`: the plural call gives an address that it does not know back as the "
             "host's (lesson 11)."),
        slip("    offset = address - vector.address\n", """\
    offset = address - vector.address
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, host = cu.cuPointerGetAttribute(attribute, address)
    if error == cu.CUresult.CUDA_SUCCESS:
        return "vector", offset // 4, int(host)
""",
             "A host pointer alone does not make the address the vector's: look first whether it lies in the vector.",
             change('return "elsewhere", None, int(host) if', 'return "vector", None, int(host) if')),
    ),
    cases=(_asked("a byte of which there is a copy", "vector", 633, ("vector", 158, "byte 121 of the second copy"), False),
           _asked("the address behind what is mapped", "end", 0, ("reserved", None, None), False),
           _asked("other pinned memory", "pinned", 0, ("elsewhere", None, "byte 0 of other pinned memory"), False),
           _asked("the vector's first address", "vector", 0, ("vector", 0, "byte 0 of the first copy")),
           _asked("a byte behind the first copy", "vector", 400, ("vector", 100, None)),
           _asked("the last byte of a copy", "vector", 1535, ("vector", 383, "byte 1023 of the second copy")),
           _asked("the first byte of the third copy", "vector", 1600, ("vector", 400, "byte 0 of the third copy")),
           _asked("a byte behind the third copy", "vector", 1664, ("vector", 416, None)),
           _asked("a byte between two copies", "vector", 450, ("vector", 112, None)),
           _asked("the last mapped byte", "end", -1, ("vector", whose_harness.LAST, None)),
           _asked("the last reserved address", "last", -1, ("reserved", None, None)),
           _asked("the address behind the reservation", "last", 0, ("elsewhere", None, None)),
           _asked("the address before the vector", "vector", -1, ("elsewhere", None, None)),
           _asked("a byte in the middle of other pinned memory", "pinned", 77,
                  ("elsewhere", None, "byte 77 of other pinned memory")),
           _asked("the host address of a copy", "copy", 5, ("elsewhere", None, "byte 5 of the second copy")),
           _asked("other device memory", "device", 9, ("elsewhere", None, None)),
           _asked("the null pointer", "number", 0, ("elsewhere", None, None)),
           _asked("a number below 0", "number", -1, ("elsewhere", None, None)),
           _asked("a number that is too large", "number", 1 << 64, ("elsewhere", None, None))))

_SCENE = """with Vector(most) as vector:
    vector.grow(granularity)
    {}
    vector.grow(2 * granularity)"""


def _let_go(what, scene, call, hidden=True):
    return Case(what, (scene,), AS_BEFORE if scene in harness.FAILING else BACK, hidden, call)


let_go = Exercise(
    id="vector-let-go", title="It lets go", name="Vector", kind="class", minutes=25, sandboxed=True,
    run=harness.let_go,
    statement="""
Take the `Vector` of vector-grow, and let it give everything back, whatever goes wrong. `with Vector(most) as vector:`
gives back all memory and all addresses at the end of the block, also when the block ends by an exception, which goes
on to whoever called. `release()` does so earlier; a second time it does nothing. Work that is under way is waited for
before its memory is taken away. Where a call within `grow` fails, the error is raised, and the vector is as it was:
what was made for this growth is gone, and it can grow later. Fifteen more lines are enough.

    with Vector(1 << 40) as vector:
        vector.grow(1 << 40)        # raises: the device does not have that much. Nothing is left behind
""",
    hints=("Ask of every call what has been made before it, for that is what has to be undone if it fails. `try: ... "
           "finally:` fits what is undone in any case, such as releasing the handle; `except BaseException: ... raise` "
           "what is undone only then.",
           "Giving back: wait for the device (`cuCtxSynchronize`), unmap, then free the addresses. One `cuMemUnmap` "
           "takes all parts, if there are any. Note that it was done, for the second time."),
    mistakes=(
        slip("""\
        try:
            ask(cu.cuMemMap, end, more, 0, handle, 0)
        finally:
            ask(cu.cuMemRelease, handle)
        try:
            ask(cu.cuMemSetAccess, end, more, [access], 1)
        except BaseException:
            ask(cu.cuMemUnmap, end, more)
            raise
""",
             """\
        ask(cu.cuMemMap, end, more, 0, handle, 0)
        ask(cu.cuMemSetAccess, end, more, [access], 1)
        ask(cu.cuMemRelease, handle)
""",
             "A call within `grow` may fail, and what the calls before it made is left: undo it before you let the "
             "error go on."),
        slip("""\
        try:
            ask(cu.cuMemMap, end, more, 0, handle, 0)
        finally:
            ask(cu.cuMemRelease, handle)
""",
             """\
        ask(cu.cuMemMap, end, more, 0, handle, 0)
        ask(cu.cuMemRelease, handle)
""",
             "When `cuMemMap` fails the handle is left, and with it the memory: release it in a `finally`."),
        slip("""\
        try:
            ask(cu.cuMemSetAccess, end, more, [access], 1)
        except BaseException:
            ask(cu.cuMemUnmap, end, more)
            raise
""",
             "        ask(cu.cuMemSetAccess, end, more, [access], 1)\n",
             "When `cuMemSetAccess` fails the new part is mapped already: unmap it again before you let the error go "
             "on."),
        slip("            raise\n", "            return\n",
             "You catch the error of a call and keep it to yourself: undo what was made, then `raise` it on."),
        slip("            ask(cu.cuCtxSynchronize)\n", "",
             "A kernel or a copy may still be under way, and would find no memory: wait for the device before you "
             "unmap."),
        slip("""\
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
            ask(cu.cuMemAddressFree, self.address, self.reserved)
""",
             """\
            ask(cu.cuMemAddressFree, self.address, self.reserved)
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
""",
             "Addresses are freed after the unmap: not while something is mapped there.",
             change("""\
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
""",
                    ""),
             change("""\
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
""",
                    "", "ask(cu.cuMemAddressFree, ", "cu.cuMemAddressFree(")),
        slip("            ask(cu.cuMemAddressFree, self.address, self.reserved)\n", "",
             "The memory is gone, and its addresses are still reserved: `cuMemAddressFree` gives them back."),
        slip("""\
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
""",
             "            ask(cu.cuMemUnmap, self.address, self.nbytes)\n",
             "A vector that has never grown has nothing to unmap, and `cuMemUnmap` refuses a size of 0: look at "
             "`nbytes` first."),
        slip("        if self.address is not None:\n", "        if True:\n",
             "A vector may be released before its block ends: a second `release` has to find that nothing is left to "
             "do."),
        slip("        self.release()\n", "        self.release()\n        return True\n",
             "An `__exit__` that returns True swallows the exception: whoever called has to see it. Return nothing."),
        slip("        self.release()\n", "        if exception[0] is None:\n            self.release()\n",
             "You give back only where all went well. `__exit__` is called in any case, and gives back in any case."),
        slip("        self.release()\n", "        pass\n",
             "The block ends, and nothing is given back: let `__exit__` call `release`."),
        slip("        return self\n", "        pass\n",
             "`with Vector(most) as vector` gives what `__enter__` returns: `return self`."),
    ),
    cases=(_let_go("a block that ends", "a block", "with Vector(most) as vector:\n    vector.grow(granularity)", False),
           _let_go("a block that ends by an exception", "an exception",
                   "with Vector(most) as vector:\n    vector.grow(granularity)\n    raise Stop", False),
           _let_go("more memory than the device has", "more memory than the device has",
                   _SCENE.format("vector.grow(more than the device has)"), False),
           _let_go("a vector that has never grown", "never grown", "with Vector(most) as vector:\n    pass"),
           _let_go("a vector that was released before its block ends", "released before",
                   "with Vector(most) as vector:\n    vector.grow(granularity)\n    vector.release()"),
           _let_go("a `cuMemMap` that fails", "cuMemMap",
                   _SCENE.format("vector.grow(2 * granularity)     # cuMemMap fails here")),
           _let_go("a `cuMemSetAccess` that fails", "cuMemSetAccess",
                   _SCENE.format("vector.grow(2 * granularity)     # cuMemSetAccess fails here")),
           _let_go("a block that ends while a stream has work to do", "work under way",
                   "with Vector(most) as vector:\n    vector.grow(granularity)\n    work(vector.address, stream)")))

EXERCISES = (grow, fill, whose, let_go)
