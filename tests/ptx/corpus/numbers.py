"""Arithmetic: integers, floats with every rounding, halves, conversions, the functions of the math library."""

import numpy as np

from . import case, mixed, zeros

F, D = np.float32, np.float64
EDGES = np.array([0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 1e-45, -1e-45, 1.1754942e-38, 1.17549435e-38, 3.4028235e38, -3.4028235e38, np.inf, -np.inf,
                  np.nan, 16777216, 16777217, 2147483648, -2147483648, 4294967296, 9.2233720e18, 65504, 65520, 6e-8, 1e-3, 1 / 3, 1e20, -7.7, 255.5, 300], F)
PAIRS_A, PAIRS_B = np.repeat(EDGES, len(EDGES)), np.tile(EDGES, len(EDGES))
with np.errstate(over="ignore"):
    HALVES_A, HALVES_B = PAIRS_A.astype(np.float16), PAIRS_B.astype(np.float16)
N = len(PAIRS_A)
I, J = mixed(256, low=-2**31, high=2**31), mixed(256, low=-2**31, high=2**31, seed=2)
I[:8], J[:8] = [0, 1, -1, 2**31 - 1, -2**31, 2**31 - 1, -2**31, 7], [1, 0x7FFFFFFF, 1, -1, 1, 2**31 - 1, 2, -3]
T = "int t = blockIdx.x * blockDim.x + threadIdx.x;"
NA = "__nv_bfloat16"

case("integer_arithmetic", "const int *a, const int *b, int *o", T + "int x = a[t], y = b[t], k = t * 10; o[k] = x + y; o[k + 1] = x - y; o[k + 2] = x * y; o[k + 3] = x / y; o[k + 4] = x % y;"
     "o[k + 5] = (unsigned)x / (unsigned)y; o[k + 6] = (unsigned)x % (unsigned)y; o[k + 7] = __mulhi(x, y); o[k + 8] = __umulhi(x, y); o[k + 9] = __sad(x, y, t) + abs(x) - min(x, y) + max(x, y);", 2, 128, I, J, zeros(2560))
case("long_arithmetic", "const long long *a, const long long *b, long long *o", T + "long long x = a[t], y = b[t], k = t * 8; o[k] = x * y; o[k + 1] = x / y; o[k + 2] = x % y; o[k + 3] = (unsigned long long)x / (unsigned long long)y; o[k + 4] = __mul64hi(x, y);"
     "o[k + 5] = __umul64hi(x, y); o[k + 6] = x >> (y & 63); o[k + 7] = (x << (y & 63)) ^ (long long)((unsigned long long)x >> (t & 63));", 1, 100, mixed(100, np.int64, -2.0**62, 2.0**62), mixed(100, np.int64, 1, 2.0**45, seed=3), zeros(800, np.int64))
case("integers_of_128_bits", "const long long *a, long long *o", "__int128 x = (__int128)a[threadIdx.x] * a[threadIdx.x + 1] + a[0]; x = x * 3 - (x >> 17); o[threadIdx.x * 2] = x; o[threadIdx.x * 2 + 1] = x >> 64;", 1, 32, mixed(33, np.int64, -2.0**62, 2.0**62), zeros(64, np.int64), options=("--device-int128",))
case("bit_tricks", "const unsigned *a, const unsigned *b, unsigned *o", T + "unsigned x = a[t], y = b[t], k = t * 10; o[k] = __popc(x); o[k + 1] = __clz(x); o[k + 2] = __brev(x); o[k + 3] = __ffs(x); o[k + 4] = __byte_perm(x, y, t * 0x1357); o[k + 5] = __funnelshift_l(x, y, t);"
     "o[k + 6] = __funnelshift_rc(x, y, t % 40); o[k + 7] = __clzll((unsigned long long)x << (t & 31)); o[k + 8] = __popcll((unsigned long long)x * y); o[k + 9] = __fns(x, t & 31, (int)(t % 7) - 3);", 2, 128, I.view(np.uint32), J.view(np.uint32), zeros(2560, np.uint32))
