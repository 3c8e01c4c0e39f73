"""The exam's listings of lesson 03: forward and back, and the time before unified addressing."""
from .listing import Line, Listing, See, ends

IN_PLACE = ("03", "Zero-copy: a kernel works on host memory")
WHEN_SEEN = ("03", "When does the host see it?")
INVERSE = ("03b", "Is it the inverse?")
VIEWS = ("03b", "Addresses lead back. Does memory?")
OLD_WORLD = ("03c", "The world in which the question was asked")
BOOK = ("03c", "Exercises: the address book begins")

LISTINGS = (
    Listing("transposed", "03", "a kernel knows no shapes", """
table = cuda.pagelocked_zeros((2, 3), np.int32)
count = kernels.compile("__global__ void count(int *x) { x[threadIdx.x] = threadIdx.x; }").count
count(1, 6, table.T.ctypes.data)
cuda.Context.synchronize()
print(forward(table.T.ctypes.data))     # 1
print(table[1].tolist())                # 2
print(table.T[1].tolist())              # 3
""", (
        Line("same", {
            "another": See(
                "01", "Is it the address that a kernel uses?", "A slice is a second object over the same "
                "memory. A transposed array is one too: it begins at the same byte."),
            "INVALID_VALUE": See(
                "03", "For which bytes?", "The call is asked about an address, and any byte of the allocation "
                "will do. It does not know NumPy's objects."),
        }),
        Line("[3, 4, 5]", {
            "[1, 3, 5]": See(
                *IN_PLACE, "The kernel counts on from the address that it is given, one number after the other "
                "in memory. How NumPy looks at them it does not know."),
            "[0, 0, 0]": See(*IN_PLACE, "The kernel wrote into the host's memory itself, and not into a copy."),
        }),
        Line("[1, 4]", {
            "[2, 3]": See(
                *IN_PLACE, "The kernel filled the memory in order, row by row of `table`. The transposed view "
                "takes every third number."),
            "[0, 0]": See(*IN_PLACE, "The kernel wrote into the host's memory itself, and not into a copy."),
        }))),

    Listing("a-kernel-that-adds-up", "03", "host and kernel while both run", """
from course_lib.mapped import mailbox
add_up = kernels.compile(mailbox.SOURCE + '''__global__ void add_up(Mailbox *box) {
    unsigned long long letter, sum = 0;
    while (mailbox_wait(box, &letter)) mailbox_answer(box, sum += letter);
}''').add_up
ended = cuda.Event()
with mailbox.Mailbox() as box:
    add_up(1, 1, box)
    ended.record()
    print([box.ask(letter) for letter in (3, 4, 3)])    # 1
    print(ended.query())                                # 2
print(ended.query())                                    # 3
""", (
        Line("[3, 7, 10]", {
            "[3, 4, 3]": See(
                *WHEN_SEEN, "One launch answers all letters, so its variables live from one letter to the next."),
            "[0, 0, 0]": See(
                *WHEN_SEEN, "The host gets its answers while the kernel runs: it need not wait for its end."),
            "[10, 10, 10]": See(*WHEN_SEEN, "Each letter is answered before the next one is posted."),
        }),
        Line("False", {
            "True": See(*WHEN_SEEN, "The answers came while the kernel ran: `ended.query()` says so there."),
            ends("TimeoutError"): See(
                *WHEN_SEEN, "`query` does not wait: it returns whether the work before the event is done."),
        }),
        Line("True", {
            "False": See(
                *WHEN_SEEN, "The `with` block closes the mailbox, and so ends the kernel, and waits for that."),
            ends("TimeoutError"): See(
                *WHEN_SEEN, "The end of the `with` block closes the mailbox, and a kernel that finds it closed "
                "ends."),
        }))),

    Listing("one-view-registered", "03", "views of one page", """
import mmap, os
page = os.memfd_create("page")
os.truncate(page, mmap.PAGESIZE)
left, right = (np.frombuffer(mmap.mmap(page, mmap.PAGESIZE), np.int32) for _ in range(2))
registered = pinned.register(left)
kernels.compile("__global__ void set(int *x) { x[5] = 42; }").set(1, 1, registered)
cuda.Context.synchronize()
print(right[5])                                                     # 1
print(forward(right.ctypes.data))                                   # 2
print(says(cu.cuMemHostRegister(right.ctypes.data, 4096, 0)))       # 3
""", (
        Line("42", {
            "0": See(
                *VIEWS, "What a kernel wrote through the one view was read through the other: they show one "
                "page."),
            ends("SIGSEGV"): See(
                *VIEWS, "Both views are ordinary host addresses. Registering one takes nothing from the other."),
        }),
        Line("INVALID_VALUE", {
            "same": See(
                *VIEWS, "The call follows the address that it is given; it does not know the page behind it. This "
                        "address is not registered."),
            "another": See(
                *VIEWS, "Each view leads to its own partner. The call does not know that the other view shows "
                "the same page."),
        }),
        Line("SUCCESS", {
            "HOST_MEMORY_ALREADY_REGISTERED": See(
                *VIEWS, "Both views of one page were registered there: what counts is the range of addresses."),
            "INVALID_VALUE": See(
                *VIEWS, "Both views of one page were registered there, and each got a device address."),
        }))),

    Listing("two-books", "03", "before unified addressing", """
one, other = pointers.AddressBook(), pointers.AddressBook()     # of two contexts, as in lesson 03c
one.add(host=0x7000, device=0x100000, nbytes=64)
other.add(host=0x9000, device=0x100000, nbytes=64)
other.add(host=0x9100, device=0x101000, nbytes=64)
print(one.to_host(0x100010) == other.to_host(0x100010))     # 1
print(hex(other.to_host(0x101020)))                         # 2
print(hex(one.to_host(0x101020)))                           # 3
""", (
        Line("False", {
            "True": See(
                *OLD_WORLD, "One device number stood for different host memory in two contexts: the number "
                "alone does not say which."),
            ends("WrongPointer"): See(
                *OLD_WORLD, "Each context counts for itself. That two books have the same device number in them "
                "is the point."),
        }),
        Line("0x9120", {
            "0x9020": See(
                *BOOK, "The byte 0x20 of a block leads to byte 0x20 of *its* host memory, not of the first "
                "block's."),
            "0x9100": See(*BOOK, "An address inside a block leads to the same byte inside, not to the start."),
        }),
        Line(ends("NotInBook"), {
            "0x9120": See(
                *OLD_WORLD, "Asked in another context, the number means something else, or nothing: this "
                "context gave out no such address."),
            "0x7020": See(
                *BOOK, "The address begins behind the 64 bytes of this book's only block. There the book "
                "refuses 0x100040."),
        }))),

    Listing("crossed-numbers", "03", "before unified addressing", """
book = pointers.AddressBook()       # of a context before unified addressing
book.add(host=0x5000, device=0x7000, nbytes=64)
book.add(host=0x7000, device=0x5000, nbytes=16)
def compared(number):
    return "same" if number == 0x5020 else "another"
print(compared(book.to_device(0x5020)))                     # 1
print(compared(book.to_host(book.to_device(0x5020))))       # 2
print(compared(book.to_host(0x5020)))                       # 3
""", (
        Line("another", {
            "same": See(*OLD_WORLD, "In that world mapped memory had two addresses. 0x7020 is the device's for 0x5020."),
            ends("NotInBook"): See(*BOOK, "Byte 0x20 is inside the 64 bytes of the first block, and the book has it."),
        }),
        Line("same", {
            "another": See(*INVERSE, "For pinned and registered memory back undoes forward, byte by byte. So it does in a "
                           "book of such pairs: the address that was asked about comes back."),
            ends("NotInBook"): See(*INVERSE, "For pinned and registered memory back answers wherever forward did. So it "
                                   "does in a book of such pairs."),
        }),
        Line(ends("NotInBook"), {
            "same": See(*OLD_WORLD, "A host's number means nothing on the other side, or something else."),
            "another": See(*BOOK, "As a device's number it is behind the 16 bytes of the second block. There the book "
                           "refuses 0x100040."),
        }))),
)
