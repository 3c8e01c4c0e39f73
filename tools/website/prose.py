"""Markdown of the course to HTML of the site: headings that can be linked to, links that lead to pages, tables that
scroll by themselves. Not for outputs of cells: they are shown as they are kept.
"""
import base64
import hashlib
import posixpath
import re

import players
from bs4 import BeautifulSoup
from colours import in_lines
from harmless import harmless
from nbconvert.filters.markdown_mistune import markdown2html_mistune

NAME_ENDS = re.compile(r"(?<=_)(?=\w)|(?<=[a-z])(?=[A-Z])")        # where a long name may go over the end of a line, in a table
LONG = 18       # letters
PHONE = 32      # letters for which a phone has room in a row of a table


class Prose:
    """The texts of one page.

    Args:
        source: the page's notebook or document, from the root of the course; its links are relative to it.
        pages: file names of pages by source, {"notebooks/00_a.ipynb": "00_a.html"}.
        inserted: {a paragraph's text: the HTML that stands in its place}, which is the site's own.
        repository: the address of the repository on GitHub, or "" as long as nobody knows it.
    """

    def __init__(self, source, pages, inserted=None, repository=""):
        self.folder = posixpath.dirname(source)
        self.pages = pages
        self.repository = repository
        self.inserted = inserted or {}
        self.ids = set()        # of this page so far: two headings "Predict" need two
        self.plots = {}         # {file name: content} of the plots that its outputs hold
        self.scripts = set()    # file names of those that it needs

    def html(self, markdown):
        """The HTML of a text."""
        soup = harmless(BeautifulSoup(markdown2html_mistune(markdown), "html.parser"))
        for sign in soup.select("a.anchor-link"):
            sign.decompose()
        for heading in soup.find_all(re.compile("h[1-6]")):
            heading["id"] = self.new_id(heading.get_text())
        for link in soup.find_all("a", href=True):
            self.lead(link)
        for picture in soup.find_all("img"):
            picture["src"] = posixpath.basename(picture["src"])
            if picture.parent.name == "p":      # to enlarge it, on a phone
                picture.wrap(soup.new_tag("a", attrs={"href": picture["src"], "class": "picture"}))
        # What is wide scrolls, and not the page; whoever has no mouse reaches it with Tab.
        for code in soup.select(".highlight, pre"):
            if not code.find_parent(class_="highlight"):
                code.attrs |= {"tabindex": "0", "role": "group", "aria-label": "Code"}
        for table in soup.find_all("table"):
            frame = {"class": "wide", "tabindex": "0", "role": "group", "aria-label": "Table"}
            table.wrap(soup.new_tag("div", attrs=frame))
            stack(table)
            for corner in table.find_all("th"):
                if not corner.get_text(strip=True):
                    corner.name = "td"      # the heading of nothing
        for code in soup.select("td code"):
            head, *others = NAME_ENDS.split(code.get_text()) if len(code.get_text()) > LONG else [code.get_text()]
            code.string = head
            for part in others:
                code.extend([soup.new_tag("wbr"), part])
        text = in_lines(str(soup))
        for paragraph, inserted in self.inserted.items():
            text = text.replace(f"<p>{paragraph}</p>", inserted)
        self.scripts |= players.scripts(text)
        return text

    def led(self, html):
        """The HTML of an output, with its links led to pages, and its plots as files: on a phone a touch enlarges one."""
        player, place = players.PLAYER.search(html), "<p>(player)</p>"
        if player and (plays := players.stored(player[0], self.new_id)):
            self.scripts |= players.scripts(plays)
            around = html.replace(player[0], place)
            return plays if around == place else self.led(around).replace(place, plays)
        html = re.sub(r'<img class="course-plot" src="data:image/png;base64,([^"]+)"([^>]*)>', self.plot, html)
        soup = harmless(BeautifulSoup(html, "html.parser"))
        for table in soup.find_all("table"):
            stack(table)
        for link in soup.find_all("a", href=True):
            self.lead(link)
        return str(soup)

    def plot(self, match):
        """The HTML of a plot, found in an output with its content in base64."""
        content = base64.b64decode(match[1])
        name = f"plot-{hashlib.sha256(content).hexdigest()[:12]}.png"
        self.plots[name] = content
        return f'<a class="picture" href="{name}"><img class="course-plot" src="{name}"{match[2]}></a>'

    def new_id(self, heading):
        """The name that GitHub gives a heading too, with a number if it is taken."""
        name = re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")
        free = name
        number = 0
        while free in self.ids:
            number += 1
            free = f"{name}-{number}"
        self.ids.add(free)
        return free

    def lead(self, link):
        """Lead a link to its page. What the site does not have (code, tests, the licence) lies in the repository; if nobody knows
        where that is, it is named, without a link."""
        target, hash_sign, place = link["href"].partition("#")
        if not target:      # a heading of this page: JupyterLab keeps its capitals, and the site has none
            link["href"] = hash_sign + place.lower()
            return
        if "://" in target:
            return
        source = posixpath.normpath(posixpath.join(self.folder, target))
        if source in self.pages:
            link["href"] = self.pages[source] + hash_sign + place
        elif self.repository:
            link["href"] = f"{self.repository}/blob/HEAD/{source}{hash_sign}{place}"
        else:
            link.name = "span"
            link.attrs = {"class": "elsewhere", "title": f"in the course's folder: {source}"}


def stack(table):
    """Give the cells of a table the headings of their columns, if it is too wide for a phone: there each row is a card."""
    if not (table.thead and table.tbody):
        return table
    head, *rows = [row.find_all(["th", "td"]) for row in table.find_all("tr")]
    widths = [max(len(word) for cell in column for word in [*cell.get_text().split(), ""]) for column in zip(head, *rows)]
    if len(head) > 3 or sum(widths) > PHONE:
        table["class"] = "stack"
        for row in rows:
            for cell, heading in zip(row, head):
                cell["data-label"] = heading.get_text()
    return table
