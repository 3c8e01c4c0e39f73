"""What a learner is told when a kernel goes wrong, beside the error code that a GPU gives as well."""
import pytest

from .programs import run

KERNELS = """
module = SourceModule('''
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
__global__ void read(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x]; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
__global__ void misses(int *p) { p[10] = 1; }
''')
fill, read, misaligned, misses = (module.get_function(name) for name in ("fill", "read", "misaligned", "misses"))
def sync():
    try:
        cuda.Context.synchronize()
    except cuda.Error as error:
        print(str(error).split(": ")[1])
"""

ILLEGAL = "an illegal memory access was encountered\n"


@pytest.mark.parametrize("program, said, where", [
    ("memory = cuda.mem_alloc(2 << 20); fill(np.intp(int(memory) + (2 << 20)), block=(16, 1, 1)); sync()", ILLEGAL,
     "0 bytes past the end of the 2097152-byte allocation made by cuMemAlloc (device memory)"),
    ("memory = cuda.mem_alloc(40); fill(np.intp(int(memory) - 8), block=(1, 1, 1)); sync()", ILLEGAL,
     "8 bytes before the start of the 40-byte allocation made by cuMemAlloc (device memory)"),
    ("fill(np.intp(0), block=(1, 1, 1)); sync()", ILLEGAL, "a null pointer"),
    ("memory = cuda.mem_alloc(40); at = int(memory); memory.free(); fill(np.intp(at), block=(1, 1, 1)); sync()", ILLEGAL,
     "0 bytes into the 40-byte allocation made by cuMemAlloc (device memory), which was freed"),
    ("array = np.zeros(100, np.int32); fill(np.intp(array.ctypes.data), block=(1, 1, 1)); sync()", ILLEGAL,
     "pageable host memory, perhaps"),
    ("memory = cuda.mem_alloc(40); misaligned(memory, block=(1, 1, 1)); sync()", "misaligned address\n", ""),
])
def test_a_fault_names_the_nearest_memory_that_is_known(program, said, where):
    done = run(KERNELS + program)
    assert done.stdout == said
    assert where in done.stderr
    assert "block (0, 0, 0), thread (" in done.stderr


FREED = "memory, other = cuda.mem_alloc(40), cuda.mem_alloc(40); at = int(memory); memory.free(); "


@pytest.mark.parametrize("program, said", [
    ("memory = cuda.mem_alloc(40); fill(memory, block=(16, 1, 1)); sync()",
     "finding: out-of-bounds: kernel fill: thread (10,0,0) writes p[10] at line 2: 0 bytes past the end of the 40-byte allocation made "
     "by cuMemAlloc (device memory) (6 times). A GPU does not stop it either, and what lies there may belong to somebody else: check the index first, as in "
     "if (i < n).\n"),
    # What was freed is beside, and no argument leads there: the kernel ran out of what lives.
    ("memory, gone = cuda.mem_alloc(512), cuda.mem_alloc(512); gone.free(); fill(memory, block=(136, 1, 1)); sync()",
     "finding: out-of-bounds: kernel fill: thread (128,0,0) writes p[128] at line 2: 0 bytes past the end of the 512-byte allocation"),
    (FREED + "read(np.intp(at), other, block=(1, 1, 1)); sync()",
     "finding: freed: kernel read: thread (0,0,0) reads p[0] at line 3: 0 bytes into the 40-byte allocation made by cuMemAlloc (device "
     "memory), which was freed. A GPU does not stop it either, and may have given the memory to somebody else: free it after the last kernel that "
     "uses it.\n"),
    ("memory = cuda.mem_alloc(40); misses(memory, block=(16, 1, 1)); sync()",
     "writes p[10] at line 5: 0 bytes past the end of the 40-byte allocation made by cuMemAlloc (device memory) (16 times). A GPU"),
    (FREED + "[fill(np.intp(at), block=(8, 1, 1), grid=(2, 1)) for _ in range(3)]; sync()", "finding: freed: kernel fill: thread (0,0,0) "
     "of block (0,0,0) writes p[0] at line 2: 0 bytes into the 40-byte"),
])
def test_beside_an_allocation_a_kernel_goes_on_as_on_a_gpu_and_the_learner_is_told(program, said):
    done = run(KERNELS + program)
    assert done.stdout == ""
    assert said in done.stderr and done.stderr.count("finding: ") == 1


def test_what_a_kernel_reads_in_freed_memory_is_what_somebody_else_has_written_there():
    done = run(KERNELS + FREED + """
stranger, out = cuda.to_device(np.full(10, 7, np.int32)), cuda.mem_alloc(40)
read(np.intp(at), out, block=(10, 1, 1))
print(int(stranger) == at, cuda.from_device(out, 10, np.int32))
""")
    assert (done.stdout, done.stderr) == ("True [7 7 7 7 7 7 7 7 7 7]\n", "")


def test_a_fault_breaks_the_context_for_good():
    done = run(KERNELS + """
fill(np.intp(0), block=(1, 1, 1))
for attempt in range(2):
    sync()
for call in (lambda: cuda.mem_alloc(4), lambda: cuda.Device(0).make_context()):
    try:
        call()
    except cuda.Error as error:
        print(str(error).split(": ")[1])
""")
    assert done.stdout == ILLEGAL * 4
