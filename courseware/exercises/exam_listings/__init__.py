"""The exam's pool: listings that the course does not show, a module for each lesson or two."""
from . import lesson02, lesson03, lesson04, lesson05, lesson06, lesson07, lesson08, lesson09, lessons00_01
from .listing import NOTEBOOKS, PRELUDE, Line, Listing, See, printed_by

__all__ = ["LISTINGS", "NOTEBOOKS", "PRELUDE", "Line", "Listing", "See", "printed_by"]

# id -> Listing, lesson by lesson
LISTINGS = {one.id: one
            for module in (lessons00_01, lesson02, lesson03, lesson04, lesson05, lesson06, lesson07, lesson08, lesson09)
            for one in module.LISTINGS}
