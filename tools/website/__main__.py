"""Render the course as pages to read: every notebook and every document, into .build/site.

    .venv/bin/python tools/website [folder]

It renders what is kept in the notebooks and executes nothing, and adds a reference of course_lib and of the simulated
driver, from their docstrings. The pages ask nothing of the network, and need no JavaScript. Which pages there are is in
pages.py, what becomes of a text in prose.py; templates/course is nbconvert's template for them. It is not for running the
course: that is JupyterLab's.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

from front import SMALL
from pages import all_pages
from render import Renderer

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
# What pdoc is told: packages, and what of them is not for users.
REFERENCE = ["course_lib", "cuda_simulator", r"!cuda_simulator\.(?!pytest_plugin)", "!course_lib.__main__"]


def build(folder):
    """Make the site anew in `folder`, which may be there already; returns the number of its pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    pages = all_pages(ROOT)
    renderer = Renderer(ROOT, pages)
    for page in pages:
        (folder / page.name).write_text(renderer.render(page))
        if page.is_notebook:
            shutil.copy(ROOT / page.source, folder)
    for name, content in renderer.plots.items():
        (folder / name).write_bytes(content)
    for picture in [*(ROOT / "docs").glob("*.png"), *(ROOT / "docs" / "pictures").glob("*.svg")]:
        shutil.copy(picture, folder)
        if picture.suffix == ".svg":
            (folder / f"{SMALL}{picture.name}").write_text(re.sub(r"<text\b.*?</text>", "", picture.read_text(), flags=re.DOTALL))
    shutil.copy(HERE / "style.css", folder)
    write_reference(folder / "reference")
    (folder / ".nojekyll").touch()      # GitHub Pages: these files as they are
    return len(pages)


def write_reference(folder):
    """Pages on course_lib and on what cuda_simulator has for others, from their docstrings, by pdoc."""
    subprocess.run([sys.executable, "-m", "pdoc", "--no-search", "--output-directory", folder, *REFERENCE], check=True)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else ROOT / ".build" / "site"
    print(f"{build(target)} pages; open {target / 'index.html'}")
