"""Maps, reductions, scans, histograms, stencils: the patterns of every first CUDA course."""

import numpy as np

from . import case, mixed, zeros

F = np.float32

a, b = mixed(1000, F, -5, 9), mixed(1000, F, -3, 4, seed=2)

case("vector_add",
     "One thread adds one pair of numbers; those past the end do nothing.", """
extern "C" __global__ void k(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
""", grid=4, block=256,
     arguments=(a, b, zeros(1000, F), 1000),
     expected=lambda a, b, c, n: {2: a + b})

case("saxpy",
     "y = s x + y, with a number as the kernel's parameter.", """
extern "C" __global__ void k(float s, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = s * x[i] + y[i];
}
""", grid=8, block=128,
     arguments=(2.5, a, b, 1000))

case("grid_stride_loop",
     "A grid that is smaller than the data goes over it in steps of its own size.", """
extern "C" __global__ void k(const int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x)
        b[i] = 3 * a[i] - i;
}
""", grid=3, block=64,
     arguments=(mixed(1000), zeros(1000), 1000),
     expected=lambda a, b, n: {1: 3 * a - np.arange(n, dtype=np.int32)})

case("two_dimensional_map",
     "A grid of two dimensions over a picture that it does not fit exactly.", """
extern "C" __global__ void k(const int *a, int *b, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        b[y * w + x] = a[(h - 1 - y) * w + x] * (x + 1) - y;
}
""", grid=(3, 4), block=(16, 8),
     arguments=(mixed(37 * 29), zeros(37 * 29), 37, 29))

case("grid_of_three_dimensions",
     "Blocks and threads numbered in three dimensions.", """
extern "C" __global__ void k(int *a) {
    int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    a[b * 24 + t] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.x +
                    10000 * threadIdx.y + 100000 * threadIdx.z;
}
""", grid=(2, 3, 4), block=(2, 3, 4),
     arguments=(zeros(24 * 24),))

case("polynomial",
     "Horner's rule in double precision.", """
extern "C" __global__ void k(const double *x, double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double t = x[i];
    y[i] = ((3 * t - 2) * t + 0.5) * t - 1;
}
""", grid=2, block=50,
     arguments=(mixed(100, np.float64, -2, 3), zeros(100, np.float64)))

# ---- reductions --------------------------------------------------------------------------------------------------

case("reduction_interleaved",
     "A tree of sums whose working threads lie ever further apart: warps stay half idle.", """
extern "C" __global__ void k(const float *a, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 128 + t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
""", grid=7, block=128,
     arguments=(mixed(896, F, -1, 2), zeros(7, F)))

case("reduction_interleaved_strided",
     "The same sums by neighbouring threads: no idle threads, but bank conflicts.", """
extern "C" __global__ void k(const float *a, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 128 + t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int j = 2 * d * t;
        if (j < 128)
            s[j] += s[j + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
""", grid=7, block=128,
     arguments=(mixed(896, F, -1, 2), zeros(7, F)))

case("reduction_sequential",
     "The distance halves: neighbouring threads, neighbouring numbers.", """
extern "C" __global__ void k(const float *a, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 128 + t];
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
""", grid=7, block=128,
     arguments=(mixed(896, F, -1, 2), zeros(7, F)))

case("reduction_unrolled_last_warp",
     "The last warp goes on without barriers of the block, over volatile memory.", """
extern "C" __global__ void k(const int *a, int *out) {
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = a[i] + a[i + 128];
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        volatile int *v = s;
        v[t] += v[t + 32];
        __syncwarp();
        v[t] += v[t + 16];
        __syncwarp();
        v[t] += v[t + 8];
        __syncwarp();
        v[t] += v[t + 4];
        __syncwarp();
        v[t] += v[t + 2];
        __syncwarp();
        v[t] += v[t + 1];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
""", grid=5, block=128, shared=512 + 128,
     arguments=(mixed(1280), zeros(5)))

case("reduction_atomic",
     "Sum, maximum and minimum with atomics.", """
extern "C" __global__ void k(const int *a, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = 0;
    for (; i < n; i += gridDim.x * blockDim.x)
        t += a[i];
    atomicAdd(out, t);
    atomicMax(out + 1, t);
    atomicMin(out + 2, t);
}
""", grid=4, block=64,
     arguments=(mixed(3000, low=-500), np.array([0, -(1 << 30), 1 << 30], np.int32), 3000))

