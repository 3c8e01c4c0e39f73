"""The site's first page: the README's promise, the lessons as cards, how to run them.

Nothing is written here: the words are the README's, and on a card the lesson's own first question and drawn picture. What the
README has for who looks at the repository, its list of files, is left out.
"""
import html
import re

from courseware.notebook.display import paragraphs

SMALL = "small_"        # before the file name of a drawn picture without its words, which nobody could read on a card
KINDS = {"short": "short road", "side": "side trip", "": ""}


def front(readme, road):
    """The Markdown of the first page. road: (page, kind) of each lesson, in order; kind: a key of KINDS"""
    promise, *rest = re.split(r"(?m)^## (.+)\n", readme)
    sections = dict(zip(rest[::2], rest[1::2]))
    picture = re.search(r"!\[[^\]]*\]\([^)]*\)\n", promise)[0]
    told, afterwards = promise.split(picture)
    first = road[0][0]
    begin = (f'<p class="begin"><a href="{first.source}">Read lesson {html.escape(first.title)}</a> '
             '<a href="#start">Run it on your machine</a></p>\n')
    short = sections["Lessons"].strip().partition("\n\n")[0]
    last = [sections[name].rstrip().rpartition("\n\n")[2] for name in ("Lessons", "Files")]
    cards = "".join(_card(page, kind) for page, kind in road)
    return "\n".join([told, begin, picture, afterwards, "## Lessons\n", short, "", f'<ul class="cards">{cards}</ul>\n', last[0],
                      "\n## Start\n", sections["Start"], last[1]])


# A question that is short, or begins with one of these words, is about what the sentence before it says.
ALONE, LEANING = 8, {"that", "it", "its", "they", "this"}


def _card(page, kind):
    drawn = next(name for cell in page.notebook.cells for name in re.findall(r"\]\(attachment:(\w+)\.png\)", cell.source))
    label = f"<p><small>{KINDS[kind]}</small></p>" if kind else ""
    return (f'<li class="{kind or "road"}"><img src="docs/pictures/{SMALL}{drawn}.svg" alt="">'
            f'<p><a href="{page.source}">{html.escape(page.title)}</a></p>'
            f"{paragraphs(question(page.notebook.cells[0].source))}{label}</li>")


def question(source):
    """The first question of a lesson's first cell, if it leans on the sentence before, with that; without a question, two sentences."""
    source = re.sub(r"(?ms)^```.*?^```|^> .*?$|^# .*?$", "", source)
    for paragraph in source.split("\n\n"):
        sentences = re.findall(r"\S[^.?!]*[.?!]+(?=\s|$)", paragraph.replace("\n", " "))
        for before, sentence in zip(["", *sentences], sentences):
            if sentence.endswith("?"):
                leans = len(sentence.split()) < ALONE or LEANING & set(sentence.lower().split()[:5])
                asked = f"{before} {sentence}".strip() if leans else sentence
                return asked[0].upper() + asked[1:]
    first = next(paragraph for paragraph in source.split("\n\n") if paragraph.strip()).replace("\n", " ")
    return " ".join(re.findall(r"\S[^.?!]*[.?!]+(?=\s|$)", first)[:2])
