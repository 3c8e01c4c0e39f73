"""Kernels looked at from the side: functions that show what a run does not.

- `source` shows a kernel's lines beside the PTX that they became (listing.py);
- `examine` tells the mistakes that a GPU overlooks: races, barriers that not all threads come to, reads of what nobody
  wrote (examination.py);
- `bank_conflicts` counts the turns that shared memory takes (banks.py).

All but `source` run a function over the simulated driver, on every machine. Not here: compiling and launching
(course_lib.kernels).
"""
from .banks import bank_conflicts
from .examination import Examined, examine
from .listing import SourceListing, source

__all__ = ["Examined", "SourceListing", "bank_conflicts", "examine", "source"]
