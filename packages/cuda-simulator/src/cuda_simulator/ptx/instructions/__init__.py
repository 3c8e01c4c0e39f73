"""What each instruction does, one module for a family of them; importing all fills the table of forms (forms.py)."""

from . import (  # noqa: F401
    approximate,
    arithmetic,
    async_copies,
    atomics,
    barrier,
    bits,
    compare,
    control,
    convert,
    counted_barrier,
    eight_bit_floats,
    floating,
    half,
    memory_access,
    moves,
    video,
    warp,
)
