"""What the site's search looks through: the text below each heading of each page, as a script that a page loads when somebody searches.

It is a script and not data, because the pages' policy allows scripts of the site, and a browser reads no data from a file on disk.
Outputs of cells are left out, and what only leads to other pages. Of what can be played on a page there are the lines of its program, and
no answer. Not here: the search itself (site.js).
"""
import json
import re
from pathlib import Path

from courseware.course import tomllib

from bs4 import BeautifulSoup

FILE = "search-index.js"
SYNONYMS = tomllib.loads(Path(__file__).with_name("synonyms.toml").read_text("utf-8"))      # {page or page#heading: other words}
# And what is said to an answer, or after the last step, and labels
LEFT_OUT = (".cell, .course-follow, .course-orders, .explorer, .cards, .rows, .note, style, svg, pre, .highlight, "
            ".answers, .again, .onward, .to-why, .question > :first-child")
PROGRAMS = ".asking > pre, .choices .cf-code code:not([hidden], [data-of] code)"        # and not the lines that may stand in it
LINE_NUMBER = re.compile(r"^ *\d+  ", re.MULTILINE)
LABELS = ("Explain", "Hint", "A second hint", "Predicted and observed")
# What is found last: what is for teachers and for those who work on the course, side remarks, and tables for those who know the answer.
LAST = {"docs/teachers-guide.md", "docs/runs.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/inverse-table.md", "docs/wrong-kernels.md",
        *(f"packages/cuda-simulator/docs/{name}.md" for name in ("examined-kernels", "published-races", "other-projects", "licences"))}
ASIDE = ("Fine print", "The same calls elsewhere", "The inverse table", "The inverse table, filled in")
WAY_ON = re.compile(r"(?:Previous|Next): ")       # a lesson's lines that lead to its neighbours
HEADINGS = ("h1", "h2", "h3")
WITHIN_A_LINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "small", "span", "strong", "sub", "sup", "wbr"}


def sections(page, html):
    """[(address, heading, title of the page, text, other words for it, 1 if it is to be found last, else 0)] of a page.

    What stands before its first heading belongs to its title. A program of the first page has the name by which it is chosen. A fold with
    fine print is a section for itself. What a lesson has in bold it explains there, so that is one of the other words.
    """
    main = BeautifulSoup(html, "html.parser").find("main")
    for line in main.select(PROGRAMS):
        for pieces in line.select("select"):
            pieces.decompose()
        (line.find_parent(class_="course-follow") or line).insert_before(" ", LINE_NUMBER.sub("", line.get_text()), " ")
    labels = (fold for fold in main.select("summary") if fold.get_text() in LABELS)
    for element in [*main.select(LEFT_OUT), *labels, *(line for line in main.select("p") if WAY_ON.match(line.get_text()))]:
        element.decompose()
    rows, tabs = [], {tab["href"]: tab.b.get_text() for tab in main.select(".plays > nav a")}
    for piece in main.descendants:
        if piece.name in HEADINGS:
            anchor = "" if piece.name == "h1" else piece.get("id") or (piece.find_parent(class_="choices") or {}).get("id")
            rows.append([f"{page.name}#{anchor}" if anchor else page.name, " ".join(piece.get_text().split()), page.title, [], []])
        elif rows and piece.name == "div" and (tab := tabs.get(f"#{piece.get('id')}")):
            rows.append([f"{page.name}#{piece['id']}", tab, page.title, [], []])
        elif rows and piece.name == "summary" and piece.get_text() in ASIDE:
            rows.append([rows[-1][0], piece.get_text(), page.title, [], []])
        elif rows and piece.name == "strong" and page.is_notebook:
            rows[-1][4].append(piece.get_text())
        elif rows and not isinstance(piece, str) and piece.name not in WITHIN_A_LINE:
            rows[-1][3].append(" ")
        elif rows and isinstance(piece, str) and not piece.find_parent(HEADINGS):
            rows[-1][3].append(piece)
    for number, (_, heading, *_, others) in enumerate(rows):
        others += SYNONYMS.get(f"{page.source}#{heading}", [])
        if number == 0:       # the whole page is its first section
            others += SYNONYMS.get(page.source, [])
    return [(address, heading, title, " ".join("".join(texts).split()), ", ".join(others), int(page.source in LAST or heading in ASIDE))
            for address, heading, title, texts, others in rows]


def index(sections):
    """The text of the script."""
    return f"courseSearch({json.dumps(sections, ensure_ascii=False, separators=(',', ':'))});\n"
