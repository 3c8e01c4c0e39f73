"""Programs that are followed: each is a sentence about CUDA's memory, and its steps are kept in steps/."""
ADD = "__global__ void add_100(int *x) { x[threadIdx.x] += 100; }"


def reciprocal():
    from course_lib import pinned, pointers

    import pycuda.driver as cuda
    host, on_device = pinned.allocate(4, "int32"), cuda.mem_alloc(16)
    host.array[:] = [3, 1, 4, 15]
    print(pointers.host_pointer_for(host.device_address) == host.host_address)
    print(pointers.host_pointer_for(on_device).reason.name)


def one_memory():
    from course_lib import kernels

    import numpy as np
    import pycuda.driver as cuda
    add_100 = kernels.compile(ADD).add_100
    numbers = cuda.pagelocked_empty(4, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    numbers[:] = [3, 1, 4, 15]
    add_100(1, 4, int(numbers.base.get_device_pointer()))
    print(numbers[0])
    cuda.Context.synchronize()
    print(numbers[0])


def with_a_copy():
    from course_lib import kernels

    import numpy as np
    import pycuda.driver as cuda
    add_100 = kernels.compile(ADD).add_100
    numbers = np.array([3, 1, 4, 15], np.int32)
    on_device = cuda.mem_alloc(numbers.nbytes)
    cuda.memcpy_htod(on_device, numbers)
    add_100(1, 4, on_device)
    result = np.empty_like(numbers)
    cuda.memcpy_dtoh(result, on_device)
    print(numbers, result)


def mapped_output():
    from course_lib import kernels, pinned

    import pycuda.driver as cuda
    square = kernels.compile("__global__ void square(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x]; }").square
    numbers, squares = pinned.allocate(4, "int32"), pinned.allocate(4, "int32")
    numbers.array[:] = range(1, 5)
    square(1, 4, numbers, squares)
    cuda.Context.synchronize()
    print(squares.array)


def kernel_heap_copy():
    from course_lib import kernel_heap

    import numpy as np
    blocks = kernel_heap.allocate([16])
    [address] = blocks.addresses
    kernel_heap.put_in(address, np.array([3, 1, 4, 15], np.int32))
    print(kernel_heap.bring_out(address, 16).view(np.int32))
    blocks.release()


def reservation():
    from course_lib import reservation

    import numpy as np
    import pycuda.driver as cuda
    size = reservation.granularity()
    addresses = reservation.reserve(size)
    memory = reservation.create(size)
    mapping = addresses.map(memory)
    try:
        cuda.memcpy_htod(addresses.start, np.array([42], np.int32))
    except cuda.Error:
        pass
    mapping.set_access("readwrite")
    cuda.memcpy_htod(addresses.start, np.array([42], np.int32))
    mapping.unmap()
    try:
        cuda.memcpy_dtoh(np.empty(1, np.int32), addresses.start)
    except cuda.Error:
        pass
    memory.release()
    addresses.free()


def two_addresses():
    from course_lib import reservation

    import numpy as np
    import pycuda.driver as cuda
    size = reservation.granularity()
    memory = reservation.create(size)
    first = reservation.reserve(size).map(memory)
    first.set_access("readwrite")
    second = reservation.reserve(size).map(memory)
    second.set_access("readwrite")
    cuda.memcpy_htod(first.start, np.array([1, 2, 3], np.int32))
    first.unmap()
    print(cuda.from_device(second.start, 3, np.int32))


def stream_ordered():
    from course_lib.core.errors import ask, do

    import numpy as np
    import pycuda.driver as cuda
    from cuda.bindings import driver as cu
    stream, data = cuda.Stream(), cuda.pagelocked_empty(4, np.int32)
    data[:] = [3, 1, 4, 15]
    a = int(ask(cu.cuMemAllocAsync, 16, stream.handle))
    cuda.memcpy_htod_async(a, data, stream)
    do(cu.cuMemFreeAsync, a, stream.handle)
    b = int(ask(cu.cuMemAllocAsync, 16, stream.handle))
    cuda.memcpy_htod_async(b, data, stream)
    data[:] = 0
    stream.synchronize()
    print("the same address:", a == b)


def host_follows_a_device_address():
    import ctypes

    import pycuda.driver as cuda
    on_device = cuda.mem_alloc(16)
    print(ctypes.c_int.from_address(int(on_device)).value)


def kernel_follows_freed_memory():
    from course_lib import kernels

    import pycuda.driver as cuda
    add_100 = kernels.compile(ADD).add_100
    on_device = cuda.mem_alloc(16)
    address = int(on_device)
    on_device.free()
    add_100(1, 4, address)
    cuda.Context.synchronize()


# -- of our own --------------------------------------------------------------------------------------------------------

def zeros_arrive():
    import numpy as np
    import pycuda.driver as cuda
    stream, data = cuda.Stream(), cuda.pagelocked_empty(4, np.int32)
    on_device = cuda.mem_alloc(16)
    data[:] = [3, 1, 4, 15]
    cuda.memcpy_htod_async(on_device, data, stream)
    data[:] = 0
    stream.synchronize()
    print(cuda.from_device(on_device, 4, np.int32))


def endless():
    number = 0
    while True:
        number += 1


def kernel_never_ends():
    from course_lib import kernels

    import pycuda.driver as cuda
    wait = kernels.compile("__global__ void wait_for(volatile int *x) { while (*x == 0); }").wait_for
    flag = cuda.mem_alloc(4)
    cuda.memset_d32(flag, 0, 1)
    wait(1, 1, flag)
    cuda.Context.synchronize()


def host_polls():
    from course_lib import kernels, pinned
    answer = kernels.compile("__global__ void answer(volatile int *x) { *x = 42; }").answer
    flag = pinned.allocate(1, "int32")
    flag.array[0] = 0
    answer(1, 1, flag)
    while flag.array[0] == 0:
        pass
    print(flag.array[0])


def host_asks_a_stream():
    import numpy as np
    import pycuda.driver as cuda
    stream, data = cuda.Stream(), cuda.pagelocked_zeros(4, np.int32)
    on_device = cuda.mem_alloc(16)
    cuda.memcpy_htod_async(on_device, data, stream)
    while not stream.is_done():
        pass
    print("done")


def registered():
    from course_lib import pinned

    import numpy as np
    numbers = np.array([3, 1, 4, 15], np.int32)
    registration = pinned.register(numbers)
    print(registration.device_address == numbers.ctypes.data)
    registration.unregister()


def whose_number():
    from course_lib import pinned
    from course_lib.pointers import host_pointer_for

    import numpy as np
    import pycuda.driver as cuda
    from cuda.bindings import driver as cu
    data = cuda.pagelocked_empty(4, np.int32)
    device = data.base.get_device_pointer()
    again, host = device, data.ctypes.data
    answer = host_pointer_for(device)
    error, allocated = cu.cuMemHostAlloc(16, 0)
    error, forward = cu.cuMemHostGetDevicePointer(allocated, 0)
    memory = pinned.allocate(4, np.int32)
    of_host, of_device = memory.host_address, memory.device_address
    print({host, device, again, answer} == {host}, of_host == of_device)
    on_device = cuda.mem_alloc(16)
    number = int(on_device)
    print(number == host)


def managed():
    from course_lib import kernels

    import numpy as np
    import pycuda.driver as cuda
    add_100 = kernels.compile(ADD).add_100
    numbers = cuda.managed_empty(4, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    numbers[:] = [3, 1, 4, 15]
    add_100(1, 4, numbers.ctypes.data)
    cuda.Context.synchronize()
    print(numbers)


def nobody_waits():
    import pycuda.driver as cuda
    on_device = cuda.mem_alloc(16)
    cuda.memset_d32(on_device, 7, 4)


def bytes_are_moved():
    import numpy as np
    import pycuda.driver as cuda
    from cuda.bindings import driver as cu
    numbers, first, second = np.array([0.5, -2, 1e9]), cuda.mem_alloc(24), cuda.mem_alloc(24)
    cu.cuMemcpy(int(first), numbers.ctypes.data, 24)
    cu.cuMemcpyDtoD(int(second), int(first), 8)
    cu.cuMemcpyPeer(int(second) + 8, cu.cuCtxGetCurrent()[1], int(first) + 16, cu.cuCtxGetCurrent()[1], 8)
    cu.cuMemsetD16(int(second) + 16, 0, 4)
    cu.cuMemsetD8(int(first), 0, 8)
    cu.cuMemcpyDtoH(numbers.ctypes.data, int(second), 24)
    pitched, pitch = cuda.mem_alloc_pitch(8, 2, 4)
    [many] = [[first, cuda.mem_alloc(4)]]
    many.pop()


def a_reservation_without_a_name():
    import numpy as np
    from cuda.bindings import driver as cu
    numbers = np.arange(2)
    error, start = cu.cuMemAddressReserve(2 << 20, 0, 0, 0)
    again, start = int(start), int(start)
    start = again + 4096
    again = start = None
    print(error, again, numbers)


def reservations_side_by_side():
    import pycuda.driver as cuda
    from cuda.bindings import driver as cu
    freed = cuda.mem_alloc(16)
    address = int(freed)
    freed.free()
    error, middle = cu.cuMemAddressReserve(2 << 20, 0, 5 << 44, 0)
    error, after = cu.cuMemAddressReserve(2 << 20, 0, int(middle) + (2 << 20), 0)
    error, before = cu.cuMemAddressReserve(2 << 20, 0, int(middle) - (2 << 20), 0)
    print(error, address == int(middle), int(before) < int(after))
    number = int(after)
    cu.cuMemAddressFree(after, 2 << 20)
    after = None
    print(number == int(middle))


def numbers_of_several_types():
    import numpy as np
    import pycuda.driver as cuda
    small, large = np.array([1, 2], np.int16), cuda.pagelocked_zeros(2, np.float64)
    words = np.empty(2, object)
    large[:] = .5
    there, short, next_to_it = cuda.mem_alloc(512), cuda.mem_alloc(2), cuda.mem_alloc(512)
    cuda.memset_d32(there, 7, 1)
    cuda.memset_d32(next_to_it, 8, 1)
    same = again = int(there)
    turned = np.empty((2, 2), order="F")
    print(small[0], words[0], turned.shape, same == again, int(short) > 0)


def addresses_of_freed_memory():
    import pycuda.driver as cuda
    first, second = cuda.mem_alloc(16), cuda.mem_alloc(16)
    number, other = int(first), int(second)
    first.free()
    second.free()
    print(number == other)


def memory_that_is_gone_before_its_line_ends():
    import numpy as np
    import pycuda.driver as cuda
    stream = cuda.Stream()
    (lambda there: (cuda.memset_d32_async(int(there), 7, 4, stream), stream.synchronize()))(cuda.mem_alloc(16))
    (lambda there, here: (cuda.memcpy_htod_async(there, here, stream), stream.synchronize()))(cuda.mem_alloc(16), np.zeros(4, np.int32))
    print("done")


def host_writes_in_the_line_that_gives_access():
    import ctypes

    from course_lib import reservation
    size = reservation.granularity("host")
    mapping = reservation.reserve(size).map(reservation.create(size, "host"))
    print([mapping.set_access("readwrite", who) for who in ("device", "host")], ctypes.memset(mapping.start, 1, 8) == mapping.start)
    mapping.unmap()


def helper_of_the_program():
    import numpy as np
    import pycuda.driver as cuda

    def to_device(numbers):
        address = cuda.mem_alloc(numbers.nbytes)
        cuda.memcpy_htod(address, numbers)
        return address
    squares = [number ** 2 for number in range(4)]
    first = to_device(np.array(squares, np.int32))
    second = to_device(np.array([7], np.int32))
    first.free()
    print(int(second) % 256)


def an_exception_is_caught():
    import pycuda.driver as cuda
    on_device = cuda.mem_alloc(16)
    try:
        cuda.memset_d32(int(on_device) + (1 << 40), 0, 1)
    except cuda.LogicError:
        print("refused")
    cuda.memset_d32(on_device, 0, 4)
    cuda.Context.synchronize()


def all_that_python_has():
    def helper(first, second):
        total = first + second
        return total

    def numbers():
        yield 1
        yield 2
    first = next(numbers())

    def raises():
        import numpy as np
        seen = np.arange(3)
        return seen[first + 2]
    try:
        raises()
    except IndexError:
        pass
    try:
        helper(1, "x")
    except TypeError as error:
        print(type(error).__name__)
    finally:
        done = False
    with open("/dev/null") as file:
        file.read()
    while True:
        done = not done
        if done:
            break
    squares = [number ** 2 for number in numbers()]
    total = helper(
        max(
            squares),
        helper(2, 3))
    for number in range(3):
        if number % 2:
            print(number, total)
        else:
            continue


PROGRAMS = [thing for name, thing in list(globals().items()) if callable(thing)]
