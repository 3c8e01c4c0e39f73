"""Random programs: what a thread computes does not depend on who runs beside it.

Each program is compiled once and run by 96 threads together, which split and meet in every way, and then by one
thread at a time, which takes the other way through the interpreter: no groups, no masks, plain Python.
"""

import random

import numpy as np
import pytest

from .cuda import kernel, run

VARIABLES = "xyzw"


class ProgramWriter:
    """Writes a program at random: assignments, ifs, loops with break and continue, calls, a barrier at the end."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.loops = 0

    def expression(self, depth=0) -> str:
        kind = self.random.randrange(8 if depth < 2 else 3)
        if kind == 0:
            return str(self.random.randrange(-20, 100))
        if kind < 3:
            return self.random.choice(VARIABLES)
        a, b = self.expression(depth + 1), self.expression(depth + 1)
        if kind == 7:
            return f"f({a}, {b})" if depth == 0 else f"min({a}, {b})"
        return f"({a} {self.random.choice(['+', '-', '*', '^', '&', '|'])} {b})"

    def condition(self) -> str:
        return f"({self.expression(1)} {self.random.choice(['<', '>', '==', '!='])} {self.expression(1)})" \
            if self.random.random() < 0.5 else f"({self.random.choice(VARIABLES)} >> {self.random.randrange(4)} & 1)"

    def statements(self, depth: int, in_loop: bool) -> str:
        return " ".join(self.statement(depth, in_loop) for _ in range(self.random.randrange(1, 4)))

    def statement(self, depth: int, in_loop: bool) -> str:
        kind = self.random.randrange(10) if depth < 3 else 0
        if kind == 9 and in_loop:
            return f"if {self.condition()} {self.random.choice(['break;', 'continue;'])}"
        if kind in (5, 6):
            return f"if {self.condition()} {{ {self.statements(depth + 1, in_loop)} }} " \
                   f"else {{ {self.statements(depth + 1, in_loop)} }}"
        if kind in (7, 8) and self.loops < 5:
            self.loops += 1
            name = f"i{self.loops}"
            return f"for (int {name} = 0; {name} < (({self.expression(1)}) & 7); {name}++) " \
                   f"{{ {self.statements(depth + 1, True)} }}"
        if kind == 4:
            store = f"v[{self.expression(1)} & 3] = {self.expression()};"
            return store + f" {self.random.choice(VARIABLES)} ^= v[{self.random.choice(VARIABLES)} & 3];"
        if kind == 3:
            return f"if {self.condition()} goto out;" if depth else f"{self.random.choice(VARIABLES)} += n;"
        return f"{self.random.choice(VARIABLES)} = {self.expression()};"

    def program(self) -> str:
        body = " ".join(self.statements(0, False) for _ in range(4))
        function = """
            __device__ __noinline__ int f(int a, int b) {
                if (a > b)
                    return a - b;
                int t = 0;
                while (b > 3) {
                    b >>= 1;
                    t += a & b;
                }
                return t;
            }"""
        return kernel(f"""
            int n = first + blockIdx.x * blockDim.x + threadIdx.x;
            int x = n, y = n * 7 % 31, z = 5 - n, w = 1;
            int v[4] = {{x, y, z, w}};
            {{ {body} }}
            out:
            __syncthreads();
            out_[n] = x ^ y * 3 ^ z * 5 ^ w * 7 ^ v[1];
            """, "int *out_, int first", function)


@pytest.mark.parametrize("seed", range(25))
def test_a_thread_computes_the_same_alone_and_among_others(seed):
    source = ProgramWriter(seed).program()
    _, together = run(source, 3, 32, np.zeros(96, np.int32), 0)
    alone = [run(source, 1, 1, np.zeros(96, np.int32), n)[1][n] for n in range(0, 96, 5)]
    assert together[::5].tolist() == alone
