"""The corpus as a table: what each kernel does, what we find, what compute-sanitizer finds.

    python -m tests.examine.table       prints Markdown, with compute-sanitizer's column if sanitizer.json is there
"""
import json

from .corpus import CASES
from .run_corpus import examined
from .sanitizer import TOOLS, VERDICTS

KINDS = {"memcheck": "out-of-bounds", "racecheck": "race", "synccheck": "barrier", "initcheck": "uninitialised"}


def sanitizers(verdicts) -> str:
    """In our words: racecheck's errors and warnings are races, and so on."""
    found = []
    for tool in TOOLS:
        one = verdicts.get(tool, {})
        if one.get("errors") is None:
            found.append(f"{tool}: {'not ended' if 'not ended' in one.get('summary', '') else 'no answer'}")
        elif one["errors"] or one.get("warnings"):
            found.append(KINDS.get(tool, f"{tool}: {one['errors']}"))
    return ", ".join(found) or "clean"


def main():
    recorded = json.loads(VERDICTS.read_text()) if VERDICTS.exists() else {"kernels": {}}
    rows, ours, theirs = [], 0, 0
    for name, case in CASES.items():
        right = ", ".join(sorted(case.expected)) or "clean"
        found = ", ".join(sorted({one["kind"] for one in examined(case)})) or "clean"
        other = sanitizers(recorded["kernels"][name]) if name in recorded["kernels"] else "not asked"
        ours, theirs = ours + (found == right), theirs + (other == right)
        rows.append(f"| {name} | {case.statement} | {right} | {found} | {other} |")
    print("| kernel | what it does | right | here | compute-sanitizer |\n|---|---|---|---|---|")
    print("\n".join(rows))
    print(f"\nRight: {ours} of {len(CASES)} here, {theirs} by compute-sanitizer"
          + (f" ({recorded['sanitizer']}, {recorded['device']})." if recorded["kernels"] else " (not asked)."))


if __name__ == "__main__":
    main()
