"""Control flow: branches, loops, calls, and what the scheduler owes to every thread."""

import threading
import time
import types

import numpy as np
import pytest

from . import interpreter as ptx
from .cuda import PtxMachine, kernel, load, run

THREADS = 100       # not a multiple of a warp


def ints(count=256):
    return np.arange(count, dtype=np.int32) * 7 % 23


# ---- branches and loops ------------------------------------------------------------------------------------------

def test_threads_take_different_branches():
    source = kernel("""
        int i = threadIdx.x;
        if (a[i] & 1)
            a[i] *= 3;
        else if (a[i] > 10)
            a[i] -= 5;
        a[i] += 1;
        """, "int *a")
    _, a = run(source, 1, THREADS, ints(THREADS))
    expected = [(x * 3 if x & 1 else x - 5 if x > 10 else x) + 1 for x in ints(THREADS).tolist()]
    assert a.tolist() == expected


def test_threads_leave_a_loop_one_by_one():
    source = kernel("""
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int n = 0;
        long long x = i + 1;
        while (x != 1) {
            x = x & 1 ? 3 * x + 1 : x / 2;
            n++;
        }
        a[i] = n;
        """, "int *a")
    _, a = run(source, 3, 50, np.zeros(150, np.int32))

    def collatz(x):
        n = 0
        while x != 1:
            x, n = (3 * x + 1 if x & 1 else x // 2), n + 1
        return n
    assert a.tolist() == [collatz(i + 1) for i in range(150)]


def test_an_early_return_ends_only_that_thread():
    source = kernel("""
        int i = threadIdx.x;
        if (i % 3 == 0)
            return;
        a[i] = i;
        if (i % 3 == 1)
            return;
        a[i] += 100;
        """, "int *a")
    _, a = run(source, 1, 64, np.full(64, -1, np.int32))
    assert a.tolist() == [-1 if i % 3 == 0 else i if i % 3 == 1 else i + 100 for i in range(64)]


def test_a_switch_becomes_a_jump_table():
    cases = "".join(f"case {n}: a[i] = {value}; break;" for n, value in enumerate([7, 1, 4, 9, 2, 8, 5, 0, 3, 6]))
    source = kernel(f"int i = threadIdx.x; switch (a[i]) {{ {cases} default: a[i] = -1; }}", "int *a")
    _, a = run(source, 1, 32, np.arange(32, dtype=np.int32) % 12)
    table = [7, 1, 4, 9, 2, 8, 5, 0, 3, 6, -1, -1]
    assert a.tolist() == [table[i % 12] for i in range(32)]


def test_brx_idx_jumps_through_a_table_of_labels():
    text = """
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 p) {
        .reg .b32 %r<4>; .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [p];
        mov.u32 %r1, %tid.x;
        and.b32 %r2, %r1, 3;
        mov.u32 %r3, 0;
    ts: .branchtargets L0, L1, L2, L1;
        brx.idx %r2, ts;
    L0: add.s32 %r3, %r3, 1;
    L1: add.s32 %r3, %r3, 10;
    L2: add.s32 %r3, %r3, 100;
        mul.wide.u32 %rd2, %r1, 4;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r3;
        ret;
    }"""
    machine = PtxMachine()
    address, a = machine.array(np.zeros(32, np.int32))
    ptx.run(ptx.load(text).kernels["k"], (1, 1, 1), (32, 1, 1), address.to_bytes(8, "little"), 0, machine)
    assert a.tolist() == [(111, 110, 100, 110)[i & 3] for i in range(32)]


def test_exit_in_a_function_ends_the_thread():
    declarations = '__device__ __noinline__ int f(int x) { if (x % 5 == 2) asm volatile("exit;"); return x * 2; }'
    source = kernel("""
        int i = threadIdx.x;
        a[i] = f(i);
        __syncthreads();
        int y = a[(i + 5) % 40];
        __syncthreads();
        a[i] += y;
        """, "int *a", declarations)
    _, a = run(source, 1, 40, np.full(40, -1, np.int32))
    assert a.tolist() == [-1 if i % 5 == 2 else 2 * i + 2 * ((i + 5) % 40) for i in range(40)]


def test_a_predicated_instruction_acts_only_where_its_predicate_holds():
    source = kernel("""
        int i = threadIdx.x, x = 5;
        asm volatile(
            "{ .reg .pred p; setp.lt.s32 p, %1, 3; @p add.s32 %0, %0, 10; @!p mov.b32 %0, 1; }"
            : "+r"(x)
            : "r"(i));
        a[i] = x;
        """, "int *a")
    _, a = run(source, 1, 8, np.zeros(8, np.int32))
    assert a.tolist() == [15, 15, 15, 1, 1, 1, 1, 1]


def test_two_scopes_may_use_one_name():
    asm = 'asm("{ .reg .u32 t; add.u32 t, %1, {n}; mul.lo.u32 %0, t, 2; }" : "=r"(x) : "r"(x));'
    source = kernel(f"""
        unsigned x = threadIdx.x;
        {asm.replace("{n}", "1")}
        {asm.replace("{n}", "5")}
        a[threadIdx.x] = x;
        """, "unsigned *a")
    _, a = run(source, 1, 4, np.zeros(4, np.uint32))
    assert a.tolist() == [((i + 1) * 2 + 5) * 2 for i in range(4)]


# ---- calls -------------------------------------------------------------------------------------------------------

FIB = "__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }"


def test_recursion_goes_as_deep_as_each_thread_needs():
    _, a = run(kernel("a[threadIdx.x] = fib(threadIdx.x);", "int *a", FIB), 1, 14, np.zeros(14, np.int32))
    assert a.tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233]


