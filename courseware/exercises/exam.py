"""The exam: eight listings that the course has not shown, predicted line by line, and then really run.

    exercises.exam()                        shows the eight listings, the same ones each time
    exercises.exam("1 a c b, 2 b a")        hands in two of them: a letter for each marked line
    exercises.exam(new=True)                draws others, once all are answered
    exercises.exam(short=True)              five listings, about the short road

Here they are shown and handed in. Not here: the draw and the record (exam_sitting.py), the marking (exam_marking.py).
"""
import re
import textwrap

from .. import course
from ..notebook import widgets
from ..notebook.controls import choice
from ..notebook.display import RUN, STYLE, card, heading, message, paragraphs, say, show
from ..notebook.progress_file import record
from ..notebook.which_driver import which_driver
from .exam_marking import mark
from .exam_sitting import new_sitting, sitting
from .listing import PRELUDE

LETTERS = "abcd"
EXAMPLE = '`exercises.exam("1 a b c, 2 b a")`'
HEAD = """The exam: {number} new listings. Predict what each marked line prints. Then we'll run the listings.

A listing counts if you get all of its lines right on the first try. To pass, get {enough} of the {drawn} right,
and among them all that come from lessons 05, 06, 07 and 11. If the process never gets to a marked line, say how it
ends."""
SHORT = "\n\nThis one is about the short road only: lessons 00, 05, 06, 07 and 11."
IN_WORDS = {5: "five", 8: "eight"}
BEGINS = "Every listing begins with these lines:"
FORM = f"Write a listing's number, then a letter for each of its marked lines: {EXAMPLE}."
HOW = f"You can hand in several at once: a listing's number, and then a letter for each of its marked lines.\n{EXAMPLE}"


def exam(answers=None, new=False, short=False):
    """Show the exam; or hand in answers, as text: a listing's number, and a letter for each of its marked lines.

    answers: such as "1 a b c, 2 b a". What is handed in is run at once, and shown beside what you predicted
    new:     True draws other listings, once all are answered; the record keeps both sittings
    short:   True asks about the short road only, lessons 00, 05, 06, 07 and 11: five listings

    The first answer to a listing counts; a later one is shown as a second try.
    """
    if new:
        current = sitting(short)
        if not current.complete:
            count = len(current.listings) - current.answered
            say(f"{count} of the {len(current.listings)} listings {'is' if count == 1 else 'are'} not answered yet. "
                "Others are drawn when all of them are. `exercises.exam()` shows them.")
            return
        new_sitting(short)
    if answers is None:
        _show(sitting(short))
    else:
        say(*_hand_in_text(sitting(short), str(answers)))


def listing_text(number, listing):
    """A listing with its options, as text."""
    program = textwrap.indent(listing.program.strip("\n"), "    ")
    options = "\n".join(f"  line {place}:  {_lettered(line)}" for place, line in enumerate(listing.lines, 1))
    return f"{_title(number, listing)}\n\n{program}\n\n{options}"


def _title(number, listing):
    """Its lesson is told, because that says whether the listing may be missed."""
    return f"Listing {number} ({course.lesson(listing.lesson).mention})"


def _lettered(line):
    """The options of a marked line, each behind its letter."""
    return "   ".join(f"{letter}) {option}" for letter, option in zip(LETTERS, line.options))


def _show(current):
    prelude = textwrap.indent(PRELUDE.strip(), "    ")
    head = HEAD.format(number=IN_WORDS.get(current.drawn, current.drawn), enough=current.enough, drawn=current.drawn)
    if current.is_short:
        head += SHORT
    folded_prelude = f"<details><summary>{BEGINS}</summary>{paragraphs(prelude)}</details>"
    text = [head, BEGINS, prelude]
    boxes = [widgets.HTML(STYLE + _read(head, wrapped=True)), widgets.HTML(folded_prelude)]
    for number, listing in enumerate(current.listings, 1):
        first_answer = current.first_answer(listing)
        text.append(listing_text(number, listing))
        if first_answer:
            text.append(_first_try(first_answer))
        boxes.append(_box(current, number, listing, first_answer))
    if current.answered:
        text.append(_result(current))
    how = HOW.replace(")`", ", short=True)`") if current.is_short else HOW
    show("\n\n".join([*text, how]), card("Exam", _read(head, wrapped=True), RUN), widgets.VBox(boxes))


