"""Write sequences of two processes that take turns: what one allocates, exports and frees, the other opens, uses and closes, and
one of the two is killed now and then.

``d`` device memory, ``b`` memory opened by an IPC handle, ``k`` physical memory, ``v`` an address range that shows it, ``o`` a
pool, ``q`` memory from a pool, ``r`` an imported pointer, ``x`` a handle or descriptor on its way. A name is of one process.
Not written: reads of memory that its owner freed while another has it open, and of what nobody filled (anything may be in
it); kernels where the executor finds them to be out of reach are not run.
"""
import random

SIZES = (100, 512, 4096, 65536, 1 << 20, 3 << 20)
ATTRIBUTES = ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "DEVICE_ORDINAL", "RANGE_SIZE", "RANGE_START_ADDR", "MAPPED", "ACCESS_FLAGS",
              "IS_LEGACY_CUDA_IPC_CAPABLE", "ALLOWED_HANDLE_TYPES", "IS_MANAGED")
HERE, THERE = "here", "there"
FILLED = 64    # bytes from the start of each memory that have a value


class SharedMemory:
    """What several names may show, in either process."""

    def __init__(self, source):
        self.filled, self.lost, self.source = False, False, source


class SharedThing:
    def __init__(self, name, process, memory=None, device=0):
        self.name, self.process, self.memory, self.device, self.alive = name, process, memory, device, True
        self.pool = self.handle = None

    @property
    def kind(self):
        return self.name[0]


