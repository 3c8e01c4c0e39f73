"""Where the simulated driver is known to answer otherwise than the recorded GPU, and why.

Everything else must be alike. A difference that is listed here and has gone is an error too (test_questions.py):
whoever mended it takes it out.
"""

NOT_SIMULATED = "this part of CUDA is not simulated, and says NOT_SUPPORTED"
OLD_FORMS = "forms of functions from before CUDA 3.2, which had 32-bit sizes, are not there"
ORDER = "the simulated driver looks whether it was initialised before it looks at a null handle"
STALE_TABLES = ("in a forked child the H200's driver still answers from tables that it copied; the simulated driver refuses "
                "everything there")
ADDRESS_REUSED = ("the address was freed, and the H200's driver has given it to something of its own since; the simulated driver "
                  "does not use it again")
NEIGHBOUR = ("the address one past the end is where the H200's driver put the next allocation; the simulated driver leaves a gap "
             "between two, so that a kernel's overrun is told")

# question -> label -> reason
QUESTIONS = {
    "devices.affinity": {"texture width": NOT_SIMULATED},
    "errors.offered_versions": {f"{name} {version}": OLD_FORMS for name in ("cuMemAlloc", "cuCtxCreate", "cuMemcpyDtoH")
                                for version in (2000, 3000)},
    "managed.allocate": {"size 70368744177664": "managed memory beyond what the machine has is refused; the H200's driver "
                                                "over-commits"},
    "physical_memory.export": {label: NOT_SIMULATED for label in (
        "export", "export one that is not shareable", "export with flags", "import", "one memory", "the same handle",
        "import a file that is none", "import a closed descriptor")},
    "threads_and_forks.forked_child": {label: STALE_TABLES for label in (
        "cuMemsetD32Async", "cuMemAllocAsync", "cuStreamQuery", "cuStreamSynchronize", "cuStreamGetFlags",
        "cuStreamGetPriority", "cuEventRecord", "cuEventQuery", "cuEventSynchronize", "cuStreamWaitEvent", "cuStreamDestroy",
        "cuEventDestroy")},
    "whole_api.before_init": {label: ORDER for label in (
        "cuEventQuery", "cuEventSynchronize", "cuFuncGetAttribute", "cuStreamDestroy", "cuEventDestroy", "cuCtxDestroy")},
    "whole_api.rarely_used": {label: NOT_SIMULATED for label in (
        "graph", "IPC handle of device memory", "IPC handle of pinned memory", "flush GPUDirect writes",
        "handle for an address range")},
}

# (seed of the sequence, number of the call) -> reason
SEQUENCES = {
    (118, 128): "a stream works although a destroyed context is current; the H200's driver refuses it for this pair of addresses",
    (243, 85): "the H200's driver crashes on an event whose stream is gone; here it is passed",
    (255, 106): "the H200's driver crashes on an event whose stream is gone; here it is passed",
    (309, 108): ADDRESS_REUSED,    # freed with its context
}
FREES = {"cuMemFree", "cuMemFreeHost", "cuMemFreeAsync", "cuMemAddressFree"}
ASKS_WHAT_IS_THERE = {"cuMemFree", "cuMemFreeAsync", "cuMemGetAccess", "cuMemHostUnregister"}


def reason(difference):
    """Why this difference is known; None where it is not."""
    if not hasattr(difference, "seed"):
        return QUESTIONS.get(difference.question.name, {}).get(difference.label)
    name, *arguments = difference.calls[difference.number]
    freed = {call[1][0] for call in difference.calls[:difference.number] if call[0] in FREES}
    if name in ASKS_WHAT_IS_THERE and arguments[0][0] in freed:
        return ADDRESS_REUSED
    if name in FREES and arguments[0][1] and arguments[0][1] % 512 == 0:
        return NEIGHBOUR
    return SEQUENCES.get((difference.seed, difference.number))
