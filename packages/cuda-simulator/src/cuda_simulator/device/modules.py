"""Modules: PTX that was loaded into a context, its kernels and its variables.

Not here: reading PTX and running it (ptx/).
"""
import os
import re
from typing import NamedTuple

from .. import ptx
from ..libcuda import handles, lacking
from ..libcuda.results import CallError, Result
from ..memory.allocations import AllocationKind, memory
from ..memory.transfers import bytes_at

SHARED_BYTES = 48 * 1024    # of a block, static and dynamic together, unless a kernel opts in to more
NEWEST_ARCHITECTURE = 90    # of the device: sm_90
_ELF, _FATBIN = b"\x7fELF", b"\x50\xed\x55\xba"


def loads_eagerly():
    """Are all kernels of a module put into the device with it, and not each when it is asked for?"""
    return os.environ.get("CUDA_MODULE_LOADING") == "EAGER"


class Function:
    """A kernel of a loaded module."""

    def __init__(self, kernel, module):
        self.kernel, self.module, self.context = kernel, module, module.context
        self.name = kernel.name
        self.destroyed = False
        self.loaded = True
        self.clusters = dict.fromkeys(range(10, 16), 0)    # attributes of thread block clusters; kept, without effect
        # As much dynamic shared memory as a launch may ask for, until cuFuncSetAttribute raises it.
        self.most_dynamic_shared = max(0, SHARED_BYTES - kernel.static_shared_bytes)
        self.carveout = -1
        self.cache_config = 0
        # What the launch functions from before CUDA 4 remember.
        self.block, self.dynamic_shared, self.parameters = None, 0, bytearray()

    @property
    def too_much_local(self):
        """Does each thread need more local memory than it may have? An H200 refuses 512 KiB."""
        return self.kernel.local_bytes >= ptx.spaces.MOST_LOCAL

    def load(self):
        """Have it in the device, as whoever asks for it by its name has, and whoever launches it."""
        if not self.loaded:
            self.loaded = True
            self.context.load()

    def set_as(self, other):
        """Take over what was set for another function of the kernel."""
        self.clusters, self.carveout = dict(other.clusters), other.carveout
        self.most_dynamic_shared, self.cache_config = other.most_dynamic_shared, other.cache_config


class Module:
    """The kernels of one PTX text, and its variables at their addresses.

    `managed` are the managed variables of the library that the module is of, by name: its modules in all contexts share
    them, and the first one makes them. A module that is of no library has its own.
    """

    def __init__(self, context, text, managed=None):
        self.context = context
        self.managed = {} if managed is None else managed
        self._owns_managed = managed is None
        self.destroyed = False
        self.program, self.version, self.text = read(text), version_of(text), text
        self.variables = {}    # name -> Allocation
        self._make_variables()
        self.functions = {}    # name -> Function, made when asked for
        self.kernels_are_loaded = loads_eagerly() or bool(context.under_way())     # with it: an H200 does so beside other work

    def _make_variables(self):
        """Give the variables addresses, and those that are new their initial values."""
        existing = dict(self.managed)
        for name, variable in self.program.variables.items():
            if variable.managed and variable.size and name not in self.managed:
                self.managed[name] = memory.add_managed_variable(variable.size, self.context, name)
            elif variable.size and not variable.managed:
                self.variables[name] = memory.add_device(variable.size, self.context, AllocationKind.VARIABLE, f"variable {name}")
        self.variables |= self.managed
        self.symbols = {name: allocation.start for name, allocation in self.variables.items()}
        numbers = {name: self.context.space.number(start) for name, start in self.symbols.items()}
        for name, allocation in self.variables.items():
            if name not in existing:
                image = self.program.variables[name].image(numbers)
                bytes_at(allocation.start + allocation.delta, len(image))[:] = memoryview(image)

    def function(self, name):
        """The kernel called `name`, or NOT_FOUND."""
        if name not in self.functions:
            if name not in self.program.kernels:
                raise CallError(Result.NOT_FOUND, f"the module has no kernel {name}")
            self.functions[name] = Function(self.program.kernels[name], self)
            self.functions[name].loaded = self.kernels_are_loaded
            handles.give(self.functions[name])
        return self.functions[name]

    def unload(self):
        """Free the variables; the handles of the functions are wrong from now on."""
        self.free_variables()
        for function in self.functions.values():
            handles.forget(function)
        handles.forget(self)
        self.context.modules.discard(self)

    def free_variables(self):
        """Give back the memory of all variables, but those that belong to the module's library."""
        for name, allocation in self.variables.items():
            if not allocation.freed and (self._owns_managed or name not in self.managed):
                memory.free(allocation)


