"""Predictions: kept before the cell runs, compared after it, and never a traceback."""
import course_lib  # noqa: F401  (attaches the driver, so it comes first)
from course_lib.core.errors import WrongArgument
from courseware.course import LESSONS
from courseware.notebook.progress_file import record
from courseware.predictions import SESSION, catalogue, predict, prediction
from courseware.predictions.question import OTHER
from courseware.predictions.session import CellCode
from courseware.sandbox import Outcome

import pytest
from hypothesis import HealthCheck, given, settings, strategies as some

NAME = "views-equal-addresses"


@pytest.fixture(autouse=True)
def nothing_done_yet(monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", "off")
    record.cache_clear()
    new_kernel()
    monkeypatch.setattr(catalogue, "PREDICTIONS", dict(catalogue.PREDICTIONS))
    yield
    record.cache_clear()


def new_kernel():
    """What a kernel that is started anew knows: nothing."""
    SESSION.observed.clear()
    SESSION.shown.clear()


def ask(name, question, options=None, **more):
    """A question of the test's own, as a predictions.toml would have it."""
    catalogue.PREDICTIONS[name] = {"question": question, **({} if options is None else {"options": options}), **more}
    return predict(name)


@pytest.fixture
def printed(capsys):
    return lambda: capsys.readouterr().out.strip()


@pytest.fixture
def question(printed):
    question = ask(NAME, "Are they equal?", ["equal", "different"])
    printed()
    return question


@pytest.fixture
def shown(monkeypatch):
    """The HTML that a question shows where there are no widgets."""
    def show(question):
        seen = []
        monkeypatch.setattr(prediction, "show", lambda text, html, widget: seen.append(html))
        question.show()
        return seen[0]
    return show


def recorded_answer():
    return record().entry("predictions", NAME)


def test_a_question_is_shown_with_its_options(printed):
    ask(NAME, "Are they equal?", ["equal", "different"])
    text = printed()
    assert "Predict: Are they equal?" in text and "( ) equal\n" in text and "( ) different" in text


def test_options_are_shown_as_text_with_the_way_to_answer(question, shown):
    assert "Answers: equal · different" in shown(question) and "<li>" not in shown(question) and prediction.RUN in shown(question)


def test_long_answers_have_a_line_each(shown):
    assert "Answers: <br>– the first one, " in shown(ask(NAME, "Which?", ["the first one, " + 40 * "a", "the second one, " + 40 * "b"]))


def test_code_in_an_answer_is_shown_as_code(shown):
    assert "Answers: <code>x</code> · y" in shown(ask(NAME, "Which?", ["`x`", "y"]))


def test_what_is_shown_does_not_depend_on_the_record(printed):
    ask(NAME, "Are they equal?", ["equal", "different"]).answer("equal")
    first = printed()
    ask(NAME, "Are they equal?", ["equal", "different"])
    assert first.startswith(printed())


@pytest.mark.parametrize("answer, verdict, reply", [("equal", "As", ""), ("different", "Not as", "\n\nOne range.")])
def test_a_prediction_is_compared_and_a_wrong_answer_gets_its_reply(printed, answer, verdict, reply):
    ask(NAME, "Are they equal?", ["equal", "different"], replies={"different": "One range."})
    question = predict(NAME)
    printed()
    question.answer(answer)
    printed()
    question.compare("equal")
    assert printed() == f"{verdict} you predicted.\nYou predicted: {answer}\nObserved: equal{reply}"
    assert recorded_answer() == {"answer": answer, "after": False, "right": answer == "equal", "observed": "equal"}


@pytest.mark.parametrize("answer, reply", [(4, "Four."), (5.0, "Any.")])
def test_a_number_gets_the_reply_to_it_or_the_one_to_all_others(printed, answer, reply):
    count = ask("pinned-count", "How many?", replies={"4": "Four.", OTHER: "Any."})
    count.answer(answer)
    count.compare(8)
    said_then = printed()
    assert "\nNot as you predicted." in said_then and said_then.endswith(f"\nObserved: 8\n\n{reply}")


def test_without_a_prediction_it_is_said_and_nothing_is_kept(question, printed):
    question.compare("equal")
    text = printed()
    assert text == "You have not predicted.\nObserved: equal"
    assert recorded_answer() == {}


def test_one_may_change_one_s_mind_before_the_cell_runs(question):
    question.answer("equal")
    question.answer("different")
    question.compare("equal")
    assert recorded_answer() == {"answer": "different", "after": False, "right": False, "observed": "equal"}


def test_afterwards_the_prediction_stays(question, printed):
    question.answer("different")
    question.compare("equal")
    question.answer("equal")
    assert "your prediction stays: different" in printed()
    assert recorded_answer()["answer"] == "different"


def test_an_answer_that_comes_after_the_cell_counts_as_afterwards(question, printed):
    question.compare("equal")
    question.answer("equal")
    assert "counts as said afterwards" in printed()
    assert recorded_answer() == {"answer": "equal", "after": True, "right": True, "observed": "equal"}
    question.compare("equal")
    assert "Right.\nYou said afterwards: equal" in printed()


def test_the_cells_may_run_again(question, printed):
    question.answer("equal")
    for _ in range(2):
        question.compare("equal")
    assert printed().count("As you predicted.") == 2 and recorded_answer()["right"]


def test_a_new_kernel_shows_what_was_kept(question, shown):
    assert prediction.RUN in shown(question)
    question.answer("different")
    new_kernel()
    assert "You predicted: different." in shown(ask(NAME, "Are they equal?", ["equal", "different"]))


def test_a_new_kernel_is_a_new_chance_for_who_has_not_answered(question):
    question.compare("equal")
    new_kernel()
    question.answer("equal")
    assert recorded_answer()["after"] is False


@pytest.mark.parametrize("value", ["eqal", None, 3, ["equal"], float("nan")])
def test_an_answer_that_is_no_option_gets_a_sentence(question, printed, value):
    question.answer(value)
    assert "it takes one of 'equal', 'different'" in printed() and recorded_answer() == {}


@pytest.mark.parametrize("answer, right", [("50", True), (55.4, True), ("60 GB/s", True), (39, False), ("-50", False)])
def test_a_number_may_be_off_by_the_tolerance(printed, answer, right):
    rate = ask("pinned-rate", "How fast is a pinned copy?", unit="GB/s", tolerance=0.2)
    rate.answer(answer)
    rate.compare(50)
    text = printed()
    assert ("\nAs you predicted." in text) == right and "Observed: 50 GB/s" in text


@pytest.mark.parametrize("value", ["", "fast", "nan", "1e999", None, [1]])
def test_what_is_no_number_gets_a_sentence(printed, value):
    rate = ask("pinned-rate", "How fast?", unit="GB/s")
    rate.answer(value)
    assert "it takes a number, such as 12.5" in printed()


def test_an_observation_that_is_no_option_is_told_as_it_is(question, printed):
    question.answer("equal")
    question.compare("neither")
    assert printed().endswith("Not as you predicted.\nYou predicted: equal\nObserved: neither")


def test_an_observation_that_is_no_number_is_told_as_it_is_too(printed):
    rate = ask("pinned-rate", "How fast?", unit="GB/s")
    rate.answer(50)
    rate.compare("not measured")
    assert printed().endswith("Not as you predicted.\nYou predicted: 50 GB/s\nObserved: not measured")


def test_an_answer_of_an_older_question_is_no_answer(question):
    record().update("predictions", NAME, answer="perhaps", after=False)
    assert ask(NAME, "Are they equal?", ["equal", "different"]).is_open(recorded_answer())


@pytest.mark.parametrize("options", [["a"], ["a", "a"], {"a": True}])
def test_who_writes_a_lesson_is_told_what_cannot_be(options):
    with pytest.raises(WrongArgument, match="two or more different ones"):
        ask("views-x", "?", options)


@pytest.mark.parametrize("name, says", [("views-two-numbrs", "Did you mean 'views-two-numbers'"), ("0-x", "predictions.toml"),
                                        (3, "There is no prediction 3")])
def test_a_name_that_no_lesson_has_is_refused_with_the_nearest(name, says):
    with pytest.raises(WrongArgument, match=says):
        predict(name)


def test_names_begin_with_the_topic_of_their_lesson():
    for lesson in LESSONS:
        assert all(name.startswith(f"{lesson.topic}-") for name in lesson.read("predictions.toml"))


steps = some.tuples(some.sampled_from(["answer", "compare", "restart"]), some.sampled_from(["a", "b", "c"]))


@given(some.lists(steps, max_size=8))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_order_the_last_answer_before_the_cell_is_the_prediction(steps):
    record.cache_clear()
    new_kernel()
    question, answer, after, fixed, ran = ask(NAME, "?", ["a", "b"]), None, False, False, False
    for step, value in steps:
        if step == "restart":
            new_kernel()
            question, ran = ask(NAME, "?", ["a", "b"]), False
        elif step == "compare":
            question.compare(value)
            ran, fixed = True, answer is not None
        else:
            question.answer(value)
            if value in ("a", "b") and not fixed:
                answer, after, fixed = value, ran, ran
    assert recorded_answer().get("answer") == answer and recorded_answer().get("after", False) == after


def test_options_may_say_what_is_observed_where_they_are_right(printed):
    changed = ask("views-changed", "What changes?", {"the host": [True, False], "the device": [False, True], "an error": {}})
    for observation, shown in {(False, True): "the device", "the host": "the host", (True, True): "(True, True)",
                               None: "an error"}.items():
        printed()
        changed.compare(observation)        # what no option stands for is told as it is
        assert printed().splitlines()[-1] == f"Observed: {shown}"


def test_a_set_is_observed_as_what_is_in_it(printed):
    asked = ask("views-set", "Which?", {"one": [1], "both": [1, 2]})
    asked.compare({2, 1})
    assert printed().endswith("Observed: both")


def test_what_only_the_run_knows_is_handed_over_by_name(printed):
    catalogue.PREDICTIONS["views-start"] = {"question": "At {start}?", "options": {"there": "{start}", "at 0": 0}}
    asked = predict("views-start", start=4096)
    assert "Predict: At 4096?" in printed()
    asked.compare(4096)
    assert printed().endswith("Observed: there")


@pytest.mark.parametrize("outcome, option", [
    (Outcome(value=[3, 1]), "two numbers"), (Outcome(signal="SIGSEGV"), "the process is killed"),
    (Outcome(error="CUDA_ERROR_ILLEGAL_ADDRESS"), "the kernel is stopped"), (Outcome(exception="KeyError: 3"), "an exception"),
    (Outcome(timed_out=True), "it never ends"), ([Outcome(value=1), Outcome(signal="SIGSEGV")], "first 1, then a crash")])
def test_an_outcome_stands_for_what_ended_the_code_so_that_the_cell_need_not_name_it(outcome, option, printed):
    asked = ask("ends", "How does it end?", {"two numbers": [3, 1], "the process is killed": "SIGSEGV", "an exception": "KeyError",
                                             "the kernel is stopped": "CUDA_ERROR_ILLEGAL_ADDRESS", "it never ends": "no end",
                                             "first 1, then a crash": [1, "SIGSEGV"]})
    printed()
    asked.compare(outcome)
    assert f"Observed: {option}" in printed()


@pytest.mark.parametrize("source, compared, asked", [
    ("late.compare(1)", ["late"], {}), ("if ran:\n    late.compare(1)\nnext.compare(2)", ["next", "late"], {}),
    ("# late.compare(1)\n'late.compare(1)'", [], {}), ("late.compare(", [], {}), ("await late.compare(1)", ["late"], {}),
    ('late = courseware.predict("views-x")\nlate.compare(1)', ["late"], {"views-x": "late"}), ('late = predict("views-x")', [], {}),
    ('book["late"] = predict("views-x")\nlate.compare(1)', ["late"], {}), ('late = predict(name)\nlate.compare(1)', ["late"], {})])
def test_what_a_cell_compares_is_read_from_its_syntax_tree(source, compared, asked):
    assert (CellCode(source).compared_variables, CellCode(source).variable_of) == (compared, asked)


def test_an_answer_to_a_covered_cell_reads_the_record_once_and_writes_it_once(tmp_path, monkeypatch, question, printed):
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "course-progress.json"))
    record.cache_clear()
    SESSION.observed[NAME] = "equal"        # as a cell does that keeps it back
    trips = []
    for name in ("_load", "_save"):
        trip = getattr(record(), name)
        monkeypatch.setattr(record(), name, lambda *data, name=name, trip=trip: trips.append(name) or trip(*data))
    _, entry = question.take("different")
    question.comparison(entry)
    assert trips == ["_load", "_save"] and recorded_answer() == {"answer": "different", "after": False, "right": False, "observed": "equal"}
