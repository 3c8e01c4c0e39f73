"""Modules as programs bring them: PTX in a fatbin, plain and compressed; contexts made with parameters that say nothing."""
import os
import struct

from cuda_simulator.calls.modules import TARGETS
from cuda_simulator.device.modules import checked_ptx
from cuda_simulator.libcuda import fatbin
from cuda_simulator.libcuda.results import CallError

import pytest
from cuda.bindings import driver as cu

from .programs import output, run

PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
    .reg .b64 %rd<2>;
    .reg .b32 %r<3>;
    ld.param.u64 %rd1, [x];
    atom.global.gpu.acq_rel.add.u32 %r1, [%rd1], 5;
    ret;
}"""


def entry(kind, architecture, text, flags=0, size=None):
    padded = text + bytes(-len(text) % 8)
    head = struct.pack("<HHIQI", kind, 0x101, 64, len(padded), len(text) if size is None else size).ljust(28, b"\0") + struct.pack("<I", architecture)
    return (head.ljust(40, b"\0") + struct.pack("<Q", flags)).ljust(64, b"\0") + padded


def packed(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", fatbin.MAGIC, 1, 16, len(body)) + body


def test_of_a_fatbin_the_newest_ptx_is_taken_that_the_device_runs():
    image = packed(entry(2, 80, b"\x7fELF machine code"), entry(fatbin.PTX, 75, b"older"), entry(fatbin.PTX, 90, b"this\0"),
                   entry(fatbin.PTX, 100, b"too new"))
    assert fatbin.size_of(image) == len(image) and fatbin.ptx(image, 90) == b"this"
    assert fatbin.ptx(packed(entry(2, 80, b"\x7fELF")), 90) is None
    assert fatbin.ptx(packed(entry(fatbin.PTX, 90, b"this", size=0)), 90) == b"this", "its size is told where it is compressed"
    assert fatbin.ptx(packed(bytes(64)), 90) is None, "damaged: an entry of no bytes"
    assert fatbin.size_of(b"\x7fELF" + bytes(12)) == 0


def test_every_architecture_that_cuda_h_names_can_be_asked_for():
    assert {int(target) for target in cu.CUjit_target if int(target) < 1 << 16} <= TARGETS


# PTX ISA, "Release Notes": the versions up to CUDA 13.0, the targets up to sm_90, and the version that brought a target.
VERSIONS = ("1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 "
            "8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0").split()
TARGETS_OF_PTX = "10 11 12 13 20 21 30 32 35 37 50 52 53 60 61 62 70 72 75 80 86 87 88 89 90".split()
BROUGHT = {"60": "5.0", "61": "5.0", "62": "5.0", "70": "6.0", "75": "6.3", "80": "7.0", "86": "7.1", "87": "7.4", "89": "7.8", "90": "7.8"}


def answer(version, target):
    try:
        checked_ptx(f".version {version}\n.target sm_{target}\n.address_size 64\n".encode())
    except CallError as error:
        return error.result.name
    return "SUCCESS"


def test_ptx_of_each_version_and_for_each_target_that_the_isa_names_is_taken_and_of_no_other():
    assert [version for version in (f"{n // 10}.{n % 10}" for n in range(100)) if answer(version, 20) != "UNSUPPORTED_PTX_VERSION"] == VERSIONS
    assert [str(target) for target in range(100) if answer("9.0", target) == "SUCCESS"] == TARGETS_OF_PTX


@pytest.mark.parametrize("target", BROUGHT)
def test_a_target_needs_the_ptx_that_brought_it(target):
    older = VERSIONS[VERSIONS.index(BROUGHT[target]) - 1]
    assert (answer(BROUGHT[target], target), answer(older, target)) == ("SUCCESS", "INVALID_PTX")


def test_a_compressed_fatbin_is_read_where_something_can_and_told_where_nothing_can():
    image = packed(entry(fatbin.PTX, 80, b"(\xb5/\xfd\x04", fatbin.ZSTD))
    try:
        import zstandard  # noqa: F401
    except ImportError:
        try:
            from compression import zstd  # noqa: F401
        except ImportError:
            with pytest.raises(CallError, match="pip install zstandard"):
                fatbin.ptx(image, 90)
    with pytest.raises(CallError, match="-no-compress"):
        fatbin.ptx(packed(entry(fatbin.PTX, 80, b"x", fatbin.LZ4)), 90)


def test_what_a_fatbin_unpacks_to_is_read_as_far_as_ptx_may_be_long():
    zstandard = pytest.importorskip("zstandard", reason="pip install zstandard")
    bomb = zstandard.compress(bytes(1 << 30))
    assert len(bomb) < 1 << 17
    for text, long in ((bomb, b""), (zstandard.compress(PTX), PTX), (zstandard.compress(PTX)[:-20] + bytes(20), b"")):
        assert fatbin.ptx(packed(entry(fatbin.PTX, 80, text, fatbin.ZSTD)), 90) == long


def test_a_file_without_an_end_and_a_fatbin_that_says_it_is_longer_than_memory_are_refused(tmp_path):
    endless = struct.pack("<IHHQ", fatbin.MAGIC, 1, 16, 1 << 60)
    os.mkfifo(tmp_path / "fifo")
    assert output(f"""
        from cuda.bindings import driver
        print(driver.cuModuleLoadData({endless!r})[0].name, *(driver.cuModuleLoad(path)[0].name for path in (b"/dev/zero", {os.fsencode(tmp_path / "fifo")!r},
              {os.fsencode(tmp_path)!r})))
    """) == "CUDA_ERROR_INVALID_VALUE" + " CUDA_ERROR_FILE_NOT_FOUND" * 3 + "\n"


def test_the_ptx_in_a_fatbin_runs_and_an_atomic_may_have_its_words_in_triton_s_order():
    image = packed(entry(2, 80, b"\x7fELF machine code"), entry(fatbin.PTX, 80, PTX))
    assert output(f"""
        from cuda.bindings import driver
        _, module = driver.cuModuleLoadFatBinary({image!r})
        print(module is not None and _.name)
        buffer = ctypes.create_string_buffer({image!r})
        wrapper = ctypes.create_string_buffer(np.array([{fatbin.WRAPPER}, 1], np.uint32).tobytes() + np.uint64(ctypes.addressof(buffer)).tobytes())
        print(driver.cuModuleLoadData(ctypes.addressof(wrapper))[0].name)       # as nvcc writes it into a program
        module = cuda.module_from_buffer({image!r})
        x = cuda.to_device(np.zeros(1, np.int32))
        module.get_function("k")(x, block=(32, 1, 1))
        print(cuda.from_device(x, 1, np.int32)[0])
    """) == "CUDA_SUCCESS\nCUDA_SUCCESS\n160\n"


@pytest.mark.parametrize("machine, name", [(190, "NO_BINARY_FOR_GPU"), (62, "INVALID_IMAGE")])
def test_machine_code_for_gpus_is_told_from_an_elf_file_for_another_machine(machine, name):
    image = b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little") + bytes(80)
    result = run(f"""
        from cuda.bindings import driver
        print(driver.cuModuleLoadData({image!r})[0].name)
    """)
    assert result.stdout == f"CUDA_ERROR_{name}\n", result.stderr


def test_a_context_is_made_with_parameters_that_are_all_zero():
    assert output("""
        from cuda.bindings import driver
        error, context = driver.cuCtxCreate(driver.CUctxCreateParams(), 0, 0)
        print(error.name, driver.cuCtxDestroy(context)[0].name)
    """) == "CUDA_SUCCESS CUDA_SUCCESS\n"


def test_a_log_that_is_cut_fills_its_buffer_and_nothing_behind_it():
    assert output(r"""
        log, kinds = ctypes.create_string_buffer(b"-" * 20), (ctypes.c_int * 2)(5, 6)      # the error log, its size
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 10)
        ctypes.CDLL("libcuda.so.1").cuModuleLoadDataEx(ctypes.byref(ctypes.c_uint64()), b"no PTX\0", 2, kinds, values)
        print(len(log.value), values[1], log.raw[10:])
    """) == "9 10 b'----------\\x00'\n"


def test_what_is_set_for_a_librarys_kernel_without_a_context_holds_for_its_function_in_one(in_new_process):
    result = in_new_process("""