class SharingWriter:
    def __init__(self, seed, length, devices=1):
        self.random, self.length, self.devices = random.Random(seed), length, devices
        self.calls, self.things, self.passed, self.running = [], [], [], False

    # -- choosing ------------------------------------------------------------------------------------------------

    def wrong(self, chance=0.15):
        return self.random.random() < chance

    def pick(self, options):
        return options[self.random.randrange(len(options))]

    def some(self, kinds, process=None, stale=0.08):
        """A thing of these kinds, mostly one that is there still; None if there is none."""
        things = [t for t in self.things if t.kind in kinds and t.process in ((process,) if process else (HERE, THERE))]
        dead = [t for t in things if not t.alive]
        if dead and self.random.random() < stale:
            return self.pick(dead)
        living = [t for t in things if t.alive]
        return self.pick(living) if living else None

    def make(self, kind, process, memory=None, device=0):
        thing = SharedThing(f"{kind}{sum(t.kind == kind for t in self.things)}", process, memory, device)
        self.things.append(thing)
        return thing

    def process(self):
        return self.pick((HERE, THERE)) if self.running else HERE

    def where(self, process, device=None):
        """Mostly with the context of the device that the thing is on."""
        if self.devices > 1 and (device is None or self.wrong(0.3)):
            device = self.random.randrange(self.devices)
        return f"{process} {device or 0}"

    def say(self, verb, process, *arguments, device=None):
        where = self.where(process, device)
        self.calls.append([verb, where, *arguments])
        return int(where[-1])

    # -- the whole -----------------------------------------------------------------------------------------------

    def write(self):
        self.start()
        steps = [step for step, weight in self.STEPS for _ in range(weight)]
        while len(self.calls) < self.length:
            self.pick(steps)(self)
        return self.calls

    def start(self):
        if not self.running:
            self.calls.append(["start", THERE])
            self.running = True

    def end(self):
        if not self.running or len(self.calls) < 20:
            return self.take()
        self.calls.append([self.pick(("kill", "kill", "leave")), THERE])
        self.running = False
        self.things = [t for t in self.things if t.process == HERE] + [self.gone(t) for t in self.things if t.process == THERE]
        for _ in range(self.pick((0, 1, 3))):    # the one that is left finds out
            self.pick((type(self).read, type(self).take_in, type(self).free, type(self).query))(self)
        self.start()

    def gone(self, thing):
        thing.alive, thing.process = False, "nowhere"
        return thing

    # -- what is made --------------------------------------------------------------------------------------------

    def take(self):
        process = self.process()
        thing = self.make("d", process, SharedMemory("d"))
        thing.device = self.say("take", process, thing.name, self.pick(SIZES), self.random.randrange(1, 7))
        thing.memory.filled = True

    def physical(self):
        process = self.process()
        thing = self.make("k", process, SharedMemory("k"))
        device = self.random.randrange(self.devices)
        thing.device = device
        self.say("physical", process, thing.name, 2 << 20, "device", device)
        self.show(thing)

    def show(self, handle=None):
        handle = handle or self.some("k", stale=0)
        if not handle or handle.process == "nowhere":
            return
        rights = self.pick(("read and write",) * 5 + ("read", None)) if self.devices == 1 else None
        thing = self.make("v", handle.process, handle.memory, handle.device)
        thing.handle = handle
        self.say("show", handle.process, thing.name, handle.name, 2 << 20, rights, device=handle.device)
        if self.devices > 1:
            for device in self.pick(((handle.device,), (0, 1), (1, 0), (1 - handle.device,))):
                self.say("access", handle.process, thing.name, self.pick(("read and write", "read and write", "read")), device, device=device)
        if not handle.memory.filled and (rights == "read and write" or self.devices > 1):
            self.say("put", handle.process, thing.name, self.random.randrange(1, 7), FILLED, device=handle.device)
            handle.memory.filled = self.devices == 1    # with two devices the context may have no right

    def pool(self):
        if sum(t.kind == "o" and t.alive for t in self.things) > 3:
            return self.draw()
        process = self.process()
        thing = self.make("o", process)
        thing.device = self.random.randrange(self.devices)
        self.say("pool", process, thing.name, "device", thing.device, device=thing.device)

    def draw(self):
        pool = self.some("o", stale=0)
        if not pool:
            return self.pool()
        thing = self.make("q", pool.process, SharedMemory("q"), pool.device)
        thing.pool = pool
        self.say("draw", pool.process, thing.name, pool.name, self.pick(SIZES), self.random.randrange(1, 7), device=pool.device)
        thing.memory.filled = pool.memory is None    # an imported pool gives none
        thing.alive = thing.memory.filled

    # -- what passes ---------------------------------------------------------------------------------------------

    def pass_on(self):
        thing = self.some("ddkkoq" if not self.wrong() else "bvrd")
        if not thing or thing.process == "nowhere":
            return
        verb = {"d": "offer", "k": "export", "o": "export pool", "q": "export pointer"}.get(thing.kind) if not self.wrong(0.1) else None
        verb = verb or self.pick(("offer", "export pointer"))
        if thing.kind in "ko" and verb in ("offer", "export pointer"):
            return
        label = f"x{len(self.passed)}"
        self.passed.append((label, verb, thing))
        self.say(verb, thing.process, thing.name, *([0] if verb in ("offer", "export pointer") else []), label, device=thing.device)
        if self.random.random() < 0.8:
            self.take_in(self.passed[-1])

    def take_in(self, passed=None):
        if not passed and not self.passed:
            return
        label, verb, source = passed or self.pick(self.passed)
        process = self.process() if self.wrong(0.1) or not self.running else THERE if source.process == HERE else HERE
        if verb == "offer":
            thing = self.make("b", process, source.memory, source.device)
            thing.alive = source.kind == "d" and process != source.process
            self.say("open", process, thing.name, label, device=source.device)
        elif verb == "export":
            thing = self.make("k", process, source.memory, source.device)
            self.say("import", process, thing.name, label, device=source.device)
            if self.random.random() < 0.8:
                self.show(thing)
        elif verb == "export pool":
            thing = self.make("o", process, source, source.device)    # its memory is the pool that it was made from
            self.say("import pool", process, thing.name, label, device=source.device)
        else:
            pools = [t for t in self.things if t.kind == "o" and t.alive and t.process == process]
            pools = [t for t in pools if t.memory is source.pool] or ([t for t in pools if t.memory] if self.wrong(0.3) else [])
            if not pools:
                return
            pool = self.pick(pools)
            thing = self.make("r", process, source.memory, source.device)
            thing.alive = pool.memory is source.pool and source.alive
            self.say("import pointer", process, thing.name, pool.name, label, device=source.device)

    def drop(self):
        if self.passed:
            self.calls.append(["drop", HERE, self.pick(self.passed)[0]])

    # -- what ends -----------------------------------------------------------------------------------------------

    def free(self):
        thing = self.some("ddbbkvqro", stale=0.15)
        if not thing or thing.process == "nowhere":
            return
        right = {"d": "free", "b": "close", "k": "release", "v": "hide", "q": "give back", "r": "give back", "o": "destroy pool"}[thing.kind]
        verb = self.pick(("free", "close", "give back")) if self.wrong() and thing.kind in "dbqr" else right
        users = [t for t in self.things if t is not thing and t.alive and t.memory is thing.memory and t.process != "nowhere"]
        if thing.kind == "q" and users and not self.wrong(0.3):
            return    # mostly in order: importers first
        self.say(verb, thing.process, thing.name, device=thing.device)
        if verb == right or thing.kind in "dq":
            thing.alive = False
            if thing.kind in "dq" and verb != "close":
                thing.memory.lost = True

    # -- what is read and written --------------------------------------------------------------------------------

    def usable(self, process=None):
        things = [t for t in self.things if t.kind in "dbvqr" and t.alive and t.process in ((process,) if process else (HERE, THERE))
                  and t.memory.filled and not t.memory.lost]
        return self.pick(things) if things else None

    def read(self):
        thing = self.usable() if not self.wrong(0.1) else self.some("dbvqr", stale=1)
        if not thing or thing.process == "nowhere":
            return
        if thing.alive:
            size = self.pick((1, 4, 8))
            self.say("look", thing.process, thing.name, size, self.pick((0, 0, FILLED - size, 20)), device=thing.device)
        else:
            self.say("see", thing.process, thing.name, device=thing.device)

    def write_to(self):
        thing = self.usable()
        if thing:
            verb = self.pick(("put", "fill"))
            size = self.pick((1, 4, 16))
            self.say(verb, thing.process, thing.name, self.random.randrange(1, 7), size, self.pick((0, 0, 8, FILLED - size)), device=thing.device)
            if self.random.random() < 0.5:
                self.read()

    def copy(self):
        to = self.usable()
        source = to and self.usable(to.process)
        if source and source.memory is not to.memory:
            self.say("copy", to.process, to.name, source.name, self.pick((1, 16, FILLED)), device=to.device)

    def query(self):
        thing = self.some("dbvqr", stale=0.12)
        if thing and thing.process != "nowhere":
            if self.wrong(0.3):
                self.say("range", thing.process, thing.name, device=thing.device)
            else:
                self.say("attribute", thing.process, thing.name, self.pick(ATTRIBUTES), device=thing.device)

    def peer(self):
        if self.devices > 1:
            self.say("peer", self.process(), "contexts", self.random.random() < 0.7)

    STEPS = [(take, 8), (physical, 5), (show, 4), (pool, 4), (draw, 5), (pass_on, 22), (take_in, 12), (drop, 2), (free, 13), (read, 18),
             (write_to, 14), (copy, 5), (query, 16), (end, 3), (peer, 4)]


def write(seed, length=100):
    return SharingWriter(seed, length).write()


class OnTwoDevices:
    """The same writer, with contexts of two devices in each process."""

    @staticmethod
    def write(seed, length=100):
        return SharingWriter(seed, length, devices=2).write()
