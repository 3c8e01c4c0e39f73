"""The table of opcodes: every form of every instruction that is known, and the function behind it.

A form is written as the PTX ISA writes it: `add{.rnd}{.ftz}{.sat}.f32`. Braces mean "may be absent", a word
in the list of classes stands for any of its members, everything else for itself. A module that uses an opcode
or a modifier which no form allows is refused when it is loaded; nothing is guessed.

`__init__.py` lists the modules that register forms here.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ..types import TYPES, Type

CLASSES = {
    "rnd": "rn rz rm rp",
    "irnd": "rni rzi rmi rpi",
    "scope": "cta cluster gpu sys",
    "order": "weak volatile relaxed acquire release acq_rel sc",
}

FORMS: dict[str, list] = {}     # first word of the opcode -> its Forms


@dataclass
class Match:
    """An opcode that fits a form: its modifiers by class name, `"ftz" in match`, `match["rnd"]`."""
    opcode: str
    words: dict
    handler: object

    def __contains__(self, name: str) -> bool:
        return self.words.get(name) is not None

    def __getitem__(self, name: str):
        return self.words.get(name)

    def type(self, name: str = "type") -> Type:
        return TYPES[self.words[name]]


@dataclass
class Form:
    """A form of an instruction: its text, the members of words in it, and the function behind it."""
    text: str
    classes: dict
    handler: object

    @functools.cached_property
    def pattern(self) -> re.Pattern:
        """What an opcode has to fit. Compiled when one is looked up: a program uses a few of the 175 forms."""
        parts = []
        mnemonic, *modifiers = re.findall(r"\{\.[\w:]+\}|\.[\w:]+|^\w+", self.text)
        for part in modifiers:
            word = part.strip("{}.")
            members = self.classes.get(word) or CLASSES.get(word) or word
            group = re.sub(r"\W", "_", word)
            choice = "|".join(re.escape(member) for member in members.split())
            parts.append(rf"(?:\.(?P<{group}>{choice}))" + ("?" if part.startswith("{") else ""))
        return re.compile(re.escape(mnemonic) + "".join(parts))


def form(text: str, **classes: str):
    """Decorator: the function below handles opcodes of this form.

    `classes` gives the members of words in the form: form("add.type", type="u32 s32").
    """
    def register(handler):
        name = re.match(r"\w+", text).group()
        FORMS.setdefault(name, []).append(Form(text, classes, handler))
        return handler
    return register


_matches: dict[str, Match] = {}


def find(opcode: str) -> Match | None:
    """The form that this opcode fits, or None: it is then refused."""
    match = _matches.get(opcode)
    if match is None:
        for candidate in FORMS.get(opcode.split(".", 1)[0], ()):
            fit = candidate.pattern.fullmatch(opcode)
            if fit:
                match = _matches[opcode] = Match(opcode, fit.groupdict(), candidate.handler)
                break
    return match
