"""For every run of pytest in this folder, notebooks under nbval included: tools/course_pytest.py.

No learner's record takes part: what a cell shows depends on the answers in the record, and a check must not write into it.
"""
import os

os.environ["COURSE_PROGRESS"] = "off"
pytest_plugins = ["course_pytest"]
