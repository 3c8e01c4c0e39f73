"""What an address is called in the source: s[60], or element 7 of what parameter 1 points to.

PTX keeps the names of shared variables and of module variables, and of parameters only their numbers; NVRTC's source, where
the toolkit compiled it, has the parameters' names (sources.py).
"""
import re

import numpy as np


class LaunchNames:
    """The names in one launch."""

    def __init__(self, launch, find, parameter_names=()):
        self.launch, self.find = launch, find
        linker = launch.kernel.linker
        self.shared = sorted((start, name) for name, start in linker.shared.items())
        self.parameters = []        # (value, name): whatever may be a pointer
        for number, parameter in enumerate(launch.kernel.parameters):
            name = parameter_names[number] if number < len(parameter_names) else f"parameter {number}"
            for start in range(parameter.offset, parameter.offset + parameter.size - 7, 8):
                value = int(np.frombuffer(launch.parameters, np.uint64, 1, start)[0])
                if value:
                    self.parameters.append((value, name))

    def of(self, address, size, space):
        """(variable, element) of the bytes at an address of a space."""
        if space == "shared":
            candidates = [(start, name) for start, name in self.shared if start <= address]
            if not candidates:
                return "shared memory", f"byte {address} of shared memory"
            start, name = candidates[-1]
            return readable(name), element_of(readable(name), address - start, size)
        if space == "local":
            return "a local variable", "a local variable"
        return self._global(address, size)

    def _global(self, address, size):
        start, end = self.find(address)
        for name, place in self.launch.machine.symbols.items():
            if start == place:
                return readable(name), element_of(readable(name), address - place, size)
        inside = [(value, name) for value, name in self.parameters if start <= value < max(end, start + 1) and value <= address]
        if inside:
            value, name = max(inside)
            return name, element_of(name, address - value, size)
        return f"memory at {start:#x}", f"{size} bytes at {address:#x}"


def element_of(name, distance, size):
    """The element of an array, where elements are as large as what was accessed."""
    if name.startswith("the array "):       # of Numba's: its elements may be of another size, and in several dimensions
        return f"bytes {distance} to {distance + size - 1} of {name}"
    number = distance // (min(size, 8) if size in (1, 2, 4, 8) else 4)
    if name.startswith("parameter "):
        return f"element {number} of what {name} points to"
    return f"element {number} of {name}" if " " in name else f"{name}[{number}]"


def kernel_name(name):
    """_Z3addPi -> add, and what Numba makes of a function, _ZN6cudapy8__main__3addB2v1..., too; another name stays as it is."""
    place, parts = 3 if name.startswith("_ZN") else 2 if name.startswith("_Z") else len(name), []
    # Behind the one name of what is in no namespace come the types of its arguments.
    while (length := re.match(r"\d+", name[place:])) and (name.startswith("_ZN") or not parts):
        place += len(length[0]) + int(length[0])
        parts.append(name[place - int(length[0]):place])
    return parts[-1] if parts else name


def readable(name):
    """_ZZ1kPiE4tile -> tile, and Numba's _cudapy_smem_1 -> shared.array_1; a name that is not mangled stays as it is."""
    if name.startswith("_cudapy_smem"):
        return name.replace("_cudapy_smem", "shared.array")
    if not name.startswith("_Z"):
        return name
    numbers = [(int(length), match.end()) for match in re.finditer(r"\d+", name) for length in [match[0]]]
    for length, start in reversed(numbers):
        if re.fullmatch(r"[A-Za-z_]\w*", name[start:start + length]) and len(name[start:start + length]) == length:
            return name[start:start + length]
    return name
