"""Replies to the predictions of lesson 09."""
REPLIES = {
    "09-numbers": {
        "own": "You expected a thread's own array to have a number of its own. It has a memory of its own, under the number that all "
               "threads use.",
        "tile and more": "You expected each block's memory at another number, as two allocations are. Both blocks use one number, and each "
                         "comes to its own memory.",
        "tile, more and own": "You counted memories, and there are as many as you said. They share their numbers: the thread that follows one "
                              "decides which memory it is.",
    },
    "09-unasked": {
        "0": "You expected a sign for \"none\", as null is one. 0 is a possible address of shared memory, and the instruction does not look "
             "where the address leads.",
        "the address as it is": "You expected back to leave alone what it is not for. On an H200 it computes the same for every number.",
        "nothing: the kernel ends with an error": "You expected the instruction to check. It computes a number, and follows none; whoever follows "
                                                  "the number may meet an error, or somebody else's data.",
    },
    "09-parameter": {
        "1": "You went by the number, as the instruction would. The compiler answered in its place, from what it takes a parameter to be.",
    },
    "09-later": {
        "70": "You expected the memory to stay where the number is. Shared memory belongs to a block and ends with it; the number was kept.",
        "nothing: it ends with an error": "You expected the number to lead nowhere. The second kernel has a shared window, too, and memory in it "
                                          "at this place.",
    },
    "09-constant": {
        "3: kernels see what was compiled": "You took constant for fixed. It is constant for kernels, while they run; between two of them the "
                                            "host may change it.",
        "the copy is refused": "You expected constants to be protected. To the driver this is device memory like any other.",
    },
    "09-local": {
        "both": "You gave every array a place in memory. One whose indices the compiler knows is kept in registers, which need no address.",
        "fixed": "You have exchanged the two: it is the index read at run time that needs an address.",
        "neither": "You expected small arrays to fit into registers. They would, but nobody can choose among registers at run time.",
    },
    "09-banks": {
        "1": "You counted a column as one row is counted. The 32 words of a row lie in 32 banks, and those of a column in one.",
        "2": "You expected it to matter a little. All 32 threads want another word of the same bank, and a bank gives one at a time.",
    },
    "09-constants": {
        "1, 1 and 1": "You expected the cache to serve a warp at once, as a row of shared memory is. It gives one address at a time.",
        "1, 8 and 32": "You divided the warp by four. Four different addresses are asked for, each by eight threads.",
    },
    "09-ladder": {
        "about 3 times": "You expected device memory to be nearly as near as a cache. Thousands of threads together hide much of the wait "
                         "(the next picture); one alone waits for the whole way.",
        "about 100 times": "You expected more, as between a CPU's L1 and its memory. Even L1 takes a GPU some 30 cycles, so that the steps are "
                           "smaller.",
    },
    "09-reach": {
        "twice as long": "You expected translations to be looked up in memory now and then. On the recorded H200 a read takes hardly longer "
                         "up to 64 GiB, so it need not.",
        "ten times as long": "You expected each read to wait for a walk through the tables. On the recorded H200 it "
                             "takes hardly longer, up to 64 GiB.",
    },
}
