"""Exercises of "How far is it": a tile whose words lie in one bank."""
from ...exercises.exercise import Case, Exercise, Mistake, change, slip
from . import harness

padding = Exercise(
    id="padding", title="No two words of one bank", name="source", kind="source", minutes=6, sandboxed=True,
    run=harness.transposed,
    statement="""
The kernel below transposes a matrix of n * n numbers: `y[row][column]` becomes `x[column][row]`. It reads and writes
whole rows of global memory, and goes through shared memory for that. But there each warp reads a column of the tile,
and all 32 words lie in one bank. Mend it, as text in `source`: the result stays what it is, and so do the 4 sectors
of each access to global memory, and no request to shared memory is split. The check counts, as
`kernel_views.bank_conflicts` and `kernel_views.sectors` do, and examines. Changing one number is enough.
""",
    hints=("Element `tile[row][column]` is word `32 * row + column` of the tile, in bank `column`, whatever the row "
           "is. What if a row were longer?",
           "With rows of 33 words, `tile[row][column]` lies in bank `(row + column) % 32`: both a row and a column "
           "then have all 32 banks."),
    mistakes=(
        slip("tile[32][33]", "tile[33][32]",
             "All words of a column still lie in one bank, as the length of a row is a multiple of 32. That length is "
             "the second number of `tile[32][32]`; a row more leaves each number where it was. Choose a length that "
             "shares no factor with 32."),
        slip("tile[32][33]", "tile[32][34]",
             "Some requests are still split: several words of a column share a bank (with rows of 34 words two, of 36 "
             "four). From row to row the bank should move by a number that shares no factor with 32.",
             change("[33]", "[36]"), change("[33]", "[40]"), change("[33]", "[48]")),
        Mistake("""\
__global__ void transpose(const float *x, float *y, int n) {
    int column = 32 * blockIdx.x + threadIdx.x, row = 32 * blockIdx.y + threadIdx.y;
    y[column * n + row] = x[row * n + column];
}
""",
                "Each warp reads or writes a column of global memory: 32 sectors in the place of 4. It should go "
                "through rows of both matrices, and through a column of the tile alone."),
        slip("    __syncthreads();\n", "",
             "The barrier is gone: a thread reads what threads of other warps write. It has to lie between writing and "
             "reading."),
        slip("y[(left + row) * n", "y[(left + row) * 32",
             "Two blocks write to one place of `y`. A row of `y` has n numbers, so row r begins at number `r * n`."),
        slip("= tile[column][row]", "= tile[row][column]",
             "The numbers are not transposed. Row and column have to change places once in the tile: written by rows "
             "and read by columns, or the other way round.", change("tile[row][column] = x", "tile[column][row] = x")),
    ),
    cases=tuple(Case(f"{aspect} with n = {n}", (aspect, n), wanted, hidden, "they")
                for n, hidden in ((64, False), (96, True)) for aspect, wanted in harness.WANTED.items()))

EXERCISES = (padding,)
