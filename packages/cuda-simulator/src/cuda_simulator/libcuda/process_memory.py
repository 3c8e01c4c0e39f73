"""Memory of this process, by address: reserve, open, close, read and write it, without ever crashing on a bad address.

The simulated driver hands out real addresses, so it works on the process's own memory as C would. Three
kinds of use: `reserve` address space that holds nothing, `map_*` pages into it, and `read`/`write`/`copy`
bytes at addresses that a caller gave us and that may be wrong.

Not here: what the addresses mean to CUDA (allocations.py).
"""
import ctypes
import mmap
import os
import typing

from ..address_space import ADDRESSES
from . import stand_in

PAGE = mmap.PAGESIZE
END = ADDRESSES     # of the addresses that a process may have
MOST_OF_STRING = 64 << 20

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.mremap.restype = ctypes.c_void_p
_libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
_libc.shmat.argtypes, _libc.shmat.restype = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int], ctypes.c_void_p
_libc.shmctl.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]

_PROT_NONE, _PROT_READ, _PROT_WRITE = 0, mmap.PROT_READ, mmap.PROT_WRITE
_MAP_FIXED, _MAP_NORESERVE = 0x10, 0x4000
_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_MADV_DONTNEED, _MADV_REMOVE, _MADV_DONTFORK, _MADV_NOHUGEPAGE, _MADV_POPULATE_WRITE = 4, 9, 10, 15, 23
_IPC_PRIVATE, _IPC_RMID, _IPC_CREAT, _SHM_NORESERVE, _SHM_REMAP = 0, 0, 0o1000, 0o10000, 0o40000
_MREMAP_MAYMOVE, _MREMAP_FIXED = 1, 2
_FAILED = ctypes.c_void_p(-1).value


class BadAddress(Exception):
    """These bytes are not there, or do not allow this access."""


