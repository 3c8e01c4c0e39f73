"""Exercises of "Pinned memory": flags that nobody asked for, and the staging copy."""
from ...exercises.exercise import Case, Exercise, Instead, Mistake, Program, change, slip
from . import harness

unasked = Exercise(
    id="unasked-flags", title="Flags that nobody asked for", name="unasked", minutes=5, sandboxed=True,
    run=harness.unasked, cases=harness.every_combination,
    statement="""
The flags of pinned memory are bits: portable 1, device-mapped 2, write-combined 4. Write `unasked(flags)`: allocate 4
MiB of pinned memory with these flags, ask the driver by `cuMemHostGetFlags` which flags it has, free it by
`cuMemFreeHost`, and return the bits that came without being asked for, as one number. Four lines are enough.

    unasked(0)      # 2
    unasked(2)      # 0
""",
    hints=("Every call of cuda-bindings returns an error first: `error, address = cu.cuMemHostAlloc(4 << 20, flags)`.",
           "`reported & ~flags` keeps the bits of `reported` that `flags` does not have. Free the memory before you "
           "return."),
    mistakes=(
        slip(" & ~flags", "",
             "You return all flags that are reported. Take away those that were asked for: `& ~flags`."),
        slip("    cu.cuMemFreeHost(address)\n", "",
             "The memory stays allocated, and nobody knows its address any more: free it by `cuMemFreeHost` before you "
             "return.",
             change("    cu.cuMemFreeHost(address)\n", "", "~flags\n", "~flags\n    cu.cuMemFreeHost(address)\n")),
        slip("reported & ~flags", "flags & ~reported",
             "Nothing of what came is left. It is not the other way round, `flags & ~reported`; and `not flags` is "
             "True or False, where `~flags` turns every bit round: `reported & ~flags`."),
        slip("4 << 20", "4 << 10",
             "The memory is too small: the driver cuts such a block from a piece that it has, and tells the piece's "
             "portable flag. 4 MiB are `4 << 20` bytes, and get a piece of their own."),
        slip("cu.cuMemHostAlloc(4 << 20, flags)", "cu.cuMemHostAlloc(4 << 20, 0)",
             "The memory is not made with the flags that are given. They are the second argument of `cuMemHostAlloc`.",
             change("cu.cuMemHostAlloc(4 << 20, flags)", "cu.cuMemAllocHost(4 << 20)")),
        Mistake("def unasked(flags):\n    return 2 & ~flags\n",
                "You know the answer, and asked nobody. Let the driver say it: allocate the memory, and read its flags "
                "back.", also=("def unasked(flags):\n    return flags | 2\n",)),
        slip("""\
    error, reported = cu.cuMemHostGetFlags(address)
    cu.cuMemFreeHost(address)
""",
             """\
    cu.cuMemFreeHost(address)
    error, reported = cu.cuMemHostGetFlags(address)
""",
             "There is no answer, only an error: when you ask, no pinned memory is at `address`. It comes from `error, "
             "address = cu.cuMemHostAlloc(...)`, and is freed after you have asked.",
             change("error, address = cu", "address = cu")),
        slip("error, reported = cu", "reported = cu",
             "A call of cuda-bindings returns a tuple, with the error first: `error, reported = ...`."),
        slip("reported & ~flags", "reported & 2",
             "Where device-mapped was asked for, it did not come unasked: take away all that was asked for."),
    ))


