"""Exercises that are done on a page: what is said of a version did happen, and what is right in one order only is not called right."""
import importlib
import re
from collections import Counter

from courseware.course import LESSONS, SHORT_ROAD
from courseware.exercises.judge import judge_all

import pytest
from bs4 import BeautifulSoup

from .test_bootstrap import ROOT

IDS = sorted(name for lesson in LESSONS for name in lesson.read("choices.toml"))
EACH = pytest.mark.parametrize("name", IDS)


@pytest.fixture(scope="module")
def module():
    """tools/website/choices.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        patch.syspath_prepend(str(ROOT / "tools" / "website"))
        yield importlib.import_module("choices")


@pytest.fixture(scope="module")
def by_name(module):
    """{its id: the Choices}; what came of their versions is kept."""
    return {choices.id: choices for choices in module.all_choices()}


def one_piece_away(choices):
    """The versions that are right, and those that are one piece away from one of these."""
    right = [chosen for chosen, version in choices.versions.items() if version.right]
    return [version for chosen, version in choices.versions.items()
            if any(sum(number != other for number, other in zip(chosen, others)) < 2 for others in right)]


def test_each_lesson_of_the_short_road_has_one(by_name):
    assert set(SHORT_ROAD) <= {choices.lesson.topic for choices in by_name.values()}


@EACH
def test_a_version_is_called_right_if_the_exercise_s_own_check_passes_it_and_else_wrong(by_name, name):
    """Each right one, and of each mistake one, in another order than that in which the site has them judged."""
    choices = by_name[name]
    of_each = {str(version.mistake): version for version in one_piece_away(choices) if not version.right}.values() if choices.exercise else ()
    versions = [*of_each, *(version for version in choices.versions.values() if version.right and choices.exercise)]
    answers = [choices.answer(version.source) for version in versions]
    for version, verdict in zip(versions, judge_all(choices.exercise, answers), strict=True) if versions else ():
        assert verdict.solved == version.right, version.source


@EACH
def test_each_place_has_a_right_piece_and_a_wrong_one(by_name, name):
    choices = by_name[name]
    for place in choices.places:
        assert {choices.right_piece(place, number) for number in range(len(choices.places[place]))} == {True, False}, place


@EACH
def test_each_wrong_piece_has_a_reply_of_the_page_s_own_or_the_check_replies_to_all(by_name, name):
    choices = by_name[name]
    wrong = {(place, str(number)) for place in choices.places for number in range(len(choices.places[place]))
             if not choices.right_piece(place, number)}
    replies = {(place, number) for place, numbers in choices.replies.items() for number in numbers}
    of_right_ones = replies - wrong
    assert not wrong - replies and (len(choices.places) == 1 or not of_right_ones) or choices.exercise and not replies


@EACH
def test_a_wrong_version_is_told_what_is_wrong(by_name, name):
    choices = by_name[name]
    for version in one_piece_away(choices):
        *_, reply = version.says.split("\n\n")
        assert reply.strip() and (version.right or not reply.startswith("    "))


def test_what_is_seen_on_the_page_comes_first_and_then_a_sentence_for_each_wrong_piece(by_name):
    version = by_name["to-host"].versions[0, 0, 0]
    seen, *replies = version.says.split("\n\n")
    assert seen.startswith("It prints `found: False") and "A right version prints `found: True` and `nothing behind it: True`." in seen
    assert [words in reply for words, reply in zip(("the device's side", "negative `offset`", "first byte"), replies, strict=True)] == [True] * 3
    assert by_name["staged-copy"].versions[2, 1, 2].says.startswith("It prints `[5 9 4 1 5 9 0 0]`. A right version prints `[3 1 4 1 5 9 0 0]`.")


@pytest.mark.parametrize("name, chosen, by_luck", [("in-place", (2, 2), "[52 10 6 2]"), ("in-place", (1, 0), "[52 10 6 2]"),
                                                   ("second-stream", (3,), "[1, 1, 1, 1]"), ("kernel-made", (0, 2), "15")])
def test_what_is_right_in_one_order_or_on_one_system_only_is_wrong_and_shown_where_it_goes_wrong(by_name, name, chosen, by_luck):
    version = by_name[name].versions[chosen]
    lucky = {way.program.outcome.printed.split() == by_luck.split(): way.right for way in version.ways}
    assert lucky == {True: True, False: False} and not version.right and "right by luck only" in version.says
    shown = by_name[name].first(version)
    assert not version.ways[shown].right


def test_a_right_version_is_told_why_and_shown_in_the_run_in_which_the_others_went_wrong(by_name):
    choices = by_name["second-stream"]
    right = [version for version in choices.versions.values() if version.right]
    assert len(right) == 3 and all(len(version.says.split("\n\n")) == 2 for version in right)
    assert {version.ways[choices.first(version)].streams for version in right} == {"`main` early, `side` late"}


@EACH
def test_each_way_in_which_a_version_was_run_has_a_name_of_its_own_and_says_what_it_printed(by_name, name):
    choices = by_name[name]
    for version in choices.data()["versions"].values():
        named = [(way["system"], way["streams"]) for way in version["ways"]]
        assert len(set(named)) == len(named) == (not choices.kernel if choices.exercise else 2 ** len(choices.streams) * len(choices.systems))
        assert all(way["ended"] == f"prints <code>{choices.prints}</code>" for way in version["ways"] if way["right"] and choices.prints)


def test_a_wrong_line_is_marked_as_the_reply_speaks_of_it(by_name):
    choices = by_name["staged-copy"]
    places = dict(zip(choices.places, next(chosen for chosen, version in choices.versions.items() if version.right)))
    for place, number in (("wait", 2), ("to", 0), ("copied", 1)):
        version = choices.versions[tuple({**places, place: number}.values())]
        assert choices.blamed(version) == place


@EACH
def test_without_a_script_there_are_the_statement_and_the_pieces_and_no_answer(by_name, name):
    choices = by_name[name]
    page = BeautifulSoup(choices.html(), "html.parser")
    shown = " ".join(page.get_text(" ").split())
    pieces = [piece for pieces in choices.places.values() for piece in pieces]
    assert [piece for piece in pieces if "".join(piece.split()) not in "".join(shown.split())] == []
    assert page.select_one(".ch-run button, .languages:not([hidden])").has_attr("hidden") and page.select_one(".ch-ends").get_text() == ""
    assert not page.select("[checked]") and not page.select("option[selected]:not([disabled])")


def test_a_run_is_shown_up_to_what_it_prints_and_what_memory_holds_there(by_name):
    late = by_name["in-place"].versions[2, 2].ways[0]
    shown, last = late.program.steps[late.end], late.program.steps[-1]
    assert shown.printed.split() == "[26 5 3 1]".split() and [numbers for _, numbers in shown.contents.values()] == [["26", "5", "3", "1"]]
    assert [numbers for _, numbers in last.contents.values()] == [["52", "10", "6", "2"]]


@EACH
def test_a_version_s_steps_are_those_of_its_run(by_name, name):
    choices = by_name[name]
    data = choices.data()
    for chosen, version in choices.versions.items():
        for shown, way in zip(data["versions"][",".join(map(str, chosen))]["ways"], version.ways, strict=True):
            steps = [data["steps"][number] for number in shown["steps"]]
            assert [(step["line"], step["say"]) for step in steps] == [(step.line, step.sentence) for step in way.program.steps]


def test_who_comes_from_pytorch_has_the_document_s_program_and_in_it_a_cure_for_each_button(module):
    import opening
    document, inserted = opening.from_pytorch(opening.FROM_PYTORCH)
    listing = opening.late_block()[0].source
    played = BeautifulSoup(*inserted.values(), "html.parser")
    lines = [line.get_text() for line in played.select("li:not([data-of]) > pre > code[data-in=pytorch]")]
    assert [line for line in lines if line.strip()] == ["import torch", *filter(None, listing.splitlines())]
    cures = [line.select_one("[data-in=pytorch]").get_text() for line in played.select("li[data-of]")]
    buttons = [button.get_text() for button in played.select(".ch-run button")]
    listed = re.findall(r"(?m)^\d\. .*", opening.FROM_PYTORCH.partition('<details id="cures">')[2])
    assert [name in cure and f"`{cure}`" in text for name, cure, text in zip(buttons[1:], cures[1:], listed)] == [True] * 2
    assert not played.select("[checked], [aria-pressed=true]") and played.select_one("#ask-late-copy .right") and "**Predict:**" not in document


def test_the_exercise_for_who_comes_from_pytorch_has_the_document_s_lines_and_one_more(module, by_name):
    import opening
    listing = opening.late_block()[0].source
    exercise = by_name["second-stream"]
    for chosen in exercise.versions:
        lines = Counter(filter(str.strip, exercise.source(chosen, in_pytorch=True).splitlines()))
        document = Counter(["import torch", *filter(None, listing.splitlines())])
        assert document <= lines and (lines - document).total() == 1
