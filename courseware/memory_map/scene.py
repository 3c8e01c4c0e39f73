"""What a memory map shows, before it is drawn: blocks of addresses, and the physical memory behind them.

A `Scene` holds facts and nothing else; observe.py makes one by asking the driver. Not here: places and sizes of the
picture (picture/layout.py).
"""
import functools
from dataclasses import dataclass, field

from course_lib.core.sizes import size
from course_lib.pointers.address_facts import Kind

NO_VARIABLE = "(no variable)"


@dataclass(frozen=True)
class PhysicalMemory:
    """A piece of physical memory. Views of one memory have equal ones."""

    key: tuple                                      # what tells it from other memory; no address to follow
    where: str = field(compare=False)               # "host", "device", or "both" for what moves between the two
    nbytes: int | None = field(compare=False)       # None where the driver does not tell


@dataclass(frozen=True)
class ReservedRange:
    """Addresses that cuMemAddressReserve gave. Its blocks are mapped, or they are not."""

    start: int
    nbytes: int | None = field(compare=False)       # None where the driver does not tell
    names: tuple = field(compare=False)


@dataclass(frozen=True)
class Block:
    """A range of addresses that belong together, or physical memory without an address: one row of the map.

    `host` and `device` are the addresses of its first byte on each side, None where it has none there. `memory` is
    None where nothing is behind the addresses.
    """

    names: tuple                            # of the notebook's variables
    kind: Kind
    nbytes: int | None = None
    host: int | None = None
    device: int | None = None
    memory: PhysicalMemory | None = None
    way_back: int | None = None             # HOST_POINTER of the device address; None where it has no answer
    no_way_back: str = ""                   # then: why
    forward: int | None = None              # what cuMemHostGetDevicePointer answers for the first byte
    no_forward: str = ""                    # the error that it answers instead; neither if there is no address to ask
    access: bool = True                     # False: memory is mapped, but no kernel may use it
    flags: tuple = ()                       # of page-locked memory, by name, as the driver reports them
    reservation: ReservedRange | None = None
    walked: bool = True                     # False: memory may be mapped in this part of it where nobody looked
    buffer_id: int | None = None
    unregistered: bool = False              # Kind.FREED: what was given back is the registration, the memory stays
    sides: dict = field(default_factory=dict, compare=False)    # name -> gather.AskedPlace.side, where that is known

    @property
    def name(self):
        """What to call it: its variables, or its place in a reservation."""
        if not self.names and self.reservation and self.reservation.names:
            offset = self.device - self.reservation.start
            return f"{self.reservation.names[0]} + {size(offset) if offset else 0}"
        return ", ".join(self.names) or NO_VARIABLE

    def name_at(self, side):
        """What to call its address at a side.

        "" if both sides have the same number, and none of the names is known to be of this side.
        """
        one_sided = self.host is None or self.device is None
        if one_sided or not self.names:
            return self.name if one_sided or side == "host" or self.host != self.device else ""
        differ = self.host != self.device
        of_side = (side, "either", "") if side == "host" or differ else (side, "either")
        names = ", ".join(name for name in self.names if self.sides.get(name, "") in of_side)
        return names or (NO_VARIABLE if differ else "")

    @property
    def kind_text(self):
        """The kind of memory in words."""
        if self.host is None and self.device is None and self.memory:
            return "physical memory without an address"
        words = ["unregistered" if self.unregistered else self.kind.value]
        if self.kind is Kind.PAGEABLE and self.nbytes is None:
            # a bare address: a freed part of pinned memory looks the same
            words.append("as a rule")
        if "writecombined" in self.flags:
            words.append("write-combined")
        if not self.access:
            words.append("no access for kernels")
        return ", ".join(words)


@dataclass(frozen=True)
class Scene:
    """All blocks, in the order in which they are shown; or the reason why there are none."""

    blocks: tuple = ()
    trouble: str = ""
    simulated: bool = False
    memory_names: dict = field(default_factory=dict)        # PhysicalMemory -> names of the variables that hold it
    left_out: dict = field(default_factory=dict)            # as gather.Gathered has it

    @functools.cached_property
    def letters(self):
        """{PhysicalMemory: "A", "B", ...}, in the order in which they are shown."""
        memories = dict.fromkeys(block.memory for block in self.blocks if block.memory)
        return {memory: letter(number_of) for number_of, memory in enumerate(memories)}

    @functools.cached_property
    def views(self):
        """{PhysicalMemory: the blocks that show it}."""
        views = {memory: [] for memory in self.letters}
        for block in self.blocks:
            if block.memory:
                views[block.memory].append(block)
        return views


def names_of(row, start=None):
    """The names of what leads to a range of addresses, those of interior addresses with their offset.

    row: list of (gather.AskedPlace, Facts)
    """
    names = [place.name if start in (None, byte := number_of(address_facts)) else f"{place.name} (+{byte - start})"
             for place, address_facts in row if place.name]
    return tuple(dict.fromkeys(names))


def number_of(address_facts):
    """The number by which the byte of some Facts is found: the host's, where it has one on each side."""
    if address_facts is None:
        return None
    return address_facts.address if address_facts.host_address is None else address_facts.host_address


def letter(place):
    """0 -> "A", 25 -> "Z", 26 -> "AA", as spreadsheets count columns."""
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)
