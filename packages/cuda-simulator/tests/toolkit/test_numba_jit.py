"""Numba's kernels have line numbers without being asked, and one that cannot have them runs as over a GPU's driver."""
import importlib.util

import pytest

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="Numba is not installed")
BEGIN = """
import cuda_simulator
cuda_simulator.attach()
import numpy as np, warnings
from numba import cuda
warnings.simplefilter("ignore")
counted = np.ones(1, np.int64)
"""


def test_a_kernel_whose_lines_numba_cannot_write_is_compiled_without(in_new_process):
    """An empty tuple in a tuple: Numba's debuginfo.py divides by its size, where it is asked for lines."""
    result = in_new_process(BEGIN + """
@cuda.jit
def length(counted, x):
    counted[0] = len(x[0])
length[1, 1](counted, ((),))
print(counted)
""")
    assert result.stdout == "[0]\n", result.stderr


def test_a_kernel_has_the_lines_of_its_source(in_new_process):
    result = in_new_process(BEGIN + """
@cuda.jit
def copy(counted):
    counted[cuda.threadIdx.x] = 2
copy[1, 1](counted)
print(".loc" in next(iter(copy.inspect_asm().values())))
""")
    assert result.stdout == "True\n", result.stderr
