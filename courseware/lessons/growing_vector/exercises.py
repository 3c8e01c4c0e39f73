"""Exercises of "A vector that grows": what the course taught, put together in four steps."""
from ...exercises.exercise import Case, Exercise
from ...exercises.values import Label
from . import fill_harness, harness, whose_harness
from .harness import AS_BEFORE, BACK, GROWS, REFUSED


def _growth(description, capacity, steps, expected, hidden=True):
    call = f"vector = Vector(capacity)      # capacity: {_bytes(*capacity)}\n" + "\n".join(
        f"vector.grow_to({_bytes(*step)})" for step in steps)
    return Case(description, (capacity, steps), expected, hidden, call)


def _bytes(granules, more):
    return " + ".join(filter(None, [f"{granules} * granularity" if granules else "", str(more) if more else ""])) or "0"


grow = Exercise(
    id="vector-grow", name="Vector", kind="class", sandboxed=True, run=harness.grow,
    cases=(_growth("a vector that grows once", (5, 0), ((0, 1000),), GROWS, False),
           _growth("a vector that grows three times", (8, 0), ((0, 1000), (1, 1), (5, 0)), GROWS, False),
           _growth("more than was reserved, then all of it", (2, 0), ((1, 0), (2, 1), (2, 0)), REFUSED, False),
           _growth("a room that is there already", (4, 0), ((2, 0), (1, 7), (0, 0), (2, 0)), GROWS),
           _growth("a size that is not a multiple of the granularity", (2, 5), ((2, 9),), GROWS),
           _growth("a vector that has much, and grows by little", (9, 0), ((4, 0), (4, 1)), GROWS),
           _growth("more than was reserved, at once", (3, 0), ((7, 3),), REFUSED)))


def _filling(description, count, piece, hidden=True):
    return Case(description, (count, piece), fill_harness.FILLED if count else fill_harness.EMPTY, hidden,
                f"fill(address, data, buffers, streams, work)     # {count} numbers, buffers of {piece}")


fill = Exercise(
    id="vector-fill", name="fill", sandboxed=True, run=fill_harness.fill,
    cases=(_filling("three pieces", 96, 32, False), _filling("five pieces, of which the last is shorter", 139, 32),
           _filling("one piece that is shorter than a buffer", 5, 32), _filling("two whole pieces", 48, 24),
           _filling("an array of no numbers", 0, 16)))

PLACES = {"vector": "vector.address", "empty": "vector.address", "pinned": "other pinned memory", "device": "other device memory",
          "copy": "the host address of the second copy", "end": "vector.address + vector.nbytes",
          "last": "vector.address + vector.reserved", "number": "", "mapped": "memory that is mapped on the device",
          "managed": "managed memory", "registered": "registered memory"}


def _case(description, place, offset, expected, hidden=True):
    """The Case of an address that lies `offset` bytes from a place, a key of PLACES; or of a number itself ("number")."""
    more = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
    argument = PLACES[place] + more if place != "number" else str(offset)
    if expected is not None:        # a number that the check has a word for
        expected = tuple(Label(element) if isinstance(element, str) and number else element for number, element in enumerate(expected))
    return Case(description, (place, offset), expected, hidden, f"whose(vector, {argument})")


def _any_address(source):
    """An address in the vector, near one of its borders, or elsewhere."""
    place = source.choice(["vector", "vector", "vector", "end", "last", "pinned", "device", "copy", "number", "empty"])
    near = {"empty": (-1, 0, 8), "vector": (-1, 0, 1, 399, 400, 511, 512, 1023, 1024, 1535, 1536, 1599, 1600, 1663, 1664),
            "pinned": range(256), "device": range(256), "copy": range(512), "end": range(-9, 9), "last": range(-9, 1),
            "number": (-8, -1, 0, 8, 1 << 64, (1 << 64) + 5)}
    offset = source.choice(list(near[place]))
    return _case("", place, source.choice([offset, source.randrange(1800)]) if place == "vector" else offset, None)


