"""What a learner is told when a kernel goes wrong, beside the error code that a GPU gives as well."""
import pytest

from .programs import run

KERNELS = """
module = SourceModule('''
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
__global__ void read(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x]; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
__global__ void misses(int *p) { p[10] = 1; }
__global__ void write_at(int *p, long long n) { p[n] = 1; }
__global__ void follow(int **p) { **p = 1; }
''')
fill, read, misaligned, misses, write_at, follow = map(module.get_function, ["fill", "read", "misaligned", "misses", "write_at", "follow"])
def sync():
    try:
        cuda.Context.synchronize()
    except cuda.Error as error:
        print(str(error).split(": ")[1])
"""

ILLEGAL = "an illegal memory access was encountered\n"


@pytest.mark.parametrize("program, output, where", [
    ("memory = cuda.mem_alloc(2 << 20); fill(np.intp(int(memory) + (2 << 20)), block=(16, 1, 1)); sync()", ILLEGAL,
     "0 bytes past the end of the 2097152-byte allocation made by cuMemAlloc (device memory)"),
    ("memory = cuda.mem_alloc(40); fill(np.intp(int(memory) - 8), block=(1, 1, 1)); sync()", ILLEGAL,
     "8 bytes before the start of the 40-byte allocation made by cuMemAlloc (device memory)"),
    ("fill(np.intp(0), block=(1, 1, 1)); sync()", ILLEGAL, "a null pointer"),
    ("import mmap; pages = mmap.mmap(-1, 8192); begin = ctypes.addressof(ctypes.c_char.from_buffer(pages)); "
     "from cuda.bindings import driver; driver.cuMemHostRegister(begin, 4096, 0); fill(np.intp(begin + 4096), block=(1, 1, 1)); sync()", ILLEGAL,
     "0 bytes past the end of the 4096-byte allocation made by cuMemHostRegister (registered host memory)"),
    ("memory = cuda.mem_alloc(40); at = int(memory); memory.free(); fill(np.intp(at), block=(1, 1, 1)); sync()", ILLEGAL,
     "0 bytes into the 40-byte allocation made by cuMemAlloc (device memory), which was freed"),
    ("array = np.zeros(100, np.int32); fill(np.intp(array.ctypes.data), block=(1, 1, 1)); sync()", ILLEGAL,
     "pageable host memory, perhaps"),
    ("memory = cuda.mem_alloc(40); misaligned(memory, block=(1, 1, 1)); sync()", "misaligned address\n", ""),
])
def test_a_fault_names_the_nearest_memory_that_is_known(program, output, where):
    result = run(KERNELS + program)
    assert result.stdout == output
    assert where in result.stderr
    assert "block (0, 0, 0), thread (" in result.stderr


FREED = "memory, other = cuda.mem_alloc(40), cuda.mem_alloc(40); at = int(memory); memory.free(); "


