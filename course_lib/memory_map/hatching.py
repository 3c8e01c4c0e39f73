"""The hatchings of palette.py as SVG patterns: matplotlib's letters, drawn in a tile of 8 by 8."""
PATHS = {"/": "M-2 2L2 -2M0 8L8 0M6 10L10 6", "\\": "M6 -2L10 2M0 0L8 8M-2 6L2 10", "x": "M0 0L8 8M8 0L0 8",
         "+": "M4 0V8M0 4H8", "-": "M0 2H8M0 6H8", "|": "M2 0V8M6 0V8", ".": "M2 2h.01M6 6h.01",
         "o": "M4 2.2a1.8 1.8 0 1 0 .01 0"}


def pattern(identity, hatch, colour):
    """An SVG <pattern> of a hatching, as `matplotlib` names it ("//", "oo", "")."""
    width = 2.4 if hatch.startswith(".") else 1
    return (f'<pattern id="{identity}" width="8" height="8" patternUnits="userSpaceOnUse"><path d="{PATHS[hatch[0]]}" '
            f'fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/></pattern>')
