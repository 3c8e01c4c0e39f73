"""Examine every kernel of the corpus, and every published race, on the simulated driver, and print what was found as JSON.

    python -m tests.examine.run_corpus [--second] [name ...]

--second: in the second of two blocks, while the first does nothing
"""
import dataclasses
import json
import sys

import cuda_simulator

cuda_simulator.attach()

import numpy as np  # noqa: E402
import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

from .corpus import CASES, PUBLISHED, SIZE  # noqa: E402


def examine_case(case, seed=1):
    """The findings of one kernel, as dictionaries."""
    kernel = SourceModule(case.source, no_extern_c=True, options=["-std=c++17"]).get_function("k")
    a, b = cuda.to_device(np.arange(SIZE, dtype=np.int32)), cuda.mem_alloc(4 * SIZE)
    if not case.unwritten:
        cuda.memset_d32(b, 0, SIZE)
    with cuda_simulator.examine(seed) as report:
        kernel(a, b, np.int32(case.threads), grid=(case.grid, 1), block=case.block, shared=case.shared)
        cuda.Context.synchronize()
    return [{**dataclasses.asdict(finding), "text": str(finding)} for finding in report.findings]


def in_the_second_block(case):
    head, _, body = case.source.partition(" k(int *a, int *b, int n) {")
    return dataclasses.replace(case, grid=2, source=f"{head} k(int *a, int *b, int n) {{ if (blockIdx.x == 0) return;{body}")


def main():
    cases = CASES | PUBLISHED
    second, names = "--second" in sys.argv, [name for name in sys.argv[1:] if name != "--second"]
    print(json.dumps({name: examine_case(in_the_second_block(cases[name]) if second else cases[name]) for name in names or cases}))


if __name__ == "__main__":
    main()
