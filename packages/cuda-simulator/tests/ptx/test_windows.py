"""Windows of generic addresses: conversions, questions and faults as an H200 answers them."""
import numpy as np
import pytest

from . import interpreter as ptx
from .cuda import kernel, run
from .test_memory import fault_of

GiB = 1 << 30
S, L = ptx.spaces.WINDOWS["shared"], ptx.spaces.WINDOWS["local"]
ASK = """
    unsigned long long p = numbers[threadIdx.x];
    int answer = 0, one;
    asm volatile("{ .reg .pred q; isspacep.shared q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(one) : "l"(p)); answer += one;
    asm volatile("{ .reg .pred q; isspacep.local q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(one) : "l"(p)); answer += 2 * one;
    asm volatile("{ .reg .pred q; isspacep.global q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(one) : "l"(p)); answer += 4 * one;
    answers[threadIdx.x] = answer;"""
SHARED, LOCAL, GLOBAL, NOWHERE = 1, 2, 4, 0


def spaces(*numbers):
    source = kernel(ASK, "const unsigned long long *numbers, int *answers")
    return run(source, 1, len(numbers), np.array(numbers, np.uint64), np.zeros(len(numbers), np.int32))[2].tolist()


@pytest.mark.parametrize("number, space", [
    (0, GLOBAL), (1, GLOBAL), (S - 1, GLOBAL), (S, SHARED), (S + (16 << 20) - 1, SHARED), (S + (16 << 20), NOWHERE), (S + 4 * GiB - 1, NOWHERE),
    (S + 4 * GiB, GLOBAL), (L - 1, GLOBAL), (L, LOCAL), (L + (16 << 20) - 1, LOCAL), (L + (16 << 20), GLOBAL), (1 << 63, GLOBAL)])
def test_a_number_is_in_the_space_whose_window_it_lies_in(number, space):
    assert spaces(number) == [space]
    assert spaces(number, S, L, 0, S + GiB) == [space, SHARED, LOCAL, GLOBAL, NOWHERE]      # and so beside others


def convert(instruction, *numbers):
    source = kernel(f'asm volatile("{instruction}.u64 %0, %1;" : "=l"(x[threadIdx.x]) : "l"(x[threadIdx.x]));', "unsigned long long *x")
    return run(source, 1, len(numbers), np.array(numbers, np.uint64))[1].tolist()


def test_back_takes_the_lower_32_bits_for_shared_memory_and_subtracts_for_local():
    assert convert("cvta.to.shared", S + 12, 7 * 4 * GiB + 99, 0) == [12, 99, 0]
    assert convert("cvta.to.shared", S + 12) == [12]
    assert convert("cvta.to.local", L + 12, 5) == [12, (5 - L) % 2**64]


def test_forward_adds_the_start_of_the_window():
    assert convert("cvta.shared", 12, 4 * GiB + 12) == [S + 12, S + 12]
    assert convert("cvta.local", 12, 4 * GiB + 12) == [L + 12, L + 4 * GiB + 12]
    assert convert("cvta.global", 12) == [12]


@pytest.mark.parametrize("address, follow, code", [
    (S, "ld.global.u32", 717), (L, "ld.global.u32", 717), (S + GiB, "ld.u32", 700), (S + 100, "ld.u32", 700), (16 << 20, "ld.shared.u32", 715),
    (4096, "ld.shared.u32", 700), (L, "ld.u32", 700)])
def test_following_a_wrong_address_ends_with_the_code_of_an_h200(address, follow, code):
    source = kernel(f"""
        __shared__ int s[4];
        s[threadIdx.x % 4] = 1;
        unsigned value;
        asm volatile("{follow} %0, [%1];" : "=r"(value) : "l"(p[threadIdx.x]));
        x[threadIdx.x] = value + s[0];""", "unsigned long long *p, int *x")
    for threads in (1, 3):
        assert fault_of(source, 1, threads, np.full(threads, address, np.uint64), np.zeros(threads, np.int32)).code == code


def test_constants_of_the_module_are_no_global_memory_to_isspacep():
    source = kernel("x[0] = __isConstant(which ? (const void *)c : x); x[1] = __isGlobal(which ? (const void *)c : x);", "int *x, int which",
                    "__constant__ int c[4] = {1};")
    assert [run(source, 1, 1, np.zeros(2, np.int32), which)[1].tolist() for which in (1, 0)] == [[1, 0], [0, 1]]


def test_a_module_has_at_most_64_kib_of_constants():
    head = ".version 8.0\n.target sm_75\n.address_size 64\n"
    ptx.load(head + ".const .align 4 .b8 c[65536]; .visible .entry k() { ret; }")
    with pytest.raises(ptx.PtxError, match="more than 65536 bytes of constants"):
        ptx.load(head + ".const .align 4 .b8 c[65537]; .visible .entry k() { ret; }")
