"""Matrices: transposes, products, and the solvers built of them."""

import numpy as np

from . import case, mixed, zeros

F = np.float32

case("transpose_naive",
     "Each thread moves one element: neighbours read side by side and write far apart.", """
extern "C" __global__ void k(const float *a, float *b, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h)
        b[x * h + y] = a[y * w + x];
}
""", grid=(3, 2), block=(16, 16),
     arguments=(mixed(37 * 21, F), zeros(37 * 21, F), 37, 21),
     expected=lambda a, b, w, h: {1: a.reshape(h, w).T.copy().ravel()})

case("transpose_shared_padded",
     "A tile goes through shared memory, so that reads and writes are both side by side.", """
extern "C" __global__ void k(const float *a, float *b, int w, int h) {
    __shared__ float s[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += 4)
        if (x < w && y + j < h)
            s[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += 4)
        if (x < h && y + j < w)
            b[(y + j) * h + x] = s[threadIdx.x][threadIdx.y + j];
}
""", grid=(3, 2), block=(16, 4),
     arguments=(mixed(37 * 21, F), zeros(37 * 21, F), 37, 21),
     expected=lambda a, b, w, h: {1: a.reshape(h, w).T.copy().ravel()})

case("matrix_product_naive",
     "One thread computes one element of the product from global memory.", """
extern "C" __global__ void k(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float t = 0;
    if (x < n && y < n) {
        for (int k = 0; k < n; k++)
            t += a[y * n + k] * b[k * n + x];
        c[y * n + x] = t;
    }
}
""", grid=(3, 3), block=(8, 8),
     arguments=(mixed(400, F, -1, 1), mixed(400, F, -2, 1, seed=4), zeros(400, F), 20))

case("matrix_product_tiled",
     "The product by tiles: each element is loaded once for all threads of the tile.", """
extern "C" __global__ void k(const float *a, const float *b, float *c, int n) {
    __shared__ float s[8][8], t[8][8];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
    float r = 0;
    for (int k = 0; k < n; k += 8) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int j = 0; j < 8; j++)
            r += s[y][j] * t[j][x];
        __syncthreads();
    }
    c[row * n + col] = r;
}
""", grid=(3, 3), block=(8, 8),
     arguments=(mixed(576, F, -1, 1), mixed(576, F, -2, 1, seed=4), zeros(576, F), 24))

case("matrix_product_double_register_tile",
     "Each thread keeps four elements of the product in registers.", """
extern "C" __global__ void k(const double *a, const double *b, double *c, int n) {
    int x = blockIdx.x * 16 + threadIdx.x * 2, y = blockIdx.y * 16 + threadIdx.y * 2;
    double r[2][2] = {};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                r[i][j] += a[(y + i) * n + k] * b[k * n + x + j];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            c[(y + i) * n + x + j] = r[i][j];
}
""", grid=(2, 2), block=(8, 8),
     arguments=(mixed(1024, np.float64, -1, 1), mixed(1024, np.float64, 0, 1, seed=8),
                zeros(1024, np.float64), 32))

case("matrix_vector_warp_per_row",
     "One warp for each row of the matrix, its sum by shuffles.", """
extern "C" __global__ void k(const float *a, const float *x, float *y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    float t = 0;
    for (int k = lane; k < n; k += 32)
        t += a[row * n + k] * x[k];
    for (int d = 16; d; d /= 2)
        t += __shfl_down_sync(0xffffffff, t, d);
    if (lane == 0)
        y[row] = t;
}
""", grid=4, block=128,
     arguments=(mixed(16 * 70, F, -1, 1), mixed(70, F, seed=3), zeros(16, F), 70))

case("sparse_matrix_vector_csr",
     "A sparse matrix in compressed rows, one thread for each row.", """
extern "C" __global__ void k(const int *start, const int *column, const float *value,
                             const float *x, float *y, int n) {
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r < n) {
        float t = 0;
        for (int j = start[r]; j < start[r + 1]; j++)
            t += value[j] * x[column[j]];
        y[r] = t;
    }
}
""", grid=2, block=32,
     arguments=(np.concatenate(([0], np.cumsum(mixed(50, high=9)))).astype(np.int32),
                mixed(450, high=50, seed=2), mixed(450, F, -1, 1), mixed(50, F, seed=6), zeros(50, F), 50))

