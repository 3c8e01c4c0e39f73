"""How far away memory is: chains lead where they should, each read is one of the chain's, and what is wrong is
noticed."""
import itertools

from course_lib import driver
from course_lib.core import errors
from courseware import bandwidth
from courseware.bandwidth.measure import chase_code, ladder, measuring, patterns, plan, translation, working_set
from courseware.bandwidth.measure.bench import FULL, QUICK
from courseware.bandwidth.measure.buffers import buffer
from courseware.bandwidth.measure.chase_code import AT_ONCE, LINE, PATHS, THREADS, Chain, ChaseCode

import numpy as np
import pycuda.driver as cuda
import pytest

from . import small
from .test_measuring import few_reads, jobs, measured  # noqa: F401  (a fixture)

NEW = "latency ladder", "clock rate", "working set", "translation reach"


@pytest.fixture
def bench():
    with small.bench() as bench:
        yield bench


@pytest.fixture
def code(bench):
    with ChaseCode(bench.stream) as code:
        yield code


def words(address, count):
    content = np.empty(count, np.uint64)
    cuda.memcpy_dtoh(content, address)
    return content


# -- chains ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("n", [1, 2, 3, 8, 10, 37, 64, 100])
def test_the_order_of_a_chain_has_each_line_once_and_is_not_their_own_order(n):
    order = [chase_code.shuffled(i, n) for i in range(n)]
    assert sorted(order) == list(range(n))
    assert n < 3 or order != sorted(order)


