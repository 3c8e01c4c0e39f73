"""Replies to the predictions of lesson 03."""
from .other import OTHER

REPLIES = {
    "03-interior": {
        "0": "You let the call answer for the allocation, which has one address. It answers for the byte that it is asked "
             "about.",
        "3": "You counted elements. An address counts bytes, and each of these numbers has four.",
    },
    "03-accepted": {
        "0": "You let the call answer for the start alone, so that even the last byte is refused. The question before this "
             "one asked about a byte inside, and it was answered.",
        "2": "You let one too many through: one past the end, perhaps, or device memory. The first is outside of every "
             "pinned block here, the second has no host side.",
        "3": "You let two too many through. A device address is not a host address, a freed one is nobody's, and one past "
             "the end is outside.",
        "4": "You expected the call to check little. It looks the address up, and of these seven refuses what is not in "
             "pinned host memory at this moment.",
        "5": "You expected the call to check little. It looks the address up, and of these seven refuses what is not in "
             "pinned host memory now, and any flag.",
        "6": "You expected a calculation that works for nearly any number. It is a look-up: where the driver has no entry "
             "for the address, there is no answer.",
        "7": "You took the call for the identity, because its answers were the numbers that went in. It looks each "
             "address up first, and of these seven accepted one: another is in pinned memory, too, and its flag is refused.",
        OTHER: "There are seven questions, so the number is a whole one from 0 to 7. Ask of each address whether a byte of "
               "pinned memory lies there now.",
    },
    "03-in-place": {
        "0 0 6 2 0 0 0 0": "You let the kernel start at the front of `numbers`. It was given the address of `numbers[5]`, "
                           "and `from[0]` is what lies there.",
        "0 0 0 0 0 0 0 0": "You expected the result in device memory, until something copies it back. The kernel "
                           "was given the address of `doubled` itself.",
    },
    "03-copy-pays": {
        "1": "You let the copy pay at once, because device memory is faster. Read once, the data crosses the link in "
             "either case, and the copy has its own price on top.",
        "2": "You set the second crossing against the copy, which would be right if a copy cost no more than a crossing. "
             "For 64 KiB most of its price is overhead.",
        "4": "You named the place where the medians cross. Look at the brackets there: that of the copies reaches from "
             "below the time in place to above it.",
        "16": "You were careful by one step. Compare the brackets one row higher: they are apart there already.",
    },
    "03-random-order": {
        "1": "You let the order make no difference, as it makes none to a copy. Read in place, each number in random "
             "order is a crossing of its own.",
        "2": "You expected twice the work. But the link moves whole sectors: of each piece that crosses, a random "
             "access uses four bytes.",
        "8": "You went by the sectors, 32 bytes moved for 4 that are used. That is about half of the answer; many small "
             "requests probably use the link less well than few large ones.",
        "32": "You let each thread of a warp pay for itself: 32 crossings in place of one. A warp that reads in order "
              "takes four sectors, so there are eight times as many, not 32.",
        OTHER: "You may not have started from the sectors. In random order a warp moves eight times as many, and many "
               "small requests probably use the link less well than few large ones.",
    },
    "03-mailbox": {
        "after the kernel has ended": "You took the end of the kernel for the moment when its writes become visible. That "
                                      "is when they *must* be; `volatile` and the fence let them out before.",
        "never": "You expected the host to need a copy. The mailbox is the host's own memory, and the kernel writes there.",
    },
    "03-leads-back": {
        "for all three": "You assumed that every address has a host side. `mem_alloc` memory has none, as "
                         "lesson 00 showed.",
        "for pinned and pageable memory": (
            "You went by what the host can read. The driver answers from its own list, and nobody told it of "
            "this array: the forward call refused such memory too (lesson 03)."),
    },
    "03-inverse": {
        "0": "You expected no way back at all. But the first experiment had an answer for pinned memory.",
        "2": "You counted the start of each memory. Both calls answer for any byte in it, as they did for "
             "byte 12.",
        "40": "You trusted one of the two memories alone. Registered memory is on the driver's list just as "
              "allocated memory is.",
        OTHER: "The cell asks about each byte. Which ones did you leave out, and what would make "
               "the driver refuse them?",
    },
    "03-two-views": {
        "1": "You gave the device address to the page. The call is told a host address and knows nothing of "
             "the page behind it, and two host addresses were registered.",
        OTHER: "Each registered range of host addresses gets one range on the device. How many ranges were "
               "registered here?",
    },
    "03-other-view": {
        "3 1 4 15": "You took two device addresses for two memories. Different numbers do not prove that. On "
                    "the host the same page had two numbers already.",
    },
    "03-model": {
        "0x7010": "You asked in context one. The library has a number and no context, and the other context "
                  "gave out the same number.",
        "0x9010": "You asked in the other context. The library has a number and no context, and context one "
                  "gave out the same number.",
    },
    "03-deferred": {
        "in both": "You took portable to mean that every context can map the block. It means that every "
                   "context counts it as pinned. The flag of the context decides whether it can be mapped.",
        "nowhere": "You let the first context decide for all. The block is portable, and the second context "
                   "was made with the flag.",
    },
}
