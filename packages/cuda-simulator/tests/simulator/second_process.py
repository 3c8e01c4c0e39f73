"""Words for programs of two processes over the simulated driver: `Second` is forked before cuInit, does what it is told, and is
killed. What a word is refused raises, in either process.
"""
import ctypes
import json
import os
import pickle
import signal
import socket
import sys
import tempfile
import traceback

from cuda.bindings import driver as cu

from .. import conformance  # noqa: F401  (cuda-bindings 12 takes CUDA 13's arguments then)
from ..structures import bytes_of, put_bytes

SIZE = 2 << 20
OURS = "/memfd:cuda_simulator: "


class Second:
    """Another process. `second("fill(b, 3)", b=...)` evaluates that there; a descriptor, `Fd(...)`, is passed and closed here."""

    def __init__(self):
        self.line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)    # PR_SET_PDEATHSIG
            if os.getppid() == parent:
                _serve(theirs)
            os._exit(0)
        theirs.close()

    def __call__(self, code, **arguments):
        self.tell(code, **arguments)
        return self.answer()

    def tell(self, code, **arguments):
        """Let it begin; `answer` waits for the end."""
        fds = {name: value for name, value in arguments.items() if isinstance(value, Fd)}
        values = {name: value for name, value in arguments.items() if name not in fds}
        socket.send_fds(self.line, [pickle.dumps((code, values, list(fds)))], list(map(int, fds.values())))
        for fd in fds.values():
            os.close(fd)

    def answer(self):
        data, fds, *_ = socket.recv_fds(self.line, 1 << 16, 4)
        value = pickle.loads(data)
        if isinstance(value, Exception):
            raise value
        return Fd(fds[0]) if fds else value

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.line.close()


class Fd(int):
    """A file descriptor that passes to the other process."""


def _serve(line):
    names = dict(globals())
    while True:
        data, fds, *_ = socket.recv_fds(line, 1 << 16, 4)
        if not data:
            return
        code, arguments, fd_names = pickle.loads(data)
        names.update(arguments, **dict(zip(fd_names, fds)))
        try:
            try:
                value = eval(code, names)
            except SyntaxError:
                value = exec(code, names)
        except Exception as error:
            value = RuntimeError(f"{code}: {error}")
        passed = [int(value)] if isinstance(value, Fd) else []
        socket.send_fds(line, [pickle.dumps(None if passed else value)], passed)
        for fd in passed:
            os.close(fd)


def must(result):
    if int(result[0]):
        raise RuntimeError(cu.CUresult(int(result[0])).name)
    return result[1] if len(result) == 2 else None


def start():
    """CUDA, with a context."""
    must(cu.cuInit(0))
    must(cu.cuCtxCreate(None, 0, 0))


def free_memory():
    return int(cu.cuMemGetInfo()[1])


def take(size=SIZE, value=1):
    address = int(must(cu.cuMemAlloc(size)))
    fill(address, value, size)
    return address


def fill(address, value, size=64):
    must(cu.cuMemsetD8(address, value, size))
    must(cu.cuCtxSynchronize())


def look(address, size=1):
    """The first bytes, as numbers."""
    buffer = bytearray(size)
    must(cu.cuMemcpyDtoH(buffer, address, size))
    return list(buffer)


def handle_of(address):
    return bytes_of(must(cu.cuIpcGetMemHandle(address)))


def open_memory(handle):
    struct = cu.CUipcMemHandle()
    put_bytes(struct, handle)
    return int(must(cu.cuIpcOpenMemHandle(struct, 1)))


def close_memory(address):
    must(cu.cuIpcCloseMemHandle(address))


def create_event():
    return int(must(cu.cuEventCreate(6)))    # without times, for other processes


def event_handle(number):
    return bytes_of(must(cu.cuIpcGetEventHandle(number)))


def open_event(handle):
    struct = cu.CUipcEventHandle()
    put_bytes(struct, handle)
    return int(must(cu.cuIpcOpenEventHandle(struct)))


def record_event(number):
    must(cu.cuEventRecord(number, 0))
    must(cu.cuEventSynchronize(number))


POSIX = cu.CUmemAllocationHandleType(1)


