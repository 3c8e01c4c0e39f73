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
        things = [t for t in self.all("m", alive=None) if t.size >= 2 * MIB]
        living = [t for t in things if t.alive]
        dead = [t for t in things if not t.alive]
        if dead and self.random.random() < stale:
            return self.pick(dead)
        return self.pick(living) if living else None

    def host_reachable(self):
        things = [t for t in self.all("mq") if t.kind == "m" or t.flags == "managed"]
        return self.pick(things) if things else None

    def stream_name(self, chance=0.5):
        stream = self.some("s", stale=0)
        return stream.name if stream and self.random.random() < chance else None

    def take_managed(self):
        wrong = self.wrong(0.12)
        size = self.pick(LARGE + LARGE + SMALL) if not wrong else self.pick((0, 100, 2 * MIB))
        flags = self.pick((1, 1, 1, 2)) if not wrong or not size else self.pick((0, 3, 4, 8))
        thing = self.make("m", size, owner=self.current) if size and flags in (1, 2) else None
        self.say("cuMemAllocManaged", thing.name if thing else "none", size, flags)
        if thing:
            self.fill_all(thing)

    def fill_all(self, thing, verbs=("cuMemsetD8", "host write")):
        """Give every byte a value, by the device or by the host."""
        verb = self.pick(verbs) if thing.kind == "m" else "cuMemsetD8"
        self.say(verb, [thing.name, 0], self.random.randrange(256), thing.size)
        thing.filled = True

    def part(self, thing):
        """Where bytes of a thing begin, and how many they are: mostly some of its pages."""
        pages = max(thing.size // PAGE, 1)
        if self.wrong(0.08):
            return self.pick(((0, 0), (0, thing.size + 1), (max(thing.size - 1, 0), 2), (0, 1 << 40)))
        if self.wrong(0.15):
            return self.pick(((0, min(100, thing.size)), (thing.size - 1, 1), (thing.size // 2 + 3, min(200, thing.size // 4 or 1))))
        if self.random.random() < 0.4:
            return 0, thing.size
        first = self.pick((0, 1, 2, pages // 2))
        count = self.pick((1, 2, 3, pages // 4 or 1))
        return min(first, pages - 1) * PAGE, min(count * PAGE, max(thing.size - min(first, pages - 1) * PAGE, 1))

    def target(self):
        """What advice and prefetches are given for: mostly large managed memory."""
        return self.some("dpqbv") if self.wrong(0.1) else self.large()

    def place(self):
        return self.pick(WRONG_PLACES) if self.wrong(0.1) else self.pick(("device", "device", "host", *PLAIN))

    def advise(self):
        thing = self.target()
        if thing:
            start, size = self.part(thing)
            advice = self.pick(tuple(ADVICE)) if not self.wrong(0.05) else self.pick((0, 7, 100))
            self.say("cuMemAdvise", [thing.name, start], size, advice, self.place())

    def prefetch(self):
        thing = self.target()
        if thing:
            start, size = self.part(thing)
            self.say("cuMemPrefetchAsync", [thing.name, start], size, self.place(), 0 if not self.wrong(0.04) else 1, self.stream_name())

    def discard(self):
        thing, stream = self.target(), self.stream_name(0.9)
        if not thing:
            return
        start, size = self.part(thing)
        verb = self.pick(("cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync", "cuMemPrefetchBatchAsync"))
        self.say("batch", verb, [thing.name, start], size, self.place(), stream)
        if "Discard" in verb and thing.kind in "mq":
            thing.filled = False    # what is read of it now is not defined
            if thing.alive and self.random.random() < 0.8:
                self.fill_all(thing, ["host write"])    # which needs no context, so that it is done

    def range_query(self):
        thing = self.large() if not self.wrong(0.1) else self.some("dpbv")
        if not thing:
            return
        start, size = self.part(thing)
        if self.random.random() < 0.35:
            return self.say("range", [thing.name, start], size)
        number = self.pick(tuple(ATTRIBUTES)) if not self.wrong(0.04) else self.pick((0, 9, -1))
        room = (self.pick((4, 8, 12)) if number == 3 else 4) if not self.wrong(0.05) else self.pick((0, 3, 5))
        self.say("cuMemRangeGetAttribute", number, [thing.name, start], size, room)

    def attach(self):
        thing = self.some("m" if not self.wrong(0.12) else "dpqbv")
        if thing:
            offset = 0 if not self.wrong(0.08) else self.pick((8, 512))
            length = self.pick((0, 0, thing.size)) if not self.wrong(0.1) else self.pick((1, thing.size + 1, thing.size // 2 + 1))
            flags = self.pick((1, 2, 4, 4)) if not self.wrong(0.06) else self.pick((8, 16))
            self.say("cuStreamAttachMemAsync", self.stream_name(0.85), [thing.name, offset], length, flags)

    def host_write(self):
        thing = self.host_reachable()
        if thing:
            size = min(thing.size, self.pick((1, 16, 100, 5000)))
            self.say("host write", [thing.name, self.pick((0, 0, thing.size - size, (thing.size - size) // 2))], self.random.randrange(256), size)

    def host_read(self):
        thing = self.host_reachable()
        if thing and thing.filled:
            size = min(thing.size, 24)
            self.say("host read", [thing.name, self.pick((0, 0, thing.size - size, (thing.size - size) // 2))], size)

    # -- managed pools -------------------------------------------------------------------------------------------

    def pool(self):
        if len(self.all("o", alive=None)) < 3 or self.wrong(0.2):
            wrong = self.wrong(0.15)
            place = self.pick(("type 99", "device 7", "host numa 9")) if wrong else self.pick(("device", "device", "host", "nowhere"))
            thing = None if wrong else self.make("o")
            return self.say("managed pool", thing.name if thing else "none", place)
        thing = self.some("o", stale=0)
        if thing:
            verb = self.pick(("cuMemPoolTrimTo", "cuMemPoolGetAccess", "pool threshold", "cuMemPoolDestroy"))
            self.say(verb, thing.name, *({"cuMemPoolTrimTo": [self.pick((0, 1 << 20))], "cuMemPoolGetAccess": [self.pick(("device", "host"))],
                                          "pool threshold": [self.pick((0, 4096, 8 << 20))]}.get(verb, [])))
            thing.alive = verb != "cuMemPoolDestroy"

    def take_from_pool(self):
        pool = self.some("o", stale=0)
        if not pool:
            return self.pool()
        size = self.pick((100, 5000, 65536, 2 * MIB, 4 * MIB))
        thing = self.make("q", size, owner=self.current)
        thing.flags = "managed"
        self.say("cuMemAllocFromPoolAsync", thing.name, size, pool.name)
        self.fill_all(thing)

    STEPS = [(take_managed, 14), (advise, 26), (prefetch, 16), (range_query, 30), (discard, 6), (attach, 10), (host_write, 8),
             (host_read, 10), (pool, 5), (take_from_pool, 5), (W.allocate, 4), (W.pages, 2), (W.register, 1), (W.free, 9), (W.query, 12),
             (W.memset, 7), (W.copy, 8), (W.copy_wrong, 1), (W.read, 8), (W.launch, 7), (W.reserve, 1), (W.create, 1), (W.map, 2),
             (W.stream, 6), (W.context_move, 3), (W.context_create, 2), (W.context_destroy, 1)]


def write(seed, length=150):
    return ManagedWriter(seed, length).write()
