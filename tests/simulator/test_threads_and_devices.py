"""Several threads at once, and several simulated devices."""
import pytest

from .programs import output, run


def test_threads_allocate_copy_and_free_at_once():
    assert output("""
        context = cuda.Context.get_current()
        wrong = []
        def work(number):
            context.push()
            try:
                stream = cuda.Stream()
                for turn in range(200):
                    data = np.full(100 + number, 1000 * number + turn)
                    memory, pinned = cuda.mem_alloc(data.nbytes), cuda.pagelocked_empty(data.shape, data.dtype)
                    pinned[:] = data
                    cuda.memcpy_htod_async(memory, pinned, stream)
                    back = np.empty_like(data)
                    cuda.memcpy_dtoh_async(back, memory, stream)
                    stream.synchronize()
                    if (back != data).any():
                        wrong.append((number, turn))
                    memory.free()
                del stream, pinned, memory    # in their own context
            finally:
                context.pop()
        context_free = cuda.mem_get_info()
        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(wrong, cuda.mem_get_info() == context_free)
    """) == "[] True\n"


def test_each_thread_has_its_own_current_context():
    assert output("""
        from cuda.bindings import driver
        seen = []
        thread = threading.Thread(target=lambda: seen.append(int(driver.cuCtxGetCurrent()[1])))
        thread.start(); thread.join()
        print(seen, int(driver.cuCtxGetCurrent()[1]) != 0)
    """) == "[0] True\n"


def test_kernels_of_two_streams_run_side_by_side():
    """Each waits for the other: one after the other they would never end."""
    assert output("""
        module = SourceModule('''__global__ void meet(volatile int *mine, volatile int *others) {
            *mine = 1; while (*others == 0); }''')
        meet = module.get_function("meet")
        flags = cuda.mem_alloc(8); cuda.memset_d32(flags, 0, 2)
        one, two = np.intp(int(flags)), np.intp(int(flags) + 4)
        first, second = cuda.Stream(), cuda.Stream()
        meet(one, two, block=(1, 1, 1), stream=first)
        meet(two, one, block=(1, 1, 1), stream=second)
        cuda.Context.synchronize()
        print("met")
    """) == "met\n"


PEERS = """
from cuda.bindings import driver
def must(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None
there = cuda.Device(1).make_context()
far = cuda.mem_alloc(16); cuda.memcpy_htod(far, np.arange(4, dtype=np.int32))
cuda.Context.pop()
copy = SourceModule("__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }").get_function("copy")
near = cuda.mem_alloc(16)
"""


def test_there_are_as_many_devices_as_asked_for():
    assert output("print(cuda.Device.count(), len({cuda.Device(i).pci_bus_id() for i in range(3)}))",
                  CUDA_SIMULATOR_DEVICES="3") == "3 3\n"


@pytest.mark.parametrize("count", ["0", "5", "two"])
def test_another_number_of_devices_is_refused(count):
    done = run("", CUDA_SIMULATOR_DEVICES=count)
    assert done.returncode != 0 and "cuInit failed" in done.stderr


def test_a_kernel_reaches_another_device_s_memory_only_with_peer_access():
    assert output(PEERS + """
        must(driver.cuCtxEnablePeerAccess(there.handle, 0))
        copy(near, far, block=(4, 1, 1))
        print(cuda.from_device(near, 4, np.int32))
        there.push(); far.free(); there.detach()
    """.replace("\n        ", "\n"), CUDA_SIMULATOR_DEVICES="2") == "[0 1 2 3]\n"
    done = run(PEERS + "copy(near, far, block=(4, 1, 1)); cuda.Context.synchronize()", CUDA_SIMULATOR_DEVICES="2")
    assert "an illegal memory access was encountered" in done.stderr


def test_a_copy_between_devices_needs_no_peer_access():
    assert output(PEERS + """
        cuda.memcpy_dtod(near, far, 16)
        print(cuda.from_device(near, 4, np.int32))
        there.push(); far.free(); there.detach()
    """.replace("\n        ", "\n"), CUDA_SIMULATOR_DEVICES="2") == "[0 1 2 3]\n"
