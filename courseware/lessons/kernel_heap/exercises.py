"""Exercises of "Memory that kernels allocate": where each block goes, and the staging copy."""
from ...exercises.exercise import Case, Exercise, Mistake, change, slip
from . import harness

offsets = Exercise(
    id="offsets", title="Where each block goes", name="offsets", minutes=3,
    statement="""
A staging copy puts blocks of different sizes one behind the other. Write `offsets(sizes)`: where each of them begins,
and at last where all of them end. These are the prefix sums of the sizes; there is one more than there are blocks.
Four lines are enough.

    offsets([4, 11, 2])     # [0, 4, 15, 17]
""",
    hints=("The first block begins at 0. Each of the others begins where the one before it ends.",
           "Begin with the list `[0]`, and append the last element plus the next size."),
    mistakes=(
        slip("return found", "return found[1:]", "The first block begins at 0: that belongs to the list."),
        slip("return found", "return found[:-1]",
             "The end of the last block is missing: it says how much staging memory is needed, and how long the last "
             "block is."),
        Mistake("""\
def offsets(sizes):
    return [number * max(sizes, default=0) for number in range(len(sizes) + 1)]
""",
                "You give each block as much room as the largest. They lie one behind the other, without gaps."),
        slip("found[-1] + size", "size", "These are the sizes. An offset is the sum of all sizes before it.",
             "def offsets(sizes):\n    return sizes\n"),
        slip("found[-1] + size", "found[-1] + 4 * size", "The sizes are in bytes already: do not multiply them.",
             change("found[-1] + size", "found[-1] + 8 * size")),
        slip("return found", "return found[-1]",
             "You return the sum of all sizes alone. The offsets on the way to it are wanted too, in a list."),
        slip("found = [0]\n", "found = [0, 0]\n", "There is a 0 too many: with `n` blocks there are `n + 1` offsets."),
        slip("    return found", "        return found\n    return found",
             "You return after the first block: the `return` belongs behind the loop."),
        slip("found[-1] + size", "found[-1] + size + 1",
             "The blocks lie one behind the other without gaps: where one ends, the next begins."),
        slip("found[-1] + size", "sum(found) + size",
             "You add up the offsets, which are sums already: the last one is enough, `found[-1]`."),
        slip("found[-1] + size", "len(found) * size",
             "You take the blocks before for as long as this one. Add up their own sizes."),
        slip("found[-1] + size", "found[-1] + len(found)",
             "You count the blocks. An offset is the sum of the *sizes* before it.",
             "def offsets(sizes):\n    return list(range(len(sizes) + 1))\n"),
        slip("found = [0]", "found = [1]", "The first block begins at 0."),
    ),
    cases=(Case("three blocks", ([4, 11, 2],), [0, 4, 15, 17]),
           Case("three blocks of which one is empty", ([5, 0, 3],), [0, 5, 5, 8], True),
           Case("one block", ([7],), [0, 7], True), Case("no blocks at all", ([],), [0], True),
           Case("five blocks", ([1, 20, 300, 4000, 9],), [0, 1, 21, 321, 4321, 4330], True)),
    random_case=lambda source: ([source.choice([0, source.randrange(50)]) for _ in range(source.randrange(7))],))

STAGING = "the bytes of the staging memory, and 8 behind it,"
stage = Exercise(
    id="staging-kernel", title="The staging copy", name="source", kind="source", minutes=10, sandboxed=True,
    run=harness.stage,
    statement="""
A kernel has allocated blocks on the heap, where no copy of the host's reaches them. Write the kernel that brings them
out, as text in `source`: block `b` of the grid copies `blocks[b]` to `staging`, from `offsets[b]` to `offsets[b +
1]`. The offsets are those of the exercise `offsets`. A block of the heap may have more bytes than a block of the grid
has threads. Five lines are enough.

    sizes 4, 11 and 2, with "abcd", "abcdefghijk" and "ab" in them, give "abcdabcdefghijkab"
""",
    hints=("`blockIdx.x` chooses the block of the heap, and `offsets` tells where it goes and how long it is. The "
           "threads share its bytes.",
           "`for (int i = threadIdx.x; i < nbytes; i += blockDim.x)` goes over all bytes of one block, however many "
           "threads there are."),
    mistakes=(
        slip("for (int i = threadIdx.x; i < nbytes; i += blockDim.x)", "int i = threadIdx.x; if (i < nbytes)",
             "Each thread copies one byte, and a block of the heap may have more bytes than there are threads: go on "
             "in steps of `blockDim.x`."),
        slip("i < nbytes", "i <= nbytes",
             "The kernel goes beyond an end. A block of `nbytes` bytes has the places 0 to `nbytes - 1`, so each "
             "thread asks `i < nbytes`; its length is the difference of two offsets; and `blocks` has one pointer for "
             "each `blockIdx.x`."),
        slip("i += blockDim.x", "i += gridDim.x",
             "Your step is the number of blocks. The threads of one block share its bytes: the step is `blockDim.x`."),
        slip("i += blockDim.x", "i += blockDim.x * gridDim.x",
             "You step over the whole grid, as for one long array. Here each block of the grid has an array of its "
             "own: the step is `blockDim.x`.",
             change("i += blockDim.x", "i += blockDim.x * gridDim.x", "i = threadIdx.x",
                    "i = blockIdx.x * blockDim.x + threadIdx.x")),
        slip("i < nbytes", "i < nbytes - 1",
             "The last byte of each block is missing: a block of `nbytes` bytes has the places 0 to `nbytes - 1`."),
        slip("int i = threadIdx.x", "int i = threadIdx.x + 1",
             "The first byte of each block is missing: thread 0 begins with byte 0."),
        slip("        staged[i] = block[i];", "        ;",
             "The staging memory is as it was: no byte is copied. A pointer that is set to another one moves nothing; "
             "each byte has to be assigned.",
             "__global__ void stage(char **blocks, const int *offsets, char *staging) { staging = blocks[blockIdx.x]; }\n"),
        slip("        staged[i] = block[i];", "        staged[i] = *block;",
             "You copy the first byte of the block again and again: byte `i` is `block[i]`."),
        slip("staging + offsets[blockIdx.x]", "staging",
             "All blocks go to the start of the staging memory, one over the other: add `offsets[blockIdx.x]`."),
        slip("blockIdx.x", "0", "Only the first block comes out: which one is copied depends on `blockIdx.x`."),
        slip("int i = threadIdx.x;", "int i = blockIdx.x * blockDim.x + threadIdx.x;",
             "You count threads over the whole grid, as for one long array. Here each block of the grid has an array "
             "of its own, and counts from `threadIdx.x`."),
        slip("staged[i] = block[i]", "block[i] = staged[i]",
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

EXERCISES = (offsets, stage)
