"""Imports every module that registers instruction forms, so that the table is complete."""

from . import (approximate, arithmetic, atomics, barrier, bits, compare, control, convert, copies,  # noqa: F401
               floating, half, memory, moves, video, warp)
