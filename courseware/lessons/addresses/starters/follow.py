follow = {
    "the host reads through the address of pinned memory": "?",
    "a kernel reads through the address of pinned memory": "?",
    "the host reads through the address of device memory": "?",
    "a kernel reads through the null pointer": "?",
    "cuMemAlloc, after a kernel read through the null pointer": "?",
    "cuMemcpyDtoH from the null pointer": "?",
}
