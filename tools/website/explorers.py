"""The explorer of lesson 05 on a page: all its states, of which the style shows the chosen one. It needs neither a script nor a kernel.

What each state says is the explorer's own answer, from a recording, asked when the site is made.
"""
import itertools

from courseware import explorers
from courseware.bandwidth import PATTERNS, recorded, wording

CALL = "explorers.copy_or_zero_copy("
TITLE = "Copying first, and reading in place"


def explored(source):
    """The HTML of the explorer if a cell's source shows it; "" if not."""
    return _explorer(recorded("H200")) if CALL in source else ""


def _explorer(recording):
    measured = [series for series in recording.find("reuse", "pinned") if series.points]
    counts = sorted(set.intersection(*({point.x for point in series.points} for series in measured)))
    choices = {"size": {size: wording.size(size) for size in sorted({series.nbytes for series in measured})},
               "times": {times: wording.number(times) for times in counts}, "access": {pattern: pattern for pattern in PATTERNS}}
    legends = {"times": "times read"}
    controls = "".join(
        f"<fieldset><legend>{legends.get(name, name)}</legend>"
        + "".join(f"<label><input type='radio' name='{name}' id='{name}-{number}'{' checked' if not number else ''}> {text}</label>"
                  for number, text in enumerate(options.values())) + "</fieldset>" for name, options in choices.items())
    states, rules = [], []
    for chosen in itertools.product(*(enumerate(options) for options in choices.values())):
        state = "-".join(["state", *(str(number) for number, _ in chosen)])
        size, times, pattern = (value for _, value in chosen)
        answer = explorers.copy_or_zero_copy(recording, size=size, reuse=times, pattern=pattern)
        states.append(f"<div class='state {state}'>{answer.html(announced=True)}</div>")
        checked = "".join(f":has(#{name}-{number}:checked)" for name, (number, _) in zip(choices, chosen))
        rules.append(f".explorer{checked} .{state}")
    return (f"<div class='explorer' role='group' aria-label='{TITLE}'><p><b>{TITLE}</b></p>{controls}"
            f"{''.join(states)}<style>{', '.join(rules)} {{ display: block }}</style></div>")