import cuda_simulator
cuda_simulator.attach()
from cuda.bindings import driver as cu
from tests.simulator.test_modules import PTX
def ok(answer):
    assert not answer[0], answer
    return answer[-1]
ok(cu.cuInit(0))
library = ok(cu.cuLibraryLoadData(PTX + b"\\0", [], [], 0, [], [], 0))
kernel, = ok(cu.cuLibraryEnumerateKernels(1, library))
dynamic_shared = cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
ok(cu.cuKernelSetAttribute(dynamic_shared, 100000, kernel, 0))
print(ok(cu.cuKernelGetAttribute(dynamic_shared, kernel, 0)))
ok(cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0))))
print(ok(cu.cuFuncGetAttribute(dynamic_shared, ok(cu.cuKernelGetFunction(kernel)))))
ok(cu.cuLibraryUnload(library))
print(cu.cuKernelGetFunction(kernel)[0].name)
""")
    assert (result.stdout, result.stderr) == ("100000\n100000\nCUDA_ERROR_INVALID_HANDLE\n", "")


def test_a_kernel_is_launched_by_the_calls_of_before_cuda_4():
    """cuFuncSetBlockShape, cuParamSet... and cuLaunch: each setting stays until it is set anew. PyCUDA has them still, under names of its own."""
    assert output("""
