"""Several simulated devices: how many there are, which of them a process gets, and what one reaches of another's memory.

What two H200s answered is asked in the folder two_devices of tests/conformance/questions, and in devices/visible.py.
"""
import os
import subprocess
import sys
import textwrap

from cuda_simulator.device import visible
from cuda_simulator.libcuda.results import CallError

import pytest

PYTHON = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_")}
IMPORTS = "import os, sys, cuda_simulator; cuda_simulator.attach(); import numpy as np, pycuda.driver as cuda; "
COUNT = "cuda.init(); print(cuda.Device.count())"


def run(*arguments, **environment):
    """A program in a process of its own, with the variables that are given and no other of CUDA's."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=600, env=PYTHON | environment)


# -- how many -----------------------------------------------------------------------------------------------------

def test_there_are_as_many_devices_as_the_command_line_asks_for():
    assert run("-m", "cuda_simulator", "--devices", "3", "-c", "import pycuda.driver as cuda; " + COUNT).stdout == "3\n"


def test_a_program_that_asks_for_devices_has_them_and_so_have_those_that_it_starts_and_the_number_stays():
    result = run("-c", f"""
import cuda_simulator, subprocess, sys
cuda_simulator.attach(devices=3)
import pycuda.driver as cuda
{COUNT}
print(subprocess.run([sys.executable, "-c", {IMPORTS + COUNT!r}], capture_output=True, text=True).stdout)
print(len({{cuda.Device(i).pci_bus_id() for i in range(3)}}))
cuda_simulator.attach(), cuda_simulator.attach(3), cuda_simulator.attach(2)
""")
    assert result.stdout.split() == ["3", "3", "3"]
    assert "RuntimeError: The simulated driver is in use, with 3 device(s)" in result.stderr


@pytest.mark.parametrize("count", ["0", "9", "two", "", "1.0", "03"])
def test_a_number_of_devices_that_cannot_be_is_refused(count, monkeypatch):
    monkeypatch.setenv(visible.COUNT, count)
    with pytest.raises(ValueError, match=f"1 to 8 devices, not {count!r}"):
        visible.count()


def test_it_is_refused_before_the_program_begins():
    result = run("-m", "cuda_simulator", "--devices", "9", "-c", "print('begun')")
    assert (result.returncode, result.stdout) == (1, "") and result.stderr.startswith("The simulated machine has 1 to 8 devices, not '9'")


def test_the_doctor_says_which_devices_a_program_would_get():
    result = run("-m", "cuda_simulator", "--devices", "4", "--doctor", CUDA_VISIBLE_DEVICES="2,0")
    assert "devices        2: 2, 0 of the machine's 4 (CUDA_VISIBLE_DEVICES)\n" in result.stdout


# -- which --------------------------------------------------------------------------------------------------------

@pytest.fixture
def slots_or_error(monkeypatch):
    """``slots_or_error(list, count)``: the devices that a process gets, or the error's name."""
    def slots_or_error(listed, count):
        for name, value in ((visible.VISIBLE, listed), (visible.COUNT, count)):
            monkeypatch.setenv(name, value) if value is not None else monkeypatch.delenv(name, raising=False)
        try:
            return visible.visible_slots()
        except CallError as error:
            return error.result.name
    return slots_or_error


def test_the_list_of_visible_devices_is_left_to_real_gpus_until_somebody_says_how_many_simulated_ones_there_are(slots_or_error):
    assert slots_or_error("3", None) == slots_or_error("", None) == slots_or_error("0,0", None) == [0]
    assert slots_or_error("3", "1") == slots_or_error("3", "2") == slots_or_error("", "2") == "NO_DEVICE"
    assert slots_or_error("3,0", "4") == [3, 0] and slots_or_error("3,0,3", "4") == "INVALID_DEVICE" and slots_or_error(None, "4") == [0, 1,
                                                                                                                                       2, 3]


def test_a_list_is_of_numbers_or_of_uuids_as_it_begins(slots_or_error):
    first, second = (f"GPU-{visible.uuid(slot).hex()}" for slot in (0, 1))
    assert slots_or_error(f"{second},{first}", "2") == [1, 0]
    assert slots_or_error(f"{second},0", "2") == [1] and slots_or_error(f"1,{first}", "2") == [1]
    assert slots_or_error(second[:6], "2") == [1] and slots_or_error(second[:5], "2") == "NO_DEVICE"


def test_a_list_that_leaves_no_device_says_so_and_is_read_as_c_code_has_set_it():
    result = run("-c", "import ctypes; ctypes.CDLL(None).setenv(b'CUDA_VISIBLE_DEVICES', b'3', 1); " + IMPORTS + COUNT,
                 CUDA_SIMULATOR_DEVICES="2")
    assert "cuInit failed: no CUDA-capable device is detected" in result.stderr
    assert ("cuda_simulator: CUDA_ERROR_NO_DEVICE: CUDA_VISIBLE_DEVICES is '3': its first entry is none of the 2 simulated devices. "
            "To have them all, unset it\n") in result.stderr


