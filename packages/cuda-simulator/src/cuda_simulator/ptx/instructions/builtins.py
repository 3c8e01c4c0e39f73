"""Functions that the device runtime provides: malloc, free, vprintf, __assertfail.

NVRTC leaves them as `.extern .func`. They get their arguments as every call does, in local memory; what they
do is the driver's: `machine.malloc`, `machine.free`, `machine.print`.
"""

from __future__ import annotations

import numpy as np

from ..errors import ASSERT, MemoryFault
from ..spaces import MEMORY, kernel_fault
from .memory_access import gather, reach, scatter
from .printf import format_text
from .steps import End


def end(name: str, sources, targets, next_block: int, instruction):
    """The End of a basic block that calls a builtin."""
    function = BUILTINS[name]

    def run(group):
        arguments = [_read(group, offset, size) for offset, size in sources]
        result = function(group, arguments, instruction)
        if targets:
            offset, size = targets[0]
            places = _places(group, offset, size, "write")
            if group.wave.examined is not None:
                group.wave.launch.examiner.answered(group, offset, size)
            scatter(places, 8 * size, np.asarray(result).astype(f"u{size}"))
        return next_block

    return End(run, (), (), (next_block,), instruction)


def _places(group, offset, size, access):
    return group.wave.windows.find("local", group, group.frame.local_base + offset, size, access)


def _read(group, offset, size) -> np.ndarray:
    # One lane alone reads a plain number.
    return np.atleast_1d(gather(_places(group, offset, size, "read"), 8 * size)).astype(f"u{size}")


def malloc(group, arguments, instruction):
    return group.wave.launch.machine.malloc(arguments[0])


def free(group, arguments, instruction):
    try:
        group.wave.launch.machine.free(arguments[0])
    except MemoryFault as fault:
        raise kernel_fault(group, fault, instruction, "generic", 1, "free") from None


def vprintf(group, arguments, instruction):
    """Format lane by lane; the arguments of the format lie one after another at the second pointer. Returns how many there were."""
    formats, values = arguments
    texts, lines, counts = {}, [], []
    for lane, (address, start) in enumerate(zip(formats.tolist(), values.tolist())):
        if address not in texts:
            texts[address] = text_at(group, instruction, lane, address)

        def read(offset, size, lane=lane, start=start):
            return int(gather(_place_of(group, instruction, lane, start + offset, size), 8 * size))

        def read_text(pointer, lane=lane):
            return text_at(group, instruction, lane, pointer)

        line, count = format_text(texts[address], read, read_text)
        lines.append(line)
        counts.append(count)
    group.wave.launch.machine.print(lines)
    return np.array(counts, np.uint32)


def assertfail(group, arguments, instruction):
    """__assertfail(message, file, line, function, size of a character)"""
    message, file, line, function = (argument[0] for argument in arguments[:4])
    read = lambda address: text_at(group, instruction, 0, int(address))  # noqa: E731
    launch = group.wave.launch
    block, thread = launch.position(group, 0)
    text = (f"{read(file)}:{int(line)}: {read(function)}: block: [{','.join(map(str, block))}], "
            f"thread: [{','.join(map(str, thread))}] Assertion `{read(message)}` failed.")
    launch.machine.print([text + "\n"], to="stderr")
    raise launch.fault(ASSERT, text, group, 0, instruction)


def _place_of(group, instruction, lane, address, size) -> int:
    """The place of one lane's bytes."""
    places = reach(group.part(slice(lane, lane + 1)), instruction, "generic", address, size, "read")
    return places if type(places) is int else int(places[0])


def text_at(group, instruction, lane, address: int) -> str:
    """The zero-terminated text at a generic address."""
    text = bytearray()
    while True:
        byte = MEMORY[8].item(_place_of(group, instruction, lane, address + len(text), 1))
        if not byte:
            return text.decode("utf-8", "replace")
        text.append(byte)


BUILTINS = {"malloc": malloc, "free": free, "vprintf": vprintf, "__assertfail": assertfail}
