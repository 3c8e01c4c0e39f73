"""Make the README's pictures: the two programs that the site opens with (tools/website/opening.py), step by step, and its board of orders.

The programs move. Each ends where the README asks below it what the program prints; the right answer has a picture of the last step.

    .venv/bin/python tools/opening_picture.py

It writes into docs/, for each of FILMS, such as opening: opening.svg, which moves, and opening_narrow.svg, which is for a phone; of each
the last step (opening_still.svg, opening_narrow_still.svg), for who has asked for no motion; memory as the program leaves it
(opening_answer.svg). Then board.svg, and opening.png, which a link to the site is shown with. The drawings need nothing but the simulated
driver, and each run makes the same, with the addresses that the site has; tests/setup/test_readme.py compares. opening.png is drawn by a
Chromium (CHROMIUM=/path/of/one, or one on PATH), and carries the sum of what it shows.
"""
import hashlib
import io
import itertools
import re
import sys
import textwrap
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools" / "website")]

from courseware.follow import page  # noqa: E402

from opening import QUESTIONS, cpp, first_program, late_block  # noqa: E402
from players import board, data as data_of, step_with  # noqa: E402

from course_files import write_whole  # noqa: E402

SECONDS, ASKED_SECONDS = 3, 8           # of a step; of the question
TIMES = 2               # that it is shown; then it stays at the question
FADE, CUT = .25, .01        # of memory that appears and goes; of words, which would lie on each other
WIDTH, MARGIN, PARTED = 444, 14, 20        # PARTED: a sentence's lines
LETTER = .602           # of the code: how wide a letter is, in its size
# Of the code, wide and on a phone: its letters' size, if the longest line has room; how much room a line takes, in that size; and from how
# many letters on a line is broken.
LARGEST, TALL, LONGEST = {True: 12, False: 13.5}, {True: 1.58, False: 1.42}, {True: 55, False: 45}
LETTERS = 58            # of a sentence's line
BELOW = 12              # between the picture and the question
TO_COME, LABEL = "still to come", 110        # and its room
COLOURS = """\
svg.mm { color: #1b1f24; --paper: #ffffff; --code: #f1f3f5; --now: #cfe6f6; --asked: #ffe3b8 }
@media (prefers-color-scheme: dark) { svg.mm { color: #e6e9ec; --paper: #14181d; --code: #1f262d; --now: #1d4560; --asked: #5e4310 } }
.paper { fill: var(--paper); stroke: #808080; stroke-opacity: .5 } .code { fill: var(--code) }
.access { stroke: #0072B2; stroke-width: 1.5 } .read { fill: var(--now) } .write { fill: none } .barrier { text-decoration: line-through }
.now { fill: var(--now) } .asked { fill: var(--asked); stroke: currentColor; stroke-dasharray: 4 3 }
.mm :is(text.line, tspan) { font-family: ui-monospace, "DejaVu Sans Mono", monospace } .mm text.line { white-space: pre }
.mm tspan { font-weight: 700 }
.mm text.say { font-size: 13px } .mm text.ask { font-size: 16px; font-weight: 700 }
.mm text.title { font-size: 54px; font-weight: 700 } .mm text.subtitle { font-size: 30px }
"""


def _opening():
    """The first program, its lines in CUDA C++ with that of Python that does the same, its question, and words of the line that is shown
    first."""
    return first_program()[0], cpp()[0], QUESTIONS["whose-numbers"], "a ="


def _late_block():
    """PyTorch's lines as a program, its lines, and its question. It begins with both pieces of memory, so that little of it is empty."""
    program, _ = late_block()
    lines = [(line, number) for number, line in enumerate(program.source.splitlines(), 1)]
    return program, lines, QUESTIONS["whose-block"], "x ="


FILMS = {"opening": _opening, "late_block": _late_block}


