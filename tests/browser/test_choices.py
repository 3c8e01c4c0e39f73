"""An exercise that is done on the page: with the keyboard alone, wide and on a phone, light and dark, without motion, without a script."""
import importlib
from pathlib import Path

import pytest

from . import axe, contrast

WEBSITE = Path(__file__).parents[2] / "tools" / "website"
PAGE = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Done here</title><style>{style}</style>
<main><h1>Done here</h1><h2>An exercise</h2>{html}</main><script>{script}</script></html>"""


@pytest.fixture(scope="module")
def pages():
    """{exercise: its page}: one that its check judges, and two that are judged by what they print. Made before a browser is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(WEBSITE.parent))
        patch.syspath_prepend(str(WEBSITE))
        choices, players = importlib.import_module("choices"), importlib.import_module("players")
        style = (WEBSITE / "style.css").read_text("utf-8") + players.STYLE + choices.STYLE
        script = players.SCRIPTS["follow.js"] + choices.SCRIPT + (WEBSITE / "site.js").read_text("utf-8")
        return {exercise.id: PAGE.format(style=style, html=exercise.html(), script=script) for exercise in choices.all_choices()
                if exercise.id in ("staged-copy", "kernel-made", "second-stream")}


@pytest.fixture
def open_page(pages, page_of):
    """``open_page(width, theme, ...)``: the page of an exercise, without motion unless asked for."""
    def opened(width=1366, theme="light", name="staged-copy", **options):
        return page_of(pages[name], width, 844, color_scheme=theme, **{"reduced_motion": "reduce", **options})
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
    ends = page.locator(".ch-ends")
    assert "Not yet. It prints [5 9 4 1 5 9 0 0]" in ends.inner_text() and "filled again" not in ends.inner_text()
    ends.locator("summary").press("Enter")
    assert "filled again" in ends.inner_text()
    assert page.locator(".ch-blamed").inner_text().strip().startswith("stream.synchronize()")
    choose(page, 1, 1, 2)
    assert "Right" in page.locator(".ch-ends").inner_text() and page.locator(".ch-blamed").count() == 0
    assert page.locator(".ch-run span").inner_text() == "2 of 18 versions tried, and the right one found."
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


def test_memory_is_drawn_as_the_first_place_finds_it_before_anything_is_chosen(open_page):
    page = open_page()
    assert "piece = source[" in page.locator(".cf-now").inner_text() and page.locator(".ch-ends").inner_text() == ""
    assert page.locator(".mm-narrow").get_by_text("staging").is_visible()


def test_what_came_of_it_is_said_at_once_and_after_that_it_is_shown_until_a_reader_takes_over(open_page):
    page = open_page(reduced_motion="no-preference")
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    choose(page, 2, 1, 2)
    step = page.locator(".cf-count")
    assert "Not yet" in page.locator(".ch-ends").inner_text() and step.inner_text() == "step 11 of 14"
    page.locator(".cf-back").press("Enter")
    page.clock.run_for(20_000)
    assert step.inner_text() == "step 10 of 14" and "Not yet" in page.locator(".ch-ends").inner_text()
    page.locator(".ch-run button").press("Enter")
    page.clock.run_for(20_000)
    assert step.inner_text() == "step 12 of 14"


def test_a_wrong_version_is_shown_up_to_the_step_that_brought_its_numbers(open_page):
    page = open_page()
    choose(page, 2, 1, 2)
    assert page.locator(".cf-count").inner_text() == "step 12 of 14" and "2 bytes go from memory C" in page.locator(".cf-say").inner_text()
    assert page.locator(".ch-shown").inner_text() == "Step 12 of 14 brought these numbers."
    choose(page, 1, 1, 2)
    assert page.locator(".cf-count").inner_text() == "step 14 of 14" and not page.locator(".ch-shown").is_visible()


def test_on_a_laptop_how_it_ended_what_was_printed_and_the_buttons_are_in_view_together(open_page):
    page = open_page(1366)
    page.set_viewport_size({"width": 1366, "height": 768})
    choose(page, 2, 1, 2)
    bar, say, memory, ends = (page.locator(name).bounding_box() for name in (".cf-bar", ".cf-say", ".cf-map", ".ch-ends"))
    assert 0 <= bar["y"] < memory["y"] < say["y"] < ends["y"] and ends["y"] + 40 <= 768


@pytest.mark.parametrize("chosen", [(2, 1, 2), (1, 1, 2)])
def test_on_a_phone_how_it_ended_stands_below_the_button_with_the_wrong_line_and_memory_below_it_is_in_view(open_page, chosen):
    page = open_page(390)
    choose(page, *chosen)
    button, ends, memory, bar = (page.locator(name).bounding_box() for name in (".ch-run", ".ch-ends", ".cf-map", ".cf-bar"))
    assert button["y"] + button["height"] <= ends["y"] < button["y"] + 100 and abs(ends["x"] - button["x"]) < 20
    assert 0 <= ends["y"] and memory["y"] + memory["height"] <= bar["y"] <= 844 - bar["height"]
    named, blamed = (page.locator(name).all_inner_texts() for name in (".ch-ends .ch-while", ".ch-blamed"))
    assert named == [line.strip() for line in blamed]


