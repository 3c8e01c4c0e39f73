"""What a listing of the exam is made of: a short program, and what its marked lines print.

A line of the program that ends in `# 1` prints one line of text, and so on up to the last mark. The learner predicts
it. `right` is what it prints by the answers of an H200 that are recorded, or that a lesson shows; the tests hold it to
the driver at hand, and the exam shows what the learner's own driver printed.

The listings are data, in the exam.toml of each lesson's folder. Those that a side trip refutes stand with the lesson
that it belongs to.
"""
import re
from dataclasses import dataclass

from .. import course

# What every listing begins with. It is shown once, above the listings.
PRELUDE = '''\
import numpy as np
import pycuda.driver as cuda
from course_lib import kernel_heap, kernels, pinned, pointers, reservation
from cuda.bindings import driver as cu
from pycuda import gpuarray

MiB = 1 << 20
HOST_POINTER = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER

def says(answer):
    """The result of a cuda-bindings call, by name: "SUCCESS", "INVALID_VALUE", ..."""
    return answer[0].name.removeprefix("CUDA_").removeprefix("ERROR_")

def told(answer, address):
    """After SUCCESS "same", if the call returned this address, or "another"; else the error."""
    return says(answer) if answer[0] else "same" if int(answer[1]) == address else "another"

def forward(address):
    return told(cu.cuMemHostGetDevicePointer(address, 0), address)

def back(address):
    return told(cu.cuPointerGetAttribute(HOST_POINTER, address), address)

def at(address):
    """The int32 at a device address, by a copy to the host."""
    number = np.zeros(1, np.int32)
    cuda.memcpy_dtoh(number, address)
    return int(number[0])
'''


@dataclass(frozen=True)
class See:
    """The experiment that refutes a wrong option: a section of a notebook, and what is seen there."""

    topic: str          # of the lesson
    section: str        # a heading in its notebook
    why: str

    @property
    def link(self):
        """As Markdown; the text of the link is the section's heading."""
        lesson = course.lesson(self.topic)
        return f"[{lesson.number or lesson.title}, {self.section}]({lesson.notebook}#{self.section.replace(' ', '-')})"


@dataclass(frozen=True)
class MarkedLine:
    """One marked line: what it prints, and what it does not print."""

    right: str
    wrong: dict         # each wrong option -> See

    @property
    def options(self):
        """All options. Their order gives nothing away: numbers by size, texts by the alphabet."""
        return tuple(sorted((self.right, *self.wrong), key=_in_order))


@dataclass(frozen=True, eq=False)
class Listing:
    """A program of the exam with its marked lines."""

    id: str
    lesson: str         # the topic
    idea: str           # two listings of one idea are never drawn together
    program: str
    lines: tuple        # of MarkedLine
    breaks: bool = False    # it ends its process, or breaks CUDA for it
    after: str = ""         # the name of a prediction: without it answered the listing is not drawn
    # Names of predictions that it asks about in another way: who missed one of them gets it first.
    about: tuple = ()

    @property
    def source(self):
        """The whole program, as the sandbox runs it."""
        return f"{PRELUDE}\n{self.program.strip()}\n"

    @property
    def part(self):
        """The topic of the part that its lesson belongs to."""
        return course.lesson(self.lesson).part

    @property
    def expected(self):
        """What the marked lines print, as a list."""
        return [line.right for line in self.lines]


def _listing(topic, table):
    """A Listing of what an exam.toml says of it."""
    lines = []
    for line in table["line"]:
        wrong = {option: See(see.get("notebook", topic), see["section"], see["why"])
                 for option, see in line["wrong"].items()}
        lines.append(MarkedLine(line["right"], wrong))
    return Listing(table["id"], topic, table["idea"], table["program"], tuple(lines), table.get("breaks", False),
                   table.get("after", ""), tuple(table.get("about", ())))


# id -> Listing, lesson by lesson
LISTINGS = {table["id"]: _listing(lesson.topic, table)
            for lesson in course.LESSONS for table in lesson.read("exam.toml").get("listing", ())}


def ends(how):
    """What is said of a line that the process does not come to. how: a signal, an error, or an exception."""
    return f"nothing: it ends with {how}"


def printed_by(outcome, count):
    """What the marked lines printed, as a list of `count` texts. outcome: of the sandbox.

    The first line that was not printed has in its place how the process ended.
    """
    printed = outcome.printed.splitlines()[:count]
    if len(printed) < count and not outcome.ok:
        printed.append(ends(_ending(outcome)))
    return printed + ["nothing"] * (count - len(printed))


def _ending(outcome):
    if outcome.error:
        return outcome.error.removeprefix("CUDA_ERROR_")
    if outcome.exception:
        return outcome.exception.partition(":")[0].rpartition(".")[2]
    return outcome.signal or outcome.ending


def _in_order(option):
    """Sorts numbers before texts, lists by their numbers."""
    is_number_or_list = re.fullmatch(r"[-\[\]\d, ]+", option)
    numbers = [int(number) for number in re.findall(r"-?\d+", option)] if is_number_or_list else []
    return not numbers, numbers, option.lower()
