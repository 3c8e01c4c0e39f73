"""Attempts at the exercises of "Pinned memory"."""
from . import change, right, wrong

DRIVER = "from cuda.bindings import driver as cu\n"
FLAGS = DRIVER + "def unasked(flags):\n"
STAGED = "import pycuda.driver as cuda\ndef staged_copy(source, target, staging, stream):\n"

ATTEMPTS = {
    "unasked-flags": (
        wrong("a small block", "The memory is too small", FLAGS + """
    _, address = cu.cuMemHostAlloc(4096, flags)
    _, reported = cu.cuMemHostGetFlags(address)
    cu.cuMemFreeHost(address)
    return reported & ~flags"""),
        right("exclusive or, for all that was asked for came", FLAGS + """
    _, address = cu.cuMemHostAlloc(1 << 22, flags)
    _, reported = cu.cuMemHostGetFlags(address)
    cu.cuMemFreeHost(address)
    return reported ^ flags"""),
        right("taken away", FLAGS + """
    address = cu.cuMemHostAlloc(4 << 20, flags)[1]
    reported = cu.cuMemHostGetFlags(address)[1]
    cu.cuMemFreeHost(address)
    return reported - (reported & flags)"""),
        right("errors as exceptions", "from course_lib.core.errors import ask\n" + FLAGS + """
    address = ask(cu.cuMemHostAlloc, 4 << 20, flags)
    try:
        return ask(cu.cuMemHostGetFlags, address) & ~flags
    finally:
        ask(cu.cuMemFreeHost, address)"""),
        right("PyCUDA", "import numpy as np\nimport pycuda.driver as cuda\n" + FLAGS + """
    block = cuda.pagelocked_empty(1 << 20, np.int32, mem_flags=flags)
    return block.base.get_flags() & ~flags"""),
        right("PyCUDA's array, the driver's flags", "import numpy as np\nimport pycuda.driver as cuda\n" + FLAGS + """
    block = cuda.pagelocked_zeros(1 << 20, np.int32, "C", flags)
    error, reported = cu.cuMemHostGetFlags(block.ctypes.data)
    return reported & ~flags"""),
        right("the functions by their names",
              "from cuda.bindings.driver import cuMemFreeHost, cuMemHostAlloc, cuMemHostGetFlags\n" + FLAGS + """
    error, address = cuMemHostAlloc(4 << 20, flags)
    error, reported = cuMemHostGetFlags(address)
    cuMemFreeHost(address)
    return reported & ~flags"""),
        right("course_lib", "from course_lib import pinned\n" + FLAGS + """
    names = [name for name, bit in pinned.ALLOCATE_FLAGS.items() if flags & bit]
    with pinned.allocate(4 << 20, flags=names) as memory:
        return sum(pinned.ALLOCATE_FLAGS[name] for name in memory.flags_reported if name not in names)"""),
        wrong("freed by the wrong call", "stays allocated", change("cu.cuMemFreeHost", "cu.cuMemFree")),
        wrong("free without a call", "stays allocated", change("cu.cuMemFreeHost(address)", "cu.cuMemFreeHost")),
        wrong("freed first, and None guarded", "", FLAGS + """
    error, address = cu.cuMemHostAlloc(4 << 20, flags)
    cu.cuMemFreeHost(address)
    error, reported = cu.cuMemHostGetFlags(address)
    return (reported or 0) & ~flags"""),
        wrong("arguments exchanged", "", change("(4 << 20, flags)", "(flags, 4 << 20)")),
        wrong("known by heart", "asked nobody", FLAGS + "    return 2 & ~flags"),
        wrong("known by heart, a table", "asked nobody", FLAGS + "    return [2, 2, 0, 0, 2, 2, 0, 0][flags]"),
        wrong("asked, and then by heart", "", FLAGS + """
    error, address = cu.cuMemHostAlloc(4 << 20, flags)
    cu.cuMemFreeHost(address)
    return 2"""),
        wrong("device memory", "", change("cuMemHostAlloc(4 << 20, flags)", "cuMemAlloc(4 << 20)")),
        wrong("NumPy's memory", "no pinned memory is at", "import numpy as np\n" + FLAGS + """
    array = np.zeros(4 << 20, np.uint8)
    error, reported = cu.cuMemHostGetFlags(array.ctypes.data)
    return reported & ~flags"""),
        wrong("text", "", change("reported & ~flags", "str(reported & ~flags)")),
        wrong("names", "", change("return reported & ~flags", "return ['devicemap'] if reported & ~flags else []")),
        wrong("and for or", "", change("reported & ~flags", "reported & flags")),
        wrong("not, by a word", "", change("reported & ~flags", "reported and not flags")),
        wrong("called, and handed over", "the function itself", 2),
        right("or, and exclusive or", FLAGS + """
    error, p = cu.cuMemHostAlloc(4 * 1024 ** 2, flags)
    assert error == 0
    try:
        return (cu.cuMemHostGetFlags(p)[1] | flags) ^ flags
    finally:
        cu.cuMemFreeHost(p)"""),
        wrong("uses `not flags` instead of ~flags", "`~flags` turns every bit round", FLAGS + """
    error, p = cu.cuMemHostAlloc(4 << 20, flags)
    error, got = cu.cuMemHostGetFlags(p)
    cu.cuMemFreeHost(p)
    return got & (not flags)"""),
    ),
    "staged-copy": (
        wrong("an event that is recorded before the copy", "", STAGED + """
    event = cuda.Event()
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        event.record(stream)
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        event.synchronize()"""),
        right("an event that is recorded behind the copy", STAGED + """
    event = cuda.Event()
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        event.record(stream)
        event.synchronize()"""),
        wrong("sleeps until the copy is done, perhaps", "before the copy engine had read it", STAGED + """
    import time
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        time.sleep(0.5)"""),
        wrong("a stream of its own, and no wait", "", """
import pycuda.driver as cuda
def staged_copy(source, target, staging, stream):
    own = cuda.Stream()
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], own)"""),
        wrong("the null stream, and a wait for the other", "another stream than the one that is given",
              change("staging[:len(piece)], stream)", "staging[:len(piece)])")),
        right("waits before it fills", STAGED + """
    for start in range(0, len(source), len(staging)):
        stream.synchronize()
        length = min(len(staging), len(source) - start)
        staging[:length] = source[start:start + length]
        cuda.memcpy_htod_async(target + start, staging[:length], stream)
    stream.synchronize()"""),
        right("while", STAGED + """
    start = 0
    while start < len(source):
        n = min(len(staging), len(source) - start)
        staging[:n] = source[start:start + n]
        cuda.memcpy_htod_async(target + start, staging[:n], stream)
        stream.synchronize()
        start += n"""),
        right("the copy that waits", STAGED + """
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod(target + start, staging[:len(piece)])"""),
        right("an event", STAGED + """
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        cuda.Event().record(stream).synchronize()"""),
        right("the whole context", STAGED + """
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        cuda.Context.synchronize()"""),
        right("the driver's own calls", "from cuda.bindings import driver as cu\n" + STAGED + """
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cu.cuMemcpyHtoDAsync(target + start, staging.ctypes.data, len(piece), stream.handle)
        cu.cuStreamSynchronize(stream.handle)"""),
        right("two halves of the buffer in turn", STAGED + """
    half, both = len(staging) // 2, (staging[:len(staging) // 2], staging[len(staging) // 2:])
    for number, start in enumerate(range(0, len(source), half)):
        if number % 2 == 0:
            stream.synchronize()
        piece, part = source[start:start + half], both[number % 2]
        part[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, part[:len(piece)], stream)
    stream.synchronize()"""),
        right("byte by byte", STAGED + """
    for start in range(0, len(source), len(staging)):
        n = min(len(staging), len(source) - start)
        for i in range(n):
            staging[i] = source[start + i]
        cuda.memcpy_htod_async(target + start, staging[:n], stream)
        stream.synchronize()"""),
        wrong("a wait after the first",
              "filled again before", change("        stream.synchronize()", "        if not start: stream.synchronize()")),
        wrong("a wait after every second piece", "filled again before", STAGED + """
    for number, start in enumerate(range(0, len(source), len(staging))):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        if number % 2:
            stream.synchronize()
    stream.synchronize()"""),
        wrong("two halves, and no wait", "filled again before", STAGED + """
    half, both = len(staging) // 2, (staging[:len(staging) // 2], staging[len(staging) // 2:])
    for number, start in enumerate(range(0, len(source), half)):
        piece, part = source[start:start + half], both[number % 2]
        part[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, part[:len(piece)], stream)
    stream.synchronize()"""),
        wrong("a wait with no parentheses", "filled again before", change("stream.synchronize()", "stream.synchronize")),
        wrong("the name bound to the piece", "never fills the buffer", STAGED + """
    for start in range(0, len(source), len(staging)):
        staging = source[start:start + len(staging)]
        cuda.memcpy_htod_async(target + start, staging, stream)
        stream.synchronize()"""),
        wrong("directly", "never fills the buffer", STAGED + "    cuda.memcpy_htod(target, source)"),
        wrong("directly, in pieces", "never fills the buffer", STAGED + """
    for start in range(0, len(source), len(staging)):
        cuda.memcpy_htod_async(target + start, source[start:start + len(staging)], stream)
        stream.synchronize()"""),
        wrong("no rest", "The rest is missing", STAGED + """
    for number in range(len(source) // len(staging)):
        start = number * len(staging)
        staging[:] = source[start:start + len(staging)]
        cuda.memcpy_htod_async(target + start, staging, stream)
        stream.synchronize()"""),
        wrong("the other way", "", change("cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)",
                                          "cuda.memcpy_dtoh_async(staging[:len(piece)], target + start, stream)")),
        wrong("a list", "", change("= piece\n", "= piece[::-1]\n")),
        wrong("return in the loop",
              "the loop has to go on", change("        stream.synchronize()\n", "        return stream.synchronize()\n")),
        wrong("one byte too few", "", change("target + start, staging[:len(piece)]", "target + start, staging[:len(piece) - 1]")),
        wrong("one byte too far", "", change("target + start", "target + start + 1")),
        wrong("nothing", "", STAGED + "    return target"),
        right("waits before each fill, plus at the end", """
import numpy as np
import pycuda.driver as cuda
def staged_copy(source, target, staging, stream):
    size, at = staging.nbytes, 0
    while at < source.nbytes:
        n = min(size, source.nbytes - at)
        stream.synchronize()
        np.copyto(staging[:n], source[at:at + n])
        cuda.memcpy_htod_async(target + at, staging[:n], stream)
        at += n
    stream.synchronize()"""),
        right("an event after each copy", STAGED + """
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        done = cuda.Event()
        done.record(stream)
        done.synchronize()"""),
        wrong("copied before it is filled", "fill first, then copy", STAGED + """
    for start in range(0, len(source), len(staging)):
        n = len(source[start:start + len(staging)])
        cuda.memcpy_htod_async(target + start, staging[:n], stream)
        staging[:n] = source[start:start + n]
        stream.synchronize()"""),
    ),
}
