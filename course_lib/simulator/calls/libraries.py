"""Libraries (cuda.h: Library Management): a module's image that is loaded into each context when first used there."""
import ctypes

from .. import handles
from ..library import HEALTHY, call, handle, pointer, u32
from ..modules import Module, checked
from ..output import load_string, store
from ..results import CudaError, Result
from ..state import current
from .modules import JitOptions, image_at


class Library:
    """PTX text, and the modules that were made of it: one for each context."""

    def __init__(self, text):
        self.text, self.destroyed = text, False
        self.modules = {}    # context -> Module
        self.kernels = {}    # name -> LibraryKernel
        self.context = current()
        handles.give(self)

    def module(self):
        """The module in the current context, loaded if need be."""
        context = current()
        if context not in self.modules:
            module = self.modules[context] = Module(context, self.text)
            handles.give(module)
            context.modules.add(module)
        return self.modules[context]


class LibraryKernel:
    """A kernel of a library, in whichever context is current."""

    def __init__(self, library, name):
        self.library, self.name, self.context = library, name, library.context
        handles.give(self)

    @property
    def destroyed(self):
        return self.library.destroyed

    def function(self):
        """The function in the current context."""
        return self.library.module().function(self.name)


@call("cuLibraryLoadData")
def library_load_data(target: pointer, code: pointer, jit_options: pointer, jit_values: pointer, jit_count: u32,
                      options: pointer, values: pointer, count: u32):
    log = JitOptions(jit_count, jit_options, jit_values)
    try:
        library = Library(checked(image_at(code)))
        library.module()
    except CudaError as error:
        log.report(error=str(error))
        raise
    store(target, ctypes.c_size_t, library.handle)


@call("cuLibraryUnload", needs=HEALTHY)
def library_unload(number: handle):
    library = handles.find(number, Library)
    for module in library.modules.values():
        if not module.destroyed:
            module.unload()
    handles.forget(library)


@call("cuLibraryGetKernel", needs=HEALTHY)
def library_get_kernel(target: pointer, number: handle, name: pointer):
    library, name = handles.find(number, Library), load_string(name)
    if name not in library.module().program.kernels:
        raise CudaError(Result.NOT_FOUND, f"the library has no kernel {name}")
    if name not in library.kernels:
        library.kernels[name] = LibraryKernel(library, name)
    store(target, ctypes.c_size_t, library.kernels[name].handle)


@call("cuLibraryGetKernelCount", needs=HEALTHY)
def library_get_kernel_count(target: pointer, number: handle):
    store(target, ctypes.c_uint, len(handles.find(number, Library).module().program.kernels))


@call("cuLibraryGetModule")
def library_get_module(target: pointer, number: handle):
    store(target, ctypes.c_size_t, handles.find(number, Library).module().handle)


@call("cuLibraryGetGlobal")
def library_get_global(target: pointer, bytesize: pointer, number: handle, name: pointer):
    variables, name = handles.find(number, Library).module().variables, load_string(name)
    if name not in variables:
        raise CudaError(Result.NOT_FOUND, f"the library has no variable {name}")
    if target:
        store(target, ctypes.c_size_t, variables[name].start)
    if bytesize:
        store(bytesize, ctypes.c_size_t, variables[name].size)


@call("cuKernelGetFunction")
def kernel_get_function(target: pointer, number: handle):
    store(target, ctypes.c_size_t, handles.find(number, LibraryKernel).function().handle)
