"""Lesson 02, Pinned memory: flags, registering, the staging copy, and what pinning costs."""
import contextlib

from course_lib.core.ownership import current_context

import numpy as np

from .. import order
from ..exercise import Case, Exercise, Mistake, slip
from . import asking, pinned_harness

BINDINGS = "from cuda.bindings import driver as cu\n"
UNASKED = BINDINGS + """
def unasked(flags):
    error, address = cu.cuMemHostAlloc(4 << 20, flags)
    error, reported = cu.cuMemHostGetFlags(address)
    cu.cuMemFreeHost(address)
    return reported & ~flags
"""
FREE = "    cu.cuMemFreeHost(address)\n"

unasked = Exercise(
    id="unasked-flags", lesson="02", title="Flags that nobody asked for", name="unasked", minutes=5, sandboxed=True,
    run=pinned_harness.unasked, cases=pinned_harness.every_combination,
    statement="""
The flags of pinned memory are bits: portable 1, device-mapped 2, write-combined 4. Write `unasked(flags)`: allocate 4
MiB of pinned memory with these flags, ask the driver by `cuMemHostGetFlags` which flags it has, free it by
`cuMemFreeHost`, and return the bits that came without being asked for, as one number. Four lines are enough.

    unasked(0)      # 2
    unasked(2)      # 0
""",
    starter=BINDINGS + """
def unasked(flags):
    '''The flags that the driver reports, less those that were asked for.'''
    ...         # about four lines
""",
    hints=("Every call of cuda-bindings returns an error first: `error, address = cu.cuMemHostAlloc(4 << 20, flags)`.",
           "`reported & ~flags` keeps the bits of `reported` that `flags` does not have. Free the memory before you "
           "return."),
    solution=UNASKED,
    mistakes=(
        slip(UNASKED, " & ~flags", "",
             "You return all flags that are reported. Take away those that were asked for: `& ~flags`."),
        slip(UNASKED, FREE, "",
             "The memory stays allocated, and nobody knows its address any more: free it by `cuMemFreeHost` before you "
             "return.",
             UNASKED.replace(FREE, "").replace("~flags\n", "~flags\n" + FREE)),
        slip(UNASKED, "reported & ~flags", "flags & ~reported",
             "Nothing of what came is left. It is not the other way round, `flags & ~reported`; and `not flags` is True or False, "
             "where `~flags` turns every bit round: `reported & ~flags`.",
             UNASKED.replace("~flags", "(not flags)")),
        slip(UNASKED, "4 << 20", "4 << 10",
             "The memory is too small: the driver cuts such a block from a piece that it has, and tells the piece's portable flag. "
             "4 MiB are `4 << 20` bytes, and get a piece of their own."),
        slip(UNASKED, "cu.cuMemHostAlloc(4 << 20, flags)", "cu.cuMemHostAlloc(4 << 20, 0)",
             "The memory is not made with the flags that are given. They are the second argument of `cuMemHostAlloc`.",
             UNASKED.replace("cu.cuMemHostAlloc(4 << 20, flags)", "cu.cuMemAllocHost(4 << 20)")),
        Mistake("def unasked(flags):\n    return 2 & ~flags",
                "You know the answer, and asked nobody. Let the driver say it: allocate the memory, and read its flags "
                "back.",
                ("def unasked(flags):\n    return 0 if flags & 2 else 2", "def unasked(flags):\n    return flags | 2")),
        slip(UNASKED, f"    error, reported = cu.cuMemHostGetFlags(address)\n{FREE}",
             f"{FREE}    error, reported = cu.cuMemHostGetFlags(address)\n",
             "There is no answer, only an error: when you ask, no pinned memory is at `address`. It comes from "
             "`error, address = cu.cuMemHostAlloc(...)`, and is freed after you have asked.",
             UNASKED.replace("    error, address = cu.cuMemHostAlloc(4 << 20, flags)\n",
                             "    import numpy as np\n    memory = np.zeros(4 << 20, np.uint8)\n"
                             "    address = memory.ctypes.data\n"),
             UNASKED.replace("error, address = cu", "address = cu")),
        slip(UNASKED, "error, reported = cu", "reported = cu",
             "A call of cuda-bindings returns a tuple, with the error first: `error, reported = ...`."),
        slip(UNASKED, "reported & ~flags", "reported & 2",
             "Where device-mapped was asked for, it did not come unasked: take away all that was asked for.",
             UNASKED.replace("reported & ~flags", "2")),
    ))