code = SourceModule('''
extern __shared__ int room[];
__global__ void put(int *to, int n, float x) {
    room[threadIdx.x] = n;
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    to[i] = room[threadIdx.x] + (int) x;
}
__global__ void room_there_is(int *to) { asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(*to)); }
''')
put, room, to = code.get_function("put"), code.get_function("room_there_is"), cuda.mem_alloc(4 * 32)
def numbers():
    cuda.Context.synchronize()
    numbers = cuda.from_device(to, 32, np.int32)
    cuda.memset_d32(to, 0, 32)
    return int(numbers.sum()), int(np.count_nonzero(numbers))
numbers()
try:
    put._launch()
except cuda.LogicError as error:
    print(error)
put._set_block_shape(4, 2, 1)
put._set_shared_size(16)
put._param_set_size(16)
put._param_setv(0, np.uint64(int(to)).tobytes())
put._param_seti(8, 5)
put._param_setf(12, 2.5)
put._launch()
print(numbers())
put._launch_grid(2, 1)
print(numbers())
put._param_seti(8, 1)
put._launch_grid_async(1, 3, cuda.Stream())
print(numbers())
room._set_block_shape(1, 1, 1)
room._param_setv(0, np.uint64(int(to)).tobytes())
room._launch()
print(numbers())
for wrong in (lambda: put._set_block_shape(0, 1, 1), lambda: put._set_block_shape(1025, 1, 1), lambda: put._set_block_shape(32, 33, 1),
              lambda: put._set_block_shape(16, 2, 64),
              lambda: put._param_seti(-4, 1), lambda: put._param_seti(32764 - 3, 1), lambda: put._param_set_size(32764 + 1)):
    try:
        wrong()
    except cuda.LogicError as error:
        print(error)
put._param_set_size(32764)      # as many bytes as a kernel may take, and more than this one takes
put._param_seti(32764 - 4, 1)
try:
    put._launch()
except cuda.LaunchError as error:
    print(error)
