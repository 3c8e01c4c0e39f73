"""Which group of lanes runs next.

The group deepest in calls goes first, and of those the one earliest in the program: lanes that branched
away are thus waited for where the paths meet again. A group that keeps looping while others could run gives
way to them after a while, because it may be waiting for what they do: a lock, a flag. When all groups that
could run do nothing but loop, the wave says that it is spinning, and what it waits for has to come from another
wave, another stream or the host.
"""

from __future__ import annotations

from time import monotonic

import numpy as np

from .errors import LAUNCH_TIMEOUT, KernelFault

POLL_SECONDS = 0.005
IDLE_TURNS = 3          # of a loop in which nothing changes: it waits for somebody
PATIENCE = 2000         # turns of any loop while others could run: fairness


def place(group):
    """The order of groups: deeper calls first, then earlier blocks."""
    return -group.frame.depth, group.pc


def run_wave(wave):
    """Run until every lane has exited (-> True) or all that can run are spinning (-> False)."""
    launch = wave.launch
    if launch.examiner is not None:
        launch.examiner.runs(wave)
    while wave.ready or wave.resting or wave.held:
        if not wave.ready and wave.held:
            wave.put(wave.held.pop(0))
        if not wave.ready:
            wave.ready, wave.resting = wave.resting, {}
            if not run_groups(wave, launch):
                return False
            continue
        run_groups(wave, launch)
    if wave.alive:
        if launch.examiner is not None:
            launch.examiner.barriers.stuck(wave.examined)
        raise stuck(wave)
    if launch.examiner is not None:
        launch.examiner.ended(wave)
    return True


def run_groups(wave, launch) -> bool:
    """Run the ready groups until none is left; False if all that happened is that they looped."""
    progress = False
    while wave.ready:
        group = min(wave.ready.values(), key=place)
        del wave.ready[group.frame, group.pc]
        limit = min(map(place, wave.ready.values())) if wave.ready else None
        if run_group(group, limit, launch):
            progress = True
    return progress


def run_group(group, limit, launch) -> bool:
    """Run one group until it splits, waits, exits, comes to where another group is, or has looped enough.

    `limit` is the place of the group that would be next, or None; behind it in the program, this one lets it go
    first. Returns whether it did anything but give way.
    """
    # What does not change while the group runs, looked up once: this is the innermost loop.
    wave = group.wave
    blocks = group.frame.code.blocks
    depth = group.frame.depth
    whole, single = group.whole, group.count == 1
    observer = launch.observer
    while True:
        block = blocks[group.pc]
        if not whole:
            group.load(block.reads)
            group.dirty |= block.writes
        if observer is not None:
            for step in block.steps:
                step.run(group)
                observer.step(group, step.instruction)
            if block.end.instruction is not None:       # else it goes on to the next block, and there is no instruction
                observer.end(group, block.end)
        elif single:
            block.single(group)
        else:
            for run in block.runs:
                run(group)
        if monotonic() > launch.poll_at:
            launch.poll(group)
        following = block.end.run(group)
        if following is None:
            return True
        if following <= group.pc:
            group.turns += 1
            idle = block.carried is not None and is_idle(group, block.carried)
            if idle or group.turns > PATIENCE:
                launch.computes = launch.computes or not idle
                group.pc = following
                rest(wave, group)
                return block.carried is None        # a loop that may be waiting has done nothing for certain
        group.pc = following
        if limit is not None and (-depth, following) >= limit:
            wave.put(group)
            return True


def is_idle(group, carried) -> bool:
    """Whether the group has made some turns of a loop in which nothing changed but, perhaps, memory."""
    state = [group.registers[slot] for slot in carried]
    before, group.state = group.state, state
    if before is not None and all(map(np.array_equal, before, state)):
        group.idle += 1
    else:
        group.idle = 0
    return group.idle > IDLE_TURNS


def rest(wave, group):
    """Let the others run."""
    group.turns = group.idle = 0
    key = (group.frame, group.pc)
    resting = wave.resting.pop(key, None)
    wave.resting[key] = wave.merge(group, resting) if resting else group


def stuck(wave) -> KernelFault:
    """Every living lane waits for others that will never come: hardware would hang."""
    if wave.gathering:
        group = next(iter(wave.gathering.values()))
        instruction = group.frame.code.blocks[group.pc].end.instruction
        awaited = "for threads of its warp that are named in the mask of a *_sync function but do not reach it"
    else:
        parked = wave.barriers.parked[0]
        group, instruction = parked.group, parked.bar.instruction
        awaited = "at a barrier that not all threads of the block reach"
    return wave.launch.fault(LAUNCH_TIMEOUT, f"deadlock: a thread waits {awaited}", group, 0, instruction)