@pytest.mark.parametrize("program, finding", [
    ("memory = cuda.mem_alloc(40); fill(memory, block=(16, 1, 1)); sync()",
     "finding: out-of-bounds: kernel fill: thread (10,0,0) writes p[10] at line 2: 0 bytes past the end of the 40-byte allocation made "
     "by cuMemAlloc (device memory) (6 times). A GPU does not stop it either, and what lies there may belong to somebody else: check the index first, as in "
     "if (i < n).\n"),
    ("memory, other = cuda.mem_alloc(40), cuda.mem_alloc(40); write_at(memory, np.int64(12), block=(1, 1, 1)); sync()",
     "finding: out-of-bounds: kernel write_at: thread (0,0,0) writes p[12] at line 6: 8 bytes past the end of the 40-byte allocation"),
    ("other, memory = cuda.mem_alloc(40), cuda.mem_alloc(40); write_at(memory, np.int64(-2), block=(1, 1, 1)); sync()",
     "finding: out-of-bounds: kernel write_at: thread (0,0,0) writes p[-2] at line 6: 8 bytes before the start of the 40-byte allocation"),
    ("other, memory = cuda.mem_alloc(40), cuda.mem_alloc(40); other.free(); write_at(memory, np.int64(-2), block=(1, 1, 1)); sync()",
     "finding: out-of-bounds: kernel write_at: thread (0,0,0) writes p[-2] at line 6: 8 bytes before the start of the 40-byte allocation"),
    # What was freed is reached, and no argument leads there: the kernel ran out of what lives.
    ("memory, gone = cuda.mem_alloc(512), cuda.mem_alloc(512); gone.free(); write_at(memory, np.int64(256), block=(1, 1, 1)); sync()",
     "finding: out-of-bounds: kernel write_at: thread (0,0,0) writes p[256] at line 6: 512 bytes past the end of the 512-byte allocation"),
    # The start of what was freed is somebody's again.
    ("gone, other = cuda.mem_alloc(4096), cuda.mem_alloc(512); gone.free(); memory = cuda.mem_alloc(512); fill(memory, block=(136, 1, 1)); sync()",
     "finding: out-of-bounds: kernel fill: thread (128,0,0) writes p[128] at line 2: 0 bytes past the end of the 512-byte allocation"),
    (FREED + "read(np.intp(at), other, block=(1, 1, 1)); sync()",
     "finding: freed: kernel read: thread (0,0,0) reads p[0] at line 3: 0 bytes into the 40-byte allocation made by cuMemAlloc (device "
     "memory), which was freed. A GPU does not stop it either, and may have given the memory to somebody else: free it after the last kernel that "
     "uses it.\n"),
    ("pointer, beside, memory, other = [cuda.mem_alloc(40) for _ in range(4)]; cuda.memcpy_htod(pointer, np.uint64(memory)); memory.free(); "
     "follow(pointer, block=(1, 1, 1)); sync()",
     "finding: freed: kernel follow: thread (0,0,0) writes 4 bytes at 0x"),
    ("memory = cuda.mem_alloc(40); misses(memory, block=(16, 1, 1)); sync()",
     "writes p[10] at line 5: 0 bytes past the end of the 40-byte allocation made by cuMemAlloc (device memory) (16 times). A GPU"),
    (FREED + "[fill(np.intp(at), block=(8, 1, 1), grid=(2, 1)) for _ in range(3)]; sync()", "finding: freed: kernel fill: thread (0,0,0) "
     "of block (0,0,0) writes p[0] at line 2: 0 bytes into the 40-byte"),
])
def test_beside_an_allocation_a_kernel_goes_on_as_on_a_gpu_and_the_learner_is_told(program, finding):
    result = run(KERNELS + program)
    assert result.stdout == ""
    assert finding in result.stderr and result.stderr.count("finding: ") == 1


def test_what_a_kernel_reads_in_freed_memory_is_what_somebody_else_has_written_there():
    result = run(KERNELS + FREED + """
stranger, out = cuda.to_device(np.full(10, 7, np.int32)), cuda.mem_alloc(40)
read(np.intp(at), out, block=(10, 1, 1))
print(int(stranger) == at, cuda.from_device(out, 10, np.int32))
""")
    assert (result.stdout, result.stderr) == ("True [7 7 7 7 7 7 7 7 7 7]\n", "")


def test_memory_that_another_thread_allocates_while_a_kernel_looks_for_it_is_inside_of_an_allocation():
    result = run(KERNELS + """
import threading
from unittest.mock import patch
from cuda_simulator.device.execution import KernelMachine

memory, context = cuda.mem_alloc(512), cuda.Context.get_current()
address, table, again = int(memory), KernelMachine._table, []
neighbour = cuda.mem_alloc(512)     # so that the piece stays
memory.free()

def allocate():
    context.push()
    again.append(cuda.mem_alloc(512))
    context.pop()

def table_that_is_old(machine):
    old = table(machine)
    if not again:
        allocating = threading.Thread(target=allocate)
        allocating.start()
        allocating.join()
    return old

with patch.object(KernelMachine, "_table", table_that_is_old):
    fill(np.intp(address), block=(4, 1, 1))
    cuda.Context.synchronize()
print(int(again[0]) == address, cuda.from_device(address, 4, np.int32))
""")
    assert (result.stdout, result.stderr) == ("True [1 1 1 1]\n", "")


