would_refute = {
    "a document in which NVIDIA gives another reason": "?",
    "a library from before CUDA 4.0 that could not work without the way back": "?",
    "an address of today that has no host address": "?",
    "a kernel that leaves pointers into pinned memory for the host": "?",
    "a call from before CUDA 4.0 that was made although little depended on it": "?",
    "my own judgement: the answer convinces me": "?",
}
