"""Memory that is freed in the order of a stream, and the work that was given before it."""
from .programs import output

HELD = """
from cuda.bindings import driver as cu
module = SourceModule('''
__global__ void wait_for(volatile int *flag) { while (*flag == 0); }
__global__ void put(int *x, int value) { x[threadIdx.x] = value; }
''')
wait_for, put = module.get_function("wait_for"), module.get_function("put")
put(cuda.mem_alloc(4096), np.int32(0), block=(1, 1, 1)); cuda.Context.synchronize()     # loaded now
flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
a, b = cuda.Stream(1), cuda.Stream(1)
wait_for(np.intp(flag.base.get_device_pointer()), block=(1, 1, 1), stream=a)
def take(size, stream):
    return int(cu.cuMemAllocAsync(size, stream.handle)[1])
def free(p, stream):
    cu.cuMemFreeAsync(p, stream.handle)
"""


def test_a_kernel_that_was_given_before_the_free_still_reaches_the_memory_in_its_turn():
    assert output(HELD + """
p, keep = take(4096, a), take(512, a)
put(np.intp(p), np.int32(5), block=(1024, 1, 1), stream=a)
free(p, a)
print(cu.cuMemGetAddressRange(p)[0].name)
q = take(512, a)                                     # a part of it is somebody else's, and not yet in use
flag[0] = 1
a.synchronize()
got = np.zeros(128, np.int32); cuda.memcpy_dtoh(got, q)
print(q == p, set(got.tolist()))
""") == "CUDA_ERROR_NOT_FOUND\nTrue {5}\n"


def test_the_first_byte_is_reached_too_where_nothing_has_taken_its_place():
    assert output(HELD + """
p, keep = take(4096, a), take(512, a)
put(np.intp(p), np.int32(5), block=(1, 1, 1), stream=a)
free(p, a)
flag[0] = 1
a.synchronize()
print(cuda.from_device(keep, 1, np.int32).size)
""") == "1\n"


def test_a_kernel_that_is_given_after_the_free_is_told_to_follow_freed_memory():
    assert "freed" in output(HELD + """
p, keep = take(4096, b), take(512, b)
free(p, b)
import sys; sys.stderr = sys.stdout
put(np.intp(p), np.int32(5), block=(1, 1, 1), stream=b)
b.synchronize()
flag[0] = 1
""")


def test_a_kernel_of_another_stream_still_reaches_what_the_pool_keeps_and_is_told_that_it_was_freed():
    """The last allocation of the pool: until the host waits for the stream that freed it, the pool has its piece."""
    printed = output(HELD + """
p = take(4096, b); put(np.intp(p), np.int32(5), block=(1, 1, 1), stream=b); b.synchronize()
event = cuda.Event(); event.record(a)
c = cuda.Stream(1); c.wait_for_event(event)
x = cuda.mem_alloc(4)
put(np.intp(p), np.int32(6), block=(1, 1, 1), stream=c); cuda.memcpy_dtod_async(x, p, 4, c)
free(p, b)
import sys; sys.stderr = sys.stdout
flag[0] = 1
c.synchronize()
print(cuda.from_device(x, 1, np.int32))
""")
    assert "freed: kernel put: thread (0,0,0) writes " in printed and printed.endswith("[6]\n"), printed


def test_memory_that_is_left_only_to_a_held_stream_comes_with_its_wait():
    assert output(HELD + """
half = cuda.mem_get_info()[1] // 5 * 3
p = take(half, a); free(p, a)
q = take(half, b)
print(p == q, b.is_done())
flag[0] = 1
b.synchronize()
print(a.is_done())
""") == "True False\nTrue\n"


def test_what_a_pool_keeps_is_given_to_cuMemAlloc_when_it_has_to_be():
    assert output(HELD + """
flag[0] = 1
pool = cu.cuDeviceGetDefaultMemPool(0)[1]
cu.cuMemPoolSetAttribute(pool, cu.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, cu.cuuint64_t(1 << 60))
half = cuda.mem_get_info()[1] // 5 * 3
free(take(half, a), a)
a.synchronize()
print(cuda.mem_get_info()[0] < half, cu.cuMemAlloc(half)[0].name)
""") == "True CUDA_SUCCESS\n"
