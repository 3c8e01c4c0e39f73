"""How fast each kind of memory is reached: measured on a GPU, or recorded on one.

`recordings` gives the recordings that come with the course. The simulated driver has no times: on it nothing is
measured, and nothing is estimated.
"""
from .files import load, recordings, save
from .recording import EXPERIMENTS, PATTERNS, Interval, LeftOut, Machine, Point, Recording, Series, Timeline

__all__ = ["EXPERIMENTS", "Interval", "LeftOut", "Machine", "PATTERNS", "Point", "Recording", "Series", "Timeline", "load",
           "recordings", "save"]
