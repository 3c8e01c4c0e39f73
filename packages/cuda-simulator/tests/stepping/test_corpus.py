"""Kernels that were not written to be followed: some of the clean ones of tests/examine."""
import numpy as np
import pytest

from ..examine.corpus import CASES, SIZE
from . import trace

CLEAN = [name for name, case in CASES.items() if not case.expected and not case.shared and "#include" not in case.source]


@pytest.mark.parametrize("name", CLEAN[::5])
def test_the_threads_of_a_kernel_of_the_corpus_are_followed_to_their_ends(name):
    case, a, b = CASES[name], np.arange(SIZE, dtype=np.int32), np.zeros(SIZE, np.int32)
    launch_trace = trace(case.source, case.block, a, b, case.threads, grid=case.grid, limit=10000)
    lines = case.source.splitlines()
    assert len(launch_trace.threads) == launch_trace.block == np.prod(case.block)
    for steps in launch_trace.threads:
        assert all(lines[step.line - 1].strip() for step in steps)
        assert "}" in lines[steps[-1].line - 1] or "return" in lines[steps[-1].line - 1]
