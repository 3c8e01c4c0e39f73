would_refute = {
    "a document in which NVIDIA gives a reason that is not in the answer": "?",
    "programs from before CUDA 4.0 that had to copy for want of the way back": "?",
    "an address of today that has no host address": "?",
    "a kernel that leaves pointers into pinned memory for the host": "?",
    "a call from before CUDA 4.0 that was made although little depended on it": "?",
    "my own judgement: the answer convinces me": "?",
}
