"""Replies to the predictions of lesson 06."""

REPLIES = {
    "06-four-cells": {
        "1": "You expected one pair of answers for all memory. Lesson 00 filled two cells already: pinned memory has both "
             "answers, device memory has none.",
        "2": "You expected the two questions to be answered together. Lesson 05b found memory with a way forward and no way "
             "back.",
        "3": "You counted what the lessons before this one had found. Look at what is new here: managed memory has a way back "
             "and no way forward.",
    },
    "06-plural": {
        "an error": "You expected the plural call to refuse what the singular call refuses. It succeeds for an address that "
                    "the driver does not know.",
        "null": "You took the documentation at its word, \"default NULL values\". The memory type has such a value, and the "
                "host pointer does not.",
    },
    "06-freed": {
        "address and buffer id": "You expected new memory to have a new address. A freed address is given out again, here to "
                                 "the next allocation of the same size.",
        "only the address": "You took the buffer id for a mark of the place. It belongs to the allocation, and is never used "
                            "again. The address is.",
        "neither": "You took one address for one allocation. The address is the same, and the buffer id shows that the memory "
                   "is another.",
    },
}
