"""Arithmetic: integers, floats with every rounding, halves, conversions, functions of the math library."""

import numpy as np

from . import case, mixed, zeros

F, D = np.float32, np.float64

# Where formats end and roundings differ.
EDGES = np.array([
    0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5,                                            # ties
    1e-45, -1e-45, 1.1754942e-38, 1.17549435e-38,                                   # subnormals of float
    3.4028235e38, -3.4028235e38, np.inf, -np.inf, np.nan,
    16777216, 16777217, 2147483648, -2147483648, 4294967296, 9.2233720e18,          # ends of integers
    65504, 65520, 6e-8,                                                             # ends of half
    1e-3, 1 / 3, 1e20, -7.7, 255.5, 300,
], F)

# Every edge value with every other.
PAIRS_A, PAIRS_B = np.repeat(EDGES, len(EDGES)), np.tile(EDGES, len(EDGES))
with np.errstate(over="ignore"):
    HALVES_A, HALVES_B = PAIRS_A.astype(np.float16), PAIRS_B.astype(np.float16)
N = len(PAIRS_A)

# Pairs of integers, those with an overflow or a sign first.
I, J = mixed(256, low=-2**31, high=2**31), mixed(256, low=-2**31, high=2**31, seed=2)
I[:8] = [0, 1, -1, 2**31 - 1, -2**31, 2**31 - 1, -2**31, 7]
J[:8] = [1, 2**31 - 1, 1, -1, 1, 2**31 - 1, 2, -3]

# ---- integers ----------------------------------------------------------------------------------------------------

case("integer_arithmetic",
     "32-bit integers, signed and unsigned, around the ends of their range.", """
extern "C" __global__ void k(const int *a, const int *b, int *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[t], y = b[t], k = t * 10;
    o[k] = x + y;
    o[k + 1] = x - y;
    o[k + 2] = x * y;
    o[k + 3] = x / y;
    o[k + 4] = x % y;
    o[k + 5] = (unsigned)x / (unsigned)y;
    o[k + 6] = (unsigned)x % (unsigned)y;
    o[k + 7] = __mulhi(x, y);
    o[k + 8] = __umulhi(x, y);
    o[k + 9] = __sad(x, y, t) + abs(x) - min(x, y) + max(x, y);
}
""", grid=2, block=128,
     arguments=(I, J, zeros(2560)))

case("long_arithmetic",
     "64-bit integers: products, quotients, upper halves, shifts.", """
extern "C" __global__ void k(const long long *a, const long long *b, long long *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    long long x = a[t], y = b[t], k = t * 8;
    o[k] = x * y;
    o[k + 1] = x / y;
    o[k + 2] = x % y;
    o[k + 3] = (unsigned long long)x / (unsigned long long)y;
    o[k + 4] = __mul64hi(x, y);
    o[k + 5] = __umul64hi(x, y);
    o[k + 6] = x >> (y & 63);
    o[k + 7] = (x << (y & 63)) ^ (long long)((unsigned long long)x >> (t & 63));
}
""", grid=1, block=100,
     arguments=(mixed(100, np.int64, -2.0**62, 2.0**62), mixed(100, np.int64, 1, 2.0**45, seed=3),
                zeros(800, np.int64)))

case("integers_of_128_bits",
     "__int128: chains of additions and products that hand on a carry.", """
extern "C" __global__ void k(const long long *a, long long *o) {
    __int128 x = (__int128)a[threadIdx.x] * a[threadIdx.x + 1] + a[0];
    x = x * 3 - (x >> 17);
    o[threadIdx.x * 2] = x;
    o[threadIdx.x * 2 + 1] = x >> 64;
}
""", grid=1, block=32, options=("--device-int128",),
     arguments=(mixed(33, np.int64, -2.0**62, 2.0**62), zeros(64, np.int64)))

case("bit_tricks",
     "Counting, finding, reversing and permuting bits and bytes.", """
extern "C" __global__ void k(const unsigned *a, const unsigned *b, unsigned *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[t], y = b[t], k = t * 10;
    o[k] = __popc(x);
    o[k + 1] = __clz(x);
    o[k + 2] = __brev(x);
    o[k + 3] = __ffs(x);
    o[k + 4] = __byte_perm(x, y, t * 0x1357);
    o[k + 5] = __funnelshift_l(x, y, t);
    o[k + 6] = __funnelshift_rc(x, y, t % 40);
    o[k + 7] = __clzll((unsigned long long)x << (t & 31));
    o[k + 8] = __popcll((unsigned long long)x * y);
    o[k + 9] = __fns(x, t & 31, (int)(t % 7) - 3);
}
""", grid=2, block=128,
     arguments=(I.view(np.uint32), J.view(np.uint32), zeros(2560, np.uint32)))

