"""Debug information in PTX that was compiled with -G, as a tree of entries.

The compiler writes DWARF 2 as text: sections of .b8, .b32 and .b64 values, some of which are labels of the code or of another
section. An entry has a tag, attributes, and entries within it. (DWARF Debugging Information Format 2.0, section 7; PTX ISA,
"Debugging Directives: .section".)

Not here: what the entries say of variables (variables.py).
"""
import dataclasses
import re

SECTION = re.compile(r"\.section\s+\.(debug_\w+)\s*\{([^}]*)\}")
DATA = re.compile(r"\.b(8|16|32|64)\s+([^\n]+)")
LABEL = re.compile(r"([.$%\w]+?)(?:\+(\d+))?$")
FIXED = {0x0b: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x13: 4, 0x0c: 1, 0x01: 8}      # DW_FORM_... of so many bytes
SIGNED, UNSIGNED, STRING, BLOCK = 0x0d, 0x0f, 0x08, 0x0a                    # those of other lengths


class Unreadable(Exception):
    """Debug information in a form that is not known here."""


@dataclasses.dataclass
class DebugEntry:
    """A DIE, debugging information entry: a tag, {attribute: value}, and the entries within it."""

    tag: int
    attributes: dict
    children: list


class Section:
    """The bytes of a section, the labels that stand among them, and a place to read at."""

    def __init__(self, text):
        data, self.labels = bytearray(), {}      # labels: offset -> (name, distance)
        for bits, values in DATA.findall(text):
            for value in map(str.strip, values.split(",")):
                if not value.lstrip("-").isdigit():
                    name, distance = LABEL.match(value).groups()
                    self.labels[len(data)] = name, int(distance or 0)
                    value = 0
                data += (int(value) % (1 << int(bits))).to_bytes(int(bits) // 8, "little")
        self.data, self.at = bytes(data), 0

    def number(self, size):
        """A number of so many bytes, or the (name, distance) of the label that stands there."""
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise IndexError(start)
        return self.labels.get(start) or int.from_bytes(self.data[start:self.at], "little")

    def leb(self, signed=False):
        """A number of variable length: seven bits in each byte, the lowest first."""
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def text(self):
        end = self.data.index(0, self.at)
        text, self.at = self.data[self.at:end].decode(), end + 1
        return text

    def piece(self, size):
        """The next bytes as a Section of their own."""
        start, piece = self.at, Section("")
        self.at += size
        piece.data = self.data[start:self.at]
        piece.labels = {at - start: label for at, label in self.labels.items() if start <= at < self.at}
        return piece


class Tree:
    """All entries of a text: `root`, and `entries` by their offsets. Raises Unreadable."""

    def __init__(self, ptx):
        sections = {name: Section(text) for name, text in SECTION.findall(ptx)}
        self.entries, self.root = {}, DebugEntry(0, {}, [])
        if "debug_info" in sections:
            self._info, self._forms = sections["debug_info"], _abbreviations(sections["debug_abbrev"])
            self._info.at = 4                       # after the length
            if self._info.number(2) != 2:
                raise Unreadable("a version of DWARF other than 2")
            self._info.at = 11                      # after the header
            self.root = self._entry()

    def _entry(self):
        """The entry at the place to read, with all within it; None for the end of a list."""
        offset, info = self._info.at, self._info
        code = info.leb()
        if not code:
            return None
        tag, has_children, forms = self._forms[code]
        entry = self.entries[offset] = DebugEntry(tag, {name: _value(info, form) for name, form in forms}, [])
        while has_children and (child := self._entry()):
            entry.children.append(child)
        return entry


def _abbreviations(section):
    """{code: (tag, whether entries are within, [(attribute, form)])}"""
    abbreviations = {}
    while code := section.leb():
        tag, children, forms = section.leb(), section.number(1), []
        while (pair := (section.leb(), section.leb())) != (0, 0):
            forms.append(pair)
        abbreviations[code] = tag, bool(children), forms
    return abbreviations


def _value(section, form):
    if form in FIXED:
        return section.number(FIXED[form])
    if form in (SIGNED, UNSIGNED):
        return section.leb(form == SIGNED)
    if form == STRING:
        return section.text()
    if form == BLOCK:
        return section.piece(section.number(1))
    raise Unreadable(f"an attribute of the form {form:#x}")
