"""The words of PTX: what the parts of an instruction mean, for those that a listing shows.

``ld.global.f32 %f2, [%rd4+8];`` is opcode.space.type, then where the result goes, then what is read. Sections are those
of NVIDIA's document "Parallel Thread Execution ISA" (PTX ISA), whose numbers differ from version to version.

Not here: what the simulated driver does at an instruction (cuda_simulator/ptx/instructions).
"""
import dataclasses
import re

from course_lib.core import tables

MOVE = "Data Movement and Conversion Instructions"
INTEGER = "Integer Arithmetic Instructions"
FLOAT = "Floating Point Instructions"
COMPARE = "Comparison and Selection Instructions"
LOGIC = "Logic and Shift Instructions"
FLOW = "Control Flow Instructions"
TOGETHER = "Parallel Synchronization and Communication Instructions"
SPACES = "State Spaces"
TYPES = "Fundamental Types"

OPCODES = {
    "ld": ("load: read memory into a register", MOVE),
    "st": ("store: write a register's value to memory", MOVE),
    "mov": ("copy a register, a number, or the address of a variable in its own space", MOVE),
    "cvta": ("turn an address of a space into a generic address; with .to, a generic address into one of that space",
             MOVE),
    "isspacep": ("ask whether a generic address lies in a space; the answer is a predicate, a register for yes or no",
                 MOVE),
    "cvt": ("convert a number to another type", MOVE),
    "shfl": ("take a register's value from another thread of the warp", MOVE),
    "add": ("add", INTEGER),
    "sub": ("subtract", INTEGER),
    "neg": ("change the sign", INTEGER),
    "mul": ("multiply", INTEGER),
    "mad": ("multiply and add: a * b + c", INTEGER),
    "div": ("divide", INTEGER),
    "rem": ("the rest of a division", INTEGER),
    "min": ("the smaller of two", INTEGER),
    "max": ("the larger of two", INTEGER),
    "abs": ("without the sign", INTEGER),
    "popc": ("how many bits are 1", INTEGER),
    "bfi": ("put some bits into another value", INTEGER),
    "fma": ("multiply and add with one rounding: a * b + c", FLOAT),
    "sqrt": ("square root", FLOAT),
    "rcp": ("1 divided by the value", FLOAT),
    "setp": ("compare two values; the answer is a predicate, a register for yes or no", COMPARE),
    "selp": ("take one of two values, by a predicate", COMPARE),
    "and": ("bitwise and", LOGIC),
    "or": ("bitwise or", LOGIC),
    "xor": ("bitwise exclusive or", LOGIC),
    "not": ("turn each bit around", LOGIC),
    "shl": ("shift bits to the left", LOGIC),
    "shr": ("shift bits to the right", LOGIC),
    "bra": ("branch: go on at a label", FLOW),
    "call": ("call a function", FLOW),
    "ret": ("return; a kernel's thread ends", FLOW),
    "exit": ("the thread ends", FLOW),
    "trap": ("end the kernel with an error", FLOW),
    "bar": ("wait until all threads of the block are here: __syncthreads", TOGETHER),
    "barrier": ("wait for the other threads of the block", TOGETHER),
    "atom": ("read, change and write memory as one step; the old value is the result", TOGETHER),
    "red": ("change memory as one step, without a result", TOGETHER),
    "membar": ("a fence: what this thread wrote before it is seen before what it writes after it", TOGETHER),
    "fence": ("a fence: what this thread wrote before it is seen before what it writes after it", TOGETHER),
    "vote": ("ask all threads of the warp a yes-or-no question", TOGETHER),
    "activemask": ("which threads of the warp are running here", TOGETHER),
}
WORDS = {
    "global": ("global memory, which all threads can reach", SPACES),
    "shared": ("shared memory, of one block", SPACES),
    "local": ("local memory, of one thread", SPACES),
    "const": ("constant memory", SPACES),
    "param": ("the parameters of a kernel or of a call", SPACES),
    "to": ("from a generic address to one of the space that follows", MOVE),
    "wide": ("the result has twice as many bits as the factors", INTEGER),
    "lo": ("the lower half of the product", INTEGER),
    "hi": ("the upper half of the product", INTEGER),
    "rn": ("round to the nearest", FLOAT),
    "uni": ("all threads that are running here do the same", FLOW),
    "sync": ("wait there", TOGETHER),
    "volatile": ("do it each time, as it is written", MOVE),
    "nc": ("read through a cache that does not see writes", MOVE),
    "v2": ("two at once", MOVE),
    "v4": ("four at once", MOVE),
    "pred": ("a predicate: true or false", TYPES),
    "rz": ("round towards zero", FLOAT),
    "rzi": ("round to a whole number, towards zero", MOVE),
    "exch": ("the change: put a new value there", TOGETHER),
    "cas": ("the change: put a new value where the old one is as expected", TOGETHER),
    "cta": ("for the threads of the block", TOGETHER),
    "gl": ("for all threads of the device", TOGETHER),
    "sys": ("for all threads, of the host and of other devices too", TOGETHER),
    "eq": ("is it equal?", COMPARE),
    "ne": ("is it not equal?", COMPARE),
    "lt": ("is it less?", COMPARE),
    "le": ("is it less or equal?", COMPARE),
    "gt": ("is it greater?", COMPARE),
    "ge": ("is it greater or equal?", COMPARE),
}
HEAD = ("in PTX", "what it means", "PTX ISA, section")
KINDS = {"u": "a whole number without sign", "s": "a whole number with sign", "f": "a floating-point number",
         "b": "any bits"}
