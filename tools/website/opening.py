"""Programs with questions, each before the step that answers it: those of the site's first page, of which the README's picture is of the
first, and those of documents.

With a script a program stands where its first question is asked, with the question below memory. What to go on with stands there
after the last step (site.js). Without one the questions stand between the program's lines and the table of its steps, which is folded,
and what to go on with below it.
"""
import copy
import re
import textwrap
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import NamedTuple

from courseware.course import tomllib
from courseware.notebook.display import code

import choices
from colours import cuda_lines
from nbformat.v4 import new_markdown_cell
from pages import PYTORCH, NotAPage
from players import BELIEVE, captioned, followed, played, step_with
from questions import box

ROOT = Path(__file__).resolve().parents[2]
README, FROM_PYTORCH = ((ROOT / name).read_text("utf-8") for name in ("README.md", PYTORCH))
# A document's question, with an answer in each fold.
QUOTED = re.compile(r"^\*\*Predict:\*\* ((?:.+\n)+)\n((?:<details>(?:.*\n)+?</details>\n\n?)+)", re.MULTILINE)
SHOWN = re.compile(r"```py\n(.*?)```\n\n", re.DOTALL)        # what is about another language than the course's, and does not run here
ON_A_GPU = re.compile(r"^(With PyTorch .*?) \[See why\]", re.MULTILINE | re.DOTALL)        # what came of it, in the README
FOLD = re.compile(r"<summary>(.*?)</summary>\n\n(.*?)\n\n</details>", re.DOTALL)

