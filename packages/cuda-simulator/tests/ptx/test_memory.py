"""Memory: loads, stores, state spaces, generic addresses, and the faults of wrong ones."""

import numpy as np
import pytest

from . import interpreter as ptx
from .cuda import PtxMachine, kernel, load, run, run_module
from .machine import SHIFT


def fault_of(*arguments, **named) -> ptx.KernelFault:
    with pytest.raises(ptx.KernelFault) as caught:
        run(*arguments, **named)
    return caught.value


# ---- sizes and vectors -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("c_type, dtype", [
    ("signed char", np.int8), ("unsigned char", np.uint8), ("short", np.int16), ("unsigned short", np.uint16),
    ("int", np.int32), ("unsigned", np.uint32), ("long long", np.int64),
    ("float", np.float32), ("double", np.float64)])
def test_each_size_is_loaded_with_its_sign_and_stored(c_type, dtype):
    values = (np.arange(64) * 37 % 256 - 128).astype(np.int8).astype(dtype)
    source = kernel("int i = threadIdx.x; b[i] = a[i]; a[63 - i] = b[i];", f"{c_type} *a, long long *b")
    _, a, b = run(source, 1, 64, values, np.zeros(64, np.int64))
    assert b.tolist() == values.astype(np.int64).tolist()
    assert a.tolist() == values[::-1].tolist()


def test_sixteen_bytes_move_at_once():
    source = kernel("""
        int i = threadIdx.x;
        float4 v = a[i];
        b[i] = make_float4(v.w, v.z, v.y, v.x);
        c[i] = make_double2(v.x, v.y);
        """, "float4 *a, float4 *b, double2 *c")
    values = np.arange(128, dtype=np.float32) / 3
    _, a, b, c = run(source, 1, 32, values, np.zeros(128, np.float32), np.zeros(64))
    assert b.tolist() == values.reshape(-1, 4)[:, ::-1].ravel().tolist()
    assert c.tolist() == values.reshape(-1, 4)[:, :2].ravel().tolist()


def test_bytes_of_a_structure_arrive_as_parameters():
    declarations = "struct P { char c; short s; int i; double d; unsigned char u[5]; float f; };"
    body = """
        a[0] = p.c;
        a[1] = p.s;
        a[2] = p.i;
        a[3] = p.d;
        a[4] = p.u[threadIdx.x + 2];
        a[5] = p.f;
        a[6] = n;
        """
    layout = np.dtype([("c", "i1"), ("s", "i2"), ("i", "i4"), ("d", "f8"), ("u", "u1", 5), ("f", "f4")], align=True)
    value = np.array((-7, -300, 1 << 20, 2.5, (1, 2, 250, 4, 5), 0.25), layout)
    _, a = run(kernel(body, "double *a, P p, short n", declarations), 1, 1, np.zeros(7), value.tobytes(), -9)
    assert a.tolist() == [-7, -300, 1 << 20, 2.5, 250, 0.25, -9]


# ---- shared, local, constant, global ---------------------------------------------------------------------------

def test_every_block_has_its_own_shared_memory():
    source = kernel("""
        __shared__ int n;
        if (threadIdx.x == 0)
            n = blockIdx.x * 10;
        __syncthreads();
        atomicAdd(&n, 1);
        __syncthreads();
        if (threadIdx.x == 5)
            a[blockIdx.x] = n;
        """, "int *a")
    _, a = run(source, 7, 33, np.zeros(7, np.int32))
    assert a.tolist() == [10 * b + 33 for b in range(7)]


def test_dynamic_shared_memory_lies_behind_the_static():
    source = kernel("""
        extern __shared__ int d[];
        __shared__ int s[3];
        int i = threadIdx.x;
        if (i < 3)
            s[i] = 100 + i;
        d[i] = i;
        __syncthreads();
        a[i] = d[15 - i] + s[i % 3];
        """, "int *a")
    _, a = run(source, 1, 16, np.zeros(16, np.int32), shared=64)
    assert a.tolist() == [15 - i + 100 + i % 3 for i in range(16)]
    assert load(source).kernels["k"].static_shared_bytes == 16      # 12, and what lies before the dynamic memory


