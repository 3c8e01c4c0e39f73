"""The site in a browser: what a reader meets who has a phone or a laptop, a keyboard alone, no script, or wants no motion."""
# ruff: noqa: F811 (fixtures that are imported and named as parameters)
import json
import re
from datetime import datetime, timedelta
from pathlib import Path

from courseware.course import tomllib

import pytest

from ..setup.made_site import printed, site, soups, worked_in  # noqa: F401
from ..setup.test_bootstrap import ROOT
from . import axe
from .contrast import ENOUGH, collected, measured

PHONE = {"width": 390, "height": 844}
PICTURES = ["index.html", "00_two_views_of_one_memory.html", "04_bandwidth.html"]      # kept for CI
A_WALK = 60_000     # milliseconds in which a program has gone as far as it goes by itself
PAPER = {"light": "rgb(253, 252, 248)", "dark": "rgb(19, 18, 23)"}


def read_on(page):
    """Have all of a lesson, without an answer."""
    page.evaluate("for (let button; (button = document.querySelector('.more button'));) button.click(); scrollTo(0, 0)")


@pytest.fixture
def browser(browser):
    """The same for all tests; what a test opens in it is closed at the test's end."""
    before = list(browser.contexts)
    yield browser
    for context in browser.contexts:
        if context not in before:
            context.close()


def test_the_reply_to_an_answer_is_in_sight(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto((site / "00_two_views_of_one_memory.html").as_uri())
    read_on(page)
    for question in page.locator("main > .question").all():
        question.evaluate("one => scrollTo(0, one.getBoundingClientRect().bottom + scrollY - innerHeight)")
        question.locator("summary").first.click()
        page.wait_for_function("one => one.getBoundingClientRect().bottom <= innerHeight + 1", arg=question.element_handle())
        assert question.locator("[open] p").is_visible()


def test_an_answer_shows_what_the_cell_showed_and_whether_it_was_right(site, browser):
    page = browser.new_page(viewport=PHONE)
    page.goto((site / "04_bandwidth.html").as_uri() + "#ask-bandwidth-pinned-speed")        # not passed by: its outcome is folded
    shown, why = page.locator(".seen-bandwidth-pinned-speed .course-plot"), page.locator("#why-bandwidth-pinned-speed > p").first
    assert not shown.is_visible() and not why.is_visible()
    grounds = []
    for answer in ("twice as fast", "about six times as fast"):
        summary = page.locator("#ask-bandwidth-pinned-speed summary", has_text=answer)
        summary.click()
        grounds.append(summary.evaluate("one => getComputedStyle(one).backgroundColor"))
    page.locator("#ask-bandwidth-pinned-speed").get_by_role("link").click()
    assert why.evaluate("one => one.getBoundingClientRect().top < innerHeight") and why.is_visible()
    assert shown.is_visible() and shown.bounding_box()["width"] <= PHONE["width"]
    assert grounds == ["rgb(168, 69, 10)", "rgb(11, 107, 79)"]


@pytest.fixture
def reader(site, browser):
    """``reader("index.html", **options)``: a page in a browser, on a phone, with all of a lesson unless not `whole`; what its scripts complain
    of fails the test."""
    complaints = []

    def opened(name, whole=True, **options):
        page = browser.new_context(viewport=PHONE, **options).new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.clock.install()
        page.goto((site / name).as_uri())
        if options.get("java_script_enabled", True):
            if whole:
                read_on(page)
            page.clock.run_for(A_WALK)        # the first page goes to its question by itself
        return page
    yield opened
    assert complaints == []


def paused(browser, address, **options):
    """A page on a laptop whose clock goes only when a test lets it run."""
    page = browser.new_page(viewport={"width": 1366, "height": 768}, **options)
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(hours=1))
    page.goto(address)
    return page


NEXT_STANDS_OUT = "document.querySelector('{} .cf-next').computedStyleMap().get('background-color').toString()"


def test_the_first_page_opens_with_a_question_and_an_answer_goes_on_to_the_step(reader):
    page = reader("index.html")
    program = page.locator("#opening")
    question, memory = page.locator("#ask-whose-numbers"), program.locator(".mm-narrow")
    quiet = page.evaluate(NEXT_STANDS_OUT.format("#opening"))
    first_row, bar = (program.locator(part).bounding_box()["y"] for part in (".mm-narrow .pill >> nth=0", ".cf-bar"))
    asked = question.bounding_box()
    assert 0 < first_row < first_row + 42 <= asked["y"] < asked["y"] + asked["height"] <= bar < PHONE["height"], "all three without scrolling"
    assert memory.get_by_text("freed", exact=True).is_visible() and memory.get_by_text("9", exact=True).count() == 0, "b is not made yet"
    question.locator("summary", has_text="3 1 4 15").click()
    program.locator(".cf-say", has_text="Memory B is where memory A was").wait_for()
    assert page.evaluate(NEXT_STANDS_OUT.format("#opening")) != quiet
    right, mark = question.locator(".right"), "one => getComputedStyle(one.querySelector('summary'), '::before').content"
    assert not right.locator("p").is_visible() and "\u2717" not in question.inner_text(), "the program has not come to it yet"
    assert right.evaluate(mark) == "none"
    page.clock.run_for(20_000)
    program.locator(".cf-say", has_text="It prints: 9 2 6 5").wait_for()
    assert right.locator("p").is_visible() and "\u2717" in question.inner_text() and right.evaluate(mark).startswith('"\u2713'), "both with their reasons"
    for shown in (memory.get_by_text("a, old, b"), program.locator(".onward a").first, question.locator(".wrong > summary").first):
        box = shown.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= program.locator(".cf-bar").bounding_box()["y"]


def shown_by(page, part):
    """Follow the link that shows a program of the first page, if it needs one."""
    program = part.evaluate("one => one.closest('.plays > *')?.id")
    if program:
        page.locator(f".plays > nav a[href='#{program}']").click()


