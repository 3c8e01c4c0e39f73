"""pageable-access: PAGEABLE_MEMORY_ACCESS 1, as heterogeneous memory management (HMM) has it on Linux."""
import pytest

from . import run, value_of

SYSTEM = "pageable-access"


def test_its_attributes_are_those_of_hmm():
    """CUDA Programming Guide, "Unified Memory": full support by software coherence has the first two, and not the host's page tables."""
    assert value_of(SYSTEM, """
        print([device_attribute(name) for name in ("PAGEABLE_MEMORY_ACCESS", "CONCURRENT_MANAGED_ACCESS",
            "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES", "UNIFIED_ADDRESSING")])""", kernels=False) == [1, 1, 0, 1]


def test_a_kernel_reads_and_writes_an_array_that_nobody_registered():
    """cuda.h, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS: without cuMemHostRegister."""
    assert value_of(SYSTEM, """
        numbers = np.arange(4, dtype=np.int32)
        add(np.intp(numbers.ctypes.data), np.int32(4), block=(4, 1, 1)); sync()
        print(numbers.tolist())""") == [1, 2, 3, 4]


@pytest.mark.parametrize("allocation", ["array = np.zeros(1 << 20, np.int32)", "array = np.zeros(64, np.int32)[3:]",
                                  "import mmap; array = np.frombuffer(mmap.mmap(-1, 8192), np.int32)",
                                  "array = np.frombuffer(ctypes.create_string_buffer(64), np.int32)"])
def test_whoever_made_the_memory(allocation):
    """CUDA Programming Guide, "Unified Memory": system-allocated memory is malloc's, mmap's, the stack's, and global variables."""
    assert value_of(SYSTEM, f"""
        {allocation}
        add(np.intp(array.ctypes.data), np.int32(4), block=(4, 1, 1)); sync()
        print(array[:5].tolist())""") == [1, 1, 1, 1, 0]


def test_one_kernel_uses_pageable_and_device_memory_together():
    assert value_of(SYSTEM, """
        numbers, out = np.arange(4, dtype=np.int32), cuda.mem_alloc(16)
        copy(np.intp(numbers.ctypes.data), out, block=(4, 1, 1)); sync()
        print(cuda.from_device(out, 4, np.int32).tolist())""") == [0, 1, 2, 3]


def test_host_and_kernel_see_each_others_writes_while_the_kernel_runs():
    """HMM keeps the two coherent (Linux kernel documentation, "Heterogeneous Memory Management")."""
    assert value_of(SYSTEM, """
        flag = np.zeros(1, np.int32)
        wait_for(np.intp(flag.ctypes.data), block=(1, 1, 1))
        flag[0] = 1
        sync(); print("'ended'")""") == "ended"


@pytest.mark.parametrize("address", ["0", "8", "1 << 46"])
def test_an_address_that_the_process_does_not_have_stops_the_kernel(address):
    result = run(SYSTEM, f"add(np.intp({address}), np.int32(4), block=(4, 1, 1)); sync()")
    assert result.stdout == "an illegal memory access was encountered\n"


def test_a_page_that_the_host_may_not_write_is_read_and_not_written():
    """HMM gives a device the rights of the CPU's page tables (Linux kernel documentation, as above)."""
    program = """
        import mmap
        page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
        at, out = np.frombuffer(page, np.int32).ctypes.data, cuda.mem_alloc(16)
        {}; sync(); print("done")"""
    assert run(SYSTEM, program.format("copy(np.intp(at), out, block=(4, 1, 1))")).stdout == "done\n"
    assert run(SYSTEM, program.format("add(np.intp(at), np.int32(4), block=(4, 1, 1))")).stdout.startswith("an illegal memory access")


@pytest.mark.parametrize("device_access, answer", [(False, "an illegal memory access was encountered\nended\n"), (True, "ended\n")])
def test_memory_of_cuda_has_the_rights_that_cuda_was_told_and_not_those_of_the_hosts_pages(device_access, answer):
    """cuMemSetAccess says who may access a mapping; that the host may does not let the device."""
    assert run(SYSTEM, f"""
        properties, access, size = cu.CUmemAllocationProp(), cu.CUmemAccessDesc(), 2 << 20
        properties.type, properties.location.type = cu.CUmemAllocationType(1), cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST_NUMA
        handle, at = ask(cu.cuMemCreate, size, properties, 0), ask(cu.cuMemAddressReserve, size, 0, 0, 0)
        ask(cu.cuMemMap, at, size, 0, handle, 0)
        access.flags = cu.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        for location in [cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST_NUMA, cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE][:{1 + device_access}]:
            access.location.type = location
            ask(cu.cuMemSetAccess, at, size, [access], 1)
        ctypes.c_int.from_address(int(at)).value = 5
        out = cuda.mem_alloc(16)
        copy(np.intp(int(at)), out, block=(4, 1, 1)); sync(); print("ended")""").stdout == answer


