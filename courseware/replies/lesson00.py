"""Replies to the predictions of lesson 00."""

REPLIES = {
    "00-same-number": {
        "different": "You gave each side numbers of its own. That was so before unified addressing, and lesson 03c "
                     "goes back there. Today the driver takes both from one range.",
    },
    "00-which-changes": {
        "those of pinned": "You let the kernel reach back to the memory that the copy was made from. A copy leaves "
                           "two memories, and this kernel was given the address of the second.",
        "both": "You took the copy for a second view of the same memory. It is a second memory: what is written to "
                "one does not show in the other.",
    },
}
