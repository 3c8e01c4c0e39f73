"""Lesson 04, find the race: three kernels whose numbers depend on an order that nobody promised."""
from ..exercise import Case, Exercise, slip
from . import race_harness

STARTER = """
// About six lines to add or to change.

__global__ void reverse(int *x) {           // each block turns its 64 numbers round
    __shared__ int s[64];
    int *mine = x + 64 * blockIdx.x, i = threadIdx.x;
    s[i] = mine[i];
    mine[i] = s[63 - i];
}

__global__ void total(const int *x, int *sum) {     // all threads of all blocks add their number
    *sum += x[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void smooth(int *x) {            // one block: each number becomes the mean of three
    int i = threadIdx.x;
    if (i > 0 && i < blockDim.x - 1)
        x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
"""
SOLUTION = """
__global__ void reverse(int *x) {
    __shared__ int s[64];
    int *mine = x + 64 * blockIdx.x, i = threadIdx.x;
    s[i] = mine[i];
    __syncthreads();
    mine[i] = s[63 - i];
}

__global__ void total(const int *x, int *sum) {
    atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void smooth(int *x) {
    int i = threadIdx.x, inside = i > 0 && i < blockDim.x - 1, mean = 0;
    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    if (inside) x[i] = mean;
}
"""
find_the_race = Exercise(
    id="find-the-race", lesson="04", title="Find the race, and fix it", name="source", kind="source", minutes=10,
    sandboxed=True, run=race_harness.tried,
    statement="""
Each of the three kernels below has a race. Where threads go in step, two of them give the right numbers all the same.
Fix all three, as text in `source`. Keep their names, their parameters and what they compute. The check examines them, as
`kernel_views.examine` does: the numbers must be right, and nothing may be found. About six lines have to be added or changed.
""",
    starter=STARTER,
    hints=("Ask of every line which thread wrote what it reads. Where it was another one: what makes sure that this thread "
           "has written, and in `smooth` also that it has not yet overwritten?",
           "Within a block `__syncthreads()` orders, and all threads of the block have to come to it: not inside an `if`. "
           "Between blocks it does not: there an atomic adds, `atomicAdd(sum, ...)`."),
    solution=SOLUTION,
    mistakes=(
        slip(SOLUTION, "    __syncthreads();\n    mine[i]", "    mine[i]",
             "`reverse` reads numbers of `s` that other threads write, also those of the other warp. So a barrier for the whole "
             "block has to lie between writing and reading: `__syncthreads()`.",
             SOLUTION.replace("__shared__ int", "__shared__ volatile int").replace("    __syncthreads();\n    mine[i]", "    mine[i]")),
        slip(SOLUTION, "atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);",
             "*sum += x[blockIdx.x * blockDim.x + threadIdx.x];",
             "In `total` every thread reads the old sum and writes a new one, and others do so in between. A barrier does not "
             "help: it reaches over no second block. Add with `atomicAdd(sum, ...)`."),
        slip(SOLUTION, "    __syncthreads();\n    if (inside) x[i] = mean;", "    if (inside) x[i] = mean;",
             "`smooth` reads its neighbours while they are being overwritten: first all read, then a barrier, then all write."),
        slip(SOLUTION, "    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;\n    __syncthreads();\n    if (inside) x[i] = mean;",
             "    if (i == 0)\n        for (int k = 1; k < blockDim.x - 1; k++) x[k] = (x[k - 1] + x[k] + x[k + 1]) / 3;",
             "`smooth` gives other numbers than it should: each number but the first and the last becomes the mean of three *old* "
             "ones. A thread that goes along in place reads a new number on its left."),
        slip(SOLUTION, "    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;\n    __syncthreads();\n    if (inside) x[i] = mean;",
             "    if (inside) {\n        mean = (x[i - 1] + x[i] + x[i + 1]) / 3;\n        __syncthreads();\n        x[i] = mean;\n    }",
             "The barrier of `smooth` lies inside of an `if`, or behind a `return`: the first and the last thread never come to "
             "it. A GPU since Volta does not wait for those that have ended, but CUDA's guide allows a barrier only where all threads of "
             "the block come to it."),
        slip(SOLUTION, "inside = i > 0 && i < blockDim.x - 1", "inside = 1",
             "The first and the last number of `smooth` have one neighbour only, and stay as they are: keep that condition, "
             "but not around the barrier."),
    ),
    cases=tuple(Case(f"the kernel `{name}`{where}", (name, grid, 64), race_harness.RIGHT, hidden, f"{name}<<<{shape}>>>(x{more})")
                for grid, hidden, where in ((4, False, ""), (7, True, ", with more threads"))
                for name, shape, more in (("reverse", f"{grid}, 64", ""), ("total", f"{grid}, 64", ", sum"),
                                          ("smooth", f"1, {64 * grid}", ""))))
