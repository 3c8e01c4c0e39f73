"""docs/systems.md: every system whose answers are kept, beside each other, where any two differ.

Not here: what differs (comparing.py).
"""
import collections
import itertools
import os.path
from pathlib import Path

from .. import recording
from ..asking import QUESTIONS
from ..careful import NOT_ASKED
from . import comparing, files, report, topics

ROOT = Path(__file__).resolve().parents[3]      # packages/cuda-simulator
PAGE = ROOT / "docs" / "systems.md"
WIDEST = 90     # characters of an answer that a table shows
MOST = 40       # rows of one question
COLUMNS = {"driver": "driver", "CUDA": "cuda", "compute capability": "compute capability", "asked on": "date"}
MACHINE = ("memory", "system", "processor")     # of a file's header, for the last column

INTRODUCTION = """# Does another GPU answer the same?

Your program works on one GPU, or over the simulated driver, which answers as an H200 did. Will it still work on the GPU
that you rent next week? To find out, the same questions about CUDA were put to these systems:
"""
INVITATION = """Is your GPU missing? `python -m tests.conformance.systems ask`, in the folder packages/cuda-simulator, puts the questions to
it, and [their README](../tests/conformance/README.md#another-gpu) says how to add its file. [Another page](simulated-driver.md)
compares the simulated driver with the first system."""
DIFFERENCES = """## What differs

Between an H200 and an H100 most of it is sizes: how large the L2 cache is, and how much stack the threads may have. A program
that asks the device for its sizes does not notice.

Each table belongs to one question. Error codes stand without `CUDA_ERROR_`. Answers that vary from run to run, or with the
size of the memory, are left out."""
MADE = """(`python -m tests.conformance.systems page` writes this page from the files in
[tests/conformance/recorded](../tests/conformance/recorded).)"""


