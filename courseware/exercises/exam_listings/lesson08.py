"""The exam's listings of lesson 08: other processes. It stands behind the exam, so exam_sitting.py draws them later."""
from .listing import Line, Listing, See, ends

NUMBER = ("08", "A number in another process")
HANDLE = ("08", "The same bytes, another address")
DESCRIPTOR = ("08", "A file descriptor")
FILE = ("08", "Pages of a file")

LISTINGS = (
    Listing("handle-of-a-part", "08", "IPC handles", """
from course_lib import sharing
from courseware.second_process import other_process
memory = cuda.to_device(np.array([3, 1, 4, 15], np.int32))
def opened_and_read(handle):
    with sharing.open_handle(handle) as opened:
        return at(opened.device_address + 4)
whole, part = sharing.export(int(memory)), sharing.export(int(memory) + 8)
print(whole == part)                            # 1
with other_process() as other:
    print(other.run(opened_and_read, part))     # 2
""", (
        Line("True", {
            "False": See(*HANDLE, "A handle names the memory, and not an address in it: both addresses are in one allocation."),
            ends("WrongPointer"): See(*HANDLE, "An address inside an allocation has a handle too: that of the allocation."),
        }),
        Line("1", {
            "15": See(*HANDLE, "What is opened begins where the allocation begins, whichever address was exported."),
            "4": See(*HANDLE, "The copy begins 4 bytes after the start that was opened."),
            "0": See(*HANDLE, "The other process finds the bytes that the owner wrote."),
        }))),

    Listing("who-still-has-it", "08", "memory of a dead owner", """
from course_lib import sharing
from courseware.second_process import other_process
def make():
    return cuda.to_device(np.array([7], np.int32))
with other_process() as owner:
    opened = sharing.open_handle(owner.run(sharing.export, owner.keep(make)))
    address = opened.device_address
print(at(address))                                              # 1
opened.close()
print(says(cu.cuMemcpyDtoH(np.zeros(1, np.int32), address, 4)))     # 2
""", (
        Line("7", {
            "0": See(*HANDLE, "The owner has ended with its block. The memory stays, with its bytes, for whoever has it open."),
            ends("LogicError"): See(*HANDLE, "The address belongs to this process, and holds while the memory is open here."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(*HANDLE, "To close the memory takes the address away, whoever else may have the memory."),
            "INVALID_CONTEXT": See(*HANDLE, "This process's context is as it was. It is the address that leads nowhere."),
        }))),

    Listing("descriptor-twice", "08", "file descriptors", """
from course_lib import sharing
from courseware.second_process import other_process
size = reservation.granularity()
memory = reservation.create(size, exportable=True)
descriptor = sharing.export(memory)
with sharing.open_descriptor(descriptor, size) as first:
    cuda.memset_d32(first.device_address, 5, 1)
memory.release()
one, two = (sharing.open_descriptor(descriptor, size) for _ in range(2))
print(at(one.device_address))                                               # 1
cuda.memset_d32(one.device_address, 9, 1)
print(one.device_address == two.device_address, at(two.device_address))     # 2
""", (
        Line("5", {
            "0": See(*DESCRIPTOR, "The descriptor holds the memory, with what was written, while it is mapped nowhere."),
            ends("WrongPointer"): See(*DESCRIPTOR, "The handle was released, and the descriptor holds the memory still: it can be imported."),
        }),
        Line("False 9", {
            "True 9": See("05b", "A handle, mapped twice", "Each mapping has addresses of its own, also where both show one memory."),
            "False 5": See("05b", "A handle, mapped twice", "Both mappings show one memory: what is written through one is read through the other."),
            "False 0": See(*DESCRIPTOR, "An import makes no new memory: it leads to what was exported."),
        }))),

    Listing("file-registered-here", "08", "pages of a file", """
import mmap, os
from course_lib import sharing
from courseware.second_process import other_process
def look(fd):
    theirs = np.frombuffer(mmap.mmap(fd, 4096), np.int32)
    return int(theirs[0]), forward(theirs.ctypes.data)
fd = os.memfd_create("pages")
os.ftruncate(fd, 4096)
ours = pinned.register(np.frombuffer(mmap.mmap(fd, 4096), np.int32))
ours.array[0] = 6
print(forward(ours.host_address))               # 1
with other_process() as other:
    print(*other.run(look, descriptors=[fd]))   # 2
""", (
        Line("same", {
            "another": See(*FILE, "Registered pages of a file have the host's number on the device, as other registered pages."),
            "INVALID_VALUE": See(*FILE, "Pages of a file in memory can be registered, and then the forward call answers."),
        }),
        Line("6 INVALID_VALUE", {
            "6 same": See(*FILE, "The other process has mapped the page, and its driver was never told: each process registers its own view."),
            "0 INVALID_VALUE": See(*FILE, "Both processes map the same page: what one host writes, the other reads."),
            "0 same": See(*FILE, "The page is shared and the registration is not. It is the other way round."),
        }))),
)
