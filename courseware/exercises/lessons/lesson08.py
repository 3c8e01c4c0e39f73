"""Lesson 08, one memory, several processes, several devices."""
from ..exercise import Case, Exercise, Mistake, slip
from . import sharing_harness

WAY_START = """import os
from cuda.bindings import driver as cu

DESCRIPTOR = cu.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
"""
WAY = WAY_START + """
def way_to_share(address):
    error, handle = cu.cuIpcGetMemHandle(address)
    if not error:
        return "handle"
    error, memory = cu.cuMemRetainAllocationHandle(address)
    if error:
        return None
    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)
    cu.cuMemRelease(memory)
    if error:
        return None
    os.close(fd)
    return "descriptor"
"""
BY_EXPORT = """    if error:
        return None
    os.close(fd)
    return "descriptor"
"""

ways_to_share = Exercise(
    id="ways-to-share", lesson="08", title="How can it be shared?", name="way_to_share", minutes=5, sandboxed=True,
    run=sharing_harness.way_to_share, cases=sharing_harness.kinds_of_memory,
    statement="""
Write `way_to_share(address)`: `"handle"` where the memory has an IPC handle, `"descriptor"` where it can be exported as a file
descriptor, else `None`. Ask the driver, by trying: `cu.cuIpcGetMemHandle(address)`, and, for memory that is mapped,
`cu.cuMemRetainAllocationHandle(address)` and `cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)`. Each returns an error and
a result. Leave nothing behind: a handle that was retained has to be released (`cu.cuMemRelease`), and a descriptor has to be
closed (`os.close`). Ten lines are enough.

    way_to_share(address of memory from cuMemAlloc)     # "handle"
    way_to_share(address of pinned memory)              # None
""",
    starter=WAY_START + """
def way_to_share(address):
    '''How the memory at an address can be shared: "handle", "descriptor" or None.'''
    ...         # about ten lines
""",
    hints=("An error is 0 for success, which counts as false: `if not error: return \"handle\"`.",
           "Where there is nothing mapped, retaining fails. Where it succeeds, release the handle before you return, whatever the "
           "export answers. An export that succeeds has made a descriptor."),
    solution=WAY,
    mistakes=(
        slip(WAY, BY_EXPORT, '    return "descriptor"\n',
             "You do not look what the export answers. Physical memory can be exported only if it was created for that, and a "
             "descriptor that was made has to be closed.",
             WAY.replace("    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)\n", "").replace(BY_EXPORT, '    return "descriptor"\n')),
        slip(WAY, "    cu.cuMemRelease(memory)\n", "",
             "You retain a handle and do not release it. The memory then lives on, even when its owner has let it go.",
             WAY.replace("    cu.cuMemRelease(memory)\n    if error:\n        return None\n", "    if error:\n        return None\n    cu.cuMemRelease(memory)\n")),
        slip(WAY, "    os.close(fd)\n", "",
             "You leave the descriptor open: it holds the memory, and a process has only so many of them. Close it."),
        Mistake(WAY_START + """
def way_to_share(address):
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return "handle" if not error and int(kind) == 2 else None
""", "The memory type 2 is told of managed, mapped and stream-ordered memory as well, and none of these has an IPC handle. Ask for the "
                "handle itself."),
        Mistake(WAY_START + """
def way_to_share(address):
    return "handle" if cu.cuIpcGetMemHandle(address)[0] == 0 else None
""", "You ask for an IPC handle only. Memory from `cuMemCreate` has none, and may be exported as a descriptor."),
        Mistake(WAY_START + """
def way_to_share(address):
    return "handle" if cu.cuIpcGetMemHandle(address)[0] == 0 else "descriptor"
""", "No IPC handle does not mean that there is a descriptor: pinned and managed memory have neither. Try the export."),
        slip(WAY, "    if not error:\n        return \"handle\"", "    if error:\n        return \"handle\"",
             "It is the other way round: an error of 0 is success, and counts as false."),
        slip(WAY, "return \"handle\"", "return handle", "You return the handle itself. What is asked for is the word, `\"handle\"`."),
    ))

share_order = Exercise(
    id="share-order", lesson="08", title="From one process to another", name="order", kind="order", minutes=5,
    lines=sharing_harness.LINES, run=sharing_harness.share_order, cases=sharing_harness.order_cases,
    statement="""
One process creates memory and exports it; another imports it, maps it, and uses it. The check plays both parts in one process, which
the driver allows for descriptors. The eight lines are in no order: find one that works. The check makes the calls in your order, so
that the driver itself answers; several orders are right, and some of them look odd.
""",
    starter="...",
    hints=("The importer needs the descriptor while it imports, and not after that. The exporter needs its handle while it exports.",
           "Mapping needs what was imported. Before anything may use the address, somebody has to be given access."),
    solution="create export release import close map access use",
    mistakes=(
        Mistake("create release export import close map access use",
                "A released handle cannot be exported. Release it after the export: from then on the descriptor holds the memory."),
        Mistake("create export close import release map access use",
                "A closed descriptor cannot be imported: close it after the import.",
                also=("create export release close import map access use",)),
        Mistake("export create release import close map access use", "There is nothing to export yet: create the memory first."),
        Mistake("create import export release close map access use", "There is no descriptor to import yet: export the memory first."),
        Mistake("create export release map import close access use",
                "What is mapped is the imported handle: import the descriptor first."),
        Mistake("create export release import close access map use",
                "Access is given to a mapping, and there is none yet: map first."),
        Mistake("create export release import close map use access",
                "Mapped is not yet accessible, in any process: until access is set, nobody may use the address."),
        Mistake("create export release import close use map access",
                "There is no address to use yet: map what was imported, and set access."),
        Mistake("create close export release import map access use", "There is no descriptor to close yet: export the memory first."),
        Mistake("release create export import close map access use", "There is no handle to release yet: create the memory first."),
    ))

