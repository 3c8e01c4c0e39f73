"""PTX text -> tokens, and a reader that goes through them (PTX ISA 4.1 to 4.5).

What tokens mean is for syntax.py; here a line is only cut into words, numbers, strings and marks.
"""

from __future__ import annotations

import re

from .errors import PtxError

TOKEN = re.compile(r"""
    (?P<skip>   [ \t\r]+ | //[^\n]* )
  | (?P<comment> /\*.*?\*/ )
  | (?P<newline> \n )
  | (?P<loc>    \.loc\b[^\n;]* )
  | (?P<number> 0[fF][0-9a-fA-F]{8} | 0[dD][0-9a-fA-F]{16} | 0[xX][0-9a-fA-F]+U? | 0[bB][01]+U?
              | \d+\.\d*(?:[eE][+-]?\d+)? | \d+[eE][+-]?\d+ | \d+U? )
  | (?P<word>   [.%$_A-Za-z][\w$%]*(?:(?:\.|::)[\w$]+)* )
  | (?P<string> "(?:[^"\\]|\\.)*" )
  | (?P<mark>   [][{}()<>,;:+\-=|!@*~&^] )
""", re.VERBOSE | re.DOTALL)


MOST_TEXT = 16 << 20    # characters: its tokens take some hundred times as many bytes


class TokenReader:
    """A position in a list of tokens: what a recursive-descent parser needs to ask."""

    def __init__(self, text: str):
        self.source = text.split("\n")
        if len(text) > MOST_TEXT:
            raise PtxError(1, self.source[0], f"{len(text)} characters of PTX; the simulation reads {MOST_TEXT} at most")
        self.tokens = list(self._tokenise(text))
        self.position = 0

    def _tokenise(self, text):
        line, end = 1, 0
        for match in TOKEN.finditer(text):
            if match.start() != end:
                break
            end = match.end()
            kind = match.lastgroup
            if kind == "newline":
                line += 1
            elif kind == "comment":
                line += match.group().count("\n")
            elif kind != "skip":
                yield kind, match.group(), line
        if end != len(text):
            raise PtxError(line, self.source[line - 1], f"unexpected character {text[end]!r}")
        yield "end", "", line

    @property
    def token(self) -> str:
        return self.tokens[self.position][1]

    @property
    def kind(self) -> str:
        return self.tokens[self.position][0]

    @property
    def line(self) -> int:
        return self.tokens[self.position][2]

    def next(self) -> str:
        kind, token, _ = self.tokens[self.position]
        if kind == "end":
            self.fail("the text ends in the middle of a statement")
        self.position += 1
        return token

    @property
    def following(self) -> str:
        """The token behind the next one; "" at the end."""
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)][1]

    def accept(self, token: str) -> bool:
        if self.token == token:
            self.position += 1
            return True
        return False

    def expect(self, token: str):
        if not self.accept(token):
            self.fail(f"expected {token!r}, found {self.token!r}")

    def fail(self, why: str, line: int | None = None):
        line = line or self.line
        raise PtxError(line, self.source[min(line, len(self.source)) - 1], why)
