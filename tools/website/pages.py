"""Which pages the site has, in the order of reading. Not what they look like: that is render.py's."""
import re
from dataclasses import dataclass

from courseware.course import LESSONS

import nbformat

FIRST = "README.md"
QUESTIONS = "docs/questions.md"
ANSWER = "docs/why-there-is-no-inverse.md"
PYTORCH = "docs/from-pytorch.md"
SIMULATOR = "packages/cuda-simulator/docs"
# Documents that are pages, as the menu groups them; the notebooks stand between the first page and them.
GROUPS = {
    "CUDA's memory": {QUESTIONS: "Five questions people asked", ANSWER: "Why no function back?", PYTORCH: "From PyTorch",
                      "docs/the-evidence.md": "The evidence",
                      "docs/inverse-table.md": "Every kind of memory", "docs/systems.md": "What differs elsewhere",
                      "docs/measurements.md": "How far memory is", "docs/wrong-kernels.md": "Wrong kernels",
                      "docs/glossary.md": "Glossary",
                      "docs/in-your-own-program.md": "In your own program", "docs/error-messages.md": "Error messages"},
    "The course": {"docs/install.md": "Where it runs", "docs/teachers-guide.md": "Teacher's guide", "docs/runs.md": "What was run",
                   "CHANGELOG.md": "Changes", "CONTRIBUTING.md": "Contributing"},
    "The simulated driver": {f"{SIMULATOR}/simulated-driver.md": "Can you believe it?",
                             f"{SIMULATOR}/systems.md": "Other GPUs' answers",
                             f"{SIMULATOR}/examined-kernels.md": "Right and wrong kernels",
                             f"{SIMULATOR}/published-races.md": "Published races",
                             f"{SIMULATOR}/other-projects.md": "Your project's tests", f"{SIMULATOR}/licences.md": "Licences"},
}
DOCUMENTS = {source: menu for group in GROUPS.values() for source, menu in group.items()}

NAMES = {"docs/systems.md": "where-it-is-otherwise"}     # of pages whose file has the name of another's


class NotAPage(Exception):
    """A file that has a place on the site and cannot be read. The text says which, and why."""


@dataclass(frozen=True)
class SitePage:
    """One page of the site."""

    source: str         # the notebook or document, from the root of the course
    name: str           # of the page's file
    title: str          # its first heading
    menu: str           # what the menu calls it; empty for notebooks, which the index lists
    notebook: object    # its cells, as nbformat has them; a document is one cell of Markdown

    @property
    def is_notebook(self):
        return self.source.endswith(".ipynb")


def all_pages(root):
    """The pages of the course in the folder `root`: README.md, the lessons by their notebooks' names, the documents.

    A notebook that is no lesson (courseware/course.py) is somebody's own, and no page. Raises NotAPage.
    """
    lessons = sorted((lesson.notebook for lesson in LESSONS), key=lambda name: ("/" in name, name))
    documents = [name for name in DOCUMENTS if (root / name).is_file()]
    return [page(root, name) for name in [FIRST, *(f"notebooks/{name}" for name in lessons), *documents]]


def page(root, source):
    path = root / source
    try:
        text = path.read_text(encoding="utf-8")
        notebook = nbformat.reads(text, as_version=4) if path.suffix == ".ipynb" else nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_markdown_cell(text)])
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise NotAPage(f"{source} cannot be read ({error}).") from None
    title = re.search(r"^# (.+)", notebook.cells[0].source if notebook.cells else "", flags=re.MULTILINE)
    if title is None:
        raise NotAPage(f"{source} has no title: its first cell begins with a line such as `# 02 Pinned memory`.")
    name = "index.html" if source == FIRST else f"{NAMES.get(source, path.stem.lower())}.html"
    return SitePage(source, name, title[1].replace("`", ""), "Start" if source == FIRST else DOCUMENTS.get(source, ""), notebook)
