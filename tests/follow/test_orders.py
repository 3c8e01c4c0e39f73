"""Every order that the barriers allow is replayed."""
import doctest
import itertools
import re
import sys

from course_lib.core.errors import WrongArgument
from courseware.follow import orders_page
from courseware.follow.orders import Access, Orders, orders

import pytest
from hypothesis import given, settings, strategies as st

MODULE = sys.modules[orders.__module__]     # `orders` of the package is the function


def kernel(source, n, threads=3):
    """A function that launches a kernel with so many threads."""
    def launch():
        from course_lib import kernels

        import numpy as np
        import pycuda.driver as cuda
        kernels.compile(source).k(1, threads, cuda.to_device(np.arange(10, 10 * n + 10, 10, np.int32)))
    return launch


TILES = """__global__ void k(int *x) {
    __shared__ int s[3];
    int i = threadIdx.x;
    for (int tile = 0; tile < 6; tile += 3) {
        s[i] = x[tile + i];
        __syncthreads();
        x[tile + i] = s[2 - i];
        __syncthreads();
    }
}"""


@pytest.fixture(scope="module")
def tiles():
    return orders(kernel(TILES, 6))


def test_a_write_of_what_was_read_last_copies_it_and_one_of_another_number_does_not(tiles):
    assert all(access.copies == (access.kind == "write") for accesses in tiles.threads for access in accesses)
    changed = orders(kernel("__global__ void k(int *x) { x[threadIdx.x] += 1; }", 2, 2))
    assert not any(access.copies for accesses in changed.threads for access in accesses)


def test_with_both_barriers_every_order_gives_the_same_numbers(tiles):
    assert tiles.count((6, 8))[:2] == (65_610_000, 0)


def test_without_the_second_barrier_a_thread_that_runs_ahead_writes_over_what_another_still_needs(tiles):
    _, wrong, example = tiles.count((6,))
    assert wrong and example == "thread 2 reads s[0] and finds 40 instead of 10"
    assert example in tiles.sentence((6,)) and example not in orders_page.data(tiles)["sentences"]["6"], "on the board it is the reader's to find"


def test_without_the_first_a_number_is_read_before_it_is_there(tiles):
    assert tiles.count((8,))[1] and tiles.count((8,))[2].endswith("before it is written")


def test_a_barrier_never_allows_more(tiles):
    allowed = {chosen: tiles.count(chosen)[0] for chosen in tiles.subsets()}
    assert allowed[6, 8] < min(allowed[6,], allowed[8,]) and max(allowed[6,], allowed[8,]) < allowed[()]


def test_more_orders_than_can_be_replayed_are_not_counted(tiles, monkeypatch):
    monkeypatch.setattr(MODULE, "MOST_STATES", 100)
    assert tiles.count(()) is None and tiles.sentence(()) == "Without a barrier: more orders than can be replayed here."


def test_the_board_gets_the_kernel_its_accesses_and_each_space_with_its_names_by_number():
    threads = [[Access("write", "shared", "s[10]", 7, False, 1, ((2, 1),)), Access("write", "shared", "s[9]", 7, True, 3, ())],
               [Access("read", "global", "total", None, False, 3, ())]]
    seen = Orders("k", "first\n        second\n          third", threads)
    board = orders_page.data(seen)
    assert board["source"] == ["first", "second", "  third"] and board["barriers"] == seen.barriers == [2]
    assert list(board["spaces"].items()) == [("shared", ["s[9]", "s[10]"]), ("global", ["total"])]
    assert board["threads"][0][0] == {"kind": "write", "name": "s[10]", "value": 7, "copies": False, "line": 1, "after": {2: 1}}
    assert board["sentences"] == {"": seen.sentence((), tells=False), "2": seen.sentence((2,), tells=False)}
    assert (board["initial"], board["wanted"]) == (seen.initial, seen.final)


