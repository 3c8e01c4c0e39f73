"""The exam: eight listings are drawn and kept, the first answer counts, and a wrong line is answered with its experiment."""
import collections
import json
import math
import random
import re
import sys
import types

from courseware import exercises, progress
from courseware.course import LESSONS, SHORT_ROAD, lesson
from courseware.exercises import exam_marking
from courseware.exercises.catalogue import EXERCISES
from courseware.exercises.exam_sitting import BEHIND, NEEDED, SHORT_SIZE, SIZE, draw, draw_short, new_sitting, sitting, sittings
from courseware.exercises.listing import LISTINGS
from courseware.notebook.display import paragraphs
from courseware.notebook.progress_file import record
from courseware.predictions.catalogue import PREDICTIONS
from courseware.sandbox import Outcome

import ipywidgets as widgets
import pytest

TODAY = r"20\d\d-\d\d-\d\d \d\d:\d\d[+-]\d\d:\d\d"


def letters(listing, wrong=()):
    """The letters of the right options; of wrong ones for the lines named."""
    chosen = (next(iter(line.wrong)) if place in wrong else line.right for place, line in enumerate(listing.lines, 1))
    return " ".join("abcd"[line.options.index(option)] for line, option in zip(listing.lines, chosen))


def answers(current, wrong=()):
    """A text that hands in all eight listings; those numbered in `wrong` have their first line wrong."""
    return ", ".join(f"{number} {letters(listing, [1] if number in wrong else [])}"
                     for number, listing in enumerate(current.listings, 1))