case("argmin",
     "The place of the smallest number: value and place in one 64-bit atomic minimum.", """
extern "C" __global__ void k(const float *a, unsigned long long *best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMin(best, (unsigned long long)__float_as_uint(a[i]) << 32 | i);
}
""", grid=4, block=256,
     arguments=(mixed(1000, F, 1, 100), np.array([2**64 - 1], np.uint64), 1000),
     expected=lambda a, best, n: {
         1: np.array([int(a.min().view(np.uint32)) << 32 | int(a.argmin())], np.uint64)})

case("dot_product_last_block",
     "The block that finishes last adds up what the others have left.", """
extern "C" __global__ void k(const double *a, const double *b, double *part, unsigned *count,
                             double *out, int n) {
    __shared__ double s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    double sum = 0;
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64)
        sum += a[i] * b[i];
    s[t] = sum;
    __syncthreads();
    for (int d = 32; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        double r = 0;
        for (int b = 0; b < gridDim.x; b++)
            r += ((volatile double *)part)[b];
        *out = r;
    }
}
""", grid=9, block=64,
     arguments=(mixed(2000, np.float64, -1, 1), mixed(2000, np.float64, 0, 3, seed=5), zeros(9, np.float64),
                zeros(1, np.uint32), zeros(1, np.float64), 2000))

# ---- scans -------------------------------------------------------------------------------------------------------

case("scan_hillis_steele",
     "Running sums in log n steps, between two buffers.", """
extern "C" __global__ void k(const int *a, int *out) {
    __shared__ int s[2][200];
    int t = threadIdx.x, now = 0;
    s[0][t] = a[blockIdx.x * 200 + t];
    __syncthreads();
    for (int d = 1; d < 200; d *= 2) {
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[blockIdx.x * 200 + t] = s[now][t];
}
""", grid=3, block=200,
     arguments=(mixed(600), zeros(600)),
     expected=lambda a, out: {1: np.cumsum(a.reshape(3, 200), axis=1, dtype=np.int32).ravel()})

case("scan_blelloch",
     "Running sums by a tree: up with sums, down with what stands before.", """
extern "C" __global__ void k(const int *a, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x, d = 1;
    s[2 * t] = a[2 * t];
    s[2 * t + 1] = a[2 * t + 1];
    for (int n = 128; n > 0; n >>= 1) {
        __syncthreads();
        if (t < n)
            s[d * (2 * t + 2) - 1] += s[d * (2 * t + 1) - 1];
        d *= 2;
    }
    if (t == 0)
        s[255] = 0;
    for (int n = 1; n < 256; n *= 2) {
        d >>= 1;
        __syncthreads();
        if (t < n) {
            int i = d * (2 * t + 1) - 1, j = d * (2 * t + 2) - 1;
            int x = s[i];
            s[i] = s[j];
            s[j] += x;
        }
    }
    __syncthreads();
    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}
""", grid=1, block=128,
     arguments=(mixed(256), zeros(256)),
     expected=lambda a, out: {1: (np.cumsum(a) - a).astype(np.int32)})

case("scan_decoupled_look_back",
     "Running sums over blocks: each waits for the total of the block before it.", """
extern "C" __global__ void k(const int *a, int *out, volatile int *flag, volatile int *total) {
    __shared__ int s[64];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = a[b * 64 + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int x = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    if (t == 0) {
        int x = 0;
        if (b) {
            while (flag[b - 1] == 0)
                ;
            __threadfence();
            x = total[b - 1];
        }
        total[b] = x + s[63];
        __threadfence();
        flag[b] = 1;
        before = x;
    }
    __syncthreads();
    out[b * 64 + t] = before + s[t];
}
""", grid=20, block=64,
     arguments=(mixed(1280), zeros(1280), zeros(20), zeros(20)),
     expected=lambda a, out, *rest: {1: np.cumsum(a, dtype=np.int32)})