def test_an_array_of_a_thread_lives_in_local_memory():
    source = kernel("""
        int v[9];
        for (int j = 0; j < 9; j++)
            v[(j * k) % 9] = j * threadIdx.x;
        a[threadIdx.x] = v[threadIdx.x % 9];
        """, "int *a, int k")
    _, a = run(source, 2, 40, np.zeros(40, np.int32), 4)
    where = {j * 4 % 9: j for j in range(9)}
    assert a.tolist() == [where[i % 9] * i for i in range(40)]
    assert load(source).kernels["k"].local_bytes >= 36


def test_variables_of_a_module_have_their_initial_values():
    declarations = """
    __constant__ float table[4] = {1, 2.5, -3};
    __device__ int counter = 7;
    __device__ int *where = &counter + 0;
    __device__ short big[1000];
    __device__ const char *text = "hi";
    __device__ double pair[2] = {0.1, 1e300};"""
    body = """
        a[0] = table[1];
        a[1] = *where;
        a[2] = big[999];
        a[3] = text[1];
        a[4] = pair[1];
        a[5] = table[3];
        *where += 5;
        """
    machine, a = run(kernel(body, "double *a", declarations), 1, 1, np.zeros(6))
    assert a.tolist() == [2.5, 7, 0, ord("i"), 1e300, 0]
    assert machine.variables["counter"].view(np.int32)[0] == 12


def test_a_managed_variable_is_known_as_one():
    variables = load(kernel("m[0] = n;", "", "__managed__ int m[3]; __device__ int n = 5;")).variables
    assert variables["m"].managed and not variables["n"].managed and variables["m"].size == 12


def test_one_pointer_may_point_into_any_space():
    declarations = "__device__ int g = 1; __constant__ int c = 2;"
    body = """
        __shared__ int s;
        int l[2] = {4, (int)threadIdx.x};
        s = 3;
        __syncthreads();
        const int *p;
        switch (threadIdx.x & 3) {
        case 0: p = &g; break;
        case 1: p = &c; break;
        case 2: p = &s; break;
        default: p = l;
        }
        a[threadIdx.x] = *p;
        flags[threadIdx.x] = __isGlobal(p) | __isShared(p) << 1 | __isLocal(p) << 2;
        """
    _, a, flags = run(kernel(body, "int *a, int *flags", declarations), 1, 40, np.zeros(40, np.int32),
                      np.zeros(40, np.int32))
    assert a.tolist() == [(1, 2, 3, 4)[i & 3] for i in range(40)]
    assert (flags & 6).tolist() == [(0, 0, 2, 4)[i & 3] for i in range(40)]


def test_generic_addresses_of_shared_memory_are_the_same_number_in_every_block():
    _, a = run(kernel("__shared__ int s; s = 1; a[blockIdx.x] = (long long)&s;", "long long *a"), 4, 1,
               np.zeros(4, np.int64))
    assert len(set(a.tolist())) == 1 and 0 < a[0] < 1 << 47


def test_of_lanes_that_store_to_one_place_the_last_one_stays():
    _, a = run(kernel("a[threadIdx.x / 10] = threadIdx.x;", "int *a"), 1, 30, np.zeros(3, np.int32))
    assert a.tolist() == [9, 19, 29]


# ---- neighbours of an address ------------------------------------------------------------------------------------
# A compiler keeps one address and adds constants to it: ld [%rd4], ld [%rd4+128]. What held for the first need not hold for the next.

class TwoPieces(PtxMachine):
    """What the device sees side by side lies far apart in this process."""

    def range_of(self, address, access):
        start, end, delta = super().range_of(address, access)
        if not start < self.middle < end:
            return start, end, delta
        return (start, self.middle, delta) if address < self.middle else (self.middle, end, delta + 512)


def test_what_lies_beside_an_address_may_be_another_allocation():
    machine = TwoPieces()
    address, values = machine.array(np.arange(192, dtype=np.int32))
    machine.middle = address + 128
    body = "int *p = a + threadIdx.x; b[threadIdx.x] = p[0] + 1000 * p[32] + 1000000 * p[16]; p[1] = p[0]; p[33] = 0;"
    _, b = run(kernel(body, "int *a, int *b"), 1, 31, address, np.zeros(31, np.int32), machine=machine)
    i, reached = np.arange(31), np.array([*range(32), *range(160, 192)])
    assert b.tolist() == (reached[i] + 1000 * reached[i + 32] + 1000000 * reached[i + 16]).tolist()
    assert values.tolist() == [0, *range(31), *range(32, 161), *[0] * 31]


