"""Pages of the host that two processes map: registered in one of them or in both."""
import contextlib
import functools
import mmap
import os
import tempfile

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.between import fill, host_bytes, host_put, number, seen
from ...helpers.calls import ask, must, outcome
from ...helpers.host_pages import SIZE, forward, mapped_in, memory_file, registered, seen_file, unregistered
from ...helpers.kernels import i32
from ...helpers.memory_kinds import pages, unmap
from ...helpers.others import Other, remembered, same

asked = functools.partial(question, others=True)


@asked("a file that two processes map and register is one memory for both devices' kernels and both hosts")
def both():
    other, fd = Other(), memory_file()
    yield "map", [mapped_in(other, "b", fd), seen_file("a", fd)]
    yield "register", [registered("a"), other.ask(registered, "b")]
    yield "each device uses its host's address", [forward("a"), other.ask(forward, "b")]
    yield "a host writes", [host_put("a", 0x21), other.ask(host_bytes, "b"), other.ask(seen, "b")]
    yield "a kernel writes", [fill("a", 0x30), other.ask(host_bytes, "b"), other.ask(seen, "b", 1)]
    yield "the other's kernel writes", [other.ask(fill, "b", 0x50, 4, 8192), host_bytes("a", 4, 8192), seen("a", 8193)]
    yield "unregister in one", [unregistered("a"), other.ask(fill, "b", 0x60), host_bytes("a"), seen_or_code("a")]
    yield "in the other", [other.ask(unregistered, "b"), other.ask(unregistered, "b"), other.ask(host_bytes, "b")]


def seen_or_code(label):
    """Of memory that is not registered any more only a copy is asked: a kernel would break CUDA for the process."""
    return ask(cu.cuMemHostGetFlags(number(label)))


@asked("a file that one process registers is an ordinary one for the other")
def one_side():
    other, fd = Other(), memory_file()
    yield "map", [mapped_in(other, "b", fd), seen_file("a", fd)]
    yield "register", registered("a")
    yield "known there", [other.ask(forward, "b"), other.ask(seen_or_code, "b")]
    yield "a kernel writes", [fill("a", 0x30), other.ask(host_bytes, "b")]
    yield "the other writes", [other.ask(host_put, "b", 0x44), host_bytes("a"), seen("a")]
    yield "the other dies", [other.kill(), fill("a", 0x70), host_bytes("a")]


@asked("both processes may have it at the same address")
def one_address():
    other, fd = Other(), memory_file()
    place = pages(1 << 30, protection=0)
    yield "map", [seen_file("a", os.dup(fd), address=place, flags=mmap.MAP_SHARED | 0x10),    # MAP_FIXED, over pages of no use
                  mapped_in(other, "b", fd, address=place, flags=mmap.MAP_SHARED | 0x100000)]    # MAP_FIXED_NOREPLACE
    yield "addresses", same(number("a"), other.ask(number, "b"))
    yield "register", [registered("a"), other.ask(registered, "b")]
    yield "each device uses its host's address", [forward("a"), other.ask(forward, "b")]
    yield "a kernel writes, the other's reads", [fill("a", 0x30), other.ask(seen, "b")]
    os.close(fd)
    unregistered("a")
    unmap(place, 1 << 30)


@asked("a kernel that waits is let go by another process's host", alone=True)
def let_go():
    other, fd = Other(), memory_file()
    mapped_in(other, "b", fd), seen_file("a", fd)
    yield "register", [registered("a"), other.ask(registered, "b")]
    other.start(waits, "b")
    host_put("a", 1, 1)
    yield "by its host", [other.finish(), host_bytes("a", 8)]
    host_put("a", 0, 8)
    other.start(waits, "b")
    yield "by its kernel", [ask(kernels.run("poke", number("a"), i32(5))), other.finish(), host_bytes("a", 8)]


def waits(label):
    return ask(kernels.run("wait_for", number(label), number(label) + 4))


@asked("a private mapping of a file is the process's own, once it was registered")
def private():
    other, fd = Other(), memory_file()
    yield "map", [mapped_in(other, "b", fd), seen_file("a", fd, flags=mmap.MAP_PRIVATE)]
    yield "register", registered("a")
    yield "the other writes", [other.ask(host_put, "b", 0x22), host_bytes("a"), seen("a")]
    yield "a kernel writes", [fill("a", 0x30), host_bytes("a"), other.ask(host_bytes, "b")]


@asked("a mapping for reading only is registered as such, and shows what others write")
def reading_only():
    other, fd = Other(), memory_file()
    yield "map", [mapped_in(other, "b", fd), seen_file("a", fd, protection=mmap.PROT_READ)]
    yield "register", [registered("a"), registered("a", 8)]
    yield "the other registers it for writing", other.ask(registered, "b")
    yield "the other's kernel writes", [other.ask(fill, "b", 0x30), host_bytes("a"), seen("a")]


@asked("a file that is made shorter takes the pages from its readers, not from the device")
def shortened():
    other, fd = Other(), memory_file()
    remembered["fd"] = os.dup(fd)
    yield "map", [mapped_in(other, "b", fd), seen_file("a", fd)]
    yield "register", [registered("a"), other.ask(registered, "b"), other.ask(fill, "b", 0x30)]
    os.ftruncate(remembered["fd"], 0)
    yield "a kernel reads", [other.ask(seen, "b"), seen("a")]
    yield "a copy reads", [other.ask(copied, "b")]
    yield "a host reads", other.ask(host_bytes, "b")
    os.ftruncate(remembered["fd"], SIZE)
    yield "made longer again: host and kernel", [host_bytes("a"), seen("a")]
    os.close(remembered["fd"])


def copied(label):
    own = int(must(cu.cuMemAlloc(64)))
    back = bytearray(1)
    return [ask(cu.cuMemcpyDtoD(own, number(label), 1)), ask(cu.cuMemcpyDtoH(back, own, 1)), back.hex()]


@asked("files on disk and in shared memory are registered like memory files", varies={"a file on disk": "the file system's choice"})
def other_files():
    for label, make in (("a file in shared memory", lambda: tempfile.TemporaryFile(dir="/dev/shm")), ("a file on disk", lambda: tempfile.TemporaryFile())):
        with contextlib.suppress(OSError), make() as file:
            os.ftruncate(file.fileno(), SIZE)
            answers = [seen_file("a", os.dup(file.fileno())), registered("a"), forward("a")]
            if answers[1] == "SUCCESS":    # where it is refused, a kernel would break CUDA for the process
                answers += [fill("a", 0x20), os.pread(file.fileno(), 4, 0).hex(), unregistered("a")]
            yield label, answers


@asked("anonymous shared pages are one memory for a parent and its forked child", alone=True)
def anonymous():
    remembered["a"] = pages(SIZE, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    yield "register", registered("a")
    yield "a kernel writes", fill("a", 0x30)
    pid = os.fork()
    if not pid:
        first = host_bytes("a")
        host_put("a", 0x66, 4)
        os._exit(0 if first == "30313233" else 1)
    yield "the child read it", os.waitpid(pid, 0)[1]
    yield "what the child wrote", [host_bytes("a"), seen("a")]


@asked("registered memory says of itself what its own process did")
def flags():
    other, fd = Other(), memory_file()
    mapped_in(other, "b", fd), seen_file("a", fd)
    yield "register", [registered("a", 1), other.ask(registered, "b", 2)]
    yield "flags", [outcome(cu.cuMemHostGetFlags(number("a"))), other.ask(flags_of, "b")]


def flags_of(label):
    return outcome(cu.cuMemHostGetFlags(number(label)))
