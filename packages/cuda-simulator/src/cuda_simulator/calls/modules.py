"""Modules (cuda.h: Module Management): loaded from PTX, their functions and variables by name.

Not here: functions (functions.py), the linker (linking.py).
"""
import ctypes
import os
import stat

from ..device import modules
from ..device.device_facts import COMPUTE_CAPABILITY
from ..device.modules import NEWEST_ARCHITECTURE, Module
from ..libcuda import fatbin, handles, process_memory
from ..libcuda.library import HEALTHY, INITIALIZED, call, handle, pointer, u32
from ..libcuda.output import load, load_array, load_string, store, store_bytes, store_string
from ..libcuda.results import CallError, Result
from ..libcuda.state import current

MAX_REGISTERS, INFO_LOG, INFO_LOG_SIZE, ERROR_LOG, ERROR_LOG_SIZE, TARGET = 0, 3, 4, 5, 6, 9    # CUjit_option
TARGETS = {30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 110, 120, 121}
MOST_OF_AN_IMAGE = 1 << 28     # bytes that are read: machine code, which is refused, may be large, and a file may have no end
_JIT_OPTIONS = 34                                                  # CU_JIT_NUM_OPTIONS


class JitOptions:
    """The options of a call: two parallel C arrays. Buffers for messages are all that matters here."""

    def __init__(self, count, options, values):
        self.places = {}
        for position, option in enumerate(load_array(options, count, ctypes.c_int) if count else ()):
            if not 0 <= option < _JIT_OPTIONS:
                raise CallError(Result.INVALID_VALUE, f"there is no JIT option {option}")
            load(values + 8 * position, ctypes.c_size_t)
            self.places[option] = values + 8 * position

    def most_registers(self):
        """What the program allows a thread's registers to be; None where it says nothing."""
        return load(self.places[MAX_REGISTERS], ctypes.c_uint).value if MAX_REGISTERS in self.places else None

    def check_target(self):
        """Code for another device is refused with the codes that an H200's driver has for it."""
        if TARGET in self.places:
            target = load(self.places[TARGET], ctypes.c_uint).value
            if target not in TARGETS:
                raise CallError(Result.INVALID_IMAGE, f"there is no target {target}")
            if target // 10 != current().device.attributes[COMPUTE_CAPABILITY[0]]:
                raise CallError(Result.INVALID_SOURCE, f"code for sm_{target} does not run on this device")

    def _write(self, buffer, room, text):
        if buffer in self.places and room in self.places:
            capacity = load(self.places[room], ctypes.c_uint).value
            part = text[:max(capacity - 1, 0)]
            store_string(load(self.places[buffer], ctypes.c_size_t).value, capacity, part)
            # The zero that ends it counts only where the text was cut. (An H200's answers.)
            store(self.places[room], ctypes.c_size_t, len(part) + bool(part and part != text))

    def report(self, info="", error=""):
        """Fill the log buffers, as far as there are any."""
        self._write(INFO_LOG, INFO_LOG_SIZE, info)
        self._write(ERROR_LOG, ERROR_LOG_SIZE, error)


def _load(target, image, options):
    try:
        options.check_target()
        module = modules.load(current(), image)
    except CallError as error:
        options.report(error=str(error.args[0]))
        raise
    options.report()
    store(target, ctypes.c_size_t, module.handle)


def image_at(address):
    """The text of a module in memory, that of a fatbin too, or enough of machine code to know it."""
    try:
        if not address:
            raise process_memory.BadAddress
        head = process_memory.read(address, 4)
        if int.from_bytes(head, "little") == fatbin.WRAPPER:       # nvcc's: the fatbin's address is in it
            address = int.from_bytes(process_memory.read(address + 8, 8), "little")
            head = process_memory.read(address, 4)
        if int.from_bytes(head, "little") == fatbin.MAGIC and (size := fatbin.size_of(process_memory.read(address, 16))):
            return _of_fatbin(process_memory.read(address, min(size, MOST_OF_AN_IMAGE)))
        if head.startswith(b"\x7fELF") or not head.isascii():
            return process_memory.read(address, 64)    # enough to know what it is
        return process_memory.read_string(address)
    except process_memory.BadAddress:
        raise CallError(Result.INVALID_VALUE, "no module at this address") from None


