"""Lesson 09, inside the kernel."""
from ..exercise import Case, Exercise, Mistake, slip
from . import inside_harness

ASK = """
__device__ long long shared_address_for(const void *p) {
    if (!__isShared(p)) return -1;
    return __cvta_generic_to_shared(p);
}
"""

shared_address = Exercise(
    id="shared-address", lesson="09", title="The way back to shared memory", name="source", kind="source", minutes=4,
    sandboxed=True, run=inside_harness.shared_address, cases=inside_harness.pointer_cases(),
    statement="""
06b's `host_pointer_for` asks before it answers. Write its sister inside a kernel, as text in `source`: it gives the address in
shared memory to which a generic pointer leads, or -1 where the pointer does not lead into shared memory. `__isShared(p)` and
`__cvta_generic_to_shared(p)` are all that you need. The check calls it in a kernel, with pointers of every kind. Two lines are enough.

    shared_address_for(tile)                        // the same as __cvta_generic_to_shared(tile)
    shared_address_for(a variable of the module)    // -1
""",
    starter="""
__device__ long long shared_address_for(const void *p) {
    return 0;       // about two lines
}
""",
    hints=("Going back is right for a pointer into shared memory alone. So the question comes first.",
           "`if (!__isShared(p)) return -1;`, and after it the way back."),
    solution=ASK,
    mistakes=(
        slip(ASK, "    if (!__isShared(p)) return -1;\n", "",
             "You go back without asking, or there is no `return -1;` where the answer is no. For a pointer that does not lead into shared memory the instruction gives some number all the "
             "same, and nothing tells that it means nothing. Ask `__isShared(p)` first.",
             ASK.replace("!__isShared(p)", "p == nullptr")),
        slip(ASK, "!__isShared(p)", "__isGlobal(p)",
             "Not global does not mean shared: local memory has a window, too, and constants are a space of their own. Ask `__isShared(p)`.",
             ASK.replace("!__isShared(p)", "__isGlobal(p) || __isLocal(p)"), ASK.replace("!__isShared(p)", "__isLocal(p)")),
        slip(ASK, "!__isShared(p)", "__isShared(p)",
             "It is the other way round: -1 is for the pointers that do *not* lead into shared memory."),
        slip(ASK, "__cvta_generic_to_shared(p)", "(long long)p",
             "You return the generic address. What is asked for is the address in shared memory, which `__cvta_generic_to_shared(p)` gives."),
        slip(ASK, "return -1", "return 0", "0 may be an address in shared memory. Say -1 where there is none."),
    ))

REVERSE = """
__global__ void reverse(int *x, int n) {
    extern __shared__ int s[];
    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) s[i] = x[first + i];
    __syncthreads();
    if (i < count) x[first + i] = s[count - 1 - i];
}
"""

IN_PLACE = """
__global__ void reverse(int *x, int n) {
    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) x[first + i] = x[first + count - 1 - i];
}
"""

reverse_blocks = Exercise(
    id="reverse-blocks", lesson="09", title="Turn each block's numbers round", name="source", kind="source", minutes=8,
    sandboxed=True, run=inside_harness.reversed_blocks,
    statement="""
Write the kernel `reverse`, as text in `source`. Each block turns its own numbers round, in place: block 0 has the first
`blockDim.x` numbers of `x`, block 1 the next, and so on. There are `n` numbers in all, so the last block may have fewer
numbers than threads; it turns round those that it has. The launch gives each block dynamic shared memory for `blockDim.x`
ints. The check looks for races, too, and for reads and writes beside the arrays (`kernel_views.examine`, which the side trip 04c
explains): the numbers must be right, and there must be no *finding*, which is what it calls a mistake that it saw. Five
lines are enough. (Whatever is right, without a finding, is accepted; meant is the way through `s`.)

    reverse<<<2, 3, 12>>>(x, 5)     // 1 2 3 4 5 becomes 3 2 1 5 4
""",
    starter="""
__global__ void reverse(int *x, int n) {
    extern __shared__ int s[];      // blockDim.x ints
    // about four lines
}
""",
    hints=("How many numbers has this block? `min((int)blockDim.x, n - first)`, where `first` is the number of its first.",
           "Three steps: each thread that has a number writes it to `s`; then `__syncthreads()`, for all threads; then each thread that "
           "has a number reads `s[count - 1 - i]`."),
    solution=REVERSE,
    mistakes=(
        slip(REVERSE, "    __syncthreads();\n", "",
             "A thread reads what another one writes, and nothing makes the other come first: a barrier has to lie between writing and "
             "reading, `__syncthreads()`. Threads that run side by side may find the right numbers without it.",
             REVERSE.replace("__syncthreads()", "__syncwarp()"), REVERSE.replace("__syncthreads()", "__threadfence_block()"),
             REVERSE.replace("extern __shared__", "extern __shared__ volatile").replace("    __syncthreads();\n", ""), IN_PLACE),
        slip(REVERSE, "    if (i < count) s[i] = x[first + i];\n    __syncthreads();\n    if (i < count) x[first + i] = s[count - 1 - i];",
             "    if (i < count) {\n        s[i] = x[first + i];\n        __syncthreads();\n        x[first + i] = s[count - 1 - i];\n    }",
             "In the last block some threads never come to the barrier: it lies inside of an `if`, or behind a `return`. A GPU since Volta does "
             "not wait for threads that have ended, so the numbers may be right. CUDA's guide allows a barrier only where all threads "
             "of the block come to it.",
             REVERSE.replace("    if (i < count) s[i]", "    if (i >= count) return;\n    s[i]")),
        slip(REVERSE, "s[count - 1 - i]", "s[blockDim.x - 1 - i]",
             "The last block may have fewer numbers than threads. What it turns round ends with its last number, not with its last thread.",
             REVERSE.replace("min((int)blockDim.x, n - first)", "blockDim.x")),
        slip(REVERSE, "first = blockIdx.x * blockDim.x", "first = 0",
             "Every block works on the same numbers. Block b begins at number `b * blockDim.x`."),
    ),
    cases=tuple(Case(f"{n} numbers in {grid} blocks of {block} threads", (grid, block, n), inside_harness.RIGHT, hidden,
                     f"reverse<<<{grid}, {block}, {4 * block}>>>(x, {n})")
                for grid, block, n, hidden in ((2, 64, 128, False), (3, 96, 250, False), (1, 33, 20, True), (1, 64, 64, True), (4, 128, 511, True),
                                               (2, 100, 101, True))) + (
        Case("90 numbers in 2 blocks of 48 threads, and no more memory than theirs", (2, 48, 90, 0), inside_harness.RIGHT, True,
             "reverse<<<2, 48, 192>>>(x, 90)"),))

