"""Replies to the predictions of lesson 02, in the order of the notebooks."""
from .other import OTHER

REPLIES = {
    "02-late-change": {
        "1 from pageable memory, 1 from pinned": "You took a call to take its data along. With `_async` the call only puts "
                                                 "the copy in line. Pinned memory is read when the copy's turn comes.",
        "2 from pageable memory, 1 from pinned": "You had the right two answers, the other way round. Which of the two "
                                                 "memories can the copy engine read without the CPU's help?",
        "2 from pageable memory, 2 from pinned": "You let the copy engine read both arrays when the turn comes. It cannot "
                                                 "rely on pageable memory to be where it was, so that is taken sooner.",
    },
    "02-which-mapped": {
        "0": "You expected a device address for device memory only. Lesson 00 asked for one of pinned memory, and the "
             "driver gave it.",
        "1": "You picked the mapped flag alone. Flags are bits: it is in several of the eight combinations. And does an "
             "allocation without it have no device address?",
        "3": "You counted flags. Eight combinations were tried, and the question is what each of them gives.",
        "4": "You took the flag for what decides: 2 is in half of the combinations. It decided before unified addressing. "
             "Look at the rows where no M was asked for.",
        "7": "You left one out, probably the default. `pagelocked_empty` of lesson 00 asked for no flag, and its memory had a "
             "device address.",
        OTHER: "Count the rows of the table that have a device address: each row is one combination.",
    },
    "02-deferred-failure": {
        "the allocation": "You expected the missing flag to show at once. Even where a device cannot map memory the "
                          "documentation lets the allocation succeed.",
        "the forward call": "You believed the header, as its readers do. It describes the time before unified addressing. "
                            "The driver maps pinned memory without being asked.",
    },
    "02-second-context": {
        "[ 3  1  4 15]": "You expected the second context to work on a memory of its own. The kernel was given an address, "
                         "and both contexts lead it to the same memory.",
        "nothing: the kernel is stopped": "You took the portable flag for a permission. It was one before unified "
                                          "addressing; since then every context may use pinned memory.",
    },
    "02-after-the-context": {
        "it gets the number": "You took host memory to be the host's own. The driver allocated it for a context, and "
                              "freed it with the context.",
        "PyCUDA raises an exception": "You expected PyCUDA to stand between. NumPy reads the memory directly, by its "
                                      "address, and nobody is asked.",
    },
    "02-register-changes": {
        "the pointer and the content": "You took registering for an allocation with new pages at a new address. Nothing "
                                       "is allocated: the pages that the array has are locked where they are.",
        "the pointer": "You let the array move to pinned pages, or gave the host a second number for it. It stays "
                       "where it is, and NumPy goes on with the same pointer.",
        "the content": "You expected new pages, which come without the old numbers. These are the array's own pages, "
                       "with what was in them.",
    },
    "02-five-bytes": {
        "0": "You took 5 bytes, or a start inside a page, for something that cannot be registered. Any start will do, "
             "and any size from one byte on.",
        "4096": "You rounded up to the page, and the system does lock the whole of it. The driver, though, keeps the "
                "range that it was given, byte by byte.",
        "8192": "You let the bytes reach over the border of two pages. Even then pages are not what the driver goes by: it keeps "
                "the start and the number of bytes that the call was given.",
        "12288": "You took the registration for one of the whole array. The call was given a slice, and keeps the slice.",
        OTHER: "You expected the driver to round, by some rule. It rounds nothing: it keeps the start and the number of "
               "bytes that the call was given.",
    },
    "02-which-succeeds": {
        "register the same again": "You let registrations be counted, so that a second one does no harm. The driver keeps "
                                   "one for each byte, and refuses another.",
        "register a part of it": "You took a smaller range for a harmless one. Each of its bytes is registered already, "
                                 "and a single such byte is enough to be refused.",
        "unregister from its middle": "You let any address stand for the registration, as any address will do for the "
                                      "forward call. This call wants the first one.",
        "register memory that the driver allocated": "You expected success where the wish is fulfilled already. The "
                                                     "driver refuses instead: this memory it pinned itself.",
        "register zero bytes": "You took a request for nothing as one that cannot fail. A registration is a range, and a "
                               "range without a byte is invalid.",
    },
    "02-forgotten": {
        "CUDA_SUCCESS": "You let the registration end with its array. Python frees the array, and the driver does not "
                        "hear of it: `cuMemHostUnregister` ends a registration, or the end of its context.",
        "CUDA_ERROR_INVALID_VALUE": "You expected the driver to see that the memory has another owner now. It knows no "
                                    "owners, only addresses, and these it has in its list.",
    },
    "02-read-only": {
        "each of them": "You asked only whether the page can be locked. The driver also asks whether a kernel may write "
                        "there, and two of the three flags leave that open.",
        "2 alone": "You took it for the flag that gives the device access. Under unified addressing the device has that "
                   "with it or without, and it says nothing about writing.",
        "none of them": "You took a page that cannot be written for one that cannot be shared. It can be, once the "
                        "program promises that the device will only read.",
    },
    "02-how-much-faster": {
        "55.6": "You gave both kinds of memory one speed. The copy engine is the same; it has to wait for the CPU, which "
                "copies pageable memory to the staging buffer first.",
        "27.8": "You counted two copies in place of one, and halved. The two are not equally fast: the CPU's own copy is "
                "much slower than the engine's, and it sets the pace.",
        OTHER: "You gave the CPU's copy another speed than it has, or left it out. It is the slower of the two copies, "
               "and it sets the pace.",
    },
    "02-fall": {
        "30": "You let the size make no difference, as for pinned copies in the first picture. For a CPU that reads there "
              "is a size at which it does.",
        OTHER: "You expected a change, and of another size. Compare with the fall of the copies in the first picture: "
               "they lose almost half at the same step.",
    },
    "02-small-copies": {
        "0": "You let pinned memory be faster for any copy. A copy has a price that does not depend on its size, and of a "
             "small one that is nearly all there is.",
        "1": "You gave the bytes weight too early. At 1 KiB the call itself takes nearly all of the time, and that is the "
             "same for both.",
        "4": "You took a page for the border. Pages do not show in these times; the time of the call itself covers "
             "a few KiB more.",
        "16": "You are one step early: at that size pinned memory still takes a little longer. Compare the brackets of the two "
              "rows, not only the medians.",
        "64": "You are one step late: at that size pinned memory takes little more than half the time. Look one row "
              "higher in the numbers.",
        "1024": "You expected that only large copies gain. At 1 MiB the pageable copy takes more than twice as long, and "
                "the gain begins much further up in the table.",
        OTHER: "Read the rows of the table from above, and compare the brackets: the first row in which those of the two "
               "kinds are apart, with pinned memory below, is the answer.",
    },
    "02-pinning-costs": {
        "allocating and touching pageable": "You took ordinary pages to cost more than pinned ones. At 4 KiB a page that "
                                            "can be so; here Linux likely gave out huge ones.",
        "registering": "You took the locking for the expensive part. Once the pages are there, locking them is the short "
                       "end of the work.",
    },
    "02-overlap": {
        "100": "You let the kernel and the copies be independent, and so they are in different streams. But the host asks "
               "for them one after the other, and each copy back to pageable memory keeps it until the kernel is over.",
        "50": "You let the streams take turns, half and half. The host is held up in each copy, so it cannot start what "
              "would run beside it.",
        OTHER: "You expected the three streams to overlap somewhere. Look at the upper half of the picture: nothing of "
               "one stream begins before the other's copy is over.",
    },
    "02-another-gpu": {
        "host to device": "You gave the slower GPU the slower copy. The copy crosses the link, and both machines have the "
                          "same link.",
        "both": "You let the slower memory slow everything down. It is still far faster than the link, so a copy from "
                "the host does not notice.",
        "neither": "You took GPUs of one generation for equally fast. Their memory is not, and a copy on the device reads "
                   "and writes nothing else.",
    },
}
