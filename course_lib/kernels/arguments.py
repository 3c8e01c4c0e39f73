"""How what is passed to a kernel becomes the bytes that it gets. `Kernel.__call__` says what may be
passed.

CUDA itself checks none of this: it takes the bytes that it gets. Not here: the launch
(__init__.py).
"""
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.address import address_of
from ..core.device import device_attribute
from ..core.device_memory import DeviceMemory
from ..core.errors import WrongArgument, WrongPointer
from ..pointers.address_facts import attribute
from .signature import Parameter, shown


def packed(kernel: str, parameters: Sequence[Parameter], arguments: Sequence[Any]) -> bytes:
    """The bytes of a kernel's arguments, in one block. Raises WrongArgument or WrongPointer, naming
    the parameter."""
    if len(arguments) != len(parameters):
        raise WrongArgument(f"{shown(kernel, parameters)} takes {len(parameters)} arguments after grid and block, and got "
                            f"{len(arguments)}")
    block = bytearray(max((parameter.offset + parameter.nbytes for parameter in parameters), default=0))
    for parameter, argument in zip(parameters, arguments):
        block[parameter.offset:parameter.offset + parameter.nbytes] = _bytes(
            f"kernel {kernel}, {parameter.text or parameter.name}: ", parameter, argument)
    return bytes(block)


def _bytes(where: str, parameter: Parameter, argument: Any) -> bytes:
    if parameter.is_pointer:
        return np.uint64(_address(where, parameter, argument)).tobytes()
    if parameter.dtype is not None:
        return _number(where, parameter.dtype, argument).tobytes()
    return _opaque(where, parameter, argument)


def _address(where: str, parameter: Parameter, argument: Any) -> int:
    dtype = getattr(argument, "dtype", None)
    if isinstance(argument, np.generic):    # a number: an address, if it is one of 64 bits
        if not isinstance(argument, np.integer) or argument.itemsize != 8:
            raise WrongArgument(f"{where}the kernel takes a pointer, not a {dtype}: pass an array, an allocation or an address")
        dtype = None
    if isinstance(getattr(argument, "array", None), np.ndarray):    # an object of pinned.py
        dtype = argument.array.dtype
    if dtype is not None and parameter.pointee is not None and dtype.fields is None and dtype != parameter.pointee:
        raise WrongArgument(f"{where}the array has dtype {dtype}, and the kernel would read it as {parameter.pointee}: "
                            "give the array that dtype, or change the kernel")
    if isinstance(argument, np.ndarray):
        return _device_address_of_array(where, argument)
    if argument is None:
        return 0
    try:
        return argument.get_pointer() if isinstance(argument, DeviceMemory) else address_of(argument)
    except WrongPointer:
        raise WrongArgument(f"{where}the kernel takes a pointer, and {type(argument).__name__} has no address: pass an "
                            "array, an allocation or an address") from None


def _device_address_of_array(where: str, array: np.ndarray) -> int:
    address = attribute(array.ctypes.data, "DEVICE_POINTER")
    if address is not None:    # pinned, registered, managed, mapped on the host
        return address
    if device_attribute("PAGEABLE_MEMORY_ACCESS"):
        return array.ctypes.data
    raise WrongPointer(f"{where}this NumPy array is in pageable memory, where no kernel can go: copy it to the device "
                       "(gpuarray.to_gpu), allocate it with pinned.allocate, or page-lock it with pinned.register")


def _number(where: str, dtype: np.dtype, argument: Any) -> np.generic | np.ndarray:
    if isinstance(argument, (np.generic, np.ndarray)):
        if argument.dtype != dtype or argument.ndim:
            raise WrongArgument(f"{where}{argument.dtype} is not {dtype}: pass np.{dtype}(...) or a Python number")
        return argument
    kinds = {"b": (bool, int), "i": (int,), "u": (int,), "f": (int, float)}[dtype.kind]
    if not isinstance(argument, kinds) or isinstance(argument, bool) and dtype.kind != "b":
        raise WrongArgument(f"{where}{argument!r} is not a number of type {dtype}")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= argument <= limits.max:
            raise WrongArgument(f"{where}{argument} is out of range: {dtype} goes from {limits.min} to {limits.max}")
    return dtype.type(argument)


def _opaque(where: str, parameter: Parameter, argument: Any) -> bytes:
    """A parameter of which only the size is known."""
    if not isinstance(argument, (np.generic, bytes)) and hasattr(argument, "__int__") and parameter.nbytes == 8:
        return np.uint64(address_of(argument)).tobytes()
    data = argument.tobytes() if isinstance(argument, np.generic) else argument if isinstance(argument, bytes) else None
    if data is None or len(data) != parameter.nbytes:
        got = "" if data is None else f", and this has {len(data)}"
        raise WrongArgument(f"{where}pass a NumPy scalar or bytes of {parameter.nbytes} bytes{got}")
    return data
