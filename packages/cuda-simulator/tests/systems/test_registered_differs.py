"""registered-differs: CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM 0 and CONCURRENT_MANAGED_ACCESS 0, as users report from WSL 2.

"Disjoint" is cuda.h 13.0, "Unified Addressing", section "Exceptions, Disjoint Addressing", and the note at cuPointerGetAttribute.
"""
import pytest

from . import run, value_of

SYSTEM = "registered-differs"
MADE = {
    "registered": "page = np.zeros(2048, np.int32); h = page.ctypes.data; ask(cu.cuMemHostRegister, h, 8192, 0)",
    "odd bytes": "page = np.zeros(2048, np.int32); h = page.ctypes.data + 12; ask(cu.cuMemHostRegister, h, 2000, 0)",
    "write-combined": "h = int(ask(cu.cuMemHostAlloc, 8192, 4))",
}
each_way = pytest.mark.parametrize("way", MADE)


def of(way, code):
    return MADE[way] + "\n" + code


def test_its_attributes_are_those_that_users_report():
    """sgl-project/sglang issue 40232, measured under WSL 2."""
    assert value_of(SYSTEM, """
        print([device_attribute(name) for name in ("CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", "CONCURRENT_MANAGED_ACCESS",
            "PAGEABLE_MEMORY_ACCESS", "UNIFIED_ADDRESSING", "CAN_MAP_HOST_MEMORY")])""", kernels=False) == [0, 0, 0, 1, 1]


@each_way
def test_forward_gives_another_number_for_each_byte(way):
    """cuda.h, cuMemHostGetDevicePointer: "will not match the original host pointer"; Disjoint names write-combined memory, too."""
    first, interior, last, beyond = value_of(SYSTEM, of(way, """
d = forward(h); print([d != h, forward(h + 5) - d, forward(h + 1999) - d, forward(h + 8192)])"""), kernels=False)
    assert (first, interior, last, beyond) == (True, 5, 1999, "INVALID_VALUE")


@each_way
def test_each_attribute_translates_from_either_number(way):
    """Disjoint: the two attributes "may be used to retrieve the host and device addresses from either address"."""
    assert value_of(SYSTEM, of(way, """
d = forward(h); print([[attribute("HOST_POINTER", a + 5) - h, attribute("DEVICE_POINTER", a + 5) - d] for a in (h, d)])"""),
                kernels=False) == [[5, 5], [5, 5]]


@each_way
def test_either_number_is_of_the_same_host_memory(way):
    """cuda.h: MEMORY_TYPE is of the memory, and a buffer id of the allocation."""
    assert value_of(SYSTEM, of(way, """
d = forward(h)
print([attribute("MEMORY_TYPE", h), attribute("MEMORY_TYPE", d), attribute("IS_MANAGED", d),
       attribute("BUFFER_ID", h) == attribute("BUFFER_ID", d), attribute("CONTEXT", h) == attribute("CONTEXT", d),
       attribute("RANGE_START_ADDR", d + 5) == d])"""), kernels=False) == [1, 1, 0, True, True, True]


def test_allocated_memory_that_is_not_write_combined_has_one_number():
    """cuda.h, cuMemHostAlloc: unless write-combined "always equal to the returned host pointer"."""
    assert value_of(SYSTEM, """
        print([forward(h) - h for h in (int(ask(cu.cuMemHostAlloc, 4096, flags)) for flags in (0, 1, 2, 3))])""", kernels=False) == [0] * 4


@each_way
def test_a_kernel_reaches_it_at_the_devices_number(way):
    assert value_of(SYSTEM, of(way, """
add(np.intp(forward(h)), np.int32(4), block=(4, 1, 1)); sync()
print(np.ctypeslib.as_array((ctypes.c_int * 5).from_address(h)).tolist())""")) == [1, 1, 1, 1, 0]


@each_way
def test_a_kernel_at_the_hosts_number_is_stopped(way):
    """Disjoint: the host address is "an invalid unmapped device address", with an exception if accessed."""
    result = run(SYSTEM, of(way, "add(np.intp(h), np.int32(4), block=(4, 1, 1)); sync()"))
    assert result.stdout == "an illegal memory access was encountered\n" and "which the device has at 0x" in result.stderr


