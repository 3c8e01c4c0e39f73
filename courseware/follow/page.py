"""A FollowedProgram as a page: its steps as data for the player, and the same as a table, for whoever has no script.

Stored in a notebook it needs no kernel and no other file. The data stand in the script that runs, because a frontend
may take them apart. JupyterLab, if it does not trust a notebook, and GitHub take script, style and drawing away, and
show the table.
"""
import io
import json
import keyword
import re
import tokenize
import uuid
from html import escape
from pathlib import Path

from ..memory_map.picture import layout, still
from . import sentences

FOLDER = Path(__file__).parent
SCRIPT = (FOLDER / "player.js").read_text("utf-8")
STYLE = still.STYLE + (FOLDER / "player.css").read_text("utf-8")
CELL = "style='text-align:left'"      # JupyterLab has numbers in mind, and keeps this where it takes styles away
MOST_CALLS = 2      # named behind a sentence
# Since Python 3.12 an f-string is several tokens.
STRINGS = ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")


def html(program, alone=True):
    """A FollowedProgram as HTML.

    alone: with its style and its script. Without them it is for a page that has both (SCRIPT, STYLE) as files, and
           whose policy allows no script within
    """
    steps = data(program)
    name = f"map-{uuid.uuid4().hex[:8]}"
    attribute = "" if alone else f" data-steps='{escape(script_data(steps))}'"
    markup = [f'<div class="course-follow" id="{name}"{attribute}>', f"<style>{STYLE}</style>" if alone else "",
              '<div class="cf-player" role="group" aria-label="A program, step by step"></div>',
              f"<details open><summary>All steps as a table</summary>{table(program)}</details>",
              *(f'<p class="cf-note">{escape(note)}</p>' for note in program.notes)]
    if alone:
        call = f'courseFollow(document.getElementById("{name}"), {script_data(steps)});'
        markup.append(f"<script>(() => {{\n{SCRIPT}{call}\n}})();</script>")
    return "".join([*markup, "</div>"])


def data(program):
    """The steps, placed for both widths, as data for the player."""
    names, markups, pieces, heights = layout.PieceNames(), {}, {}, [0, 0]
    steps, previous, ways = [], None, any(map(_asks, program.steps))
    # Where no way across is asked for, a side that has nothing is left out.
    widths = (layout.WIDE, layout.NARROW) if ways else layout.widths([step.scene for step in program.steps])

    def placed(piece):
        """The number of a piece at its place: the same piece at the same place is given once, and so is each markup."""
        markup = _number(markups, piece.markup)
        return _number(pieces, (piece.name, piece.layer, _rounded(piece.x), _rounded(piece.y), markup))

    for step in program.steps:
        more = _details(step, previous, ways)
        placements = []
        for number, width in enumerate(widths):
            drawn, height = layout.draw(step.scene, width, names, more)
            heights[number] = max(heights[number], round(height))
            placements.append([placed(piece) for piece in drawn])
        steps.append({"line": step.line, "say": step.sentence, "wrong": step.wrong, "calls": _calls(step),
                      "work": [(work["number"], sentences.work(work)) for work in step.pending],
                      "done": sentences.work(step.done) if step.done else "",
                      "flights": _flights(step), "flows": _flows(step, names), "at": placements})
        previous = step
    return {"code": highlighted(program.source), "steps": steps, "markups": list(markups), "pieces": list(pieces),
            "widths": [width.total for width in widths], "heights": heights}


def _asks(step):
    """Does the program ask here what an address is on the other side? If it never does, the ways across are no use."""
    calls = {name for name, _ in step.calls}
    # The course's helper asks about what it hands to a kernel, and not the program.
    launched = "cuLaunchKernel" in calls
    return "cuMemHostGetDevicePointer" in calls or bool(step.asked_about) and not launched


