"""Pages of a file that two processes map: registered in parts, used by streams and atomics, protected."""
import contextlib
import ctypes
import mmap
import os

from cuda.bindings import driver as cu

from ...asking import two_process_question as question
from ...helpers import kernels
from ...helpers.between import attributes, fill, host_bytes, host_put, kernel_byte, look, number, put, take
from ...helpers.calls import ask, must, name, outcome
from ...helpers.host_pages import SIZE, forward, map_file, map_in, memory_file, register_pages, unregister_pages
from ...helpers.kernels import i32
from ...helpers.memory_kinds import SMALL, pages, unmap
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute
from ...helpers.processes import OtherProcess, remembered

PAGE = 4096


def process_with_file(size=SIZE):
    """A file that this process has as "a" and another as "b"; nobody has registered it."""
    process, fd = OtherProcess(), memory_file(size)
    remembered["fd"] = os.dup(fd)
    map_in(process, "b", fd, size=size), map_file("a", fd, size=size)
    return process


def register_part(label, offset, size, flags=0):
    return ask(cu.cuMemHostRegister(number(label) + offset, size, flags))


def unregister_part(label, offset):
    return ask(cu.cuMemHostUnregister(number(label) + offset))


def driver_knows_at(label, offset):
    return name(get_attribute(ATTRIBUTES["MEMORY_TYPE"], number(label) + offset)[0])


