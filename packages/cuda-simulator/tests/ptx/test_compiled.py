"""The loops over lanes in C answer as arithmetic says: rounded once, wherever the operands lie and however special they are."""
from fractions import Fraction

from cuda_simulator.ptx import compiled
from cuda_simulator.ptx.instructions.exact import round_fraction

import numpy as np
import pytest

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0 ** -149, 2.0 ** -126, 3.0 * 2.0 ** -140]


def numbers(dtype, seed, count=3000):
    """Floats of all exponents, from random bits, finite."""
    bits = np.random.default_rng(seed).integers(0, 2 ** (8 * dtype().itemsize), count, np.uint64)
    values = bits.astype(f"u{dtype().itemsize}").view(dtype)
    return np.where(np.isfinite(values), values, dtype(1))


@pytest.mark.parametrize("dtype, fma", [(np.float32, compiled.fma_f32), (np.float64, compiled.fma_f64)])
def test_a_multiply_add_is_rounded_once(dtype, fma):
    a, b = numbers(dtype, 1), numbers(dtype, 2)
    with np.errstate(all="ignore"):
        product = a * b
        a = np.where(np.isfinite(product), a, dtype(1.5))
        c = np.where(np.arange(len(a)) % 2, -(a * b) * dtype(1.25), numbers(dtype, 3))     # half of them of the product's size
        c = np.where(np.isfinite(c), c, dtype(1))
        result = fma(a, b, c)
    exact = (Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)) for x, y, z in zip(a, b, c))
    expected = [round_fraction(value, dtype, "rn") for value in exact]
    assert np.array_equal(result, np.array(expected, dtype))


def test_strided_and_single_operands_are_read_where_they_lie():
    a = np.arange(40, dtype=np.float32)
    assert np.array_equal(compiled.fma_f32(a[::4], np.float32(3), a[1::4]), a[::4] * 3 + a[1::4])
    places = np.arange(0, 64, 8)[::-1]
    memory = np.arange(16, dtype=np.uint32)
    fetch = compiled.loaders(memory.ctypes.data)
    assert fetch[32](places, 0).tolist() == (places // 4).tolist() and fetch[8](places[::2], 4).tolist() == [15, 11, 7, 3]
    assert compiled.place(np.array([0, 0, 1]), 100, np.array([3, 4, 5]), 7).tolist() == [10, 11, 112]
    assert compiled.place(np.array([0, 0, 1]), 100, 5, 7).tolist() == [12, 12, 112]


@pytest.mark.parametrize("bits", compiled.WIDTHS)
def test_stores_are_made_in_the_order_of_lanes(bits):
    memory, size = np.zeros(16, f"u{bits // 8}"), bits // 8
    store = compiled.storers(memory.ctypes.data)
    values = np.arange(1, 25, dtype=memory.dtype)
    places = np.array([4, 0, 4, 2, 0, 4, 3, 4]) * size
    store[bits](places, size, values[:8])
    assert memory.tolist() == [0, 5, 0, 4, 7, 8] + [0] * 10
    store[bits](places[::-1], 7 * size, values[16:8:-1])      # both lie backwards; the last lane is still the last
    assert memory.tolist() == [0, 5, 0, 4, 7, 8, 0, 11, 0, 13, 16, 10] + [0] * 4
    with pytest.raises(TypeError):      # values with more bits are not cut off in silence
        store[bits](places, 0, np.zeros(8, np.float64))


def test_a_place_without_its_shift_may_be_no_address():
    memory = np.arange(16, dtype=np.uint64)
    load, store = compiled.loaders(memory.ctypes.data), compiled.storers(memory.ctypes.data)
    far = np.arange(0, 128, 8) + (1 << 62)
    assert load[64](far, -(1 << 62)).tolist() == memory.tolist()
    store[64](far, -(1 << 62), memory[::-1].copy())
    assert memory.tolist() == list(range(15, -1, -1))


def test_a_library_of_another_version_is_refused_with_what_builds_it():
    with pytest.raises(compiled.LanesMissing, match="has no lanes_of_tomorrow.*install cuda-simulator again with pip"):
        compiled._ufunc("of_tomorrow", ["f4"], ["f4"])


def test_every_nan_of_single_precision_is_the_one_that_a_gpu_writes():
    a, b, c = (grid.ravel().astype(np.float32) for grid in np.meshgrid(SPECIAL, SPECIAL, SPECIAL))
    with np.errstate(all="ignore"):
        result, expected = compiled.fma_f32(a, b, c), a.astype(np.float64) * b + c
    assert (result.view(np.uint32)[np.isnan(result)] == 0x7FFFFFFF).all() and np.isnan(result).sum() > 300
    assert np.array_equal(np.isnan(result), np.isnan(expected))


@pytest.mark.parametrize("count", [1, 2, 31, 1000])
def test_the_extent_of_addresses_is_their_lowest_their_highest_and_all_their_bits(count):
    addresses = np.random.default_rng(count).integers(0, 2 ** 64, count, np.uint64)
    for subset in (addresses, addresses[::-1], addresses[::3]):
        assert list(map(int, compiled.extent(subset))) == [int(subset.min()), int(subset.max()), int(np.bitwise_or.reduce(subset))]


def test_a_checkout_in_which_they_are_not_built_says_what_builds_them(in_new_process):
    result = in_new_process("import pathlib, cuda_simulator\nfrom cuda_simulator.libcuda import stand_in\n"
                            "stand_in.LANES = pathlib.Path('nowhere/lanes.so')\n"
                            "try:\n    cuda_simulator.attach()\nexcept cuda_simulator.StandInMissing as error:\n    print(error)")
    assert result.stdout.startswith("nowhere/lanes.so is not built: install cuda-simulator again with pip"), result.stdout + result.stderr
