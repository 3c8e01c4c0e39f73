"""Attempts at the exercises of "Memory that kernels allocate"."""
from . import change, right, wrong

OFFSETS = "import itertools\nimport numpy as np\ndef offsets(sizes):\n"
STAGE = "__global__ void stage(char **blocks, const int *offsets, char *staging) {\n"

ATTEMPTS = {
    "offsets": (
        wrong("a default that remembers", "The default of `out` is made once", """
def offsets(sizes, out=[0]):
    for s in sizes:
        out.append(out[-1] + s)
    return out"""),
        wrong("in place", "it changes `sizes`", OFFSETS + """
    sizes.insert(0, 0)
    for i in range(1, len(sizes)):
        sizes[i] += sizes[i - 1]
    return sizes"""),
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
        wrong("without the 0, as a list",
              "The first block begins at 0", OFFSETS + "    return list(itertools.accumulate(sizes))"),
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
        wrong("append returns None", "`append` changes what it is called on, and returns None itself", OFFSETS + """
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
        wrong("no guard", "past an end, or into what is freed", STAGE + """
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
        wrong("<=", "past an end, or into what is freed", STAGE + """
    int n = offsets[blockIdx.x + 1] - offsets[blockIdx.x];
    for (int i = threadIdx.x; i <= n; i += blockDim.x) staging[offsets[blockIdx.x] + i] = blocks[blockIdx.x][i];
}"""),
        wrong("up to the end offset", "past an end, or into what is freed", STAGE + """
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
}
