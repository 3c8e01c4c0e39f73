"""Kernels that look at their own memory: where it is, what an address says of itself, and what comes of following one.

    own("shared", "read", offset=4)          -> [301, ...], or the name of the error
    given(address, "spaces")                 -> the same for any address, in a kernel without memory of its own
    rows = reported(grid=2, block=4)         -> rows[block][thread]["shared"], addresses which each thread reports
"""
import numpy as np
from cuda.bindings import driver as cu

from . import kernels
from .calls import ask, must, read
from .kernels import i32

SOURCE = r"""
typedef unsigned long long u64;
struct Pair { u64 first, second; };
extern "C" {
__constant__ int constants[16] = {500, 501, 502, 503, 504, 505};
__device__ int variable[16] = {600, 601, 602, 603, 604, 605};
__device__ volatile u64 letter;      // an address that one thread leaves for the others

__device__ __forceinline__ void act(u64 number, int action, u64 *out) {
    u64 p;
    asm volatile("mov.u64 %0, %1;" : "=l"(p) : "l"(number));     // a compiler takes what a parameter points to for global memory
    int value = -1, flag;
    switch (action) {
    case 0: out[0] = *(volatile int *)p; break;
    case 1: *(volatile int *)p = 7; out[0] = *(volatile int *)p; break;
    case 2: out[0] = atomicAdd((int *)p, 5); out[1] = *(volatile int *)p; break;
    case 3:
#define ASK(number, space) asm volatile("{ .reg .pred q; isspacep." space " q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(flag) : "l"(p)); \
        out[number] = flag;
        ASK(0, "global") ASK(1, "shared") ASK(2, "local") ASK(3, "const") ASK(4, "param::entry")
        break;
    case 4: asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(value) : "l"(p)); out[0] = value; break;
    case 5: asm volatile("{ .reg .u64 q; cvta.to.shared.u64 q, %1; ld.volatile.shared.s32 %0, [q]; }" : "=r"(value) : "l"(p));
        out[0] = value; break;
    case 6: asm volatile("{ .reg .u64 q; cvta.to.local.u64 q, %1; ld.local.s32 %0, [q]; }" : "=r"(value) : "l"(p));
        out[0] = value; break;
    case 7: out[0] = *(volatile u64 *)p; break;
    case 8: out[0] = p; break;
    case 9: asm volatile("st.volatile.global.s32 [%0], %1;" :: "l"(p), "r"(9)); out[0] = *(volatile int *)p; break;
    }
}

__device__ __forceinline__ u64 convert(u64 p, int how) {
    u64 q = 0;
    switch (how) {
    case 0: asm volatile("cvta.shared.u64 %0, %1;" : "=l"(q) : "l"(p)); break;
    case 1: asm volatile("cvta.to.shared.u64 %0, %1;" : "=l"(q) : "l"(p)); break;
    case 2: asm volatile("cvta.local.u64 %0, %1;" : "=l"(q) : "l"(p)); break;
    case 3: asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(q) : "l"(p)); break;
    case 4: asm volatile("cvta.global.u64 %0, %1;" : "=l"(q) : "l"(p)); break;
    case 5: asm volatile("cvta.to.global.u64 %0, %1;" : "=l"(q) : "l"(p)); break;
    }
    return q;
}

// Memory of every kind, chosen by a number; each has 64 ints, of 300.., 400.. and so on.
__global__ void own(int which, int action, long long offset, const __grid_constant__ Pair constant_pair, Pair pair, u64 *out) {
    __shared__ int shared[64];
    extern __shared__ int dynamic[];
    volatile int local[64];
    for (int i = 0; i < 64; i++) { shared[i] = 300 + i; local[i] = 400 + i; }
    u64 p = 0;
    switch (which) {
    case 0: p = (u64)shared; break;
    case 1: p = (u64)local; break;
    case 2: p = (u64)constants; break;
    case 3: p = (u64)&constant_pair; break;
    case 4: p = (u64)variable; break;
    case 5: p = (u64)dynamic; break;
    case 6: p = (u64)malloc(256); break;
    case 7: p = (u64)&pair; break;
    case 8: p = convert(0, 0); break;
    case 9: p = convert(0, 2); break;
    }
    act(p + offset, action, out);
}

__global__ void given(u64 p, int action, u64 *out) { act(p, action, out); }
__global__ void given_shared(u64 p, int action, u64 *out) {     // with shared memory of its own, all of it dynamic
    extern __shared__ int dynamic[];
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    for (int i = 0; i < bytes / 4; i++) dynamic[i] = 800 + i;
    act(p, action, out);
}
__global__ void given_local(u64 p, int action, u64 *out) {      // with local memory of its own
    volatile int local[64];
    for (int i = 0; i < 64; i++) local[i] = 700 + i;
    out[7] = local[out[7] & 63];
    act(p, action, out);
}
__global__ void converted(u64 p, int how, u64 *out) { out[0] = convert(p, how); }

__global__ void report(const __grid_constant__ Pair one, const __grid_constant__ Pair other, u64 *out, int *content) {
    __shared__ int shared;
    __shared__ u64 array[100];
    extern __shared__ int dynamic[];
    volatile int local[50];
    volatile int second[50];
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) shared = 100 + blockIdx.x;
    for (int i = 0; i < 50; i++) { local[i] = 1000 + 10 * thread; second[i] = i; }
    __syncthreads();
    u64 *row = out + 12 * thread;
    row[0] = (u64)&shared;
    row[1] = (u64)array;
    row[2] = (u64)dynamic;
    row[3] = (u64)local;
    row[4] = (u64)second;
    row[5] = (u64)constants;
    row[6] = (u64)variable;
    row[7] = (u64)&one;
    row[8] = (u64)&other;
    row[9] = convert((u64)&shared, 1);
    row[10] = convert((u64)array, 1);
    row[11] = convert((u64)local, 3);
    content[2 * thread] = *(volatile int *)*(volatile u64 *)&row[0];
    content[2 * thread + 1] = *(volatile int *)*(volatile u64 *)&row[3];
}

// Says where its parameter is, waits, and reads there again.
__global__ void meanwhile(const __grid_constant__ Pair pair, volatile u64 *found, volatile int *flag) {
    found[0] = (u64)&pair;
    __threadfence_system();
    while (*flag == 0) ;
    act(found[0], 7, (u64 *)found + 1);
    __threadfence_system();
}

// Thread 0 of block 0 leaves the address of its fourth int; everybody follows it.
__global__ void pass_on(int which, int *out) {
    __shared__ int shared[64];
    volatile int local[64];
    for (int i = 0; i < 64; i++) local[i] = 100000 * (blockIdx.x + 1) + 100 * threadIdx.x + i;
    if (threadIdx.x < 64) shared[threadIdx.x] = 1000 * (blockIdx.x + 1) + threadIdx.x;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) letter = which ? (u64)&local[3] : (u64)&shared[3];
    while (letter == 0) ;
    out[blockIdx.x * blockDim.x + threadIdx.x] = *(volatile int *)letter;
}
__global__ void write_through(u64 p, int value, int *out) {      // each block has its own: who sees the store?
    __shared__ int shared[64];
    shared[threadIdx.x] = 10 * blockIdx.x;
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) *(volatile int *)(p ? p : (u64)&shared[5]) = value;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = shared[5];
}
__global__ void read_constant(int i, int *out) { *out = constants[i]; }
__global__ void read_variable(int i, int *out) { *out = variable[i]; }
__global__ void write_then_read_constant(u64 p, int i, int *out) {
    out[0] = constants[i];
    *(volatile int *)(p + 4 * i) = 77;
    __threadfence();
    out[1] = *(volatile int *)(p + 4 * i);
}
__device__ __noinline__ u64 deeper(int depth, u64 *out) {
    volatile int local[4];
    local[0] = depth;
    out[depth] = (u64)local;
    if (depth > 0) deeper(depth - 1, out);
    return local[0];
}
__global__ void deep(int depth, u64 *out) { deeper(depth, out); }
}
"""