def test_memory_beside_an_address_may_be_nobodys():
    body = "volatile int *p = a + threadIdx.x; p[0] = 1; p[32] = 1;"
    fault = fault_of(kernel(body, "int *a"), 1, 32, np.zeros(40, np.int32))
    assert fault.thread == (8, 0, 0) and fault.access == "write"


def test_memory_that_a_kernel_frees_is_gone_under_the_same_pointer():
    body = """
        __shared__ int *all;
        if (threadIdx.x == 0)
            all = (int *)malloc(512);
        __syncthreads();
        volatile int *p = all + threadIdx.x;
        int x = p[0];
        if (threadIdx.x == 0)
            free(all);
        __syncthreads();
        *out = x + p[32];
        """
    assert fault_of(kernel(body, "int *out"), 1, 32, np.zeros(1, np.int32)).access == "read"


def test_a_pointer_that_moves_points_elsewhere():
    body = """
        int sum = 0;
        #pragma unroll 1
        for (int *p = a + threadIdx.x; p < a + 128; p += 32)
            sum = 3 * sum + *p;
        b[threadIdx.x] = sum;
        """
    _, a, b = run(kernel(body, "int *a, int *b"), 1, 32, np.arange(128, dtype=np.int32) ** 2, np.zeros(32, np.int32))
    w, x, y, z = a.reshape(4, 32)
    assert b.tolist() == (27 * w + 9 * x + 3 * y + z).tolist()


