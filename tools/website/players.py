"""Programs that a page steps through: those that notebooks have stored, and those that are followed when the site is made.

A page's policy allows no script within it, so the player is a file of the site, and an element's attribute has the steps. What is
drawn of them came out of a notebook like any output: it is made harmless as well. Not here: the player (courseware/follow).
"""
import copy
import dataclasses
import functools
import json
import re

from courseware.follow import follow_source, orders, orders_page, page, sentences
from courseware.follow.program import HOW
from courseware.follow.steps import Step

from bs4 import BeautifulSoup
from harmless import harmless
from pages import NotAPage

SCRIPTS = {"follow.js": page.SCRIPT, "orders.js": orders_page.SCRIPT}      # files of the site; a page loads those that it needs
STYLE = page.STYLE + orders_page.STYLE
STORED = re.compile(r'<script>.*?\ncourse(?:Follow|Orders)\(document\.getElementById\("[\w-]+"\), (\{.*\})\);\n', re.DOTALL)
PLAYER = re.compile(r'<div class="course-(?:follow|orders)".*?</script></div>', re.DOTALL)      # in an output, which may fold it
NOTE = re.compile(r'(<p class="cf-note">)[^<]*(</p>)')
KINDS = {"follow": "data-steps", "orders": "data-orders"}
PLACES = {"follow": "program", "orders": "orders"}        # what a link to a player of a notebook names; a second one has a number
# What a stranger reads in the place of HOW
BELIEVE = '<a href="simulated-driver.html">Can you believe that?</a>'
ON_A_PAGE = f"It was run on a simulated GPU. {BELIEVE}"
# and, where a program is shown in the place of the one that runs, of the whole note.
INSTEAD = f"""\
It was run in <a href="from-pytorch.html">PyCUDA instead of PyTorch</a>, on a simulated GPU, which here copies as late as a GPU may.
{BELIEVE}"""
# The first page's board, and what stands in its frame: tests/browser/test_site.py replays its orders, and finds it so.
TURN = """__global__ void turn(int *x) {
    __shared__ int s[3];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[2 - threadIdx.x];
}"""
TASK = """Press the barrier to take it out, and the numbers stay right. But if one of the reads moves up by one place, its thread reads
too early, and is caught. Which access? Drag it, or choose it and press ↑ or ↓. Then catch the other threads, if you can."""
CAN_BE_CAUGHT = [0, 2]
NO_SCRIPT = "The board needs JavaScript, which is off here. What all its orders come to stands below."
WHO_CAN_BE_CAUGHT = "Who can be caught, and why"
BECAUSE = """Threads 0 and 2. Thread 1 reads the number that it has written itself, and a thread does its own accesses in the order of its
program."""
PATIENCE = 60       # seconds for a program, on a machine that has much else to do
HTML_OF = ("code", "markups")       # what of the steps a player puts into the page as HTML


def stored(html, new_id=str):
    """The HTML of a PLAYER of an output, with its data in an attribute; None without data.

    new_id(name) returns the id that its page has for it.
    """
    kind = next((kind for kind in KINDS if html.startswith(f'<div class="course-{kind}"')), None)
    data = STORED.search(html)
    return _player(kind, html, json.loads(data[1]), id=new_id(PLACES[kind])) if kind and data else None


def followed(source, instead=None, note=None):
    """The HTML of a program that is run now, over the simulated driver, and the Program. Raises NotAPage for one that does not end well.

    instead: a program that is shown in its place, as the Program is that is returned. See standing_for
    note: where it was run, as HTML, if the usual words do not say that
    """
    program = follow_source(source, timeout=PATIENCE)
    if not program.steps or program.steps[-1].ending:
        raise NotAPage(f"A program of the site's does not end well:\n{source}\n{program.outcome.explanation}")
    if instead is not None:
        program, note = standing_for(instead, program), INSTEAD
    html = program.html(alone=False)
    if note is not None:
        html = NOTE.sub(lambda match: f"{match[1]}{note}{match[2]}", html)
    return _player("follow", html, page.data(program)), program


