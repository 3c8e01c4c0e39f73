"""What PyCUDA makes of the driver's answers. Asked where PyCUDA is installed."""
import importlib.util

import numpy as np

from ...asking import DRIVER, NOTHING, question
from ...helpers.memory_kinds import pages
from ...helpers.threads_and_forks import in_child


def _raised(call):
    """What call() gives, or the exception and what it names."""
    try:
        return str(call())
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(':')[0].splitlines()[0][:60]}"


@question("PyCUDA: an allocation's integer is its address; wrong copies are LogicErrors", needs=DRIVER, alone=True,
          open_labels=True)
def pycuda():
    if importlib.util.find_spec("pycuda") is None:
        return
    import pycuda.driver as cuda
    context = cuda.Device(0).make_context()
    a = cuda.mem_alloc(1024)
    yield "int(mem_alloc) is an address that the driver knows", cuda.mem_get_address_range(int(a))[0] == int(a)
    yield "1024 float32 into 1024 bytes", _raised(lambda: cuda.memcpy_htod(a, np.zeros(1024, np.float32)))
    yield "1024 bytes into them", _raised(lambda: cuda.memcpy_htod(a, np.zeros(256, np.float32)))
    yield "mem_alloc(0)", _raised(lambda: cuda.mem_alloc(0))
    array = cuda.pagelocked_empty(100, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    yield "pinned: device pointer is the host's", array.base.get_device_pointer() == array.ctypes.data
    yield "a copy from what was freed", _raised(lambda: _freed_copy(cuda))
    yield "managed", _raised(lambda: _managed(cuda))
    yield "from_device_like", _raised(lambda: cuda.from_device(a, 4, np.float32).shape)
    yield "a copy of pageable memory as the device's", _raised(lambda: cuda.memcpy_dtoh(np.zeros(4), pages()))
    a.free()
    yield "freed twice", _raised(a.free)
    context.pop()


def _freed_copy(cuda):
    a = cuda.mem_alloc(64)
    address = int(a)
    a.free()
    return cuda.memcpy_dtoh(np.zeros(4), address)


def _managed(cuda):
    array = cuda.managed_zeros(10, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    array[:] = 7
    return int(array.sum())


@question("PyCUDA's register_host_memory fails after the driver has registered the memory", needs=NOTHING, open_labels=True)
def register_host_memory():
    """inducer/pycuda#459: PyCUDA drops a reference twice. That is a SystemError, or the end of the process: so in a child."""
    if importlib.util.find_spec("pycuda") is None:
        return
    outcome = in_child(_register)
    yield "what it gives", "fails" if outcome.startswith(("SystemError", "status")) else outcome


def _register():
    import pycuda.driver as cuda
    cuda.init()
    cuda.Device(0).make_context()
    return _raised(lambda: cuda.register_host_memory(np.zeros(4096, np.uint8)))
