"""A prediction that was missed comes back at the end of a later lesson, until it is right: one at a time, and to be
skipped at will. It comes in other words, where predictions.toml has some (`again`): what stood around it is a lesson
away.

`progress.lesson` shows it, at the end of each lesson, from the record of this learner alone. An answer is judged by
what the learner's own run observed. It changes nothing of the first answer. Not here: the questions (catalogue.py), and
the record (notebook/progress_file.py).
"""
import html

from .. import course
from ..notebook.display import STATUS, heading, message, paragraphs, show as display
from ..notebook.progress_file import is_off, record
from .catalogue import PREDICTIONS, question
from .controls import AnswerControls


def missed(topic):
    """Names of predictions of earlier lessons that were wrong and have not been right since: those not asked again yet
    come first.

    topic: of the lesson that is at its end
    """
    earlier = course.LESSONS[:course.LESSONS.index(course.lesson(topic))]
    entries = record().part("predictions")
    names = [name for lesson in earlier for name in lesson.read("predictions.toml")
             if entries.get(name, {}).get("right") is False and "observed" in entries[name]
              and not entries[name].get("again")
             and "{" not in _words(name)]      # what only that run knew cannot be asked
    return sorted(names, key=lambda name: "again" in entries[name])


def _words(name):
    table = PREDICTIONS[name]
    return table.get("again", table["question"])


def show(topic):
    """Ask one question of an earlier lesson again; nothing, where none was missed. topic: of the lesson that is at its
    end"""
    names = [] if is_off() else missed(topic)
    if names:
        lesson = next(lesson for lesson in course.LESSONS if names[0] in lesson.read("predictions.toml"))
        display(f"A question of {lesson.mention} comes back: {_words(names[0])}",
                widget=_widget(question(names[0]), lesson))


def _widget(missed_question, lesson):
    """The question with its controls, and below them what is said to an answer."""
    def answered(value):
        answer = missed_question.read(value)
        if answer is None:
            controls.say(message(missed_question.refusal(value), announced=True))
            return
        with record().changing("predictions", missed_question.name) as entry:
            entry["again"] = good = missed_question.is_right(answer, entry["observed"])
        controls.show_answered(answer)
        lines = [f"Observed in {lesson.mention}: {missed_question.words(entry['observed'])}",
                 *([] if good else filter(None, [missed_question.reply(answer)]))]
        controls.say(message("\n\n".join(lines), good, True, "Right." if good else "Not right."))
    source = STATUS.format(html.escape(f"From {lesson.heading}. You may skip it."))
    lead = f"{heading('Predict again')}{paragraphs(_words(missed_question.name))}{source}"
    controls = AnswerControls(lead, missed_question.options, missed_question.number, answered)
    return controls.widget
