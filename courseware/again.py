"""A prediction that was missed comes back at the end of a later lesson, until it is right: one at a time, and to be skipped at will.
It comes in other words, where predictions.toml has some (`again`): what stood around it is a lesson away.

`progress.lesson` shows it, at the end of each lesson, from the record of this learner alone. An answer is judged by what the learner's
own run observed. It changes nothing of the first answer. Not here: the questions (predict.py), and the record (progress_file.py).
"""
import html

from . import course, predict
from .notebook.display import card, message, paragraphs, show as display
from .notebook.progress_file import is_off, record
from .notebook.question import Question


def missed(topic):
    """Names of predictions of earlier lessons that were wrong and have not been right since: those not asked again yet come first.

    topic: of the lesson that is at its end
    """
    earlier = course.LESSONS[:course.LESSONS.index(course.lesson(topic))]
    kept = record().part("predictions")
    names = [name for one in earlier for name in one.read("predictions.toml")
             if kept.get(name, {}).get("right") is False and "observed" in kept[name] and not kept[name].get("again")
             and "{" not in _words(name)]      # what only that run knew cannot be asked
    return sorted(names, key=lambda name: "again" in kept[name])


def _words(name):
    told = predict.PREDICTIONS[name]
    return told.get("again", told["question"])


def show(topic):
    """Ask one question of an earlier lesson again; nothing, where none was missed. topic: of the lesson that is at its end"""
    names = [] if is_off() else missed(topic)
    if names:
        asked = predict.named(names[0])
        lesson = next(one for one in course.LESSONS if names[0] in one.read("predictions.toml"))
        display(f"A question of {lesson.told} comes back: {_words(asked.name)}", widget=_widget(asked, lesson))


def _widget(asked, lesson):
    """The question with its controls, and below them what is said to an answer."""
    def answered(value):
        text = asked.read(value)
        if text is None:
            return message(f"{value!r} is not an answer to this question: it takes {asked.number}.", announced=True)
        seen = record().entry("predictions", asked.name)["observed"]
        good = asked.is_right(text, seen)
        record().update("predictions", asked.name, again=good)
        controls.is_answered(text)
        said = [f"Observed in {lesson.told}: {asked.told(seen)}", *([] if good else filter(None, [asked.reply(text)]))]
        return message("\n\n".join(said), good, True, "Right." if good else "Not right.")
    body = f"{paragraphs(_words(asked.name))}<p style='margin:4px 0'><i>From {html.escape(lesson.heading)}. You may skip it.</i></p>"
    controls = Question(asked.options, asked.number, answered, card("Predict", body, title="again"))
    return controls.widget