PADDED = """
__global__ void transpose(const float *x, float *y, int n) {
    __shared__ float tile[32][33];
    int left = 32 * blockIdx.x, top = 32 * blockIdx.y, column = threadIdx.x, row = threadIdx.y;
    tile[row][column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][row];
}
"""

padding = Exercise(
    id="padding", lesson="09", title="No two words of one bank", name="source", kind="source", minutes=6, sandboxed=True,
    run=inside_harness.transposed,
    statement="""
The kernel below transposes a matrix of n * n numbers: `y[row][column]` becomes `x[column][row]`. It reads and writes whole rows of global
memory, and goes through shared memory for that. But there each warp reads a column of the tile, and all 32 words lie in one bank. Mend it,
as text in `source`: the result stays what it is, and so do the 4 sectors of each access to global memory, and no request to shared memory
is split. The check counts, as `kernel_views.bank_conflicts` and `kernel_views.sectors` do, and examines. Changing one number is enough.
""",
    starter=PADDED.replace("[33]", "[32]").replace("transpose(const float *x, float *y, int n) {", "transpose(const float *x, float *y, int n) {    // one line to change"),
    hints=("Element `tile[row][column]` is word `32 * row + column` of the tile, in bank `column`, whatever the row is. What if a row were longer?",
           "With rows of 33 words, `tile[row][column]` lies in bank `(row + column) % 32`: both a row and a column then have all 32 banks."),
    solution=PADDED,
    mistakes=(
        slip(PADDED, "tile[32][33]", "tile[33][32]",
             "All words of a column still lie in one bank, as the length of a row is a multiple of 32. That length is the second number of "
             "`tile[32][32]`; a row more leaves each number where it was. Choose a length that shares no factor with 32."),
        slip(PADDED, "tile[32][33]", "tile[32][34]",
             "Some requests are still split: several words of a column share a bank (with rows of 34 words two, of 36 four). From row to row the "
             "bank should move by a number that shares no factor with 32.",
             PADDED.replace("[33]", "[36]"), PADDED.replace("[33]", "[40]"), PADDED.replace("[33]", "[48]")),
        Mistake("""
__global__ void transpose(const float *x, float *y, int n) {
    int column = 32 * blockIdx.x + threadIdx.x, row = 32 * blockIdx.y + threadIdx.y;
    y[column * n + row] = x[row * n + column];
}
""", "Each warp reads or writes a column of global memory: 32 sectors in the place of 4. It "
     "should go through rows of both matrices, and through a column of the tile alone.", (
            PADDED.replace("tile[row][column] = x", "tile[column][row] = x").replace(
                "y[(left + row) * n + top + column] = tile[column][row]", "y[(left + column) * n + top + row] = tile[column][row]"),)),
        slip(PADDED, "    __syncthreads();\n", "",
             "The barrier is gone: a thread reads what threads of other warps write. It has to lie between writing and reading."),
        slip(PADDED, "y[(left + row) * n", "y[(left + row) * 32",
             "Two blocks write to one place of `y`. A row of `y` has n numbers, so row r begins at number `r * n`."),
        slip(PADDED, "= tile[column][row]", "= tile[row][column]",
             "The numbers are not transposed. Row and column have to change places once in the tile: written by rows and read by columns, "
             "or the other way round.",
             PADDED.replace("tile[row][column] = x", "tile[column][row] = x"),
             PADDED.replace("[33]", "[32]").replace("= tile[column][row]", "= tile[row][column]")),
    ),
    cases=tuple(Case(f"{aspect} with n = {n}", (aspect, n), wanted, hidden, "they")
                for n, hidden in ((64, False), (96, True)) for aspect, wanted in inside_harness.WANTED.items()))

EXERCISES = (shared_address, reverse_blocks, padding)