def round_up(value, multiple):
    """The smallest multiple of `multiple` that is at least `value`."""
    return -(-value // multiple) * multiple


def _mmap(address, size, protection, flags, fd=-1, offset=0):
    result = _libc.mmap(address, size, protection, flags, fd, offset)
    if result == _FAILED:
        raise MemoryError(f"mmap of {size} bytes: {os.strerror(ctypes.get_errno())}")
    return result


def reserve(size, readable=False):
    """Address space of `size` bytes that costs no memory: closed to every access, or open and backed when touched."""
    protection = _PROT_READ | _PROT_WRITE if readable else _PROT_NONE
    return _mmap(None, size, protection, _PRIVATE | _MAP_NORESERVE)


def reserve_aligned(size, alignment):
    """Closed address space that starts at a multiple of `alignment`: reserve more, and give the ends back."""
    base = reserve(size + alignment)
    start = round_up(base, alignment)
    unmap(base, start - base)       # of no pages: nothing
    unmap(start + size, base + alignment - start)
    return start


def map_pages_twice(size, address=None):
    """`size` bytes of fresh zeroed pages, backed when touched, in reserved space at `address` (None: anywhere), and in a second
    view: both addresses. Where there can be no second view, the first one twice. A forked child has the same pages."""
    fixed = _MAP_FIXED if address is not None else 0
    return _twice(address, size) or [
        _mmap(address, size, _PROT_READ | _PROT_WRITE, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | fixed)] * 2


def make_resident(address, size):
    """Back these pages at once. Linux before 5.14 backs them when they are touched."""
    start = address // PAGE * PAGE
    _libc.madvise(start, round_up(address + size, PAGE) - start, _MADV_POPULATE_WRITE)


def open_pages(address, size):
    """Put fresh readable and writable pages into reserved space at `address`."""
    _mmap(address, size, _PROT_READ | _PROT_WRITE, _PRIVATE | _MAP_NORESERVE | _MAP_FIXED)
    _libc.madvise(address, size, _MADV_DONTFORK)    # a forked child has no such memory, as with a GPU


def open_shared_pages(address, size):
    """The same, with a second view of the pages, whose address is returned. None, and nothing done, where there can be none.

    The system then tells which pages were touched through the first view (../page_tables.py), and `let_go` makes it forget.
    The memory is a System V segment: a read of a memory file would bring 15 neighbours into the page tables as well
    (Linux kernel documentation, fault_around_bytes). It ends with its two views.
    """
    views = _twice(address, size)
    for view in views or ():
        _libc.madvise(view, size, _MADV_DONTFORK)
    return views and views[1]


def _twice(address, size):
    """The pages of a segment at `address` (None: anywhere) and at another: both addresses, or None."""
    segment = _libc.shmget(_IPC_PRIVATE, size, _IPC_CREAT | _SHM_NORESERVE | 0o600)
    if segment < 0:
        return None
    try:
        second = _libc.shmat(segment, None, 0)
        if second == _FAILED:
            return None
        first = _libc.shmat(segment, address, _SHM_REMAP if address else 0)
        if first == _FAILED:
            unmap(second, size)
            return None
    finally:
        _libc.shmctl(segment, _IPC_RMID, None)
    for view in (first, second):
        _libc.madvise(view, size, _MADV_NOHUGEPAGE)     # the tables are to tell of small pages
    return first, second


def let_go(address, size):
    """Take whole pages of `open_shared_pages` out of this view's page tables. Their bytes stay."""
    _libc.madvise(address, size, _MADV_DONTNEED)


def close_pages(address, size):
    """Turn pages at `address` back into reserved space that no access reaches."""
    _mmap(address, size, _PROT_NONE, _PRIVATE | _MAP_NORESERVE | _MAP_FIXED)


def map_file(fd, size, address=None, offset=0):
    """Map a memory file, at `address` if given: two maps of one file are two views of the same bytes."""
    fixed = _MAP_FIXED if address is not None else 0
    return _mmap(address, size, _PROT_READ | _PROT_WRITE, mmap.MAP_SHARED | _MAP_NORESERVE | fixed, fd, offset)


def map_again(address, size, at):
    """Map the shared pages at `address` at `at` as well."""
    if _libc.mremap(address, 0, size, _MREMAP_MAYMOVE | _MREMAP_FIXED, at) == _FAILED:    # 0: the old mapping stays
        raise MemoryError(f"mremap of {size} bytes: {os.strerror(ctypes.get_errno())}")
    _libc.mprotect(at, size, _PROT_READ | _PROT_WRITE)


def not_for_children(address, size):
    """A child that is forked gets no such pages, and so keeps nothing of them."""
    _libc.madvise(address, size, _MADV_DONTFORK)


def empty_file_pages(address, size):
    """What a mapped file holds here is given back to the operating system, for everybody who maps it: it reads as zero."""
    _libc.madvise(address, size, _MADV_REMOVE)


def renew_pages(address, size):
    """Put fresh pages of this process alone where a file was mapped."""
    _mmap(address, size, _PROT_READ | _PROT_WRITE, _PRIVATE | _MAP_NORESERVE | _MAP_FIXED)


def protect(address, size, readable, writable):
    """Change what the host may do with mapped pages."""
    _libc.mprotect(address, size, (_PROT_READ if readable else 0) | (_PROT_WRITE if writable else 0))


def make_own(address, size, mapped):
    """Make private pages of a file the process's own at once, which they would be from its first write on. `mapped`: their mappings"""
    low, high = address // PAGE * PAGE, round_up(address + size, PAGE)
    for mapping in mapped:
        start, stop = max(mapping.start, low), min(mapping.end, high)
        if mapping.file != "0" and mapping.rights[1] == "w" and mapping.rights[3] == "p":
            if _libc.madvise(start, stop - start, _MADV_POPULATE_WRITE):    # Linux before 5.14
                for page in range(start, stop, PAGE):
                    write(page, read(page, 1))


def unmap(address, size):
    """Give pages and their addresses back to the operating system."""
    _libc.munmap(address, size)


def discard(address, size):
    """Give the memory behind whole pages back and keep the addresses: they read as zero again."""
    start, end = round_up(address, PAGE), (address + size) // PAGE * PAGE
    if end > start:
        _libc.madvise(start, end - start, _MADV_DONTNEED)


# -- bytes at addresses that may be wrong -------------------------------------------------------------------------

_EFAULT = 14
_read = stand_in.load().stand_in_read
_read.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
# Called with Python's lock held (PyDLL): it takes less time than giving the lock away and getting it back.
_write = ctypes.PyDLL(str(stand_in.PATH)).stand_in_write
_write.argtypes = [ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def read(address, size):
    """The `size` bytes at `address`, or BadAddress."""
    buffer = ctypes.create_string_buffer(size)
    trouble = size and _read(buffer, address, size)
    if trouble == _EFAULT or address < PAGE:
        raise BadAddress(f"{size} bytes at {address:#x}")
    if trouble:             # a sandbox forbids the checked copy: do a plain one
        return ctypes.string_at(address, size)
    return buffer.raw


def write(address, data):
    """Put `data` (bytes) at `address`, or BadAddress."""
    if address < PAGE or _write(address, data, len(data)):
        raise BadAddress(f"{len(data)} bytes at {address:#x}")


def read_string(address):
    """The bytes from `address` up to a zero byte."""
    text, step = bytearray(), 32     # names are short, and a module's text is long
    while len(text) < MOST_OF_STRING:
        step = min(2 * step, PAGE - (address + len(text)) % PAGE)     # never across a page that may not be there
        piece = read(address + len(text), step)
        end = piece.find(b"\0")
        if end >= 0:
            return bytes(text + piece[:end])
        text += piece
    raise BadAddress(f"no end of string within {MOST_OF_STRING} bytes of {address:#x}")


def check(address, size, write=False):
    """Raise BadAddress unless `size` bytes at `address`, one at least, can be read (and written)."""
    if address < PAGE or address + size > END:
        raise BadAddress(f"{size} bytes at {address:#x}")
    if size > PAGE:    # pages that lie in between may be closed
        if not allows(address, size, "w" if write else "r"):
            raise BadAddress(f"{size} bytes at {address:#x}: not all of them are there")
        return
    for probe in {address, address + size - 1}:
        byte = read(probe, 1)
        if write and _write(probe, byte, 1):
            raise BadAddress(f"1 bytes at {probe:#x}")


def allows(address, size, right, mapped=None):
    """Do all of `size` bytes at `address` allow `right`, "r" or "w"? `mapped`: their mappings, where they are known"""
    end = address + size
    for mapping in mappings(address, end) if mapped is None else mapped:
        if (mapping.start > address or right not in mapping.rights
                or mapping.file != "0" and not _is_there(min(end, mapping.end) - 1)):
            return False
        address = mapping.end
    return address >= end


class MappedRegion(typing.NamedTuple):
    """A line of the kernel's own table. `file`: its number, or "0"; `name`: the file's, or ""."""

    start: int
    end: int
    rights: str
    offset: str
    device: str
    file: str
    name: str


def mappings(start, end):
    """What is mapped between two addresses, in their order. The kernel takes a millisecond to write its table."""
    with open("/proc/self/maps") as table:
        for line in table:
            low, high = (int(number, 16) for number in line[:line.index(" ")].split("-"))
            if high <= start:
                continue
            if low >= end:
                break
            _, *columns = line.split(maxsplit=5)
            yield MappedRegion(low, high, *columns[:4], columns[4].strip() if columns[4:] else "")


def mapped_from(identity, start, end):
    """(start, size, rights) of what is mapped of a file between two addresses, as `map_file` put it there from `start` on.

    identity: the file's (st_dev, st_ino)
    """
    for mapping in mappings(start, end):
        major, minor = (int(part, 16) for part in mapping.device.split(":"))
        if (os.makedev(major, minor), int(mapping.file)) == identity and mapping.start - start == int(mapping.offset, 16):
            yield mapping.start, min(mapping.end, end) - mapping.start, mapping.rights


_IN_MEMORY = "tmpfs", "ramfs", "hugetlbfs", "devtmpfs"


def is_written_back(mapped):
    """Does what the process writes to any of these mappings go to a file on disk? Linux lets no device write such pages: it could not
    tell when to store them. What no mount has (memfd_create) is in memory."""
    shared = {mapping.device for mapping in mapped if mapping.rights[1] == "w" and mapping.rights[3] == "s" and mapping.file != "0"}
    if not shared:
        return False
    with open("/proc/self/mountinfo") as mounts:
        for line in mounts:
            major, minor = line.split()[2].split(":")
            if f"{int(major):02x}:{int(minor):02x}" in shared and line.partition(" - ")[2].split()[0] not in _IN_MEMORY:
                return True
    return False


def _is_there(address):
    """Can this byte be read? Pages that lie beyond the end of their file cannot."""
    try:
        return len(read(address, 1)) == 1
    except BadAddress:
        return False


def copy(target, source, size):
    """Move bytes inside this process, both sides known to be good: the speed of memmove, without Python's lock."""
    ctypes.memmove(target, source, size)


def fill(address, pattern, count):
    """Write `pattern` (1, 2 or 4 bytes) `count` times from `address` on, which is known to be good."""
    if len(set(pattern)) == 1:
        ctypes.memset(address, pattern[0], count * len(pattern))
    elif count:
        # Copy what is written already until it is all there, in pieces that a cache holds.
        filled, total = len(pattern), count * len(pattern)
        ctypes.memmove(address, pattern, filled)
        while filled < total:
            step = min(filled, total - filled, 1 << 18)
            ctypes.memmove(address + filled, address, step)
            filled += step


def available():
    """Bytes of memory that this process could still take: the machine's, or its container's if that is less."""
    free = _meminfo_available()
    for folder, limit, usage in (("/sys/fs/cgroup/", "memory.max", "memory.current"),
                                 ("/sys/fs/cgroup/memory/", "memory.limit_in_bytes", "memory.usage_in_bytes")):
        try:
            with open(folder + limit) as most, open(folder + usage) as used:
                free = min(free, int(most.read()) - int(used.read()))
        except (OSError, ValueError):    # no such control group, or its limit is "max"
            continue
    return max(free, 0)


def _meminfo_available():
    with open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 1 << 62
