"""Several threads at once."""
from .programs import output


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
        flag, other_flag = np.intp(int(flags)), np.intp(int(flags) + 4)
        first, second = cuda.Stream(), cuda.Stream()
        meet(flag, other_flag, block=(1, 1, 1), stream=first)
        meet(other_flag, flag, block=(1, 1, 1), stream=second)
        cuda.Context.synchronize()
        print("met")
    """) == "met\n"
