"""Lessons, opened in JupyterLab by a browser: each as it is kept, and those run from top to bottom that show something new.

All are run without a browser as well (nbval), so a browser need not see again what an earlier lesson has shown it. Of widgets of one
kind the first is used: what each prediction replies, and each exercise's hints, other tests see without a browser, and every kind's
keys the gallery. A lesson takes five seconds to open, and eight to run. So with other versions (--lessons two) only two are opened,
one with predictions, exercises and the picture of addresses, and one with plots. Of a lesson that fails a screenshot is kept.
"""
import contextlib
import importlib.metadata
import re
from pathlib import Path

from courseware.course import LESSONS

import nbformat
import pytest

from . import contrast, using
from .lab_page import END_KERNEL, THEMES

ALL = [lesson.notebook for lesson in LESSONS]
JUPYTERLAB_3 = importlib.metadata.version("jupyterlab") < "4"
TWO = [lesson.notebook for lesson in LESSONS if lesson.topic in {"views", "bandwidth"}]
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SHOWS = re.compile(r"\b(?:(?:exercises|explorers|kernel_views|memory_map|plots|progress)\.\w+|follow|orders|predict)(?=\()")


def shows_something_new():
    """The lessons with a call that shows something and that no earlier lesson has."""
    seen, lessons = set(), []
    for lesson in ALL:
        cells = nbformat.read(NOTEBOOKS / lesson, as_version=4).cells
        calls = set(SHOWS.findall("\n".join(cell.source for cell in cells if cell.cell_type == "code")))
        lessons += [lesson] * bool(calls - seen)
        seen |= calls
    return lessons


TO_RUN = shows_something_new()
# What each value of --lessons opens, by the name of a test's argument.
OPENED = {"lesson": {"two": TWO, "all": ALL}, "on_a_phone": {"two": [], "all": ALL[:1]}}


@pytest.fixture(scope="module")
def used():
    """The kinds of widgets that were used."""
    return set()


@pytest.fixture
def shown(show, keep):
    """``with shown(lesson) as lab``: the lesson is open, and a screenshot is kept if something fails."""
    @contextlib.contextmanager
    def show_one(lesson):
        lab = show(lesson)
        try:
            yield lab
        except Exception:
            keep(lab, lesson.removesuffix(".ipynb"))
            raise
    return show_one


def pytest_generate_tests(metafunc):
    for name in set(metafunc.fixturenames) & set(OPENED):
        # Of a module's scope: then pytest has the tests of a lesson follow each other, and it is opened once.
        lessons = OPENED[name][metafunc.config.option.lessons]
        if metafunc.function is test_a_lesson_runs_in_the_browser_and_its_widgets_answer:
            lessons = [lesson for lesson in lessons if lesson in TO_RUN]
        metafunc.parametrize(name, lessons, scope="module")


# First, because a lesson that is run answers its questions, and a record keeps that.
def test_after_the_choice_the_next_key_runs_the_cell_that_tries_it(show, project_root):
    lab = show(ALL[0])
    cells = nbformat.read(project_root / "notebooks" / ALL[0], as_version=4).cells
    asks = next(place for place, cell in enumerate(cells) if cell.cell_type == "code" and "= predict(" in cell.source)
    lab.page.evaluate("() => { const all = window.jupyterapp.shell.currentWidget.content; all.activeCellIndex = 0; all.node.focus(); }")
    for _ in range(asks + 1):       # Shift+Enter leads from cell to cell
        lab.page.keyboard.press("Shift+Enter")
        lab.wait_until_idle()
    lab.widgets().locator("button", has_text="different").click()
    lab.wait_for_active_cell(asks + 1)       # the click itself makes the cell of the question the active one
    lab.wait_until_idle()
    assert "Observed: equal" not in lab.text()
    lab.page.keyboard.press("Shift+Enter")
    lab.wait_until_idle()
    assert lab.active_cell() == asks + 2 and "You predicted: different\nObserved: equal" in lab.text()
    lab.run_all()
    assert "You predicted: different\nObserved: equal" in lab.text() and lab.text().count("You have not predicted.") == 2
    assert "so an answer counts as said afterwards" in lab.text()
    late = lab.widgets().locator("button", has_text="that number again")     # who ran past a question goes back
    late.scroll_into_view_if_needed()
    place = late.bounding_box()
    late.click()
    lab.wait_until_idle()
    assert "Not right.\nYou said afterwards: that number again\nObserved: the null pointer" in lab.text()
    assert late.bounding_box() == place and late.inner_text() == "● that number again"


