"""Exercises of "Inside the kernel": the way back to shared memory, and blocks turned round."""
from ...exercises.exercise import Case, Exercise, change, slip
from . import harness

shared_address = Exercise(
    id="shared-address", title="The way back to shared memory", name="source", kind="source", minutes=4,
    sandboxed=True, run=harness.shared_address, cases=harness.pointer_cases(),
    statement="""
Lesson 12's `host_pointer_for` asks before it answers. Write its sister inside a kernel, as text in `source`: it gives
the address in shared memory to which a generic pointer leads, or -1 where the pointer does not lead into shared
memory. `__isShared(p)` and `__cvta_generic_to_shared(p)` are all that you need. The check calls it in a kernel, with
pointers of every kind. Two lines are enough.

    shared_address_for(tile)                        // the same as __cvta_generic_to_shared(tile)
    shared_address_for(a variable of the module)    // -1
""",
    hints=("Going back is right for a pointer into shared memory alone. So the question comes first.",
           "`if (!__isShared(p)) return -1;`, and after it the way back."),
    mistakes=(
        slip("    if (!__isShared(p)) return -1;\n", "",
             "You go back without asking, or there is no `return -1;` where the answer is no. For a pointer that does "
             "not lead into shared memory the instruction gives some number all the same, and nothing tells that it "
             "means nothing. Ask `__isShared(p)` first.", change("!__isShared(p)", "p == nullptr")),
        slip("!__isShared(p)", "__isGlobal(p)",
             "Not global does not mean shared: local memory has a window, too, and constants are a space of their own. "
             "Ask `__isShared(p)`.", change("!__isShared(p)", "__isLocal(p)")),
        slip("!__isShared(p)", "__isShared(p)",
             "It is the other way round: -1 is for the pointers that do *not* lead into shared memory."),
        slip("__cvta_generic_to_shared(p)", "(long long)p",
             "You return the generic address. What is asked for is the address in shared memory, which "
             "`__cvta_generic_to_shared(p)` gives."),
        slip("return -1", "return 0", "0 may be an address in shared memory. Say -1 where there is none."),
    ))

reverse_blocks = Exercise(
    id="reverse-blocks", title="Turn each block's numbers round", name="source", kind="source", minutes=8,
    sandboxed=True, run=harness.reversed_blocks,
    statement="""
Write the kernel `reverse`, as text in `source`. Each block turns its own numbers round, in place: block 0 has the
first `blockDim.x` numbers of `x`, block 1 the next, and so on. There are `n` numbers in all, so the last block may
have fewer numbers than threads; it turns round those that it has. The launch gives each block dynamic shared memory
for `blockDim.x` ints. The check looks for races, too, and for reads and writes beside the arrays
(`kernel_views.examine`, which lesson 16 explains): the numbers must be right, and there must be no *finding*, which
is what it calls a mistake that it saw. Five lines are enough. (Whatever is right, without a finding, is accepted;
meant is the way through `s`.)

    reverse<<<2, 3, 12>>>(x, 5)     // 1 2 3 4 5 becomes 3 2 1 5 4
""",
    hints=("How many numbers has this block? `min((int)blockDim.x, n - first)`, where `first` is the number of its "
           "first.",
           "Three steps: each thread that has a number writes it to `s`; then `__syncthreads()`, for all threads; then "
           "each thread that has a number reads `s[count - 1 - i]`."),
    mistakes=(
        slip("    __syncthreads();\n", "",
             "A thread reads what another one writes, and nothing makes the other come first: a barrier has to lie "
             "between writing and reading, `__syncthreads()`. Threads that run side by side may find the right numbers "
             "without it.", change("__syncthreads()", "__syncwarp()"),
             change("extern __shared__", "extern __shared__ volatile", "    __syncthreads();\n", "")),
        slip("""\
    if (i < count) s[i] = x[first + i];
    __syncthreads();
    if (i < count) x[first + i] = s[count - 1 - i];""",
             """\
    if (i < count) {
        s[i] = x[first + i];
        __syncthreads();
        x[first + i] = s[count - 1 - i];
    }""",
             "In the last block some threads never come to the barrier: it lies inside of an `if`, or behind a "
             "`return`. A GPU since Volta does not wait for threads that have ended, so the numbers may be right. "
             "CUDA's guide allows a barrier only where all threads of the block come to it."),
        slip("s[count - 1 - i]", "s[blockDim.x - 1 - i]",
             "The last block may have fewer numbers than threads. What it turns round ends with its last number, not "
             "with its last thread.", change("min((int)blockDim.x, n - first)", "blockDim.x")),
        slip("first = blockIdx.x * blockDim.x", "first = 0",
             "Every block works on the same numbers. Block b begins at number `b * blockDim.x`."),
    ),
    cases=tuple(Case(f"{n} numbers in {grid} blocks of {block} threads", (grid, block, n), harness.RIGHT, hidden,
                     f"reverse<<<{grid}, {block}, {4 * block}>>>(x, {n})")
                for grid, block, n, hidden in ((2, 64, 128, False), (3, 96, 250, False), (1, 33, 20, True),
                                               (1, 64, 64, True), (4, 128, 511, True), (2, 100, 101, True))) + (
        Case("90 numbers in 2 blocks of 48 threads, and no more memory than theirs", (2, 48, 90, 0), harness.RIGHT, True,
             "reverse<<<2, 48, 192>>>(x, 90)"),))

EXERCISES = (shared_address, reverse_blocks)
