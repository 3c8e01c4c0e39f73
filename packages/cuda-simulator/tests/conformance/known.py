"""Where the simulated driver is known to answer otherwise than the recorded GPU, and why.

Everything else must be alike. A difference that is listed here and has gone is an error too (test_questions.py):
whoever mended it takes it out.
"""
from . import recording
from .sequences import sharing_executor

NOT_SIMULATED = "this part of CUDA is not simulated, and says NOT_SUPPORTED"
OLD_FORMS = "forms of functions from before CUDA 3.2, which had 32-bit sizes, are not there"
NOT_SHARED = "an H200 gives a descriptor for drivers of other devices; here nobody could use it, so none is given"
NO_LEDGER = ("a simulated device counts what this process takes of it: a list that all processes keep would outlive one that is "
             "killed, and programs that share nothing would see each other")
NO_PAGES_OF_THE_DEVICE = ("the H200 keeps the pages that were registered, whatever becomes of the file or of the host's mapping; here the "
                          "device has no other pages than the file's, and a view of its own only of a range of whole pages")
NO_GRAPHS = "graphs are not simulated, so no stream begins to capture its work into one"
STALE_TABLES = ("in a forked child the H200's driver still answers from tables that it copied; the simulated driver refuses "
                "everything there")
ADDRESS_REUSED = ("the address was freed, and the H200's driver has given it to something of its own since; the simulated driver "
                  "does not use it again")
CRASHED = "the H200's driver crashed, over what it had freed before; here the call is answered"
DRIVERS_OWN = "the H200's driver has something of its own at that address"
ANOTHER_CONTEXTS = "the H200's driver crashed over an event of other processes in another context than its own; here it is refused"
NOBODYS_RECORD = ("the H200 keeps a record that a killed process has left pending, though nobody has the event open; here the record is "
                  "gone with the process, and the event is found done")
NOTHING_KEPT = "the H200 keeps the first KiB of shared memory for itself; here the kernel's own begins at 0"
WHICH_PIECE = ("which of several free pieces a pool gives is not documented, and goes by how far the GPU was at that moment; what is reserved, "
               "and who waits for whom, follows from it")
NEIGHBOUR = ("the address one past the end is where the H200's driver put the next allocation; the simulated driver leaves a gap "
             "between two, so that a kernel's overrun is told")

# question -> label -> reason
QUESTIONS = {
    "errors/codes_and_entry_points.offered_versions":
        {f"{name} {version}": OLD_FORMS for name in ("cuMemAlloc", "cuCtxCreate", "cuMemcpyDtoH")
         for version in (2000, 3000)},
    "managed/prefetch.captured": {label: NO_GRAPHS for label in (
        "prefetch", "prefetch in another stream", "attach", "advice", "allocate", "prefetch in a batch", "discard")},
    "kernels/occupancy_and_attributes.clusters": {"clusters at once": NOT_SIMULATED},
    "two_processes/physical_memory_in_programs.other_calls": {"rights past the end": DRIVERS_OWN},
    "two_processes/ipc_events_in_programs.contexts": {label: ANOTHER_CONTEXTS for label in (
        "how the process ended", "the owner's, in a second context", "offered from there")},
    "two_processes/ipc_events.opened_after_its_owners_death": {"open": NOBODYS_RECORD},
    "through_libraries/runtime_settings.reset":
        {"the stream": "its context is gone: the H200's runtime refuses the stream's handle, and the simulated driver its context"},
    "two_processes/ipc_memory_in_programs.beside":
        {"there": "the address that is read last was freed: the simulated driver has used it again, for what the "
         "kernel writes to, and the H200's has not"},
    "streams/memory_operations.capture": {label: NO_GRAPHS for label in ("begin", "is it capturing", "end")},
    "two_processes/physical_memory_descriptors.other_handles":
        {"release, and export": "the H200's driver crashed over a handle that was released; here it is "
         "refused"},
    "inside_kernels/accesses.as_shared": {"null": NOTHING_KEPT},
    "inside_kernels/resources.local_size":
        {"16 ints": "the H200's compiler keeps so small an array elsewhere; the simulated driver compiles "
         "nothing, and takes what PTX declares"},
    "inside_kernels/shared_and_local_addresses.one_error": {"global": DRIVERS_OWN},
    "two_processes/physical_memory.one_address":
        {"asked for": "the H200's second process was granted the first one's address, an H100's was not, and here it is not"},
    "two_processes/ipc_memory.one_piece": {"a copy beyond the first one's end": NEIGHBOUR},
    "two_processes/ipc_memory.ends": {f"{size}: {label}": NEIGHBOUR for size in (512, 4096, 65536, 2097152)
                                      for label in ("one begins there", "the handle of the end", "whose it is")},
    "managed/copies_in_programs.batches": {"a freed one": CRASHED},
    "managed/copies_in_programs.huge_counts":
        {"2^62 of four bytes": "the H200's driver crashed over a number of bytes that wraps around; here it is "
         "refused"},
    "managed/mixed_programs.stream_of_each_thread":
        {"(after the last answer)": "the H200's driver hung at the end of the process; not here"},
    "managed/mistakes_in_programs.not_sticky":
        {"(after the last answer)": "the H200's driver crashed at the end of the process; not here"},
    "two_processes/what_is_not_shared.foreign_address": {"kernel": DRIVERS_OWN},
    "two_processes/what_is_not_shared.free_memory": {"missing here and there": NO_LEDGER},
    "two_processes/what_is_not_shared.the_dead_hold_nothing": {how: NO_LEDGER for how in ("kill", "leave")},
    "host_memory/registered_then_unmapped.registered_in_part": {"not page by page: a kernel reads": NO_PAGES_OF_THE_DEVICE},
    "two_processes/host_pages.shortened": {label: NO_PAGES_OF_THE_DEVICE for label in (
        "a kernel reads", "a copy reads", "made longer again: host and kernel")},
    "virtual_memory/export_and_import.range_handles":
        {f"{kind}: {size}": NOT_SHARED for kind in ("device", "device, 3 MiB", "mapped", "stream-ordered")
         for size in (4096, 2097152)},
    "contexts/threads_and_forks.forked_child": {label: STALE_TABLES for label in (
        "cuMemsetD32Async", "cuMemAllocAsync", "cuStreamQuery", "cuStreamSynchronize", "cuStreamGetFlags",
        "cuStreamGetPriority", "cuEventRecord", "cuEventQuery", "cuEventSynchronize", "cuStreamWaitEvent", "cuStreamDestroy",
        "cuEventDestroy")},
    "errors/every_call_at_a_bad_moment.rarely_used": {"graph": NO_GRAPHS, "handle for an address range": NOT_SHARED},
}