def test_a_recursion_without_end_is_a_fault_that_names_the_thread():
    """700, as three such kernels ended on an H200 (driver 580, 2026-11-30)."""
    endless = """
        __device__ __noinline__ int down(int n) {
            volatile int big[1000];
            big[n & 511] = n;
            return down(n + 1) + big[n & 255];
        }"""
    with pytest.raises(ptx.KernelFault, match="the stack of a thread is too deep") as fault:
        run(kernel("if (threadIdx.x > 2) a[threadIdx.x] = down(0);", "int *a", endless), 1, 8, np.zeros(8, np.int32))
    assert (fault.value.code, fault.value.thread) == (700, (3, 0, 0))


def test_a_call_through_a_pointer_goes_to_each_threads_function():
    declarations = """
    typedef int (*F)(int);
    __device__ int twice(int x) { return 2 * x; }
    __device__ int square(int x) { return x * x; }
    __device__ int next_(int x) { return x + 1; }
    __device__ F table[3] = {twice, square, next_};"""
    source = kernel("int i = threadIdx.x; a[i] = table[i % 3](i);", "int *a", declarations)
    _, a = run(source, 1, 40, np.zeros(40, np.int32))
    assert a.tolist() == [(2 * i, i * i, i + 1)[i % 3] for i in range(40)]


def test_a_structure_is_passed_and_returned_by_value():
    declarations = """
    struct S { char c; double d; int a[3]; };
    __device__ __noinline__ S swap(S s, int k) { s.d += s.c; s.a[k] = 77; s.c = 'x'; return s; }"""
    body = "S s = {(char)threadIdx.x, 0.5, {1, 2, 3}}; S t = swap(s, threadIdx.x % 3);" \
           "d[threadIdx.x] = t.d + t.a[0] * 10 + t.a[1] * 100 + t.a[2] * 1000 + t.c * 10000 + s.c;"
    _, d = run(kernel(body, "double *d", declarations), 1, 6, np.zeros(6))
    expected = []
    for i in range(6):
        a = [1, 2, 3]
        a[i % 3] = 77
        expected.append(0.5 + i + a[0] * 10 + a[1] * 100 + a[2] * 1000 + ord("x") * 10000 + i)
    assert d.tolist() == expected


