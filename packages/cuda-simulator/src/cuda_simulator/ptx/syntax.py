"""PTX text -> program.PtxProgram (PTX ISA 4 and 5).

A recursive-descent parser over the tokens of tokens.py. It knows the grammar: directives, declarations, scopes,
operands. It does not know any opcode; instructions/forms.py does.
"""

from __future__ import annotations

import re
from collections import Counter

from . import declarations
from .absent import not_simulated
from .program import (
    SINK,
    Address,
    Arguments,
    Immediate,
    Initialiser,
    Instruction,
    Not,
    Pair,
    PtxFunction,
    PtxProgram,
    Register,
    Special,
    Symbol,
    Variable,
    Vector,
)
from .tokens import TokenReader
from .types import TYPES

TARGET = re.compile(r"(sm|compute)_\d+[af]?|debug|texmode_unified|texmode_independent|map_f64_to_f32")
LINKAGE = {".extern", ".visible", ".weak", ".common"}
WEAK = {".weak", ".common"}
SPACES = {".global", ".const", ".shared", ".local", ".param"}
OTHER_OPERANDS = ("tex.", "tld4.", "txq.", "suld.", "sust.", "sured.", "suq.")    # [texture, {x, y}], which nothing else has
LIMITS = {".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg", ".noreturn", ".pragma"}


class Scope(dict):
    """Names declared between one pair of braces; unknown names are looked up outside."""

    def __init__(self, outer=None):
        super().__init__()
        self.outer = outer

    def find(self, name: str):
        scope = self
        while scope is not None:
            if name in scope:
                return scope[name]
            scope = scope.outer
        return None


