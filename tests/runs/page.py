"""docs/runs.md: what was run where and when, the newest run first."""
from . import records

PAGE = records.ROOT / "docs" / "runs.md"
SIMULATED = "(simulated)"
NEWEST = "make test-newest"
MOST_VERSIONS = 30      # of packages other than the lock's, in the list of one run

INTRODUCTION = """# What was run where

Each line was written by the command that it names, at the end of the run, on the machine that it names. What is not here
may have been run, and nobody told the command to write it down. "The lock" is [requirements.txt](../requirements.txt); a
plus sign after a commit: files differed from it.

(`--record-run` adds a line: `make test ARGS=--record-run`, and the same with `test-colab`, `test-cuda12` and
`test-newest`; `pytest --nbval --twice notebooks --record-run`; `python -m tests.conformance --record-run`, which compares
a GPU, or the simulated driver, with the recorded answers; `python -m tests.peers --record-run`, other projects' tests.
`python -m tests.runs` writes this page from [records.jsonl](../tests/runs/records.jsonl).)
"""


def write():
    PAGE.write_text(text(records.load()))


def text(found):
    """The page, of the records."""
    newest_first = sorted(found[::-1], key=lambda one: one["date"], reverse=True)     # of one day, the later lines first
    blocks = [INTRODUCTION.strip(), table(newest_first)]
    failed = [f"- {heading(one)}: {', '.join(f'`{name}`' for name in one['failures'])}{more(one)}"
              for one in newest_first if one["failures"]]
    if failed:
        blocks += ["## What failed", "\n".join(failed)]
    if weekly := [one for one in newest_first if one["command"].startswith(NEWEST)]:
        blocks += ["## Newer than the lock", f"`{NEWEST}` takes the newest release of everything. These were not the lock's:",
                   "\n".join(f"- {heading(one)}: {versions(one['not of the lock'])}" for one in weekly)]
    return "\n\n".join(blocks) + "\n"


def table(found):
    rows = ["| when | command | driver | Python, packages | what came of it | took | commit |", "|---|---|---|---|---|---|---|"]
    for one in found:
        versions = [f"Python {one['python']}", *(f"{name} {version}" for name, version in one["packages"].items())]
        cells = [one["date"], f"`{one['command']}`", f"{driver(one)}, {one['system']}", ", ".join(versions),
                 told(one["counts"]), took(one["seconds"]), one["commit"]]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def driver(one):
    """Such as "NVIDIA H200, driver 580.159.04, CUDA 13.0"."""
    which = "the simulated driver" if SIMULATED in one["device"] else f"{one['device']}, driver {one['driver']}"
    return f"{which}, CUDA {one['cuda']}"


def heading(one):
    return f"{one['date']}, `{one['command']}`, {driver(one)}"


def told(counts):
    """{"passed": 1234, "failed": 1} as "1,234 passed, 1 failed"."""
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "nothing"


def more(one):
    left = one["counts"].get("failed", 0) + one["counts"].get("errors", 0) - len(one["failures"])
    return f", and {left} more" if left > 0 else ""


def took(seconds):
    return f"{seconds} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def versions(packages):
    """Names and versions, those that CUDA is called by first; cut where there are many."""
    names = sorted(packages, key=lambda name: not records.NAMED.fullmatch(name))
    left = len(names) - MOST_VERSIONS
    shown = ", ".join(f"{name} {packages[name]}" for name in names[:MOST_VERSIONS]) or "none"
    return f"{shown}, and {left} more" if left > 0 else shown