@each_way
def test_the_host_at_the_devices_number_is_stopped(way):
    """Disjoint: the device address is "an invalid unmapped host address"."""
    assert run(SYSTEM, of(way, "ctypes.c_int.from_address(forward(h)).value"), kernels=False).returncode == -11


@each_way
def test_every_context_has_the_same_number(way):
    """Disjoint: "guaranteed to have the same value across all contexts that support unified addressing"."""
    assert value_of(SYSTEM, of(way, """
d = forward(h); second = cuda.Device(0).make_context(); print([forward(h) == d]); second.pop()"""), kernels=False) == [True]


@each_way
def test_a_unified_copy_takes_either_number(way):
    """Disjoint: "Either the host or the unified device pointer value may be used" through cuMemcpy."""
    assert value_of(SYSTEM, of(way, """
out = np.ones(4, np.int32); ctypes.c_int.from_address(h).value = 7
copies = []
for source in (h, forward(h)):
    out[:] = 1; ask(cu.cuMemcpy, out.ctypes.data, source, 16); copies.append(out.tolist())
print(copies)"""), kernels=False) == [[7, 0, 0, 0]] * 2


@each_way
def test_a_directed_copy_wants_the_number_of_its_side(way):
    assert value_of(SYSTEM, of(way, """
out, device = np.ones(4, np.int32), int(ask(cu.cuMemAlloc, 16))
print([ask(cu.cuMemcpyDtoH, out.ctypes.data, forward(h), 16), ask(cu.cuMemcpyHtoD, device, h, 16),
       ask(cu.cuMemcpyDtoH, out.ctypes.data, h, 16), ask(cu.cuMemsetD8, forward(h), 1, 16), ask(cu.cuMemsetD8, h, 1, 16)])"""),
                kernels=False) == ["SUCCESS", "SUCCESS", "INVALID_VALUE", "SUCCESS", "INVALID_VALUE"]


@pytest.mark.parametrize("ask_for", ["forward(d)", "ask(cu.cuMemHostGetFlags, d)", "ask(cu.cuMemHostUnregister, d)",
                                     'attribute("ALLOWED_HANDLE_TYPES", h)', 'attribute("RANGE_START_ADDR", h)', "ask(cu.cuMemPoolCreate, pool)",
                                     "ask(cu.cuMemGetAddressRange, d)",
                                     "ask(cu.cuMemcpyHtoD, int(ask(cu.cuMemAlloc, 16)), d, 16)"])
def test_what_no_document_answers_is_refused_with_a_sentence(ask_for):
    result = run(SYSTEM, of("registered", f"""
d, pool = forward(h), cu.CUmemPoolProps(); pool.allocType = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_MANAGED
pool.location.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
print({ask_for})"""), kernels=False)
    assert result.stdout == "NOT_SUPPORTED\n" and "as documented, not recorded" in result.stderr


def test_numbers_that_have_ended_are_given_again():
    assert value_of(SYSTEM, of("registered", """
numbers = [forward(h)]
for _ in range(8):
    ask(cu.cuMemHostUnregister, h), ask(cu.cuMemHostRegister, h, 8192, 0)
    numbers.append(forward(h))
print([len(set(numbers)) < 9, max(numbers) - min(numbers) < 1 << 30])"""), kernels=False) == [True, True]


@pytest.mark.parametrize("end", ["ask(cu.cuMemHostUnregister, h)", "pycuda.autoinit.context.detach(); second = cuda.Device(0).make_context()"])
def test_with_the_registration_both_numbers_end(end):
    assert value_of(SYSTEM, of("registered", f"""
d = forward(h); {end}
print([attribute("HOST_POINTER", h), attribute("HOST_POINTER", d), forward(h)])"""), kernels=False) == ["INVALID_VALUE"] * 3


# -- managed memory ------------------------------------------------------------------------------------------------

MANAGED = """
def managed(flags=1, size=4096):
    address = int(ask(cu.cuMemAllocManaged, size, flags)); return (ctypes.c_int * 4).from_address(address), address
flag = cuda.pagelocked_zeros(1, np.int32)
def start(stream=None): wait_for(np.intp(flag.ctypes.data), block=(1, 1, 1), stream=stream)
"""
SEGFAULT = -11