def _of_a_copy(what, nbytes, room, hidden=True):
    number = -(-nbytes // room)
    return Case(what, (nbytes, room), " ".join(map(str, range(1, number + 1))) or "no pieces", hidden,
                f"staged_copy({nbytes} bytes, target, {room} bytes, stream): the piece at the place of each")


staged = Exercise(
    id="staged-copy", title="How a pageable copy is made", name="staged_copy", minutes=8, sandboxed=True,
    run=harness.staged_copy,
    statement="""
Where the GPU has page tables of its own, the copy engine does not reach pageable memory. So the driver copies that
memory piece by piece, by way of a staging buffer. Be the driver. Write `staged_copy(source, target, staging,
stream)`, which copies all of `source` to the device address `target`: the CPU fills `staging`, and
`cuda.memcpy_htod_async(address, array, stream)` copies from there. `source` is an array of bytes in pageable memory,
`staging` a smaller pinned one. All has to be there when the function returns. The check holds the stream up, so that
each copy runs as late as it may, and says which piece of `source` lies at the place of each. Five lines are enough.

    a source of 10 bytes and a buffer of 4      # "1 2 3": the pieces of 4, 4 and 2 bytes, each at its place
""",
    hints=("A piece is `source[start:start + len(staging)]`; the last one may be shorter than the buffer, so fill and "
           "copy as much of the buffer as the piece is long.",
           "A copy that does not wait reads the buffer later. What must have happened before the CPU may fill the "
           "buffer again?"),
    mistakes=(
        slip("        stream.synchronize()\n", "",
             "The buffer was filled again before the copy engine had read it. Wait for the stream, "
             "`stream.synchronize()`, before the CPU touches the buffer again.",
             change("        stream.synchronize()\n", "    stream.synchronize()\n"),
             change("        stream.synchronize()\n", "        if start == 0:\n            stream.synchronize()\n"),
             change("        stream.synchronize()\n",
                    "        if start // len(staging) % 2:\n            stream.synchronize()\n"),
             change("        stream.synchronize()\n", "", "        staging[:len(piece)] = piece\n",
                    "        staging[:len(piece)] = piece\n        stream.synchronize()\n"),
             Program("staged_copy_waits_behind.py")),
        Mistake(Instead("""\
def staged_copy(source, target, staging, stream):
    for start in range(0, len(source), len(staging)):
        stream.synchronize()
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
"""), "The last piece is still under way when the function returns: wait for it as well."),
        slip("target + start", "target",
             "Every piece goes to the start of the target, one over the other: add `start`."),
        slip("staging[:len(piece)], stream", "staging, stream",
             "The last piece may be shorter than the buffer, and you copy all of it, beyond the end of the target: "
             "copy `staging[:len(piece)]`."),
        slip("        staging[:len(piece)] = piece\n", "        staging[:] = piece\n",
             "The last piece may be shorter than the buffer, and does not fill it: assign to `staging[:len(piece)]`."),
        slip("        staging[:len(piece)] = piece\n", "",
             "The CPU never fills the buffer: copy the piece there first, `staging[:len(piece)] = piece`.", Instead("""\
def staged_copy(source, target, staging, stream):
    cuda.memcpy_htod_async(target, source, stream)
    stream.synchronize()
""")),
        slip("""\
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
""",
             """\
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        staging[:len(piece)] = piece
""",
             "The copy is asked for before the buffer is filled. It may run at once, and finds there what the last "
             "piece left: fill first, then copy."),
        slip("source[start:start + len(staging)]", "source[:len(staging)]",
             "You copy the first piece again and again: it begins at `start`."),
        slip("range(0, len(source), len(staging))", "range(0, len(source) - len(staging) + 1, len(staging))",
             "The rest is missing: a last piece may be shorter than the buffer."),
        slip("        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)\n", "",
             "The pieces get as far as the buffer, and no further: copy each to the device."),
        slip("        stream.synchronize()\n", "        stream.synchronize()\n        return\n",
             "You return after the first piece: the loop has to go on."),
    ),
    cases=(_of_a_copy("10 bytes and a buffer of 4", 10, 4, False), _of_a_copy("12 bytes and a buffer of 4", 12, 4),
           _of_a_copy("50000 bytes and a buffer of 16384", 50000, 16384),
           _of_a_copy("fewer bytes than the buffer has", 100, 256)))

EXERCISES = (unasked, staged)
