"""Predictions on a page: each answer opens what is said to it, without a script. And exercises with their hints and a solution.

In a notebook a card asks, and the cell below it tries; the page has the words from the lessons' predictions.toml, and what was
observed from the stored output of that cell.
"""
import html
import re

from courseware.exercises.catalogue import EXERCISES
from courseware.notebook.display import RUN, code, paragraphs
from courseware.predictions.catalogue import PREDICTIONS
from courseware.predictions.question import OTHER

from publish import in_colab

ASKED = re.compile(r"(\w+) = predict\(\s*[\"']([\w-]+)[\"']")
SHOWN = re.compile(r"exercises\.show\([\"']([\w-]+)[\"']\)")
FETCHED = re.compile(r"--branch (\S+) (\S+) course\b")       # in a published notebook's first cell with code, which Colab needs
THE_NOTEBOOK = "the notebook"
TO_SOLVE = f"To solve it, open {THE_NOTEBOOK}; here you can read two hints, and then a solution."
RIGHT = "✓ So it is."       # and then the reason's first sentence, if there is one
WRONG = "It is not so."
EXPLAINS = "<details>\n<summary><b>Explain</b></summary>"
SENTENCE = re.compile(r".*?[.?!](?=\s)")
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")       # in Markdown: its words are group 1
STRESSED = re.compile(r"(?<![\w*`])\*([^*`]+)\*(?![\w*`])")


def ask(notebook, source):
    """Put a question's HTML into the metadata of each cell that asks, as `asked`: the template shows it in the card's place.

    source: the notebook's path. If it was published, an exercise leads to it in Colab.
    """
    published = next(filter(None, (FETCHED.search(cell.source) for cell in notebook.cells if cell.cell_type == "code")), None)
    link = f'<a href="{in_colab(published[2], published[1], source)}">{THE_NOTEBOOK} in Colab</a>' if published else THE_NOTEBOOK
    for place, cell in enumerate(notebook.cells):
        for name in SHOWN.findall(cell.source) if cell.cell_type == "code" else ():
            exercise = EXERCISES[name]
            solution = ("<pre tabindex='0' role='group' aria-label='A solution'><code>"
                        f"{html.escape(exercise.solution.strip())}</code></pre>")
            folds = zip(("Hint", "A second hint", "A solution"), (*map(paragraphs, exercise.hints), solution), strict=True)
            hints = "".join(f"<details class='hint'><summary>{title}</summary>{text}</details>" for title, text in folds)
            cell.metadata["asked"] = cell.metadata.get("asked", "") + hints
            for output in cell.outputs:
                if "text/html" in output.get("data", {}):
                    output.data["text/html"] = output.data["text/html"].replace(RUN, TO_SOLVE.replace(THE_NOTEBOOK, link))
        for variable, name in ASKED.findall(cell.source) if cell.cell_type == "code" else ():
            card = next((output.data["text/plain"] for output in cell.outputs
                         if output.get("data", {}).get("text/plain", "").startswith("Predict: ")), None)
            if card and name in PREDICTIONS:
                answers = list(answering(notebook.cells[place:], variable))
                for answer in answers:
                    answer.metadata["answers"] = name
                for reason in [answer for answer in answers if "outputs" not in answer and "<details>" in answer.source][:1]:
                    reason.metadata["reason"] = name    # to which the question links: an answer may have more than one
                cell.metadata["asked"] = cell.metadata.get("asked", "") + question(
                    name, card, PREDICTIONS[name].get("replies", {}), observed(answers), reason_in_short(answers))
                cell.outputs = [output for output in cell.outputs if output.get("data", {}).get("text/plain") != card]


def answering(cells, variable):
    """The cells whose folded outputs answer a question, and those that explain it: from the one that compares it up to the next question,
    asked or compared."""
    compared = next((place for place, cell in enumerate(cells) if f"{variable}.compare(" in cell.source), len(cells))
    for cell in cells[compared:]:
        if (ASKED.search(cell.source) or ".compare(" in cell.source) and f"{variable}.compare(" not in cell.source:
            return
        answers = any(output.get("data", {}).get("text/html", "").startswith("<details><summary>") for output in cell.get("outputs", ()))
        if answers or cell.source.startswith(EXPLAINS):
            yield cell


def observed(cells):
    """What the cells that answer a question show as observed; "" where none was run."""
    for output in (output for cell in cells for output in cell.get("outputs", ())):
        if match := re.search(r"^Observed: (.*)$", output.get("data", {}).get("text/plain", ""), re.MULTILINE):
            return match[1]
    return ""


def reason_in_short(cells):
    """The first sentence of what explains an answer, in plain words; None if nothing explains it, and "" if that begins with a picture."""
    for explained in (cell.source.partition("</summary>")[2].strip() for cell in cells if "outputs" not in cell):
        sentence = " ".join(SENTENCE.match(explained.replace("\n", " "))[0].split())
        return "" if explained.startswith("![") else STRESSED.sub(r"\1", LINK.sub(r"\1", sentence))
    return None


def question(name, card, replies, observation, reason):
    """The HTML of a question, with an answer's reply behind each option. Where a number is asked for, the options are what was observed
    and the numbers that have a reply. reason: how what explains the answer begins, or None

    One answer is open at a time. Whoever answers sees what the cell showed, and why it is so: the style has both stand there without
    their folds, in a browser that knows ::details-content.
    """
    text, *options = re.split(r"^  \( \) ", card.removeprefix("Predict: ").rpartition("\n\n")[0], flags=re.MULTILINE)
    options = [option.strip() for option in options]
    if options[0].startswith("a number") and len(options) == 1:
        unit = observation.partition(" ")[2]
        replies = {answer if answer == OTHER else f"{answer} {unit}".strip(): reply for answer, reply in replies.items()}
        options = sorted({observation, *replies} - {OTHER, ""}, key=lambda number: float(number.split()[0])) + [OTHER]
    folds = [(option, "right", f"{RIGHT} {reason or ''}".strip()) if option == observation else
             (option, "wrong", "✗ " + (replies.get(option) or replies.get(OTHER) or WRONG)) for option in options]
    fold = f"body:has(#ask-{name} [open]) :is(.seen-{name} > .output > details, details.seen-{name})"
    opened = (f"<style>@supports selector(::details-content) {{ {fold} > summary {{ display: none }} "
              f"{fold}::details-content {{ content-visibility: visible }} }}</style>")
    why = f'<p class="to-why"><a href="#why-{name}">The reason, below what ran</a></p>' * (reason is not None)
    return box(name, text, folds, why + opened)


def box(name, text, folds, more="", attributes=""):
    """The HTML of a question's box. folds: (option, "right" or "wrong", what is said to it)"""
    answers = "".join(f"<details class='{kind}' name='{name}'><summary>{code(html.escape(option))}</summary>{paragraphs(reply)}</details>"
                      for option, kind, reply in folds)
    reasons = "" if any(reply.startswith(RIGHT) for _, _, reply in folds) else " reasons"      # whether the right answer's reply says why
    return (f"<div class='question{reasons}' id='ask-{name}'{attributes}><p><b>Predict</b></p>{paragraphs(text)}"
            f"<div class='answers'>{answers}</div>{more}</div>")
