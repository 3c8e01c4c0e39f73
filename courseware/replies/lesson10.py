"""Replies to predictions of lesson 10."""
from .other import OTHER

REPLIES = {
    "10-one-stream": {
        "1": "You let one copy past the first kernel, as there are two buffers. A free buffer does not help: the copy into the vector "
             "waits behind the kernel on the stream.",
        "4": "So it is with two streams. On one stream each piece of work waits for the one before it, be it a copy or a kernel.",
        "5": "You gave each kernel a copy beside it. On one stream the next copy waits for the kernel, and the last kernel has no next "
             "piece.",
    },
    "10-worth": {
        OTHER: "Reallocating reads and writes all of the 2 GiB that are there. In place nothing is read or written. But that is not "
               "for nothing: to create, map and make accessible takes the driver time, and more of it for more memory.",
    },
}
