"""Simulated device memory and the machine's real memory: what costs something, and when."""
import ctypes
import mmap

from cuda_simulator.libcuda import process_memory
from cuda_simulator.memory import transfers
from cuda_simulator.ptx.spaces import BASE, MEMORY

import pytest

from .programs import output, run

# A program's own bytes: of its addresses, and of the memory behind them. (proc(5), /proc/pid/statm)
OF_THIS_PROCESS = """
        def sizes():
            with open("/proc/self/statm") as file:
                return [int(number) * 4096 for number in file.read().split()]
        addresses, resident = (lambda: sizes()[0]), (lambda: sizes()[1])
"""


def test_every_address_of_this_process_is_one_that_may_be_copied_from():
    """On AArch64 libraries and stacks lie above 1 << 47, where x86-64 has none."""
    with open("/proc/self/maps") as table:
        ends = [int(line.split()[0].split("-")[1], 16) for line in table if "[vsyscall]" not in line]
    assert max(ends) <= process_memory.END


def test_a_kernel_can_be_led_to_every_address_of_this_process():
    assert all(BASE + view.nbytes == process_memory.END for view in MEMORY.values())


@pytest.mark.parametrize("length", [0, 1, 63, 200, 5000, 8191])
def test_a_text_may_end_with_the_last_byte_that_the_process_has(length):
    pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)
    end = ctypes.addressof(ctypes.c_char.from_buffer(pages)) + 2 * mmap.PAGESIZE
    process_memory.protect(end, mmap.PAGESIZE, False, False)
    ctypes.memmove(end - length - 1, b"x" * length, length + 1)
    assert process_memory.read_string(end - length - 1) == b"x" * length


def test_memory_is_taken_when_it_is_touched_not_when_it_is_allocated():
    assert output(OF_THIS_PROCESS + """
        before = resident()
        large = cuda.mem_alloc(100 << 30)
        middle = int(large) + (50 << 30)
        data = np.arange(1 << 20, dtype=np.uint8)
        cuda.memcpy_htod(middle, data)
        back = np.zeros_like(data)
        cuda.memcpy_dtoh(back, middle)
        print((back == data).all(), resident() - before < 64 << 20)
    """) == "True True\n"


def test_addresses_that_are_freed_are_the_processs_to_give_out_again():
    assert output(OF_THIS_PROCESS + """
        from cuda.bindings import driver
        before = addresses()
        for _ in range(2):
            start = driver.cuMemAddressReserve(1 << 45, 0, 0, 0)[1]
            print(addresses() - before >= 1 << 45, driver.cuMemAddressFree(start, 1 << 45)[0].name, addresses() - before < 1 << 45)
    """) == 2 * "True CUDA_SUCCESS True\n"


def test_more_than_the_machine_has_is_out_of_memory_not_a_killed_process():
    assert output("""
        large = cuda.mem_alloc(130 << 30)
        try:
            cuda.memset_d8(large, 1, 130 << 30)
        except cuda.MemoryError as error:
            print(error)
        cuda.memset_d8(large, 1, 1 << 20)
    """) == "cuMemsetD8 failed: out of memory\n"


def test_more_than_the_device_has_is_out_of_memory():
    assert output("""
        free, total = cuda.mem_get_info()
        for size in (total + 1, 1 << 50):
            try:
                cuda.mem_alloc(size)
            except cuda.MemoryError as error:
                print(error)
        print(cuda.mem_get_info() == (free, total))
    """) == "cuMemAlloc failed: out of memory\ncuMemAlloc failed: out of memory\nTrue\n"


def test_a_kernel_that_writes_more_than_the_machine_has_is_stopped():
    assert output("""
        module = SourceModule('''__global__ void spread(char *p, size_t step) {
            p[(blockIdx.x * 256ull + threadIdx.x) * step] = 1; }''')
        large = cuda.mem_alloc(128 << 30)
        module.get_function("spread")(large, np.uint64(2 << 20), block=(256, 1, 1), grid=(256, 1))
        try:
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(type(error).__name__)
    """) == "MemoryError\n"


