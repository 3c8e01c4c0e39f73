"""cuda.bindings.runtime beyond copies and streams: pools, rows with a pitch, flags, limits, libraries, handles for other processes."""
PROLOGUE = """
import cuda_simulator
cuda_simulator.attach(devices=2)
import numpy as np
from cuda.bindings import driver, runtime as cudart

def ask(answer):
    error, *values = answer
    assert not int(error), error
    return values[0] if len(values) == 1 else values
"""


def output(in_new_process, code):
    result = in_new_process(PROLOGUE + code, CUDA_SIMULATOR_DEVICES=None)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


def test_a_pool_of_the_device_keeps_what_it_is_told_to(in_new_process):
    assert output(in_new_process, """
pool = ask(cudart.cudaDeviceGetDefaultMemPool(0))
threshold = cudart.cudaMemPoolAttr.cudaMemPoolAttrReleaseThreshold
ask(cudart.cudaMemPoolSetAttribute(pool, threshold, driver.cuuint64_t(1 << 20)))
print(int(ask(cudart.cudaMemPoolGetAttribute(pool, threshold))), int(ask(cudart.cudaDeviceGetMemPool(0))) == int(pool))
stream = ask(cudart.cudaStreamCreate())
address = ask(cudart.cudaMallocFromPoolAsync(4096, pool, stream))
ask(cudart.cudaStreamSynchronize(stream))
print(ask(cudart.cudaPointerGetAttributes(address)).type.name)
""") == ["1048576 True", "cudaMemoryTypeDevice"]


def test_a_pool_that_a_program_makes_is_reached_from_the_other_device_once_it_is_allowed(in_new_process):
    assert output(in_new_process, """
wanted = cudart.cudaMemPoolProps()
wanted.allocType = cudart.cudaMemAllocationType.cudaMemAllocationTypePinned
wanted.location.type, wanted.location.id = cudart.cudaMemLocationType.cudaMemLocationTypeDevice, 0
pool = ask(cudart.cudaMemPoolCreate(wanted))
other = cudart.cudaMemLocation()
other.type, other.id = cudart.cudaMemLocationType.cudaMemLocationTypeDevice, 1
print(ask(cudart.cudaMemPoolGetAccess(pool, other)).name)
right = cudart.cudaMemAccessDesc()
right.location, right.flags = other, cudart.cudaMemAccessFlags.cudaMemAccessFlagsProtReadWrite
ask(cudart.cudaMemPoolSetAccess(pool, [right], 1))
print(ask(cudart.cudaMemPoolGetAccess(pool, other)).name)
ask(cudart.cudaMemPoolDestroy(pool))
""") == ["cudaMemAccessFlagsProtNone", "cudaMemAccessFlagsProtReadWrite"]


def test_slices_of_rows_lie_behind_each_other_with_one_pitch(in_new_process):
    assert output(in_new_process, """
extent = cudart.cudaExtent()
extent.width, extent.height, extent.depth = 12, 3, 2
placed = ask(cudart.cudaMalloc3D(extent))
print(placed.pitch, placed.xsize, placed.ysize)
start, nbytes = ask(driver.cuMemGetAddressRange(int(placed.ptr)))
print(int(start) == int(placed.ptr), nbytes >= placed.pitch * 3 * 2)
""") == ["512 12 3", "True True"]


def test_no_stream_captures_and_the_mode_of_captures_is_the_threads(in_new_process):
    assert output(in_new_process, """
stream = ask(cudart.cudaStreamCreate())
modes = cudart.cudaStreamCaptureMode
print(ask(cudart.cudaStreamIsCapturing(stream)).name, ask(cudart.cudaStreamGetCaptureInfo(stream))[0].name)
for mode in (modes.cudaStreamCaptureModeRelaxed, modes.cudaStreamCaptureModeGlobal):
    print(ask(cudart.cudaThreadExchangeStreamCaptureMode(mode)).name)
""") == ["cudaStreamCaptureStatusNone cudaStreamCaptureStatusNone", "cudaStreamCaptureModeGlobal",
                "cudaStreamCaptureModeRelaxed"]


