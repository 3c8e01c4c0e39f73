"""Write docs/runs.md from records.jsonl: ``python -m tests.runs``, after lines were copied into it from another machine."""
from . import page

if __name__ == "__main__":
    page.write()
