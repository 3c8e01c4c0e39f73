"""Kernels of answers, examined over the simulated driver on every machine: every access is seen there.

What an examination comes to is told in a few words without threads and lines; its findings are printed. Not here: what
is examined, and what should come (the lessons' harnesses).
"""
import contextlib
import functools
import io

from courseware import kernel_views

from .. import sandbox
from ..kernel_views import counting
from ..kernel_views.examination import examine_here

DIFFERS = "differs: "
STRAY = ("an illegal access, and none to global memory was found: so an index of {} is outside of the array, below 0 "
         "or too large, or the array is too short")


@functools.lru_cache(32)
def examined(function, *arguments):
    """Examine a function that launches; returns what was found."""
    if sandbox.simulated():
        return examine_here(function, *arguments)
    return kernel_views.examine(function, *arguments, timeout=15)


@functools.lru_cache(32)
def counted(observer, fields, function, *arguments):
    """What an observer of cuda_simulator.watch counts while a function launches: [(line, *fields)], all but the first
    summed."""
    if sandbox.simulated():       # then this process of the sandbox's is as good as another one
        with contextlib.redirect_stdout(io.StringIO()):
            return counting.summed(counting.watched(observer, fields, len(fields) - 1, function, arguments))
    return counting.count("check", observer, fields, len(fields) - 1, function, arguments, timeout=15)


def printed(outcome, words, array):
    """The words for the line that a launch printed; or why it did not come so far."""
    for line, meant in words.items():
        if f"{line}\n" in outcome.printed:
            return meant
    return STRAY.format(array) if "illegal" in outcome.failed else outcome.failed


def show_difference(array, result, expected, kernel=""):
    """In the process that launches: print the first element that is wrong, as a line that `differences` shows."""
    place = int((result != expected).argmax())
    element = f"{array}[{place}]" if result.size > 1 else array
    print(f"{DIFFERS}{kernel and kernel + ': '}`{element}` is {result.flat[place]}, "
          f"and should be {expected.flat[place]}")


def differences(outcome, kernel=""):
    """Print what `show_difference` said of a kernel."""
    for line in outcome.printed.splitlines():
        if line.startswith(DIFFERS + kernel):
            print(line.removeprefix(DIFFERS))


def findings(outcome):
    """The first finding in a few words, "" without one; all are printed, each once."""
    worded = [_in_words(finding) for finding in outcome.findings]
    for line in dict.fromkeys(f"{kind}: {text}" for kind, text in worded):
        print(line)
    if not worded:
        return ""
    kind = worded[0][0]
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} finding"


def _in_words(finding):
    """(kind, text). Nothing that the launch uses is freed before its end: what lies behind it may have been, by an
    earlier check."""
    if finding["kind"] == "freed":
        return "out-of-bounds", f"{finding['message'].partition(': ')[0]}, which is outside of the array"
    kind = finding["kind"] + " between blocks" * ("two blocks" in finding["message"])
    return kind, f"{finding['message']}. {finding['remedy']}"