def test_a_device_address_is_no_host_address_here_either():
    """cudaMalloc's memory has no entry in the CPU's page tables: only coherent systems give it one (CUDA Programming Guide)."""
    assert run(SYSTEM, "memory = cuda.mem_alloc(64); ctypes.c_int.from_address(int(memory)).value").returncode == -11


def test_the_driver_still_knows_no_attributes_of_pageable_memory():
    """cuda.h, cuPointerGetAttribute: INVALID_VALUE for what was not allocated by, mapped by or registered with a context."""
    assert value_of(SYSTEM, """
        numbers = np.zeros(4, np.int32)
        print([attribute("MEMORY_TYPE", numbers.ctypes.data), forward(numbers.ctypes.data)])""", kernels=False) == ["INVALID_VALUE"] * 2


def test_where_two_documents_differ_the_system_refuses():
    """The device pointer of pageable memory by the plural call: cuda.h says null, the runtime's manual "may be accessed on the current device"."""
    result = run(SYSTEM, """
        numbers, wanted = np.zeros(4, np.int32), [cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER]
        print(ask(cu.cuPointerGetAttributes, 1, wanted, numbers.ctypes.data))""", kernels=False)
    assert result.stdout == "NOT_SUPPORTED\n" and "as documented, not recorded" in result.stderr


# -- memory that dies while a kernel may use it (NVIDIA/warp issue 1766) -----------------------------------------------

# The kernel only reads: one that writes into a block that was freed harms the allocator of the process that tells of it.
TRAP = """
    numbers, out = np.zeros(64, np.int32), cuda.mem_alloc(16)
    copy(np.intp(numbers.ctypes.data), out, block=(4, 1, 1))
    {}
    sync()"""


@pytest.mark.parametrize("act", ["del numbers", "numbers = np.zeros(64, np.int32)", "numbers.resize(1 << 20, refcheck=False)"])
def test_an_array_that_dies_or_moves_before_the_host_has_waited_is_a_finding(act):
    stderr = run(SYSTEM, TRAP.format(act)).stderr
    assert stderr.count("finding: host-memory") == 1 and "kernel copy" in stderr and "before the host has waited" in stderr


AGAIN = "copy(np.intp(numbers.ctypes.data), out, block=(4, 1, 1))"


@pytest.mark.parametrize("act", ["", "sync(); del numbers", "cuda.memcpy_dtoh(np.zeros(4), cuda.mem_alloc(32)); del numbers", AGAIN,
                                 f"sync(); del numbers; numbers = np.zeros(64, np.int32); {AGAIN}"])
def test_an_array_that_lives_until_the_host_has_waited_is_none(act):
    assert "finding" not in run(SYSTEM, TRAP.format(act)).stderr


def test_it_does_not_matter_that_another_array_of_the_same_line_has_the_address_now():
    result = run(SYSTEM, """
        seen = []
        for _ in range(2):
            numbers = np.zeros(64, np.int32)
            seen.append(numbers.ctypes.data)
            add(np.intp(seen[-1]), np.int32(4), block=(4, 1, 1))
            del numbers
        print(seen[0] == seen[1])
        sync()""")
    assert result.stdout == "True\n" and result.stderr.count("finding: host-memory") == 1 and "(2 times)" in result.stderr


def test_a_pinned_array_is_none_of_it():
    """warp issue 1766: with pinned memory in the array's place, nothing went wrong in 20 runs."""
    assert "finding" not in run(SYSTEM, TRAP.format("").replace("np.zeros(64, np.int32)", "cuda.pagelocked_zeros(64, np.int32)")).stderr


def test_pages_that_go_while_a_kernel_uses_them_stop_the_kernel_and_not_the_program():
    result = run(SYSTEM, """
        import mmap
        pages = mmap.mmap(-1, 3 * 4096)     # the one between the others goes: what is larger than a page does not take its place
        at = np.frombuffer(pages, np.int32).ctypes.data + 4096
        wait_for(np.intp(at), block=(1, 1, 1))
        ctypes.CDLL(None).munmap(ctypes.c_void_p(at), ctypes.c_size_t(4096))
        sync()""")
    assert (result.returncode, result.stdout) == (0, "an illegal memory access was encountered\n"), result.stderr


def test_advice_for_pageable_memory_is_allowed_by_the_document_and_refused_here_with_a_sentence():
    """cuda.h, cuMemAdvise: for such memory "the device attribute CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS" has to be set."""
    result = run(SYSTEM, """
        numbers, place = np.zeros(1024, np.int32), cu.CUmemLocation()
        place.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        print(ask(cu.cuMemAdvise, numbers.ctypes.data, 4096, cu.CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY, place))""", kernels=False)
    assert result.stdout == "NOT_SUPPORTED\n" and "not simulated" in result.stderr
