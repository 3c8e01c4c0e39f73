"""What programs take for granted of CUDA and rests on an answer, by topic.

Not here: whether it is so elsewhere (comparing.py).
"""
import dataclasses

from ..questions.devices import ATTRIBUTE_NAMES

ATTRIBUTE = {name: str(number) for number, name in ATTRIBUTE_NAMES.items()}
ATTRIBUTES = "devices.attributes"


@dataclasses.dataclass(frozen=True)
class Rest:
    """A topic, and a sentence on CUDA that rests on the answer; "" where it is the question's title."""

    topic: str
    says: str = ""


# A part of a question's name, a part of a label (all of an attribute's), the topic, what rests on it. The first counts.
CLAIMS = [
    (ATTRIBUTES, ATTRIBUTE["UNIFIED_ADDRESSING"], "Unified addressing", "host and devices share one range of addresses"),
    (ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS"], "Addresses",
     "where it is 1, a kernel may follow any host address; where it is 0, it is stopped"),
    (ATTRIBUTES, ATTRIBUTE["CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM"], "Registered memory",
     "where it is 1, registered memory has one number on both sides"),
    (ATTRIBUTES, ATTRIBUTE["HOST_REGISTER_SUPPORTED"], "Registered memory", "some integrated GPUs cannot register memory"),
    (ATTRIBUTES, ATTRIBUTE["READ_ONLY_HOST_REGISTER_SUPPORTED"], "Registered memory",
     "where it is 0, flag 8 is answered with NOT_SUPPORTED"),
    (ATTRIBUTES, ATTRIBUTE["CONCURRENT_MANAGED_ACCESS"], "Managed memory",
     "where it is 0, the host may not use managed memory while a kernel runs"),
    (ATTRIBUTES, ATTRIBUTE["DIRECT_MANAGED_MEM_ACCESS_FROM_HOST"], "Managed memory",
     "it was 0 on the H200: a page in the host's page tables is on the host"),
    (ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES"], "Managed memory",
     "it was 0 on the H200: device and host have page tables of their own"),
    ("managed_attach.device_attributes", "PAGEABLE_MEMORY_ACCESS", "Addresses",
     "where it is 0, a kernel that follows an ordinary host address is stopped"),
    ("device_memory.kernel_reads", "pageable", "Addresses",
     "a kernel that follows an ordinary host address is stopped where PAGEABLE_MEMORY_ACCESS is 0"),
    ("device_memory.host_reads", "", "Addresses", "a host that reads at a device address is ended with SIGSEGV"),
    ("device_memory.freed_small", "", "Addresses",
     "a copy from freed memory is refused; a kernel reads on, in the piece that it was cut from"),
    ("lessons.windows", "", "Addresses",
     "one number in a window leads each block to a memory of its own, and the driver does not know it"),
    ("faults.", "", "Addresses", "after an illegal access a new context gets the error, too; only a new process helps"),
    ("streams.taken_over", "", "Pinned memory",
     "the H200's driver took up to 2 MiB of pageable memory at the call; pinned memory is read when its turn comes"),
    ("host_memory.flags", "", "Pinned memory",
     "every combination of the flags is mapped, asked for or not; a small block tells its piece's portable flag"),
    ("host_memory.device_pointer", "", "Pinned memory",
     "forward and back, the answer for pinned memory is the number that was put in"),
    ("host_memory.second_context", "", "Pinned memory", "a kernel in a second context uses pinned memory, portable or not"),
    ("host_memory.context_frees", "", "Pinned memory", "destroying a context frees its pinned memory"),
    ("host_memory.visible_while_running", "", "Mapped memory",
     "host and kernel see what the other writes to mapped memory while the kernel runs"),
    ("host_memory.kernel_uses_host_address", "", "Mapped memory", "a kernel may use the host's number for pinned memory"),
    ("registered.flags_accepted", "", "Registered memory",
     "flags 1 and 2 have no effect; 8 is for pages that the device will only read"),
    ("registered.two_views", "", "Two host addresses", "one memory may have two host addresses, and then two device addresses"),
    ("pointer_attributes.plural", "", "Pointer attributes", "the plural call succeeds for addresses that the driver does not know"),
    ("kernel_heap.host_calls", "", "Memory that kernels allocate", "no copy knows a heap address, and a memset seems to succeed"),
    ("kernel_heap.default", "", "The heap of kernels", "the heap has 8 MiB unless set"),
    ("kernel_heap.limit", "", "The heap of kernels",
     "the size can be set until the first launch that uses the heap; small sizes become 4 MiB"),
    ("kernel_heap.exhaustion", "", "The heap of kernels", "a full heap gives a null pointer, and the launch succeeds"),
    ("device_runtime.", "", "The heap of kernels", "cudaMalloc in a kernel takes from the same heap as malloc"),
    ("physical_memory.granularity", "", "Virtual reservations", "physical memory and access come in pieces of 2 MiB"),
    ("mappings.aliases", "", "Several addresses of one memory", "a handle that is mapped twice is one memory with two addresses"),
    ("access_rights.on_the_host", "", "Several addresses of one memory", "forward depends on the device's access, and back on the host's"),
    ("neighbours.growing", "", "Streams and pools", "a vector grows in place, by mapping more behind it"),
    ("lessons.", "", "Managed memory",
     "a touch brought pages 0 to 15 on the H200; advice pins nothing, and moves nothing by itself"),
    ("managed_attach.", "", "Managed memory",
     "where CONCURRENT_MANAGED_ACCESS is 1, host and kernels use managed memory at the same time"),
    ("managed_limits.", "", "Managed memory", "more managed memory may be allocated than the device has"),
    ("ipc_memory.", "", "Several processes and devices", "memory opened by its IPC handle has an address of its own in the other process"),
    ("sharing.ipc", "", "Several processes and devices", "only memory from cuMemAlloc has an IPC handle"),
    ("forks.", "", "Several processes and devices", "a child that was forked after cuInit has no CUDA; a new program has"),
    ("inside_windows.", "", "Inside a kernel", "one number in a window stands for a memory in each block or thread"),
    ("inside_conversions.", "", "Inside a kernel",
     "isspacep asks, cvta.to gives back exactly what cvta made, and without asking any number becomes another"),
    ("inside_constants.", "", "Inside a kernel", "constants have an address in global memory, which the host may write to"),
    ("inside_strays.", "", "Inside a kernel", "a number of shared memory leads another kernel to its own shared memory, or to an error"),
    ("peer_reach.", "", "Several processes and devices",
     "peer access covers what cuMemAlloc gives, and neither pools nor virtual memory nor the kernels' heap"),
]
# Of the others, by how the question's subject begins (the longest counts); "" for what is of no topic.
TOPICS = {
    "Addresses": "contexts copies device_memory faults strays through_pycuda",
    "Pinned memory": "host_memory runtime_functions streams waiting",
    "Registered memory": "registered",
    "Memory that kernels allocate": "kernel_heap memsets",
    "The heap of kernels": "device_runtime limits",
    "Virtual reservations": "access_rights mappings physical_memory reservations",
    "Several addresses of one memory": "neighbours",
    "Pointer attributes": "pointer_attributes",
    "Managed memory": "lessons managed",
    "Several processes and devices": "across descriptors devices_ forks handed_ ipc pair_ peer processes shared sharing threads_and_forks two_devices "
          "visible_devices",
    "Inside a kernel": "inside",
    "Streams and pools": "events pools stream_ordered",
    "": "devices errors functions launches memory_operations modules more_shapes null_outputs primary_context shapes "
        "whole_api",
}
BEGINNINGS = {begin: topic for topic, begins in TOPICS.items() for begin in begins.split()}


def beginning(subject):
    """The one of BEGINNINGS that a subject has; "" for none."""
    return max(filter(subject.startswith, BEGINNINGS), key=len, default="")


def rest(question, label):
    """The Rest of an answer, or None where it is of no topic."""
    for name, part, topic, says in CLAIMS:
        if name in question.name and (label == part if name == ATTRIBUTES else part in label):
            return Rest(topic, says)
    topic = BEGINNINGS.get(beginning(question.subject))
    return Rest(topic) if topic else None


def told(question, label):
    """A label in words: what is a number there, by its name, too."""
    named = question.name == ATTRIBUTES and label.isdigit() and int(label) in ATTRIBUTE_NAMES
    return f"{label} ({ATTRIBUTE_NAMES[int(label)]})" if named else label
