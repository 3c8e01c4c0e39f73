"""What programs take for granted of CUDA and rests on an answer, by topic.

Not here: whether it is so elsewhere (comparing.py).
"""
import dataclasses

from ..questions.devices.properties import ATTRIBUTE_NAMES

ATTRIBUTE = {name: str(number) for number, name in ATTRIBUTE_NAMES.items()}
ATTRIBUTES = "devices/properties.attributes"


@dataclasses.dataclass(frozen=True)
class Rest:
    """A topic, and a sentence on CUDA that rests on the answer; "" where it is the question's title."""

    topic: str
    says: str = ""


# A part of a question's name, a part of a label (all of an attribute's), what rests on it. The first counts.
CLAIMS = [
    (ATTRIBUTES, ATTRIBUTE["UNIFIED_ADDRESSING"], "host and devices share one range of addresses"),
    (ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS"],
     "where it is 1, a kernel may follow any host address; where it is 0, it is stopped"),
    (ATTRIBUTES, ATTRIBUTE["CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM"],
     "where it is 1, registered memory has one number on both sides"),
    (ATTRIBUTES, ATTRIBUTE["HOST_REGISTER_SUPPORTED"], "some integrated GPUs cannot register memory"),
    (ATTRIBUTES, ATTRIBUTE["READ_ONLY_HOST_REGISTER_SUPPORTED"], "where it is 0, flag 8 is answered with NOT_SUPPORTED"),
    (ATTRIBUTES, ATTRIBUTE["CONCURRENT_MANAGED_ACCESS"],
     "where it is 0, the host may not use managed memory while a kernel runs"),
    (ATTRIBUTES, ATTRIBUTE["DIRECT_MANAGED_MEM_ACCESS_FROM_HOST"],
     "it was 0 on the H200: a page in the host's page tables is on the host"),
    (ATTRIBUTES, ATTRIBUTE["PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES"],
     "it was 0 on the H200: device and host have page tables of their own"),
    ("managed/attachment.device_attributes", "PAGEABLE_MEMORY_ACCESS",
     "where it is 0, a kernel that follows an ordinary host address is stopped"),
    ("device_memory/allocations.kernel_reads", "pageable",
     "a kernel that follows an ordinary host address is stopped where PAGEABLE_MEMORY_ACCESS is 0"),
    ("device_memory/allocations.host_reads", "", "a host that reads at a device address is ended with SIGSEGV"),
    ("device_memory/allocations.freed_small", "",
     "a copy from freed memory is refused; a kernel reads on, in the piece that it was cut from"),
    ("inside_kernels/windows.one_number_in_every_block", "",
     "one number in a window leads each block to a memory of its own, and the driver does not know it"),
    ("errors/kernel_faults.", "", "after an illegal access a new context gets the error, too; only a new process helps"),
    ("streams/streams.taken_over", "",
     "the H200's driver took up to 2 MiB of pageable memory at the call; pinned memory is read when its turn comes"),
    ("host_memory/pinned.flags", "",
     "every combination of the flags is mapped, asked for or not; a small block tells its piece's portable flag"),
    ("host_memory/pinned.device_pointer", "", "forward and back, the answer for pinned memory is the number that was put in"),
    ("host_memory/pinned.second_context", "", "a kernel in a second context uses pinned memory, portable or not"),
    ("host_memory/pinned.context_frees", "", "destroying a context frees its pinned memory"),
    ("host_memory/pinned.visible_while_running", "",
     "host and kernel see what the other writes to mapped memory while the kernel runs"),
    ("host_memory/pinned.kernel_uses_host_address", "", "a kernel may use the host's number for pinned memory"),
    ("host_memory/registered.flags_accepted", "",
     "flags 1 and 2 have no effect; 8 is for pages that the device will only read"),
    ("host_memory/registered.two_views", "", "one memory may have two host addresses, and then two device addresses"),
    ("addresses/pointer_attributes.plural", "", "the plural call succeeds for addresses that the driver does not know"),
    ("kernel_heap/malloc_and_free.host_calls", "", "no copy knows a heap address, and a memset seems to succeed"),
    ("kernel_heap/malloc_and_free.default", "", "the heap has 8 MiB unless set"),
    ("kernel_heap/malloc_and_free.limit", "",
     "the size can be set until the first launch that uses the heap; small sizes become 4 MiB"),
    ("kernel_heap/malloc_and_free.exhaustion", "", "a full heap gives a null pointer, and the launch succeeds"),
    ("kernel_heap/device_runtime.", "", "cudaMalloc in a kernel takes from the same heap as malloc"),
    ("virtual_memory/physical_memory.granularity", "", "physical memory and access come in pieces of 2 MiB"),
    ("virtual_memory/mappings.aliases", "", "a handle that is mapped twice is one memory with two addresses"),
    ("virtual_memory/access_rights.on_the_host", "", "forward depends on the device's access, and back on the host's"),
    ("virtual_memory/neighbouring_reservations.growing", "", "a vector grows in place, by mapping more behind it"),
    ("managed/pages_at_the_host.", "",
     "a touch brought pages 0 to 15 on the H200; advice pins nothing, and moves nothing by itself"),
    ("managed/attachment.", "", "where CONCURRENT_MANAGED_ACCESS is 1, host and kernels use managed memory at the same time"),
    ("managed/large_allocations.", "", "more managed memory may be allocated than the device has"),
    ("two_processes/ipc_memory.", "", "memory opened by its IPC handle has an address of its own in the other process"),
    ("virtual_memory/export_and_import.ipc", "", "only memory from cuMemAlloc has an IPC handle"),
    ("two_processes/forks_and_new_programs.", "", "a child that was forked after cuInit has no CUDA; a new program has"),
    ("inside_kernels/windows.", "", "one number in a window stands for a memory in each block or thread"),
    ("inside_kernels/conversions.", "",
     "isspacep asks, cvta.to gives back exactly what cvta made, and without asking any number becomes another"),
    ("inside_kernels/constants.", "", "constants have an address in global memory, which the host may write to"),
    ("inside_kernels/shared_and_local_addresses.", "",
     "a number of shared memory leads another kernel to its own shared memory, or to an error"),
    ("two_devices/what_kernels_reach.", "",
     "peer access covers what cuMemAlloc gives, and neither pools nor virtual memory nor the kernels' heap"),
]
# Why the recorded systems differ in a question, if we know; for the page.
STACK = ("Why? Both devices can hold 132 x 2,048 threads at once. If each of them gets 400,000 bytes, that is 100.7 GiB, which fits into "
         "an H200's memory and not into an H100's.")
