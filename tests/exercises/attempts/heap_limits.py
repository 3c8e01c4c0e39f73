"""Attempts at the exercises of "Names and limits of the heap"."""
from . import change, right, wrong

LIMIT = "import pycuda.driver as cuda\ndef heap_of(nbytes):\n"
ALLOCATE = "__global__ void allocate(const unsigned long long *sizes, char **blocks, int *failed) {\n"

ATTEMPTS = {
    "heap-limit": (
        wrong("what was asked for, if it is not less than the least", "", """
import pycuda.driver as cuda
def heap_of(nbytes):
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    return max(nbytes, 4 << 20)"""),
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
        wrong("what was asked for, or the old size", "You return what was asked for", LIMIT + """
    old = cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
        return nbytes
    except cuda.LogicError:
        return old"""),
        wrong("another exception caught", "raises an exception: catch it", change("except cuda.LogicError", "except ValueError")),
        wrong("MemoryError caught", "raises an exception: catch it", change("except cuda.LogicError", "except cuda.MemoryError")),
        wrong("rounded by hand", "what it was before", LIMIT + "    return max(nbytes, 4194304)"),
        wrong("rounded by hand, and set", "", LIMIT + """
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
    except cuda.LogicError:
        pass
    return max(nbytes, 4 << 20)"""),
        wrong("None by omission", "the heap has a size all the same", LIMIT + """
    try:
        cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)
        return cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE)
    except cuda.LogicError:
        pass"""),
        wrong("-1 where it is refused", "", change("pass", "return -1")),
        wrong("the default where it is refused", "need not be the default", change("pass", "return 8 << 20")),
        wrong("printf's buffer, read",
              "", change("get_limit(cuda.limit.MALLOC_HEAP_SIZE", "get_limit(cuda.limit.PRINTF_FIFO_SIZE")),
        wrong("never smaller", "may be made smaller", change("_SIZE, nbytes)", "_SIZE, max(nbytes, 8 << 20))")),
        wrong("arguments exchanged",
              "", change("(cuda.limit.MALLOC_HEAP_SIZE, nbytes)", "(nbytes, cuda.limit.MALLOC_HEAP_SIZE)")),
        wrong("the tuple", "", LIMIT + """
    from cuda.bindings import driver as cu
    cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, nbytes)
    return cu.cuCtxGetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE)"""),
        wrong("what set_limit returns", "", LIMIT + "    return cuda.Context.set_limit(cuda.limit.MALLOC_HEAP_SIZE, nbytes)"),
        wrong("MiB", "", change("_SIZE)\n", "_SIZE) >> 20\n")),
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
    "heap-exhausted": (
        wrong("the null pointer is not stored", "keeps what was there before", ALLOCATE + """
    char *block = (char *) malloc(sizes[threadIdx.x]);
    if (!block) { atomicAdd(failed, 1); return; }
    blocks[threadIdx.x] = block;
    *block = 'x';
}"""),
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
