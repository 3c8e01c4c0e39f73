hits = {
    "it is partial: for many addresses there is no answer": "both",
    "asked about memory it has no single answer: there may be several addresses": "both",
    "an address may be given out again, to other memory": "both",
    "on this machine the answer for pinned memory is the number that was put in": "both",
    "who wants the answer seldom knows whether there is one": "back only",
    "before CUDA 4.0, whoever made a device pointer of host memory had its host pointer already": "back only",
    "two contexts without unified addressing used one number for different memory": "back only",
}
