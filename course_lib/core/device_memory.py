"""Memory that kernels use, for the libraries beside this one.

PyCUDA takes it wherever it takes a pointer: in copies, in its own kernels, as ``GPUArray(shape,
dtype, gpudata=memory)``. Numba, CuPy and others take it for an array, by its
``__cuda_array_interface__``. Not here: which memory it is, and who gives it back.
"""
from typing import Any

import numpy as np
import numpy.typing as npt
import pycuda.driver as cuda

from .errors import WrongPointer


class DeviceMemory(cuda.PointerHolderBase):
    """`nbytes` bytes from `device_address` on."""

    device_address: Any     # an int
    nbytes: Any             # an int

    def get_pointer(self) -> int:
        """The address, if a kernel may use it: PyCUDA calls this. Raises WrongOrder if none may,
        for it would end its context."""
        return self.device_address

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The CUDA Array Interface, version 3. A library that honours `stream` waits for work on
        the default stream; for work on any other, synchronise first."""
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.get_pointer(), self._read_only()),
                "version": 3, "stream": 1}     # 1: the stream of kernels and copies that name none

    def _read_only(self) -> bool:
        return False

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        array = self._as_numpy()
        dtype = array.dtype if dtype is None else np.dtype(dtype)
        if copy is False and dtype != array.dtype:
            raise ValueError(f"{array.dtype} becomes {dtype} only by a copy, and copy=False forbids that")
        return array.astype(dtype, copy=bool(copy))

    def _as_numpy(self) -> np.ndarray:
        raise WrongPointer("the host cannot read this memory: copy it, for example by "
                           "GPUArray(n, dtype, gpudata=memory).get()")
