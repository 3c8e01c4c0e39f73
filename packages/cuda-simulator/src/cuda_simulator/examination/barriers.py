"""Barriers that not all threads of a block come to: at different lines, too few, or never.

A GPU since Volta lets a barrier go when all threads that have not ended are there, wherever in the program they wait, and so
does the simulated driver; the result is the hardware's. CUDA's guide allows __syncthreads() only where all threads of the
block come by, so it is said.

Decided for silence: barriers with a number of threads (named barriers), which are made for parts of a block.
"""
import numpy as np

from .findings import at_line, who

REMEDY = "__syncthreads() belongs at a point that all threads of the block reach: outside of the if, and not behind an early return."


class BarrierChecks:
    """What happens at the barriers of one launch."""

    def __init__(self, examiner):
        self.examiner, self.report = examiner, examiner.report

    def everybody(self, order, instruction):
        """All living lanes of the wave are here: where are the others of their blocks?"""
        wave = order.wave
        if wave.alive != wave.lanes:
            for block in np.flatnonzero((wave.alive_in_block > 0) & (wave.alive_in_block < wave.threads)).tolist():
                self._ended(order, block, instruction)

    def released(self, order, block, waiting):
        """A barrier without a count lets go [(instruction, lanes)] of a block."""
        wave = order.wave
        lines = {}
        for instruction, lanes in waiting:
            lines.setdefault(self.examiner.line(instruction), (instruction, int(lanes[0])))
        if len(lines) > 1:
            (line, (_, lane)), (other_line, (_, other_lane)) = sorted(lines.items())[:2]
            self._say(order, lane, f"waits at __syncthreads(){at_line(line)}", other_lane, f"waits at another one{at_line(other_line)}",
                      (line, other_line))
        if 0 < wave.alive_in_block[block] < wave.threads:
            self._ended(order, block, waiting[0][0])

    def _ended(self, order, block, instruction):
        """Some threads of a block have ended, and others wait at a barrier."""
        wave, line = order.wave, self.examiner.line(instruction)
        alive = wave.lane_alive[block * wave.threads:(block + 1) * wave.threads]
        waiting_lane, ended_lane = (int(np.argmax(lanes)) + block * wave.threads for lanes in (alive, ~alive))
        self._say(order, waiting_lane, f"waits at __syncthreads(){at_line(line)}", ended_lane, "has ended and never reaches it", (line,))

    def _say(self, order, lane, action, other_lane, other_action, lines):
        block, thread = order.position(lane)
        other_block, other_thread = order.position(other_lane)
        several = self.examiner.several_blocks
        text = f"{who(thread, block, several)} {action}, and {who(other_thread, other_block, several)} {other_action}"
        self.report.barrier(text, REMEDY, lines, ((block, thread), (other_block, other_thread)))

    def stuck(self, order):
        """Nobody can go on: threads wait for others that never come."""
        wave = order.wave
        if wave.gathering:
            group = next(iter(wave.gathering.values()))
            instruction = group.frame.code.blocks[group.pc].end.instruction
            line = self.examiner.line(instruction)
            block, thread = order.position(int(group.lanes[0]))
            text = f"{who(thread, block, self.examiner.several_blocks)} waits at {instruction.opcode}{at_line(line)} " \
                   "for threads of its warp that its mask names and that never come"
            self.report.barrier(text, "Name in the mask those threads that come by, all of them and no others.", (line,),
                                ((block, thread),))
            return
        parked = wave.barriers.parked
        first = parked[0]
        line, lane = self.examiner.line(first.bar.instruction), int(first.group.lanes[0])
        block = wave.block_of[lane]
        for entry in parked[1:]:
            of_block = entry.group.lanes[wave.block_of[entry.group.lanes] == block]
            if len(of_block):
                other_line = self.examiner.line(entry.bar.instruction)
                self._say(order, lane, f"waits at barrier {first.number}{at_line(line)}", int(of_block[0]),
                          f"at barrier {entry.number}{at_line(other_line)}", (line, other_line))
                return
        position, thread = order.position(lane)
        self.report.barrier(f"{who(thread, position, self.examiner.several_blocks)} waits at a barrier{at_line(line)} for threads that "
                            "never come", REMEDY, (line,), ((position, thread),))
