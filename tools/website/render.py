"""Pages to HTML, by nbconvert with the template templates/course. What is in a page is pages.py's."""
import ast
import itertools
import re
from html import escape
from pathlib import Path

from courseware.course import LESSONS, by_way, way_of
from courseware.exercises.kinds import NOT_SOLVED, STARTER
from courseware.notebook.display import RUN, code, paragraphs

import choices
import players
import publish
from colours import coloured
from explorers import explored
from front import PLACES_HERE, described, front
from nbconvert import HTMLExporter
from opening import first_page, from_pytorch, of_cells, way_back
from pages import ANSWER, FIRST, GROUPS, PYTORCH, QUESTIONS
from prose import Prose
from questions import ask
from update import minutes

TEMPLATES = Path(__file__).resolve().parent / "templates"
IN_A_NOTEBOOK = "In a notebook it has buttons."
# What a page has no use for: how far a learner is, and what is said to an exercise that nobody has done.
PROGRESS = re.compile(r"^progress\.\w+\(", re.MULTILINE)
SET_UP = "# Set-up"      # how the first cell that is run begins
# A line of a notebook's head that leads to its neighbours, and to what the menu has as well.
NEIGHBOURS = re.compile(r"(?ms)^(?:Previous|Next): .*?(?:\n\n|\Z)")
TITLE = re.compile(r"^# .+", re.MULTILINE)
# How to run a cell: a page has none to run.
KEYS = re.compile(r"(?:(?<=[.?!])\s|^)[^.?!\n]*\bShift\+Enter\b[^.?!\n]*\.", re.MULTILINE)
PROGRAM = re.compile(r"```python\n(.*?)```\n\n", re.DOTALL)       # of a document
# Lines that ask for a prediction and compare it, and what they need: on a page a box asks.
PLUMBING = re.compile(r"^(?:from courseware(?:\.predictions)? import (?:exercises|predict)|\w+ = predict\(.*\)|\w+\.compare\(.*\))$\n?",
                      re.MULTILINE)
# What a fold says in a notebook as it is kept: nobody has predicted there, or solved anything. On a page nobody could.
NOT_DONE = re.compile(rf"<b>You have not predicted\.</b><br>|<div [^>]*><p [^>]*>{NOT_SOLVED} [^<]*</p></div>\n?")

# What a cell begins with, up to its last import
IMPORTS = re.compile(r"(?:(?:(?:import|from|#| |\)).*)?\n)*(?:import|from) .*(?:\n[ )].*)*(?:\n|\Z)|")
MOST_IMPORTS = 3        # lines that are not folded
PREPARES = (ast.Import, ast.ImportFrom, ast.FunctionDef)        # what a cell that only prepares others has
NEEDED = re.compile(r"# (Needed below: .*)\n")       # how a cell begins that says itself what it is for
IN_CPP = re.compile(r"```c\+\+\n[^`]*```\Z")       # how a text ends behind which the next cell with code does the same in Python
# In the HTML of a page
SECTION = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.DOTALL)


def folded(cell):
    """What is said of a cell of code that is folded; "" for one that a reader has to see."""
    if any('<div class="course-follow"' in output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ())):
        return "The cell"           # a player has the program in it
    return "The cell to fill in" if "exercises.check(" in cell.source else ""


def set_up(source):
    """What a fold is called that has what cells below it need: as the cell says, or what it imports and defines."""
    needed = NEEDED.search(source)
    return code(escape(needed[1]) if needed else choices.set_up(source))


def prepares(cell):
    """Has a cell of code only imports and functions for the cells below it? A kernel is there to be read."""
    statements = choices.statements(cell.source)
    return not cell.outputs and "__global__" not in cell.source and all(isinstance(statement, PREPARES) for statement in statements)


def set_up_at_once(notebook):
    """Make one cell of a lesson's set-up and the cell directly behind it: nothing is said yet of what that does."""
    first, second = next((cells for cells in itertools.pairwise(notebook.cells) if cells[0].source.startswith(SET_UP)), (None, None))
    if second and second.cell_type == "code" and not second.outputs and "asked" not in second.metadata:
        first.source += f"\n\n{second.source}"
        notebook.cells.remove(second)


