"""What this process lets other processes open, as these read it: a memory file with one entry for each thing.

A handle for another process names this process, its directory, and an entry. The entry says under which descriptor the
thing's own file is, or that it is gone. /proc/PID/fd leads there; the operating system lets in whom it would let debug the
process, which are those of the same user.

As an H200's driver does, the directory tells two ways to be gone: nothing has the place of what was freed (INVALID_VALUE), or
other memory of the device has it (NOT_PERMITTED), whether this process made that memory or opened another's.

Not here: what the handles of CUDA are made of (interprocess.py).
"""
import os
import struct

from ..libcuda.results import CallError, Result
from . import memory_files

_NAME = "directory"
_ENTRY = struct.Struct("=iIQ")    # descriptor, state, inode of the file
_THERE, _GONE, _REPLACED = 1, 2, 3

_file = None
_entries = []      # by number: [state, device whose memory it is]
_numbers = {}      # identity of a file -> number


def process():
    """(number, start time) of this process: the second tells it from a later one with the same number."""
    return os.getpid(), start_of(os.getpid())


def start_of(pid):
    """When a process began, in ticks since the machine did; None if there is no such process, or it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as lines:
            fields = lines.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def began(pid, start):
    """Is this still the process that began then?"""
    actual_start = start_of(pid)
    return actual_start is not None and abs(actual_start - start) <= 1    # QEMU tells a process its own start a tick late


def enter(file, device=None):
    """Let others open a file, which may be with memory of a device: (descriptor of the directory, number of the entry)."""
    global _file
    if _file is None:
        _file = memory_files.create(_NAME, 0)
    number = _numbers.get(file.identity)
    if number is None:
        number = _numbers[file.identity] = len(_entries)
        _entries.append([_THERE, device])
        _write(number, file.descriptor, _THERE, file.identity[1])
    return _file.descriptor, number


def withdraw(file):
    """What lies in the file was freed. Nothing happens if nobody was let in."""
    number = _numbers.pop(file.identity, None)
    if number is not None:
        _entries[number][0] = _GONE
        _write(number, -1, _GONE, file.identity[1])


def memory_came(device):
    """New memory of a device takes the places of what is gone of it. Which these are, for `memory_went`."""
    places = [number for number, entry in enumerate(_entries) if entry == [_GONE, device]]
    _change(places, _REPLACED)
    return places


def memory_went(places):
    """What had taken these places is gone, too."""
    _change(places, _GONE)


def _change(places, state):
    for number in places:
        _entries[number][0] = state
        _write(number, -1, state, 0)


def _write(number, descriptor, state, inode):
    os.pwrite(_file.descriptor, _ENTRY.pack(descriptor, state, inode), number * _ENTRY.size)


def open_file(pid, start, directory, number, inode):
    """The file of another process's entry, held. INVALID_HANDLE where the process has ended, and as above where the thing is gone."""
    if not began(pid, start):
        raise CallError(Result.INVALID_HANDLE, f"process {pid}, which made the handle, has ended")
    try:
        descriptor, state, present_inode = _read(pid, directory, number)
        if state == _THERE and present_inode == inode:
            return memory_files.open_held(f"/proc/{pid}/fd/{descriptor}")
    except (OSError, OverflowError, struct.error):      # the last two of a handle that was changed
        raise CallError(Result.INVALID_HANDLE, f"process {pid} is not to be reached, or has no such entry") from None
    raise CallError(Result.NOT_PERMITTED if state == _REPLACED else Result.INVALID_VALUE, "what the handle stands for was freed")


def _read(pid, directory, number):
    if memory_files.name_of(directory, pid) != _NAME:
        raise OSError("no directory there")
    descriptor = os.open(f"/proc/{pid}/fd/{directory}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _ENTRY.unpack(os.pread(descriptor, _ENTRY.size, number * _ENTRY.size))
    finally:
        os.close(descriptor)
