"""``python -m tests.follow``: run the programs and keep their steps, in steps/. Read what has changed before you commit it."""
from courseware.follow import follow

from .programs import PROGRAMS
from .test_programs import kept

if __name__ == "__main__":
    for program in PROGRAMS:
        kept(program).write_text(f"{follow(program)!r}\n")
