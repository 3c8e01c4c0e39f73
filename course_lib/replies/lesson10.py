"""Replies to predictions of lesson 10."""
from .other import OTHER

REPLIES = {
    "10-beside": {
        "0": "So it is for `simple_fill`. In `fill` the next piece has its own buffer and its own stream, and its copy has nothing "
             "to wait for.",
        "1": "Two buffers do not mean two pieces in all: a buffer is free again when its own copy is done, and then the next piece "
             "goes through it.",
        "5": "The last kernel has no next piece that could be copied beside it.",
    },
    "10-worth": {
        OTHER: "Reallocating reads and writes all of the 2 GiB that are there. In place nothing is read or written: only the new half "
               "is created, mapped and made accessible.",
    },
}