def read(text):
    """PTX text as a PtxModule; INVALID_PTX where it cannot be read."""
    try:
        return ptx.load(text)
    except ptx.PtxError as error:
        lacking.note(f"PTX: {error.why}")
        raise CallError(Result.INVALID_PTX, str(error)) from None


def _target(text):
    """The number of ``.target sm_90``; 0 where there is none."""
    match = re.search(r"^\s*\.target\s+(?:sm|compute)_(\d{1,9})(?!\d)", text, re.MULTILINE)
    return int(match[1]) if match else 0


def version_of(text):
    """PTX 9.0 as 90: the way CU_FUNC_ATTRIBUTE_PTX_VERSION counts."""
    match = re.search(r"(?:^|\*/)\s*\.version\s+(\d{1,4})\.(\d{1,4})(?!\d)", text, re.MULTILINE)
    return int(match[1]) * 10 + int(match[2]) if match else 0


_BEGINS = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*\.version\b", re.DOTALL)
NEWEST_VERSION = 90    # PTX 9.0, of CUDA 13.0
VERSIONS = {*range(10, 16), *range(20, 24), *range(30, 33), *range(40, 44), 50, *range(60, 66), *range(70, 79), *range(80, 89), 90}
TARGETS = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, NEWEST_ARCHITECTURE}
OLDEST_VERSIONS = {0: 10, 60: 50, 70: 60, 75: 63, 80: 70, 86: 71, 87: 74, 89: 78}    # target -> PTX that brought it
_ELF_MACHINE_CUDA = 190


def load(context, image):
    """Load a module from its image, the bytes that a program gave.

    Raises CallError with the text for the error log as its reason.
    """
    module = Module(context, checked_ptx(image))
    handles.give(module)
    context.modules.add(module)
    return module


def checked_ptx(image):
    """`image` as PTX text, or the error with which an H200's driver refuses what is not."""
    if image.startswith((_ELF, _FATBIN)):
        is_code = (image[18:20] == _ELF_MACHINE_CUDA.to_bytes(2, "little") if image.startswith(_ELF)
                   else image[4:8] == b"\x01\x00\x10\x00")    # version 1, a header of 16 bytes
        if is_code:
            lacking.note(lacking.MACHINE_CODE)
            raise CallError(Result.NO_BINARY_FOR_GPU, f"the simulated driver runs PTX, and no {lacking.MACHINE_CODE}")
        raise CallError(Result.INVALID_IMAGE, "machine code that is damaged")
    text = image.decode(errors="replace")
    if not _BEGINS.match(text):
        raise CallError(Result.INVALID_IMAGE, "no .version: this is not PTX")
    if not re.search(r"\.version\s+\d+\.\d+\b", text):
        raise CallError(Result.INVALID_PTX, "a .version that is no number, such as 9.0")
    version = version_of(text)
    if version not in VERSIONS:
        lacking.note(f"PTX {version / 10}, of a newer CUDA than 13.0: take nvidia-cuda-nvrtc 13.0")
        raise CallError(Result.UNSUPPORTED_PTX_VERSION,
                        f"PTX {version / 10}; this driver knows PTX up to {NEWEST_VERSION / 10}")
    architecture = _target(text)
    if architecture not in TARGETS:
        raise CallError(Result.INVALID_PTX, "no .target, or one that is newer than this device (sm_90)")
    if version < max(least for since, least in OLDEST_VERSIONS.items() if since <= architecture):
        raise CallError(Result.INVALID_PTX, f"PTX {version / 10} does not know the target sm_{architecture}")
    if re.search(r"^\s*\.address_size\s+32", text, re.MULTILINE):
        raise CallError(Result.INVALID_PTX, "32-bit addresses")
    return text


class LinkSymbols(NamedTuple):
    """Of a PTX text, as a link sees it."""

    exported: set   # to other texts
    imported: set   # from other texts
    local: set      # kept to itself
    weak: set       # of those exported: another text may export them too


def names(text):
    """The LinkSymbols of PTX text; INVALID_PTX where it cannot be read."""
    try:
        program = ptx.parse(text)
        undefined = {name for name, function in program.functions.items() if not function.defined} - ptx.BUILTINS.keys()
        undefined |= {name for name, variable in program.variables.items() if variable.external and variable.size}
        if not undefined:
            ptx.load(text)    # checks the instructions as well
    except ptx.PtxError as error:
        lacking.note(f"PTX: {error.why}")
        raise CallError(Result.INVALID_PTX, str(error)) from None
    defined = (program.functions.keys() | program.variables.keys()) - undefined - ptx.BUILTINS.keys()
    return LinkSymbols(defined - program.local, undefined, defined & program.local, defined & program.weak)
