"""The text of a random kernel: what its statements do, and where its warps and blocks meet.

Threads part in ifs, switches and loops with break and continue. What needs others (a shuffle, a vote, a barrier, shared
memory that another thread wrote) stands where all of them come by: at the outermost level, in a loop that all threads
run as often, or in a branch that the mask names.
"""

from __future__ import annotations

from .expressions import FLOATS, INTEGERS, Expressions

FULL = "0xffffffffu"
HEAD = """\
__device__ __noinline__ unsigned helper(unsigned a, unsigned b) {
    unsigned t = a ^ 0x9e3779b9u;
    for (int k = 0; k < (int)(b & 3); k++) {
        if ((t & 7) == 3) continue;
        t = t * 5 + b;
        if (t & 0x800) break;
    }
    return t;
}
__device__ __noinline__ unsigned deeper(unsigned n, unsigned x) {
    unsigned own[4] = {x, n, x ^ n, 7u};
    if (n == 0) return x;
    own[x & 3] += deeper(n - 1, x * 3 + RECURSION);
    return own[(x >> 2) & 3] + (n & 1 ? deeper(n >> 1, x ^ 0x55u) : n);
}
"""
# Atomics whose outcome does not depend on the order. A bin knows one of them only.
ATOMICS = ("atomicAdd(PLACE, VALUE)", "atomicMin(PLACE, VALUE)", "atomicMax(PLACE, VALUE)", "atomicAnd(PLACE, VALUE | 0xff)", "atomicOr(PLACE, VALUE & 0xf0f0)",
           "atomicXor(PLACE, VALUE)", "atomicInc(PLACE, 1000u)", "multiply(PLACE, VALUE)")
MULTIPLY = """\
__device__ void multiply(unsigned *place, unsigned by) {
    unsigned old = *(volatile unsigned *)place, assumed;
    do {
        assumed = old;
        old = atomicCAS(place, assumed, assumed * (by | 1));
    } while (old != assumed);
}
"""


