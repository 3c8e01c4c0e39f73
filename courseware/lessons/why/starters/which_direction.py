hits = {
    "it is partial: for many addresses there is no answer": "?",
    "asked about memory it has no single answer: there may be several addresses": "?",
    "an address may be given out again, to other memory": "?",
    "on this machine the answer for pinned memory is the number that was put in": "?",
    "who wants the answer seldom knows whether there is one": "?",
    "before CUDA 4.0, whoever made a device pointer of host memory had its host pointer already": "?",
    "two contexts without unified addressing used one number for different memory": "?",
}
