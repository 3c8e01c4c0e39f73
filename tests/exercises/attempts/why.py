"""Attempts at the exercises of "Why only one direction is a function"."""
from . import right, wrong

QUESTIONS = ("it is partial: for many addresses there is no answer", "asked about memory it has no single answer: there may be several addresses",
             "an address may be given out again, to other memory",
             "on this machine the answer for pinned memory is the number that was put in",
             "who wants the answer seldom knows whether there is one",
             "before CUDA 4.0, whoever made a device pointer of host memory had its host pointer already",
             "two contexts without unified addressing used one number for different memory")
RIGHT = ("both", "both", "both", "both", "back only", "back only", "back only")


def hits(**changed):
    """The table, with the answers of some questions (q1 to q7) changed."""
    return {question: changed.get(f"q{number}", word)
            for number, (question, word) in enumerate(zip(QUESTIONS, RIGHT), 1)}


ATTEMPTS = {
    "which-direction": (
        right("as it is asked for", hits()),
        right("capitals", hits(q1="Both", q5="Back only")),
        right("underlines", hits(q5="back_only", q6="back-only")),
        *(right(f"another judgement, {word}", hits(q5=word, q7=word)) for word in ("both", "forward only")),
        wrong("half a word", "The options are", hits(q5="forward")),
        wrong("another word", "which is not an option", hits(q6="backwards")),
        wrong("none", "which is not an option", hits(q1="none")),
        wrong("a question left", "has no answer yet", hits(q3="?")),
        wrong("True", "which is not an option", hits(q3=True)),
        *(wrong(f"{word} for question {number}", says, hits(**{f"q{number}": word})) for number, word, says in (
            (1, "back only", "Forward has gaps too"), (1, "forward only", "no answer for device memory"),
            (2, "back only", "two device addresses"), (2, "forward only", "two host addresses"),
            (3, "back only", "forward answered for the new memory"), (3, "forward only", "A device address is given out"),
            (4, "back only", "Forward, too, returns what was put in"), (4, "forward only", "Back, too, returns what was put in"),
            (6, "both", "Which of the two answers"),
            (6, "forward only", "A program that pinned memory"))),
    ),
}