# -- peers --------------------------------------------------------------------------------------------------------

TWO = """
from cuda.bindings import driver
from pycuda.compiler import SourceModule
def must(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None
cuda.init()
there = cuda.Device(1).make_context()
far = cuda.mem_alloc(16); cuda.memcpy_htod(far, np.arange(4, dtype=np.int32))
module = SourceModule("__device__ int variable[4]; __global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }")
variable = module.get_global("variable")[0]
pooled = must(driver.cuMemAllocFromPoolAsync(16, must(driver.cuDeviceGetDefaultMemPool(1)), 0))
cuda.Context.pop()
here = cuda.Device(0).make_context()
copy = SourceModule("__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }").get_function("copy")
near = cuda.mem_alloc(16)
def reached(address):
    copy(near, np.intp(int(address)), block=(4, 1, 1))
    here.synchronize()
    return cuda.from_device(near, 4, np.int32)
enable, disable = lambda: must(driver.cuCtxEnablePeerAccess(there.handle, 0)), lambda: must(driver.cuCtxDisablePeerAccess(there.handle))
"""


def on_two_devices(code):
    """A program with a context of device 0, which is current, and one of device 1."""
    return run("-c", f"{IMPORTS}\n{TWO}\n{textwrap.dedent(code)}\nsys.stdout.flush(); os._exit(0)", CUDA_SIMULATOR_DEVICES="2")


def test_a_copy_between_devices_needs_no_peer_access_and_a_kernel_and_a_stream_that_writes_do():
    result = on_two_devices("""
        write = lambda: driver.cuStreamWriteValue32(0, int(far), 7, 0)[0].name
        cuda.memcpy_dtod(near, far, 16); print(cuda.from_device(near, 4, np.int32), write())
        enable(); print(write(), reached(far))
    """)
    assert (result.stdout, result.stderr) == ("[0 1 2 3] CUDA_ERROR_INVALID_VALUE\nCUDA_SUCCESS [7 1 2 3]\n", "")


def test_a_copy_between_devices_without_a_stream_waits_for_the_work_of_both_and_later_work_waits_for_it():
    result = on_two_devices("""
        flag = cuda.pagelocked_zeros(1, np.int32)
        there.push(); stream = cuda.Stream()
        late = SourceModule("__global__ void late(volatile int *flag, int *p) { while (!*flag) {} p[threadIdx.x] = 7; }").get_function("late")
        cuda.Context.pop()
        for copy in (lambda: driver.cuMemcpyPeer(int(near), here.handle, int(far), there.handle, 16),
                     lambda: driver.cuMemcpyDtoD(int(near), int(far), 16)):
            flag[0] = 0
            there.push(); late(np.intp(flag.ctypes.data), far, block=(4, 1, 1)); cuda.Context.pop()
            must(copy())
            must(driver.cuMemsetD32Async(int(far), 9, 4, stream.handle))
            flag[0] = 1
            here.synchronize(); print(cuda.from_device(near, 4, np.int32), end=" ")
            stream.synchronize(); print(cuda.from_device(far, 4, np.int32))
    """)
    assert (result.stdout, result.stderr) == ("[7 7 7 7] [9 9 9 9]\n" * 2, "")


def test_memory_is_freed_after_the_kernels_of_its_peers():
    result = on_two_devices("""
        import threading
        flag = cuda.pagelocked_zeros(1, np.int32)
        late = SourceModule("__global__ void late(volatile int *flag, int *to, int *from) { while (!*flag) {} *to = from[2]; }").get_function("late")
        enable()
        late(np.intp(flag.ctypes.data), near, far, block=(1, 1, 1))
        threading.Timer(0.05, lambda: flag.fill(1)).start()
        there.push(); far.free(); cuda.Context.pop()
        here.synchronize(); print(cuda.from_device(near, 1, np.int32))
    """)
    assert (result.stdout, result.stderr) == ("[2]\n", "")


def test_peer_access_is_for_all_contexts_of_a_device_until_the_last_one_that_enabled_it_is_gone():
    result = on_two_devices("""
        known = lambda: int(driver.cuMemGetAddressRange(int(far))[0]) == 0    # that is, where the current device reaches it
        second = cuda.Device(0).make_context(); cuda.Context.pop()
        print(known(), end=" ")
        second.push(); enable(); cuda.Context.pop()
        print(known(), reached(far), end=" ")
        enable(); second.detach()
        print(known(), end=" ")
        disable()
        print(known())
    """)
    assert (result.stdout, result.stderr) == ("False True [0 1 2 3] True False\n", "")


