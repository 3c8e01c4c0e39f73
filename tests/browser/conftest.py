"""A JupyterLab and a Chromium for the tests in a browser. Where there is no Chromium they are skipped."""
import contextlib
import importlib.metadata
import os
import shutil
import subprocess

import pytest

from .lab_page import LabPage
from .server import Server

# First the one that has no window: the same pages take it three quarters of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium():
    """The path of a Chromium that starts: what CHROMIUM names, else one on PATH; None without one."""
    for path in filter(None, map(shutil.which, filter(None, [os.environ.get("CHROMIUM"), *NAMES]))):
        # Ubuntu has a chromium-browser that is only a note on where to get one.
        if subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return path
    return None


@contextlib.contextmanager
def started():
    """Chromium, without a window. Playwright's loop runs as long as it does, and no other may run beside it on that thread: so
    no test of another subject may come before its end."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine: sudo apt install chromium, or name one in CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        # Chromium asks Google's servers for updates and the like, unless told not to.
        quiet = ["--disable-background-networking", "--disable-quic"]
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def browser():
    with started() as browser:
        yield browser


@pytest.fixture
def page_of(browser):
    """``page_of(html, width, height, **options of its context)``: a page with this HTML; what goes wrong in its scripts fails the test."""
    contexts, wrong = [], []

    def opened(html, width=1366, height=900, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.set_content(html)
        return page
    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="package")
def server(tmp_path_factory, project_root):
    """JupyterLab over a copy of the notebooks."""
    server = Server(tmp_path_factory.mktemp("jupyterlab"), project_root / "notebooks")
    yield server
    server.stop()


@pytest.fixture(scope="package")
def show(browser, server):
    """``show(notebook)`` opens a notebook of the server's, and gives the LabPage: one page for all, as each takes seconds to start."""
    with contextlib.ExitStack() as stack:
        lab = None

        def show_one(notebook):
            nonlocal lab
            if lab:
                lab.turn_to(notebook)
            else:
                lab = stack.enter_context(LabPage.open(browser, server, notebook))
            return lab
        yield show_one


@pytest.fixture
def keep(project_root):
    """``keep(lab, "name")`` keeps a screenshot in .build/screenshots, where CI collects them."""
    jupyterlab = "jupyterlab-" + importlib.metadata.version("jupyterlab").split(".")[0]

    def keep_one(lab, name):
        lab.screenshot(project_root / ".build" / "screenshots" / jupyterlab / f"{name}.png")
    return keep_one
