"""Atomics: lanes act one after another, in lane order, whether or not they name the same place."""

import contextlib

import numpy as np
import pytest

from .cuda import include_folders, kernel, run
from .machine import PtxMachine

N = 96


def places(distinct: bool):
    return np.arange(N, dtype=np.int32) if distinct else (np.arange(N) * 5 % 7).astype(np.int32)


OPERATIONS = {
    "atomicAdd": lambda old, x: old + x, "atomicSub": lambda old, x: old - x, "atomicMin": min, "atomicMax": max,
    "atomicAnd": lambda old, x: old & x, "atomicOr": lambda old, x: old | x, "atomicXor": lambda old, x: old ^ x,
    "atomicExch": lambda old, x: x,
}


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("c_type, dtype", [
    ("int", np.int32), ("unsigned", np.uint32), ("unsigned long long", np.uint64)])
@pytest.mark.parametrize("name", OPERATIONS)
def test_integer_atomics(name, c_type, dtype, distinct):
    if name == "atomicSub" and dtype == np.uint64:
        pytest.skip("CUDA has no 64-bit atomicSub")
    values = ((np.arange(N) * 1234567) % 1000 - (500 if dtype == np.int32 else 0)).astype(dtype)
    memory = (np.arange(N) * 31 % 600).astype(dtype)
    indices = places(distinct)
    source = kernel(f"int i = threadIdx.x; old[i] = {name}(m + w[i], v[i]);",
                    f"{c_type} *m, int *w, {c_type} *v, {c_type} *old")
    _, m, _, _, old = run(source, 1, N, memory, indices, values, np.zeros(N, dtype))
    expected, expected_old = memory.tolist(), []
    mask = (1 << 8 * dtype().itemsize) - 1
    for place, value in zip(indices.tolist(), values.tolist()):
        expected_old.append(expected[place])
        result = OPERATIONS[name](expected[place], value)
        expected[place] = result if dtype == np.int32 else result & mask
    assert m.tolist() == expected and old.tolist() == expected_old


@pytest.mark.parametrize("distinct", [True, False])
def test_compare_and_swap(distinct):
    indices = places(distinct)
    source = kernel("int i = threadIdx.x; old[i] = atomicCAS(m + w[i], i % 4, i + 1);", "int *m, int *w, int *old")
    memory = (np.arange(N) % 3).astype(np.int32)
    _, m, _, old = run(source, 1, N, memory, indices, np.zeros(N, np.int32))
    expected, expected_old = memory.tolist(), []
    for i, place in enumerate(indices.tolist()):
        expected_old.append(expected[place])
        if expected[place] == i % 4:
            expected[place] = i + 1
    assert m.tolist() == expected and old.tolist() == expected_old


def test_counters_that_wrap():
    source = kernel("old[threadIdx.x] = atomicInc(m, 10); atomicDec(m + 1, 6);", "unsigned *m, unsigned *old")
    _, m, old = run(source, 1, 32, np.array([8, 9], np.uint32), np.zeros(32, np.uint32))
    value, expected_old = 8, []
    for _ in range(32):
        expected_old.append(value)
        value = 0 if value >= 10 else value + 1
    down = 9
    for _ in range(32):
        down = 6 if down == 0 or down > 6 else down - 1
    assert m.tolist() == [value, down] and old.tolist() == expected_old


@pytest.mark.parametrize("c_type, dtype", [("float", np.float32), ("double", np.float64)])
def test_a_sum_of_floats_is_rounded_at_every_step(c_type, dtype):
    values = (1 / (np.arange(N) + 3)).astype(dtype)
    source = kernel("old[threadIdx.x] = atomicAdd(m, v[threadIdx.x]); atomicAdd(m + 1, v[threadIdx.x]);",
                    f"{c_type} *m, {c_type} *v, {c_type} *old")
    _, m, _, old = run(source, 1, N, np.array([1e6, 0], dtype), values, np.zeros(N, dtype))
    total, expected_old = dtype(1e6), []
    for value in values:
        expected_old.append(total)
        total = total + value
    assert m[0] == total and old.tolist() == expected_old


def test_a_histogram_in_shared_memory():
    source = kernel("""
        __shared__ unsigned h[16];
        int i = threadIdx.x;
        if (i < 16)
            h[i] = 0;
        __syncthreads();
        for (int k = blockIdx.x * 64 + i; k < n; k += 64 * gridDim.x)
            atomicAdd(h + (d[k] & 15), 1);
        __syncthreads();
        if (i < 16)
            atomicAdd(out + i, h[i]);
        """, "unsigned *out, unsigned char *d, int n")
    data = (np.arange(5000) ** 2 * 7 % 251).astype(np.uint8)
    _, out, _ = run(source, 3, 64, np.zeros(16, np.uint32), data, 5000)
    assert out.tolist() == np.bincount(data & 15, minlength=16).tolist()


def test_atomics_on_shared_and_system_scope():
    source = kernel("""
        __shared__ int s;
        if (!threadIdx.x)
            s = 0;
        __syncthreads();
        atomicAdd_block(&s, 2);
        __syncthreads();
        atomicAdd_system(a, s);
        """, "int *a")
    _, a = run(source, 1, 40, np.zeros(1, np.int32))
    assert a[0] == 40 * 80


