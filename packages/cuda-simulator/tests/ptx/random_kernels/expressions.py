"""Expressions at random: integers of every width, floats with every rounding, intrinsics.

The C++ is of defined behaviour: arithmetic that might overflow is done unsigned, shifts and divisors are cut to what is
allowed, and floats are computed by intrinsics, which no compiler contracts.
"""

from __future__ import annotations

import random

INTEGERS = {"c": "signed char", "b": "unsigned char", "s": "short", "h": "unsigned short", "i": "int", "u": "unsigned",
            "l": "long long", "w": "unsigned long long"}
FLOATS = {"f": "float", "d": "double"}
ROUNDINGS = ("rn", "rz", "ru", "rd")

# Intrinsics on 32 bits, by how many operands they take. All are defined for all bits.
ONE = ("__popc(X)", "__clz((int)X)", "__ffs((int)X)", "__brev(X)", "__vabs4(X)", "__vneg2(X)", "__vabsss2(X)", "(unsigned)!X",
       "~X", "(0u - X)")
TWO = ("X + Y", "X - Y", "X * Y", "X & Y", "X | Y", "X ^ Y", "X << (Y & 31)", "X >> (Y & 31)", "X / (Y | 1u)", "X % (Y | 1u)",
       "(unsigned)((int)X >> (Y & 31))", "(unsigned)((int)X / (int)((Y & 255) | 1))", "(unsigned)((int)X % (int)((Y & 63) | 1))",
       "__umulhi(X, Y)", "__mulhi((int)X, (int)Y)", "__umul24(X, Y)", "__mul24((int)X, (int)Y)", "__uhadd(X, Y)",
       "__rhadd((int)X, (int)Y)", "min(X, Y)", "max((int)X, (int)Y)", "__vadd2(X, Y)", "__vadd4(X, Y)", "__vsub4(X, Y)",
       "__vaddus2(X, Y)", "__vaddss4(X, Y)", "__vsubss2(X, Y)", "__vavgu4(X, Y)", "__vmaxs2(X, Y)", "__vminu4(X, Y)",
       "__vabsdiffu4(X, Y)", "__vcmpgtu2(X, Y)", "__vcmpges4(X, Y)", "__vseteq4(X, Y)", "__vsads2(X, Y)", "__vsadu4(X, Y)")
THREE = ("__byte_perm(X, Y, Z)", "__funnelshift_l(X, Y, Z)", "__funnelshift_rc(X, Y, Z)", "__usad(X, Y, Z)",
         "__sad((int)X, (int)Y, Z)", "__dp4a(X, Y, Z)", "__dp4a((int)X, (int)Y, (int)Z)", "__dp2a_lo(X, Y, Z)",
         "__dp2a_hi((int)X, (int)Y, (int)Z)", "((X & Y) ^ Z)", "(X * Y + Z)", "(X > Y ? Z : X)")
WIDE_ONE = ("__popcll(X)", "__clzll((long long)X)", "__ffsll((long long)X)", "__brevll(X)", "~X")
WIDE_TWO = ("X + Y", "X - Y", "X * Y", "X & Y", "X ^ Y", "X | Y", "X << (Y & 63)", "X >> (Y & 63)", "__umul64hi(X, Y)",
            "(unsigned long long)__mul64hi((long long)X, (long long)Y)", "X / (Y | 1ull)", "X % (Y | 1ull)",
            "(unsigned long long)((long long)X >> (Y & 63))", "min(X, Y)",
            "(unsigned long long)((long long)X / (long long)((Y & 1023) | 1))")


