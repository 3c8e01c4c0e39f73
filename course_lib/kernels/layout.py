"""Where a kernel's parameters are, and how large: by the driver, or by the kernel's PTX.

    >>> in_ptx(".visible .entry f(.param .u64 f_param_0, .param .align 4 .b8 f_param_1[12], .param .u8 f_param_2) { }", "f")
    [(0, 8), (8, 12), (20, 1)]

The driver's call came with CUDA 12.4. An older driver runs the course too, and what it would say
stands in the PTX: a parameter is declared with its size, and is aligned to that or as it says (PTX
ISA, "Kernel Function Parameters"). Not here: names and types (signature.py).
"""
import re

from cuda.bindings import driver as cu

from ..core.errors import CudaError, ask, ask_all

ENTRY = r"\.entry\s+{}\s*\((.*?)\)"
PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.[a-z]+(?P<bits>\d+)\b[^,\[]*(?:\[(?P<count>\d+)\])?")


def driver_tells() -> bool:
    """Whether the driver has cuFuncGetParamInfo. (cuDriverGetVersion)"""
    return int(ask(cu.cuDriverGetVersion)) >= 12040


def by_driver(function: cu.CUfunction) -> list[tuple[int, int]]:
    """(offset, size) of each parameter of a CUfunction, in bytes. (cuFuncGetParamInfo)"""
    layout: list[tuple[int, int]] = []
    while True:
        try:
            offset, size = ask_all(cu.cuFuncGetParamInfo, function, len(layout))
        except CudaError:       # past the last parameter
            return layout
        layout.append((int(offset), int(size)))


def in_ptx(ptx: str, name: str) -> list[tuple[int, int]]:
    """The same of the kernel `name` in the text of a module's PTX."""
    layout, end = [], 0
    entry = re.search(ENTRY.format(re.escape(name)), ptx, re.DOTALL)
    for parameter in PARAMETER.finditer(entry[1] if entry else ""):
        size = int(parameter["bits"]) // 8 * int(parameter["count"] or 1)
        align = int(parameter["align"] or size)
        offset = -(-end // align) * align
        layout.append((offset, size))
        end = offset + size
    return layout
