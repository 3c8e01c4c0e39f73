"""Every case of the corpus: against NumPy where it is simple, against the recording of a real GPU always."""

from pathlib import Path

import numpy as np
import pytest

from .corpus import CASES
from .cuda import run

RECORDING = Path(__file__).parent / "corpus" / "recording.npz"


@pytest.fixture(scope="module")
def recording():
    if not RECORDING.exists():
        pytest.skip("no recording: run tests/ptx/corpus/record_on_gpu.py on a machine with a GPU")
    with np.load(RECORDING) as file:
        return dict(file)


def simulate(case):
    machine, *arrays = run(case.source, case.grid, case.block, *case.arguments, name="k", shared=case.shared,
                           options=case.options)
    return machine.printed, arrays


def integers(array):
    """The bits, so that NaNs compare and -0 differs from 0; PTX leaves the bits of f64 NaNs open."""
    if array.dtype == np.float64:
        array = np.where(np.isnan(array), np.nan, array)
    return array.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "f" else array


def assert_same(found, expected, error, what):
    if error is None or found.dtype.kind != "f":
        different = np.flatnonzero(integers(found) != integers(expected))
        assert not len(different), (f"{what}: {len(different)} of {found.size} differ, first at {different[0]}: "
                                    f"{found.ravel()[different[0]]!r}, not {expected.ravel()[different[0]]!r}")
    else:
        np.testing.assert_allclose(found, expected, rtol=error, atol=error, equal_nan=True, err_msg=what)


@pytest.mark.parametrize("name", CASES)
def test_it_runs(name):
    """The kernel ends; where NumPy says simply what it computes, it computes that."""
    case = CASES[name]
    _, arrays = simulate(case)
    if case.expected:
        for position, expected in case.expected(*case.arguments).items():
            number = sum(isinstance(one, np.ndarray) for one in case.arguments[:position])
            assert_same(arrays[number], expected, case.error, f"{name}, argument {position}")


@pytest.mark.parametrize("name", CASES)
def test_it_does_what_a_gpu_does(name, recording):
    case = CASES[name]
    if f"{name}/0" not in recording and f"{name}/printed" not in recording:
        pytest.fail(f"{name} is not in the recording: record again")
    printed, arrays = simulate(case)
    for number, array in enumerate(arrays):
        if number in case.unordered:
            assert_same(np.sort(array), np.sort(recording[f"{name}/{number}"]), case.error, f"{name}, array {number}")
            continue
        assert_same(array, recording[f"{name}/{number}"], case.error, f"{name}, array {number}")
    if f"{name}/printed" in recording:
        assert printed == bytes(recording[f"{name}/printed"]).decode()
