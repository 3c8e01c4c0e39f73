"""Kernels examined for a learner's mistakes: races, barriers, reads of what nobody wrote; what is freed, or outside.

    import cuda_simulator
    with cuda_simulator.examine() as seen:
        kernel(x, block=(64, 1, 1))
        cuda.Context.synchronize()
    for finding in seen.findings:
        print(finding)

or, for any process that runs over the simulated driver, CUDA_SIMULATOR_EXAMINE=1: a line on standard error for each finding.

    examiner        what the interpreter tells while a kernel runs; everything else is told by it
    cells           what was last done to each piece of memory, and by whom
    order           which accesses are ordered before which: barriers, warps
    handover        the same through fences and atomics; clocks: what is known of other blocks
    races           two accesses that nothing orders; copies: asynchronous ones that are under way
    streams         the same between launches, copies and the host; precedence: what is known to come before what
    initialised     reads of what nobody wrote; written: what the host and earlier kernels wrote
    barriers        barriers that not all threads come to
    schedule        in which order warps and blocks run meanwhile; late_stores: in which order the host sees stores
    findings        the words; names: what an address is called in the source
    session         which launches are examined, and where the findings go

Two kinds of finding need no examination, and come with it where there is one: freed and out-of-bounds (device/strays.py). What is
just behind the shared memory of a block ends no kernel, and is found by an examination only.

It changes no result that CUDA defines, and finds what happened in this run: another branch is another run. What the host reads is not
seen, nor what it writes but for the source of a copy: a store to mapped memory that no fence puts in order reaches the host late, and
shows in what it reads (late_stores).
"""
from .findings import Finding
from .session import Session, examine

__all__ = ["Finding", "Session", "examine"]
