"""cuda.core and numba-cuda over the simulated driver where nvJitLink is installed: they link with the driver, and PTX reaches it.

nvJitLink makes machine code, which this driver cannot run. ``pip install "numba-cuda[cu13]"`` brings it, and Numba's kernels then
become link-time code (LTO-IR) and machine code. Here cuda.core's Linker decides for the driver's functions (cuLink...), and Numba
compiles to PTX. cuda.bindings.nvjitlink itself stays as it is.

nvJitLink also takes the PTX of a newer CUDA than the driver's: "minor version compatibility" (CUDA Compatibility guide). What it would
link for the driver is therefore taken here, too (version.py).

Not here: link-time code that a program makes by itself. The driver's linker refuses it.
"""
from cuda_without_toolkit import after_import

from . import version


def install():
    """Mend both: now where they are imported already, else as soon as they are."""
    after_import.do("cuda.core._linker", _link_with_the_driver)
    after_import.do("numba.cuda.cudadrv.driver", _compile_to_ptx)


def is_here():
    """Can nvJitLink be loaded? Without it a GPU's driver would get the PTX as it is."""
    try:
        from cuda.bindings import nvjitlink
        nvjitlink.version()
    except Exception:   # not installed, too old, or of bindings that have it not
        return False
    return True


def _link_with_the_driver(module):
    """Decide for cuda.core, without the warning that nvJitLink is too old, and have PTX read as nvJitLink would."""
    if not is_here():
        return          # cuda.core decides for the driver by itself

    def decide():
        from cuda.bindings import driver
        module._driver, module._use_nvjitlink_backend, module._nvjitlink = driver, False, None
        return True
    module._decide_nvjitlink_or_driver = decide
    ObjectCode = module.ObjectCode

    class Linker(module.Linker):
        __doc__ = module.Linker.__doc__

        def __init__(self, *object_codes, options=None):
            super().__init__(*map(readable, object_codes), options=options)

    def readable(code):
        text = code.code if code.code_type == "ptx" else None
        if not isinstance(text, (bytes, bytearray)) or (lowered := version.lowered(text)) == text:
            return code
        return ObjectCode.from_ptx(bytes(lowered), name=code.name, symbol_mapping=code.symbol_mapping)

    Linker.__module__, Linker.__qualname__ = module.Linker.__module__, module.Linker.__qualname__
    module.Linker = Linker


def _compile_to_ptx(module):
    """Numba asks this, before it is asked for a kernel, whether it may compile to link-time code."""
    if hasattr(module, "_have_nvjitlink"):      # numba-cuda's; Numba's built-in target has no such function
        module._have_nvjitlink = lambda: False
