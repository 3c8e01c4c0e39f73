"""The site's first page: something to play, and then how to start, the lessons, and what else the course is for.

Next to nothing is written here: the words are the README's, and on a card the question that lesson 00's plan has for the lesson, and
its minutes; the lessons' choices.toml invite to what can be done on a page. In the place of the README's moving picture, of its
question and of PyTorch's lines stand programs that can be stepped through (opening.py), and in that of its picture of a board the
board. What the README has for who looks at the repository, such as its list of files, is left out.
"""
import html
import re

from courseware.notebook.display import paragraphs

from choices import of_page
from players import PLACES, board
from publish import PLAY
from update import minutes, questions

DO = "do-it-here"
DONE_HERE = """\
Choose the missing pieces of a program, run it on its page, and watch what becomes of memory. Every version was run when the pages
were made, so what you read of it did happen."""
BADGES = re.compile(r"(?m)^\[!\[.*\n")         # pictures of other hosts
OTHERS = re.compile(r"<summary>(.*)</summary>")
MOST_LETTERS = 200      # of a description
KINDS = {"short": "short road", "side": "side trip", "": ""}


def front(readme, road, programs, orders_board):
    """The Markdown of the first page.

    road: (page, kind) of each lesson, in order; kind: a key of KINDS. programs, orders_board: paragraphs in whose places these will stand
    """
    promise, *rest = re.split(r"(?m)^## (.+)\n", readme)
    sections = {name: text.strip() for name, text in zip(rest[::2], rest[1::2])}
    promise = BADGES.sub("", promise).partition(PLAY.search(promise)[0])[0]
    learn, lessons = sections["Learn"].split("\n\n### Lessons\n\n")
    test = sections["Test your own program"].split("\n\n")
    seldom, takes, licence = (text.rpartition("\n\n")[2] for text in (sections["Find the race"], lessons, sections["Files"]))
    first = road[0][0]
    lesson, orders = next((page, shown[1]) for page, _ in road if (shown := board(page)))
    begin = (f'<p class="begin"><a href="{first.source}">Read lesson {first.title.partition(" ")[0]}</a> '
             f'<a href="#{DO}">Exercises</a> <a href="#start">Run it yourself</a></p>\n')
    asked, lasts = questions(), minutes()
    notebooks = [(page, kind, page.source.removeprefix("notebooks/")) for page, kind in road]
    short_road = "".join(_card(page, asked[notebook], lasts[notebook]) for page, kind, notebook in notebooks if kind == "short")
    others = "".join(_row(page, kind, asked[notebook], lasts[notebook]) for page, kind, notebook in notebooks if kind != "short")
    return "\n\n".join([
        promise, programs, begin,
        _orders(lesson, orders), orders_board, seldom, f'<h3 id="{DO}">Do it here</h3>', _choices(road),
        "## Test your own program", test[0], test[-1], "## Start", sections["Start"],
        "## Learn", learn, "## Lessons", lessons.partition("\n\n")[0], f'<ul class="cards">{short_road}</ul>',
        f'<details class="others">{OTHERS.search(lessons)[0]}<ul class="rows">{others}</ul></details>', takes, licence])


def _choices(road):
    """What can be done on the pages, each with the sentence that invites to it; the last lesson's come first."""
    links = []
    for page, _ in reversed(road):
        for exercise in of_page(page):
            title, lesson = html.escape(exercise.title.partition(": ")[2]), page.title.partition(" ")[0]
            links.append(f'<li><p><a href="{page.source}#{exercise.anchor}">{title[:1].upper()}{title[1:]}</a> '
                         f"<small>lesson {lesson}</small></p>{paragraphs(exercise.invites)}</li>")
    return f'<p>{DONE_HERE}</p>\n<ul class="rows done-here">{"".join(links)}</ul>\n'


def _orders(page, orders):
    """What leads to a lesson's board of orders; how many there are without a barrier is what the board says."""
    number = re.search(r"[\d,]+(?= orders)", orders["sentences"][""])[0]
    asked = f'{len(orders["threads"])} threads, {number} orders: find a wrong one'
    return f'<h2 class="board"><a href="{page.source}#{PLACES["orders"]}">{asked}</a></h2>'


def _card(page, asked, takes):
    """A lesson of the short road."""
    return (f'<li><p><a href="{page.source}">{html.escape(page.title)}</a></p>{paragraphs(asked)}'
            f"<p><small>{takes} minutes</small></p></li>")


def _row(page, kind, asked, takes):
    """Another lesson: a line or two."""
    small = ", ".join(filter(None, (KINDS[kind], f"{takes} minutes")))
    return (f'<li class="{kind or "road"}"><p><a href="{page.source}">{html.escape(page.title)}</a> <small>{small}</small></p>'
            f"{paragraphs(asked)}</li>")


def described(page):
    """What a page is about, for a search engine and for who is sent a link: a lesson's question, and how the page begins."""
    begins = page.notebook.cells[0].source.partition("\n## ")[0]
    if not page.is_notebook:
        begins = re.sub(r"(?m)^> ?", "", begins)        # in a lesson that is what somebody else says
    begins = re.sub(r"(?ms)^```.*?^```|^>.*?$|^# .*?$|^ {4}.*?$|<[^>]*>|!\[[^\]]*\]\([^)]*\)", "", begins)
    begins = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", begins).strip() or f"{page.title}, of a course in notebooks on CUDA's memory spaces."
    asked = questions().get(page.source.removeprefix("notebooks/"), "")
    words = " ".join([asked, *re.split(r"(?<=[.?!])\s+", begins)[:2]]).translate({ord(sign): None for sign in "`*"})
    words = " ".join(words.split())
    return words if len(words) <= MOST_LETTERS else words[:MOST_LETTERS].rpartition(" ")[0] + " …"
