"""Attempts at the exercises of lesson 02."""
from . import change, right, wrong

DRIVER = "from cuda.bindings import driver as cu\n"
FLAGS = DRIVER + "def unasked(flags):\n"
ANSWER = DRIVER + "def answer_of(address, nbytes):\n"
STAGED = "import pycuda.driver as cuda\ndef staged_copy(source, target, staging, stream):\n"
PAYS = "import math\ndef pays_after(nbytes, pin, pageable, pinned):\n"

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
        right("the functions by their names", "from cuda.bindings.driver import cuMemFreeHost, cuMemHostAlloc, cuMemHostGetFlags\n" + FLAGS + """
    error, address = cuMemHostAlloc(4 << 20, flags)
    error, reported = cuMemHostGetFlags(address)
    cuMemFreeHost(address)
    return reported & ~flags"""),
        right("course_lib", "from course_lib import pinned\n" + FLAGS + """
    names = [name for name, bit in pinned.ALLOCATE_FLAGS.items() if flags & bit]
    with pinned.allocate(4 << 20, flags=names) as memory:
        return sum(pinned.ALLOCATE_FLAGS[name] for name in memory.flags_reported if name not in names)"""),
        wrong("all that is reported", "You return all flags that are reported", change(" & ~flags", "")),
        wrong("never freed", "stays allocated", change("    cu.cuMemFreeHost(address)\n", "")),
        wrong("freed behind the return", "stays allocated", FLAGS + """
    error, address = cu.cuMemHostAlloc(4 << 20, flags)
    error, reported = cu.cuMemHostGetFlags(address)
    return reported & ~flags
    cu.cuMemFreeHost(address)"""),
        wrong("freed by the wrong call", "stays allocated", change("cu.cuMemFreeHost", "cu.cuMemFree")),
        wrong("free without a call", "stays allocated", change("cu.cuMemFreeHost(address)", "cu.cuMemFreeHost")),
        wrong("freed first", "Ask before you free it".replace("Ask before you free it", "freed after you have asked"), FLAGS + """
    error, address = cu.cuMemHostAlloc(4 << 20, flags)
    cu.cuMemFreeHost(address)
    error, reported = cu.cuMemHostGetFlags(address)
    return reported & ~flags"""),
        wrong("freed first, and None guarded", "", FLAGS + """
    error, address = cu.cuMemHostAlloc(4 << 20, flags)
    cu.cuMemFreeHost(address)
    error, reported = cu.cuMemHostGetFlags(address)
    return (reported or 0) & ~flags"""),
        wrong("the other way round", "the other way round", change("reported & ~flags", "flags & ~reported")),
        wrong("without the flags", "not made with the flags", change("(4 << 20, flags)", "(4 << 20, 0)")),
        wrong("the function that has no flags", "not made with the flags", change("cuMemHostAlloc(4 << 20, flags)", "cuMemAllocHost(4 << 20)")),
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
        wrong("the tuple", "returns a tuple", change("error, reported = cu", "reported = cu")),
        wrong("the tuple as an address", "`error, address = cu.cuMemHostAlloc(...)`", change("error, address = cu", "address = cu")),
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
    "leave-no-trace": (
        right("the error first", ANSWER + """
    error = cu.cuMemHostRegister(address, nbytes, 0)[0]
    if not error:
        cu.cuMemHostUnregister(address)
    return error.name"""),
        right("by the name", ANSWER + """
    (error,) = cu.cuMemHostRegister(address, nbytes, 0)
    name = error.name
    if name == "CUDA_SUCCESS":
        cu.cuMemHostUnregister(address)
    return name"""),
        right("an early return", ANSWER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error != cu.CUresult.CUDA_SUCCESS:
        return error.name
    cu.cuMemHostUnregister(address)
    return "CUDA_SUCCESS\""""),
        right("the driver's own text", ANSWER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error == 0:
        cu.cuMemHostUnregister(address)
    return cu.cuGetErrorName(error)[1].decode()"""),
        right("the notebook's function", DRIVER + """
def try_register(address, nbytes, flags=0):
    return cu.cuMemHostRegister(address, nbytes, flags)[0].name

def answer_of(address, nbytes):
    answer = try_register(address, nbytes)
    if answer == "CUDA_SUCCESS":
        cu.cuMemHostUnregister(address)
    return answer"""),
        right("the course's exception", "from course_lib.core.errors import CudaError, ask\n" + ANSWER + """
    try:
        ask(cu.cuMemHostRegister, address, nbytes, 0)
    except CudaError as error:
        return error.name
    ask(cu.cuMemHostUnregister, address)
    return "CUDA_SUCCESS\""""),
        wrong("left registered", "stays registered", ANSWER + "    return cu.cuMemHostRegister(address, nbytes, 0)[0].name"),
        wrong("undone behind the return", "stays registered", ANSWER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    return error.name
    cu.cuMemHostUnregister(address)"""),
        wrong("undone by another call", "stays registered", change("cu.cuMemHostUnregister", "cu.cuMemFreeHost")),
        wrong("always undone", "not yours", ANSWER + """
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    cu.cuMemHostUnregister(address)
    return error.name"""),
        wrong("undone first, to be on the safe side", "", ANSWER + """
    cu.cuMemHostUnregister(address)
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
    return error.name"""),
        wrong("the error the wrong way round", "the other way round", change("== cu.CUresult.CUDA_SUCCESS", "!= cu.CUresult.CUDA_SUCCESS")),
        wrong("undone where it was refused", "the other way round",
              change("cu.CUresult.CUDA_SUCCESS:", "cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:")),
        wrong("the tuple", "returns a tuple", change("error, = cu", "error = cu")),
        wrong("the error itself", "Its name is asked for", change("error.name", "error")),
        wrong("its number", "Its name is asked for", change("error.name", "int(error)")),
        wrong("its text", "", change("error.name", "str(error)")),
        wrong("the answer of undoing", "*unregistering*", ANSWER + """
    cu.cuMemHostRegister(address, nbytes, 0)
    error, = cu.cuMemHostUnregister(address)
    return error.name"""),
        wrong("flags for a question", "guess what registering would answer", ANSWER + """
    error, _ = cu.cuMemHostGetFlags(address)
    return "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" if not error else "CUDA_SUCCESS\""""),
        wrong("forward for a question", "guess what registering would answer", ANSWER + """
    error, _ = cu.cuMemHostGetDevicePointer(address, 0)
    return "CUDA_SUCCESS" if error else "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED\""""),
        wrong("every byte asked", "", ANSWER + """
    known = any(not cu.cuMemHostGetFlags(byte)[0] for byte in range(address, address + nbytes))
    return "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" if known else "CUDA_SUCCESS\""""),
        wrong("without CUDA_", "begins with `CUDA_`", change("error.name", "error.name.replace('CUDA_', '').replace('ERROR_', '')")),
        wrong("a page always", "`nbytes` says how many", change("nbytes, 0)", "4096, 0)")),
        wrong("one byte", "", change("nbytes, 0)", "1, 0)")),
        wrong("SUCCESS always", "the same every time", ANSWER + "    return 'CUDA_SUCCESS'"),
        wrong("True or False", "", change("error.name", "error == cu.CUresult.CUDA_SUCCESS")),
        wrong("no return", "returns None every time", change("    return error.name\n", "")),
        wrong("device memory's call", "", change("cu.cuMemHostRegister(address, nbytes, 0)", "cu.cuMemFreeHost(address)")),
        wrong("read only", "", change("nbytes, 0)", "nbytes, 4)")),
        right("unregister in a conditional with the enum's value", ANSWER + """
    (result,) = cu.cuMemHostRegister(address, nbytes, 0)
    if not int(result):
        cu.cuMemHostUnregister(address)
    return result.name"""),
        right("the answer of unregistering, where both succeed", ANSWER + """
    error = cu.cuMemHostRegister(address, nbytes, 0)[0]
    if error == cu.CUresult.CUDA_SUCCESS:
        error = cu.cuMemHostUnregister(address)[0]
    return error.name"""),
    ),
    "staged-copy": (
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
        wrong("no wait at all", "filled again before", change("        stream.synchronize()\n", "")),
        wrong("one wait at the end", "filled again before", change("        stream.synchronize()", "    stream.synchronize()")),
        wrong("a wait after the first", "filled again before", change("        stream.synchronize()", "        if not start: stream.synchronize()")),
        wrong("a wait after every second piece", "filled again before", STAGED + """
    for number, start in enumerate(range(0, len(source), len(staging))):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        if number % 2:
            stream.synchronize()
    stream.synchronize()"""),
        wrong("a wait between filling and copying", "filled again before", STAGED + """
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        stream.synchronize()
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
    stream.synchronize()"""),
        wrong("two halves, and no wait", "filled again before", STAGED + """
    half, both = len(staging) // 2, (staging[:len(staging) // 2], staging[len(staging) // 2:])
    for number, start in enumerate(range(0, len(source), half)):
        piece, part = source[start:start + half], both[number % 2]
        part[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, part[:len(piece)], stream)
    stream.synchronize()"""),
        wrong("a wait with no parentheses", "filled again before", change("stream.synchronize()", "stream.synchronize")),
        wrong("the last one not waited for", "still under way", STAGED + """
    for start in range(0, len(source), len(staging)):
        stream.synchronize()
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)"""),
        wrong("all to the start", "one over the other", change("target + start", "target")),
        wrong("the whole buffer at the end", "beyond the end", change("staging[:len(piece)], stream", "staging, stream")),
        wrong("the whole buffer filled", "does not fill it", change("staging[:len(piece)] = piece", "staging[:] = piece")),
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
        wrong("the first piece again and again", "begins at `start`", change("source[start:start + len(staging)]", "source[:len(staging)]")),
        wrong("no rest", "The rest is missing", STAGED + """
    for number in range(len(source) // len(staging)):
        start = number * len(staging)
        staging[:] = source[start:start + len(staging)]
        cuda.memcpy_htod_async(target + start, staging, stream)
        stream.synchronize()"""),
        wrong("never to the device", "no further", change("        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)\n", "")),
        wrong("the other way", "", change("cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)",
                                          "cuda.memcpy_dtoh_async(staging[:len(piece)], target + start, stream)")),
        wrong("a list", "", change("= piece\n", "= piece[::-1]\n")),
        wrong("return in the loop", "the loop has to go on", change("        stream.synchronize()\n", "        return stream.synchronize()\n")),
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
    "pinning-pays": (
        right("an early return", PAYS + """
    slow, fast = nbytes / pageable, nbytes / pinned
    if fast >= slow:
        return None
    return math.ceil(pin / (slow - fast))"""),
        right("rates compared first", PAYS + """
    if pinned <= pageable:
        return None
    return math.ceil(pin / nbytes / (1 / pageable - 1 / pinned))"""),
        right("rounding up by //", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return None if saved <= 0 else int(-(-pin // saved))"""),
        right("a loop", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    copies = 0
    while copies * saved < pin:
        copies += 1
    return copies"""),
        right("NumPy's ceil, as an int", "import numpy as np\n" + PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return np.int64(np.ceil(pin / saved)) if saved > 0 else None"""),
        wrong("NumPy's ceil", "it is a float", "import numpy as np\n" + PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return np.ceil(pin / saved) if saved > 0 else None"""),
        wrong("int + 1", "one copy too many", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return int(pin / saved) + 1"""),
        wrong("// + 1", "one copy too many", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return int(pin // saved + 1)"""),
        wrong("floor", "You round down", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return math.floor(pin / saved)"""),
        wrong("round", "You round down", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    if saved <= 0:
        return None
    return round(pin / saved)"""),
        wrong("no guard", "before you divide", PAYS + """
    return math.ceil(pin / (nbytes / pageable - nbytes / pinned))"""),
        wrong("a guard for 0 only", "before you divide", PAYS + """
    if pageable == pinned:
        return None
    return math.ceil(pin / (nbytes / pageable - nbytes / pinned))"""),
        wrong("an exception as a guard", "before you divide", PAYS + """
    try:
        return math.ceil(pin / (nbytes / pageable - nbytes / pinned))
    except ZeroDivisionError:
        return None"""),
        wrong("rates subtracted, with the guard", "Rates cannot be subtracted", PAYS + """
    if pinned <= pageable:
        return None
    saved = nbytes / (pinned - pageable)
    return math.ceil(pin / saved)"""),
        wrong("rates subtracted, differently", "Rates cannot be subtracted", PAYS + """
    gain = pinned - pageable
    return math.ceil(pin * gain / nbytes) if gain > 0 else None"""),
        wrong("the pinned copy", "the time of one kind of copy", PAYS + """
    if pinned <= pageable:
        return None
    return math.ceil(pin / (nbytes / pinned))"""),
        wrong("the pageable copy", "the time of one kind of copy", PAYS + """
    if pinned <= pageable:
        return None
    return math.ceil(pin * pageable / nbytes)"""),
        wrong("for one byte", "what one byte saves", PAYS + """
    saved = 1 / pageable - 1 / pinned
    return math.ceil(pin / saved) if saved > 0 else None"""),
        wrong("not rounded", "A number of copies is whole", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return pin / saved if saved > 0 else None"""),
        wrong("0 for never", "", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else 0"""),
        wrong("turned round", "the wrong way round", PAYS + """
    saved = nbytes / pinned - nbytes / pageable
    return math.ceil(pin / saved) if saved > 0 else None"""),
        wrong("infinity for never", "", PAYS + """
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else math.inf"""),
        right("the saving first", """
import math
def pays_after(nbytes, pin, pageable, pinned):
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else None"""),
        right("negative floor division", PAYS + """
    if pinned <= pageable or nbytes == 0:
        return None
    per_copy = nbytes * (1 / pageable - 1 / pinned)
    return int(-(-pin // per_copy))"""),
    ),
    "register-order": (
        *(right("an order that works", order) for order in (
            "register translate allocate copy free unregister", "allocate register translate copy free unregister",
            "register allocate translate copy free unregister", "register translate allocate copy unregister free",
            "register, allocate, translate, copy, unregister, free",
            ["allocate", "register", "translate", "copy", "unregister", "free"])),
        wrong("translated first", "Before it is registered", "allocate translate register copy free unregister"),
        wrong("translated at once", "Before it is registered", "translate allocate register copy unregister free"),
        wrong("copied before translated", "comes from `translate`", "register allocate copy translate free unregister"),
        wrong("copied first", "nothing to copy to yet", "copy register translate allocate free unregister"),
        wrong("unregistered early", "leads nowhere", "allocate register translate unregister copy free"),
        wrong("freed early", "leads nowhere", "register allocate translate free copy unregister"),
        wrong("unregistered before it is registered", "cannot be unregistered",
              "allocate unregister register translate copy free"),
        wrong("nothing to copy to", "nothing to copy to yet", "register translate copy free allocate unregister"),
        wrong("freed before it is allocated", "nothing to free yet", "register free translate allocate copy unregister"),
        wrong("unregistered, then translated", "Ask while it is registered", "allocate register unregister translate copy free"),
        wrong("backwards", "", "unregister free copy allocate translate register"),
        wrong("a line missing", "is missing", "register translate allocate copy free"),
        wrong("a line twice", "more than once", "register translate allocate copy copy free unregister"),
        wrong("another name", "There is no line", "register translate alloc copy free unregister"),
    ),
}
