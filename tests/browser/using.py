"""Operate any widget as a user does who has no mouse: every control is focused, and pressed or typed into."""

CONTROLS = "input:not([type=hidden]):enabled, select:enabled, button:enabled, textarea:enabled"
# By the type of an input, else by the element's name.
KEYS = {"checkbox": ["Space", "Space"], "radio": ["Space"], "BUTTON": ["Space"], "SELECT": ["ArrowDown", "ArrowUp"]}
# Controls of one widget: one that makes new ones at every press has no end, and after twenty the exam's are more of the same.
MOST = 20


def kind(widget):
    """What a widget is made of, as ipywidgets' classes: equal for two predictions with the same sort of controls."""
    return widget.evaluate("""one => [...new Set([...one.querySelectorAll('*')].flatMap(part => [...part.classList])
        .filter(name => /^(widget|jupyter)-/.test(name)))].sort().join(' ')""")


def use_every_control(lab, widget):
    """Operate each control of a widget (a locator), and wait for the answer each time."""
    for number in range(MOST):
        controls = widget.locator(CONTROLS).filter(visible=True)
        if number >= controls.count():
            return
        operate(lab, controls.nth(number))


def operate(lab, control):
    """Operate one control by its keys."""
    control_type = control.evaluate("one => one.tagName === 'INPUT' ? one.type : one.tagName")
    if control_type in KEYS:
        for key in KEYS[control_type]:
            # The widget may have drawn itself anew and left the control out.
            if control.count():
                control.press(key)
                lab.wait_until_idle()
    else:
        control.fill("1")
        control.press("Enter")
        lab.wait_until_idle()