class KernelWriter(Expressions):
    """One kernel; `text()` writes it."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.loops = 0

    # ---- what a thread does alone ----------------------------------------------------------------------------

    def assignment(self) -> str:
        kind = self.below(10)
        if kind < 5:
            name = self.pick("cbshiu")
            return f"{name} = ({INTEGERS[name]})({self.unsigned()});"
        if kind == 5:
            name = self.pick("lw")
            return f"{name} = ({INTEGERS[name]})({self.wide()});"
        if kind == 6:
            return f"{self.pick('fg')} = {self.single()};"
        if kind == 7:
            return f"{self.pick('de')} = {self.double()};"
        if kind == 8:
            return f"v[({self.unsigned(2)}) & 7] = {self.unsigned(1)};"
        return f"mine[({self.unsigned(2)}) & 3] ^= {self.unsigned(1)};"

    def statements(self, depth: int, in_loop: bool) -> str:
        return " ".join(self.statement(depth, in_loop) for _ in range(1 + self.below(3)))

    def statement(self, depth: int, in_loop: bool) -> str:
        kind = self.below(14) if depth < 3 else 0
        if kind in (7, 8):
            return f"if ({self.condition()}) {{ {self.statements(depth + 1, in_loop)} }}" + (
                f" else {{ {self.statements(depth + 1, in_loop)} }}" if self.chance(0.6) else "")
        if kind in (9, 10) and self.loops < 6:
            return self.loop(depth)
        if kind == 11:
            return self.switch(depth, in_loop)
        if kind == 12 and in_loop:
            return f"if ({self.condition()}) {self.pick(('break;', 'continue;'))}"
        if kind == 13:
            bin_ = self.below(len(ATOMICS))
            place = f"{self.pick(('bins', 'shared_bins'))} + {bin_}"
            return ATOMICS[bin_].replace("PLACE", place).replace("VALUE", f"({self.unsigned(2)})") + ";"
        if kind == 6 and depth < 2:
            return f"u += deeper({self.unsigned(2)} & 3, {self.unsigned(2)});"
        return self.assignment()

    def loop(self, depth: int) -> str:
        self.loops += 1
        k, bound = f"k{self.loops}", f"(int)(({self.unsigned(2)}) & {self.pick((1, 3, 7))})"
        body = self.statements(depth + 1, True)
        kind = self.below(3)
        if kind == 0:
            return f"for (int {k} = 0; {k} < {bound}; {k}++) {{ {body} u += {k}; }}"
        if kind == 1:
            return f"int {k} = {bound}; while ({k}-- > 0) {{ {body} }}"
        return f"int {k} = 0; do {{ {body} }} while (++{k} < {bound});"

    def switch(self, depth: int, in_loop: bool) -> str:
        """With cases that fall through; a break in it is the switch's own, and so is a continue's loop."""
        cases = []
        for number in range(2 + self.below(5)):
            cases.append(f"case {number}: {{ {self.statements(depth + 2, False)} }}" + (" break;" if self.chance(0.7) else ""))
        if self.chance(0.5):
            cases.append(f"default: {{ {self.statements(depth + 2, False)} }}")
        if in_loop and self.chance(0.3):
            cases.append("case 9: continue;")
        return f"switch (({self.unsigned(2)}) & {self.pick((3, 7, 15))}) {{ {' '.join(cases)} }}"

    # ---- what threads do together ----------------------------------------------------------------------------

    def together(self) -> str:
        return self.pick((self.shuffle, self.vote, self.reduce, self.part_of_a_warp, self.exchange, self.loop_of_all))()

    def shuffle(self, mask=FULL) -> str:
        name, by = self.pick("iufdlw"), self.below(32)
        width = self.pick((32, 32, 16, 8)) if mask == FULL else 32
        call = self.pick((f"__shfl_xor_sync({mask}, {name}, {by % width}, {width})", f"__shfl_sync({mask}, {name}, {by}, {width})",
                          f"__shfl_up_sync({mask}, {name}, {by}, {width})", f"__shfl_down_sync({mask}, {name}, {by}, {width})",
                          f"__shfl_sync({mask}, {name}, (int)({self.unsigned(2)}), {width})"))
        if mask != FULL:
            call = f"__shfl_sync({mask}, {name}, (int)first)"
        return f"{name} = {call};"

    def vote(self, mask=FULL) -> str:
        return self.pick((f"u ^= __ballot_sync({mask}, {self.condition()});", f"u += __any_sync({mask}, {self.condition()});",
                          f"if (__all_sync({mask}, {self.condition()})) {{ {self.statements(1, False)} }}",
                          f"u += __match_any_sync({mask}, ({self.unsigned(2)}) & 3);", f"__syncwarp({mask});"))

    def reduce(self, mask=FULL) -> str:
        operation = self.pick(("add", "min", "max", "and", "or", "xor"))
        if operation in ("add", "min", "max") and self.chance(0.5):
            return f"i = __reduce_{operation}_sync({mask}, i);"
        return f"u ^= __reduce_{operation}_sync({mask}, {self.unsigned(1)});"

    def part_of_a_warp(self) -> str:
        """Some lanes in one branch and the rest in the other, each with the mask of its own."""
        mask = self.below(2**32 - 2) + 1
        parts = []
        for part in (mask, 2**32 - 1 - mask):
            first_lane = (part & -part).bit_length() - 1
            inside = self.pick((self.shuffle, self.vote, self.reduce))(f"{part}u")
            parts.append(f"{{ const int first = {first_lane}; (void)first; {self.statements(1, False)} {inside} }}")
        return f"if ({mask}u >> lane & 1) {parts[0]} else {parts[1]}"

    def exchange(self) -> str:
        """Each thread writes its element of a shared array and reads another's, with barriers before and after."""
        return (f"__syncthreads(); board[t] = {self.unsigned(1)}; __syncthreads(); "
                f"u {self.pick(('^=', '+='))} board[(t * {self.pick((1, 5, 7))} + {self.below(96)}) % 96];"
                + self.pick(("", f" i += __syncthreads_count({self.condition()});", " u ^= shared_bins[t & 7]; __syncthreads();")))

    def loop_of_all(self) -> str:
        self.loops += 1
        k = f"k{self.loops}"
        return (f"for (int {k} = 0; {k} < {2 + self.below(3)}; {k}++) {{ {self.statements(1, False)} "
                f"{self.pick((self.shuffle, self.vote, self.reduce))()} }}")

    # ---- all of it -------------------------------------------------------------------------------------------

    def text(self) -> str:
        head = HEAD.replace("RECURSION", f"{self.below(1000)}u") + MULTIPLY
        body = "\n    ".join(f"{self.statements(0, False)}\n    {self.together()}" for _ in range(3 + self.below(3)))
        return f"""{head}
extern "C" __global__ void k(unsigned long long *out, unsigned *bins) {{
    __shared__ unsigned board[96], shared_bins[8], columns[96][4];
    const unsigned t = threadIdx.x, lane = t % 32, n = blockIdx.x * blockDim.x + t;
    {self._variables()}
    unsigned v[8] = {{n, t, lane, 3u, 5u, n * 7u, 0u, ~n}};
    unsigned *mine = columns[t];
    for (int k = 0; k < 4; k++) mine[k] = n + k;
    if (t < 8) shared_bins[t] = t * 77u;
    __syncthreads();
    {body}
    __syncthreads();
    u ^= shared_bins[t & 7];
    {self._checksum()}
}}
"""

    def _variables(self) -> str:
        integers = "\n    ".join(f"{type_} {name} = ({type_})(n * {1 + self.below(10**6)}u + {self.below(2**31)}u);"
                                 for name, type_ in INTEGERS.items())
        return integers + f"""
    {FLOATS['f']} f = n * 0.37f, g = 1.0f / (n + 1);
    {FLOATS['d']} d = n * 1.7, e = 1.0 / (n + 3);"""

    @staticmethod
    def _checksum() -> str:
        """All variables in one number for each thread. PTX leaves the bits of a NaN of 64 bits open."""
        return """unsigned long long sum = 0;
    for (int k = 0; k < 8; k++) sum = sum * 31 + v[k];
    for (int k = 0; k < 4; k++) sum = sum * 31 + mine[k];
    sum = sum * 31 + (unsigned char)c; sum = sum * 31 + b; sum = sum * 31 + (unsigned short)s; sum = sum * 31 + h;
    sum = sum * 31 + (unsigned)i; sum = sum * 31 + u; sum = sum * 31 + (unsigned long long)l; sum = sum * 31 + w;
    sum = sum * 31 + (f != f ? 1u : __float_as_uint(f)); sum = sum * 31 + (g != g ? 1u : __float_as_uint(g));
    sum = sum * 31 + (d != d ? 1ull : (unsigned long long)__double_as_longlong(d));
    sum = sum * 31 + (e != e ? 1ull : (unsigned long long)__double_as_longlong(e));
    out[n] = sum;"""


def text(seed: int) -> str:
    """The CUDA C++ of the kernel with this number."""
    return KernelWriter(seed).text()
