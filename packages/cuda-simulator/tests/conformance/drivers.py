"""Which driver the questions go to, and what it calls itself.

CUDA is never initialised in the process that asks: its children could not use it then.
"""
import functools
import gc
import json
import os
import subprocess
import sys
from pathlib import Path

from cuda_simulator.libcuda.stand_in import is_stand_in, loaded_drivers


def simulated():
    import cuda_simulator
    cuda_simulator.attach()


def machine():
    """The machine's own: cuda.bindings finds it."""


def auto():
    """The machine's own where a device answers, else the simulated one."""
    if not a_device_answers():
        simulated()


@functools.cache
def a_device_answers():
    """Asked in a process of its own, so that no libcuda.so.1 stays loaded in this one."""
    program = "from cuda.bindings import driver as cu; raise SystemExit(int(cu.cuInit(0)[0]) != 0 or cu.cuDeviceGetCount()[1] == 0)"
    return subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


ATTACH = {"auto": auto, "simulated": simulated, "machine": machine}


def ready(attach):
    """Attach in this process what its children will attach, if that is the simulated driver, and return `attach`.

    Attaching that initialises nothing, and a child that need not do it starts in a tenth of the time. What the simulated
    driver makes of the kernels that many questions launch is the same in every child, too.
    """
    pid = os.fork()
    if not pid:
        status = 1
        try:
            attach()
            status = not any(map(is_stand_in, loaded_drivers()))
            if status == 0:
                _compile()
        finally:
            os._exit(status)
    if os.waitpid(pid, 0)[1] == 0:
        attach()
        _prepare()
    return attach


def _compile():
    """Compile the kernels that many questions launch, and keep them on disk. NVRTC calls cuInit: only a child may do this."""
    from .helpers import inside_kernels, kernels
    return [kernels.ptx(source) for source in (kernels.SOURCE, inside_kernels.SOURCE)]


def _prepare():
    """Have cuda-bindings look up the driver's functions, and the simulated driver read the kernels, which it keeps."""
    from cuda_simulator.device.modules import checked_ptx
    from cuda_simulator.ptx import load

    from cuda.bindings import driver as cu

    for text in _compile():     # kept by the child
        load(checked_ptx(text.rstrip(b"\0")))
    cu.cuDriverGetVersion()     # needs no cuInit
    gc.collect()
    gc.freeze()                 # a child that looked through all this for garbage would copy it


def describe():
    """The driver in words, for the header of a recording."""
    from cuda.bindings import driver as cu

    from .helpers.calls import must
    must(cu.cuInit(0))
    version = must(cu.cuDriverGetVersion())
    device = must(cu.cuDeviceGet(0))
    try:
        module = Path("/proc/driver/nvidia/version").read_text().split("Kernel Module")[1].split()
        driver = next(word for word in module if word[0].isdigit())
    except (OSError, IndexError, StopIteration):
        driver = "unknown"
    return {"device": must(cu.cuDeviceGetName(100, device)).split(b"\0")[0].decode(), "driver": driver,
            "cuda": f"{version // 1000}.{version % 1000 // 10}"}


def describe_in_child(attach, describe=describe):
    """What `describe` gives, in JSON, found by a child: this process must not initialise CUDA."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            attach()
            os.write(writing, json.dumps(describe()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return json.loads(text)
