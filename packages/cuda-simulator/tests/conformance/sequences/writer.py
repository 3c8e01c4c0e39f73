"""Write a sequence of driver calls from a seed.

A call is a JSON list: the function's name, then arguments. What a call makes gets a name (``d0`` device memory, ``p``
pinned, ``m`` managed, ``q`` stream-ordered, ``b`` pages of the host, ``v`` a reservation, ``k`` a physical handle, ``c`` a
context, ``s`` a stream, ``e`` an event); addresses are ``["d0", 16]``: 16 bytes after the start of d0. So a sequence means
the same on every driver.

The writer keeps a rough idea of what exists, so that most calls are right; about a quarter is wrong on purpose. It
never sees an answer. Not written: what crashes a GPU's driver (destroyed streams, released handles, host sides of
copies that are not there) and what depends on time.
"""
import random

CHUNK = 2 << 20
SIZES = (1, 100, 512, 1000, 4096, 5000, 65536, 1 << 20, (2 << 20) + 100)
ATTRIBUTES = ("MEMORY_TYPE", "DEVICE_POINTER", "HOST_POINTER", "IS_MANAGED", "DEVICE_ORDINAL", "RANGE_START_ADDR", "RANGE_SIZE",
              "MAPPED", "CONTEXT", "SYNC_MEMOPS", "ACCESS_FLAGS")


class Resource:
    def __init__(self, name, size=0, **fields):
        self.name, self.size, self.alive, self.filled = name, size, True, False
        self.flags = self.chunks = self.handles = None
        self.__dict__.update(fields)

    @property
    def kind(self):
        return self.name[0]


