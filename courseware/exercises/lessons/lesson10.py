"""Lesson 10, A vector that grows: what the course taught, put together, in four steps.

The first and the last are here; vector_fill.py and vector_whose.py have those between them.
"""
from ..exercise import Case, Exercise, slip
from . import vector_harness
from .vector_fill import fill
from .vector_harness import AS_BEFORE, BACK, GROWS, REFUSED
from .vector_whose import whose

IMPORTS = """
from course_lib import reservation
from course_lib.core.errors import ask      # ask(call, *arguments): what it hands out, or an exception
from cuda.bindings import driver as cu
"""
GROW = IMPORTS + '''
class Vector:
    def __init__(self, most):
        self.reserved = reservation.round_up(most)
        self.address = int(ask(cu.cuMemAddressReserve, self.reserved, 0, 0, 0))
        self.nbytes = 0

    def grow(self, nbytes):
        if nbytes <= self.nbytes:
            return
        if nbytes > self.reserved:
            raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")
        where, access = reservation.on_the_device()
        end, more = self.address + self.nbytes, reservation.round_up(nbytes - self.nbytes)
        handle = ask(cu.cuMemCreate, more, where, 0)
        ask(cu.cuMemMap, end, more, 0, handle, 0)
        ask(cu.cuMemSetAccess, end, more, [access], 1)
        ask(cu.cuMemRelease, handle)
        self.nbytes += more
'''


def _growth(what, most, steps, expected, hidden=True):
    call = f"vector = Vector(most)      # most: {_bytes(*most)}\n" + "\n".join(
        f"vector.grow({_bytes(*step)})" for step in steps)
    return Case(what, (most, steps), expected, hidden, call)


def _bytes(granules, more):
    return " + ".join(filter(None, [f"{granules} * granularity" if granules else "", str(more) if more else ""])) or "0"


