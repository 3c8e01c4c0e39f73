"""no-unified-addressing: contexts with device addresses of their own, as documents of CUDA 3.2 and 2011 describe it.

"The manual" is NVIDIA's reference manual of that time, kept at www.cs.cmu.edu/afs/cs/academic/class/15668-s11/www/cuda-doc, cuMemHostAlloc.
"The guide" is the CUDA C Programming Guide 3.2.
"""
import pytest

from . import run, value_of

SYSTEM = "no-unified-addressing"
CONTEXT = """
DEVICEMAP, PORTABLE, MAP_HOST = 2, 1, cuda.ctx_flags.MAP_HOST
def context(flags=MAP_HOST, begins=None):
    if begins is not None:
        cuda_simulator.contexts_begin(begins)
    return cuda.Device(0).make_context(flags)
def pinned(flags):
    return int(ask(cu.cuMemHostAlloc, 4096, flags))
def leave(*contexts):
    for one in contexts: one.pop()
"""


def answers(code, **options):
    return value_of(SYSTEM, CONTEXT + code, context=False, **{"kernels": False, **options})


PROGRAM = """
import numpy as np, pycuda.autoinit, pycuda.driver as cuda, pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
module = SourceModule('''
__device__ int offset = 5;
__device__ int *block;
__global__ void twice(int *x) { x[threadIdx.x] = 2 * x[threadIdx.x] + offset; }
__global__ void make() { block = (int *)malloc(64); block[3] = 9; }
__global__ void give(int *x) { *x = block[3]; free(block); free(nullptr); }
''')
numbers = np.arange(4, dtype=np.int32)
module.get_function("twice")(cuda.InOut(numbers), block=(4, 1, 1))
out, (offset, size) = np.zeros(1, np.int32), module.get_global("offset")
cuda.memcpy_dtoh(out, offset)
x = gpuarray.to_gpu(np.arange(6, dtype=np.float32).reshape(2, 3))
module.get_function("make")(block=(1, 1, 1))
heap = np.zeros(1, np.int32)
module.get_function("give")(cuda.InOut(heap), block=(1, 1, 1))
row = cuda.mem_alloc_pitch(12, 2, 4)
copy = cuda.Memcpy2D(); copy.set_src_host(np.arange(6, dtype=np.int32).reshape(2, 3)); copy.set_dst_device(row[0]); copy.dst_pitch = row[1]
copy.width_in_bytes, copy.src_pitch, copy.height = 12, 12, 2; copy(aligned=True)
print([numbers.tolist(), int(out[0]), size, (x * 2 + 1).get().tolist(), int(gpuarray.sum(x).get()), int(heap[0])])
"""


def test_the_same_pycuda_program_runs_on_it_unmodified():
    expected = [[5, 7, 9, 11], 5, 4, [[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]], 15, 9]
    assert [value_of(system, PROGRAM, context=False, kernels=False) for system in (SYSTEM, "h200")] == [expected] * 2


def test_the_device_says_that_it_shares_no_addresses_with_the_host():
    assert answers("""
print([device_attribute(name) for name in ("UNIFIED_ADDRESSING", "MANAGED_MEMORY", "HOST_REGISTER_SUPPORTED", "CAN_MAP_HOST_MEMORY",
       "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED", "MEMORY_POOLS_SUPPORTED", "PAGEABLE_MEMORY_ACCESS", "CONCURRENT_MANAGED_ACCESS",
       "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED", "READ_ONLY_HOST_REGISTER_SUPPORTED", "GPU_DIRECT_RDMA_SUPPORTED",
       "MEMPOOL_SUPPORTED_HANDLE_TYPES", "CAN_USE_64_BIT_STREAM_MEM_OPS", "DMA_BUF_SUPPORTED", "IPC_EVENT_SUPPORTED")])"""
                   ) == [0, 0, 0, 1] + [0] * 11


# -- contexts ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("begins, equal", [((0x100000, 0x100000), True), ((0x100000, 0x900000), False),
                                           ((4096, (1 << 40) - (256 << 30)), False)])
def test_each_context_counts_from_where_it_is_told_to(begins, equal):
    """The guide, "Driver API", "Context": each has "its own distinct address space". The documents do not say where it begins."""
    assert answers(f"""
outer = context(begins={begins[0]}); a = int(ask(cu.cuMemAlloc, 64))
inner = context(begins={begins[1]}); b = int(ask(cu.cuMemAlloc, 64))
print([{begins[0]} <= a < {begins[0]} + (4 << 20), a == b]); leave(inner, outer)""") == [True, equal]


