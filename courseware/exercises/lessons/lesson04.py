"""Lesson 04, Memory that kernels allocate: the staging copy, the heap's limit, and a malloc that fails."""
from ..exercise import Case, Exercise, Mistake, slip
from . import heap_harness, races

OFFSETS = """
def offsets(sizes):
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
    return found
"""

offsets = Exercise(
    id="offsets", lesson="04", title="Where each block goes", name="offsets", minutes=3,
    statement="""
A staging copy puts blocks of different sizes one behind the other. Write `offsets(sizes)`: where each of them begins,
and at last where all of them end. These are the prefix sums of the sizes; there is one more than there are blocks.
Four lines are enough.

    offsets([4, 11, 2])     # [0, 4, 15, 17]
""",
    starter="""
def offsets(sizes):
    '''Where each block begins, and where the last one ends.'''
    ...         # about four lines
""",
    hints=("The first block begins at 0. Each of the others begins where the one before it ends.",
           "Begin with the list `[0]`, and append the last element plus the next size."),
    solution=OFFSETS,
    mistakes=(
        slip(OFFSETS, "return found", "return found[1:]",
             "The first block begins at 0: that belongs to the list.",
             "import itertools\ndef offsets(sizes):\n    return list(itertools.accumulate(sizes))"),
        slip(OFFSETS, "return found", "return found[:-1]",
             "The end of the last block is missing: it says how much staging memory is needed, and how long the last "
             "block is."),
        Mistake("def offsets(sizes):\n    return [number * max(sizes, default=0) for number in range(len(sizes) + 1)]",
                "You give each block as much room as the largest. They lie one behind the other, without gaps."),
        slip(OFFSETS, "found[-1] + size", "size",
             "These are the sizes. An offset is the sum of all sizes before it.",
             "def offsets(sizes):\n    return sizes"),
        slip(OFFSETS, "found[-1] + size", "found[-1] + 4 * size",
             "The sizes are in bytes already: do not multiply them.",
             OFFSETS.replace("found[-1] + size", "found[-1] + 8 * size")),
        slip(OFFSETS, "return found", "return found[-1]",
             "You return the sum of all sizes alone. The offsets on the way to it are wanted too, in a list.",
             "def offsets(sizes):\n    return sum(sizes)"),
        slip(OFFSETS, "found = [0]\n", "found = [0, 0]\n",
             "There is a 0 too many: with `n` blocks there are `n + 1` offsets."),
        slip(OFFSETS, "        found.append(found[-1] + size)\n    return found",
             "        found.append(found[-1] + size)\n        return found\n    return found",
             "You return after the first block: the `return` belongs behind the loop.",
             OFFSETS.replace("    return found", "        return found")),
        slip(OFFSETS, "found[-1] + size", "found[-1] + size + 1",
             "The blocks lie one behind the other without gaps: where one ends, the next begins."),
        slip(OFFSETS, "found[-1] + size", "sum(found) + size",
             "You add up the offsets, which are sums already: the last one is enough, `found[-1]`."),
        slip(OFFSETS, "found[-1] + size", "len(found) * size",
             "You take the blocks before for as long as this one. Add up their own sizes."),
        slip(OFFSETS, "found[-1] + size", "found[-1] + len(found)",
             "You count the blocks. An offset is the sum of the *sizes* before it.",
             "def offsets(sizes):\n    return list(range(len(sizes) + 1))"),
        slip(OFFSETS, "found = [0]", "found = [1]",
             "The first block begins at 0."),
    ),
    cases=(Case("three blocks", ([4, 11, 2],), [0, 4, 15, 17]),
           Case("three blocks of which one is empty", ([5, 0, 3],), [0, 5, 5, 8], True),
           Case("one block", ([7],), [0, 7], True), Case("no blocks at all", ([],), [0], True),
           Case("five blocks", ([1, 20, 300, 4000, 9],), [0, 1, 21, 321, 4321, 4330], True)),
    random_case=lambda source: ([source.choice([0, source.randrange(50)]) for _ in range(source.randrange(7))],))

STAGING = "the bytes of the staging memory, and 8 behind it,"
STAGE = """
__global__ void stage(char **blocks, const int *offsets, char *staging) {
    char *block = blocks[blockIdx.x], *staged = staging + offsets[blockIdx.x];
    int nbytes = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i < nbytes; i += blockDim.x)
        staged[i] = block[i];
}
"""

