"""Loads and stores: ld, st, ldu, prefetch; and addresses: cvta, isspacep (PTX ISA 9.7.9).

An address becomes a place in this process (spaces.py), and a place is followed with one NumPy gather or
scatter. A load whose address is the same in all lanes reads once, and its result is the same in all lanes.
"""

from __future__ import annotations

import numpy as np

from ..errors import MemoryFault, Stray
from ..program import SINK, Address, Register, Symbol, Vector
from ..spaces import LOAD, MEMORY, STORE, kernel_fault, split, window, within
from ..types import TYPES, UNSIGNED
from .forms import form
from .steps import InstructionStep, extend

DATA = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
SPACES = "const global local param::entry param::func param shared::cta shared"
CACHE = "ca cg cs cv lu wb wt"
EVICTION = "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate"
PREFETCH = "L2::64B L2::128B L2::256B"


def gather(places, bits: int, shift: int = 0):
    """Read one element for each place + shift."""
    if type(places) is int:
        return MEMORY[bits].item(places + shift >> bits.bit_length() - 4)       # log2 of the size in bytes
    return LOAD[bits](places, shift)


def scatter(places, bits: int, values, shift: int = 0):
    """Write one element to each place + shift; of several lanes that write to one place, the last one's value stays."""
    if type(places) is int:
        MEMORY[bits][places + shift >> bits.bit_length() - 4] = values if type(values) is int else values[-1]
    else:
        STORE[bits](places, shift, np.full(len(places), values, UNSIGNED[bits]) if type(values) is int else values)


def addresses_of(group, base: int, offset: int):
    """The addresses base + offset of a group's lanes: an int or a uint64 array."""
    value = group.registers[base]
    if type(value) is int:
        return (value + offset) & 0xFFFFFFFFFFFFFFFF
    if value.dtype != np.uint64:
        value = value.astype(np.uint64)
    return value + np.uint64(offset & 0xFFFFFFFFFFFFFFFF) if offset else value


def reach(group, instruction, space, addresses, size, access, values=()):
    """addresses -> places, with a fault that names the lane; shows the access to the observer and the examiner.

    `values` are the registers that a store writes.
    """
    launch = group.wave.launch
    if launch.observer is not None:
        launch.observer.access(group, instruction, space, addresses, size, access)
    try:
        places = group.wave.windows.find(space, group, addresses, size, access)
    except Stray as fault:
        places = _astray(group, instruction, space, addresses, size, access, fault)
    except MemoryFault as fault:
        raise kernel_fault(group, fault, instruction, space, size, access) from None
    if launch.examiner is not None:
        return launch.examiner.access(group, instruction, space, addresses, places, size, access, values)
    return places


def reach_beside(group, instruction, space, base, offset, size, access, values=()):
    """The same for the addresses in a register plus an offset: (places, shift), a lane's bytes are at its place + shift."""
    launch = group.wave.launch
    if type(group.registers[base]) is not int and launch.observer is None and launch.examiner is None:
        located = group.wave.windows.beside(space, group, base, offset, size, access)
        if located is not None:
            return located
    return reach(group, instruction, space, addresses_of(group, base, offset), size, access, values), 0


def _astray(group, instruction, space, addresses, size, access, fault):
    """The places of addresses that belong to no allocation, as hardware reaches them; the machine is told."""
    machine = group.wave.launch.machine
    threads = group.count if type(addresses) is int else fault.count    # one address, of all of them
    machine.stray(group.wave.launch, kernel_fault(group, fault, instruction, space, size, access), threads)
    with machine.by_page():
        try:
            return group.wave.windows.find(space, group, addresses, size, access)
        except MemoryFault as worse:
            raise kernel_fault(group, worse, instruction, space, size, access) from None


def space_of(match, operand, code) -> str:
    """The space that an instruction names; none named is generic; .param is local memory in a call (code.py)."""
    name = (match["ss"] or "generic").split("::")[0]
    return code.parameter_space(operand) if name == "param" else name