ANSWER = BINDINGS + """
def answer_of(address, nbytes):
    error, = cu.cuMemHostRegister(address, nbytes, 0)
    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
    return error.name
"""
UNDO = """    if error == cu.CUresult.CUDA_SUCCESS:
        cu.cuMemHostUnregister(address)
"""
RANGE_START = "cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR"

answer_of = Exercise(
    id="leave-no-trace", lesson="02", title="What cudaHostRegister answers", name="answer_of", minutes=5,
    sandboxed=True, run=pinned_harness.answer_of, cases=pinned_harness.ranges,
    statement="""
Can a range be registered? Nobody keeps a list for you, so try it. Write `answer_of(address, nbytes)`: the name of
what the driver answers when it is asked to register that range, such as `"CUDA_SUCCESS"`. Leave no trace: what was
not registered before is not registered afterwards, and what somebody else had registered still is. Four lines are
enough.

    answer_of(address, 4096)    # "CUDA_SUCCESS" where nobody registered it
    answer_of(address, 8192)    # "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" where somebody did
""",
    starter=BINDINGS + """
def answer_of(address, nbytes):
    '''The name of what cuMemHostRegister answers.'''
    ...         # about four lines
""",
    hints=("`cu.cuMemHostRegister(address, nbytes, 0)` returns a tuple with the error alone, and `error.name` is its "
           "name.",
           "Which registrations are yours to undo? Only those that you made: look at the error before you unregister."),
    solution=ANSWER,
    mistakes=(
        slip(ANSWER, UNDO, "",
             "The range stays registered: where the call succeeded, undo it by `cuMemHostUnregister`."),
        slip(ANSWER, UNDO, "    cu.cuMemHostUnregister(address)\n",
             "You take back a registration that is not yours: somebody registered that range before, and may still "
             "need it. "
             "Unregister only where your own call succeeded.",
             ANSWER.replace("error == cu.CUresult.CUDA_SUCCESS", "error != cu.CUresult.CUDA_SUCCESS")
             .replace("    return", "    else:\n        cu.cuMemHostUnregister(address)\n    return")),
        slip(ANSWER, "error, = cu", "error = cu",
             "A call of cuda-bindings returns a tuple, also where the error is all that is in it: `error, = ...`."),
        slip(ANSWER, "return error.name", "return error",
             "You return the error itself. Its name is asked for: `error.name`.",
             ANSWER.replace("return error.name", "return int(error)")),
        slip(ANSWER, UNDO, "    error, = cu.cuMemHostUnregister(address)\n",
             "You return what *unregistering* answers. Keep the answer of the first call."),
        slip(ANSWER, "cu.CUresult.CUDA_SUCCESS:", "cu.CUresult.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED:",
             "It is the other way round: you undo what somebody else registered, and leave your own."),
        Mistake(BINDINGS + """
def answer_of(address, nbytes):
    error, flags = cu.cuMemHostGetFlags(address)
    return "CUDA_SUCCESS" if error else "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"
""",
                "You ask about one byte, and guess what registering would answer. The range may be registered "
                "further on, or "
                "refused for another reason: try it.",
                (BINDINGS + f"""
def answer_of(address, nbytes):
    error, start = cu.cuPointerGetAttribute({RANGE_START}, address)
    return "CUDA_SUCCESS" if error else "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"
""", BINDINGS + """
def answer_of(address, nbytes):
    found = [cu.cuMemHostGetFlags(byte)[0] for byte in (address, address + nbytes - 1)]
    return "CUDA_SUCCESS" if all(found) else "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"
""")),
        slip(ANSWER, "error.name", "error.name.removeprefix(\"CUDA_\").removeprefix(\"ERROR_\")",
             "The whole name is asked for, as the driver has it: it begins with `CUDA_`."),
        slip(ANSWER, "(address, nbytes, 0)", "(address, 4096, 0)",
             "You always register 4096 bytes: `nbytes` says how many."),
    ))

PYCUDA = "import pycuda.driver as cuda\n"
STAGED = PYCUDA + """
def staged_copy(source, target, staging, stream):
    for start in range(0, len(source), len(staging)):
        piece = source[start:start + len(staging)]
        staging[:len(piece)] = piece
        cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)
        stream.synchronize()
"""
WAIT, FILL = "        stream.synchronize()\n", "        staging[:len(piece)] = piece\n"
EVERY_SECOND = "        if start // len(staging) % 2:\n            stream.synchronize()\n"
COPY = "cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)"


