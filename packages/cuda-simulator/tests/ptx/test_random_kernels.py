"""Random kernels: whatever defined thing a kernel does, the interpreter does what a GPU does.

A sample of them, and `python -m tests.ptx.random_kernels.compare` for all 1,000.
"""

import hashlib

import pytest

from .random_kernels.compare import RECORDING, recorded_digests, simulated_digest
from .random_kernels.running import WAYS
from .random_kernels.writer import text

SAMPLE = range(0, 1000, 40)
EXPECTED = recorded_digests()


@pytest.mark.parametrize("seed", SAMPLE)
def test_a_kernel_computes_the_same_however_it_was_compiled_and_what_a_gpu_computes(seed):
    digests = {way: simulated_digest(seed, way) for way in WAYS}
    assert len(set(digests.values())) == 1
    if seed in EXPECTED:
        assert digests["plain"] == EXPECTED[seed]


def test_the_same_number_is_the_same_kernel_on_every_python():
    """The recording is worth nothing if it was made of other kernels."""
    together = hashlib.sha256("".join(map(text, range(50))).encode()).hexdigest()
    assert together == "857779593fd949d71d7f181d5c1b6980726bc9761b9d6a504e04fbb95ef72667"


def test_the_recording_holds_nearly_all_kernels():
    if not RECORDING.exists():
        pytest.skip("no recording: run tests/ptx/random_kernels/record_on_gpu.py on a machine with a GPU")
    assert len(EXPECTED) >= 950