def film(name):
    """Of a program: the data of the steps that its moving picture shows, of which the last is the question, and those of all its steps."""
    program, lines, question, begins = FILMS[name]()
    whole, shown = data_of(program), data_of(program)
    first_step, question_step = (step_with(words, program) for words in (begins, question.before))
    shown["steps"] = shown["steps"][first_step:question_step]
    shown["steps"].append({**shown["steps"][-1], "asks": question.text, "answers": " · ".join(question.replies)})
    return {**shown, "lines": lines}, whole


class Steps:
    """The steps of a moving picture, by how many seconds each is shown."""

    def __init__(self, seconds):
        self.ends, self.rule_of = list(itertools.accumulate(seconds)), {}

    def __call__(self, numbers, fade=FADE):
        """The class of what is there in these steps."""
        name, ends = "a" + "_".join(map(str, sorted(numbers))) + ("cut" if fade == CUT else ""), self.ends
        last_step = len(ends) - 1
        if len(numbers) <= last_step:
            frames = [(0, int(0 in numbers))]
            for number in sorted(numbers):
                if number and number - 1 not in numbers:
                    frames += [(ends[number - 1], 0), (ends[number - 1] + fade, 1)]
                if number < last_step and number + 1 not in numbers:
                    frames += [(ends[number], 1), (ends[number] + fade, 0)]
            at_last = int(last_step in numbers)
            keyframes = "".join(f"{100 * time / ends[-1]:.2f}% {{ opacity: {shown} }} " for time, shown in [*frames, (ends[-1], at_last)])
            self.rule_of[name] = (f".{name} {{ opacity: {at_last}; animation: {name} {ends[-1]:g}s {TIMES} }}\n"
                                  f"@keyframes {name} {{ {keyframes}}}\n")
        return name

    def rules(self):
        """The CSS of these classes."""
        return "".join(self.rule_of.values())


def moving(data, first_step=0, wide=False, asks=False):
    """The steps from `first_step` on as an SVG that shows one after the other; the last one alone stands still.

    wide: the memory stands beside the code, and not below it; asks: the question is in the picture, and not below it
    """
    steps, drawn = data["steps"][first_step:], []
    during = Steps([ASKED_SECONDS if "answers" in step else SECONDS for step in steps])
    numbered = [(row, number) for line, number in data["lines"] for row in broken(line, LONGEST[wide])]
    lines = [text for text, _ in numbered]
    size = min(LARGEST[wide], (WIDTH - 2 * MARGIN - 16) / LETTER / max(map(len, lines)))
    row = round(size * TALL[wide])
    code_height = row * len(lines) + 10

    def foot(number):
        """Where the letters of a line stand."""
        return MARGIN + 5 + row * number + size + 1

    drawn.append(f'<rect class="code" x="{MARGIN}" y="{MARGIN}" width="{WIDTH - 2 * MARGIN}" height="{code_height}" rx="6"/>')
    for number, step in enumerate(steps):
        kind, rows = "now", [place for place, (_, number_shown) in enumerate(numbered) if number_shown == step["line"]]
        if "answers" in step:
            kind, rows = "asked", range(rows[-1] + 1, len(lines))
        shown = during({number}, fade=CUT)
        drawn.append(f'<rect class="{kind} {shown}" x="{MARGIN + 1}" y="{MARGIN + 5 + row * rows[0]}" width="{WIDTH - 2 * MARGIN - 2}" '
                     f'height="{row * len(rows)}"/>')
        if kind == "asked":     # beside a line that leaves room
            place = next(place for place in rows if len(lines[place]) * size * LETTER < WIDTH - 2 * MARGIN - LABEL)
            drawn.append(f'<text class="say {shown}" x="{WIDTH - MARGIN - 8}" y="{foot(place):g}" text-anchor="end">{TO_COME}</text>')
    for number, line in enumerate(lines):
        drawn.append(f'<text class="line" font-size="{size:.4g}" x="{MARGIN + 8}" y="{foot(number):g}">{escape(line)}</text>')
    # What a step says stands on the side that has room for it.
    column, y = (WIDTH - MARGIN + 2, MARGIN + 14) if wide and data["heights"][1] < code_height else (0, MARGIN + code_height + 24)
    sentences = [[(step["asks"], "ask"), (step["answers"], "say")] if asks and "asks" in step else
                 [(line, "say") for text in (step["say"],
                                             *(f"The blue {work} marks what the {label} will use." if step["work"][1:] else
                                               f"Blue marks what the {label} will use." for work, label in step["work"]))
                  for line in textwrap.wrap(_unbroken(text), LETTERS)] for step in steps]
    for number, lines in enumerate(sentences):
        drawn.append(f'<g class="{during({number}, fade=CUT)}">' + "".join(
            f'<text class="{kind}" x="{column + MARGIN + 2}" y="{y + PARTED * place}">{_code(line)}</text>'
            for place, (line, kind) in enumerate(lines)) + "</g>")
    y += PARTED * max(map(len, sentences)) + 4
    below = MARGIN + code_height if column else y - PARTED
    if wide and not column:
        y, column = MARGIN, WIDTH - MARGIN + 2
    drawn.append(_memory(data, steps, during, column, y))
    width, height = column + WIDTH, max(below, y + data["heights"][1]) + MARGIN
    return _svg(width, height + BELOW, during.rules(),
                f'<rect class="paper" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10"/>' + "\n".join(drawn))