grow = Exercise(
    id="vector-grow", lesson="10", title="It grows in place", name="Vector", kind="class", minutes=25, sandboxed=True,
    run=vector_harness.grow,
    statement="""
Write `Vector(most)`: it reserves addresses for `most` bytes, rounded up to the granularity, and takes no memory yet.
`grow(nbytes)` makes room for `nbytes` bytes in all (05b's `grow` was told how much to add), also rounded up: it maps
new memory behind what is there, and takes no more than is needed. `address` and `nbytes` say where the vector begins
and how much is mapped. What does not fit into the reservation is a `ValueError` that says so, raised before anything
is made. Make the driver's calls by `cu`; about fifteen lines are enough.

    vector = Vector(1 << 40)        # vector.nbytes is 0
    vector.grow(1000)               # the granularity: 2097152 on an H200
    vector.grow(3000000)            # twice the granularity, at the same address, with the same content
    vector.grow(5)                  # there is room for 5 already: nothing happens
""",
    starter=IMPORTS + '''
class Vector:
    """Device memory that grows in place: it has an address, and nbytes."""

    def __init__(self, most):
        ...         # about three lines

    def grow(self, nbytes):
        # where, access = reservation.on_the_device(): what cuMemCreate and cuMemSetAccess are told
        ...         # about ten lines
''',
    hints=("The steps are lesson 05's: create, map, set access, and release the handle, for a mapping keeps its "
           "memory. What is "
           "new is *where*: behind what is mapped already, at `self.address + self.nbytes`.",
           "Only what is missing is created: `reservation.round_up(nbytes - self.nbytes)`. Look first whether "
           "anything is missing, "
           "and whether it fits; `round_up` gives at least one granule."),
    solution=GROW,
    mistakes=(
        slip(GROW, "        ask(cu.cuMemSetAccess, end, more, [access], 1)\n", "",
             "Mapped is not yet accessible: each new part needs `cuMemSetAccess`.",
             GROW.replace("ask(cu.cuMemSetAccess, end, more, [access], 1)",
                          "self.nbytes or ask(cu.cuMemSetAccess, end, more, [access], 1)")),
        slip(GROW, "reservation.round_up(nbytes - self.nbytes)", "nbytes - self.nbytes",
             "`cuMemCreate` and `cuMemMap` take multiples of the granularity: round up what is missing."),
        slip(GROW, "end, more = self.address + self.nbytes,", "end, more = self.address,",
             "The second part is mapped where the first one is: it belongs behind it, at `self.address + "
             "self.nbytes`."),
        slip(GROW, "reservation.round_up(nbytes - self.nbytes)", "reservation.round_up(nbytes)",
             "`nbytes` is the room in all. Create only what is missing: take away what is there.",
             GROW.replace("nbytes <= self.nbytes", "nbytes <= 0").replace("nbytes > self.reserved",
                          "nbytes + self.nbytes > self.reserved").replace("round_up(nbytes - self.nbytes)",
                                                                          "round_up(nbytes)")),
        slip(GROW, "        if nbytes <= self.nbytes:\n            return\n", "",
             "Where there is room already, nothing is to be made: `round_up` gives one granule even for 0 bytes, "
             "or fewer."),
        slip(GROW, "        if nbytes > self.reserved:\n"
             '            raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")\n', "",
             "More than was reserved has to be a ValueError of your own, before any call: what lies behind the "
             "reservation "
             "belongs to somebody else."),
        slip(GROW, 'raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")', "return",
             "Who asks for more than was reserved has to be told: raise a ValueError that says how much there is."),
        slip(GROW, '            raise ValueError(f"{nbytes} bytes are too many: {self.reserved} are reserved")',
             "            raise ValueError", "The ValueError says nothing: give it a text with both numbers."),
        slip(GROW, "self.reserved = reservation.round_up(most)", "self.reserved = most",
             "Addresses are reserved in multiples of the granularity, too: round `most` up."),
        slip(GROW, "self.nbytes += more", "self.nbytes = nbytes",
             "`nbytes` is how much is mapped, and that is a multiple of the granularity: add what you have created."),
        slip(GROW, "        self.nbytes += more\n", "",
             "The vector does not know that it has grown: set `self.nbytes`."),
        slip(GROW, "reservation.round_up(nbytes - self.nbytes)", "self.reserved - self.nbytes",
             "You map the whole reservation at once. Take no more memory than is asked for, rounded up."),
        slip(GROW, "        self.nbytes = 0\n", "        self.nbytes = 0\n        self.grow(1)\n",
             "A new vector takes no memory: it reserves addresses, which cost nothing, and `grow` does the rest."),
        slip(GROW, "        end, more =", """        if self.nbytes:
            ask(cu.cuMemUnmap, self.address, self.nbytes)
            self.nbytes = 0
        end, more =""",
             "You unmap the old memory and map a new one: its content is gone. Leave what is there, and map only "
             "what is missing."),
        slip(GROW, "        self.nbytes += more\n", "        self.nbytes += more\n        self.address = end\n",
             "`address` is where the vector begins. It stays; the end is `address + nbytes`."),
    ),
    cases=(_growth("a vector that grows once", (5, 0), ((0, 1000),), GROWS, False),
           _growth("a vector that grows three times", (8, 0), ((0, 1000), (1, 1), (5, 0)), GROWS, False),
           _growth("more than was reserved", (2, 0), ((1, 0), (2, 1), (2, 0)), REFUSED, False),
           _growth("a room that is there already", (4, 0), ((2, 0), (1, 7), (0, 0), (2, 0)), GROWS),
           _growth("a size that is not a multiple of the granularity", (2, 5), ((2, 5),), GROWS),
           _growth("a vector that has much, and grows by little", (9, 0), ((4, 0), (4, 1)), GROWS),
           _growth("more than was reserved, at once", (3, 0), ((7, 3),), REFUSED)))