class SequenceWriter:
    def __init__(self, seed, length):
        self.random, self.length = random.Random(seed), length
        self.calls, self.resources = [], []
        self.stack = []    # of contexts, as far as the writer knows

    # -- choosing ------------------------------------------------------------------------------------------------

    def wrong(self, chance=0.2):
        return self.random.random() < chance

    def pick(self, options):
        return options[self.random.randrange(len(options))]

    def all(self, kinds, alive=True):
        return [t for t in self.resources if t.kind in kinds and (alive is None or t.alive == alive)]

    def choose(self, kinds, stale=0.15):
        """A resource of these kinds, mostly alive; None if there is none."""
        dead = self.all(kinds, alive=False)
        if dead and self.random.random() < stale:
            return self.pick(dead)
        living = self.all(kinds)
        return self.pick(living) if living else None

    def make(self, kind, size=0, **fields):
        resource = Resource(f"{kind}{sum(t.kind == kind for t in self.resources)}", size, **fields)
        self.resources.append(resource)
        return resource

    def offset(self, resource, span=1):
        """Where in a resource a range of `span` bytes may begin: mostly inside."""
        room = max(resource.size - span, 0)
        return self.pick((0, 0, room, room // 2, room // 2 // 4 * 4, min(16, room), min(room, 7)))

    def say(self, *call):
        self.calls.append(list(call))

    # -- the whole -----------------------------------------------------------------------------------------------

    def write(self):
        self.context_create()
        steps = [step for step, weight in self.STEPS for _ in range(weight)]
        while len(self.calls) < self.length:
            self.pick(steps)(self)
        return self.calls

    # -- contexts ------------------------------------------------------------------------------------------------

    def context_create(self):
        if len(self.all("c", alive=None)) >= 3:
            return
        flags = self.pick((0, 0, 0, 4, 8, 3, 512)) if self.stack else 0
        if flags in (3, 512):
            return self.say("cuCtxCreate", "none", flags)
        context = self.make("c")
        self.say("cuCtxCreate", context.name, flags)
        self.stack.append(context)

    def context_move(self):
        verb = self.pick(("cuCtxPushCurrent", "cuCtxPopCurrent", "cuCtxSetCurrent", "cuCtxSetCurrent", "cuCtxGetCurrent", "ask"))
        context = self.choose("c", stale=0.08)
        if verb == "cuCtxPushCurrent":
            self.say(verb, context.name)
            self.stack.append(context)
        elif verb == "cuCtxPopCurrent":
            self.say(verb)
            self.stack[-1:] = []
            if not self.stack:    # mostly go on with one
                self.say("cuCtxPushCurrent", context.name)
                self.stack.append(context)
        elif verb == "cuCtxSetCurrent":
            self.say(verb, context.name)
            self.stack[-1:] = [context]
        elif verb == "cuCtxGetCurrent":
            self.say(verb)
        else:
            self.say(self.pick(("cuCtxGetDevice", "cuCtxGetFlags", "cuCtxSynchronize")))
        if self.stack and not self.stack[-1].alive and self.random.random() < 0.7:
            good = self.choose("c", stale=0)
            if good:
                self.say("cuCtxSetCurrent", good.name)
                self.stack[-1] = good

    def context_destroy(self):
        living = self.all("c")
        if len(living) < 2 or self.wrong(0.6):
            return
        context = self.pick(living)
        self.say("cuCtxDestroy", context.name)
        context.alive = False
        for resource in self.resources:
            if resource.kind in "dpmse" and resource.owner is context:
                resource.alive = False
            if resource.kind == "b":
                resource.flags = None if resource.owner is context else resource.flags
        if self.stack and self.stack[-1] is context:
            self.stack.pop()
        if not self.stack or not self.stack[-1].alive:
            good = self.choose("c", stale=0)
            self.say("cuCtxSetCurrent", good.name)
            self.stack[-1:] = [good]

    @property
    def current(self):
        return self.stack[-1] if self.stack else None

    def limit(self):
        number = self.pick((0, 0, 1, 2, 4, 5, 3, 10))
        if self.wrong(0.5) and number in (0, 2):
            self.say("cuCtxSetLimit", number, self.pick((1024, 2000, 4096, 8 << 20, 16 << 20)) if number else self.pick((512, 1000, 4096)))
        self.say("cuCtxGetLimit", number)

    # -- memory --------------------------------------------------------------------------------------------------

    def allocate(self):
        kind = self.pick("dddddpppmmqq")
        size = 0 if self.wrong(0.06) else self.pick(SIZES)
        good = bool(size)
        flags = None
        if kind == "p":
            flags = self.pick((0, 0, 1, 2, 4, 6, 7)) if not self.wrong(0.08) else self.pick((8, 16, 1 << 31))
            good = flags < 8 and size
        if kind == "m":
            flags = self.pick((1, 1, 2)) if not self.wrong(0.1) else self.pick((0, 3, 4))
            good = good and flags in (1, 2)
        if kind == "q":
            good = good or size == 0
        if not size and kind in "pq":    # a success without a use
            size = 1
        resource = self.make(kind, size, owner=self.current) if good else None
        name = resource.name if resource else "none"
        if kind == "d":
            self.say("cuMemAlloc", name, size)
        elif kind == "q":
            self.say("cuMemAllocAsync", name, size)
        else:
            self.say({"p": "cuMemHostAlloc", "m": "cuMemAllocManaged"}[kind], name, size, flags)
        if resource and self.random.random() < 0.8:
            self.say("cuMemsetD8", [resource.name, 0], self.random.randrange(256), resource.size)
            resource.filled = True

    def pages(self):
        resource = self.make("b", 4096 * self.pick((1, 2, 16)), owner=None)
        self.say("pages", resource.name, resource.size)
        resource.filled = True

    def register(self):
        resource = self.choose("b", stale=0)
        if not resource:
            return self.pages()
        offset, size = self.pick(((0, resource.size), (0, resource.size), (0, 4096), (100, 1000), (0, 0), (2000, 2000),
                                  (0, resource.size - 1)))
        flags = self.pick((0, 0, 1, 2, 3, 8)) if not self.wrong(0.1) else self.pick((4, 16, 32))
        self.say("cuMemHostRegister", [resource.name, offset], size, flags)
        if resource.flags is None and size and flags < 4:
            resource.flags, resource.owner = (offset, size), self.current

    def unregister(self):
        resource = self.choose("b" if not self.wrong(0.15) else "dpmbv", stale=0.1)
        if not resource:
            return
        offset = resource.flags[0] if resource.flags and not self.wrong() else self.pick((0, 8, 100))
        self.say("cuMemHostUnregister", [resource.name, offset])
        if resource.kind == "b" and resource.flags and resource.flags[0] == offset:
            resource.flags = None

    def free(self):
        resource = self.choose("dddppmqqbv", stale=0.2)
        if not resource or (len(self.all("dpmq")) < 4 and resource.alive):
            return
        right = {"d": "cuMemFree", "m": "cuMemFree", "q": "cuMemFreeAsync", "p": "cuMemFreeHost"}.get(resource.kind, "cuMemFree")
        verb = self.pick(("cuMemFree", "cuMemFreeHost", "cuMemFreeAsync")) if self.wrong() else right
        offset = self.pick((8, 512)) if self.wrong(0.12) else 0
        self.say(verb, [resource.name, offset])
        if not offset and (verb == right or (resource.kind in "dq" and verb != "cuMemFreeHost")):
            resource.alive = False

    def query(self):
        resource = self.choose("dpmqbv" + "dpb", stale=0.2)
        if not resource:
            return
        address = [resource.name, self.pick((0, 0, 1, 16, resource.size // 2, max(resource.size - 1, 0)))]
        verb = self.pick(("cuPointerGetAttribute",) * 5 + ("cuPointerGetAttributes",) * 2 +
                         ("cuMemGetAddressRange", "cuMemGetAddressRange", "cuMemHostGetFlags", "cuMemHostGetDevicePointer",
                          "cuMemHostGetDevicePointer", "cuMemRetainAllocationHandle", "cuMemGetAccess", "cuPointerSetAttribute"))
        if verb.startswith("cuPointerGetAttribute"):
            self.say(verb, self.pick(ATTRIBUTES), address)
        elif verb == "cuMemHostGetDevicePointer":
            self.say(verb, address, 0 if not self.wrong(0.1) else self.pick((1, 2)))
        else:
            self.say(verb, address)

    # -- contents ------------------------------------------------------------------------------------------------

    def usable(self, kinds):
        """A living thing whose content is known, or a chunk of a reservation with full access: (thing, first, size)."""
        chunks = [(t, 0, t.size) for t in self.all(kinds) if t.filled]
        if "v" in kinds:
            chunks += [(t, i * CHUNK, CHUNK) for t in self.all("v") for i, c in enumerate(t.chunks) if c == "open"]
        return self.pick(chunks) if chunks else None

    def memset(self):
        target = self.usable("dpmqv")
        if not target:
            return
        resource, first_byte, size = target
        width = self.pick((1, 1, 2, 4))
        count = self.pick((0, 1, 5, 16, 100))
        start = first_byte + self.pick((0, 0, 4, 8, 64, 1 if self.wrong() else 4))
        if self.wrong(0.1) and resource.kind != "v":
            count = (size + 64) // width    # past the end
        elif start + count * width > first_byte + size:
            start, count = first_byte, max(size // width // 2, 0)
        stream = self.choose("s", stale=0) if self.wrong(0.3) else None
        self.say(f"cuMemsetD{8 * width}" + ("Async" if stream else ""), [resource.name, start], self.random.randrange(1 << 8 * width),
                 count, *([stream.name] if stream else []))
        if stream:
            self.say("cuStreamSynchronize", stream.name)

    def copy(self):
        source, target = self.usable("dpmqvbb"), self.usable("dpmqvbb")
        if not source or not target:
            return
        verb = self.pick(("cuMemcpy", "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyDtoD", "cuMemcpyAsync"))
        size = min(self.pick((0, 1, 16, 100, 1000, 4096)), source[2], target[2])
        if self.wrong(0.1) and "b" not in source[0].kind + target[0].kind and "v" not in source[0].kind + target[0].kind:
            size = min(source[2], target[2]) + 1    # past the end of one of them
        to, start = ([t[0].name, t[1] + self.pick((0, 0, 1, 4)) if size + 4 < t[2] else t[1]] for t in (target, source))
        if to[0] == start[0] and verb != "cuMemcpyDtoD":
            return
        if to[0] == start[0] and abs(to[1] - start[1]) < size:
            return    # overlapping: not defined
        stream = self.choose("s", stale=0) if verb == "cuMemcpyAsync" else None
        if verb == "cuMemcpyAsync" and not stream:
            verb = "cuMemcpy"
        self.say(verb, to, start, size, *([stream.name] if stream else []))
        self.say("cuStreamSynchronize", stream.name) if stream else self.say("cuCtxSynchronize")

    def copy_wrong(self):
        """A copy with a device side that is freed, reserved only, or pageable."""
        bad = self.choose("dpmqvb", stale=0.5)
        host = self.choose("b", stale=0)
        if not bad or not host or bad is host:
            return
        verb = self.pick(("cuMemcpyHtoD", "cuMemcpyDtoH"))
        address, pageable = [bad.name, self.pick((0, 16))], [host.name, 0]
        self.say(verb, *((address, pageable) if verb == "cuMemcpyHtoD" else (pageable, address)), 16)
        if verb == "cuMemcpyDtoH" and not bad.filled:
            host.filled = False    # what was never written may hold anything

    def read(self):
        source = self.usable("dpmqvb")
        if source:
            resource, first_byte, size = source
            self.say("read", [resource.name, first_byte + self.pick((0, 0, min(size // 2, 4096)))], min(size // 2 or 1, 24))

    def launch(self):
        target = self.usable("dpmqv")
        if target:
            resource, first_byte, size = target
            self.say("fill", [resource.name, first_byte], self.random.randrange(256), min(size, self.pick((1, 16, 100))))

    # -- virtual memory management -------------------------------------------------------------------------------

    def reserve(self):
        if len(self.all("v")) > 4:
            return
        count = self.pick((1, 2, 3, 4))
        if self.wrong(0.15):
            return self.say("cuMemAddressReserve", "none", self.pick((0, 4096, CHUNK + 4096, 1 << 20)), 0)
        resource = self.make("v", count * CHUNK, chunks=[None] * count, handles=[None] * count)
        self.say("cuMemAddressReserve", resource.name, resource.size, self.pick((0, 0, 4096, CHUNK, 4 * CHUNK)))

    def create(self):
        if self.wrong(0.15):
            return self.say("cuMemCreate", "none", self.pick((0, 4096, CHUNK + 1)), "device")
        if len(self.all("k")) < 6:
            resource = self.make("k", self.pick((1, 1, 1, 2)) * CHUNK, held=1, maps=0, place=self.pick(("device", "device", "device", "host numa")))
            self.say("cuMemCreate", resource.name, resource.size, resource.place)

    def map(self):
        reservation, handle = self.choose("v", stale=0), self.choose("k", stale=0)
        if not reservation or not handle:
            return self.reserve() if not reservation else self.create()
        n, at = handle.size // CHUNK, self.random.randrange(len(reservation.chunks))
        fits = at + n <= len(reservation.chunks) and not any(reservation.chunks[at:at + n])
        if self.wrong(0.15):
            offset, size, flags, shift = self.pick(((CHUNK, handle.size, 0, 0), (0, CHUNK // 2, 0, 0), (0, handle.size, 1, 0),
                                                    (0, 0, 0, 0), (0, handle.size + CHUNK, 0, 0), (0, handle.size, 0, 4096)))
            return self.say("cuMemMap", [reservation.name, at * CHUNK + shift], size, offset, handle.name, flags)
        if at + n > len(reservation.chunks):
            return
        self.say("cuMemMap", [reservation.name, at * CHUNK], handle.size, 0, handle.name, 0)
        if fits:
            reservation.chunks[at] = "closed"
            for i in range(1, n):
                reservation.chunks[at + i] = "more"
            reservation.handles[at] = handle
            handle.maps += 1
            if self.random.random() < 0.8:
                self.access(reservation, at)

    def access(self, reservation=None, at=None):
        given_reservation = reservation
        reservation = reservation or self.choose("v", stale=0.1)
        if not reservation:
            return
        starts = [i for i, c in enumerate(reservation.chunks) if c in ("open", "closed", "read")]
        if at is None:
            at = self.pick(starts) if starts and not self.wrong() else self.random.randrange(len(reservation.chunks))
        handle = reservation.handles[at]
        size = handle.size if handle else CHUNK
        if self.wrong(0.12) and not given_reservation:
            size = self.pick((4096, 0, CHUNK))
        rights = "read and write" if given_reservation else self.pick(("read and write", "read and write", "read", "none"))
        self.say("cuMemSetAccess", [reservation.name, at * CHUNK], size, rights, "device")
        if handle and size == handle.size and reservation.alive:
            reservation.chunks[at] = {"read and write": "open", "read": "read", "none": "closed"}[rights]
            if given_reservation and self.random.random() < 0.8:
                self.say("cuMemsetD8", [reservation.name, at * CHUNK], self.random.randrange(256), CHUNK)
            self.say("cuMemGetAccess", [reservation.name, at * CHUNK + self.pick((0, 100))])

    def unmap(self):
        reservation = self.choose("v", stale=0.1)
        if not reservation:
            return
        starts = [i for i, h in enumerate(reservation.handles) if h]
        at = self.pick(starts) if starts and not self.wrong() else self.random.randrange(len(reservation.chunks))
        handle = reservation.handles[at]
        size = handle.size if handle else CHUNK
        if self.wrong(0.15):
            at, size, handle = self.pick(((0, reservation.size, "all"), (at, 4096, None), (at, 0, None)))
        elif at * CHUNK + size > reservation.size:
            return
        self.say("cuMemUnmap", [reservation.name, at * CHUNK], size)
        for i in range(len(reservation.chunks)) if handle == "all" else [at] if handle else []:
            if reservation.handles[i] and reservation.alive:
                reservation.handles[i].maps -= 1
                self.bury(reservation.handles[i])
                for j in range(reservation.handles[i].size // CHUNK):
                    reservation.chunks[i + j] = None
                reservation.handles[i] = None

    def bury(self, handle):
        if not handle.held and not handle.maps:
            handle.alive = False

    def release(self):
        handle = self.choose("k", stale=0)
        if handle and (handle.held > 0 or handle.maps > 0):
            self.say("cuMemRelease", handle.name)
            handle.held = max(handle.held - 1, 0)
            if not handle.held:
                handle.alive = False    # the writer does not map it again; a GPU's driver might crash
                handle.gone = True

    def retain(self):
        chunks = [(v, i) for v in self.all("v") for i, h in enumerate(v.handles) if h and h.alive]
        if chunks:
            reservation, at = self.pick(chunks)
            self.say("retain and release", [reservation.name, at * CHUNK + self.pick((0, 4096))], reservation.handles[at].name)

    def address_free(self):
        reservation = self.choose("v", stale=0.2)
        if not reservation:
            return
        size = reservation.size if not self.wrong(0.15) else self.pick((CHUNK // 2, reservation.size + CHUNK, 0))
        self.say("cuMemAddressFree", [reservation.name, 0], size)
        if size == reservation.size and not any(reservation.handles):
            reservation.alive = False

    # -- streams and events --------------------------------------------------------------------------------------

    def stream(self):
        if len(self.all("s")) < 3:
            flags = self.pick((0, 1, 1)) if not self.wrong(0.1) else self.pick((2, 3, 8))
            resource = self.make("s", owner=self.current) if flags < 2 else None
            return self.say("cuStreamCreate", resource.name if resource else "none", flags)
        resource = self.choose("s", stale=0)
        verb = self.pick(("cuStreamSynchronize", "cuStreamGetFlags", "cuStreamGetPriority", "cuStreamDestroy"))
        self.say(verb, resource.name)
        if verb == "cuStreamDestroy":
            resource.alive = False

    def event(self):
        resource = self.choose("e", stale=0)
        if not resource or len(self.all("e")) < 3:
            flags = self.pick((0, 0, 1, 2, 6)) if not self.wrong(0.1) else self.pick((4, 8))
            new_event = self.make("e", owner=self.current) if flags not in (4, 8) else None
            return self.say("cuEventCreate", new_event.name if new_event else "none", flags)
        verb = self.pick(("record", "record", "cuEventSynchronize", "cuEventElapsedTime", "cuEventDestroy", "cuStreamWaitEvent"))
        stream = self.choose("s", stale=0)
        if verb == "record" and stream:
            self.say("cuEventRecord", resource.name, stream.name)
            self.say("cuEventSynchronize", resource.name)
            self.say("cuEventQuery", resource.name)
        elif verb == "cuStreamWaitEvent" and stream:
            self.say(verb, stream.name, resource.name, 0 if not self.wrong(0.1) else 2)
        elif verb == "cuEventElapsedTime":
            self.say(verb, resource.name, self.choose("e", stale=0).name)
        elif verb in ("cuEventSynchronize", "cuEventDestroy"):
            self.say(verb, resource.name)
            resource.alive = resource.alive and verb != "cuEventDestroy"


W = SequenceWriter
SequenceWriter.STEPS = [(W.allocate, 14), (W.pages, 3), (W.register, 8), (W.unregister, 6), (W.free, 12), (W.query, 26), (W.memset, 10), (W.copy, 12),
                        (W.copy_wrong, 6), (W.read, 10), (W.launch, 4), (W.reserve, 5), (W.create, 5), (W.map, 9), (W.access, 6), (W.unmap, 4),
                        (W.release, 3), (W.retain, 3), (W.address_free, 3), (W.stream, 4), (W.event, 6), (W.context_move, 5), (W.context_create, 2),
                        (W.context_destroy, 2), (W.limit, 2)]


def write(seed, length=150):
    return SequenceWriter(seed, length).write()