""") == ("cuLaunch failed: invalid argument\n(56, 8)\n(112, 16)\n(72, 24)\n(0, 0)\n" + 4 * "cuFuncSetBlockShape failed: invalid argument\n"
         + 2 * "cuParamSeti failed: invalid argument\n" + "cuParamSetSize failed: invalid argument\n"
         + "cuLaunch failed: too many resources requested for launch\n")


def test_a_function_may_be_told_up_to_the_ends_of_what_cuda_h_names():
    """A carveout is a percentage, a policy one of CUclusterSchedulingPolicy; static and dynamic shared memory are 227 KiB together."""
    with_shared = PTX.replace(b"    ret;", b"    .shared .align 4 .b8 s[1024];\n    mov.u32 %r2, s;\n    st.shared.u32 [%r2], %r1;\n    ret;")
    assert output(f"""
        from cuda.bindings import driver
        function = driver.cuModuleGetFunction(driver.cuModuleLoadData({with_shared!r})[1], b"k")[1]
        def told(name, value):
            return driver.cuFuncSetAttribute(function, driver.CUfunction_attribute["CU_FUNC_ATTRIBUTE_" + name], value)[0].name.removeprefix("CUDA_")
        print(*(told("PREFERRED_SHARED_MEMORY_CARVEOUT", value) for value in (-1, 100)), told("CLUSTER_SCHEDULING_POLICY_PREFERENCE", 2),
              *(told("MAX_DYNAMIC_SHARED_SIZE_BYTES", value) for value in (227 * 1024 - 1024, 227 * 1024 - 1023)))
    """) == "SUCCESS SUCCESS SUCCESS SUCCESS ERROR_INVALID_VALUE\n"


def test_of_a_variable_its_address_or_its_size_may_be_asked_for_alone():
    """cuda.h, cuLibraryGetGlobal: one of the two may be null. cuModuleGetGlobal: either."""
    with_variable = PTX.replace(b".visible", b".global .u32 v[3];\n.visible")
    assert output(f"""
        from cuda.bindings import driver
        library = driver.cuLibraryLoadData({with_variable!r}, [], [], 0, [], [], 0)[1]
        module = driver.cuLibraryGetModule(library)[1]
        address, size = ctypes.c_size_t(), ctypes.c_size_t()
        for call, owner in (("cuLibraryGetGlobal", library), ("cuModuleGetGlobal_v2", module)):
            for asked in ((ctypes.byref(address), None), (None, ctypes.byref(size))):
                print(getattr(ctypes.CDLL("libcuda.so.1"), call)(*asked, ctypes.c_void_p(int(owner)), b"v"), end=" ")
            print(address.value == int(driver.cuLibraryGetGlobal(library, b"v")[1]), size.value)
            address.value = size.value = 0
    """) == 2 * "0 0 True 12\n"


def test_parameters_in_one_buffer_come_with_their_size_and_nothing_else():
    """cuda.h: CU_LAUNCH_PARAM_BUFFER_POINTER is 1, CU_LAUNCH_PARAM_BUFFER_SIZE 2, and CU_LAUNCH_PARAM_END 0."""
    assert output(f"""
        from cuda.bindings import driver
        to = cuda.to_device(np.zeros(1, np.int32))
        function = driver.cuModuleGetFunction(driver.cuModuleLoadData({PTX!r})[1], b"k")[1]
        buffer, size, much = np.array([int(to)], np.uint64), np.array([8], np.uint64), np.array([1 << 20], np.uint64)
        def launched(*extra):
            extra = np.array([*extra, 0], np.uint64)
            return driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, 0, extra.ctypes.data)[0].name.removeprefix("CUDA_")
        there, bytes_, many = (array.ctypes.data for array in (buffer, size, much))
        print(*(launched(*extra) for extra in ((1, there, 2, bytes_), (2, bytes_, 1, there), (1, there), (2, bytes_), (1, there, 2, many),
                                               (1, 8, 2, bytes_), (1, there, 2, bytes_, 3, 0))))
        print(cuda.from_device(to, 1, np.int32)[0])
    """) == "SUCCESS SUCCESS" + 5 * " ERROR_INVALID_VALUE" + "\n320\n"


def test_a_block_is_no_larger_than_its_kernels_launch_bounds():
    assert output("""
code = SourceModule('__global__ __launch_bounds__(64) void f() {} __global__ void g() {}')
for name in "fg":
    for threads in (64, 65):
        try:
            code.get_function(name)._set_block_shape(threads, 1, 1)
            print(name, threads)
        except cuda.LogicError as error:
            print(name, error)
""") == "f 64\nf cuFuncSetBlockShape failed: invalid argument\ng 64\ng 65\n"


def test_the_global_timer_is_the_clock_of_the_host():
    assert output("""
now = '__global__ void now(unsigned long long *t) { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(*t)); }'
there = np.zeros(1, np.uint64)
before = time.time_ns()
SourceModule(now).get_function("now")(cuda.InOut(there), block=(1, 1, 1))
print(before <= there[0] <= time.time_ns())
""") == "True\n"