class Parser(TokenReader):
    """Goes through the tokens once; each method reads one construct of the grammar and leaves what follows it."""

    def __init__(self, text: str):
        super().__init__(text)
        self.program = PtxProgram(text=text)

    # ---- module level ----------------------------------------------------------------------------------------

    def parse(self) -> PtxProgram:
        self._header()
        while self.kind != "end":
            token = self.token
            if token == ".file":
                self.next()
                number = self._integer(self.next())
                name = self.next().strip('"')
                if self.program.files.setdefault(number, name) != name:     # the same once more is what Numba's debug information has
                    self.fail(f"file {number} is declared twice")
                while self.accept(","):
                    self.next()
            elif token == ".section":
                self._skip_section()
            elif self.kind == "loc":
                self.next()
            else:
                self._declaration()
        return self.program

    def _header(self):
        """`.version 8.0 .target sm_80, debug .address_size 64`, in this order."""
        self.expect(".version")
        self.program.version = self.next()
        if self.token != ".target":
            self.fail("no .target behind the .version")
        words = []
        while self.accept(".target"):
            words.append(self.next())
            while self.accept(","):
                words.append(self.next())
        self.program.target = words[0]
        if "debug" in words and ".section" not in self.program.text:
            self.fail(".target debug without debug information")
        if unknown := [word for word in words if not TARGET.fullmatch(word)]:
            self.fail(f"there is no target {unknown[0]}")
        if self.accept(".address_size") and self._integer(self.next()) != 64:
            self.fail("addresses have 64 bits here")

    def _skip_section(self):
        """Debug information (DWARF): nothing in it runs."""
        while self.next() != "{":
            pass
        while self.next() != "}":
            pass

    def _declaration(self):
        start, linkage = self.line, set()
        if self.token in LINKAGE:
            linkage.add(self.next())
        weak = bool(linkage & WEAK)
        if self.token in (".func", ".entry"):
            function = self._function(weak)
            if function.defined and ".extern" in linkage:
                self.fail(f"{function.name} is .extern and defined", start)
            if not (linkage or function.entry):
                self.program.local.add(function.name)
        elif self.token in SPACES:
            if self.token == ".param":
                self.fail("a parameter outside of a function", start)
            for variable in self._variables(None, ".extern" in linkage):
                declarations.check(variable, self.program, self.fail)
                if not linkage:
                    self.program.local.add(variable.name)
                earlier = self.program.variables.get(variable.name)
                if variable.external:
                    self.program.variables.setdefault(variable.name, variable)
                elif self._counts(variable.name, earlier and not earlier.external, weak):
                    self.program.variables[variable.name] = variable
        else:
            self.fail(f"unknown directive {self.token!r}{not_simulated(self.token)}", start)

    def _counts(self, name, is_defined, weak) -> bool:
        """Whether a definition counts where the name is defined already, by a text before it in a link: if that one is weak,
        and it is not. PtxError if neither is weak."""
        if is_defined and not weak and name not in self.program.weak:
            self.fail(f"{name} is defined twice")
        counts = not is_defined or (name in self.program.weak and not weak)
        if counts:
            (self.program.weak.add if weak else self.program.weak.discard)(name)
        return counts

    # ---- variables -------------------------------------------------------------------------------------------

    def _variables(self, scope, external=False):
        """`.global .align 4 .u32 a[2] = {1, 2}, b;` -> Variables."""
        line = self.line
        space = self.next()[1:]
        type_, align, lanes, managed = self._type_and_attributes(line)
        while True:
            name = self._new_name()
            count = lanes
            while self.accept("["):
                count *= 0 if self.token == "]" else self._integer(self.next())
                self.expect("]")
            initial = self._initial() if self.accept("=") else []
            if count == 0 and initial:
                count = len(initial)
            if len(initial) > count:
                self.fail(f"{name} has room for {count} values, and is given {len(initial)}", line)
            unique = name if scope is None else self._declare(scope, name)
            yield Variable(unique, space, type_, count * max(type_.size, 1), align or max(type_.size, 1) * lanes,
                           initial, external, managed, line)
            if self.token == ")" or self.token == "," and self.following == ".param":
                return                    # in a parameter list, which has its own commas
            if not self.accept(","):
                break
        self.expect(";")

    def _type_and_attributes(self, line):
        """`.align 16 .v4 .f32` -> Type, alignment (0: that of the type), elements of a vector, __managed__ or not."""
        align, type_, lanes, managed, pointer = 0, None, 1, False, False
        while self.token.startswith("."):
            word = self.next()
            if word == ".align":
                align = self._integer(self.next())
                if align < 1 or align & (align - 1) or align > declarations.MOST_ALIGNMENT:
                    self.fail(f"an alignment of {align}: it has to be a power of two", line)
            elif word in (".v2", ".v4"):
                lanes = int(word[2:])
            elif word == ".attribute":
                managed = ".managed" in self._parenthesised()
            elif word == ".ptr":
                pointer = True
            elif word in SPACES and pointer:     # .param .u64 .ptr .global .align 8 name: what the pointer points at
                continue
            elif word in SPACES or word[1:] in TYPES and type_:
                self.fail(f"a second state space or type, {word}", line)
            elif word[1:] in TYPES:
                type_ = TYPES[word[1:]]
            else:
                self.fail(f"unknown type or attribute {word!r}{not_simulated(word)}", line)
        if type_ is None:
            self.fail("a variable without a type", line)
        if type_.kind == "p":
            self.fail("a predicate can be in a register alone", line)
        if lanes * type_.bits > 128:
            self.fail("a vector of more than 128 bits", line)
        return type_, align, lanes, managed

    def _new_name(self) -> str:
        """The name of what is declared here."""
        if self.kind != "word" or "." in self.token:
            self.fail(f"{self.token!r} is no name")
        return self.next()

    def _parenthesised(self) -> list[str]:
        self.expect("(")
        words = []
        while not self.accept(")"):
            words.append(self.next())
        return words

    def _initial(self) -> list:
        if not self.accept("{"):
            return [self._element()]
        elements = []
        while not self.accept("}"):
            if self.token == "{":
                elements += self._initial()
            else:
                elements.append(self._element())
            self.accept(",")
        return elements

    def _element(self):
        """One initial value: a literal, a symbol, generic(symbol)+8, or one byte of an address."""
        if self.kind == "number" or self.token == "-":
            value = self._number()
            if not self.accept("("):
                return value
            inner = self._element()       # 0xFF00(symbol): the bytes of an address, one by one
            self.expect(")")
            return Initialiser(inner.symbol, inner.offset, value.value)
        name = self.next()
        if name == "generic":
            self.expect("(")
            name = self.next()
            inner = self._offset()
            self.expect(")")
        else:
            inner = 0
        return Initialiser(name, inner + self._offset())

    def _offset(self) -> int:
        offset = 0
        while self.token in ("+", "-"):
            sign = -1 if self.next() == "-" else 1
            if self.accept("-"):          # [%rd26+-4]
                sign = -sign
            offset += sign * self._integer(self.next())
        return offset

    # ---- functions -------------------------------------------------------------------------------------------

    def _function(self, weak):
        line = self.line
        function = PtxFunction("", self.next() == ".entry", line=line)
        scope = Scope()
        self._declared = Counter()
        if self.token == "(":
            if function.entry:
                self.fail("a kernel returns nothing")
            function.results = self._parameters(scope)
        function.name = self._new_name()
        if self.token == "(":
            function.parameters = self._parameters(scope)
        if function.name in self.program.variables:
            self.fail(f"{function.name} is a variable, and a function")
        if function.entry:
            declarations.check_parameters(function, self.program.version, self.fail)
        while self.token in LIMITS:
            name = self.next()[1:]
            values = []
            while self.kind in ("number", "string"):
                values.append(self.next())
                if not self.accept(","):
                    break
            if name == "pragma":
                self.expect(";")
            elif not declarations.limit_fits(name, values, function):
                self.fail(f".{name} {', '.join(values)} is not what a kernel can have", line)
            function.limits[name] = values
        if why := not_simulated(self.token):
            self.fail(f"the simulation does not know {self.token}{why}")
        if self.accept(";"):
            self.program.functions.setdefault(function.name, function)
            return function
        self.expect("{")
        function.defined = True
        self._body(function, scope)
        earlier = self.program.functions.get(function.name)
        if self._counts(function.name, earlier and earlier.defined, weak):
            self.program.functions[function.name] = function
        return function

    def _parameters(self, scope) -> list:
        self.expect("(")
        parameters = []
        while not self.accept(")"):
            parameters += self._variables(scope) if self.token == ".param" else self.fail("expected .param")
            if not self.accept(","):
                self.expect(")")
                break
        return parameters

    def _declare(self, scope, name: str, operand=Symbol) -> str:
        """Give a declared name a spelling of its own in the function; remember what it stands for."""
        if name in scope:
            self.fail(f"{name} is declared twice")
        unique = f"{name}'{self._declared[name]}" if name in self._declared else name
        self._declared[name] += 1
        scope[name] = operand(unique)
        return unique

    def _body(self, function, scope):
        source = None
        depth = 1
        while depth:
            token = self.token
            if self.kind == "end":
                self.fail("the function does not end")
            if self.kind == "loc":
                source = self._place(source)
            elif token == "{":
                self.next()
                depth += 1
                scope = Scope(scope)
            elif token == "}":
                self.next()
                depth -= 1
                scope = scope.outer
            elif token == ".reg" or token.startswith(".reg."):     # `.reg .b16 r` or `.reg.b16 r`
                self._registers(function, scope)
            elif token in SPACES:
                for variable in self._variables(scope):
                    declarations.check(variable, self.program, self.fail)
                    function.variables[variable.name] = variable
            elif token == ".pragma":
                self.next()
                while self.kind == "string":
                    self.next()
                    self.accept(",")
                self.expect(";")
            elif self.following == ":":
                self._label(function, scope)
            else:
                function.body.append(self._instruction(scope, source))

    def _place(self, previous):
        words = self.next().replace(",", " ").split()
        if not all(word.isdigit() for word in words[1:4]) or len(words) < 4:
            self.fail("expected .loc with a file, a line and a column")
        return _source(words, previous)

    def _registers(self, function, scope):
        word = self.next()[5:] or self.next()[1:]
        if word not in TYPES:
            self.fail(f"registers of type {word!r} are not supported")
        type_ = TYPES[word]
        while True:
            name = self._new_name()
            names = [name]
            if self.accept("<"):
                count = self._integer(self.next())
                if len(function.registers) + count > declarations.MOST_REGISTERS:
                    self.fail(f"more than {declarations.MOST_REGISTERS} registers in a function")
                names = [f"{name}{i}" for i in range(count)]
                self.expect(">")
            for register in names:
                function.registers[self._declare(scope, register, Register)] = type_
            if not self.accept(","):
                break
        self.expect(";")

    def _label(self, function, scope):
        name = self.next()
        self.expect(":")
        if self.token == ".branchtargets":
            self.next()
            targets = [self.next()]
            while self.accept(","):
                targets.append(self.next())
            self.expect(";")
            function.tables[name] = (targets, scope)
        elif self.token in (".callprototype", ".calltargets"):
            while self.next() != ";":      # calls through a pointer are checked against the callee itself
                pass
            function.prototypes.append(Symbol(name))
        else:
            function.body.append(self._declare(scope, name))

    def _instruction(self, scope, source) -> Instruction:
        line = self.line
        guard, negated = None, False
        if self.accept("@"):
            negated = self.accept("!")
            guard = self._name(scope)
        if self.kind != "word":
            self.fail(f"expected an instruction, found {self.token!r}")
        opcode = self.next()
        if opcode.startswith(OTHER_OPERANDS):
            self.fail(f"the simulation does not know the instruction {opcode}{not_simulated(opcode)}", line)
        operands = []
        while not self.accept(";"):
            operands.append(self._operand(scope))
            if not self.accept(","):
                self.expect(";")
                break
            if self.token == ";":
                self.fail("nothing behind the comma")
        last_line = self.tokens[self.position - 1][2]
        text = " ".join(line.strip() for line in self.source[line - 1:last_line])
        return Instruction(opcode, operands, line, text, guard, negated, source, scope)

    # ---- operands --------------------------------------------------------------------------------------------

    def _operand(self, scope):
        if self.accept("["):
            base = self._number() if self.kind == "number" else self._name(scope)
            if self.token == "-":
                self.fail("an address takes +-8, and no -8")
            offset = self._offset()
            self.expect("]")
            return Address(base, offset)
        if self.accept("{"):
            return Vector(tuple(self._list(scope, "}")))
        if self.accept("("):
            return Arguments(tuple(self._list(scope, ")")))
        if self.accept("!"):
            return Not(self._name(scope))
        if self.kind == "number" or self.token == "-":
            return self._number()
        name = self._name(scope)
        if self.accept("|"):
            return Pair(name, self._name(scope))
        if isinstance(name, Symbol) and self.token in ("+", "-"):
            return Symbol(name.name, self._offset())
        return name

    def _list(self, scope, end: str):
        items = []
        while not self.accept(end):
            if self.token in ("(", "{"):        # none is in another, however deep somebody wrote them
                self.fail(f"expected an operand, found {self.token!r}")
            items.append(self._operand(scope))
            self.accept(",")
        return items

    def _name(self, scope):
        if self.kind != "word":
            self.fail(f"expected an operand, found {self.token!r}")
        word = self.next()
        if word == "_":
            return SINK
        name = scope.find(word)
        if name is None and word == "WARP_SZ":      # PTX ISA, "Identifiers": the one constant that is predefined
            return Immediate(32)
        if name is None:    # a special register, a module's symbol, or a label further down
            return Special(word) if word.startswith("%") else Symbol(word)
        return name

    def _number(self) -> Immediate:
        negative = self.accept("-")
        token = self.next()
        if token[:2] in ("0f", "0F", "0d", "0D"):
            width = 32 if token[1] in "fF" else 64
            return Immediate(int(token[2:], 16), width)
        if re.match(r"\d+(\.|[eE])", token):
            return Immediate(-float(token) if negative else float(token))
        value = self._integer(token)
        return Immediate(-value if negative else value)

    def _integer(self, token: str) -> int:
        token = token.rstrip("U")
        try:
            value = int(token, 8 if token[:1] == "0" and token[1:].isdigit() else 0)
        except ValueError:
            self.fail(f"expected a number, found {token!r}")
        if value >= 1 << 64:
            self.fail(f"{token} is too large a number")
        return value


def parse(text: str) -> PtxProgram:
    """PTX text -> PtxProgram, or PtxError with the line."""
    parser = Parser(text)
    try:
        return parser.parse()
    except (ValueError, RecursionError):    # Python takes 4,300 digits, and some hundred functions that call each other
        parser.fail("more digits, or braces in each other, than the simulation can read")


def _source(words, previous):
    """(file, line) of a `.loc file line column`; of what is inlined from a header, the place in the file that includes it.

    Of nested calls, each `.loc` follows that of its caller: `previous` is the caller's place then.
    """
    file, line = int(words[1]), int(words[2])
    if not line:
        return previous
    if "inlined_at" in words and previous is not None and file != previous[0]:
        at = words.index("inlined_at")
        caller = int(words[at + 1]), int(words[at + 2])
        return caller if caller[0] == previous[0] else previous
    return file, line