def test_a_pointer_to_nowhere_can_not_be_called():
    body = "typedef int (*F)(int); F f = (F)(a[1] ? 0x1234 : 0x10); a[0] = f(1);"
    with pytest.raises(ptx.KernelFault) as fault:
        run(kernel(body, "long long *a"), 1, 1, np.zeros(2, np.int64))
    assert fault.value.code == 718


# ---- barriers ----------------------------------------------------------------------------------------------------

def test_a_barrier_makes_writes_visible_to_the_block():
    source = kernel("""
        __shared__ int s[100];
        int i = threadIdx.x;
        s[i] = a[blockIdx.x * 100 + i];
        __syncthreads();
        a[blockIdx.x * 100 + i] = s[99 - i];
        """, "int *a")
    _, a = run(source, 3, 100, np.arange(300, dtype=np.int32))
    assert a.tolist() == np.arange(300).reshape(3, 100)[:, ::-1].ravel().tolist()


def test_a_barrier_waits_for_the_threads_that_have_not_exited():
    source = kernel("""
        __shared__ int s;
        int i = threadIdx.x;
        if (i >= 10)
            return;
        if (i == 3)
            s = 42;
        __syncthreads();
        a[i] = s;
        """, "int *a")
    _, a = run(source, 2, 64, np.zeros(10, np.int32))
    assert a.tolist() == [42] * 10


def test_threads_may_come_to_a_barrier_in_a_loop_at_different_times():
    source = kernel("""
        __shared__ int s[64];
        int i = threadIdx.x;
        s[i] = i;
        __syncthreads();
        for (int step = 32; step; step >>= 1) {
            if (i < step) {
                for (int k = 0; k < i % 5; k++)
                    s[i] += 0 * k;
                s[i] += s[i + step];
            }
            __syncthreads();
        }
        if (i == 0)
            a[blockIdx.x] = s[0] + blockIdx.x;
        """, "int *a")
    _, a = run(source, 5, 64, np.zeros(5, np.int32))
    assert a.tolist() == [2016 + i for i in range(5)]


def test_a_named_barrier_counts_the_threads_it_is_told():
    source = kernel("""
        __shared__ int s[128];
        int i = threadIdx.x;
        if (i < 64) {
            s[i] = i * i;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            a[i] = -1;
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            a[i] = s[i - 64];
        }
        """, "int *a")
    _, a = run(source, 1, 128, np.zeros(128, np.int32))
    assert a.tolist() == [-1] * 64 + [i * i for i in range(64)]


def test_warps_may_name_different_barriers_at_one_instruction():
    source = kernel("""
        __shared__ int s[128];
        int i = threadIdx.x, half = i / 64, seen;
        s[i] = i;
        asm volatile("bar.sync %0, %1;" : : "r"(half + 1), "r"(64) : "memory");
        int other = s[i ^ 32];
        asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, 70; bar.red.popc.u32 %0, %1, 64, p; }"
                     : "=r"(seen) : "r"(half + 1), "r"(i) : "memory");
        a[i] = other * 1000 + seen;
        """, "int *a")
    _, a = run(source, 1, 128, np.zeros(128, np.int32))
    assert a.tolist() == [(i ^ 32) * 1000 + (64 if i < 64 else 6) for i in range(128)]


@pytest.mark.parametrize("function, expected", [
    ("__syncthreads_count", [sum(i % 7 == 0 for i in range(90))] * 90), ("__syncthreads_and", [0] * 90),
    ("__syncthreads_or", [1] * 90)])
def test_a_barrier_can_count_predicates(function, expected):
    source = kernel(f"a[threadIdx.x] = {function}(threadIdx.x % 7 == 0);", "int *a")
    _, a = run(source, 1, 90, np.zeros(90, np.int32))
    assert a.tolist() == expected


def test_a_barrier_that_some_threads_never_reach_is_a_deadlock_with_a_name():
    source = kernel('if (threadIdx.x < 5) asm volatile("bar.sync 1, 64;"); a[0] = 1;', "int *a")
    with pytest.raises(ptx.KernelFault, match="deadlock: a thread waits at a barrier"):
        run(source, 1, 64, np.zeros(1, np.int32))


