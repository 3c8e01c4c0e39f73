"""Pages of the host that two processes map: registered in one of them or in both."""
import contextlib
import mmap
import os
import tempfile

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import fill, host_bytes, host_put, kernel_byte, number
from ...helpers.calls import ask, must, outcome
from ...helpers.host_pages import SIZE, forward, map_file, map_in, memory_file, register_pages, unregister_pages
from ...helpers.kernels import i32
from ...helpers.memory_kinds import pages, unmap
from ...helpers.processes import OtherProcess, remembered, same_number


@question("a file that two processes map and register is one memory for both devices' kernels and both hosts")
def both():
    process, fd = OtherProcess(), memory_file()
    yield "map", [map_in(process, "b", fd), map_file("a", fd)]
    yield "register", [register_pages("a"), process.ask(register_pages, "b")]
    yield "each device uses its host's address", [forward("a"), process.ask(forward, "b")]
    yield "a host writes", [host_put("a", 0x21), process.ask(host_bytes, "b"), process.ask(kernel_byte, "b")]
    yield "a kernel writes", [fill("a", 0x30), process.ask(host_bytes, "b"), process.ask(kernel_byte, "b", 1)]
    yield "the other's kernel writes", [process.ask(fill, "b", 0x50, 4, 8192), host_bytes("a", 4, 8192), kernel_byte("a", 8193)]
    yield "unregister in one", [unregister_pages("a"), process.ask(fill, "b", 0x60), host_bytes("a"), flags_code("a")]
    yield "in the other", [process.ask(unregister_pages, "b"), process.ask(unregister_pages, "b"), process.ask(host_bytes, "b")]


def flags_code(label):
    """Of memory that is not registered any more only a copy is asked: a kernel would break CUDA for the process."""
    return ask(cu.cuMemHostGetFlags(number(label)))


@question("a file that one process registers is an ordinary one for the other")
def one_side():
    process, fd = OtherProcess(), memory_file()
    yield "map", [map_in(process, "b", fd), map_file("a", fd)]
    yield "register", register_pages("a")
    yield "known there", [process.ask(forward, "b"), process.ask(flags_code, "b")]
    yield "a kernel writes", [fill("a", 0x30), process.ask(host_bytes, "b")]
    yield "the other writes", [process.ask(host_put, "b", 0x44), host_bytes("a"), kernel_byte("a")]
    yield "the other dies", [process.kill(), fill("a", 0x70), host_bytes("a")]


@question("both processes may have it at the same address")
def one_address():
    process, fd = OtherProcess(), memory_file()
    place = pages(1 << 30, protection=0)
    yield "map", [map_file("a", os.dup(fd), address=place, flags=mmap.MAP_SHARED | 0x10),    # MAP_FIXED, over pages of no use
                  map_in(process, "b", fd, address=place, flags=mmap.MAP_SHARED | 0x100000)]    # MAP_FIXED_NOREPLACE
    yield "addresses", same_number(number("a"), process.ask(number, "b"))
    yield "register", [register_pages("a"), process.ask(register_pages, "b")]
    yield "each device uses its host's address", [forward("a"), process.ask(forward, "b")]
    yield "a kernel writes, the other's reads", [fill("a", 0x30), process.ask(kernel_byte, "b")]
    os.close(fd)
    unregister_pages("a")
    unmap(place, 1 << 30)


@question("a kernel that waits is let go by another process's host", alone=True)
def let_go():
    process, fd = OtherProcess(), memory_file()
    map_in(process, "b", fd), map_file("a", fd)
    yield "register", [register_pages("a"), process.ask(register_pages, "b")]
    process.start(waits, "b")
    host_put("a", 1, 1)
    yield "by its host", [process.finish(), host_bytes("a", 8)]
    host_put("a", 0, 8)
    process.start(waits, "b")
    yield "by its kernel", [ask(kernels.run("poke", number("a"), i32(5))), process.finish(), host_bytes("a", 8)]