@question("each process registers parts of its own choice")
def parts():
    process = process_with_file()
    yield "the first half here, the second there", [register_part("a", 0, SIZE // 2), process.ask(register_part, "b", SIZE // 2, SIZE // 2)]
    yield "known here", [driver_knows_at("a", offset) for offset in (0, SIZE // 2 - 1, SIZE // 2)]
    yield "known there", [process.ask(driver_knows_at, "b", offset) for offset in (0, SIZE // 2 - 1, SIZE // 2)]
    yield "kernels write their halves", [fill("a", 0x21), process.ask(fill, "b", 0x41, 4, SIZE // 2)]
    yield "hosts read both", [host_bytes("a", 4, SIZE // 2), process.ask(host_bytes, "b")]
    yield "all of it there", process.ask(register_part, "b", 0, SIZE)
    yield "the other half there", [process.ask(register_part, "b", 0, SIZE // 2), process.ask(kernel_byte, "b"),
                                   process.ask(kernel_byte, "b", SIZE // 2 + 1)]
    yield "a copy over both", [process.ask(copy_to_device, "b", SIZE), copy_to_device("a", SIZE)]
    yield "unregister from the middle", [process.ask(unregister_part, "b", PAGE), process.ask(unregister_part, "b", SIZE // 2),
                                         process.ask(unregister_part, "b", 0)]


def copy_to_device(label, size):
    own = int(must(cu.cuMemAlloc(size)))
    return [ask(cu.cuMemcpyHtoD(own, number(label), size)), ask(cu.cuMemFree(own))]


@question("ranges that begin and end within a page are registered in both processes, side by side")
def unaligned():
    process = process_with_file()
    for label, offset, size in (("100 to 5000", 100, 4900), ("5000 to 5100", 5000, 100), ("one byte", 6000, 1),
                                ("over 5050", 5050, 10),
                                ("the last byte", SIZE - 1, 1), ("nothing", 7000, 0)):
        yield label, [register_part("a", offset, size), process.ask(register_part, "b", offset, size)]
    yield "a kernel writes over the border", [fill("a", 0x31, 8, 4996), process.ask(host_bytes, "b", 8, 4996),
                                              process.ask(kernel_byte, "b", 5001)]
    yield "between them", [driver_knows_at("a", offset) for offset in (99, 100, 5099, 5100, 5999, 6000, 6001)]


@question("each process registers with flags of its own")
def flags():
    for own_flags, their_flags in ((0, 1), (1, 2), (2, 3), (3, 0), (8, 0), (4, 0), (16, 0), (0, 9)):
        process = process_with_file()
        yield f"{own_flags} here, {their_flags} there", [register_pages("a", own_flags), process.ask(register_pages, "b", their_flags),
                                                         flags_of("a"),
                                              process.ask(flags_of, "b"),
                                              forward("a"), process.ask(forward, "b")]
        unregister_pages("a")
        process.kill()


def flags_of(label):
    return outcome(cu.cuMemHostGetFlags(number(label)))


def count_threads(label, times):
    for _ in range(times):
        must(kernels.run("count_threads", number(label), grid=2, block=25))
    return "counted"


@question("kernels of two processes count in one page, in turn")
def counting():
    process = process_with_file()
    yield "register", [register_pages("a"), process.ask(register_pages, "b")]
    host_put("a", 0, 64)
    yield "in turn", [count_threads("a", 1), process.ask(count_threads, "b", 2), count_threads("a", 3)]
    yield "read by both hosts", [host_bytes("a"), process.ask(host_bytes, "b")]
    yield "and by copies", [look_host("a"), process.ask(look_host, "b")]


def look_host(label):
    """By way of device memory."""
    own, back = int(must(cu.cuMemAlloc(64))), bytearray(4)
    codes = [ask(cu.cuMemcpyHtoD(own, number(label), 4)), ask(cu.cuMemcpyDtoH(back, own, 4)), ask(cu.cuMemFree(own))]
    return [*codes, back.hex()]


@question("a copy brings what one process's device has to the other's, by way of a page")
def by_way_of():
    process = process_with_file()
    yield "register", [register_pages("a"), process.ask(register_pages, "b")]
    take("d", SMALL, 4), process.ask(take, "e", SMALL, 5)
    stream = must(cu.cuStreamCreate(1))
    yield "out of here", [ask(cu.cuMemcpyDtoHAsync(number("a"), number("d"), 16, stream)),
                          ask(cu.cuStreamSynchronize(stream))]
    yield "into there", [process.ask(from_page, "e", "b"), process.ask(look, "e")]
    yield "back", [process.ask(to_page, "b", "e"), host_bytes("a", 4, 64), from_page("d", "a", 64), look("d")]
    yield "a memset of the page", [ask(cu.cuMemsetD8(number("a"), 0x77, 8)), ask(cu.cuCtxSynchronize()),
                                   process.ask(host_bytes, "b")]


def from_page(to, page, offset=0):
    return [ask(cu.cuMemcpy(number(to), number(page) + offset, 16)), ask(cu.cuCtxSynchronize())]


def to_page(page, source):
    return [put(source, 6, 16), ask(cu.cuMemcpyAsync(number(page) + 64, number(source), 16, 0)),
            ask(cu.cuCtxSynchronize())]


@question("a stream waits for a value that another process's host writes into a page", alone=True)
def stream_waits():
    process = process_with_file()
    yield "register", [register_pages("a"), take("own"), fill("own", 1)]
    host_put("a", 0, 64)
    stream = must(cu.cuStreamCreate(1))
    yield "wait", [ask(cu.cuStreamWaitValue32(stream, number("a"), 0x05050505, 1)),
                   ask(cu.cuMemsetD8Async(number("own"), 9, 4, stream)),
                   ask(cu.cuStreamQuery(stream))]
    yield "written", [process.ask(host_put, "b", 5), ask(cu.cuStreamSynchronize(stream)), look("own")]
    yield "a stream writes, that host reads", [ask(cu.cuStreamWriteValue32(stream, number("a") + 8, 0x01020304, 0)),
                                               ask(cu.cuStreamSynchronize(stream)), process.ask(host_bytes, "b", 4, 8)]


@question("one process has three views of a file, each registered for itself, beside another process's")
def views():
    process = process_with_file()
    map_file("c", os.dup(remembered["fd"])), map_file("d", os.dup(remembered["fd"]), flags=mmap.MAP_PRIVATE)
    yield "register", [register_pages("a"), register_pages("c"), register_pages("d"), process.ask(register_pages, "b")]
    yield "addresses on the device", [forward(label) for label in "acd"]
    yield "a kernel writes through the first", [fill("a", 0x51), host_bytes("c"), host_bytes("d"), kernel_byte("c"), kernel_byte("d"),
                                                process.ask(kernel_byte, "b")]
    yield "unregister the first", [unregister_pages("a"), kernel_byte("c"), process.ask(host_bytes, "b")]
    yield "a kernel writes through the second", [fill("c", 0x61), host_bytes("a"), process.ask(kernel_byte, "b")]
    yield "through the private one", [fill("d", 0x71), host_bytes("a"), process.ask(host_bytes, "b")]


@question("the mapping's protection is the host's matter")
def protected():
    process = process_with_file()
    yield "register", [register_pages("a"), process.ask(register_pages, "b")]
    libc = ctypes.CDLL(None, use_errno=True)
    protect = lambda rights: libc.mprotect(ctypes.c_void_p(number("a")), ctypes.c_size_t(SIZE), rights)
    yield "to read only: a kernel writes", lambda: [protect(mmap.PROT_READ), fill("a", 0x23), host_bytes("a"),
                                                    process.ask(host_bytes, "b"), protect(3)]
    yield "unregistered, protected, registered", [unregister_pages("a"), protect(mmap.PROT_READ), register_pages("a"),
                                                  register_pages("a", 8), unregister_pages("a"),
                                                  protect(3), register_pages("a")]
    yield "used then", [fill("a", 0x43), process.ask(kernel_byte, "b")]


@question("a registered range lies over two files that are mapped side by side")
def two_files():
    place = pages(1 << 20, protection=0)
    process, files = OtherProcess(), [memory_file(PAGE * 2) for _ in range(2)]
    for n, fd in enumerate(files):
        map_in(process, f"b{n}", os.dup(fd), size=2 * PAGE)
        map_file(f"a{n}", fd, address=place + n * 2 * PAGE, flags=mmap.MAP_SHARED | 0x10, size=2 * PAGE)    # MAP_FIXED
    yield "register both in one go", register_pages("a0", size=4 * PAGE)
    yield "a kernel writes over the border", [fill("a0", 0x51, 8, 2 * PAGE - 4), host_bytes("a0", 8, 2 * PAGE - 4)]
    yield "each has its part, there", [process.ask(host_bytes, "b0", 4, 2 * PAGE - 4), process.ask(host_bytes, "b1", 4)]
    yield "unregister the second", unregister_pages("a1")
    yield "unregister", [unregister_pages("a0"), driver_knows_at("a0", 0), driver_knows_at("a1", 0)]
    yield "each for itself", [register_pages("a0", size=2 * PAGE), register_pages("a1", size=2 * PAGE),
                              register_pages("a0", size=4 * PAGE)]
    unregister_pages("a0"), unregister_pages("a1")
    unmap(place, 1 << 20)


@question("a process ends that has registered the file: the other's registration stays, and a new process makes its own")
def ends():
    process = process_with_file()
    yield "register", [register_pages("a"), process.ask(register_pages, "b"), process.ask(fill, "b", 0x31)]
    yield "it ends", [process.leave(), host_bytes("a"), kernel_byte("a")]
    process_again = OtherProcess()
    yield "a new one", [map_in(process_again, "c", os.dup(remembered["fd"])), process_again.ask(host_bytes, "c"),
                        process_again.ask(register_pages, "c"), process_again.ask(fill, "c", 0x41)]
    yield "here", [host_bytes("a"), kernel_byte("a"), unregister_pages("a"), process_again.ask(kernel_byte, "c")]
    yield "its context goes", [process_again.ask(context_goes), process_again.ask(host_bytes, "c"), host_bytes("a")]


def context_goes():
    must(cu.cuCtxDestroy(must(cu.cuCtxGetCurrent())))
    kernels.forget()
    must(cu.cuCtxCreate(None, 0, 0))
    return [driver_knows_at("c", 0), register_pages("c"), kernel_byte("c")]


@question("a registered file says of itself the same in two processes, but for the flags")
def same_attributes():
    process = process_with_file()
    yield "register", [register_pages("a"), process.ask(register_pages, "b")]
    ours, theirs = attributes("a"), process.ask(attributes, "b")
    yield "differing", sorted(name for name in ours if ours[name] != theirs[name])
    yield from ((name, ours[name]) for name in ("MEMORY_TYPE", "HOST_POINTER", "DEVICE_POINTER", "RANGE_SIZE", "MAPPED",
                                                "ACCESS_FLAGS"))
    yield "no handle of any kind", [ask(cu.cuIpcGetMemHandle(number("a"))), ask(cu.cuMemPoolExportPointer(number("a"))),
                                    ask(cu.cuMemRetainAllocationHandle(number("a")))]


@question("a file that is only to be read is registered by one process, and written by the other")
def read_only_file():
    process, fd = OtherProcess(), memory_file()
    reader = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    map_in(process, "b", fd), map_file("a", reader, protection=mmap.PROT_READ)
    yield "register", [register_pages("a"), register_pages("a", 8), process.ask(register_pages, "b")]
    yield "the other writes by a kernel", [process.ask(fill, "b", 0x30), host_bytes("a"), kernel_byte("a")]
    yield "a copy into it", lambda: ask(cu.cuMemcpy(number("a"), peer_context(), 4))
    yield "a copy out of it", lambda: copy_to_device("a", SIZE)


def peer_context():
    take("own")
    return number("own")


@question("pages that nobody has touched are registered, and are one memory")
def untouched():
    process = process_with_file(1 << 20)
    yield "register", [register_pages("a", size=1 << 20), process.ask(register_pages, "b", 0, 1 << 20)]
    yield "read", [kernel_byte("a"), process.ask(kernel_byte, "b", (1 << 20) - 1)]
    yield "written", [ask(kernels.run("fill", number("a") + (1 << 19), i32(0x21), i32(4))),
                      process.ask(host_bytes, "b", 4, 1 << 19)]
    with contextlib.suppress(OSError):
        yield "the file's own content", os.pread(remembered["fd"], 4, 1 << 19).hex()
