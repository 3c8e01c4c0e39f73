"""Libraries (cuda.h: Library Management): a module's image that is loaded into each context when first used there."""
import ctypes
import functools

from ..device.modules import Function, Module, checked_ptx, read, version_of
from ..libcuda import handles
from ..libcuda.library import HEALTHY, NO_DEAD_CONTEXT, call, handle, pointer, u32
from ..libcuda.output import load_string, store, store_bytes
from ..libcuda.results import CallError, Result
from ..libcuda.state import current, current_or_none
from ..memory.allocations import memory
from .modules import JitOptions, image_at


class Library:
    """An image, and the modules made of it: one for each context that used it. Before that nobody looks into it.

    What its kernels are is known while no context is current, too; where its variables lie is not.
    """

    context = None    # it is in none

    def __init__(self, image):
        self.image, self.destroyed = image, False
        self.modules = {}    # context -> Module
        self.managed = {}    # name -> Allocation of a managed variable: one for all contexts
        self.kernels = {}    # name -> LibraryKernel
        handles.give(self)

    @functools.cached_property
    def text(self):
        """Its PTX; looked at here for the first time."""
        return checked_ptx(self.image)

    @property
    def version(self):
        """Of the PTX it is in."""
        return version_of(self.text)

    @property
    def program(self):
        """Its kernels and variables, read."""
        return read(self.text)

    def module(self):
        """The module in the current context, loaded if need be."""
        context = current()
        if context not in self.modules:
            module = self.modules[context] = Module(context, self.text, self.managed)
            handles.give(module)
            context.modules.add(module)
        return self.modules[context]

    def kernel(self, name):
        """The library's kernel of that name, which is there."""
        if name not in self.kernels:
            self.kernels[name] = LibraryKernel(self, name)
        return self.kernels[name]


class LibraryKernel:
    """A kernel of a library, in whichever context is current."""

    def __init__(self, library, name):
        self.library, self.name, self.destroyed = library, name, False
        self.to_come = {}    # device -> a function with what was set for it there; no program has it
        handles.give(self)

    def function(self):
        """The function in the current context."""
        module = self.library.module()
        is_new, function = self.name not in module.functions, module.function(self.name)
        function.load()
        if is_new and function.context.device in self.to_come:
            function.set_as(self.to_come[function.context.device])
        return function

    def functions(self, device):
        """Its functions on a device, the current context's first; and last, one that stands for those in contexts to come."""
        if device not in self.to_come:
            self.to_come[device] = Function(self.library.program.kernels[self.name], self.library)
        functions = [module.functions[self.name] for module in self.library.modules.values()
                     if module.context.device is device and not module.destroyed and self.name in module.functions]
        return [*sorted(functions, key=lambda function: function.context is not current_or_none()), self.to_come[device]]


def function_of(number):
    """The kernel with this handle, where a library's kernel is as good as a function: it is that of the current context."""
    kernel = handles.find(number, (Function, LibraryKernel))
    return kernel.function() if isinstance(kernel, LibraryKernel) else kernel


_NOT_NULL = {"number": Result.INVALID_HANDLE}


@call("cuLibraryLoadData", needs=NO_DEAD_CONTEXT)
def library_load_data(target: pointer, code: pointer, jit_options: pointer, jit_values: pointer, jit_count: u32,
                      options: pointer, values: pointer, count: u32):
    JitOptions(jit_count, jit_options, jit_values).report()
    store(target, ctypes.c_size_t, Library(image_at(code)).handle)


@call("cuLibraryLoadFromFile", needs=NO_DEAD_CONTEXT)    # without a context: as cuda.h 13.0 has it, which names no error for that
def library_load_from_file(target: pointer, path: pointer, jit_options: pointer, jit_values: pointer, jit_count: u32,
                           options: pointer, values: pointer, count: u32):
    JitOptions(jit_count, jit_options, jit_values).report()
    try:
        with open(load_string(path), "rb") as file:
            image = file.read()
    except OSError as error:
        raise CallError(Result.FILE_NOT_FOUND, str(error)) from None
    store(target, ctypes.c_size_t, Library(image.rstrip(b"\0")).handle)


@call("cuLibraryUnload", needs=HEALTHY, not_null=_NOT_NULL)
def library_unload(number: handle):
    library = handles.find(number, Library)
    for module in library.modules.values():
        if not module.destroyed:
            module.unload()
    for allocation in library.managed.values():
        memory.free(allocation)
    for forgotten in (library, *library.kernels.values()):
        handles.forget(forgotten)


@call("cuLibraryGetKernel", needs=HEALTHY, not_null=_NOT_NULL)
def library_get_kernel(target: pointer, number: handle, name: pointer):
    library, name = handles.find(number, Library), load_string(name)
    if name not in library.program.kernels:
        raise CallError(Result.NOT_FOUND, f"the library has no kernel {name}")
    store(target, ctypes.c_size_t, library.kernel(name).handle)


@call("cuLibraryEnumerateKernels", needs=HEALTHY)
def library_enumerate_kernels(target: pointer, most: u32, number: handle):
    library = handles.find(number, Library)
    kernels = [library.kernel(name).handle for name in list(library.program.kernels)[:most]]
    store_bytes(target, bytes((ctypes.c_size_t * len(kernels))(*kernels)))


@call("cuLibraryGetKernelCount", needs=HEALTHY)
def library_get_kernel_count(target: pointer, number: handle):
    library = handles.find(number, Library)
    try:
        count = len(library.program.kernels)
    except CallError:    # as on an H200: whether the image is one, the first use of a kernel tells
        count = 0
    store(target, ctypes.c_uint, count)


@call("cuLibraryGetModule")
def library_get_module(target: pointer, number: handle):
    store(target, ctypes.c_size_t, handles.find(number, Library).module().handle)


def _tell_variable(variables, name, target, bytesize):
    """Address and size of one of these variables, to where they are asked for."""
    if name not in variables:
        raise CallError(Result.NOT_FOUND, f"the library has no variable {name} of this kind")
    if target:
        store(target, ctypes.c_size_t, variables[name].start)
    if bytesize:
        store(bytesize, ctypes.c_size_t, variables[name].size)


@call("cuLibraryGetGlobal")
def library_get_global(target: pointer, bytesize: pointer, number: handle, name: pointer):
    _tell_variable(handles.find(number, Library).module().variables, load_string(name), target, bytesize)


@call("cuLibraryGetManaged", needs=HEALTHY)
def library_get_managed(target: pointer, bytesize: pointer, number: handle, name: pointer):
    _tell_variable(handles.find(number, Library).module().managed, load_string(name), target, bytesize)


@call("cuKernelGetFunction", not_null=_NOT_NULL)
def kernel_get_function(target: pointer, number: handle):
    store(target, ctypes.c_size_t, handles.find(number, LibraryKernel).function().handle)


@call("cuLibraryGetUnifiedFunction", needs=HEALTHY)
def library_get_unified_function(target: pointer, number: handle, symbol: pointer):
    """There is none: no function of a kernel can be called by the host here."""
    handles.find(number, Library)
    raise CallError(Result.INVALID_VALUE, f"{load_string(symbol)} is no unified function")
