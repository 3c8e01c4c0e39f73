"""`fill` is tried here, in the sandbox, while its streams are held back (held_streams).

What comes out is a sentence about the numbers, and about what ran at the same time.
"""
import numpy as np

from ... import held_streams
from ...held_streams import filling

FILLED = "every number is right, and copies run beside kernels"
EMPTY = "nothing to do, and nothing done"


def fill(answer, count, piece):
    """Fill a vector with `count` numbers through buffers of `piece`; returns what came of it."""
    for slow in held_streams.SLOW:
        report = held_streams.run(answer, count, piece, slow)
        if mistake := _numbers(report, count) or _early(report) or _buffers(report, count, piece):
            return mistake
    alone = [not beside for beside in report.beside[:-1]]
    if count > piece and all(alone):     # or one kernel at the end, which is alone, too
        return "every number is right, but nothing is copied while a kernel runs"
    if any(alone):
        return "every number is right, but nothing is copied while some of the kernels run"
    if set(report.pieces) != {(start, min(piece, count - start)) for start in range(0, count, piece)}:
        return "every number is right, but a piece is not as long as a buffer"
    return FILLED if count else EMPTY


def _numbers(report, count):
    """What is wrong with the numbers, in words; "" for nothing."""
    numbers, behind = report.numbers[:count], report.numbers[count:]
    data = filling.numbers(count)
    expected, nothing = filling.worked_on(data), filling.NOTHING
    wrong = numbers != expected
    if (behind != nothing).any():
        return "something was written after the end"
    if not wrong.any():
        return ""
    if np.isin(numbers[wrong], (nothing, filling.worked_on(nothing))).any():
        return "some numbers never arrived"
    if not report.pieces:
        return "no kernel worked on the numbers"
    if (numbers[wrong] == data[wrong]).any():
        return "the kernel did not work on some numbers, or before they had arrived"
    if (numbers[wrong] == filling.worked_on(expected)[wrong]).any():
        return "the kernel worked on some numbers more than once"
    return "some pieces have the numbers of a later piece"


def _early(report):
    return "it returned before all work was done" if report.early else ""


def _buffers(report, count, piece):
    used = sum(report.used)
    if count and not used:
        return "every number is right, but none went through the buffers"
    if None in report.turns:
        return "every number is right, but a copy did not come from a buffer"
    if count > piece and used == 1:
        return "every number is right, but one buffer was never used"
    again = len(report.turns) == len(report.pieces) and any(turn == following for turn, following in zip(report.turns, report.turns[1:]))
    return "every number is right, but the buffers are not used in turn" if again else ""