def waits(label):
    return ask(kernels.run("wait_for", number(label), number(label) + 4))


@question("a private mapping of a file is the process's own, once it was registered")
def private():
    process, fd = OtherProcess(), memory_file()
    yield "map", [map_in(process, "b", fd), map_file("a", fd, flags=mmap.MAP_PRIVATE)]
    yield "register", register_pages("a")
    yield "the other writes", [process.ask(host_put, "b", 0x22), host_bytes("a"), kernel_byte("a")]
    yield "a kernel writes", [fill("a", 0x30), host_bytes("a"), process.ask(host_bytes, "b")]


@question("a mapping for reading only is registered as such, and shows what others write")
def reading_only():
    process, fd = OtherProcess(), memory_file()
    yield "map", [map_in(process, "b", fd), map_file("a", fd, protection=mmap.PROT_READ)]
    yield "register", [register_pages("a"), register_pages("a", 8)]
    yield "the other registers it for writing", process.ask(register_pages, "b")
    yield "the other's kernel writes", [process.ask(fill, "b", 0x30), host_bytes("a"), kernel_byte("a")]


@question("a file that is made shorter takes the pages from its readers, not from the device")
def shortened():
    process, fd = OtherProcess(), memory_file()
    remembered["fd"] = os.dup(fd)
    yield "map", [map_in(process, "b", fd), map_file("a", fd)]
    yield "register", [register_pages("a"), process.ask(register_pages, "b"), process.ask(fill, "b", 0x30)]
    os.ftruncate(remembered["fd"], 0)
    yield "a kernel reads", [process.ask(kernel_byte, "b"), kernel_byte("a")]
    yield "a copy reads", [process.ask(copy_answer, "b")]
    yield "a host reads", process.ask(host_bytes, "b")
    os.ftruncate(remembered["fd"], SIZE)
    yield "made longer again: host and kernel", [host_bytes("a"), kernel_byte("a")]
    os.close(remembered["fd"])


def copy_answer(label):
    own = int(must(cu.cuMemAlloc(64)))
    back = bytearray(1)
    return [ask(cu.cuMemcpyDtoD(own, number(label), 1)), ask(cu.cuMemcpyDtoH(back, own, 1)), back.hex()]


@question("files on disk and in shared memory are registered like memory files", varies={"a file on disk": "the file system's choice"})
def other_files():
    for label, make in (("a file in shared memory", lambda: tempfile.TemporaryFile(dir="/dev/shm")), ("a file on disk", lambda: tempfile.TemporaryFile())):
        with contextlib.suppress(OSError), make() as file:
            os.ftruncate(file.fileno(), SIZE)
            answers = [map_file("a", os.dup(file.fileno())), register_pages("a"), forward("a")]
            if answers[1] == "SUCCESS":    # where it is refused, a kernel would break CUDA for the process
                answers += [fill("a", 0x20), os.pread(file.fileno(), 4, 0).hex(), unregister_pages("a")]
            yield label, answers


@question("anonymous shared pages are one memory for a parent and its forked child", alone=True)
def anonymous():
    remembered["a"] = pages(SIZE, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    yield "register", register_pages("a")
    yield "a kernel writes", fill("a", 0x30)
    pid = os.fork()
    if not pid:
        content = host_bytes("a")
        host_put("a", 0x66, 4)
        os._exit(0 if content == "30313233" else 1)
    yield "the child read it", os.waitpid(pid, 0)[1]
    yield "what the child wrote", [host_bytes("a"), kernel_byte("a")]


@question("registered memory says of itself what its own process did")
def flags():
    process, fd = OtherProcess(), memory_file()
    map_in(process, "b", fd), map_file("a", fd)
    yield "register", [register_pages("a", 1), process.ask(register_pages, "b", 2)]
    yield "flags", [outcome(cu.cuMemHostGetFlags(number("a"))), process.ask(flags_of, "b")]


def flags_of(label):
    return outcome(cu.cuMemHostGetFlags(number(label)))
