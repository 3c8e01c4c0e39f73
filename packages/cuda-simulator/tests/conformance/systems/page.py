"""docs/systems.md: every system whose answers are kept, beside each other, where any two differ.

Not here: what differs (comparing.py).
"""
import collections
from pathlib import Path

from .. import recording
from ..asking import QUESTIONS
from ..careful import NOT_ASKED
from . import comparing, files, report, topics

ROOT = Path(__file__).resolve().parents[3]      # packages/cuda-simulator
PAGE = ROOT / "docs" / "systems.md"
WIDEST = 90     # characters of an answer that a table shows
MOST = 40       # rows of one question
NOT_NOTED = "not noted"     # what a recording does not say of its machine

INTRODUCTION = """# Systems beside each other

What is true of one GPU need not be true of another, nor of another driver or operating system. Each system below was
asked the same questions about CUDA. This page has every answer in which any two of them differ, and what programs take
for granted of such an answer. Answers that vary from run to run, or by how much memory there is, are left out.

Your GPU is not here? `python -m tests.conformance.systems ask` asks it, and
[the README of the questions](../tests/conformance/README.md#another-gpu) says how to add its file. How the simulated driver compares with the
first system is on [another page](simulated-driver.md).

(`python -m tests.conformance.systems page` writes this page from the files in
[tests/conformance/recorded](../tests/conformance/recorded).)
"""
ROWS = {"driver": "driver", "CUDA": "cuda", "compute capability": "compute capability", "memory": "memory",
        "devices": "devices", "system": "system", "processor": "processor", "asked on": "date"}


def write():
    """Write the page; returns the exit status."""
    PAGE.write_text(text(files.systems()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(files.systems())} systems")
    return 0


def text(systems):
    """The page, of [(header, answers)]."""
    heads, answers = [head for head, _ in systems], [given for _, given in systems]
    names = named(heads)
    blocks = [INTRODUCTION.strip(), "## The systems", table(["", *names], facts(heads, answers)), "## What differs"]
    differing = comparing.beside(answers)
    blocks.append(summary(differing, len(systems)))
    for topic, questions in by_topic(differing).items():
        blocks.append(f"### {topic}")
        for question, says, rows in questions:
            cells = [[topics.told(question, label) or "-", *map(shown, values)] for label, values in rows[:MOST]]
            blocks += [f"**{question.name}: {question.title}.**" + (f" What rests on it: {says}." if says else ""),
                       table(["answer", *names], cells)]
            blocks += [f"And {len(rows) - MOST} more."] * (len(rows) > MOST)
    if lacking := not_asked(names, answers):
        blocks += ["## What was not asked", table(["system", "questions about", "how many", "why"], lacking)]
    return "\n\n".join(blocks) + "\n"


def summary(differing, systems):
    """How much differs, in a sentence."""
    if differing:
        answers = sum(len(rows) for _, rows in differing)
        return f"{report.counted(answers, 'answer')}, to {len(differing)} of {len(QUESTIONS):,} questions."
    return "Nothing." if systems > 1 else "Nothing, yet: there is one system."


def named(heads):
    """A name for each: the device, and where two have the same, the driver, the day or both."""
    fields = [("device",), ("device", "driver"), ("device", "driver", "date")]
    names = [[", ".join(head[field] for field in some) for head in heads] for some in fields]
    return [next((name for name, all_of_them in zip(of_one, names) if all_of_them.count(name) == 1), of_one[-1])
            for of_one in zip(*names)]


def facts(heads, answers):
    """Rows of what is known of the systems."""

    def told(head, field):
        value = head.get(field, NOT_NOTED)
        return f"{value / (1 << 30):.1f} GiB" if field == "memory" and isinstance(value, int) else str(value)
    rows = [[label, *(told(head, field) for head in heads)] for label, field in ROWS.items()]
    asked = [{name: given for name, given in given.items() if NOT_ASKED not in given} for given in answers]
    rows = [row for row in rows if set(row[1:]) != {NOT_NOTED}]
    return [*rows, ["questions", *(f"{len(given):,}" for given in asked)],
            ["answers", *(f"{sum(map(len, given.values())):,}" for given in asked)]]


def by_topic(differing):
    """{topic: [(question, what rests on it, rows)]}, in the order of topics.py."""
    topic_rows = collections.defaultdict(dict)
    for question, rows in differing:
        for row in rows:
            rest = topics.rest(question, row[0])
            topic_rows[rest.topic].setdefault((question.name, rest.says), []).append(row)
    order = list(topics.TOPICS.values())
    return {topic: [(QUESTIONS[name], says, rows) for (name, says), rows in topic_rows[topic].items()]
            for topic in sorted(topic_rows, key=order.index)}


def not_asked(names, answers):
    """Rows: which questions a system was not asked that another was, by subject and reason."""
    rows = []
    for name, given in zip(names, answers):
        why_not = collections.Counter()
        for question in QUESTIONS:
            why = given.get(question, {NOT_ASKED: "it was asked before there were these questions"}).get(NOT_ASKED)
            if why is not None and any(question in other for other in answers):
                why_not[question.partition(".")[0], why] += 1
        rows += [[name, subject, str(count), why] for (subject, why), count in why_not.items()]
    return rows


def table(head, rows):
    cells = [[cell.replace("|", "\\|") for cell in row] for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def shown(answer):
    """An answer in a cell, cut where it is long."""
    text = recording.shown(answer).replace("\n", " ")
    return text if len(text) <= WIDEST else text[:WIDEST] + " ..."
