"""The pages of the course that this file belongs to: ``python tools/website/build.py FOLDER``, an empty one.

It renders what is kept in the notebooks, and runs none of their cells. Over the simulated driver it runs the course's own programs that
a reader steps through (players.py), and the explorers in each of their states (explorers.py). It adds a reference of course_lib and of
the simulated driver, from their docstrings (reference.py). Which pages there are is in pages.py, what becomes of a text in prose.py;
templates/course is nbconvert's template for them. Not here: where they are put, and what of the course they are made of (__main__.py).
"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import choices
import players
import search
from pages import NotAPage, all_pages
from publish import in_pages
from render import Renderer

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def build(folder):
    """Make the site in an empty folder; returns the number of its pages. Raises NotAPage for a file that cannot be one."""
    pages, sections = all_pages(ROOT), []
    renderer = Renderer(pages, address(), os.environ.get("COURSE_REPOSITORY", ""))
    # Forks, since the pages and nbconvert's template are read already; nothing here has called the driver yet.
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork"), _renders, [renderer]) as processes:
        for page, (html, plots, sections_of_page) in zip(pages, processes.map(_rendered, range(len(pages)))):
            sections += sections_of_page
            (folder / page.name).write_text(html, encoding="utf-8")
            for name, content in plots.items():
                (folder / name).write_bytes(content)
            if page.is_notebook:
                shutil.copy(ROOT / page.source, folder)
    for picture in [*(ROOT / "docs").glob("*.png"), *(ROOT / "docs" / "pictures").glob("*.svg")]:
        shutil.copy(picture, folder)
    scripts = {**players.SCRIPTS, "choices.js": choices.SCRIPT, "site.js": (HERE / "site.js").read_text("utf-8"),
               search.FILE: search.index(sections)}
    for name, script in scripts.items():
        (folder / name).write_text(script, encoding="utf-8")
    (folder / "style.css").write_text((HERE / "style.css").read_text("utf-8") + players.STYLE + choices.STYLE, encoding="utf-8")
    subprocess.run([sys.executable, "-X", "utf8", HERE / "reference.py", folder / "reference"], cwd=ROOT, check=True)
    (folder / ".nojekyll").touch()      # GitHub Pages: these files as they are
    return len(pages)


def _renders(renderer):
    """At the start of a process that renders pages."""
    global _renderer
    _renderer = renderer


def _rendered(number):
    """Of the page of this number: its HTML, its plots, and what the search looks through."""
    page = _renderer.pages[number]
    html, plots = _renderer.render(page)
    return html, plots, search.sections(page, html)


def address():
    """Where GitHub Pages puts the site: known as soon as tools/publish.py has written the repository's address; else ""."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    repository = re.search(r'^Repository = "(https://github.com/[^/"]+/[^/"]+)"', project, re.MULTILINE)
    return in_pages(repository[1]) if repository else ""


if __name__ == "__main__":
    try:
        print(f"{build(Path(sys.argv[1]))} pages")
    except NotAPage as error:
        sys.exit(str(error))
