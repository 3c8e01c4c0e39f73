"""Warps: shuffles, votes, match, active masks, reductions."""

import numpy as np
import pytest

from . import interpreter as ptx
from .cuda import include_folders, kernel, run, run_module

FULL = "0xffffffff"


def warp(body: str, threads: int = 64, declarations: str = "", count: int | None = None, architecture="compute_80"):
    a = np.arange(count or threads, dtype=np.uint32) * 7 % 41
    _, result = run(kernel("unsigned i = threadIdx.x, x = a[i], r = 0;" + body + "a[i] = r;", "unsigned *a", declarations),
                    1, threads, a, architecture=architecture)
    return a.tolist(), result.tolist()


@pytest.mark.parametrize("grid, block", [((3, 1, 1), (1, 1, 1)), ((2, 3, 2), (5, 3, 4)), ((1, 1, 1), (40, 2, 1)), ((1, 4, 1), (1, 32, 2))])
def test_a_thread_knows_its_place_in_the_block_in_the_grid_and_in_the_warp(grid, block):
    body = """
        unsigned tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        unsigned bid = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        unsigned *p = out + 9 * (bid * blockDim.x * blockDim.y * blockDim.z + tid);
        p[0] = threadIdx.x; p[1] = threadIdx.y; p[2] = threadIdx.z; p[3] = blockIdx.x; p[4] = blockIdx.y; p[5] = blockIdx.z;
        asm("mov.u32 %0, %laneid;" : "=r"(p[6]));
        asm("mov.u32 %0, %lanemask_ge;" : "=r"(p[7]));
        asm("mov.u32 %0, %warpid;" : "=r"(p[8]));
        """
    threads, blocks = int(np.prod(block)), int(np.prod(grid))
    _, out = run(kernel(body, "unsigned *out"), grid, block, np.zeros(9 * threads * blocks, np.uint32))
    expected = []
    for number in range(blocks):
        for thread in range(threads):
            place = [np.unravel_index(index, of[::-1])[::-1] for index, of in ((thread, block), (number, grid))]
            expected.append([*map(int, (*place[0], *place[1])), thread % 32, 2**32 - 2**(thread % 32), thread // 32])
    assert out.reshape(-1, 9).tolist() == expected


def test_a_grid_of_more_blocks_than_multiprocessors_uses_each_of_them():
    body = 'asm("mov.u32 %0, %smid;" : "=r"(a[2 * blockIdx.x])); asm("mov.u32 %0, %nsmid;" : "=r"(a[2 * blockIdx.x + 1]));'
    _, a = run(kernel(body, "unsigned *a"), 400, 1, np.zeros(800, np.uint32))
    assert set(a[1::2].tolist()) == {132} and set(a[::2].tolist()) == set(range(132))


@pytest.mark.parametrize("call, source", [
    ("__shfl_sync(M, x, 5)", lambda l, w: 5), ("__shfl_sync(M, x, i * 3)", lambda l, w: l * 3 % 32),
    ("__shfl_up_sync(M, x, 3)", lambda l, w: l - 3 if l >= 3 else l),
    ("__shfl_down_sync(M, x, 7)", lambda l, w: l + 7 if l + 7 < 32 else l),
    ("__shfl_xor_sync(M, x, 9)", lambda l, w: l ^ 9),
    ("__shfl_sync(M, x, 13, 8)", lambda l, w: l // 8 * 8 + 13 % 8),
    ("__shfl_up_sync(M, x, 2, 8)", lambda l, w: l - 2 if l % 8 >= 2 else l),
    ("__shfl_down_sync(M, x, 2, 16)", lambda l, w: l + 2 if l % 16 + 2 < 16 else l),
    ("__shfl_xor_sync(M, x, 20, 16)", lambda l, w: l ^ 20 if (l ^ 20) <= (l // 16 * 16 + 15) else l),
])
def test_a_shuffle_reads_the_lane_that_it_names(call, source):
    a, result = warp(f"r = {call.replace('M', FULL)};")
    assert result == [a[i // 32 * 32 + source(i % 32, i // 32)] for i in range(64)]


def test_a_shuffle_waits_for_the_lanes_of_its_mask():
    a, result = warp(f"if (i & 1) x += 1; if (i & 2) for (int k = 0; k < i; k++) x += 2; "
                     f"r = __shfl_xor_sync({FULL}, x, 3);")
    x = [v + (i & 1) + (2 * i if i & 2 else 0) for i, v in enumerate(a)]
    assert result == [x[i ^ 3] for i in range(64)]


def test_parts_of_a_warp_shuffle_apart():
    a, result = warp("""
        if (i % 32 < 12)
            r = __shfl_down_sync(0xfff, x, 1);
        else
            r = __shfl_sync(0xfffff000, x, 31);
        """, 32)
    # Lane 11 asks for a lane that its mask does not name: undefined.
    assert result[:11] + result[12:] == a[1:12] + [a[31]] * 20


def test_a_sum_over_a_warp_by_shuffles():
    a, result = warp(f"for (int d = 16; d; d /= 2) x += __shfl_down_sync({FULL}, x, d); r = x;", 96)
    assert result[::32] == [sum(a[w:w + 32]) for w in (0, 32, 64)]


@pytest.mark.parametrize("call, expected", [
    ("__ballot_sync(M, x > 20)", lambda xs: sum((x > 20) << l for l, x in enumerate(xs))),
    ("__any_sync(M, x == 40)", lambda xs: any(x == 40 for x in xs)),
    ("__all_sync(M, x < 41)", lambda xs: all(x < 41 for x in xs)),
    ("__activemask()", lambda xs: (1 << len(xs)) - 1)])
def test_votes(call, expected):
    a, result = warp(f"r = {call.replace('M', FULL)};", 80)
    warps = [a[0:32], a[32:64], a[64:80]]
    assert result == [int(expected(warps[i // 32])) for i in range(80)]


def test_the_active_mask_shows_who_took_the_branch():
    _, result = warp("if (i % 3 == 0) r = __activemask();", 32)
    mask = sum(1 << i for i in range(0, 32, 3))
    assert result == [mask if i % 3 == 0 else 0 for i in range(32)]


def test_match_finds_lanes_with_the_same_value():
    a, result = warp(f"r = __match_any_sync({FULL}, x % 5);", 64)
    for i in range(64):
        w = i // 32 * 32
        assert result[i] == sum((a[w + j] % 5 == a[i] % 5) << j for j in range(32))


def test_a_vote_with_its_words_in_cubs_order():
    source = kernel("""
        unsigned yes = threadIdx.x % 3 == 0, got;
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.sync.b32 %0, p, 0xffffffff; }" : "=r"(got) : "r"(yes));
        a[threadIdx.x] = got;
        """, "unsigned *a")
    _, a = run(source, 1, 32, np.zeros(32, np.uint32))
    assert set(a.tolist()) == {sum(1 << lane for lane in range(0, 32, 3))}


def test_match_of_a_single_thread():
    """With one thread a step is run by its own way: that of `any` spoke of a predicate that only `all` has."""
    source = kernel("if (threadIdx.x == 3) a[0] = __match_any_sync(__activemask(), b);", "unsigned *a, int b")
    _, a = run(source, 1, 32, np.zeros(1, np.uint32), 7)
    assert a[0] == 1 << 3


def test_match_all_tells_whether_they_agree():
    _, result = warp(f"int p; r = __match_all_sync({FULL}, i / 32 ? 5ull : x, &p); r = r + (p << 8);", 64)
    assert result == [0] * 32 + [(0xFFFFFFFF + 256) & 0xFFFFFFFF] * 32


@pytest.mark.parametrize("call, function", [
    ("__reduce_add_sync(M, x)", sum), ("__reduce_max_sync(M, x)", max), ("__reduce_min_sync(M, x)", min)])
def test_a_reduction_over_the_warp_in_one_instruction(call, function):
    a, result = warp(f"r = {call.replace('M', FULL)};", 64)
    assert result == [function(a[i // 32 * 32:][:32]) for i in range(64)]


def test_lane_masks():
    _, result = warp("""
        asm("mov.u32 %0, %lanemask_lt;" : "=r"(r));
        unsigned g;
        asm("mov.u32 %0, %lanemask_ge;" : "=r"(g));
        r = (r ^ g) + i % 32 + (r != 0) * 5;
        """, 40)
    assert result == [(0xFFFFFFFF + i % 32 + (i % 32 != 0) * 5) & 0xFFFFFFFF for i in range(40)]


def test_the_size_of_a_warp_is_a_constant():
    assert warp('asm("mov.u32 %0, WARP_SZ;" : "=r"(r));')[1] == [32] * 64


def test_aggregated_atomics_of_a_warp():
    """The textbook pattern: the leader adds for all active lanes and broadcasts."""
    source = kernel("""
        unsigned i = threadIdx.x;
        if (i % 3) {
            unsigned m = __activemask();
            int leader = __ffs(m) - 1;
            unsigned old;
            if ((i & 31) == leader)
                old = atomicAdd(n, __popc(m));
            old = __shfl_sync(m, old, leader);
            a[old + __popc(m & ((1u << (i & 31)) - 1))] = i;
        }
        """, "unsigned *n, unsigned *a")
    _, n, a = run(source, 1, 96, np.zeros(1, np.uint32), np.zeros(96, np.uint32))
    assert n[0] == 64 and sorted(a[:64].tolist()) == [i for i in range(96) if i % 3]


def test_syncwarp_orders_lanes():
    source = kernel("""
        __shared__ int s[32];
        int i = threadIdx.x;
        s[i] = i;
        __syncwarp();
        int x = s[31 - i];
        __syncwarp();
        s[i] = x * 2;
        __syncwarp();
        a[i] = s[i ^ 1];
        """, "int *a")
    _, a = run(source, 1, 32, np.zeros(32, np.int32))
    assert a.tolist() == [(31 - (i ^ 1)) * 2 for i in range(32)]


def test_cooperative_groups_tiles():
    if not any((folder / "nv" / "target").exists() or (folder / "cccl" / "nv" / "target").exists()
               for folder in include_folders()):
        pytest.skip("cooperative_groups.h needs the headers of nvidia-cuda-cccl")
    declarations = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;"
    _, result = warp("""
        auto t = cg::tiled_partition<8>(cg::this_thread_block());
        r = t.shfl(x, 2) * 10 + t.thread_rank();
        t.sync();
        cg::this_thread_block().sync();
        """, 64, declarations)
    a = [i * 7 % 41 for i in range(64)]
    assert result == [a[i // 8 * 8 + 2] * 10 + i % 8 for i in range(64)]


# ---- who waits for whom --------------------------------------------------------------------------------------------

def test_threads_that_come_back_from_further_down_meet_those_that_wait_for_them():
    """A compiler may put a rare path behind everything else; then the others are at the vote before it has run."""
    text = """
        .version 8.5
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 out)
        {
        .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<4>;
        mov.u32 %r0, %tid.x;
        and.b32 %r1, %r0, 3;
        setp.eq.u32 %p0, %r1, 0;
        @%p0 bra RARE;
        HERE:
        setp.gt.u32 %p1, %r1, 1;
        vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
        ld.param.u64 %d0, [out];
        mul.wide.u32 %d1, %r0, 4;
        add.s64 %d2, %d0, %d1;
        st.global.u32 [%d2], %r2;
        ret;
        RARE:
        mov.u32 %r1, 5;
        bra.uni HERE;
        }"""
    _, out = run_module(ptx.load(text), 1, 96, np.zeros(96, np.uint32))
    assert out.tolist() == [0xDDDDDDDD] * 96


def test_a_warp_meets_though_its_threads_wait_in_different_places():
    a, result = warp(f"""
        __shared__ unsigned s[64];
        if (i & 1) {{
            for (int k = 0; k < i; k++) x += 3;
            s[i] = x;
            __syncwarp();
            r = s[i ^ 1] + 1;
        }} else {{
            s[i] = x * 2;
            __syncwarp({FULL});
            r = s[i ^ 1];
        }}""")
    stored = [v + 3 * i if i & 1 else 2 * v for i, v in enumerate(a)]
    assert result == [stored[i ^ 1] + (i & 1) for i in range(64)]


def test_a_warp_that_has_met_goes_on_before_another_that_waits_in_the_same_places_has():
    a, result = warp("""
        __shared__ unsigned s[64];
        if (i & 1) {
            for (unsigned k = 0; k < i / 32 * 50; k++) x = x * 5 + (k >> 6);
            s[i] = x;
            __syncwarp();
            r = s[i ^ 1] + 1;
        } else {
            s[i] = x * 2;
            __syncwarp();
            r = s[i ^ 1];
        }""")
    stored = [v * 5 ** (i // 32 * 50) % 2**32 if i & 1 else 2 * v for i, v in enumerate(a)]
    assert result == [stored[i ^ 1] + (i & 1) for i in range(64)]


def test_who_waited_elsewhere_goes_on_behind_its_own_barrier_and_repeats_nothing():
    _, result = warp("""
        __shared__ unsigned first, second;
        if (i == 0) first = second = 0;
        __syncwarp();
        if (i & 1) { atomicAdd(&first, 1); __syncwarp(); } else { atomicAdd(&second, 1); __syncwarp(); }
        __syncwarp();
        r = 100 * first + second;""", 32)
    assert result == [1616] * 32


def test_one_lane_of_those_that_a_mask_names_is_elected():
    source = kernel("""
        int i = threadIdx.x;
        if (i % 8 >= 3)
            asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.s32 %1, 1, 0, p; }" : "=r"(a[i]), "=r"(b[i]) : "r"(0xF8F8F8F8));
        """, "int *a, int *b")
    _, leader, elected = run(source, 1, 32, np.full(32, -1, np.int32), np.zeros(32, np.int32), architecture="compute_90")
    number, = set(leader[leader >= 0].tolist())
    assert number % 8 >= 3 and elected.tolist() == [int(i == number) for i in range(32)]
