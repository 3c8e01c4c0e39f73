"""Make the README's picture, docs/lesson.png: the first question of lesson 00 in JupyterLab, answered wrongly.

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
LESSON = "00_two_views_of_one_memory.ipynb"
SIZE = {"width": 1080, "height": 1400}
ANSWER = "different"


def lesson_sum():
    """What tells one version of the pictured cells from another: those up to the comparison, and the question's words."""
    shown = []
    for cell in json.loads((ROOT / "notebooks" / LESSON).read_text())["cells"]:
        shown.append("".join(cell["source"]))
        if ".compare(" in shown[-1]:
            break
    shown.append((ROOT / "courseware" / "lessons" / "views" / "predictions.toml").read_text())
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()


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
                lab.page.evaluate("""() => { const lab = window.jupyterapp, all = lab.shell.currentWidget.content;
                    lab.shell.collapseLeft(); all.activeCellIndex = 0; all.node.focus(); }""")
                button = lab.widgets().locator("button", has_text=ANSWER)
                while not button.count():
                    lab.page.keyboard.press("Shift+Enter")
                    lab.wait_until_idle()
                button.click()
                lab.wait_until_idle()
                notebook = lab.page.locator(".jp-Notebook")
                notebook.evaluate("one => { for (const part of one.querySelectorAll('*')) if (part.scrollTop) part.scrollTop = 0; }")
                lab.page.mouse.move(0, 0)
                lab.page.wait_for_timeout(1000)     # for what moves: scroll bars, the toolbar of the active cell
                box, last = notebook.bounding_box(), lab.page.locator(".jp-CodeCell", has=button).bounding_box()
                shot = lab.page.screenshot(clip={**box, "height": last["y"] + last["height"] - box["y"] + 8})
        finally:
            browser.close()
            server.stop()
    told = PngImagePlugin.PngInfo()
    told.add_text("source", lesson_sum())
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(128).save(path, "PNG", pnginfo=told, optimize=True)


if __name__ == "__main__":
    take(ROOT / "docs" / "lesson.png")