def test_a_callback_comes_after_the_work_before_it(in_new_process):
    assert output(in_new_process, """
import ctypes
stream, address, number = ask(cudart.cudaStreamCreate()), ask(cudart.cudaMalloc(4)), np.zeros(1, np.int32)
callbacks = []
note = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda stream, status, data: callbacks.append((status, int(number[0]))))
ask(cudart.cudaMemsetAsync(address, 1, 4, stream))
ask(cudart.cudaMemcpyAsync(number.ctypes.data, address, 4, cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost, stream))
callback = cudart.cudaStreamCallback_t(ctypes.cast(note, ctypes.c_void_p).value)
ask(cudart.cudaStreamAddCallback(stream, callback, 0, 0))
ask(cudart.cudaStreamSynchronize(stream))
print(callbacks)
""") == ["[(0, 16843009)]"]


def test_a_buffer_stands_for_the_address_where_it_begins(in_new_process):
    assert output(in_new_process, """
address, numbers = ask(cudart.cudaMalloc(8)), bytearray(8)
ask(cudart.cudaMemcpy(address, b"the host", 8, cudart.cudaMemcpyKind.cudaMemcpyHostToDevice))
ask(cudart.cudaMemcpy(numbers, address, 8, cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost))
print(numbers.decode())
""") == ["the host"]


def test_rows_with_a_pitch_are_copied_without_what_lies_between_them(in_new_process):
    assert output(in_new_process, """
kinds = cudart.cudaMemcpyKind
start, pitch = ask(cudart.cudaMallocPitch(12, 3))
rows, copied = np.arange(9, dtype=np.float32).reshape(3, 3), np.zeros((3, 3), np.float32)
ask(cudart.cudaMemcpy2D(start, pitch, rows, 12, 12, 3, kinds.cudaMemcpyHostToDevice))
ask(cudart.cudaMemcpy2D(copied, 12, start, pitch, 12, 2, kinds.cudaMemcpyDefault))
print(pitch > 12, copied.tolist())
ask(cudart.cudaMemset2D(start, pitch, 0, 4, 3))
ask(cudart.cudaMemcpy2D(copied, 12, start, pitch, 12, 3, kinds.cudaMemcpyDeviceToHost))
print(copied[:, 0].tolist(), copied[2, 2])
print(int(cudart.cudaMemcpy2D(start, 4, rows, 12, 12, 3, kinds.cudaMemcpyHostToDevice)[0]))
""") == ["True [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [0.0, 0.0, 0.0]]", "[0.0, 0.0, 0.0] 8.0", "12"]


def test_flags_limits_and_priorities_are_those_of_the_devices_primary_context(in_new_process):
    assert output(in_new_process, """
ask(cudart.cudaSetDeviceFlags(cudart.cudaDeviceMapHost | cudart.cudaDeviceScheduleYield))
print(ask(cudart.cudaGetDeviceFlags()))
heap = cudart.cudaLimit.cudaLimitMallocHeapSize
ask(cudart.cudaDeviceSetLimit(heap, 16 << 20))
print(ask(cudart.cudaDeviceGetLimit(heap)) >> 20, ask(driver.cuCtxGetLimit(driver.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE)) >> 20)
print(ask(cudart.cudaDeviceGetStreamPriorityRange()) == list(ask(driver.cuCtxGetStreamPriorityRange())))
ask(cudart.cudaInitDevice(1, 0, 0))
print(ask(cudart.cudaGetDevice()), int(cudart.cudaInitDevice(2, 0, 0)[0]))
""") == ["10", "16 16", "True", "0 101"]


