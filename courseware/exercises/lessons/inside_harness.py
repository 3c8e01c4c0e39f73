"""Lesson 09's kernels are tried here: pointers of every kind for `shared-address`; the other two over the simulated driver, where
every access is seen, on every machine.
"""
import contextlib
import functools
import io

from course_lib import kernels, pinned
from course_lib.core.errors import Misuse
from courseware import kernel_views

import numpy as np
import pycuda.driver as cuda

from ... import sandbox
from ...kernel_views import counting
from ...kernel_views.examination import examine_here
from ..exercise import Case

# -- shared-address ------------------------------------------------------------------------------------------------------

POINTERS = ("tile", "tile + 3", "the dynamic shared memory", "its last byte", "a local array", "a parameter of the kernel", "a constant",
            "a variable of the module", "memory of a kernel's malloc", "pinned memory", "null")
IN_SHARED = POINTERS[:4]
ADDRESS, NONE = "the address in shared memory", "-1"
KERNEL = """
__constant__ int check_table[4] = {1, 2, 3, 4};
__device__ int check_counter[4];
__global__ void check_pointer(int which, const __grid_constant__ int parameter, const void *host, long long *found) {
    __shared__ int tile[8];
    extern __shared__ char dynamic[];
    int local[8];
    const void *block = malloc(16);
    const void *pointers[] = {tile, tile + 3, dynamic, dynamic + 63, local, &parameter, check_table, check_counter, block, host, nullptr};
    const void *p = pointers[which];
    found[0] = shared_address_for(p);
    found[1] = (long long)p;
    found[2] = (long long)__cvta_generic_to_shared(p);
    free((void *)block);
}
"""


def shared_address(source, which):
    """What the answer gives for one of POINTERS, in words without numbers."""
    if "shared_address_for" not in source:
        raise Misuse("there is no function shared_address_for: keep its name and its parameter")
    with kernels.compile(source + KERNEL) as code, pinned.allocate(3, np.int64) as found:
        code.check_pointer(1, 1, POINTERS.index(which), 5, found.device_address, found, shared=64)
        cuda.Context.synchronize()
        answer, generic, back = map(int, found.array)
    if answer == -1:
        return NONE
    if which in IN_SHARED and answer == back:
        return ADDRESS
    known = {0: "0", back: "what going back gives", generic: "the generic address", 2**32 - 1: "-1 as a number of 32 bits without a sign"}
    return known.get(answer, "another number")


def pointer_cases():
    """Every pointer; the first two of each outcome are the statement's examples."""
    shown = ("tile", "a variable of the module")
    return tuple(Case(f"p = {which}", (which,), ADDRESS if which in IN_SHARED else NONE, which not in shown, "shared_address_for(p)")
                 for which in POINTERS)


# -- reverse-blocks ------------------------------------------------------------------------------------------------------

RIGHT = "the right numbers, and nothing found"
UNCHANGED, WRONG = "the numbers as they were, not turned round", "the wrong numbers in `x`"
STRAY = ("an illegal access, and none to global memory was found: so an index of {} is outside of the array, below 0 or too large, or the "
         "array is too short")


def reversed_blocks(source, grid, block, n, room=40):
    """What examining `reverse` comes to, in a few words without threads and lines; the findings are printed. Behind the n numbers x has
    room for as many more as `room` says."""
    if not hasattr(kernels.compile(source), "reverse"):     # an error of the compiler's is raised here
        raise Misuse("there is no kernel reverse: keep its name")
    found = _examined(_reverse, source, grid, block, n, room)
    return _findings(found) or _printed(found, {"right": RIGHT, "unchanged": UNCHANGED, "wrong": WRONG}, "`s`")


def _printed(found, words, array):
    """The words for the line that a launch printed; or why it did not come so far."""
    for line, meant in words.items():
        if f"{line}\n" in found.printed:
            return meant
    return STRAY.format(array) if "illegal" in found.failed else found.failed


