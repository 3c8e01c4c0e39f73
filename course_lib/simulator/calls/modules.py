"""Modules, functions and the linker (cuda.h: Module Management, Execution Control; JIT linking)."""
import ctypes

from .. import handles, modules, process_memory
from ..device_facts import COMPUTE_CAPABILITY
from ..library import HEALTHY, INITIALIZED, call, handle, i32, pointer, size
from ..modules import Function, Module
from ..output import load, load_string, store, store_string
from ..results import CudaError, Result
from ..state import current

INFO_LOG, INFO_LOG_SIZE, ERROR_LOG, ERROR_LOG_SIZE, TARGET = 3, 4, 5, 6, 9    # CUjit_option
TARGETS = {30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 110, 120, 121}
_JIT_OPTIONS = 34                                                  # CU_JIT_NUM_OPTIONS
PTX_INPUT = 1                                                      # CUjitInputType


class JitOptions:
    """The options of a call: two parallel C arrays. Buffers for messages are all that matters here."""

    def __init__(self, count, options, values):
        self.places = {}
        if count > 1024:
            raise CudaError(Result.INVALID_VALUE, "more options than there are")
        if count:
            for position, option in enumerate(load(options, ctypes.c_int * count)):
                if not 0 <= option < _JIT_OPTIONS:
                    raise CudaError(Result.INVALID_VALUE, f"there is no JIT option {option}")
                self.places[option] = values + 8 * position
            load(values, ctypes.c_size_t * count)

    def check_target(self):
        """Code for another device is refused with the codes that an H200's driver has for it."""
        if TARGET in self.places:
            wanted = load(self.places[TARGET], ctypes.c_uint).value
            if wanted not in TARGETS:
                raise CudaError(Result.INVALID_IMAGE, f"there is no target {wanted}")
            if wanted // 10 != current().device.attributes[COMPUTE_CAPABILITY[0]]:
                raise CudaError(Result.INVALID_SOURCE, f"code for sm_{wanted} does not run on this device")

    def _write(self, buffer, room, text):
        if buffer in self.places and room in self.places:
            capacity = load(self.places[room], ctypes.c_uint).value
            text = text[:max(capacity - 1, 0)]
            store_string(load(self.places[buffer], ctypes.c_size_t).value, capacity, text)
            store(self.places[room], ctypes.c_size_t, len(text))

    def report(self, info="", error=""):
        """Fill the log buffers, as far as there are any."""
        self._write(INFO_LOG, INFO_LOG_SIZE, info)
        self._write(ERROR_LOG, ERROR_LOG_SIZE, error)


def _load(target, image, options):
    try:
        options.check_target()
        module = modules.load(current(), image)
    except CudaError as error:
        options.report(error=str(error.args[0]))
        raise
    options.report()
    store(target, ctypes.c_size_t, module.handle)


def image_at(address):
    """The text of a module in memory, or enough of machine code to know it."""
    try:
        if not address:
            raise process_memory.BadAddress
        head = process_memory.read(address, 4)
        if head.startswith(b"\x7fELF") or not head.isascii():
            return process_memory.read(address, 64)    # enough to know what it is
        return process_memory.read_string(address)
    except process_memory.BadAddress:
        raise CudaError(Result.INVALID_VALUE, "no module at this address") from None


_NO_OPTIONS = JitOptions(0, 0, 0)


@call("cuModuleLoadData")
def module_load_data(target: pointer, image: pointer):
    _load(target, image_at(image), _NO_OPTIONS)


@call("cuModuleLoadDataEx")
def module_load_data_ex(target: pointer, image: pointer, count: ctypes.c_uint, options: pointer, values: pointer):
    _load(target, image_at(image), JitOptions(count, options, values))


@call("cuModuleLoadFatBinary")
def module_load_fat_binary(target: pointer, image: pointer):
    _load(target, image_at(image), _NO_OPTIONS)


@call("cuModuleLoad")
def module_load(target: pointer, path: pointer):
    try:
        with open(load_string(path), "rb") as file:
            image = file.read()
    except OSError as error:
        raise CudaError(Result.FILE_NOT_FOUND, str(error)) from None
    _load(target, image.rstrip(b"\0"), _NO_OPTIONS)


@call("cuModuleUnload", needs=HEALTHY)
def module_unload(number: handle):
    module = handles.find(number, Module)
    module.context.settle()
    module.unload()


@call("cuModuleGetFunction", needs=HEALTHY)
def module_get_function(target: pointer, number: handle, name: pointer):
    module, name = handles.find(number, Module), load_string(name)
    if not name:
        raise CudaError(Result.INVALID_VALUE, "no name")
    store(target, ctypes.c_size_t, module.function(name).handle)


