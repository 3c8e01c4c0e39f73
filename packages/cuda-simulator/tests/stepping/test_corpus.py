"""Kernels that were not written to be followed: some of the clean ones of tests/examine."""
import numpy as np
import pytest

from ..examine.corpus import CASES, SIZE
from . import follow

CLEAN = [name for name, case in CASES.items() if not case.expected and not case.shared and "#include" not in case.source]


@pytest.mark.parametrize("name", CLEAN[::5])
def test_a_kernel_of_the_corpus_is_followed_to_its_end_by_all_its_names(name):
    case, a, b = CASES[name], np.arange(SIZE, dtype=np.int32), np.zeros(SIZE, np.int32)
    last = tuple(size - 1 for size in case.block)
    record = follow(case.source, case.block, a, b, case.threads, grid=case.grid, of_block=case.grid - 1, thread=last, limit=10000)
    lines = case.source.splitlines()
    assert record.named and {"a", "b", "n"} <= record.steps[0].variables.keys()
    assert all(lines[step.line - 1].strip() and all(access.done for access in step.accesses) for step in record.steps)
    assert "}" in lines[record.steps[-1].line - 1] or "return" in lines[record.steps[-1].line - 1]