def test_a_shuffle_that_a_named_lane_never_comes_to_is_a_deadlock_with_a_name():
    source = kernel("""
        int x = 0;
        if (threadIdx.x < 5)
            x = __shfl_sync(0xffffffff, 1, 0);
        else
            __syncthreads();
        a[0] = x;
        """, "int *a")
    with pytest.raises(ptx.KernelFault, match="deadlock"):
        run(source, 1, 32, np.zeros(1, np.int32))


# ---- threads that wait for each other ----------------------------------------------------------------------------

def test_a_spin_lock_between_lanes_of_a_warp_ends():
    source = kernel("""
        bool done = false;
        while (!done) {
            if (atomicCAS(lock, 0, 1) == 0) {
                *(volatile int *)a = *(volatile int *)a + threadIdx.x;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
        """, "int *lock, int *a")
    _, _, a = run(source, 2, 64, np.zeros(1, np.int32), np.zeros(1, np.int32))
    assert a[0] == 2 * sum(range(64))


def test_a_spin_lock_written_the_naive_way_ends_too():
    source = kernel("""
        while (atomicCAS(lock, 0, 1))
            ;
        *(volatile int *)a += 1;
        __threadfence();
        atomicExch(lock, 0);
        """, "int *lock, int *a")
    _, _, a = run(source, 3, 40, np.zeros(1, np.int32), np.zeros(1, np.int32))
    assert a[0] == 120


def test_a_lane_may_wait_for_a_lane_behind_it_in_the_program():
    source = kernel("""
        if (threadIdx.x == 0) {
            while (*(volatile int *)flag == 0)
                ;
            a[0] = flag[0];
        } else if (threadIdx.x == 1) {
            *(volatile int *)flag = 7;
        }
        """, "int *flag, int *a")
    _, _, a = run(source, 1, 2, np.zeros(1, np.int32), np.zeros(1, np.int32))
    assert a[0] == 7


def test_a_spin_lock_that_a_function_takes_ends_as_soon_as_one_in_the_kernel():
    declarations = """
        __device__ __noinline__ int take(int *lock) { return atomicCAS(lock, 0, 1); }
        __device__ __noinline__ bool taken(int *lock) { return take(lock) == 0; }
        """
    source = kernel("""
        while (!taken(lock))
            ;
        *(volatile int *)a = *(volatile int *)a + 1;
        __threadfence();
        atomicExch(lock, 0);
        """, "int *lock, int *a", declarations)
    # One lane of each warp: others of the warp would keep the one that has the lock from going on.
    started = time.monotonic()
    _, lock, a = run(source, 4, 1, np.zeros(1, np.int32), np.zeros(1, np.int32))
    assert (lock[0], a[0]) == (0, 4) and time.monotonic() - started < 5


def test_a_block_may_wait_for_another_one_that_is_resident():
    source = kernel("""
        if (threadIdx.x == 0) {
            if (blockIdx.x == 0) {
                while (*(volatile int *)(a + 1) == 0)
                    ;
            } else if (blockIdx.x == gridDim.x - 1)
                atomicExch(a + 1, 5);
        }
        a[2] = a[1];
        """, "int *a")
    _, a = run(source, 256, 1024, np.zeros(3, np.int32))
    assert a.tolist() == [0, 5, 5]


def test_a_waiting_thread_may_count_its_turns():
    source = kernel("""
        if (threadIdx.x == 0) {
            if (blockIdx.x == 0) {
                int n = 0;
                while (*(volatile int *)(a + 1) == 0)
                    n++;
                a[0] = n > 0;
            } else if (blockIdx.x == gridDim.x - 1)
                atomicExch(a + 1, 5);
        }
        """, "int *a")
    _, a = run(source, 256, 1024, np.zeros(3, np.int32))
    assert a.tolist() == [1, 5, 0]