LET_GO = GROW.replace("""        handle = ask(cu.cuMemCreate, more, where, 0)
        ask(cu.cuMemMap, end, more, 0, handle, 0)
        ask(cu.cuMemSetAccess, end, more, [access], 1)
        ask(cu.cuMemRelease, handle)
""", """        handle = ask(cu.cuMemCreate, more, where, 0)
        try:
            ask(cu.cuMemMap, end, more, 0, handle, 0)
        finally:
            ask(cu.cuMemRelease, handle)
        try:
            ask(cu.cuMemSetAccess, end, more, [access], 1)
        except BaseException:
            ask(cu.cuMemUnmap, end, more)
            raise
""") + """
    def release(self):
        if self.address is not None:
            ask(cu.cuCtxSynchronize)
            if self.nbytes:
                ask(cu.cuMemUnmap, self.address, self.nbytes)
            ask(cu.cuMemAddressFree, self.address, self.reserved)
            self.address, self.nbytes = None, 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()
"""
_UNSAFE = """        ask(cu.cuMemMap, end, more, 0, handle, 0)
        ask(cu.cuMemSetAccess, end, more, [access], 1)
        ask(cu.cuMemRelease, handle)
"""
_SAFE = LET_GO[LET_GO.index("        try:"):LET_GO.index("        self.nbytes += more")]
_UNMAP = "            if self.nbytes:\n                ask(cu.cuMemUnmap, self.address, self.nbytes)\n"
_FREE = "            ask(cu.cuMemAddressFree, self.address, self.reserved)\n"
_SCENE = """with Vector(most) as vector:
    vector.grow(granularity)
    {}
    vector.grow(2 * granularity)"""


def _let_go(what, scene, call, hidden=True):
    return Case(what, (scene,), AS_BEFORE if scene in vector_harness.FAILING else BACK, hidden, call)


