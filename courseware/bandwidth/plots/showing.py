"""From curves to a Picture: the figure, a sentence for each source, the table, and what is to be noted.

Used by every plot of curves. Not here: which curves a plot has and what its sentence says (__init__.py), and how the
Picture shows itself (picture.py).
"""
import matplotlib.style

from ...notebook.words import listed
from .. import wording
from ..recording import EXPERIMENTS, PATTERNS
from . import axes, curves, tables
from .picture import STYLE, Picture

TITLES = {"host to device": "Copies from host to device", "device to host": "Copies from device to host",
          "device to device": "Copies from device to device"}
TITLES |= {f"{action}, {pattern}": f"A kernel {action}s, {pattern}"
           for action in ("read", "write") for pattern in PATTERNS}
NO_RECORDING = "There is nothing to show: no recording of it comes with this course yet, and nothing was measured here."
# Fewer points than this all have their markers. With more, curves that lie on each other take turns at having one.
CROWDED = 16
# Kernels reach these over the link.
HOST_KINDS = {"pinned", "write-combined", "registered", "mapped reservation, on the host"}


def link_limit(source, picked, cross=all):
    """The limit of the link in GB/s; None where it is unknown, or the data of these curves do not cross the link.

    cross: all or any of the curves must
    """
    if not picked or not cross(_crosses(curve.series) for curve in picked):
        return None
    return _link(source, picked)[1]


def mark_limits(sources, picked, side="left"):
    """The `mark` of `show` that draws the limit of each source's link, where the data of a curve cross it.

    side: where its meaning is written, "left" or "right": where no curve is
    """
    def mark(made_axes):
        limits = {link_limit(source, picked, any): source for source in sources}
        for gigabytes, source in limits.items():
            if gigabytes:
                whose = f" of {source.recording.machine.names}" if len(limits) > 1 else ""
                name = _link(source, picked)[0]
                link = f", {name}" if name else ""
                value = wording.quantity(gigabytes, "GB/s")
                axes.limit(made_axes, gigabytes, f"limit of the link{whose}{link}: {value}", side)
    return mark


def _link(source, picked):
    """(name, limit in GB/s) of the link that the data of these curves cross, either None where it is unknown."""
    machine = source.recording.machine
    if EXPERIMENTS[picked[0].series.experiment].devices == 2:
        return machine.peer_link, machine.peer_limit
    return machine.link, machine.link_limit


def _crosses(series):
    if series.experiment == "kernel access":
        return series.memory in HOST_KINDS
    if series.experiment == "managed to device":
        return series.what not in ("read again", "read after a prefetch")
    if series.experiment == "peer bandwidth":
        return True
    return series.experiment == "copy sweep" and series.what != "device to device"


def show(title, sources, picked, summarise, *, here=None, memory=None, mark=None, sizes=None, told=None):
    """A Picture of curves.

    sources:   those that have the curves `picked`
    summarise: summarise(curves of one source, source) gives the sentence
    here:      as the caller of the plot gave it; where it is false but not None it says why nothing was measured
    memory:    the kinds that the caller asked for
    mark:      mark(axes) draws what else belongs there
    sizes:     the rows of the table, if it is not to choose them (tables.of_curves)
    told:      told(sources) says how and on what it was measured, in place of `about`
    """
    notes = (*refusal(here), *missing(picked, memory), *curves.left_out(picked))
    if not any(curve.series.points for curve in picked):
        return Picture(title, nothing(sources), notes=notes)
    sources = with_curves(sources, picked)
    sentences = [(source, summarise([curve for curve in picked if curve.source is source], source))
                 for source in sources]
    with matplotlib.style.context(STYLE):
        figure = _figure(title, sources, picked, mark)
    experiments = dict.fromkeys(curve.series.experiment for curve in picked)
    return Picture(title, summary(sentences), tables.of_curves(picked, sizes), notes,
                   tuple(told(sources) if told else about(sources, *experiments)), figure)


def _figure(title, sources, picked, mark):
    drawn = [curve for curve in picked if curve.series.points]
    figure, made_axes = axes.figure(height=4.8)
    _draw_all(made_axes, sources, drawn)
    axes.logarithmic(made_axes, drawn)
    if mark:
        mark(made_axes)
    figure.suptitle(heading(title, sources), x=0.01, ha="left", fontsize=11)
    axes.legend(figure, picked, sources)
    return figure


def _draw_all(made_axes, sources, drawn):
    labels = list(dict.fromkeys(curve.label for curve in drawn))
    longest = max(len(curve.series.points) for curve in drawn)
    every = len(labels) if longest >= max(CROWDED, 3 * len(labels)) else 1
    for place, curve in enumerate(reversed(drawn)):        # the first source on top
        offset = labels.index(curve.label)
        axes.draw(made_axes, curve, place + 1, sources.index(curve.source), offset % every, every,
                  larger=0 if every > 1 else offset)


def with_curves(sources, picked):
    """The sources that have one of these curves."""
    return [source for source in sources if any(curve.source is source for curve in picked)]


def heading(title, sources):
    """The title of a figure: what, and on which devices and dates."""
    return "\n".join([title, *(source.title for source in sources)])


def summary(sentences):
    """The sentences of the sources as one text, each with its source where there are several."""
    if len(sentences) == 1:
        return sentences[0][1]
    return " ".join(f"{source.title[0].upper()}{source.title[1:]}: {sentence}" for source, sentence in sentences)


def nothing(sources):
    """The sentence in place of a picture."""
    if not sources:
        return NO_RECORDING
    return f"There is nothing to show: this was not measured ({listed([source.title for source in sources])})."


def refusal(here):
    """The sentence of a measurement that was refused, if `here` is one; below a recording not where recordings are."""
    return () if here or here is None else (wording.sentence(here.why),)


def missing(picked, memory):
    """A sentence for the kinds that were asked for and are in no recording."""
    kinds = [memory] if isinstance(memory, str) else memory or ()
    absent = [kind for kind in kinds if not any(curve.series.memory == kind for curve in picked)]
    return (f"Not measured: {wording.memories(absent)}.",) if absent else ()


def about(sources, *experiments):
    """How and on what it was measured: sentences."""
    yield from machines(sources)
    for experiment in experiments:
        yield from dict.fromkeys(source.recording.method[experiment] for source in sources
                                 if experiment in source.recording.method)


def machines(sources):
    """On what it was measured: a sentence for each source."""
    for source in sources:
        machine = source.recording.machine
        facts = [f"compute capability {machine.compute_capability}", machine.driver and f"driver {machine.driver}",
                 f"CUDA {machine.cuda}", machine.link, machine.peer_link, machine.cpu, machine.system]
        yield wording.sentence(f"{source.title} ({', '.join(filter(None, facts))})")
