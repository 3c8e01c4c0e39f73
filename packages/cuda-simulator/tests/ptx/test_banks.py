"""Bank conflicts and the addresses of constants, as counted, against counts by hand.

32 banks; the word of 4 bytes at address a lies in bank a / 4 % 32.
"""
import json
from pathlib import Path

import numpy as np
import pytest

from . import interpreter as ptx
from .bank_patterns import ALL_ATOMICS, CONSTANTS, LOOPS, ROUNDS, UNROLLED, WIDTHS, atomic_kernel, kernel as timed, patterns
from .cuda import kernel, run

TYPES = {4: "int", 8: "long long"}



def requests(offsets, width=4, threads=None):
    """(warps, requests, without conflicts) of one load, whose offsets in bytes are those of the threads."""
    load = "extern __shared__ __align__(16) char s[]; "
    if width == 16:
        load += "int4 value = *(int4 *)(s + at[threadIdx.x]); out[threadIdx.x] = value.x + value.y + value.z + value.w;"
    else:
        load += f"out[threadIdx.x] = *(volatile {TYPES[width]} *)(s + at[threadIdx.x]);"
    watch = ptx.BankConflicts()
    run(kernel(load, "const int *at, int *out"), 1, len(offsets), np.array(offsets, np.int32), np.zeros(len(offsets), np.int32),
        shared=40000, observer=watch)
    [counts] = watch.counts.values()
    assert counts.access == "read"
    return counts.warps, counts.requests, counts.fewest


