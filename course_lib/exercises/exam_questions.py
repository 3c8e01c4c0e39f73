"""The questions of the exam: one table. Each has one right option; which, only the check tells."""
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question with options."""

    id: str
    lesson: str         # where the answer was seen
    text: str
    right: str          # the right option
    wrong: tuple        # the others
    because: str        # why, shown after the exam is handed in

    @property
    def options(self):
        """All options, in an order that is always the same and gives nothing away."""
        return tuple(random.Random(self.id).sample((self.right, *self.wrong), 1 + len(self.wrong)))


QUESTIONS = (
    Question("pinned-equal", "00", "A program has pinned memory. Its host and its device address are",
             "the same number, translated by two tables",
             ("two numbers, because the address spaces are distinct", "the same number, because the GPU asks the CPU"),
             "Unified addressing takes both from one range, and each processor translates it by its own tables."),
    Question("host-follows", "01", "The host reads through the address of `cudaMalloc` memory. What happens?",
             "its process ends with SIGSEGV", ("it gets the value, slowly", "the call returns INVALID_VALUE"),
             "No call is made that could return an error: the CPU's tables lead nowhere from there."),
    Question("after-700", "01", "A kernel has followed a wrong address. What helps?",
             "a new process", ("a new context in the same process", "the next synchronize, which clears the error"),
             "After ILLEGAL_ADDRESS even a new context in the same process answers 700."),
    Question("register", "02", "What does `cudaHostRegister` change of an array?",
             "that its pages stay in place, and what the driver knows of them",
             ("its address", "its content, which is moved to pinned pages"),
             "Neither the pointer nor the content changes: the pages that are there are locked."),
    Question("forward-domain", "03", "For which addresses does `cudaHostGetDevicePointer` answer?",
             "every byte of pinned or registered memory",
             ("only the start of a pinned allocation", "every address that the device can use"),
             "Interior addresses are answered with interior addresses. Device memory from cudaMalloc is refused; "
             "virtual memory that is mapped answers too, which is not documented."),
    Question("two-views", "03",
             "One page is mapped at two host addresses and both are registered. Its device address is",
             "not one: there are two, one for each host address",
             ("one, that of the view registered first", "none: the second registration is refused"),
             "The driver goes by addresses, not by pages: each host address has its own partner, forward and back."),
    Question("heap", "04", "A kernel's `malloc` returned a pointer. How does its content reach the host?",
             "a kernel copies it into cudaMalloc memory, which the host copies",
             ("cudaMemcpy from that pointer", "the host reads it through HOST_POINTER"),
             "The host's calls refuse addresses of the kernels' heap; a kernel may follow them."),
    Question("reserve", "05", "`cuMemAddressReserve` succeeded. What is at the address?",
             "nothing, until memory is mapped there",
             ("device memory of that size", "memory that a first access makes"),
             "Reserving gives addresses alone; create makes memory, map joins them, and set access lets it be used."),
    Question("trap", "06",
             "`cuPointerGetAttributes`, the plural call, gives HOST_POINTER for an address that the driver does not "
             "know. What is it?",
             "the address that was asked about, and no pointer to follow",
             ("null", "the host's address of that memory"),
             "It succeeds with MEMORY_TYPE 0, which means unknown: look at that first, or ask the singular call."),
    Question("inverse", "06", "Which of these is true of the way back and not of the forward call?",
             "before unified addressing, the number alone did not say which memory was meant",
             ("it is partial: for many addresses there is no answer", "one memory may have several addresses"),
             "Forward is partial too, and a page with two host addresses has two device addresses. Only the contexts "
             "of old broke one direction and not the other."),
)
