"""Small kernels with and without mistakes, each a .cu file: a sentence, how it is launched, what must be found.

    // Each thread reads what another thread of the block wrote, with no barrier between.
    // launch: 1 x 64              blocks x threads; two numbers of threads are x and y
    // expect: race                clean, or the kinds of findings
    // with: shared 512            dynamic shared memory; "b unwritten": the second array is not set to zero

Every kernel is k(int *a, int *b, int n): two arrays of SIZE ints, a[i] = i and b[i] = 0, and the number of threads.

PUBLISHED are RACES that somebody reported: each written anew from the report whose address stands in it ("// source:"), with
`// <-` behind the lines that race, and once more as NAME.mended, with MENDED defined. "// missed:" says why nothing is found.
"""
import re
from dataclasses import dataclass, replace
from pathlib import Path

FOLDER = Path(__file__).parent
SIZE = 4096


@dataclass
class ExaminedKernel:
    name: str
    source: str
    statement: str
    grid: int
    block: tuple
    expected: frozenset
    shared: int
    unwritten: bool
    url: str = ""
    missed: str = ""        # why nothing is found, though it should be

    @property
    def threads(self):
        return self.grid * self.block[0] * self.block[1]

    @property
    def marked(self):
        """The numbers of the lines that race, of a published one."""
        return {number for number, line in enumerate(self.source.splitlines(), 1) if line.endswith("// <-")}


def read(path) -> ExaminedKernel:
    text = path.read_text()
    notes = dict(re.findall(r"(?m)^// (launch|expect|with|source|missed): (.*)$", text))
    grid, block = notes["launch"].split(" x ")
    sizes = tuple(map(int, block.split()))
    kinds = frozenset(notes["expect"].split() if "missed" not in notes else ()) - {"clean"}
    shared = re.fullmatch(r"shared (\d+)", notes.get("with", ""))
    return ExaminedKernel(path.stem, text, text.splitlines()[0].removeprefix("// "), int(grid), (*sizes, 1, 1)[:3], kinds,
                          int(shared[1]) if shared else 0, notes.get("with") == "b unwritten", notes.get("source", ""),
                          notes.get("missed", ""))


def mended_case(case) -> ExaminedKernel:
    """The same kernel with its mend."""
    return replace(case, name=f"{case.name}.mended", source=f"#define MENDED\n{case.source}", expected=frozenset())


CASES = {path.stem: read(path) for path in sorted(FOLDER.glob("*.cu"))}
RACES = {path.stem: read(path) for path in sorted(FOLDER.with_name("published").glob("*.cu"))}
PUBLISHED = {case.name: case for race in RACES.values() for case in (race, mended_case(race))}
