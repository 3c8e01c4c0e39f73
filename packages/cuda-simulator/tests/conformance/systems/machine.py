"""What a file of answers says of the machine: its GPU, driver and system, and nothing of a person or a place."""
import datetime
import importlib.metadata
import os
import platform
import subprocess

from cuda.bindings import nvrtc

from .. import careful, drivers

MIB = 1 << 20
DEFAULT_MODE = 0    # CU_COMPUTEMODE_DEFAULT


def header(attach):
    """The header of a file: what is known before the first question. Every call to CUDA is made by a child.

    Raises RuntimeError where no device answers.
    """
    try:
        described = drivers.describe_in_child(attach, device)
    except ValueError:      # the child said nothing
        raise RuntimeError("no device answers any more") from None
    if described["driver"] == "unknown":
        described["driver"] = driver_version()
    return {"schema": 1, "asked with": "python -m tests.conformance.systems ask", "date": datetime.date.today().isoformat(), **described,
            "system": system(), "processor": cpuinfo("model name") or platform.machine(),
            "host memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            "python": platform.python_version(), "cuda-bindings": importlib.metadata.version("cuda-bindings"),
            "nvrtc": ".".join(map(str, nvrtc.nvrtcVersion()[1:]))}


def device():
    """In a child: what the driver says of device 0, and how many there are."""
    from cuda.bindings import driver as cu

    from ..helpers.calls import must, outcome
    described = drivers.describe()
    device_ = must(cu.cuDeviceGet(0))
    major, minor = (outcome(cu.cuDeviceGetAttribute(cu.CUdevice_attribute(number), device_)) for number in (75, 76))
    return {**described, "compute capability": f"{major}.{minor}", "memory": must(cu.cuDeviceTotalMem(device_)),
            "devices": must(cu.cuDeviceGetCount())}


def fitting_jobs(attach):
    """How many processes may ask at once: each needs a context on the device, and a Python.

    Raises RuntimeError where the device is not for several processes, or has no room for a context.
    """
    try:
        free, mode = drivers.describe_in_child(attach, _memory_free)
    except ValueError:      # the child said nothing
        raise RuntimeError("the device has no room for a context: end other programs that use it") from None
    if mode != DEFAULT_MODE:
        raise RuntimeError("the device is not for several processes at once: `nvidia-smi -c DEFAULT` makes it so")
    room = min(free // (1536 * MIB), careful.host_memory_free() // (1024 * MIB))
    return max(1, min(8, len(os.sched_getaffinity(0)), room))


def _memory_free():
    """In a child: bytes of device 0 that are free, and its compute mode."""
    from cuda.bindings import driver as cu

    from ..helpers.calls import must, new_context
    must(cu.cuInit(0))
    new_context()
    return int(must(cu.cuMemGetInfo())[0]), must(cu.cuDeviceGetAttribute(cu.CUdevice_attribute(20), 0))


def driver_version():
    """What nvidia-smi says, where /proc does not (WSL 2); "unknown" where it does not answer."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "-i", "0"]
    try:
        version = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return version.strip() or "unknown"


def system():
    """Such as "Linux 6.12", and whether it is WSL 2 or another virtual machine."""
    release, virtual = platform.release(), "hypervisor" in (cpuinfo("flags") or "").split()
    where = ", WSL 2" if "microsoft" in release.lower() else ", in a virtual machine" if virtual else ""
    return f"{platform.system()} {'.'.join(release.split('.')[:2])}{where}"


def cpuinfo(name):
    """What the kernel says of the first CPU; None where it does not. (proc(5))"""
    with open("/proc/cpuinfo") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.split(":")[0].strip() == name), None)