def managed(code, **options):
    return run(SYSTEM, MANAGED + code, **options)


@pytest.mark.parametrize("program, ends", [
    ("view, _ = managed(); view[0] = 1; start(); flag[0] = 1; sync(); view[0] = 2", 0),
    ("view, _ = managed(); start(); view[0] = 1", SEGFAULT),
    ("view, _ = managed(); start(); view[0]", SEGFAULT),
    ("view, _ = managed(); start(); flag[0] = 1; import time; time.sleep(.2); view[0]", SEGFAULT),
    ("view, _ = managed(2); start(); view[0] = 1; flag[0] = 1; sync()", 0),
])
def test_the_host_may_not_touch_managed_memory_from_a_launch_until_it_has_waited(program, ends):
    """CUDA C++ Programming Guide 11.2, L.2.2.1, "GPU Exclusive Access": also memory that the kernel does not use, also if the kernel
    has ended and nobody waited; but for what was attached to the host when it was allocated."""
    assert managed(program).returncode == ends


def test_to_destroy_the_stream_is_no_waiting():
    """NVIDIA/cuda-python issue 1539."""
    program = "view, _ = managed(); stream = cuda.Stream(); start(stream); flag[0] = 1; {} view[0]"
    assert managed(program.format("del stream;")).returncode == SEGFAULT
    assert managed(program.format("stream.synchronize(); del stream;")).returncode == 0


def test_memory_of_a_single_stream_is_the_hosts_while_that_stream_has_nothing_to_do():
    """cuda.h, cuStreamAttachMemAsync: "regardless of whether other streams are active"."""
    program = """view, address = managed(); own, other = cuda.Stream(), cuda.Stream()
ask(cu.cuStreamAttachMemAsync, own.handle, address, 0, 4); own.synchronize()
start({}); view[0] = 1; flag[0] = 1; sync()"""
    assert managed(program.format("other")).returncode == 0
    assert managed(program.format("own")).returncode == SEGFAULT


def test_it_may_not_exceed_the_devices_memory_and_takes_it_at_once():
    """cuda.h, cuMemAllocManaged: more than the device has "for GPUs that have a non-zero value" only; NVIDIA/cudf issue 16551."""
    assert value_of(SYSTEM, """
        free, total = cuda.mem_get_info()
        ask(cu.cuMemAllocManaged, 64 << 20, 1)
        print([ask(cu.cuMemAllocManaged, 2 * total, 1), free - cuda.mem_get_info()[0]])""", kernels=False) == ["OUT_OF_MEMORY", 64 << 20]


def test_a_kernel_uses_it_as_elsewhere():
    assert managed("view, address = managed(); add(np.intp(address), np.int32(3), block=(4, 1, 1)); sync(); print(list(view))"
                   ).stdout == "[1, 1, 1, 0]\n"


def test_a_kernel_of_another_stream_than_its_own_is_stopped():
    """cuda.h, cuStreamAttachMemAsync: only work of that stream may access it."""
    program = """view, address = managed(); own, other = cuda.Stream(), cuda.Stream()
ask(cu.cuStreamAttachMemAsync, own.handle, address, 0, 4); own.synchronize()
add(np.intp(address), np.int32(3), block=(4, 1, 1), stream={}); sync(); print("ended")"""
    assert managed(program.format("own")).stdout == "ended\n"
    assert managed(program.format("other")).stdout == "an illegal memory access was encountered\nended\n"


def test_it_is_not_prefetched_to_the_device_nor_advised_to_be_there():
    """cuda.h, cuMemPrefetchAsync and cuMemAdvise: the device "must have non-zero value"; rapidsai/rmm issue 2023 has the error."""
    assert value_of(SYSTEM, """
        place, at = cu.CUmemLocation(), ask(cu.cuMemAllocManaged, 4096, 1)
        place.type, place.id = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 0
        print([ask(cu.cuMemPrefetchAsync, at, 4096, place, 0, 0), ask(cu.cuMemAdvise, at, 4096, cu.CUmem_advise(3), place)])""",
                kernels=False) == ["INVALID_DEVICE"] * 2
