"""Replies to the predictions of lesson 07."""
from .other import OTHER

REPLIES = {
    "07-register": {
        "CUDA_SUCCESS": "You expected that any memory which the host uses can be registered. Registered pages stay in their place, "
                        "and these the driver must be free to move.",
        "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED": "You took managed memory for page-locked already. It is not: a way back "
                                                     "does not prove that memory is pinned.",
    },
    "07-pages": {
        "0": "You expected that only whole pages count, and none is named whole. A page counts when a byte of it is named.",
        "1": "You divided the size by the size of a page. The bytes begin inside a page, so they end inside the next one.",
        "512": "You expected the whole allocation to go. A prefetch goes by pages: the others stay where they are.",
        OTHER: "Count the pages in which the bytes 100 to 4195 lie. A page has 4096 bytes, and the allocation begins with one.",
    },
    "07-touched": {
        "host": "You took the last prefetch for the place. The host's write may have moved the page, and nobody wrote that down.",
        "never": "You expected the write to wipe out the note. The note is about a request that was made, and stays until the "
                 "next one.",
    },
    "07-advice": {
        "the prefetch is refused": "You took advice for a rule. The driver follows a prefetch that contradicts it.",
        "it is done, and the advice is gone": "You expected one note for a page, and the later to replace the earlier. Advice and "
                                              "the last prefetch are kept apart.",
    },
    "07-while-it-runs": {
        "a segmentation fault": "You believed the claim. It is from devices that give managed memory to the kernels alone while "
                                "one runs; the attribute `CONCURRENT_MANAGED_ACCESS` tells whether yours does.",
        "the kernel never sees it": "You expected the kernel to keep what it had read. `volatile` makes it read again each time, "
                                    "and the memory is one memory for both.",
    },
    "07-large": {
        "the allocation is refused": "You took the device's memory for the limit, as it is for `mem_alloc`. Managed pages may be "
                                     "on the host as well, and most of them are nowhere yet.",
        "it succeeds, and the device's free memory shrinks": "You expected the pages to be made with the addresses. They are "
                                                             "made when somebody touches them.",
    },
}