def broken(line, longest):
    """A line of code as lines that are not too long: broken after a comma, and the second one set in."""
    if len(line) <= longest:
        return [line]
    end = line.rindex(", ", 0, longest) + 1
    return [line[:end], " " * (4 + len(line) - len(line.lstrip())) + line[end:].strip()]


def still_board():
    """The first page's board without its barrier as an SVG: the lines that access memory, and each access in its place."""
    _, orders = board()
    threads, row, size, column = orders["threads"], 22, 14, (WIDTH - 2 * MARGIN) / len(orders["threads"])
    lines = sorted({*orders["barriers"], *(access["line"] for thread in threads for access in thread)})
    below = MARGIN + row * len(lines) + 10
    drawn = [f'<rect class="code" x="{MARGIN}" y="{MARGIN}" width="{WIDTH - 2 * MARGIN}" height="{below - MARGIN}" rx="6"/>']
    for place, line in enumerate(lines):
        y, barrier = MARGIN + 4 + row * place + size + 1, " barrier" * (line in orders["barriers"])
        drawn.append(f'<text class="line" font-size="{size}" x="{MARGIN + 8}" y="{y}">{line}</text><text class="line{barrier}" '
                     f'font-size="{size}" x="{MARGIN + 36}" y="{y}">{escape(orders["source"][line - 1].strip())}</text>')
    for number, thread in enumerate(threads):
        middle = MARGIN + column * (number + .5)
        drawn.append(f'<text class="say" x="{middle:g}" y="{below + 20}" text-anchor="middle" font-weight="700">thread {number}</text>')
        left, wide = middle - column / 2 + 3, column - 6
        for step, access in enumerate(thread):
            y = below + 28 + row * (step * len(threads) + number)
            drawn.append(f'<rect class="access {access["kind"]}" x="{left:g}" y="{y}" width="{wide:g}" height="19" rx="5"/>'
                         f'<text class="say" x="{left + 8:g}" y="{y + 14}">{access["kind"]}s {access["name"]}</text>'
                         f'<text class="say" x="{left + wide - 8:g}" y="{y + 14}" text-anchor="end">{access["value"]}</text>')
    end = below + 28 + row * sum(map(len, threads))
    before, after = (" ".join(str(of[name]) for name in orders["spaces"]["global"]) for of in (orders["initial"], orders["wanted"]))
    drawn.append(f'<text class="say" x="{MARGIN + 2}" y="{end + 18}">x was {before}, and is {after} at the end, as it should be.</text>')
    paper = f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{end + 29}" rx="10"/>'
    return _svg(WIDTH, end + 30, "", "\n".join([paper, *drawn]))


