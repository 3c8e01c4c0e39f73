"""CUDA C++ beside its PTX: which line of a source became which instructions.

    >>> from course_lib import kernels
    >>> from courseware import kernel_views
    >>> code = kernels.compile('''__global__ void put(int *x) {
    ...     x[threadIdx.x] = 7;
    ... }''')
    >>> [line] = kernel_views.source(code.put, line=2).lines
    >>> line.text, line.instructions[-1].opcode[:9]
    ('    x[threadIdx.x] = 7;', 'st.global')

PTX is made for ARCHITECTURE on every machine, unless the options of `compile` name another, and so is the same wherever
the compiler is. NVRTC makes it; what a GPU runs is made of PTX in a further step, which is not shown.

Not here: reading PTX (ptx_text.py), and what its words mean (notation.py).
"""
import dataclasses
import html
from collections.abc import Iterable

from course_lib.core import tables
from course_lib.core.errors import WrongArgument
from cuda_without_toolkit import nvcc_options, nvrtc

from .notation import Notation
from .ptx_text import PtxText

ARCHITECTURE = "compute_90"
FILE = "kernel.cu"
HEAD = ("line", "CUDA C++", "", "PTX")
WIDTH = 60              # of the source in the text form
FOLDED = 16             # more instructions of one line are folded away in a notebook
# JupyterLab takes what is between two labels, $L__BB0_1, for mathematics.
PLAIN = "class='mathjax_ignore tex2jax_ignore'"
# Long lines are broken within their cells, so that nothing is scrolled to the side.
CELL = ("style='text-align:left; vertical-align:top; white-space:pre-wrap; overflow-wrap:anywhere; "
        "font-family:monospace; line-height:1.35; padding:1px 8px'")
NUMBER = CELL.replace("anywhere", "normal")


@dataclasses.dataclass(frozen=True)
class Line:
    """One line of the source, and the instructions that it became."""

    number: int             # as `compile` got the source, from 1; 0 for instructions that are from no line
    text: str
    instructions: tuple     # of ptx_text.Instruction


class SourceListing:
    """What `source` shows: lines of CUDA C++, each with its PTX. A notebook shows a table."""

    def __init__(self, source, ptx, architecture, functions, chosen):
        text = PtxText(ptx)
        self.ptx = ptx                      # all of it, as the compiler wrote it
        self.architecture = architecture
        self.left_out = tuple(text.directives)
        instructions = text.instructions
        if functions:
            called = set().union(*map(text.calls, functions))
            instructions = [instruction for instruction in instructions if instruction.function in called]
        self._whole = chosen is None
        self.lines = _lines(source.splitlines(), text, instructions, chosen)
        self.instructions = tuple(instruction for instruction in instructions
                                  if any(instruction in line.instructions for line in self.lines))
        named = " ".join(instruction.text for instruction in self.instructions)
        self.memory = tuple(declaration for name, declaration in text.memory.items() if name in named)

    @property
    def notation(self):
        """What the words of these instructions mean, as a table."""
        return Notation.of(self.instructions)

    def _rows(self):
        """(line's number, source, instruction's number, PTX) of each row of the text form."""
        for line in self.lines:
            source = line.text if len(line.text) <= WIDTH else line.text[:WIDTH - 4] + " ..."
            beside = str(line.number or ""), source
            for number, ptx in _texts(line) or [("", "")]:
                yield *beside, number, ptx
                beside = "", ""

    def _cell(self, line):
        """The PTX of one line as HTML; folded where it is long, and not what was asked for."""
        width = max(len(str(instruction.number)) for instruction in self.instructions)
        # What is broken goes on below its beginning.
        hanging = f"style='padding-left:{width + 4}ch; text-indent:-{width + 4}ch'"
        lines = [f"<div {hanging}>{number:>{width}}  {html.escape(text)}</div>" for number, text in _texts(line)]
        if self._whole and len(lines) > FOLDED:
            return f"<details><summary>{len(lines)} lines of PTX</summary>{''.join(lines)}</details>"
        return "".join(lines)

    def _caption(self):
        """What is under the table."""
        version = ".".join(map(str, nvrtc.version()))
        left_out = f"Left out: directives ({', '.join(self.left_out)})"
        but = f", except the memory declared: {' '.join(self.memory)}" if self.memory else "."
        return f"PTX for {self.architecture}, written by NVRTC {version}. {left_out}{but}"

    def __repr__(self):
        return f"{tables.text(self._rows(), head=HEAD, right={0, 2})}\n{self._caption()}"

    def _repr_html_(self):
        rows = "".join(f"<tr><td {NUMBER}>{line.number or ''}</td><td {CELL}>{html.escape(line.text)}</td>"
                       f"<td {CELL}>{self._cell(line)}</td></tr>" for line in self.lines)
        head = "".join(f"<th {NUMBER}>{word}</th>" for word in filter(None, HEAD))
        return (f"<div {PLAIN}><table><tr>{head}</tr>{rows}</table><p>{html.escape(self._caption())}</p>"
                "<details><summary>What these words of PTX mean</summary>"
                f"{self.notation._repr_html_()}</details></div>")