@call("cuModuleGetFunctionCount", needs=HEALTHY)
def module_get_function_count(target: pointer, number: handle):
    store(target, ctypes.c_uint, len(handles.find(number, Module).program.kernels))


@call("cuModuleGetGlobal_v2", needs=HEALTHY)
def module_get_global(target: pointer, bytesize: pointer, number: handle, name: pointer):
    module, name = handles.find(number, Module), load_string(name)
    if not name or name in module.program.kernels or not (target or bytesize):
        raise CudaError(Result.INVALID_VALUE, "no name, a kernel's name, or nothing asked for")
    if name not in module.variables:
        raise CudaError(Result.NOT_FOUND, f"the module has no variable {name}")
    allocation = module.variables[name]
    if target:
        store(target, ctypes.c_size_t, allocation.start)
    if bytesize:
        store(bytesize, ctypes.c_size_t, allocation.size)


@call("cuModuleGetTexRef", "cuModuleGetSurfRef", needs=HEALTHY)
def module_get_tex_ref(target: pointer, number: handle, name: pointer):
    """No module here has any: PTX with texture references is refused when it is loaded."""
    handles.find(number, Module)
    raise CudaError(Result.NOT_FOUND, f"the module has no texture or surface reference {load_string(name)}")


@call("cuModuleGetLoadingMode", needs=INITIALIZED)
def module_get_loading_mode(target: pointer):
    store(target, ctypes.c_int, 2)    # CU_MODULE_LAZY_LOADING: the driver's default since CUDA 12.2


# -- functions ----------------------------------------------------------------------------------------------------

(MAX_THREADS, SHARED_BYTES, CONST_BYTES, LOCAL_BYTES, REGISTERS, PTX_VERSION, BINARY_VERSION, CACHE_MODE_CA,
 MAX_DYNAMIC_SHARED, CARVEOUT) = range(10)
CLUSTER_SIZES, CLUSTER_NON_PORTABLE, CLUSTER_POLICY = (11, 12, 13), 14, 15
_MOST_DYNAMIC_SHARED = 227 * 1024    # of a block, opted in, on an H200


def _attributes(function):
    kernel, module = function.kernel, function.module
    constants = [v.size for v in module.program.variables.values() if v.space == "const"]
    return {MAX_THREADS: kernel.max_threads_per_block or 1024, SHARED_BYTES: kernel.static_shared_bytes,
            CONST_BYTES: sum(constants), LOCAL_BYTES: kernel.local_bytes, REGISTERS: kernel.registers,
            PTX_VERSION: module.version, BINARY_VERSION: 90, CACHE_MODE_CA: 0,
            MAX_DYNAMIC_SHARED: function.most_dynamic_shared, CARVEOUT: function.carveout,
            **function.clusters}


@call("cuFuncGetAttribute", needs=HEALTHY)
def func_get_attribute(target: pointer, attribute: i32, number: handle):
    attributes = _attributes(handles.find(number, Function))
    if attribute not in attributes:
        raise CudaError(Result.INVALID_VALUE, f"there is no function attribute {attribute}")
    store(target, ctypes.c_int, attributes[attribute])


@call("cuFuncSetAttribute", needs=HEALTHY)
def func_set_attribute(number: handle, attribute: i32, value: i32):
    function = handles.find(number, Function)
    if attribute == MAX_DYNAMIC_SHARED and 0 <= value <= _MOST_DYNAMIC_SHARED - function.kernel.static_shared_bytes:
        function.most_dynamic_shared = value
    elif attribute == CARVEOUT and -1 <= value <= 100:
        function.carveout = value
    elif attribute in CLUSTER_SIZES and value >= 0 or attribute == CLUSTER_POLICY and 0 <= value <= 2:
        function.clusters[attribute] = value
    elif attribute == CLUSTER_NON_PORTABLE:
        function.clusters[attribute] = value != 0
    else:
        raise CudaError(Result.INVALID_VALUE, f"attribute {attribute} can not be set to {value}")


@call("cuFuncSetCacheConfig", needs=HEALTHY)
def func_set_cache_config(number: handle, config: i32):
    function = handles.find(number, Function)
    if not 0 <= config <= 3:
        raise CudaError(Result.INVALID_VALUE, f"there is no cache configuration {config}")
    function.cache_config = config


@call("cuFuncSetSharedMemConfig", needs=HEALTHY)
def func_set_shared_mem_config(number: handle, config: i32):
    """Accepted and without effect, as on a Hopper."""
    handles.find(number, Function)


