"""Lesson 10, the second step: the vector is filled, by copies that run beside kernels."""
from ..exercise import Case, Exercise, Mistake, slip
from . import fill_harness

FILL_IMPORT = "import pycuda.driver as cuda\n"
FILL = FILL_IMPORT + """
def fill(address, data, buffers, streams, work):
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        buffer, stream = buffers[number % 2], streams[number % 2]
        piece = buffer[:len(data) - start]
        stream.synchronize()
        piece[:] = data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, stream)
        work(address + 4 * start, len(piece), stream)
    for stream in streams:
        stream.synchronize()
"""
_PUT = "        piece[:] = data[start:start + size]\n"
_COPY = "        cuda.memcpy_htod_async(address + 4 * start, piece, stream)\n"
_LAST = "    for stream in streams:\n        stream.synchronize()\n"
ALONE = FILL.replace("        stream.synchronize()\n        piece", "        piece")     # nobody waits for a buffer


def _filling(what, count, piece, hidden=True):
    return Case(what, (count, piece), fill_harness.FILLED if count else fill_harness.EMPTY, hidden,
                f"fill(address, data, buffers, streams, work)     # {count} numbers, buffers of {piece}")


fill = Exercise(
    id="vector-fill", lesson="10", title="Copies beside kernels", name="fill", minutes=30, sandboxed=True,
    run=fill_harness.fill,
    statement="""
Write `fill(address, data, buffers, streams, work)`. `data` is an array of int32 in pageable memory. It goes to the
device, from `address` on, in pieces: each through one of the two pinned `buffers` in turn, by a copy that does not
wait. Behind its copy, `work(address, count, stream)` puts a kernel on a stream, which works on that piece. While one
piece is worked on, the next one is copied. A buffer may be filled again when its copy is done, and not before; when
`fill` returns, all work is done. You choose what goes on which stream, and how to wait. Ten lines are enough.

    buffers: two int32 arrays of 32 numbers     streams: two cuda.Stream
    data: 96 numbers, three pieces              address + 4 * 32: where the second piece goes
""",
    starter=FILL_IMPORT + """
def fill(address, data, buffers, streams, work):
    '''Copy data to the address, piece by piece, and let a kernel work on each piece.'''
    ...         # about ten lines
""",
    hints=("Piece number k goes through `buffers[k % 2]` and `streams[k % 2]`: put the numbers into the buffer, then "
           "`cuda.memcpy_htod_async(...)`, then `work(...)`, both on its stream. The last piece may be shorter.",
           "Before you fill a buffer again, wait for the piece that went through it, and for no other: "
           "`stream.synchronize()` of "
           "*its* stream. The other stream goes on meanwhile. At the end, wait for both."),
    solution=FILL,
    mistakes=(
        Mistake(ALONE,
                "You fill a buffer again before its copy is done: the copy engine reads the buffer when its turn "
                "comes, and finds "
                "the numbers of a later piece (lesson 02). Wait for the stream of that buffer first."),
        Mistake(ALONE.replace("len(piece), stream)\n", "len(piece), stream)\n        stream.synchronize()\n"),
                "Nothing is copied while a kernel runs. Do you wait for each piece before you begin the next? Take the copy "
                "that does not wait, and wait as late as you can: just before you fill the same buffer again. Or does the "
                "next copy stand behind the kernel, on one stream? Give it the other one.",
                also=(FILL.replace("cuda.memcpy_htod_async(address + 4 * start, piece, stream)",
                                   "cuda.memcpy_htod(address + 4 * start, piece)"),
                      FILL.replace("        stream.synchronize()\n        piece", "        "
                                                                                  "cuda.Context.synchronize()\n   "
                                                                                  "     piece"),
                      FILL.replace("        stream.synchronize()\n        piece",
                                   "        streams[1 - number % 2].synchronize()\n        piece"),
                      FILL.replace("streams[number % 2]", "streams[0]"))),
        slip(FILL, _LAST, "",
             "You return while the last pieces are still under way: wait for both streams at the end.",
             FILL.replace(_LAST, "    stream.synchronize()\n"),
             FILL.replace(_LAST, "    streams[0].synchronize()\n")),
        Mistake(FILL_IMPORT + """
def fill(address, data, buffers, streams, work):
    size = len(buffers[0])
    for number, start in enumerate(range(0, len(data), size)):
        stream, piece = streams[number % 2], data[start:start + size]
        cuda.memcpy_htod_async(address + 4 * start, piece, stream)
        work(address + 4 * start, len(piece), stream)
    cuda.Context.synchronize()
""",
                "You copy from `data`, which is pageable memory: a large copy then holds the host up, which copies every byte "
                "itself, or waits (lesson 02). Put each piece into a pinned buffer, and copy from there.",
                also=(FILL_IMPORT + """
def fill(address, data, buffers, streams, work):
    if len(data):
        cuda.memcpy_htod(address, data)
        work(address, len(data), streams[0])
    cuda.Context.synchronize()
""",)),
        slip(FILL, "cuda.memcpy_htod_async(address + 4 * start, piece, stream)",
             "cuda.memcpy_htod_async(address + 4 * start, data[start:start + size], stream)",
             "You put the numbers into the buffer, and copy from `data` all the same, or from another array, which is pageable "
             "memory: give the copy the part of the buffer."),
        slip(FILL, "cuda.memcpy_htod_async(address + 4 * start, piece, stream)",
             "cuda.memcpy_htod_async(address + 4 * start, piece, streams[1 - number % 2])",
             "The kernel may run before the numbers are there: nothing orders two streams. Put the copy and its "
             "kernel on one "
             "stream.",
             FILL.replace("len(piece), stream)", "len(piece), streams[1 - number % 2])")),
        slip(FILL, "cuda.memcpy_htod_async(address + 4 * start, piece, stream)", "cuda.memcpy_htod_async(address "
                                                                                 "+ start, piece, stream)",
             "`address` counts bytes, and a number has 4: the piece goes to `address + 4 * start`.",
             FILL.replace("4 * start", "start")),
        slip(FILL, "        work(address + 4 * start, len(piece), stream)\n", "",
             "Nobody works on the numbers: call `work(address, count, stream)` behind each copy."),
        slip(FILL, "work(address + 4 * start, len(piece), stream)", "work(address, len(piece), stream)",
             "The kernel works on the first piece each time: give it the address of *this* piece.",
             FILL.replace("work(address + 4 * start, len(piece), stream)", "work(address, start + len(piece), "
                                                                           "stream)")),
        slip(FILL, _PUT + _COPY, _COPY + _PUT,
             "The copy is asked for before the numbers are in the buffer, and may run at once: fill first, then copy."),
        slip(FILL, "range(0, len(data), size)", "range(0, len(data) - size + 1, size)",
             "The last piece is missing where it is shorter than a buffer: it has to go as well.",
             FILL.replace("enumerate(range(0, len(data), size))",
                          "enumerate(range(0, len(data) // size * size, size))")),
        slip(FILL, "len(piece), stream)\n", "size, stream)\n",
             "The last piece may be shorter than a buffer: the kernel has to stop at the end of the data.",
             FILL.replace("piece = buffer[:len(data) - start]", "piece = buffer").replace(
                 "piece[:] = data", "piece[:len(data) - start] = data")),
        slip(FILL, "buffer, stream = buffers[number % 2], ", "buffer, stream = buffers[0], ",
             "You use one buffer only. While its copy is under way the next piece could be put into the other "
             "one: take them in "
             "turn.",
             FILL.replace("buffer, stream = buffers[number % 2], ", "buffer, stream = buffers[0], ").replace(
                 "        stream.synchronize()\n        piece", "        cuda.Context.synchronize()\n        piece")),
        slip(FILL, "        stream.synchronize()\n        piece", "        if number == 2:\n            "
                                                                  "stream.synchronize()\n        piece",
             "You wait once, for the first piece of a buffer. Every piece that goes through it has to be waited for."),
    ),
    cases=(_filling("three pieces", 96, 32, False), _filling("five pieces, of which the last is shorter", 139, 32),
           _filling("one piece that is shorter than a buffer", 5, 32), _filling("two whole pieces", 48, 24),
           _filling("an array of no numbers", 0, 16)))
