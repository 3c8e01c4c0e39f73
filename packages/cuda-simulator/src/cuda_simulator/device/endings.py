"""Kernels that ended before their time, as findings: which thread, at which line, and what the address was meant to be.

Not here: what a GPU does not notice (strays.py), and what an address is near (faults.py).
"""
from ..examination.findings import CHECK_THE_INDEX, Finding, at_line, does, outside_of, place_of, who
from ..memory.allocations import memory
from ..ptx.errors import ILLEGAL_ADDRESS, ILLEGAL_INSTRUCTION, LAUNCH_TIMEOUT, MISALIGNED_ADDRESS
from .faults import NULL_PAGE, PAGEABLE, freed_at, nearest

OWN = ("shared", "local", "param")      # spaces of which each block, or each thread, has its own
OUTSIDE, FREED, FAULT, ENDLESS = "out-of-bounds", "freed", "fault", "endless"
OUT_OF_TIME = "when its time was up"
FREE = "free"       # the access of a fault
REMEDIES = {
    OUTSIDE: CHECK_THE_INDEX,
    NULL_PAGE: "Nobody set this pointer, or what should have given an address had none, as malloc when its heap is full: test it first.",
    PAGEABLE: "Look at where the pointer comes from: a kernel cannot follow the address of a NumPy array, or of the host's malloc.",
    FREED: "Free it after the last kernel that uses it.",
    FREE: "Free a block once, by the address that malloc gave.",
    MISALIGNED_ADDRESS: "An address is a multiple of the size of what is read or written there: look at how the pointer was made.",
    FAULT: "The kernel ended there, and calls of CUDA fail from now on in this process.",
    ENDLESS: "Look at what ends the loop: who changes it, and whether that one still can. The time is the simulator's: a kernel that is "
             "right may only need longer (CUDA_SIMULATOR_KERNEL_SECONDS).",
}


def of_fault(examiner, fault, device):
    """The Finding for a KernelFault, or None for one that has a finding already: threads that wait for each other.

    device: the one that the kernel ran on
    """
    if fault.code == LAUNCH_TIMEOUT:
        return None
    line, several = place_of(fault), examiner.several_blocks
    thread, variable, element = who(fault.thread, fault.block, several), "", ""
    if fault.address is None:
        kind, text = FAULT, f"{thread} ended the kernel{at_line(line)}: {fault.reason.rstrip('.')}"
    else:
        kind = OUTSIDE if fault.code in (ILLEGAL_ADDRESS, ILLEGAL_INSTRUCTION) else FAULT
        if kind == OUTSIDE and fault.space not in OWN and memory.at(fault.address) is None and freed_at(fault.address) is not None:
            kind = FREED
        variable, element, why = _describe(examiner, fault, device)
        element = f"{fault.address:#x}" if fault.access == FREE else element
        text = f"{thread} {does(fault)} {element}{at_line(line)}: {why}"
    return Finding(kind, examiner.kernel_name, text, _remedy(fault, kind, text), (line,), ((fault.block, fault.thread),), variable, element,
                   fault.space or "", 1)


def _remedy(fault, kind, text):
    if fault.access == FREE:
        return REMEDIES[FREE]
    if fault.code == MISALIGNED_ADDRESS:
        return REMEDIES[MISALIGNED_ADDRESS]
    if kind == OUTSIDE and fault.space not in OWN and fault.address < NULL_PAGE:
        return REMEDIES[NULL_PAGE]
    return REMEDIES[PAGEABLE if PAGEABLE in text else kind]


def of_endless(examiner, place):
    """The Finding for a kernel that was ended before it had come to its end, with a thread at `place`, a KernelFault."""
    not_begun, remedy = examiner.launch.cannot_begin, REMEDIES[ENDLESS]
    text = at(place, examiner.several_blocks, "when all waited" if not_begun else OUT_OF_TIME)
    if not_begun:
        text += f", and {not_begun} of the {examiner.blocks} blocks cannot begin before others end: the device holds no more at once"
        remedy = "Let no block wait for one that may not have begun. A cooperative launch refuses more blocks than the device holds."
    return Finding(ENDLESS, examiner.kernel_name, text, remedy, (place_of(place),), ((place.block, place.thread),), count=1)


def at(place, with_block=True, when=OUT_OF_TIME):
    """Where a thread was when its kernel was ended, in words."""
    return f"{who(place.thread, place.block, with_block)} was{at_line(place_of(place))} {when}"


def _describe(examiner, fault, device):
    """(variable, element, why) of an address that cannot be followed."""
    if fault.space not in OWN:
        variable, element = examiner.names.of(fault.address, fault.size, fault.space)
        return variable, element, fault.reason if fault.code == MISALIGNED_ADDRESS else nearest(fault.address, device)
    # An index below 0 wraps round to the top of what the register holds: 32 bits, or 64.
    address = next((fault.address - (1 << bits) for bits in (32, 64) if 1 << bits - 1 <= fault.address < 1 << bits), fault.address)
    variable, element = examiner.names.of(max(address, 0), fault.size, fault.space)
    if address < 0:
        element = f"{variable}[{address // fault.size}]"
    return variable, element, fault.reason if fault.code == MISALIGNED_ADDRESS else outside_of(fault.space)
