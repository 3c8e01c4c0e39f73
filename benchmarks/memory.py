"""The memory that each lesson takes: its kernel, and what the kernel starts, at their largest together.

    python benchmarks/memory.py                 every notebook
    python benchmarks/memory.py 04 05           those whose names begin so

Binder gives 2 GB, and JupyterLab itself takes some; so a lesson that takes more than 1 GB is pointed out, and the exit
status is 1. What processes share (libraries, simulated memory) is counted for each of them: the figures are upper bounds.
"""
import os
import sys
import threading
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
LIMIT = 1e9         # bytes
EVERY = 0.02        # seconds between two looks


def peak(path):
    """The largest sum of the resident sizes of the processes that a run of this notebook starts, in bytes."""
    done, sizes = threading.Event(), [0]

    def watch():
        while not done.wait(EVERY):
            sizes.append(sum(map(resident, psutil.Process().children(recursive=True))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        NotebookClient(nbformat.read(path, 4), timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    finally:
        done.set()
        watcher.join()
    return max(sizes)


def resident(process):
    try:
        return process.memory_info().rss
    except psutil.NoSuchProcess:        # it has ended since it was listed
        return 0


def main(beginnings):
    os.environ["COURSE_PROGRESS"] = "off"
    worst = 0
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if path.name.startswith(tuple(beginnings) or ""):
            size = peak(path)
            print(f"{size / 1e6:6.0f} MB   {path.name}{'   over 1 GB' if size > LIMIT else ''}", flush=True)
            worst = max(worst, size)
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
