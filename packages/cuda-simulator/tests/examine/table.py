"""docs/examined-kernels.md: what each kernel of the corpus does, and what compute-sanitizer says; and the table of the published races.

    python -m tests.examine.table       writes the page, and prints the table as Markdown

What examining finds in the corpus is no column: test_corpus.py holds it to be all, and nothing else.
"""
import collections
import json
from pathlib import Path

from .corpus import CASES, PUBLISHED, RACES
from .sanitizer import TOOLS, VERDICTS

BAR = "\\|"         # within a table's cell
DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, KERNELS_PAGE = DOCS / "published-races.md", DOCS / "examined-kernels.md"

INTRODUCTION = """# Does it find your race, and does it accuse you wrongly?

A tool that looks for mistakes can fail in two ways. So here are {number} small kernels, {wrong} of them wrong in a way that we know and {clean} right, and
what two tools say of them:

| kernels with | kernels | examining, over the simulated driver | compute-sanitizer, on a GPU |
|---|---|---|---|
{rows}

Be careful with the third column. We wrote these kernels ([tests/examine/corpus](../tests/examine/corpus)), and a test holds examining to judge every one
of them correctly, so the column says little about *your* kernel. The [published races](published-races.md) say more, because other people
made those mistakes.

NVIDIA's compute-sanitizer ran each kernel with memcheck, racecheck, synccheck and initcheck, and a kernel counts if together they say what is wrong, and
nothing else. According to its documentation, racecheck looks only at shared memory, so it cannot name a race in global memory. On the other hand, it
needs no simulated driver, and it checks your program on the GPU on which it runs.

({sanitizer}, {device}. `python -m tests.examine.sanitizer` asks it, on a machine with a GPU, and `python -m tests.examine.table` writes this page.)
"""
# The kinds of mistakes, as the page names them: in the table, and as a heading.
HEADINGS = {
    "race": "a race",
    "barrier": "a barrier that not all threads reach",
    "barrier, race": "such a barrier and a race",
    "shuffle": "a shuffle that asks threads which have ended",
    "out-of-bounds": "an access outside an array",
    "uninitialised": "a read of memory that nothing has written",
    "clean": "no mistake",
}

KINDS = {"memcheck": "out-of-bounds", "racecheck": "race", "synccheck": "barrier", "initcheck": "uninitialised"}


def sanitizers(verdicts) -> str:
    """In our words: racecheck's errors and warnings are races, and so on."""
    answers = []
    for tool in TOOLS:
        verdict = verdicts.get(tool, {})
        if verdict.get("errors") is None:
            answers.append(f"{tool}: {'not ended' if 'not ended' in verdict.get('summary', '') else 'no answer'}")
        elif verdict["errors"] or verdict.get("warnings"):
            answers.append(KINDS.get(tool, f"{tool}: {verdict['errors']}"))
    return ", ".join(answers) or "clean"


def published_table(findings):
    """A sentence that counts the published races, and their table. found: {name: findings as dictionaries}, of PUBLISHED"""
    recorded = json.loads(VERDICTS.read_text())["kernels"]
    rows, counts = ["| race | reported | found here | racecheck | VirtualGPU |", "|---|---|---|---|---|"], [0, 0, 0]
    hazards = {name: bool(verdicts["racecheck"]["errors"] or verdicts["racecheck"]["warnings"]) for name, verdicts in recorded.items()}
    for name, race in RACES.items():
        lines, source = sorted({line for finding in findings[name] for _, line in finding["lines"]}), race.source.splitlines()
        texts = [source[line - 1].removesuffix("// <-").strip().replace("|", BAR) for line in lines]
        shared = any(finding["space"] == "shared" and finding["apart"] == 1 for finding in findings[name])
        answers = bool(lines), hazards[name], shared
        counts = [count + answer for count, answer in zip(counts, answers)]
        _, repository, _, number = race.url.removeprefix("https://github.com/").split("/")
        rows.append(f"| {race.statement} | [{repository} #{number}]({race.url}) "
                    f"| {' and '.join(f'`{text}`' for text in texts) or f'no: {race.missed}'} "
                    f"| {'yes' if hazards[name] else 'no'} | {'yes' if shared else 'no'} |")
    accused = [sum(bool(reported[name]) for name in PUBLISHED if name not in RACES) for reported in (findings, hazards)]
    return "\n".join((f"Of the {len(RACES)} races {counts[0]} are found here, {counts[1]} by racecheck, and {counts[2]} by VirtualGPU. Of the "
                      f"{len(RACES)} mended ones {accused[0]} are accused here, and {accused[1]} by racecheck.", "", *rows))


def kernels_page():
    """The page of the corpus."""
    recorded = json.loads(VERDICTS.read_text())
    verdicts = {name: sanitizers(recorded["kernels"][name]) for name in CASES}
    by_kind = collections.defaultdict(list)
    for name, case in CASES.items():
        by_kind[", ".join(sorted(case.expected)) or "clean"].append(name)
    right = {kind: sum(set(verdicts[name].split(", ")) == set(kind.split(", ")) for name in names) for kind, names in by_kind.items()}
    rows = [(HEADINGS[kind], *map(str, (len(by_kind[kind]), len(by_kind[kind]), right[kind]))) for kind in HEADINGS]
    rows.append(("all", *map(str, (len(CASES), len(CASES), sum(right.values())))))
    clean = by_kind["clean"]
    parts = [INTRODUCTION.format(number=len(CASES), wrong=len(CASES) - len(clean), clean=len(clean), rows=table(rows),
                                 sanitizer=recorded["sanitizer"], device=recorded["device"])]
    for kind in [kind for kind in HEADINGS if kind != "clean"]:
        statements = [(name, CASES[name].statement.replace("|", BAR), verdicts[name].replace("clean", "nothing")) for name in by_kind[kind]]
        parts.append(f"## Kernels with {HEADINGS[kind]}\n\n| kernel | what it does | compute-sanitizer |\n|---|---|---|\n{table(statements)}\n")
    accused = [f"`{name}` ({verdicts[name]})" for name in clean if verdicts[name] != "clean"]
    parts.append(f"## Kernels with no mistake\n\ncompute-sanitizer accuses {len(accused)} of them, {', '.join(accused[:-1])} and {accused[-1]}.\n\n| kernel | what it does |\n"
                 f"|---|---|\n{table([(name, CASES[name].statement.replace('|', BAR)) for name in clean])}\n")
    return "\n".join(parts)


def table(rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main():
    from .run_corpus import examine_case  # attaches the driver
    KERNELS_PAGE.write_text(kernels_page(), encoding="utf-8")
    print(published_table({name: examine_case(case) for name, case in PUBLISHED.items()}))


if __name__ == "__main__":
    main()