whose = Exercise(
    id="vector-whose", name="whose", sandboxed=True, also_on="registered-differs", run=whose_harness.whose, random_case=_any_address,
    cases=(_case("a byte that was copied from the host", "vector", 633, ("vector", 158, "byte 121 of the second copy"), False),
           _case("the address after what is mapped", "end", 0, ("reserved", None, None), False),
           _case("other pinned memory", "pinned", 0, ("elsewhere", None, "byte 0 of other pinned memory"), False),
           _case("the vector's first address", "vector", 0, ("vector", 0, "byte 0 of the first copy")),
           _case("a byte after the first copy", "vector", 400, ("vector", 100, None)),
           _case("the last byte of a copy", "vector", 1535, ("vector", 383, "byte 1023 of the second copy")),
           _case("the first byte of the third copy", "vector", 1600, ("vector", 400, "byte 0 of the third copy")),
           _case("a byte after the third copy", "vector", 1664, ("vector", 416, None)),
           _case("a byte between two copies", "vector", 450, ("vector", 112, None)),
           _case("the last mapped byte", "end", -1, ("vector", whose_harness.LAST, None)),
           _case("the last reserved address", "last", -1, ("reserved", None, None)),
           _case("the address after the reservation", "last", 0, ("elsewhere", None, None)),
           _case("the address before the vector", "vector", -1, ("elsewhere", None, None)),
           _case("the first address of a vector that has not grown", "empty", 0, ("reserved", None, None)),
           _case("a byte in the middle of other pinned memory", "pinned", 77,
                 ("elsewhere", None, "byte 77 of other pinned memory")),
           _case("the host address of a copy", "copy", 5, ("elsewhere", None, "byte 5 of the second copy")),
           _case("other device memory", "device", 9, ("elsewhere", None, None)),
           _case("memory that is mapped on the device", "mapped", 16, ("elsewhere", None, None)),
           _case("managed memory", "managed", 8, ("elsewhere", None, "byte 8 of managed memory")),
           _case("registered memory, by the device's address", "registered", 3, ("elsewhere", None, "byte 3 of registered memory")),
           _case("the null pointer", "number", 0, ("elsewhere", None, None)),
           _case("a number below 0", "number", -1, ("elsewhere", None, None)),
           _case("a number that is too large", "number", 1 << 64, ("elsewhere", None, None)),
           _case("a number that is too large, and ends as a host address does", "pinned", 1 << 64, ("elsewhere", None, None))))

_SCENE = """with Vector(capacity) as vector:
    vector.grow_to(granularity)
    {}
    vector.grow_to(2 * granularity)"""


def _let_go(description, scene, call, hidden=True):
    return Case(description, (scene,), AS_BEFORE if scene in harness.FAILING else BACK, hidden, call)


let_go = Exercise(
    id="vector-let-go", name="Vector", kind="class", sandboxed=True, run=harness.let_go,
    cases=(_let_go("a block that ends", "a block", "with Vector(capacity) as vector:\n    vector.grow_to(granularity)", False),
           _let_go("a block that ends with an exception", "an exception",
                   "with Vector(capacity) as vector:\n    vector.grow_to(granularity)\n    raise Stop", False),
           _let_go("more memory than the device has", "more memory than the device has",
                   _SCENE.format("vector.grow_to(more than the device has)"), False),
           _let_go("a vector that has never grown", "never grown", "with Vector(capacity) as vector:\n    pass"),
           _let_go("a vector that was released before its block ends", "released before",
                   "with Vector(capacity) as vector:\n    vector.grow_to(granularity)\n    vector.release()"),
           _let_go("a room that is there already", "there already",
                   "with Vector(capacity) as vector:\n    vector.grow_to(2 * granularity)\n    vector.grow_to(granularity)"),
           _let_go("more than was reserved", "too far",
                   "with Vector(2 * granularity) as vector:\n    vector.grow_to(granularity)\n    vector.grow_to(2 * granularity + 1)"),
           _let_go("a `cuMemMap` that fails", "cuMemMap",
                   _SCENE.format("vector.grow_to(2 * granularity)     # cuMemMap fails here")),
           _let_go("a `cuMemSetAccess` that fails", "cuMemSetAccess",
                   _SCENE.format("vector.grow_to(2 * granularity)     # cuMemSetAccess fails here")),
           _let_go("the first growth, in which `cuMemMap` fails", "at first", "with Vector(capacity) as vector:\n"
                   "    vector.grow_to(2 * granularity)     # cuMemMap fails here\n    vector.grow_to(2 * granularity)"),
           _let_go("a block that ends while a stream has work to do", "work under way",
                   "with Vector(capacity) as vector:\n    vector.grow_to(granularity)\n    work(vector.address, stream)")))

EXERCISES = (grow, let_go, whose, fill)
