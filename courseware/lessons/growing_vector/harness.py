"""vectors are tried here, in the sandbox: they grow, and give everything back.

What comes out is a sentence, never an address. Not here: what watches the calls (ledger.py).
"""
import functools

from course_lib import kernels, reservation
from course_lib.core.errors import do
from course_lib.core.ownership import current_context

import numpy as np
import pycuda.driver as cuda
from cuda.bindings import driver as cu

from ...exercises.watching import names_of
from ...held_streams import holds, waits
from .ledger import Ledger

MOST_GRANULES = 40
NUMBERS = 64        # looked at, at the end of each part
WRITE = """
__global__ void write(int *to, int first) { to[threadIdx.x] = first + threadIdx.x; }
"""


def size_of(granules, more=0):
    """Bytes: so many granules, and some more."""
    return granules * reservation.granularity() + more


# A vector that grows --------------------------------------------------------------------------------------------------

GROWS = "it grows in place, and keeps what is in it"
REFUSED = "too much is refused, and nothing is lost"


def grow(answer, capacity, steps):
    """Make a vector for `capacity` and let it grow to each of `steps`, (granules, bytes) each; returns what came of it."""
    current_context()
    with Ledger(answer) as ledger:
        vector = answer(size_of(*capacity))
        if not ledger.reserved:
            return "no addresses were reserved by `cuMemAddressReserve` of cuda-bindings"
        if ledger.handles or ledger.mapped:
            return "there is memory before it has grown"
        if sentence := next(filter(None, (_no_number(vector, name) for name in ("address", "reserved", "nbytes"))), ""):
            return sentence
        if vector.address not in ledger.reserved:
            return "its `address` is not the first of the addresses that were reserved"
        if max(ledger.reserved.values()) < size_of(*capacity):
            return "too few addresses are reserved"
        if vector.reserved != ledger.reserved[vector.address]:
            return "its `reserved` is not how many bytes of addresses were reserved"
        return _steps(vector, ledger, steps)