REASONS = {
    ATTRIBUTES: "The width of the bus is in bits, and the sizes of the L2 cache are in bytes.",
    "contexts/limits.limits": "By default a program may set aside three sixteenths of the L2 cache, on both.",
    "contexts/limits.set_limits": "First comes the call's result, then the limit as it is afterwards. A small wish becomes a sixteenth of the L2 cache, on both.",
    "contexts/limits.largest_stack": STACK,
    "inside_kernels/resources.most_local": "The reason is that of the stack, because local memory is set aside in the same way.",
    "virtual_memory/export_and_import.range_handles": "The driver is the same, so the reason lies elsewhere. We do not know it.",
    "two_processes/ipc_events_in_streams.recorded_again": (
        "On both, a process that records an event again waits for the record of another process, which this question holds back. "
        "On the H100, the processes then gave no more answers."),
    "two_processes/physical_memory.one_address": (
        "One process wishes for the address that the other has. A wish may be refused, so this may be no more than chance."),
    "two_processes/refusals.exchanged_bytes": (
        "A program has no reason to do this: it opens as an event what another process exported as a pool's pointer. "
        "Whatever the answer is, it is undocumented."),
}
# A folder of questions/ and the topic's title, in the order of the page.
TOPICS = {
    "addresses": "Addresses",
    "devices": "Devices",
    "contexts": "Contexts",
    "host_memory": "Pinned and registered memory",
    "device_memory": "Device memory",
    "copies": "Copies and memsets",
    "kernel_heap": "The heap of kernels",
    "virtual_memory": "Virtual memory",
    "pools": "Stream-ordered memory and pools",
    "streams": "Streams and events",
    "managed": "Managed memory",
    "kernels": "Modules and launches",
    "inside_kernels": "Inside a kernel",
    "two_processes": "Several processes",
    "two_devices": "Several devices",
    "errors": "Errors",
    "through_libraries": "Through PyCUDA and the runtime",
}


def rest(question, label):
    """The Rest of an answer."""
    for name, part, says in CLAIMS:
        if name in question.name and (label == part if name == ATTRIBUTES else part in label):
            return Rest(TOPICS[question.topic], says)
    return Rest(TOPICS[question.topic])


def in_words(question, label):
    """A label in words: what is a number there, by its name, too."""
    named = question.name == ATTRIBUTES and label.isdigit() and int(label) in ATTRIBUTE_NAMES
    return f"{label} ({ATTRIBUTE_NAMES[int(label)]})" if named else label
