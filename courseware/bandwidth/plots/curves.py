"""Which curves a plot shows: picked from recordings, each with its label and its look.

The drawing, the table and the summary of a plot are all made from the same curves. A Curve is one series of one
recording; nothing is computed between its points or beyond them. Not here: how a curve is drawn (axes.py).
"""
from dataclasses import dataclass, replace

from course_lib.core.errors import WrongArgument

from ...notebook.palette import LOOKS, OKABE_ITO, Look
from ...notebook.words import listed
from .. import files, wording
from ..recording import EXPERIMENTS, Recording, Series

# For curves that differ in something else than the kind of memory.
OTHER_LOOKS = tuple(Look(OKABE_ITO[colour], marker, hatch) for colour, marker, hatch in (
    ("blue", "s", ""), ("vermillion", "o", "//"), ("bluish green", "D", "\\\\"), ("reddish purple", "^", "xx"),
    ("black", "X", ".."), ("orange", "v", "||"), ("sky blue", "P", "--")))

# The experiments whose GB/s are those of a kind of memory.
COMPARING_KINDS = ("copy sweep", "kernel access")


@dataclass(frozen=True, eq=False)    # two sources may hold equal recordings
class Source:
    """A recording that a plot shows, and whether it was measured here, in this process."""

    recording: Recording
    here: bool

    @property
    def title(self):
        """Device and day, and whether it was measured here: for a plot's title."""
        return f"{'measured here' if self.here else 'recorded'}: {self.recording.title}"


@dataclass(frozen=True, eq=False)
class Curve:
    """One series of one source."""

    label: str      # what tells it from the other curves of its source
    look: Look
    series: Series
    source: Source

    @property
    def medians(self):
        """{x: median}, of the points that were measured."""
        return {point.x: point.median for point in self.series.points}


def sources_of(recordings, here=None, experiment=None):
    """The Source of each recording to show, what was measured here first.

    recordings: Recordings; none stands for the newest of those that come with the course and have the experiment
    here:       a Recording that was measured in this process; or what is false, such as None, where nothing was
    experiment: the one that is shown, if it may have been measured later than the rest: its date is the one to tell
    """
    for recording in (*recordings, *([here] if here else [])):
        if not isinstance(recording, Recording):
            raise WrongArgument(f"plots draw recordings, and this is {type(recording).__name__}: bandwidth.load(path) "
                                "reads one from its file, bandwidth.recordings() gives those of the course")
    of_two = experiment is not None and EXPERIMENTS[experiment].devices == 2
    there_are = (files.peer_recordings if of_two else files.recordings)()
    newest = ([recording for recording in there_are if recording.find(experiment)] or there_are)[:1]
    recorded = [Source(recording, False) for recording in recordings or newest if recording is not here]
    shown = ([Source(here, True)] if here else []) + recorded
    return [replace(source, recording=source.recording.dated(experiment)) for source in shown]


def pick(sources, experiment, what=None, memory=None, told_by=("memory", "what", "nbytes", "by")):
    """The curves of some sources: a tuple, those of the first source first. Perhaps empty.

    experiment: a key of EXPERIMENTS
    what:       one or several of the experiment's `whats`; None for all
    memory:     one or several kinds of memory, by their names in palette.LOOKS; None for all
    told_by:    fields of Series for the labels, the first that are needed to tell the curves apart
    """
    whats = _names(what, EXPERIMENTS[experiment].whats, f"what is measured by {experiment!r}")
    kinds = _names(memory, LOOKS, "a kind of memory")
    chosen = [(source, series) for source in sources for series in source.recording.find(experiment)
              if series.what in whats and series.memory in kinds]
    chosen.sort(key=lambda pair: (sources.index(pair[0]), whats.index(pair[1].what), kinds.index(pair[1].memory)))
    fields = _telling([series for _, series in chosen], told_by)
    labelled = [(_label(series, fields), series, source) for source, series in chosen]
    labels = list(dict.fromkeys(label for label, _, _ in labelled))
    one_each = len({(label, series.memory) for label, series, _ in labelled}) == len(
        {series.memory for _, series, _ in labelled})
    return tuple(Curve(label, LOOKS[series.memory] if one_each else OTHER_LOOKS[labels.index(label) % len(OTHER_LOOKS)],
                       series, source) for label, series, source in labelled)


def not_below(curves, least):
    """The same curves, without what was measured or left out at an x below `least`."""
    def above(points):
        return tuple(point for point in points if point.x >= least)
    return tuple(replace(curve, series=replace(curve.series, points=above(curve.series.points),
                                               left_out=above(curve.series.left_out))) for curve in curves)


def renamed(curves, words, others=""):
    """The same curves, with others in place of some words of their labels."""
    return tuple(replace(curve, label=curve.label.replace(words, others)) for curve in curves)


def experiment_of(what):
    """The experiment that compares kinds of memory by `what`, in GB/s: "read, coalesced" -> "kernel access"."""
    experiments = {what: name for name in COMPARING_KINDS for what in EXPERIMENTS[name].whats}
    if not isinstance(what, str) or what not in experiments:
        raise WrongArgument(f"{what!r} is not measured in GB/s for each kind of memory: "
                            f"there are {', '.join(experiments)}")
    return experiments[what]


def left_out(curves):
    """A sentence for each reason why points of these curves were left out."""
    by_reason = {}
    for curve in curves:
        for point in curve.series.left_out:
            by_reason.setdefault(point.why, {}).setdefault(curve.label, {})[point.x] = None
    for why, places in by_reason.items():
        alike = {}
        for label, xs in places.items():
            alike.setdefault(tuple(xs), []).append(label)
        where = [f"{listed(labels)} at {listed([wording.size(x) for x in xs])}"
                 for xs, labels in alike.items()]
        yield f"Left out: {listed(where)}. {why}"


def check(value, allowed, meaning):
    """Raise WrongArgument unless `value` is one of `allowed`, which are `meaning`: "a kind of memory"."""
    if value not in list(allowed):
        raise WrongArgument(f"{value!r} is not {meaning}: there are {'; '.join(map(str, allowed))}")


def _names(chosen, allowed, meaning):
    """`chosen`, one name or several or None for all, as a list of names that are `allowed`."""
    names = list(allowed) if chosen is None else [chosen] if isinstance(chosen, str) else list(chosen)
    for name in names:
        check(name, allowed, meaning)
    return names


def _telling(series, fields):
    """The first of these fields that are needed to tell the series of one recording apart."""
    needed = []
    different = {tuple(getattr(one_series, field) for field in fields): one_series for one_series in series}.values()
    for field in fields:
        labels = {tuple(getattr(one_series, name) for name in needed) for one_series in different}
        if len(labels) < len(different) and len({getattr(one_series, field) for one_series in different}) > 1:
            needed.append(field)
    return needed or fields[:1]


def _label(series, fields):
    texts = {"memory": series.memory, "what": series.what, "by": f"by {series.by}",
             "nbytes": wording.size(series.nbytes) if series.nbytes else "any size"}
    return ", ".join(texts[field] for field in fields)