WHICH = {name: number for number, name in enumerate((
    "shared", "local", "constant", "grid constant", "device variable", "dynamic shared", "kernel heap", "parameter",
    "start of the shared window", "start of the local window"))}
ACTIONS = {name: number for number, name in enumerate((
    "read", "write", "atomic", "spaces", "read as global", "read as shared", "read as local", "read 8 bytes", "address", "write as global"))}
CONVERSIONS = {name: number for number, name in enumerate(("cvta.shared", "cvta.to.shared", "cvta.local", "cvta.to.local",
                                                            "cvta.global", "cvta.to.global"))}
SPACES = ("global", "shared", "local", "const", "param")
REPORTED = ("shared", "array", "dynamic", "local", "second", "constant", "variable", "one", "other", "shared offset", "array offset", "local offset")
PAIR = np.dtype([("first", "u8"), ("second", "u8")])


def kernel(name):
    return kernels.kernel(name, SOURCE)


def pair(first, second):
    return np.array((first, second), PAIR)[()]


def numbers(name, *arguments, count=8, **shape):
    """`count` numbers that a kernel leaves in the memory that is its last argument; or the name of the error."""
    out = int(must(cu.cuMemAlloc(8 * count)))
    must(cu.cuMemsetD8(out, 0, 8 * count))
    code = ask(kernels.run(kernel(name), *arguments, out, **shape))
    return code if code != "SUCCESS" else np.frombuffer(read(out, 8 * count), np.uint64).tolist()


