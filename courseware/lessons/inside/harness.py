"""Kernels of this lesson are tried here: pointers of every kind for `shared-address`, and `reverse-blocks` over the simulated
driver, where every access is seen, on every machine.
"""
from course_lib import kernels, pinned
from course_lib.core.errors import Misuse

import numpy as np
import pycuda.driver as cuda

from ...exercises.examined import differences, examined, findings, printed, show_difference
from ...exercises.exercise import Case

# -- shared-address ------------------------------------------------------------------------------------------------------

POINTERS = ("tile", "tile + 3", "the dynamic shared memory", "its last byte", "the first byte of the window",
            "a local array", "a parameter of the kernel", "a constant", "a variable of the module",
            "memory of a kernel's malloc", "pinned memory", "null")
IN_SHARED = POINTERS[:5]
DYNAMIC = 40_000    # bytes: an address in shared memory has more than 8 bits
ADDRESS, NONE = "the address in shared memory", "-1"
KERNEL = """
__constant__ int check_table[4] = {1, 2, 3, 4};
__device__ int check_counter[4];
__global__ void check_pointer(int which, const __grid_constant__ int parameter, const void *host, long long *results) {
    __shared__ int tile[8];
    extern __shared__ char dynamic[];
    int local[8];
    const void *block = malloc(16);
    const void *pointers[] = {tile, tile + 3, dynamic, dynamic + DYNAMIC - 1, __cvta_shared_to_generic(0), local, &parameter,
                              check_table, check_counter, block, host, nullptr};
    const void *p = pointers[which];
    results[0] = shared_address_for(p);
    results[1] = (long long)p;
    results[2] = (long long)__cvta_generic_to_shared(p);
    free((void *)block);
}
"""


def shared_address(source, which):
    """What the answer gives for one of POINTERS, in words without numbers."""
    if "shared_address_for" not in source:
        raise Misuse("there is no function shared_address_for: keep its name and its parameter")
    with kernels.compile(source + KERNEL.replace("DYNAMIC", str(DYNAMIC))) as code, pinned.allocate(3, np.int64) as results:
        code.check_pointer(1, 1, POINTERS.index(which), 5, results.device_address, results, shared=DYNAMIC)
        cuda.Context.synchronize()
        answer, generic, back = map(int, results.array)
    if answer == -1:
        return NONE
    if which in IN_SHARED and answer == back:
        return ADDRESS
    words_for = {0: "0", back: "what going back gives", generic: "the generic address",
                 2**32 - 1: "-1 as a number of 32 bits without a sign"}
    cut = next((bits for bits in (8, 16) if (answer - back) % (1 << bits) == 0 and which in IN_SHARED), 0)
    otherwise = f"the number {answer}" if abs(answer) < 8 else "another number"
    return words_for.get(answer, f"the lowest {cut} bits of the address" if cut else otherwise)


def pointer_cases():
    """Every pointer; the first two of each outcome are the statement's examples."""
    shown = ("tile", "a variable of the module")
    return tuple(Case(f"p = {which}", (which,), ADDRESS if which in IN_SHARED else NONE, which not in shown,
                      "shared_address_for(p)") for which in POINTERS)


# -- reverse-blocks ------------------------------------------------------------------------------------------------------

RIGHT = "the right numbers, and nothing found"
UNCHANGED, WRONG = "the numbers as they were, not turned round", "the wrong numbers in `x`"


def reversed_blocks(source, grid, block, n, room=40):
    """What examining `reverse` comes to, in a few words without threads and lines; the findings are printed. Behind the n
    numbers x has room for as many more as `room` says."""
    if not hasattr(kernels.compile(source), "reverse"):     # an error of the compiler's is raised here
        raise Misuse("there is no kernel reverse: keep its name")
    report = examined(_reverse, source, grid, block, n, room)
    finding = findings(report)
    if not finding:
        differences(report)
    return finding or printed(report, {"right": RIGHT, "unchanged": UNCHANGED, "wrong": WRONG}, "`s`")


def _reverse(source, grid, block, n, room):
    """In a process of its own: launch, and print whether each block's numbers are turned round, and what is behind them
    unchanged."""
    numbers = ((np.arange(n + room, dtype=np.int32) * 7919 + 13) % 1009 - 504) * 1_000_003      # too large for a short, or a float
    expected = numbers.copy()
    for start in range(0, n, block):
        expected[start:min(start + block, n)] = expected[start:min(start + block, n)][::-1].copy()
    x = cuda.to_device(numbers)
    dynamic = 4 * block if "extern" in source else 0    # without its array it would hide that another one is too short
    kernels.compile(source).reverse(grid, block, x, n, shared=dynamic)
    cuda.Context.synchronize()
    result = cuda.from_device(x, n + room, np.int32)
    print("right" if (result == expected).all() else "unchanged" if (result == numbers).all() else "wrong")
    if (result != expected).any():
        show_difference("x", result, expected)
