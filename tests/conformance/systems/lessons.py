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


# (question, its name or a part of it; label, or a part of it): the first that fits. An attribute's label is its number, all of it.
CLAIMS = [
    ((ATTRIBUTES, ATTRIBUTE["UNIFIED_ADDRESSING"]), Rest("00", "host and devices share one range of addresses")),
    ((ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS"]), Rest("01", "where it is 1, a kernel may follow any host address; where it is 0, it is stopped")),
    ((ATTRIBUTES, ATTRIBUTE["CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM"]), Rest("02b", "where it is 1, registered memory has one number on both sides")),
    ((ATTRIBUTES, ATTRIBUTE["HOST_REGISTER_SUPPORTED"]), Rest("02b", "some integrated GPUs cannot register memory")),
    ((ATTRIBUTES, ATTRIBUTE["READ_ONLY_HOST_REGISTER_SUPPORTED"]), Rest("02b", "where it is 0, flag 8 is answered with NOT_SUPPORTED")),
    ((ATTRIBUTES, ATTRIBUTE["CONCURRENT_MANAGED_ACCESS"]), Rest("07", "where it is 0, the host may not use managed memory while a kernel runs")),
    ((ATTRIBUTES, ATTRIBUTE["DIRECT_MANAGED_MEM_ACCESS_FROM_HOST"]), Rest("07", "it was 0 on the H200: a page in the host's page tables is on the host")),
    ((ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES"]), Rest("07", "it was 0 on the H200: device and host have page tables of their own")),
    (("managed_attach.device_attributes", "PAGEABLE_MEMORY_ACCESS"), Rest("01", "where it is 0, a kernel that follows an ordinary host address is stopped")),
    (("device_memory.kernel_reads", "pageable"), Rest("01", "a kernel that follows an ordinary host address is stopped where PAGEABLE_MEMORY_ACCESS is 0")),
    (("device_memory.host_reads", ""), Rest("01", "a host that reads at a device address is ended with SIGSEGV")),
    (("device_memory.freed_small", ""), Rest("01", "a copy from freed memory is refused; a kernel reads on, in the piece that it was cut from")),
    (("lessons.windows", ""), Rest("01", "one number in a window leads each block to a memory of its own, and the driver does not know it")),
    (("faults.", ""), Rest("01", "after an illegal access a new context gets the error, too; only a new process helps")),
    (("streams.taken_over", ""), Rest("02", "the H200's driver took up to 2 MiB of pageable memory at the call; pinned memory is read when its turn comes")),
    (("host_memory.flags", ""), Rest("02", "every combination of the flags is mapped, asked for or not; a small block tells its piece's portable flag")),
    (("host_memory.device_pointer", ""), Rest("02", "forward and back, the answer for pinned memory is the number that was put in")),
    (("host_memory.second_context", ""), Rest("02", "a kernel in a second context uses pinned memory, portable or not")),
    (("host_memory.context_frees", ""), Rest("02", "destroying a context frees its pinned memory")),
    (("host_memory.visible_while_running", ""), Rest("03", "host and kernel see what the other writes to mapped memory while the kernel runs")),
    (("host_memory.kernel_uses_host_address", ""), Rest("03", "a kernel may use the host's number for pinned memory")),
    (("registered.flags_accepted", ""), Rest("02b", "flags 1 and 2 have no effect; 8 is for pages that the device will only read")),
    (("registered.two_views", ""), Rest("03b", "one memory may have two host addresses, and then two device addresses")),
    (("pointer_attributes.plural", ""), Rest("06", "the plural call succeeds for addresses that the driver does not know")),
    (("kernel_heap.host_calls", ""), Rest("04", "no copy knows a heap address, and a memset seems to succeed")),
    (("kernel_heap.default", ""), Rest("04b", "the heap has 8 MiB unless set")),
    (("kernel_heap.limit", ""), Rest("04b", "the size can be set until the first launch that uses the heap; small sizes become 4 MiB")),
    (("kernel_heap.exhaustion", ""), Rest("04b", "a full heap gives a null pointer, and the launch succeeds")),
    (("device_runtime.", ""), Rest("04b", "cudaMalloc in a kernel takes from the same heap as malloc")),
    (("physical_memory.granularity", ""), Rest("05", "physical memory and access come in pieces of 2 MiB")),
    (("mappings.aliases", ""), Rest("05b", "a handle that is mapped twice is one memory with two addresses")),
    (("access_rights.on_the_host", ""), Rest("05b", "forward depends on the device's access, and back on the host's")),
    (("neighbours.growing", ""), Rest("10", "a vector grows in place, by mapping more behind it")),
    (("lessons.", ""), Rest("07", "a touch brought pages 0 to 15 on the H200; advice pins nothing, and moves nothing by itself")),
    (("managed_attach.", ""), Rest("07", "where CONCURRENT_MANAGED_ACCESS is 1, host and kernels use managed memory at the same time")),
    (("managed_limits.", ""), Rest("07", "more managed memory may be allocated than the device has")),
    (("ipc_memory.", ""), Rest("08", "memory opened by its IPC handle has an address of its own in the other process")),
    (("sharing.ipc", ""), Rest("08", "only memory from cuMemAlloc has an IPC handle")),
    (("forks.", ""), Rest("08", "a child that was forked after cuInit has no CUDA; a new program has")),
    (("peer_reach.", ""), Rest("08", "peer access covers what cuMemAlloc gives, and neither pools nor virtual memory nor the kernels' heap")),
]
# The subject of a question -> the notebook; "" for what no lesson rests on.
SUBJECTS = {
    "access_rights": "05", "contexts": "01", "copies": "01", "device_memory": "01", "device_runtime": "04b", "devices": "", "errors": "",
    "events": "10", "faults": "01", "forks": "08", "functions": "", "host_memory": "02", "ipc_events": "08", "ipc_lifetimes": "08",
    "ipc_memory": "08", "kernel_heap": "04", "launches": "", "lessons": "07", "limits": "04b", "managed": "07", "managed_advice": "07",
    "managed_attach": "07", "managed_batches": "07", "managed_limits": "07", "managed_pointers": "07", "managed_pools": "07",
    "managed_prefetch": "07", "managed_ranges": "07", "managed_variables": "07", "mappings": "05", "memory_operations": "", "memsets": "04",
    "modules": "", "more_shapes": "", "neighbours": "05b", "null_outputs": "", "peer_access": "08", "peer_reach": "08",
    "physical_memory": "05", "pointer_attributes": "06", "pools": "10", "primary_context": "", "processes": "08", "registered": "02b",
    "reservations": "05", "shapes": "", "shared_host_memory": "08", "shared_physical": "08", "shared_physical_lifetimes": "08",
    "shared_pool_lifetimes": "08", "shared_pools": "08", "sharing": "08", "strays": "01", "stream_ordered": "10", "streams": "02",
    "threads_and_forks": "08", "through_pycuda": "01", "two_devices": "08", "two_devices_copies": "08", "two_devices_kinds": "08",
    "two_devices_work": "08", "visible_devices": "08", "whole_api": "",
}


def rest(question, label):
    """The Rest of an answer, or None where no lesson rests on it."""
    for (name, part), found in CLAIMS:
        if name in question.name and (label == part if name == ATTRIBUTES else part in label):
            return found
    notebook = "" if question.name == ATTRIBUTES else SUBJECTS[question.subject]
    return Rest(notebook) if notebook else None


def told(question, label):
    """A label in words: what is a number there, by its name, too."""
    return f"{label} ({ATTRIBUTE_NAMES[int(label)]})" if question.name == ATTRIBUTES and int(label) in ATTRIBUTE_NAMES else label