RECEIVE_START = """import numpy as np
from cuda.bindings import driver as cu
"""
RECEIVE = RECEIVE_START + """
def received(handle, offset, count):
    error, start = cu.cuIpcOpenMemHandle(handle, 1)
    found = np.zeros(count, np.int32)
    cu.cuMemcpyDtoH(found, int(start) + offset, found.nbytes)
    cu.cuIpcCloseMemHandle(start)
    return found.tolist()
"""
COPY, CLOSE = "    cu.cuMemcpyDtoH(found, int(start) + offset, found.nbytes)\n", "    cu.cuIpcCloseMemHandle(start)\n"


def _received(what, seed, total, offset, count, hidden=True):
    expected = sharing_harness.numbers(seed, total)[offset // 4:offset // 4 + count].tolist()
    return Case(what, (seed, total, offset, count), expected, hidden, f"received(handle, {offset}, {count})")


received = Exercise(
    id="received", lesson="08", title="Fetch what another process has", name="received", minutes=5, sandboxed=True,
    run=sharing_harness.received,
    statement="""
Another process has device memory and sends an IPC handle of it. An IPC handle leads to the start of an allocation, so it also sends
how many bytes after the start its numbers begin. Write `received(handle, offset, count)`: it opens the memory, copies `count` numbers
of 32 bits to the host, closes the memory, and returns a list of them. `cu.cuIpcOpenMemHandle(handle, 1)` returns an error and the
start, `cu.cuMemcpyDtoH(array, address, nbytes)` copies, and `cu.cuIpcCloseMemHandle(start)` closes. Five lines are enough. The
check asks the driver whether the memory is still open.

    received(handle, 0, 3)      # the first three numbers
    received(handle, 8, 2)      # two numbers, from byte 8 on
""",
    starter=RECEIVE_START + """
def received(handle, offset, count):
    '''A list of `count` numbers that begin `offset` bytes after the start of another process's memory.'''
    ...         # about five lines
""",
    hints=("`found = np.zeros(count, np.int32)` is an array to copy into, and `found.nbytes` is its size. `found.tolist()` is a list.",
           "The copy begins at `int(start) + offset`. What is closed is `start`."),
    solution=RECEIVE,
    mistakes=(
        slip(RECEIVE, CLOSE, "", "You do not close the memory. It stays in this process's addresses, and cannot be given back while it is there.",
             RECEIVE.replace("    return found.tolist()", "    return found.tolist()\n    cu.cuIpcCloseMemHandle(start)").replace(CLOSE, "", 1)),
        slip(RECEIVE, "cu.cuIpcCloseMemHandle(start)", "cu.cuMemFree(start)",
             "`cuMemFree` is for the owner alone. Here it is refused, and the memory stays open: `cuIpcCloseMemHandle` closes it."),
        slip(RECEIVE, "cu.cuIpcCloseMemHandle(start)", "cu.cuIpcCloseMemHandle(int(start) + offset)",
             "What is closed is the start that was opened. An address inside is refused, and the memory stays open."),
        slip(RECEIVE, "int(start) + offset", "start",
             "You copy from the start of the allocation. The numbers begin `offset` bytes after it."),
        slip(RECEIVE, "int(start) + offset", "int(start) + 4 * offset", "The offset is in bytes already: do not multiply it by 4.",
             RECEIVE.replace("int(start) + offset", "int(start) + offset * found.itemsize")),
        slip(RECEIVE, "int(start) + offset", "int(start) + offset // 4", "The offset is in bytes, as addresses are: do not divide it by 4."),
        slip(RECEIVE, "found.nbytes", "count", "The size of a copy is in bytes: `count` numbers have 4 bytes each."),
        Mistake(RECEIVE.replace(COPY + CLOSE, CLOSE + COPY),
                "You close the memory before you copy: after that, the address leads nowhere in this process."),
        slip(RECEIVE, "cuIpcOpenMemHandle(handle, 1)", "cuIpcOpenMemHandle(handle, 0)",
             "The flag has to be 1 (`CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`): with 0 the driver refuses, and there is no address."),
        slip(RECEIVE, "return found.tolist()", "return found.nbytes", "What is asked for is a list of the numbers: `found.tolist()`.",
             RECEIVE.replace("return found.tolist()", "return found.sum()")),
        slip(RECEIVE, "np.int32", "np.int64", "The numbers have 32 bits: `np.int32`."),
        slip(RECEIVE, "np.int32", "np.uint8", "You copy `count` bytes. The numbers have 32 bits: `np.int32`."),
    ),
    cases=(_received("the first three numbers", 3, 10, 0, 3, False), _received("two numbers from byte 8 on", 3, 10, 8, 2, False),
           _received("a small allocation as a whole", 4, 5, 0, 5), _received("the last number of an allocation", 5, 16, 60, 1),
           _received("numbers in the middle of a large allocation", 6, 1 << 18, 400_000, 7),
           _received("an odd number of them", 7, 100, 36, 11)))

EXERCISES = (ways_to_share, share_order, received)
