"""Which pages the site has, in the order of reading. Not what they look like: that is render.py's."""
import re
from dataclasses import dataclass

import nbformat

# Documents that are pages, by the place that they have in the menu; the notebooks stand between the first and the rest.
FIRST = "README.md"
SIMULATOR = "packages/cuda-simulator/docs"
DOCUMENTS = {"docs/questions.md": "Five questions", "docs/install.md": "Where it runs", "docs/why-there-is-no-inverse.md": "The answer",
             "docs/inverse-table.md": "Every kind of memory", "docs/systems.md": "Where it is otherwise",
             "docs/glossary.md": "Glossary",
             "docs/teachers-guide.md": "Teacher's guide", f"{SIMULATOR}/simulated-driver.md": "Simulated driver",
             f"{SIMULATOR}/systems.md": "Systems", f"{SIMULATOR}/examined-kernels.md": "Examined kernels",
             "docs/measurements.md": "Measurements", "docs/wrong-kernels.md": "Wrong kernels",
             f"{SIMULATOR}/other-projects.md": "Other projects", f"{SIMULATOR}/licences.md": "Licences",
             "docs/runs.md": "What was run",
             "CHANGELOG.md": "Changes", "CONTRIBUTING.md": "Contributing"}

NAMES = {"docs/systems.md": "where-it-is-otherwise"}     # of pages whose file has the name of another's


@dataclass(frozen=True)
class Page:
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
    """The pages of the course in the folder `root`: README.md, the notebooks by name, the documents."""
    lessons = root / "notebooks"
    notebooks = [path.relative_to(root).as_posix() for path in [*sorted(lessons.glob("*.ipynb")), *sorted(lessons.glob("*/*.ipynb"))]
                 if ".ipynb_checkpoints" not in path.parts]
    documents = [name for name in DOCUMENTS if (root / name).is_file()]
    return [page(root, name) for name in [FIRST, *notebooks, *documents]]


def page(root, source):
    path = root / source
    if path.suffix == ".ipynb":
        notebook = nbformat.read(path, as_version=4)
    else:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(path.read_text())])
    title = re.search(r"^# (.+)", notebook.cells[0].source, flags=re.MULTILINE)[1].replace("`", "")
    name = "index.html" if source == FIRST else f"{NAMES.get(source, path.stem.lower())}.html"
    return Page(source, name, title, "Start" if source == FIRST else DOCUMENTS.get(source, ""), notebook)
