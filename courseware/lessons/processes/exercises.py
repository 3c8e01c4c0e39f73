"""Exercises of "Several processes": how memory can be shared, and fetched."""
from ...exercises.exercise import Case, Exercise, Instead, Mistake, Program, change, slip
from . import harness

ways_to_share = Exercise(
    id="ways-to-share", title="How can it be shared?", name="way_to_share", minutes=5, sandboxed=True,
    run=harness.way_to_share, cases=harness.kinds_of_memory,
    statement="""
Write `way_to_share(address)`: `"handle"` where the memory has an IPC handle, `"descriptor"` where it can be exported
as a file descriptor, else `None`. Ask the driver, by trying: `cu.cuIpcGetMemHandle(address)`, and, for memory that is
mapped, `cu.cuMemRetainAllocationHandle(address)` and `cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)`. Each
returns an error and a result. Leave nothing behind: a handle that was retained has to be released
(`cu.cuMemRelease`), and a descriptor has to be closed (`os.close`). Ten lines are enough.

    way_to_share(address of memory from cuMemAlloc)     # "handle"
    way_to_share(address of pinned memory)              # None
""",
    hints=('An error is 0 for success, which counts as false: `if not error: return "handle"`.',
           "Where there is nothing mapped, retaining fails. Where it succeeds, release the handle before you return, "
           "whatever the export answers. An export that succeeds has made a descriptor."),
    mistakes=(
        slip("""\
    if error:
        return None
    os.close(fd)
    return "descriptor"
""",
             '    return "descriptor"\n',
             "You do not look what the export answers. Physical memory can be exported only if it was created for "
             "that, and a descriptor that was made has to be closed.",
             change("    error, fd = cu.cuMemExportToShareableHandle(memory, DESCRIPTOR, 0)\n", "", """\
    if error:
        return None
    os.close(fd)
    return "descriptor"
""",
                    '    return "descriptor"\n')),
        slip("    cu.cuMemRelease(memory)\n", "",
             "You retain a handle and do not release it. The memory then lives on, even when its owner has let it go."),
        slip("    os.close(fd)\n", "",
             "You leave the descriptor open: it holds the memory, and a process has only so many of them. Close it."),
        Mistake(Instead("""\
def way_to_share(address):
    error, kind = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return "handle" if not error and int(kind) == 2 else None
"""),
                "The memory type 2 is told of managed, mapped and stream-ordered memory as well, and none of these has "
                "an IPC handle. Ask for the handle itself."),
        Mistake(Instead("""\
def way_to_share(address):
    return "handle" if cu.cuIpcGetMemHandle(address)[0] == 0 else None
"""), "You ask for an IPC handle only. Memory from `cuMemCreate` has none, and may be exported as a descriptor."),
        Mistake(Instead("""\
def way_to_share(address):
    return "handle" if cu.cuIpcGetMemHandle(address)[0] == 0 else "descriptor"
"""), "No IPC handle does not mean that there is a descriptor: pinned and managed memory have neither. Try the export."),
        slip("    if not error:\n", "    if error:\n",
             "It is the other way round: an error of 0 is success, and counts as false."),
        slip('return "handle"', "return handle",
             'You return the handle itself. What is asked for is the word, `"handle"`.'),
    ))

share_order = Exercise(
    id="share-order", title="From one process to another", name="order", kind="order", minutes=5,
    run=harness.put_in_order, cases=harness.order_cases, lines=harness.LINES,
    statement="""
One process creates memory and exports it; another imports it, maps it, and uses it. The check plays both parts in one
process, which the driver allows for descriptors. The eight lines are in no order: find one that works. The check
makes the calls in your order, so that the driver itself answers; several orders are right, and some of them look odd.
""",
    hints=("The importer needs the descriptor while it imports, and not after that. The exporter needs its handle "
           "while it exports.",
           "Mapping needs what was imported. Before anything may use the address, somebody has to be given access."),
    mistakes=(
        Mistake("create release export import close map access use",
                "A released handle cannot be exported. Release it after the export: from then on the descriptor holds "
                "the memory."),
        Mistake("create export close import release map access use",
                "A closed descriptor cannot be imported: close it after the import.",
                also=("create export release close import map access use\n",)),
        Mistake("export create release import close map access use",
                "There is nothing to export yet: create the memory first."),
        Mistake("create import export release close map access use",
                "There is no descriptor to import yet: export the memory first."),
        Mistake("create export release map import close access use",
                "What is mapped is the imported handle: import the descriptor first."),
        Mistake("create export release import close access map use",
                "Access is given to a mapping, and there is none yet: map first."),
        Mistake("create export release import close map use access",
                "Mapped is not yet accessible, in any process: until access is set, nobody may use the address."),
        Mistake("create export release import close use map access",
                "There is no address to use yet: map what was imported, and set access."),
        Mistake("create close export release import map access use",
                "There is no descriptor to close yet: export the memory first."),
        Mistake("release create export import close map access use",
                "There is no handle to release yet: create the memory first."),
    ))


