"""Initialisation, versions, errors, and the table of functions (cuda.h: Initialization, Version, Error Handling,
Driver Entry Point Access)."""
import ctypes
import sys

from ..device import visible
from ..device.context import Device
from ..libcuda import lacking
from ..libcuda.library import NOTHING, call, functions_by_base_name, i32, pointer, u32, u64
from ..libcuda.output import load, load_string, store
from ..libcuda.results import TEXTS, CallError, Result
from ..libcuda.state import DRIVER_VERSION, driver

SYMBOL_FOUND, SYMBOL_NOT_FOUND, VERSION_NOT_SUFFICIENT = 0, 1, 2    # CUdriverProcAddressQueryResult
_strings = {}    # C strings that callers keep pointers to


@call("cuInit", needs=NOTHING)
def init(flags: u32):
    if flags:
        raise CallError(Result.INVALID_VALUE, "cuInit takes no flags")
    if driver.initialized:
        return
    try:
        slots = visible.visible_slots()
    except (CallError, ValueError) as error:
        # Whoever set the variable for real GPUs would search for long.
        print(f"cuda_simulator: {error}", file=sys.stderr)
        raise CallError(getattr(error, "result", Result.NO_DEVICE)) from None
    driver.initialize([Device(ordinal, slot) for ordinal, slot in enumerate(slots)])


@call("cuDriverGetVersion", needs=NOTHING)
def driver_get_version(version: pointer):
    store(version, ctypes.c_int, DRIVER_VERSION)


def _c_string(text):
    """The address of `text` as a C string that lives as long as the process."""
    if text not in _strings:
        _strings[text] = ctypes.create_string_buffer(text.encode())
    return ctypes.addressof(_strings[text])


def _describe(error, target, text_of):
    try:
        text = text_of(Result(error))
    except (ValueError, KeyError):
        store(target, ctypes.c_size_t, 0)
        raise CallError(Result.INVALID_VALUE, f"{error} is no CUresult") from None
    store(target, ctypes.c_size_t, _c_string(text))


@call("cuGetErrorName", needs=NOTHING)
def get_error_name(error: i32, target: pointer):
    _describe(error, target, lambda result: result.c_name)


@call("cuGetErrorString", needs=NOTHING)
def get_error_string(error: i32, target: pointer):
    _describe(error, target, TEXTS.__getitem__)


@call("cuGetProcAddress_v2", needs=NOTHING)
def get_proc_address(symbol: pointer, target: pointer, version: i32, flags: u64, status: pointer):
    """The newest form of a function that a program written for CUDA `version` may use.

    As on an H200, "there is none" is no error: the address is null, and `status` says why.
    """
    if version > DRIVER_VERSION or flags > 3:
        raise CallError(Result.INVALID_VALUE, "a version newer than the driver, or unknown flags")
    forms = functions_by_base_name().get(load_string(symbol), [])
    fitting = [address for since, address in forms if since <= version or version < 0]
    store(target, ctypes.c_size_t, fitting[0] if fitting else 0)
    if status:
        store(status, ctypes.c_int, SYMBOL_FOUND if fitting else VERSION_NOT_SUFFICIENT if forms else SYMBOL_NOT_FOUND)


@call("cuGetProcAddress", needs=NOTHING)
def get_proc_address_without_status(symbol: pointer, target: pointer, version: i32, flags: u64):
    get_proc_address(symbol, target, version, flags, 0)


_OF_NVRTC = bytes.fromhex("da9151d33ae6cc41a5c04f26d533e328")    # it does without


@call("cuGetExportTable", needs=NOTHING)
def get_export_table(target: pointer, identity: pointer):
    """The private tables that NVIDIA's own runtime asks for. There are none; a null one would crash it."""
    if bytes(load(identity, ctypes.c_ubyte * 16)) != _OF_NVRTC:
        lacking.note("the CUDA runtime, libcudart, which CuPy, PyTorch and C++ programs link: it asks the driver for private tables")
    raise CallError(Result.INVALID_VALUE, "private tables of the driver are not simulated")


@call("cuProfilerStart", "cuProfilerStop")
def profiler():
    """There is nothing to profile; programs that bracket their kernels with these go on."""
