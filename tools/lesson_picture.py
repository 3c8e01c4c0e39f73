"""Make the README's picture, docs/lesson.png: lesson 00 in JupyterLab's light theme, run, at its memory map.

    .venv/bin/python tools/lesson_picture.py [file]

By the machinery of tests/browser; it needs a Chromium (CHROMIUM=/path/of/one, or one on PATH).
"""
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from tests.browser.conftest import chromium  # noqa: E402
from tests.browser.lab_page import LabPage  # noqa: E402
from tests.browser.server import Server  # noqa: E402

LESSON = "00_two_views_of_one_memory.ipynb"
SIZE = {"width": 1240, "height": 930}
ABOVE = 330     # pixels of the lesson to show above the map


def take(file):
    """Run the lesson over the attached driver and write the picture to `file`."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder), ROOT / "notebooks")
        browser = playwright.chromium.launch(executable_path=chromium())
        try:
            with LabPage.open(browser, server, LESSON) as lab:
                lab.page.set_viewport_size(SIZE)
                lab.set_theme("light")
                lab.run_all()
                lab.page.locator("svg[id^=map-]").first.evaluate(
                    """(map, above) => {
                        const paper = map.closest('.jp-WindowedPanel-outer');
                        paper.scrollTop += map.getBoundingClientRect().top - paper.getBoundingClientRect().top - above;
                    }""", ABOVE)
                lab.page.mouse.move(0, 0)
                lab.page.wait_for_timeout(1000)     # for what moves: scroll bars, the toolbar of the active cell
                lab.page.screenshot(path=file)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    take(sys.argv[1] if sys.argv[1:] else ROOT / "docs" / "lesson.png")
