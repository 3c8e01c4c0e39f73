"""Wrong kernels that were published, or that somebody's check accepted, as CUDA C++; and how this course judges each.

Each is written anew after the thread that it names, with the data of its own course where the thread tells it, and with data
of another size or without symmetry. test_wrong_kernels.py holds docs/wrong-kernels.md to what comes of it.
"""
from dataclasses import dataclass
from pathlib import Path

from courseware import sandbox

import numpy as np

PAGE = Path(__file__).resolve().parents[2] / "docs" / "wrong-kernels.md"
HEAD = ("what is wrong", "who accepted it, or published it", "its numbers, with its own data", "what is found here", "the line")
GITHUB = "https://github.com/"
ONES, RISING = (lambda n: np.ones(n, np.int32)), (lambda n: np.arange(n, dtype=np.int32))
MIXED = (lambda n: ((np.arange(n) ** 2 * 37 + np.arange(n) * 11 + 5) % 101).astype(np.int32))
ACCEPTED, PUBLISHED = "accepted: ", "published: "


@dataclass(frozen=True)
class Shape:
    """One launch: the blocks and threads, the sizes of the inputs, and what fills them."""

    grid: tuple
    block: tuple
    sizes: tuple        # of the inputs
    results: int        # of the output
    fill: object = MIXED


@dataclass(frozen=True)
class Wrong:
    """A kernel with a mistake: `out` comes first, then the inputs, then the size of the first."""

    what: str
    who: str
    thread: str         # owner/name, and what follows
    code: str
    repair: tuple       # texts, each followed by what stands in its place in the repaired kernel
    theirs: Shape       # as its course tries it; the smallest launch for which it is meant, where it has no check
    ours: Shape         # as it is tried here
    wanted: object      # of the inputs and the Shape: the right output

    @property
    def repaired(self):
        code = self.code
        for old, new in zip(self.repair[::2], self.repair[1::2]):
            assert old in code, old
            code = code.replace(old, new)
        return code


def plus_ten(a, shape):
    return a[:shape.results] + 10


def sums_of_blocks(a, shape):
    return np.array([a[k:k + shape.block[0]].sum() for k in range(0, len(a), shape.block[0])], np.int32)


def pooled(a, shape):
    return np.array([a[max(i - 2, 0):i + 1].sum() for i in range(len(a))], np.int32)


def convolved(a, b, shape):
    return np.array([sum(a[i + j] * b[j] for j in range(len(b)) if i + j < len(a)) for i in range(len(a))], np.int32)


def transposed_sum(a, b, shape):
    return (a[None, :] + b[:, None]).ravel()


def product(a, b, shape):
    n = int(len(a) ** 0.5)
    return (a.reshape(n, n) @ b.reshape(n, n)).ravel()


LOAD = """    __shared__ int s[{room}];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i < n) s[t] = a[i];
    __syncthreads();
"""

