"""What the driver holds, for "nothing is left": all of it for the simulated driver, for a GPU what can be asked."""
import gc
import time

import course_lib
from course_lib import kernel_heap, kernels
from course_lib.core import journal
from course_lib.pointers.address_facts import Kind, attribute, reserved_range

import pycuda.driver as cuda

ONCE = '__global__ void once(int *managed, int n) { managed[0] = managed[n - 1] = 1; printf("%s", ""); }'


def use_everything_once():
    """Make the driver take what it keeps, as long as the context lives or the process; returns something to hold on to.

    On an H200 these are 64 MiB with the first code that calls printf, 86 MiB with the first that calls malloc, 128
    MiB with the first kernel that uses managed memory, and 2 MiB with the first two streams: no leak of whoever comes
    first. Of the 128 MiB it gives 2 back whenever the last managed memory on the device goes, so some has to stay. Then a
    test that gives everything back leaves the free memory as it was, to the byte.
    """
    cuda.Stream(), cuda.Stream()
    managed = cuda.managed_empty(1 << 18, "int32", mem_flags=cuda.mem_attach_flags.GLOBAL)
    with kernels.compile(ONCE) as code:
        code.once(1, 1, managed, len(managed))
        kernel_heap.allocate(1).release()
        cuda.Context.synchronize()
    gc.collect()
    return managed


def now():
    """Something that is equal before and after if nothing was left behind.

    For a GPU it counts what other processes do with its memory, too: it must be the tests' own. It does not show
    device memory of less than 2 MiB, blocks in the kernel heap, managed memory that no kernel has touched, and memory
    on the host that is mapped nowhere; the simulated driver's tables do.
    """
    if course_lib.driver.attached.simulated:
        from cuda_simulator.memory.allocations import AllocationKind, memory
        from cuda_simulator.memory.physical import physicals
        from cuda_simulator.memory.virtual import reservations
        # Module variables aside: the kernels that the helpers themselves use stay loaded with their context.
        return (sorted((allocation.kind.value, allocation.size) for allocation in memory.allocations if allocation.kind is not AllocationKind.VARIABLE),
                sorted(reservation.size for reservation in reservations), len(physicals))
    return cuda.mem_get_info()[0], known_addresses()


def nothing_left(before, after):
    """Is nothing there that was not there before, by two answers of `now`?

    A GPU's driver may give back later what it had kept for managed memory: to have more free memory is no leak.
    """
    if course_lib.driver.attached.simulated:
        return after == before
    return after[0] >= before[0] and after[1] <= before[1]


def left(before, patience=10, free_memory=True):
    """What is there now that was not there at `before`, as (before, now); None if nothing is.

    A process that has ended gives its memory on a GPU back a moment later. So a GPU is asked again until nothing is left, for
    up to `patience` seconds; what leaked is still there then. The simulated driver is asked once. Without `free_memory`, a
    GPU's answer is that of this process's addresses alone: for tests in which other processes take memory.
    """
    if not free_memory and not course_lib.driver.attached.simulated:
        before = 0, before[1]
    end = time.monotonic() + (0 if course_lib.driver.attached.simulated else patience)
    while not nothing_left(before, after := now()):
        if time.monotonic() >= end:
            return before, after
        time.sleep(0.1)
    return None


def known_addresses():
    """What the helpers pinned, registered, reserved, opened or allocated as managed memory and the driver still knows: {(address,
    its BUFFER_ID)}.

    Free memory does not show these: they are the host's, or no memory at all.
    """
    addresses = set()
    for entry in journal.entries():
        if entry.kind in (Kind.PINNED.value, Kind.REGISTERED.value, Kind.MANAGED.value, Kind.RESERVED.value, "opened memory"):
            buffer_id = attribute(entry.start, "BUFFER_ID")
            if buffer_id or reserved_range(entry.start):
                addresses.add((entry.start, buffer_id))
    return addresses
