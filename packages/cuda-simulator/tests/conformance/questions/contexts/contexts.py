"""Contexts: create, destroy, the stack of each thread, limits and flags; the primary context."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, question
from ...helpers import kernels
from ...helpers.calls import ask, current_context, must, new_context, outcome, raw, where


@question("creating a context makes it current; popping it brings back what was there", needs=DRIVER)
def stack():
    yield "at first", where(current_context())
    a = new_context()
    yield "after create", where(current_context(), a=a)
    b = new_context()
    yield "after a second", where(current_context(), a=a, b=b)
    yield "pop", where(must(cu.cuCtxPopCurrent()), a=a, b=b)
    yield "then", where(current_context(), a=a, b=b)
    yield "pop again", where(must(cu.cuCtxPopCurrent()), a=a, b=b)
    yield "then nothing", where(current_context(), a=a, b=b)
    yield "pop of nothing", ask(cu.cuCtxPopCurrent())
    yield "push", ask(cu.cuCtxPushCurrent(a))
    yield "push it again", ask(cu.cuCtxPushCurrent(a))
    yield "push another", ask(cu.cuCtxPushCurrent(b))
    yield "pops", [where(must(cu.cuCtxPopCurrent()), a=a, b=b) for _ in range(3)]
    yield "push null", ask(cu.cuCtxPushCurrent(0))


@question("setting the current context replaces the top of the stack", needs=DRIVER)
def set_current():
    a, b = new_context(), new_context()
    yield "set a", ask(cu.cuCtxSetCurrent(a))
    yield "then", where(current_context(), a=a, b=b)
    yield "pop", where(must(cu.cuCtxPopCurrent()), a=a, b=b)
    yield "under it", where(current_context(), a=a, b=b)
    yield "set null", ask(cu.cuCtxSetCurrent(0))
    yield "then null", where(current_context(), a=a, b=b)
    yield "pop after null", ask(cu.cuCtxPopCurrent())
    yield "set b on an empty stack", ask(cu.cuCtxSetCurrent(b))
    yield "then b", where(current_context(), a=a, b=b)
    yield "pop b", where(must(cu.cuCtxPopCurrent()), a=a, b=b)


@question("setting null pops the top: what is under it becomes current", needs=DRIVER)
def set_null():
    a, b = new_context(), new_context()
    must(cu.cuCtxSetCurrent(0))
    return where(current_context(), a=a, b=b)


@question("destroying a context takes it off the stack where it is on top, and elsewhere leaves it there", needs=DRIVER)
def destroy():
    a, b, c = new_context(), new_context(), new_context()
    yield "destroy the current one", ask(cu.cuCtxDestroy(c))
    yield "then", where(current_context(), a=a, b=b, c=c)
    yield "destroy the one under it", ask(cu.cuCtxDestroy(a))
    yield "unchanged", where(current_context(), a=a, b=b)
    yield "pop", where(must(cu.cuCtxPopCurrent()), a=a, b=b)
    yield "the destroyed one", where(current_context(), a=a, b=b)
    yield "memory in it", ask(cu.cuMemAlloc(16))
    yield "synchronize it", ask(cu.cuCtxSynchronize())
    yield "its device", ask(cu.cuCtxGetDevice())
    yield "its limit", ask(cu.cuCtxGetLimit(cu.CUlimit.CU_LIMIT_STACK_SIZE))
    yield "its flags", ask(cu.cuCtxGetFlags())
    yield "pop it", ask(cu.cuCtxPopCurrent())
    yield "then nothing", where(current_context(), a=a, b=b)
    yield "destroy b, not current", ask(cu.cuCtxDestroy(b))


@question("a destroyed context can be neither used nor destroyed again", needs=DRIVER)
def destroyed():
    a = new_context()
    keep = new_context()
    must(cu.cuCtxDestroy(a))
    yield "destroy again", lambda: ask(cu.cuCtxDestroy(a))
    yield "push", lambda: ask(cu.cuCtxPushCurrent(a))
    yield "set", lambda: ask(cu.cuCtxSetCurrent(a))
    yield "api version", lambda: ask(cu.cuCtxGetApiVersion(a))
    yield "id", lambda: ask(cu.cuCtxGetId(a))
    yield "current", lambda: where(current_context(), keep=keep, a=a)


@question("null is no context", needs=DRIVER)
def null():
    yield "destroy", ask(cu.cuCtxDestroy(0))
    yield "push", ask(cu.cuCtxPushCurrent(0))
    yield "set", ask(cu.cuCtxSetCurrent(0))
    yield "api version", ask(cu.cuCtxGetApiVersion(0))
    yield "id", ask(cu.cuCtxGetId(0))
    new_context()
    yield "api version of the current one", outcome(cu.cuCtxGetApiVersion(0))
    yield "id of the current one", ask(cu.cuCtxGetId(0))
    yield "push null over a context", ask(cu.cuCtxPushCurrent(0))
    yield "destroy null with one current", ask(cu.cuCtxDestroy(0))


@question("a value that never was a context", needs=DRIVER)
def garbage():
    buffer = ctypes.create_string_buffer(65536)
    a = ctypes.addressof(buffer)
    yield "push", lambda: ask(cu.cuCtxPushCurrent(a))
    yield "set", lambda: ask(cu.cuCtxSetCurrent(a))
    yield "destroy", lambda: ask(cu.cuCtxDestroy(a))
    yield "api version", lambda: ask(cu.cuCtxGetApiVersion(a))


@question("creating a context needs a device that exists, in both signatures", needs=DRIVER)
def create_devices():
    out = ctypes.c_uint64()
    for ordinal in (-1, 1 << 20, 99):
        yield f"cuCtxCreate device {ordinal}", ask(cu.cuCtxCreate(None, 0, ordinal))
        yield f"cuCtxCreate_v2 device {ordinal}", lambda: raw("cuCtxCreate_v2", ctypes.byref(out), ctypes.c_uint(0), ctypes.c_int(ordinal))
    yield "cuCtxCreate_v2", lambda: raw("cuCtxCreate_v2", ctypes.byref(out), ctypes.c_uint(0), ctypes.c_int(0))
    yield "current then", where(current_context(), created=out.value)
    yield "cuCtxCreate_v3", lambda: raw("cuCtxCreate_v3", ctypes.byref(out), None, ctypes.c_int(0), ctypes.c_uint(0), ctypes.c_int(0))
    yield "null output", lambda: raw("cuCtxCreate_v2", None, ctypes.c_uint(0), ctypes.c_int(0))


@question("a context tells its version, device and a number of its own")
def facts():
    a = must(cu.cuCtxGetCurrent())
    b = new_context()
    yield "api version", outcome(cu.cuCtxGetApiVersion(a))
    yield "device", outcome(cu.cuCtxGetDevice())
    yield "ids differ", outcome(cu.cuCtxGetId(a)) != outcome(cu.cuCtxGetId(b))
    yield "id step", outcome(cu.cuCtxGetId(b)) - outcome(cu.cuCtxGetId(a))
    yield "attach", ask(attached := cu.cuCtxAttach(0))
    yield "attach: same", where(attached[1] or 0, a=a, b=b)
    yield "attach with flags", ask(cu.cuCtxAttach(1))
    yield "detach", ask(cu.cuCtxDetach(b))
    yield "detach again", lambda: ask(cu.cuCtxDetach(b))


@question("destroying a context frees its device memory", needs=DRIVER, quiet=True)
def destroy_frees():
    keep = new_context()
    free = int(must(cu.cuMemGetInfo())[0])
    other_context = new_context()
    a = must(cu.cuMemAlloc(256 << 20))
    must(cu.cuCtxDestroy(other_context))
    yield "current", where(current_context(), keep=keep)
    yield "given back", free - int(must(cu.cuMemGetInfo())[0])
    yield "copy from it", ask(cu.cuMemcpyDtoH(bytearray(4), a, 4))
    yield "free it", ask(cu.cuMemFree(a))
    yield "its range", ask(cu.cuMemGetAddressRange(a))


@question("objects of a destroyed context are refused", needs=DRIVER,
          varies={label: "the driver reads what it has given back" for label in (
              "launch", "get function", "unload", "stream query", "stream destroy", "event query", "event destroy")})
def destroyed_objects():
    keep = new_context()
    other_context = new_context()
    module = must(cu.cuModuleLoadData(kernels.ptx()))
    function = must(cu.cuModuleGetFunction(module, b"nothing"))
    stream, event = must(cu.cuStreamCreate(0)), must(cu.cuEventCreate(0))
    must(cu.cuCtxDestroy(other_context))
    yield "current", where(current_context(), keep=keep)
    yield "launch", lambda: ask(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    yield "get function", lambda: ask(cu.cuModuleGetFunction(module, b"nothing"))
    yield "unload", lambda: ask(cu.cuModuleUnload(module))
    yield "stream query", lambda: ask(cu.cuStreamQuery(stream))
    yield "stream destroy", lambda: ask(cu.cuStreamDestroy(stream))
    yield "event query", lambda: ask(cu.cuEventQuery(event))
    yield "event destroy", lambda: ask(cu.cuEventDestroy(event))


@question("context calls without one answer 201", needs=DRIVER)
def none_current():
    for call in ("cuCtxGetDevice", "cuCtxGetFlags", "cuCtxSynchronize", "cuCtxGetCacheConfig", "cuCtxGetSharedMemConfig",
                 "cuCtxGetStreamPriorityRange", "cuCtxPopCurrent", "cuCtxResetPersistingL2Cache", "cuCtxGetCurrent", "cuMemGetInfo"):
        yield call, ask(getattr(cu, call)())
    yield "cuCtxGetLimit", ask(cu.cuCtxGetLimit(cu.CUlimit(0)))
    yield "cuCtxSetLimit", ask(cu.cuCtxSetLimit(cu.CUlimit(0), 1024))
    yield "cuCtxSetCacheConfig", ask(cu.cuCtxSetCacheConfig(cu.CUfunc_cache(0)))
    yield "cuCtxSetCurrent null", ask(cu.cuCtxSetCurrent(0))
    yield "cuCtxAttach", ask(cu.cuCtxAttach(0))


@question("a stack of a hundred contexts, the same one pushed again and again")
def deep_stack():
    context = must(cu.cuCtxGetCurrent())
    codes = {ask(cu.cuCtxPushCurrent(context)) for _ in range(100)}
    pops = sum(not int(cu.cuCtxPopCurrent()[0]) for _ in range(100))
    return [sorted(codes), pops, where(current_context(), context=context)]


@question("contexts tell what they are")
def what_they_tell():
    context = must(cu.cuCtxGetCurrent())
    yield "version", outcome(cu.cuCtxGetApiVersion(context))
    yield "version of the null context", outcome(cu.cuCtxGetApiVersion(0))
    ids = [outcome(cu.cuCtxGetId(context)), outcome(cu.cuCtxGetId(new_context()))]
    yield "numbers differ", ids[0] != ids[1]
    yield "number of the null context is the current one's", outcome(cu.cuCtxGetId(0)) == ids[1]
    yield "reset persisting", ask(cu.cuCtxResetPersistingL2Cache())