@pytest.mark.parametrize("stride, way", [(1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (31, 1), (32, 32), (33, 1), (0, 1)])
def test_a_stride_of_words_makes_as_many_requests_as_it_shares_factors_of_2_with_32(stride, way):
    assert requests([4 * stride * lane for lane in range(32)]) == (1, way, 1)


def test_threads_that_read_one_word_share_a_request():
    assert requests([4 * (lane // 2) for lane in range(32)]) == (1, 1, 1)
    assert requests([128 * (lane % 2) for lane in range(32)]) == (1, 2, 1)      # two words of bank 0


def test_the_bank_that_is_asked_for_most_words_decides():
    offsets = [4 * lane for lane in range(32)]
    offsets[5], offsets[6], offsets[7] = 128, 256, 4 * 9    # words 32 and 64 are in bank 0 as well, word 9 is thread 9's
    assert requests(offsets) == (1, 3, 1)


def test_each_warp_has_requests_of_its_own():
    side_by_side, one_bank = [4 * lane for lane in range(32)], [128 * lane for lane in range(32)]
    assert requests(side_by_side + one_bank) == (2, 1 + 32, 2)
    assert requests(side_by_side + one_bank[:3]) == (2, 1 + 3, 2)       # a warp of three threads


@pytest.mark.parametrize("words, way", [(1, 2), (2, 4), (8, 16), (16, 32), (17, 2)])
def test_eight_bytes_for_each_thread_are_read_by_half_warps(words, way):
    # Thread i reads the words 2*words*i and the next: within 16 threads, banks 2*words*i % 32.
    assert requests([8 * words * lane for lane in range(32)], 8) == (1, way, 2)


def test_half_warps_do_not_get_into_each_others_way():
    # Threads i and i + 16 read different words of one bank; they are in different halves.
    assert requests([8 * (lane % 16) + 128 * (lane // 16) for lane in range(32)], 8) == (1, 2, 2)


@pytest.mark.parametrize("quads, way", [(1, 4), (2, 8), (8, 32), (9, 4)])
def test_sixteen_bytes_for_each_thread_are_read_by_quarter_warps(quads, way):
    assert requests([16 * quads * lane for lane in range(32)], 16) == (1, way, 4)


@pytest.mark.parametrize("width, threads, parts", [(8, 16, 1), (8, 17, 2), (16, 8, 1), (16, 9, 2)])
def test_a_part_of_a_warp_that_has_no_threads_asks_for_nothing(width, threads, parts):
    assert requests([width * lane for lane in range(threads)], width) == (1, parts, parts)


def test_bytes_of_one_word_are_one_word():
    source = kernel("__shared__ volatile char s[128]; s[threadIdx.x] = 1; x[threadIdx.x] = s[4 * (threadIdx.x % 8) + 1];", "int *x")
    watch = ptx.BankConflicts()
    run(source, 1, 32, np.zeros(32, np.int32), observer=watch)
    assert [(counts.access, counts.requests) for counts in watch.counts.values()] == [("write", 1), ("read", 1)]


def test_shared_memory_behind_a_generic_pointer_counts_and_global_memory_does_not():
    source = kernel("""
        __shared__ volatile int s[1024];
        s[threadIdx.x * 32] = threadIdx.x;
        volatile int *where = pick ? s : x;
        where[threadIdx.x * 32] = 7;""", "int *x, int pick")
    for pick, expected in ((1, [32, 32]), (0, [32])):
        watch = ptx.BankConflicts()
        run(source, 1, 32, np.zeros(1024, np.int32), pick, observer=watch)
        assert [counts.requests for counts in watch.counts.values()] == expected


@pytest.mark.parametrize("statement, took, fewest", [
    ("atomicAdd(&s[i], i)", 1, 1), ("atomicAdd(&s[i / 2], i)", 2, 1), ("atomicAdd(&s[2 * i], i)", 2, 1), ("atomicMax(&s[0 * i], i)", 32, 1),
    ("x[i] = atomicAdd(&s[i / 2], 1)", 2, 1), ("atomicAdd(&s[i / 2], 2)", 2, 1),
    ("x[i] = atomicExch(&s[32 * (i % 4)], i)", 32, 1), ("x[i] = atomicCAS(&s[i], 0, i)", 2, 2), ("x[i] = atomicCAS(&s[i / 2], 0, i)", 4, 2)])
def test_atomics_on_one_bank_wait_for_each_other_those_on_one_word_too(statement, took, fewest):
    watch = ptx.BankConflicts()
    run(kernel(f"__shared__ int s[128]; int i = threadIdx.x; {statement}; x[i] += s[i];", "int *x"), 1, 32, np.zeros(32, np.int32), observer=watch)
    assert [(counts.requests, counts.fewest) for counts in watch.counts.values() if counts.access == "atomic"] == [(took, fewest)]


@pytest.mark.parametrize("place, took", [("i", 1), ("i / 2", 1), ("0", 1), ("2 * i", 2), ("32 * (i % 4)", 4)])
def test_threads_that_count_at_one_word_share_a_request(place, took):
    watch = ptx.BankConflicts()
    run(kernel(f"__shared__ int s[128]; int i = threadIdx.x; atomicAdd(&s[{place}], 1); __syncthreads(); x[i] = s[i];", "int *x"), 1, 32,
        np.zeros(32, np.int32), observer=watch)
    assert [counts.requests for counts in watch.counts.values() if counts.access == "atomic"] == [took]


def test_an_atomic_that_an_h200_makes_a_loop_of_is_not_counted():
    source = kernel("__shared__ float s[32]; atomicAdd(&s[threadIdx.x], 1.0f); x[threadIdx.x] = 0;", "int *x")
    watch = ptx.BankConflicts()
    run(source, 1, 32, np.zeros(32, np.int32), observer=watch)
    assert watch.counts == {}


@pytest.mark.parametrize("index, addresses", [("5", 1), ("i", 32), ("i / 8", 4), ("i % 3", 3), ("i < 20", 2)])
def test_a_warps_different_constants_are_counted(index, addresses):
    source = kernel(f"int i = threadIdx.x % 32; x[threadIdx.x] = c[({index}) * n];", "int *x, int n", "__constant__ int c[64] = {1, 2, 3};")
    watch = ptx.ConstantReads()
    run(source, 1, 64, np.zeros(64, np.int32), 1, observer=watch)
    [counts] = watch.counts.values()
    assert (counts.warps, counts.addresses) == (2, 2 * addresses)


RECORDED = json.loads((Path(__file__).parent / "bank_patterns_h200.json").read_text())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("access", ["read", "write"])
def test_an_h200_took_as_many_cycles_as_there_are_requests(access, width):
    """Each of 714 patterns, to within a tenth of a cycle."""
    cycles, places = RECORDED["cycles"][f"{access}, {width} bytes"], np.arange(32)
    counted = {name: ptx.banks.requests(places, np.array(where), width, access)[0] for name, where in patterns(width).items()}
    assert counted == {name: round(took) for name, took in cycles.items()}
    assert max(abs(took - round(took)) for took in cycles.values()) < 0.1


@pytest.mark.parametrize("name", [name for name in ALL_ATOMICS if name not in LOOPS])
def test_an_h200_took_as_many_cycles_for_an_atomic_as_there_are_requests(name):
    """Regular patterns and random ones, to within a tenth of a cycle."""
    width, _ = ALL_ATOMICS[name]
    source = atomic_kernel(name, rounds=1, unrolled=1).replace("i < 8192", "i < 0")     # memory is zero in the simulation
    for pattern in ("stride 0", "stride 2", "stride 3", "pairs", "two addresses of one bank", *(f"random {number}" for number in range(9))):
        watch = ptx.BankConflicts()
        run(source, 1, 32, np.array(patterns(width)[pattern], np.int32), np.zeros(65, np.int64), shared=65536, observer=watch)
        counted = sum(counts.requests for counts in watch.counts.values() if counts.access == "atomic")
        assert counted == pytest.approx(RECORDED["atomics"][name][pattern], abs=0.1), pattern


@pytest.mark.parametrize("name", LOOPS)
def test_sums_of_floats_and_of_64_bits_took_an_h200_many_times_as_long(name):
    assert min(RECORDED["atomics"][name].values()) > 3 * min(RECORDED["atomics"]["red.shared.add.u32"].values())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("access", ["read", "write"])
def test_a_measuring_kernel_makes_as_many_accesses_as_it_divides_the_time_by(access, width):
    watch = ptx.BankConflicts()
    run(timed(access, width), 1, 32, np.array(patterns(width)["stride 3"], np.int32), np.zeros(65, np.int64), shared=40000, observer=watch)
    filling, *measured = watch.counts.values()
    assert (filling.access, filling.warps) == ("write", 8192 // 32)
    assert sum(counts.warps for counts in measured) == ROUNDS * UNROLLED
    assert all((counts.access, counts.requests) == (access, counts.warps * max(width // 4, 1)) for counts in measured)


def test_each_further_constant_took_an_h200_11_cycles():
    different = {name: len(set(patterns(4)[name])) for name in RECORDED["constant memory"]}
    assert sorted(different.values()) == [1, 2, 4, 8, 16, 32]
    for name, took in RECORDED["constant memory"].items():
        assert took == pytest.approx(29.4 + 11 * different[name], rel=0.01)


def test_the_measuring_kernel_of_constants_reads_as_many_as_it_divides_the_time_by():
    watch = ptx.ConstantReads()
    run(CONSTANTS, 1, 32, np.array(patterns(4)["fours"], np.int32), np.zeros(65, np.int64), observer=watch)
    assert sum(counts.warps for counts in watch.counts.values()) == ROUNDS * UNROLLED
    assert all(counts.addresses == 8 * counts.warps for counts in watch.counts.values())