@pytest.mark.skipif(JUPYTERLAB_3, reason="JupyterLab 3 has another editor")
def test_a_kernel_in_a_python_string_has_the_colours_of_a_program(show):
    lab = show("16_who_comes_first.ipynb")
    cell = lab.page.locator(".jp-CodeCell", has_text="__global__").first
    cell.scroll_into_view_if_needed()

    def colour(text):
        return cell.locator(".cm-line span", has_text=text).last.evaluate("one => getComputedStyle(one).color")
    cell.locator(".cuda-in-strings-keyword").first.wait_for()
    assert len({colour("__shared__"), colour("x[tile + i]"), colour('"""')}) == 3
    assert colour("__shared__") == colour("for") and colour("__syncthreads") == colour("x[tile + i]")


def test_a_lesson_that_was_just_opened_shows_no_broken_widget_and_no_empty_output(lesson, show):
    lab = show(lesson)
    shown = lab.page.locator(".jp-OutputArea-output").all_inner_texts()
    assert len(shown) > 2 and "" not in [text.strip() for text in shown]
    assert [text for text in shown if "widget" in text.lower() and text.startswith(("Error", "Loading"))] == []


@pytest.mark.skipif(JUPYTERLAB_3, reason="JupyterLab 3 takes no style from who starts it")
def test_nothing_of_a_lesson_is_scrolled_sideways_on_a_screen_of_1366_pixels(lesson, show):
    assert show(lesson).scrolled_sideways(1366) == []


def test_a_lesson_runs_in_the_browser_and_its_widgets_answer(lesson, shown, used):
    with shown(lesson) as lab:
        lab.run_all()
        assert lab.errors() == []
        assert [cell["source"] for cell in lab.code_cells() if not cell["count"]] == []
        empty = lab.page.locator(".jp-OutputArea-output:not(:has(img, svg, button, input))").all_inner_texts()
        assert "" not in [text.strip() for text in empty]
        for widget in lab.widgets().all():
            assert widget.inner_text().strip()
            if (kind := using.kind(widget)) not in used:
                used.add(kind)
                using.use_every_control(lab, widget)
        assert lab.cut_off() == []
        assert lab.errors() == [] and "Traceback (most recent call last)" not in lab.text()
        assert [text for text in contrast.texts(lab) if text.ratio < contrast.ENOUGH] == []
        assert lab.complaints == []


@pytest.mark.skipif(JUPYTERLAB_3, reason="JupyterLab 3 takes no style from who starts it")
def test_before_a_cell_is_run_a_phone_has_room_for_a_lesson_and_a_dark_page_dark_pictures(browser, server, on_a_phone):
    with browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(server.url(on_a_phone))
        page.locator(".jp-RenderedMarkdown h1").wait_for()
        page.wait_for_function("() => document.querySelector('.jp-NotebookPanel').clientWidth > 280")     # of 390, the list of files beside it
        page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.context?.isReady")
        picture = page.locator(".jp-RenderedMarkdown img").first
        for theme, drawn in ((THEMES["dark"], "invert(0.9) hue-rotate(180deg)"), (THEMES["light"], "none")):
            page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
            page.wait_for_selector(f"body[data-jp-theme-light={'true' if drawn == 'none' else 'false'}]", state="attached")
            assert picture.evaluate("one => getComputedStyle(one).filter") == drawn
        notebook = page.locator(".jp-NotebookPanel .jp-WindowedPanel-outer")
        assert notebook.evaluate("one => one.scrollWidth - one.clientWidth") == 0
        page.evaluate(END_KERNEL)


# Last, because it changes the notebook.
def test_a_notebook_that_was_saved_shows_its_widgets_when_it_is_opened_again(show):
    lab = show(ALL[0])
    lab.run_all()
    widgets = lab.widgets().count()
    lab.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    lab = show(ALL[1])
    lab = show(ALL[0])
    lab.widgets().nth(widgets - 1).wait_for()
    lab.wait_until_idle()
    assert lab.widgets().count() == widgets > 0 and "Error displaying widget" not in lab.text()
