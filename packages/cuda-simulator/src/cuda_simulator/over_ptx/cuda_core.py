"""cuda.core over the simulated driver, which runs no machine code and no CUDA runtime (libcudart).

- ``Program.compile("cubin")`` of CUDA C++ gives PTX: the ObjectCode that it returns has the code_type "ptx".
- The functions of the runtime that cuda.core calls, to wait for a device and to count and name devices, ask the driver here.

Over a GPU's driver nothing is changed. cuda.core's files stay as they are, and it is not imported before somebody else does.
"""
from cuda_without_toolkit import after_import


def install():
    """Mend both modules: now where they are imported already, else as soon as they are."""
    after_import.do("cuda.core._program", _compile_to_ptx)
    after_import.do("cuda.bindings.runtime", _ask_the_driver)


def _compile_to_ptx(module):
    """Put a Program in the place of cuda.core's, which asks the compiler for PTX where machine code is wanted."""
    if hasattr(module.Program, "of_cuda_core"):
        return

    class Program(module.Program):
        __doc__ = module.Program.__doc__
        of_cuda_core = module.Program

        def compile(self, target_type, *arguments, **options):
            # PTX that is "compiled" goes through the driver's linker, whose output the driver takes as it is; NVVM makes no cubin.
            if str(target_type) == "cubin" and str(self.backend).upper() == "NVRTC":
                target_type = "ptx"
            return super().compile(target_type, *arguments, **options)

    Program.__module__, Program.__qualname__ = module.Program.__module__, module.Program.__qualname__
    module.Program = Program


def _ask_the_driver(runtime):
    from cuda.bindings import driver

    def answer(code, *values):
        """The driver's answer as the runtime's: the two number their errors alike, as far as both have them."""
        try:
            return (runtime.cudaError_t(int(code)), *values)
        except ValueError:
            return (runtime.cudaError_t.cudaErrorUnknown, *values)

    def initialised(function):
        """The runtime initialises the driver, and uses device 0 where no context is current (CUDA Runtime API, Interactions with
        the CUDA Driver API)."""
        def call(*arguments):
            code, = driver.cuInit(0)
            return function(*arguments) if not code else answer(code)
        return call

    def device_synchronize():
        code, context = driver.cuCtxGetCurrent()
        if not code and not int(context):
            code, context = driver.cuDevicePrimaryCtxRetain(0)
            if not code:
                code, = driver.cuCtxSetCurrent(context)
        return answer(code) if code else answer(*driver.cuCtxSynchronize())

    runtime.cudaDeviceSynchronize = initialised(device_synchronize)
    runtime.cudaGetDeviceCount = initialised(lambda: answer(*driver.cuDeviceGetCount()))
    runtime.cudaDeviceGetPCIBusId = initialised(lambda length, device: answer(*driver.cuDeviceGetPCIBusId(length, device)))