def test_a_pool_gives_access_to_what_it_has_given_already_and_takes_it_back():
    result = on_two_devices("""
        def access(rights):
            description = driver.CUmemAccessDesc()
            description.location.type, description.flags = driver.CUmemLocationType(1), driver.CUmemAccess_flags(rights)
            must(driver.cuMemPoolSetAccess(must(driver.cuDeviceGetDefaultMemPool(1)), [description], 1))
        copied = lambda: driver.cuMemcpyDtoD(near, pooled, 16)[0].name
        print(copied()); access(3); print(copied(), reached(pooled)); access(0); print(copied())
        peer = lambda there, here: driver.cuMemcpyPeer(int(near), here.handle, int(pooled), there.handle, 16)[0].name
        print(peer(there, here), peer(here, there))    # a peer copy names the contexts that reach either side
    """)
    assert result.stdout.replace("CUDA_ERROR_", "").replace("CUDA_", "").splitlines() == [
        "INVALID_VALUE", "SUCCESS [0 0 0 0]", "INVALID_VALUE", "SUCCESS INVALID_VALUE"] and not result.stderr


def test_what_a_pool_keeps_goes_where_its_own_device_has_no_memory_left():
    result = on_two_devices("""
        attribute, pools = driver.CUmemPool_attribute, [must(driver.cuDeviceGetDefaultMemPool(device)) for device in (0, 1)]
        reserved = lambda: [int(must(driver.cuMemPoolGetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT))) >> 20 for pool in pools]
        for pool, context in zip(pools, (here, there)):
            must(driver.cuMemPoolSetAttribute(pool, attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, driver.cuuint64_t(1 << 40)))
            context.push()
            must(driver.cuMemFreeAsync(must(driver.cuMemAllocFromPoolAsync(64 << 20, pool, 0)), 0))
            context.synchronize(); cuda.Context.pop()
        print(reserved()); must(driver.cuMemAlloc(cuda.mem_get_info()[0] + (32 << 20))); print(reserved())
    """)
    assert (result.stdout, result.stderr) == ("[64, 96]\n[0, 96]\n", "")


def test_what_is_set_of_a_librarys_kernel_for_a_device_holds_in_its_contexts_of_before_and_in_those_to_come():
    result = on_two_devices("""
        from cuda_without_toolkit import nvrtc
        ptx, _ = nvrtc.compile_source('extern "C" __global__ void f() {}', ["--gpu-architecture=compute_90"])
        kernel = must(driver.cuLibraryGetKernel(must(driver.cuLibraryLoadData(ptx, [], [], 0, [], [], 0)), b"f"))
        dynamic_shared = driver.CUfunction_attribute(8)
        of = lambda: must(driver.cuFuncGetAttribute(dynamic_shared, must(driver.cuKernelGetFunction(kernel))))
        there.push(); print(of(), end=" "); cuda.Context.pop()
        must(driver.cuKernelSetAttribute(dynamic_shared, 60000, kernel, 1))
        print(of(), [must(driver.cuKernelGetAttribute(dynamic_shared, kernel, device)) for device in (0, 1)], end=" ")
        there.push(); print(of(), end=" "); cuda.Context.pop()
        cuda.Device(1).make_context(); print(of())
    """)
    assert (result.stdout, result.stderr) == ("49152 49152 [49152, 60000] 60000 60000\n", "")


def test_past_the_end_of_a_peer_s_memory_a_kernel_goes_on_as_past_the_end_of_its_own():
    result = on_two_devices("enable(); reached(int(far) + 16); print('went on')")
    assert result.stdout == "went on\n"
    assert "finding: out-of-bounds: kernel copy" in result.stderr and "(device memory of device 1)" in result.stderr


WITHOUT_ACCESS = {
    "far": "0 bytes into the 16-byte allocation made by cuMemAlloc (device memory of device 1), to which the kernel, on device 0, has "
           "no way: a context of device 0 can enable access to the context that made it (cuCtxEnablePeerAccess)\n",
    "variable": "made by variable variable (module variable of device 1), to which the kernel, on device 0, has no way: peer access "
                "covers what cuMemAlloc gives, and not this\n",
    "pooled": "made by cuMemAllocAsync (device memory of device 1), to which the kernel, on device 0, has no way: its pool can give "
              "device 0 access (cuMemPoolSetAccess)\n",
    "int(far) + 40": "24 bytes past the end of the 16-byte allocation made by cuMemAlloc (device memory of device 1)\n",
}


def test_a_kernel_that_reaches_for_another_device_s_memory_is_told_of_both_devices_and_of_a_way():
    lines = "".join(f"if not os.fork():\n exec(TWO)\n reached({address})\nos.wait()\n" for address in WITHOUT_ACCESS)
    result = run("-c", f"{IMPORTS}\nTWO = {TWO!r}\n{lines}", CUDA_SIMULATOR_DEVICES="2")
    assert result.stderr.count("cuCtxSynchronize failed: an illegal memory access was encountered") == len(WITHOUT_ACCESS)
    assert not [words for words in WITHOUT_ACCESS.values() if words not in result.stderr]
