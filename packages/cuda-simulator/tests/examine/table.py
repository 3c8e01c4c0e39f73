"""The corpus as a table: what each kernel does, what we find, what compute-sanitizer finds; and a table of the published races.

    python -m tests.examine.table       prints both as Markdown, with compute-sanitizer's column if sanitizer.json is there
"""
import collections
import json
from pathlib import Path

from .corpus import CASES, PUBLISHED, RACES
from .sanitizer import TOOLS, VERDICTS

BAR = "\\|"         # within a table's cell
PAGE = Path(__file__).resolve().parents[2] / "docs" / "published-races.md"

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


def published(findings):
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


def main():
    from .run_corpus import examined  # attaches the driver
    recorded = json.loads(VERDICTS.read_text()) if VERDICTS.exists() else {"kernels": {}}
    rows_by_kind, ours, theirs = collections.defaultdict(list), 0, 0
    for name, case in CASES.items():
        right = ", ".join(sorted(case.expected)) or "clean"
        here = ", ".join(sorted({finding["kind"] for finding in examined(case)})) or "clean"
        sanitizer = sanitizers(recorded["kernels"][name]) if name in recorded["kernels"] else "not asked"
        ours, theirs = ours + (here == right), theirs + (sanitizer == right)
        rows_by_kind[right].append(f"| {name} | {case.statement.replace('|', BAR)} | {here} | {sanitizer} |")
    print(f"Judged correctly: {ours} of {len(CASES)} here, {theirs} by compute-sanitizer"
          + (f" ({recorded['sanitizer']}, {recorded['device']})." if recorded["kernels"] else " (not asked)."))
    for kind in sorted(rows_by_kind, key=lambda kind: (kind == "clean", kind)):
        print("\n".join((f"\n## {kind.capitalize()}\n", "| kernel | what it does | here | compute-sanitizer |", "|---|---|---|---|",
                         *rows_by_kind[kind])))
    print(f"\n{published({name: examined(case) for name, case in PUBLISHED.items()})}")


if __name__ == "__main__":
    main()
