"""Other projects' own tests over the simulated driver: ``python -m tests.peers`` runs and counts them.

    suites.py    which projects, and which of their tests
    running.py   a suite, test by test, and what came of each; recording.py is the plugin for pytest that notes it
    counting.py  why tests fail, in groups, and the table of docs/other-projects.md

Not here: their tests. They are fetched from where they are published, at the version that is installed.
"""
