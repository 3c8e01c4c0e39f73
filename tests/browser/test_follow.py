"""A followed program and a board of orders, as a page of their own: by mouse, by keys, on a phone, light and dark, without motion, and
without a script."""
import json
import re
from html import escape
from pathlib import Path

from courseware.follow import follow, follow_source, orders

import pytest

from ..follow import programs
from ..follow.test_orders import TILES, kernel
from . import axe, contrast

PAGE = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Followed</title>
<style>body {{ font: 15px system-ui; margin: 12px; background: {0}; color: {1} }}</style><main><h1>Followed</h1>{2}</main></html>"""
SITE_SCRIPT = Path(__file__).parents[2] / "tools" / "website" / "site.js"
COLOURS = {"light": ("#fff", "#111"), "dark": ("#111418", "#e8e8e8")}


@pytest.fixture(scope="module")
def shown():
    """{name: its HTML}, made before a browser is there."""
    program, other = (follow(program).html() for program in (programs.zeros_arrive, programs.two_addresses))
    field = "<p><label>A field <input id='field' value='7'></label> <a id='link' href='#'>A link</a></p>"
    return {"program": program, "two addresses": other, "programs and a field": program + field + other,
            "long word": follow_source("if True:\n    " + "number_" * 12 + "= 1")._repr_html_(), "crash": follow(programs.host_follows_a_device_address).html(), "orders": orders(kernel(TILES, 6))._repr_html_()}


@pytest.fixture
def open_page(shown, page_of):
    """``open_page("program", width, theme, ...)``: a page that shows it."""
    def opened(name, width=1366, theme="light", **options):
        return page_of(PAGE.format(*COLOURS[theme], shown[name]), width, color_scheme=theme, **options)
    return opened


def at(page):
    return page.locator(".cf-count").inner_text()


def test_next_back_and_a_line_lead_through_the_steps(open_page):
    page = open_page("program")
    assert at(page) == "step 1 of 7"
    page.click(".cf-next")
    assert at(page) == "step 2 of 7" and "Memory B is new" in page.locator(".cf-say").inner_text()
    page.click(".cf-back")
    assert at(page) == "step 1 of 7" and page.locator(".cf-back").get_attribute("aria-disabled") == "true"
    page.locator(".cf-code li").nth(8).click()
    assert at(page) == "step 6 of 7" and page.locator("[aria-current=step]").inner_text().startswith("    stream.synchronize()")


def test_keys_lead_through_the_steps_and_reach_nothing_else(open_page):
    page = open_page("program")
    page.evaluate("document.addEventListener('keydown', event => { window.heard = event.key; })")
    for focused in (".cf-next", ".cf-bar input", ".cf-code"):
        page.locator(focused).focus()
        for key, place in (("Home", "step 1 of 7"), ("ArrowRight", "step 2 of 7"), ("End", "step 7 of 7"), ("ArrowLeft", "step 6 of 7")):
            page.keyboard.press(key)
            assert at(page) == place
        assert page.locator(focused).get_attribute("data-lm-suppress-shortcuts") == "true"
    assert page.evaluate("window.heard") is None


def test_on_the_site_the_arrows_step_the_program_in_view_if_nothing_is_focused(open_page):
    page = open_page("programs and a field")
    page.add_script_tag(path=SITE_SCRIPT)
    first, second = page.locator(".course-follow").all()
    count = ".cf-count"
    for key, place in (("ArrowRight", "step 2 of 7"), ("ArrowRight", "step 3 of 7"), ("ArrowLeft", "step 2 of 7")):
        page.keyboard.press(key)
        assert first.locator(count).inner_text() == place and second.locator(count).inner_text().startswith("step 1 ")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.keyboard.press("ArrowRight")
    assert first.locator(count).inner_text() == "step 2 of 7" and second.locator(count).inner_text().startswith("step 2 ")
    page.locator("#field").focus()
    page.keyboard.press("ArrowLeft")
    page.locator("#link").focus()
    page.keyboard.press("ArrowLeft")
    first.locator(".cf-next").focus()
    page.keyboard.press("ArrowRight")
    assert first.locator(count).inner_text() == "step 3 of 7" and second.locator(count).inner_text().startswith("step 2 ")


def test_the_map_does_not_jump_when_the_sentence_grows(open_page):
    for width in (390, 1366):
        page = open_page("program", width, reduced_motion="reduce")
        tops = set()
        page.locator(".cf-next").focus()
        for _ in range(7):
            tops.add(round(page.locator(".cf-map").bounding_box()["y"]))
            page.keyboard.press("ArrowRight")
        assert len(tops) == 1


def test_a_long_word_stands_beside_its_lines_number(open_page):
    line = open_page("long word", 390).locator(".cf-code li").nth(1)
    top = line.evaluate("one => { const range = document.createRange(); range.selectNodeContents(one.querySelector('code').lastChild);"
                        " return range.getClientRects()[0].top - one.getBoundingClientRect().top; }")
    assert top < 10


def test_without_motion_the_last_state_is_there_at_once(open_page):
    page = open_page("program", reduced_motion="reduce")
    for _ in range(5):
        page.click(".cf-next")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.locator(".mm-wide rect.marked").count() == 4 and page.locator(".mm-wide text.marked").all_text_contents() == ["0"] * 4


def test_bytes_fly_from_one_memory_to_the_other_and_leave_nothing_behind(open_page):
    page = open_page("program")
    cells = page.locator(".mm-wide rect.cell")
    for _ in range(5):
        page.click(".cf-next")
    # What flies is taken away by an event that comes after its last frame.
    page.wait_for_function("document.getAnimations().every(one => one.playState === 'finished')"
                           "&& document.querySelectorAll('.mm-wide rect.cell').length <= 8")
    assert cells.count() == 8


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_an_arrow_leads_from_the_numbers_that_are_copied_to_where_they_go_and_stays(open_page, motion):
    page = open_page("program", reduced_motion=motion)
    for step in range(7):
        page.locator(".cf-bar input").fill(str(step))
        copied = re.search("go from (memory|the host)[A-Z ]* to (memory|the host)", page.locator(".cf-say").inner_text())
        assert page.locator(".mm-wide .flight.end").count() == bool(copied)
        assert page.locator(".mm-wide rect.flight").count() == (copied.groups().count("memory") if copied else 0)
    page.locator(".cf-bar input").fill("5")
    start, end = (box.bounding_box() for box in page.locator(".mm-wide rect.flight").all())
    tip = page.locator(".mm-wide .flight.end").bounding_box()
    assert start["x"] + start["width"] < tip["x"] and abs(tip["x"] + tip["width"] - end["x"]) < 8 and end["y"] < tip["y"] < end["y"] + end["height"]


def test_a_crash_is_a_marked_line(open_page):
    page = open_page("crash")
    page.click(".cf-next")
    assert "SIGSEGV" in page.locator(".cf-say.cf-wrong").inner_text() and page.locator(".cf-now.cf-wrong").count() == 1


@pytest.mark.parametrize("name", ["program", "two addresses", "orders"])
def test_a_phone_has_room(open_page, name):
    page = open_page(name, 390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    if name != "orders":
        assert page.locator(".mm-narrow").is_visible() and not page.locator(".mm-wide").is_visible()


# A frame of its own without an origin, as Colab has for each output; in it a page that runs an output's scripts by itself, under the
# policy that VS Code may have for its notebooks.
ELSEWHERE = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<main></main><script>document.querySelector("main").innerHTML = {0};
for (const script of document.querySelectorAll("main script"))
    document.body.appendChild(document.createElement("script")).text = script.innerText;</script>"""