def test_freed_memory_goes_back_to_the_machine():
    assert output(OF_THIS_PROCESS + """
        before = resident()
        for _ in range(20):
            memory = cuda.mem_alloc(64 << 20)
            cuda.memset_d8(memory, 1, 64 << 20)
            memory.free()
        print(resident() - before < 32 << 20)
    """) == "True\n"


@pytest.mark.parametrize("allocate, free", [("driver.cuMemAlloc({})", "driver.cuMemFree({})"), ("driver.cuMemAllocManaged({}, 1)", "driver.cuMemFree({})"),
                                            ("driver.cuMemHostAlloc({}, 0)", "driver.cuMemFreeHost({})")])
def test_no_addresses_get_lost_when_memory_comes_and_goes(allocate, free):
    """Where two had room, one of both sizes together has it."""
    assert output(f"""
        from cuda.bindings import driver
        first, second, other = (int({allocate.format("4 << 20")}[1]) for _ in range(3))
        {free.format("first")}, {free.format("second")}
        print(min(first, second) <= int({allocate.format("8 << 20")}[1]) <= max(first, second))
    """) == "True\n"


def test_page_locked_memory_gets_the_address_that_was_freed_whatever_else_the_process_maps_meanwhile():
    assert output("""
        import mmap
        first = cuda.pagelocked_empty(4 << 20, np.uint8)
        address = first.ctypes.data
        del first
        meanwhile = [mmap.mmap(-1, size << 20) for size in (1, 2, 4, 6)]
        second = cuda.pagelocked_empty(4 << 20, np.uint8)
        print(second.ctypes.data == address)
    """) == "True\n"


def test_page_locked_memory_that_the_window_has_no_room_for_lies_elsewhere_and_is_given_back():
    assert output("""
        from cuda_simulator.memory.ranges import Gaps
        from cuda_simulator.memory.windows import window
        window.page_locked_gaps = Gaps(0, 0)
        for _ in range(2):
            memory = cuda.pagelocked_zeros(4 << 20, np.uint8)
            memory[:] = 7
            print(memory.sum() == 7 * memory.size, memory.ctypes.data in window)
            del memory
    """) == "True False\nTrue False\n"


def test_a_small_limit_on_address_space_is_enough():
    """As a class-room server may set it (ulimit -v)."""
    import subprocess
    import sys
    code = ("import resource; resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)); import cuda_simulator; "
            "cuda_simulator.attach(); import pycuda.autoinit, pycuda.driver as cuda; memory = cuda.mem_alloc(1 << 20); cuda.memset_d8(memory, 7, 1 << 20); "
            "print(bytes(cuda.from_device(memory, 3, 'u1')))")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert (result.stdout, result.returncode) == ("b'\\x07\\x07\\x07'\n", 0), result.stderr


def test_a_wish_for_an_address_is_granted_only_among_the_addresses_that_the_driver_has():
    """As on an H200, whose driver gives a range of 32 MiB or more back to the operating system when it is freed."""
    assert output("""
        from cuda.bindings import driver as cu
        MiB = 1 << 20
        def reserve(size=2 * MiB, wish=0):
            error, address = cu.cuMemAddressReserve(size, 0, wish, 0)
            return int(address)
        small, large = reserve(4 * MiB), reserve(1024 * MiB)
        cu.cuMemAddressFree(small, 4 * MiB), cu.cuMemAddressFree(large, 1024 * MiB)
        no_wish = reserve()
        print(small <= no_wish < small + 4 * MiB, reserve(wish=small + 2 * MiB) == small + 2 * MiB)
        for wish in (no_wish, large, large + 512 * MiB, no_wish + (1 << 40), 1 << 40):
            print(reserve(wish=wish) == wish, end=" ")
    """) == "False True\nFalse False False False False "


