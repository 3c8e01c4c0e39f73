"""Buttons of which one is chosen, as a widget. Who wants one calls controls.choice, which says why there is such a
thing."""
import ipywidgets as widgets
from traitlets import Any, Bool, validate

# Marks of one width, so that the buttons beside a chosen one stay where they are. Neither says right or wrong.
CHOSEN, OPEN = "● {}", "○ {}"

# JupyterLab takes arrow keys first, at the document, and goes to another cell. At the window they come earlier: here
# they lead to the next button of the same row. An image that cannot be loaded runs this; where a page forbids it, Tab
# leads on as before.
ARROWS = """<img alt="" src="data:," onerror="
if (!window.courseArrows) window.addEventListener('keydown', window.courseArrows = function (event) {
    const button = event.target, by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!by || !button.matches('.widget-toggle-button')) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const all = [...button.parentElement.querySelectorAll('.widget-toggle-button:enabled')];
    all.at((all.indexOf(button) + by) % all.length).focus();
}, true)">"""


class Choice(widgets.Box):
    """Buttons in a row, with lines as needed. `value` is what the chosen one stands for; None where none is.

    A button's own text says whether it is chosen: a screen reader that is on it reads the new text, and whoever does
    not see the difference between two greys sees a mark.
    """

    value = Any(None, allow_none=True)
    disabled = Bool(False)
    # What is chosen stays: the others are disabled. Not the chosen one, which may have the focus.
    locked = Bool(False)

    def __init__(self, options, value, description):
        self.options = tuple(options)
        pairs = [option if isinstance(option, tuple) else (option, option) for option in self.options]
        self._texts, self._values = zip(*pairs)
        self._buttons = [widgets.ToggleButton(tooltip=description, layout={"width": "auto"}) for _ in pairs]
        label = [widgets.Label(description, layout={"margin": "2px 8px 2px 2px"})] if description else []
        arrows = widgets.HTML(ARROWS, layout={"display": "none"})
        super().__init__([*label, *self._buttons, arrows], layout={"flex_flow": "row wrap"})
        for button in self._buttons:
            button.observe(self._pressed, names="value")
        self.observe(self._draw, names=["value", "disabled", "locked"])
        self.value = value
        self._draw()

    @validate("value")
    def _is_an_option(self, proposal):
        if proposal["value"] is not None and proposal["value"] not in self._values:
            raise ValueError(f"{proposal['value']!r} is not among {self._values}")
        return proposal["value"]

    def _pressed(self, change):
        """A button was pressed: it is the one, even if it was before."""
        if change["new"]:
            self.value = self._values[self._buttons.index(change["owner"])]
        self._draw()

    def _draw(self, change=None):
        for button, text, value in zip(self._buttons, self._texts, self._values):
            chosen = value == self.value
            button.value, button.disabled = chosen, self.disabled or self.locked and not chosen
            button.description = (CHOSEN if chosen else OPEN).format(text)
