"""Controls that can be used by keys alone.

In JupyterLab the arrow keys choose another cell, even while radio buttons, a drop-down list or a selection list of
ipywidgets has the focus: JupyterLab takes the key first. Buttons, checkboxes, text fields and sliders get theirs. So
the course chooses by buttons: Tab leads from one to the next, and Space takes it.
"""
from . import widgets


def choice(options, value=None, width=None, **settings):
    """Buttons of which one is chosen: an ipywidgets.ToggleButtons.

    options:  texts, or (text, value) pairs
    value:    the one chosen at first; None for none
    width:    of each button, as CSS has it, such as "30em", and then they stand one below the other; None for a row of
              buttons, each as wide as its text
    settings: others of ToggleButtons, such as `description`
    """
    made = widgets.ToggleButtons(options=options, value=value, **settings)
    made.style.button_width = width or "auto"
    if width:
        # As wide as one button, so that each has a line of its own. The rest is for the label and the margins.
        made.layout.width = f"calc({width} + 12px)"
    return made
