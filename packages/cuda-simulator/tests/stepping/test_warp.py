"""The rows of a warp: which lanes run a line together, where they part, wait and end."""
import numpy as np

from . import follow

NUMBERS = np.arange(64, dtype=np.int32)
ALL = (1 << 32) - 1
EVEN, ODD = 0x55555555, 0xAAAAAAAA


def rows(body, block=32, **more):
    """[(line, lanes)] of a kernel whose body begins in line 2."""
    record = follow(f'extern "C" __global__ void k(int *x) {{\n{body}\n}}\n', block, NUMBERS, **more)
    return [(row.line, row.lanes) for row in record.rows], record


def test_an_if_parts_a_warp_and_after_it_the_lanes_are_together_again():
    told, _ = rows("""\
    if (threadIdx.x & 1)
        x[threadIdx.x] = 1;
    else
        x[threadIdx.x] = 2;
    __syncthreads();""")
    assert told == [(1, ALL), (2, ALL), (3, ODD), (5, EVEN), (6, ALL), (7, ALL)]


def test_an_if_that_all_lanes_decide_alike_parts_nobody():
    told, _ = rows("    if (blockIdx.x == 0)\n        x[threadIdx.x] = 1;\n    else\n        x[threadIdx.x] = 2;")
    assert told == [(1, ALL), (2, ALL), (3, ALL), (6, ALL)]


def test_lanes_leave_a_loop_one_after_the_other_and_wait_for_the_rest():
    told, _ = rows("    for (int k = 0; k <= threadIdx.x; k++)\n        x[k] += 1;", block=3)
    assert told == [(1, 0b111), (2, 0b111), (3, 0b111), (2, 0b111), (3, 0b110), (2, 0b110), (3, 0b100), (2, 0b100), (4, 0b111)]


def test_lanes_that_come_to_a_barrier_are_marked_and_nobody_else():
    _, record = rows("    x[threadIdx.x] = 1;\n    __syncthreads();\n    x[threadIdx.x] = 2;")
    assert [row.line for row in record.rows if row.barrier] == [3]


def test_lanes_whose_threads_have_ended_are_told_apart_from_those_that_wait():
    _, record = rows("    if (threadIdx.x & 1)\n        asm(\"exit;\");\n    x[threadIdx.x] = 1;")
    assert [(row.line, row.lanes, row.ended) for row in record.rows[-2:]] == [(4, EVEN, ODD), (5, EVEN, ODD)]


def test_the_last_warp_of_a_block_may_have_fewer_lanes_and_another_first_thread():
    _, record = rows("    x[0] = 1;", block=40, thread=37)
    assert (record.lanes, record.first_thread) == (8, 32) and {row.lanes for row in record.rows} == {0xFF}


def test_a_jump_at_the_end_of_a_branch_is_no_row_of_its_own():
    told, _ = rows("    if (threadIdx.x < 20) {\n        x[0] = 1;\n    }\n    x[1] = 2;")
    assert told == [(1, ALL), (2, ALL), (3, (1 << 20) - 1), (5, ALL), (6, ALL)]


def test_lanes_that_part_within_a_function_of_a_header_stay_on_the_line_that_calls_it():
    told, _ = rows("    x[threadIdx.x] = max(x[threadIdx.x], atomicAdd(x, threadIdx.x & 1));")
    assert {line for line, _ in told} == {1, 2, 3}


def test_rows_beyond_the_limit_are_counted():
    told, record = rows("    for (int k = 0; k < 50; k++)\n        x[k] = k;", limit=4)
    assert [line for line, _ in told] == [1, 2, 3, 2] and record.more_rows == 1 + 101 + 1 - 4
