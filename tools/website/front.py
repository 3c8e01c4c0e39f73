"""The site's first page: something to play, and then the two ways that lead on, exercises, and how to start.

Next to nothing is written here: the words are the README's, and on a card the question that lesson 00's plan has for the lesson, and
its minutes; the lessons' choices.toml invite to what can be done on a page. In the place of the README's moving pictures, of its
questions and of PyTorch's lines stand programs that can be stepped through (opening.py), and in that of its picture of a board the
board.
"""
import html
import re

from courseware.course import by_way
from courseware.notebook.display import paragraphs

from choices import of_page
from players import board
from publish import PLAY
from questions import LINK
from update import OTHERS, minutes, questions

DO = "Exercises to do right here"
DONE_HERE = """\
Choose the missing pieces of a program, run it, and watch what becomes of memory. Every version was run when these pages were made, so
what you read of it did happen."""
# What of it the header leads to: {address: what it is called}
PLACES_HERE = {f"index.html#{DO.lower().replace(' ', '-')}": "Exercises", "index.html#start": "Run it yourself"}
BADGES = re.compile(r"(?m)^\[!\[.*\n")         # pictures of other hosts
LISTED = re.compile(r"(?ms)^<details>.*?^</details>|^- .*?$|<!--.*?-->")      # of the README: its lists of lessons
SELDOM = re.compile(r"(?s)On a GPU .*? run of 1,000\.")      # of the README: what it says of the board's orders
MOST_LETTERS = 200      # of a description


def front(readme, road, programs, orders_board):
    """The Markdown of the first page.

    road: (page, Lesson) of each lesson, in order. programs, orders_board: paragraphs in whose places these will stand
    """
    promise, *headed = re.split(r"(?m)^## (.+)\n", readme)
    sections = {name: text.strip() for name, text in zip(headed[::2], headed[1::2])}
    promise = BADGES.sub("", promise).partition(PLAY.search(promise)[0])[0]
    why, *ways = re.split(r"\n{2,}", LISTED.sub("", sections["Where to go on"]).strip())
    test, fence, tried = sections["Test your own program"].partition("```\n\n")
    start = sections["Start"].split("\n\n")
    seldom = SELDOM.search(sections["Find the race"])[0]
    question_of, lasts = questions(), minutes()
    card_of = {lesson.topic: _card(page.source, page.title, question_of[lesson.notebook],
                                   f"{'side trip, ' * (not lesson.number)}{lasts[lesson.notebook]} minutes") for page, lesson in road}
    first, second, *others = ("".join(card_of.get(lesson.topic, "") for lesson in lessons) for _, lessons in by_way())
    return "\n\n".join([
        promise, programs, _orders(), orders_board, seldom,
        "## Where to go on", _beside(f"{why}\n\n{ways[0]}", f'<ul class="cards way next">{first}</ul>'),
        ways[1], f'<ul class="cards way">{second}</ul>',
        f'<details class="others"><summary>{OTHERS}</summary><ul class="cards">{"".join(others)}</ul></details>',
        f"## {DO}", _choices(road),
        "## Test your own program", _beside(test + fence, tried),
        "## Start", _beside("\n\n".join(start[:2]), "\n\n".join(start[2:]))])


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
    """A lesson, or an exercise."""
    return f'<li><p><a href="{leads_to}">{html.escape(title)}</a></p>{paragraphs(asks)}<p><small>{takes}</small></p></li>'


def described(page):
    """What a page is about, for a search engine and for who is sent a link: a lesson's question, and how the page begins."""
    begins = page.notebook.cells[0].source.partition("\n## ")[0]
    if not page.is_notebook:
        begins = re.sub(r"(?m)^> ?", "", begins)        # in a lesson that is what somebody else says
    begins = re.sub(r"(?ms)^```.*?^```|^>.*?$|^# .*?$|^ {4}.*?$|<[^>]*>|!\[[^\]]*\]\([^)]*\)", "", begins)
    begins = LINK.sub(r"\1", begins).strip() or f"{page.title}, of a course in notebooks on CUDA's memory spaces."
    question = questions().get(page.source.removeprefix("notebooks/"), "")
    words = " ".join([question, *re.split(r"(?<=[.?!])\s+", begins)[:2]]).translate({ord(sign): None for sign in "`*"})
    words = " ".join(words.split())
    return words if len(words) <= MOST_LETTERS else words[:MOST_LETTERS].rpartition(" ")[0] + " …"
