"""The CUDA C++ that PTX was made of, where this process compiled it: PTX itself has no names of parameters, and no text.

Not here: compiling (the package cuda_without_toolkit). Kernels that a program compiles by itself are not known here.
"""
import re
from collections import OrderedDict

from .names import kernel_name
from .numba_arguments import AN_ARRAY, argument_names

MOST = 256
_sources = OrderedDict()    # PTX -> source


def remember(ptx, source):
    """`ptx`, as bytes, was compiled from `source`."""
    _sources[ptx.decode(errors="replace").rstrip("\0")] = source
    while len(_sources) > MOST:
        _sources.popitem(last=False)


def source_of(ptx):
    """The text that this PTX was made of, or None."""
    return _sources.get(ptx.rstrip("\0"))


def parameter_names(function):
    """What to call the parameters of a module's function, in order; none where the source is not known or is written in another way."""
    ptx, kernel, many = function.module.text, function.name, len(function.kernel.parameters)
    source = source_of(ptx)
    if source is None and AN_ARRAY in kernel:       # Numba's: of these parameters a program knows nothing, not even how many they are
        return argument_names(ptx, kernel, many) or tuple(f"parameter {number} of the compiled kernel" for number in range(many))
    kernel = kernel_name(kernel)
    declared = source and re.search(rf"__global__[^;{{()]*(?:__launch_bounds__\s*\([^)]*\)[^;{{()]*)?\b{re.escape(kernel)}\s*\(([^)]*)\)",
                                    source)
    if not declared:
        return ()
    names = [re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)?$", part.strip()) for part in declared[1].split(",")]
    return tuple(name[1] if name else "" for name in names)