def test_a_program_tells_what_came_of_an_answer_without_more_answers(site, soups, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.clock.install()
    seen = 0
    for name in (name for name, soup in soups.items() if soup.select_one(".asking, .choices")):
        page.goto((site / name).as_uri())
        read_on(page)
        for question in page.locator(".asking .question").all():
            shown_by(page, question)
            if not question.is_visible():       # it is asked after another
                question.locator("xpath=ancestor::*[contains(@class, 'asking')]").locator(".cf-bar input").fill(question.get_attribute("data-at"))
            question.locator(".wrong > summary").first.click()
            page.wait_for_function("one => !one.closest('.asks')", arg=question.element_handle())      # it has begun
            page.clock.run_for(A_WALK)
            assert question.locator(".wrong[open] p").is_visible(), name
            seen += 1
        for exercise in page.locator(".choices").all():
            shown_by(page, exercise)
            for place in set(exercise.locator(".cf-code [data-place]").evaluate_all("all => all.map(one => one.dataset.place)")):
                control = exercise.locator(f"[data-place={place}]").last
                control.check() if control.get_attribute("type") == "radio" else control.select_option(index=1)
            exercise.locator(".ch-run button").first.click()
            page.clock.run_for(A_WALK)
            assert exercise.locator(".ch-ends").inner_text(), name
            seen += 1
    assert seen >= 10


def test_a_reader_finds_the_endings_of_the_first_program_by_changing_it(reader):
    page = reader("index.html", reduced_motion="reduce")
    page.locator(".plays > nav a").last.click()
    change = page.locator("#do-change-it")
    run, found, ends = (change.locator(name) for name in (".ch-run button", ".ch-run span", ".ch-ends"))
    for count, place, ending in ((1, 0, "9 2 6 5"), (1, 0, "9 2 6 5"), (2, 2, "3 1 4 15"), (3, 1, "CUDA_ERROR_INVALID_VALUE")):
        change.locator("[data-place=free]").nth(place).check()
        run.click()
        assert found.inner_text().startswith(f"{count} of 5 endings found") and ending in ends.inner_text()
    assert "the driver knows nothing at old" in ends.inner_text()
    assert not re.search("Right|Not yet", ends.inner_text())
    assert len(ends.locator("li").all()) == 3
    change.locator("[data-place=free]").nth(2).check()
    run.click()
    picture = change.locator(".mm-narrow")
    assert "3 1 4 15" in change.locator(".cf-say").inner_text() and picture.get_by_text("a, old").is_visible(), "as it was when it printed"
    assert picture.get_by_text("freed", exact=True).count() == 0
    change.locator(".cf-next").click()
    assert picture.get_by_text("freed", exact=True).is_visible() and "3 1 4 15" in ends.inner_text()
    assert "9 2 6 5" in ends.locator("li").first.inner_text()
    leads_on = change.locator(".ch-onward")
    assert not leads_on.is_visible()
    change.locator("[data-place=count]").select_option("1")        # two numbers, and so the other endings
    assert "5 of 5" not in found.inner_text()
    for place in (2, 0):
        change.locator("[data-place=free]").nth(place).check()
        run.click()
    assert found.inner_text().startswith("5 of 5 endings found") and leads_on.is_visible() and "only then were you told" in leads_on.inner_text()
    way = leads_on.get_by_role("link").bounding_box()
    assert ends.locator("li").count() == 0 and way["y"] + way["height"] <= PHONE["height"], "the conclusion has their place, and is in view"
    change.locator("[data-place=count]").select_option("0")
    change.locator("[data-place=numbers]").select_option("1")
    run.click()
    assert found.inner_text().startswith("5 of 5") and "b has only two numbers" in ends.inner_text(), "the same error, for another reason"


def test_a_verdict_can_be_seen_without_the_steps_that_lead_to_it_and_scrolling_to_one_stops_no_picture(site, browser):
    page = paused(browser, (site / "index.html").as_uri() + "#late-block")
    program = page.locator("#late-block")
    program.locator(".right > summary").click()
    program.get_by_text("Show the answer now").click()
    assert program.locator(".cf-count").inner_text() == "step 10 of 10" and program.locator(".right[open] p").first.is_visible()
    page.goto((site / "index.html").as_uri() + "#do-change-it")
    page.reload()
    change = page.locator("#do-change-it")
    change.locator(".ch-run button").click()
    first = change.locator(".cf-count").inner_text()
    was = page.evaluate("scrollY")
    page.mouse.move(683, 384)
    page.mouse.wheel(0, 50)
    page.wait_for_function("was => scrollY > was", arg=was)
    page.clock.run_for(A_WALK)
    assert first != change.locator(".cf-count").inner_text() and page.locator(".walks").count() == 0, "it has gone on to its end"


@pytest.mark.parametrize("where", ["19_memory_in_stream_order.html#do-second-stream", "index.html#late-block"])
def test_each_step_of_a_program_that_goes_on_by_itself_stands_until_its_sentence_can_be_read_or_a_third_as_long_if_others_decide(where, site, browser):
    page = paused(browser, (site / where.partition("#")[0]).as_uri() + "#" + where.partition("#")[2])
    program = page.locator("#" + where.partition("#")[2])
    if where.startswith("19"):
        program.locator("[data-place=cure]").nth(1).check()
        program.locator(".ch-run button").click()
    else:
        program.locator(".question summary").first.click()
    program.locator(".walks").wait_for()
    decide = [int(button.get_attribute("value")) for button in program.locator(".again button").all()]
    step, say, passed, fast = program.locator(".cf-count"), program.locator(".cf-say"), [], 0
    while program.locator(".walks").count():
        here, glance, number = step.inner_text(), say.inner_text().startswith("Nothing changes"), int(step.inner_text().split()[1])
        briefly = bool(decide) and number - 1 not in decide
        fast += glance or briefly
        takes = 700 if glance else max(700, round(max(160 * len(say.text_content().split()), 1600) / (3 if briefly else 1)))
        page.clock.run_for(takes - 1)
        assert step.inner_text() == here
        page.clock.run_for(1)
        passed.append(step.inner_text())
    assert fast and passed == sorted(set(passed), key=lambda words: int(words.split()[1]))


@pytest.mark.parametrize("taken_over", ["Next", "key", "wheel"])
def test_a_reader_stops_a_program_that_goes_on_by_itself(taken_over, site, browser):
    page = paused(browser, (site / "index.html").as_uri())
    program, step = page.locator("#opening"), page.locator("#opening .cf-count")
    assert program.locator(".walks").count() == 1
    if taken_over == "Next":
        program.locator(".cf-next").click()
    elif taken_over == "key":
        page.keyboard.press("Tab")
    else:
        page.mouse.wheel(0, 50)
        page.wait_for_function("() => scrollY > 0")
    page.clock.run_for(A_WALK)
    assert step.inner_text() == f"step {1 + (taken_over == 'Next')} of 5" and program.locator(".walks").count() == 0


@pytest.mark.parametrize("width", [390, 1366])
def test_the_link_past_the_menu_is_seen_when_it_has_the_focus(site, width, browser):
    page = browser.new_page(viewport={"width": width, "height": 768})
    page.goto((site / "00_two_views_of_one_memory.html").as_uri())
    page.keyboard.press("Tab")
    seen = page.evaluate("""() => {
        const link = document.activeElement, {left, right, top, bottom} = link.getBoundingClientRect();
        return link.matches(".skip") && [[left, top], [right, top], [left, bottom], [right, bottom]].every(([x, y]) =>
            document.elementFromPoint(x + (x === left ? 1 : -1), y + (y === top ? 1 : -1)) === link);
    }""")
    assert seen


def test_after_an_answer_the_new_memory_stays_in_sight_and_at_the_end_it_is_played_again(reader):
    page = reader("index.html")
    program = page.locator("#opening")
    say, bar = (program.locator(name) for name in (".cf-say", ".cf-bar"))
    page.clock.pause_at(datetime.now() + timedelta(hours=1))        # from here on its time is this test's
    program.locator(".wrong > summary").first.click()
    say.get_by_text("Memory B is where memory A was").wait_for()
    page.clock.run_for(1000)
    assert "Memory B is where" in say.inner_text()
    code, shown, told = (program.locator(name).bounding_box() for name in (".cf-code:visible", ".mm-narrow", ".cf-say"))
    assert code["y"] + code["height"] <= shown["y"] < shown["y"] + shown["height"] <= told["y"] < told["y"] + told["height"] <= bar.bounding_box()["y"]
    page.clock.run_for(A_WALK)
    assert "It prints" in say.inner_text()
    bar.get_by_role("button", name="Play again").click()
    assert "It prints" not in say.inner_text()
    page.clock.run_for(A_WALK)
    assert "It prints" in say.inner_text()


def test_on_a_laptop_it_is_said_that_a_program_goes_on_and_no_answer_scrolls_its_verdict_or_the_way_on_out_of_view(site, browser):
    for name in ("#opening", "#late-block"):
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.clock.install()
        page.goto((site / "index.html").as_uri() + name)        # which leads to the program before anything is asked
        program = page.locator(name)
        page.clock.run_for(A_WALK)
        before = page.evaluate("scrollY")
        for answer in (".wrong >> nth=0", ".wrong >> nth=1", ".right"):
            program.locator(f".question {answer}").locator("summary").click()
            goes_on = program.locator(".question").evaluate("async one => (await 0, getComputedStyle(one, '::after').content)")
            assert ("goes on" in goes_on) == (answer == ".wrong >> nth=0"), "after that the verdict is known"
            page.clock.run_for(A_WALK)
            assert program.locator(".question").evaluate("one => getComputedStyle(one, '::after').content") == "none"
            for shown in (program.locator(".question [open] p"), *program.locator(".onward a").all()):
                box = shown.bounding_box()
                assert box["y"] > 0 and box["y"] + box["height"] <= 768, (name, answer)
            assert page.evaluate("scrollY") == before, (name, answer)
        tab = page.locator(".plays > nav a", has_text="Change it")
        stands_at = tab.bounding_box()["y"]
        tab.click()
        page.wait_for_function("() => document.querySelector('.plays > .choices').checkVisibility()")
        assert tab.bounding_box()["y"] == stands_at, "the next tab is beside it"


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_an_answer_to_the_harder_program_goes_on_to_its_verdict_and_the_steps_that_decide_can_be_seen_again(reader, motion):
    page = reader("index.html", reduced_motion=motion)
    page.locator(".plays > nav a[href='#late-block']").click()
    program = page.locator("#late-block")
    say, step, again = (program.locator(name) for name in (".cf-say", ".cf-count", ".again button"))
    cue = lambda: program.locator(".question").evaluate("one => getComputedStyle(one, '::after').content")
    program.locator(".cf-bar input").fill("0")
    program.locator(".wrong > summary").first.press("Enter")
    program.locator(".wrong[open]").wait_for()
    page.wait_for_function("() => !document.querySelector('#late-block').matches('.asks')")      # it has begun
    page.clock.run_for(A_WALK)
    assert "[2, 2, 2, 2]" in say.inner_text() and program.locator(".wrong[open] p").is_visible() and cue() == "none"
    assert again.all_text_contents() == ["step 6, del x", "step 8, y =", "step 9, side.synchronize"]
    again.first.click()
    assert step.inner_text() == "step 6 of 10" and "takes memory B back" in say.inner_text() and program.locator(".wrong[open] p").is_visible()


def test_who_only_presses_next_is_told_why_at_the_end_and_can_still_answer(reader):
    page = reader("index.html")
    page.locator(".plays > nav a[href='#late-block']").click()
    program = page.locator("#late-block")
    step, why, onward = (program.locator(name) for name in (".cf-count", ".why-passed", ".onward"))
    while step.inner_text() != "step 10 of 10":
        assert not why.is_visible() and not onward.is_visible()
        program.locator(".cf-next").click()
    assert "nothing makes them wait for the copy" in why.inner_text() and onward.is_visible() and program.locator(".again button").first.is_visible()
    program.locator(".wrong > summary").first.click()
    why.wait_for(state="hidden")
    assert program.locator(".wrong[open] p").is_visible()


def test_wrong_numbers_are_followed_to_the_step_that_brought_them(reader):
    exercise = reader("19_memory_in_stream_order.html", reduced_motion="reduce").locator("#do-second-stream")
    assert exercise.locator(".ch-run span").inner_text() == "Choose one line first."
    exercise.locator("[data-place=cure]").first.check()
    exercise.locator(".ch-run button").click()
    assert "[2, 2, 2, 2]" in exercise.locator(".ch-shown").inner_text()
    assert "from memory B to memory A" in exercise.locator(".cf-say").inner_text()
    exercise.locator("[data-place=cure]").nth(1).check()
    exercise.locator(".ch-run button").click()
    assert "Right" in exercise.locator(".ch-ends").inner_text() and "brought" not in exercise.locator(".ch-shown").inner_text()


def test_who_writes_cpp_steps_through_the_program_in_it_and_is_told_at_the_end_what_a_gpu_printed(reader):
    program = reader("index.html").locator("#opening")
    shown, note = program.locator(".cf-code:visible"), program.locator(".cf-note")
    program.get_by_role("button", name="Python").click()
    assert "to_device" in shown.inner_text()
    program.get_by_role("button", name="CUDA C++").click()
    assert "cudaMalloc" in shown.inner_text() and "to_device" not in shown.inner_text()
    assert "compiled" in note.inner_text() and "9 2 6 5" not in note.inner_text(), "that would answer the question"
    marked = []
    for step in range(5):
        program.locator(".cf-bar input").fill(str(step))
        marked.append([line.split("(")[0].split()[-1] for line in shown.locator(".cf-now").all_inner_texts()])
    assert marked[1:4] == [["a;"], ["cudaFree"], ["cudaMalloc", "cudaMemcpy"]] and [len(lines) for lines in marked] == [2, 1, 1, 2, 5]
    assert "9 2 6 5" in note.inner_text()
    assert program.locator(".cf-say").get_attribute("data-calls") == "cudaMemcpy"
    program.get_by_role("button", name="Python").click()
    assert program.locator(".cf-say").get_attribute("data-calls") == "cuMemcpyDtoH"
    assert shown.locator(".cf-now").inner_text().startswith("print(")


def test_a_language_that_was_chosen_is_remembered(site, browser):
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    code = page.locator("#opening .cf-code:visible")
    assert "cudaMalloc" in code.inner_text()
    page.get_by_role("button", name="Python").click()
    page.reload()
    assert "to_device" in code.inner_text()


def test_the_first_program_goes_to_its_question_by_itself_unless_a_reader_wants_no_motion_or_takes_over(site, browser):
    at_question = "step 3 of 5"
    for motion, key, first, then in (("no-preference", "", "step 1 of 5", at_question), ("reduce", "", at_question, at_question),
                                     ("no-preference", "ArrowRight", "step 2 of 5", "step 2 of 5")):
        page = paused(browser, (site / "index.html").as_uri(), reduced_motion=motion)
        step, asked = page.locator("#opening .cf-count"), page.locator("#ask-whose-numbers").bounding_box()
        if key:
            page.locator("#opening .cf-bar input").press(key)
        assert step.inner_text() == first
        page.clock.run_for(A_WALK)
        assert step.inner_text() == then and page.locator("#ask-whose-numbers").bounding_box() == asked and page.evaluate("scrollY") == 0


def test_the_harder_program_waits_for_the_reader_and_on_a_phone_its_last_line_is_in_view(reader):
    page = reader("index.html")
    program = page.locator("#late-block")
    quiet = page.evaluate(NEXT_STANDS_OUT.format("#opening"))
    page.locator(".plays > nav a[href='#late-block']").click()
    page.clock.run_for(A_WALK)
    last = program.locator(".cf-code > li:last-child").bounding_box()
    assert program.locator(".cf-count").inner_text() == "step 1 of 10" and 0 < last["y"] < PHONE["height"] / 2
    assert page.evaluate(NEXT_STANDS_OUT.format("#late-block")) != quiet
    while not program.locator(".cf-now").inner_text().startswith("del x"):
        program.locator(".cf-next").click()
    assert page.evaluate(NEXT_STANDS_OUT.format("#late-block")) == quiet, "first it asks"


def test_who_wants_no_motion_comes_to_the_answering_step_at_once(reader):
    program = reader("why-there-is-no-inverse.html", reduced_motion="reduce").locator("#way-back")
    program.locator("summary", has_text="each side").click()
    program.locator(".cf-say", has_text="Memory A holds 7 7 4 15").wait_for(timeout=1000)


def test_the_answers_program_asks_twice_and_the_way_back_is_in_sight_with_the_reply(reader):
    page = reader("why-there-is-no-inverse.html")
    program = page.locator("#way-back")
    question, other = page.locator("#ask-gpu-writes"), page.locator("#ask-way-back")
    question.locator("summary", has_text="each side").click()
    program.locator(".cf-say", has_text="Memory A holds 7 7 4 15").wait_for()
    while not other.is_visible():
        program.locator(".cf-next").click()
    assert not question.is_visible() and "Memory B" not in program.locator(".cf-say").inner_text()
    other.locator(".wrong > summary").last.click()
    program.locator(".cf-say", has_text="Memory B is new").wait_for()
    no_way_back = program.locator(".mm-narrow").get_by_text("no way back")
    page.wait_for_function("one => one.getBoundingClientRect().bottom <= document.querySelector('#way-back .cf-bar').getBoundingClientRect().top",
                           arg=no_way_back.element_handle())
    assert no_way_back.is_visible() and other.locator(".wrong p").last.is_visible()


def test_after_the_last_step_of_a_program_it_says_what_comes_next(reader):
    page = reader("index.html")
    for name, question in (("#late-block", "#ask-whose-block"), ("#opening", "#ask-whose-numbers")):
        page.locator(f".plays > nav a[href='{name}']").click()
        program = page.locator(name)
        assert page.locator(question).is_visible() and not program.locator(".onward").is_visible()
        assert page.locator(".plays > :not(nav)").filter(visible=True).count() == 1, "one is seen at a time"
        program.locator(".cf-next").focus()
        page.keyboard.press("End")
        assert program.locator(".onward a").count() >= 2 and program.locator(".onward").is_visible()
        assert "\u2026" not in program.locator(".cf-say").inner_text()
    page.locator("#opening .onward a").first.click()
    assert page.locator("#late-block .cf-map").is_visible() and not page.locator("#opening").is_visible()


def test_next_passes_by_a_question_only_if_it_is_pressed_again(reader):
    program = reader("index.html").locator("#opening")
    refusal, say, step = (program.locator(name) for name in (".refusal", ".cf-say", ".cf-count"))
    here, sentence = step.inner_text(), say.inner_text()
    for press in (lambda: program.locator(".cf-next").click(), lambda: program.locator(".cf-next").press("ArrowRight")):
        press()
        assert refusal.inner_text() == "Guess first, or go on anyway." and (step.inner_text(), say.inner_text()) == (here, sentence)
        press()
        assert step.inner_text() != here and not refusal.is_visible()
        program.locator(".cf-back").click()


def test_on_a_laptop_the_program_in_either_language_is_shown_whole_and_the_question_stays_where_it_is(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto((site / "index.html").as_uri())
    program = page.locator("#opening")
    asked = program.locator(".question").bounding_box()
    for language in ("CUDA C++", "Python"):
        program.get_by_role("button", name=language).click()
        assert program.locator(".cf-code:visible").evaluate("code => code.scrollHeight <= code.clientHeight")
        assert program.locator(".question").bounding_box() == asked


def test_on_a_phone_all_lines_and_all_answers_are_on_the_first_screen_of_a_question(reader):
    page = reader("index.html")
    for name, language in (("#late-block", ""), ("#opening", "Python"), ("#opening", "CUDA C++")):
        page.locator(f".plays > nav a[href='{name}']").click()
        program = page.locator(name)
        if language:
            program.get_by_role("button", name=language).click()
        last, bar, code = (program.locator(part).bounding_box() for part in (".answers summary >> nth=-1", ".cf-bar", ".cf-code:visible"))
        assert page.locator(".menu").bounding_box()["height"] <= code["y"] < last["y"] and last["y"] + last["height"] <= bar["y"], name + language
        assert program.locator(".cf-code:visible").evaluate("code => code.scrollHeight <= code.clientHeight")


def test_of_a_step_that_brings_numbers_they_have_arrived_before_the_next(reader):
    page = reader("index.html")
    program = page.locator("#late-block")
    page.locator(".plays > nav a[href='#late-block']").click()
    program.locator(".cf-bar input").fill("7")
    program.locator(".cf-next").click()
    unseen = "() => document.querySelector('#late-block').getAnimations({subtree: true}).filter(({effect}) => effect.getKeyframes().every(({opacity}) => opacity === '0')).length"
    assert page.evaluate(unseen) == 8, "of both pictures"
    program.locator(".cf-next").click()
    assert page.evaluate(unseen) == 0 and "[2, 2, 2, 2]" in program.locator(".cf-say").inner_text()


def test_a_reply_stays_when_the_program_is_played_again_and_a_change_of_language_stops_nothing(reader):
    page = reader("index.html")
    program, reply = page.locator("#opening"), page.locator("#ask-whose-numbers .wrong[open] p")
    program.locator(".wrong > summary").first.click()
    program.get_by_role("button", name="CUDA C++").click()
    page.clock.run_for(20_000)
    assert reply.is_visible() and "It prints" in program.locator(".cf-say").inner_text()
    program.get_by_role("button", name="Play again").click()
    program.get_by_role("button", name="Python").click()
    assert reply.is_visible() and "It prints" not in program.locator(".cf-say").inner_text()


def test_a_lesson_goes_on_below_a_question_when_that_has_an_answer(reader):
    page = reader("19_memory_in_stream_order.html", whole=False)
    questions, more, cells = page.locator("main > .question"), page.locator(".more"), page.locator(".more .cells")
    outcome = page.locator(f".seen-{questions.first.get_attribute('id').removeprefix('ask-')}").first
    assert questions.count() > 2 and [question.is_visible() for question in questions.all()][:2] == [True, False]
    assert not outcome.is_visible() and cells.inner_text().split() == ["?"] * questions.count()
    questions.first.locator(".wrong > summary").first.click()
    questions.nth(1).wait_for()
    assert outcome.is_visible() and not questions.nth(2).is_visible()
    assert cells.inner_text().split() == ["\u2717", *["?"] * (questions.count() - 1)]
    more.get_by_role("button").click()
    assert questions.nth(2).is_visible() and cells.inner_text().split()[:2] == ["\u2717", "?"]


def test_what_came_of_a_question_that_is_passed_by_is_open(reader):
    page = reader("16_who_comes_first.html", whole=False)
    drawn_wide = float(re.search(r'viewBox="0 0 (\d+) ', (ROOT / "docs" / "pictures" / "tiles.svg").read_text())[1])
    assert 13 * page.locator(".picture > img").first.bounding_box()["width"] / drawn_wide >= 10, "pixels, of its letters on a phone"
    shown = page.locator(".seen-order-ship > .output")
    page.locator(".more button").click()
    assert "only for 64 numbers" in shown.inner_text() and "Observed" in shown.inner_text()
    shown.locator("summary").click()
    page.locator("#ask-order-second summary").first.click()
    assert "Observed" not in shown.inner_text(), "who has closed it has it closed"


def test_a_link_leads_into_a_lesson_behind_questions_without_an_answer(reader):
    page = reader("19_memory_in_stream_order.html", whole=False)
    assert page.locator(".more").is_visible() and not page.locator("#do-second-stream").is_visible()
    page.evaluate("location.hash = 'do-second-stream'")
    page.locator("#do-second-stream").wait_for()
    assert page.locator("main > .question").filter(visible=True).count() > 2 and page.locator("details[class*=seen-], [class*=seen-] > .output > details").count() > 2
    assert page.locator("details[class*=seen-][open], [class*=seen-] > .output > details[open]").count() == 0, "each can still be guessed"
    page.get_by_role("link", name="Lesson 19 from its start").click()
    page.wait_for_url(lambda address: "#" not in address)
    assert not page.locator("#do-second-stream").is_visible() and page.locator("main > .question").filter(visible=True).count() == 1


def test_without_a_script_a_lesson_is_there_whole(reader):
    page = reader("19_memory_in_stream_order.html", java_script_enabled=False)
    assert all(question.is_visible() for question in page.locator("main > .question").all()) and page.locator(".more").count() == 0


def test_on_a_laptop_program_and_picture_stand_side_by_side_and_the_question_below_that_without_scrolling(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto((site / "index.html").as_uri())
    in_sight = 700      # a browser's own bars take some
    code, question, picture = (page.locator(f"#opening {selector}").first.bounding_box() for selector in (".cf-code:visible", ".question", ".mm-wide"))
    assert code["x"] + code["width"] <= picture["x"] and picture["width"] > code["width"], "the picture is the largest thing"
    assert picture["y"] + picture["height"] <= question["y"] and question["y"] + question["height"] <= in_sight and question["x"] >= code["x"] + code["width"]
    page.locator("#ask-whose-numbers .wrong > summary").first.click()
    page.locator("#opening .cf-bar input").press("End")
    reply = page.locator("#ask-whose-numbers .wrong[open] p")
    assert reply.is_visible() and page.locator("#opening .cf-code:visible").bounding_box()["y"] > 0, "with all of the program"
    options = page.locator("#ask-whose-numbers summary").all()
    assert len({option.bounding_box()["y"] for option in options}) == 1, "they stand where they stood, and the reply is below"
    assert options[0].bounding_box()["y"] < reply.bounding_box()["y"] < 768 - reply.bounding_box()["height"]


def test_who_comes_from_pytorch_puts_a_cure_into_the_program_and_sees_which_memory_y_gets(reader):
    page = reader("from-pytorch.html", reduced_motion="reduce")
    program = page.locator("#do-with-a-cure")
    say, cure, ends, waiting = (program.locator(name) for name in (".cf-say", "[data-of]:visible", ".ch-ends", ".cf-work li:not(.cf-done)"))
    assert program.locator(".cf-count").inner_text().startswith("step 1 ") and ends.inner_text() == ""
    answer, ground = program.locator("#ask-late-copy .wrong > summary").first, "one => getComputedStyle(one).backgroundColor"
    loud = "rgb(255, 210, 77)"
    assert answer.evaluate(ground) == loud and all(program.locator(button).evaluate(ground) != loud for button in (".cf-next", ".ch-run button >> nth=0"))
    answer.click()
    buttons = program.locator(".ch-run button")
    assert buttons.filter(visible=True).all_inner_texts() == ["as it is"], "the page asks for the cures first"
    page.locator("#cures > summary").click()
    assert buttons.filter(visible=True).all_inner_texts() == ["as it is", "record_stream", "wait_stream"]
    assert program.get_by_role("button", name="as it is").get_attribute("aria-pressed") == "true" and say.inner_text().startswith("It prints: [2, ")
    for name, line, number, owners in (("as it is", [], 2, ["arrived", "y"]),
                                       ("record_stream", ["x.record_stream(side)"], 1, ["arrived", "y", "no variable"]),
                                       ("wait_stream", ["torch.cuda.current_stream().wait_stream(side)"], 1, ["arrived", "y"])):
        button = program.get_by_role("button", name=name)
        button.press("Enter")
        assert [text.strip() for text in cure.all_inner_texts() if text.strip()] == line
        assert say.inner_text().startswith(f"It prints: [{number}, ") and f"[{number}, " in ends.inner_text()
        assert program.locator(".mm-narrow .name").all_text_contents() == owners
        assert button.evaluate("button => button === document.activeElement && button.matches('[aria-pressed=true]')")
    while "finds the ones" not in say.inner_text():
        program.locator(".cf-back").click()
    assert "fill of 16 bytes" in waiting.inner_text()
    page.get_by_role("link", name="put it into this program yourself").click()
    assert page.locator(page.url[page.url.index("#"):]).get_by_role("heading").first.is_visible()


def test_without_a_script_who_comes_from_pytorch_has_a_table_for_each_cure(reader):
    page = reader("from-pytorch.html", java_script_enabled=False)
    tables = page.locator(".no-script:has(table)")
    assert tables.filter(visible=True).count() == 1
    page.locator("#cures > summary").click()
    for table, name in zip(tables.all(), ("as it is", "record_stream", "wait_stream"), strict=True):
        table.locator("summary").click()
        assert name in table.locator("summary").inner_text() and "It prints: [" in table.inner_text()
    assert not page.locator(".ch-run button").first.is_visible() and "torch" in page.locator(".cf-code").inner_text()


def test_without_a_script_the_first_page_has_its_questions_and_tables(reader):
    page = reader("index.html", java_script_enabled=False)
    for question in ("whose-block", "whose-numbers"):
        page.locator(f".plays > nav a[href='#{'opening' if question == 'whose-numbers' else 'late-block'}']").click()
        assert page.locator(f"#ask-{question}").is_visible()
        assert page.locator(f".asking:has(#ask-{question}) > pre").is_visible()
    steps = page.locator(".course-follow > details").first
    assert not steps.locator("table").is_visible(), "it has the answers"
    steps.locator("summary").click()
    assert "Memory B is where" in steps.locator("table").inner_text()
    assert page.locator(".onward a").first.is_visible() and page.locator(".told").filter(visible=True).count() == 0
    assert not page.locator(".cf-player").first.is_visible() and not page.locator(".search").is_visible()


def test_without_a_script_a_board_says_so_in_the_place_of_its_task(reader):
    page = reader("index.html", java_script_enabled=False)
    board = page.locator(".course-orders").first
    assert board.get_by_text("needs JavaScript").is_visible() and not board.locator(".task").is_visible()
    assert "orders" in board.locator("details li").first.inner_text()
    page = reader("index.html")
    assert page.locator(".task").first.is_visible() and not page.get_by_text("needs JavaScript").first.is_visible()


def test_the_boards_task_can_be_done_and_says_what_all_its_orders_come_to(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "website"))
    import players
    _, data = players.board()
    steps = [(thread, number) for thread, accesses in enumerate(data["threads"]) for number in range(len(accesses))]

    def caught(order):
        """Which threads read a wrong number."""
        memory, wrong = dict(data["initial"]), set()
        for thread, number in order:
            access = data["threads"][thread][number]
            if access["kind"] == "write":
                memory[access["name"]] = access["value"]
            elif memory.get(access["name"]) != access["value"]:
                wrong.add(thread)
        return wrong

    in_step = sorted(steps, key=lambda step: step[::-1])
    exchanged = [in_step[:at] + [in_step[at + 1], in_step[at]] + in_step[at + 2:] for at in range(len(in_step) - 1)]
    assert caught(in_step) == set() and [wrong for wrong in map(caught, exchanged) if wrong] == [{0}]
    every = _interleaved([len(accesses) for accesses in data["threads"]])
    assert set().union(*map(caught, every)) == set(players.CAN_BE_CAUGHT) == {0, 2} and "Thread 1" in players.BECAUSE


def _interleaved(left, before=()):
    """Every order of so many accesses of each thread, each thread's own in their order."""
    if not any(left):
        yield before
    for thread, count in enumerate(left):
        if count:
            number = sum(one == thread for one, _ in before)
            yield from _interleaved([*left[:thread], count - 1, *left[thread + 1:]], (*before, (thread, number)))


def test_on_a_phone_a_board_shows_a_move_and_what_comes_of_it_in_one_view_with_all_accesses(reader):
    page = reader("index.html")
    page.set_viewport_size(PHONE)
    board = page.locator("#orders")
    board.locator(".co-barrier").click()
    tile = board.locator(".co-tile", has_text="reads s[2]")
    tile.press("ArrowUp")
    board.locator(".co-head").first.evaluate("head => scrollTo(0, head.getBoundingClientRect().top + scrollY - 60)")
    boxes = [found.bounding_box() for found in (*board.locator(".co-tile").all(), board.locator(".co-say.co-wrong"), board.locator(".co-moves"))]
    *tiles, verdict, arrows = sorted(boxes, key=lambda box: box["y"])
    assert tile.bounding_box() in tiles and len(tiles) == 12 and page.locator(".menu").bounding_box()["height"] <= tiles[0]["y"]
    assert tiles[-1]["y"] + tiles[-1]["height"] <= verdict["y"] < arrows["y"] and arrows["y"] + arrows["height"] <= PHONE["height"]


def test_exercises_and_what_is_for_who_knows_pytorch_stand_in_the_header_on_a_phone_as_well(reader):
    page = reader("index.html")
    ends = [part.bounding_box() for part in page.locator(".menu > :is(a, details)").all() if part.is_visible()]
    assert len({round(box["y"] + box["height"] / 2) for box in ends}) == 1 and [box["x"] + box["width"] <= after["x"] for box, after in zip(ends, ends[1:])] == [True] * 5
    assert ends[-1]["x"] + ends[-1]["width"] <= PHONE["width"] and page.get_by_role("link", name="Whose pointer is this?", exact=True).is_visible()
    page.locator(".menu").get_by_role("link", name="From PyTorch").click()
    assert page.url.endswith("from-pytorch.html")


def test_a_board_marks_the_number_that_is_wrong_and_not_the_last_one_written(reader):
    board = reader("index.html").locator("#orders")
    board.locator(".co-barrier").click()
    board.locator(".co-tile", has_text="reads s[2]").press("ArrowUp")
    assert [cell.split() for cell in board.locator(".co-memory .co-wrong").all_inner_texts()] == [["x[0]", "?", "✗", "should", "be", "30"]]
    assert board.locator(".co-fresh").count() == 0
    board.locator("input[type=range]").press("ArrowLeft")
    assert board.locator(".co-fresh").count() == 1


@pytest.mark.parametrize("name, clicked, shown", [("16_who_comes_first.html", "#ask-order-ship .wrong > summary", ".seen-order-ship > .output"),
                                                  ("05_mapped_memory.html", ".explorer fieldset >> nth=-1 >> label >> nth=-1", ".explorer .state:visible"),
                                                  ("questions.html", ".cf-next >> nth=0", ".cf-map >> nth=0")])
def test_what_a_click_shows_comes_into_view_with_what_was_clicked(name, clicked, shown, reader):
    page = reader(name)
    page.set_viewport_size({"width": 1366, "height": 768})
    button = page.locator(clicked).first
    button.evaluate("button => scrollTo(0, scrollY + button.getBoundingClientRect().bottom - innerHeight + 10)")
    button.click()
    for part in (button, page.locator(shown).first):
        box = part.bounding_box()
        assert 0 <= box["y"] and round(box["y"] + box["height"]) <= 768, "a page scrolls by whole pixels"


def test_a_board_says_when_all_are_caught_that_can_be_and_leads_to_why_the_others_cannot(reader):
    board = reader("index.html").locator("#orders")
    tasks = [board.locator(".task p:visible").all_inner_texts()]
    board.locator(".co-barrier").click()
    for words, moves in (("reads s[2]", 1), ("writes s[2]", 3), ("reads s[0]", 4)):
        board.locator(".co-tile", has_text=words).focus()
        tasks.append(board.locator(".task p:visible").all_inner_texts())
        for _ in range(moves):
            board.get_by_role("button", name="Move the chosen access earlier").click()
    assert [task[:-1] for task in tasks] == [[]] * 4 and len({task for task, in tasks}) == 3, "one after the other"
    [done] = board.locator(".task p:visible").all()
    assert done.inner_text().startswith("You have caught all that can be caught.") and done.get_by_role("link").last.get_attribute("href") == "16_who_comes_first.html"
    done.get_by_role("link").first.click()
    assert board.get_by_text("Thread 1 reads the number that it has written itself").is_visible()


# What of a picture's words leaves its rectangle, or comes to lie on other words. Of a program it is looked at what any of its steps draws.
OUTSIDE = """() => {
    const outside = [], svg = document.body.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    svg.setAttribute("class", "mm");
    function look(group) {
        const words = [...group.querySelectorAll(":scope > text")].map(text => [text.textContent, text.getBBox()]).filter(([, box]) => box.width);
        const frames = [...group.querySelectorAll(":scope > rect")].map(rect => rect.getBBox());
        for (const [word, {x, y, width, height}] of words) {
            const middle = y + height / 2, around = frames.filter(frame => frame.y <= middle && middle <= frame.y + frame.height
                && frame.x <= x + width / 2 && x + width / 2 <= frame.x + frame.width);
            if (around.length && !around.some(frame => frame.x + 2 < x && x + width + 2 < frame.x + frame.width)) outside.push(word);
            for (const [other, box] of words)
                if (other !== word && Math.abs(box.y - y) < 6 && x < box.x && box.x < x + width) outside.push(`${word}, and on it ${other}`);
        }
        return words.length;
    }
    // All are drawn before the first is measured: the page is laid out once.
    for (const {dataset} of document.querySelectorAll("[data-steps], [data-choices]"))
        for (const markup of JSON.parse(dataset.steps || dataset.choices).markups)
            svg.appendChild(document.createElementNS(svg.namespaceURI, "g")).innerHTML = markup;
    let seen = 0;
    for (const group of svg.children) seen += look(group);
    for (const group of document.querySelectorAll("main svg, main svg g")) if (group.getBoundingClientRect().width) seen += look(group);
    svg.remove();
    for (const box of document.querySelectorAll(".co-tile, main button, main summary, .cf-work li, .co-memory li"))
        if (box.scrollWidth > box.clientWidth + 1 && box.clientWidth) outside.push(box.textContent);
    return [seen, outside];
}"""


def test_in_no_picture_a_word_leaves_its_box_wide_or_on_a_phone(site, soups, browser):
    page, seen = browser.new_page(reduced_motion="reduce"), 0
    for name in soups:
        page.goto((site / name).as_uri())
        page.evaluate("for (const fold of document.querySelectorAll('main details:not([name])')) fold.open = true")
        for width in (390, 1366):
            page.set_viewport_size({"width": width, "height": 844})
            words, outside = page.evaluate(OUTSIDE)
            assert outside == [], f"{name}, {width} pixels"
            seen += words
    assert seen > 1000


def test_a_link_to_a_board_shows_its_heading_and_all_of_it_on_a_laptop(site, browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto((site / "index.html").as_uri() + "#orders")
    menu, heading, task, board = (page.locator(name).first.bounding_box() for name in (".menu", ".board", "#orders > .task", "#orders > .co-board"))
    assert menu["y"] + menu["height"] <= heading["y"] < task["y"] < task["y"] + task["height"] <= board["y"]
    assert board["y"] + board["height"] <= 768
    page.goto((site / "16_who_comes_first.html").as_uri())
    read_on(page)
    orders, ground = page.locator(".course-orders"), "one => getComputedStyle(one).backgroundColor"
    read = orders.locator(".co-tile", has_text="reads s[1]").first
    read.focus()
    assert orders.bounding_box()["height"] <= 768 - menu["height"]
    above, moves = orders.locator(".co-wait").first.bounding_box()["y"], orders.locator(".co-moves").bounding_box()
    assert above < read.bounding_box()["y"]
    for _ in range(3):
        read.press("ArrowUp")
    assert "impossible" in orders.locator(".co-say").inner_text() and orders.locator(".co-moves").bounding_box() == moves, "nothing jumps"
    assert orders.locator(".co-barrier").evaluate(ground) != orders.locator(".co-moves button").first.evaluate(ground), "here it is to stay in"
    page.goto((site / "from-pytorch.html").as_uri())
    answer = page.locator("#ask-late-copy summary").last.bounding_box()
    assert answer["y"] + answer["height"] <= 768


def test_an_explorer_needs_no_script(reader):
    page = reader("06_the_way_back.html", java_script_enabled=False)
    page.get_by_role("radio", name="on_device", exact=True).check()
    shown = page.locator(".explorer .state").filter(visible=True)
    assert shown.count() == 1 and "DEVICE_MEMORY" in shown.inner_text()
    page = reader("05_mapped_memory.html", java_script_enabled=False)
    shown = page.locator(".explorer .state").filter(visible=True)
    letters = page.evaluate("""(svg => parseFloat(getComputedStyle(svg).fontSize) * svg.getScreenCTM().a)(
                            [...document.querySelectorAll('.explorer svg')].find(svg => svg.getBoundingClientRect().width))""")
    assert letters >= 9, "pixels, of the picture's letters on a phone"
    assert shown.count() == 1 and "read once, coalesced" in shown.inner_text()
    page.locator("#times-0").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_role("radio", name="random").check()
    assert shown.count() == 1 and "read 8 times, random" in shown.inner_text()


def test_the_search_finds_no_lines_that_only_lead_on(site):
    index = json.loads((site / "search-index.js").read_text().removeprefix("courseSearch(").removesuffix(");\n"))
    texts = [text for _, _, _, text, *_ in index]
    assert len(texts) > 200 and [text for text in texts if re.search(r"(?:Previous|Next): \d\d ", text)] == []
    places = {"index.html#late-block", "19_memory_in_stream_order.html#do-second-stream", "from-pytorch.html"}
    programs = [text for address, heading, _, text, *_ in index if address in places and heading != "Fine print"]
    assert len(programs) == 3 and all("non_blocking=True" in text and not re.search(r"record_stream\(|twos, in 60|step \d", text) for text in programs), "no answers"


def test_other_words_are_those_for_a_page():
    synonyms = tomllib.loads((ROOT / "tools" / "website" / "synonyms.toml").read_text())
    assert synonyms and [source for source in synonyms if not (ROOT / source.partition("#")[0]).is_file()] == []
    headings = [source.partition("#")[::2] for source in synonyms if "#" in source]
    ends = r'(?:\n|\\n|")'        # of a document's line, and of a notebook's
    assert headings and [pair for pair in headings if not re.search(rf"## {re.escape(pair[1])}{ends}", (ROOT / pair[0]).read_text())] == []


def test_a_search_leads_to_the_place(reader):
    page = reader("index.html")
    page.locator(".search summary").click()
    field = page.get_by_label("Search the course")
    field.fill("granularity reserve")
    first = page.locator(".search li a").first
    first.wait_for()
    assert page.locator(".search [role=status]").inner_text().endswith("places")
    field.fill("xylophone")
    assert page.locator(".search [role=status]").inner_text().startswith("No place has it.") and page.locator(".search li").count() == 0
    field.fill("granularity xylophone reserve")
    status = page.locator(".search [role=status]").inner_text()
    assert status.startswith("No place has all of it.") and status.endswith("places without xylophone") and first.is_visible()
    field.fill("cudaErrorIllegalAddress")
    assert "illegal_address" in page.locator(".search li p").first.inner_text().lower()
    for words, title in (("zero copy", "05"), ("page-locked", "02"), ("UVA", "07"), ("HMM", "13"), ("unified memory", "13"),
                         ("double free", "invalid argument"), ("can I free", "01"), ("use after free", "01"), ("segfault", "00"), ("out of bounds", "illegal memory access"),
                         ("pin_memory", "02"), ("non_blocking", "02"), ("copy is slow", "04"), ("PyTorch", "From PyTorch"), ("deadlock", "19"),
                         ("pinned memory", "02"), ("managed memory", "13"), ("pin_memory=True", "02"), ("memory leak", "What the counts say"), ("bank conflicts", "Who shares a bank?"),
                         ("shared_ptr", "01"), ("RAII", "01"), ("DataLoader", "02"), ("out of memory fragmentation", "Six blocks"), ("thrust", "18"),
                         ("install", "Where the course runs"), ("wrong results no error", "02"), ("why is cudaFree slow", "Which calls wait"), ("CUDA graphs", "What the course leaves out"), ("pytest", "Test your own program"), ("race condition", "16")):
        field.fill(words)
        assert title in first.inner_text(), words
    for wrong, title in (("pined memory", "02"), ("mannaged", "13"), ("resreve", "09"), ("cudaHostGetDevicePointre", "Does cudaHostGetDevicePointer")):
        field.fill(wrong)
        assert title in page.locator(".search ol").inner_text() and " with " in page.locator(".search [role=status]").inner_text()
    for words, title in (("illegal memory access", "an illegal memory access was encountered"), ("physical memory", "in 00 "), ("invalid argument", "invalid argument, "),
                         ("out of memory", "out of memory, in Error"), ("teacher's guide", "Teacher's guide")):
        field.fill(words)
        assert title in first.inner_text(), words
    field.fill("non_blocking")
    assert {"Harder, from PyTorch, in Whose pointer is this?", "Do it here: one more line for a deleted tensor, in 19 · Memory in stream order"} <= set(page.locator(".search li a").all_inner_texts())
    assert {words.lower() for words in page.locator(".search mark").all_inner_texts()} == {"non_blocking"}
    field.fill("dangling pointer")
    assert first.inner_text() == "Whose pointer is this?"
    assert page.locator(".search li p").first.inner_text().startswith("Found as dangling pointer. "), "the section's own words have no such"
    field.fill("cudaMemcpyAsync pageable")
    assert first.is_visible() and not re.search("Found as|Also called", page.locator(".search ol").inner_text())
    field.fill("CUDA out of memory")
    excerpts = page.locator(".search li p").all_inner_texts()
    assert all(re.search(r"(?i)\bout\b", words) and "memory" in words.lower() for words in excerpts[:3]), "a sentence that has all of it"
    assert not re.search(r"\u2713|So it is|Explain", " ".join(excerpts))
    field.fill("caching allocator")
    few = [bool(re.search("Fine print|Teacher's guide", title)) for title in page.locator(".search li a").all_inner_texts()]
    assert set(few) == {False, True} and few == sorted(few), "what is for few readers comes last"
    field.fill("pinn")
    assert " with " not in page.locator(".search [role=status]").inner_text(), "it is the beginning of a word"
    field.fill("dma-buf")
    first.click()
    page.wait_for_url(re.compile("#."))
    assert "dma-buf" in page.locator("main").inner_text()


def test_in_the_search_enter_opens_the_first_place_and_the_arrows_go_through_them(reader):
    page = reader("index.html")
    page.keyboard.press("/")
    page.keyboard.type("pinned memory")        # at once, and no letter is lost
    field, places = page.get_by_label("Search the course"), page.locator(".search li a")
    assert field.input_value() == "pinned memory"
    places.first.wait_for()
    for key, there in (("ArrowDown", places.nth(0)), ("ArrowDown", places.nth(1)), ("ArrowUp", places.nth(0)), ("ArrowUp", field)):
        page.keyboard.press(key)
        assert there.evaluate("one => one === document.activeElement")
    address = places.first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{address}")


def test_on_a_phone_every_page_fits_and_is_legible_in_light_and_dark(site, soups, browser):
    pictures, asked, complaints = ROOT / ".build" / "screenshots" / "site", [], []
    page = browser.new_page(viewport=PHONE, reduced_motion="reduce")      # an opened answer goes on a step
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    for name in soups:
        page.goto((site / name).as_uri())
        read_on(page)
        for scheme in PAPER:
            page.emulate_media(color_scheme=scheme)
            if name in PICTURES:
                page.screenshot(path=pictures / f"{Path(name).stem}-{scheme}.png", full_page=True)
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER[scheme], name
            texts = [measured(text) for text in collected(page, "body")]
            assert len(texts) > 20 and [text for text in texts if text.ratio < ENOUGH] == [], name
        assert axe.complaints(page) == [], name     # no rule that is asked depends on colours
        # What was folded is open by now.
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
        assert page.evaluate("""[...document.querySelectorAll('main > .wide')].filter(one => one.scrollWidth > one.clientWidth + 2)
                                .map(one => one.innerText)""") == [], name
        # Letters of 13 pixels, drawn; not of plots, which are drawn larger
        assert page.evaluate("""[...document.querySelectorAll('.picture > img[src$=".svg"]')].filter(one => one.checkVisibility())
                                .filter(one => 13 * one.getBoundingClientRect().width / one.naturalWidth < 9).map(one => one.src)""") == [], name
    assert complaints == []
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width", [1280, 1366])
def test_on_a_wide_screen_the_sections_stand_beside_the_text_and_not_on_it(site, width, browser):
    page = browser.new_page(viewport={"width": width, "height": 768})
    page.goto((site / "00_two_views_of_one_memory.html").as_uri())
    sections, text = (page.evaluate(f"(one => one && one.getBoundingClientRect().toJSON())(document.querySelector('{selector}'))")
                      for selector in (".contents", "main"))
    assert 0 < sections["left"] < sections["right"] <= text["left"] and text["right"] <= width
    assert page.locator(".contents a").all_inner_texts() == page.locator("main h2").all_text_contents()
    parts = [part.bounding_box() for part in page.locator(".menu > :is(a, details)").all() if part.is_visible()]
    assert len({round(part["y"] + part["height"] / 2) for part in parts}) == 1 and parts[-1]["x"] + parts[-1]["width"] <= width
    page.locator(".menu").get_by_role("link", name="Run it yourself").click()
    page.wait_for_function("() => document.querySelector('#start')?.getBoundingClientRect().top < 100")      # at the top, although it is the last one