def test_the_board_brings_its_script_where_it_stands_alone_and_elsewhere_what_the_pages_script_reads(tiles):
    alone, within = orders_page.html(tiles), orders_page.html(tiles, alone=False)
    assert alone.count("<script>") == alone.count("<style>") == 1 and " data-orders='{" not in alone
    assert f'getElementById("{re.search("id=.(map-[0-9a-f]+)", alone)[1]}")' in alone
    assert "<script" not in within and "<style" not in within and " data-orders='{" in within
    for shown in (alone, within):
        assert shown.endswith("</div>") and "__syncthreads();" in shown and shown.count("<li>") == len(list(tiles.subsets())) == 4


def test_an_atomic_access_is_refused():
    with pytest.raises(WrongArgument, match="atomic"):
        orders(kernel("__global__ void k(int *x) { atomicAdd(x, 1); }", 1))


@pytest.mark.parametrize("threads", [1, 5])
def test_a_block_that_the_board_has_no_room_for_is_refused(threads):
    with pytest.raises(WrongArgument, match=f"has {threads} threads?, and a board has room for 2 to 4"):
        orders(kernel("__global__ void k(int *x) { x[threadIdx.x] = 1; }", 5, threads))


@pytest.mark.parametrize("function, words", [
    (kernel("__global__ void k(int *x) { *(int *) 8 = 1; }", 1), "the function .*CUDA_ERROR_ILLEGAL_ADDRESS"),
    (int, "launches no kernel"), (3, "pass the function itself")])
def test_without_a_launch_that_ends_well_there_are_no_orders(function, words):
    with pytest.raises(WrongArgument, match=words):
        orders(function)


def test_a_board_has_room_for_four_threads_with_sixteen_accesses_each():
    loop = "__global__ void k(volatile int *x) {{ for (int i = 0; i < {}; i++) x[threadIdx.x] = i; }}"
    assert [len(accesses) for accesses in orders(kernel(loop.format(16), 4, 4)).threads] == [16] * 4
    with pytest.raises(WrongArgument, match="has 17 accesses .* room for 16"):
        orders(kernel(loop.format(17), 3))


def test_memory_without_a_name_is_called_by_its_address():
    def launch():
        from course_lib import kernels

        import pycuda.driver as cuda
        there = cuda.mem_alloc(8)
        kernels.compile("__global__ void k(unsigned long long where) { ((volatile int *) where)[threadIdx.x] = 1; }").k(1, 2, int(there))
    (first,), (second,) = orders(launch).threads
    assert int(second.name.removeprefix("global "), 16) - int(first.name.removeprefix("global "), 16) == 4


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.tuples(st.sampled_from(["read", "write"]), st.sampled_from("ab"), st.booleans()), min_size=1, max_size=3),
                min_size=2, max_size=3))
def test_the_count_is_that_of_trying_one_order_after_the_other(drawn):
    threads = [[Access(kind, "shared", name, f"{kind[0]}{number}{place}" if kind == "write" else name, False, 1, ((2, 1),) * after)
                for place, (kind, name, after) in enumerate(sorted(accesses, key=lambda access: access[2]))] for number, accesses in enumerate(drawn)]
    seen = Orders("k", "", threads)
    every = [(number, place) for number, accesses in enumerate(threads) for place in range(len(accesses))]
    for chosen in seen.subsets():
        segments, allowed, wrong = seen.segments(chosen), 0, 0
        if len(every) > 7:
            return
        for order in itertools.permutations(every):
            in_order = all(order.index((n, p)) < order.index((n, p + 1)) for n, p in every if (n, p + 1) in every)
            held = all(segments[a][b] <= segments[c][d] for (a, b), (c, d) in itertools.combinations(order, 2))
            if in_order and held:
                allowed += 1
                wrong += replayed(seen, order) != seen.final
        assert seen.count(chosen)[:2] == (allowed, wrong)


def replayed(seen, order):
    memory, clean = {**{name: None for name in seen.final}, **seen.initial}, {}
    for number, place in order:
        access = seen.threads[number][place]
        if access.kind == "read":
            clean[number] = clean.get(number, True) and memory[access.name] == access.value
        else:
            memory[access.name] = access.value if clean.get(number, True) else None
    return memory


def test_the_example_is_true():
    examples = doctest.testmod(MODULE, optionflags=doctest.ELLIPSIS)
    assert examples.failed == 0 < examples.attempted