stage = Exercise(
    id="staging-kernel", lesson="04", title="The staging copy", name="source", kind="source", minutes=10,
    sandboxed=True,
    run=heap_harness.stage,
    statement="""
A kernel has allocated blocks on the heap, where no copy of the host's reaches them. Write the kernel that brings them
out, as text in `source`: block `b` of the grid copies `blocks[b]` to `staging`, from `offsets[b]` to `offsets[b +
1]`. The offsets are those of the exercise `offsets`. A block of the heap may have more bytes than a block of the grid
has threads. Five lines are enough.

    sizes 4, 11 and 2, with "abcd", "abcdefghijk" and "ab" in them, give "abcdabcdefghijkab"
""",
    starter="""
__global__ void stage(char **blocks, const int *offsets, char *staging) {
    ...         // about five lines
}
""",
    hints=("`blockIdx.x` chooses the block of the heap, and `offsets` tells where it goes and how long it is. The "
           "threads share its bytes.",
           "`for (int i = threadIdx.x; i < nbytes; i += blockDim.x)` goes over all bytes of one block, however many "
           "threads there are."),
    solution=STAGE,
    mistakes=(
        slip(STAGE, "for (int i = threadIdx.x; i < nbytes; i += blockDim.x)", "int i = threadIdx.x; if (i < nbytes)",
             "Each thread copies one byte, and a block of the heap may have more bytes than there are threads: go on "
             "in steps of `blockDim.x`."),
        slip(STAGE, "i < nbytes", "i <= nbytes",
             "The kernel goes beyond an end. A block of `nbytes` bytes has the places 0 to `nbytes - 1`, so each "
             "thread asks "
             "`i < nbytes`; its length is the difference of two offsets; and `blocks` has one pointer for each "
             "`blockIdx.x`.",
             STAGE.replace("for (int i = threadIdx.x; i < nbytes; i += blockDim.x)\n", "int i = threadIdx.x;\n")),
        slip(STAGE, "i += blockDim.x", "i += gridDim.x",
             "Your step is the number of blocks. The threads of one block share its bytes: the step is `blockDim.x`."),
        slip(STAGE, "i += blockDim.x", "i += blockDim.x * gridDim.x",
             "You step over the whole grid, as for one long array. Here each block of the grid has an array of its "
             "own: the step is `blockDim.x`.",
             STAGE.replace("i += blockDim.x", "i += blockDim.x * gridDim.x")
             .replace("i = threadIdx.x", "i = blockIdx.x * blockDim.x + threadIdx.x")),
        slip(STAGE, "i < nbytes", "i < nbytes - 1",
             "The last byte of each block is missing: a block of `nbytes` bytes has the places 0 to `nbytes - 1`."),
        slip(STAGE, "int i = threadIdx.x", "int i = threadIdx.x + 1",
             "The first byte of each block is missing: thread 0 begins with byte 0."),
        slip(STAGE, "        staged[i] = block[i];", "        ;",
             "The staging memory is as it was: no byte is copied. A pointer that is set to another one moves nothing; "
             "each byte has to be assigned.",
             "__global__ void stage(char **blocks, const int *offsets, char *staging) { staging = "
             "blocks[blockIdx.x]; }"),
        slip(STAGE, "        staged[i] = block[i];", "        staged[i] = *block;",
             "You copy the first byte of the block again and again: byte `i` is `block[i]`.",
             STAGE.replace("= block[i]", "= block[0]")),
        slip(STAGE, "staging + offsets[blockIdx.x]", "staging",
             "All blocks go to the start of the staging memory, one over the other: add `offsets[blockIdx.x]`."),
        slip(STAGE, "blockIdx.x", "0",
             "Only the first block comes out: which one is copied depends on `blockIdx.x`."),
        slip(STAGE, "int i = threadIdx.x;", "int i = blockIdx.x * blockDim.x + threadIdx.x;",
             "You count threads over the whole grid, as for one long array. Here each block of the grid has an array "
             "of its own, and counts from `threadIdx.x`."),
        slip(STAGE, "staged[i] = block[i]", "block[i] = staged[i]",
             "You copy into the heap. The other way round: `staging` is to be filled."),
    ),
    cases=(Case("blocks of 4, 11 and 2 bytes and 8 threads", (("abcd", "abcdefghijk", "ab"), 8),
                "abcdabcdefghijkab" + "." * 8, False,
                STAGING),
           Case("three blocks of other content and 4 threads", (("Heap", "of", "kernels, brought out"), 4),
                "Heapofkernels, brought out" + "." * 8, True, STAGING),
           Case("four blocks of which one is empty", (("one", "", "three", "f"), 32),
                "onethreef" + "." * 8, True, STAGING),
           Case("ten blocks and 4 threads", (tuple(f"block {n}, whole; " for n in range(10)), 4),
                "".join(f"block {n}, whole; " for n in range(10)) + "." * 8, True, STAGING),
           Case("one block and one thread", (("alone in the heap",), 1), "alone in the heap" + "." * 8, True, STAGING)))

PYCUDA = "import pycuda.driver as cuda\n"
LIMIT = PYCUDA + """
def heap_of(nbytes):
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
"""
SET = "cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)"
GET = "cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"
TRY = f"    try:\n        {SET}\n    except cuda.LogicError:\n        pass\n"

