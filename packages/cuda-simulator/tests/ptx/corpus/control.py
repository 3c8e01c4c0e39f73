"""Functions, recursion, pointers to functions, virtual functions, printf, jump tables."""

import struct

import numpy as np

from . import case, mixed, zeros

case("recursion_fibonacci",
     "A function that calls itself twice; threads recurse to different depths.", """
__device__ __noinline__ int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

extern "C" __global__ void k(int *a) {
    a[threadIdx.x] = fib(threadIdx.x % 13);
}
""", grid=1, block=40,
     arguments=(zeros(40),))

case("recursion_ackermann",
     "A recursion whose argument is itself a recursive call.", """
__device__ __noinline__ int ack(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

extern "C" __global__ void k(int *a) {
    a[threadIdx.x] = ack(threadIdx.x % 3, threadIdx.x / 3);
}
""", grid=1, block=12,
     arguments=(zeros(12),))

case("recursion_mutual",
     "Two functions that call each other.", """
__device__ int odd(int n);

__device__ __noinline__ int even(int n) {
    return n == 0 ? 1 : odd(n - 1);
}

__device__ __noinline__ int odd(int n) {
    return n == 0 ? 0 : even(n - 1);
}

extern "C" __global__ void k(int *a) {
    a[threadIdx.x] = even(threadIdx.x) * 10 + odd(threadIdx.x / 2);
}
""", grid=1, block=33,
     arguments=(zeros(33),))

case("towers_of_hanoi",
     "Recursion that writes through pointers to the caller's local variables.", """
__device__ __noinline__ void hanoi(int n, int f, int t, int v, int *m, int *peg) {
    if (!n)
        return;
    hanoi(n - 1, f, v, t, m, peg);
    ++*m;
    peg[t] += n;
    hanoi(n - 1, v, t, f, m, peg);
}

extern "C" __global__ void k(int *a) {
    int moves = 0, peg[3] = {};
    hanoi(threadIdx.x % 6, 0, 2, 1, &moves, peg);
    a[threadIdx.x] = moves * 1000 + peg[0] * 100 + peg[1] * 10 + peg[2];
}
""", grid=1, block=12,
     arguments=(zeros(12),))

case("functions_in_a_table",
     "Calls through pointers to functions; threads of a warp call different ones.", """
__device__ int f0(int x, int y) {
    return x + y;
}

__device__ int f1(int x, int y) {
    return x * y;
}

__device__ int f2(int x, int y) {
    return x - y;
}

__device__ int f3(int x, int y) {
    return y ? x / y : -1;
}

typedef int (*F)(int, int);
__device__ F table[4] = {f0, f1, f2, f3};

extern "C" __global__ void k(const int *a, int *out) {
    int t = threadIdx.x;
    out[t] = table[a[t] % 4](a[t], t);
}
""", grid=1, block=70,
     arguments=(mixed(70), zeros(70)))

case("virtual_functions",
     "Virtual calls: each thread looks its function up in the table of its object's class.", """
struct Shape {
    __device__ virtual double area() const = 0;

    __device__ virtual int edges() const { return 0; }
};

struct Circle : Shape {
    double r;

    __device__ double area() const override { return 3.0 * r * r; }
};

struct Square : Shape {
    double a;

    __device__ double area() const override { return a * a; }

    __device__ int edges() const override { return 4; }
};

extern "C" __global__ void k(double *out, int kind) {
    Circle c;
    Square s;
    c.r = threadIdx.x;
    s.a = threadIdx.x + 0.5;
    Shape *p = (threadIdx.x + kind) & 1 ? (Shape *)&c : (Shape *)&s;
    out[threadIdx.x] = p->area() + p->edges();
}
""", grid=1, block=32,
     arguments=(zeros(32, np.float64), 1))

case("switch_with_many_cases",
     "A switch with fall-through and a return inside, which may become a jump table.", """
extern "C" __global__ void k(const int *a, int *out) {
    int t = threadIdx.x, x = 0;
    switch (a[t] % 12) {
    case 0:
        x = 5;
        break;
    case 1:
        x = t;
    case 2:
        x += 7;
        break;
    case 3:
        x = t * t;
        break;
    case 4:
        x = -t;
        break;
    case 5:
        x = 99 ^ t;
        break;
    case 6:
        x = t << 3;
        break;
    case 8:
        x = t / 3;
        break;
    case 9:
        x = t % 5;
        break;
    case 10:
        return;
    default:
        x = 1;
    }
    out[t] = x;
}
""", grid=1, block=128,
     arguments=(mixed(128), np.full(128, -7, np.int32)))

case("nested_loops_with_break_and_continue",
     "Loops that every thread leaves at another place, one of them with goto.", """
extern "C" __global__ void k(const int *a, int *out) {
    int t = threadIdx.x, n = 0;
    for (int i = 0; i < a[t] % 9; i++) {
        if (i == t % 4)
            continue;
        for (int j = 0;; j++) {
            if (j * j > a[(t + i) % 100])
                break;
            if ((j ^ t) & 1)
                continue;
            n += j;
        }
        if (n > 60)
            goto out;
        n++;
    }
    n = -n;
out:
    out[t] = n;
}
""", grid=1, block=100,
     arguments=(mixed(100), zeros(100)))