def test_exported_memory_is_given_back_when_the_last_descriptor_is_closed():
    assert output("""
        import os
        from cuda.bindings import driver as cu
        properties = cu.CUmemAllocationProp()
        properties.type = cu.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.location.type = cu.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
        kind = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        properties.requestedHandleTypes = kind
        free = lambda: cuda.mem_get_info()[0] >> 20
        before, files = free(), len(os.listdir("/proc/self/fd"))
        handle = cu.cuMemCreate(64 << 20, properties, 0)[1]
        descriptor = int(cu.cuMemExportToShareableHandle(handle, kind, 0)[1])
        cu.cuMemRelease(handle)
        print("held by the descriptor:", before - free())
        again = cu.cuMemImportFromShareableHandle(descriptor, kind)[1]
        os.close(descriptor)
        print("held by the import:", before - free())
        cu.cuMemRelease(again)
        print("held by nobody:", before - free(), len(os.listdir("/proc/self/fd")) - files)
    """) == "held by the descriptor: 64\nheld by the import: 64\nheld by nobody: 0 0\n"


HOST_PAGES = """
        import ctypes, mmap, os
        from cuda.bindings import driver as cu
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        def pages(value, size=8192, address=None):
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | (0x10 if address else 0)
            start = libc.mmap(ctypes.c_void_p(address), ctypes.c_size_t(size), 3, flags, -1, ctypes.c_long(0))
            ctypes.memset(start, value, size)
            return start
        def registered(value, size=8192):
            start = pages(value, size)
            assert not int(cu.cuMemHostRegister(start, size, 0)[0])
            return start
        put = SourceModule("__global__ void put(char *p) { *p = *p + 1; }").get_function("put")
        def bumped(address):
            put(np.uint64(address), block=(1, 1, 1))
            return cu.cuCtxSynchronize()[0].name
        def here(address):
            return ctypes.string_at(address, 1)[0]
"""


def test_a_kernel_uses_registered_pages_that_the_host_has_closed():
    assert run(HOST_PAGES + """
        start = registered(5)
        libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(8192), 0)
        print(bumped(start))
        libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(8192), 1)
        print(here(start))
    """).stdout == "CUDA_SUCCESS\n6\n"


def test_host_and_kernel_have_two_memories_at_one_number_until_it_is_unregistered():
    assert run(HOST_PAGES + """
        start = registered(40)
        libc.munmap(ctypes.c_void_p(start), ctypes.c_size_t(8192))
        pages(99, address=start)
        print(bumped(start), here(start), cu.cuMemHostUnregister(start)[0].name, here(start))
    """).stdout == "CUDA_SUCCESS 99 CUDA_SUCCESS 99\n"


def test_private_pages_that_were_registered_are_private_again():
    """To a child that is forked, before and after they are unregistered; and what a kernel wrote is in them."""
    assert run(HOST_PAGES + """
        def child_writes(address):
            child = os.fork()
            if not child:
                ctypes.memset(address, 77, 1)
                os._exit(here(address))
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), here(address)
        start = registered(40, size=5 << 20)
        bumped(start)
        print(child_writes(start))
        libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(4096), 1)      # the rest is another mapping now
        print(child_writes(start + 4096))
        libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(4096), 3)
        cu.cuMemHostUnregister(start)
        print(child_writes(start), here(start + (5 << 20) - 1))
    """).stdout == "(77, 41)\n(77, 40)\n(77, 41) 40\n"


def test_a_kernel_that_follows_registered_memory_whose_file_became_shorter_is_stopped():
    """A GPU keeps the pages. The simulated driver cannot, and must not end the process."""
    result = run(HOST_PAGES + """
        fd = os.memfd_create("pages")
        os.truncate(fd, 8192)
        view = mmap.mmap(fd, 8192)
        start = ctypes.addressof(ctypes.c_char.from_buffer(view))
        cu.cuMemHostRegister(start, 8192, 0)
        os.truncate(fd, 0)
        print(bumped(start))
    """)
    assert result.stdout == "CUDA_ERROR_ILLEGAL_ADDRESS\n" and "registered host memory" in result.stderr


@pytest.mark.parametrize("offset, size, parts", [(0, 4, [(100, 4)]), (8, 4, [(108, 2), (500, 2)]), (10, 4, [(500, 4)]), (8, 20, [(108, 2), (500, 10), (700, 8)]),
                                                 (3, 0, [])])
def test_a_part_of_memory_in_pieces_lies_in_those_that_it_reaches(offset, size, parts):
    assert transfers.part([(100, 10), (500, 10), (700, 10)], offset, size) == parts
