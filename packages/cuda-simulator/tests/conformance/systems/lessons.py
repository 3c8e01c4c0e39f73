"""Which lesson rests on an answer, and what the course says there.

Not here: whether it is so elsewhere (comparing.py).
"""
import dataclasses

from ..questions.devices import ATTRIBUTE_NAMES

ATTRIBUTE = {name: str(number) for number, name in ATTRIBUTE_NAMES.items()}
ATTRIBUTES = "devices.attributes"


@dataclasses.dataclass(frozen=True)
class Rest:
    """A notebook's number, and a sentence for what it says there; "" where it is the question's title."""

    notebook: str
    says: str = ""


# A part of a question's name, a part of a label (all of an attribute's), the notebook, what it says. The first counts.
CLAIMS = [
    (ATTRIBUTES, ATTRIBUTE["UNIFIED_ADDRESSING"], "00", "host and devices share one range of addresses"),
    (ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS"], "01",
     "where it is 1, a kernel may follow any host address; where it is 0, it is stopped"),
    (ATTRIBUTES, ATTRIBUTE["CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM"], "02b",
     "where it is 1, registered memory has one number on both sides"),
    (ATTRIBUTES, ATTRIBUTE["HOST_REGISTER_SUPPORTED"], "02b", "some integrated GPUs cannot register memory"),
    (ATTRIBUTES, ATTRIBUTE["READ_ONLY_HOST_REGISTER_SUPPORTED"], "02b",
     "where it is 0, flag 8 is answered with NOT_SUPPORTED"),
    (ATTRIBUTES, ATTRIBUTE["CONCURRENT_MANAGED_ACCESS"], "07",
     "where it is 0, the host may not use managed memory while a kernel runs"),
    (ATTRIBUTES, ATTRIBUTE["DIRECT_MANAGED_MEM_ACCESS_FROM_HOST"], "07",
     "it was 0 on the H200: a page in the host's page tables is on the host"),
    (ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES"], "07",
     "it was 0 on the H200: device and host have page tables of their own"),
    ("managed_attach.device_attributes", "PAGEABLE_MEMORY_ACCESS", "01",
     "where it is 0, a kernel that follows an ordinary host address is stopped"),
    ("device_memory.kernel_reads", "pageable", "01",
     "a kernel that follows an ordinary host address is stopped where PAGEABLE_MEMORY_ACCESS is 0"),
    ("device_memory.host_reads", "", "01", "a host that reads at a device address is ended with SIGSEGV"),
    ("device_memory.freed_small", "", "01",
     "a copy from freed memory is refused; a kernel reads on, in the piece that it was cut from"),
    ("lessons.windows", "", "01",
     "one number in a window leads each block to a memory of its own, and the driver does not know it"),
    ("faults.", "", "01", "after an illegal access a new context gets the error, too; only a new process helps"),
    ("streams.taken_over", "", "02",
     "the H200's driver took up to 2 MiB of pageable memory at the call; pinned memory is read when its turn comes"),
    ("host_memory.flags", "", "02",
     "every combination of the flags is mapped, asked for or not; a small block tells its piece's portable flag"),
    ("host_memory.device_pointer", "", "02",
     "forward and back, the answer for pinned memory is the number that was put in"),
    ("host_memory.second_context", "", "02", "a kernel in a second context uses pinned memory, portable or not"),
    ("host_memory.context_frees", "", "02", "destroying a context frees its pinned memory"),
    ("host_memory.visible_while_running", "", "03",
     "host and kernel see what the other writes to mapped memory while the kernel runs"),
    ("host_memory.kernel_uses_host_address", "", "03", "a kernel may use the host's number for pinned memory"),
    ("registered.flags_accepted", "", "02b",
     "flags 1 and 2 have no effect; 8 is for pages that the device will only read"),
    ("registered.two_views", "", "03b", "one memory may have two host addresses, and then two device addresses"),
    ("pointer_attributes.plural", "", "06", "the plural call succeeds for addresses that the driver does not know"),
    ("kernel_heap.host_calls", "", "04", "no copy knows a heap address, and a memset seems to succeed"),
    ("kernel_heap.default", "", "04b", "the heap has 8 MiB unless set"),
    ("kernel_heap.limit", "", "04b",
     "the size can be set until the first launch that uses the heap; small sizes become 4 MiB"),
    ("kernel_heap.exhaustion", "", "04b", "a full heap gives a null pointer, and the launch succeeds"),
    ("device_runtime.", "", "04b", "cudaMalloc in a kernel takes from the same heap as malloc"),
    ("physical_memory.granularity", "", "05", "physical memory and access come in pieces of 2 MiB"),
    ("mappings.aliases", "", "05b", "a handle that is mapped twice is one memory with two addresses"),
    ("access_rights.on_the_host", "", "05b", "forward depends on the device's access, and back on the host's"),
    ("neighbours.growing", "", "10", "a vector grows in place, by mapping more behind it"),
    ("lessons.", "", "07",
     "a touch brought pages 0 to 15 on the H200; advice pins nothing, and moves nothing by itself"),
    ("managed_attach.", "", "07",
     "where CONCURRENT_MANAGED_ACCESS is 1, host and kernels use managed memory at the same time"),
    ("managed_limits.", "", "07", "more managed memory may be allocated than the device has"),
    ("ipc_memory.", "", "08", "memory opened by its IPC handle has an address of its own in the other process"),
    ("sharing.ipc", "", "08", "only memory from cuMemAlloc has an IPC handle"),
    ("forks.", "", "08", "a child that was forked after cuInit has no CUDA; a new program has"),
    ("inside_windows.", "", "09", "one number in a window stands for a memory in each block or thread"),
    ("inside_conversions.", "", "09",
     "isspacep asks, cvta.to gives back exactly what cvta made, and without asking any number becomes another"),
    ("inside_constants.", "", "09", "constants have an address in global memory, which the host may write to"),
    ("inside_strays.", "", "09", "a number of shared memory leads another kernel to its own shared memory, or to an error"),
    ("peer_reach.", "", "08",
     "peer access covers what cuMemAlloc gives, and neither pools nor virtual memory nor the kernels' heap"),
]
# Of the others, by how the question's subject begins (the longest counts); "" for what no lesson rests on.
NOTEBOOKS = {
    "01": "contexts copies device_memory faults strays through_pycuda",
    "02": "host_memory streams waiting",
    "02b": "registered",
    "04": "kernel_heap memsets",
    "04b": "device_runtime limits",
    "05": "access_rights mappings physical_memory reservations",
    "05b": "neighbours",
    "06": "pointer_attributes",
    "07": "lessons managed",
    "08": "across descriptors devices_ forks handed_ ipc pair_ peer processes shared sharing threads_and_forks two_devices "
          "visible_devices",
    "09": "inside",
    "10": "events pools stream_ordered",
    "": "devices errors functions launches memory_operations modules more_shapes null_outputs primary_context shapes "
        "whole_api",
}
BEGINNINGS = {begin: notebook for notebook, begins in NOTEBOOKS.items() for begin in begins.split()}


def beginning(subject):
    """The one of BEGINNINGS that a subject has; "" for none."""
    return max(filter(subject.startswith, BEGINNINGS), key=len, default="")


def rest(question, label):
    """The Rest of an answer, or None where no lesson rests on it."""
    for name, part, notebook, says in CLAIMS:
        if name in question.name and (label == part if name == ATTRIBUTES else part in label):
            return Rest(notebook, says)
    notebook = BEGINNINGS.get(beginning(question.subject))
    return Rest(notebook) if notebook else None


def told(question, label):
    """A label in words: what is a number there, by its name, too."""
    named = question.name == ATTRIBUTES and label.isdigit() and int(label) in ATTRIBUTE_NAMES
    return f"{label} ({ATTRIBUTE_NAMES[int(label)]})" if named else label
