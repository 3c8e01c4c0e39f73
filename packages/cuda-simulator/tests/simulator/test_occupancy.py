"""Occupancy as the CUDA Driver API (Occupancy) describes it: a library's kernel in a function's place, "cast to CUfunction", and
shared memory that depends on the size of the block."""
import pytest

PROGRAM = """
import cuda_simulator
cuda_simulator.attach()
from cuda.bindings import driver as cu
from cuda_without_toolkit import nvrtc

def ok(answer):
    assert not answer[0], answer
    return answer[1]

cu.cuInit(0)
cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0)))
ptx, _ = nvrtc.compile_source('extern "C" __global__ void f() { __shared__ int big[9000]; big[threadIdx.x] = 1; }',
                              ["--gpu-architecture=compute_90"])
library = ok(cu.cuLibraryLoadData(ptx, [], [], 0, [], [], 0))
kernel = ok(cu.cuLibraryGetKernel(library, b"f"))
for number in cu.CUfunction(int(kernel)), ok(cu.cuKernelGetFunction(kernel)):
    print(ok(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(number, 128, 0)),
          ok(cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(number, 128, 0, 0)),
          ok(cu.cuOccupancyAvailableDynamicSMemPerBlock(number, 2, 128)), cu.cuOccupancyMaxPotentialBlockSize(number, None, 0, 0))
"""

DEPENDING = PROGRAM.partition("for number")[0] + """
import ctypes
function = ok(cu.cuKernelGetFunction(kernel))
asked = []
grows = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda threads: asked.append(threads) or (0 if threads <= 64 else 1 << 20))
driver = ctypes.CDLL("libcuda.so.1")
grid, block = ctypes.c_int(), ctypes.c_int()
call = getattr(driver, CALL)
call.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t, ctypes.c_int, ctypes.c_uint]
code = call(ctypes.byref(grid), ctypes.byref(block), int(function), ctypes.cast(grows, ctypes.c_void_p), 1 << 20, 0, 0)
blocks = ok(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 64, 0))
print(code, block.value, grid.value == 132 * blocks, {64, 1024} <= set(asked))
"""


@pytest.mark.parametrize("call", ["cuOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSizeWithFlags"])
def test_shared_memory_that_depends_on_the_block_size_is_asked_of_the_callers_function(in_new_process, call):
    """Every block of more than 64 threads asks for more than there is; the size given beside the function does not count."""
    result = in_new_process(f"CALL = {call!r}\n{DEPENDING}")
    assert result.stdout == "0 64 True True\n", result.stdout + result.stderr


def test_occupancy_takes_a_librarys_kernel_in_a_functions_place(in_new_process):
    result = in_new_process(PROGRAM)
    assert result.returncode == 0, result.stderr
    of_kernel, of_function = result.stdout.splitlines()
    assert of_kernel == of_function and "SUCCESS" in of_kernel
