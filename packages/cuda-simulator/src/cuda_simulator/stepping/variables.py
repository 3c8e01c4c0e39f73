"""The parameters of a source's functions and the variables of its module, as the compiler's debug information has them.

For PTX that was compiled with -G. (DWARF Debugging Information Format 2.0, sections 2, 4 and 5.)

    of_functions(ptx)["scale"] -> [SourceVariable("x", SourceType("pointer", 8, SourceType("signed", 4))), ...]

Not here: how the information is read (entries.py), and what memory holds (thread.py).
"""
import dataclasses

from .entries import Section, Tree, Unreadable

# DW_TAG_... and DW_AT_... of the standard; LINKAGE is the name that a function has in PTX.
ARRAY, CLASS, ENUMERATION, PARAMETER, MEMBER, POINTER, REFERENCE, STRUCTURE = 0x01, 0x02, 0x04, 0x05, 0x0d, 0x0f, 0x10, 0x13
TYPEDEF, SUBRANGE, BASE, CONST, SUBPROGRAM, VARIABLE, VOLATILE, RESTRICT = 0x16, 0x21, 0x24, 0x26, 0x2e, 0x34, 0x35, 0x37
LOCATION, NAME, SIZE, LOW, UPPER, ORIGIN = 0x02, 0x03, 0x0b, 0x11, 0x2f, 0x31
COUNT, WITHIN, ENCODING, TYPE, LINKAGE = 0x37, 0x38, 0x3e, 0x49, 0x2007
OP_ADDRESS = 0x03
KINDS = {2: "bool", 4: "float", 5: "signed", 6: "signed", 7: "unsigned", 8: "unsigned"}    # DW_ATE_...


@dataclasses.dataclass
class SourceType:
    """A type of the source. `kind`: bool, float, signed, unsigned, pointer, array, struct, or "" for any other."""

    kind: str
    size: int = 0
    of: object = None                   # what a pointer points at, or an array is of; None for void
    members: tuple = ()                 # of a struct: (name, offset, SourceType)

    def part(self, offset, size):
        """How the source writes the `size` bytes at an offset in this type, ``[2].x``, and their SourceType; None where nobody can say."""
        if self.kind == "array" and self.of.size:
            inner = self.of.part(offset % self.of.size, size)
            return inner and (f"[{offset // self.of.size}]{inner[0]}", inner[1])
        for name, start, type_ in self.members:
            if start <= offset < start + type_.size:
                inner = type_.part(offset - start, size)
                return inner and (f".{name}{inner[0]}", inner[1])
        return ("", self) if offset == 0 and size == self.size and self.kind not in ("", "array", "struct") else None


@dataclasses.dataclass(frozen=True)
class SourceVariable:
    """A parameter of a function, whose name may be empty, or a variable of the module, which has a symbol in PTX."""

    name: str
    type: SourceType
    symbol: str = ""


def of_functions(ptx):
    """{function's name in PTX: the SourceVariables of its parameters}; those of the module under "". Raises Unreadable.

    Where the text has no debug information there are none.
    """
    try:
        return _Information(Tree(ptx)).functions()
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:     # not as the standard has it
        raise Unreadable(f"not as NVRTC of CUDA 12.9 to 13.5 writes it: {error!r}") from error


class _Information:
    """What the tree of entries says of variables and types."""

    def __init__(self, tree):
        self.tree, self.types = tree, {}

    def functions(self):
        variables = {"": [self._variable(entry) for entry in self.tree.root.children if entry.tag == VARIABLE]}
        for entry in self.tree.root.children:
            if entry.tag == SUBPROGRAM and LOW in entry.attributes:
                name = self._attribute(entry, LINKAGE) or self._attribute(entry, NAME)
                variables[name] = [self._variable(inner) for inner in entry.children if inner.tag == PARAMETER]
        return variables

    def _variable(self, entry):
        type_ = self._type(self._attribute(entry, TYPE))
        return SourceVariable(self._attribute(entry, NAME) or "", type_, _symbol(entry.attributes.get(LOCATION)))

    def _attribute(self, entry, name):
        """Of the entry, or of the one that it was made from."""
        if name not in entry.attributes and ORIGIN in entry.attributes:
            return self._attribute(self.tree.entries[entry.attributes[ORIGIN]], name)
        return entry.attributes.get(name)

    def _type(self, offset):
        if offset is None:
            return SourceType("")
        if offset not in self.types:
            entry = self.tree.entries[offset]
            if entry.tag in (TYPEDEF, CONST, VOLATILE, RESTRICT):
                self.types[offset] = self._type(entry.attributes.get(TYPE))
            else:
                type_ = self.types[offset] = SourceType("", entry.attributes.get(SIZE, 0))    # a struct may point at itself
                self._fill(type_, entry)
        return self.types[offset]

    def _fill(self, type_, entry):
        attributes = entry.attributes
        if entry.tag == BASE:
            type_.kind = KINDS.get(attributes[ENCODING], "")
        elif entry.tag == ENUMERATION:
            type_.kind = "signed"
        elif entry.tag in (POINTER, REFERENCE):
            type_.kind, type_.size, type_.of = "pointer", 8, self._type(attributes[TYPE]) if TYPE in attributes else None
        elif entry.tag == ARRAY:
            counts = [bound.attributes.get(COUNT, bound.attributes.get(UPPER, -1) + 1) for bound in entry.children if bound.tag == SUBRANGE]
            inner = self._type(attributes[TYPE])
            for count in reversed(counts[1:]):
                inner = SourceType("array", inner.size * count, inner)
            type_.kind, type_.of, type_.size = "array", inner, inner.size * counts[0]
        elif entry.tag in (STRUCTURE, CLASS):
            type_.kind = "struct"
            type_.members = tuple((member.attributes[NAME], _distance(member.attributes[WITHIN]), self._type(member.attributes[TYPE]))
                                  for member in entry.children
                                  if member.tag == MEMBER and WITHIN in member.attributes and NAME in member.attributes)


def _symbol(expression):
    """What a location expression names, where it is one address; else ""."""
    if not isinstance(expression, Section) or not expression.data or expression.number(1) != OP_ADDRESS:
        return ""
    symbol, _ = expression.number(8)
    return symbol


def _distance(expression):
    """Of a member from the start of its struct."""
    expression.at = 1
    return expression.leb()
