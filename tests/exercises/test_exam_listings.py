"""The exam's pool: each listing prints on the driver at hand what the table says, and each wrong option is refuted."""
import collections
import functools
import json
import re
from pathlib import Path

import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from courseware import sandbox
from courseware.course import BY_TOPIC, LESSONS
from courseware.exercises.listing import LISTINGS, PRELUDE, printed_by

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
EVERY_LISTING = pytest.mark.parametrize("listing", LISTINGS.values(), ids=LISTINGS)


def run_all(sources):
    """Run programs one after the other, each in a context of its own; returns (printed, exception) of each."""
    import contextlib
    import gc
    import io

    import pycuda.driver as cuda
    cuda.init()
    printed_and_raised = []
    for source in sources:
        context, printed, exception = cuda.Device(0).make_context(), io.StringIO(), ""
        names = {"__name__": "__main__"}
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, "<listing>", "exec"), names)
                cuda.Context.synchronize()
        except Exception as error:
            exception = f"{type(error).__name__}: {error}"
        names.clear()
        gc.collect()
        context.pop()
        context.detach()
        printed_and_raised.append((printed.getvalue(), exception))
    return printed_and_raised


@pytest.fixture(scope="module")
def outcomes():
    """{id: Outcome}: of the listings that break nothing from one process, of each other from its own, as a learner's is."""
    whole = [listing for listing in LISTINGS.values() if not listing.breaks]
    together = sandbox.run(run_all, [listing.source for listing in whole], context=False, timeout=600)
    assert together.ok, together.traceback
    outcomes = {listing.id: sandbox.Outcome(printed=printed, exception=exception)
                for listing, (printed, exception) in zip(whole, together.value)}
    # An address that was freed is given out again, unless something else of a process with many listings has taken it meanwhile.
    right = {name for name, outcome in outcomes.items() if printed_by(outcome, len(LISTINGS[name].lines)) == LISTINGS[name].expected}
    return {name: outcomes[name] if name in right else sandbox.run(listing.source) for name, listing in LISTINGS.items()}


@pytest.mark.parametrize("outcome, lines", [
    ({"printed": "1\n2\n3\n", "error": "CUDA_ERROR_ILLEGAL_ADDRESS"}, ["1", "2", "3"]), ({"printed": "1\n"}, ["1", "nothing", "nothing"]),
    ({"printed": "1\n", "error": "CUDA_ERROR_ILLEGAL_ADDRESS"}, ["1", "nothing: it ends with ILLEGAL_ADDRESS", "nothing"])])
def test_a_marked_line_that_prints_nothing_has_that_in_its_place(outcome, lines):
    assert printed_by(sandbox.Outcome(**outcome), 3) == lines


@EVERY_LISTING
def test_a_listing_prints_what_the_table_says(listing, outcomes):
    outcome = outcomes[listing.id]
    assert printed_by(outcome, len(listing.lines)) == listing.expected, outcome.explanation
    assert listing.breaks == bool(outcome.error or outcome.signal)
    assert len(outcome.printed.splitlines()) <= len(listing.lines), "it prints more than its marked lines"


@EVERY_LISTING
def test_what_a_listing_prints_is_the_same_in_each_run(listing):
    shown = PRELUDE + listing.program + "".join(option for line in listing.lines for option in line.options)
    assert not re.search(r"0x[0-9a-f]{9}", shown)       # an address of this run
    assert not re.search(r"\btime\b|elapsed|perf_counter|mem_get_info|time_till", shown)


@EVERY_LISTING
def test_each_mark_is_on_one_line_in_order_and_has_options(listing):
    marks = [int(mark) for mark in re.findall(r"# (\d)$", listing.program, flags=re.MULTILINE)]
    assert marks == list(range(1, len(listing.lines) + 1)) and 2 <= len(marks) <= 4
    assert len(re.findall(r"\bprint\(", listing.program)) == len(marks)