case("early_exit_before_a_barrier",
     "Threads that have returned are no longer waited for at a barrier.", """
extern "C" __global__ void k(const int *a, int *out) {
    __shared__ int s[90];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t >= 50)
        return;
    int x = s[t + 40];
    __syncthreads();
    s[t] = x + 1;
    __syncthreads();
    out[t] = s[49 - t];
}
""", grid=1, block=90,
     arguments=(mixed(90), zeros(50)))

case("barriers_that_count",
     "Barriers that also count, or join, a condition of all threads.", """
extern "C" __global__ void k(int *out) {
    int t = threadIdx.x;
    int c = __syncthreads_count(t % 3 == 0), a = __syncthreads_and(t < 1000),
        o = __syncthreads_or(t == 77);
    out[t] = c * 4 + a * 2 + o;
}
""", grid=1, block=100,
     arguments=(zeros(100),))

case("named_barriers",
     "Two halves of a block hand data to and fro over numbered barriers, one without waiting.", """
extern "C" __global__ void k(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = t * 3;
        asm volatile("bar.arrive 1, 128;" ::: "memory");
        asm volatile("bar.sync 2, 128;" ::: "memory");
        out[t] = s[t + 64];
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        s[t] = s[t - 64] + 1;
        asm volatile("bar.sync 2, 128;" ::: "memory");
        out[t] = s[127 - t];
    }
}
""", grid=1, block=128,
     arguments=(zeros(128),))

case("structures_by_value",
     "A structure as the kernel's parameter, as an argument and as a result.", """
struct S {
    double d[3];
    char c;
    short s;
};

__device__ __noinline__ S turn(S s, int n) {
    S t = s;
    for (int i = 0; i < 3; i++)
        t.d[i] = s.d[(i + n) % 3];
    t.c += n;
    t.s -= n;
    return t;
}

extern "C" __global__ void k(S s, double *out) {
    S t = turn(s, threadIdx.x & 3);
    out[threadIdx.x] = t.d[0] + 10 * t.d[1] + 100 * t.d[2] + t.c + t.s;
}
""", grid=1, block=8,
     arguments=(struct.pack("3dbxh4x", 1.5, 2.5, 3.25, -3, 1000), zeros(8, np.float64)))

case("templates_and_lambdas",
     "C++ templates, variadic ones among them, and a lambda: nothing of them is left in PTX.", """
template <class F>
__device__ int twice(F f, int x) {
    return f(f(x));
}

template <class T>
__device__ T sum(T t) {
    return t;
}

template <class T, class... R>
__device__ T sum(T t, R... r) {
    return t + sum(r...);
}

template <int N>
struct Power {
    static __device__ int of(int x) { return x * Power<N - 1>::of(x); }
};

template <>
struct Power<0> {
    static __device__ int of(int) { return 1; }
};

extern "C" __global__ void k(const int *a, int *out) {
    auto f = [=](int x) { return x * 3 + (int)threadIdx.x; };
    out[threadIdx.x] =
        twice(f, a[threadIdx.x]) + sum(1, a[threadIdx.x], 5) + Power<5>::of(threadIdx.x % 7);
}
""", grid=1, block=50,
     arguments=(mixed(50), zeros(50)))

case("printf_from_one_warp",
     "printf with flags, widths and precisions; the lines come in the order of the threads.", r"""
extern "C" __global__ void k(const float *a) {
    printf("%2d %-8s|%+.3f|%08x|%5u|%c|%lld|%e|%%\n", threadIdx.x, threadIdx.x & 1 ? "odd" : "even",
           a[threadIdx.x], threadIdx.x * 12345, 7u, 65 + threadIdx.x, -5000000000ll * threadIdx.x,
           a[threadIdx.x] * 1e10);
}
""", grid=1, block=8,
     arguments=(mixed(8, np.float32, -3, 9),))

case("heap_outlives_the_scope",
     "Memory from malloc belongs to no thread: others read it, and free is separate.", """
extern "C" __global__ void k(int *out) {
    __shared__ int *p[16];
    int t = threadIdx.x;
    p[t] = (int *)malloc(8 * (t + 1));
    for (int i = 0; i < 2 * (t + 1); i++)
        p[t][i] = i + t;
    __syncthreads();
    int *q = p[15 - t], n = 2 * (16 - t), s = 0;
    for (int i = 0; i < n; i++)
        s += q[i];
    out[t] = s;
    __syncthreads();
    free(p[t]);
}
""", grid=1, block=16,
     arguments=(zeros(16),))

case("generic_pointers",
     "One pointer type for global, shared, local and constant memory.", """
__constant__ int c[5] = {11, 22, 33, 44, 55};

extern "C" __global__ void k(int *g, int *out) {
    __shared__ int s[32];
    int l[4];
    int t = threadIdx.x;
    s[t] = t * 2;
    for (int i = 0; i < 4; i++)
        l[i] = i * 100 + t;
    __syncthreads();
    const int *p[4] = {g + t, s + (31 - t), l + (t & 3), c + t % 5};
    out[t] = *p[t % 4] + *p[(t + 1) % 4];
}
""", grid=1, block=32,
     arguments=(mixed(32), zeros(32)))

case("volatile_flag_between_blocks",
     "One block waits in a loop for a flag that another block sets.", """
extern "C" __global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 1) {
        while (!flag[0])
            ;
        out[0] = flag[1];
    } else {
        flag[1] = 4711;
        __threadfence();
        flag[0] = 1;
    }
}
""", grid=2, block=32,
     arguments=(zeros(2), zeros(1)))
