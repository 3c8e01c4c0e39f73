"""Replies to the predictions of lesson 04."""
from .other import OTHER

REPLIES = {
    "04-lifetime": {
        "0": "You let the memory end with the kernel, as a function's variables do. `malloc` takes from a "
             "heap, in a kernel as in C, and nobody has called `free`.",
        "an error": "You gave the memory to the kernel that allocated it, so that no other may use it. "
                    "Kernels of one context share its addresses.",
    },
    "04-eight-calls": {
        "0": "You assumed that every call looks the address up first. Two of the eight answer success without "
             "having found it.",
        "4": "You let the four calls succeed that only ask. The driver answers from its own list, and this "
             "block is not on it. (One of the four succeeds all the same, and says less than it seems.)",
        "8": "You took the block for memory like that of `mem_alloc`. It is on the device too, but code on "
             "the GPU handed it out, and did not tell the driver.",
        OTHER: "Most of these calls need an entry in the driver's list, and this block has none. Which did "
               "you trust, and what would the driver look up for them?",
    },
    "04-memset": {
        "0": "After six refusals you did not believe this success. But the call does write: it does not ask "
             "which block the address is in.",
        "255": "You set the number to 255. The call sets each of the 4 bytes to 255, and they are read "
               "together as one `int`.",
    },
    "04-needless": {
        "0 0 0 0 0 0 0 0": "You assumed that the host's copy misses what a kernel wrote. It waits for the "
                           "kernel, and then reads the same memory.",
        "an error": "You went by who wrote the memory, which was a kernel. What counts is who allocated it: "
                    "`c` comes from `mem_alloc`, so the driver knows it.",
    },
    "04-prefix-sums": {
        "4": "That is the length of the fourth list. It begins where the three before it end.",
        "8": "The third list begins there. Add its length, too.",
        "13": "You counted from 1. Indices count from 0, so the sum of the lengths before is the index.",
        "16": "The fourth list ends there. Its own length does not count for where it begins.",
        "48": "That is the place in bytes. An index counts numbers.",
        OTHER: "The fourth list begins where the first three end: add up their lengths.",
    },
    "04-next": {
        "1": "You assumed that a pointer is good for the host's calls once the host has it. It still leads into the "
             "heap, and the driver knows no more of the second node than of the first.",
        "8": "You counted the steps. From 6 to 1 there are eight, and one node more.",
        OTHER: "Each number of the list has a node, and each node is a block of the heap. Follow the rule from 6 to 1 and "
               "count the numbers.",
    },
    "04-compiles": {
        "0": "You took all four for functions of the host. C's own two can be called in a kernel as well.",
        "1": "You left out one of C's own two names. A kernel has both, `malloc` and `memcpy`.",
        "3": "You let one of the runtime's names through. NVRTC compiles without the runtime, and knows "
             "neither.",
        "4": "You assumed that a kernel can call what the host can. The two names that begin with `cuda` "
             "belong to the runtime, and NVRTC compiles without it.",
    },
    "04-memcpy": {
        "0 0 0 0": "You assumed that `memcpy` in a kernel stays on the device. It follows the pointers that "
                   "it is given, and lesson 03 gave kernels pointers to pinned memory.",
        "an error": "You thought of the host's calls, which refuse the heap's pointer. A kernel may follow "
                    "both: the heap's pointer, and the one to pinned memory (lesson 03).",
    },
    "04-full": {
        "with an error": "You expected a call to report what happened inside the kernel. `malloc` reports it "
                         "in the kernel alone, by what it returns.",
        "without an error, and with a block": (
            "You let each launch give its block back when it ended, or the heap grow. In lesson 04 a block "
            "outlived its kernel, and the cell has printed how large the heap is."),
    },
    "04-barrier": {
        "both": "You let a race depend on the barrier alone. It takes a thread that writes while another still reads, and of 16 by "
                "16 numbers there are no next tiles to write.",
        "neither": "You took the first barrier for enough. It protects the reading of these tiles. Nothing keeps a thread that is "
                   "ahead from writing the next tiles over them.",
    },
    "04-sum": {
        "nothing": "You counted on the barrier. It comes after the addition, and it holds for the threads of one block. "
                   "Other threads read and store the sum in between.",
    },
    "04-fence": {
        "49 0 1, and nothing else": "You took the order of the lines for the order in memory. Without a fence the count may "
                                    "arrive before the answer that it announces.",
        "49 0 1, or no answer at all": "You took the fence for what carries an answer to the host. Both stores arrive without "
                                       "it. Only their order is open.",
    },
    "04-guard": {
        "wrong numbers among the 1000": "You let the extra threads write into the array. They write behind its end: each of "
                                        "the 1000 numbers has one thread of its own.",
        "CUDA_ERROR_ILLEGAL_ADDRESS": "You expected access to end where the array ends. It is granted in larger pieces "
                                      "(lesson 01), and the extra threads stay within one.",
    },
}
