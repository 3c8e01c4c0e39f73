"""cuda.core over the simulated driver, which runs no machine code: ``Program.compile("cubin")`` of CUDA C++ gives PTX, and the
ObjectCode that it returns has the code_type "ptx".

Over a GPU's driver nothing is changed. cuda.core's files stay as they are, and it is not imported before somebody else does.
"""
from cuda_without_toolkit import after_import

from . import version


def install():
    """Mend cuda.core: now where it is imported already, else as soon as it is."""
    after_import.do("cuda.core._program", _compile_to_ptx)


def _compile_to_ptx(module):
    """Put a Program in the place of cuda.core's, which asks the compiler for PTX where machine code is wanted."""
    class Program(module.Program):
        __doc__ = module.Program.__doc__

        def compile(self, target_type, *arguments, **options):
            # PTX that is "compiled" goes through the driver's linker, whose output the driver takes as it is; NVVM makes no cubin.
            if str(target_type) != "cubin" or str(self.backend).upper() != "NVRTC":
                return super().compile(target_type, *arguments, **options)
            code = super().compile("ptx", *arguments, **options)
            text = version.lowered(code.code)
            return code if text == code.code else type(code).from_ptx(text, name=code.name, symbol_mapping=code.symbol_mapping)

    Program.__module__, Program.__qualname__ = module.Program.__module__, module.Program.__qualname__
    module.Program = Program
