"""Replies to the predictions of lesson 08."""
REPLIES = {
    "08-number": {
        "3, 1, 4, 15": "You took the address for a place on the device. It is a place in the tables of one process, and another "
                       "process has tables of its own.",
        "zeros": "You expected some memory to be there, only empty. The other process's driver does not know this number, and it "
                 "says so.",
    },
    "08-killed": {
        "zeros": "You expected the memory to be wiped and kept. It was not given back at all: this process holds it, with its bytes.",
        "an error": "You let the memory go with its owner. It belongs to whoever has it open as well, as a file that is deleted stays "
                    "for those who have it open.",
    },
    "08-descriptor": {
        "zeros": "You expected the import to make new memory. It leads to the memory that was exported, with its bytes.",
        "nothing: the import fails": "You let the memory go with its handle. The descriptor holds it, too, as a mapping did in "
                                     "lesson 05.",
    },
    "08-fork": {
        "nothing": "You expected the child to have copies of everything. Of the pinned pages it does not: parent and child have "
                         "the same ones.",
        "what is in registered and in pinned memory": "You took both kinds for alike because both are page-locked. Registered pages stay what "
                                            "they were: the process's own, which a fork copies.",
        "all of it": "You expected parent and child to share their memory, as threads do. A fork copies: what the child writes to "
                     "ordinary pages stays with the child.",
    },
    "08-peer": {
        "both": "You took peer access for a bridge with two directions. It is given from one context to another, and the way back is "
                "to be given on its own.",
        "device 1's": "You have exchanged the two. Who enables it gets to reach the other's memory, and does not open its own.",
        "neither": "You expected more to be needed. For memory from `cuMemAlloc` this one call is enough.",
    },
    "08-gain": {
        "as long as with it": "You took peer access for a right alone. It also opens a way: the link between the two devices. A copy "
                              "without it has to take another.",
        "twice as long": "You thought of a second copy on the way, through the host. Its link is also far slower than the one between "
                         "these two devices.",
    },
    "08-covers": {
        "all four": "You took peer access for a right to everything that is on the device. It is about memory from `cuMemAlloc`; the "
                    "others have rights of their own, or none to give.",
        "all but the kernel's": "You expected all memory that a program allocates from the host. Pools and virtual memory have "
                                "rights of their own, for each device.",
        "the first two": "You took `cuMemAllocAsync` for a `cuMemAlloc` that waits in a stream. Its memory comes from a pool, and a "
                         "pool has rights of its own.",
    },
}
