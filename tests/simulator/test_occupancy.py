"""A kernel of a library is passed in a function's place: "cast to CUfunction" (CUDA Driver API, Occupancy)."""
PROGRAM = """
import cuda_simulator
cuda_simulator.attach()
from cuda.bindings import driver as cu
from cuda_simulator.toolkit import nvrtc

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


def test_occupancy_takes_a_librarys_kernel_in_a_functions_place(in_new_process):
    ended = in_new_process(PROGRAM)
    assert ended.returncode == 0, ended.stderr
    of_kernel, of_function = ended.stdout.splitlines()
    assert of_kernel == of_function and "SUCCESS" in of_kernel