def source(kernel, line=None):
    """Show the CUDA C++ of a kernel beside its PTX, line by line; returns a SourceListing.

    kernel: one kernel, such as ``code.scale``, or all that `compile` returned
    line:   number of a line of the source, or several: only these are shown

    The numbers beside the PTX count a function's instructions in their order: the compiler moves them. Behind ``//``
    stands what an instruction is from, if it is from a function that was inlined, or from a header. Raises
    WrongArgument for what is no compiled kernel, and for a line that became nothing.

    CUDA calls: nvrtcCompileProgram, nvrtcGetPTX (NVRTC). Neither asks a driver.
    """
    kernels = getattr(kernel, "kernels", kernel)
    if not hasattr(kernels, "_source"):
        raise WrongArgument(f"source takes a kernel or what kernels.compile returned, not {type(kernel).__name__}: "
                            "pass code, or code.scale")
    try:
        ptx, architecture = _compiled(kernels._named, kernels._options)
    except (nvcc_options.UnknownOption, nvrtc.CompilationFailed) as error:     # nvcc may have compiled it
        raise WrongArgument(f"NVRTC, which writes the PTX, does not compile this: {error}") from None
    functions = () if kernel is kernels else (kernel.name,)
    return SourceListing(kernels._source, ptx, architecture, functions, _chosen(line))


def _compiled(source, options):
    """(PTX, the architecture that it is for) of a source, with the compiler's word of which line is which."""
    translated = nvcc_options.translate(options)
    architecture = (translated.arch or ARCHITECTURE).replace("sm_", "compute_")
    arguments = [f"--gpu-architecture={architecture}", *translated.options]
    if "--device-debug" not in arguments:       # that has the lines already
        arguments.append("--generate-line-info")
    ptx, _ = nvrtc.compile_source(source, arguments, FILE)
    return ptx.decode(), architecture


def _chosen(line):
    """The numbers of the lines that are asked for; None for all."""
    if line is None:
        return None
    lines = set(line) if isinstance(line, Iterable) and not isinstance(line, str) else {line}
    if not all(isinstance(number, int) for number in lines):
        raise WrongArgument(f"line={line!r} is no number of a line: pass one, such as line=4, or several, such as "
                            "line=[4, 5]")
    return lines


def _lines(source, text, instructions, chosen):
    """The Lines to show, in the order of the source: all lines of the functions, and where else instructions are
    from."""
    of_line = {}
    for instruction in instructions:
        numbers = _numbers(instruction)
        of_line.setdefault(numbers[0] if numbers else 0, []).append(instruction)
    missing = chosen - of_line.keys() if chosen else ()
    if missing:
        raise WrongArgument(f"line {min(missing)} of the source became no instruction: these did: "
                            f"{', '.join(map(str, sorted(of_line)))}")
    if chosen is None:
        within = _within_functions(text, instructions)
        chosen = of_line.keys() | {number for number in within if source[number - 1].strip()}
    return tuple(Line(number, source[number - 1] if number else "", tuple(of_line.get(number, ())))
                 for number in sorted(chosen))


def _within_functions(text, instructions):
    """The numbers of the lines from the first of each function to its last."""
    spans = {}      # function -> numbers of lines
    for instruction in instructions:
        numbers = _numbers(instruction)
        if numbers:
            outermost = numbers[-1]     # in the function itself
            _, first_line = text.first_places.get(instruction.function, ("", outermost))
            spans.setdefault(instruction.function, {first_line}).add(outermost)
    return {number for span in spans.values() for number in range(min(span), max(span) + 1)}


def _numbers(instruction):
    """The lines of the source that an instruction is from, the innermost first."""
    return [number for file, number in instruction.places if file == FILE]


def _texts(line):
    """(number, text) of each instruction of a line; behind // what it is from, where that is not said by the line."""
    several = len({instruction.function for instruction in line.instructions}) > 1
    texts = []
    for instruction in line.instructions:
        notes = ", ".join(_notes(instruction, several))
        texts.append((str(instruction.number or ""), f"{instruction.text}  // {notes}" if notes else instruction.text))
    return texts


def _notes(instruction, several):
    """What an instruction is from. several: is the line's PTX of more than one function?"""
    if not instruction.number:
        return
    header = next((f"{file}:{number}" for file, number in instruction.places if file != FILE), "")
    if header:
        yield header
    numbers = _numbers(instruction)
    if len(numbers) > 1:
        yield f"inlined into line {numbers[-1]}"
    if several:
        yield f"in {instruction.function}"
