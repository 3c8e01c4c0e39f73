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


class SharedResource:
    def __init__(self, name, process, memory=None, device=0):
        self.name, self.process, self.memory, self.device, self.alive = name, process, memory, device, True
        self.pool = self.handle = None

    @property
    def kind(self):
        return self.name[0]


class SharingWriter:
    def __init__(self, seed, length, devices=1):
        self.random, self.length, self.devices = random.Random(seed), length, devices
        self.calls, self.resources, self.passed, self.running = [], [], [], False

    # -- choosing ------------------------------------------------------------------------------------------------

    def wrong(self, chance=0.15):
        return self.random.random() < chance

    def pick(self, options):
        return options[self.random.randrange(len(options))]

    def choose(self, kinds, process=None, stale=0.08):
        """A resource of these kinds, mostly one that is there still; None if there is none."""
        resources = [t for t in self.resources if t.kind in kinds and t.process in ((process,) if process else (HERE, THERE))]
        dead = [t for t in resources if not t.alive]
        if dead and self.random.random() < stale:
            return self.pick(dead)
        living = [t for t in resources if t.alive]
        return self.pick(living) if living else None

    def make(self, kind, process, memory=None, device=0):
        resource = SharedResource(f"{kind}{sum(t.kind == kind for t in self.resources)}", process, memory, device)
        self.resources.append(resource)
        return resource

    def process(self):
        return self.pick((HERE, THERE)) if self.running else HERE

    def where(self, process, device=None):
        """Mostly with the context of the device that the resource is on."""
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
        self.resources = [t for t in self.resources if t.process == HERE] + [self.lose(t) for t in self.resources if t.process == THERE]
        for _ in range(self.pick((0, 1, 3))):    # the one that is left finds out
            self.pick((type(self).read, type(self).take_in, type(self).free, type(self).query))(self)
        self.start()

    def lose(self, resource):
        resource.alive, resource.process = False, "nowhere"
        return resource

    # -- what is made --------------------------------------------------------------------------------------------

    def take(self):
        process = self.process()
        resource = self.make("d", process, SharedMemory("d"))
        resource.device = self.say("take", process, resource.name, self.pick(SIZES), self.random.randrange(1, 7))
        resource.memory.filled = True

    def physical(self):
        process = self.process()
        resource = self.make("k", process, SharedMemory("k"))
        device = self.random.randrange(self.devices)
        resource.device = device
        self.say("physical", process, resource.name, 2 << 20, "device", device)
        self.show(resource)

    def show(self, handle=None):
        handle = handle or self.choose("k", stale=0)
        if not handle or handle.process == "nowhere":
            return
        rights = self.pick(("read and write",) * 5 + ("read", None)) if self.devices == 1 else None
        resource = self.make("v", handle.process, handle.memory, handle.device)
        resource.handle = handle
        self.say("show", handle.process, resource.name, handle.name, 2 << 20, rights, device=handle.device)
        if self.devices > 1:
            for device in self.pick(((handle.device,), (0, 1), (1, 0), (1 - handle.device,))):
                self.say("access", handle.process, resource.name, self.pick(("read and write", "read and write", "read")), device, device=device)
        if not handle.memory.filled and (rights == "read and write" or self.devices > 1):
            self.say("put", handle.process, resource.name, self.random.randrange(1, 7), FILLED, device=handle.device)
            handle.memory.filled = self.devices == 1    # with two devices the context may have no right

    def pool(self):
        if sum(t.kind == "o" and t.alive for t in self.resources) > 3:
            return self.draw()
        process = self.process()
        resource = self.make("o", process)
        resource.device = self.random.randrange(self.devices)
        self.say("pool", process, resource.name, "device", resource.device, device=resource.device)

    def draw(self):
        pool = self.choose("o", stale=0)
        if not pool:
            return self.pool()
        resource = self.make("q", pool.process, SharedMemory("q"), pool.device)
        resource.pool = pool
        self.say("draw", pool.process, resource.name, pool.name, self.pick(SIZES), self.random.randrange(1, 7), device=pool.device)
        resource.memory.filled = pool.memory is None    # an imported pool gives none
        resource.alive = resource.memory.filled

    # -- what passes ---------------------------------------------------------------------------------------------

    def pass_on(self):
        resource = self.choose("ddkkoq" if not self.wrong() else "bvrd")
        if not resource or resource.process == "nowhere":
            return
        verb = {"d": "offer", "k": "export", "o": "export pool", "q": "export pointer"}.get(resource.kind) if not self.wrong(0.1) else None
        verb = verb or self.pick(("offer", "export pointer"))
        if resource.kind in "ko" and verb in ("offer", "export pointer"):
            return
        label = f"x{len(self.passed)}"
        self.passed.append((label, verb, resource))
        self.say(verb, resource.process, resource.name, *([0] if verb in ("offer", "export pointer") else []), label,
                 device=resource.device)
        if self.random.random() < 0.8:
            self.take_in(self.passed[-1])

    def take_in(self, passed=None):
        if not passed and not self.passed:
            return
        label, verb, source = passed or self.pick(self.passed)
        process = self.process() if self.wrong(0.1) or not self.running else THERE if source.process == HERE else HERE
        if verb == "offer":
            resource = self.make("b", process, source.memory, source.device)
            resource.alive = source.kind == "d" and process != source.process
            self.say("open", process, resource.name, label, device=source.device)
        elif verb == "export":
            resource = self.make("k", process, source.memory, source.device)
            self.say("import", process, resource.name, label, device=source.device)
            if self.random.random() < 0.8:
                self.show(resource)
        elif verb == "export pool":
            resource = self.make("o", process, source, source.device)    # its memory is the pool that it was made from
            self.say("import pool", process, resource.name, label, device=source.device)
        else:
            pools = [t for t in self.resources if t.kind == "o" and t.alive and t.process == process]
            pools = [t for t in pools if t.memory is source.pool] or ([t for t in pools if t.memory] if self.wrong(0.3) else [])
            if not pools:
                return
            pool = self.pick(pools)
            resource = self.make("r", process, source.memory, source.device)
            resource.alive = pool.memory is source.pool and source.alive
            self.say("import pointer", process, resource.name, pool.name, label, device=source.device)

    def drop(self):
        if self.passed:
            self.calls.append(["drop", HERE, self.pick(self.passed)[0]])

    # -- what ends -----------------------------------------------------------------------------------------------

    def free(self):
        resource = self.choose("ddbbkvqro", stale=0.15)
        if not resource or resource.process == "nowhere":
            return
        right = {"d": "free", "b": "close", "k": "release", "v": "hide", "q": "give back", "r": "give back", "o": "destroy pool"}[resource.kind]
        verb = self.pick(("free", "close", "give back")) if self.wrong() and resource.kind in "dbqr" else right
        users = [t for t in self.resources if t is not resource and t.alive and t.memory is resource.memory and t.process != "nowhere"]
        if resource.kind == "q" and users and not self.wrong(0.3):
            return    # mostly in order: importers first
        self.say(verb, resource.process, resource.name, device=resource.device)
        if verb == right or resource.kind in "dq":
            resource.alive = False
            if resource.kind in "dq" and verb != "close":
                resource.memory.lost = True

    # -- what is read and written --------------------------------------------------------------------------------

    def usable(self, process=None):
        resources = [t for t in self.resources if t.kind in "dbvqr" and t.alive and t.process in ((process,) if process else (HERE, THERE))
                     and t.memory.filled and not t.memory.lost]
        return self.pick(resources) if resources else None

    def read(self):
        resource = self.usable() if not self.wrong(0.1) else self.choose("dbvqr", stale=1)
        if not resource or resource.process == "nowhere":
            return
        if resource.alive:
            size = self.pick((1, 4, 8))
            self.say("look", resource.process, resource.name, size, self.pick((0, 0, FILLED - size, 20)), device=resource.device)
        else:
            self.say("see", resource.process, resource.name, device=resource.device)

    def write_to(self):
        resource = self.usable()
        if resource:
            verb = self.pick(("put", "fill"))
            size = self.pick((1, 4, 16))
            self.say(verb, resource.process, resource.name, self.random.randrange(1, 7), size, self.pick((0, 0, 8, FILLED - size)), device=resource.device)
            if self.random.random() < 0.5:
                self.read()

    def copy(self):
        to = self.usable()
        source = to and self.usable(to.process)
        if source and source.memory is not to.memory:
            self.say("copy", to.process, to.name, source.name, self.pick((1, 16, FILLED)), device=to.device)

    def query(self):
        resource = self.choose("dbvqr", stale=0.12)
        if resource and resource.process != "nowhere":
            if self.wrong(0.3):
                self.say("range", resource.process, resource.name, device=resource.device)
            else:
                self.say("attribute", resource.process, resource.name, self.pick(ATTRIBUTES), device=resource.device)

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
