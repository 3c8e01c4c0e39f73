"""Attempts at the exercises of "Why only one direction is a function"."""
from courseware.exercises.catalogue import EXERCISES

from . import right, wrong

EXIST, BACK, NONE = "calls that exist as well", "back alone", "no call"


def table(name, **changed):
    """The solution of a table, with the answers of some questions (q1, q2, ...) changed."""
    exercise = next(one for one in EXERCISES.values() if one.id == name)
    return {question: changed.get(f"q{number}", word)
            for number, (question, word) in enumerate(exercise.answer(exercise.solution).items(), 1)}


def objections(**changed):
    return table("counts-against", **changed)


def refuted(**changed):
    return table("would-refute", **changed)


ATTEMPTS = {
    "counts-against": (
        right("as it is asked for", objections()),
        right("capitals", objections(q1="Calls that exist as well", q2="No call")),
        right("underlines", objections(q2="no_call")),
        *(right(f"another judgement, {word}", objections(q6=word)) for word in (BACK, NONE)),
        wrong("half a word", "The options are", objections(q5="back")),
        wrong("another word", "which is not an option", objections(q6="backwards")),
        wrong("a question left", "has no answer yet", objections(q3="?")),
        wrong("True", "which is not an option", objections(q3=True)),
        *(wrong(f"{word} for question {number}", says, objections(**{f"q{number}": word})) for number, word, says in (
            (1, BACK, "look down their columns"), (1, NONE, "has a column with gaps"),
            (2, EXIST, "no call is asked about the memory"), (2, BACK, "what does it lose"),
            (3, BACK, "as back did"), (3, NONE, "none warned you"),
            (4, BACK, "forward, too, returned the same number"), (4, NONE, "which number did they return"),
            (5, BACK, "Did the program that allocated"), (5, NONE, "what back would return"))),
    ),
    "would-refute": (
        right("as it is asked for", refuted()),
        *(right(f"judged {words}", refuted(**dict(zip(("q5", "q6"), words)))) for words in (("no", "no"), ("no", "yes"), ("Yes", "NO"))),
        *(wrong(f"question {number} left", "has no answer yet", refuted(**{f"q{number}": "?"})) for number in range(1, 7)),
        wrong("True", "which is not an option", refuted(q1=True)),
        wrong("another word", "which is not an option", refuted(q2="perhaps")),
        *(wrong(f"{word} for question {number}", says, refuted(**{f"q{number}": word})) for number, word, says in (
            (1, "no", "it is only inferred"), (2, "no", "would have needed the way back"),
            (3, "yes", "does not speak about need"), (4, "yes", "a subtraction brought it"))),
    ),
}