def answer(data):
    """Memory after the last step as an SVG, below what that says."""
    step, during, y = data["steps"][-1], Steps([SECONDS]), MARGIN + 14
    says = f'<text class="say" x="{MARGIN + 2}" y="{y}">{_code(step["say"])}</text>'
    height = y + PARTED + data["heights"][1]
    return _svg(WIDTH, height, "", f'<rect class="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10"/>'
                f"{says}{_memory(data, [step], during, 0, y + PARTED - 8)}")


def _memory(data, steps, during, x, y):
    """Memory as it is in each of these steps, in a column that begins at x."""
    steps_with = {}     # number of a piece -> the steps that it is there in
    for number, step in enumerate(steps):
        for piece in step["at"][1]:
            steps_with.setdefault(piece, set()).add(number)
    shapes = []
    for piece, numbers in sorted(steps_with.items(), key=lambda entry: data["pieces"][entry[0]][1]):
        _, _, left, top, markup = data["pieces"][piece]
        shapes.append(f'<g class="{during(numbers)}"><g transform="translate({left} {top})">{data["markups"][markup]}</g></g>')
    return f'<g transform="translate({x + (WIDTH - data["widths"][1]) / 2:g} {y})">{"".join(shapes)}</g>'


def _code(words):
    """A line of words in which code stands in a font of its own."""
    return re.sub("`(.*?)`", r"<tspan>\1</tspan>", escape(words))


def _unbroken(words):
    """Words in which code, or a row of numbers in brackets, stays in one line."""
    return re.sub(r"`.*?`|\[[\d ]+\]", lambda row: row[0].replace(" ", "\N{NO-BREAK SPACE}"), words)


def card():
    """What a link is shown with: the course's name, and the question."""
    data, _ = film("opening")
    question = moving(data, len(data["steps"]) - 1, wide=True, asks=True)
    placed = 'x="60" y="220" width="1080" height="400" preserveAspectRatio="xMidYMin"'
    drawn = re.sub(r'(viewBox="[^"]*") width="\d+" height="\d+"', rf"\1 {placed}", question, count=1)
    return _svg(1200, 630, "", '<rect width="1200" height="630" class="paper"/>'
                '<text class="title" x="60" y="100">Whose pointer is this?</text>'
                '<text class="subtitle" x="60" y="150">A course on CUDA’s memory, with a GPU or without</text>' + drawn)


def _svg(width, height, rules, drawn):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="mm" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
            f"<style>\n{page.still.STYLE}{COLOURS}{rules}</style>\n{drawn}\n</svg>\n")


def drawings():
    """{name of a file in docs/: its text}"""
    drawn = {"board.svg": still_board()}
    for name in FILMS:
        data, whole = film(name)
        question_step = len(data["steps"]) - 1
        drawn[f"{name}_answer.svg"] = answer(whole)
        for kind, wide in (("", True), ("_narrow", False)):
            drawn |= {f"{name}{kind}.svg": moving(data, wide=wide), f"{name}{kind}_still.svg": moving(data, question_step, wide=wide)}
    return drawn


def sum_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def take(svg, path):
    """Let a Chromium draw an SVG as a PNG."""
    from PIL import Image, PngImagePlugin
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import chromium
    note = PngImagePlugin.PngInfo()
    note.add_text("source", sum_of(svg))
    with sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        view = chrome.new_page(viewport={"width": 1200, "height": 630})
        view.set_content(f"<body style='margin: 0'>{svg}")
        Image.open(io.BytesIO(view.screenshot())).convert("RGB").quantize(64).save(path, "PNG", pnginfo=note, optimize=True)
        chrome.close()


if __name__ == "__main__":
    for name, text in drawings().items():
        write_whole(ROOT / "docs" / name, text)
    take(card(), ROOT / "docs" / "opening.png")
