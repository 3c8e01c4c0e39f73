"""Sorting and searching."""

import numpy as np

from . import case, mixed, zeros

case("bitonic_sort",
     "A sorting network: compare and exchange over ever other distances.", """
extern "C" __global__ void k(int *d) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t) {
                bool up = (t & k) == 0;
                int a = s[t], b = s[o];
                if ((a > b) == up) {
                    s[t] = b;
                    s[o] = a;
                }
            }
            __syncthreads();
        }
    d[t] = s[t];
}
""", grid=1, block=256,
     arguments=(mixed(256, low=-500),),
     expected=lambda d: {0: np.sort(d)})

case("odd_even_transposition_sort",
     "Neighbours are exchanged, even pairs and odd pairs in turn.", """
extern "C" __global__ void k(float *d, int n) {
    __shared__ float s[100];
    int t = threadIdx.x;
    s[t] = d[blockIdx.x * n + t];
    __syncthreads();
    for (int p = 0; p < n; p++) {
        int i = 2 * (t / 2) + (p & 1);
        if (t % 2 == 0 && i + 1 < n) {
            float a = s[i], b = s[i + 1];
            if (a > b) {
                s[i] = b;
                s[i + 1] = a;
            }
        }
        __syncthreads();
    }
    d[blockIdx.x * n + t] = s[t];
}
""", grid=2, block=75,
     arguments=(mixed(150, np.float32, -5, 5), 75),
     expected=lambda d, n: {0: np.sort(d.reshape(2, 75), axis=1).ravel()})

case("rank_sort",
     "Each element counts how many come before it.", """
extern "C" __global__ void k(const int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) {
        int r = 0;
        for (int j = 0; j < n; j++)
            r += a[j] < a[i] || (a[j] == a[i] && j < i);
        b[r] = a[i];
    }
}
""", grid=4, block=64,
     arguments=(mixed(200, high=60), zeros(200), 200),
     expected=lambda a, b, n: {1: np.sort(a)})

case("radix_sort_one_block",
     "Bit by bit, each time a stable split by a scan.", """
extern "C" __global__ void k(unsigned *d) {
    __shared__ unsigned s[128];
    __shared__ int zeros;
    int t = threadIdx.x;
    unsigned x = d[t];
    for (int bit = 0; bit < 10; bit++) {
        s[t] = !(x >> bit & 1);
        __syncthreads();
        for (int o = 1; o < 128; o *= 2) {
            int y = t >= o ? s[t - o] : 0;
            __syncthreads();
            s[t] += y;
            __syncthreads();
        }
        if (t == 127)
            zeros = s[t];
        __syncthreads();
        int z = x >> bit & 1;
        int place = z ? zeros + t - s[t] : s[t] - 1;
        __syncthreads();
        s[place] = x;
        __syncthreads();
        x = s[t];
        __syncthreads();
    }
    d[t] = x;
}
""", grid=1, block=128,
     arguments=(mixed(128, np.uint32, 0, 1024),),
     expected=lambda d: {0: np.sort(d)})

case("merge_path",
     "Two sorted lists merged: each thread finds its part by bisection.", """
extern "C" __global__ void k(const int *a, const int *b, int *c, int n, int m) {
    int t = threadIdx.x, k = (n + m) * t / blockDim.x, end = (n + m) * (t + 1) / blockDim.x,
        lo = max(0, k - m), hi = min(k, n);
    while (lo < hi) {
        int i = (lo + hi) / 2;
        if (a[i] <= b[k - i - 1])
            lo = i + 1;
        else
            hi = i;
    }
    int i = lo, j = k - lo;
    for (; k < end; k++)
        c[k] = j >= m || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
""", grid=1, block=32,
     arguments=(np.sort(mixed(150)), np.sort(mixed(110, seed=7)), zeros(260), 150, 110),
     expected=lambda a, b, c, n, m: {2: np.sort(np.concatenate((a, b)))})

case("binary_search",
     "Each thread looks one key up in a sorted list.", """
extern "C" __global__ void k(const int *a, const int *keys, int *where, int n) {
    int key = keys[threadIdx.x], lo = 0, hi = n;
    while (lo < hi) {
        int m = (lo + hi) >> 1;
        if (a[m] < key)
            lo = m + 1;
        else
            hi = m;
    }
    where[threadIdx.x] = lo;
}
""", grid=1, block=100,
     arguments=(np.sort(mixed(333)), mixed(100, seed=5), zeros(100), 333),
     expected=lambda a, keys, where, n: {2: np.searchsorted(a, keys).astype(np.int32)})

case("quicksort_with_a_stack_of_its_own",
     "Quicksort without recursion; each thread sorts a list of its own.", """
extern "C" __global__ void k(int *d, int n) {
    int *a = d + threadIdx.x * n, stack[32], top = 0;
    stack[top++] = 0;
    stack[top++] = n - 1;
    while (top) {
        int hi = stack[--top], lo = stack[--top];
        if (lo >= hi)
            continue;
        int p = a[(lo + hi) / 2], i = lo, j = hi;
        while (i <= j) {
            while (a[i] < p)
                i++;
            while (a[j] > p)
                j--;
            if (i <= j) {
                int t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        stack[top++] = lo;
        stack[top++] = j;
        stack[top++] = i;
        stack[top++] = hi;
    }
}
""", grid=1, block=10,
     arguments=(mixed(300, low=-99, high=99), 30),
     expected=lambda d, n: {0: np.sort(d.reshape(10, 30), axis=1).ravel()})

case("insertion_sort_in_local_memory",
     "Each thread sorts twenty numbers in an array of its own.", """
extern "C" __global__ void k(const short *a, short *b) {
    short v[20];
    int o = threadIdx.x * 20;
    for (int i = 0; i < 20; i++) {
        short x = a[o + i];
        int j = i;
        while (j > 0 && v[j - 1] > x) {
            v[j] = v[j - 1];
            j--;
        }
        v[j] = x;
    }
    for (int i = 0; i < 20; i++)
        b[o + i] = v[i];
}
""", grid=1, block=16,
     arguments=(mixed(320, np.int16, -300, 300), zeros(320, np.int16)),
     expected=lambda a, b: {1: np.sort(a.reshape(16, 20), axis=1).ravel()})
