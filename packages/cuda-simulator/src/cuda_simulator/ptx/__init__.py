"""CUDA kernels without a GPU: an interpreter for PTX, the assembly language that NVRTC emits.

All threads of many blocks are run at once with NumPy, the way a GPU does it: one instruction, many lanes.
What it is not: fast like a GPU, or a model of time, caches, or scheduling. Every access is checked.

Which module of instructions/ has an instruction:

    ld  st  cvta  isspacep  prefetch  fence  membar  nanosleep      memory_access (cp.async: async_copies)
    atom  red                                                       atomics
    mbarrier                                                        counted_barrier
    bar.sync  bar.arrive  bar.red  barrier                          barrier
    shfl  vote  match  redux  activemask  elect  bar.warp.sync      warp
    bra  brx.idx  call  ret  exit  trap  brkpt                      control     (malloc, printf, assert: builtins)
    mov, and what it reads: %tid, %ctaid, %clock64, ...             moves       (and special, beside this file)
    add  sub  mul  mad  div  rem  min  max  abs  neg                arithmetic  (f32, f64: floating; f16, bf16: half)
    fma  rcp  sqrt  testp  copysign                                 floating
    ex2  lg2  sin  cos  tanh, and everything with .approx           approximate
    and  or  xor  shl  shr  bfe  prmt  lop3  popc  clz  brev        bits
    dp4a  dp2a  vabsdiff4  add.u16x2                                video
    setp  set  selp  slct                                           compare
    cvt                                                             convert     (e4m3, e5m2: eight_bit_floats)

How one is run, for example `ld.shared.f32 %f1, [%rd2+4];`

    tokens, syntax -> program   the text becomes Instruction("ld.shared.f32", [Register("%f1"), Address(...)])
    instructions.forms          the form "ld{.ss}.type" fits; memory_access.ld is behind it
    link, code                  %f1 and %rd2 become slots in a list of registers, symbols become addresses
    instructions.steps          memory_access.ld returns a Step: a function over a group of lanes
    flow                        steps between two places where lanes can part become a basic block
    launch, scheduler           the grid is cut into waves of blocks; which lanes run next
    wave                        a group of lanes runs the block; groups split and merge; calls have frames
    parameters                  the launch gets a place for what it was given
    spaces                      address 4 of shared memory -> the bytes of each lane's block in this process

Behind these: types (how registers keep bits), compiled (loops over lanes, in C: lanes.c), rounding, exact and single (floats
rounded as an instruction says, for many lanes, in rare cases, for one lane), errors (faults), module (what the driver sees of a
loaded module), printf (format strings), absent (what is not simulated, in words), declarations (what a variable and a kernel may
be), observe (how accesses coalesce), banks (bank conflicts, and the addresses in a warp's constants). An examiner (`run(...,
examiner=...)`) is told of accesses, barriers, fences and calls; it is none of the interpreter's, see the package examination beside
this one.
"""

from .banks import BankConflicts, ConstantReads
from .errors import KernelFault, MemoryFault, PtxError, Stray
from .instructions.builtins import BUILTINS
from .launch import run
from .module import KernelParameter, ModuleVariable, PtxKernel, PtxModule, load
from .observe import Observer, Transactions
from .syntax import parse

__all__ = ["BUILTINS", "BankConflicts", "ConstantReads", "KernelFault", "KernelParameter", "MemoryFault", "ModuleVariable", "Observer",
           "PtxError", "PtxKernel", "PtxModule", "Stray", "Transactions", "load", "parse", "run"]