@pytest.mark.parametrize("name, what", [("program", ".cf-count"), ("orders", ".co-tile")])
def test_an_output_plays_where_a_frontend_runs_its_script_in_a_frame_of_its_own(shown, page_of, name, what):
    inner = ELSEWHERE.format(json.dumps(shown[name]).replace("</", r"<\/"))
    page = page_of(f'<iframe sandbox="allow-scripts" width="900" height="700" srcdoc="{escape(inner)}"></iframe>')
    page.frame_locator("iframe").locator(what).first.wait_for()


@pytest.mark.parametrize("name, what", [("program", "stream.synchronize"), ("orders", "65,610,000 orders")])
def test_without_a_script_there_is_a_table(open_page, name, what):
    page = open_page(name, java_script_enabled=False)
    assert what in page.locator("details").inner_text()
    assert not page.locator(".cf-player, .co-board").first.is_visible()


@pytest.mark.parametrize("theme", COLOURS)
@pytest.mark.parametrize("name", ["program", "two addresses", "crash", "orders"])
def test_it_is_legible_and_axe_finds_nothing_wrong(open_page, name, theme):
    for width in (390, 1366):
        page = open_page(name, width, theme, reduced_motion="reduce")
        if name != "orders":
            page.locator(".cf-next").focus()
            page.keyboard.press("End")
        axe.open_folds(page)
        assert theme == "dark" or axe.complaints(page) == []       # no rule that is asked depends on colours
        texts = [contrast.measured(text) for text in contrast.collected(page, "main") if not text["disabled"]]
        assert [text for text in texts if text.ratio < contrast.ENOUGH] == [] and len(texts) > 10