def _of_a_copy(what, nbytes, room, hidden=True):
    number = -(-nbytes // room)
    return Case(what, (nbytes, room), " ".join(map(str, range(1, number + 1))) or "no pieces", hidden,
                f"staged_copy({nbytes} bytes, target, {room} bytes, stream): the piece at the place of each")


staged = Exercise(
    id="staged-copy", lesson="02", title="How a pageable copy is made", name="staged_copy", minutes=8, sandboxed=True,
    run=pinned_harness.staged_copy,
    statement="""
Where the GPU has page tables of its own, the copy engine does not reach pageable memory. So the driver copies that
memory piece by piece, by way of a staging buffer. Be the driver. Write `staged_copy(source, target, staging,
stream)`, which copies all of `source` to the device address `target`: the CPU fills `staging`, and
`cuda.memcpy_htod_async(address, array, stream)` copies from there. `source` is an array of bytes in pageable memory,
`staging` a smaller pinned one. All has to be there when the function returns. The check holds the stream up, so that
each copy runs as late as it may, and says which piece of `source` lies at the place of each. Five lines are enough.

    a source of 10 bytes and a buffer of 4      # "1 2 3": the pieces of 4, 4 and 2 bytes, each at its place
""",
    starter=PYCUDA + """
def staged_copy(source, target, staging, stream):
    '''Copy all of source to target, piece by piece through staging.'''
    for start in range(0, len(source), len(staging)):
        ...         # about four lines
""",
    hints=("A piece is `source[start:start + len(staging)]`; the last one may be shorter than the buffer, so fill "
           "and copy as "
           "much of the buffer as the piece is long.",
           "A copy that does not wait reads the buffer later. What must have happened before the CPU may fill the "
           "buffer "
           "again?"),
    solution=STAGED,
    mistakes=(
        slip(STAGED, WAIT, "",
             "The buffer was filled again before the copy engine had read it. Wait for the stream, "
             "`stream.synchronize()`, "
             "before the CPU touches the buffer again.",
             STAGED.replace(WAIT, "    stream.synchronize()\n"),
             STAGED.replace(WAIT, "        if start == 0:\n            stream.synchronize()\n"),
             STAGED.replace(WAIT, EVERY_SECOND),
             STAGED.replace(WAIT, EVERY_SECOND + "    stream.synchronize()\n"),
             STAGED.replace(WAIT, "").replace(FILL, FILL + WAIT),
             STAGED.replace(WAIT, "").replace(FILL, FILL + WAIT) + "    stream.synchronize()\n"),
        slip(STAGED.replace(WAIT, ""), "        piece =", WAIT + "        piece =",
             "The last piece is still under way when the function returns: wait for it as well."),
        slip(STAGED, "target + start", "target",
             "Every piece goes to the start of the target, one over the other: add `start`."),
        slip(STAGED, "staging[:len(piece)], stream", "staging, stream",
             "The last piece may be shorter than the buffer, and you copy all of it, beyond the end of the target: "
             "copy "
             "`staging[:len(piece)]`."),
        slip(STAGED, "        staging[:len(piece)] = piece\n", "        staging[:] = piece\n",
             "The last piece may be shorter than the buffer, and does not fill it: assign to `staging[:len(piece)]`."),
        slip(STAGED, FILL, "",
             "The CPU never fills the buffer: copy the piece there first, `staging[:len(piece)] = piece`.",
             STAGED.replace(FILL, "        staging = piece\n"),
             STAGED.replace(FILL, "").replace("staging[:len(piece)], stream", "piece, stream"),
             PYCUDA + "def staged_copy(source, target, staging, stream):\n"
             "    cuda.memcpy_htod_async(target, source, stream)\n    stream.synchronize()"),
        slip(STAGED, f"{FILL}        {COPY}\n", f"        {COPY}\n{FILL}",
             "The copy is asked for before the buffer is filled. It may run at once, and finds there what the last piece left: "
             "fill first, then copy."),
        slip(STAGED, "source[start:start + len(staging)]", "source[:len(staging)]",
             "You copy the first piece again and again: it begins at `start`."),
        slip(STAGED, "range(0, len(source), len(staging))", "range(0, len(source) - len(staging) + 1, len(staging))",
             "The rest is missing: a last piece may be shorter than the buffer."),
        slip(STAGED, f"        {COPY}\n", "",
             "The pieces get as far as the buffer, and no further: copy each to the device."),
        slip(STAGED, WAIT, WAIT + "        return\n",
             "You return after the first piece: the loop has to go on."),
    ),
    cases=(_of_a_copy("10 bytes and a buffer of 4", 10, 4, False), _of_a_copy("12 bytes and a buffer of 4", 12, 4),
           _of_a_copy("50000 bytes and a buffer of 16384", 50000, 16384),
           _of_a_copy("fewer bytes than the buffer has", 100, 256)))

PAYS = """
import math

def pays_after(nbytes, pin, pageable, pinned):
    saved = nbytes / pageable - nbytes / pinned
    return math.ceil(pin / saved) if saved > 0 else None
"""


def _costs(source):
    """Numbers whose quotient is no whole number, nor near one: how a float is rounded is not asked."""
    pageable = source.randint(4, 20) * 1e9
    pinned = pageable * source.choice([0.8, 1, 1.1, 1.5, 2.5, 4])
    nbytes, copies = source.choice([1e6, 64e6, 1e9]), source.randrange(60) + source.choice([0.2, 0.35, 0.6, 0.8])
    return nbytes, copies * abs(nbytes / pageable - nbytes / pinned) or 0.04, pageable, pinned


pays = Exercise(
    id="pinning-pays", lesson="02", title="When does pinning pay?", name="pays_after", minutes=6,
    statement="""
Pinning a buffer costs `pin` seconds, once; after that each copy of its `nbytes` bytes runs at `pinned` bytes a second
instead of at `pageable`. Write `pays_after(nbytes, pin, pageable, pinned)`: after how many copies the time saved is
at least the time spent; `None` if it never is. Two lines are enough, and `math.ceil` rounds up.

    pays_after(100e6, 0.04, 12.5e9, 50e9)   # 7: each copy saves 0.006 s
    pays_after(100e6, 0.04, 10e9, 10e9)     # None
""",
    starter="""
import math

def pays_after(nbytes, pin, pageable, pinned):
    '''A number of copies, or None.'''
    ...         # about two lines
""",
    hints=("A copy takes `nbytes / rate` seconds. What does one copy save?",
           "Divide the cost by what one copy saves, and round up. Where nothing is saved, there is no such number."),
    solution=PAYS,
    mistakes=(
        slip(PAYS, "math.ceil(", "int(",
             "You round down: after that many copies the cost is not yet saved. Round up.",
             PAYS.replace("math.ceil(pin / saved)", "int(pin // saved)"),
             PAYS.replace("math.ceil", "round")),
        slip(PAYS, "math.ceil(pin / saved)", "int(pin / saved) + 1",
             "Where the cost is a whole number of savings you count one copy too many: round up with `math.ceil`.",
             PAYS.replace("math.ceil(pin / saved)", "math.floor(pin / saved) + 1")),
        slip(PAYS, "math.ceil(pin / saved)", "math.ceil(pin / saved) + 1",
             "You count one copy too many: after `math.ceil(...)` copies the cost is saved."),
        slip(PAYS, " if saved > 0 else None", "",
             "Where pinned is not faster, nothing is ever saved: return `None`, before you divide.",
             PAYS.replace("saved > 0", "saved != 0"), PAYS.replace("saved > 0", "saved"),
             PAYS.replace("saved > 0", "pageable != pinned"),
             PAYS.replace(" if saved > 0 else None", " if saved > 0 else 0")),
        slip(PAYS, "saved > 0", "saved >= 0",
             "Where both rates are the same nothing is saved, and you divide by 0: ask for more than 0."),
        slip(PAYS, "saved > 0", "saved < 0",
             "You ask for `None` the wrong way round: pinning pays where a pinned copy takes *less* time.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "nbytes / pinned - nbytes / pageable")),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "nbytes / pinned",
             "You divide by the time of one kind of copy. What counts is the difference between the two kinds.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "nbytes / pageable"),
             PAYS.replace("pin / saved", "pin / (nbytes / pinned)"),
             PAYS.replace("pin / saved", "pin / (nbytes / pageable)"),
             ),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "nbytes / (pinned - pageable)",
             "Rates cannot be subtracted like that. Subtract times: `nbytes / pageable - nbytes / pinned`.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "(pinned - pageable) / nbytes"),
             PAYS.replace("nbytes / pageable - nbytes / pinned", "pinned - pageable"),
             PAYS.replace("pin / saved", "pin * (pinned - pageable) / nbytes"),
             "import math\n\ndef pays_after(nbytes, pin, pageable, pinned):\n    if pinned <= pageable:\n"
             "        return None\n    return math.ceil(pin * (pinned - pageable) / nbytes)"),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "pageable / nbytes - pinned / nbytes",
             "A time is bytes divided by bytes a second: `nbytes / pageable`, not the other way round.",
             PAYS.replace("nbytes / pageable - nbytes / pinned", "nbytes * pageable - nbytes * pinned")),
        slip(PAYS, "nbytes / pageable - nbytes / pinned", "1 / pageable - 1 / pinned",
             "That is what one byte saves. A copy has `nbytes` of them: multiply."),
        slip(PAYS, "pin / saved", "pin * saved",
             "You multiply the cost by what a copy saves. How often does the one go into the other? Divide.",
             PAYS.replace("pin / saved", "saved / pin")),
        slip(PAYS, "math.ceil(pin / saved)", "pin / saved",
             "A number of copies is whole: round it up with `math.ceil`."),
    ),
    cases=(Case("a fourfold rate", (100e6, 0.04, 12.5e9, 50e9), 7),
           Case("equal rates", (100e6, 0.04, 10e9, 10e9), None),
           Case("registering, which costs less", (512e6, 0.0154, 9.1e9, 54.7e9), 1, True),
           Case("pinning that costs much", (64e6, 0.9, 8e9, 24e9), 169, True),
           Case("pinned copies that are slower", (1e6, 0.01, 12e9, 11e9), None, True),
           Case("a cost of exactly three savings", (8e6, 12.0, 1e6, 2e6), 3, True),
           Case("a cost of exactly one saving", (8e6, 4.0, 1e6, 2e6), 1, True),
           Case("a small gain", (1e9, 0.31, 20e9, 21e9), 131, True)),
    random_case=_costs)