@call("cuFuncGetModule", needs=HEALTHY)
def func_get_module(target: pointer, number: handle):
    store(target, ctypes.c_size_t, handles.find(number, Function).module.handle)


@call("cuFuncIsLoaded", needs=HEALTHY)
def func_is_loaded(target: pointer, number: handle):
    handles.find(number, Function)
    store(target, ctypes.c_int, 1)    # CU_FUNCTION_LOADING_STATE_LOADED


@call("cuFuncLoad", needs=HEALTHY)
def func_load(number: handle):
    """Functions are loaded with their module."""
    handles.find(number, Function)


_names = {}    # C strings of kernel names that callers keep pointers to


@call("cuFuncGetName", needs=HEALTHY)
def func_get_name(target: pointer, number: handle):
    name = handles.find(number, Function).name
    text = _names.setdefault(name, ctypes.create_string_buffer(name.encode()))
    store(target, ctypes.c_size_t, ctypes.addressof(text))


@call("cuFuncGetParamInfo", needs=HEALTHY)
def func_get_param_info(number: handle, index: size, offset: pointer, bytesize: pointer):
    parameters = handles.find(number, Function).kernel.parameters
    if index >= len(parameters):
        raise CudaError(Result.INVALID_VALUE, f"the kernel has {len(parameters)} parameters")
    store(offset, ctypes.c_size_t, parameters[index].offset)
    if bytesize:
        store(bytesize, ctypes.c_size_t, parameters[index].size)


# -- the linker ---------------------------------------------------------------------------------------------------

class Linker:
    """PTX texts that are to become one module. What "links" here is one text after the other."""

    def __init__(self, options):
        self.context = current()
        self.options, self.texts, self.result = options, [], None
        self.failed, self.destroyed = False, False


def _linker(number):
    return handles.find(number, Linker)


@call("cuLinkCreate_v2")
def link_create(count: ctypes.c_uint, options: pointer, values: pointer, target: pointer):
    store(target, ctypes.c_size_t, handles.give(Linker(JitOptions(count, options, values))))


def _fail(linker, result, why):
    linker.failed = True
    linker.options.report(error=why)
    raise CudaError(result, why)


def _add(linker, kind, image):
    if kind != PTX_INPUT:
        _fail(linker, Result.INVALID_IMAGE, "the simulated driver links PTX only")
    try:
        text = modules.checked(image.split(b"\0")[0])
        names, _ = modules.names(text)
    except CudaError as error:
        _fail(linker, error.result, str(error))
    twice = names & {name for other in linker.texts for name in modules.names(other)[0]}
    if twice:
        _fail(linker, Result.UNKNOWN, f"defined twice: {', '.join(sorted(twice))}")
    linker.texts.append(text)


@call("cuLinkAddData_v2")
def link_add_data(number: handle, kind: i32, data: pointer, bytesize: size, name: pointer, count: ctypes.c_uint,
                  options: pointer, values: pointer):
    linker = _linker(number)
    try:
        image = process_memory.read(data, bytesize)
    except process_memory.BadAddress:
        raise CudaError(Result.INVALID_VALUE, "nothing to link at this address") from None
    _add(linker, kind, image)


@call("cuLinkAddFile_v2")
def link_add_file(number: handle, kind: i32, path: pointer, count: ctypes.c_uint, options: pointer, values: pointer):
    linker = _linker(number)
    try:
        with open(load_string(path), "rb") as file:
            image = file.read()
    except OSError as error:
        _fail(linker, Result.INVALID_VALUE, str(error))
    _add(linker, kind, image)


@call("cuLinkComplete")
def link_complete(number: handle, target: pointer, bytesize: pointer):
    linker = _linker(number)
    if linker.failed:
        raise CudaError(Result.UNKNOWN, "an input was refused before")
    parts = [modules.names(text) for text in linker.texts]
    missing = set().union(*(part[1] for part in parts)).difference(*(part[0] for part in parts))
    if missing:
        _fail(linker, Result.UNKNOWN, f"defined nowhere: {', '.join(sorted(missing))}")
    header = (".version", ".target", ".address_size")
    first, *others = linker.texts or [".version 9.0\n.target sm_90\n.address_size 64\n"]
    lines = [line for text in others for line in text.splitlines() if not line.lstrip().startswith(header)]
    linker.result = ctypes.create_string_buffer("\n".join([first, *lines]).encode())
    store(target, ctypes.c_size_t, ctypes.addressof(linker.result))
    if bytesize:
        store(bytesize, ctypes.c_size_t, len(linker.result))


@call("cuLinkDestroy")
def link_destroy(number: handle):
    handles.forget(_linker(number))
