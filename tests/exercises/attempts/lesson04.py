"""Attempts at the exercises of lesson 04."""
from . import change, right, wrong

OFFSETS = "import itertools\nimport numpy as np\ndef offsets(sizes):\n"
LIMIT = "import pycuda.driver as cuda\ndef heap_of(nbytes):\n"
STAGE = "__global__ void stage(char **blocks, const int *offsets, char *staging) {\n"
ALLOCATE = "__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {\n"

ATTEMPTS = {
    "offsets": (
        right("accumulate", OFFSETS + "    return list(itertools.accumulate(sizes, initial=0))"),
        right("the lesson's own line", OFFSETS + "    return np.concatenate([[0], np.cumsum(sizes)])"),
        right("cumsum with a 0 before", OFFSETS + "    return np.cumsum([0] + list(sizes))"),
        right("sums of slices", OFFSETS + "    return [sum(sizes[:n]) for n in range(len(sizes) + 1)]"),
        right("a running sum", OFFSETS + """
    end, found = 0, []
    for size in sizes:
        found.append(end)
        end += size
    return found + [end]"""),
        right("a tuple", OFFSETS + "    return (0, *itertools.accumulate(sizes))"),
        wrong("accumulate without list", "read only once", OFFSETS + "    return itertools.accumulate(sizes, initial=0)"),
        wrong("without the 0", "The first block begins at 0", OFFSETS + "    return np.cumsum(sizes)"),
        wrong("without the 0, as a list", "The first block begins at 0", OFFSETS + "    return list(itertools.accumulate(sizes))"),
        wrong("without the end", "The end of the last block is missing", OFFSETS + """
    found, end = [], 0
    for size in sizes:
        found.append(end)
        end += size
    return found"""),
        wrong("sizes * 4", "do not multiply them", OFFSETS + """
    found = [0]
    for size in sizes:
        found.append(found[-1] + size * 4)
    return found"""),
        wrong("sizes", "These are the sizes", OFFSETS + "    return [0] + list(sizes)"),
        wrong("sizes as they are", "These are the sizes", OFFSETS + "    return sizes"),
        wrong("the sum", "the sum of all sizes alone", OFFSETS + "    return sum(sizes)"),
        wrong("the largest size", "as much room as the largest", OFFSETS + """
    if not sizes:
        return [0]
    return [n * max(sizes) for n in range(len(sizes) + 1)]"""),
        wrong("beginning at 1", "begins at 0", OFFSETS + "    return [1 + sum(sizes[:n]) for n in range(len(sizes) + 1)]"),
        wrong("a 0 too many", "a 0 too many", OFFSETS + "    return [0] + [sum(sizes[:n]) for n in range(len(sizes) + 1)]"),
        wrong("return in the loop", "You return after the first block", OFFSETS + """
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
        return found
    return found"""),
        wrong("append returns None", "`sort` and `append` return None", OFFSETS + """
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
    return found.append(0)"""),
        wrong("backwards", "in another order", OFFSETS + "    return [sum(sizes[:n]) for n in range(len(sizes), -1, -1)]"),
        wrong("floats", "it is a float", OFFSETS + "    return [float(sum(sizes[:n])) for n in range(len(sizes) + 1)]"),
        wrong("nothing for no block", "", OFFSETS + """
    if not sizes:
        return []
    return [sum(sizes[:n]) for n in range(len(sizes) + 1)]"""),
        wrong("a gap after each", "without gaps", OFFSETS + "    return [sum(sizes[:n]) + n for n in range(len(sizes) + 1)]"),
        wrong("rounded up to 4", "", OFFSETS + "    return [0, *itertools.accumulate(-(-s // 4) * 4 for s in sizes)]"),
        wrong("pairs", "", OFFSETS + """
    ends = [sum(sizes[:n]) for n in range(len(sizes) + 1)]
    return list(zip(ends, ends[1:]))"""),
        right("itertools.accumulate with initial", """
from itertools import accumulate
def offsets(sizes):
    return list(accumulate(sizes, initial=0))"""),
        right("numpy cumsum returned as an array", OFFSETS + """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(int)"""),
        wrong("the sum of the offsets", "sums already", OFFSETS + """
    result = [0]
    for size in sizes:
        result.append(sum(result) + size)
    return result"""),
        wrong("as many as there are, of this size", "their own sizes", OFFSETS + """
    result = [0]
    for i in range(1, len(sizes) + 1):
        result.append(i * sizes[i - 1])
    return result"""),
    ),
    "heap-limit": (
        right("the error as a name", LIMIT + """
    from pycuda.driver import Context, LogicError, limit
    try:
        Context.set_limit(limit.MALLOC_HEAP_SIZE, nbytes)
    except LogicError as error:
        print(error)
    return Context.get_limit(limit.MALLOC_HEAP_SIZE)"""),
        right("finally", LIMIT + """
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    finally:
        return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"""),
        right("every error of CUDA", LIMIT + """
    import contextlib
    with contextlib.suppress(cuda.Error):
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"""),
        right("the driver's own calls", LIMIT + """
    from cuda.bindings import driver as cu
    cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, nbytes)
    return cu.cuCtxGetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE)[1]"""),
        right("course_lib", LIMIT + """
    from course_lib import kernel_heap
    from course_lib.core.errors import TooLate
    try:
        return kernel_heap.set_limit(nbytes)
    except TooLate:
        return kernel_heap.limit()"""),
        right("asked in each branch", LIMIT + """
    heap = cuda.limit.MALLOC_HEAP_SIZE
    try:
        cuda.Context.set_limit(heap, nbytes)
        return cuda.Context.get_limit(heap)
    except cuda.LogicError:
        return cuda.Context.get_limit(heap)"""),
        right("twice", LIMIT + """
    for attempt in range(2):
        try:
            cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
        except cuda.LogicError:
            pass
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"""),
        right("the old size, where it is refused", LIMIT + """
    before = cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        return before
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"""),
        wrong("what was asked for", "You return what was asked for", LIMIT + """
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return nbytes"""),
        wrong("what was asked for, or the old size", "You return what was asked for", LIMIT + """
    old = cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
        return nbytes
    except cuda.LogicError:
        return old"""),
        wrong("nothing caught", "raises an exception: catch it", LIMIT + """
    cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"""),
        wrong("another exception caught", "raises an exception: catch it", change("except cuda.LogicError", "except ValueError")),
        wrong("MemoryError caught", "raises an exception: catch it", change("except cuda.LogicError", "except cuda.MemoryError")),
        wrong("nothing set", "set nothing", LIMIT + "    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"),
        wrong("rounded by hand", "set nothing", LIMIT + "    return max(nbytes, 4194304)"),
        wrong("rounded by hand, and set", "", LIMIT + """
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return max(nbytes, 4 << 20)"""),
        wrong("asked first", "You ask before the limit is set", LIMIT + """
    size = cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return size"""),
        wrong("None where it is refused", "the heap has a size all the same", change("pass", "return None")),
        wrong("None by omission", "the heap has a size all the same", LIMIT + """
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
        return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    except cuda.LogicError:
        pass"""),
        wrong("0 where it is refused", "the heap has a size all the same", change("pass", "return 0")),
        wrong("-1 where it is refused", "", change("pass", "return -1")),
        wrong("the default where it is refused", "need not be the default", change("pass", "return 8 << 20")),
        wrong("the stack", "You set another limit", change("set_limit(cuda.limit.MALLOC_HEAP_SIZE", "set_limit(cuda.limit.STACK_SIZE")),
        wrong("printf's buffer", "You set another limit", change("set_limit(cuda.limit.MALLOC_HEAP_SIZE", "set_limit(cuda.limit.PRINTF_FIFO_SIZE")),
        wrong("the stack, set and read", "You set another limit", change("MALLOC_HEAP_SIZE", "STACK_SIZE")),
        wrong("printf's buffer, read", "", change("get_limit(cuda.limit.MALLOC_HEAP_SIZE", "get_limit(cuda.limit.PRINTF_FIFO_SIZE")),
        wrong("never smaller", "may be made smaller", change("_SIZE, nbytes)", "_SIZE, max(nbytes, 8 << 20))")),
        wrong("arguments exchanged", "", change("(cuda.limit.MALLOC_HEAP_SIZE, nbytes)", "(nbytes, cuda.limit.MALLOC_HEAP_SIZE)")),
        wrong("the tuple", "", LIMIT + """
    from cuda.bindings import driver as cu
    cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, nbytes)
    return cu.cuCtxGetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE)"""),
        wrong("what set_limit returns", "", LIMIT + "    return cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)"),
        wrong("MiB", "", change("_SIZE)\n", "_SIZE) >> 20\n")),
        wrong("how much more", "how far the two sizes are apart", change("MALLOC_HEAP_SIZE)\n", "MALLOC_HEAP_SIZE) - nbytes\n")),
        wrong("used at once, so that it counts", "", LIMIT + """
    from course_lib import kernel_heap
    kernel_heap.allocate(16).release()
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"""),
        right("contextlib.suppress", """
import contextlib
import pycuda.driver as cuda
def heap_of(nbytes):
    with contextlib.suppress(cuda.LogicError):
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)"""),
        right("try finally with return in finally", LIMIT + """
    which = cuda.limit.MALLOC_HEAP_SIZE
    try:
        cuda.Context.set_limit(which, nbytes)
    finally:
        return cuda.Context.get_limit(which)"""),
    ),
    "staging-kernel": (
        right("a while", STAGE + """
    int b = blockIdx.x, i = offsets[b] + threadIdx.x;
    while (i < offsets[b + 1]) {
        staging[i] = blocks[b][i - offsets[b]];
        i += blockDim.x;
    }
}"""),
        right("thread 0 does all", STAGE + """
    if (threadIdx.x != 0) return;
    for (int i = offsets[blockIdx.x]; i < offsets[blockIdx.x + 1]; i++)
        staging[i] = blocks[blockIdx.x][i - offsets[blockIdx.x]];
}"""),
        right("every thread copies all", STAGE + """
    int from = offsets[blockIdx.x], to = offsets[blockIdx.x + 1];
    for (int i = 0; i < to - from; ++i) staging[from + i] = blocks[blockIdx.x][i];
}"""),
        right("memcpy by one thread", STAGE + """
    int b = blockIdx.x;
    if (threadIdx.x == 0) memcpy(staging + offsets[b], blocks[b], offsets[b + 1] - offsets[b]);
}"""),
        right("parts, and the start moved", STAGE + """
    const char *from = blocks[blockIdx.x] + threadIdx.x;
    char *end = staging + offsets[blockIdx.x + 1];
    for (char *to = staging + offsets[blockIdx.x] + threadIdx.x; to < end; to += blockDim.x, from += blockDim.x) *to = *from;
}"""),
        right("backwards, and a barrier more", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = n - 1 - (int) threadIdx.x; i >= 0; i -= (int) blockDim.x)
        staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
    __syncthreads();
}"""),
        wrong("one byte each", "Each thread copies one byte", STAGE + """
    int b = blockIdx.x, i = threadIdx.x;
    if (i < offsets[b + 1] - offsets[b]) staging[offsets[b] + i] = blocks[b][i];
}"""),
        wrong("no guard", "goes beyond an end", STAGE + """
    int b = blockIdx.x, i = threadIdx.x;
    staging[offsets[b] + i] = blocks[b][i];
}"""),
        wrong("stride gridDim.x", "the number of blocks", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += gridDim.x) staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("a loop over the grid", "over the whole grid", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("empty", "no byte is copied", STAGE + "}"),
        wrong("the pointer assigned", "moves nothing", STAGE + "    staging = blocks[blockIdx.x];\n}"),
        wrong("the wrong way", "You copy into the heap", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x) blocks[blockIdx.x][i] = staging[offsets[blockIdx.x] + i];
}"""),
        wrong("no offset", "All blocks go to the start", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x) staging[i] = blocks[blockIdx.x][i];
}"""),
        wrong("the first block", "Only the first block", STAGE + """
    for (int i = threadIdx.x; i < offsets[1]; i += blockDim.x) staging[i] = blocks[0][i];
}"""),
        wrong("<=", "goes beyond an end", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i <= n; i += blockDim.x) staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("up to the end offset", "goes beyond an end", STAGE + """
    for (int i = threadIdx.x; i < offsets[blockIdx.x + 1]; i += blockDim.x)
        staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("from 1", "The first byte of each block is missing", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x + 1; i < n; i += blockDim.x) staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("the last byte missing", "The last byte of each block is missing", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x] - 1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("the first byte again and again", "the first byte of the block", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x) staging[offsets[blockIdx.x] + i] = *blocks[blockIdx.x];
}"""),
        wrong("grid index", "over the whole grid", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
        staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("the content as a number", "", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x) staging[offsets[blockIdx.x] + i] = i;
}"""),
        wrong("whole ints", "", STAGE + """
    int n = (offsets[blockIdx.x + 1] - offsets[blockIdx.x]) / 4;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        for (int k = 0; k < 4; k++) staging[offsets[blockIdx.x] + 4 * i + k] = blocks[blockIdx.x][4 * i + k];
}"""),
        wrong("a semicolon missing", "It does not compile", STAGE + "    int i = threadIdx.x\n}"),
        wrong("another name", "cannot be launched", change("void stage", "void copy")),
        wrong("Python", "wants CUDA C++ source", 5),
        right("loop over absolute positions", STAGE + """
    const int first = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
    const char *from = blocks[blockIdx.x];
    int at = first + threadIdx.x;
    while (at < end) { staging[at] = from[at - first]; at += blockDim.x; }
}"""),
    ),
    "heap-exhausted": (
        wrong("the size tells, not the pointer", "", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (sizes[i] > 100000000) atomicAdd(failed, 1);
    else *blocks[i] = 'x';
}"""),
        right("a variable", ALLOCATE + """
    char *mine = (char *) malloc(sizes[threadIdx.x]);
    if (mine) mine[0] = 'x'; else atomicAdd(failed, 1);
    blocks[threadIdx.x] = mine;
}"""),
        right("an early return", ALLOCATE + """
    const int i = threadIdx.x;
    void *got = malloc(sizes[i]);
    blocks[i] = static_cast<char *>(got);
    if (got == nullptr) { atomicAdd(failed, 1); return; }
    *blocks[i] = 'x';
}"""),
        right("atomicInc's cousin", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (!blocks[i]) atomicSub(failed, -1);
    if (blocks[i]) *blocks[i] = 120;
}"""),
        right("new", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = new char[sizes[i]];
    if (blocks[i]) blocks[i][0] = 'x'; else atomicAdd(failed, 1);
}"""),
        wrong("not looked", "You follow the pointer without looking", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    blocks[i][0] = 'x';
}"""),
        wrong("looked too late", "You follow the pointer without looking", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    blocks[i][0] = 'x';
    if (!blocks[i]) atomicAdd(failed, 1);
}"""),
        wrong("an int", "An `int` has no room", ALLOCATE + """
    int i = threadIdx.x;
    int n = sizes[i];
    blocks[i] = (char *) malloc(n);
    if (blocks[i] == NULL) atomicAdd(failed, 1);
    else blocks[i][0] = 'x';
}"""),
        wrong("+= 1", "Threads that fail together", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i]) blocks[i][0] = 'x';
    else *failed += 1;
}"""),
        wrong("++", "Threads that fail together", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i]) blocks[i][0] = 'x';
    else (*failed)++;
}"""),
        wrong("++ of the pointer", "Nothing is counted", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i]) blocks[i][0] = 'x';
    else *failed++;
}"""),
        wrong("not counted", "Nothing is counted", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i]) blocks[i][0] = 'x';
}"""),
        wrong("the pointer lost", "The pointers are kept by nobody", ALLOCATE + """
    char *mine = (char *) malloc(sizes[threadIdx.x]);
    if (mine) *mine = 'x'; else atomicAdd(failed, 1);
}"""),
        wrong("the first size", "asks for the first size", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(*sizes);
    if (blocks[i]) blocks[i][0] = 'x'; else atomicAdd(failed, 1);
}"""),
        wrong("successes", "You count the successes", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i]) { blocks[i][0] = 'x'; atomicAdd(failed, 1); }
}"""),
        wrong("all", "You count every thread", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    atomicAdd(failed, 1);
    if (blocks[i]) blocks[i][0] = 'x';
}"""),
        wrong("nothing written", "The first byte of the blocks is not written", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (!blocks[i]) atomicAdd(failed, 1);
}"""),
        wrong("the second byte", "The first byte of the blocks is not written", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (!blocks[i]) atomicAdd(failed, 1);
    else blocks[i][1] = 'x';
}"""),
        wrong("another byte", "a small `'x'`", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (!blocks[i]) atomicAdd(failed, 1);
    else blocks[i][0] = 'X';
}"""),
        wrong("thread 0 alone", "Only thread 0 allocates", ALLOCATE + """
    int i = threadIdx.x;
    if (i == 0) {
        blocks[i] = (char *) malloc(sizes[i]);
        if (!blocks[i]) atomicAdd(failed, 1);
        else blocks[i][0] = 'x';
    }
}"""),
        wrong("by 16", "", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (!blocks[i]) atomicAdd(failed, 16);
    else blocks[i][0] = 'x';
}"""),
        wrong("text in place of a char", "It does not compile", ALLOCATE + """
    blocks[threadIdx.x] = malloc(sizes[threadIdx.x]);
}"""),
        wrong("an exception", "does not compile", ALLOCATE + """
    try { blocks[threadIdx.x] = new char[sizes[threadIdx.x]]; } catch (...) { atomicAdd(failed, 1); }
}"""),
        wrong("freed at the end", "freed again", ALLOCATE + """
    int i = threadIdx.x;
    blocks[i] = (char *) malloc(sizes[i]);
    if (blocks[i] == NULL) { atomicAdd(failed, 1); return; }
    blocks[i][0] = 'x';
    free(blocks[i]);
}"""),
        right("early return", ALLOCATE + """
    int i = threadIdx.x;
    char *p = static_cast<char *>(malloc(sizes[i]));
    blocks[i] = p;
    if (p == nullptr) { atomicAdd(failed, 1); return; }
    *p = 'x';
}"""),
        right("conditional with atomicInc-like expression", ALLOCATE + """
    int i = threadIdx.x;
    if (!(blocks[i] = (char *)malloc(sizes[i])))
        atomicAdd(&failed[0], 1);
    else
        blocks[i][0] = 120;
}"""),
        wrong("freed at once", "freed again", ALLOCATE + """
    int i = threadIdx.x;
    char *p = (char *)malloc(sizes[i]);
    if (p) { p[0] = 'x'; blocks[i] = p; free(p); }
    else { blocks[i] = 0; atomicAdd(failed, 1); }
}"""),
    ),
}
