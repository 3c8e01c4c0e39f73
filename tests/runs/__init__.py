"""What was run where: the commands that test the course write a line when they are told to, and docs/runs.md shows the lines.

    records.py  a record, and the file of all, records.jsonl
    page.py     docs/runs.md

``pytest --record-run``, ``python -m tests.conformance --record-run`` and ``python -m tests.peers --record-run`` add one,
and write the page anew; no command does by itself. ``make test ARGS=--record-run`` hands the option on.
"""