limit = Exercise(
    id="heap-limit", lesson="04", title="How large is the heap?", name="heap_of", minutes=5, sandboxed=True,
    run=heap_harness.heap_of, cases=heap_harness.limits,
    statement="""
You need a heap of `nbytes` bytes, and do not know whether a kernel has used it already. The driver may set the size
as you ask, choose another, or refuse. Write `heap_of(nbytes)`: ask for that size by `cuda.Context.set_limit`, with
`cuda.limit.MALLOC_HEAP_SIZE`, and return the size that the heap has then, whatever the driver answered. Five lines
are enough.

    heap_of(64 << 20)       # 67108864
    heap_of(1000)           # 4194304 on an H200: the driver rounds up
""",
    starter=PYCUDA + """
def heap_of(nbytes):
    '''Ask for a heap of nbytes, and return the size that it has then.'''
    ...         # about five lines
""",
    hints=("`cuda.Context.get_limit`, with the same name of the limit, gives the size that the heap has.",
           "Where the driver refuses, PyCUDA raises `cuda.LogicError`: catch it with `try` and `except`, and go on."),
    solution=LIMIT,
    mistakes=(
        slip(LIMIT, f"return {GET}", "return nbytes",
             "You return what was asked for. The driver may have rounded it up, or refused: ask it by `get_limit`.",
             LIMIT.replace(f"\n    return {GET}", "\n    return nbytes").replace("pass", f"return {GET}")),
        slip(LIMIT, TRY, f"    {SET}\n",
             "After a kernel has used the heap the driver refuses, and PyCUDA raises an exception: catch it, and "
             "return the "
             "size that the heap has.",
             PYCUDA + f"def heap_of(nbytes):\n    if {GET} != nbytes:\n        {SET}\n    return {GET}"),
        slip(LIMIT, TRY, "",
             "You ask how large the heap is, and set nothing: `set_limit` comes first.",
             LIMIT.replace(TRY, "").replace("return ", "return max(nbytes, ").replace("_SIZE)\n", "_SIZE))\n"),
             PYCUDA + "def heap_of(nbytes):\n    return max(nbytes, 4 << 20)"),
        Mistake(PYCUDA + f"def heap_of(nbytes):\n    size = {GET}\n{TRY}    return size",
                "You ask before the limit is set, and return the old size: ask afterwards."),
        slip(LIMIT, "        pass\n", "        return None\n",
             "Where the driver refuses, the heap has a size all the same: return that.",
             LIMIT.replace("        pass\n", "        return 0\n")),
        slip(LIMIT, "        pass\n", "        return 8388608\n",
             "Where the driver refuses, the heap keeps the size that it has, and that need not be the default: ask by "
             "`get_limit`."),
        slip(LIMIT, SET, "cuda.Context.set_limit(cuda.limit.STACK_SIZE, nbytes)",
             "You set another limit: each thread's stack, or the buffer of `printf`. The heap's is `MALLOC_HEAP_SIZE`.",
             LIMIT.replace(SET, "cuda.Context.set_limit(cuda.limit.PRINTF_FIFO_SIZE, nbytes)"),
             LIMIT.replace("MALLOC_HEAP_SIZE", "STACK_SIZE")),
        slip(LIMIT, "LIMIT, nbytes)".replace("LIMIT", "SIZE"), "SIZE, max(nbytes, 8388608))",
             "The heap may be made smaller than its default, too: ask for `nbytes`, and let the driver round up."),
        slip(LIMIT, f"return {GET}", f"return {GET} - nbytes",
             "You return how far the two sizes are apart. The heap's own size is asked for."),
    ))

ALLOCATE = """
__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i] == NULL) atomicAdd(failed, 1);
    else blocks[i][0] = 'x';
}
"""
FULL = 1 << 40      # more than any heap has
BYTES_AND_COUNT = "the first bytes of the blocks, and the count,"

