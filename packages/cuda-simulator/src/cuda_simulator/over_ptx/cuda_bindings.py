"""cuda-bindings' NVRTC over the simulated driver: nvrtcGetCUBIN gives PTX, since that driver runs no machine code.

NVRTC has both for a real architecture (sm_90). Machine code stays what it is where it would not run on the simulated device either
(newer than sm_90), and where there is none: for a virtual architecture, with -dlto, before a program is compiled.

Not here: programs in C++ or Cython, which call libnvrtc and not cuda.bindings.nvrtc.
"""
import ctypes
import functools
import re

from cuda_without_toolkit import after_import

from . import version

_NEWEST = 90    # the simulated device's


def install():
    """Mend cuda.bindings.nvrtc: now where it is imported already, else as soon as it is."""
    after_import.do("cuda.bindings.nvrtc", _give_ptx)
    after_import.do("cuda.bindings._v2.nvrtc", _give_ptx_newly)


def _give_ptx_newly(nvrtc):
    """The same for the functions without a prefix, which raise errors and return bytes (cuda-bindings 13.5's _v2)."""
    machine_code = nvrtc.get_cubin

    @functools.wraps(machine_code)
    def get_cubin(prog):
        code = machine_code(prog)
        text = nvrtc.get_ptx(prog) if code else b""
        return version.lowered(text) if _runs(text) else code

    get_cubin.of_cuda_bindings = machine_code
    nvrtc.get_cubin = get_cubin
    nvrtc.get_cubin_size = functools.wraps(nvrtc.get_cubin_size)(lambda prog: len(get_cubin(prog)))


def _runs(text):
    """Is this PTX of an architecture that the simulated device runs?"""
    target = re.search(rb"^\.target sm_(\d+)", text, re.MULTILINE)
    return target is not None and int(target[1]) <= _NEWEST


def _give_ptx(nvrtc):
    machine_code, its_size = nvrtc.nvrtcGetCUBIN, nvrtc.nvrtcGetCUBINSize

    def runs(program):
        """Is there machine code, and of an architecture that the simulated device runs?"""
        status, size = its_size(program)
        if status or not size:
            return False
        _, size = nvrtc.nvrtcGetPTXSize(program)
        text = bytes(size)
        nvrtc.nvrtcGetPTX(program, text)
        return _runs(text)

    @functools.wraps(its_size)
    def size_of_ptx(prog):
        return (nvrtc.nvrtcGetPTXSize if runs(prog) else its_size)(prog)

    @functools.wraps(machine_code)
    def ptx(prog, cubin):
        if not runs(prog):
            return machine_code(prog, cubin)
        answer = nvrtc.nvrtcGetPTX(prog, cubin)
        if not int(answer[0]):
            whole = version.lowered(cubin)
            if isinstance(cubin, bytearray):
                cubin[:] = whole
            else:                   # into the caller's bytes, as NVRTC writes there
                ctypes.memmove(cubin, whole, len(cubin))
        return answer

    size_of_ptx.of_cuda_bindings, ptx.of_cuda_bindings = its_size, machine_code
    nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN = size_of_ptx, ptx
