"""Where the simulated driver is known to answer otherwise than the recorded GPU, and why.

Everything else must be alike. A difference that is listed here and has gone is an error too (test_questions.py):
whoever mended it takes it out.
"""
from . import recording

NOT_SIMULATED = "this part of CUDA is not simulated, and says NOT_SUPPORTED"
OLD_FORMS = "forms of functions from before CUDA 3.2, which had 32-bit sizes, are not there"
NOT_SHARED = "an H200 gives a handle for another process or device; here nobody could open it, so none is given"
NO_GRAPHS = "graphs are not simulated, so no stream begins to capture its work into one"
STALE_TABLES = ("in a forked child the H200's driver still answers from tables that it copied; the simulated driver refuses "
                "everything there")
ADDRESS_REUSED = ("the address was freed, and the H200's driver has given it to something of its own since; the simulated driver "
                  "does not use it again")
TAKEN_BY_ANOTHER = ("the address was given back before, and which of the later requests gets it is the driver's choice: not the same one here "
                    "as on the H200")
AFTER_THE_FAULT = "a kernel's fault before it, which follows from a difference that is known, has broken the H200's contexts"
NEIGHBOUR = ("the address one past the end is where the H200's driver put the next allocation; the simulated driver leaves a gap "
             "between two, so that a kernel's overrun is told")

# question -> label -> reason
QUESTIONS = {
    "errors.offered_versions": {f"{name} {version}": OLD_FORMS for name in ("cuMemAlloc", "cuCtxCreate", "cuMemcpyDtoH")
                                for version in (2000, 3000)},
    "managed_prefetch.captured": {label: NO_GRAPHS for label in (
        "prefetch", "prefetch in another stream", "attach", "advice", "allocate", "prefetch in a batch", "discard")},
    "functions.clusters": {"clusters at once": NOT_SIMULATED},
    "memory_operations.capture": {label: NO_GRAPHS for label in ("begin", "is it capturing", "end")},
    "sharing.ipc": {label: NOT_SHARED for label in (
        "device", "device, 3 MiB", "interior of device memory", "opened in the process that made it", "opened with flags 0",
        "event with interprocess")},
    "sharing.pool": {label: NOT_SHARED for label in ("type 1: export", "type 1: export a pointer")},
    "sharing.range_handles": {f"{kind}: {size}": NOT_SHARED for kind in ("device", "device, 3 MiB", "mapped", "stream-ordered")
                              for size in (4096, 2097152)},
    "threads_and_forks.forked_child": {label: STALE_TABLES for label in (
        "cuMemsetD32Async", "cuMemAllocAsync", "cuStreamQuery", "cuStreamSynchronize", "cuStreamGetFlags",
        "cuStreamGetPriority", "cuEventRecord", "cuEventQuery", "cuEventSynchronize", "cuStreamWaitEvent", "cuStreamDestroy",
        "cuEventDestroy")},
    "whole_api.rarely_used": {"graph": NO_GRAPHS, "IPC handle of device memory": NOT_SHARED,
                              "handle for an address range": NOT_SHARED},
}

# (seed of the sequence, number of the call) -> reason
SEQUENCES = {
    (309, 108): ADDRESS_REUSED,    # freed with its context
    (352, 147): "what was copied had never been written: anything may be in it",
    (3100, 99): "the H200's driver ended the process by a division by zero; other calls like this one succeeded there",
    (3101, 77): TAKEN_BY_ANOTHER,    # closed a second time, when other memory was open at the address; so that was closed
    (3101, 83): AFTER_THE_FAULT,
    (3101, 94): AFTER_THE_FAULT,
    (3106, 53): TAKEN_BY_ANOTHER,
    (3107, 67): TAKEN_BY_ANOTHER,
    (3114, 29): TAKEN_BY_ANOTHER,
    (3115, 98): TAKEN_BY_ANOTHER,
}
CRASHED = "the H200's driver crashed, over what it had freed before; here the call is answered"
FREES = {"cuMemFree", "cuMemFreeHost", "cuMemFreeAsync", "cuMemAddressFree"}
ASKS_WHAT_IS_THERE = {"cuMemFree", "cuMemFreeAsync", "cuMemGetAccess", "cuMemHostUnregister"}


def reason(difference):
    """Why this difference is known; None where it is not."""
    if not hasattr(difference, "seed"):
        return QUESTIONS.get(difference.question.name, {}).get(difference.label)
    if difference.recorded[0] in recording.CRASHES:
        return CRASHED
    name, *arguments = difference.calls[difference.number]
    freed = {call[1][0] for call in difference.calls[:difference.number] if call[0] in FREES}
    if name in ASKS_WHAT_IS_THERE and arguments[0][0] in freed:
        return ADDRESS_REUSED
    if name in FREES and arguments[0][1] and arguments[0][1] % 512 == 0:
        return NEIGHBOUR
    return SEQUENCES.get((difference.seed, difference.number))