def test_a_fault_breaks_the_context_for_good():
    result = run(KERNELS + """
fill(np.intp(0), block=(1, 1, 1))
for attempt in range(2):
    sync()
for call in (lambda: cuda.mem_alloc(4), lambda: cuda.Device(0).make_context()):
    try:
        call()
    except cuda.Error as error:
        print(str(error).split(": ")[1])
""")
    assert result.stdout == ILLEGAL * 4


WORDS = """
words = SourceModule('''
__device__ char variable[3];
__global__ void use(int *p, int *out) {
    *out = *(volatile int *)p;
    *(volatile int *)p = 5;
    atomicAdd(p, 1); }
__global__ void use_variable(int *p, int *out) {
    *(volatile int *)variable = 5;
    *out = *(volatile int *)variable; }
__global__ void use_heap(int *p, int *out) {
    int *q = (int *)malloc(3);
    *(volatile int *)q = 5;
    *out = *(volatile int *)q; }
__global__ void use_shared(int *p, int *out) { __shared__ char s[3]; *(volatile int *)s = 5; *out = *(volatile int *)s; }
__global__ void use_16(int4 *p, int4 *out) {
    *out = *p;
    *p = make_int4(1, 2, 3, 4); }
''')
import mmap
from cuda.bindings import driver
out, page = cuda.mem_alloc(16), mmap.mmap(-1, 4096)
begin = ctypes.addressof(ctypes.c_char.from_buffer(page))
def registered(at, size):
    driver.cuMemHostRegister(at, size, 2)
    return np.intp(at & -16)
def use(pointer, name="use"):
    words.get_function(name)(pointer, out, block=(1, 1, 1))
    cuda.Context.synchronize()
"""


@pytest.mark.parametrize("program, named", [
    ("use(cuda.mem_alloc(3))", ["reads p[0]", "writes p[0]", "updates p[0]"]),
    ("use(cuda.mem_alloc(12), 'use_16')", ["reads p[0]", "writes p[0]"]),
    ("use(np.intp(int(driver.cuMemAllocManaged(3, 1)[1])))", ["reads", "writes", "updates"]),
    ("use(np.intp(driver.cuMemHostAlloc(3, 2)[1]))", ["reads", "writes", "updates"]),
    ("use(np.intp(int(driver.cuMemAllocAsync(3, 0)[1])))", ["reads", "writes", "updates"]),
    ("use(registered(begin, 3))", ["reads", "writes", "updates"]),
    ("use(registered(begin + 4093, 3))", ["reads", "writes", "updates"]),        # the word begins before it
    ("use(out, 'use_variable')", ["reads variable[0]", "writes variable[0]"]),
    ("use(out, 'use_heap')", ["reads", "writes"]),
    ("use(out, 'use_shared')", [])])
def test_a_word_that_is_partly_outside_of_an_allocation_is_a_finding_and_no_fault(program, named):
    result = run(KERNELS + WORDS + program)
    assert result.returncode == 0, result.stderr
    findings = result.stderr.splitlines()
    assert [sum(text in line for line in findings) for text in named] == [1] * len(named) and len(findings) == len(named)
    assert all("out-of-bounds" in line and ("past the end of" in line or "before the start of" in line) for line in findings)


