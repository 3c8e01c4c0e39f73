"""An exercise that is done on the page: with the keyboard alone, wide and on a phone, light and dark, without motion, without a script."""
import importlib
from pathlib import Path

import pytest

from . import axe, contrast

WEBSITE = Path(__file__).parents[2] / "tools" / "website"
PAGE = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Done here</title><style>{style}</style>
<main><h1>Done here</h1><h2>An exercise</h2>{html}</main><script>{script}</script></html>"""


@pytest.fixture(scope="module")
def shown():
    """The page with the exercise of lesson 02, made before a browser is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(WEBSITE.parent))
        patch.syspath_prepend(str(WEBSITE))
        choices, players = importlib.import_module("choices"), importlib.import_module("players")
        [staged] = [exercise for exercise in choices.all_choices() if exercise.id == "staged-copy"]
        style = (WEBSITE / "style.css").read_text("utf-8") + players.STYLE + choices.STYLE
        script = players.SCRIPTS["follow.js"] + choices.SCRIPT + (WEBSITE / "site.js").read_text("utf-8")
        return PAGE.format(style=style, html=staged.html(), script=script)


@pytest.fixture
def open_page(shown, page_of):
    """``open_page(width, theme, ...)``: the page, without motion unless asked for."""
    def opened(width=1366, theme="light", **options):
        return page_of(shown, width, 844, color_scheme=theme, **{"reduced_motion": "reduce", **options})
    return opened


def choose(page, wait, to, copied):
    """Choose by keys: the first place is the line that moves."""
    page.locator("[data-place=wait]").first.focus()
    page.keyboard.press("Space")
    for _ in range(wait):
        page.keyboard.press("ArrowDown")
    for place, number in (("to", to), ("copied", copied)):
        page.locator(f"select[data-place={place}]").focus()
        page.keyboard.press("Home")
        for _ in range(number + 1 - bool(page.locator(f"select[data-place={place}]").input_value())):
            page.keyboard.press("ArrowDown")
    page.locator(".ch-run button").focus()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("width", [1366, 390])
def test_by_keys_a_wrong_version_is_told_why_and_a_changed_one_is_right(open_page, width):
    page = open_page(width)
    choose(page, 2, 1, 2)
    assert "Not yet" in page.locator(".ch-ends").inner_text() and "filled again" in page.locator(".ch-ends").inner_text()
    assert page.locator(".ch-blamed").inner_text().strip().startswith("stream.synchronize()")
    choose(page, 1, 1, 2)
    assert "Right" in page.locator(".ch-ends").inner_text() and page.locator(".ch-blamed").count() == 0
    assert page.locator(".ch-run span").inner_text() == "2 of 18 versions tried."
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_open_place_is_said_and_gets_the_focus(open_page):
    page = open_page()
    assert page.locator(".ch-run span").inner_text() == "Choose three pieces first."
    page.locator("select[data-place=to]").select_option("1")
    page.locator(".ch-run button").press("Enter")
    assert page.locator(".ch-run span").inner_text() == "Choose two pieces first." and page.locator(".ch-ends").inner_text() == ""
    assert page.evaluate("document.activeElement.dataset.place") == "wait"


def test_a_change_takes_back_what_was_said(open_page):
    page = open_page()
    choose(page, 1, 1, 2)
    page.locator("select[data-place=to]").select_option("0")
    assert page.locator(".ch-ends").inner_text() == "" and page.locator(".ch-old").count() == 1


def test_it_runs_by_itself_until_a_reader_takes_over(open_page):
    page = open_page(reduced_motion="no-preference")
    choose(page, 1, 1, 2)
    assert page.locator(".ch-ends").inner_text() == "" and page.locator(".cf-count").inner_text() != "step 1 of 14"
    page.locator(".cf-bar input").press("End")
    assert "Right" in page.locator(".ch-ends").inner_text()


def test_on_a_laptop_how_it_ended_what_was_printed_and_the_buttons_are_in_view_together(open_page):
    page = open_page(1366)
    page.set_viewport_size({"width": 1366, "height": 768})
    choose(page, 2, 1, 2)
    bar, say, memory, ends = (page.locator(name).bounding_box() for name in (".cf-bar", ".cf-say", ".cf-map", ".ch-ends"))
    assert 0 <= bar["y"] < memory["y"] < say["y"] < ends["y"] and ends["y"] + 40 <= 768


def test_on_a_phone_how_it_ended_stands_below_the_button_and_the_wrong_choice_is_in_view(open_page):
    page = open_page(390)
    choose(page, 2, 1, 2)
    button, ends, blamed = (page.locator(name).bounding_box() for name in (".ch-run", ".ch-ends", ".ch-blamed"))
    assert button["y"] + button["height"] <= ends["y"] < button["y"] + 100 and abs(ends["x"] - button["x"]) < 20
    assert 0 <= blamed["y"] and ends["y"] + 40 <= 844


def test_on_a_phone_the_line_that_runs_stands_above_the_drawing_as_it_was_chosen(open_page):
    page = open_page(390)
    choose(page, 2, 1, 2)
    for _ in range(20):
        page.locator(".cf-back").click()
        if "memcpy" in page.locator(".cf-now").inner_text():
            break
    assert page.locator(".ch-while").inner_text() == "cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)"


def test_only_a_line_that_stands_in_the_program_has_a_number(open_page):
    page = open_page()
    choose(page, 2, 1, 2)
    numbers = page.locator(".ch-moves").evaluate_all("lines => lines.map(line => getComputedStyle(line, '::before').content)")
    assert numbers == ["none", "none", "counter(line)"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1366, 390])
def test_nothing_is_wrong_for_readers_who_cannot_see_it_and_every_text_can_be_read(open_page, theme, width):
    page = open_page(width, theme)
    assert theme == "dark" or axe.complaints(page) == []       # no rule that is asked depends on colours
    choose(page, 2, 1, 2)
    axe.open_folds(page)
    assert theme == "dark" or axe.complaints(page) == []
    texts = [contrast.measured(text) for text in contrast.collected(page, "main") if not text["disabled"]]
    assert [text for text in texts if text.ratio < contrast.ENOUGH] == [] and len(texts) > 20


def test_without_a_script_the_program_and_its_pieces_stand_there_without_a_button(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("select option").all_inner_texts().count("target + start") == 1
    assert not page.locator(".ch-run button").is_visible() and page.get_by_text("needs JavaScript").is_visible()