# ptxas contracts the mul and sub of this case and of the determinant below (test_corpus.py says why it may).
# The error allowed is how far the two ways of rounding can take the results apart, to first order. Here: 2**-24
# of each product and of each difference, carried through eight steps with factors of at most 0.2 between rows.
case("gauss_jordan_in_shared_memory",
     "Eight linear equations solved by a block, one thread for each element.", """
extern "C" __global__ void k(float *a) {
    __shared__ float s[8][9];
    int c = threadIdx.x, r = threadIdx.y;
    s[r][c] = a[r * 9 + c];
    __syncthreads();
    for (int p = 0; p < 8; p++) {
        float f = s[r][p] / s[p][p], v = s[p][c];
        __syncthreads();
        if (r != p)
            s[r][c] -= f * v;
        __syncthreads();
    }
    a[r * 9 + c] = c == 8 ? s[r][8] / s[r][r] : s[r][c];
}
""", grid=1, block=(9, 8), contracted=True, error=5e-6,
     arguments=((mixed(72, F, -1, 1).reshape(8, 9) + np.eye(8, 9, dtype=F) * 6).ravel().copy(),))

case("jacobi_iterations",
     "Two buffers in dynamic shared memory that change places after each step.", """
extern "C" __global__ void k(float *x, const float *b, int n, int steps) {
    extern __shared__ float s[];
    float *now = s, *next = s + n;
    int i = threadIdx.x;
    now[i] = x[i];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        float l = i ? now[i - 1] : 0, r = i < n - 1 ? now[i + 1] : 0;
        next[i] = (b[i] + l + r) / 2.5f;
        __syncthreads();
        float *t = now;
        now = next;
        next = t;
    }
    x[i] = now[i];
}
""", grid=1, block=50, shared=400,
     arguments=(zeros(50, F), mixed(50, F, -3, 5), 50, 25))

DISTANCES = mixed(256, low=1, high=90).reshape(16, 16)
np.fill_diagonal(DISTANCES, 0)

case("floyd_warshall",
     "All shortest paths: n steps over the whole matrix, with barriers between them.", """
extern "C" __global__ void k(int *d, int n) {
    int i = threadIdx.y, j = threadIdx.x;
    for (int k = 0; k < n; k++) {
        int through = d[i * n + k] + d[k * n + j];
        __syncthreads();
        if (through < d[i * n + j])
            d[i * n + j] = through;
        __syncthreads();
    }
}
""", grid=1, block=(16, 16),
     arguments=(DISTANCES.ravel(), 16))

# Four steps, each of which may move an element, below 8, by 2**-52 of that; times the sum of the cofactors this is
# 4e-13 of the determinant for the worst conditioned of the twelve matrices.
case("lu_determinant_one_thread",
     "A determinant with row exchanges; each thread has a matrix in local memory.", """
extern "C" __global__ void k(const double *a, double *out) {
    double m[25];
    for (int i = 0; i < 25; i++)
        m[i] = a[threadIdx.x * 25 + i];
    double det = 1;
    for (int p = 0; p < 5; p++) {
        int best = p;
        for (int r = p + 1; r < 5; r++)
            if (fabs(m[r * 5 + p]) > fabs(m[best * 5 + p]))
                best = r;
        if (best != p) {
            for (int c = 0; c < 5; c++) {
                double t = m[p * 5 + c];
                m[p * 5 + c] = m[best * 5 + c];
                m[best * 5 + c] = t;
            }
            det = -det;
        }
        det *= m[p * 5 + p];
        for (int r = p + 1; r < 5; r++) {
            double f = m[r * 5 + p] / m[p * 5 + p];
            for (int c = p; c < 5; c++)
                m[r * 5 + c] -= f * m[p * 5 + c];
        }
    }
    out[threadIdx.x] = det;
}
""", grid=1, block=12, contracted=True, error=4e-13,
     arguments=(mixed(300, np.float64, -4, 5), zeros(12, np.float64)))