KERNELS = (
    Wrong("no guard: more threads than numbers", ACCEPTED + "mojo-gpu-puzzles, puzzle 3", "modular/mojo-gpu-puzzles/issues/92", """
__global__ void guard(int *out, const int *a, int n) {
    int i = threadIdx.x;
    out[i] = a[i] + 10;
}""", ("    out[i]", "    if (i < n) out[i]"), Shape((1,), (8,), (4,), 4, RISING), Shape((1,), (8,), (4,), 4), plus_ten),
    Wrong("no guard, in two dimensions", ACCEPTED + "mojo-gpu-puzzles, puzzle 4", "modular/mojo-gpu-puzzles/issues/33", """
__global__ void guard_2d(int *out, const int *a, int n) {
    int row = threadIdx.y, column = threadIdx.x, side = 2;
    out[row * side + column] = a[row * side + column] + 10;
}""", ("    out[row", "    if (row < side && column < side) out[row"), Shape((1,), (3, 3), (4,), 4, RISING),
          Shape((1,), (3, 3), (4,), 4), plus_ten),
    Wrong("the block's index instead of the grid's, with equal inputs", ACCEPTED + "mojo-gpu-puzzles, puzzle 8",
          "modular/mojo-gpu-puzzles/issues/31", """
__global__ void local_index(int *out, const int *a, int n) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t <= n)
        out[i] = a[t] + 10;
}""", ("if (t <= n)", "if (i < n)", "a[t]", "a[i]"), Shape((2,), (4,), (8,), 8, ONES), Shape((2,), (4,), (8,), 8), plus_ten),
    Wrong("rows and columns exchanged, with two inputs that are equal", ACCEPTED + "mojo-gpu-puzzles, puzzle 5",
          "modular/mojo-gpu-puzzles/issues/80", """
__global__ void exchanged(int *out, const int *a, const int *b, int n) {
    int row = threadIdx.y, column = threadIdx.x;
    if (row < n && column < n)
        out[row * n + column] = a[row] + b[column];
}""", ("a[row] + b[column]", "a[column] + b[row]"), Shape((1,), (3, 3), (2, 2), 4, RISING), Shape((1,), (3, 3), (2, 2), 4),
          transposed_sum),
    Wrong("shared memory read that nobody wrote: a block that is not full", PUBLISHED + "mojo-gpu-puzzles, solution of puzzle 10",
          "modular/mojo-gpu-puzzles/pull/53", """
__global__ void dot_product(int *out, const int *a, const int *b, int n) {
    __shared__ int s[8];
    int t = threadIdx.x;
    if (t < n) s[t] = a[t] * b[t];
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) *out = s[0];
}""", ("if (t < n) s[t] = a[t] * b[t];", "s[t] = t < n ? a[t] * b[t] : 0;"), Shape((1,), (8,), (8, 8), 1, RISING),
          Shape((1,), (8,), (6, 6), 1), lambda a, b, shape: np.array([a @ b])),
    Wrong("shared memory read that nobody wrote: the end of a convolution", PUBLISHED + "mojo-gpu-puzzles, solution of puzzle 11",
          "modular/mojo-gpu-puzzles/issues/9", """
__global__ void convolution(int *out, const int *a, const int *b, int n) {
    __shared__ int s[8 + 3], w[4];
    int t = threadIdx.x, i = blockIdx.x * 8 + t;
    if (i < n) s[t] = a[i];
    if (t < 3 && i + 8 < n) s[t + 8] = a[i + 8];
    if (t < 4) w[t] = b[t];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < 4; j++)
        sum += s[t + j] * w[j];
    if (i < n) out[i] = sum;
}""", ("for (int j = 0; j < 4; j++)", "for (int j = 0; j < 4 && i + j < n; j++)"), Shape((2,), (8,), (15, 4), 15, RISING),
          Shape((2,), (8,), (15, 4), 15), convolved),
    Wrong("a pass of a prefix sum reads what the same pass overwrites", PUBLISHED + "mojo-gpu-puzzles, solution of puzzle 12",
          "modular/mojo-gpu-puzzles/issues/26", """
__global__ void prefix_sum(int *out, const int *a, int n) {
""" + LOAD.format(room=64) + """    for (int step = 1; step < 64; step *= 2) {
        if (t >= step && t < n)
            s[t] += s[t - step];
        __syncthreads();
    }
    if (i < n) out[i] = s[t];
}""", ("""        if (t >= step && t < n)
            s[t] += s[t - step];
""", """        int other = t >= step && t < n ? s[t - step] : 0;
        __syncthreads();
        if (t < n) s[t] += other;
"""), Shape((1,), (8,), (8,), 8, RISING), Shape((1,), (64,), (64,), 64), lambda a, shape: np.cumsum(a)),
    Wrong("only the block before is added: right for two blocks", PUBLISHED + "mojo-gpu-puzzles, solution of puzzle 14",
          "modular/mojo-gpu-puzzles/issues/81", """
__global__ void add_blocks(int *out, const int *a, const int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, before = 0;
    if (blockIdx.x > 0)
        before = sums[blockIdx.x - 1];
    if (i < n) out[i] = a[i] + before;
}""", ("""    if (blockIdx.x > 0)
        before = sums[blockIdx.x - 1];
""", """    for (int k = 0; k < blockIdx.x; k++)
        before += sums[k];
"""), Shape((2,), (8,), (15, 2), 15, RISING), Shape((3,), (8,), (20, 3), 20),
          lambda a, sums, shape: a + np.repeat(np.cumsum(sums) - sums, shape.block[0])[:len(a)]),
    Wrong("no barrier before the tile is filled again", ACCEPTED + "GPU-Puzzles, puzzle 14", "srush/GPU-Puzzles/issues/14", """
__global__ void multiply(int *out, const int *a, const int *b, int n) {
    __shared__ int p[8][8], q[8][8];
    int x = threadIdx.x, y = threadIdx.y, side = gridDim.x * 8, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x, sum = 0;
    for (int tile = 0; tile < side; tile += 8) {
        p[y][x] = a[row * side + tile + x];
        q[y][x] = b[(tile + y) * side + column];
        __syncthreads();
        for (int k = 0; k < 8; k++)
            sum += p[y][k] * q[k][x];
    }
    out[row * side + column] = sum;
}""", ("q[k][x];\n    }", "q[k][x];\n        __syncthreads();\n    }"), Shape((2, 2), (8, 8), (256, 256), 256, RISING),
          Shape((2, 2), (8, 8), (256, 256), 256), product),
    Wrong("pooling in place: a thread overwrites what its neighbours read", ACCEPTED + "GPU-Puzzles, puzzle 9",
          "srush/GPU-Puzzles/issues/5", """
__global__ void pool_in_place(int *out, const int *a, int n) {
""" + LOAD.format(room=64) + """    if (t >= 2)
        s[t] = s[t] + s[t - 1] + s[t - 2];
    else if (t == 1)
        s[t] = s[t] + s[t - 1];
    __syncthreads();
    if (i < n) out[i] = s[t];
}""", ("""    if (t >= 2)
        s[t] = s[t] + s[t - 1] + s[t - 2];
    else if (t == 1)
        s[t] = s[t] + s[t - 1];
    __syncthreads();
    if (i < n) out[i] = s[t];
""", """    if (i < n) out[i] = s[t] + (t >= 1 ? s[t - 1] : 0) + (t >= 2 ? s[t - 2] : 0);
"""), Shape((1,), (8,), (8,), 8, RISING), Shape((1,), (64,), (64,), 64), pooled),
    Wrong("an atomic exchange with what was read before it", PUBLISHED + "solutions to a textbook (tugot17/pmpp), chapter 10",
          "tugot17/pmpp/issues/28", """
__global__ void largest(int *out, const int *a, int n) {
""" + LOAD.format(room=32) + """    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) s[t] = max(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0)
        atomicExch(out, max(*out, s[0]));
}""", ("atomicExch(out, max(*out, s[0]));", "atomicMax(out, s[0]);"), Shape((1,), (32,), (32,), 1), Shape((4,), (32,), (128,), 1),
          lambda a, shape: np.array([a.max()], np.int32)),
    Wrong("a warp's sum without `__syncwarp`", PUBLISHED + "Kaldi", "kaldi-asr/kaldi/issues/2604", """
__global__ void warp_sum(int *out, const int *a, int n) {
""" + LOAD.format(room=64).replace("int s", "volatile int s") + """    if (t < 32)
        for (int step = 32; step > 0; step /= 2)
            s[t] += s[t + step];
    if (t == 0) out[blockIdx.x] = s[0];
}""", ("            s[t] += s[t + step];\n", "        {   int other = s[t + step];\n            __syncwarp();\n            "
       "s[t] += other;\n            __syncwarp();\n        }\n"), Shape((1,), (64,), (64,), 1), Shape((2,), (64,), (128,), 2),
          sums_of_blocks),
    Wrong("counters in shared memory, counted up before all are set to 0", PUBLISHED + "PopSift", "alicevision/popsift/pull/82", """
__global__ void histogram(int *out, const int *a, int n) {
    __shared__ int bins[64];
    int t = threadIdx.x;
    bins[t] = 0;
    atomicAdd(&bins[a[t] % 64], 1);
    __syncthreads();
    out[t] = bins[t];
}""", ("    bins[t] = 0;\n", "    bins[t] = 0;\n    __syncthreads();\n"), Shape((1,), (64,), (64,), 64), Shape((1,), (64,), (64,), 64),
          lambda a, shape: np.bincount(a % 64, minlength=64).astype(np.int32)),
    Wrong("a barrier inside an `if`", "proposed: ArrayFire, as a repair", "arrayfire/arrayfire/pull/633", """
__global__ void barrier_in_if(int *out, const int *a, int n) {
""" + LOAD.format(room=64) + """    for (int half = 32; half > 0; half /= 2)
        if (t < half) {
            s[t] += s[t + half];
            __syncthreads();
        }
    if (t == 0) out[blockIdx.x] = s[0];
}""", ("        if (t < half) {\n            s[t] += s[t + half];\n            __syncthreads();\n        }\n",
       "    {   if (t < half) s[t] += s[t + half];\n        __syncthreads();\n    }\n"), Shape((1,), (64,), (64,), 1),
          Shape((2,), (64,), (128,), 2), sums_of_blocks),
    # The last one: its fault breaks CUDA for the process.
    Wrong("the grid's index guards the block's array: a shared index below 0", PUBLISHED + "mojo-gpu-puzzles, solution of puzzle 11",
          "modular/mojo-gpu-puzzles/issues/220", """
__global__ void pool_in_blocks(int *out, const int *a, int n) {
""" + LOAD.format(room=8) + """    int sum = 0;
    for (int back = 0; back < 3; back++)
        if (i - back >= 0 && i < n)
            sum += s[t - back];
    if (i < n) out[i] = sum;
}""", ("sum += s[t - back];", "sum += t - back >= 0 ? s[t - back] : a[i - back];"), Shape((1,), (8,), (8,), 8, RISING),
          Shape((2,), (8,), (16,), 16), pooled),
)


