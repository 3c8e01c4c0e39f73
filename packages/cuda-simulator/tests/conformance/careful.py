"""Care on somebody's own machine: no question asks for more managed memory than is free.

Where a driver keeps every page of managed memory in the host's memory, or takes it at once, more than is free could
stall the whole machine. So there the call is not made, and the answer is NOT_ASKED with the reason.

Not here: crashes and hangs, which cost a worker at most (workers.py).
"""
from pathlib import Path

NOT_ASKED = "(not asked)"    # the label that says why a question was not; and how such an answer begins
SMALL = 64 << 20             # bytes that are asked for on any machine
CGROUP = (("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
          ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"))


class NotAsked(Exception):
    """A call that is not made on this machine; the text says why."""


def hold_back():
    """Have this process, and those that it forks, ask for no more managed memory than is free."""
    from cuda.bindings import driver as cu
    allocate = cu.cuMemAllocManaged

    def careful(size, flags):
        if isinstance(size, int) and size > SMALL:
            error, free, _ = cu.cuMemGetInfo()
            if not int(error) and size > min(free, host_memory_free()):    # after an error, the call is refused, too
                raise NotAsked("more managed memory than is free")
        return allocate(size, flags)
    cu.cuMemAllocManaged = careful


def host_memory_free():
    """Bytes of the host's memory that may still be taken: of the machine's, or of a container's share."""
    with open("/proc/meminfo") as lines:    # "MemAvailable:   24689764 kB", proc(5)
        free = [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    for limit, used in CGROUP:
        try:
            free.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):       # no such file, or "max": no limit
            pass
    return max(0, min(free))
