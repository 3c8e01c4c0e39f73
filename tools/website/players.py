"""Programs that a page steps through: those that notebooks have stored, and those that are followed when the site is made.

A page's policy allows no script within it, so the player is a file of the site, and an element's attribute has the steps. What is
drawn of them came out of a notebook like any output: it is made harmless as well. Not here: the player (courseware/follow).
"""
import functools
import json
import re

from courseware.follow import follow_source, orders, orders_page, page
from courseware.follow.program import HOW
from courseware.memory_map.descriptions import address

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
# Where memory begins in a picture: that of the device, that which both sides have, and the host's that the GPU uses.
GRANULE, BEGINS = 2 << 20, {"device": 0x5f2c40000000, "both": 0x6f2c40000000, "host": 0x7b2c40000000}
ADDRESS = re.compile("0x[0-9a-f]{12}")
# The first page's board, and what stands in its frame: tests/browser/test_site.py replays its orders, and finds it so.
TURN = """__global__ void turn(int *x) {
    __shared__ int s[3];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[2 - threadIdx.x];
}"""
TASKS = ("Take the barrier out: press it.",         # one after the other: the next is told when that is done
         "Still right. Now drag one read up by one place, or press ↑, so that a number goes wrong.",
         "Caught. Now the other threads, as far as they can be caught.",
         'You have caught all that can be caught. <a href="#orders-why">Why no other?</a> '
         '<a href="16_who_comes_first.html">Next: 16 · Who comes first?</a>')
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


def followed(source):
    """The Program of a source that is run now, over the simulated driver. Raises NotAPage if it does not end well."""
    program = follow_source(source, timeout=PATIENCE)
    if not program.steps or program.steps[-1].ending:
        raise NotAPage(f"A program of the site's does not end well:\n{source}\n{program.outcome.explanation}")
    return program


def captioned(program, captions):
    """Put a person's words in the place of those that a followed Program has at a step; returns {number of a step that decides, from 0: the
    words of its line}.

    captions: [{line: words of a line, step: which of its steps, from 1 (the first if not said), says: sentences, decides: true}], of which
    the last may be missing. Raises NotAPage if there is no such step
    """
    decisive = {}
    for caption in captions:
        line = next((step.line for step in program.steps if caption["line"] in program.code(step)), None)
        numbers = [number for number, step in enumerate(program.steps) if step.line == line]
        if caption.get("step", 1) > len(numbers):
            raise NotAPage(f"The program has no such step: {caption}\n{program}")
        number = numbers[caption.get("step", 1) - 1]
        program.steps[number].sentence = caption["says"]
        decisive |= {number: caption["line"]} if caption.get("decides") else {}
    return decisive


def data(program):
    """The steps of a followed Program as data for the player, in which memory has the same addresses each time, on every page: where a
    process has room for the simulated GPU's is chance."""
    shown, side_of = page.data(program), {}
    for block in (block for step in program.steps for block in step.scene.blocks if block.device is not None):
        side_of.setdefault(block.device, block.memory.where if block.memory and block.host == block.device else "device")
    lowest = {side: min(start for start, of in side_of.items() if of == side) // GRANULE * GRANULE for side in side_of.values()}
    replaced = {address(start): address(start - lowest[side] + BEGINS[side]) for start, side in side_of.items()}
    shown["markups"] = [ADDRESS.sub(lambda match: replaced.get(match[0], match[0]), markup) for markup in shown["markups"]]
    return shown


def played(program, note=None):
    """The HTML of a followed Program. note: where it was run, as HTML, if the usual words do not say that"""
    html = program.html(alone=False)
    if note is not None:
        html = NOTE.sub(lambda match: f"{match[1]}{note}{match[2]}", html)
    return _player("follow", html, data(program))


@functools.cache
def board():
    """The first page's board of orders: its HTML, and the data for its player."""
    shown = orders(_three_threads)
    data, lanes = orders_page.data(shown), '<div class="co-board"'
    tasks = f'<div class="task" aria-live="polite">{"".join(f"<p>{task}</p>" for task in TASKS)}</div>'
    html = orders_page.html(shown, alone=False).replace(lanes, f'{tasks}{lanes}').removesuffix("</div>")
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


def _player(kind, html, shown, **attributes):
    soup = harmless(BeautifulSoup(html, "html.parser"))
    for style in soup.find_all("style"):
        style.decompose()
    cleaned = {key: list(map(clean, shown[key])) for key in HTML_OF if key in shown}
    root = soup.find("div")
    if kind == "orders":
        root.insert(0, BeautifulSoup(f'<p class="note no-script">{NO_SCRIPT}</p>', "html.parser"))
    for note in root.select(".cf-note"):
        note.replace_with(BeautifulSoup(str(note).replace(HOW, ON_A_PAGE), "html.parser"))
    steps = json.dumps({**shown, **cleaned}, ensure_ascii=False, separators=(",", ":"))
    root.attrs = {"class": root["class"], **attributes, KINDS[kind]: steps}
    return str(soup)


@functools.cache        # the versions of an exercise share most of their pieces
def clean(html):
    """A piece of HTML made harmless. Within <pre>, where the parser leaves blanks alone: a line of code begins with them."""
    return harmless(BeautifulSoup(f"<pre>{html}</pre>", "html.parser")).pre.decode_contents()


def scripts(html):
    """The names of the scripts that a piece of a page needs, as a set."""
    return {f"{kind}.js" for kind, attribute in KINDS.items() if f"{attribute}=" in html}
