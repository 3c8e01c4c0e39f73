"""CUDA kernels without a GPU: an interpreter for PTX, the assembly language that NVRTC emits.

All threads of many blocks are run at once with NumPy, the way a GPU does it: one instruction, many lanes.
What it is not: fast like a GPU, or a model of time, caches, or scheduling. Every access is checked.

Where to look (in the order in which a kernel meets them):

    tokens, syntax, program     PTX text and its parts
    table, opcodes, steps       which instructions there are, and the function behind each
    link, code, flow            a kernel ready to run: register slots, addresses, basic blocks
    launch, scheduler           waves of blocks; which lanes run next
    wave                        lanes, groups that split and merge, frames of calls
    control, barrier, warp      branches and calls; bar.sync; shuffles and votes
    spaces, memory, atomics     addresses; ld and st; atom and red
    arithmetic, bits, compare, convert, floating, half, video, approximate      what computes
    rounding, exact, single     behind these: rounding as an instruction says, for many lanes or one
    special, builtins, printf   %tid and the like; malloc, printf, assert
    observe                     a trace of chosen threads; how accesses coalesce
"""

from .builtins import BUILTINS
from .errors import KernelFault, MemoryFault, PtxError
from .launch import run
from .module import Kernel, Module, ModuleVariable, Parameter, load
from .observe import Observer, Trace, Transactions
from .syntax import parse

__all__ = ["BUILTINS", "Kernel", "KernelFault", "MemoryFault", "Module", "ModuleVariable", "Observer", "Parameter",
           "PtxError", "Trace", "Transactions", "load", "parse", "run"]
