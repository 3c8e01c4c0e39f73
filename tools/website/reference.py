"""The reference of course_lib and of what cuda_simulator has for others, by pdoc: ``python tools/website/reference.py FOLDER``.

It is made from the docstrings, in a process of its own, because it imports both. pdoc shows values and texts that tell a reader nothing:
paths of the builder's machine, and what Boost.Python says of a constructor that a class inherits from PyCUDA's. They are left out of
the pages and of what the search knows. Not here: the other pages (build.py).
"""
import sys
from functools import cached_property
from pathlib import Path

import pdoc

# Packages, and what of them is not for users.
SUBJECTS = ["course_lib", "cuda_simulator", r"!cuda_simulator\.(?!pytest_plugin)", "!course_lib.__main__"]


def without(kind, name, words):
    """Have a text of pdoc's be empty if it has one of these words in it."""
    whole = getattr(kind, name).func

    def text(self):
        rendered = whole(self)
        return "" if any(word in rendered for word in words) else rendered
    setattr(kind, name, cached_property(text))
    getattr(kind, name).__set_name__(kind, name)


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])      # the packages of this checkout
    without(pdoc.doc.Variable, "default_value_str", ["'/", str(Path.home())])
    without(pdoc.doc.Function, "docstring", ["C++ signature"])
    pdoc.pdoc(*SUBJECTS, output_directory=Path(sys.argv[1]))
