"""Error codes' names and texts; what the driver offers by name; its version."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import DRIVER, NOTHING, question
from ...helpers.calls import ask, must, outcome, raw


def _text(function, code):
    out = ctypes.c_char_p()
    answer = getattr(ctypes.CDLL("libcuda.so.1"), function)(ctypes.c_int(code), ctypes.byref(out))
    return out.value.decode() if answer == 0 else [answer, out.value is None]


@question("every code of cuda.h has its name, and other numbers have none", needs=NOTHING)
def names():
    for code in range(-1, 1001):
        answer = _text("cuGetErrorName", code)
        if not isinstance(answer, list) or code in (-1, 10, 33, 99, 299, 998, 1000):
            yield f"{code}", answer


@question("every code has its text", needs=NOTHING)
def texts():
    for code in range(-1, 1001):
        answer = _text("cuGetErrorString", code)
        if not isinstance(answer, list) or code in (-1, 10, 33, 99, 299, 998, 1000):
            yield f"{code}", answer


@question("the driver's version is known before it is initialized", needs=NOTHING)
def version():
    yield "version", outcome(cu.cuDriverGetVersion())
    yield "null output", lambda: raw("cuDriverGetVersion", None)
    yield "name, null output", lambda: raw("cuGetErrorName", ctypes.c_int(0), None)


@question("initializing takes the flags 0 and nothing else, as often as one likes", needs=NOTHING)
def init():
    yield "flags 1", ask(cu.cuInit(1))
    yield "count after a refused init", ask(cu.cuDeviceGetCount())
    yield "flags 2^31", ask(cu.cuInit(1 << 31))
    yield "flags 0", ask(cu.cuInit(0))
    yield "again", ask(cu.cuInit(0))
    yield "flags 1 afterwards", ask(cu.cuInit(1))


NAMES = [name for name in dir(cu) if name.startswith("cu") and name[2:3].isupper() and callable(getattr(cu, name))]


def _entry_point(symbol, version, flags=0):
    out, status = ctypes.c_void_p(), ctypes.c_int(77)
    code = ctypes.CDLL("libcuda.so.1").cuGetProcAddress_v2(symbol, ctypes.byref(out), ctypes.c_int(version), ctypes.c_uint64(flags),
                                                           ctypes.byref(status))
    return [code, bool(out.value), status.value]


@question("cuGetProcAddress offers every function of cuda.bindings by its unversioned name", needs=DRIVER, open_labels=True)
def offered():
    for symbol in NAMES:
        yield symbol, _entry_point(symbol.encode(), 13000)


@question("cuGetProcAddress says whether the name is unknown or the version too old", needs=DRIVER)
def offered_versions():
    for symbol in (b"cuMemAlloc", b"cuMemAlloc_v2", b"cuCtxCreate", b"cuCtxCreate_v4", b"cuMemMap", b"cuInit", b"cuNothing", b"", b"malloc",
                   b"cuMemAllocAsync", b"cuCtxSynchronize", b"cuGetProcAddress", b"cuEventElapsedTime", b"cuda", b"cuMemcpyDtoH"):
        for version in (0, 1000, 2000, 3000, 3020, 4000, 7000, 10010, 10020, 11000, 11020, 12000, 12080, 13000, 13010, 99999, -1):
            yield f"{symbol.decode() or 'empty'} {version}", _entry_point(symbol, version)
    for flags in (1, 2, 3, 4, 8):
        yield f"flags {flags}", _entry_point(b"cuMemcpyDtoH", 13000, flags)


@question("cuGetProcAddress refuses null arguments; its status may be left out", needs=DRIVER)
def offered_nulls():
    out, status = ctypes.c_uint64(), ctypes.c_int()
    yield "no name", lambda: raw("cuGetProcAddress_v2", None, ctypes.byref(out), ctypes.c_int(13000), 0, ctypes.byref(status))
    yield "no place", lambda: raw("cuGetProcAddress_v2", b"cuInit", None, ctypes.c_int(13000), 0, ctypes.byref(status))
    yield "no status", lambda: raw("cuGetProcAddress_v2", b"cuInit", ctypes.byref(out), ctypes.c_int(13000), 0, None)
    yield "no status, unknown name", lambda: raw("cuGetProcAddress_v2", b"cuNope", ctypes.byref(out), ctypes.c_int(13000), 0, None)
    yield "cuda.bindings", ask(cu.cuGetProcAddress(b"cuInit", 13000, cu.CUdriverProcAddress_flags(0)))


@question("which versions of a function cuGetProcAddress offers", needs=NOTHING)
def offered_before_init():
    yield "cuMemAlloc", _entry_point(b"cuMemAlloc", 13000)
    yield "cuNothing", _entry_point(b"cuNothing", 13000)


@question("private tables are not for us", needs=DRIVER)
def export_table():
    table, nothing = ctypes.c_void_p(), (ctypes.c_char * 16)()
    yield "unknown", lambda: raw("cuGetExportTable", ctypes.byref(table), nothing)


@question("profiler calls are accepted", needs=DRIVER)
def profiler():
    yield "start without a context", ask(cu.cuProfilerStart())
    yield "stop without a context", ask(cu.cuProfilerStop())
    context = must(cu.cuCtxCreate(None, 0, 0))
    yield "start", ask(cu.cuProfilerStart())
    yield "stop", ask(cu.cuProfilerStop())
    must(cu.cuCtxDestroy(context))