def _details(step, previous, ways):
    contents = {letter: numbers for letter, (_, numbers) in step.contents.items()}
    earlier_contents = previous.contents if previous else {}
    marked = frozenset((letter, number) for letter, numbers in contents.items() for number, value in enumerate(numbers)
                       if value is not None and _differs(earlier_contents.get(letter), number, value))
    longer = frozenset(letter for memory, letter in step.letters.items()
                       if letter in contents and (memory.nbytes or 0) // step.item_size(letter) > len(contents[letter]))
    badges = tuple((work["number"], address) for work in step.pending for address in addresses(work))
    return layout.Details(step.letters, contents, marked, badges, ways=ways, longer=longer)


def _differs(earlier, number, value):
    return earlier is None or earlier[1][number:number + 1] != [value]


def addresses(operation):
    """The addresses that a piece of work uses."""
    return [*operation.get("uses", ()), *(operation[key] for key in ("from", "to") if key in operation)]


def _flights(step):
    """Which memory's numbers go to which: (from, to, the first number of each, how many).

    "" is for memory of the host's that is not drawn.
    """
    flights = []
    for copy in (copy for copy in [*step.moves, step.done or {}] if copy.get("kind") == "copy"):
        (start, first), (end, place) = (step.place_at(copy[side]) for side in ("from", "to"))
        undrawn = [letter is None for letter in (start, end)]
        if all(undrawn) or any(missing and side != "host" for missing, side in zip(undrawn, copy["sides"])):
            continue
        flights.append((start or "", end or "", first, place, copy["bytes"] // step.item_size(end or start)))
    return flights


def _flows(step, names):
    """The lines to the memory that a kernel uses."""
    if not step.done or step.done["kind"] != "kernel":
        return []
    return [names.of("line", "follow", "device", block.device) for block in step.scene.blocks
            if any(step.letter_at(address) == step.letters.get(block.memory) for address in step.done.get("uses", ()))]


def _calls(step):
    """The driver's calls of a step, as text; those that its sentence names are left out."""
    calls = [f"{name}: {error}" if error else name for name, error in step.calls if name not in step.sentence]
    names = list(dict.fromkeys(calls))
    return ", ".join(names[:MOST_CALLS]) + (", …" if len(names) > MOST_CALLS else "")


def _number(table, key):
    return table.setdefault(key, len(table))


def _rounded(number):
    return round(number, 1) if number % 1 else int(number)


def script_data(value):
    """Data for a script: nothing in it ends that."""
    return re.sub("(?i)<(?=/|!--|script)", r"\\u003c", json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def table(program):
    """The steps of a FollowedProgram as a table."""
    rows = [(number, step.line or "end", f"<code>{escape(program.code(step))}</code>",
             "&#10007; " * step.wrong + re.sub("`([^`]+)`", r"<code>\1</code>", escape(step.sentence)))
            for number, step in enumerate(program.steps, 1)]
    head = "".join(f"<th {CELL}>{word}</th>" for word in ("step", "line", "Python", "what happens"))
    body = "".join(f"<tr>{''.join(f'<td {CELL}>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _token_class(token):
    """The class of CSS for a token of Python; None for what is not coloured."""
    name = tokenize.tok_name[token.type]
    if name == "COMMENT":
        return "c"
    if name in STRINGS:
        return "s"
    return "k" if name == "NAME" and keyword.iskeyword(token.string) else None


def highlighted(source):
    """The HTML of each line of Python."""
    lines = source.splitlines()
    marks = []          # (line, from, to, class)
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = _token_class(token)
            for line in range(token.start[0], token.end[0] + 1) if kind else ():
                marks.append((line, token.start[1] if line == token.start[0] else 0,
                              token.end[1] if line == token.end[0] else len(lines[line - 1]), kind))
    except (tokenize.TokenError, IndentationError):
        pass
    coloured = []
    for number, line in enumerate(lines, 1):
        marked, column = "", 0
        for _, start, end, kind in sorted(mark for mark in marks if mark[0] == number):
            marked += f'{escape(line[column:start])}<span class="{kind}">{escape(line[start:end])}</span>'
            column = end
        coloured.append(marked + escape(line[column:]))
    return coloured
