"""Attempts at the exercises of "Who comes first"."""
from . import change, right, wrong

SUM = "atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);"
BARRIER = "    __syncthreads();\n    mine[i]"
SMOOTH = """    int i = threadIdx.x, inside = i > 0 && i < blockDim.x - 1, mean = 0;
    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    if (inside) x[i] = mean;
"""
MEAN = """    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    if (inside) x[i] = mean;
"""

ATTEMPTS = {
    "find-the-race": (
        right("two ifs as they stood, and each block's sum first", change(SUM, """
    __shared__ int part;
    if (threadIdx.x == 0) part = 0;
    __syncthreads();
    atomicAdd(&part, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, part);
""", SMOOTH, """
    int i = threadIdx.x, mean = 0;
    if (i > 0 && i < blockDim.x - 1)
        mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    if (i > 0 && i < blockDim.x - 1)
        x[i] = mean;
""")),
        right("the outer threads keep their number, and shuffles", change(SUM, """
    int mine = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
""", SMOOTH, """
    int i = threadIdx.x, mean = x[i];
    if (i > 0 && i < blockDim.x - 1) mean = (x[i - 1] + mean + x[i + 1]) / 3;
    __syncthreads();
    x[i] = mean;
""")),
        right("a copy in shared memory, and a tree", change(SUM, """
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = x[blockIdx.x * blockDim.x + i];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (i < half) s[i] += s[i + half];
    }
    if (i == 0) atomicAdd(sum, s[0]);
""", SMOOTH, """
    __shared__ int s[1024];
    int i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    if (i > 0 && i < blockDim.x - 1) x[i] = (s[i - 1] + s[i] + s[i + 1]) / 3;
""")),
        right("thread 0 of block 0 alone, and two halves exchanged", change(SUM, """
    if (blockIdx.x || threadIdx.x) return;
    int all = 0;
    for (int i = 0; i < gridDim.x * blockDim.x; i++) all += x[i];
    *sum += all;
""", BARRIER, """
    __syncthreads();
    int other = s[63 - i];
    __syncthreads();
    mine[i]""")),
        right("no shared memory, and one thread that smooths", change("""    s[i] = mine[i];
    __syncthreads();
    mine[i] = s[63 - i];
""", """    int other = mine[63 - i];
    __syncthreads();
    mine[i] = other;
""", SMOOTH, """
    if (threadIdx.x) return;
    int left = x[0];
    for (int i = 1; i < blockDim.x - 1; i++) {
        int old = x[i];
        x[i] = (left + old + x[i + 1]) / 3;
        left = old;
    }
""")),
        wrong("__syncwarp in reverse", "a barrier for the whole block", change(BARRIER, "    __syncwarp();\n    mine[i]")),
        wrong("__threadfence in reverse", "a barrier for the whole block", change(BARRIER, "    __threadfence();\n    mine[i]")),
        wrong("the barrier at the end of reverse", "a barrier for the whole block",
              change(BARRIER, "    mine[i]", "s[63 - i];\n", "s[63 - i];\n    __syncthreads();\n")),
        wrong("a barrier in total", "A barrier does not help",
              change(SUM, "*sum += x[blockIdx.x * blockDim.x + threadIdx.x];\n    __syncthreads();")),
        wrong("volatile sum", "", change(
            SUM, "volatile int *all = sum;\n    *all += x[blockIdx.x * blockDim.x + threadIdx.x];\n    __threadfence();")),
        wrong("thread 0 of each block, not atomic", "", change(SUM, """
    if (threadIdx.x) return;
    int all = 0;
    for (int i = 0; i < blockDim.x; i++) all += x[blockIdx.x * blockDim.x + i];
    *sum += all;
""")),
        wrong("atomicAdd of 1", "", change(SUM, "atomicAdd(sum, 1);")),
        wrong("atomicAdd on x", "", change("const int *x, int *sum", "int *x, int *sum", SUM,
                                           "atomicAdd(&x[blockIdx.x * blockDim.x + threadIdx.x], *sum);")),
        wrong("the barrier in the if", "is inside an `if`", change(SMOOTH, """
    int i = threadIdx.x;
    if (i > 0 && i < blockDim.x - 1) {
        int mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
        __syncthreads();
        x[i] = mean;
    }
""")),
        wrong("an early return before the barrier", "", change(SMOOTH, """
    int i = threadIdx.x;
    if (i == 0 || i == blockDim.x - 1) return;
    int mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    x[i] = mean;
""")),
        wrong("the barrier before the if", "Let all threads read, wait", change(SMOOTH, """
    int i = threadIdx.x;
    __syncthreads();
    if (i > 0 && i < blockDim.x - 1)
        x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
""")),
        wrong("__syncwarp in smooth", "Let all threads read, wait",
              change("__syncthreads();\n    if (inside)", "__syncwarp();\n    if (inside)")),
        wrong("shared memory without a barrier", "", change(SMOOTH, """
    __shared__ int s[1024];
    int i = threadIdx.x;
    s[i] = x[i];
    if (i > 0 && i < blockDim.x - 1) x[i] = (s[i - 1] + s[i] + s[i + 1]) / 3;
""")),
        wrong("the guard dropped", "have only one neighbour", change("inside = i > 0 && i < blockDim.x - 1", "inside = true")),
        wrong("renamed", "there is no kernel total", change("void total", "void sum_up")),
        wrong("a semicolon missing", "It does not compile", change(BARRIER, "    __syncthreads()\n    mine[i]")),
        wrong("a parameter more", "takes 2 arguments", change("void smooth(int *x)", "void smooth(int *x, int n)")),
        wrong("a misspelt barrier", "It does not compile", change(BARRIER, "    __syncThreads();\n    mine[i]")),
        wrong("Python", "wants CUDA C++ source", 5),
        right("no shared memory in reverse, shared reduction in total", """
__global__ void reverse(int *x) {
    __shared__ int s[64];
    int *mine = x + 64 * blockIdx.x, i = threadIdx.x;
    int v = mine[63 - i];
    __syncthreads();
    mine[i] = v;
}
__global__ void total(const int *x, int *sum) {
    __shared__ int part;
    if (threadIdx.x == 0) part = 0;
    __syncthreads();
    atomicAdd(&part, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sum, part);
}
__global__ void smooth(int *x) {
    int i = threadIdx.x;
    int a = i > 0 ? x[i - 1] : 0, b = x[i], c = i < blockDim.x - 1 ? x[i + 1] : 0;
    __syncthreads();
    if (i > 0 && i < blockDim.x - 1) x[i] = (a + b + c) / 3;
}"""),
        wrong("smooth does nothing", "three *old* ones", change(MEAN, "")),
        wrong("smooth without the neighbour on the right", "three *old* ones", change("x[i + 1]) / 3", "x[i]) / 3")),
    ),
}
