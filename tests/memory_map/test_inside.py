"""The map of the inside of a launch: how many memories stand behind each number."""
import doctest
import re
import xml.etree.ElementTree as ElementTree

from course_lib import kernels
from course_lib.core import errors
from courseware import memory_map
from courseware.memory_map import launch_map
from courseware.memory_map.launch_map import InsideMap, InsideRow
from courseware.memory_map.picture import inside as picture

import numpy as np
import pycuda.driver as cuda
import pytest
from hypothesis import given, settings, strategies as st

from .made_up import text_past

NAMES = ("tile", "more", "own", "n", "table", "counter")
SOURCE = """
__constant__ int table[4] = {3, 1, 4, 15};
__device__ int counter[4];
__global__ void where(const __grid_constant__ int n, unsigned long long *out) {
    __shared__ int tile[8];
    extern __shared__ int more[];
    int own[8];
    const void *all[] = {tile, more, own, &n, table, counter};
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < 6; i++) out[6 * thread + i] = (unsigned long long)all[i];
}"""


@pytest.fixture(scope="module")
def code():
    return kernels.compile(SOURCE)


def reported(code, blocks, threads):
    """{name: numbers[block, thread]} of a launch."""
    addresses = np.zeros((blocks, threads, len(NAMES)), np.uint64)
    out = cuda.mem_alloc(addresses.nbytes)
    code.where(blocks, threads, 5, out, shared=32)
    cuda.memcpy_dtoh(addresses, out)
    return dict(zip(NAMES, np.moveaxis(addresses, 2, 0)))


def drawn(inside_map, room=picture.WIDE):
    return ElementTree.fromstring(picture.svg(inside_map, "map-0", room))


def boxes(inside_map, name, room=picture.WIDE):
    """(x, width) of the boxes in the row of a name."""
    row = next(group for group in drawn(inside_map, room).iter("{http://www.w3.org/2000/svg}g") if group.get("aria-label").startswith(f"{name};"))
    return [(float(rect.get("x")), float(rect.get("width"))) for rect in row.iter("{http://www.w3.org/2000/svg}rect") if not rect.get("fill")
            or rect.get("class") == "solid" if rect.get("class") != "hit"]


@pytest.mark.parametrize("numbers, memories, words", [
    ((), 1, "no number, 1 set"), ((), 6, "no number, 6 sets"), ((8,), 1, "1 number, 1 piece"), ((8,), 2, "1 number, 2 pieces"),
    ((8, 16), 2, "2 numbers, 2 pieces")])
def test_a_row_counts_numbers_and_the_memories_behind_them(numbers, memories, words):
    assert InsideRow("tile", "shared", numbers, memories, "block").words == words


def test_the_example_is_true():
    assert doctest.testmod(launch_map).failed == 0 and doctest.testmod(launch_map).attempted


def test_shared_memory_is_one_for_each_block_local_one_for_each_thread_and_the_others_one_for_all(code):
    inside_map = memory_map.inside(code.where, reported(code, 2, 3), shared=32)
    assert [(row.name, row.space, len(row.numbers), row.memories, row.scope) for row in inside_map.rows] == [
        ("tile", "shared", 1, 2, "block"), ("more", "shared", 1, 2, "block"), ("own", "local", 1, 6, "thread"),
        ("n", "global", 1, 1, "all launches"), ("table", "global", 1, 1, "all launches"), ("counter", "global", 1, 1, "all launches"),
        ("(registers)", "none", 0, 6, "thread")]
    assert inside_map.title == "Inside where: 2 blocks of 3 threads"
    assert "32 bytes of static and 32 bytes dynamic shared memory" in inside_map.needs
    assert re.search(r"for each thread \d+ bytes of local memory and \d+ registers", inside_map.needs)


def test_each_element_of_an_array_may_be_its_own_number(code):
    each = reported(code, 1, 4)["counter"] + 4 * np.arange(4, dtype=np.uint64)
    inside_map = memory_map.inside(code.where, {"counter[i]": each})
    row, _ = inside_map.rows
    assert "32 bytes of static and no dynamic shared memory" in inside_map.needs
    assert (len(row.numbers), row.memories, row.words) == (4, 4, "4 numbers, 4 pieces")


@pytest.mark.parametrize("call, says", [
    (lambda code, addresses: memory_map.inside(code, addresses), "a kernel of kernels.compile"),
    (lambda code, addresses: memory_map.inside(code.where, {}), "here is none"),
    (lambda code, addresses: memory_map.inside(code.where, {"tile": addresses["tile"][0]}), r"tile: \(3,\)"),
    (lambda code, addresses: memory_map.inside(code.where, {**addresses, "tile": addresses["tile"][:1]}), r"tile: \(1, 3\)"),
    (lambda code, addresses: memory_map.inside(code.where, {"both": np.concatenate([addresses["tile"], addresses["own"]])}), "several spaces"),
])
def test_what_is_no_launch_is_refused(code, call, says):
    with pytest.raises(errors.WrongArgument, match=says):
        call(code, reported(code, 2, 3))


def example_map(blocks, threads):
    rows = [InsideRow("tile", "shared", (1 << 40,), blocks, "block"), InsideRow("own", "local", (1 << 41,), blocks * threads, "thread"),
            InsideRow("table", "global", (1 << 42,), 1, "all launches")]
    return InsideMap("made", blocks, threads, rows, "The driver says nothing.")


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from([picture.WIDE, picture.NARROW]))
@settings(max_examples=40)
def test_a_box_lies_over_those_that_share_it(blocks, threads, room):
    inside_map, most = example_map(blocks, threads), (min(blocks, picture.MOST_BLOCKS), min(threads, picture.MOST_THREADS))
    tiles, owns, [(left, width)] = (boxes(inside_map, name, room) for name in ("tile", "own", "table"))
    assert len(tiles) == most[0] and len(owns) == most[0] * most[1]
    for number, (x, wide) in enumerate(owns):       # a thread's box lies in its block's
        start, length = tiles[number // most[1]]
        assert start - 0.1 <= x and x + wide <= start + length + 0.2
    assert left <= tiles[0][0] and tiles[-1][0] + tiles[-1][1] <= left + width + 0.1
    assert ("more blocks" in picture.svg(inside_map, "map-0", room)) == (blocks > most[0])
    assert text_past(drawn(inside_map, room), room[1]) == []


def test_what_the_picture_shows_is_in_the_table_and_in_words():
    inside_map = example_map(2, 2)
    text = repr(inside_map)
    for part in ("Inside made: 2 blocks of 2 threads", "tile", "0x10000000000", "pieces behind it", "The driver says nothing."):
        assert part in text
    labels = [group.get("aria-label") for group in drawn(inside_map).iter("{http://www.w3.org/2000/svg}g")]
    assert labels[0] == "tile; shared; 0x10000000000; 1 number, 2 pieces; one for each block"
    assert "<table" in inside_map._repr_html_() and "<svg" in inside_map._repr_html_()
