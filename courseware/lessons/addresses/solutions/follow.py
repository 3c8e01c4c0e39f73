follow = {
    "the host reads through the address of pinned memory": "the value",
    "a kernel reads through the address of pinned memory": "the value",
    "the host reads through the address of device memory": "SIGSEGV",
    "a kernel reads through the null pointer": "ILLEGAL_ADDRESS",
    "cuMemAlloc, after a kernel read through the null pointer": "ILLEGAL_ADDRESS",
    "cuMemcpyDtoH from the null pointer": "INVALID_VALUE",
}
