"""Exercises of "Names and limits of the heap": how large the heap is, and a malloc that fails."""
from ...exercises.exercise import Case, Exercise, Instead, Mistake, change, slip
from . import harness

limit = Exercise(
    id="heap-limit", title="How large is the heap?", name="heap_of", minutes=5, sandboxed=True,
    run=harness.heap_of, cases=harness.limits,
    statement="""
You need a heap of `nbytes` bytes, and do not know whether a kernel has used it already. The driver may set the size
as you ask, choose another, or refuse. Write `heap_of(nbytes)`: ask for that size by `cuda.Context.set_limit`, with
`cuda.limit.MALLOC_HEAP_SIZE`, and return the size that the heap has then, whatever the driver answered. Five lines
are enough.

    heap_of(64 << 20)       # 67108864
    heap_of(1000)           # 4194304 on an H200: the driver rounds up
""",
    hints=("`cuda.Context.get_limit`, with the same name of the limit, gives the size that the heap has.",
           "Where the driver refuses, PyCUDA raises `cuda.LogicError`: catch it with `try` and `except`, and go on."),
    mistakes=(
        slip("return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)", "return nbytes",
             "You return what was asked for. The driver may have rounded it up, or refused: ask it by `get_limit`."),
        slip("""\
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
""",
             "    cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)\n",
             "After a kernel has used the heap the driver refuses, and PyCUDA raises an exception: catch it, and "
             "return the size that the heap has."),
        slip("""\
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
""",
             "", "You ask how large the heap is, and set nothing: `set_limit` comes first.",
             change("""\
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
""",
                    "", "return ", "return max(nbytes, ", "_SIZE)\n", "_SIZE))\n"), Instead("""\
def heap_of(nbytes):
    return max(nbytes, 4 << 20)
""")),
        Mistake(Instead("""\
def heap_of(nbytes):
    size = cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return size
"""), "You ask before the limit is set, and return the old size: ask afterwards."),
        slip("        pass\n", "        return None\n",
             "Where the driver refuses, the heap has a size all the same: return that.",
             change("        pass\n", "        return 0\n")),
        slip("        pass\n", "        return 8388608\n",
             "Where the driver refuses, the heap keeps the size that it has, and that need not be the default: ask by "
             "`get_limit`."),
        slip("cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)",
             "cuda.Context.set_limit(cuda.limit.STACK_SIZE, nbytes)",
             "You set another limit: each thread's stack, or the buffer of `printf`. The heap's is `MALLOC_HEAP_SIZE`.",
             change("cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)",
                    "cuda.Context.set_limit(cuda.limit.PRINTF_FIFO_SIZE, nbytes)"),
             change("MALLOC_HEAP_SIZE", "STACK_SIZE")),
        slip("SIZE, nbytes)", "SIZE, max(nbytes, 8388608))",
             "The heap may be made smaller than its default, too: ask for `nbytes`, and let the driver round up."),
        slip("return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)",
             "return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE) - nbytes",
             "You return how far the two sizes are apart. The heap's own size is asked for."),
    ))

FULL = 1 << 40      # more than any heap has
BYTES_AND_COUNT = "the first bytes of the blocks, and the count,"
allocate = Exercise(
    id="heap-exhausted", title="When malloc fails in a kernel", name="source", kind="source", minutes=8,
    sandboxed=True, run=harness.allocate,
    statement="""
The heap may be full. Then `malloc` in a kernel returns a null pointer, and a write through that pointer ends in
`ILLEGAL_ADDRESS`. Write a kernel, as text in `source`: thread `i` of one block allocates `sizes[i]` bytes, stores the
pointer in `blocks[i]`, and writes `'x'` into the first byte; where there is no memory, it counts one more in `*failed`
instead: `atomicAdd(address, 1)` counts right, also for several threads at once. Four lines are enough.

    sizes 16, 2**40 and 48 give blocks with "x", none, "x", and 1 failure
""",
    hints=("Look at the pointer before you follow it.",
           "All threads run at once: `*failed += 1` of several is not one after the other. `atomicAdd(failed, 1)` is."),
    mistakes=(
        slip("    if (blocks[i] == NULL) atomicAdd(failed, 1);\n    else blocks", "    blocks",
             "You follow the pointer without looking: where malloc failed it is null, and the write breaks the "
             "context. Ask for `NULL` first."),
        slip("(char *) malloc(sizes[i])", "(char *) malloc((int) sizes[i])",
             "An `int` has no room for these sizes: 2**40 becomes 0 in it. `sizes` has numbers of 64 bits."),
        slip("atomicAdd(failed, 1);", "*failed += 1;",
             "Threads that fail together count as one: each of them read the same old value. Use `atomicAdd(failed, "
             "1)`.", change("atomicAdd(failed, 1);", "*failed = 1;")),
        Mistake(change("blocks[i]", "mine", "    mine =", "    char *mine ="),
                "The pointers are kept by nobody: store each in `blocks[i]`."),
        slip("malloc(sizes[i])", "malloc(sizes[0])",
             "Every thread asks for the first size: thread `i` needs `sizes[i]`."),
        slip("if (blocks[i] == NULL) atomicAdd(failed, 1);\n    else blocks[i][0] = 'x';",
             "if (blocks[i]) { blocks[i][0] = 'x'; atomicAdd(failed, 1); }",
             "You count the successes. Count where the pointer is null."),
        slip("if (blocks[i] == NULL) atomicAdd(failed, 1);\n    else blocks[i][0] = 'x';",
             "if (blocks[i]) blocks[i][0] = 'x';\n    atomicAdd(failed, 1);",
             "You count every thread. Count only where the pointer is null."),
        slip("blocks[i] = (char *) malloc(sizes[i])", "blocks[i] = i ? NULL : (char *) malloc(sizes[i])",
             "Only thread 0 allocates. Each thread has a size and a place of its own.",
             change("int i = threadIdx.x", "int i = blockIdx.x")),
        slip(" atomicAdd(failed, 1);", " ;", "Nothing is counted: the host could only tell from the null pointers."),
        slip("else blocks[i][0] = 'x';", "else { blocks[i][0] = 'x'; free(blocks[i]); }",
             "The blocks are freed again, and whoever follows a pointer of `blocks` reads what is no longer allocated: "
             "leave them."),
        slip("else blocks[i][0] = 'x';", "",
             "The first byte of the blocks is not written: put `'x'` into `blocks[i][0]`."),
        slip("= 'x'", "= 'X'", "Another byte is written: it is a small `'x'`.", change("'x'", "1")),
    ),
    cases=(Case("two sizes of which none is too large", ((64, 32),), ("xx", 0), False, BYTES_AND_COUNT),
           Case("a size of 2**33 + 40 between two small ones", ((16, (1 << 33) + 40, 48),), ("x.x", 1),
                True, BYTES_AND_COUNT),
           Case("three sizes of which one is too large", ((16, FULL, 48),), ("x.x", 1), False, BYTES_AND_COUNT),
           Case("six sizes of which several are too large", ((FULL, 8, FULL, FULL, 100, 24),), (".x..xx", 3), True,
                BYTES_AND_COUNT),
           Case("three times 5 MiB, of which a heap of 8 MiB has room for one", ((5 << 20,) * 3,), ("..x", 2), True,
                "the first bytes of the blocks, in any order, and the count,"),
           Case("twelve sizes that are all too large", ((FULL,) * 12,), ("." * 12, 12), True, BYTES_AND_COUNT)))

EXERCISES = (limit, allocate)
