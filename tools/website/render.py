"""Pages to HTML, by nbconvert with the template templates/course. What is in a page is pages.py's."""
from pathlib import Path

from nbconvert import HTMLExporter
from prose import Prose

TEMPLATES = Path(__file__).resolve().parent / "templates"
# A comparison in a notebook as it is kept: nobody has predicted there. On a page nobody could.
NOT_PREDICTED = "You have not predicted.<br>"


class Renderer:
    """Makes HTML of the pages of the course in the folder `root`."""

    def __init__(self, root, pages):
        self.pages = pages
        self.names = {page.source: page.name for page in pages}
        self.lessons = [page for page in pages if page.is_notebook]
        for folder in ("notebooks", "notebooks/"):
            self.names[folder] = "index.html#lessons"

    def render(self, page):
        """The whole HTML of a page, as text."""
        exporter = HTMLExporter(template_name="course", extra_template_basedirs=[str(TEMPLATES)])
        exporter.register_filter("prose", Prose(page.source, self.names).html)
        exporter.register_filter("without_prediction", lambda html: html.replace(NOT_PREDICTED, ""))
        before, after = self.beside(page)
        for cell in page.notebook.cells:
            for name, kept in cell.pop("attachments", {}).items():
                cell.source = cell.source.replace(f"attachment:{name}", f"data:image/png;base64,{kept['image/png']}")
        html, _ = exporter.from_notebook_node(page.notebook, resources={
            "page": page, "before": before, "after": after, "menu": [other for other in self.pages if other.menu]})
        return html

    def beside(self, page):
        """The lessons before and after a lesson; None where there is none."""
        if not page.is_notebook:
            return None, None
        place = self.lessons.index(page)
        return (self.lessons[place - 1] if place else None,
                self.lessons[place + 1] if place + 1 < len(self.lessons) else None)
