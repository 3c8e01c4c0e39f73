"""Blocks of a cooperative launch may wait for each other: cooperative_groups' grid.sync."""
from .programs import output, run

DRIVER = """
import ctypes
from cuda.bindings import driver
from cuda_without_toolkit import nvrtc
ptx, _ = nvrtc.compile_source('''
#include <cooperative_groups.h>
extern "C" __global__ void turn(int *part, int *all, int rounds) {
    auto grid = cooperative_groups::this_grid();
    for (int i = 0; i < rounds; i++) {
        part[grid.thread_rank()] += i + 1;
        grid.sync();
        all[grid.thread_rank()] = part[grid.size() - 1 - grid.thread_rank()];
        grid.sync();
    }
}''', ["--gpu-architecture=compute_90"])
kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(ptx)[1], b"turn")[1]
BLOCKS, THREADS = 150, 256      # more lanes than one wave has
places = [cuda.mem_alloc(4 * BLOCKS * THREADS) for _ in range(2)]
cuda.memset_d32(places[0], 0, BLOCKS * THREADS)
values = tuple(map(int, places)) + (3,), (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
"""


def test_every_block_sees_what_all_blocks_wrote_before_the_barrier():
    assert output(DRIVER + """
free = cuda.mem_get_info()[0]
print(driver.cuLaunchCooperativeKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0, values)[0].name)
cuda.Context.synchronize()
numbers = np.zeros(BLOCKS * THREADS, np.int32)
cuda.memcpy_dtoh(numbers, places[1])
print(set(numbers.tolist()) == {6}, cuda.mem_get_info()[0] == free)
""") == "CUDA_SUCCESS\nTrue True\n"


def test_a_kernel_that_was_not_launched_so_may_not_wait_for_its_grid():
    result = run(DRIVER + """
driver.cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0, values, 0)
print(driver.cuCtxSynchronize()[0].name)
sys.stdout.flush()
os._exit(0)
""")
    assert result.stdout == "CUDA_ERROR_LAUNCH_FAILED\n" and "trap" in result.stderr, result.stdout + result.stderr


def test_the_attribute_of_a_launch_makes_it_cooperative_and_all_blocks_have_to_fit_at_once():
    assert output(DRIVER + """
config, attribute = driver.CUlaunchConfig(), driver.CUlaunchAttribute()
attribute.id, attribute.value.cooperative = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 1
config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX, config.blockDimY, config.blockDimZ = BLOCKS, 1, 1, THREADS, 1, 1
config.attrs, config.numAttrs = [attribute], 1
print(driver.cuLaunchKernelEx(config, kernel, values, 0)[0].name, driver.cuCtxSynchronize()[0].name)
def launched(attributes, *shape):
    config.attrs, config.numAttrs = attributes, len(attributes)
    config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX, config.blockDimY, config.blockDimZ = shape
    return driver.cuLaunchKernelEx(config, kernel, ((*values[0][:2], 0), values[1]), 0)[0].name.removeprefix("CUDA_")
for shape in ((132 * 8, 1, 1, 1, THREADS, 1), (132 * 2, 1, 1, 16, 4, 16), (132 * 2 + 1, 1, 1, 16, 4, 16), (132 * 2 + 1, 1, 1, 32, 32, 1),
              (132 * 8 + 1, 1, 1, THREADS, 1, 1), (132 * 4 + 1, 2, 1, THREADS, 1, 1), (132 * 4 + 1, 1, 2, THREADS, 1, 1)):
    print(launched([attribute], *shape))
cluster = driver.CUlaunchAttribute()
cluster.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
def in_clusters(shape):
    cluster.value.clusterDim.x, cluster.value.clusterDim.y, cluster.value.clusterDim.z = shape
    return launched([attribute, cluster], 4, 4, 4, 32, 1, 1)
print(*map(in_clusters, ((2, 2, 2), (4, 2, 1), (4, 4, 1), (2, 2, 4), (3, 1, 1))))
print(driver.cuCtxSynchronize()[0].name)
""") == ("CUDA_SUCCESS CUDA_SUCCESS\n" + 2 * "SUCCESS\n" + 5 * "ERROR_COOPERATIVE_LAUNCH_TOO_LARGE\n"
         + 2 * "SUCCESS " + 2 * "ERROR_INVALID_CLUSTER_SIZE " + "ERROR_INVALID_CLUSTER_SIZE\nCUDA_SUCCESS\n")

def test_what_a_block_wrote_before_the_barrier_is_no_race_for_those_that_read_it_after():
    assert output("from cuda_simulator import examine" + DRIVER + """
with examine() as seen:
    driver.cuLaunchCooperativeKernel(kernel, 4, 1, 1, 64, 1, 1, 0, 0, values)
    cuda.Context.synchronize()
print(seen.findings)
""") == "[]\n"


BY_THE_RUNTIME = DRIVER.split("ptx, _ =")[0] + """
ptx, _ = nvrtc.compile_source('''
extern "C" __global__ void turn(int *part, int *all, int rounds) {
    unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    for (int round = 0; round < rounds; round++) {
        part[i] += round + 1;
        cudaCGSynchronize(grid, 0);
        all[i] = part[n - 1 - i];
        cudaCGSynchronize(grid, 0);
    }
}''', ["--gpu-architecture=compute_90", "-rdc=true"])
state = driver.cuLinkCreate(0, [], [])[1]
library = b"!<arch>\\\\ncuda_device_runtime.o"     # as much of libcudadevrt.a as is looked at
for kind, data in (driver.CUjitInputType.CU_JIT_INPUT_PTX, ptx), (driver.CUjitInputType.CU_JIT_INPUT_LIBRARY, library):
    assert not driver.cuLinkAddData(state, kind, data, len(data), b"", 0, [], [])[0]
kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.string_at(*driver.cuLinkComplete(state)[1:]))[1], b"turn")[1]
""".replace("\\\\n", "\\n") + "BLOCKS" + DRIVER.split("BLOCKS", 1)[1]


def test_numbas_barrier_of_a_grid_is_a_function_of_the_device_runtime():
    """Numba's grid.sync calls it; the machine code of libcudadevrt.a cannot be run here."""
    assert output(BY_THE_RUNTIME + """
print(driver.cuLaunchCooperativeKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0, values)[0].name)
cuda.Context.synchronize()
numbers = np.zeros(BLOCKS * THREADS, np.int32)
cuda.memcpy_dtoh(numbers, places[1])
print(set(numbers.tolist()) == {6})
""") == "CUDA_SUCCESS\nTrue\n"


def test_without_a_cooperative_launch_it_is_a_trap_there_too():
    result = run(BY_THE_RUNTIME + """
driver.cuLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0, values, 0)
print(driver.cuCtxSynchronize()[0].name)
sys.stdout.flush()
os._exit(0)
""")
    assert result.stdout == "CUDA_ERROR_LAUNCH_FAILED\n" and "trap" in result.stderr, result.stdout + result.stderr
