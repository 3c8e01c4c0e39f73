"""Explorers: widgets that put real calls to the driver while you turn their switches.

    explorers.pinned_flags()        flags of pinned memory: asked for, and reported
    explorers.reservation_steps()   a virtual reservation, step by step, and what fails after each step
    explorers.address()             everything that is known of an address

Without arguments each shows its widget. With arguments it answers at once, in text, where widgets do not work. An
explorer holds nothing of the driver's between two clicks.
"""
from .address import address
from .pinned_flags import pinned_flags
from .reservation_steps import reservation_steps

__all__ = ["address", "pinned_flags", "reservation_steps"]