TYPE = re.compile(r"([usfb])(8|16|32|64)$")
ACCESSES = {"ld", "st", "atom", "red"}
STATE_SPACES = {"global", "shared", "local", "const", "param"}
GENERIC = ("no space", "the address is generic: its number says which space it is in", "Generic Addressing")
# Signs of operands: what they look like, and what they mean.
SIGNS = (
    (re.compile(r"%(?:r|rd|rs|f|fd)\d"),
     "%r1, %rd1, %f1", "registers; .reg declares their types", "Variables"),
    (re.compile(r"@"),
     "@%p1, @!%p1", "only threads whose predicate holds (with !: does not hold) do this", "Predicated Execution"),
    (re.compile(r"%(?:n?tid|n?ctaid)\b"),
     "%tid, %ntid, %ctaid", "threadIdx, blockDim, blockIdx", "Special Registers"),
    (re.compile(r"\["),
     "[%rd1+4]", "the memory at this address", "Addresses as Operands"),
    (re.compile(r":$"),
     "$L__BB0_2:", "a label: a place to branch to", "Labels and Function Names as Operands"),
)


@dataclasses.dataclass(frozen=True, repr=False)
class Notation:
    """The words that some instructions are made of. Shown as a table."""

    rows: tuple         # of (word, meaning, section of PTX ISA)

    @classmethod
    def of(cls, instructions):
        """The words of these instructions, the opcodes first; those that are not known here are left out."""
        opcodes, words, generic = {}, {}, False     # the keys are in the order in which they come first
        for instruction in instructions:
            if instruction.opcode:
                opcode, *modifiers = instruction.opcode.replace("::", ".").split(".")
                opcodes.setdefault(opcode)
                words |= dict.fromkeys(modifiers)
                generic |= opcode in ACCESSES and STATE_SPACES.isdisjoint(modifiers)
        rows = [(word, *OPCODES[word]) for word in opcodes if word in OPCODES]
        rows += [(f".{word}", *WORDS[word]) for word in words if word in WORDS]
        rows += [(f".{word}", f"{KINDS[word[0]]}, of {word[1:]} bits", TYPES) for word in words if TYPE.match(word)]
        if generic:
            rows.append(GENERIC)
        texts = [instruction.text for instruction in instructions]
        rows += [(sign, meaning, section) for pattern, sign, meaning, section in SIGNS
                 if any(map(pattern.search, texts))]
        return cls(tuple(rows))

    def __repr__(self):
        return tables.text(self.rows, head=HEAD)

    def _repr_html_(self):
        return tables.html(self.rows, head=HEAD)