@pytest.fixture
def quick(monkeypatch):
    """No process is started: a listing prints what the table says. `prints` has others, by the listing's source."""
    prints = {}

    def run(source, timeout):
        listing, = [known for known in LISTINGS.values() if known.source == source]
        return Outcome(printed=prints.get(source, "\n".join(listing.expected)))
    monkeypatch.setattr(exam_marking, "sandbox", types.SimpleNamespace(run=run))
    return prints


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    """A record in a file."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "course-progress.json"))
    record.cache_clear()
    return tmp_path / "course-progress.json"


ASKED_ABOUT = {listing.part for listing in LISTINGS.values() if listing.lesson not in BEHIND}

# The draw -------------------------------------------------------------------------------------------------------------

def test_the_exam_asks_about_the_parts_before_it():
    assert ASKED_ABOUT == {"views", "addresses", "pinned", "mapped", "kernel-heap", "reservations", "why"}
    assert BEHIND == {"managed", "processes", "inside", "stream-order"}


def test_eight_are_drawn_each_lesson_that_is_needed_has_one_and_no_two_are_of_one_idea():
    for drawn in (draw(random.Random(seed), behind=behind) for seed in range(100) for behind in ((), BEHIND)):
        assert len(drawn) == SIZE == len({listing.idea for listing in drawn})
        assert {*NEEDED} == {"mapped", "way-back", "before-unified", "why"} <= {listing.lesson for listing in drawn}
        others = [listing.part for listing in drawn if listing.lesson not in NEEDED]
        assert len(set(others)) == len(others) == SIZE - len(NEEDED)
        order = [lesson.topic for lesson in LESSONS]
        assert [listing.lesson for listing in drawn] == sorted((listing.lesson for listing in drawn), key=order.index)


def test_the_short_road_has_a_draw_of_its_own_with_a_listing_of_each_lesson(on_disk, printed):
    for drawn in (draw_short(random.Random(seed)) for seed in range(20)):
        assert [listing.lesson for listing in drawn] == [*SHORT_ROAD] and len(drawn) == SHORT_SIZE
    exercises.exam(short=True)
    assert "five new listings" in printed() and sitting(short=True).is_short and not sitting().is_short
    assert sitting(short=True).enough == SHORT_SIZE - 1


SIDE_TRIPS = {listing.after for listing in LISTINGS.values() if listing.after}    # predictions of theirs


def ever_drawn(answered):
    return {listing.id for seed in range(300) for listing in draw(random.Random(seed), behind=BEHIND, answered=answered)}


def test_every_listing_is_drawn_some_time_for_who_did_the_side_trips():
    assert ever_drawn(SIDE_TRIPS) == set(LISTINGS)


def test_who_kept_to_the_road_is_asked_about_nothing_else():
    road = {listing.id for listing in LISTINGS.values() if not listing.after}
    assert ever_drawn({"views-two-numbers"}) == road != set(LISTINGS)


@pytest.mark.parametrize("done", sorted(SIDE_TRIPS))
def test_one_side_trip_opens_its_own_listings(done):
    assert ever_drawn({done}) == {listing.id for listing in LISTINGS.values() if listing.after in ("", done)}


def test_the_record_says_which_side_trips_were_done(on_disk):
    def drawn():
        record().update("exam", "sitting 1", drawn=" ".join(id_ for id_ in LISTINGS if id_ not in about))
        return {listing.id for listing in new_sitting().listings}
    about = {listing.id for listing in LISTINGS.values() if listing.after == "heap-limits-leak"}
    assert not drawn() & about      # although all others were drawn before
    record().update("predictions", "heap-limits-leak", answer="an error", after=False)
    assert drawn() & about


ABOUT = sorted({name for listing in LISTINGS.values() if not listing.after and listing.lesson not in BEHIND for name in listing.about})


@pytest.mark.parametrize("name", ABOUT)
def test_who_missed_a_prediction_is_asked_about_it_in_the_exam(on_disk, name):
    record().update("predictions", name, answer="something", right=False)
    assert any(name in listing.about for listing in new_sitting().listings)


def test_what_was_missed_is_always_asked_about_and_without_that_now_and_then():
    listing = LISTINGS["three-copies-wait"]
    draws = [draw(random.Random(seed), missed=missed) for missed in ((), listing.about) for seed in range(60)]
    asked = [any({*another.about} & {*listing.about} for another in drawn) for drawn in draws]
    assert 0 < sum(asked[:60]) < sum(asked[60:]) == 60


def test_a_listing_is_about_predictions_that_there_are():
    assert {name for listing in LISTINGS.values() for name in listing.about} <= PREDICTIONS.keys() and len(ABOUT) > 20


def test_of_two_lessons_behind_the_exam_one_is_asked_about():
    for drawn in (draw(random.Random(seed), behind=BEHIND) for seed in range(100)):
        assert len(drawn) == SIZE and len({listing.part for listing in drawn} - ASKED_ABOUT) == 1


@pytest.mark.parametrize("lesson", sorted(BEHIND))
def test_a_lesson_behind_the_exam_is_asked_about_once_all_its_exercises_are_solved(on_disk, lesson):
    mine = [listing.id for listing in EXERCISES.values() if listing.lesson == lesson]
    for number, solved in enumerate([*mine, None]):
        drawn = {listing.lesson for listing in new_sitting().listings}
        assert drawn & BEHIND == ({lesson} if number == len(mine) else set())
        if solved:
            record().update("exercises", solved, tries=1, solved=True)


def test_another_draw_takes_what_was_not_drawn_before():
    first = [listing.id for listing in draw(random.Random(1))]
    assert not set(first) & {listing.id for listing in draw(random.Random(2), before=first)}


def test_there_are_listings_of_one_idea_to_be_kept_apart():
    assert max(collections.Counter(listing.idea for listing in LISTINGS.values()).values()) > 1


def test_the_draw_is_kept_so_that_the_exam_stays_the_same(on_disk, printed):
    exercises.exam()
    first = printed()
    record.cache_clear()        # another day
    exercises.exam()
    assert printed() == first and json.loads(on_disk.read_text())["exam"]["sitting 1"]["drawn"].count(" ") == SIZE - 1


def test_without_a_record_on_disk_the_draw_is_always_the_same():
    first = sitting().listings
    record.cache_clear()
    assert sitting().listings == first


def test_with_one_it_differs_from_learner_to_learner(on_disk):
    drawn = set()
    for _ in range(5):
        on_disk.unlink(missing_ok=True)
        drawn.add(new_sitting().listings)
    assert len(drawn) > 1


# Handing in -----------------------------------------------------------------------------------------------------------

def test_a_listing_is_really_run_and_a_wrong_line_is_answered_with_the_experiment(printed):
    current = sitting()
    exercises.exam(f"1 {letters(current.listings[0], wrong=[2])}")
    text, line = printed(), current.listings[0].lines[1]
    option, see = next(iter(line.wrong.items()))
    notebook = lesson(see.topic).number or lesson(see.topic).title
    assert f"Line 2 printed `{line.right}`, and not `{option}`. {see.why} See [{notebook}, {see.section}](" in text
    assert "Listing 1: not right." in text and "Line 1 printed" not in text
    assert "So far: 0 of 8 listings right on the first try, 7 still open." in text


def test_a_listing_that_ends_its_process_is_run_too(printed, monkeypatch):
    record().update("exam", "sitting 1", drawn="one-address-each")
    exercises.exam(f"1 {letters(LISTINGS['one-address-each'])}")
    assert re.search(r"nothing: it ends with SIGSEGV +nothing: it ends with SIGSEGV", printed())


def test_all_right_is_passed(quick, printed):
    exercises.exam(answers(sitting()))
    text = printed()
    assert "8 of 8 listings right on the first try: passed." in text and "<- wrong" not in text


@pytest.mark.parametrize("lessons, ends", [
    (["views"], "7 of 8 listings right on the first try: passed."),
    (["views", "addresses"], "6 of 8 listings right on the first try: not passed, 7 are needed."),
    (["way-back"], "7 of 8 listings right on the first try: not passed, because lesson 06 must be right."),
    (["mapped", "why"], "6 of 8 listings right on the first try: not passed, because lesson 05 and lesson 11 must be right.")])
def test_one_may_be_wrong_unless_its_lesson_is_needed(quick, printed, lessons, ends):
    record().update("exam", "sitting 1", drawn="tail-of-an-array slice-or-copy transposed back-by-the-byte two-books "
                                               "three-blocks mapped-again managed-inside")
    exercises.exam(answers(sitting(), [place for place, each in enumerate(sitting().listings, 1) if each.lesson in lessons]))
    assert ends in printed() and sitting().passed == (lessons == ["views"])


def test_who_has_skipped_a_lesson_that_is_needed_passes_by_luck_less_than_once_in_fifty():
    for drawn in (make(random.Random(seed)) for seed in range(50) for make in (draw, draw_short)):
        for skipped in NEEDED:      # all of its lines are guessed
            assert math.prod(len(line.options) for each in drawn if each.lesson == skipped for line in each.lines) > 50


def test_the_first_answer_counts_and_a_second_is_shown_as_such(quick, printed):
    current = sitting()
    exercises.exam(answers(current, wrong=[1, 2]))
    printed()
    exercises.exam(f"1 {letters(current.listings[0])}")
    text = printed()
    assert "Listing 1, try 2: right now. The first try counts." in text and "6 of 8 listings right on the first try" in text
    first_answer = current.first_answer(current.listings[0])
    assert (first_answer.right, first_answer.tries) == (False, 2) and first_answer.answer != first_answer.printed


def test_what_was_right_stays_right_after_a_wrong_second_try(quick, printed):
    current = sitting()
    exercises.exam(f"1 {letters(current.listings[0])}")
    exercises.exam(f"1 {letters(current.listings[0], wrong=[1])}")
    assert "Listing 1, try 2: not right now." in printed() and current.right == 1


def test_the_right_option_is_the_one_that_was_printed(quick, printed):
    current = sitting()
    line = current.listings[0].lines[0]
    other = next(iter(line.wrong))
    quick[current.listings[0].source] = "\n".join([other, *current.listings[0].expected[1:]])      # another driver
    exercises.exam(f"1 {letters(current.listings[0], wrong=[1])}")
    assert "Listing 1: right." in printed() and current.right == 1


def test_a_driver_that_prints_none_of_the_options_is_said_and_the_record_decides(quick, printed):
    current = sitting()
    quick[current.listings[0].source] = "\n".join(["something new", *current.listings[0].expected[1:]])
    exercises.exam(f"1 {letters(current.listings[0])}")
    text = printed()
    assert "printed something that is not among the options: `something new`" in text and "Listing 1: right." in text


def test_a_machine_without_a_driver_for_the_sandbox_says_so(monkeypatch, printed):
    def run(source, timeout):
        raise RuntimeError("no device")
    monkeypatch.setattr(exam_marking, "sandbox", types.SimpleNamespace(run=run))
    exercises.exam(f"1 {letters(sitting().listings[0])}")
    assert "The listing could not be run: no device. It is marked by what is recorded." in printed()


@pytest.mark.parametrize("text, says", [
    ("", "Write a listing's number"), ("hello", "`hello` cannot be read"), ("a b c", "`a` cannot be read"),
    ("1 ?", "`?` cannot be read"), ("1 ä b c", "`ä` cannot be read"), ("9 a", "There is no listing 9: they are numbered from 1 to 8"),
    (0, "There is no listing 0"), ("1", "needs as many letters, one for each, in order; you gave 0: no letter"),
    ("1 a", "has 3 marked lines and needs as many letters, one for each, in order; you gave 1: a"),
    ("1 a a a a", "you gave 4: a a a a"), ("1 a a z", "Line 3 of listing 1 has no option z: its options are a to c"),
    ("1 a a a, 1 b b b", "Listing 1 is there twice"), ("1 a a a, 2 a", "Listing 2 has"), ("1b 2a", "Listing 1 has 3 marked"),
])
def test_text_that_cannot_be_read_hands_nothing_in_and_says_why(quick, printed, text, says):
    record().update("exam", "sitting 1", drawn="no-way-by-copying two-streams three-neighbours transposed three-blocks "
                                               "mapped-again managed-inside three-times-plural")
    exercises.exam(text)
    reply = printed()
    assert reply.startswith("Nothing was handed in. ") and says in reply and sitting().answered == 0


@pytest.mark.parametrize("form", ["{}", "1 {}", "1: {},", "1) {};", " 1  {} \n"])
def test_commas_colons_and_capitals_do_not_matter(quick, printed, form):
    chosen = letters(sitting().listings[0])
    exercises.exam(form.format(chosen.upper()) if "1" in form else f"1{chosen.replace(' ', '')}")
    assert "Listing 1: right." in printed()


# Sittings -------------------------------------------------------------------------------------------------------------

def test_others_are_drawn_only_once_all_eight_are_answered(quick, printed):
    exercises.exam(new=True)
    assert "8 of the 8 listings are not answered yet" in printed() and len(sittings()) == 1
    first = sitting()
    exercises.exam(answers(first, wrong=[1, 2]))
    printed()
    exercises.exam(new=True)
    assert "Listing 8" in printed() and len(sittings()) == 2
    assert not set(sitting().listings) & set(first.listings)
    exercises.exam(answers(sitting()))
    assert [sitting_.right for sitting_ in sittings()] == [6, 8]


def test_answers_of_the_older_exam_are_read_and_left_alone(on_disk, quick, printed):
    old = {"trap": {"answer": "null", "right": False}, "reserve": {"answer": "nothing", "right": True}}
    on_disk.write_text(json.dumps({"schema": 1, "exam": old}))
    progress.show()
    assert "Exam" not in printed()
    exercises.exam(answers(sitting()))
    written = json.loads(on_disk.read_text())["exam"]
    assert {name: written[name] for name in old} == old and "8 of 8" in printed() and len(sittings()) == 1


def test_a_listing_that_a_newer_course_has_no_more_is_left_out(quick):
    record().update("exam", "sitting 1", drawn=" ".join(["gone", *list(LISTINGS)[:7]]))
    exercises.exam(answers(sitting()))
    assert sitting().complete and (sitting().right, sitting().passed) == (7, True)


def test_entries_that_only_look_like_a_sitting_are_none():
    for name in ("sitting", "sitting x", "sitting -1", "sitting 1 2", "sitting ²"):
        record().update("exam", name, drawn="one-address-each")
    record().update("exam", "sitting 3", when="")
    assert sittings() == []


# What is told of it ---------------------------------------------------------------------------------------------------

def test_the_exam_shows_what_was_answered(quick, printed):
    current = sitting()
    exercises.exam(answers(current, wrong=[2]))
    printed()
    exercises.exam()
    text = printed()
    assert len(re.findall(rf"Answered on {TODAY}, right on the first try", text)) == 7
    assert len(re.findall(rf"Answered on {TODAY}, not right on the first try", text)) == 1


def test_the_overview_tells_each_sitting(quick, printed):
    exercises.exam(answers(sitting(), wrong=[1, 2]))
    exercises.exam(new=True)
    printed()
    progress.show()
    text = printed()
    assert "Exam, sitting 1: 6 of 8 listings right on the first try: not passed, 7 are needed." in text
    assert "Exam, sitting 2: 0 of 8 listings right on the first try, 8 still open." in text


def test_the_certificate_tells_what_was_answered_when_on_which_driver_and_that_it_is_no_proof(quick, on_disk, printed):
    current = sitting()
    exercises.exam(answers(current, wrong=[1]))
    exercises.exam(f"1 {letters(current.listings[0])}")
    printed()
    target = on_disk.with_name("certificate.md")
    progress.certificate(target)
    text, listing = target.read_text(encoding="utf-8"), current.listings[0]
    assert "This is a record, not a proof." in text and "anyone can edit" in text
    assert re.search(r"then run on the (simulated|real) driver \(.+?\)\. 7 of 8 listings right on the first try: passed\.", text)
    wrong = next(iter(listing.lines[0].wrong))
    heading = f"{listing.id} ({lesson(listing.lesson).mention})"
    assert re.search(rf"- {re.escape(heading)}, {TODAY}: predicted `{re.escape(wrong)}`, .*not right\. It "
                     rf"printed `{re.escape(listing.expected[0])}`, .*Answered 2 times\.", text)
    assert len(re.findall(r"`, right\.$", text, flags=re.MULTILINE)) == 7


def test_a_certificate_without_an_exam_says_so(printed):
    progress.certificate()
    assert "## Exam\n\nNot taken yet." in printed()


# Widgets --------------------------------------------------------------------------------------------------------------

@pytest.fixture
def shown(monkeypatch, quick):
    """What the exam shows: (its text, its widget)."""
    arguments = []
    monkeypatch.setattr(sys.modules["courseware.exercises.exam"], "show", lambda text, html, widget: arguments.append((text, widget)))
    exercises.exam()
    return arguments[0]


def parts(box):
    """A listing's box: (buttons of its lines, the button, what is below)."""
    _, *controls, button, below = box.children
    return controls, button, below