def test_one_number_stands_for_different_memory_in_two_contexts():
    """The guide, as above: device addresses "from different contexts reference different memory locations"."""
    assert answers("""
out, copied = np.zeros(4, np.int32), []
outer = context(begins=0x100000); a = int(ask(cu.cuMemAlloc, 16)); ask(cu.cuMemsetD32, a, 1, 4)
inner = context(begins=0x100000); b = int(ask(cu.cuMemAlloc, 16)); ask(cu.cuMemsetD32, b, 2, 4)
for stack in ((), (inner,)):
    leave(*stack); ask(cu.cuMemcpyDtoH, out.ctypes.data, a, 16); copied.append(int(out[0]))
print([a == b, copied]); leave(outer)""") == [True, [2, 1]]


def test_a_number_of_another_context_that_counts_elsewhere_is_refused():
    assert answers("""
out = np.zeros(4, np.int32)
outer = context(begins=0x100000); a = int(ask(cu.cuMemAlloc, 16))
inner = context(begins=0x900000000)
print([ask(cu.cuMemcpyDtoH, out.ctypes.data, a, 16), ask(cu.cuMemFree, a), ask(cu.cuMemsetD8, a, 0, 16)]); leave(inner, outer)"""
                   ) == ["INVALID_VALUE"] * 3


def test_a_kernel_follows_its_own_contexts_numbers():
    assert answers("""
out, seen = np.zeros(1, np.int32), []
for value in (1, 2):
    context(begins=0x100000)
    kernel = SourceModule("__global__ void read(const int *from, int *to) { *to = *from; }").get_function("read")
    a, b = int(ask(cu.cuMemAlloc, 16)), int(ask(cu.cuMemAlloc, 16)); ask(cu.cuMemsetD32, a, value, 4)
    kernel(np.intp(a), np.intp(b), block=(1, 1, 1)); ask(cu.cuMemcpyDtoH, out.ctypes.data, b, 4); seen.append((a, int(out[0])))
print([seen[0][0] == seen[1][0], [value for _, value in seen]])
cuda.Context.pop(); cuda.Context.pop()""") == [True, [1, 2]]


@pytest.mark.parametrize("variable", ["7", "0x100001", "0x10000000000", "here"])
def test_a_place_to_begin_that_cannot_be_is_refused_when_the_driver_is_attached(variable):
    result = run(SYSTEM, "", context=False, kernels=False, CUDA_SIMULATOR_CONTEXTS_BEGIN=variable)
    assert result.returncode == 1 and "ValueError" in result.stderr


def test_where_addresses_are_unified_no_context_begins_anywhere():
    assert "unified addressing" in run("h200", "cuda_simulator.contexts_begin(0x100000)", context=False, kernels=False).stderr


# -- mapped memory -------------------------------------------------------------------------------------------------

def test_mapped_memory_has_two_addresses():
    """The guide, "Mapped Memory": "one in host memory" and "one in device memory"."""
    assert answers("""
outer = context(); h = pinned(DEVICEMAP); d = forward(h); ctypes.c_int.from_address(h).value = 7
out = np.zeros(1, np.int32); ask(cu.cuMemcpyDtoH, out.ctypes.data, d, 4); print([d != h, int(out[0])]); leave(outer)""") == [True, 7]


def test_a_kernel_reaches_it_at_the_devices_address_and_sees_what_the_host_writes():
    assert answers("""
outer = context()
kernel = SourceModule("__global__ void add(int *p) { p[threadIdx.x] += 1; }").get_function("add")
h = pinned(DEVICEMAP); view = (ctypes.c_int * 4).from_address(h); view[2] = 5
kernel(np.intp(forward(h)), block=(4, 1, 1)); sync(); print(list(view)); leave(outer)""") == [1, 1, 6, 1]


def test_a_kernel_at_the_hosts_address_is_stopped():
    result = run(SYSTEM, CONTEXT + """
outer = context()
kernel = SourceModule("__global__ void add(int *p) { p[threadIdx.x] += 1; }").get_function("add")
kernel(np.intp(pinned(DEVICEMAP)), block=(4, 1, 1)); sync(); leave(outer)""", context=False, kernels=False)
    assert result.stdout == "an illegal memory access was encountered\n" and "pinned host memory" in result.stderr


@pytest.mark.parametrize("flags, allocated_with, answers_forward", [
    ("MAP_HOST", "DEVICEMAP", True),
    ("MAP_HOST", "DEVICEMAP | 4", True),
    ("MAP_HOST", "0", False),           # the manual, cuMemHostGetDevicePointer: "will fail if" the flag was not given
    ("MAP_HOST", "PORTABLE", False),
    ("0", "DEVICEMAP", False),          # the manual: the context "must have been created with the CU_CTX_MAP_HOST flag"
    ("0", "DEVICEMAP | PORTABLE", False),
])
def test_forward_wants_the_contexts_flag_and_the_allocations(flags, allocated_with, answers_forward):
    answer = answers(f"outer = context({flags}); h = pinned({allocated_with}); print([h != 0, forward(h)]); leave(outer)")
    assert answer[0] and (answer[1] != "INVALID_VALUE") == answers_forward