# In sequences of two processes: what says what is at an address.
ASKS_OF_TWO_PROCESSES = {"attribute", "range", "see", "offer", "export pointer", "hide", "free", "copy"}
REUSED_OTHERWISE = "the address was freed, and is used again by one driver and not by the other, or for something else"

MANAGED_POOL_REUSED = ("it was taken again from a pool of managed memory: in 2 of 11 such reads the H200's host found other bytes than "
                       "the device had written since, what was there before or zeros")

# (seed of the sequence, number of the call) -> reason
SEQUENCES = {
    (309, 108): ADDRESS_REUSED,    # freed with its context
    (352, 147): "what was copied had never been written: anything may be in it",
    (2100, 104): MANAGED_POOL_REUSED,
    (2153, 146): MANAGED_POOL_REUSED,
    (3013, 94): ADDRESS_REUSED,    # unmapped; the H200 put something else there
    (3100, 99): "the H200's driver ended the process by a division by zero; other calls like this one succeeded there",
    (3101, 77): REUSED_OTHERWISE,    # opened where other memory was closed, and closed by that one's name
    **{(3101, number): "on the H200, the fault of the kernel in call 77 has broken the contexts" for number in (83, 94)},
    **{(3210, number): REUSED_OTHERWISE for number in (82, 85, 93, 94)},    # freed in call 58, by the name of what was there before
    (3022, 65): REUSED_OTHERWISE,    # unmapped in call 54, by the name of what was there before
    **{(3412, number): REUSED_OTHERWISE for number in (65, 66, 84)},    # freed in call 55, by the name of what was there before
    **{(3413, number): REUSED_OTHERWISE for number in (39, 40, 42, 43, 45)},    # freed in call 38, by the name of what was there before
    **{(4049, number): "on the H200, work of the NULL stream had failed and broken the context; why, one answer does not tell"
       for number in (91, 92, 93, 94, 96, 97, 98, 99)},
    (3304, 99): "the opener has it open for another device, and other memory has its place: which refusal comes first, one answer "
                "does not tell",
}
FREES = {"cuMemFree", "cuMemFreeHost", "cuMemFreeAsync", "cuMemAddressFree"}
ASKS_WHAT_IS_THERE = {"cuMemFree", "cuMemFreeAsync", "cuMemGetAccess", "cuMemHostUnregister"}


def reason(difference):
    """Why this difference is known; None where it is not."""
    if not hasattr(difference, "seed"):
        return QUESTIONS.get(difference.question.name, {}).get(difference.label)
    if difference.recorded[0] in recording.CRASHES:
        return CRASHED
    if difference.seed >= 4000:
        return _reason_in_order(difference)
    name, *arguments = difference.calls[difference.number]
    freed = {call[1][0] for call in difference.calls[:difference.number] if call[0] in FREES}
    if name in ASKS_WHAT_IS_THERE and arguments[0][0] in freed:
        return ADDRESS_REUSED
    if name in ASKS_OF_TWO_PROCESSES and arguments[1] in _ended_there(difference):
        return REUSED_OTHERWISE
    if name in FREES and arguments[0][1] and arguments[0][1] % 512 == 0:
        return NEIGHBOUR
    return SEQUENCES.get((difference.seed, difference.number))


def _reason_in_order(difference):
    """The same in sequences about the order of streams: what the calls answer is alike, but not always where memory is taken."""
    name, was, now = difference.calls[difference.number][0], difference.recorded, difference.answered
    if name in ("take", "take as") and was[0] == now[0] == "SUCCESS" or name in ("counts", "let go", "let all go"):
        return WHICH_PIECE
    return SEQUENCES.get((difference.seed, difference.number))


def _ended_there(difference):
    """The names that the process of this call had freed, closed or unmapped before it."""
    process = difference.calls[difference.number][1].partition(" ")[0]
    return {call[2] for call in difference.calls[:difference.number]
            if call[0] in sharing_executor.ENDS and call[1].startswith(process)}