def _steps(vector, ledger, steps):
    start, content, right = vector.address, [], GROWS
    for step in steps:
        nbytes = size_of(*step)
        room = -(-nbytes // reservation.granularity()) * reservation.granularity()
        if room > ledger.reserved[start]:
            right = REFUSED
            if sentence := _refused(vector, ledger, nbytes):
                return sentence
        else:
            before = vector.nbytes
            vector.grow_to(nbytes)
            if sentence := _grown(vector, ledger, start, before, max(room, before)):
                return sentence
            if vector.nbytes > before:
                content += _write(before, vector.nbytes, start, 1000 * len(content))
        if any(_read(address) != numbers for address, numbers in content):
            return "what was in it is lost"
    return right


def _refused(vector, ledger, nbytes):
    """What is wrong with how growing too far is refused; "" for nothing."""
    before, mapped, created = vector.nbytes, dict(ledger.mapped), dict(ledger.handles)
    try:
        vector.grow_to(nbytes)
    except ValueError as error:
        sentence = "" if str(error) else "the ValueError has no text"
    else:
        # What comes after the reservation may be free, or somebody's: a GPU's driver may even map there.
        return "too much is not refused" + (", and mapped" if vector.nbytes > before else "")
    if (vector.nbytes, ledger.mapped) != (before, mapped):
        return "too much is refused, but too late: the vector is not as it was"
    if ledger.handles.keys() - created.keys():
        return "too much is refused, but too late: memory was created for it, and its handle is left"
    return sentence


def _grown(vector, ledger, start, before, expected):
    """What is wrong with a vector that should have `expected` bytes now."""
    mapped = sum(ledger.mapped.values())
    if vector.address != start:
        return "its address is another one now"
    if sentence := _no_number(vector, "nbytes"):
        return sentence
    if mapped != vector.nbytes:
        return f"its `nbytes` is {_granules(vector.nbytes)}, while there is memory for {_granules(mapped)}"
    if vector.nbytes != expected:
        return f"it has {_granules(vector.nbytes)}, where {_granules(expected)} are enough"
    for offset in (before, expected - 4) if expected > before else ():
        if int(cu.cuMemcpyHtoD(start + offset, np.zeros(1, np.int32), 4)[0]):
            return "the new part may not be used"
    return ""


def _granules(nbytes):
    whole, remainder = divmod(nbytes, reservation.granularity())
    return f"{nbytes} bytes" if remainder else f"{whole} granule{'' if whole == 1 else 's'}"


def _no_number(vector, name):
    """The sentence for an attribute that is not an int; "" for one."""
    value = getattr(vector, name)       # an AttributeError is told as it is
    if isinstance(value, (int, np.integer)):
        return ""
    return f"its `{name}` is not an int, but an object of type {type(value).__name__}"


def _write(begin, end, start, number):
    """Let a kernel write at both ends of a part; returns [(address, the numbers there)]."""
    places = [start + begin, start + end - 4 * NUMBERS]
    for place, address in enumerate(places):
        _code(current_context()).write(1, NUMBERS, address, number + 100 * place)
    cuda.Context.synchronize()
    return [(address, list(range(number + 100 * place, number + 100 * place + NUMBERS)))
            for place, address in enumerate(places)]


def _read(address):
    there = np.zeros(NUMBERS, np.int32)
    do(cu.cuMemcpyDtoH, there.ctypes.data, address, there.nbytes)
    return there.tolist()


@functools.lru_cache(1)
def _code(context):
    return kernels.compile(WRITE)


# Everything goes back -------------------------------------------------------------------------------------------------

BACK = "everything is given back"
AS_BEFORE = "the vector is as it was, can grow, and everything is given back"


class Stop(Exception):
    """The exception that ends a block on purpose."""


def let_go(answer, scene):
    """Use a vector as `scene` says; returns what came of it."""
    current_context()
    with Ledger(answer) as ledger:
        sentence = _SCENES[scene](answer, ledger)
        if not sentence and not ledger.calls:
            return "the check saw no call of cuda-bindings' driver"
        left_behind = ledger.left()
        if sentence or left_behind:
            refused = ledger.refused[-1] if ledger.refused and ledger.refused[-1] != "cuMemCreate" else ""
            return sentence or f"left behind: {left_behind}" + (f"; `{refused}` was refused" if refused else "")
    return AS_BEFORE if scene in FAILING else BACK


def _block_ends(answer, ledger):
    with answer(size_of(4)) as vector:
        vector.grow_to(size_of(1))
        vector.grow_to(size_of(3))


def _exception(answer, ledger):
    try:
        with answer(size_of(4)) as vector:
            vector.grow_to(size_of(2))
            raise Stop("on purpose")
    except Stop:
        return None
    return "the exception that ended the block is swallowed"


def _never_grown(answer, ledger):
    with answer(size_of(4)):
        pass


def _released_before(answer, ledger):
    with answer(size_of(4)) as vector:
        vector.grow_to(size_of(2))
        vector.release()
        if ledger.left():
            return f"after `release`, left behind: {ledger.left()}"
        before = len(ledger.calls)
    return f"a second `release` calls `{ledger.calls[before]}`" if ledger.calls[before:] else None


def _there_already(answer, ledger):
    with answer(size_of(4)) as vector:
        vector.grow_to(size_of(2))
        before = len(ledger.calls)
        vector.grow_to(size_of(1))
        return "`grow_to` makes calls for a size that is there already" if ledger.calls[before:] else None


def _too_far(answer, ledger):
    with answer(size_of(2)) as vector:
        vector.grow_to(size_of(1))
        return _refused(vector, ledger, size_of(2, 1))


def _too_much(answer, ledger):
    more = reservation.round_up(cuda.mem_get_info()[1])
    ledger.most = size_of(MOST_GRANULES)        # who creates a granule at a time comes to the end in time
    return _grow_fails(answer, ledger, more + size_of(2), lambda: more + size_of(1))


def _failing(name, there=1):
    def scene(answer, ledger):
        def fail():
            ledger.fail(name)
            return size_of(2)
        return _grow_fails(answer, ledger, size_of(4), fail, there)
    return scene


def _grow_fails(answer, ledger, capacity, fail, there=1):
    """Let it grow to so many granules; then `fail()` says how far it is to grow in vain, and then it grows again."""
    with answer(capacity) as vector:
        if there:
            vector.grow_to(size_of(there))
        content = _write(0, size_of(there), vector.address, 7) if there else []
        too_far, handles = fail(), set(ledger.handles)      # a vector may keep those of its parts
        try:
            vector.grow_to(too_far)
        except (NameError, AttributeError, TypeError) as error:     # a slip on the way, and not what the call answered
            return f"the call failed, and what `grow_to` raises is another error: {type(error).__name__}"
        except Exception:
            pass
        else:
            return "the call failed, and `grow_to` says nothing"
        mapped = sum(ledger.mapped.values())
        if mapped < size_of(there):
            return "after the call that failed what was there before is gone"
        if mapped > size_of(there):
            return "after the call that failed more is mapped than before"
        if vector.nbytes != size_of(there):
            return f"after the call that failed its `nbytes` is {_granules(vector.nbytes)}, and not {_granules(mapped)}"
        if ledger.handles.keys() - handles:
            return "after the call that failed a handle is left"
        vector.grow_to(size_of(2))
        if vector.nbytes != size_of(2) or any(_read(address) != numbers for address, numbers in content):
            return "after the call that failed the vector cannot be used"
    return None


def _under_way(answer, ledger):
    """The block ends while a stream still has work to do: one that the NULL stream does not wait for, as PyTorch's are."""
    stream, was_busy = cuda.Stream(1), []    # CU_STREAM_NON_BLOCKING

    def busy():
        return bool(int(holds.query_stream(holds.handle_of(stream))[0]))

    def look():
        was_busy.append(busy())
        stream_holds.open_all()     # a driver may wait in cuMemUnmap
    ledger.before_unmap = look
    with holds.Holds() as stream_holds, waits.Waits(lambda: not busy(), names=names_of(answer)) as waiting:
        waiting.moment = float("inf")       # it is held for as long as nobody waits
        with holds.Keeper(waiting.waiting, lambda over: [stream_holds.open(number, over) for number in stream_holds.closed()]):
            with answer(size_of(4)) as vector:
                vector.grow_to(size_of(1))
                stream_holds.put(stream)
    return "the memory is taken away while a stream still has work to do" if any(was_busy) else None


FAILING = {"more memory than the device has": _too_much, "cuMemMap": _failing("cuMemMap"),
           "cuMemSetAccess": _failing("cuMemSetAccess"), "at first": _failing("cuMemMap", there=0)}
_SCENES = {"a block": _block_ends, "an exception": _exception, "never grown": _never_grown,
           "released before": _released_before, "work under way": _under_way, "there already": _there_already, "too far": _too_far,
           **FAILING}
