"""The kernel of `one-bank` is tried here, over the simulated driver, where every access is seen and counted."""
from course_lib import kernels
from course_lib.core.errors import Misuse

import numpy as np
import pycuda.driver as cuda

from ...exercises.examined import counted, differences, examined, findings, printed, show_difference
from ...exercises.values import Remark

NUMBERS, FINDINGS, BANKS, SECTORS = ("the numbers", "what `kernel_views.examine` finds", "the requests to shared memory",
                                     "the sectors of global memory")
WANTED = {NUMBERS: "right", FINDINGS: "nothing", BANKS: "without conflicts", SECTORS: "4 for each warp"}


def transposed(source, aspect, n):
    """What the answer's `transpose` comes to in one aspect, in a few words."""
    if not hasattr(kernels.compile(source), "transpose"):
        raise Misuse("there is no kernel transpose: keep its name")
    if aspect == BANKS:
        counts = counted("BankConflicts", FIELDS["BankConflicts"], _transpose, source, n)
        split = [(requests / warps, requests > fewest) for *_, warps, requests, fewest in counts if requests > warps]
        if split and not any(conflict for _, conflict in split):
            return Remark(f"up to {max(split)[0]:.3g} for a warp without any conflict: a thread's access is wider than the 4 bytes "
                          "of a bank")
        return f"up to {max(split)[0]:.3g} for a warp" if split else WANTED[BANKS]
    if aspect == SECTORS:
        counts = counted("Transactions", FIELDS["Transactions"], _transpose, source, n)
        most = max((sectors / warps for *_, warps, sectors in counts), default=0)
        return f"{most:.3g} for each warp"
    report = examined(_transpose, source, n)
    if aspect == FINDINGS:
        return findings(report) or WANTED[FINDINGS]
    differences(report)
    return printed(report, {"right": "right", "wrong": "wrong"}, "`tile`")


def _transpose(source, n):
    """In a process of its own: launch, and print whether the matrix is transposed."""
    numbers = (1.37 * np.arange(n * n)).astype(np.float32).reshape(n, n)     # which an int does not hold
    x, y = cuda.to_device(numbers), cuda.to_device(np.zeros_like(numbers))
    kernels.compile(source).transpose((n // 32, n // 32), (32, 32), x, y, n)
    cuda.Context.synchronize()
    result = cuda.from_device(y, (n, n), np.float32)
    print("right" if (result == numbers.T).all() else "wrong")
    if (result != numbers.T).any():
        show_difference("y", result, numbers.T)


FIELDS = {"BankConflicts": ("access", "warps", "requests", "fewest"),
          "Transactions": ("access", "requests", "transactions")}      # of observers
