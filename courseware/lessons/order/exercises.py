"""Exercises of "Who comes first": three kernels whose numbers depend on an order that nobody promised."""
from ...exercises.exercise import Case, Exercise, change, slip
from . import harness

find_the_race = Exercise(
    id="find-the-race", title="Find the race, and fix it", name="source", kind="source", minutes=10, sandboxed=True,
    run=harness.tried,
    statement="""
Each of the three kernels below has a race. Where threads go in step, two of them give the right numbers all the same.
Fix all three, as text in `source`. Keep their names, their parameters and what they compute. The check examines them,
as `kernel_views.examine` does: the numbers must be right, and nothing may be found. About six lines have to be added
or changed.
""",
    hints=("Ask of every line which thread wrote what it reads. Where it was another one: what makes sure that this "
           "thread has written, and in `smooth` also that it has not yet overwritten?",
           "Within a block `__syncthreads()` orders, and all threads of the block have to come to it: not inside an "
           "`if`. Between blocks it does not: there an atomic adds, `atomicAdd(sum, ...)`."),
    mistakes=(
        slip("    __syncthreads();\n    mine[i]", "    mine[i]",
             "`reverse` reads numbers of `s` that other threads write, also those of the other warp. So a barrier for "
             "the whole block has to lie between writing and reading: `__syncthreads()`.",
             change("__shared__ int", "__shared__ volatile int", "    __syncthreads();\n    mine[i]", "    mine[i]")),
        slip("atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);",
             "*sum += x[blockIdx.x * blockDim.x + threadIdx.x];",
             "In `total` every thread reads the old sum and writes a new one, and others do so in between. A barrier "
             "does not help: it reaches over no second block. Add with `atomicAdd(sum, ...)`."),
        slip("    __syncthreads();\n    if (inside) x[i] = mean;", "    if (inside) x[i] = mean;",
             "`smooth` reads its neighbours while they are being overwritten: first all read, then a barrier, then all "
             "write."),
        slip("""\
    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    if (inside) x[i] = mean;""",
             """\
    if (i == 0)
        for (int k = 1; k < blockDim.x - 1; k++) x[k] = (x[k - 1] + x[k] + x[k + 1]) / 3;""",
             "`smooth` gives other numbers than it should: each number but the first and the last becomes the mean of "
             "three *old* ones. A thread that goes along in place reads a new number on its left."),
        slip("""\
    if (inside) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
    __syncthreads();
    if (inside) x[i] = mean;""",
             """\
    if (inside) {
        mean = (x[i - 1] + x[i] + x[i + 1]) / 3;
        __syncthreads();
        x[i] = mean;
    }""",
             "The barrier of `smooth` lies inside of an `if`, or behind a `return`: the first and the last thread "
             "never come to it. A GPU since Volta does not wait for those that have ended, but CUDA's guide allows a "
             "barrier only where all threads of the block come to it."),
        slip("inside = i > 0 && i < blockDim.x - 1", "inside = 1",
             "The first and the last number of `smooth` have one neighbour only, and stay as they are: keep that "
             "condition, but not around the barrier."),
    ),
    cases=tuple(Case(f"the kernel `{name}`{where}", (name, grid, 64), harness.RIGHT, hidden, f"{name}<<<{shape}>>>(x{more})")
                for grid, hidden, where in ((4, False, ""), (7, True, ", with more threads"))
                for name, shape, more in (("reverse", f"{grid}, 64", ""), ("total", f"{grid}, 64", ", sum"),
                                          ("smooth", f"1, {64 * grid}", ""))))

EXERCISES = (find_the_race,)
