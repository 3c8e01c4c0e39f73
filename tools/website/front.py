"""The site's first page: something to play, and then the roads that lead on, exercises, how to start, and the lessons.

Next to nothing is written here: the words are the README's, and on a card the question that lesson 00's plan has for the lesson, and
its minutes; the lessons' choices.toml invite to what can be done on a page. In the place of the README's moving pictures, of its
questions and of PyTorch's lines stand programs that can be stepped through (opening.py), and in that of its picture of a board the
board. What the README has for who looks at the repository, such as its list of files and how this page is made, is left out.
"""
import html
import re

from courseware.course import BY_TOPIC
from courseware.notebook.display import paragraphs

from choices import of_page
from players import board
from publish import PLAY
from update import minutes, questions

DO = "Exercises to do right here"
DONE_HERE = """\
Choose the missing pieces of a program, run it, and watch what becomes of memory. Every version was run when these pages were made, so
what you read of it did happen."""
# What of it the header leads to: {address: what it is called}
PLACES_HERE = {f"index.html#{DO.lower().replace(' ', '-')}": "Exercises", "index.html#start": "Run it yourself"}
ROAD = re.compile(r"(?m)^(- \*\*.+?)\.\*\*")     # what it is called
BADGES = re.compile(r"(?m)^\[!\[.*\n")         # pictures of other hosts
OTHERS = re.compile(r"<summary>(.*)</summary>")
MOST_LETTERS = 200      # of a description
KINDS = {"short": "short road", "side": "side trip", "": ""}


def front(readme, road, programs, orders_board):
    """The Markdown of the first page.

    road: (page, kind) of each lesson, in order; kind: a key of KINDS. programs, orders_board: paragraphs in whose places these will stand
    """
    promise, *headed = re.split(r"(?m)^## (.+)\n", readme)
    sections = {name: text.strip() for name, text in zip(headed[::2], headed[1::2])}
    promise = BADGES.sub("", promise).partition(PLAY.search(promise)[0])[0]
    why, roads, others = re.search(r"(?s)(.*?\n\n)(- .*?)\n\n(?!-)(.*)", sections["Where to go on"]).groups()
    runs, *race, believe = sections["Test your own program"].replace('"docs/', '"').split("\n\n")
    anywhere, *on_this_machine, _ = sections["Start"].split("\n\n")       # the last one says how to make this page
    lessons, licence = sections["Lessons"], sections["Files"].rpartition("\n\n")[2]
    seldom = sections["Find the race"].rpartition("\n\n")[2]
    lesson = next(page for page, _ in road if page.source.endswith(BY_TOPIC["order"].notebook))
    question_of, lasts = questions(), minutes()
    notebooks = [(page, kind, page.source.removeprefix("notebooks/")) for page, kind in road]
    card_of = {page.source: _card(page.source, page.title, question_of[notebook], f"{lasts[notebook]} minutes")
               for page, _, notebook in notebooks}
    short_road = "".join(card_of[page.source] for page, kind, _ in notebooks if kind == "short")
    longer = "".join(_row(page, kind, question_of[notebook], lasts[notebook]) for page, kind, notebook in notebooks if kind != "short")
    return "\n\n".join([
        promise, programs, _orders(), orders_board, _beside(seldom, f'<ul class="cards">{card_of[lesson.source]}</ul>'),
        "## Where to go on", _beside(why, others), '<div class="roads">', ROAD.sub(r"\1**", roads), "</div>",
        f"## {DO}", _choices(road),
        "## Test your own program", _beside(f"{runs}\n\n{believe}", "\n\n".join(race)),
        "## Start", _beside(anywhere, "\n\n".join(on_this_machine)),
        "## Lessons", lessons.partition("\n\n")[0], f'<ul class="cards">{short_road}</ul>',
        f'<details class="others">{OTHERS.search(lessons)[0]}<ul class="rows">{longer}</ul></details>',
        licence])


def _beside(*texts):
    """Texts of which each has a column, if there is room."""
    return '<div class="pair">\n\n' + "".join(f"<div>\n\n{text}\n\n</div>\n\n" for text in texts) + "</div>"


def _choices(road):
    """What can be done on the pages, each with the sentence that invites to it; the last lesson's come first."""
    cards = ""
    for page, _ in reversed(road):
        for exercise in of_page(page):
            title = exercise.title.partition(": ")[2]
            cards += _card(f"{page.source}#{exercise.anchor}", title[:1].upper() + title[1:], exercise.invites,
                           f'{exercise.minutes} minutes, {len(exercise.versions)} versions · lesson {page.title.partition(" ")[0]}')
    return f'<p class="done-here-is">{DONE_HERE}</p>\n<ul class="cards done-here">{cards}</ul>\n'


def _orders():
    """The heading of the board; how many orders there are without a barrier is what the board says."""
    _, orders = board()
    number = re.search(r"[\d,]+(?= orders)", orders["sentences"][""])[0]
    return f'<h2 class="board">{len(orders["threads"])} threads, {number} orders: find a wrong one</h2>'


def _card(leads_to, title, asks, takes):
    """A lesson of the short road, or an exercise."""
    return f'<li><p><a href="{leads_to}">{html.escape(title)}</a></p>{paragraphs(asks)}<p><small>{takes}</small></p></li>'


def _row(page, kind, question, takes):
    """Another lesson: a line or two."""
    small = ", ".join(filter(None, (KINDS[kind], f"{takes} minutes")))
    return (f'<li class="{kind or "road"}"><p><a href="{page.source}">{html.escape(page.title)}</a> <small>{small}</small></p>'
            f"{paragraphs(question)}</li>")


def described(page):
    """What a page is about, for a search engine and for who is sent a link: a lesson's question, and how the page begins."""
    begins = page.notebook.cells[0].source.partition("\n## ")[0]
    if not page.is_notebook:
        begins = re.sub(r"(?m)^> ?", "", begins)        # in a lesson that is what somebody else says
    begins = re.sub(r"(?ms)^```.*?^```|^>.*?$|^# .*?$|^ {4}.*?$|<[^>]*>|!\[[^\]]*\]\([^)]*\)", "", begins)
    begins = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", begins).strip() or f"{page.title}, of a course in notebooks on CUDA's memory spaces."
    question = questions().get(page.source.removeprefix("notebooks/"), "")
    words = " ".join([question, *re.split(r"(?<=[.?!])\s+", begins)[:2]]).translate({ord(sign): None for sign in "`*"})
    words = " ".join(words.split())
    return words if len(words) <= MOST_LETTERS else words[:MOST_LETTERS].rpartition(" ")[0] + " …"
