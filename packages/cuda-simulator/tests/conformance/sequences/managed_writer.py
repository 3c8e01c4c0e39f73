"""Write sequences that are mostly about managed memory: advice, prefetches, ranges, attachment, discards, managed pools (``o``).

Memory of a managed pool is called ``q``, as other stream-ordered memory is. What ranges say is asked only of blocks of
2 MiB or more: smaller ones may share a page, and then the answer depends on where the driver puts them. Not written:
flags that crash a GPU's driver (none at all, to attach), reads of what was discarded.
"""
from ..helpers.managed_memory import ADVICE, ATTRIBUTES, MIB, PAGE, PLAIN
from .writer import SequenceWriter

W = SequenceWriter
SMALL, LARGE = (1, 100, 5000, 65536), (2 * MIB, 3 * MIB, 4 * MIB)
WRONG_PLACES = ("nowhere", "device 7", "device -1", "host 7", "host numa 9", "type 99")


class ManagedWriter(SequenceWriter):
    def large(self, stale=0.1):
        """Managed memory whose pages are its own."""
        resources = [t for t in self.all("m", alive=None) if t.size >= 2 * MIB]
        living = [t for t in resources if t.alive]
        dead = [t for t in resources if not t.alive]
        if dead and self.random.random() < stale:
            return self.pick(dead)
        return self.pick(living) if living else None

    def host_reachable(self):
        resources = [t for t in self.all("mq") if t.kind == "m" or t.flags == "managed"]
        return self.pick(resources) if resources else None

    def stream_name(self, chance=0.5):
        stream = self.choose("s", stale=0)
        return stream.name if stream and self.random.random() < chance else None

    def take_managed(self):
        wrong = self.wrong(0.12)
        size = self.pick(LARGE + LARGE + SMALL) if not wrong else self.pick((0, 100, 2 * MIB))
        flags = self.pick((1, 1, 1, 2)) if not wrong or not size else self.pick((0, 3, 4, 8))
        resource = self.make("m", size, owner=self.current) if size and flags in (1, 2) else None
        self.say("cuMemAllocManaged", resource.name if resource else "none", size, flags)
        if resource:
            self.fill_all(resource)

    def fill_all(self, resource, verbs=("cuMemsetD8", "host write")):
        """Give every byte a value, by the device or by the host."""
        verb = self.pick(verbs) if resource.kind == "m" else "cuMemsetD8"
        self.say(verb, [resource.name, 0], self.random.randrange(256), resource.size)
        resource.filled = True

    def part(self, resource):
        """Where bytes of a resource begin, and how many they are: mostly some of its pages."""
        pages = max(resource.size // PAGE, 1)
        if self.wrong(0.08):
            return self.pick(((0, 0), (0, resource.size + 1), (max(resource.size - 1, 0), 2), (0, 1 << 40)))
        if self.wrong(0.15):
            return self.pick(((0, min(100, resource.size)), (resource.size - 1, 1),
                              (resource.size // 2 + 3, min(200, resource.size // 4 or 1))))
        if self.random.random() < 0.4:
            return 0, resource.size
        first_page = self.pick((0, 1, 2, pages // 2))
        count = self.pick((1, 2, 3, pages // 4 or 1))
        return min(first_page, pages - 1) * PAGE, min(count * PAGE, max(resource.size - min(first_page, pages - 1) * PAGE, 1))

    def target(self):
        """What advice and prefetches are given for: mostly large managed memory."""
        return self.choose("dpqbv") if self.wrong(0.1) else self.large()

    def place(self):
        return self.pick(WRONG_PLACES) if self.wrong(0.1) else self.pick(("device", "device", "host", *PLAIN))

    def advise(self):
        resource = self.target()
        if resource:
            start, size = self.part(resource)
            advice = self.pick(tuple(ADVICE)) if not self.wrong(0.05) else self.pick((0, 7, 100))
            self.say("cuMemAdvise", [resource.name, start], size, advice, self.place())

    def prefetch(self):
        resource = self.target()
        if resource:
            start, size = self.part(resource)
            self.say("cuMemPrefetchAsync", [resource.name, start], size, self.place(), 0 if not self.wrong(0.04) else 1, self.stream_name())

    def discard(self):
        resource, stream = self.target(), self.stream_name(0.9)
        if not resource:
            return
        start, size = self.part(resource)
        verb = self.pick(("cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync", "cuMemPrefetchBatchAsync"))
        self.say("batch", verb, [resource.name, start], size, self.place(), stream)
        if "Discard" in verb and resource.kind in "mq":
            resource.filled = False    # what is read of it now is not defined
            if resource.alive and self.random.random() < 0.8:
                self.fill_all(resource, ["host write"])    # which needs no context, so that it is done

    def range_query(self):
        resource = self.large() if not self.wrong(0.1) else self.choose("dpbv")
        if not resource:
            return
        start, size = self.part(resource)
        if self.random.random() < 0.35:
            return self.say("range", [resource.name, start], size)
        number = self.pick(tuple(ATTRIBUTES)) if not self.wrong(0.04) else self.pick((0, 9, -1))
        room = (self.pick((4, 8, 12)) if number == 3 else 4) if not self.wrong(0.05) else self.pick((0, 3, 5))
        self.say("cuMemRangeGetAttribute", number, [resource.name, start], size, room)

    def attach(self):
        resource = self.choose("m" if not self.wrong(0.12) else "dpqbv")
        if resource:
            offset = 0 if not self.wrong(0.08) else self.pick((8, 512))
            length = self.pick((0, 0, resource.size)) if not self.wrong(0.1) else self.pick((1, resource.size + 1, resource.size // 2 + 1))
            flags = self.pick((1, 2, 4, 4)) if not self.wrong(0.06) else self.pick((8, 16))
            self.say("cuStreamAttachMemAsync", self.stream_name(0.85), [resource.name, offset], length, flags)

    def host_write(self):
        resource = self.host_reachable()
        if resource:
            size = min(resource.size, self.pick((1, 16, 100, 5000)))
            self.say("host write", [resource.name, self.pick((0, 0, resource.size - size, (resource.size - size) // 2))], self.random.randrange(256), size)

    def host_read(self):
        resource = self.host_reachable()
        if resource and resource.filled:
            size = min(resource.size, 24)
            self.say("host read", [resource.name, self.pick((0, 0, resource.size - size, (resource.size - size) // 2))], size)

    # -- managed pools -------------------------------------------------------------------------------------------

    def pool(self):
        if len(self.all("o", alive=None)) < 3 or self.wrong(0.2):
            wrong = self.wrong(0.15)
            place = self.pick(("type 99", "device 7", "host numa 9")) if wrong else self.pick(("device", "device", "host", "nowhere"))
            resource = None if wrong else self.make("o")
            return self.say("managed pool", resource.name if resource else "none", place)
        resource = self.choose("o", stale=0)
        if resource:
            verb = self.pick(("cuMemPoolTrimTo", "cuMemPoolGetAccess", "pool threshold", "cuMemPoolDestroy"))
            self.say(verb, resource.name, *({"cuMemPoolTrimTo": [self.pick((0, 1 << 20))], "cuMemPoolGetAccess": [self.pick(("device", "host"))],
                                             "pool threshold": [self.pick((0, 4096, 8 << 20))]}.get(verb, [])))
            resource.alive = verb != "cuMemPoolDestroy"

    def take_from_pool(self):
        pool = self.choose("o", stale=0)
        if not pool:
            return self.pool()
        size = self.pick((100, 5000, 65536, 2 * MIB, 4 * MIB))
        resource = self.make("q", size, owner=self.current)
        resource.flags = "managed"
        self.say("cuMemAllocFromPoolAsync", resource.name, size, pool.name)
        self.fill_all(resource)

    STEPS = [(take_managed, 14), (advise, 26), (prefetch, 16), (range_query, 30), (discard, 6), (attach, 10), (host_write, 8),
             (host_read, 10), (pool, 5), (take_from_pool, 5), (W.allocate, 4), (W.pages, 2), (W.register, 1), (W.free, 9), (W.query, 12),
             (W.memset, 7), (W.copy, 8), (W.copy_wrong, 1), (W.read, 8), (W.launch, 7), (W.reserve, 1), (W.create, 1), (W.map, 2),
             (W.stream, 6), (W.context_move, 3), (W.context_create, 2), (W.context_destroy, 1)]


def write(seed, length=150):
    return ManagedWriter(seed, length).write()
