"""Attempts at the exercises of "How far is it"."""
from . import change, right, wrong

COPY = """    tile[row][column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][row];
"""

ATTEMPTS = {
    "one-bank": (
        right("rows of 33 words", change("[33]", "[32 + 1]")),
        right("rows of 35 words", change("[33]", "[35]")),
        right("rows of 63 words", change("[33]", "[63]")),
        right("each row moved by its number",
              change("[33]", "[32]", COPY, """    tile[row][(row + column) % 32] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][(row + column) % 32];
""")),
        right("each row exchanged",
              change("[33]", "[32]", COPY, """    tile[row][row ^ column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[column][row ^ column];
""")),
        right("written by columns, read by rows", change(COPY, """    tile[column][row] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[row][column];
""")),
        right("one dimension",
              change("float tile[32][33]", "float tile[32 * 33]", COPY,
                     """    tile[33 * row + column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + row) * n + top + column] = tile[33 * column + row];
""")),
        right("the constant as a name",
              change("    __shared__ float tile[32][33];", "    const int WIDTH = 33;\n    __shared__ float tile[32][WIDTH];")),
        right("a barrier more", change("tile[column][row];\n", "tile[column][row];\n    __syncthreads();\n")),
        wrong("both of them 32, in another form", "still lie in one bank", change("[32][33]", "[32 * 1][32 * 1]")),
        wrong("rows of 64 words", "still lie in one bank", change("[33]", "[64]")),
        wrong("no shared memory, reads by columns", "a column of global memory", """
__global__ void transpose(const float *x, float *y, int n) {
    int column = 32 * blockIdx.x + threadIdx.x, row = 32 * blockIdx.y + threadIdx.y;
    y[row * n + column] = x[column * n + row];
}
"""),
        wrong("by rows in the tile, by columns outside",
              "a column of global memory", change(COPY, """    tile[row][column] = x[(top + row) * n + left + column];
    __syncthreads();
    y[(left + column) * n + top + row] = tile[row][column];
""")),
        wrong("a barrier for the warp alone", "no barrier lies between writing and reading", change("__syncthreads", "__syncwarp")),
        wrong("a tile that is too narrow", "", change("[33]", "[31]")),
        wrong("left and top exchanged", "", change("y[(left + row) * n + top + column]", "y[(top + row) * n + left + column]")),
        wrong("y is read", "", change("tile[row][column] = x[", "tile[row][column] = y[")),
        wrong("twice by columns, without more room", "still lie in one bank",
              change("[33]", "[32]", "tile[row][column] = x", "tile[column][row] = x", "= tile[column][row]",
                     "= tile[row][column]")),
        wrong("renamed", "no kernel transpose", change("void transpose", "void turn")),
        wrong("a bracket missing", "It does not compile", change("tile[column][row]", "tile[column][row")),
        wrong("a number", "wants CUDA C++ source", 33),
    ),
}
