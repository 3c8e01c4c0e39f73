"""Words about pages of a file that two processes map and register."""
import mmap
import os

from cuda.bindings import driver as cu

from .between import number, word
from .calls import ask
from .memory_kinds import pages
from .processes import remembered

SIZE = 16384


def memory_file(size=SIZE):
    fd = os.memfd_create("shared by two processes")
    os.ftruncate(fd, size)
    return fd


@word
def map_file(label, fd, *, address=None, flags=mmap.MAP_SHARED, protection=mmap.PROT_READ | mmap.PROT_WRITE, size=SIZE):
    """Map a file, and close its descriptor."""
    remembered[label] = pages(size, protection, flags, fd, address, touched=False)
    os.close(fd)
    return "mapped"


@word
def register_pages(label, flags=0, size=SIZE):
    return ask(cu.cuMemHostRegister(number(label), size, flags))


@word
def unregister_pages(label):
    return ask(cu.cuMemHostUnregister(number(label)))


@word
def forward(label):
    """Is the address on the device the host's?"""
    result = cu.cuMemHostGetDevicePointer(number(label), 0)
    return ask(result) if int(result[0]) else int(result[1]) == number(label)


def map_in(process, label, fd, **options):
    """Let another process map a file."""
    return process.ask(_map_with, label, options, fds=[fd])


def _map_with(label, options, fd):
    return map_file(label, fd, **options)