LINES = {
    "register": "cuMemHostRegister(host, nbytes, 0)",
    "translate": "device = cuMemHostGetDevicePointer(host, 0)",
    "allocate": "target = cuMemAlloc(nbytes)",
    "copy": "cuMemcpyDtoD(target, device, nbytes)",
    "free": "cuMemFree(target)",
    "unregister": "cuMemHostUnregister(host)",
}


@contextlib.contextmanager
def _world():
    array = np.arange(4096, dtype=np.uint8)
    names = order.calls("cuMemHostRegister", "cuMemHostGetDevicePointer", "cuMemAlloc", "cuMemcpyDtoD", "cuMemFree",
                        "cuMemHostUnregister") | {"host": array.ctypes.data, "nbytes": array.nbytes}
    try:
        yield names
    finally:
        order.undo(names, LINES["free"], LINES["unregister"])


def _order_cases(stack):
    current_context()
    yield Case("the calls in your order", (_world,), order.SUCCESS)


register_order = Exercise(
    id="register-order", lesson="02", title="A registered array, from first to last", name="order", kind="order",
    minutes=4, lines=LINES, run=lambda answer, world: order.execute(LINES, answer, world), cases=_order_cases,
    statement="""
An ordinary array is at the address `host`. These calls lock its pages, copy them to the device as device memory is
copied, and give everything back. The lines are in no order: find one that works. The check makes the calls in your
order, so that the driver itself answers; more than one order is right.
""",
    starter="...",
    hints=("Each line uses something that another one makes: `device`, `target`, or the registration.",
           "Only registered memory has a device pointer, and both memories are needed until the copy is made."),
    solution="register translate allocate copy free unregister",
    mistakes=(
        Mistake("translate register allocate copy free unregister",
                "Before it is registered the array is pageable, and pageable memory has no device pointer to ask for: "
                "register it first."),
        Mistake("register allocate copy translate free unregister",
                "The copy needs the device's address of the array, which comes from `translate`."),
        Mistake("register translate allocate unregister copy free",
                "By then one of the copy's two addresses leads nowhere: unregistered, the array is pageable again; "
                "freed, the target is gone. Copy before either.",
                also=("register translate allocate free copy unregister",)),
        Mistake("register unregister translate allocate copy free",
                "Unregistered, the array is pageable again, and has no device pointer to ask for. Ask while it is "
                "registered."),
        Mistake("register translate free allocate copy unregister",
                "There is nothing to free yet: allocate the target first."),
        Mistake("allocate free unregister register translate copy",
                "What is not registered cannot be unregistered: the driver answers NOT_REGISTERED."),
        Mistake("register translate copy allocate free unregister",
                "There is nothing to copy to yet: allocate the target first."),
    ))

EXERCISES = (unasked, answer_of, asking.register_anyway, staged, pays, register_order)