def test_without_a_context_the_device_is_0_and_what_two_devices_share_is_asked_of_the_driver(in_new_process):
    assert output(in_new_process, """
print(ask(cudart.cudaGetDevice()), int(ask(driver.cuInit(0)) or 0))
for attribute in cudart.cudaDeviceP2PAttr:
    theirs = driver.cuDeviceGetP2PAttribute(driver.CUdevice_P2PAttribute(int(attribute)), 0, 1)
    mine = cudart.cudaDeviceGetP2PAttribute(attribute, 0, 1)
    if int(theirs[0]) != int(mine[0]) or theirs[1] != mine[1]:
        print(attribute, theirs, mine)
access = cudart.cudaDeviceP2PAttr.cudaDevP2PAttrAccessSupported
print(ask(cudart.cudaDeviceGetP2PAttribute(access, 0, 1)), int(cudart.cudaDeviceGetP2PAttribute(access, 0, 5)[0]))
""") == ["0 0", "1 101"]


def test_a_library_and_a_handle_for_another_process_are_the_drivers(in_new_process):
    assert output(in_new_process, r"""
ptx = b".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 n = 7;\n.visible .entry f() { ret; }"
library = ask(cudart.cudaLibraryLoadData(ptx, [], [], 0, [], [], 0))
start, size = ask(cudart.cudaLibraryGetGlobal(library, b"n"))
number = np.zeros(1, np.uint32)
ask(cudart.cudaMemcpy(number, start, size, cudart.cudaMemcpyKind.cudaMemcpyDeviceToHost))
print(number[0], ask(cudart.cudaLibraryGetKernelCount(library)), int(ask(cudart.cudaLibraryGetKernel(library, b"f"))) > 0)
address = ask(cudart.cudaMalloc(64))
handle = ask(cudart.cudaIpcGetMemHandle(address))
import ctypes
content = lambda one: ctypes.string_at(int(one.getPtr()), 64)       # cuda-bindings 13.5 has no .reserved
print(content(handle) == content(ask(driver.cuIpcGetMemHandle(address))))
print(int(cudart.cudaIpcOpenMemHandle(handle, 1)[0]))       # its own process may not
print(int(cudart.cudaGraphCreate(0)[0]), int(cudart.cudaPeekAtLastError()[0]))
""") == ["7 1 True", "True", "201", "801 801"]


def test_a_device_that_there_is_not_is_refused_by_every_call_and_the_threads_stays(in_new_process):
    assert output(in_new_process, """
ask(cudart.cudaSetDevice(1))
for device in (2, -1):
    print([int(answer[0]) for answer in (
        cudart.cudaSetDevice(device), cudart.cudaDeviceGetAttribute(cudart.cudaDeviceAttr.cudaDevAttrWarpSize, device),
        cudart.cudaDeviceGetPCIBusId(32, device), cudart.cudaGetDeviceProperties(device), cudart.cudaDeviceEnablePeerAccess(device, 0),
        cudart.cudaDeviceDisablePeerAccess(device), cudart.cudaInitDevice(device, 0, 0), cudart.cudaDeviceGetMemPool(device),
        cudart.cudaDeviceGetDefaultMemPool(device))], ask(cudart.cudaGetDevice()))
""") == 2 * [f"{9 * [101]} 1"]


def test_without_a_device_each_call_answers_as_many_nones_as_there_would_be_values(in_new_process):
    """By the documentation of cuda-bindings, which forgets the value of cudaMemPoolGetAccess."""
    assert output(in_new_process, r"""
import inspect, os, re
from cuda_simulator.over_ptx import cuda_runtime
os.environ["CUDA_VISIBLE_DEVICES"] = ""
names = {*cuda_runtime.SAME, *filter(re.compile("cuda[A-Z]").match, dir(cuda_runtime.Runtime))}
for name in names - {"cudaMemPoolGetAccess"}:
    function = getattr(cudart, name)
    documented = inspect.getdoc(function)
    parameters, = re.match(r"\w+\((.*)\)", documented).groups()
    values = re.findall(r"^\w+ : ", documented.partition("\nReturns\n")[2].partition("\n\n")[0], re.M)
    answer = function(*[0] * len(parameters.split(",") if parameters else ()))
    assert answer == (cudart.cudaError_t.cudaErrorNoDevice, *[None] * len(values)), (name, answer, values)
print(len(names) > 90)
""") == ["True"]