def answer_to(result, action):
    """What an action found, as an answer: a number, two for an atomic, the names of spaces."""
    if isinstance(result, str):
        return result
    if action == "spaces":
        return [space for space, is_there in zip(SPACES, result) if is_there]
    return result[:2] if action == "atomic" else result[0]


def own_memory(kind_of_memory, action, offset=0, shared=0):
    """What comes of an action on memory of the kernel's own, `offset` bytes from its start."""
    return answer_to(numbers("own", i32(WHICH[kind_of_memory]), i32(ACTIONS[action]), np.int64(offset), pair(200, 201), pair(210, 211), shared=shared), action)


def at_address(address, action, kind="given", shared=0):
    """The same on any address, in a kernel without memory of its own, or with shared or local memory."""
    return answer_to(numbers(kind, int(address), i32(ACTIONS[action]), shared=shared), action)


def convert(address, how):
    result = numbers("converted", int(address), i32(CONVERSIONS[how]))
    return result if isinstance(result, str) else result[0]


def report(grid=1, block=1, shared=0, contents=False):
    """[block][thread] -> {name: address}; with `contents`, -> what a thread finds at its shared and its local address."""
    threads = grid * block
    out, content = int(must(cu.cuMemAlloc(8 * 12 * threads))), int(must(cu.cuMemAlloc(8 * threads)))
    must(kernels.run(kernel("report"), pair(1, 2), pair(3, 4), out, content, grid=grid, block=block, shared=shared))
    rows = np.frombuffer(read(out, 96 * threads), np.uint64).reshape(grid, block, 12).tolist()
    pairs = np.frombuffer(read(content, 8 * threads), np.int32).reshape(grid, block, 2).tolist()
    return pairs if contents else [[dict(zip(REPORTED, row)) for row in rows_of_block] for rows_of_block in rows]


# Conversions that a compiler may refuse: each in a source of its own.
def conversion_source(instruction):
    return ('extern "C" { __constant__ int c[16] = {1, 2, 3}; __global__ void converted(unsigned long long p, unsigned long long *out) {'
            f' unsigned long long q; asm volatile("{instruction}.u64 %0, %1;" : "=l"(q) : "l"(p)); out[0] = q; out[1] = (unsigned long long)c; }} }}')


def frame_source(size, threads_index="i"):
    return ('extern "C" __global__ void k(int i, int *out) { volatile int local[' + str(size) + ']; '
            f'for (int n = 0; n < {size}; n++) local[n] = n * i; *out = local[{threads_index}]; }}')


FRAMELESS = 'extern "C" __global__ void k(int i, int *out) { int a[4] = {i, i + 1, i + 2, i + 3}; *out = a[0] * a[1] + a[2] * a[3]; }'
TWO_FRAMES = ('extern "C" __device__ __noinline__ int inner(int i) { volatile int local[64]; for (int n = 0; n < 64; n++) local[n] = n * i; return local[i]; } '
              'extern "C" __global__ void k(int i, int *out) { volatile int local[32]; for (int n = 0; n < 32; n++) local[n] = inner(n + i) ; *out = local[i]; }')
HUNGRY = ('extern "C" __global__ void __launch_bounds__(1024, 2) k(const float *in, float *out) { float a[96]; '
          '_Pragma("unroll") for (int n = 0; n < 96; n++) a[n] = in[n * 32 + threadIdx.x]; __syncthreads(); '
          '_Pragma("unroll") for (int n = 0; n < 96; n++) out[n * 32 + threadIdx.x] = a[95 - n] * a[n] + a[(n * 7) % 96]; }')
FED = HUNGRY.replace("__launch_bounds__(1024, 2)", "__launch_bounds__(128)")


def attribute(name, source, kernel_name="k"):
    """An attribute of a kernel, such as LOCAL_SIZE_BYTES."""
    return must(cu.cuFuncGetAttribute(getattr(cu.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}"), kernels.kernel(kernel_name, source)))