case("video_instructions",
     "Several small integers in one register: dot products, sums and comparisons of bytes.", """
extern "C" __global__ void k(const int *a, const int *b, int *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[t], y = b[t], k = t * 10;
    o[k] = __dp4a(x, y, t);
    o[k + 1] = __dp4a((unsigned)x, (unsigned)y, (unsigned)t);
    o[k + 2] = __dp2a_lo(x, y, t);
    o[k + 3] = __vadd4(x, y);
    o[k + 4] = __vsads4(x, y);
    o[k + 5] = __vmaxs2(x, y);
    o[k + 6] = __vcmpgts4(x, y);
    o[k + 7] = __vabsdiffu4(x, y);
    o[k + 8] = __hadd(x, y);
    o[k + 9] = __mul24(x, y) + __rhadd(x, y);
}
""", grid=2, block=128,
     arguments=(I, J, zeros(2560)))

case("xorshift_random_numbers",
     "A random number generator of shifts and exclusive ors.", """
extern "C" __global__ void k(unsigned *o, int n) {
    unsigned x = threadIdx.x * 2654435761u + 1;
    for (int i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    o[threadIdx.x] = x;
}
""", grid=1, block=64,
     arguments=(zeros(64, np.uint32), 50))

# ---- float and double --------------------------------------------------------------------------------------------

case("float_operations_on_edge_values",
     "float on zeros, subnormals, infinities, NaN and the largest numbers.", """
extern "C" __global__ void k(const float *a, const float *b, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t], y = b[t];
    int k = t * 9;
    o[k] = x + y;
    o[k + 1] = x - y;
    o[k + 2] = x * y;
    o[k + 3] = x / y;
    o[k + 4] = fmaf(x, y, x);
    o[k + 5] = sqrtf(x);
    o[k + 6] = fminf(x, y);
    o[k + 7] = fmaxf(x, y);
    o[k + 8] = 1 / x;
}
""", grid=N // 64, block=64,
     arguments=(PAIRS_A, PAIRS_B, zeros(9 * N, F)))

case("double_operations_on_edge_values",
     "The same for double.", """
extern "C" __global__ void k(const double *a, const double *b, double *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[t], y = b[t];
    int k = t * 7;
    o[k] = x + y;
    o[k + 1] = x * y;
    o[k + 2] = x / y;
    o[k + 3] = fma(x, y, -x);
    o[k + 4] = sqrt(x);
    o[k + 5] = fmin(x, y) + fmax(y, x);
    o[k + 6] = __drcp_rn(x);
}
""", grid=N // 64, block=64,
     arguments=(PAIRS_A.astype(D), PAIRS_B.astype(D) * (1 + 2.0**-40), zeros(7 * N, D)))

# ---- every rounding ----------------------------------------------------------------------------------------------

for mode in ("rn", "rz", "rd", "ru"):      # to nearest, towards zero, down, up
    case(f"float_rounding_{mode}",
         "float: sum, product, fma, quotient, root and reciprocal.", """
extern "C" __global__ void k(const float *a, const float *b, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t], y = b[t];
    int k = t * 6;
    o[k] = __fadd_MODE(x, y);
    o[k + 1] = __fmul_MODE(x, y);
    o[k + 2] = __fmaf_MODE(x, y, x);
    o[k + 3] = __fdiv_MODE(x, y);
    o[k + 4] = __fsqrt_MODE(x);
    o[k + 5] = __frcp_MODE(y);
}
""".replace("MODE", mode), grid=N // 64, block=64,
         arguments=(PAIRS_A, PAIRS_B, zeros(6 * N, F)))

    case(f"double_rounding_{mode}",
         "double: sum, product, fma, quotient and root.", """
extern "C" __global__ void k(const double *a, const double *b, double *o) {
    int t = threadIdx.x;
    double x = a[t], y = b[t];
    int k = t * 5;
    o[k] = __dadd_MODE(x, y);
    o[k + 1] = __dmul_MODE(x, y);
    o[k + 2] = __fma_MODE(x, y, x);
    o[k + 3] = __ddiv_MODE(x, y);
    o[k + 4] = __dsqrt_MODE(x);
}
""".replace("MODE", mode), grid=1, block=64,
         arguments=(mixed(64, D, -3, 5), mixed(64, D, -2, 9, seed=7), zeros(320, D)))

    case(f"float_to_integer_{mode}",
         "float to int, unsigned and long long; what does not fit becomes the nearest end.", """
extern "C" __global__ void k(const float *a, int *i, unsigned *u, long long *l) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t];
    i[t] = __float2int_MODE(x);
    u[t] = __float2uint_MODE(x);
    l[t] = __float2ll_MODE(x) ^ (long long)__float2ull_MODE(x);
}
""".replace("MODE", mode), grid=1, block=len(EDGES),
         arguments=(EDGES, zeros(len(EDGES)), zeros(len(EDGES), np.uint32), zeros(len(EDGES), np.int64)))

    case(f"integer_to_float_{mode}",
         "Integers with more bits than a float or a double has room for.", """
extern "C" __global__ void k(const int *a, float *f, double *d) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[t];
    long long l = (long long)x * 1234567891;
    f[2 * t] = __int2float_MODE(x);
    f[2 * t + 1] = __ll2float_MODE(l) + __uint2float_MODE(x);
    d[2 * t] = __ll2double_MODE(l * 77);
    d[2 * t + 1] = __ull2double_MODE(l);
}
""".replace("MODE", mode), grid=2, block=128,
         arguments=(I, zeros(512, F), zeros(512, D)))

