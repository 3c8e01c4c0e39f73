"""Hold the interpreter to the recording of a GPU, or where there is none, to itself.

    python -m tests.ptx.random_kernels.compare [first seed] [how many]

Every kernel is compiled with and without optimisation. Both must end, both alike, and as on the GPU.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from .. import interpreter as ptx
from ..cuda import PtxMachine, compile, run_module
from .running import ARCHITECTURE, BLOCKS, THREADS, WAYS, arguments, digest
from .writer import text

RECORDING = Path(__file__).with_name("recording.npz")


def recorded_digests() -> dict:
    """seed -> digest, of the kernels whose results on the GPU were the same in every way; empty without a recording."""
    if not RECORDING.exists():
        return {}
    with np.load(RECORDING) as file:
        return dict(zip(file["seeds"].tolist(), file["digests"].tolist()))


def simulated_digest(seed: int, way: str) -> int:
    """The digest that the interpreter comes to."""
    module = ptx.load(compile.__wrapped__(text(seed), ARCHITECTURE, WAYS[way]))
    _, *arrays = run_module(module, BLOCKS, THREADS, *arguments(), name="k", machine=PtxMachine(patience=120))
    return digest(arrays)


def main():
    first_seed, count = (*map(int, sys.argv[1:]), 1000)[:2] if len(sys.argv) > 2 else (int((sys.argv[1:] or [0])[0]), 1000)
    expected, wrong, start = recorded_digests(), [], time.monotonic()
    for seed in range(first_seed, first_seed + count):
        try:
            digests = {way: simulated_digest(seed, way) for way in WAYS}
        except (ptx.KernelFault, ptx.PtxError, ValueError) as error:
            digests = {"": "; ".join(line for line in str(error).splitlines() if "warning" not in line)[:300]}
        if len({*digests.values(), expected.get(seed, next(iter(digests.values())))}) > 1 or "" in digests:
            wrong.append(seed)
            print(seed, digests, expected.get(seed), flush=True)
    print(f"{count} kernels, {sum(seed in expected for seed in range(first_seed, first_seed + count))} of them recorded: "
          f"{len(wrong)} differ; {time.monotonic() - start:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
