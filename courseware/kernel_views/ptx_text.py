"""PTX as text: its instructions, and the places in the source that the compiler says they are from.

NVRTC writes `.loc file line column` before what comes from one place (PTX ISA, "Debugging Directives: .loc"). Of what
is inlined, `inlined_at` names the call's own place, and a `.loc` of that place stands further up.

Not here: what an instruction does (cuda_simulator/ptx), and how a listing looks (listing.py).
"""
import dataclasses
import os
import re

COMMENT = re.compile(r'("[^"\n]*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
STATEMENT = re.compile(r"""
    (?P<line>      \.(?:loc|file|version|target|address_size)\b[^\n]* )
  | (?P<section>   \.section\b[^{]*\{[^}]*\} )
  | (?P<head>      (?:\.\w+\s+)*\.(?:entry|func)\b[^{;]* )
  | (?P<directive> \.[^;]*; )
  | (?P<label>     [\w$]+\s*:(?!:) )
  | (?P<code>      [@\w][^;]*; )
""", re.VERBOSE)
NAME = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
LOC = re.compile(r"\.loc\s+(\d+) (\d+) (\d+)(?:.*inlined_at (\d+) (\d+) (\d+))?")
FILE = re.compile(r'\.file\s+(\d+) "([^"]*)"')
VARIABLE = re.compile(r"\.(?:shared|local|global|const)\b[^=;]*?([\w$]+)\s*(?:\[[^=;]*)?[=;]")


@dataclasses.dataclass(frozen=True)
class PtxStatement:
    """One instruction or label of a function.

    places: (file, line) of it, then of the call that it was inlined into, and so on; () where the compiler does not say
    """

    function: str
    text: str
    places: tuple
    number: int         # in the order of the function's PTX, from 1; 0 for a label

    @property
    def opcode(self):
        """``ld.global.f32``, without the predicate before it; "" for a label."""
        words = [word for word in self.text.split() if not word.startswith("@")]
        return words[0].rstrip(";") if self.number else ""


class PtxText:
    """What is in a PTX text: `instructions` in their order, and what else a reader may ask for."""

    def __init__(self, ptx):
        self.instructions = []
        self.first_places = {}      # function -> (file, line) where it begins, if the compiler says
        self.memory = {}            # name of a variable -> its declaration, without initial values
        self.directives = {}        # ".reg" and so on, as the keys; in their order
        self._function, self._number = "", 0
        self._places, self._chains, self._labels = (), {}, []
        text = COMMENT.sub(lambda match: match[1] or " ", ptx)
        self._files = {number: os.path.basename(name) for number, name in FILE.findall(text)}
        for statement in STATEMENT.finditer(text):
            getattr(self, f"_{statement.lastgroup}")(" ".join(statement[0].split()))

    def calls(self, function):
        """The names of this text's functions that `function` may come to by calls, itself among them."""
        called, to_do = set(), [function]
        while to_do:
            name = to_do.pop()
            called.add(name)
            words = {word for instruction in self.instructions
                     if instruction.function == name and instruction.opcode.startswith(("call", "mov"))
                     for word in re.findall(r"[\w$]+", instruction.text)}
            functions = {instruction.function for instruction in self.instructions}
            to_do += [function for function in functions & words if function not in called]
        return called

    def _line(self, text):
        location = LOC.match(text)
        self.directives.setdefault(text.split()[0])
        if not location:
            return
        place, caller = location.group(1, 2, 3), location.group(4, 5, 6)
        if int(place[1]):       # line 0: the compiler says nothing new
            chain = (place, *self._chains.get(caller, (caller,) if caller[0] else ()))
            self._chains[place] = chain
            self._places = tuple((self._files.get(file, ""), int(line)) for file, line, _ in chain)
            self.first_places.setdefault(self._function, self._places[-1])

    def _section(self, text):
        self.directives.setdefault(text.split()[0])

    def _head(self, text):
        self._function, self._number, self._places, self._chains = NAME.search(text)[1], 0, (), {}
        self.directives |= dict.fromkeys(re.findall(r"(?<![\w.])\.(?:entry|func|param)\b", text))

    def _directive(self, text):
        variable = VARIABLE.search(text)
        if variable:
            self.memory[variable[1]] = text.split("=")[0].strip(" ;") + ";"
        else:
            self.directives.setdefault(text.split()[0])

    def _label(self, text):
        self._labels.append(text)

    def _code(self, text):
        # A label belongs to what comes after it; a .loc may stand between the two.
        self.instructions += [PtxStatement(self._function, label, self._places, 0) for label in self._labels]
        self._labels = []
        self._number += 1
        self.instructions.append(PtxStatement(self._function, text, self._places, self._number))
