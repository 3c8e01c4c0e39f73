"""The documented rule behind an answer, where there is one: CUDA Driver API reference, section of the function.

A rule is found by the function's name and the code that was recorded.
"""

RULES = {
    ("cuMemAlloc", "INVALID_VALUE"): "cuMemAlloc: a size of 0 is CUDA_ERROR_INVALID_VALUE",
    ("cuMemAllocManaged", "INVALID_VALUE"): "cuMemAllocManaged: a size of 0 and flags other than one of GLOBAL and HOST are invalid",
    ("cuMemFree", "INVALID_VALUE"): "cuMemFree: the address must be one that cuMemAlloc, cuMemAllocPitch, cuMemAllocManaged or cuMemAllocAsync gave",
    ("cuMemFreeHost", "INVALID_VALUE"): "cuMemFreeHost: the address must be one that cuMemAllocHost or cuMemHostAlloc gave",
    ("cuMemFreeAsync", "INVALID_VALUE"): "cuMemFreeAsync: the address must be one that an allocation gave and that is not freed",
    ("cuMemHostAlloc", "INVALID_VALUE"): "cuMemHostAlloc: flags are PORTABLE, DEVICEMAP and WRITECOMBINED",
    ("cuMemHostRegister", "HOST_MEMORY_ALREADY_REGISTERED"): "cuMemHostRegister: the memory must not overlap any that is registered",
    ("cuMemHostRegister", "INVALID_VALUE"): "cuMemHostRegister: a range and flags that are valid",
    ("cuMemHostUnregister", "HOST_MEMORY_NOT_REGISTERED"): "cuMemHostUnregister: the memory must be registered",
    ("cuMemHostUnregister", "INVALID_VALUE"): "cuMemHostUnregister: the base address that was given to cuMemHostRegister",
    ("cuMemHostGetDevicePointer", "INVALID_VALUE"): "cuMemHostGetDevicePointer: pinned or registered memory, flags 0",
    ("cuMemHostGetFlags", "INVALID_VALUE"): "cuMemHostGetFlags: the address must be within pinned host memory",
    ("cuMemGetAddressRange", "NOT_FOUND"): "cuMemGetAddressRange: the address must be within an allocation",
    ("cuPointerGetAttribute", "INVALID_VALUE"): "cuPointerGetAttribute: the address must be known to the driver, and have the attribute",
    ("cuMemAddressReserve", "INVALID_VALUE"): "cuMemAddressReserve: the size is a multiple of the granularity",
    ("cuMemCreate", "INVALID_VALUE"): "cuMemCreate: the size is a multiple of the granularity",
    ("cuMemMap", "INVALID_VALUE"): "cuMemMap: a reserved, aligned, unmapped range and no flags",
    ("cuMemMap", "NOT_SUPPORTED"): "cuMemMap: the whole of the handle is mapped, from offset 0",
    ("cuMemSetAccess", "INVALID_VALUE"): "cuMemSetAccess: whole mappings",
    ("cuMemUnmap", "INVALID_VALUE"): "cuMemUnmap: whole mappings, multiples of the granularity",
    ("cuMemAddressFree", "INVALID_VALUE"): "cuMemAddressFree: the whole reservation, with nothing mapped in it",
    ("cuMemRelease", "INVALID_VALUE"): "cuMemRelease: one release for each create, retain and import",
    ("cuMemcpyHtoD", "INVALID_VALUE"): "cuMemcpyHtoD: the destination is device memory that is there and long enough",
    ("cuMemcpyDtoH", "INVALID_VALUE"): "cuMemcpyDtoH: the source is device memory that is there and long enough",
    ("cuMemcpyDtoD", "INVALID_VALUE"): "cuMemcpyDtoD: both are device memory that is there and long enough",
    ("cuMemsetD16", "INVALID_VALUE"): "cuMemsetD16: aligned to 2 bytes, within an allocation",
    ("cuMemsetD32", "INVALID_VALUE"): "cuMemsetD32: aligned to 4 bytes, within an allocation",
    ("cuMemsetD8", "INVALID_VALUE"): "cuMemsetD8: within an allocation",
    ("cuCtxCreate", "INVALID_VALUE"): "cuCtxCreate: one scheduling flag at most, no unknown flag",
    ("cuCtxGetLimit", "UNSUPPORTED_LIMIT"): "cuCtxGetLimit: this device does not have the limit",
    ("cuStreamCreate", "INVALID_VALUE"): "cuStreamCreate: flags are DEFAULT and NON_BLOCKING",
    ("cuEventCreate", "INVALID_VALUE"): "cuEventCreate: INTERPROCESS needs DISABLE_TIMING",
    ("cuEventElapsedTime", "INVALID_HANDLE"): "cuEventElapsedTime: both events are recorded and timed",
    ("cuEventRecord", "INVALID_HANDLE"): "cuEventRecord: event and stream are of one context",
}

# What succeeds, and must say the right thing: documented as such.
SUCCESSES = {
    "read": "memory holds what was last written to it, through whichever address",
    "cuMemGetAddressRange": "cuMemGetAddressRange: base and size of the allocation",
    "cuMemGetAccess": "cuMemGetAccess: the rights last set",
    "cuCtxGetCurrent": "cuCtxGetCurrent: the top of this thread's stack",
    "cuCtxPopCurrent": "cuCtxPopCurrent: gives the context that was on top",
}


def rule(call, answer):
    code = answer[0] if answer and isinstance(answer[0], str) else None    # what a range says is a list of numbers
    return RULES.get((call[0], code)) or (SUCCESSES.get(call[0]) if code == "SUCCESS" else None)