# ---- conversions, comparisons, short formats ---------------------------------------------------------------------

case("double_to_integer_and_float",
     "double to shorter types: out of range, NaN, rounded up and to nearest.", """
extern "C" __global__ void k(const double *a, int *i, long long *l, float *f) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[t];
    i[t] = (int)x;
    l[t] = (long long)(x * 1e5);
    f[2 * t] = (float)x;
    f[2 * t + 1] = __double2float_ru(x);
}
""", grid=1, block=96,
     arguments=(np.concatenate((EDGES.astype(D), mixed(64, D, -1e12, 1e12))), zeros(96),
                zeros(96, np.int64), zeros(192, F)))

case("narrow_integers",
     "float to 8- and 16-bit integers: the upper bits are cut off.", """
extern "C" __global__ void k(const float *a, signed char *c, unsigned short *u, short *s) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t];
    c[t] = (signed char)(int)x;
    u[t] = (unsigned short)(int)x;
    s[t] = (short)x;
}
""", grid=1, block=32,
     arguments=(mixed(32, F, -70000, 70000), zeros(32, np.int8), zeros(32, np.uint16), zeros(32, np.int16)))

case("flush_to_zero",
     "Compiled with --ftz=true: subnormal operands and results become zero.", """
extern "C" __global__ void k(const float *a, const float *b, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t], y = b[t];
    int k = t * 4;
    o[k] = x + y;
    o[k + 1] = x * y;
    o[k + 2] = fmaf(x, y, y);
    o[k + 3] = fminf(x, y);
}
""", grid=N // 64, block=64, options=("--ftz=true",),
     arguments=(PAIRS_A * F(1e-30), PAIRS_B * F(1e-8), zeros(4 * N, F)))

case("rounding_to_whole_numbers",
     "floor, ceil, trunc, rint, round, and limiting to [0, 1].", """
extern "C" __global__ void k(const float *a, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t];
    o[6 * t] = floorf(x);
    o[6 * t + 1] = ceilf(x);
    o[6 * t + 2] = truncf(x);
    o[6 * t + 3] = rintf(x);
    o[6 * t + 4] = roundf(x);
    o[6 * t + 5] = __saturatef(x);
}
""", grid=1, block=len(EDGES),
     arguments=(EDGES, zeros(6 * len(EDGES), F)))

case("comparisons_with_nan",
     "Every comparison, with NaN on either side or on both.", """
extern "C" __global__ void k(const float *a, const float *b, int *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t], y = b[t];
    o[t] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | !(x > y) << 4 |
           !(x >= y) << 5 | isnan(x) << 6 | isinf(y) << 7 | signbit(x) << 8 | isfinite(y) << 9;
}
""", grid=N // 64, block=64,
     arguments=(PAIRS_A, PAIRS_B, zeros(N)))