def items_of(match, operand, instruction, code) -> tuple:
    """{a, b, c, d} or a -> the registers one by one. In a vector their kind is not looked at (ptxas does not either)."""
    items = operand.items if isinstance(operand, Vector) else (operand,)
    if len(items) != int((match["vec"] or "v1")[1:]):
        code.refuse(instruction, f"{len(items)} registers for {match.opcode}")
    if len({code.function.registers[item.name].bits for item in items if isinstance(item, Register) and item != SINK}) > 1:
        code.refuse(instruction, "registers of several sizes in one vector")
    return items


@form("ld{.order}{.scope}{.ss}{.cop}{.nc}{.eviction}{.prefetch}{.vec}.type", ss=SPACES, cop=CACHE,
      eviction=EVICTION, prefetch=PREFETCH, vec="v2 v4", type=DATA)
@form("ldu{.ss}{.vec}.type", ss="global", vec="v2 v4", type=DATA)
def ld(match, instruction, code):
    """d = [a]; a vector takes neighbouring elements. A register wider than the type is filled up (extend)."""
    destination, address = instruction.operands
    type_ = match.type()
    space = space_of(match, address, code)
    base, offset = code.address(address, space)
    fitting = TYPES[f"b{type_.bits}"] if "vec" in match else type_
    targets = [code.destination(item, fitting) for item in items_of(match, destination, instruction, code)]
    storages = [code.storage(target) for target in targets]
    bits, size = type_.bits, type_.size * len(targets)
    exact = all(storage.itemsize == type_.size for storage in storages)

    def run(group):
        places, shift = reach_beside(group, instruction, space, base, offset, size, "read")
        R = group.registers
        for number, target in enumerate(targets):
            value = gather(places, bits, shift + number * type_.size)
            R[target] = value if exact else extend(value, type_, storages[number])

    return InstructionStep(run, (base,), tuple(targets), instruction=instruction)


@form("st{.order}{.scope}{.ss}{.cop}{.eviction}{.vec}.type", ss=SPACES, cop=CACHE, eviction=EVICTION,
      vec="v2 v4", type=DATA)
def st(match, instruction, code):
    """[a] = b; of a register wider than the type, the lower bits."""
    address, source = instruction.operands
    type_ = match.type()
    space = space_of(match, address, code)
    base, offset = code.address(address, space)
    fitting = TYPES[f"b{type_.bits}"] if "vec" in match else type_
    sources = [code.source(item, fitting) for item in items_of(match, source, instruction, code)]
    bits, size = type_.bits, type_.size * len(sources)
    mask, cut = type_.mask, UNSIGNED[type_.bits]

    def run(group):
        places, shift = reach_beside(group, instruction, space, base, offset, size, "write", sources)
        R = group.registers
        for number, slot in enumerate(sources):
            value = R[slot]
            value = value & mask if type(value) is int else value.astype(cut, copy=False)
            scatter(places, bits, value, shift + number * type_.size)

    return InstructionStep(run, (base, *sources), (), instruction=instruction)


# ---- addresses ---------------------------------------------------------------------------------------------------

@form("cvta{.to}{.ss}.size", ss=SPACES, size="u32 u64")
def cvta(match, instruction, code):
    """A generic address is the address in its space plus the start of the space's window."""
    destination, operand = instruction.operands
    type_ = TYPES["u64"]
    space = match["ss"].split("::")[0]
    if space == "param":
        space = code.parameter_space(None)
    target, source = code.destination(destination, type_), code.source(operand, type_)
    if space == "param":
        return _cvta_of_parameters(source, target, "to" in match, instruction)
    if isinstance(operand, Symbol) and code.space_of_symbol(operand.name) not in (space, None):
        code.refuse(instruction, f"{operand.name} is not in .{space} memory")
    start, back = window(space), "to" in match
    change = (-start if back else start) % 2**64
    # An H200 takes the lower 32 bits of shared addresses; its window begins at a multiple of 4 GiB.
    input_mask = 0xFFFFFFFF if space == "shared" and not back else 2**64 - 1
    output_mask = 0xFFFFFFFF if space == "shared" and back else 2**64 - 1

    def run(group):
        value = group.registers[source]
        if type(value) is int:
            group.registers[target] = (value & input_mask) + change & output_mask
        else:
            group.registers[target] = (value & np.uint64(input_mask)) + np.uint64(change) & np.uint64(output_mask)

    python = f"R[{target}] = (R[{source}] & {input_mask}) + {change} & {output_mask}"
    return InstructionStep(run, (source,), (target,), python, instruction)


