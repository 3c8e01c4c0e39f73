"""Write sequences about memory in the order of streams: streams that are held, events, pools, what is freed and taken again.

Streams are `s0` (the NULL stream) to `s3`, which do not join it. `g` is a hold, `e` an event, `o` a pool, `a` memory of one. A stream
that is held waits for a word of the host's (or runs a kernel that does) until "let go" or "let all go". What waits for it is an answer, too.
"""
import random

KIB, MIB = 1 << 10, 1 << 20
SIZES = (1, 512, 513, 4 * KIB, 4 * KIB, 64 * KIB, 64 * KIB, MIB, MIB, 2 * MIB, 3 * MIB, 8 * MIB, 16 * MIB, 20 * MIB, 31 * MIB, 33 * MIB, 40 * MIB, 64 * MIB)
STREAMS = ("s0", "s1", "s2", "s3")
SWITCHES = 1, 2, 3


class OrderWriter:
    def __init__(self, seed):
        self.random, self.calls, self.number = random.Random(seed), [], 0
        self.pools, self.living, self.dead, self.events, self.holds = [], [], [], [], {}
        self.sizes = self.random.sample(SIZES, self.random.choice((2, 3, 5, 8)))

    def say(self, *call):
        self.calls.append(list(call))

    def new(self, kind):
        self.number += 1
        return f"{kind}{self.number}"

    def stream(self):
        return self.random.choice(STREAMS[:2] if self.random.random() < 0.4 else STREAMS)

    def take_pool(self):
        pool = self.new("o")
        self.say("pool", pool, self.random.choice(("device", "device", "device", "device, exportable", "device, 96 MiB", "host numa")))
        self.pools.append(pool)
        if self.random.random() < 0.5:
            self.say("threshold", pool, self.random.choice((0, 33 * MIB, 64 * MIB, 100 * MIB, 1 << 62)))

    def switch(self):
        self.say("switch", self.random.choice(self.pools), self.random.choice(SWITCHES), self.random.choice((0, 0, 1)))

    def take(self):
        label, pool, stream = self.new("a"), self.random.choice(self.pools), self.stream()
        self.say("take", label, self.random.choice(self.sizes), pool, stream)
        self.living.append((label, pool, stream))

    def free(self):
        if self.living:
            entry = self.living.pop(self.random.randrange(len(self.living)))
            self.say("free", entry[0], entry[2] if self.random.random() < 0.7 else self.stream())
            self.dead.append(entry)

    def free_and_take(self):
        """What most programs do: give back, and take as much again."""
        if self.living:
            label, pool, stream = self.living.pop(self.random.randrange(len(self.living)))
            self.say("free", label, stream)
            self.dead.append((label, pool, stream))
            replacement, stream_after = self.new("a"), stream if self.random.random() < 0.5 else self.stream()
            self.say("take as", replacement, label, pool, stream_after)
            self.living.append((replacement, pool, stream_after))

    def free_and_wait(self):
        if self.living:
            label, pool, stream = self.living.pop(self.random.randrange(len(self.living)))
            self.say("free", label, stream)
            self.dead.append((label, pool, stream))
            event, other_stream, replacement = self.new("e"), self.stream(), self.new("a")
            self.say("record", event, stream)
            self.say("wait", other_stream, event)
            self.events.append(event)
            self.say("take as", replacement, label, pool, other_stream)
            self.living.append((replacement, pool, other_stream))

    def free_wrongly(self):
        if self.dead:
            self.say("free", self.random.choice(self.dead)[0], self.stream())

    def free_at_once(self):
        if self.living:
            entry = self.living.pop(self.random.randrange(len(self.living)))
            self.say("cuMemFree", entry[0])
            self.dead.append(entry)

    def hold(self):
        free = [stream_ for stream_ in STREAMS if stream_ not in self.holds.values()]
        if free and len(self.holds) < 3:
            gate, stream = self.new("g"), self.random.choice(free)
            self.say("hold", gate, stream, self.random.choice(("wait", "wait", "wait", "kernel")))
            self.holds[gate] = stream

    def let_go(self):
        if self.holds:
            gate = self.random.choice(list(self.holds))
            del self.holds[gate]
            self.say("let go", gate)

    def let_all_go(self):
        self.holds.clear()
        self.say("let all go")

    def record(self):
        event = self.random.choice(self.events) if self.events and self.random.random() < 0.3 else self.new("e")
        if event not in self.events:
            self.events.append(event)
        self.say("record", event, self.stream())

    def wait(self):
        if self.events:
            self.say("wait", self.stream(), self.random.choice(self.events))

    def query(self):
        if self.events and self.random.random() < 0.5:
            self.say("event query", self.random.choice(self.events))
        else:
            self.say("query", self.stream())

    def synchronize(self):
        """Only of streams that nothing holds, mostly: the executor lets all go where the host waits."""
        self.let_all_go()
        self.say("synchronize", self.random.choice((*STREAMS, "all", "all")))

    def fill(self):
        if self.living:
            label, _, stream = self.random.choice(self.living)
            self.say("fill", label, self.random.randrange(256), stream)
            if self.random.random() < 0.5:
                self.say("fetch", label, stream)

    def counts(self):
        self.say("counts", self.random.choice(self.pools))

    def trim(self):
        self.say("trim", self.random.choice(self.pools), self.random.choice((0, 0, 33 * MIB, 64 * MIB, 1 << 40)))

    def threshold(self):
        self.say("threshold", self.random.choice(self.pools), self.random.choice((0, 0, 33 * MIB, 64 * MIB, 1 << 62)))

    def lower_marks(self):
        self.say("lower marks", self.random.choice(self.pools))

    def ask(self):
        entries = self.dead if self.dead and self.random.random() < 0.6 else self.living
        if entries:
            self.say("ask", self.random.choice(("type", "range", "forward", "start", "pool", "copy")), self.random.choice(entries)[0])

    def export(self):
        if self.living and self.random.random() < 0.5:
            self.say("export pointer", self.random.choice(self.living)[0])
        else:
            self.say("export", self.random.choice(self.pools))

    def others_memory(self):
        self.say("other memory", self.random.choice(("cuMemAlloc", "cuMemHostAlloc", "register", "managed")), self.random.choice((64, 64 * KIB, 3 * MIB)))

    def destroy(self):
        if len(self.pools) > 1:
            pool = self.pools.pop(self.random.randrange(len(self.pools)))
            self.say("destroy", pool)
            entries = [entry for entry in self.living if entry[1] == pool]
            self.living = [entry for entry in self.living if entry[1] != pool]
            for label, _, stream in entries:
                self.say("free", label, stream)

    VERBS = ((take, 16), (free, 12), (free_and_take, 14), (free_and_wait, 6), (free_wrongly, 2), (free_at_once, 1), (hold, 9), (let_go, 4), (let_all_go, 2),
             (record, 7), (wait, 7), (query, 4), (synchronize, 4), (fill, 6), (counts, 8), (trim, 2), (threshold, 1), (lower_marks, 1), (ask, 6),
             (export, 1), (others_memory, 1), (switch, 1), (take_pool, 1), (destroy, 1))

    def write(self, length):
        self.take_pool()
        verbs, weights = zip(*self.VERBS)
        while len(self.calls) < length:
            self.random.choices(verbs, weights)[0](self)
        return self.calls[:length]


def write(seed, length):
    return OrderWriter(seed).write(length)
