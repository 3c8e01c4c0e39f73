"""A learner watches a kernel that PyCUDA launches."""
from .programs import output

STRIDED = """
from cuda_simulator.stepping.follower import Follower
from cuda_simulator.watch import Transactions, watching
strided = SourceModule('''
__global__ void strided(const int *from, int *to, int stride) { to[threadIdx.x] = from[threadIdx.x * stride]; }
''').get_function("strided")
from_, to = cuda.mem_alloc(4 * 32 * 33), cuda.mem_alloc(4 * 32)
"""


def test_a_warp_that_reads_side_by_side_needs_4_sectors_and_one_with_a_stride_needs_32():
    assert output(STRIDED + """
for stride in (1, 2, 8, 33):
    with watching(Transactions()) as seen:
        strided(from_, to, np.int32(stride), block=(32, 1, 1))
        cuda.Context.synchronize()
    read, write = sorted(seen.counts.values(), key=lambda one: one.access)
    print(stride, read.transactions, write.transactions, read.efficiency)
""") == "1 4 4 1.0\n2 8 4 0.5\n8 32 4 0.125\n33 32 4 0.125\n"


def test_a_follower_sees_the_first_launch_inside_the_block():
    assert output(STRIDED + """
strided(from_, to, np.int32(8), block=(32, 1, 1))
cuda.Context.synchronize()
with watching(Follower(most=32)) as seen:
    for stride in (2, 4):
        strided(from_, to, np.int32(stride), block=(32, 1, 1))
    cuda.Context.synchronize()
record = seen.record
accesses = [access for step in record.threads[5] for access in step.accesses]
print(record.kernel, record.block, [access.kind for access in accesses])
read, write = [access.address for access in accesses]
print(read - int(from_), write - int(to))
""") == "strided 32 ['read', 'write']\n40 20\n"


def test_the_allocations_are_those_that_a_program_asked_for_and_no_variables_of_modules():
    assert output("""
from cuda_simulator import watch
earlier = watch.allocations()
device, page_locked = cuda.mem_alloc(100), cuda.pagelocked_empty(50, np.uint8)
both = cuda.managed_empty(7, np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL)
variable, nbytes = SourceModule("__device__ int table[3];").get_global("table")
sizes = {int(device): 100, page_locked.ctypes.data: 50, both.ctypes.data: 7}
print(dict(watch.allocations()) == {**dict(earlier), **sizes}, int(variable) in dict(watch.allocations()))
""") == "True False\n"


def test_malloc_in_a_kernel_is_seen_inside_the_block_before_the_kernel_has_its_memory():
    assert output("""
from cuda_simulator import watch
take = SourceModule("__global__ void take(int *last) { *last = ((int *) malloc(40))[9]; }").get_function("take")
sizes, last = [], cuda.mem_alloc(4)
def fill(address, size):
    sizes.append(size)
    watch.bytes_of(address, size)[:] = 1
with watch.kernels_allocating(fill):
    take(last, block=(1, 1, 1))
    cuda.Context.synchronize()
print(sizes, cuda.from_device(last, 1, np.int32) == 0x01010101)
take(last, block=(1, 1, 1))
cuda.Context.synchronize()
print(sizes)
""") == "[40] [ True]\n[40]\n"
