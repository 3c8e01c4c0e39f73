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
             "`blockIdx.x`."),
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

LIMIT = """
def limit_after(events):
    limit, fixed = 8388608, False
    for what, value in events:
        if what == "set" and not fixed:
            limit = value
        if what == "launch" and value == "malloc":
            fixed = True
    return limit
"""
MIB = 1 << 20


def _events(source):
    """Up to six calls, the first of which is seldom a launch that uses the heap."""
    made = [source.choice([("set", source.randint(4, 40) * MIB)] * 3 + [("launch", ""), ("launch", "malloc")])
            for _ in range(source.randrange(7))]
    return (made,)


limit = Exercise(
    id="heap-limit", lesson="04", title="When is the heap's size fixed?", name="limit_after", minutes=5,
    statement="""
The heap has 8388608 bytes unless the limit is set, and it can be set until the first launch of a kernel that uses the
heap; after that the driver refuses. A program's calls are given in order: `("set", nbytes)`, `("launch", "malloc")`
for a kernel that uses the heap, `("launch", "")` for one that does not. Each `nbytes` here is a whole number of MiB,
4 or more: the driver takes those as they are, and rounds others up. Write `limit_after(events)`: how large the heap is
in the end. Seven lines are enough.

    limit_after([("set", 4 << 20), ("launch", "malloc"), ("set", 16 << 20)])    # 4194304
    limit_after([("launch", "")])                                               # 8388608
""",
    starter="""
def limit_after(events):
    '''The size of the heap in bytes, after all of the events.'''
    for what, value in events:
        ...         # about six lines
""",
    hints=("Two things have to be remembered from event to event: the limit, and whether it is fixed already.",
           "A launch fixes it only if its kernel uses the heap. A `set` before that counts, also a second one."),
    solution=LIMIT,
    mistakes=(
        slip(LIMIT, " and not fixed", "",
             "A limit set after the heap was used is refused: it stays as it was.",
             "def limit_after(events):\n    return ([8388608] + [value for what, value in events if what == "
             "'set'])[-1]"),
        slip(LIMIT, " and value == \"malloc\"", "",
             "A kernel that does not use the heap fixes nothing."),
        slip(LIMIT, "value == \"malloc\"", "value != \"malloc\"",
             "You have the two launches the wrong way round: the one with `\"malloc\"` uses the heap.",
             LIMIT.replace('value == "malloc"', 'value == ""')),
        slip(LIMIT, " and not fixed", " and fixed",
             "The limit can be set as long as the heap was *not* used: `not fixed`."),
        slip(LIMIT, "            fixed = True\n", "            limit, fixed = 8388608, True\n",
             "The launch keeps the limit that was set before it."),
        slip(LIMIT, "            fixed = True\n    return limit",
             "            fixed = True\n        return limit\n    return limit",
             "Nothing after the first event counts: a `return` in the loop does that, and so does fixing the size at any "
             "event.",
             LIMIT.replace("    return limit", "        return limit")),
        slip(LIMIT, "            limit = value\n", "            limit += value\n",
             "A limit that is set takes the place of the one before it: it is not added."),
        slip(LIMIT, "            fixed = True\n",
             "            fixed = True\n        elif what == \"launch\":\n            fixed = False\n",
             "Once the heap is used its size is fixed to the end, also after launches that do not use it."),
        slip(LIMIT, "            fixed = True\n", "            return value\n",
             "A launch's second part says whether its kernel uses the heap. It is no size."),
        slip(LIMIT, "            limit = value\n", "            limit, fixed = value, True\n",
             "The limit may be set more than once before the heap is used: the last one counts.",
             "def limit_after(events):\n    for what, value in events:\n        if what == 'set':\n            "
             "return value\n"
             "        if value == 'malloc':\n            return 8388608\n    return 8388608"),
        slip(LIMIT, "8388608", "0",
             "Where nothing was set the heap has its default size: 8388608 bytes.",
             LIMIT.replace("8388608", "None"), LIMIT.replace("8388608", "8 << 10"),
             LIMIT.replace("8388608", "4 << 20")),
        slip(LIMIT, "limit = value", "limit = max(limit, value)",
             "The limit can be made smaller than it was, too.",
             LIMIT.replace("and not fixed", "and not fixed and value > 8388608")),
    ),
    cases=(Case("a limit that is set, used, and set again",
                ([("set", 4 * MIB), ("launch", "malloc"), ("set", 16 * MIB)],), 4 * MIB),
           Case("a limit that is never set", ([("launch", "")],), 8 * MIB),
           Case("a limit that is set twice before it is used",
                ([("set", 16 * MIB), ("set", 32 * MIB), ("launch", "malloc")],), 32 * MIB, True),
           Case("a launch that does not use the heap before the limit is set",
                ([("launch", ""), ("set", 64 * MIB), ("launch", "malloc")],), 64 * MIB, True),
           Case("a heap that is used first",
                ([("launch", "malloc"), ("set", 64 * MIB), ("launch", ""), ("set", 4 * MIB)],), 8 * MIB, True),
           Case("no events at all", ([],), 8 * MIB, True),
           Case("a limit that is set larger, and then smaller", ([("set", 64 * MIB), ("set", 4 * MIB)],),
                4 * MIB, True)),
    random_case=_events)

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
The heap may be full. Then `malloc` in a kernel returns a null pointer, the launch succeeds, and who writes through
that pointer breaks the context. Write a kernel, as text in `source`: thread `i` of one block allocates `sizes[i]`
bytes, stores the pointer in `blocks[i]`, and writes `'x'` into the first byte; where there is no memory, it counts
one more in `*failed` instead. Four lines are enough.

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
           Case("twelve sizes that are all too large", ((FULL,) * 12,), ("." * 12, 12), True, BYTES_AND_COUNT)))

EXERCISES = (offsets, stage, limit, allocate, races.find_the_race)