@pytest.mark.parametrize("first, next", [(2, 2), (2, -2), (4, 4)])
def test_an_odd_address_and_an_odd_distance_may_make_an_even_one(first, next):
    module = ptx.load(f"""
        .version 8.0 .target sm_80 .address_size 64
        .visible .entry k(.param .u64 a, .param .u64 b) {{
        .reg .u64 %r<4>; .reg .u32 %t; .reg .u64 %w; .reg .u16 %h;
        ld.param.u64 %r1, [a]; ld.param.u64 %r2, [b]; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4;
        add.u64 %r1, %r1, %w; add.u64 %r2, %r2, %w; add.u64 %r1, %r1, {first};
        ld.global.u16 %h, [%r1]; ld.global.u32 %t, [%r1+{next}]; st.global.u32 [%r2], %t; ret; }}""")
    _, _, b = run_module(module, 1, 32, np.arange(64, dtype=np.int32), np.zeros(32, np.int32))
    assert b.tolist() == [i + (first + next) // 4 for i in range(32)]


def test_an_array_of_a_thread_stays_its_own_when_the_stack_grows():
    declarations = """
        __device__ __noinline__ int deep(int n) {
            volatile int big[64];
            for (int i = 0; i < 64; i++)
                big[i] = n;
            return n ? deep(n - 1) + big[n] : big[3];
        }"""
    body = """
        volatile int mine[8];
        volatile int *p = mine + threadIdx.x % 4;
        p[0] = threadIdx.x;
        p[4] = deep(threadIdx.x % 5);
        p[0] = p[0] + 100;
        out[threadIdx.x] = mine[threadIdx.x % 4] + 1000 * mine[threadIdx.x % 4 + 4];
        """
    _, out = run(kernel(body, "int *out", declarations), 1, 64, np.zeros(64, np.int32))
    assert out.tolist() == [100 + i + 1000 * sum(range(i % 5 + 1)) for i in range(64)]


def test_threads_that_part_keep_their_own_addresses():
    body = """
        __shared__ int s[256];
        int i = threadIdx.x, *p = s + i;
        p[0] = i; p[128] = -i;
        if (i % 3 == 0) { p[0] += p[128] + 1; p[128] = blockIdx.x; }
        else if (i % 3 == 1) { p[0] *= 2; p[128] += p[0]; }
        out[blockIdx.x * 256 + i] = p[0];
        out[blockIdx.x * 256 + i + 128] = p[128];
        """
    _, out = run(kernel(body, "int *out"), 3, 128, np.zeros(768, np.int32))
    i = np.arange(128)
    for block in range(3):
        assert out[256 * block:][:128].tolist() == np.choose(i % 3, [1 + 0 * i, 2 * i, i]).tolist()
        assert out[256 * block + 128:][:128].tolist() == np.choose(i % 3, [block + 0 * i, i, -i]).tolist()


def test_of_lanes_that_store_vectors_to_one_place_the_last_one_stays():
    _, out = run(kernel("out[threadIdx.x / 32 + 1] = make_int4(threadIdx.x, 1, 2, blockIdx.x);", "int4 *out"), 2, 64,
                 np.zeros(12, np.int32))
    assert out.tolist() == [0, 0, 0, 0, 31, 1, 2, 1, 63, 1, 2, 1]


def test_a_copy_into_shared_memory_may_be_asynchronous():
    source = kernel("""
        __shared__ __align__(16) int s[64];
        __pipeline_memcpy_async(s + 4 * threadIdx.x, a + 4 * threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        a[threadIdx.x] = s[63 - threadIdx.x];
        """, "int *a", "#include <cuda_pipeline_primitives.h>")
    _, a = run(source, 1, 16, np.arange(64, dtype=np.int32))
    assert a[:16].tolist() == list(range(63, 47, -1))


# ---- the heap and printf -----------------------------------------------------------------------------------------

def test_threads_allocate_and_free_memory():
    source = kernel("""
        int *p = (int *)malloc(4 * (threadIdx.x + 1));
        for (int j = 0; j <= threadIdx.x; j++)
            p[j] = j;
        int t = 0;
        for (int j = 0; j <= threadIdx.x; j++)
            t += p[j];
        a[threadIdx.x] = t;
        free(p);
        """, "int *a")
    machine, a = run(source, 2, 20, np.zeros(20, np.int32))
    assert a.tolist() == [i * (i + 1) // 2 for i in range(20)]
    assert not machine._heap_blocks


def test_an_exhausted_heap_gives_a_null_pointer():
    source = kernel("a[threadIdx.x] = malloc(1000) != 0;", "int *a")
    _, a = run(source, 1, 8, np.zeros(8, np.int32), machine=PtxMachine(heap_bytes=3500))
    assert a.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


def test_printf_prints_in_the_order_of_threads():
    source = kernel(r'printf("%d:%s %5.2f|%-6u|%x|%c|%lld|%p|%%\n", threadIdx.x, threadIdx.x & 1 ? "odd" : "even", '
                    r'1.0 / (threadIdx.x + 1), 7u, 255, 65 + threadIdx.x, -5000000000ll, (void *)16);', "")
    machine, = run(source, 1, 3)
    assert machine.printed == ("0:even  1.00|7     |ff|A|-5000000000|0x10|%\n"
                               "1:odd  0.50|7     |ff|B|-5000000000|0x10|%\n"
                               "2:even  0.33|7     |ff|C|-5000000000|0x10|%\n")


def test_one_thread_alone_prints_and_allocates_too():
    source = kernel(r"""
        int *p = (int *)malloc(8);
        p[1] = 41;
        a[0] = p[1] + 1;
        free(p);
        printf("%d\n", a[0]);
        """, "int *a")
    machine, a = run(source, 1, 1, np.zeros(1, np.int32))
    assert a[0] == 42 and machine.printed == "42\n"


# ---- faults ------------------------------------------------------------------------------------------------------

def test_a_read_past_the_end_names_thread_address_and_instruction():
    source = kernel("b[threadIdx.x + 32 * blockIdx.x] = a[threadIdx.x + 32 * blockIdx.x];", "float *a, float *b")
    fault = fault_of(source, 3, 32, np.zeros(70, np.float32), np.zeros(96, np.float32), options=("-lineinfo",))
    assert (fault.code, fault.kernel, fault.block, fault.thread) == (700, "k", (2, 0, 0), (6, 0, 0))
    assert (fault.access, fault.size) == ("read", 4)
    assert fault.text.startswith("ld.global") and fault.source[1] == 3


def test_null_can_not_be_written():
    far = fault_of(kernel("if (blockIdx.x == 299 && threadIdx.x == 9) *a = 1;", "int *a"), 300, 256, 0)
    assert (far.block, far.thread) == ((299, 0, 0), (9, 0, 0))
    fault = fault_of(kernel("if (threadIdx.x == 9) *a = 1;", "int *a"), 1, 32, 0)
    assert (fault.code, fault.address, fault.access, fault.thread) == (700, 0, "write", (9, 0, 0))


@pytest.mark.parametrize("body", ["((long long *)a)[threadIdx.x] = 1;", "a[0] = ((long long *)a)[threadIdx.x];"])
def test_a_word_that_ends_behind_the_memory_is_outside(body):
    fault = fault_of(kernel(body, "int *a"), 1, 3, np.zeros(5, np.int32))
    assert (fault.code, fault.thread, fault.size) == (700, (2, 0, 0), 8)


def test_what_comes_from_a_header_is_at_the_line_that_calls_it():
    """PTX ISA, .loc: `inlined_at` is the place of the call. Line 0 is none."""
    lines = {"1 9 1": (1, 9), "2 77 3, function_name $f, inlined_at 1 9 3": (1, 9), "2 80 3, function_name $f, inlined_at 2 78 3": (1, 9),
             "2 5 1, function_name $f, inlined_at 1 11 2": (1, 11), "1 0 0": (1, 11), "1 12 1": (1, 12)}
    body = "\n".join(f".loc {line}\nmov.u32 %r2, {number};" for number, line in enumerate(lines))
    instructions = ptx.load(PROGRAM % ('.file 1 "k.cu"\n.file 2 "header.h"', body)).program.functions["k"].body
    assert [instruction.source for instruction in instructions if instruction.text.startswith("mov.u32 %r2")] == list(lines.values())


def test_a_misaligned_address_has_a_code_of_its_own():
    source = kernel("*(int *)((char *)a + (threadIdx.x == 3 ? 2 : 0)) = 1;", "int *a")
    fault = fault_of(source, 1, 32, np.zeros(2, np.int32))
    assert (fault.code, fault.thread) == (716, (3, 0, 0))


def test_shared_memory_ends():
    fault = fault_of(kernel("extern __shared__ int s[]; s[threadIdx.x] = 1; a[0] = s[0];", "int *a"), 1, 32,
                     np.zeros(1, np.int32), shared=100)
    assert (fault.code, fault.thread, fault.space) == (700, (25, 0, 0), "shared")


def test_the_position_in_three_dimensions_is_told():
    fault = fault_of(kernel("if (blockIdx.y == 1 && threadIdx.z == 2 && threadIdx.x == 1) *a = 1;", "int *a"),
                     (2, 2), (2, 3, 4), 0)
    assert fault.block == (0, 1, 0) and fault.thread == (1, 0, 2)


def test_a_failed_assertion_prints_what_cuda_prints():
    machine = PtxMachine()
    fault = fault_of(kernel("assert(threadIdx.x < 5);", ""), 1, 8, machine=machine)
    assert fault.code == 710 and fault.thread == (5, 0, 0)
    assert machine.printed.endswith("void k(): block: [0,0,0], thread: [5,0,0] Assertion `threadIdx.x < 5` failed.\n")


def test_device_addresses_are_translated():
    machine, a = run(kernel("a[1] = (long long)a;", "long long *a"), 1, 1, np.zeros(2, np.int64))
    assert a[1] == a.ctypes.data + SHIFT


# ---- what is refused ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("instruction", [
    "frobnicate.u32 %r1, %r1;",
    "add.u33 %r1, %r1, %r1;",
    "add.sat.u32 %r1, %r1, 1;",
    "ld.global.turbo.u32 %r1, [%rd1];",
    "mov.u32 %r1, %nosuch;",
    "add.u64 %rd1, %r1, 1;",
    "bra nowhere;",
    "call %rd1, (), nowhere;",
    "call %rd1, (), 7;",
    "mov.u64 %rd1, nosymbol;"])
