"""Random kernels of defined behaviour: each is the same CUDA C++ text for the same seed, on every Python.

    writer.py           the text of a kernel: statements, loops, warps, blocks
    expressions.py      what its statements compute
    running.py          its grid, its results in short
    record_on_gpu.py    runs all of them on a GPU, with and without optimisation, and writes recording.npz
    compare.py          runs all of them on the interpreter and holds them to the recording

Defined: no overflow of signed numbers, no index out of range, no race, sums of floats in one order, and of atomics only
what comes out in any order. So a GPU has one right answer, however the compiler optimises.
"""
