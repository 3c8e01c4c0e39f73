"""For every run of pytest, notebooks under nbval included: no learner's record takes part.

What a cell shows depends on the answers in the record, and a check must not write into it.
"""
import os

os.environ["COURSE_PROGRESS"] = "off"
