"""Exercises of "Memory in stream order": a cache over the driver's memory, as PyTorch has one, in two steps."""
from ...exercises.exercise import Case, Exercise
from . import harness
from .harness import FOUND, KEPT, NOTHING, what_each_got

STREAMS = "main", "side"         # how the lesson calls them


def _line(step):
    match step:
        case ("free", name):
            return f"cache.free({name})"
        case ("refused", name):
            return f"cache.free({name})      # not in use"
        case ("record", name, stream):
            return f"cache.record_stream({name}, {STREAMS[stream]})"
        case ("partly", stream):
            return f"stream {STREAMS[stream]} goes on, as far as what it was given last"
        case ("cache",):
            return "cache = type(cache)()"
        case ("either", name, nbytes, stream):
            return f"{name} = cache.allocate({nbytes}, {STREAMS[stream]})"
        case ("work", stream):
            return f"stream {STREAMS[stream]} is given more work"
        case ("go", stream):
            return f"stream {STREAMS[stream]} goes on, and ends"
        case (name, nbytes, stream):
            return f"{name} = cache.allocate({nbytes}, {STREAMS[stream]})"
    raise ValueError(step)


def _script(description, steps, blocks, hidden=True):
    """A case. blocks: what each request gets, a letter for each; the same letter is the same memory"""
    names = [step[-3] for step in steps if len(step) > 2 and step[0] != "record"]
    expected = what_each_got(names, [KEPT if block == "?" else block for block in blocks])
    return Case(description, (steps,), expected, hidden, "\n".join(map(_line, steps)))


by_stream = Exercise(
    id="cache-by-stream", name="Cache", kind="class", sandboxed=True, run=harness.by_stream,
    cases=(_script("a block that is freed, and a second request on its stream",
                   (("x", 1000, 0), ("free", "x"), ("y", 1000, 0)), "AA", False),
           _script("a second request on another stream", (("x", 1000, 0), ("free", "x"), ("y", 1000, 1)), "AB", False),
           _script("an address that was freed already", (("x", 1000, 0), ("free", "x"), ("refused", "x")), "A", False),
           _script("a block that is still in use", (("x", 512, 0), ("y", 512, 0)), "AB"),
           _script("two sizes that are rounded up to the same", (("x", 700, 0), ("free", "x"), ("y", 513, 0)), "AA"),
           _script("two sizes that are rounded up to the same, the smaller of which comes first",
                   (("x", 513, 0), ("free", "x"), ("y", 1024, 0)), "AA"),
           _script("a smaller request", (("x", 2048, 0), ("free", "x"), ("y", 512, 0)), "AB"),
           _script("a larger request", (("x", 512, 0), ("free", "x"), ("y", 513, 0)), "AB"),
           _script("a request that is an exact multiple", (("x", 1024, 0), ("free", "x"), ("y", 1024, 0)), "AA"),
           _script("two requests after one block was freed", (("x", 600, 0), ("free", "x"), ("y", 600, 0), ("z", 600, 0)), "AAB"),
           _script("a block that was given out again, and freed again", (
               ("x", 9, 1), ("free", "x"), ("y", 9, 1), ("free", "y"), ("z", 9, 1), ("w", 9, 0)), "AAAB"),
           _script("two freed blocks of a size, and two requests", (
               ("x", 600, 0), ("y", 600, 0), ("free", "x"), ("free", "y"), ("either", "z", 600, 0), ("either", "w", 600, 0)), "AB??"),
           _script("three times 512 bytes, and then four times", (("x", 1100, 0), ("free", "x"), ("y", 2000, 0)), "AB"),
           _script("a second cache", (("x", 1000, 0), ("free", "x"), ("cache",), ("y", 1000, 0)), "AB"),
           _script("an address inside a block", (("x", 4096, 0), ("refused", "inside")), "A")))


def _story(description, recorded, expected, hidden):
    return Case(description, ("story", recorded), expected, hidden,
                "x is used by a kernel on side" + (", cache.record_stream(x, side)" if recorded else "")
                + ", cache.free(x), and the next request on main is used at once")


_OPS = (
    _script("a block that `side` uses when it is freed", (
        ("x", 1000, 0), ("record", "x", 1), ("free", "x"), ("y", 1000, 0)), "AB", False),
    _script("the same, once `side` has ended", (
        ("x", 1000, 0), ("record", "x", 1), ("free", "x"), ("y", 1000, 0), ("go", 1), ("z", 1000, 0)), "ABA", False),
    _script("a block that no other stream uses", (("x", 1000, 0), ("free", "x"), ("y", 1000, 0)), "AA"),
    _script("a block that is freed after `side` has ended", (
        ("x", 1000, 0), ("record", "x", 1), ("go", 1), ("free", "x"), ("y", 1000, 0)), "AA"),
    _script("a block that both streams use", (
        ("x", 1000, 0), ("record", "x", 1), ("record", "x", 0), ("free", "x"), ("go", 1), ("y", 1000, 0)), "AB"),
    _script("a block that both streams use, of which the other ends first", (
        ("x", 1000, 0), ("record", "x", 1), ("record", "x", 0), ("free", "x"), ("go", 0), ("y", 1000, 0)), "AB"),
    _script("work that `side` is given after the free, and has not begun", (
        ("x", 1000, 0), ("record", "x", 1), ("free", "x"), ("work", 1), ("partly", 1), ("y", 1000, 0)), "AA"),
    _script("a stream that has nothing to do at `record_stream`, and work before the free", (
        ("x", 1000, 0), ("go", 1), ("record", "x", 1), ("work", 1), ("free", "x"), ("y", 1000, 0)), "AB"),
    _script("two blocks that `side` used, of which the second fits", (
        ("x", 1000, 0), ("v", 5000, 0), ("record", "x", 1), ("record", "v", 1), ("free", "x"), ("free", "v"), ("go", 1),
        ("y", 5000, 0)), "ABB"),
    _script("two blocks, of which the stream of the second ends first", (
        ("x", 1000, 0), ("v", 5000, 0), ("record", "x", 1), ("record", "v", 0), ("free", "x"), ("free", "v"), ("go", 0),
        ("y", 5000, 0)), "ABB"),
    _script("a block whose stream was recorded once, and is in use a second time", (
        ("x", 1000, 0), ("record", "x", 1), ("free", "x"), ("go", 1), ("y", 1000, 0), ("work", 1), ("free", "y"), ("z", 1000, 0)),
            "AAA"),
    _script("work that `side` is given after `record_stream`, and before the free", (
        ("x", 1000, 0), ("record", "x", 1), ("go", 1), ("work", 1), ("free", "x"), ("y", 1000, 0)), "AB"),
    _script("an address that was freed already, and that no other stream used", (("x", 1000, 0), ("free", "x"), ("refused", "x")), "A"),
    _script("a block that waits, and a second cache", (
        ("x", 1000, 0), ("record", "x", 1), ("free", "x"), ("go", 1), ("cache",), ("y", 1000, 0)), "AB"),
    _script("two blocks, of which `side` uses one", (
        ("x", 1000, 0), ("v", 1000, 0), ("record", "x", 1), ("free", "x"), ("free", "v"), ("y", 1000, 0), ("z", 1000, 0)), "ABBC"))

record = Exercise(
    id="cache-record-stream", name="recording", sandboxed=True, run=harness.by_record,
    cases=(*_OPS, _story("a kernel on `side`, with `record_stream`", True, NOTHING, False),
           _story("a kernel on `side`, without `record_stream`", False, FOUND, True)))


EXERCISES = (by_stream, record)