def contents(html):
    """The list of a page's sections, which stands beside it; "" if it has no two."""
    items = "".join(f'<li><a href="#{name}">{re.sub("<[^>]*>", "", words)}</a></li>' for name, words in SECTION.findall(html))
    return f'<nav class="contents" aria-label="On this page"><p>On this page</p><ol>{items}</ol></nav>' if items.count("<li>") > 1 else ""


class Renderer:
    """Makes HTML of the pages of the course.

    address:    where they will be on the web
    repository: which address the commands name that clone it, and where what is no page lies. Both are "" as long as nobody knows them
    """

    def __init__(self, pages, address="", repository=""):
        self.pages, self.address, self.repository = pages, address, repository
        # One for all pages: it compiles the template once.
        self.exporter = HTMLExporter(template_name="course", extra_template_basedirs=[str(TEMPLATES)])
        self.names = {page.source: page.name for page in pages}
        self.lessons = [page for page in pages if page.is_notebook]
        page_of = {page.source.removeprefix("notebooks/"): page for page in self.lessons}
        # (page, Lesson), a side trip behind its lesson; and as the menu lists the pages
        self.road = [(page_of[lesson.notebook], lesson) for lesson in LESSONS if lesson.notebook in page_of]
        self.ways = [(title, [page_of[lesson.notebook] for lesson in lessons if lesson.notebook in page_of]) for title, lessons in by_way()]
        self.menu = [(group, [page for page in pages if page.source in sources]) for group, sources in GROUPS.items()]
        # Which the header names: (address, what it is called)
        self.places = [*PLACES_HERE.items(), *((page.name, page.menu) for page in pages if page.source == PYTORCH)]
        for folder in ("notebooks", "notebooks/"):
            self.names[folder] = "index.html#where-to-go-on"

    def render(self, page):
        """The whole HTML of a page, as text, and {file name: content} of its plots."""
        description, inserted = described(page), self.programs(page)
        prose = Prose(page.source, self.names, inserted, self.repository)
        self.exporter.register_filter("prose", prose.html)
        self.exporter.register_filter("coloured", coloured)
        self.exporter.register_filter("scripts", lambda page: sorted(prose.scripts, reverse=True))     # choices.js needs follow.js
        self.exporter.register_filter("led", lambda html: prose.led(NOT_DONE.sub("", html).replace(RUN, IN_A_NOTEBOOK)))
        ask(page.notebook, page.source)
        if page.source in (FIRST, PYTORCH) or choices.of_page(page):
            prose.scripts |= choices.SCRIPTS
        page.notebook.cells = [cell for cell in page.notebook.cells if not PROGRESS.search(cell.source)]
        if page.is_notebook:
            for cell in page.notebook.cells[0], page.notebook.cells[-1]:        # the foot says them all
                cell.source = NEIGHBOURS.sub("", cell.source)
            set_up_at_once(page.notebook)
        in_cpp = False
        for cell in page.notebook.cells:
            if page.is_notebook and cell.cell_type == "markdown":
                cell.source = KEYS.sub("", cell.source)
            cell.outputs = [output for output in cell.get("outputs", ())
                            if not output.get("data", {}).get("text/plain", "").startswith((STARTER, NOT_SOLVED))]
            hidden = cell.metadata.get("jupyter", {}).get("source_hidden")
            sets_up = hidden and cell.source.startswith(SET_UP)
            cell.metadata["sets_up"] = set_up(cell.source) if sets_up else ""
            cell.metadata["hidden"] = hidden and not sets_up
            if explorer := explored(cell.source) if cell.cell_type == "code" else "":
                cell.metadata["asked"], cell.outputs = explorer, []
            if cell.cell_type == "code" and (shown := re.sub(r"\n{3,}", "\n\n", PLUMBING.sub("", cell.source)).strip("\n")):
                cell.source = shown
            shows = cell.cell_type == "code" and not hidden
            cell.metadata["folded"] = folded(cell) or "The same in Python" * (shows and in_cpp)
            in_cpp = bool(IN_CPP.search(cell.source)) or in_cpp and not shows
            imports = IMPORTS.match(cell.source)[0] if cell.cell_type == "code" and not cell.metadata["folded"] else ""
            if imports.count("import ") > MOST_IMPORTS and not cell.metadata["sets_up"]:
                helps = cell.source[len(imports):].strip() and prepares(cell)
                imports = cell.source if helps else imports
                cell.metadata["imports_are"] = set_up(imports)
                cell.metadata["imports"], cell.source = imports.strip(), cell.source[len(imports):]
            for name in cell.pop("attachments", {}):
                cell.source = cell.source.replace(f"attachment:{name}", f"{Path(name).stem}.svg")
        objectives = next((lesson.objectives for lesson in LESSONS if page.source == f"notebooks/{lesson.notebook}"), ())
        html, _ = self.exporter.from_notebook_node(page.notebook, resources={
            "page": page, "course": self.pages[0].title, "place": self.place(page) if page.is_notebook else "",
            "objectives": [paragraphs(text) for text in objectives],
            "description": description, "address": self.address, "repository": self.repository,
            "leads": self.beside(page) if page.is_notebook else (), "places": self.places, "menu": self.menu, "ways": self.ways})
        return html.replace("<!-- contents -->", contents(html)), prose.plots

    def programs(self, page):
        """Put paragraphs into a document where programs belong, and return {paragraph: the program's HTML}."""
        cell = page.notebook.cells[0]
        if self.repository and not page.is_notebook:
            cell.source = publish.cloned(publish.document(cell.source, self.repository, "<tag>"), self.repository)
        if page.source == FIRST:
            programs = {"(programs)": first_page(choices.of_file("first_page.toml", "change-it").html()), "(board)": players.board()[0]}
            cell.source = front(cell.source, self.road, *programs)
            return programs
        if page.source == ANSWER:       # before the answer
            asks = "Ask the driver: from which of two addresses of the GPU is there a way back?\n\n(program)"
            cell.source = TITLE.sub(lambda title: f"{title[0]}\n\n{asks}", cell.source, count=1)
            return {"(program)": way_back()}
        inserted = of_cells(page.source, page.notebook, lambda source: PLUMBING.sub("", source))
        for exercise in choices.of_page(page):
            inserted |= choices.place(page.notebook, exercise)
        if page.source == PYTORCH:
            cell.source, inserted = from_pytorch(cell.source)
        if page.source == QUESTIONS:
            def program(match):
                paragraph = f"(program {len(inserted)})"
                inserted[paragraph] = players.played(players.followed(match[1]))
                return f"{paragraph}\n\n<details><summary>The program, to copy</summary>\n\n{match[0]}</details>\n\n"
            cell.source = PROGRAM.sub(program, cell.source)
        return inserted

    def place(self, page):
        """How long a lesson takes, and where on its way it is, if it is on one of the two."""
        lesson = dict((page.source, lesson) for page, lesson in self.road)[page.source]
        way = way_of(lesson.topic)
        where = f"{way.name}, {way.topics.index(lesson.topic) + 1} of {len(way.topics)}" if way else "side trip" * (not lesson.number)
        return " · ".join(filter(None, (f"{minutes()[lesson.notebook]} minutes", where)))

    def beside(self, page):
        """[(what a lesson is to this one, its page, its link's rel or "")]: the one before, the next ones, of which that on its way comes
        first, the other way if its own ends, and its side trips. A side trip stands between its lesson and the next one."""
        page_of = {lesson: other for other, lesson in self.road}
        this = next(lesson for lesson, other in page_of.items() if other is page)
        numbered = [lesson for lesson in page_of if lesson.number]
        place = next(place for place, lesson in enumerate(numbered) if lesson.topic == (this.of or this.topic))
        before = numbered[place - bool(this.number)] if place or this.of else None
        after = numbered[place + 1] if place + 1 < len(numbered) else None
        way = way_of(this.topic)
        before_on_it, after_on_it = (way.before(this.topic), way.after(this.topic)) if way else (None, None)
        leads = [("Before", before, "prev")]
        if after_on_it not in (None, after):
            leads += [(f"Next, {way.name}", after_on_it, ""), ("Next by number", after, "next")]
        else:
            leads += [("Next", after, "next")]
        if way and not after_on_it:
            leads.append(("The other way", way.other, ""))
        if before_on_it not in (None, before):
            leads.append((f"Before, {way.name}", before_on_it, ""))
        leads += [("A side trip", lesson, "") for lesson in page_of if lesson.of == this.topic]
        return [(said, page_of[lesson], rel) for said, lesson, rel in leads if lesson in page_of]
