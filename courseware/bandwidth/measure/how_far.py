"""How far a measurement is, and how long it will still take: a line in a terminal, a bar in a notebook, both tqdm's.

Shown from the moment that more than two seconds are to be expected, and gone at the end: what was measured says
enough, and a notebook's stored outputs stay the same on every machine. Nothing is written to a file or a pipe.
"""
import sys
import time

from tqdm import tqdm

WORTH_SHOWING = 2       # seconds
LINE = "{percentage:3.0f}%  {desc}, {remaining} left"


class Progress:
    """The jobs' own estimates say how they compare, the clock how they are doing. Use it in ``with``."""

    def __init__(self, expected):
        """expected: estimated seconds of everything"""
        self._expected, self._done, self._started, self._bar = max(expected, 1e-9), 0.0, time.time(), None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._bar is not None:
            self._bar.close()

    def at(self, text):
        """Say what is being measured now."""
        if self._bar is None and time.time() - self._started + self._expected - self._done > WORTH_SHOWING:
            self._bar = _bar(self._expected, text)
            self._bar.start_t = self._started
        if self._bar is not None:
            self._bar.set_description_str(text, refresh=False)
            self._bar.n = self._done
            self._bar.refresh()

    def done(self, expected):
        """Something that was estimated to take so many seconds is done."""
        self._done += expected


def _bar(total, text):
    # 0: the pace is that of all that is done.
    settings = {"desc": text, "total": total, "leave": False, "smoothing": 0}
    ipython = sys.modules.get("IPython")
    if not getattr(ipython and ipython.get_ipython(), "kernel", None):
        return tqdm(**settings, disable=None, bar_format=LINE)      # None: where this is no terminal
    from IPython.display import display
    from tqdm.notebook import tqdm as in_notebook
    bar = in_notebook(**settings, display=False, bar_format="{l_bar}{bar}{remaining} left")
    # Without the usual text beside it: nbval would compare that with a run that had nothing to measure.
    display({"application/vnd.jupyter.widget-view+json": {
        "version_major": 2, "version_minor": 0, "model_id": bar.container.model_id}}, raw=True)
    return bar
