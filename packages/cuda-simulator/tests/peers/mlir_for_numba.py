"""A plugin for pytest: `from numba import cuda` gets numba-cuda-mlir, for tests that were written for what it succeeds."""
import sys


def pytest_configure():
    """Not earlier: the driver is attached by now."""
    import numba
    from numba_cuda_mlir import cuda
    numba.cuda = sys.modules["numba.cuda"] = cuda
