"""Exercises of "Several devices": which kernel may read which memory."""
from ...exercises.exercise import Case, Exercise

CALLS = ("cuMemAlloc", "cuMemAllocAsync", "cuMemCreate", "malloc")


def _rights(source):
    """A reader, a memory, and rights that may be of another device or another kind."""
    rights = [("peer", device, other) for device in range(3) for other in range(3) if device != other]
    rights += [("access", device) for device in range(3)]
    return source.randrange(3), (source.randrange(3), source.choice(CALLS)), source.sample(rights, source.randrange(5))


may_read = Exercise(
    id="may-read", name="may_read", random_case=_rights,
    cases=(Case("the reader's own memory", (0, (0, "cuMemAlloc"), []), True),
           Case("another device's memory, with peer access", (0, (1, "cuMemAlloc"), [("peer", 0, 1)]), True),
           Case("another device's pool, with peer access", (0, (1, "cuMemAllocAsync"), [("peer", 0, 1)]), False),
           Case("memory of the device that was given peer access", (1, (0, "cuMemAlloc"), [("peer", 0, 1)]), False, True),
           Case("another device's memory, with peer access to a third", (0, (2, "cuMemAlloc"), [("peer", 0, 1)]), False, True),
           Case("another device's memory, reached over a third", (0, (2, "cuMemAlloc"), [("peer", 0, 1), ("peer", 1, 2)]),
                False, True),
           Case("another device's memory, with a right of virtual memory", (1, (2, "cuMemAlloc"), [("access", 1)]), False, True),
           Case("the reader's own pool", (1, (1, "cuMemAllocAsync"), []), True, True),
           Case("another device's pool, with access to it", (2, (0, "cuMemAllocAsync"), [("access", 2)]), True, True),
           Case("another device's pool, with access for a third", (2, (0, "cuMemAllocAsync"), [("access", 1)]), False, True),
           Case("virtual memory on the reader's own device, without access", (1, (1, "cuMemCreate"), []), False, True),
           Case("virtual memory on the reader's own device, with access", (1, (1, "cuMemCreate"), [("access", 1)]), True, True),
           Case("virtual memory, with access for its own device alone", (0, (1, "cuMemCreate"), [("access", 1)]), False, True),
           Case("another device's virtual memory, with peer access", (0, (2, "cuMemCreate"), [("peer", 0, 2)]), False, True),
           Case("another device's virtual memory, with access", (0, (2, "cuMemCreate"), [("peer", 1, 2), ("access", 0)]), True, True),
           Case("the heap of the reader's own device", (2, (2, "malloc"), []), True, True),
           Case("another device's heap, with every right", (0, (1, "malloc"), [("peer", 0, 1), ("access", 0)]), False, True)))

EXERCISES = (may_read,)
