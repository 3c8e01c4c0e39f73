"""Orders as a board: a lane for each thread, on which accesses are moved; and as sentences, for whoever has no script.

Not here: what may come before what, and what comes of it (orders.py). The board moves one order at a time, and what it
says of all of them was counted before.
"""
import textwrap
import uuid
from html import escape
from pathlib import Path

from .page import script_data

FOLDER = Path(__file__).parent
SCRIPT = (FOLDER / "orders.js").read_text("utf-8")
STYLE = (FOLDER / "orders.css").read_text("utf-8")
COUNTED = """\
Counted are all ways to interleave the threads' {} accesses in which each thread keeps to the order of its program and
none passes a barrier before all have come to it, and what each way leaves in memory."""


def html(orders, alone=True):
    """Orders as HTML. alone: with style and script, as page.html has it"""
    name, script = f"map-{uuid.uuid4().hex[:8]}", script_data(data(orders))
    attribute = "" if alone else f" data-orders='{escape(script)}'"
    kernel = "\n".join(_lines(orders))
    sentences = "".join(f"<li>{escape(orders.sentence(chosen))}</li>" for chosen in orders.subsets())
    markup = [f'<div class="course-orders" id="{name}"{attribute}>', f"<style>{STYLE}</style>" if alone else "",
              '<div class="co-board" role="group" aria-label="The order of a kernel’s accesses"></div>',
              f"<details open><summary>How many orders</summary><pre><code>{escape(kernel)}</code></pre>"
              f"<p>{COUNTED.format(sum(map(len, orders.threads)))}</p><ul>{sentences}</ul></details>"]
    if alone:
        call = f'courseOrders(document.getElementById("{name}"), {script});'
        markup.append(f"<script>(() => {{\n{SCRIPT}{call}\n}})();</script>")
    return "".join([*markup, "</div>"])


def data(orders):
    """What the board needs to know."""
    threads = [[_access(access) for access in accesses] for accesses in orders.threads]
    spaces = {}
    for accesses in orders.threads:
        for access in accesses:
            spaces.setdefault(access.space, set()).add(access.name)
    return {"source": _lines(orders), "threads": threads, "barriers": orders.barriers,
            "initial": orders.initial, "wanted": orders.final,
            "spaces": {space: sorted(names, key=_by_number) for space, names in sorted(spaces.items(), reverse=True)},
            "sentences": {",".join(map(str, chosen)): orders.sentence(chosen, tells=False)
                          for chosen in orders.subsets()}}


def _lines(orders):
    """The lines of the kernel: in a Python string all but the first have a margin."""
    head_line, _, others = orders.source.partition("\n")
    return [head_line, *textwrap.dedent(others).splitlines()]


def _access(access):
    return {"kind": access.kind, "name": access.name, "value": access.value, "copies": access.copies,
            "line": access.line, "after": dict(access.after)}


def _by_number(name):
    """s[10] comes after s[9]."""
    head, _, tail = name.partition("[")
    number = tail.rstrip("]")
    return head, int(number) if number.isdigit() else 0, name