def launched(code, shape, wanted):
    """Launch the kernel of a source; says whether its numbers are right."""
    import re

    from course_lib import kernels

    import pycuda.driver as cuda
    inputs = [shape.fill(size + place)[place:] if shape.fill is MIXED else shape.fill(size) for place, size in enumerate(shape.sizes)]
    out = cuda.to_device(np.zeros(shape.results, np.int32))
    kernel = getattr(kernels.compile(code), re.search(r"void (\w+)", code)[1])
    kernel(shape.grid, shape.block, out, *map(cuda.to_device, inputs), len(inputs[0]))
    cuda.Context.synchronize()
    right = np.array_equal(cuda.from_device(out, shape.results, np.int32), wanted(*inputs, shape))
    print("right" if right else "wrong")


def judged(which, repaired=False):
    """In the sandbox: (its numbers with its own data, its numbers with ours, kinds of the findings, their lines)."""
    import contextlib
    import io

    from courseware.kernel_views.examination import examine_here

    import pycuda.autoinit  # noqa: F401
    kernel, printed = KERNELS[which], io.StringIO()
    code = kernel.repaired if repaired else kernel.code
    with contextlib.redirect_stdout(printed):
        launched(code, kernel.theirs, kernel.wanted)
    report = examine_here(launched, code, kernel.ours, kernel.wanted)
    lines = {number for finding in report.findings for _, number in finding["lines"]}
    kinds = list(dict.fromkeys(finding["kind"] for finding in report.findings))
    return (printed.getvalue().strip(), report.printed.strip() or report.failed, kinds,
            [code.splitlines()[number - 1].strip() for number in sorted(lines)])


def all_judged(repaired=False):
    """In the sandbox: `judged` of each."""
    return [judged(which, repaired) for which in range(len(KERNELS))]


def row(kernel, judgement):
    """A row of the page's table."""
    theirs, ours, kinds, lines = judgement
    findings = ", ".join(kinds) or ("the numbers are wrong, with other data" if ours == "wrong" else "nothing")
    number = kernel.thread.rsplit("/", 1)[1]
    return (kernel.what, f"{kernel.who} [#{number}]({GITHUB}{kernel.thread})", theirs, findings, "; ".join(f"`{line}`" for line in lines))


def table(judgements):
    """The page's table as Markdown."""
    from course_lib.core.tables import markdown
    return markdown([tuple(cell.replace("|", "\\|") for cell in row(kernel, judgement)) for kernel, judgement in zip(KERNELS, judgements)], HEAD)


def run(repaired=False):
    """What is found in all of them, in a process of their own."""
    return sandbox.run(all_judged, repaired, context=False, simulated=True, timeout=600).value
