"""The examiner of one launch: what the interpreter tells it while a kernel runs, and who of this package is told.

The interpreter calls it only where there is one: a launch that is not examined pays one look at `launch.examiner` for each
access to memory.
"""
import os

import numpy as np

from ..ptx.launch import _axes
from ..ptx.spaces import BASE, LARGEST_WORD, split, window
from .barriers import BarrierChecks
from .cells import Cells, GlobalCells
from .copies import Copies
from .findings import Report, doing_of
from .handover import Handover
from .initialised import Initialised
from .late_stores import LateStores
from .names import LaunchNames, kernel_name
from .order import Order
from .races import Races
from .schedule import Schedule


class WaveOrder(Order):
    """The Order of a wave that knows its threads by their numbers in grid and block."""

    def position(self, lane):
        launch = self.examiner.launch
        return (_axes(self.first_block + int(self.block_of[lane]), launch.grid),
                _axes(int(self.thread_of[lane]), launch.block))


class Examiner:
    """Looks at one launch."""
    base = BASE

    def __init__(self, seed, parameter_names=(), event=0):
        self.seed, self.parameter_names = seed, parameter_names
        self.schedule = Schedule(seed)
        self.event = event          # number of the last access, of this launch or of one before it
        self.doings, self.doing_by_key = [], {}
        self.report = Report(self)
        self.races, self.barriers = Races(self), BarrierChecks(self)
        self.handover, self.initialised = Handover(), Initialised(self)
        self.cells = GlobalCells(event)
        self.late_stores = LateStores()
        self.addresses = self.places = 0        # of the access that is looked at

    # -- beginnings ------------------------------------------------------------------------------------------------

    def begin(self, launch):
        """The launch begins, before its first wave."""
        self.launch, self.blocks, self.several_blocks = launch, launch.blocks, launch.blocks > 1
        self.kernel_name = kernel_name(launch.kernel.name)
        self.names = LaunchNames(launch, self._allocation, self.parameter_names)

    def begin_wave(self, wave):
        """A wave of blocks begins: nothing is known of its shared memory."""
        wave.examined = WaveOrder(wave, self)
        wave.examined.squad = self.schedule.deal(wave)
        wave.shared_cells = Cells(wave.windows.shared_place, len(wave.windows.shared))
        self.initialised.of_wave(wave)

    def runs(self, wave):
        """From now on the accesses are this wave's."""
        if not self.races.orders or self.races.orders[-1] is not wave.examined:
            self.races.runs(wave.examined)

    @staticmethod
    def ended(wave):
        """All lanes of a wave have exited: what others may still ask is who they were."""
        wave.examined.forget()

    # -- memory ----------------------------------------------------------------------------------------------------

    def access(self, group, instruction, space, addresses, places, size, access, slots):
        """Lanes of a group are about to touch memory, and this gives the places: `slots` are those of what a store writes."""
        if space == "generic":
            self._generic(group, instruction, addresses, places, size, access, slots)
        elif space not in ("param", "const"):
            values = [group.registers[slot] for slot in slots]
            self._access(group, group.lanes, self._doing(instruction, access), space, addresses, places, size, values)
        if space not in ("global", "generic"):
            return places
        if "release" in instruction.opcode:     # it brings what was stored before
            self.late_stores.show()
            return places
        return self.late_stores.access(addresses, places, size, access)

    def _generic(self, group, instruction, addresses, places, size, access, slots):
        """Generic addresses may lie in several spaces at once."""
        values = [group.registers[slot] for slot in slots]
        cut = lambda value, part: value if type(value) is int else value[part]  # noqa: E731
        for space, part in split(addresses):
            if space == "param":
                continue
            start = window(space)
            own = addresses - start if type(addresses) is int else addresses[part] - np.uint64(start)
            self._access(group, group.lanes[part], self._doing(instruction, access), space, own, cut(places, part), size,
                         [cut(value, part) for value in values])

    def _access(self, group, lanes, doing, space, addresses, places, size, values):
        order = group.wave.examined
        doing.space = space
        if doing.volatile:
            doing.strong = space != "shared"        # races.py decides about those
            doing.waits |= group.frame.code.blocks[group.pc].carried is not None
        self.addresses, self.places = addresses, places
        if space == "shared":
            self._within_shared(order, lanes, doing, addresses, size, group.wave.launch.shared_bytes)
        if type(places) is int and len(lanes) > 1 and doing.writes:
            places = np.full(len(lanes), places)
        elif type(places) is int and len(lanes) == 1:
            places = np.array([places])
        self.initialised.access(group, lanes, doing, places, size)
        if space == "local":
            return
        self.event += 1
        event = self.event
        arrives = doing.atomic and doing.words[0] in ("mbarrier", "cp")       # to a counted barrier, of its block
        if doing.releases or arrives:
            self.handover.fence(order, lanes, arrives or "cta" in doing.words)
        if doing.passes_on and (order.fences is not None or self.handover.released):
            lane_places = np.full(len(lanes), places) if type(places) is int else places
            self.handover.pass_on(order, lanes, lane_places, doing.reads, doing.writes, learns=not arrives)
        if space == "shared":
            self.races.access(order, group.wave.shared_cells, lanes, places, size, doing, event, values)
            if doing.words[0] == "cp" and doing.writes and not doing.atomic:
                order.copies = order.copies or Copies(order)
                order.copies.start(group.wave.shared_cells, lanes, places, size, doing)
            return
        if type(places) is int:
            (cells, _), = self.cells.pieces(np.array([places]), size)
            self.races.access(order, cells, lanes, places, size, doing, event, values)
            return
        for cells, chosen in self.cells.pieces(places, size):
            if chosen is None:
                self.races.access(order, cells, lanes, places, size, doing, event, values)
            else:
                self.addresses = addresses if type(addresses) is int else addresses[chosen]
                self.races.access(order, cells, lanes[chosen], places[chosen], size, doing, event,
                                  [value if type(value) is int else value[chosen] for value in values])

    def _within_shared(self, order, lanes, doing, addresses, size, end):
        """What ends behind a block's shared memory, in the bytes up to the next multiple of LARGEST_WORD, ends no kernel."""
        past = np.flatnonzero(addresses + size > end) if end % LARGEST_WORD else ()
        if len(past):
            position = int(past[0])
            self.report.outside(order, lanes[position], doing, self.address_of(position), size,
                                len(lanes) if type(addresses) is int else len(past))

    def _doing(self, instruction, access):
        key = id(instruction), access
        doing = self.doing_by_key.get(key)
        if doing is None:
            doing = self.doing_by_key[key] = doing_of(instruction, len(self.doings), access)
            self.doings.append(doing)
        return doing

    def address_of(self, position):
        """The address that a lane names in the access that is looked at."""
        return self.addresses if type(self.addresses) is int else int(self.addresses[position])

    def last_address(self, place):
        """The address of a place of the access that is looked at."""
        if type(self.addresses) is int:
            return self.addresses
        return int(self.addresses[int(np.argmax(self.places == place))])

    def _allocation(self, address):
        allocation = self.launch.machine.allocation_at(address)
        return (allocation.start, allocation.end) if allocation is not None else (address, address + 1)

    # -- order -----------------------------------------------------------------------------------------------------

    def fence(self, group, scope):
        """Lanes pass a fence: what they wrote before may be handed over to whom the scope names."""
        self.handover.fence(group.wave.examined, group.lanes, scope == "cta")
        if scope == "sys":
            self.late_stores.show()

    def copies(self, group, action, except_last):
        """Lanes commit or wait for the asynchronous copies that they asked for."""
        copies = group.wave.examined.copies
        if copies is not None and action == "commit_group":
            copies.commit(group.lanes)
        elif copies is not None:
            copies.wait(group.wave.shared_cells, group.lanes, except_last)

    def everybody_came(self, group, instruction):
        """All living lanes of the wave met at one barrier."""
        order = group.wave.examined
        self.barriers.everybody(order, instruction)
        order.everybody_came()

    def released(self, wave, number, complete, groups):
        """A barrier of the `complete` blocks, by their numbers, lets go groups of [(Bar, Group)]."""
        order = wave.examined
        lanes = np.concatenate([group.lanes for _, group in groups]) if groups else np.zeros(0, np.int64)
        whole = order.release_whole(number, complete, lanes)
        if all(bar.count is None for bar, _ in groups):
            one_line = len({self.line(bar.instruction) for bar, _ in groups}) == 1
            alive = wave.alive_in_block[complete]
            for block in complete[(alive < wave.threads) & (alive > 0)].tolist() if one_line else complete.tolist():
                waiting = self._of_block(order, block, groups)
                if waiting:
                    self.barriers.released(order, block, waiting)
        for block in complete[~whole].tolist():
            waiting = self._of_block(order, block, groups)
            order.release(number, block, np.concatenate([lanes for _, lanes in waiting]) if waiting else np.zeros(0, np.int64))

    @staticmethod
    def _of_block(order, block, groups):
        """The lanes of one block in groups of [(Bar, Group)], as [(instruction, lanes)]."""
        of_block = [(bar.instruction, group.lanes[order.block_of[group.lanes] == block]) for bar, group in groups]
        return [(instruction, lanes) for instruction, lanes in of_block if len(lanes)]

    # -- calls -----------------------------------------------------------------------------------------------------

    def enter(self, group, frame):
        """Lanes call a function: its parameters are written."""
        parameters = [(frame.local_base + start, size) for start, size in frame.code.parameters]
        self.initialised.enter(group.wave, group.lanes, frame, parameters)

    def leave(self, group, frame):
        """Lanes return from a function: its results are written."""
        results = [(frame.parent.local_base + start, size) for start, size in frame.targets]
        self.initialised.enter(group.wave, group.lanes, None, results)

    def answered(self, group, start, size):
        """A function of the runtime has written its result."""
        self.initialised.enter(group.wave, group.lanes, None, [(group.frame.local_base + start, size)])

    # -- words -----------------------------------------------------------------------------------------------------

    def line(self, instruction):
        """(file, line) of the source, or ("PTX", line) where the compiler told none."""
        if instruction.source is None:
            return "PTX", instruction.line
        file, line = instruction.source
        return os.path.basename(self.launch.kernel.program.files.get(file, "")), line

    def path(self, name):
        """The whole path of a source file by its name, "" where the compiler told none."""
        return next((path for path in self.launch.kernel.program.files.values() if os.path.basename(path) == name), "")