allocate = Exercise(
    id="heap-exhausted", lesson="04", title="When malloc fails in a kernel", name="source", kind="source", minutes=8,
    sandboxed=True, run=heap_harness.allocate,
    statement="""
The heap may be full. Then `malloc` in a kernel returns a null pointer, and a write through that pointer ends in
`ILLEGAL_ADDRESS`. Write a kernel, as text in `source`: thread `i` of one block allocates `sizes[i]` bytes, stores the
pointer in `blocks[i]`, and writes `'x'` into the first byte; where there is no memory, it counts one more in `*failed`
instead: `atomicAdd(address, 1)` counts right, also for several threads at once. Four lines are enough.

    sizes 16, 2**40 and 48 give blocks with "x", none, "x", and 1 failure
""",
    starter="""
__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {
    int i = threadIdx.x;
    ...         // about three lines
}
""",
    hints=("Look at the pointer before you follow it.",
           "All threads run at once: `*failed += 1` of several is not one after the other. `atomicAdd(failed, 1)` "
           "is."),
    solution=ALLOCATE,
    mistakes=(
        slip(ALLOCATE, "    if (blocks[i] == NULL) atomicAdd(failed, 1);\n    else blocks", "    blocks",
             "You follow the pointer without looking: where malloc failed it is null, and the write breaks the "
             "context. Ask for `NULL` first."),
        slip(ALLOCATE, "(char *) malloc(sizes[i])", "(char *) malloc((int) sizes[i])",
             "An `int` has no room for these sizes: 2**40 becomes 0 in it. `sizes` has numbers of 64 bits.",
             ALLOCATE.replace("malloc(sizes[i])", "malloc((unsigned int) sizes[i])")),
        slip(ALLOCATE, "atomicAdd(failed, 1);", "*failed += 1;",
             "Threads that fail together count as one: each of them read the same old value. Use `atomicAdd(failed, "
             "1)`.",
             ALLOCATE.replace("atomicAdd(failed, 1);", "*failed = *failed + 1;"),
             ALLOCATE.replace("atomicAdd(failed, 1);", "*failed = 1;")),
        Mistake(ALLOCATE.replace("blocks[i]", "mine").replace("    mine =", "    char *mine ="),
                "The pointers are kept by nobody: store each in `blocks[i]`."),
        slip(ALLOCATE, "malloc(sizes[i])", "malloc(sizes[0])",
             "Every thread asks for the first size: thread `i` needs `sizes[i]`."),
        slip(ALLOCATE, "if (blocks[i] == NULL) atomicAdd(failed, 1);\n    else blocks[i][0] = 'x';",
             "if (blocks[i]) { blocks[i][0] = 'x'; atomicAdd(failed, 1); }",
             "You count the successes. Count where the pointer is null.",
             ALLOCATE.replace("atomicAdd(failed, 1);\n    else blocks[i][0] = 'x';",
                              ";\n    else { blocks[i][0] = 'x'; atomicAdd(failed, 1); }")),
        slip(ALLOCATE, "if (blocks[i] == NULL) atomicAdd(failed, 1);\n    else blocks[i][0] = 'x';",
             "if (blocks[i]) blocks[i][0] = 'x';\n    atomicAdd(failed, 1);",
             "You count every thread. Count only where the pointer is null."),
        slip(ALLOCATE, "blocks[i] = (char *) malloc(sizes[i])", "blocks[i] = i ? NULL : (char *) malloc(sizes[i])",
             "Only thread 0 allocates. Each thread has a size and a place of its own.",
             ALLOCATE.replace("int i = threadIdx.x", "int i = blockIdx.x")),
        slip(ALLOCATE, " atomicAdd(failed, 1);", " ;",
             "Nothing is counted: the host could only tell from the null pointers.",
             ALLOCATE.replace("atomicAdd(failed, 1)", "failed += 1"),
             ALLOCATE.replace("atomicAdd(failed, 1)", "failed++")),
        slip(ALLOCATE, "else blocks[i][0] = 'x';", "else { blocks[i][0] = 'x'; free(blocks[i]); }",
             "The blocks are freed again, and whoever follows a pointer of `blocks` reads what is no longer allocated: leave them."),
        slip(ALLOCATE, "else blocks[i][0] = 'x';", "",
             "The first byte of the blocks is not written: put `'x'` into `blocks[i][0]`."),
        slip(ALLOCATE, "= 'x'", "= 'X'",
             "Another byte is written: it is a small `'x'`.", ALLOCATE.replace("'x'", "1")),
    ),
    # An int has no room for the sizes of the second case, and yet it is right about the others but 2**40.
    cases=(Case("two sizes of which none is too large", ((64, 32),), ("xx", 0), False, BYTES_AND_COUNT),
           Case("a size of 2**33 + 40 between two small ones", ((16, (1 << 33) + 40, 48),), ("x.x", 1),
                True, BYTES_AND_COUNT),
           Case("three sizes of which one is too large", ((16, FULL, 48),), ("x.x", 1), False, BYTES_AND_COUNT),
           Case("six sizes of which several are too large", ((FULL, 8, FULL, FULL, 100, 24),), (".x..xx", 3), True,
                BYTES_AND_COUNT),
           Case("three times 5 MiB, of which a heap of 8 MiB has room for one", ((5 << 20,) * 3,), ("..x", 2), True,
                "the first bytes of the blocks, in any order, and the count,"),
           Case("twelve sizes that are all too large", ((FULL,) * 12,), ("." * 12, 12), True, BYTES_AND_COUNT)))

EXERCISES = (offsets, stage, limit, allocate, races.find_the_race)
