"""The site: what a reader meets who has a phone, or no network, or does not see the pictures."""
import re
import runpy
import sys
from pathlib import Path
from urllib.parse import urlsplit

from courseware.course import LESSONS, SHORT_ROAD
from courseware.exercises.kinds import STARTER
from courseware.notebook.display import paragraphs

import pytest
from bs4 import BeautifulSoup

from tests.browser import axe
from tests.browser.conftest import started
from tests.browser.contrast import ENOUGH, collected, measured

from ..test_house import modules, room
from .test_bootstrap import ROOT, bootstrap, commands, project, replaced  # noqa: F401

NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").rglob("*.ipynb"))
PHONE = {"width": 390, "height": 844}
PICTURES = ["index.html", "00_two_views_of_one_memory.html", "04_bandwidth.html"]      # kept for CI
RIGHT = "✓ So it is."
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a site as `make site` makes it."""
    folder = tmp_path_factory.mktemp("site")
    website = str(ROOT / "tools" / "website")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(website)
        runpy.run_path(website, run_name="website")["build"](folder)
        for name in ("colours", "front", "pages", "prose", "questions", "render"):
            sys.modules.pop(name, None)
    return folder


@pytest.fixture(scope="module")
def soups(site):
    """{name: the parsed page}."""
    return {path.name: BeautifulSoup(path.read_text(), "html.parser") for path in sorted(site.glob("*.html"))}


def test_every_notebook_is_a_page_and_can_be_downloaded(site, soups):
    assert [name for name in NOTEBOOKS if f"{name}.html" not in soups or not (site / f"{name}.ipynb").exists()] == []


def test_every_document_of_the_course_is_a_page(soups):
    documents = [path.stem for folder in ("docs", "packages/cuda-simulator/docs") for path in (ROOT / folder).glob("*.md")]
    assert documents and [name for name in [*documents, "index"] if f"{name}.html" not in soups] == []


def test_the_index_leads_to_every_page(soups):
    linked = {link["href"].partition("#")[0] for link in soups["index.html"].find_all("a", href=True)}
    assert set(soups) <= linked


def test_the_first_page_has_a_card_for_each_lesson_with_its_question_and_picture(site, soups):
    index = soups["index.html"]
    cards = index.select(".cards > li")
    assert [card.a["href"].removesuffix(".html") for card in cards] == [Path(lesson.notebook).stem for lesson in LESSONS]
    for lesson, card in zip(LESSONS, cards):
        told = re.sub(r'\\n",\s+"', " ", (ROOT / "notebooks" / lesson.notebook).read_text())      # lines of a cell, joined
        asked = card.select("p")[1].get_text()
        assert asked.endswith("?") or lesson.topic == "inverse", asked
        assert asked[-12:] in told.replace("`", "") and (site / card.img["src"]).is_file()
        assert ("short road" in card.get_text()) == (lesson.topic in SHORT_ROAD)
        assert ("side trip" in card.get_text()) == (not lesson.number)
    assert index.select_one(".begin a")["href"] == cards[0].a["href"]
    headings = [heading.get_text() for heading in index.select("h2")]
    assert headings == ["Lessons", "Start"] and "make lab" in index.get_text()


def test_a_kernel_in_a_string_has_the_colours_of_cuda(soups):
    kernels = [line for code in soups["13_memory_that_moves.html"].select(".highlight") if "void reply()" in code.get_text()
               for line in code.select("span") if line.get_text() in ("void", "while", "__global__")]
    assert {one.get_text() for one in kernels} == {"void", "while", "__global__"}
    assert all(set(one["class"]) & {"k", "kt", "kr"} for one in kernels)
    assert any(span.get_text() == '"views-same-number"' and span["class"][0].startswith("s")
               for span in soups["00_two_views_of_one_memory.html"].select(".highlight span"))


def test_no_link_is_dead(site, soups):
    dead = []
    for name, soup in soups.items():
        for link in soup.find_all("a", href=True):
            target, _, place = link["href"].partition("#")
            if "://" in target:
                continue
            there = soups.get(target or name)
            if not (site / (target or name)).is_file() or (place and not (there and there.find(id=place))):
                dead.append((name, link["href"]))
    assert dead == []


def test_links_between_lessons_lead_to_pages(soups):
    notebooks = [(name, link["href"]) for name, soup in soups.items()
                 for link in soup.find_all("a", href=re.compile(r"\.(ipynb|md)$")) if not link.has_attr("download")]
    assert notebooks == []


def test_the_lessons_can_be_read_in_order(soups):
    name, read = f"{NOTEBOOKS[0]}.html", []
    while name:
        read.append(name.removesuffix(".html"))
        after = soups[name].find("a", rel="next")
        name = after and after["href"]
    assert read == NOTEBOOKS


def test_nothing_is_loaded_from_another_host(site, soups):
    loaded = [element.get("src") or element.get("href") for soup in soups.values()
              for element in soup.find_all(["img", "link", "script", "iframe", "source", "object", "embed"])]
    assert loaded and [address for address in loaded if urlsplit(address or "").netloc] == []
    assert not re.search(r"@import|url\(", (site / "style.css").read_text())


def test_no_page_has_a_script(soups):
    assert [name for name, soup in soups.items() if soup.find("script")] == []


def test_every_picture_says_what_it_shows(soups):
    silent = [(name, str(picture)[-80:]) for name, soup in soups.items() for picture in soup.select("img:not(.cards img)")
              if len(picture.get("alt", "")) < 20 or "No description" in picture["alt"]]
    maps = [svg for soup in soups.values() for svg in soup.find_all("svg")]
    assert silent == []
    assert len(maps) >= 8 and all(svg.get("aria-label") or svg.get("aria-labelledby") for svg in maps)


def test_every_page_has_one_title_and_no_name_twice(soups):
    for name, soup in soups.items():
        assert len(soup.find_all("h1")) == 1, name
        ids = [element["id"] for element in soup.find_all(id=True)]
        assert len(ids) == len(set(ids)), name


def test_every_output_that_answers_a_prediction_is_folded(soups):
    for name in NOTEBOOKS:
        soup = soups[f"{name}.html"]
        open_answers = [text for text in soup.find_all(string=re.compile("Observed:")) if not text.find_parent("details")]
        assert open_answers == [], name
        assert all(not fold.has_attr("open") for fold in soup.select("main > .cell > details"))


def test_every_map_has_the_facts_of_its_rows_as_cards_for_a_phone(soups):
    maps = [found for soup in soups.values() for found in soup.select("div[class^=map-]")]
    assert len(maps) >= 8
    for found in maps:
        assert len(found.select("ul > li")) >= len(found.select("svg .row")) > 0


def test_nobody_is_told_that_they_have_not_predicted(soups):
    # The sentence is cut out of the page; were it changed in the course, it would come back.
    assert '"You have not predicted."' in (ROOT / "courseware" / "predict.py").read_text()
    assert [name for name in NOTEBOOKS if "You have not predicted" in soups[f"{name}.html"].get_text()] == []


def test_nobody_is_told_that_a_starter_is_still_the_starter(soups):
    assert STARTER in (ROOT / "notebooks" / LESSONS[0].notebook).read_text()
    assert [name for name in NOTEBOOKS if STARTER in soups[f"{name}.html"].get_text()] == []


def test_every_prediction_can_be_answered_on_its_page(soups):
    for lesson in LESSONS:
        soup = soups[f"{Path(lesson.notebook).stem}.html"]
        told = {paragraph.get_text() for question in soup.select(".question") for paragraph in question.select("details p")}
        for name, prediction in lesson.read("predictions.toml").items():
            replies = [BeautifulSoup(paragraphs(reply), "html.parser").get_text() for reply in prediction.get("replies", {}).values()]
            assert [reply for reply in replies if not any(reply in one for one in told)] == [], name


def test_every_exercise_has_its_hints_on_its_page(soups):
    for lesson in LESSONS:
        told = [fold.p.get_text() for fold in soups[f"{Path(lesson.notebook).stem}.html"].select(".hint")]
        for name, exercise in lesson.read("exercises.toml").items():
            first = BeautifulSoup(paragraphs(exercise["hints"][0]), "html.parser").p.get_text()
            assert first in told, name


def test_of_the_options_of_a_question_one_is_right(soups):
    for name in NOTEBOOKS:
        for question in soups[f"{name}.html"].select(".question"):
            answers = [fold.p.get_text() for fold in question.select("details")]
            assert len(answers) == 1 or answers.count(RIGHT) == 1, question.get_text()[:200]


def test_the_reference_has_a_page_for_each_room_of_course_lib(site):
    rooms = {name for _, name in [room(module) for module in modules("course_lib")]} - {"__init__", "__main__"}
    assert {path.stem for path in (site / "reference" / "course_lib").glob("*.html")} == rooms
    assert "attach" in (site / "reference" / "cuda_simulator.html").read_text()


def test_what_the_site_does_not_have_is_named_without_a_link(soups):
    named = soups["contributing.html"].select("span.elsewhere")
    assert any("courseware" in span["title"] for span in named)


def test_make_site_renders_it(project, replaced):    # noqa: F811
    bootstrap.main(project, ["site", "folder"])
    (command, _), = replaced
    assert command == [str(project.python), "tools/website", "folder"]


def test_an_answer_shows_what_the_cell_showed_and_whether_it_was_right(site):
    with started() as browser:
        page = browser.new_page(viewport=PHONE)
        page.goto((site / "04_bandwidth.html").as_uri())
        shown = page.locator(".seen-bandwidth-how-much-faster .course-plot")
        assert not shown.is_visible()
        grounds = []
        for answer in ("half as fast", "about a sixth"):
            summary = page.locator("#ask-bandwidth-how-much-faster summary", has_text=answer)
            summary.click()
            grounds.append(summary.evaluate("one => getComputedStyle(one).backgroundColor"))
        assert shown.is_visible() and shown.bounding_box()["width"] <= PHONE["width"]
        assert grounds == ["rgb(168, 69, 10)", "rgb(11, 107, 79)"]


def test_on_a_phone_every_page_fits_and_is_legible_in_light_and_dark(site, soups):
    pictures, asked, complaints = ROOT / ".build" / "screenshots" / "site", [], []
    with started() as browser:
        page = browser.new_page(viewport=PHONE)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        for name in soups:
            page.goto((site / name).as_uri())
            for scheme in PAPER:
                page.emulate_media(color_scheme=scheme)
                if name in PICTURES:
                    page.screenshot(path=pictures / f"{Path(name).stem}-{scheme}.png", full_page=True)
                assert page.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER[scheme], name
                texts = [measured(found) for found in collected(page, "body")]
                assert len(texts) > 20 and [text for text in texts if text.ratio < ENOUGH] == [], name
            assert axe.complaints(page) == [], name     # no rule that is asked depends on colours
            # What was folded is open by now.
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
    assert complaints == []
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width", [1280, 1366])
def test_on_a_wide_screen_the_lessons_stand_beside_the_text_and_not_on_it(site, width):
    with started() as browser:
        page = browser.new_page(viewport={"width": width, "height": 768})
        page.goto((site / "00_two_views_of_one_memory.html").as_uri())
        lessons, text = (page.evaluate(f"(one => one && one.getBoundingClientRect().toJSON())(document.querySelector('{one}'))")
                         for one in (".wide-only", "main"))
        assert lessons["right"] <= text["left"] and text["right"] <= width
