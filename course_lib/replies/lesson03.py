"""Replies to the predictions of lesson 03."""
from .other import OTHER

REPLIES = {
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
        OTHER: "The cell asks about each of the 80 bytes. Which ones did you leave out, and what would make "
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
