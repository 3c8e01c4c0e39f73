"""Whoever predicts something else than what happens is told what that answer took for granted."""
import json
import re

from courseware.predictions.catalogue import PREDICTIONS as TOLD
from courseware.predictions.question import OTHER

import pytest

from .test_notebooks import NOTEBOOKS

SHOWN = re.compile(r"^  \( \) (.*)$", flags=re.MULTILINE)
OBSERVED = re.compile(r"^Observed: (.*)$", flags=re.MULTILINE)
REPLIES = {name: words["replies"] for name, words in TOLD.items() if "replies" in words}


def output_text(output):
    return "".join(output.get("text", output.get("data", {}).get("text/plain", "")))


def text(cell):
    return "\n".join(map(output_text, cell.get("outputs", [])))


def predictions():
    """{name: (its options as the notebook shows them, None for a number; what was observed when the notebook was stored)}"""
    stored = {}
    for path in NOTEBOOKS:
        cells, asked = json.loads(path.read_text())["cells"], {}
        for cell in cells:
            source = "".join(cell["source"])
            questions = [question for question in map(output_text, cell.get("outputs", [])) if question.startswith("Predict:")]
            for (variable, name), question in zip(re.findall(r'(\w+) = predict\(\s*"([^"]+)"', source), questions, strict=True):
                options = SHOWN.findall(question)
                asked[variable] = name
                stored[name] = [None if options[0].startswith("a number") else options, None]
            for variable in re.findall(r"^ *(\w+)\.compare\(", source, flags=re.MULTILINE):
                stored[asked[variable]][1] = OBSERVED.search(text(cell))[1]
    return stored


PREDICTIONS = predictions()


def test_every_prediction_of_the_lessons_is_asked_in_a_notebook():
    assert PREDICTIONS.keys() == TOLD.keys()


@pytest.mark.parametrize("name", PREDICTIONS)
def test_every_wrong_option_has_a_reply(name):
    options, observed = PREDICTIONS[name]
    replies = REPLIES.get(name, {})
    wrong = [OTHER] if options is None else [option for option in options if option != observed]
    assert [option for option in wrong if option not in replies] == []


def test_a_reply_is_to_an_answer_that_can_be_given():
    assert [name for name in REPLIES if name not in PREDICTIONS] == []
    for name, replies in REPLIES.items():
        options, _ = PREDICTIONS[name]
        strange = [answer for answer in replies if answer != OTHER and
                   (not re.fullmatch(r"-?[\d.]+", answer) if options is None else answer not in options)]
        assert strange == [], name


def test_a_reply_is_of_sentences_and_is_no_other_s():
    replies = [reply for answers in REPLIES.values() for reply in answers.values()]
    assert [reply for reply in replies if not reply.endswith((".", "?", ")"))] == []
    assert len(set(replies)) == len(replies)