def _received(what, seed, total, offset, count, hidden=True):
    expected = harness.numbers(seed, total)[offset // 4:offset // 4 + count].tolist()
    return Case(what, (seed, total, offset, count), expected, hidden, f"received(handle, {offset}, {count})")


received = Exercise(
    id="received", title="Fetch what another process has", name="received", minutes=5, sandboxed=True,
    run=harness.received,
    statement="""
Another process has device memory and sends an IPC handle of it. An IPC handle leads to the start of an allocation, so
it also sends how many bytes after the start its numbers begin. Write `received(handle, offset, count)`: it opens the
memory, copies `count` numbers of 32 bits to the host, closes the memory, and returns a list of them.
`cu.cuIpcOpenMemHandle(handle, 1)` returns an error and the start, `cu.cuMemcpyDtoH(array, address, nbytes)` copies,
and `cu.cuIpcCloseMemHandle(start)` closes. Five lines are enough. The check asks the driver whether the memory is
still open.

    received(handle, 0, 3)      # the first three numbers
    received(handle, 8, 2)      # two numbers, from byte 8 on
""",
    hints=("`found = np.zeros(count, np.int32)` is an array to copy into, and `found.nbytes` is its size. "
           "`found.tolist()` is a list.",
           "The copy begins at `int(start) + offset`. What is closed is `start`."),
    mistakes=(
        slip("    cu.cuIpcCloseMemHandle(start)\n", "",
             "You do not close the memory. It stays in this process's addresses, and cannot be given back while it is "
             "there.", Program("received_stays_open.py")),
        slip("cu.cuIpcCloseMemHandle(start)", "cu.cuMemFree(start)",
             "`cuMemFree` is for the owner alone. Here it is refused, and the memory stays open: `cuIpcCloseMemHandle` "
             "closes it."),
        slip("cu.cuIpcCloseMemHandle(start)", "cu.cuIpcCloseMemHandle(int(start) + offset)",
             "What is closed is the start that was opened. An address inside is refused, and the memory stays open."),
        slip("int(start) + offset", "start",
             "You copy from the start of the allocation. The numbers begin `offset` bytes after it."),
        slip("int(start) + offset", "int(start) + 4 * offset",
             "The offset is in bytes already: do not multiply it by 4."),
        slip("int(start) + offset", "int(start) + offset // 4",
             "The offset is in bytes, as addresses are: do not divide it by 4."),
        slip("found.nbytes", "count", "The size of a copy is in bytes: `count` numbers have 4 bytes each."),
        slip("""\
    cu.cuMemcpyDtoH(found, int(start) + offset, found.nbytes)
    cu.cuIpcCloseMemHandle(start)
""",
             """\
    cu.cuIpcCloseMemHandle(start)
    cu.cuMemcpyDtoH(found, int(start) + offset, found.nbytes)
""",
             "You close the memory before you copy: after that, the address leads nowhere in this process."),
        slip("cuIpcOpenMemHandle(handle, 1)", "cuIpcOpenMemHandle(handle, 0)",
             "The flag has to be 1 (`CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`): with 0 the driver refuses, and there is no "
             "address."),
        slip("return found.tolist()", "return found.nbytes",
             "What is asked for is a list of the numbers: `found.tolist()`.",
             change("return found.tolist()", "return found.sum()")),
        slip("np.int32", "np.int64", "The numbers have 32 bits: `np.int32`."),
        slip("np.int32", "np.uint8", "You copy `count` bytes. The numbers have 32 bits: `np.int32`."),
    ),
    cases=(_received("the first three numbers", 3, 10, 0, 3, False), _received("two numbers from byte 8 on", 3, 10, 8, 2, False),
           _received("a small allocation as a whole", 4, 5, 0, 5), _received("the last number of an allocation", 5, 16, 60, 1),
           _received("numbers in the middle of a large allocation", 6, 1 << 18, 400_000, 7),
           _received("an odd number of them", 7, 100, 36, 11)))

EXERCISES = (ways_to_share, share_order, received)
