"""Replies to the predictions of lesson 05."""

REPLIES = {
    "05-sizes": {
        "0 bytes": "You took an empty range for a range. The driver refuses 0 bytes here, and in `mem_alloc` too.",
        "1024 bytes": "You took the size of the listing. The driver gives out addresses in larger units, and 1024 is not a "
                      "multiple of one.",
        "4096 bytes": "You took the page of the CPU for the unit, as `cuda.h` does for this call. The driver's own unit is "
                      "larger.",
        "1 MiB": "You expected a smaller unit than this driver has. 1 MiB is half of one, and half a unit is refused.",
        "3 MiB": "You expected a least size, and every size above it. What counts is the multiple: 3 MiB is one and a half "
                 "units.",
        "1 TiB": "You expected that reserving begins with large ranges. It works for 1 TiB, and for much less.",
        "256 TiB": "You took addresses for endless. They cost no memory, but there are not that many free ones.",
    },
    "05-wanted": {
        "another address": "You expected the driver to choose alone, or to keep a freed address back. Here it granted the "
                           "wish. It need not: the cell also wishes for an address that is free, and gets another.",
        "an error": "You took the wish for a demand. Where the address is taken, the driver gives another one, and answers "
                    "CUDA_SUCCESS. (An error, here: a wish that is no multiple of the granularity.)",
    },
    "05-steps": {
        "reserve": "You took an address for memory. Nothing is behind a reserved address.",
        "create": "You counted the parts, addresses and memory. Nothing connects them yet: the handle does not know the "
                  "address.",
        "map": "You took a mapping for access. Who may use it is a step of its own, and at first nobody may.",
    },
    "05-release": {
        "CUDA_ERROR_INVALID_VALUE": "You took the handle for the memory. Two things keep the memory: its handles and its "
                                    "mappings. One of them is left.",
    },
    "05-alias": {
        "zeros": "You gave each address memory of its own. There is one allocation, and both addresses lead to it.",
        "an error": "You let the memory go with its first address. It lives as long as a handle or a mapping holds it, and the "
                    "second mapping has access of its own.",
    },
    "05-host": {
        "another number": "You expected each side to have numbers of its own. The reservation is in the one range that host "
                          "and device share, so the host uses the same number.",
        "still none": "You took virtual memory for the device's alone. This memory is on the host, and only the host's right "
                      "to use it was missing.",
    },
    "05-host-reads": {
        "7": "You took the answer of the forward call for a host address. It is an address of the device, and the CPU's "
             "tables lead nowhere from there.",
        "a Python exception": "You expected Python to notice. The processor follows the address, and then the operating "
                              "system ends the process: there is nothing to catch.",
    },
}