def _of_fatbin(image):
    """Its PTX; what has none, or is cut off, stays as it is and is refused as machine code."""
    return fatbin.ptx(image, NEWEST_ARCHITECTURE) or image


_NO_OPTIONS = JitOptions(0, 0, 0)


@call("cuModuleLoadData")
def module_load_data(target: pointer, image: pointer):
    _load(target, image_at(image), _NO_OPTIONS)


@call("cuModuleLoadDataEx")
def module_load_data_ex(target: pointer, image: pointer, count: u32, options: pointer, values: pointer):
    _load(target, image_at(image), JitOptions(count, options, values))


@call("cuModuleLoadFatBinary")
def module_load_fat_binary(target: pointer, image: pointer):
    _load(target, image_at(image), _NO_OPTIONS)


@call("cuModuleLoad")
def module_load(target: pointer, path: pointer):
    path = load_string(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):     # a pipe or /dev/zero has no end
            raise FileNotFoundError(f"{os.fsdecode(path)} is no file")
        with open(path, "rb") as file:
            image = file.read(MOST_OF_AN_IMAGE)
    except OSError as error:
        raise CallError(Result.FILE_NOT_FOUND, str(error)) from None
    _load(target, _of_fatbin(image) if fatbin.size_of(image) else image.rstrip(b"\0"), _NO_OPTIONS)


@call("cuModuleUnload", needs=HEALTHY)
def module_unload(number: handle):
    module = handles.find(number, Module)
    module.context.settle()
    module.unload()


@call("cuModuleGetFunction", needs=HEALTHY)
def module_get_function(target: pointer, number: handle, name: pointer):
    module, name = handles.find(number, Module), load_string(name)
    if not name:
        raise CallError(Result.INVALID_VALUE, "no name")
    function = module.function(name)
    function.load()
    store(target, ctypes.c_size_t, function.handle)


@call("cuModuleGetFunctionCount", needs=HEALTHY, not_null={"target": Result.INVALID_VALUE})
def module_get_function_count(target: pointer, number: handle):
    store(target, ctypes.c_uint, len(handles.find(number, Module).program.kernels))


@call("cuModuleEnumerateFunctions", needs=HEALTHY, not_null={"target": Result.INVALID_VALUE})
def module_enumerate_functions(target: pointer, most: u32, number: handle):
    module = handles.find(number, Module)
    functions = [module.function(name).handle for name in list(module.program.kernels)[:most]]
    store_bytes(target, bytes((ctypes.c_size_t * len(functions))(*functions)))


@call("cuModuleGetGlobal_v2", needs=HEALTHY)
def module_get_global(target: pointer, bytesize: pointer, number: handle, name: pointer):
    module, name = handles.find(number, Module), load_string(name)
    if not name or name in module.program.kernels or not (target or bytesize):
        raise CallError(Result.INVALID_VALUE, "no name, a kernel's name, or nothing asked for")
    if name not in module.variables:
        raise CallError(Result.NOT_FOUND, f"the module has no variable {name}")
    allocation = module.variables[name]
    if target:
        store(target, ctypes.c_size_t, module.context.space.number(allocation.start))
    if bytesize:
        store(bytesize, ctypes.c_size_t, allocation.size)


@call("cuModuleGetTexRef", "cuModuleGetSurfRef", needs=HEALTHY)
def module_get_tex_ref(target: pointer, number: handle, name: pointer):
    """No module here has any: PTX with texture references is refused when it is loaded."""
    handles.find(number, Module)
    raise CallError(Result.NOT_FOUND, f"the module has no texture or surface reference {load_string(name)}")


@call("cuModuleGetLoadingMode", needs=INITIALIZED)
def module_get_loading_mode(target: pointer):
    # CU_MODULE_EAGER_LOADING or CU_MODULE_LAZY_LOADING, the driver's default since CUDA 12.2
    store(target, ctypes.c_int, 1 if modules.loads_eagerly() else 2)