case("half_arithmetic",
     "__half on edge values.", """
#include <cuda_fp16.h>

extern "C" __global__ void k(const __half *a, const __half *b, __half *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __half x = a[t], y = b[t];
    int k = t * 7;
    o[k] = x + y;
    o[k + 1] = x - y;
    o[k + 2] = x * y;
    o[k + 3] = __hfma(x, y, x);
    o[k + 4] = __hmax(x, y);
    o[k + 5] = __hmin(x, y);
    o[k + 6] = __hneg(__habs(x));
}
""", grid=N // 64, block=64,
     arguments=(HALVES_A, HALVES_B, zeros(7 * N, np.float16)))

case("half_pairs",
     "Two halves in one register.", """
#include <cuda_fp16.h>

extern "C" __global__ void k(const __half2 *a, const __half2 *b, __half2 *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 x = a[t], y = b[t];
    o[4 * t] = __hfma2(x, y, x);
    o[4 * t + 1] = x + y;
    o[4 * t + 2] = __hgt2(x, y);
    o[4 * t + 3] = __lowhigh2highlow(x) * y;
}
""", grid=2, block=64,
     arguments=(mixed(256, np.float16, -4, 4), mixed(256, np.float16, -3, 5, seed=4),
                zeros(1024, np.float16)))

case("half_conversions",
     "float to __half with every rounding, and back.", """
#include <cuda_fp16.h>

extern "C" __global__ void k(const float *a, __half *h, float *f) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t];
    h[4 * t] = __float2half_rn(x);
    h[4 * t + 1] = __float2half_rz(x);
    h[4 * t + 2] = __float2half_ru(x);
    h[4 * t + 3] = __float2half_rd(x);
    f[t] = __half2float(h[4 * t]) + __half2int_rz(h[4 * t + 1]);
}
""", grid=1, block=96,
     arguments=(np.concatenate((EDGES, mixed(64, F, -70000, 70000))), zeros(384, np.float16), zeros(96, F)))

case("bfloat16",
     "__nv_bfloat16: the upper half of a float.", """
#include <cuda_bf16.h>

extern "C" __global__ void k(const float *a, const float *b, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 x = __float2bfloat16(a[t]), y = __float2bfloat16(b[t]);
    o[4 * t] = __bfloat162float(x + y);
    o[4 * t + 1] = __bfloat162float(x * y);
    o[4 * t + 2] = __bfloat162float(__hfma(x, y, y));
    o[4 * t + 3] = __bfloat162float(__float2bfloat16_rz(a[t]));
}
""", grid=2, block=64,
     arguments=(mixed(128, F, -100, 100), mixed(128, F, -1, 3, seed=2), zeros(512, F)))

# ---- functions of the math library -------------------------------------------------------------------------------
# They end in the fast approximations, whose last bits PTX leaves open: hence an error, of a few last places.

FAMILIES = (
    ("exponentials", "expf exp2f exp10f expm1f", -20, 20),
    ("logarithms", "logf log2f log10f log1pf", 1e-3, 1e6),
    ("trigonometry", "sinf cosf tanf sinpif", -50, 50),
    ("large_arguments", "sinf cosf tanf", 1e5, 1e9),
    ("hyperbolics", "sinhf coshf tanhf asinhf", -8, 8),
    ("roots", "cbrtf rsqrtf rcbrtf sqrtf", 1e-6, 1e6),
    ("error_functions", "erff erfcf normcdff erfinvf", -0.99, 0.99),
    ("gamma", "lgammaf tgammaf j0f", 0.1, 20),
)


def math_functions(family, functions, low, high, type_name, dtype, error):
    """A kernel that applies each function of a family to each number; double's names have no f at the end."""
    names = [name if type_name == "float" else name.removesuffix("f") for name in functions.split()]
    calls = "".join(f"    o[{len(names)} * t + {place}] = {name}(a[t]);\n" for place, name in enumerate(names))
    case(f"{family}_{type_name}",
         f"{functions}, for {type_name}.", f"""
extern "C" __global__ void k(const {type_name} *a, {type_name} *o) {{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
{calls}}}
""", grid=1, block=64, error=error,
         arguments=(mixed(64, dtype, low, high), zeros(64 * len(names), dtype)))


for family in FAMILIES:
    math_functions(*family, "float", F, error=2e-6)
    math_functions(*family, "double", D, error=1e-14)

case("powers_and_remainders",
     "Functions of two arguments from the math library.", """
extern "C" __global__ void k(const float *a, const float *b, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t], y = b[t];
    o[5 * t] = powf(x, y);
    o[5 * t + 1] = fmodf(x, y);
    o[5 * t + 2] = atan2f(x, y);
    o[5 * t + 3] = hypotf(x, y);
    o[5 * t + 4] = remainderf(x, y);
}
""", grid=1, block=64, error=2e-6,
     arguments=(mixed(64, F, 0.1, 30), mixed(64, F, -5, 5, seed=6), zeros(320, F)))

