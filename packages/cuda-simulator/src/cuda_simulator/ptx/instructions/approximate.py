"""The fast approximations: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt, div `.approx` and `.full` (PTX ISA 9.7.3).

PTX gives a bound for their errors, not their bits, and hardware differs from what is computed here in the last
places: these results are the best ones, well inside the bounds.

Not here: ex2 and tanh of halves (half.py).
"""

from __future__ import annotations

import numpy as np

from .floating import finish
from .steps import Compute, compute

F64 = np.float64


def _in_double(function):
    """Compute in f64 and round once."""
    return lambda a: function(a.astype(F64)).astype(a.dtype)


FUNCTIONS = {
    "ex2": _in_double(np.exp2),
    "lg2": _in_double(np.log2),
    "sin": _in_double(np.sin),
    "cos": _in_double(np.cos),
    "tanh": _in_double(np.tanh),
    "rcp": _in_double(lambda a: 1 / a),
    "rsqrt": _in_double(lambda a: 1 / np.sqrt(a)),
    "sqrt": _in_double(np.sqrt),
}


# With .ftz at the end cuRAND has them, and ptxas takes it.
@compute("ex2.approx{.ftz}.type", type="f32")
@compute("ex2.approx.type.ftz", type="f32")
@compute("lg2.approx{.ftz}.type", type="f32")
@compute("lg2.approx.type.ftz", type="f32")
@compute("sin.approx{.ftz}.type", type="f32")
@compute("cos.approx{.ftz}.type", type="f32")
@compute("tanh.approx.type", type="f32")
@compute("rcp.approx{.ftz}.type", type="f32")
@compute("rcp.approx.type.ftz", type="f32")
@compute("rsqrt.approx{.ftz}.type", type="f32 f64")
@compute("rsqrt.approx.type.ftz", type="f32")
@compute("sqrt.approx{.ftz}.type", type="f32")
def one_operand(match):
    return finish(FUNCTIONS[match.opcode.split(".")[0]], match, 1)


@compute("rcp.approx.ftz.type", type="f64")
@compute("rsqrt.approx.ftz.type", type="f64")
def seeds(match):
    """The start of a division by iteration: only the upper 32 bits of the result are there."""
    function = FUNCTIONS[match.opcode.split(".")[0]]
    type_ = match.type()

    def vector(a):
        bits = function(a).view(np.uint64) & np.uint64(0xFFFFFFFF00000000)
        return bits.view(F64)
    return Compute(type_, (type_,), vector)


@compute("div.approx{.ftz}.type", type="f32")
@compute("div.full{.ftz}.type", type="f32")
def divide(match):
    return finish(np.divide, match, 2)
