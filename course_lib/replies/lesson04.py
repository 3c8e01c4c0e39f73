"""Replies to the predictions of lesson 04."""

REPLIES = {
    "04-barrier": {
        "yes": "You took the first barrier for enough. It protects the reading of these tiles. Nothing keeps a thread that "
               "is ahead from writing the next tiles over them.",
        "no": "You expected a race to show each time. It shows in some orders of the threads only. Where all go in step the "
              "numbers are right, and the kernel is wrong all the same.",
    },
    "04-sum": {
        "nothing": "You counted on the barrier. It comes after the addition, and it holds for the threads of one block. "
                   "Other threads read and store the sum in between.",
    },
    "04-fence": {
        "only 49 0 1": "You took the order of the lines for the order in memory. Without a fence the count may arrive before "
                       "the answer that it announces.",
        "nothing": "You took the fence for what carries an answer to the host. Both stores arrive without it. Only their "
                   "order is open.",
    },
    "04-guard": {
        "wrong numbers among the 1000": "You let the extra threads write into the array. They write behind its end: each of "
                                        "the 1000 numbers has one thread of its own.",
        "CUDA_ERROR_ILLEGAL_ADDRESS": "You expected access to end where the array ends. It is granted in larger pieces "
                                      "(lesson 01), and the extra threads stay within one.",
    },
}