def write():
    """Write the page; returns the exit status."""
    PAGE.write_text(text(files.systems()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(files.systems())} systems")
    return 0


def text(systems):
    """The page, of [(header, answers)]."""
    heads, answers = [head | capability(answers_) for head, answers_ in systems], [answers_ for _, answers_ in systems]
    names, differing = system_names(heads), comparing.beside(answers)
    blocks = [INTRODUCTION.strip(), table(["system", *COLUMNS, "questions", "answers", "machine"], facts(names, heads, answers)),
              f"{summary(differing, answers)} {reach(heads)}".strip(), INVITATION, DIFFERENCES]
    for topic, questions in by_topic(differing).items():
        blocks.append(f"### {topic}")
        for question, says, rows in questions:
            rows = together([(topics.in_words(question, label) or "-", [cell_text(value) for value in values]) for label, values in rows])
            blocks += [f"**{sentence(question.title)}** (`{question.name}`)" + f" What rests on it: {says}." * bool(says)]
            blocks += [reason] if (reason := topics.REASONS.get(question.name)) else []
            blocks += [table(["asked", *names], rows[:MOST])] + [f"And {len(rows) - MOST} more."] * (len(rows) > MOST)
    if lacking := not_asked(names, answers):
        blocks += ["## What was not asked", table(["system", "questions", "about", "why"], lacking)]
    return "\n\n".join([*blocks, MADE]) + "\n"


def capability(answers):
    """The compute capability that the device itself reports, as a header has it."""
    attributes = answers.get(topics.ATTRIBUTES, {})
    parts = [attributes.get(topics.ATTRIBUTE[f"COMPUTE_CAPABILITY_{part}"]) for part in ("MAJOR", "MINOR")]
    return {} if None in parts else {"compute capability": ".".join(map(str, parts))}


def summary(differing, systems):
    """How much differs, in a sentence."""
    if len(systems) == 1:
        return "So far there is one system, and nothing to compare."
    shared = sum(sum(NOT_ASKED not in answers_.get(name, {NOT_ASKED: ""}) for answers_ in systems) > 1 for name in QUESTIONS)
    answers = sum(len(rows) for _, rows in differing)
    return (f"Of the {shared:,} questions that at least two of them were asked, {shared - len(differing):,} got the same answers. In the other "
            f"{len(differing)}, **{report.quantity(answers, 'answer')} differ{'s' * (answers == 1)}**.")


def reach(heads):
    """What all systems have in common, so that the page cannot tell what depends on it."""
    alike = [f"{field} {heads[0][field]}" for field in ("driver", "compute capability")
             if len(heads) > 1 and len({head.get(field) for head in heads}) == 1]
    return f"All of them have {' and '.join(alike)}, so the page cannot say what changes with another one." * bool(alike)


def together(rows):
    """Rows [label, *answers], where neighbours with the same answers are one row."""
    joined = []
    for values, alike in itertools.groupby(rows, key=lambda row: row[1]):
        labels = [label for label, _ in alike]
        start = os.path.commonprefix(labels).rpartition(" ")[0] + " " if len(labels) > 1 else ""
        start = start.lstrip()
        joined.append([start + ", ".join(label.removeprefix(start) for label in labels), *values])
    return joined


def system_names(heads):
    """A name for each: the device, and where two have the same, the driver, the day or both."""
    fields = [("device",), ("device", "driver"), ("device", "driver", "date")]
    names = [[", ".join(head[field] for field in chosen) for head in heads] for chosen in fields]
    return [next((name for name, all_of_them in zip(of_one, names) if all_of_them.count(name) == 1), of_one[-1])
            for of_one in zip(*names)]


def facts(names, heads, answers):
    """Rows of what is known of the systems: a file says what it can of its machine."""
    rows = []
    for name, head, answers_ in zip(names, heads, answers):
        answered = [by_label for by_label in answers_.values() if NOT_ASKED not in by_label]
        machine = {field: head[field] for field in MACHINE if field in head}
        if "memory" in machine:
            machine["memory"] = f"{machine['memory'] / (1 << 30):.1f} GiB"
        rows.append([name, *(str(head.get(field, "-")) for field in COLUMNS.values()), f"{len(answered):,}",
                     f"{sum(map(len, answered)):,}", "; ".join(machine.values()) or "not noted"])
    return rows


def by_topic(differing):
    """{topic: [(question, what rests on it, rows)]}, in the order of topics.py."""
    topic_rows = collections.defaultdict(dict)
    for question, rows in differing:
        for row in rows:
            part = topics.rest(question, row[0])
            topic_rows[part.topic].setdefault((question.name, part.says), []).append(row)
    order = list(topics.TOPICS.values())
    return {topic: [(QUESTIONS[name], says, rows) for (name, says), rows in topic_rows[topic].items()]
            for topic in sorted(topic_rows, key=order.index)}


def not_asked(names, answers):
    """Rows: how many questions a system was not asked that another was, about what, and why."""
    rows = []
    for name, answers_ in zip(names, answers):
        why_not = collections.defaultdict(list)
        for question in QUESTIONS.values():
            why = answers_.get(question.name, {NOT_ASKED: "they are newer than its file"}).get(NOT_ASKED)
            if why is not None and any(question.name in system for system in answers):
                why_not[why].append(topics.TOPICS[question.topic])
        rows += [[name, f"{len(about):,}", ", ".join(dict.fromkeys(about)), why] for why, about in why_not.items()]
    return rows


def table(head, rows):
    cells = [[cell.replace("|", "\\|") for cell in row] for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def sentence(title):
    """A question's title as a sentence: a name of CUDA at its start keeps its small letter."""
    return (title[0].upper() if title.partition(" ")[0].islower() else title[0]) + title[1:] + "."


def cell_text(answer):
    """An answer in a cell, cut where it is long: several results stand side by side."""
    in_words = ", ".join(map(recording.shown, answer)) if isinstance(answer, list) else recording.shown(answer)
    in_words = in_words.replace("\n", " ")
    return in_words if len(in_words) <= WIDEST else in_words[:WIDEST] + " ..."
