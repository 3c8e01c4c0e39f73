"""A context's limits, flags and configurations."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers.calls import ask, current_context, must, new_context, outcome, raw


@question("a context takes the scheduling flags one at a time, and no unknown bit", needs=DRIVER)
def create_flags():
    for flags in [*range(32), 32, 64, 128, 129, 255, 256, 512, 1 << 31]:
        result = cu.cuCtxCreate(None, flags, 0)
        yield f"{flags}", [ask(result), outcome(cu.cuCtxGetFlags()) if not int(result[0]) else None]
        if not int(result[0]):
            must(cu.cuCtxDestroy(result[1]))


@question("every limit has a default")
def limits():
    for limit in map(cu.CUlimit, range(10)):
        yield f"{limit.name} ({int(limit)})", outcome(cu.cuCtxGetLimit(limit))
    # In CUDA 13.0. Newer ones have a limit of this number, which that driver does not know.
    yield "CU_LIMIT_MAX (10)", outcome(cu.cuCtxGetLimit(cu.CUlimit(10)))
    for number in (11, 50, 255, -1):
        out = ctypes.c_uint64()
        yield f"limit {number}", lambda: raw("cuCtxGetLimit", ctypes.byref(out), ctypes.c_int(number))
        yield f"set limit {number}", lambda: raw("cuCtxSetLimit", ctypes.c_int(number), 1024)
    yield "null output", lambda: raw("cuCtxGetLimit", None, ctypes.c_int(0))


@question("limits can be set, and read back as they were taken")
def set_limits():
    for limit in map(cu.CUlimit, range(10)):
        for value in (0, 1, 2, 16, 100, 128, 512, 1000, 1024, 1025, 4096, 65536, 524287, 524288, 1 << 20, 1 << 24, 1 << 30):
            if limit.name.endswith("MALLOC_HEAP_SIZE"):
                continue
            context = current_context()
            new_context()
            yield f"{limit.name} {value}", [ask(cu.cuCtxSetLimit(limit, value)), outcome(cu.cuCtxGetLimit(limit))]
            must(cu.cuCtxDestroy(current_context()))
            must(cu.cuCtxSetCurrent(context))


@question("the stack can be made larger, up to a bound")
def stack_limit():
    stack = cu.CUlimit.CU_LIMIT_STACK_SIZE
    for value in (262144, 524288 - 16, 524288, 524289, 1 << 22, 1 << 40):
        yield f"{value}", [ask(cu.cuCtxSetLimit(stack, value)), outcome(cu.cuCtxGetLimit(stack))]


@question("limits belong to the context")
def limits_per_context():
    stack = cu.CUlimit.CU_LIMIT_STACK_SIZE
    must(cu.cuCtxSetLimit(stack, 8192))
    new_context()
    return outcome(cu.cuCtxGetLimit(stack))


@question("cache and shared memory configurations are accepted")
def configurations():
    yield "cache", outcome(cu.cuCtxGetCacheConfig())
    for config in cu.CUfunc_cache:
        yield f"set {config.name}", [ask(cu.cuCtxSetCacheConfig(config)), outcome(cu.cuCtxGetCacheConfig())]
    yield "shared", outcome(cu.cuCtxGetSharedMemConfig())
    for config in cu.CUsharedconfig:
        yield f"set {config.name}", [ask(cu.cuCtxSetSharedMemConfig(config)), outcome(cu.cuCtxGetSharedMemConfig())]
    yield "set cache 9", lambda: raw("cuCtxSetCacheConfig", ctypes.c_int(9))
    yield "set shared 9", lambda: raw("cuCtxSetSharedMemConfig", ctypes.c_int(9))
    yield "reset persisting L2", ask(cu.cuCtxResetPersistingL2Cache())
    yield "stream priorities", outcome(cu.cuCtxGetStreamPriorityRange())
    yield "stream priorities, null outputs", lambda: raw("cuCtxGetStreamPriorityRange", None, None)


@question("stack sizes up to the largest")
def largest_stack():
    stack = cu.CUlimit.CU_LIMIT_STACK_SIZE
    for value in (0, 8, 131072, 200000, 262128, 262144, 262160, 300000, 400000, 500000, 523000, 524000):
        yield f"{value}", [ask(cu.cuCtxSetLimit(stack, value)), outcome(cu.cuCtxGetLimit(stack))]


@question("the buffer of printf has whole blocks of 256 bytes, and 512 KiB at least")
def printf_buffer():
    limit = cu.CUlimit.CU_LIMIT_PRINTF_FIFO_SIZE
    for size in (0, 1, 4096, 524287, 524288, 524289, 524544, 1 << 20, (1 << 20) + 1, (1 << 20) + 255, 3_000_000, 1 << 26):
        yield f"{size}", [ask(cu.cuCtxSetLimit(limit, size)), outcome(cu.cuCtxGetLimit(limit))]
