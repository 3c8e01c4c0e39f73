"""Small kernels with and without mistakes, each a .cu file: a sentence, how it is launched, what must be found.

    // Each thread reads what another thread of the block wrote, with no barrier between.
    // launch: 1 x 64              blocks x threads; two numbers of threads are x and y
    // expect: race                clean, or the kinds of findings
    // with: shared 512            dynamic shared memory; "b unwritten": the second array is not set to zero

Every kernel is k(int *a, int *b, int n): two arrays of SIZE ints, a[i] = i and b[i] = 0, and the number of threads.
"""
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SIZE = 4096


@dataclass
class Case:
    name: str
    source: str
    statement: str
    grid: int
    block: tuple
    expected: frozenset
    shared: int
    unwritten: bool

    @property
    def threads(self):
        return self.grid * self.block[0] * self.block[1]


def read(path) -> Case:
    text = path.read_text()
    told = dict(re.findall(r"(?m)^// (launch|expect|with): (.*)$", text))
    grid, block = told["launch"].split(" x ")
    sizes = tuple(map(int, block.split()))
    kinds = frozenset(told["expect"].split()) - {"clean"}
    shared = re.fullmatch(r"shared (\d+)", told.get("with", ""))
    return Case(path.stem, text, text.splitlines()[0].removeprefix("// "), int(grid), (*sizes, 1, 1)[:3], kinds,
                int(shared[1]) if shared else 0, told.get("with") == "b unwritten")


CASES = {path.stem: read(path) for path in sorted(FOLDER.glob("*.cu"))}