def create_physical(size=SIZE):
    props = cu.CUmemAllocationProp()
    props.type, props.requestedHandleTypes = cu.CUmemAllocationType(1), POSIX
    props.location.type, props.location.id = cu.CUmemLocationType(1), 0
    return int(must(cu.cuMemCreate(size, props, 0)))


def export(handle):
    return Fd(must(cu.cuMemExportToShareableHandle(handle, POSIX, 0)))


def import_memory(fd):
    return int(must(cu.cuMemImportFromShareableHandle(fd, POSIX)))


def map_memory(handle, size=SIZE):
    address = int(must(cu.cuMemAddressReserve(size, 0, 0, 0)))
    must(cu.cuMemMap(address, size, 0, handle, 0))
    access = cu.CUmemAccessDesc()
    access.location.type, access.location.id, access.flags = cu.CUmemLocationType(1), 0, cu.CUmemAccess_flags(3)
    must(cu.cuMemSetAccess(address, size, [access], 1))
    return address


def unmap_memory(address, size=SIZE):
    must(cu.cuMemUnmap(address, size))
    must(cu.cuMemAddressFree(address, size))


def release(handle):
    must(cu.cuMemRelease(handle))


def pool(location="DEVICE"):
    props = cu.CUmemPoolProps()
    props.allocType, props.handleTypes = cu.CUmemAllocationType(1), POSIX
    props.location.type, props.location.id = cu.CUmemLocationType[f"CU_MEM_LOCATION_TYPE_{location}"], 0
    return int(must(cu.cuMemPoolCreate(props)))


def take_from_pool(pool, size=4096, value=1):
    address = int(must(cu.cuMemAllocFromPoolAsync(size, pool, 0)))
    fill(address, value)
    return address


def export_pool(pool):
    return Fd(must(cu.cuMemPoolExportToShareableHandle(pool, POSIX, 0)))


def import_pool(fd):
    return int(must(cu.cuMemPoolImportFromShareableHandle(fd, POSIX, 0)))


def pointer(address):
    return bytes_of(must(cu.cuMemPoolExportPointer(address)))


def import_pointer(pool, data):
    struct = cu.CUmemPoolPtrExportData()
    put_bytes(struct, data)
    return int(must(cu.cuMemPoolImportPointer(pool, struct)))


def free_in_stream(address):
    must(cu.cuMemFreeAsync(address, 0))
    must(cu.cuStreamSynchronize(0))


def free(address):
    must(cu.cuMemFree(address))


def destroy_pool(pool):
    must(cu.cuMemPoolDestroy(pool))


# -- what may be left behind ----------------------------------------------------------------------------------------

def files():
    """In the places where programs leave shared memory: this program's own folder, and what others leave files in, too."""
    shared = [name for name in os.listdir("/dev/shm") if "cuda" in name or "sim" in name] if os.path.isdir("/dev/shm") else []
    return sorted(shared), sorted(os.listdir(tempfile.gettempdir()))


def memory_files():
    """The memory files that this process has open or mapped, by what they hold."""
    names = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            names.add(os.readlink(f"/proc/self/fd/{fd}"))
        except OSError:
            continue
    with open("/proc/self/maps") as maps:
        names |= {line.split(maxsplit=5)[-1].strip() for line in maps if "memfd" in line}
    return sorted(name.removeprefix(OURS).removesuffix(" (deleted)").partition(" of process")[0] for name in names if name.startswith(OURS))


def memory_files_of_a_child():
    """What one that is forked now has of them."""
    end, start = os.pipe()
    child = os.fork()
    if not child:
        os.write(start, repr(memory_files()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(start)
    with open(end) as answer:
        return answer.read()


def serve_programs():
    """Run each program that a line of stdin has, as JSON, in a fork of this process, and answer with its status and output."""
    for line in sys.stdin:
        outputs = os.pipe(), os.pipe()
        pid = os.fork()
        if not pid:
            for (_, writing), standard in zip(outputs, (1, 2)):
                os.dup2(writing, standard)
                [os.close(end) for end in outputs[standard - 1]]
            os.close(0)
            status = 1
            try:
                exec(json.loads(line), {**globals(), "__name__": "__main__"})
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush(), sys.stderr.flush()
                os._exit(status)
        [os.close(writing) for _, writing in outputs]
        answer = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]
        for reading, _ in outputs:
            with open(reading) as pipe:
                answer.append(pipe.read())
        print(json.dumps(answer), flush=True)
