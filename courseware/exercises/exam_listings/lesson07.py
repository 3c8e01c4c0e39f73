"""The exam's listings of lesson 07: managed memory. It stands behind the exam, so exam_sitting.py draws them later."""
from .listing import Line, Listing, See, ends

ONE_NUMBER = ("07", "One number, and nothing to ask for")
WHERE = ("07", "Where is it?")
ADVICE = ("07", "Advice")
WHO = ("07", "Who may use it, and when?")

LISTINGS = (
    Listing("requested-pages", "07", "the last prefetch", """
from course_lib import managed
memory = managed.allocate(2 * MiB)
managed.prefetch(memory.array[4000:8000], to="device")
print(sum(said.last_prefetch == "device 0" for said in managed.facts(memory)))      # 1
managed.prefetch(memory.array[:1], to="host")
cuda.Context.synchronize()
memory.array[5000] = 7
print([said.last_prefetch for said in managed.facts(memory)[:3]])                   # 2
""", (
        Line("2", {
            "0": See(*WHERE, "A page is sent when a byte of it is named. It need not be named as a whole."),
            "1": See(*WHERE, "4000 bytes would fit into a page, but these begin in page 0 and end in page 1."),
            "512": See(*WHERE, "A prefetch is for the pages that it names, and not for the whole allocation."),
        }),
        Line("['host', 'device 0', None]", {
            "['host', 'host', None]": See(
                *WHERE, "The host's write brings page 1, and the driver goes on telling what was requested for it."),
            "['device 0', 'device 0', None]": See(
                *WHERE, "A prefetch counts for a page of which it names one byte, and the last one is told."),
            "['host', None, None]": See(*WHERE, "The host's write does not wipe out what was requested for page 1."),
        }))),

    Listing("advice-stays", "07", "advice", """
from course_lib import managed
memory = managed.allocate(2 * MiB)
managed.advise(memory.array[:100], "read_mostly")
managed.advise(memory.array[:100], "preferred_location", "host")
managed.prefetch(memory.array[:4096], to="device")
first, second = managed.facts(memory)[:2]
print(first.read_mostly, second.read_mostly)                # 1
print(first.preferred_location, first.last_prefetch)        # 2
memory.array[:4096] = 1
first = managed.facts(memory)[0]
print(first.read_mostly, first.last_prefetch)               # 3
""", (
        Line("True False", {
            "False False": See(*ADVICE, "Advice goes by pages, and counts for a page of which it names a byte."),
            "True True": See(*ADVICE, "Advice is for the pages that it names, and page 1 is not among them."),
        }),
        Line("host device 0", {
            "None device 0": See(*ADVICE, "A prefetch to another place does not take the advice back."),
            "host None": See(*ADVICE, "Advice refuses nobody: the prefetch is taken."),
        }),
        Line("True device 0", {
            "False device 0": See(*ADVICE, "A write ends the copies of the page. The advice stays until it is withdrawn."),
            "False host": See(*ADVICE, "A write changes nothing of what was said: neither the advice nor the request."),
            "True host": See(*WHERE, "The last prefetch is what was requested last, and the host's write is no request."),
        }))),

    Listing("neither-pinned-nor-freed", "07", "managed memory", """
from course_lib import managed
memory = managed.allocate(2 * MiB)
address = memory.address
managed.prefetch(memory, to="host")
cuda.Context.synchronize()
print(says(cu.cuMemHostRegister(address, 4096, 0)))         # 1
print(forward(address), back(address + 5))                  # 2
memory.release()
print(back(address))                                        # 3
""", (
        Line("INVALID_VALUE", {
            "HOST_MEMORY_ALREADY_REGISTERED": See(
                *ONE_NUMBER, "Managed memory was never registered, wherever its pages are: it may move again."),
            "SUCCESS": See(*ONE_NUMBER, "The driver refuses to pin managed memory, also where its pages are on the host."),
        }),
        Line("INVALID_VALUE same", {
            "same same": See(*ONE_NUMBER, "The forward call refuses managed memory: it is for page-locked memory alone."),
            "INVALID_VALUE INVALID_VALUE": See(*ONE_NUMBER, "The host can use managed memory, so there is a way back."),
            "same INVALID_VALUE": See("06", "Eleven addresses", "That is the cell of memory mapped on the device. This is the "
                                      "opposite one."),
        }),
        Line("INVALID_VALUE", {
            "same": See("01", "The number does not keep the memory", "What was freed is not known any more, whoever keeps its number."),
            ends("SIGSEGV"): See("06", "Eleven addresses", "To ask about an address does not follow it."),
        }))),

    Listing("attached-elsewhere", "07", "attaching", """
from course_lib import managed
memory, own, other = managed.allocate(1, np.int32), cuda.Stream(), cuda.Stream()
code = kernels.compile("__global__ void add(int *x) { *x += 5; }")
memory.array[0] = 1
cu.cuStreamAttachMemAsync(own.handle, memory.address, 0, 4)         # 4: CU_MEM_ATTACH_SINGLE
own.synchronize()
code.add(1, 1, memory, stream=other)
other.synchronize()
print(memory.array[0])      # 1
cu.cuStreamAttachMemAsync(own.handle, memory.address, 0, 2)         # 2: CU_MEM_ATTACH_HOST
own.synchronize()
code.add(1, 1, memory, stream=own)
own.synchronize()
print(memory.array[0])      # 2
""", (
        Line("6", {
            "1": See(*WHO, "Memory attached to one stream is used by kernels of another, where the device has "
                     "CONCURRENT_MANAGED_ACCESS."),
            ends("ILLEGAL_ADDRESS"): See(*WHO, "To attach memory forbids nothing where the device has CONCURRENT_MANAGED_ACCESS."),
        }),
        Line("11", {
            "6": See(*WHO, "Memory attached to the host is used by kernels, too, where the device has CONCURRENT_MANAGED_ACCESS."),
            ends("ILLEGAL_ADDRESS"): See(*WHO, "To attach memory forbids nothing where the device has CONCURRENT_MANAGED_ACCESS."),
        }))),
)
