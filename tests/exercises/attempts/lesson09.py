"""Attempts at the exercises of lesson 09."""
from . import change, right, wrong

BODY = "    if (!__isShared(p)) return -1;\n    return __cvta_generic_to_shared(p);\n"
ASK = "    if (!__isShared(p)) return -1;\n"
BACK = "__cvta_generic_to_shared(p)"
TURN = """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) s[i] = x[first + i];
    __syncthreads();
    if (i < count) x[first + i] = s[count - 1 - i];
"""
WRITE, READ = "    if (i < count) s[i] = x[first + i];\n", "    if (i < count) x[first + i] = s[count - 1 - i];\n"
BARRIER = "    __syncthreads();\n"
COPY = """    tile[row][column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][row];
"""

ATTEMPTS = {
    "shared-address": (
        right("in one expression", change(BODY, "    return __isShared(p) ? (long long)__cvta_generic_to_shared(p) : -1;\n")),
        right("the question last", change(BODY, "    long long back = __cvta_generic_to_shared(p);\n    if (__isShared(p)) return back;\n    return -1;\n")),
        right("by PTX", change(BODY, """    int there;
    unsigned long long back;
    asm("{ .reg .pred q; isspacep.shared q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(there) : "l"(p));
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(back) : "l"(p));
    return there ? (long long)back : -1;
""")),
        right("everything else is asked for", change("!__isShared(p)", "__isGlobal(p) || __isLocal(p) || __isConstant(p) || __isGridConstant(p)")),
        right("in 32 bits", change(BODY, "    return __isShared(p) ? (int)(unsigned)__cvta_generic_to_shared(p) : -1;\n")),
        right("a difference to the window's start", change(BODY, """    if (!__isShared(p)) return -1;
    return (const char *)p - (const char *)__cvta_shared_to_generic(0);
""")),
        right("there and back", change(BODY, """    if (!__isShared(p)) return -1;
    size_t back = __cvta_generic_to_shared(p);
    return __cvta_shared_to_generic(back) == p ? (long long)back : -1;
""")),
        right("another name for the parameter", change("const void *p", "const void *q", "(p)", "(q)")),
        right("ret as a variable", change(BODY, "    long long found = -1;\n    if (__isShared(p)) found = __cvta_generic_to_shared(p);\n    return found;\n")),
        wrong("without asking", "without asking", change(ASK, "")),
        wrong("null alone is asked for", "without asking", change("!__isShared(p)", "p == nullptr")),
        wrong("null alone, in another form", "without asking", change("!__isShared(p)", "!p")),
        wrong("global alone is asked for", "Not global does not mean shared", change("!__isShared(p)", "__isGlobal(p)")),
        wrong("local alone is asked for", "Not global does not mean shared", change("!__isShared(p)", "__isLocal(p)")),
        wrong("global or local", "Not global does not mean shared", change("!__isShared(p)", "__isGlobal(p) | __isLocal(p)")),
        right("parameters are in global memory, too", change("!__isShared(p)", "__isGlobal(p) || __isLocal(p) || __isConstant(p)")),
        wrong("the other way round", "the other way round", change("!__isShared(p)", "__isShared(p)")),
        wrong("the generic address", "You return the generic address", change(BACK, "(long long)p")),
        wrong("the generic address, by another cast", "You return the generic address", change(BACK, "reinterpret_cast<unsigned long long>(p)")),
        wrong("0 for none", "0 may be an address", change("return -1", "return 0")),
        wrong("nullptr for none", "0 may be an address", change("return -1", "return (long long)nullptr")),
        wrong("local in the place of shared", "", change(BACK, "__cvta_generic_to_local(p)")),
        wrong("forward in the place of back", "", change(BACK, "(long long)__cvta_shared_to_generic((size_t)p)")),
        wrong("always -1", "", change(BODY, "    return -1;\n")),
        wrong("yes and no", "", change(BODY, "    return __isShared(p);\n")),
        wrong("no way back for no", "there is no `return -1;`", change(BODY, "    if (__isShared(p)) return __cvta_generic_to_shared(p);\n")),
        wrong("a type without a sign", "", change("__device__ long long", "__device__ unsigned")),
        wrong("another number for none", "", change("return -1", "return -2")),
        wrong("renamed", "no function shared_address_for", change("shared_address_for", "back")),
        wrong("a semicolon missing", "It does not compile", change("return -1;", "return -1")),
        wrong("the host's function", "It does not compile", change("__device__ ", "")),
    ),
    "reverse-blocks": (
        right("by the other index", change(TURN, """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
    if (i < count) s[count - 1 - i] = x[first + i];
    __syncthreads();
    if (i < count) x[first + i] = s[i];
""")),
        right("no shared memory, a barrier all the same", change(TURN, """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x, other = 0;
    if (i < count) other = x[first + count - 1 - i];
    __syncthreads();
    if (i < count) x[first + i] = other;
""")),
        right("half of the threads exchange two numbers each", change(TURN, """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
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
        wrong("no barrier", "nothing makes the other come first", change(BARRIER, "")),
        wrong("__syncwarp", "nothing makes the other come first", change(BARRIER, "    __syncwarp();\n")),
        wrong("__threadfence", "nothing makes the other come first", change(BARRIER, "    __threadfence();\n")),
        wrong("volatile in the place of a barrier", "nothing makes the other come first",
              change("extern __shared__ int", "extern __shared__ volatile int", BARRIER, "")),
        wrong("the barrier at the end", "nothing makes the other come first", change(BARRIER, "", READ, READ + BARRIER)),
        wrong("the barrier at the start", "nothing makes the other come first", change(BARRIER, "", WRITE, BARRIER + WRITE)),
        wrong("the barrier in the if", "never come to the barrier", change(WRITE + BARRIER + READ, """    if (i < count) {
        s[i] = x[first + i];
        __syncthreads();
        x[first + i] = s[count - 1 - i];
    }
""")),
        wrong("an early return", "never come to the barrier", change(WRITE, "    if (i >= count) return;\n" + WRITE)),
        wrong("the last block as the others", "ends with its last number", change("s[count - 1 - i]", "s[blockDim.x - 1 - i]")),
        wrong("no end", "ends with its last number", change("min((int)blockDim.x, n - first)", "blockDim.x")),
        wrong("every block the same numbers", "Every block works on the same numbers", change("first = blockIdx.x * blockDim.x", "first = 0")),
        wrong("in place", "nothing makes the other come first", change(TURN, """    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first), i = threadIdx.x;
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
        wrong("the place in x as the place in s", "", change("s[i] = x", "s[first + i] = x", "s[count - 1 - i]", "s[first + count - 1 - i]")),
        wrong("renamed", "no kernel reverse", change("reverse", "turn")),
        wrong("a misspelt barrier", "It does not compile", change(BARRIER, "    __syncThreads();\n")),
        wrong("a parameter less", "takes 1 argument", change("int *x, int n", "int *x", "n - first", "128 - first")),
    ),
    "padding": (
        right("rows of 33 words", change("[33]", "[32 + 1]")),
        right("rows of 35 words", change("[33]", "[35]")),
        right("rows of 63 words", change("[33]", "[63]")),
        right("each row moved by its number", change("[33]", "[32]", COPY, """    tile[row][(row + column) % 32] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][(row + column) % 32];
""")),
        right("each row exchanged", change("[33]", "[32]", COPY, """    tile[row][row ^ column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][row ^ column];
""")),
        right("written by columns, read by rows", change(COPY, """    tile[column][row] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[row][column];
""")),
        right("one dimension", change("float tile[32][33]", "float tile[32 * 33]", COPY, """    tile[33 * row + column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[33 * column + row];
""")),
        right("the constant as a name", change("    __shared__ float tile[32][33];", "    const int WIDTH = 33;\n    __shared__ float tile[32][WIDTH];")),
        right("a barrier more", change("tile[column][row];\n", "tile[column][row];\n    __syncthreads();\n")),
        wrong("a row more", "still lie in one bank", change("[32][33]", "[33][32]")),
        wrong("both of them 32, in another form", "still lie in one bank", change("[32][33]", "[32 * 1][32 * 1]")),
        wrong("rows of 64 words", "still lie in one bank", change("[33]", "[64]")),
        wrong("rows of 34 words", "shares no factor with 32", change("[33]", "[34]")),
        wrong("rows of 40 words", "shares no factor with 32", change("[33]", "[40]")),
        wrong("rows of 36 words", "shares no factor with 32", change("[33]", "[36]")),
        wrong("no shared memory", "a column of global memory", """
__global__ void transpose(const float *x, float *y, int n) {
    int column = 32 * blockIdx.x + threadIdx.x, row = 32 * blockIdx.y + threadIdx.y;
    y[column * n + row] = x[row * n + column];
}
"""),
        wrong("no shared memory, reads by columns", "a column of global memory", """
__global__ void transpose(const float *x, float *y, int n) {
    int column = 32 * blockIdx.x + threadIdx.x, row = 32 * blockIdx.y + threadIdx.y;
    y[row * n + column] = x[column * n + row];
}
"""),
        wrong("by rows in the tile, by columns outside", "a column of global memory", change(COPY, """    tile[row][column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + column) * n + top + row] = tile[row][column];
""")),
        wrong("no barrier", "The barrier is gone", change("    __syncthreads();\n", "")),
        wrong("a barrier for the warp alone", "The barrier is gone", change("__syncthreads", "__syncwarp")),
        wrong("read by rows", "The numbers are not transposed", change("= tile[column][row]", "= tile[row][column]")),
        wrong("twice by columns", "The numbers are not transposed", change("tile[row][column] = x", "tile[column][row] = x")),
        wrong("a tile that is too narrow", "", change("[33]", "[31]")),
        wrong("left and top exchanged", "", change("y[(left + row) * n + top + column]", "y[(top + row) * n + left + column]")),
        wrong("y is read", "", change("tile[row][column] = x[", "tile[row][column] = y[")),
        wrong("twice by columns, without more room", "still lie in one bank",
              change("[33]", "[32]", "tile[row][column] = x", "tile[column][row] = x", "= tile[column][row]", "= tile[row][column]")),
        wrong("rows of y as long as the tile's", "Two blocks write to one place", change("y[(left + row) * n", "y[(left + row) * 32")),
        wrong("renamed", "no kernel transpose", change("void transpose", "void turn")),
        wrong("a bracket missing", "It does not compile", change("tile[column][row]", "tile[column][row")),
        wrong("a number", "wants CUDA C++ source", 33),
    ),
}
