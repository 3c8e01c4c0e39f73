"""How far a measurement is, and how long it will still take: a line in a terminal, a bar in a notebook.

Shown from the moment that more than two seconds are to be expected. Not a message at the end: what was measured says
enough, and a notebook's stored outputs stay the same on every machine.
"""
import sys
import time

WORTH_SHOWING = 2       # seconds


class Progress:
    """The jobs' own estimates say how they compare, the clock how they are doing."""

    def __init__(self, expected, show=None, now=time.monotonic):
        """expected: estimated seconds of everything; show: a function of (share done, text), or None for the usual"""
        self._expected, self._now, self._done = max(expected, 1e-9), now, 0.0
        self._start, self._show, self._hide = now(), show, None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._hide:
            self._hide()

    @property
    def seconds_left(self):
        """Seconds to the end, if the rest takes as long, compared with its estimate, as what is done."""
        rest = self._expected - self._done
        # At the start there is no pace yet; the estimate fades out over the first tenth.
        trust = min(1, 10 * self._done / self._expected)
        pace = (self._now() - self._start) / self._done if self._done else 1
        return rest * (trust * pace + 1 - trust)

    def at(self, text):
        """Say what is being measured now."""
        if self._show is None and self._now() - self._start + self.seconds_left > WORTH_SHOWING:
            self._show, self._hide = _in_notebook() or _in_terminal()
        if self._show:
            self._show(self._done / self._expected, f"{text}: {_left(self.seconds_left)}")

    def done(self, expected):
        """Something that was estimated to take so many seconds is done."""
        self._done += expected


def _left(seconds):
    return f"{seconds:.0f} s left" if seconds < 90 else f"{seconds / 60:.0f} min left"


def _in_terminal():
    stream = sys.stderr
    width = 0

    def show(share, text):
        nonlocal width
        line = f"{share:4.0%}  {text}"
        stream.write("\r" + line.ljust(width))
        stream.flush()
        width = len(line)

    def hide():
        stream.write("\r" + " " * width + "\r")
        stream.flush()
    return (show, hide) if stream.isatty() else (lambda share, text: None, lambda: None)


def _in_notebook():
    """The same two functions over a widget; None outside a notebook."""
    ipython = sys.modules.get("IPython")
    if not getattr(ipython and ipython.get_ipython(), "kernel", None):
        return None
    import ipywidgets
    from IPython.display import display
    bar, label = ipywidgets.FloatProgress(min=0, max=1), ipywidgets.HTML()
    box = ipywidgets.HBox([bar, label])
    # Without the usual text beside it: nbval would compare that with a run that had nothing to measure.
    display({"application/vnd.jupyter.widget-view+json": {
        "version_major": 2, "version_minor": 0, "model_id": box.model_id}}, raw=True)

    def show(share, text):
        bar.value, label.value = share, text
    return show, box.close
