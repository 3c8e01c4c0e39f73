"""Which physical memory is behind host addresses, as far as the operating system tells.

Two host addresses may show one page: two mappings of one file, or of one memfd. What tells is the list of this
process's mappings: for a shared mapping it names the file and the place in it. (The page's number in the chips is in
/proc/self/pagemap, which only root may read.) Only for pages that are the process's own: what CUDA allocated on the
host is mapped from NVIDIA's device files, whose offsets tell nothing.
"""
from bisect import bisect_right

from .scene import PhysicalMemory

PRIVATE = "this process alone"


class ProcessMappings:
    """This process's mappings, as they are now."""

    def __init__(self):
        self._starts, self._files = [], []
        with open("/proc/self/maps") as maps:       # "start-end rwxp offset device inode path", proc(5)
            for line in maps:
                span, rights, offset, device, inode, *path = line.split(maxsplit=5)
                start = int(span.split("-")[0], 16)
                of_file = rights[3] == "s" and inode != "0" and not (path and path[0].startswith("/dev/nvidia"))
                self._starts.append(start)
                self._files.append((f"{device} {inode}", int(offset, 16) - start) if of_file else (PRIVATE, 0))

    def place(self, address):
        """Where the byte at an address is kept: (file, offset). Equal for two addresses of one byte."""
        file, shift = self._files[max(bisect_right(self._starts, address) - 1, 0)]
        return file, address + shift


def memories(ranges):
    """The physical memory behind each of several host ranges: a list of PhysicalMemory, equal where the bytes are.

    ranges: list of (address, size in bytes)

    Ranges that overlap only in part are views of one memory too: it has the bytes of them all.
    """
    pages = ProcessMappings()
    placed = sorted((*pages.place(address), nbytes, number) for number, (address, nbytes) in enumerate(ranges))
    groups = []         # [file, start, end, numbers of the ranges]
    for file, start, nbytes, number in placed:
        if groups and groups[-1][0] == file and start < groups[-1][2]:
            groups[-1][2] = max(groups[-1][2], start + nbytes)
            groups[-1][3].append(number)
        else:
            groups.append([file, start, start + nbytes, [number]])
    memory_of = {number: PhysicalMemory((file, start), "host", end - start) for file, start, end, numbers in groups
                 for number in numbers}
    return [memory_of[number] for number in range(len(ranges))]
