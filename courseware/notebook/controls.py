"""Controls that can be used by keys alone, and say to a screen reader what they are set to.

In JupyterLab the arrow keys choose another cell, even while radio buttons, a drop-down list or a selection list of
ipywidgets has the focus: JupyterLab takes the key first. A slider of ipywidgets has no name that a screen reader could
say, and its toggle buttons do not tell which one is pressed. So the course chooses by buttons of its own: Tab or an
arrow key leads from one to the next, Space takes it, and the one that is taken has a mark in its text. Not here: the
widget (choosing.py).
"""


def choice(options, value=None, description=""):
    """Buttons of which one is chosen: a Choice, with the attributes `value`, `options`, `disabled` and `locked`.

    options:     texts, or (text, value) pairs
    value:       the one chosen at first; None for none
    description: what is chosen, in a word or two: it stands before the buttons, and a screen reader says it with each
    """
    from .choosing import Choice  # here: see widgets.py
    return Choice(options, value, description)
