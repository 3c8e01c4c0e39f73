"""Arrays of the host that kernels were given without a word to the driver, on a system with PAGEABLE_MEMORY_ACCESS: do they still live?

Nothing keeps such an array alive for the kernel. If it dies or moves before the host has waited, the kernel may write into memory that
is somebody else's by then (NVIDIA/warp issue 1766). Python's tracemalloc knows which blocks NumPy and Python have allocated. A block
that a kernel is given gets a mark there, which goes with the block: so another one at the same address is told from it.

Found are blocks that live at the launch, and that a parameter points to the start of. Not here: what the kernel meets at the
address (host_pages.py).
"""
import ctypes
import itertools
import os
import threading
import tracemalloc
import types
from dataclasses import dataclass, field

from ..examination import precedence
from ..examination.findings import Finding, tell
from ..examination.names import kernel_name
from ..examination.session import current_session
from ..examination.streams import caller
from ..memory.allocations import memory

NUMPY, PYTHON = 389047, 0       # domains of tracemalloc: numpy.lib.tracemalloc_domain; what Python itself allocates
REMEDY = ("Keep a reference until the kernel is waited for, or give the kernel page-locked memory. A GPU does not notice it: what the "
          "kernel writes then lands in other memory of the process.")

_track = ctypes.pythonapi.PyTraceMalloc_Track
_track.argtypes = [ctypes.c_uint, ctypes.c_size_t, ctypes.c_size_t]
_trace = getattr(ctypes.pythonapi, "_PyTraceMalloc_GetTraceback", None)     # a Python without it tells of no block
if _trace is not None:
    _trace.argtypes, _trace.restype = [ctypes.c_uint, ctypes.c_size_t], ctypes.py_object

_numbers = itertools.count(1)
_marks = {}         # address -> (file name that is the mark, where the block was made)
_loans = []         # those that nobody has waited for
_lock = threading.Lock()


@dataclass
class Loan:
    """A launch and the blocks that it was given."""
    kernel: str
    place: str                  # where it was launched
    context: object
    stamp: object
    session: object
    blocks: list = field(default_factory=list)      # (domain, address, mark, where it was made)


def begin():
    """From now on the blocks of this process are known, and what the host has waited for. Idempotent."""
    if _look not in precedence.listeners:
        precedence.keep(1)
        precedence.listeners.append(_look)
        tracemalloc.start()


def lend(function, work, data):
    """A kernel was launched with these parameters, as bytes."""
    if _look not in precedence.listeners:
        return
    loan = Loan(kernel_name(function.name), caller(), function.context, work.stamp, current_session())
    for parameter in function.kernel.parameters:
        for start in range(parameter.offset, parameter.offset + parameter.size - 7, 8):
            address = int.from_bytes(data[start:start + 8], "little")
            if address and memory.at(address) is None:
                loan.blocks += [(domain, address, *marked) for domain in (NUMPY, PYTHON) if (marked := _mark_of(domain, address))]
    if loan.blocks:
        with _lock:
            _loans.append(loan)


def _top(domain, address):
    """(file, line) of who allocated the block at an address, or its mark; None where no block begins."""
    frames = _trace(domain, address) if _trace is not None else None
    return frames[0] if frames else None


def _mark_of(domain, address):
    """(mark, where it was made) of the block that begins at an address, which has a mark then; None where none does."""
    top = _top(domain, address)
    if top is None:
        return None
    marked = _marks.get(address)
    if marked is None or marked[0] != top[0]:
        mark = f"<lent {next(_numbers)}>"
        code = _set_mark.__code__.replace(co_filename=mark)     # the trace of a block names the file of who allocated it
        types.FunctionType(code, globals())(domain, address)
        marked = _marks[address] = mark, f"line {top[1]}" if top[0].startswith("<") else f"{os.path.basename(top[0])}:{top[1]}"
    return marked


def _set_mark(domain, address):
    _track(domain, address, 1)


def _look():
    """The host has waited for something: do the blocks of what it has waited for live?"""
    with _lock:
        due = [loan for loan in _loans if loan.stamp is None or loan.stamp.known_to_the_host()]
        _loans[:] = [loan for loan in _loans if loan not in due]
    findings = {}
    for loan in due if tracemalloc.is_tracing() else ():
        for domain, address, mark, line in loan.blocks:
            top = _top(domain, address)
            if top is None or top[0] != mark:
                key = loan.kernel, loan.place, line
                findings.setdefault(key, (loan, _finding(*key)))[1].count += 1
    for loan, finding in findings.values():
        if loan.session is not None:
            loan.session.add_other(finding)
        else:
            tell(finding)
            loan.context.messages.append(("stderr", f"finding: {finding}\n"))


def _finding(kernel, place, line):
    return Finding("host-memory", kernel, f"it was launched at {place} with the address of memory that was allocated at {line}, which died "
                   "or moved before the host has waited for the kernel", REMEDY, space="host")