case("compaction",
     "Keep some elements, in order: a scan says where each goes.", """
extern "C" __global__ void k(const int *a, int *out, int *count) {
    __shared__ int s[256];
    int t = threadIdx.x, keep = a[t] % 3 == 0;
    s[t] = keep;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int x = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    if (keep)
        out[s[t] - 1] = a[t];
    if (t == 255)
        *count = s[t];
}
""", grid=1, block=256,
     arguments=(mixed(256), zeros(256), zeros(1)))

case("segmented_sum_by_keys",
     "The first thread of each run of equal keys adds up the run.", """
extern "C" __global__ void k(const int *keys, const int *values, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i == 0 || keys[i] != keys[i - 1])) {
        int t = 0, j = i;
        do
            t += values[j];
        while (++j < n && keys[j] == keys[i]);
        out[keys[i]] = t;
    }
}
""", grid=2, block=100,
     arguments=(np.sort(mixed(200, high=17)), mixed(200, seed=3), zeros(17), 200))

# ---- histograms and stencils ---------------------------------------------------------------------------------------

BYTES = mixed(4000, np.uint8, 0, 255, seed=9) // np.uint8(3)

case("histogram_global",
     "A histogram with atomics in global memory.", """
extern "C" __global__ void k(const unsigned char *d, int *h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(h + d[i], 1);
}
""", grid=16, block=256,
     arguments=(BYTES, zeros(256), 4000),
     expected=lambda d, h, n: {1: np.bincount(d, minlength=256).astype(np.int32)})

case("histogram_shared",
     "A histogram for each block in shared memory, then one for all.", """
extern "C" __global__ void k(const unsigned char *d, int *h, int n) {
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(s + d[i], 1);
    __syncthreads();
    atomicAdd(h + threadIdx.x, s[threadIdx.x]);
}
""", grid=3, block=256,
     arguments=(BYTES, zeros(256), 4000),
     expected=lambda d, h, n: {1: np.bincount(d, minlength=256).astype(np.int32)})

case("stencil_1d",
     "Sums over seven neighbours: a tile in shared memory with a border of three.", """
extern "C" __global__ void k(const float *a, float *b, int n) {
    __shared__ float s[64 + 6];
    int i = blockIdx.x * 64 + threadIdx.x, l = threadIdx.x + 3;
    s[l] = i < n ? a[i] : 0;
    if (threadIdx.x < 3) {
        s[l - 3] = i >= 3 ? a[i - 3] : 0;
        s[l + 64] = i + 64 < n ? a[i + 64] : 0;
    }
    __syncthreads();
    float t = 0;
    for (int d = -3; d <= 3; d++)
        t += s[l + d];
    if (i < n)
        b[i] = t / 7;
}
""", grid=5, block=64,
     arguments=(mixed(300, F), zeros(300, F), 300))

case("stencil_heat_2d",
     "One step of the heat equation; the border stays as it is.", """
extern "C" __global__ void k(const float *a, float *b, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        b[i] = a[i];
        return;
    }
    b[i] = a[i] + 0.2f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] - 4 * a[i]);
}
""", grid=(3, 3), block=(16, 16),
     arguments=(mixed(40 * 36, F), zeros(40 * 36, F), 40, 36))

case("convolution_constant_mask",
     "A convolution whose weights are in constant memory.", """
__constant__ float mask[5] = {0.1f, -0.25f, 1.5f, 3, -0.7f};

extern "C" __global__ void k(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = 0;
    for (int d = 0; d < 5; d++) {
        int j = i + d - 2;
        if (j >= 0 && j < n)
            t = fmaf(a[j], mask[d], t);
    }
    if (i < n)
        b[i] = t;
}
""", grid=4, block=64,
     arguments=(mixed(200, F), zeros(200, F), 200))

case("game_of_life",
     "Conway's game on a torus, in bytes.", """
extern "C" __global__ void k(const unsigned char *a, unsigned char *b, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                n += a[(y + dy + h) % h * w + (x + dx + w) % w];
    b[y * w + x] = n == 3 || (n == 2 && a[y * w + x]);
}
""", grid=(3, 2), block=(16, 16),
     arguments=(mixed(45 * 30, np.uint8, 0, 2), zeros(45 * 30, np.uint8), 45, 30))
