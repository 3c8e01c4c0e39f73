"""Attempts at the exercises of "Inside the kernel"."""
from . import change, right, wrong

BODY = "    if (!__isShared(p)) return -1;\n    return __cvta_generic_to_shared(p);\n"
BACK = "__cvta_generic_to_shared(p)"
TURN = """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) s[i] = x[first + i];
    __syncthreads();
    if (i < count) x[first + i] = s[count - 1 - i];
"""
WRITE, READ = "    if (i < count) s[i] = x[first + i];\n", "    if (i < count) x[first + i] = s[count - 1 - i];\n"
BARRIER = "    __syncthreads();\n"

ATTEMPTS = {
    "shared-address": (
        right("in one expression", change(BODY, "    return __isShared(p) ? (long long)__cvta_generic_to_shared(p) : -1;\n")),
        right("the question last",
              change(BODY,
                     "    long long back = __cvta_generic_to_shared(p);\n    if (__isShared(p)) return back;\n    return -1;\n")),
        right("by PTX", change(BODY, """    int there;
    unsigned long long back;
    asm("{ .reg .pred q; isspacep.shared q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(there) : "l"(p));
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(back) : "l"(p));
    return there ? (long long)back : -1;
""")),
        right("everything else is asked for",
              change("!__isShared(p)", "__isGlobal(p) || __isLocal(p) || __isConstant(p) || __isGridConstant(p)")),
        right("in 32 bits", change(BODY, "    return __isShared(p) ? (int)(unsigned)__cvta_generic_to_shared(p) : -1;\n")),
        right("a difference to the window's start", change(BODY, """    if (!__isShared(p)) return -1;
    return (const char *)p - (const char *)__cvta_shared_to_generic(0);
""")),
        right("there and back", change(BODY, """    if (!__isShared(p)) return -1;
    size_t back = __cvta_generic_to_shared(p);
    return __cvta_shared_to_generic(back) == p ? (long long)back : -1;
""")),
        right("another name for the parameter", change("const void *p", "const void *q", "(p)", "(q)")),
        right("ret as a variable",
              change(BODY,
                     "    long long found = -1;\n    if (__isShared(p)) found = __cvta_generic_to_shared(p);\n    return found;\n")),
        wrong("null alone, in another form", "For a pointer elsewhere", change("!__isShared(p)", "!p")),
        wrong("global or local", "Not global does not mean shared", change("!__isShared(p)", "__isGlobal(p) | __isLocal(p)")),
        right("parameters are in global memory, too",
              change("!__isShared(p)", "__isGlobal(p) || __isLocal(p) || __isConstant(p)")),
        wrong("the generic address, by another cast",
              "You return the generic address", change(BACK, "reinterpret_cast<unsigned long long>(p)")),
        wrong("nullptr for none", "0 may be an address", change("return -1", "return (long long)nullptr")),
        wrong("local in the place of shared", "", change(BACK, "__cvta_generic_to_local(p)")),
        wrong("forward in the place of back", "", change(BACK, "(long long)__cvta_shared_to_generic((size_t)p)")),
        wrong("always -1", "", change(BODY, "    return -1;\n")),
        wrong("yes and no", "", change(BODY, "    return __isShared(p);\n")),
        wrong("no way back for no",
              "and `return -1;` where the answer is no", change(BODY, "    if (__isShared(p)) return __cvta_generic_to_shared(p);\n")),
        wrong("a type without a sign", "", change("__device__ long long", "__device__ unsigned")),
        wrong("another number for none", "", change("return -1", "return -2")),
        wrong("renamed", "no function shared_address_for", change("shared_address_for", "back")),
        wrong("a semicolon missing", "It does not compile", change("return -1;", "return -1")),
        wrong("the host's function", "It does not compile", change("__device__ ", "")),
    ),
    "reverse-blocks": (
        right("by the other index",
              change(TURN, """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) s[count - 1 - i] = x[first + i];
    __syncthreads();
    if (i < count) x[first + i] = s[i];
""")),
        right("no shared memory, a barrier all the same",
              change(TURN,
                     """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x, other = 0;
    if (i < count) other = x[first + count - 1 - i];
    __syncthreads();
    if (i < count) x[first + i] = other;
""")),
        right("half of the threads exchange two numbers each",
              change(TURN, """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count / 2) {
        int other = x[first + i];
        x[first + i] = x[first + count - 1 - i];
        x[first + count - 1 - i] = other;
    }
""")),
        right("one thread for each block", change(TURN, """    if (threadIdx.x) return;
    int *a = x + blockIdx.x * blockDim.x, *b = (a + blockDim.x < x + n ? a + blockDim.x : x + n) - 1;
    while (a < b) { int t = *a; *a++ = *b; *b-- = t; }
""")),
        right("a condition with all indices", change(TURN, """    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int last = min((int)((blockIdx.x + 1) * blockDim.x), n) - 1;
    if (i < n) s[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n) x[i] = s[last - i];
""")),
        right("a static array that is large enough", change("extern __shared__ int s[];", "__shared__ int s[1024];")),
        right("two barriers", change(BARRIER, "    __syncthreads();\n    __syncthreads();\n")),
        right("volatile besides", change("extern __shared__ int s[]", "extern __shared__ volatile int s[]")),
        right("a pointer to the block's numbers", change(TURN, """    int *mine = x + blockIdx.x * blockDim.x, i = threadIdx.x;
    int count = n - (mine - x) < blockDim.x ? n - (mine - x) : blockDim.x;
    if (i < count) s[i] = mine[i];
    __syncthreads();
    if (i < count) mine[i] = s[count - 1 - i];
""")),
        wrong("__threadfence", "nothing says who comes first", change(BARRIER, "    __threadfence();\n")),
        wrong("the barrier at the end", "nothing says who comes first", change(BARRIER, "", READ, READ + BARRIER)),
        wrong("the barrier at the start", "nothing says who comes first", change(BARRIER, "", WRITE, BARRIER + WRITE)),
        wrong("an early return", "never reach the barrier", change(WRITE, "    if (i >= count) return;\n" + WRITE)),
        wrong("in place",
              "nothing says who comes first", change(TURN,
                                                           """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) x[first + i] = x[first + count - 1 - i];
""")),
        wrong("all numbers turned round", "", change(TURN, """    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) { int t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; }
""")),
        wrong("one too far", "", change("count - 1 - i", "count - i")),
        wrong("nothing is turned round", "", change("s[count - 1 - i]", "s[i]")),
        wrong("the grid's size for the block's", "", change("first = blockIdx.x * blockDim.x", "first = blockIdx.x * gridDim.x")),
        wrong("a static array that is too short", "", change("extern __shared__ int s[];", "__shared__ int s[32];")),
        wrong("one number too many is read", "", change("if (i < count) s[i]", "if (i <= count) s[i]")),
        wrong("the place in x as the place in s",
              "", change("s[i] = x", "s[first + i] = x", "s[count - 1 - i]", "s[first + count - 1 - i]")),
        wrong("renamed", "no kernel reverse", change("reverse", "turn")),
        wrong("a misspelt barrier", "It does not compile", change(BARRIER, "    __syncThreads();\n")),
        wrong("a parameter less", "takes 1 argument", change("int *x, int n", "int *x", "n - first", "128 - first")),
    ),
}