@pytest.mark.parametrize("nbytes", [LINE, 1024, 1280, 7 * 1024])
def test_a_chain_that_was_laid_comes_by_every_line_once_and_back(code, nbytes):
    with buffer("device", nbytes) as memory:
        chain = code.lay(memory.address, nbytes)
        content = words(memory.address, nbytes // 8)
    at, seen = chain.address(0), []
    for _ in range(chain.n):
        seen.append(at)
        at = int(content[(at - chain.base) // 8])
    assert at == seen[0] and sorted(seen) == list(range(chain.base, chain.base + nbytes, LINE))
    assert seen == [chain.address(step) for step in range(chain.n)]


def test_lines_that_are_far_apart_begin_at_different_places_and_never_at_the_same_physical_one():
    apart, piece = 64 << 10, 1 << 20
    chain = Chain(0, 64 * piece // apart, apart, (piece // apart).bit_length() - 1)
    places = sorted(chain.address(step) for step in range(chain.n))
    assert [place // apart for place in places] == list(range(chain.n)), "one in every 64 KiB"
    assert len({place % piece for place in places}) == chain.n, "never the same line of the piece"
    assert all(place % LINE == 0 for place in places)
    for what, distance in translation.APART.items():
        job = next(iter(plan.jobs(FULL, "translation reach", "mapped reservation", what)))
        assert job.xs[-1] // translation.PIECE <= distance // LINE and job.xs[-1] // distance <= translation.MOST_LINES
        assert all(x % distance == 0 for x in job.xs)


@pytest.mark.parametrize("what", PATHS)
@pytest.mark.parametrize("memory", ["device", "pinned", "mapped reservation, on the host"])
def test_a_chain_is_followed_from_wherever_it_begins(code, what, memory):
    with buffer(memory, 4096) as laid:
        chain = code.lay(laid.address, 4096)
        for begin in (0, 1, 31, 32, 1000):
            nanoseconds, gigahertz = code.follow(chain, what, begin, 40)
            assert nanoseconds > 0 and gigahertz > 0


def test_the_same_physical_memory_is_mapped_again_and_again_and_given_back(bench, code):
    free, apart = cuda.mem_get_info()[0], 2 << 20
    with translation.repeated(8 * apart, 2 * apart) as start:
        cuda.memset_d8(start, 7, 1)
        assert words(start + 2 * apart, 1)[0] % 256 == words(start + 6 * apart, 1)[0] % 256 == 7
        chain = code.lay(start, 8 * apart, apart, bits=1)
        assert len({int(words(chain.address(step), 1)[0]) for step in range(chain.n)}) == chain.n == 8
        code.follow(chain, "read past L1", 3, 40)
    assert cuda.mem_get_info()[0] == free


def test_a_time_is_the_cycles_of_a_read_over_those_in_a_nanosecond(code, monkeypatch):
    """40 reads in 8,000 cycles, and 3,000 cycles in 1,500 ns."""
    monkeypatch.setattr(cuda.Stream, "synchronize", lambda stream: None)
    code._report.array[:] = 4711, 8000, 1000, 500, 4000, 2000
    assert code._read_report(4711, 40) == (100.0, 2.0)


# -- how often memory is read again ------------------------------------------------------------------------------------

@pytest.mark.parametrize("nbytes", [16, 48, 1024, 1280, 1792, 3 << 14, 5 << 20])
@pytest.mark.parametrize("most", [1, 100_000, 64 << 20])
def test_each_thread_reads_as_often_as_the_others_and_the_block_everything_as_often(nbytes, most):
    times = chase_code.times(nbytes, most)
    reads = times * (nbytes // 16)
    assert reads % (THREADS * AT_ONCE) == 0 and times >= 1
    assert times * nbytes <= 2 * max(most, nbytes * THREADS * AT_ONCE)


@pytest.mark.parametrize("what", PATHS)
@pytest.mark.parametrize("nbytes", [16, 1280, 48 << 10])
def test_every_block_reads_every_word_as_often_as_it_should(bench, code, what, nbytes):
    with buffer("device", nbytes) as memory, buffer("device", 8) as total:
        cuda.memset_d32(memory.address, 3, nbytes // 4)
        cuda.memset_d32(total.address, 0, 2)
        cuda.Context.synchronize()
        code.read_again(memory.address, nbytes, what, 3, 1, total.address)
        bench.stream.synchronize()
        assert int(words(total.address, 1)[0]) == 3 * chase_code.times(nbytes, 1) * 3 * nbytes // 4


def test_a_rate_counts_the_bytes_of_all_blocks():
    series, = measured(*jobs("working set", what="read past L1")).series
    nbytes = 2 * chase_code.times(1280, 4096) * 1280
    assert series.points[-1].median == pytest.approx(nbytes / (small.MILLISECONDS / 1e3) / 1e9, rel=1e-4)


# -- what is wrong is noticed ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("experiment, memory", [
    *(("latency ladder", memory) for memory in ("device", "pinned", "shared", "constant")),
    ("clock rate", "device"), ("translation reach", "mapped reservation"), ("translation reach", "device")])
def test_a_chain_that_leads_elsewhere_is_noticed(monkeypatch, experiment, memory):
    read = ChaseCode._read_report
    monkeypatch.setattr(ChaseCode, "_read_report", lambda code, end, steps: read(code, end + 128, steps))
    with pytest.raises(patterns.WrongData, match="led elsewhere than it was laid"):
        measured(*itertools.islice(jobs(experiment, memory), 1))


@pytest.mark.parametrize("byte", [0, 13, 1279])
def test_a_wrong_byte_in_what_is_read_again_is_noticed(monkeypatch, byte):
    fill = type(small.bench()).fill

    def filled(bench, memory, nbytes, sample):
        fill(bench, memory, nbytes, sample)
        if nbytes == 1280:
            word = np.empty(1, np.uint8)
            cuda.memcpy_dtoh(word, memory.address + byte)
            cuda.memcpy_htod(memory.address + byte, word ^ 1)
    monkeypatch.setattr(type(small.bench()), "fill", filled)
    message = "the words that were read of 1280 bytes have another sum|word of 4 bytes at byte 1276 is"
    with pytest.raises(patterns.WrongData, match=message):
        measured(*jobs("working set", what="read through L1"))


# -- what there is to measure ------------------------------------------------------------------------------------------

def test_four_sizes_to_an_octave_and_of_a_quick_measurement_one():
    assert ladder.sizes(1024, 4096, FULL) == (1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096)
    assert ladder.sizes(1024, 4096, QUICK) == (1024, 2048, 4096)
    assert ladder.sizes(1024, 48 << 10, FULL)[-3:] == (32 << 10, 40 << 10, 48 << 10)


def test_the_additional_time_of_a_recording_is_less_than_a_minute():
    assert sum(job.seconds(x) for job in plan.jobs(FULL, NEW) for x in job.xs) < 60


@pytest.mark.skipif(not driver.attached.simulated, reason="on a GPU it would be measured")
@pytest.mark.parametrize("experiment", NEW)
def test_the_simulated_driver_measures_nothing(experiment):
    with pytest.raises(errors.NotSupported, match=r"^no measurement here: the simulated driver has no times"):
        bandwidth.measure(experiment)
    assert not bandwidth.measured_here(experiment)


@pytest.mark.skipif(driver.attached.simulated, reason="the simulated driver has no times")
def test_on_a_gpu_l1_is_nearer_than_l2_and_l2_than_the_host():
    with small.bench() as bench:
        recording = measuring.run(bench, plan.jobs(FULL, "latency ladder", ("device", "pinned")))
    from courseware.bandwidth import steps
    levels = steps.named(recording)
    assert levels["L1"].level < levels["L2"].level < levels["device memory"].level < levels["host memory"].level


def test_the_blocks_are_one_for_each_multiprocessor(monkeypatch):
    monkeypatch.undo()
    assert working_set.blocks(cuda.Device(0)) == cuda.Device(0).multiprocessor_count