case("fast_intrinsics",
     "The fast and inexact forms: __expf and the like.", """
extern "C" __global__ void k(const float *a, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t];
    o[6 * t] = __expf(x);
    o[6 * t + 1] = __logf(x + 5);
    o[6 * t + 2] = __sinf(x);
    o[6 * t + 3] = __cosf(x);
    o[6 * t + 4] = __fdividef(x, 3.7f);
    o[6 * t + 5] = __powf(x + 5, 1.3f);
}
""", grid=1, block=64, error=1e-5,
     arguments=(mixed(64, F, -3, 3), zeros(384, F)))

case("fast_math",
     "What --use_fast_math makes of ordinary functions.", """
extern "C" __global__ void k(const float *a, float *o) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[t];
    o[4 * t] = expf(x) / (1 + sinf(x) * sinf(x));
    o[4 * t + 1] = sqrtf(x * x + 1);
    o[4 * t + 2] = x / (x * x + 0.3f);
    o[4 * t + 3] = tanhf(x);
}
""", grid=1, block=64, error=1e-5, options=("--use_fast_math",),
     arguments=(mixed(64, F, -3, 3), zeros(256, F)))

# ---- whole algorithms --------------------------------------------------------------------------------------------

case("mandelbrot",
     "A loop that each thread leaves after another number of turns.", """
extern "C" __global__ void k(int *o, int w) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float a = 0, b = 0, p = x / 20.f - 2, q = y / 20.f - 1;
    int n = 0;
    while (n < 100 && a * a + b * b < 4) {
        float t = a * a - b * b + p;
        b = 2 * a * b + q;
        a = t;
        n++;
    }
    o[y * w + x] = n;
}
""", grid=(4, 3), block=(16, 16),
     arguments=(zeros(64 * 48), 64))

case("monte_carlo_pi",
     "Random points in a square; the hits are counted with an atomic addition.", """
extern "C" __global__ void k(unsigned *hits, int n) {
    unsigned long long s = blockIdx.x * 64 + threadIdx.x + 1;
    unsigned h = 0;
    for (int i = 0; i < n; i++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        float x = (s >> 40) * 0x1p-24f;
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        float y = (s >> 40) * 0x1p-24f;
        h += x * x + y * y < 1;
    }
    atomicAdd(hits, h);
}
""", grid=2, block=64,
     arguments=(zeros(1, np.uint32), 100))

case("n_body_step",
     "The pull of 64 bodies on each other, with positions in shared memory.", """
extern "C" __global__ void k(const float4 *p, float4 *v, int n) {
    __shared__ float4 s[64];
    int t = threadIdx.x;
    float4 me = p[t], a = make_float4(0, 0, 0, 0);
    s[t] = me;
    __syncthreads();
    for (int j = 0; j < n; j++) {
        float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z,
              r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = s[j].w * r * r * r;
        a.x += f * dx;
        a.y += f * dy;
        a.z += f * dz;
    }
    v[t] = a;
}
""", grid=1, block=64, error=1e-4,
     arguments=(mixed(256, F, -1, 1), zeros(256, F), 64))

case("kahan_sum",
     "A sum that keeps what rounding lost; contracting its terms would break it.", """
extern "C" __global__ void k(const float *a, float *o, int n) {
    float s = 0, c = 0;
    for (int i = threadIdx.x; i < n; i += 8) {
        float y = a[i] - c, t = s + y;
        c = (t - s) - y;
        s = t;
    }
    o[threadIdx.x] = s;
}
""", grid=1, block=8, options=("--fmad=false",),
     arguments=(mixed(800, F, 0, 1000), zeros(8, F), 800))

case("runge_kutta",
     "A differential equation in double precision, fourth order.", """
extern "C" __global__ void k(double *y, int n) {
    double x = 0, h = 0.01, v = y[threadIdx.x];
    for (int i = 0; i < n; i++) {
        double a = x - v, b = x + h / 2 - (v + h / 2 * a), c = x + h / 2 - (v + h / 2 * b),
               d = x + h - (v + h * c);
        v += h / 6 * (a + 2 * b + 2 * c + d);
        x += h;
    }
    y[threadIdx.x] = v;
}
""", grid=1, block=16,
     arguments=(mixed(16, D, -2, 4), 30))
