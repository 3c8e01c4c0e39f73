"""What comes of following an address inside a kernel: reading, writing and atomics in each space, past its end, and askew."""
from ...asking import question
from ...helpers.inside_kernels import at_address, own_memory
from ...helpers.memory_kinds import make

MEMORIES = ("shared", "local", "constant", "grid constant", "device variable", "kernel heap", "parameter")
SLACK = "the hardware gives shared memory in pieces, and does not notice what stays within one"


@question("a generic load reads memory of every kind")
def reads():
    for name in (*MEMORIES, "dynamic shared"):
        yield name, lambda: own_memory(name, "read", shared=64) if name not in ("kernel heap", "dynamic shared") else type(own_memory(name, "read", shared=64)).__name__


@question("a generic store writes memory of every kind, or ends the kernel")
def writes():
    for name in MEMORIES:
        yield name, lambda: own_memory(name, "write")


@question("a generic atomic works on shared and global memory; elsewhere it ends the kernel")
def atomics():
    for name in MEMORIES:
        yield name, lambda: _heap_answer(own_memory(name, "atomic"), name)


def _heap_answer(answer, name):
    return answer if isinstance(answer, str) or name != "kernel heap" else answer[1] - answer[0] == 5


@question("a load that is told the space global, on an address of another space")
def as_global():
    for name in MEMORIES:
        yield name, lambda: own_memory(name,
                                       "read as global") if name != "kernel heap" else type(own_memory(name, "read as global")).__name__


@question("a store that is told the space global, on an address of another space")
def store_as_global():
    for name in ("shared", "local", "constant", "grid constant", "device variable"):
        yield name, lambda: own_memory(name, "write as global")


@question("going back to shared memory without asking, and reading there")
def as_shared():
    for name in ("shared", "local", "constant", "grid constant", "device variable", "kernel heap"):
        yield name, lambda: own_memory(name, "read as shared")
    for kind in ("device", "pinned", "managed", "null"):
        address = _far(kind)
        yield kind, lambda: at_address(address, "read as shared", "given_shared", 256)


@question("going back to local memory without asking, and reading there")
def as_local():
    for name in ("local", "shared", "grid constant", "device variable"):
        yield name, lambda: own_memory(name, "read as local")
    for kind in ("device", "pinned", "null"):
        address = _far(kind)
        yield kind, lambda: at_address(address, "read as local", "given_local")


def _far(kind):
    """The address of such memory; not one whose lower half is, by chance, an address of shared or local memory."""
    blocks = [make(kind)]
    while blocks[-1].address and blocks[-1].address % (1 << 32) < 1 << 25:
        blocks.append(make(kind))
    return blocks[-1].address


@question("a read past the end of a block's 256 bytes of shared memory", stricter={
    f"{past} bytes past": SLACK for past in (0, 4, 124, 128, 252, 508, 764, 1020)})
def past_shared():
    for past in (0, 4, 124, 128, 252, 508, 764, 1020, 1024, 4096, 48 << 10, 228 << 10, (1 << 24) - 2048):
        yield f"{past} bytes past", lambda: _read_or_code(own_memory("shared", "read", 256 + past))


@question("a write past the end of a block's 256 bytes of shared memory", stricter={f"{past} bytes past": SLACK for past in (0, 124)})
def write_past_shared():
    for past in (0, 124, 4096, 48 << 10, 228 << 10):
        yield f"{past} bytes past", lambda: own_memory("shared", "write", 256 + past)


def _read_or_code(answer):
    return answer if isinstance(answer, str) else "read"


@question("a read at the first addresses of the shared window, which the system keeps", varies="the compiler's choice for a device")
def system_shared():
    for offset in (0, 4, 508, 1020):
        yield f"{offset}", lambda: _read_or_code(own_memory("start of the shared window", "read", offset))


@question("a read past the end of dynamic shared memory", stricter={f"{past} past": SLACK for past in (0, 60, 700)})
def past_dynamic():
    for past in (0, 60, 700, 2048, 8192):
        yield f"{past} past", lambda: _read_or_code(own_memory("dynamic shared", "read", 64 + past, shared=64))


@question("dynamic shared memory, and none was asked for", stricter={"its first bytes": SLACK})
def no_dynamic():
    yield "its first bytes", lambda: _read_or_code(own_memory("dynamic shared", "read"))
    yield "2 KiB further", lambda: _read_or_code(own_memory("dynamic shared", "read", 2048))


@question("a read before a shared variable and past a local array",
          varies="what lies there is the compiler's choice")
def around():
    yield "before a shared variable", lambda: _read_or_code(own_memory("shared", "read", -4))
    yield "past a local array", lambda: _read_or_code(own_memory("local", "read", 256))
    yield "before a local array", lambda: _read_or_code(own_memory("local", "read", -4))


@question("a read far past a thread's local memory")
def past_local():
    for offset in (1 << 20, 8 << 20, (1 << 24) - 4096):
        yield f"{offset}", lambda: _read_or_code(own_memory("start of the local window", "read", offset))


@question("how far past a local array a read is not noticed", varies="the hardware rounds a thread's local memory up")
def near_local():
    for offset in (1024, 4096, 16384, 65536, 524288):
        yield f"{offset}", lambda: _read_or_code(own_memory("local", "read", offset))


@question("a misaligned access ends the kernel in every space")
def misaligned():
    for name in ("shared", "local", "constant", "grid constant", "device variable"):
        yield f"{name}, 4 bytes at 2", lambda: own_memory(name, "read", 2)
        yield f"{name}, 8 bytes at 4", lambda: own_memory(name, "read 8 bytes", 4)
        yield f"{name}, a store at 1", lambda: own_memory(name, "write", 1)


@question("an atomic on a misaligned address")
def misaligned_atomic():
    for name in ("shared", "device variable"):
        yield name, lambda: own_memory(name, "atomic", 2)


@question("past the end of what the driver knows of constants and parameters", varies="what lies there is the driver's choice")
def past_constant():
    for name in ("constant", "grid constant"):
        for offset in (64, 4096, 65536, 1 << 24):
            yield f"{name}, {offset}", lambda: _read_or_code(own_memory(name, "read", offset))


@question("null is no address of shared memory: a generic read of null ends the kernel")
def null():
    for kind in ("given", "given_shared", "given_local"):
        yield kind, lambda: at_address(0, "read", kind, 256 if kind == "given_shared" else 0)