def test_an_access_is_moved_by_keys_and_by_the_mouse_and_a_stale_read_is_marked(open_page):
    page = open_page("orders")
    for barrier in page.locator(".co-barrier").all():
        barrier.click()
    by_keys, by_mouse = (page.locator(".co-tile", has_text=words).first for words in ("reads s[2]", "reads x[5]"))
    assert page.locator(".co-wrong").count() == 0
    by_keys.focus()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    sentence = page.locator(".co-say").inner_text()
    assert "co-wrong" in by_keys.get_attribute("class") and "reads s[2] before it is written" in sentence
    assert "Thread 0 does its own accesses in the order of its program" in sentence
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    assert page.locator(".co-wrong").count() == 0
    for _ in range(9):
        page.keyboard.press("ArrowUp")
    assert "The order on the board is one of those" in page.locator(".co-all").inner_text()
    assert page.locator(".co-lanes .co-head").first.inner_text() == "thread 0: caught"
    page.get_by_text("Start again").click()
    assert page.locator(".co-wrong").count() == 0 and page.locator(".co-lanes .co-head").first.inner_text() == "thread 0: caught"
    assert page.locator(".co-all").inner_text().startswith("Caught so far: thread 0.")
    assert page.locator(".co-off").count() == 2, "what was taken away stays away"
    by_mouse.scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    box = by_mouse.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] - 200, steps=20)
    page.mouse.up()
    assert by_mouse.bounding_box()["y"] < box["y"] - 50


def test_an_access_that_is_touched_is_chosen_and_moved_by_buttons(open_page):
    page = open_page("orders")
    for barrier in page.locator(".co-barrier").all():
        barrier.click()
    assert page.locator(".co-wait").count() == 0
    earlier = page.get_by_role("button", name="Move the chosen access earlier")
    assert earlier.is_disabled()
    read = page.locator(".co-tile", has_text="reads s[2]").first
    read.click()
    assert "co-chosen" in read.get_attribute("class") and page.locator(".co-chosen").count() == 1
    for _ in range(5):
        earlier.click()
    assert "reads s[2] before it is written" in page.locator(".co-say").inner_text()


def test_the_board_begins_with_the_kernels_barriers_which_make_it_impossible(open_page):
    page = open_page("orders")
    assert page.locator(".co-barrier").all_inner_texts() == ["__syncthreads();\u00d7 take out"] * 2 and page.locator(".co-off").count() == 0
    read = page.locator(".co-tile", has_text="reads s[2]").first
    before, wait = page.locator(".co-tile", has_text="writes s[2]").first, page.locator(".co-wait").first
    assert before.bounding_box()["y"] < wait.bounding_box()["y"] < read.bounding_box()["y"], "it stands among the accesses"
    assert read.get_attribute("aria-label").endswith(", after a barrier") and "barrier" not in before.get_attribute("aria-label")
    read.focus()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    assert page.locator(".co-wrong").count() == 0 and "The barrier makes this impossible" in page.locator(".co-told").inner_text()
    assert "finds its number" not in page.locator(".co-say").inner_text(), "no praise for a move that was refused"
    assert "65,610,000 orders, and all of them give the same numbers" in page.locator(".co-all").inner_text()