def test_the_last_block_can_finish_the_work():
    source = kernel("""
        __shared__ bool last;
        __shared__ int s[64];
        if (threadIdx.x == 0) {
            part[blockIdx.x] = blockIdx.x * blockIdx.x;
            __threadfence();
            last = atomicInc(count, gridDim.x) == gridDim.x - 1;
        }
        __syncthreads();
        if (last && threadIdx.x == 0) {
            int t = 0;
            for (int b = 0; b < gridDim.x; b++)
                t += ((volatile int *)part)[b];
            part[0] = t;
        }
        """, "int *part, unsigned *count")
    _, part, _ = run(source, 700, 64, np.zeros(700, np.int32), np.zeros(1, np.uint32))
    assert part[0] == sum(b * b for b in range(700))


def test_a_kernel_can_wait_for_the_host_and_lets_its_threads_run_meanwhile(monkeypatch):
    slept = threading.Event()
    monkeypatch.setattr(ptx.launch, "time", types.SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: slept.set()))
    machine = PtxMachine()
    flag_address, flag = machine.array(np.zeros(2, np.int32))
    source = kernel("while (*(volatile int *)a == 0) ; a[1] = a[0] + 1;", "int *a")
    thread = threading.Thread(target=ptx.run, args=(load(source).kernels["k"], (1, 1, 1), (32, 1, 1),
                                                    flag_address.to_bytes(8, "little"), 0, machine), daemon=True)
    thread.start()
    assert slept.wait(60) and thread.is_alive() and machine.polls
    flag[0] = 41
    thread.join(5)
    assert flag[1] == 42


def test_poll_can_end_a_kernel_that_never_ends():
    with pytest.raises(TimeoutError):
        run(kernel("while (1) a[threadIdx.x]++;", "volatile int *a"), 1, 32, np.zeros(32, np.int32),
            machine=PtxMachine(patience=0.2))


@pytest.mark.parametrize("statement", ["__trap();", "__brkpt();"])
def test_trap_and_breakpoint_end_the_kernel_with_launch_failed(statement):
    with pytest.raises(ptx.KernelFault) as fault:
        run(kernel(f"if (threadIdx.x == 37) {statement}", ""), 2, 64)
    assert fault.value.text == {"__trap();": "trap;", "__brkpt();": "brkpt;"}[statement]
    assert (fault.value.code, fault.value.block, fault.value.thread) == (719, (0, 0, 0), (37, 0, 0))


def test_a_lane_that_runs_alone_computes_what_it_would_among_others():
    """Registers of a single lane are plain ints; those of many are arrays: local memory and shuffles meet both."""
    source = kernel("""
        short v[8];
        int t = threadIdx.x;
        for (int j = 0; j < 8; j++)
            v[(j * k) & 7] = (short)(a[t] * (j - 4));
        short low = 0;
        for (int j = 0; j < 8; j++)
            if (v[j] < low)
                low = v[j];
        unsigned m = __activemask();
        int other = __shfl_sync(m, low, t);
        a[t] = low + other;
        """, "int *a, int k")
    numbers = np.arange(5, 37, dtype=np.int32)
    _, together = run(source, 1, 32, numbers, 3)
    alone = [run(source, 1, 1, numbers[i:i + 1], 3)[1][0] for i in range(32)]
    assert together.tolist() == alone == [2 * -4 * x for x in numbers.tolist()]


def test_warps_that_come_to_a_counting_barrier_one_after_another_get_the_count():
    source = kernel("""
        int i = threadIdx.x, x = 0;
        if (i < 32) for (int k = 0; k < 5; k++) { x += __syncthreads_count(a[i] > k); if (a[0] == 77) break; }
        else for (int k = 0; k < 5; k++) { int s = a[i] * k; x += __syncthreads_count(s > 40) + s; }
        a[i] = x;
        """, "int *a")
    _, a = run(source, 1, 64, np.arange(64, dtype=np.int32))
    counts = [sum(i > k for i in range(32)) + sum(i * k > 40 for i in range(32, 64)) for k in range(5)]
    assert a.tolist() == [sum(counts) + (i * 10 if i >= 32 else 0) for i in range(64)]
