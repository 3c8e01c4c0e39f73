"""How each kind of memory looks: in every plot and in the memory map it is the same.

The colours are Okabe and Ito's, which colour-blind readers tell apart ("Color Universal Design", 2008). Colour is
never the only sign: a kind of memory also has a marker (its points in plots) and a hatching (its bars and blocks).
"""
from dataclasses import dataclass

OKABE_ITO = {"black": "#000000", "orange": "#E69F00", "sky blue": "#56B4E9", "bluish green": "#009E73",
             "yellow": "#F0E442", "blue": "#0072B2", "vermillion": "#D55E00", "reddish purple": "#CC79A7"}


@dataclass(frozen=True)
class Look:
    """How one kind of memory is drawn."""

    colour: str         # as #rrggbb
    marker: str         # of matplotlib
    hatch: str          # of matplotlib


LOOKS = {name: Look(OKABE_ITO[colour], marker, hatch) for name, colour, marker, hatch in (
    ("pageable", "vermillion", "o", "//"),
    ("pinned", "blue", "s", ""),
    ("write-combined", "reddish purple", "^", "xx"),
    ("registered", "bluish green", "D", "\\\\"),
    ("managed", "yellow", "h", "++"),
    ("device", "black", "X", ".."),
    ("mapped reservation", "sky blue", "P", "--"),
    ("mapped reservation, on the host", "orange", "v", "||"),
    ("kernel heap", "reddish purple", "*", "oo"),
    ("reserved", "sky blue", "d", ""),
    ("shared", "bluish green", "p", "///"),
    ("constant", "orange", "<", "---"),
)}
