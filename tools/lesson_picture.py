"""Make the README's picture, docs/lesson.png: a question of lesson 04 in JupyterLab, answered wrongly, and the plot that answers it.

    .venv/bin/python tools/lesson_picture.py

By the machinery of tests/browser; it needs a Chromium (CHROMIUM=/path/of/one, or one on PATH). The picture carries the sum of what
it shows; tests/setup/test_readme.py says when that has changed.
"""
import hashlib
import io
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LESSON, TOPIC = "04_bandwidth.ipynb", "bandwidth"
FIRST, LAST = "predict(", "plots."     # what the first cell of the picture has, and the last
SIZE = {"width": 800, "height": 2000}     # so narrow that the first page of the site can show it legibly
ANSWER = "half as fast"


def pictured():
    """(first, last): the places of the pictured cells in the lesson, and their texts."""
    texts = ["".join(cell["source"]) for cell in json.loads((ROOT / "notebooks" / LESSON).read_text())["cells"]]
    first = next(place for place, text in enumerate(texts) if FIRST in text)
    last = next(place for place, text in enumerate(texts) if LAST in text and place > first)
    return first, last, texts[first:last + 1]


def lesson_sum():
    """What tells one version of the pictured cells from another: their texts, and the question's words."""
    *_, texts = pictured()
    words = (ROOT / "courseware" / "lessons" / TOPIC / "predictions.toml").read_text()
    return hashlib.sha256("\n".join([*texts, words]).encode()).hexdigest()


def kept_sum(path):
    """The sum that a picture carries; None without one."""
    from PIL import Image
    return Image.open(path).info.get("source")


def take(path):
    """Run the lesson over the attached driver up to its first question, answer it, and write the picture."""
    sys.path.insert(0, str(ROOT))
    from PIL import Image, PngImagePlugin
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import chromium
    from tests.browser.lab_page import LabPage
    from tests.browser.server import Server
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder), ROOT / "notebooks")
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            with LabPage.open(browser, server, LESSON) as lab:
                lab.page.set_viewport_size(SIZE)
                lab.page.evaluate("window.jupyterapp.shell.collapseLeft()")
                first, last, _ = pictured()
                button = lab.widgets().locator("button:enabled", has_text=ANSWER)
                for place in range(last + 1):
                    lab.page.evaluate("""place => { const all = window.jupyterapp.shell.currentWidget.content;
                        all.activeCellIndex = place; all.node.focus(); }""", place)
                    lab.page.keyboard.press("Shift+Enter")
                    lab.wait_until_idle()
                    if button.count() and place < last:
                        button.click()
                        lab.wait_until_idle()
                lab.page.mouse.move(0, 0)
                lab.page.wait_for_timeout(1000)     # for what moves: scroll bars, the toolbar of the active cell
                cells = lab.page.locator(".jp-Notebook .jp-Cell")
                cells.nth(first).evaluate("one => one.scrollIntoView()")
                asked, plot = cells.nth(first).locator(".jp-Cell-outputWrapper"), cells.nth(last).locator(".course-plot")
                top, end = asked.bounding_box(), plot.bounding_box()
                shot = lab.page.screenshot(clip={**top, "height": end["y"] + end["height"] - top["y"] + 8})
        finally:
            browser.close()
            server.stop()
    told = PngImagePlugin.PngInfo()
    told.add_text("source", lesson_sum())
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(128).save(path, "PNG", pnginfo=told, optimize=True)


if __name__ == "__main__":
    take(ROOT / "docs" / "lesson.png")
