"""``python -m cuda_simulator.systems``: the documented systems as Markdown, each rule with its source."""
from . import MARK, by_name


def tables():
    """A section for each documented system."""
    lines = []
    for system in by_name().values():
        if not system.recorded:
            lines += [f"### {system.name}", "", f"*{MARK.capitalize()}.* {system.about}", "",
                      "| question | answer | source |", "|---|---|---|"]
            lines += [f"| {rule.question} | {rule.answer} | {rule.source} |" for rule in system.rules] + [""]
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    print(tables(), end="")