# The README asks what it prints: its Predict is this program's question.
PROGRAM = """\
import pycuda.autoinit
from numpy import int32
from pycuda.driver import from_device, to_device

a = to_device(int32([3, 1, 4, 15]))
old = int(a)  # its address
a.free()
b = to_device(int32([9, 2, 6, 5]))
print(*from_device(old, 4, int32))
"""
# The README has it as a file in CUDA C++ as well, and what that printed on a GPU; here are the lines of its `main`. To each line of Python
# belong lines of C++ from these words on, and what stands before all of them are declarations.
IN_CPP = re.compile(r"^```c\+\+\n(#include.*?^int main\(void\) \{\n(.*?)^\}\n)```\n\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
BEGINS = {"a =": "cudaMalloc((void **)&a", "old =": "int *old", "a.free": "cudaFree", "b =": "cudaMalloc((void **)&b",
          "print(": "cudaError_t"}
WAY_BACK = """\
import pycuda.autoinit, pycuda.driver as cuda
# host_pointer_for asks cudaPointerGetAttributes
from course_lib.pointers import host_pointer_for
data = cuda.pagelocked_empty(4, "int32")
data[:] = [3, 1, 4, 15]
gpu_address = data.base.get_device_pointer()
cuda.memset_d32(gpu_address, 7, 2)
print(host_pointer_for(gpu_address) == data.ctypes.data)
other = cuda.mem_alloc(16)
print(host_pointer_for(other))
"""

# What leads to each program of the first page: its id, what it is, and what makes curious.
TABS = (("opening", "A freed address", "What does the program print?"),
        ("late-block", "Harder, from PyTorch", "A deleted tensor is still copied. What arrives?"),
        ("do-change-it", "Change it, in Python", "How many endings can you find?"))
PLACE_THEM = """\
<a href="19_memory_in_stream_order.html#do-second-stream">Now you: one more line cures it. Which, and where?</a>"""

IN_PYCUDA = f"""\
It was run in <a href="from-pytorch.html">PyCUDA instead of PyTorch</a>, on a simulated GPU, which here copies as late as a GPU may. The
cache is lesson 19's, which rounds 16 bytes up to 512. {BELIEVE}"""

# A lesson's first cells, which are a program on its page: it stands in the place of the last one, with this question.
CELLS = {"notebooks/00_two_views_of_one_memory.ipynb": (("views-04", "views-09"), "one-house")}


class StepQuestion(NamedTuple):
    """A question of a program: asked before its step with the words `before`; an answer goes on to the one with the words `answers`."""

    text: str
    replies: dict       # {answer: reply}; a right reply begins with ✓
    before: str
    answers: str


def of_document(document):
    """[(text, {answer: first paragraph of its reply})] of a document's questions."""
    return [(" ".join(text.split()), {answer: " ".join(reply.partition("\n\n")[0].split()) for answer, reply in FOLD.findall(folds)
                                      if reply.startswith(("✓", "✗"))})
            for text, folds in QUOTED.findall(document)]


_first, _harder, _ = of_document(README)      # the last one is about the board
QUESTIONS = {
    "whose-numbers": StepQuestion(*_first, before="b =", answers="print("),
    "whose-block": StepQuestion(*_harder, before="y = ", answers="print("),
    "one-house": StepQuestion("""\
Line {next} is next: the host waits for the kernel, which adds 100 at the GPU's address. What does `pinned` hold then?""", {
        "3 1 4 15": """\
✗ It would if the GPU had its own copy. But the two addresses lead to the same bytes, so the host sees what the GPU wrote.""",
        "103 101 104 115": """\
✓ The two addresses lead to the same bytes, so the host sees what the GPU wrote, and nothing had to be copied.""",
        "an error": """\
✗ A kernel may use pinned memory, at the address that `cudaHostGetDevicePointer` returned.""",
    }, before="synchronize", answers="synchronize"),
    "gpu-writes": StepQuestion("""\
Line {next} is next: the GPU writes two sevens, at its own address of `data`. What does `data` hold then?""", {
        "3 1 4 15": """\
✗ It would if the GPU had its own copy. But pinned memory is in one place.""",
        "7 7 4 15": """\
✓ Both page tables lead to the same bytes, so the host needs no copy to see what the GPU wrote.""",
        "each side its own": """\
✗ It would if each side had its own copy. But pinned memory is in one place.""",
    }, before="memset", answers="memset"),
    "way-back": StepQuestion("""\
From `gpu_address` the driver found the way back. Line {next} is next, a `cudaMalloc`. Will it find one from `other`?""", {
        "yes, to another number": """\
✗ For that the CPU's page table would need an entry, as it has for memory A. `cudaMalloc` makes one for the GPU only.""",
        "yes, to the same number": """\
✗ For memory A it is so. But the CPU's page table has no entry for the new number, and a program that follows it on the CPU crashes.""",
        "no": """\
✓ The way back would have to end at an address where the CPU finds this memory, and there is none.""",
    }, before="mem_alloc", answers="mem_alloc"),
}


def first_page(changed):
    """The HTML of the programs of the first page, of which one is seen at a time: the first one, PyTorch's, and the first to be changed.

    changed: the HTML of that, with its id
    """
    tabs = "".join(f'<a href="#{name}"><b>{title}</b> <span>{asks}</span></a>' for name, title, asks in TABS)
    return (f'<div class="plays"><nav aria-label="Programs">{tabs}</nav>'
            + _asking("opening", *first_program(), _questions("whose-numbers"), more=_in_cpp(), note=_where_it_ran(), onward="""\
<a href="#late-block">A harder one, from PyTorch</a> <a href="#do-change-it">Change this one, in Python: how else can it end?</a>""")
            + _asking("late-block", *late_block(), _questions("whose-block"), note=IN_PYCUDA, onward=f"""\
{PLACE_THEM}
<span class="told">{code(escape(ON_A_GPU.search(README)[1]))}</span>
<a href="from-pytorch.html">Why, and three cures: From PyTorch</a>""") + changed + "</div>")


def way_back():
    """The HTML of the program that asks for a way back."""
    return _asking("way-back", followed(WAY_BACK), {}, _questions("gpu-writes", "way-back"), """\
<span class="told"><b>No way back.</b> A library that is handed <code>other</code> as a bare number cannot tell whether the CPU may read
it, unless it asks the driver.</span>
<a href="06_the_way_back.html">More of the way back: lesson 06</a>""")


def of_cells(source, notebook, shown):
    """Put a paragraph in the place of a cell of a lesson's whose program is stepped through, and return {paragraph: HTML}.

    shown(source of a cell) is what of it belongs to the program
    """
    names, question = CELLS.get(source, ((), ""))
    cells = [cell for cell in notebook.cells if cell.get("id") in names]
    if not cells:
        return {}
    program = "\n".join(shown(cell.source).strip("\n") for cell in cells)
    program = re.sub(r"\n{3,}", "\n\n", re.sub(r" +#", "  #", program))        # beside the picture a line has less room
    notebook.cells[notebook.cells.index(cells[-1])] = new_markdown_cell(f"({question})")
    return {f"({question})": _asking(question, followed(program), {}, _questions(question), "")}


def cpp():
    """The lines of the first program in CUDA C++, each with the number of the line of Python that does the same (0: none), and what is said
    of it."""
    _, listing, comment = IN_CPP.search(README).groups()
    python, lines, python_line = PROGRAM.splitlines(), [], 0
    for line in textwrap.dedent(listing).splitlines():
        begin = next((begin for begin, words in BEGINS.items() if line.startswith(words)), None)
        python_line = next(number for number, text in enumerate(python, 1) if text.startswith(begin)) if begin else python_line
        lines.append((line, python_line))
    return lines, comment


def _in_cpp():
    """The first program in CUDA C++: with a script it stands in the place of the one in Python, if a reader wants it to."""
    lines, _ = cpp()
    coloured = cuda_lines("\n".join(line for line, _ in lines))
    items = "".join(f'<li data-line="{number}"><pre><code>{html or " "}</code></pre></li>'
                    for html, (_, number) in zip(coloured, lines, strict=True))
    return ('<details class="cpp"><summary>The same in CUDA C++</summary>'
            f'<ol class="cf-code" tabindex="0" aria-label="The program in CUDA C++">{items}</ol></details>')


def _where_it_ran():
    """Where the first program ran, in both languages. What it printed is seen after the last step."""
    run, printed = cpp()[1].removeprefix("It ").split(". ", 1)
    return (f'In the picture it runs in Python, on a simulated GPU. {BELIEVE} The C++ {code(escape(run))}. '
            f'<span class="printed" hidden>{code(escape(printed))}</span>')


def _questions(*names):
    return {name: QUESTIONS[name] for name in names}


def from_pytorch(document):
    """Put a paragraph in the place of a document's program in PyTorch and of its question; returns the document and {paragraph: HTML}."""
    paragraph, [(question, replies)] = "(late block)", of_document(document)
    cures = choices.of_file("from_pytorch.toml", "with-a-cure", asks=box("late-copy", question, _folds(replies)))
    return QUOTED.sub("", SHOWN.sub(f"{paragraph}\n\n", document, count=1)), {paragraph: cures.html()}


def first_program():
    """The first program, followed, and which of its steps decide."""
    program = followed(PROGRAM)
    return program, captioned(program, tomllib.loads(Path(__file__).with_name("first_page.toml").read_text("utf-8"))["opening"]["captions"])


def late_block():
    """PyTorch's program, followed, and which of its steps decide: the one that has no cure, in the document's lines."""
    cures, listing, chosen = choices.of_file("from_pytorch.toml", "with-a-cure"), SHOWN.search(FROM_PYTORCH)[1], (0,)
    ran, shown = ({number: line for number, line in enumerate(text.splitlines(), 1) if line}
                  for text in (cures.source(chosen, in_pytorch=True), listing))
    line_of = dict(zip(list(ran)[-len(shown):], shown))       # before them are imports
    if [ran[number] for number in line_of] != list(shown.values()):
        raise NotAPage(f"{PYTORCH} has other lines than from_pytorch.toml:\n{listing}")
    [way] = cures.seen(chosen).ways
    program = copy.copy(way.program)
    program.source, program.steps = listing, [replace(step, line=line_of[step.line]) for step in program.steps]
    return program, way.decisive


def _folds(replies):
    return [(option, "right" if reply.startswith("✓") else "wrong", reply) for option, reply in replies.items()]


def _asking(name, program, decisive, questions, onward, more="", note=None):
    """decisive: the steps of the program that can be seen again (players.captioned)"""
    player = re.sub("<details open(?:=\"\")?>", "<details>", played(program, note))       # the table answers the questions above it
    boxes = ""
    for question, (text, replies, before, answers) in questions.items():
        step_number = step_with(before, program) - 1
        begins = step_number if "{next}" in text else 0     # where it is asked first: the page goes on by itself
        next_line = program.steps[step_number + 1].line
        boxes += box(question, text.format(next=next_line), _folds(replies), attributes=(
            f" data-from='{begins}' data-at='{step_number}' data-answers='{step_with(answers, program)}'"))
    again = " ".join(f'<button type="button" value="{number}" class="quiet-button">step {number + 1}'
                     f'<span>, <code>{escape(line)}</code></span></button>' for number, line in decisive.items())
    boxes += f'<p class="again">See again: {again}</p>' if again else ""
    lines = "\n".join(f"{number:2}  {escape(line)}" for number, line in enumerate(program.source.splitlines(), 1))
    return f'<div class="asking" id="{name}"><pre>{lines}</pre>{boxes}{player}{more}<p class="onward">{onward}</p></div>'
