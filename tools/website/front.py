"""The site's first page: the README's promise, the lessons as cards, how to run them.

Next to nothing is written here: the words are the README's, and on a card the question that lesson 00's plan has for the lesson, and
its minutes; the lessons' choices.toml invite to what can be done on a page. In the place of the README's moving picture and its
question stands the program that both are of, as one that can be stepped through (opening.py), with two others below it; what can be
done on a page stands below it, the exercises above a lesson's board of orders. What the README has for who looks at the repository,
its list of files and a picture of the site, is left out.
"""
import html
import re

from courseware.notebook.display import code, paragraphs

from choices import of_page
from opening import QUOTED
from pages import PYTORCH
from players import PLACES, board
from publish import PLAY
from update import minutes, questions

DO = "do-it-here"
DONE_HERE = """\
Choose the missing pieces of a program, run it on its page, and watch what becomes of memory. Every version was run when the pages
were made, so what you read of it did happen."""
PICTURE = r"<picture>(?s:.*?)</picture>\n(?:<p><a .*</p>\n)?"        # of the README, with a link below it if that is published
BADGES = re.compile(r"(?m)^\[!\[.*\n")         # pictures of other hosts
FOR_PYTORCH = re.compile(r"(?m)^\*\*From PyTorch\?\*\* (?s:.*?)\n\n")       # there it is a link, and takes no line of its own
IN_CPP = re.compile(r"You write CUDA in C\+\+\?(?s:.*?)</details>\n")        # there it is a switch
SITE_SHOWN = re.compile(rf" As \[pages\][^<]*{PICTURE}")
MOST_LETTERS = 200      # of a description
KINDS = {"short": "short road", "side": "side trip", "": ""}


def front(readme, road, program, changed, orders_board, *others):
    """The Markdown of the first page.

    road: (page, kind) of each lesson, in order; kind: a key of KINDS. program and what follows: the paragraphs in whose places programs
    will stand, the first one, the same to be changed, a board of orders, and others
    """
    promise, *rest = re.split(r"(?m)^## (.+)\n", readme)
    sections = dict(zip(rest[::2], rest[1::2]))
    picture = re.search(PICTURE, promise)[0]
    opening, afterwards = BADGES.sub("", PLAY.sub("", promise)).split(picture)
    opening = FOR_PYTORCH.sub("", opening).replace("**\n\n", f"** [From PyTorch?]({PYTORCH})\n\n", 1)
    afterwards = IN_CPP.sub("", QUOTED.sub("", SITE_SHOWN.sub("", afterwards)))
    first = road[0][0]
    lesson, orders = next((page, shown[1]) for page, _ in road if (shown := board(page)))
    begin = (f'<p class="begin"><a href="{first.source}">Read lesson {first.title.partition(" ")[0]}</a> '
             f'<a href="#{DO}">Complete a program here</a> '
             '<a href="#start">Run it yourself</a></p>\n')
    short = sections["Lessons"].strip().partition("\n\n")[0]
    last = [sections[name].rstrip().rpartition("\n\n")[2] for name in ("Lessons", "Files")]
    asked, takes = questions(), minutes()
    notebooks = [(page, kind, page.source.removeprefix("notebooks/")) for page, kind in road]
    short_road = "".join(_card(page, asked[notebook], takes[notebook]) for page, kind, notebook in notebooks if kind == "short")
    rest = "".join(_row(page, kind, asked[notebook], takes[notebook]) for page, kind, notebook in notebooks if kind != "short")
    return "\n".join([opening, program, "", begin, "", "## Change it", "", changed, "",
                      f'<h2 id="{DO}">Do it here</h2>\n', _choices(road), _orders(lesson, orders), orders_board, "",
                      "\n\n".join(others), "", afterwards,
                      "\n## Ways in\n", sections["Ways in"],
                      "## Lessons\n", short, "", f'<ul class="cards">{short_road}</ul>\n<ul class="rows">{rest}</ul>\n', last[0],
                      "\n## Start\n", sections["Start"], last[1]])


def _choices(road):
    """What can be done on the pages, each with the sentence that invites to it; the last lesson's come first."""
    links = []
    for page, _ in reversed(road):
        for exercise in of_page(page):
            title = html.escape(exercise.title.partition(": ")[2].capitalize())
            links.append(f'<li><a href="{page.source}#{exercise.anchor}">{title}</a>, in lesson {page.title.partition(" ")[0]}<br>'
                         f"{code(html.escape(exercise.invites))}</li>")
    return f'<p>{DONE_HERE}</p>\n<ul class="done-here">{"".join(links)}</ul>\n'


def _orders(page, orders):
    """What leads to a lesson's board of orders; how many there are without a barrier is what the board says."""
    number = re.search(r"[\d,]+(?= orders)", orders["sentences"][""])[0]
    asked = f'{len(orders["threads"])} threads, {number} orders: find a wrong one'
    return f'<p class="board"><a href="{page.source}#{PLACES["orders"]}">{asked}</a>, of lesson {page.title.partition(" ")[0]}:</p>\n'


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
