"""Watching a kernel: memory transactions, branches and barriers."""

import threading

import numpy as np
import pytest

from . import interpreter as ptx
from .cuda import PtxMachine, kernel, load, pack, run

STRIDED = kernel("int i = blockIdx.x * 64 + threadIdx.x; b[i] = a[i * stride];", "const int *a, int *b, int stride")


@pytest.mark.parametrize("stride, sectors", [(1, 4), (2, 8), (4, 16), (8, 32), (32, 32), (0, 1)])
def test_transactions_of_a_warp_grow_with_the_stride(stride, sectors):
    watch = ptx.Transactions()
    run(STRIDED, 3, 64, np.zeros(192 * 32 + 1, np.int32), np.zeros(192, np.int32), stride, observer=watch)
    load_, store = sorted(watch.counts.values(), key=lambda counts: counts.instruction.line)
    assert (load_.access, load_.requests, load_.transactions) == ("read", 6, 6 * sectors)
    assert (store.access, store.transactions, store.efficiency) == ("write", 6 * 4, 1.0)


def test_an_observer_is_told_of_what_ends_a_block_before_it_happens():
    class Ends(ptx.Observer):
        ends = []

        def end(self, group, end):
            self.ends.append((end.instruction.opcode.split(".")[0], group.count))

    run(kernel("if (threadIdx.x < 3) a[threadIdx.x] = 1; __syncthreads(); a[9] = 2;", "int *a"), 1, 8, np.zeros(16, np.int32), observer=Ends())
    assert Ends.ends == [("bra", 8), ("bar", 8), ("ret", 8)]


def test_kernels_of_several_streams_run_at_once():
    source = kernel("""
        int t = threadIdx.x, x = a[t];
        for (int i = 0; i < 300; i++)
            x = x * 1664525 + 1013904223;
        a[t] = x;
        """, "int *a")
    module, machine = load(source), PtxMachine()
    arrays = [machine.array(np.arange(k, k + 64, dtype=np.int32)) for k in range(6)]
    threads = [threading.Thread(target=ptx.run, args=(module.kernels["k"], (1, 1, 1), (64, 1, 1),
                                                      pack(module.kernels["k"], [address]), 0, machine))
               for address, _ in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    def generator(x):
        for _ in range(300):
            x = (x * 1664525 + 1013904223) % 2**32
        return x
    for k, (_, array) in enumerate(arrays):
        assert array.view(np.uint32).tolist() == [generator(k + t) for t in range(64)]


def test_a_kernel_tells_what_a_launch_needs():
    source = kernel("""
        extern __shared__ float d[];
        __shared__ double s[5];
        s[threadIdx.x] = p.x;
        __syncthreads();
        d[0] = s[4];
        *a = d[0];
        """, "double *a, P p, char c", "struct P { double x; int y; };")
    source = source.replace("void k", "void __launch_bounds__(96) k")
    k = load(source).kernels["k"]
    assert [(parameter.offset, parameter.size) for parameter in k.parameters] == [(0, 8), (8, 16), (24, 1)]
    assert (k.parameter_bytes, k.static_shared_bytes, k.max_threads_per_block) == (25, 48, 96)     # 40, and up to the dynamic memory
