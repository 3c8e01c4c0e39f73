"""Memory files: pages without a name (memfd_create) that several processes map. What another process is to have lies in one.

A file lives as long as somebody has it open or mapped. Nothing of it is on disk, and nothing is left where a process is killed.
Whoever has another's file holds a lock on it, which belongs to the open file (fcntl(2), "open file description locks"): the
operating system takes it back when the last descriptor and the last mapping of that open file are gone, whatever became of
the process. So an owner can ask whether somebody else still has its file.

Not here: what lies in a file (windows.py, physical.py, pools.py), what this process lets others open (directory.py).
"""
import contextlib
import fcntl
import glob
import os
import struct
import weakref

from ..libcuda.results import CallError, Result
from ..libcuda.state import lock

_MADE_HERE, _NAME_OF_A_LINK, _DELETED = "cuda_simulator: ", "/memfd:cuda_simulator: ", " (deleted)"
_FLOCK = struct.Struct("hhqqi4x")    # struct flock: type, whence, start, length, process
_HOLD, _TO_THE_END = 1 << 62, 0      # a lock from this byte on says that a file is held; no file is so long
_open = weakref.WeakSet()


class MemoryFile:
    """A memory file that this process has open: until it is closed, or nobody has the object. Children that are forked have it
    closed."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self._closing = weakref.finalize(self, os.close, descriptor)
        self._closing.atexit = False    # the operating system does it then, and destructors may call the driver still
        about = os.fstat(descriptor)
        self.identity = about.st_dev, about.st_ino    # what tells it from all others, in every process
        _open.add(self)

    def close(self):
        """What is mapped of it stays mapped."""
        self._closing()

    def another(self):
        """The same open file by another descriptor, which outlives this one; OPERATING_SYSTEM where there can be none."""
        try:
            return MemoryFile(os.dup(self.descriptor))
        except OSError as error:
            raise CallError(Result.OPERATING_SYSTEM, f"no further descriptor: {error.strerror}") from None

    @property
    def size(self):
        """How many bytes it has."""
        return os.fstat(self.descriptor).st_size

    def grow(self, size):
        """Give it at least `size` bytes; new ones are zero."""
        if self.size < size:
            os.ftruncate(self.descriptor, size)

    def new_descriptor(self):
        """A new descriptor that stands for it and holds it, for the program, which closes it. As with an H200's, the host cannot
        map what it stands for: it is for writing only."""
        return _open_again(f"/proc/self/fd/{self.descriptor}", os.O_WRONLY)

    @property
    def held_elsewhere(self):
        """Does somebody else hold it: a descriptor that was passed on, or who opened that, or mapped it?"""
        try:
            answer = _lock(self.descriptor, fcntl.F_OFD_GETLK, fcntl.F_WRLCK, _HOLD, _TO_THE_END)
        except OSError:    # a system without such locks, where nobody could hold it
            return False
        return _FLOCK.unpack(answer)[0] != fcntl.F_UNLCK

    @contextlib.contextmanager
    def locked(self, start, size):
        """Meanwhile nobody else who has the file open by itself is here with the same bytes."""
        _lock(self.descriptor, fcntl.F_OFD_SETLKW, fcntl.F_WRLCK, start, size)
        try:
            yield
        finally:
            _lock(self.descriptor, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, start, size)


def _lock(descriptor, how, kind, start, size):
    return fcntl.fcntl(descriptor, how, _FLOCK.pack(kind, os.SEEK_SET, start, size, 0))


def create(name, size):
    """A new file of `size` zero bytes; OPERATING_SYSTEM where this process may not open another one."""
    try:
        file = MemoryFile(os.memfd_create(_MADE_HERE + name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
    except OSError as error:
        raise CallError(Result.OPERATING_SYSTEM, f"no memory file: {error.strerror}") from None
    file.grow(size)
    fcntl.fcntl(file.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)    # nobody takes the pages away from the others
    return file


def open_held(path):
    """Open and hold the file behind a link of /proc, another process's or this one's; OSError where there is none."""
    return MemoryFile(_open_again(path, os.O_RDWR))


def _open_again(path, how):
    try:
        descriptor = os.open(path, how | os.O_CLOEXEC)
    except OSError as error:
        if not os.path.exists(path):
            raise
        raise CallError(Result.OPERATING_SYSTEM, f"no further descriptor: {error.strerror}") from None
    try:
        _hold(descriptor, how)
    except OSError as error:
        os.close(descriptor)
        raise CallError(Result.NOT_SUPPORTED, f"this system has no open file description locks: {error.strerror}") from None
    return descriptor


def _hold(descriptor, how):
    """Many hold a file. Who may read it shares the lock of one byte; who may only write it needs a byte of its own."""
    if how == os.O_RDWR:
        _lock(descriptor, fcntl.F_OFD_SETLK, fcntl.F_RDLCK, _HOLD, 1)
        return
    while True:
        with contextlib.suppress(BlockingIOError):    # somebody has that byte
            _lock(descriptor, fcntl.F_OFD_SETLK, fcntl.F_WRLCK, _HOLD + 1 + int.from_bytes(os.urandom(7), "little"), 1)
            return


def name_given(descriptor):
    """The name of the file that a program's descriptor stands for; None where that was not given out here, or is another one
    of the file, opened by its path."""
    try:
        how = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
    except (OSError, ValueError):    # a closed one, and a negative one
        return None
    return name_of(descriptor) if how == os.O_WRONLY else None


def name_of(descriptor, process="self"):
    """The name that a descriptor's file was created with here; None if it is none of a simulated driver's."""
    try:
        link = os.readlink(f"/proc/{process}/fd/{descriptor}")
    except OSError:
        return None
    return link[len(_NAME_OF_A_LINK):].removesuffix(_DELETED) if link.startswith(_NAME_OF_A_LINK) else None


def open_of_anybody(name):
    """A file that some process has open under this name, held; None if there is none. The operating system lets in those of the
    same user."""
    for link in glob.iglob("/proc/[0-9]*/fd/*"):
        _, _, process, _, descriptor = link.split("/")
        if name_of(descriptor, process) == name:
            with contextlib.suppress(OSError):    # it was closed meanwhile
                return open_held(link)
    return None


def _forget_all():
    """In a forked child, which may not use CUDA: keep no file alive."""
    for file in list(_open):
        file.close()


os.register_at_fork(after_in_child=_forget_all)


# -- files that this process is done with and others are not ------------------------------------------------------

_waiting = {}    # identity -> (file, what to do when nobody holds it any more)


def when_free(file, action):
    """Act once nobody else holds the file: now, or when `settle` finds out. Nobody tells when that is, so somebody looks."""
    if file.held_elsewhere:
        _waiting[file.identity] = file, action
    else:
        _waiting.pop(file.identity, None)    # what waited since an earlier time is done by this
        action()


def settle():
    """Do what has become possible since."""
    if not _waiting:
        return
    with lock:
        for identity, (file, action) in list(_waiting.items()):
            if not file.held_elsewhere:
                del _waiting[identity]
                action()
