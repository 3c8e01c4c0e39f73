"""Other GPUs and systems: the questions put to a reader's own, its answers as a file, and what differs between files.

    python -m tests.conformance.systems ask       asks
    python -m tests.conformance.systems page      writes docs/systems.md

    machine.py      what a file says of the machine          files.py    the files: read, written, checked
    session.py      asks, keeps what is known, goes on       topics.py   what rests on an answer
    comparing.py    where two systems differ                 report.py, page.py  how that is told

Not here: the questions (../questions), how they are asked (../workers.py).
"""