@EVERY_LISTING
def test_a_line_has_three_or_four_options_and_one_of_them_is_right(listing):
    for line in listing.lines:
        assert len(set(line.options)) == len(line.options) in (3, 4)
        assert set(line.options) == {line.right, *line.wrong} and line.right not in line.wrong
        assert not any(" | " in option or "\n" in option for option in line.options)    # the record's separator


@EVERY_LISTING
def test_only_the_last_line_may_be_where_the_process_ends(listing):
    assert not any(line.right.startswith("nothing") for line in listing.lines[:-1])


@EVERY_LISTING
def test_a_listing_is_short_enough_to_be_read_without_scrolling(listing):
    assert max(map(len, f"{PRELUDE}{listing.program}".splitlines())) <= 100
    assert 4 <= len(listing.program.strip().splitlines()) <= 18


@EVERY_LISTING
def test_the_course_has_not_shown_the_listing(listing):
    """No notebook has three of its lines, one after the other."""
    lines = [re.sub(r"\s*#.*", "", line).strip() for line in listing.program.strip().splitlines()]
    assert not [three for three in zip(lines, lines[1:], lines[2:]) if "\n".join(three) in all_code()]


@functools.cache
def all_code():
    """The code of all notebooks, without comments and indentation."""
    return re.sub(r"[ \t]*#.*|^[ \t]+", "", "\n".join(map(code, BY_TOPIC)), flags=re.MULTILINE)


def cells(topic, kind):
    notebook = json.loads((FOLDER / BY_TOPIC[topic].notebook).read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def code(topic):
    return "\n".join(cells(topic, "code"))


def test_every_wrong_option_is_refuted_by_a_section_of_a_notebook():
    sections = {topic: re.findall(r"^#+ (.+)$", "\n".join(cells(topic, "markdown")), flags=re.MULTILINE) for topic in BY_TOPIC}
    refuting = [see for listing in LISTINGS.values() for line in listing.lines for see in line.wrong.values()]
    assert [see for see in refuting if see.section not in sections[see.topic]] == []
    assert [see for see in refuting if not see.why.endswith((".", "!"))] == [] and len(refuting) > 200


def test_what_only_a_side_trip_teaches_waits_for_a_prediction_of_that_side_trip():
    side_trips = {lesson.topic for lesson in LESSONS if lesson.of}
    assert side_trips >= {"heap-limits", "distances"}
    for listing in LISTINGS.values():
        named = {see.topic for line in listing.lines for see in line.wrong.values()} & side_trips
        asked = [topic for topic in named if f'predict("{listing.after}"' in code(topic)]
        assert (named == set() and not listing.after) or (asked and named == set(asked)), listing.id


def test_there_are_at_least_24_listings_and_four_of_each_part():
    parts = collections.Counter(listing.part for listing in LISTINGS.values())
    assert parts.keys() == {lesson.part for lesson in LESSONS} - {"order", "growing-vector"}
    assert sum(parts.values()) >= 24 and min(parts.values()) >= 4


def test_every_notebook_of_the_course_refutes_something():
    named = {see.topic for listing in LISTINGS.values() for line in listing.lines for see in line.wrong.values()}
    assert {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.ipynb")} == {lesson.notebook for lesson in LESSONS}
    assert BY_TOPIC.keys() - named == {
        "libraries",            # they may not be installed
        "devices", "order", "growing-vector", "fragmentation"}       # no listing asks about them


def test_neither_the_place_nor_the_word_gives_the_right_option_away():
    lines = [line for listing in LISTINGS.values() for line in listing.lines]
    places = collections.Counter(line.options.index(line.right) for line in lines)
    assert all(places[place] < 0.5 * len(lines) for place in places) and min(places[place] for place in range(3)) > 0.1 * len(lines)
    for word in ("INVALID_VALUE", "same", "another", "True", "False", "SUCCESS", "ILLEGAL_ADDRESS"):
        having = [line for line in lines if word in line.options]
        assert 0 < sum(line.right == word for line in having) < len(having), word
