"""Explorers: widgets that answer, by real calls to the driver and by recordings, while you turn their switches.

    explorers.address()             everything that is known of an address
    explorers.copy_or_zero_copy()   read host memory in place, or copy it first: what was measured

Without arguments each shows its widget. With arguments it answers at once, in text, where widgets do not work. An
explorer holds nothing of the driver's between two clicks.
"""
from .address import address
from .copy_or_zero_copy import copy_or_zero_copy

__all__ = ["address", "copy_or_zero_copy"]
