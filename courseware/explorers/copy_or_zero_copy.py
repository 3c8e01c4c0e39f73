"""Explorer of a choice: a kernel reads data in host memory in place (zero-copy), or they are copied there first.

    explorers.copy_or_zero_copy()                           # the widget
    explorers.copy_or_zero_copy(size=1 << 16, reuse=4)      # one answer, as text

What it says was measured, in a recording; between the sizes and the numbers of reads that were
measured it knows nothing, and takes the nearest. Not here: the picture (reuse_picture.py), and measuring.
"""
import math
import numbers

from course_lib.core.errors import WrongArgument

from ..bandwidth import PATTERNS, recordings, wording
from ..bandwidth.plots.curves import Source, pick, sources_of
from ..bandwidth.ranking import clearly_less_since
from ..notebook.controls import choice
from .panel import Answer, Panel
from .reuse_picture import picture

WAYS = {"read in place": "reading in place", "copied first": "copying first"}
TITLE = "copying first, and reading in place"
NOTHING = "There is nothing to show: no recording of it comes with this course yet."


def copy_or_zero_copy(recording=None, *, size=None, reuse=None, pattern="coalesced"):
    """The explorer, a widget; with `size` or `reuse` the answer at once, without a widget.

    recording: a Recording; None for the newest one with such data that comes with the course
    size:      of the data, in bytes; the nearest that was measured is taken. None for the largest
    reuse:     how often kernels read all of it; the nearest number that was measured is taken. None for once
    pattern:   of the reads: "coalesced", "strided" or "random"

    Raises WrongArgument for a pattern that there is not, and for a size or a number of reads that is not positive.
    """
    source = _source(recording)
    if pattern not in PATTERNS:
        raise WrongArgument(f"{pattern!r} is not a pattern of reads: there are {', '.join(PATTERNS)}")
    for name, value in (("size", size), ("reuse", reuse)):
        if value is not None and not (_is_number(value) and 0 < value < math.inf):
            raise WrongArgument(f"{name} has to be a number above 0, not {value!r}")
    pairs = _pairs(source)
    if size is None and reuse is None:
        return _panel(source, pairs, _plain_call(recording))
    return _answer(source, pairs, size, 1 if reuse is None else reuse, pattern)


def _is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _source(recording):
    """The Source of what is shown; None where there is nothing to show."""
    if recording is None:
        recording = next((candidate for candidate in recordings() if candidate.find("reuse")), None)
        return recording and Source(recording, False)
    return sources_of([recording])[0]


def _pairs(source):
    """{(pattern, size of data): {way: its Curve}}, where both ways were measured."""
    pairs = {}
    for curve in pick([source] if source else [], "reuse"):
        way, pattern = curve.series.what.split(", ")
        if curve.series.points:
            pairs.setdefault((pattern, curve.series.nbytes), {})[way] = curve
    return {key: pair for key, pair in pairs.items() if len(pair) == len(WAYS) and _shared(pair)}


def _shared(pair):
    """The numbers of reads for which both ways were measured."""
    return sorted(set.intersection(*(set(curve.medians) for curve in pair.values())))


def _answer(source, pairs, size, reuse, pattern):
    """The Answer for the measured point that is nearest to what is asked."""
    sizes = [nbytes for kind, nbytes in pairs if kind == pattern]
    if not sizes:
        return Answer(NOTHING)
    nbytes = max(sizes) if size is None else _nearest(sizes, size)
    pair = pairs[pattern, nbytes]
    times = _nearest(_shared(pair), reuse)
    taken = {way: pair[way].medians[times] for way in WAYS}
    sentence = f"{wording.size(nbytes)} of pinned memory, {_often(times)}, {pattern}: {_verdict(taken)}."
    rows = [(WAYS[way], wording.quantity(value, "ms")) for way, value in taken.items()]
    every = [curve for curves in pairs.values() for curve in curves.values()]
    return Answer(sentence, ("", "time"), tuple(rows), _remark(source, pair, size, nbytes, reuse, times),
                  picture(sentence, {WAYS[way]: pair[way] for way in WAYS}, times, every))


def _verdict(taken):
    """Which of two ways takes less time, and by how much; `taken` is {way: milliseconds}."""
    (less, short), (more, long) = sorted(taken.items(), key=lambda way: way[1])
    if short == long:
        return "both take the same time"
    part = math.floor(100 * (1 - short / long))
    share = f"{part} % less time" if part else "less time, by under 1 %,"
    return f"{WAYS[less]} takes {share} than {WAYS[more]}"


def _remark(source, pair, size, nbytes, reuse, times):
    """Where the numbers are from, from how many reads on copying pays, and what was asked but not measured."""
    asked = ("bytes", size, nbytes), ("times read", reuse, times)
    near = [f"{wording.at(wanted, unit)}: not measured; the nearest is {wording.at(taken, unit)}."
            for unit, wanted, taken in asked if wanted not in (None, taken)]
    return " ".join([_pays(pair), *near, wording.sentence(source.title)])


def _pays(pair):
    """From how many reads on copying pays."""
    crossing = clearly_less_since(pair["copied first"], pair["read in place"])
    if crossing:
        reads = wording.at(crossing, "times read")
        return f"From {reads} on copying first takes clearly less time: the quartiles are apart."
    return f"Up to {wording.at(_shared(pair)[-1], 'times read')} copying first never takes clearly less time."


def _nearest(measured, asked):
    """The nearest of what was measured, on a logarithmic scale."""
    return min(measured, key=lambda value: abs(math.log(value / asked)))


def _often(times):
    return "read once" if times == 1 else f"read {wording.number(times)} times"


class _Recorded(Panel):
    """A Panel that asks the driver nothing, and so needs no context."""

    def _in_its_context(self):
        return self._asks()


def _plain_call(recording):
    """The call that answers without widgets, from the same source. It has to be short: ipywidgets cuts long ones."""
    given = "recording, size=1 << 16" if recording else "size=1 << 16, reuse=4"
    return f"explorers.copy_or_zero_copy({given})"


def _panel(source, pairs, plain_call):
    if not pairs:
        return _Recorded(TITLE, [], lambda: Answer(NOTHING), plain_call)
    sizes = sorted({nbytes for _, nbytes in pairs})
    counts = sorted({times for pair in pairs.values() for times in _shared(pair)})
    patterns = [pattern for pattern in PATTERNS if any(kind == pattern for kind, _ in pairs)]
    size = choice([(wording.size(nbytes), nbytes) for nbytes in sizes], sizes[0], "size")
    reuse = choice([(wording.number(count), count) for count in counts], counts[0], "times read")
    pattern = choice(patterns, patterns[0], "access")
    return _Recorded(TITLE, [size, reuse, pattern],
                     lambda: _answer(source, pairs, size.value, reuse.value, pattern.value), plain_call)