def standing_for(instead, program):
    """A followed Program as the one that is shown in its place: the steps of a line are one, but work that is done is another.

    Comments of the program's say for which line of the other the next ones stand. Those that stand behind a line are said of its step.
    """
    lines, groups, shown = stands_for(program.source, instead), [], [Step(0)]
    for step in program.steps:
        if groups and lines[groups[-1][0].line] == lines[step.line] and not step.done:
            groups[-1].append(step)
        else:
            groups.append([step])
    for group in groups:
        step = dataclasses.replace(group[-1], line=lines[group[0].line], calls=[call for member in group for call in member.calls],
                                   moves=[move for member in group for move in member.moves], done=group[0].done)
        comments = [comment for member in group if (comment := program.code(member).partition("  # ")[2])]
        step.sentence = " ".join([sentences.sentence(step, shown[-1]), *comments])
        shown.append(step)
    stand_in = copy.copy(program)
    stand_in.source, stand_in.steps = instead, shown[1:]
    return stand_in


def stands_for(source, shown):
    """{line of a program: the line of the other for which it stands}, by its comments, in which the end of a line may be "..."."""
    lines, stand_in_of, stands_at = [line.strip() for line in shown.splitlines()], {0: 0}, 0
    for number, line in enumerate(source.splitlines(), 1):
        if line.startswith("# "):
            begins = line.removeprefix("# ").partition("...")[0]
            stands_at = next((place for place, text in enumerate(lines[stands_at:], stands_at + 1) if text.startswith(begins)), None)
            if stands_at is None:
                raise NotAPage(f"The program to be shown has no such line, or has it earlier: {line}")
        stand_in_of[number] = stands_at
    return stand_in_of


@functools.cache
def board():
    """The first page's board of orders: its HTML, and the data for its player."""
    shown = orders(_three_threads)
    data, lanes = orders_page.data(shown), '<div class="co-board"'
    html = orders_page.html(shown, alone=False).replace(lanes, f'<p class="task">{TASK}</p>{lanes}').removesuffix("</div>")
    because = (f'<details class="co-why" id="{PLACES["orders"]}-why" data-threads="{CAN_BE_CAUGHT}"><summary>{WHO_CAN_BE_CAUGHT}</summary>'
               f"<p>{BECAUSE}</p></details>")
    return _player("orders", f"{html}{because}</div>", data, id=PLACES["orders"]), data


def _three_threads():
    from course_lib import kernels

    import numpy as np
    import pycuda.driver as cuda
    kernels.compile(TURN).turn(1, 3, cuda.to_device(np.array([10, 20, 30], np.int32)))


def step_with(words, program):
    """The number of a program's first step in whose line these words are, from 0."""
    return next(number for number, step in enumerate(program.steps) if words in program.code(step))


def _player(kind, html, data, **attributes):
    soup = harmless(BeautifulSoup(html, "html.parser"))
    for style in soup.find_all("style"):
        style.decompose()
    cleaned = {key: list(map(clean, data[key])) for key in HTML_OF if key in data}
    root = soup.find("div")
    if kind == "orders":
        root.insert(0, BeautifulSoup(f'<p class="note no-script">{NO_SCRIPT}</p>', "html.parser"))
    for note in root.select(".cf-note"):
        note.replace_with(BeautifulSoup(str(note).replace(HOW, ON_A_PAGE), "html.parser"))
    steps = json.dumps({**data, **cleaned}, ensure_ascii=False, separators=(",", ":"))
    root.attrs = {"class": root["class"], **attributes, KINDS[kind]: steps}
    return str(soup)


@functools.cache        # the versions of an exercise share most of their pieces
def clean(html):
    """A piece of HTML made harmless. Within <pre>, where the parser leaves blanks alone: a line of code begins with them."""
    return harmless(BeautifulSoup(f"<pre>{html}</pre>", "html.parser")).pre.decode_contents()


def scripts(html):
    """The names of the scripts that a piece of a page needs, as a set."""
    return {f"{kind}.js" for kind, attribute in KINDS.items() if f"{attribute}=" in html}