def _reverse(source, grid, block, n, room):
    """In a process of its own: launch, and print whether each block's numbers are turned round, and what is behind them unchanged."""
    numbers = (np.arange(n + room, dtype=np.int32) * 7919 + 13) % 1009
    wanted = numbers.copy()
    for first in range(0, n, block):
        wanted[first:min(first + block, n)] = wanted[first:min(first + block, n)][::-1].copy()
    x = cuda.to_device(numbers)
    dynamic = 4 * block if "extern" in source else 0    # without its array it would hide that another one is too short
    kernels.compile(source).reverse(grid, block, x, n, shared=dynamic)
    cuda.Context.synchronize()
    result = cuda.from_device(x, n + room, np.int32)
    print("right" if (result == wanted).all() else "unchanged" if (result == numbers).all() else "wrong")


def _findings(found):
    """The first finding in a few words, "" without one; all are printed, each once."""
    told = [_told(one) for one in found.findings]
    for line in dict.fromkeys(f"{kind}: {text}" for kind, text in told):
        print(line)
    if not told:
        return ""
    kind = told[0][0]
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} finding"


def _told(finding):
    """(kind, text). Nothing that the launch uses is freed before its end: what lies behind it may have been, by an earlier check."""
    if finding["kind"] == "freed":
        return "out-of-bounds", f"{finding['message'].partition(': ')[0]}, which is outside of the array"
    kind = finding["kind"] + " between blocks" * ("two blocks" in finding["message"])
    return kind, f"{finding['message']}. {finding['remedy']}"


# -- padding -------------------------------------------------------------------------------------------------------------

NUMBERS, FINDINGS, BANKS, SECTORS = ("the numbers", "what `kernel_views.examine` finds", "the requests to shared memory",
                                     "the sectors of global memory")
WANTED = {NUMBERS: "right", FINDINGS: "nothing", BANKS: "without conflicts", SECTORS: "4 for each warp"}


def transposed(source, aspect, n):
    """What the answer's `transpose` comes to in one aspect, in a few words."""
    if not hasattr(kernels.compile(source), "transpose"):
        raise Misuse("there is no kernel transpose: keep its name")
    if aspect == BANKS:
        most = max((requests / warps for *_, warps, requests, fewest in _counted("BankConflicts", source, n) if requests > fewest), default=0)
        return f"up to {most:.3g} for a warp" if most else WANTED[BANKS]
    if aspect == SECTORS:
        most = max((sectors / warps for *_, warps, sectors in _counted("Transactions", source, n)), default=0)
        return f"{most:.3g} for each warp"
    found = _examined(_transpose, source, n)
    if aspect == FINDINGS:
        return _findings(found) or WANTED[FINDINGS]
    return _printed(found, {"right": "right", "wrong": "wrong"}, "`tile`")


def _transpose(source, n):
    """In a process of its own: launch, and print whether the matrix is transposed."""
    numbers = np.arange(n * n, dtype=np.float32).reshape(n, n)
    x, y = cuda.to_device(numbers), cuda.to_device(np.zeros_like(numbers))
    kernels.compile(source).transpose((n // 32, n // 32), (32, 32), x, y, n)
    cuda.Context.synchronize()
    print("right" if (cuda.from_device(y, (n, n), np.float32) == numbers.T).all() else "wrong")


FIELDS = {"BankConflicts": ("access", "warps", "requests", "fewest"), "Transactions": ("access", "requests", "transactions")}    # of observers


@functools.lru_cache(32)
def _counted(observer, source, n):
    fields = FIELDS[observer]
    if sandbox.simulated():       # then this process of the sandbox's is as good as another one
        with contextlib.redirect_stdout(io.StringIO()):
            return counting.summed(counting.watched(observer, fields, len(fields) - 1, _transpose, (source, n)))
    return counting.counted("check", observer, fields, len(fields) - 1, _transpose, (source, n), timeout=15)


@functools.lru_cache(32)
def _examined(function, *arguments):
    if sandbox.simulated():
        return examine_here(function, *arguments)
    return kernel_views.examine(function, *arguments, timeout=15)