case("video_instructions", "const int *a, const int *b, int *o", T + "int x = a[t], y = b[t], k = t * 10; o[k] = __dp4a(x, y, t); o[k + 1] = __dp4a((unsigned)x, (unsigned)y, (unsigned)t); o[k + 2] = __dp2a_lo(x, y, t); o[k + 3] = __vadd4(x, y); o[k + 4] = __vsads4(x, y); o[k + 5] = __vmaxs2(x, y);"
     "o[k + 6] = __vcmpgts4(x, y); o[k + 7] = __vabsdiffu4(x, y); o[k + 8] = __hadd(x, y); o[k + 9] = __mul24(x, y) + __rhadd(x, y);", 2, 128, I, J, zeros(2560))
case("xorshift_random_numbers", "unsigned *o, int n", "unsigned x = threadIdx.x * 2654435761u + 1; for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; } o[threadIdx.x] = x;", 1, 64, zeros(64, np.uint32), 50)
case("float_operations_on_edge_values", "const float *a, const float *b, float *o", T + "float x = a[t], y = b[t]; int k = t * 9; o[k] = x + y; o[k + 1] = x - y; o[k + 2] = x * y; o[k + 3] = x / y; o[k + 4] = fmaf(x, y, x); o[k + 5] = sqrtf(x); o[k + 6] = fminf(x, y); o[k + 7] = fmaxf(x, y); o[k + 8] = 1 / x;",
     N // 64, 64, PAIRS_A, PAIRS_B, zeros(9 * N, F))
case("double_operations_on_edge_values", "const double *a, const double *b, double *o", T + "double x = a[t], y = b[t]; int k = t * 7; o[k] = x + y; o[k + 1] = x * y; o[k + 2] = x / y; o[k + 3] = fma(x, y, -x); o[k + 4] = sqrt(x); o[k + 5] = fmin(x, y) + fmax(y, x); o[k + 6] = __drcp_rn(x);",
     N // 64, 64, PAIRS_A.astype(D), PAIRS_B.astype(D) * (1 + 2.0**-40), zeros(7 * N, D))
for _m in ("rn", "rz", "rd", "ru"):
    case(f"float_rounding_{_m}", "const float *a, const float *b, float *o", T + f"float x = a[t], y = b[t]; int k = t * 6; o[k] = __fadd_{_m}(x, y); o[k + 1] = __fmul_{_m}(x, y); o[k + 2] = __fmaf_{_m}(x, y, x); o[k + 3] = __fdiv_{_m}(x, y); o[k + 4] = __fsqrt_{_m}(x); o[k + 5] = __frcp_{_m}(y);",
         N // 64, 64, PAIRS_A, PAIRS_B, zeros(6 * N, F))
    case(f"double_rounding_{_m}", "const double *a, const double *b, double *o", f"int t = threadIdx.x; double x = a[t], y = b[t]; int k = t * 5; o[k] = __dadd_{_m}(x, y); o[k + 1] = __dmul_{_m}(x, y); o[k + 2] = __fma_{_m}(x, y, x); o[k + 3] = __ddiv_{_m}(x, y); o[k + 4] = __dsqrt_{_m}(x);",
         1, 64, mixed(64, D, -3, 5), mixed(64, D, -2, 9, seed=7), zeros(320, D))
    case(f"float_to_integer_{_m}", "const float *a, int *i, unsigned *u, long long *l", T + f"float x = a[t]; i[t] = __float2int_{_m}(x); u[t] = __float2uint_{_m}(x); l[t] = __float2ll_{_m}(x) ^ (long long)__float2ull_{_m}(x);", 1, len(EDGES), EDGES, zeros(len(EDGES)), zeros(len(EDGES), np.uint32), zeros(len(EDGES), np.int64))
    case(f"integer_to_float_{_m}", "const int *a, float *f, double *d", T + f"int x = a[t]; long long l = (long long)x * 1234567891; f[2 * t] = __int2float_{_m}(x); f[2 * t + 1] = __ll2float_{_m}(l) + __uint2float_{_m}(x); d[2 * t] = __ll2double_{_m}(l * 77); d[2 * t + 1] = __ull2double_{_m}(l);", 2, 128, I, zeros(512, F), zeros(512, D))
case("double_to_integer_and_float", "const double *a, int *i, long long *l, float *f", T + "double x = a[t]; i[t] = (int)x; l[t] = (long long)(x * 1e5); f[2 * t] = (float)x; f[2 * t + 1] = __double2float_ru(x); ", 1, 96,
     np.concatenate((EDGES.astype(D), mixed(64, D, -1e12, 1e12))), zeros(96), zeros(96, np.int64), zeros(192, F))
case("narrow_integers", "const float *a, signed char *c, unsigned short *u, short *s", T + "float x = a[t]; c[t] = (signed char)(int)x; u[t] = (unsigned short)(int)x; s[t] = (short)x;", 1, 32, mixed(32, F, -70000, 70000), zeros(32, np.int8), zeros(32, np.uint16), zeros(32, np.int16))
case("flush_to_zero", "const float *a, const float *b, float *o", T + "float x = a[t], y = b[t]; int k = t * 4; o[k] = x + y; o[k + 1] = x * y; o[k + 2] = fmaf(x, y, y); o[k + 3] = fminf(x, y);", N // 64, 64, PAIRS_A * F(1e-30), PAIRS_B * F(1e-8), zeros(4 * N, F), options=("--ftz=true",))
case("rounding_to_whole_numbers", "const float *a, float *o", T + "float x = a[t]; o[6 * t] = floorf(x); o[6 * t + 1] = ceilf(x); o[6 * t + 2] = truncf(x); o[6 * t + 3] = rintf(x); o[6 * t + 4] = roundf(x); o[6 * t + 5] = __saturatef(x);", 1, len(EDGES), EDGES, zeros(6 * len(EDGES), F))
case("comparisons_with_nan", "const float *a, const float *b, int *o", T + "float x = a[t], y = b[t]; o[t] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | !(x > y) << 4 | !(x >= y) << 5 | isnan(x) << 6 | isinf(y) << 7 | signbit(x) << 8 | isfinite(y) << 9;", N // 64, 64, PAIRS_A, PAIRS_B, zeros(N))
case("half_arithmetic", "const __half *a, const __half *b, __half *o", T + "__half x = a[t], y = b[t]; int k = t * 7; o[k] = x + y; o[k + 1] = x - y; o[k + 2] = x * y; o[k + 3] = __hfma(x, y, x); o[k + 4] = __hmax(x, y); o[k + 5] = __hmin(x, y); o[k + 6] = __hneg(__habs(x));",
     N // 64, 64, HALVES_A, HALVES_B, zeros(7 * N, np.float16), before="#include <cuda_fp16.h>")
case("half_pairs", "const __half2 *a, const __half2 *b, __half2 *o", T + "__half2 x = a[t], y = b[t]; o[4 * t] = __hfma2(x, y, x); o[4 * t + 1] = x + y; o[4 * t + 2] = __hgt2(x, y); o[4 * t + 3] = __lowhigh2highlow(x) * y;", 2, 64, mixed(256, np.float16, -4, 4), mixed(256, np.float16, -3, 5, seed=4), zeros(1024, np.float16), before="#include <cuda_fp16.h>")
case("half_conversions", "const float *a, __half *h, float *f", T + "float x = a[t]; h[4 * t] = __float2half_rn(x); h[4 * t + 1] = __float2half_rz(x); h[4 * t + 2] = __float2half_ru(x); h[4 * t + 3] = __float2half_rd(x); f[t] = __half2float(h[4 * t]) + __half2int_rz(h[4 * t + 1]);", 1, 96, np.concatenate((EDGES, mixed(64, F, -70000, 70000))), zeros(384, np.float16), zeros(96, F), before="#include <cuda_fp16.h>")
case("bfloat16", "const float *a, const float *b, float *o", T + f"{NA} x = __float2bfloat16(a[t]), y = __float2bfloat16(b[t]); o[4 * t] = __bfloat162float(x + y); o[4 * t + 1] = __bfloat162float(x * y); o[4 * t + 2] = __bfloat162float(__hfma(x, y, y)); o[4 * t + 3] = __bfloat162float(__float2bfloat16_rz(a[t]));",
     2, 64, mixed(128, F, -100, 100), mixed(128, F, -1, 3, seed=2), zeros(512, F), before="#include <cuda_bf16.h>")
for _name, _functions, _low, _high in (("exponentials", "expf exp2f exp10f expm1f", -20, 20), ("logarithms", "logf log2f log10f log1pf", 1e-3, 1e6), ("trigonometry", "sinf cosf tanf sinpif", -50, 50),
                                       ("large_arguments", "sinf cosf tanf", 1e5, 1e9), ("hyperbolics", "sinhf coshf tanhf asinhf", -8, 8), ("roots", "cbrtf rsqrtf rcbrtf sqrtf", 1e-6, 1e6), ("error_functions", "erff erfcf normcdff erfinvf", -0.99, 0.99), ("gamma", "lgammaf tgammaf j0f", 0.1, 20)):
    for _type, _dtype, _error in (("float", F, 2e-6), ("double", D, 1e-14)):
        _calls = _functions.split()
        case(f"{_name}_{_type}", f"const {_type} *a, {_type} *o", T + "".join(f"o[{len(_calls)} * t + {k}] = {f if _type == 'float' else f[:-1]}(a[t]);" for k, f in enumerate(_calls)), 1, 64,
             mixed(64, _dtype, _low, _high), zeros(64 * len(_calls), _dtype), error=_error)
case("powers_and_remainders", "const float *a, const float *b, float *o", T + "float x = a[t], y = b[t]; o[5 * t] = powf(x, y); o[5 * t + 1] = fmodf(x, y); o[5 * t + 2] = atan2f(x, y); o[5 * t + 3] = hypotf(x, y); o[5 * t + 4] = remainderf(x, y);", 1, 64, mixed(64, F, 0.1, 30), mixed(64, F, -5, 5, seed=6), zeros(320, F), error=2e-6)
case("fast_intrinsics", "const float *a, float *o", T + "float x = a[t]; o[6 * t] = __expf(x); o[6 * t + 1] = __logf(x + 5); o[6 * t + 2] = __sinf(x); o[6 * t + 3] = __cosf(x); o[6 * t + 4] = __fdividef(x, 3.7f); o[6 * t + 5] = __powf(x + 5, 1.3f);", 1, 64, mixed(64, F, -3, 3), zeros(384, F), error=1e-5)
case("fast_math", "const float *a, float *o", T + "float x = a[t]; o[4 * t] = expf(x) / (1 + sinf(x) * sinf(x)); o[4 * t + 1] = sqrtf(x * x + 1); o[4 * t + 2] = x / (x * x + 0.3f); o[4 * t + 3] = tanhf(x);", 1, 64, mixed(64, F, -3, 3), zeros(256, F), error=1e-5, options=("--use_fast_math",))
case("mandelbrot", "int *o, int w", "int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; float a = 0, b = 0, p = x / 20.f - 2, q = y / 20.f - 1; int n = 0; while (n < 100 && a * a + b * b < 4) { float t = a * a - b * b + p; b = 2 * a * b + q; a = t; n++; } o[y * w + x] = n;", (4, 3), (16, 16), zeros(64 * 48), 64)
case("monte_carlo_pi", "unsigned *hits, int n", "unsigned long long s = blockIdx.x * 64 + threadIdx.x + 1; unsigned h = 0; for (int i = 0; i < n; i++) { s = s * 6364136223846793005ull + 1442695040888963407ull; float x = (s >> 40) * 0x1p-24f; s = s * 6364136223846793005ull + 1442695040888963407ull; float y = (s >> 40) * 0x1p-24f; h += x * x + y * y < 1; } atomicAdd(hits, h);", 2, 64, zeros(1, np.uint32), 100)
case("n_body_step", "const float4 *p, float4 *v, int n", "__shared__ float4 s[64]; int t = threadIdx.x; float4 me = p[t], a = make_float4(0, 0, 0, 0); s[t] = me; __syncthreads(); for (int j = 0; j < n; j++) { float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = s[j].w * r * r * r; a.x += f * dx; a.y += f * dy; a.z += f * dz; } v[t] = a;", 1, 64, mixed(256, F, -1, 1), zeros(256, F), 64, error=1e-4)
case("kahan_sum", "const float *a, float *o, int n", "float s = 0, c = 0; for (int i = threadIdx.x; i < n; i += 8) { float y = a[i] - c, t = s + y; c = (t - s) - y; s = t; } o[threadIdx.x] = s;", 1, 8, mixed(800, F, 0, 1000), zeros(8, F), 800, options=("--fmad=false",))
case("runge_kutta", "double *y, int n", "double x = 0, h = 0.01, v = y[threadIdx.x]; for (int i = 0; i < n; i++) { double a = x - v, b = x + h / 2 - (v + h / 2 * a), c = x + h / 2 - (v + h / 2 * b), d = x + h - (v + h * c); v += h / 6 * (a + 2 * b + 2 * c + d); x += h; } y[threadIdx.x] = v;", 1, 16, mixed(16, D, -2, 4), 30)