def test_on_a_phone_memory_is_in_view_below_how_it_ended_and_the_ways_in_which_it_was_run_below_that(open_page):
    page = open_page(390, name="second-stream")
    page.locator("[data-place=cure]").last.check()
    page.locator(".ch-run button").click()
    ends, memory, say, ways = (page.locator(name).bounding_box() for name in (".ch-ends", ".cf-map", ".cf-say", ".ch-ways"))
    assert 0 <= ends["y"] < memory["y"] and memory["y"] + memory["height"] <= say["y"] and memory["y"] + memory["height"] < ways["y"]


def run_made_by_a_kernel(page, base, distance):
    page.locator("select[data-place=base]").select_option(base)
    page.locator("select[data-place=distance]").select_option(distance)
    page.locator(".ch-run button").press("Enter")


def test_each_way_in_which_it_was_run_says_what_came_of_it_and_can_be_played(open_page):
    page = open_page(name="kernel-made")
    run_made_by_a_kernel(page, "0", "2")
    ways, ended = page.locator(".ch-ways button"), page.locator(".cf-say")
    assert [way.split("\n")[-1][0] for way in ways.all_inner_texts()] == ["✓", "✗"] and ways.nth(1).get_attribute("aria-pressed") == "true"
    assert "where the two base addresses differ: it ends with SIGSEGV, which is wrong" in page.locator(".ch-shown").inner_text()
    assert "SIGSEGV" in ended.inner_text()
    ways.nth(0).press("Enter")
    assert "It prints: 15" in ended.inner_text() and page.locator(".ch-shown").inner_text().endswith("on the recorded system: it prints 15.")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true" and "Not yet" in page.locator(".ch-ends").inner_text()
    assert page.locator(".ch-run span").inner_text() == "1 of 6 versions tried."


def test_a_change_takes_the_ways_of_the_version_before_away(open_page):
    page = open_page(name="kernel-made")
    run_made_by_a_kernel(page, "0", "2")
    page.locator("select[data-place=base]").select_option("1")
    assert page.locator(".ch-ways").count() == 0


def test_a_program_is_shown_in_pytorch_and_what_ran_is_behind_a_switch(open_page):
    page = open_page(name="second-stream")
    code = page.locator(".cf-code")
    assert code.inner_text().strip().startswith("side = torch.cuda.Stream()") and "cache" not in code.inner_text()
    page.locator(".ch-setup > summary").click()
    assert "import torch" in code.inner_text()
    assert sum(not line.strip() for line in code.locator("li:visible").all_inner_texts()) == 2, "what PyTorch needs no line for has none"
    page.get_by_role("button", name="PyCUDA").click()
    assert "cache.free(x)" in code.inner_text() and "torch" not in code.inner_text()
    page.locator("[data-place=cure]").last.check()
    page.locator(".ch-run button").click()
    assert page.locator(".ch-ends .ch-while").inner_text().startswith("side.wait_for_event")


def test_on_a_laptop_how_it_ended_the_ways_in_one_row_and_memory_are_in_view_together(open_page):
    page = open_page(name="second-stream")
    page.set_viewport_size({"width": 1366, "height": 768})
    page.locator("[data-place=cure]").last.check()
    page.locator(".ch-run button").click()
    ways = [way.bounding_box()["y"] for way in page.locator(".ch-ways button").all()]
    ends, memory = (page.locator(name).bounding_box() for name in (".ch-ends", ".cf-map"))
    assert len(ways) == 4 and len(set(ways)) == 1 and min(ways) >= 0
    assert all(box["y"] >= 0 and box["y"] + box["height"] <= 768 for box in (ends, memory))


def test_memory_and_the_buttons_stay_in_view_beside_what_is_below_the_program(open_page):
    page = open_page()
    choose(page, 2, 1, 2)
    page.set_viewport_size({"width": 1366, "height": 660})
    page.locator(".ch-ends").evaluate("ends => ends.scrollIntoView({block: 'end'})")
    assert page.locator(".cf-code").bounding_box()["y"] < 0 < page.locator(".cf-bar").bounding_box()["y"]


def test_on_a_phone_the_line_that_runs_stands_above_the_drawing_as_it_was_chosen(open_page):
    page = open_page(390)
    choose(page, 2, 1, 2)
    for _ in range(20):
        page.locator(".cf-back").click()
        if "memcpy" in page.locator(".cf-now").inner_text():
            break
    assert page.locator(".cf-map .ch-while").inner_text() == "cuda.memcpy_htod_async(target + start, staging[:len(piece)], stream)"


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
