"""Replies to the predictions of lesson 07."""
REPLIES = {
    "07-register": {
        "CUDA_SUCCESS": "You expected that any memory which the host uses can be registered. Registered pages stay in their place, "
                        "and these the driver must be free to move.",
        "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED": "You took managed memory for page-locked already. It is not: a way back "
                                                     "does not prove that memory is pinned.",
    },
    "07-touched": {
        "last prefetch: host; the map: on the host": "You took the last prefetch for the place. The host's write moved the page, and "
                                                     "the driver writes down what was requested, not what happened.",
        "last prefetch: device 0; the map: not on the host": "You trusted the last prefetch. It is about a request. The host's write "
                                                             "brought the page, because the host cannot reach the device's memory.",
    },
    "07-advice": {
        "the request is refused": "You took advice for a rule. The driver follows a prefetch that contradicts it.",
        "it has taken the request, and the advice is gone": "You expected one note for a page, and the later to replace the earlier. "
                                                            "Advice and the last prefetch are kept apart.",
    },
    "07-copies": {
        "both": "You let the host keep both of its copies. The kernel's write has to end the host's copy of page 1: nobody may read an "
                "old value there.",
        "page 1": "You have exchanged the two: reading makes a copy and leaves the others, writing ends the others.",
        "neither": "You expected a page to leave the host whenever a kernel uses it. A read-mostly page that is only read gets a copy "
                   "on the device, and stays.",
    },
    "07-while-it-runs": {
        "for GLOBAL alone: the next kernel never ends": "You took the flags for a rule. Where `CONCURRENT_MANAGED_ACCESS` is 1 they "
                                                        "forbid nothing: they matter where it is 0.",
        "for none: a segmentation fault": "You believed the claim. It is from devices that give managed memory to the kernels alone "
                                          "while one runs; the attribute `CONCURRENT_MANAGED_ACCESS` tells whether yours does.",
    },
    "07-large": {
        "the allocation is refused": "You took the device's memory for the limit, as it is for `mem_alloc`. Managed pages may be "
                                     "on the host as well, and most of them are nowhere yet.",
        "it succeeds, and the device's free memory shrinks": "You expected the pages to be made with the addresses. They are "
                                                             "made when somebody touches or prefetches them.",
    },
}
