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


def test_the_bytes_of_memory_are_looked_at_to_its_end_wherever_it_lies_and_of_mere_addresses_there_are_none():
    assert output("""
from cuda.bindings import driver as cu
from cuda_simulator import watch
device, page_locked = cuda.mem_alloc(100), cuda.pagelocked_empty(100, np.uint8)
cuda.memset_d8(device, 7, 100)
page_locked[:] = 8
for address in int(device), page_locked.ctypes.data:
    print([(len(part), set(part.tolist())) for part in (watch.bytes_of(address, 100), watch.bytes_of(address + 60, 16), watch.bytes_of(address + 60, 1000))])
watch.bytes_of(int(device), 100)[3] = 9
print(cuda.from_device(device, 5, np.uint8))
granule, properties = 2 << 20, cu.CUmemAllocationProp()
properties.type, properties.location.type = cu.CUmemAllocationType(1), cu.CUmemLocationType(1)
_, addresses = cu.cuMemAddressReserve(granule, 0, 0, 0)
_, handle = cu.cuMemCreate(granule, properties, 0)
cu.cuMemMap(addresses, granule, 0, handle, 0)
print(watch.bytes_of(int(addresses), 4), watch.bytes_of(8, 4))
""") == "[(100, {7}), (16, {7}), (40, {7})]\n[(100, {8}), (16, {8}), (40, {8})]\n[7 7 7 9 7]\nNone None\n"


def test_the_blocks_of_a_kernels_heap_and_what_a_handle_of_physical_memory_holds_are_known_until_they_are_freed():
    assert output("""
from cuda.bindings import driver as cu
from cuda_simulator import watch
code = SourceModule('''
__global__ void take(char **block) { *block = (char *) malloc(40); **block = 5; }
__global__ void give(char **block) { free(*block); }
''')
block = cuda.mem_alloc(8)
code.get_function("take")(block, block=(1, 1, 1))
address = int(cuda.from_device(block, 1, np.uint64)[0])
print(watch.heap_blocks() == [(address, 40)], len(watch.bytes_of(address + 10, 100)), watch.bytes_of(address, 1))
code.get_function("give")(block, block=(1, 1, 1))
cuda.Context.synchronize()
print(watch.heap_blocks(), watch.bytes_of(address, 1))
properties = cu.CUmemAllocationProp()
properties.type, properties.location.type = cu.CUmemAllocationType(1), cu.CUmemLocationType(1)
_, handle = cu.cuMemCreate(4 << 20, properties, 0)
print(len(watch.held_memory(int(handle))) >> 20, watch.held_memory(int(handle) + 1))
cu.cuMemRelease(handle)
print(watch.held_memory(int(handle)))
""") == "True 30 [5]\n[] None\n4 None\nNone\n"
