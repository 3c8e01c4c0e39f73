"""What a recording says of the machine that it was made on, and how much memory is free there.

The link's limit is the rate of its lanes after their encoding (8 bits in 10 up to PCIe 2.0, then 128 in 130, from 6.0
on 242 bytes in 256). The packets' headers come off it, so that no copy reaches it. Not here: what is measured.
"""
import os
import platform
import subprocess
from pathlib import Path

from course_lib import driver
from cuda_without_toolkit import nvrtc

import pycuda.driver as cuda

from ..recording import Machine

# GB/s of a lane, by PCIe's generation
LANE = {1: 2.5 * 8 / 10 / 8, 2: 5 * 8 / 10 / 8, 3: 8 * 128 / 130 / 8, 4: 16 * 128 / 130 / 8, 5: 32 * 128 / 130 / 8,
        6: 64 * 242 / 256 / 8}
CGROUP = (("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
          ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"))


def describe(device):
    """The Machine of a cuda.Device."""
    link, link_limit = _link(device)
    return Machine(
        device=device.name(), memory_bytes=device.total_memory(),
        compute_capability=".".join(map(str, device.compute_capability())),
        driver=_asked_of_nvidia_smi(device, "driver_version"),
        cuda=".".join(map(str, driver.attached.cuda_version)), nvrtc=".".join(map(str, nvrtc.version())),
        link=link, link_limit=link_limit, cpu=_cpuinfo("model name"), cpu_count=len(os.sched_getaffinity(0)),
        host_memory_bytes=_meminfo("MemTotal"), system=_system(), python=platform.python_version(),
        l2_bytes=device.get_attribute(cuda.device_attribute.L2_CACHE_SIZE) or None)


def host_memory_free():
    """Bytes of the host's memory that this process may still take: of the machine's, or of a container's share."""
    free = [_meminfo("MemAvailable")]
    for limit, used in CGROUP:
        try:
            free.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):       # no such file, or "max": no limit
            pass
    return max(0, min(free))


def _meminfo(name):
    with open("/proc/meminfo") as lines:    # "MemTotal:       24689764 kB", proc(5)
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name + ":"))


def _system():
    """"Linux 6.12", and whether it runs in a virtual machine, where times may be others than on the hardware itself."""
    version = ".".join(platform.release().split(".")[:2])
    virtual = "hypervisor" in (_cpuinfo("flags") or "").split()
    return f"{platform.system()} {version}{', in a virtual machine' if virtual else ''}"


def _cpuinfo(name):
    """What the kernel says of the first CPU; None where it does not. (proc(5))"""
    with open("/proc/cpuinfo") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.split(":")[0].strip() == name), None)


def _link(device):
    """("PCIe 5.0 x16", GB/s each way), of the link's fastest state: an idle one is slower. (None, None) if unknown."""
    try:
        generation, width = (int(_asked_of_nvidia_smi(device, f"pcie.link.{name}.max")) for name in ("gen", "width"))
        return f"PCIe {generation}.0 x{width}", round(LANE[generation] * width, 1)
    except (TypeError, ValueError, KeyError):
        return None, None


def _asked_of_nvidia_smi(device, property):
    """One line of `nvidia-smi --query-gpu`, or None where that does not answer."""
    try:
        command = ["nvidia-smi", f"--query-gpu={property}", "--format=csv,noheader", "-i", device.pci_bus_id()]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip() or None