def _box(current, number, listing, first_answer):
    """A listing as a widget: its program, buttons for each marked line, and what came of it below."""
    controls = [choice(line.options, description=f"line {place}") for place, line in enumerate(listing.lines, 1)]
    handed_in = None
    below = widgets.HTML(message(_first_try(first_answer)) if first_answer else "")
    button = widgets.Button(description=f"Hand in listing {number}",
                            layout={"width": "auto", "align_self": "flex-start"})

    def clicked(_):
        nonlocal handed_in
        chosen = [control.value for control in controls]
        if None in chosen:
            text, good = f"Choose for line {chosen.index(None) + 1} first.", None
        elif chosen == handed_in:
            return      # pressed again while it ran
        else:
            # Not disabled meanwhile: a button that is loses the focus, and whoever uses keys their place.
            button.description = "It runs ..."
            try:
                text, good = _hand_in(current, {listing: chosen})
                handed_in = chosen
            finally:
                button.description = f"Hand in listing {number}"
        below.value = message(text, good, announced=True)
    button.on_click(clicked)
    program = textwrap.indent(listing.program.strip("\n"), "    ")
    head = heading(_title(number, listing)) + _read(program)
    return widgets.VBox([widgets.HTML(head), *controls, button, below])


def _read(text, wrapped=False):
    return f"<div style='line-height:1.5'>{paragraphs(text, wrapped=wrapped)}</div>"


def _first_try(first_answer):
    verdict = "right" if first_answer.right else "not right"
    return (f"Answered on {first_answer.when}, {verdict} on the first try. It printed: "
            + ", ".join(f"`{text}`" for text in first_answer.printed))


def _hand_in_text(current, text):
    """Hand in answers as text; all of them, or none where one cannot be read. Returns (text, True, False or None)."""
    letters_for, listing, refused = {}, None, "Nothing was handed in. "
    for token in re.findall(r"\d+|[^\W\d_]+|[^\s,;:.()]", text.lower()):
        if token.isdigit():
            if not 1 <= int(token) <= len(current.listings):
                return (f"{refused}There is no listing {token}: they are numbered from 1 to {len(current.listings)}.",
                        None)
            listing = current.listings[int(token) - 1]
            if listing in letters_for:
                return f"{refused}Listing {token} is there twice: answer it once.", None
            letters_for[listing] = []
        elif listing is None or not (token.isascii() and token.isalpha()):
            return f"{refused}`{token}` cannot be read. {FORM}", None
        else:
            letters_for[listing] += token
    if not letters_for:
        return f"{refused}{FORM}", None
    for listing, letters in letters_for.items():
        wrong = _refused(current.listings.index(listing) + 1, listing, letters)
        if wrong:
            return refused + wrong, None
    return _hand_in(current, {listing: _options(listing, letters) for listing, letters in letters_for.items()})


def _options(listing, letters):
    return [line.options[LETTERS.index(letter)] for line, letter in zip(listing.lines, letters)]


def _refused(number, listing, letters):
    """What is wrong with the letters for a listing; "" where nothing is."""
    if len(letters) != len(listing.lines):
        listed = " ".join(letters) if letters else "no letter"
        return (f"Listing {number} has {len(listing.lines)} marked lines and needs as many letters, one for each, in "
                f"order; you gave {len(letters)}: {listed}.")
    for place, (letter, line) in enumerate(zip(letters, listing.lines), 1):
        if letter not in LETTERS[:len(line.options)]:
            return (f"Line {place} of listing {number} has no option {letter}: its options are a to "
                    f"{LETTERS[len(line.options) - 1]}.")
    return ""


def _hand_in(current, answers):
    """Run and mark listings, and keep the answers: {listing: options}. Returns (text, True or False)."""
    marked, replies = mark(answers), []
    for marking in marked:
        tries = current.keep(marking.listing, marking.answer, marking.printed, marking.right, which_driver())
        replies.append(marking.feedback(current.listings.index(marking.listing) + 1, tries))
    return "\n\n".join([*replies, _result(current), *record().news()]), all(marking.right for marking in marked)


def _result(current):
    if not current.complete:
        return f"So far: {current.result}"
    another = "exercises.exam(new=True, short=True)" if current.is_short else "exercises.exam(new=True)"
    return f"{current.result} `{another}` draws {IN_WORDS.get(current.drawn, current.drawn)} others."