def test_what_is_not_known_is_refused_with_its_line(instruction):
    text = f"""\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{{
.reg .b32 %r<3>;
.reg .b64 %rd<3>;
{instruction}
ret;
}}
"""
    with pytest.raises(ptx.PtxError) as refused:
        ptx.load(text)
    assert refused.value.line == 8 and str(refused.value).splitlines()[1:] == ["    " + instruction]


def test_a_prefetch_of_what_is_no_address_is_refused_with_its_line():
    text = ".version 8.5\n.target sm_90\n.address_size 64\n.entry k() { .reg .b64 %a;\nprefetch.global.L1 %a;\nret; }"
    with pytest.raises(ptx.PtxError, match="PTX line 5: expected an address in brackets"):
        ptx.load(text)


PROGRAM = """
.version 8.0
.target sm_80
.address_size 64
.global .u32 g[3] = {5, 6, 7};
%s
.visible .entry k(.param .u64 p) {
    .reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<10>;
    ld.param.u64 %%rd1, [p];
    mov.u32 %%r1, 1;
    setp.eq.u32 %%p1, %%r1, 1;
    setp.eq.u32 %%p2, %%r1, 2;
    %s
    st.global.u64 [%%rd1], %%rd9;
    ret;
}"""
FOLLOWED = "ld.global.u32 %r2, [%rd2]; cvt.u64.u32 %rd9, %r2;"
TOLD = "selp.u64 %rd9, 1, 0, %p3;"
COPIED = "{ .shared .align 4 .b32 s; cp.async.ca.shared.global [s], [g], %s; cp.async.wait_all; ld.shared.u32 %%r2, [s]; } cvt.u64.u32 %%rd9, %%r2;"
BYTES = ", ".join(f"{0xFF << 8 * number:#x}(g)" for number in range(8))
FUNCTION = """.func (.param .b32 r) f(.param .b32 x) {
    .reg .b32 %r<2>; ld.param.u32 %r1, [x]; add.s32 %r1, %r1, 40; st.param.b32 [r], %r1; ret; }"""