def test_printf_keeps_the_newest_records_until_the_host_waits_as_an_h200_does():
    result = run("""
cuda.Context.set_limit(cuda.limit.PRINTF_FIFO_SIZE, 4096)                   # becomes 524,288: 2,048 records of 256 bytes
say = SourceModule('__global__ void say(int from) { for (int i = 0; i < 1000; i++) printf("%d.%d.%d\\\\n", from, threadIdx.x, i); }')
for number in range(2):
    say.get_function("say")(np.int32(number), block=(32, 1, 1))
cuda.Context.synchronize()
""")
    lines = result.stdout.splitlines()
    assert (len(lines), lines[0], lines[-1]) == (2048, "1.0.936", "1.31.999")
    assert result.stderr.startswith("printf: 61952 records before these were overwritten")


def test_printf_goes_to_stdout_and_a_failed_assertion_to_stderr_as_on_an_h200():
    result = run("""
source = '__global__ void k(int *x) { printf("%d\\\\n", *x); assert(*x == 5); }'
x = cuda.mem_alloc(4); cuda.memset_d32(x, 6, 1)
SourceModule(source).get_function("k")(x, block=(1, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
""")
    assert result.stdout == "6\ncuCtxSynchronize failed: device-side assert triggered\n"
    assert "void k(int *): block: [0,0,0], thread: [0,0,0] Assertion `*x == 5` failed.\n" in result.stderr.splitlines(keepends=True)[0]


def test_more_static_shared_memory_than_ptxas_takes_runs_as_the_driver_of_an_h200_runs_it():
    result = run("""
source = "__global__ void k(int *x) { __shared__ int s[12320]; s[threadIdx.x] = *x; __syncthreads(); x[0] = s[0] + 1; }"
out = cuda.mem_alloc(4); cuda.memset_d32(out, 6, 1)
SourceModule(source).get_function("k")(out, block=(1, 1, 1))
got = np.zeros(1, np.int32); cuda.memcpy_dtoh(got, out); print(got[0])
""")
    assert (result.stdout, result.stderr) == ("7\n", "")


@pytest.mark.parametrize("program, remedy", [
    ("fill(np.intp(0), block=(1, 1, 1)); sync()", "Nobody set this pointer"),
    ("array = np.zeros(100, np.int32); fill(np.intp(array.ctypes.data), block=(1, 1, 1)); sync()", "Look at where the pointer comes from"),
    ("memory = cuda.mem_alloc(2 << 20); fill(np.intp(int(memory) + (2 << 20)), block=(16, 1, 1)); sync()", "Check the index first"),
    ("twice = '__global__ void twice() { void *p = malloc(64); free(p); free(p); }'; "
     "SourceModule(twice).get_function('twice')(block=(1, 1, 1)); sync()", "Free a block once"),
])
def test_the_remedy_is_for_the_kind_of_address_that_went_wrong(program, remedy):
    assert remedy in run(KERNELS + program, CUDA_SIMULATOR_EXAMINE="1").stderr


def test_threads_that_wait_for_ever_are_told_with_their_line():
    result = run(KERNELS + """
half = '__global__ void half() {\\\\n    if (threadIdx.x < 32)\\\\n        asm volatile("bar.sync 1, 64;");\\\\n}'
SourceModule(half).get_function("half")(block=(64, 1, 1)); sync()
""".replace("\\\\n", "\\n"))
    assert "deadlock" in result.stderr and "kernel.cu:3;" in result.stderr


def test_the_buffer_of_printf_keeps_its_size_once_a_kernel_has_printed_as_on_an_h200():
    result = run("""
fifo = cuda.limit.PRINTF_FIFO_SIZE
cuda.Context.set_limit(fifo, 1 << 20)
SourceModule('__global__ void say() { printf("said;"); }').get_function("say")(block=(1, 1, 1))
cuda.Context.synchronize()
try:
    cuda.Context.set_limit(fifo, 2 << 20)
except cuda.LogicError as error:
    print(error, cuda.Context.get_limit(fifo))
""")
    assert result.stdout == "said;cuCtxSetLimit failed: invalid argument 1048576\n"
