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
    return {key: curves for key, curves in pairs.items() if len(curves) == len(WAYS) and _shared(curves)}


def _shared(curves):
    """The numbers of reads for which both ways were measured."""
    return sorted(set.intersection(*(set(curve.medians) for curve in curves.values())))


def _answer(source, pairs, size, reuse, pattern):
    """The Answer for the measured point that is nearest to what is asked."""
    sizes = [nbytes for kind, nbytes in pairs if kind == pattern]
    if not sizes:
        return Answer(NOTHING)
    nbytes = max(sizes) if size is None else _nearest(sizes, size)
    chosen = pairs[pattern, nbytes]
    times = _nearest(_shared(chosen), reuse)
    milliseconds = {way: chosen[way].medians[times] for way in WAYS}
    sentence = f"{wording.size(nbytes)} of pinned memory, {_often(times)}, {pattern}: {_verdict(milliseconds)}."
    rows = [(WAYS[way], wording.quantity(value, "ms")) for way, value in milliseconds.items()]
    every = [curve for curves in pairs.values() for curve in curves.values()]
    return Answer(sentence, ("", "time"), tuple(rows), _remark(source, chosen, size, nbytes, reuse, times),
                  picture(sentence, {WAYS[way]: chosen[way] for way in WAYS}, times, every))


def _verdict(milliseconds):
    """Which of two ways takes less time, and by how much; milliseconds: {way: how many}."""
    (less, short), (more, long) = sorted(milliseconds.items(), key=lambda way: way[1])
    if short == long:
        return "both take the same time"
    percent = math.floor(100 * (1 - short / long))
    share = f"{percent} % less time" if percent else "less time, by under 1 %,"
    return f"{WAYS[less]} takes {share} than {WAYS[more]}"


def _remark(source, curves, size, nbytes, reuse, times):
    """Where the numbers are from, from how many reads on copying pays, and what was asked but not measured."""
    choices = ("bytes", size, nbytes), ("times read", reuse, times)
    near = [f"{wording.at(chosen, unit)}: not measured; the nearest is {wording.at(nearest, unit)}."
            for unit, chosen, nearest in choices if chosen not in (None, nearest)]
    return " ".join([_pays(curves), *near, wording.sentence(source.title)])


def _pays(curves):
    """From how many reads on copying pays."""
    crossing = clearly_less_since(curves["copied first"], curves["read in place"])
    if crossing:
        reads = wording.at(crossing, "times read")
        return f"From {reads} on copying first takes clearly less time: the quartiles are apart."
    return f"Up to {wording.at(_shared(curves)[-1], 'times read')} copying first never takes clearly less time."


def _nearest(measured, chosen):
    """The nearest of what was measured, on a logarithmic scale."""
    return min(measured, key=lambda value: abs(math.log(value / chosen)))


def _often(times):
    return "read once" if times == 1 else f"read {wording.number(times)} times"


class _Recorded(Panel):
    """A Panel that asks the driver nothing, and so needs no context."""

    def _in_its_context(self):
        return self._asks()


def _plain_call(recording):
    """The call that answers without widgets, from the same source. It has to be short: ipywidgets cuts long ones."""
    arguments = "recording, size=1 << 16" if recording else "size=1 << 16, reuse=4"
    return f"explorers.copy_or_zero_copy({arguments})"


def _panel(source, pairs, plain_call):
    if not pairs:
        return _Recorded(TITLE, [], lambda: Answer(NOTHING), plain_call)
    sizes = sorted({nbytes for _, nbytes in pairs})
    counts = sorted({times for curves in pairs.values() for times in _shared(curves)})
    patterns = [pattern for pattern in PATTERNS if any(kind == pattern for kind, _ in pairs)]
    size = choice([(wording.size(nbytes), nbytes) for nbytes in sizes], sizes[0], "size")
    reuse = choice([(wording.number(count), count) for count in counts], counts[0], "times read")
    pattern = choice(patterns, patterns[0], "access")
    return _Recorded(TITLE, [size, reuse, pattern],
                     lambda: _answer(source, pairs, size.value, reuse.value, pattern.value), plain_call)