let_go = Exercise(
    id="vector-let-go", lesson="10", title="It lets go", name="Vector", kind="class", minutes=25, sandboxed=True,
    run=vector_harness.let_go,
    statement="""
Take the `Vector` of vector-grow, and let it give everything back, whatever goes wrong. `with Vector(most) as vector:`
gives back all memory and all addresses at the end of the block, also when the block ends by an exception, which goes
on to whoever called. `release()` does so earlier; a second time it does nothing. Work that is under way is waited for
before its memory is taken away. Where a call within `grow` fails, the error is raised, and the vector is as it was:
what was made for this growth is gone, and it can grow later. Fifteen more lines are enough.

    with Vector(1 << 40) as vector:
        vector.grow(1 << 40)        # raises: the device does not have that much. Nothing is left behind
""",
    starter=IMPORTS + '''
class Vector:
    """Device memory that grows in place, and is given back whatever happens."""

    def __init__(self, most):
        ...         # as in vector-grow

    def grow(self, nbytes):
        ...         # as there; and where a call fails, the vector stays as it was

    def release(self):
        ...         # about five lines

    def __enter__(self):
        ...         # one line: what stands behind `as`

    def __exit__(self, *exception):
        ...         # one line
''',
    hints=("Ask of every call what has been made before it, for that is what has to be undone if it fails. `try: "
           "... finally:` fits what "
           "is undone in any case, such as releasing the handle; `except BaseException: ... raise` what is undone "
           "only then.",
           "Giving back: wait for the device (`cuCtxSynchronize`), unmap, then free the addresses. One "
           "`cuMemUnmap` takes all parts, if "
           "there are any. Note that it was done, for the second time."),
    solution=LET_GO,
    mistakes=(
        slip(LET_GO, _SAFE, _UNSAFE,
             "A call within `grow` may fail, and what the calls before it made is left: undo it before you let "
             "the error go on."),
        slip(LET_GO, """        try:
            ask(cu.cuMemMap, end, more, 0, handle, 0)
        finally:
            ask(cu.cuMemRelease, handle)
""", """        ask(cu.cuMemMap, end, more, 0, handle, 0)
        ask(cu.cuMemRelease, handle)
""",
             "When `cuMemMap` fails the handle is left, and with it the memory: release it in a `finally`."),
        slip(LET_GO, """        try:
            ask(cu.cuMemSetAccess, end, more, [access], 1)
        except BaseException:
            ask(cu.cuMemUnmap, end, more)
            raise
""", """        ask(cu.cuMemSetAccess, end, more, [access], 1)
""",
             "When `cuMemSetAccess` fails the new part is mapped already: unmap it again before you let the error "
             "go on."),
        slip(LET_GO, "            raise\n", "            return\n",
             "You catch the error of a call and keep it to yourself: undo what was made, then `raise` it on."),
        slip(LET_GO, "            ask(cu.cuCtxSynchronize)\n", "",
             "A kernel or a copy may still be under way, and would find no memory: wait for the device before you "
             "unmap."),
        slip(LET_GO, _UNMAP + _FREE, _FREE + _UNMAP,
             "Addresses are freed after the unmap: not while something is mapped there.", LET_GO.replace(_UNMAP, ""),
             LET_GO.replace(_UNMAP, "").replace("ask(cu.cuMemAddressFree, ", "cu.cuMemAddressFree(")),
        slip(LET_GO, _FREE, "",
             "The memory is gone, and its addresses are still reserved: `cuMemAddressFree` gives them back."),
        slip(LET_GO, _UNMAP, "            ask(cu.cuMemUnmap, self.address, self.nbytes)\n",
             "A vector that has never grown has nothing to unmap, and `cuMemUnmap` refuses a size of 0: look at "
             "`nbytes` first."),
        slip(LET_GO, "        if self.address is not None:\n", "        if True:\n",
             "A vector may be released before its block ends: a second `release` has to find that nothing is left "
             "to do.",
             LET_GO.replace("            self.address, self.nbytes = None, 0\n", "")),
        slip(LET_GO, "    def __exit__(self, *exception):\n        self.release()\n",
             "    def __exit__(self, *exception):\n        self.release()\n        return True\n",
             "An `__exit__` that returns True swallows the exception: whoever called has to see it. Return nothing."),
        slip(LET_GO, "    def __exit__(self, *exception):\n        self.release()\n",
             "    def __exit__(self, *exception):\n        if exception[0] is None:\n            self.release()\n",
             "You give back only where all went well. `__exit__` is called in any case, and gives back in any case."),
        slip(LET_GO, "    def __exit__(self, *exception):\n        self.release()\n",
             "    def __exit__(self, *exception):\n        pass\n",
             "The block ends, and nothing is given back: let `__exit__` call `release`."),
        slip(LET_GO, "        return self\n", "        pass\n",
             "`with Vector(most) as vector` gives what `__enter__` returns: `return self`."),
    ),
    cases=(_let_go("a block that ends", "a block", "with Vector(most) as vector:\n    vector.grow(granularity)", False),
           _let_go("a block that ends by an exception", "an exception",
                   "with Vector(most) as vector:\n    vector.grow(granularity)\n    raise Stop", False),
           _let_go("more memory than the device has", "more memory than the device has",
                   _SCENE.format("vector.grow(more than the device has)"), False),
           _let_go("a vector that has never grown", "never grown", "with Vector(most) as vector:\n    pass"),
           _let_go("a vector that was released before its block ends", "released before",
                   "with Vector(most) as vector:\n    vector.grow(granularity)\n    vector.release()"),
           _let_go("a `cuMemMap` that fails", "cuMemMap", _SCENE.format("vector.grow(2 * granularity)     # "
                                                                        "cuMemMap fails here")),
           _let_go("a `cuMemSetAccess` that fails", "cuMemSetAccess",
                   _SCENE.format("vector.grow(2 * granularity)     # cuMemSetAccess fails here")),
           _let_go("a block that ends while a stream has work to do", "work under way",
                   "with Vector(most) as vector:\n    vector.grow(granularity)\n    work(vector.address, stream)")))

EXERCISES = (grow, fill, whose, let_go)
