"""An exercise under a cell: its statement, and buttons that do what the plain calls do.

A puzzle has its lines in a list, to be moved up and down. Every control can be used from the keyboard. Not here: what
the buttons do (actions.py).
"""
import random
import re
import textwrap

from course_lib.core import tables
from course_lib.core.errors import WrongContext
from course_lib.core.ownership import current_context, in_context

from ..notebook import widgets
from ..notebook.display import RUN, STYLE, card, message, paragraphs, show
from ..notebook.progress_file import record
from . import actions

PLAIN_WIDTH = 100
KEPT = "\0"        # a space that no line ends at
HINT, SOLUTION = "Hint", "Show a solution"      # what is written on the buttons


def show_exercise(exercise):
    """Display an exercise."""
    title = f"{exercise.id}: {exercise.title} (about {exercise.minutes} minutes)"
    call = f'exercises.check("{exercise.id}", {exercise.answer_kind.argument(exercise)})'
    how = exercise.answer_kind.how(exercise, call)
    statement = exercise.statement.strip()
    is_solved = record().entry("exercises", exercise.id).get("solved")
    solved = f"You have solved this: {actions.standing(exercise)}." if is_solved else ""
    text = (message(solved, True) if solved else "") + paragraphs(statement, wrapped=True) + paragraphs(how)
    below = widgets.HTML()
    boxes = [widgets.HTML(STYLE + card("Exercise", text, title=title))]
    if exercise.answer_kind.is_puzzle:
        lines = shuffled(exercise)
        boxes.append(_puzzle(exercise, lines, below))
        statement += "\n\n" + textwrap.indent(tables.text(lines, least=10, gap=1), "    ")
    hint = _button(HINT, lambda: actions.hint(exercise), below)
    solution = _button(SOLUTION, lambda: actions.solution(exercise), below, reveals=True)
    plain = "\n\n".join(filter(None, (f"Exercise {title}", solved, statement, how)))
    widget = widgets.VBox([*boxes, widgets.HBox([hint, solution]), below])
    show(_filled(plain), card("Exercise", text, RUN, title), widget)


def _filled(text):
    """The same with prose in lines that fit a static page, which breaks longer ones within words."""
    return "\n\n".join(map(_filled_part, text.split("\n\n")))


def _filled_part(paragraph):
    if paragraph.startswith((" ", "-", "|")):        # code, a list, a table
        return paragraph
    unbroken = re.sub("`[^`]+`", lambda code: re.sub(r"\s+", KEPT, code[0]), paragraph)
    return textwrap.fill(unbroken, PLAIN_WIDTH, break_long_words=False, break_on_hyphens=False).replace(KEPT, " ")


def shuffled(exercise):
    """A puzzle's (name, line) pairs, in an order that is always the same."""
    lines = list(exercise.lines.items())
    random.Random(exercise.id).shuffle(lines)
    return lines


def _button(text, action, below, reveals=False):
    """A button that shows below what its action answers. reveals: it looks different, as it ends the exercise"""
    button = widgets.Button(description=text)
    if reveals:
        button.add_class("course-reveals")

    def clicked(_):
        reply, good = action()
        below.value = message(by_buttons(reply), good, announced=True)
    button.on_click(clicked)
    return button


def by_buttons(reply):
    """What an action says, for who has pressed a button: the buttons in the place of the calls that they make."""
    reply = re.sub(r"(Change that), run its cell, (and check again): `exercises\.check\(.*?\)`", r"\1, \2", reply)
    reply = re.sub(r"(call )?`exercises\.hint\(.*?\)`", f'press "{HINT}"', reply)
    return re.sub(r"(call )?`exercises\.solution\(.*?\)`", f'press "{SOLUTION}"', reply)


def _puzzle(exercise, lines, below):
    """The lines in a list, and buttons to move the chosen one."""
    listed = widgets.Select(options=[(f"{name}:  {line}", name) for name, line in lines], value=lines[0][0],
                            rows=len(lines), description="lines", layout={"width": "100%", "max_width": "56em"},
                            style={"description_width": "initial"})
    place = widgets.HTML()

    def tell(where):
        """Say where the chosen line is: to whoever does not see the list, which is not where the focus is."""
        place.value = message(f"`{listed.value}` {where} {listed.index + 1} of {len(lines)}.", announced=True)

    def move(step):
        options = list(listed.options)
        index = [name for _, name in options].index(listed.value)
        new_index = min(max(index + step, 0), len(options) - 1)
        chosen = options.pop(index)
        options.insert(new_index, chosen)
        listed.options, listed.value = options, chosen[1]
        tell("is now line")

    def choose(step):
        listed.index = (listed.index + step) % len(lines)
        tell("is line")

    # Lines are chosen by buttons too: in JupyterLab a list does not get the arrow keys (controls.py).
    keys = []
    for text, action, step in (("Line above", choose, -1), ("Line below", choose, 1),
                               ("Move up", move, -1), ("Move down", move, 1)):
        keys.append(widgets.Button(description=text, layout={"width": "auto"}))
        keys[-1].on_click(lambda _, action=action, step=step: action(step))
    context = _context()

    def check():
        answer = " ".join(name for _, name in listed.options)
        if context is None:
            return actions.check(exercise, answer)
        # JupyterLab may run this on a thread where no context is current.
        return in_context(context, actions.check, exercise, answer)
    row = widgets.Box([*keys, _button("Check", check, below)], layout={"flex_flow": "row wrap"})
    return widgets.VBox([listed, row, place])


def _context():
    """The context that is current now; None without one."""
    try:
        return current_context()
    except WrongContext:
        return None