@pytest.mark.parametrize("declared, body, value", [
    ("", "mov.u64 %rd2, g+8;" + FOLLOWED, 7),
    (".global .u64 at = g+4;", "ld.global.u64 %rd2, [at];" + FOLLOWED, 6),
    (".global .u64 at = generic(g)+8;", "ld.global.u64 %rd2, [at];" + FOLLOWED, 7),
    (f".global .align 8 .u8 at[8] = {{{BYTES}}};", "ld.global.u64 %rd2, [at]; cvta.global.u64 %rd2, %rd2;" + FOLLOWED, 5),
    (".global .v4 .u32 four; .global .v2 .u64 two;", "mov.u64 %rd2, four; and.b64 %rd9, %rd2, 15;", 0),
    ("", "{ .reg.b32 %q; mov.b32 %q, 3; cvt.u64.u32 %rd9, %q; }", 3),
    ("", "setp.eq.and.u32 %p3, %r1, 1, !%p2;" + TOLD, 1),
    ("", "setp.eq.and.u32 %p3, %r1, 1, !%p1;" + TOLD, 0),
    (".global .align 8 .u32 two[2] = {8, 9};", "ld.global.v2.u32 {_, %r2}, [two]; cvt.u64.u32 %rd9, %r2;", 9),
    (".func f() .noreturn { trap; }", "mov.u64 %rd9, 4;", 4),
    ("", COPIED % "4", 5), ("", COPIED % "4, 0", 0),
    ("", "bar.red.and.pred %p3, 0, !%p2;" + TOLD, 1), ("", "bar.red.or.pred %p3, 0, !%p1;" + TOLD, 0),
    ("", "vote.sync.all.pred %p3, !%p2, 1;" + TOLD, 1),
    ("", "vote.sync.any.pred %p3, !%p1, 1;" + TOLD, 0),
    ("", "vote.sync.uni.pred %p3, %p1, 1;" + TOLD, 1),
    ("", "vote.sync.uni.pred %p3, %p2, 1;" + TOLD, 1),
    ("", "mov.u32 %r2, 1; mov.u64 %rd9, 0; ts: .branchtargets A, B, C; brx.idx %r2, ts; "
         "A: add.s64 %rd9, %rd9, 1; B: add.s64 %rd9, %rd9, 10; C: add.s64 %rd9, %rd9, 100;", 110),
    (FUNCTION, "mov.u64 %rd2, f; { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; proto: .callprototype (.param .b32 _) _ (.param .b32 _);"
               " call (r), %rd2, (x), proto; ld.param.b32 %r2, [r]; } cvt.u64.u32 %rd9, %r2;", 41)])
def test_what_ptx_may_write(declared, body, value):
    """Symbols with offsets and single bytes of them, negated predicates, a uniform index, a function's address (PTX ISA 4 to 9)."""
    machine, module = PtxMachine(), ptx.load(PROGRAM % (declared, body))
    machine.load(module)
    address, result = machine.array(np.zeros(1, np.uint64))
    ptx.run(module.kernels["k"], (1, 1, 1), (1, 1, 1), address.to_bytes(8, "little"), 0, machine)
    assert result[0] == value