class Expressions:
    """Expressions over the kernel's variables; `random` decides."""

    def __init__(self, seed: int):
        # Of all that random.Random offers, Python promises the same numbers in all versions for random() alone.
        self._random = random.Random(seed).random

    def below(self, limit: int) -> int:
        return int(self._random() * limit)

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, items):
        return items[self.below(len(items))]

    # ---- integers --------------------------------------------------------------------------------------------

    def constant(self) -> str:
        return f"{self.pick((0, 1, 2, 3, 7, 31, 32, 255, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff, self.below(2**32)))}u"

    def leaf(self) -> str:
        kind = self.below(8)
        if kind == 0:
            return self.constant()
        if kind == 1:
            return f"v[{self.pick('iuhb')} & 7]"
        if kind == 2:
            return f"__float_as_uint({self.pick('fg')})"
        return f"(unsigned){self.pick('cbshiulw')}"

    def unsigned(self, depth: int = 0) -> str:
        """32 bits."""
        kind = self.below(10) if depth < 3 else 0
        if kind < 2:
            return self.leaf()
        if kind == 2:
            return self._with(self.pick(ONE), depth, self.unsigned)
        if kind == 3:
            return self._with(self.pick(THREE), depth, self.unsigned)
        if kind == 4:
            return self.from_float(depth)
        if kind == 5 and depth < 2:
            return f"helper({self.unsigned(depth + 1)}, {self.unsigned(depth + 1)})"
        return self._with(self.pick(TWO), depth, self.unsigned)

    def wide(self, depth: int = 0) -> str:
        """64 bits."""
        kind = self.below(8) if depth < 2 else 0
        if kind < 2:
            return f"(unsigned long long){self.pick('ilwuc')}"
        if kind == 2:
            return self._with(self.pick(WIDE_ONE), depth, self.wide)
        if kind == 3:
            return f"((unsigned long long){self.unsigned(depth + 1)} << 32 | {self.unsigned(depth + 1)})"
        return self._with(self.pick(WIDE_TWO), depth, self.wide)

    def _with(self, template: str, depth: int, inner) -> str:
        """The template with its letters X, Y, Z replaced by operands."""
        cast = "(unsigned)" if inner == self.unsigned else "(unsigned long long)"
        values = {letter: f"({cast}({inner(depth + 1)}))" for letter in "XYZ" if letter in template}
        return "(" + "".join(values.get(part, part) for part in template) + ")"

    # ---- floats ----------------------------------------------------------------------------------------------

    def from_float(self, depth: int) -> str:
        rounding = self.pick(ROUNDINGS)
        return self.pick((f"(unsigned)__float2int_{rounding}({self.single(depth + 1)})",
                          f"__float2uint_{rounding}({self.single(depth + 1)})",
                          f"__double2uint_{rounding}({self.double(depth + 1)})",
                          f"(unsigned)__double2int_{rounding}({self.double(depth + 1)})"))

    def single(self, depth: int = 0) -> str:
        kind, r = self.below(9) if depth < 3 else self.below(2), self.pick(ROUNDINGS)
        inner = lambda: self.single(depth + 1)  # noqa: E731
        if kind == 0:
            return self.pick("fg")
        if kind == 1:
            return self.pick(("0.5f", "3.0f", "-1.25f", "1e-40f", "3e38f", "16777217.0f", "0.1f", "-0.0f"))
        if kind == 2:
            return self.pick((f"__int2float_{r}((int){self.unsigned(depth + 1)})", f"__uint2float_{r}({self.unsigned(depth + 1)})",
                              f"__ull2float_{r}({self.wide(depth + 1)})", f"__double2float_{r}({self.double(depth + 1)})"))
        if kind == 3:
            return f"__fmaf_{r}({inner()}, {inner()}, {inner()})"
        if kind == 4:
            return self.pick((f"__fsqrt_{r}(fabsf({inner()}))", f"__frcp_{r}({inner()})", f"__fdiv_{r}({inner()}, {inner()})"))
        if kind == 5:
            return self.pick((f"fminf({inner()}, {inner()})", f"fmaxf({inner()}, {inner()})", f"fabsf({inner()})", f"floorf({inner()})",
                              f"truncf({inner()})", f"rintf({inner()})", f"ceilf({inner()})", f"copysignf({inner()}, {inner()})"))
        return f"__f{self.pick(('add', 'sub', 'mul'))}_{r}({inner()}, {inner()})"

    def double(self, depth: int = 0) -> str:
        kind, r = self.below(8) if depth < 3 else self.below(2), self.pick(ROUNDINGS)
        inner = lambda: self.double(depth + 1)  # noqa: E731
        if kind == 0:
            return self.pick("de")
        if kind == 1:
            return self.pick(("0.5", "3.0", "-1.25", "1e-310", "1e308", "0.1", "9007199254740993.0"))
        if kind == 2:
            return self.pick((f"__int2double_rn((int){self.unsigned(depth + 1)})", f"__ll2double_{r}((long long){self.wide(depth + 1)})",
                              f"(double){self.single(depth + 1)}"))
        if kind == 3:
            return f"__fma_{r}({inner()}, {inner()}, {inner()})"
        if kind == 4:
            return self.pick((f"__dsqrt_{r}(fabs({inner()}))", f"__drcp_{r}({inner()})", f"__ddiv_{r}({inner()}, {inner()})",
                              f"floor({inner()})", f"fmin({inner()}, {inner()})"))
        return f"__d{self.pick(('add', 'sub', 'mul'))}_{r}({inner()}, {inner()})"

    def condition(self) -> str:
        kind = self.below(6)
        if kind == 0:
            return f"{self.single(2)} {self.pick(('<', '>=', '=='))} {self.single(2)}"
        if kind == 1:
            return f"(int){self.unsigned(2)} < (int){self.unsigned(2)}"
        if kind == 2:
            return f"({self.pick('iuhbcs')} >> {self.below(5)} & 1)"
        if kind == 3:
            return f"lane {self.pick(('<', '>', '=='))} {self.below(32)}"
        return f"({self.unsigned(2)}) {self.pick(('<', '>', '==', '!='))} ({self.unsigned(2)})"
