"""What must hold of every notebook as it is kept: executed from top to bottom, with outputs that are compared.

`complaints` is a list of sentences, empty for a notebook that is in order.
"""
import os
import re

import folded

LONGEST_CODE_LINE = 110     # characters: what JupyterLab and the pages show without scrolling
FOLDED = "<details>\n<summary><b>Explain</b></summary>\n\n"
FINE_PRINT = "<details>\n<summary><b>Fine print</b></summary>\n\n"     # exceptions, other systems, sources
# A long table, perhaps below a sentence
TO_LOOK_UP = re.compile(r"^<details>\n<summary><b>(?!Explain|Fine print)[A-Z][a-z ]+</b></summary>\n\n(?:\w.*\n\n)?\|", re.MULTILINE)
# What an output rests on, where it is not the same on the GPUs that were asked: lesson 00 explains these marks.
DIFFERS = "# Differs from "
SIMULATED_ONLY = "# Simulated driver only: "
SIMULATED = re.compile(r"simulated=True|kernel_views\.(examine|bank_conflicts)\(")
LEAST_COMPARED = 0.8        # of the code cells; the others differ from run to run (pictures of times, names of devices)


def complaints(notebook, folder):
    """What is wrong with `notebook` (the parsed JSON), which lies in `folder`."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    text = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    return [*not_executed(code), *failed(code), *too_wide(code), *titles(text), *headings(text),
            *asks(notebook["cells"]), *takes_home(text), *dead_links(text, folder), *not_compared(code), *given_away(code), *explained_too_soon(notebook["cells"]), *unmarked(code),
            *without_words(code), *left_overs(notebook)]


def not_executed(code):
    """nbval compares a cell without an execution count and output with nothing: a stripped notebook passes it."""
    counts = [cell["execution_count"] for cell in code if "".join(cell["source"]).strip()]
    for number, count in enumerate(counts, 1):
        if count is None:
            yield f"code cell {number} was not executed"
    if None not in counts and counts != list(range(1, len(counts) + 1)):
        yield f"the cells were not executed once each from top to bottom: {counts}"
    for cell in code:
        if not "".join(cell["source"]).strip():
            yield "there is an empty code cell"
    if not code:
        yield "there is no code cell"


def failed(code):
    """An error is an output only where the cell says that it is meant."""
    for cell in code:
        errors = [output["ename"] for output in cell["outputs"] if output["output_type"] == "error"]
        tags = cell["metadata"].get("tags", [])
        if errors and "raises-exception" not in tags:
            yield f"code cell [{cell['execution_count']}] ended in {errors[0]} without the tag raises-exception"
        if "raises-exception" in tags and not errors:
            yield f"code cell [{cell['execution_count']}] has the tag raises-exception and raised none"


def too_wide(code):
    for cell in code:
        for line in "".join(cell["source"]).splitlines():
            if len(line) > LONGEST_CODE_LINE:
                yield f"code cell [{cell['execution_count']}] has a line of {len(line)} characters: {line}"


def titles(text):
    lines = [line for source in text for line in without_code(source).splitlines() if re.match(r"# ", line)]
    if len(lines) != 1:
        yield f"there are {len(lines)} titles (# ...); there has to be one"


def headings(text):
    """A reader who goes from heading to heading, by ear, must not wonder what was left out."""
    levels = [len(marks) for source in text for marks in re.findall(r"(?m)^(#+) ", without_code(source))]
    for above, below in zip(levels, levels[1:]):
        if below > above + 1:
            yield f"a heading of level {below} follows one of level {above}"


def asks(cells):
    """A lesson begins with a question, or it lets the learner predict what comes."""
    if "?" not in "".join(cells[0]["source"]) and not any("predict(" in "".join(cell["source"]) for cell in cells):
        yield "it asks no question"


def takes_home(text):
    """What the learner can say now, once, and exceptions, other systems and sources behind one fold."""
    for mark in ("> **What you can say now:** ", FINE_PRINT):
        if (count := "\n".join(text).count(mark)) != 1:
            yield f"there are {count} of {mark!r}; there has to be one"


def not_compared(code):
    free = [cell for cell in code if "nbval-ignore-output" in cell["metadata"].get("tags", [])]
    if len(code) - len(free) < LEAST_COMPARED * len(code):
        yield f"{len(free)} of {len(code)} code cells are not compared"


def given_away(code):
    """What answers a prediction is behind a fold until the learner runs it, wherever the notebook is opened."""
    for cell in code:
        are_folded = ["".join(output.get("data", {}).get("text/html", "")).startswith(folded.FOLD) for output in cell["outputs"]]
        if ".compare(" in "".join(cell["source"]) and are_folded != [True]:
            yield f"code cell [{cell['execution_count']}] answers a prediction and its output is not folded: tools/keep_outputs.py"


def explained_too_soon(cells):
    """The explanation of what was predicted is folded, so that the eye does not meet it before the question."""
    for before, cell in zip(cells, cells[1:]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if ".compare(" in "".join(before["source"]) and not source.startswith(FOLDED):
                yield f"after the comparison in cell [{before['execution_count']}] comes no folded explanation: {FOLDED!r}"
            if source.count("<details>") != source.count("\n\n</details>") or source.count("<details>") != sum(
                    (source.count(FOLDED), source.count(FINE_PRINT), len(TO_LOOK_UP.findall(source)))):
                yield f"a fold is not written as {FOLDED!r}, then paragraphs or a table, then a line </details>: {source[:60]!r}"


def unmarked(code):
    """An output that a GPU does not give, or not this one, says so beside it: the marks are explained in lesson 00."""
    for cell in code:
        source, number = "".join(cell["source"]), cell["execution_count"]
        differs = "nbval-ignore-output" in cell["metadata"].get("tags", [])
        if differs != bool(re.search(rf"(?m)^{DIFFERS}", source)):
            yield f"code cell [{number}] {'has no' if differs else 'is compared and has a'} comment that begins {DIFFERS!r}"
        if SIMULATED.search(source) and not re.search(rf"(?m)^{SIMULATED_ONLY}", source):
            yield f"code cell [{number}] asks the simulated driver and has no comment that begins {SIMULATED_ONLY!r}"


def without_words(code):
    """JupyterLab shows an output that is an image without a word for whoever does not see it. HTML can hold it, with its words."""
    for cell in code:
        for output in cell["outputs"]:
            images = re.findall(r"<img [^>]*>", "".join(output.get("data", {}).get("text/html", "")))
            if "image/png" in output.get("data", {}) or any('alt="' not in image for image in images):
                yield f"code cell [{cell['execution_count']}] shows an image without an alt text"


def dead_links(text, folder):
    for source in text:
        for target in re.findall(r"\]\(([^)#\s]+)", without_code(source)):
            if "://" not in target and not target.startswith("attachment:") and not os.path.exists(os.path.join(folder, target)):
                yield f"the link to {target} leads nowhere"


def left_overs(notebook):
    """What executing by command leaves in a file, and what changes at every run."""
    if "widgets" in notebook["metadata"]:
        yield "the state of widgets is in the metadata"
    if any("application/vnd.jupyter.widget-view+json" in output.get("data", {})
           for cell in notebook["cells"] for output in cell.get("outputs", ())):
        yield "a widget is kept, which opens as an error: tools/keep_outputs.py"
    for cell in notebook["cells"]:
        if "execution" in cell["metadata"]:
            yield f"times of execution are in the metadata of cell [{cell.get('execution_count')}]"
            break
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield "its kernel is not python3"


def without_code(source):
    return re.sub(r"```.*?```|`[^`\n]*`", "", source, flags=re.DOTALL)