def _cvta_of_parameters(source, target, back, instruction):
    """The same for parameters: each launch has its own in another part of the window."""
    def run(group):
        start = window("param") + group.wave.launch.parameter_place.start
        value, change = group.registers[source], (-start if back else start) % 2**64
        group.registers[target] = value + change & 2**64 - 1 if type(value) is int else value + np.uint64(change)

    return InstructionStep(run, (source,), (target,), None, instruction)


@form("isspacep.ss", ss="const global local param::entry param shared::cta shared")
def isspacep(match, instruction, code):
    """Does a generic address lie in a space? Of constants, in those of this module; of parameters, in this launch's; of global memory,
    anywhere else."""
    destination, operand = instruction.operands
    target = code.destination(destination, TYPES["pred"])
    source = code.source(operand, TYPES["u64"])
    space = match["ss"].split("::")[0]

    def run(group):
        value = group.registers[source]
        uniform = type(value) is int
        if space in ("const", "global"):
            several = np.array([value], np.uint64) if uniform else value
            inside = _constant(group.wave.launch, several)
            if space == "global":
                inside = _global(several) & ~inside
            group.registers[target] = int(inside[0]) if uniform else inside
        elif space == "param":
            start = window("param") if uniform else np.uint64(window("param"))
            inside = group.wave.launch.parameter_place.own(value - start)
            group.registers[target] = int(inside) if uniform else inside
        else:
            group.registers[target] = int(within(space, value)) if uniform else within(space, value)

    return InstructionStep(run, (source,), (target,), None, instruction)


def _constant(launch, addresses):
    """Which of the addresses are of constants of this module."""
    constant = np.zeros(len(addresses), bool)
    for name, variable in launch.kernel.program.variables.items():
        if variable.space == "const" and name in launch.machine.symbols:
            constant |= addresses - np.uint64(launch.machine.symbols[name]) < np.uint64(variable.size)
    return constant


def _global(addresses):
    """Which of the addresses are in global memory, were there any; parameters are."""
    inside = np.zeros(len(addresses), bool)
    for space, part in split(addresses):
        inside[part] = space in ("global", "param")
    return inside


@form("prefetch{.ss}.level", ss="global local", level="L1 L2")
@form("prefetchu.level", level="L1")
def prefetch(match, instruction, code):
    """A hint about caches, which are not modelled; the address is not even checked, as on hardware."""
    if not isinstance(instruction.operands[0], Address):
        code.refuse(instruction, "expected an address in brackets")
    return InstructionStep(lambda group: None, instruction=instruction)


@form("fence{.order}.scope", order="sc acq_rel acquire release")
@form("fence.scope.order", order="sc acq_rel acquire release")      # so libcu++ of CUDA 12.9 has it, and ptxas takes it
@form("membar.level", level="cta gl sys")
def fence(match, instruction, code):
    """Accesses reach memory at once and in order: there is nothing to wait for."""
    scope = next((word for word in instruction.opcode.split(".") if word in ("cta", "sys")), "gl")

    def run(group):
        examiner = group.wave.launch.examiner
        if examiner is not None:
            examiner.fence(group, scope)

    return InstructionStep(run, instruction=instruction)


@form("fence.proxy.async{.ss}", ss="global shared::cta shared::cluster")
@form("fence.mbarrier_init.release.cluster")
def fence_of_copies(match, instruction, code):
    """Between accesses of threads and bulk copies, which are made at once here."""
    return InstructionStep(lambda group: None, instruction=instruction)


@form("nanosleep.type", type="u32")
def nanosleep(match, instruction, code):
    """Time is not modelled."""
    return InstructionStep(lambda group: None, instruction=instruction)