def test_the_allocation_succeeds_and_the_failure_comes_with_forward():
    """The manual: "The failure is deferred to cuMemHostGetDevicePointer() because the memory may be mapped into other CUDA contexts"."""
    assert answers("""
outer = context(0); h = pinned(DEVICEMAP | PORTABLE); first = forward(h)
inner = context(MAP_HOST); print([first, isinstance(forward(h), int)]); leave(inner, outer)""") == ["INVALID_VALUE", True]


@pytest.mark.parametrize("flags, reaches", [("DEVICEMAP", False), ("DEVICEMAP | PORTABLE", True)])
def test_another_context_maps_what_is_portable(flags, reaches):
    """The manual, CU_MEMHOSTALLOC_PORTABLE: pinned for "all CUDA contexts, not just the one that performed the allocation"."""
    answer = answers(f"""
outer = context(begins=0x100000); h = pinned({flags}); d = forward(h)
inner = context(begins=0x900000); print([d, forward(h)]); leave(inner, outer)""")
    assert (answer[1] != "INVALID_VALUE") == reaches
    if reaches:
        assert answer[0] != answer[1]


def test_two_contexts_that_begin_alike_may_give_one_number_to_different_host_memory():
    """What lesson 07 asks: then the number alone has no way back."""
    assert answers("""
outer = context(begins=0x100000); a = pinned(DEVICEMAP); in_one = forward(a)
inner = context(begins=0x100000); b = pinned(DEVICEMAP); in_two = forward(b)
print([a != b, in_one == in_two]); leave(inner, outer)""") == [True, True]


def test_with_the_context_its_addresses_end_and_the_memory_of_another_stays():
    assert answers("""
outer = context(begins=0x100000); h = pinned(DEVICEMAP | PORTABLE); d = forward(h)
inner = context(begins=0x100000); forward(h); cuda.Context.pop(); inner.detach()
ctypes.c_int.from_address(h).value = 7
print([forward(h) == d]); leave(outer)""") == [True]


def test_the_flags_that_are_told_are_those_that_were_given():
    assert answers("""
outer = context(); print([ask(cu.cuMemHostGetFlags, pinned(flags)) for flags in (0, 1, 2, 3, 6)]); leave(outer)""") == [0, 1, 2, 3, 6]


# -- what there was not --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("ask_for", [
    "attribute('HOST_POINTER', h)", "ask(cu.cuMemcpy, d, h, 4)", "ask(cu.cuMemHostRegister, out.ctypes.data, 64, 0)",
    "ask(cu.cuMemAllocManaged, 4096, 1)", "ask(cu.cuMemAddressReserve, 2 << 20, 0, 0, 0)", "ask(cu.cuMemAllocAsync, 64, 0)",
    "ask(cu.cuIpcGetMemHandle, d)", "ask(cu.cuDeviceCanAccessPeer, 0, 0)", "ask(cu.cuMemGetInfo) and forward(h + 4)",
    "ask(cu.cuModuleLoadData, b'.version 8.0\\n.target sm_80\\n.address_size 64\\n.global .attribute(.managed) .u32 g;')",
    "ask(cu.cuMemcpy2D, copy)",
])
def test_later_calls_and_what_no_document_answers_are_refused_with_a_sentence(ask_for):
    result = run(SYSTEM, CONTEXT + f"""
out = np.zeros(16, np.int32); outer = context(); h = pinned(DEVICEMAP); d = int(ask(cu.cuMemAlloc, 64))
copy = cu.CUDA_MEMCPY2D(); copy.WidthInBytes = copy.Height = 4; copy.srcDevice, copy.dstDevice = d, d + 32
copy.srcMemoryType, copy.dstMemoryType = cu.CUmemorytype.CU_MEMORYTYPE_UNIFIED, cu.CUmemorytype.CU_MEMORYTYPE_DEVICE
print({ask_for}); {ask_for}; leave(outer)""", context=False, kernels=False)
    assert result.stdout == "NOT_SUPPORTED\n", result.stderr
    assert result.stderr.count(f"{SYSTEM} (as documented, not recorded): ") == 1, "said once"


def test_every_refused_call_is_later_than_cuda_3_2_by_nvidias_own_table():
    """cudaTypedefs.h names the release of each form of a function."""
    import re
    from pathlib import Path

    from cuda_simulator import systems
    header = next(Path(__import__("nvidia").__path__[0]).rglob("cudaTypedefs.h")).read_text()
    first_release = {}
    for name, release in re.findall(r"PFN_(cu\w+?)_v(\d+)", header):
        first_release[name] = min(first_release.get(name, 1 << 30), int(release))
    refused = systems.checked(SYSTEM).refused
    assert refused and all(first_release[name] > 3020 for name in refused)
    assert all(f"CUDA {first_release[name] // 1000}.{first_release[name] % 1000 // 10}" in why for name, why in refused.items())