def test_half_precision_sums():
    source = kernel("""
        atomicAdd(h, __float2half(0.5f));
        atomicAdd(p, __floats2half2_rn(1.f, 2.f));
        """, "__half *h, __half2 *p", "#include <cuda_fp16.h>")
    _, h, p = run(source, 1, 12, np.zeros(1, np.float16), np.zeros(2, np.float16))
    assert h[0] == 6 and p.tolist() == [12, 24]


def test_cuda_atomic_objects():
    source = kernel("""
        cuda::atomic_ref<int, cuda::thread_scope_device> r(a[0]);
        r.fetch_add(3, cuda::std::memory_order_relaxed);
        r.fetch_max(50);
        """, "int *a", "#include <cuda/atomic>")
    if not any((folder / "cuda" / "atomic").exists() for folder in include_folders()):
        pytest.skip("cuda/atomic needs the headers of nvidia-cuda-cccl")
    _, a = run(source, 1, 20, np.zeros(1, np.int32))
    assert a[0] == 60


def test_an_operation_excludes_others_where_its_memory_is_in_this_process(monkeypatch):
    excluded = []
    monkeypatch.setattr(PtxMachine, "exclusive", staticmethod(lambda place: excluded.append(place) or contextlib.nullcontext()))
    machine = PtxMachine()
    address, counts = machine.array(np.zeros(4, np.int32))
    run(kernel("atomicAdd(m + 3, 1);", "int *m"), 1, 1, address, machine=machine)
    assert counts[3] == 1 and excluded == [counts[3:].ctypes.data]


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("width", [2, 4])
def test_an_addition_to_several_floats_side_by_side_adds_to_each_and_returns_what_they_were(width, distinct):
    """Which compute capability 9.0 has."""
    count = 40
    places = np.arange(count, dtype=np.int32) if distinct else np.arange(count, dtype=np.int32) % 3
    start, values = np.arange(count * width, dtype=np.float32), np.tile(np.float32([0.5, 1, 2, 4])[:width], count) * 8
    source = kernel("int i = threadIdx.x; old[i] = atomicAdd(m + w[i], v[i]);", f"float{width} *m, int *w, float{width} *v, float{width} *old")
    _, memory, _, _, old = run(source, 1, count, start, places, values, np.zeros(count * width, np.float32), architecture="compute_90")
    expected, expected_old = start.reshape(count, width).copy(), []
    for place, value in zip(places, values.reshape(count, width)):
        expected_old.append(expected[place].tolist())
        expected[place] += value
    assert memory.tolist() == expected.ravel().tolist() and old.reshape(count, width).tolist() == expected_old


# A bit more than zero, an infinity, a NaN, a negative zero: what an H200 made of them.
HALVES = [0x3c00, 0x0001, 0x7c00, 0x7e00, 0x8000, 0x7bff, 0xfc00, 0x8001], [0x0400, 0x0001, 0xfc00, 0x3c00, 0x0000, 0x7bff, 0x3c00, 0x0001]
MADE_OF_HALVES = {
    ("add", "f16"): [15360, 2, 32767, 32767, 0, 31744, 64512, 0], ("add", "bf16"): [15360, 2, 0, 32256, 0, 31871, 64512, 0],
    ("min", "f16"): [1024, 1, 64512, 15360, 32768, 31743, 64512, 32769], ("min", "bf16"): [1024, 1, 64512, 15360, 32768, 31743, 64512, 32769],
    ("max", "f16"): [15360, 1, 31744, 15360, 0, 31743, 15360, 1], ("max", "bf16"): [15360, 1, 31744, 32256, 0, 31743, 15360, 1],
}


@pytest.mark.parametrize("form", ["atom.global.{op}.noftz.{vec}.{type}", "atom.global.{vec}.{type}.{op}.noftz"])
@pytest.mark.parametrize("operation, kind", MADE_OF_HALVES)
@pytest.mark.parametrize("width", [2, 4, 8])
def test_several_halves_side_by_side_are_added_or_compared_each_by_itself(width, operation, kind, form):
    opcode = form.format(op=operation, vec=f"v{width}", type=kind)
    old, new = (", ".join(f"%{first + i}" for i in range(width)) for first in (0, width + 1))
    results, operands = ", ".join(f'"=h"(old[{i}])' for i in range(width)), ", ".join(f'"h"(v[{i}])' for i in range(width))
    source = kernel(f'asm volatile("{opcode} {{{old}}}, [%{width}], {{{new}}};" : {results} : "l"(m), {operands});', "short *m, short *v, short *old")
    start, values = (np.array(row[:width], np.uint16) for row in HALVES)
    _, memory, _, expected_old = run(source, 1, 1, start, values, np.zeros(width, np.uint16), architecture="compute_90")
    assert memory.tolist() == MADE_OF_HALVES[operation, kind][:width] and expected_old.tolist() == start.tolist()


def test_the_order_of_an_atomic_may_stand_between_space_and_scope():
    source = kernel('asm volatile("atom.global.acq_rel.gpu.add.s32 %0, [%1], 2;" : "=r"(o[threadIdx.x]) : "l"(m));', "int *m, int *o")
    _, m, o = run(source, 1, 3, np.zeros(1, np.int32), np.zeros(3, np.int32), architecture="compute_90")
    assert m[0] == 6 and sorted(o.tolist()) == [0, 2, 4]