def test_text_and_widget_have_the_same_listings(shown):
    text, widget = shown
    boxes = [child for child in widget.children if isinstance(child, widgets.VBox)]
    assert len(boxes) == SIZE
    for number, (box, listing) in enumerate(zip(boxes, sitting().listings), 1):
        controls, button, _ = parts(box)
        assert f"Listing {number} ({lesson(listing.lesson).mention})\n\n    " in text and button.description == f"Hand in listing {number}"
        assert [tuple(control.options) for control in controls] == [line.options for line in listing.lines]


def test_the_widget_hands_in_one_listing(shown):
    box = [child for child in shown[1].children if isinstance(child, widgets.VBox)][0]
    (controls, button, below), listing = parts(box), sitting().listings[0]
    button.click()
    assert "Choose for line 1 first." in below.value and sitting().answered == 0
    for control, line in zip(controls, listing.lines):
        control.value = line.right
    controls[0].value = next(iter(listing.lines[0].wrong))
    button.click()
    see = next(iter(listing.lines[0].wrong.values()))
    assert "Listing 1: not right." in below.value and f"<a href='{see.link.partition('](')[2].partition('#')[0]}#" in below.value
    assert sitting().answered == 1 and button.description == "Hand in listing 1"


def test_who_presses_the_button_twice_hands_in_once(shown):
    box = [child for child in shown[1].children if isinstance(child, widgets.VBox)][0]
    (controls, button, below), listing = parts(box), sitting().listings[0]
    for control, line in zip(controls, listing.lines):
        control.value = line.right
    button.click()
    button.click()
    assert sitting().first_answer(listing).tries == 1 and "Listing 1: right." in below.value
    controls[0].value = next(iter(listing.lines[0].wrong))
    button.click()
    assert sitting().first_answer(listing).tries == 2


def test_a_link_to_a_notebook_is_a_link_and_other_brackets_are_not():
    markup = paragraphs("See [02, Who's there?](02_pinned_memory.ipynb#Who's-there?), and [7](3), x[1](2).")
    assert re.findall(r"<a href='([^']+)'[^>]*>(.*?)</a>", markup) == [
        ("02_pinned_memory.ipynb#Who&#x27;s-there?", "02, Who&#x27;s there?")]
    assert "[7](3), x[1](2)" in markup


def test_a_word_between_stars_is_stressed_and_stars_of_code_and_sums_stay():
    assert "<em>every</em>" in paragraphs("*every* byte")
    assert "<em>" not in paragraphs("`a *b* c` and 2 * x * y and int *p, *q")


def test_code_that_goes_over_the_end_of_a_wrapped_line_stays_code():
    assert "<code>round_up(nbytes, granularity)</code>: the size" in paragraphs("Write `round_up(nbytes,\ngranularity)`: the\nsize", wrapped=True)
