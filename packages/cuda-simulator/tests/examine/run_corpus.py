"""Examine every kernel of the corpus, and every published race, on the simulated driver, and print what was found as JSON.

    python -m tests.examine.run_corpus [name ...]
"""
import json
import sys
from dataclasses import asdict

import cuda_simulator

cuda_simulator.attach()

import numpy as np  # noqa: E402
import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

from .corpus import CASES, PUBLISHED, SIZE  # noqa: E402


def examined(case, seed=1):
    """The findings of one kernel, as dictionaries."""
    kernel = SourceModule(case.source, no_extern_c=True, options=["-std=c++17"]).get_function("k")
    a, b = cuda.to_device(np.arange(SIZE, dtype=np.int32)), cuda.mem_alloc(4 * SIZE)
    if not case.unwritten:
        cuda.memset_d32(b, 0, SIZE)
    with cuda_simulator.examine(seed) as seen:
        kernel(a, b, np.int32(case.threads), grid=(case.grid, 1), block=case.block, shared=case.shared)
        cuda.Context.synchronize()
    return [{**asdict(finding), "text": str(finding)} for finding in seen.findings]


def main():
    cases = CASES | PUBLISHED
    print(json.dumps({name: examined(cases[name]) for name in sys.argv[1:] or cases}))


if __name__ == "__main__":
    main()
