"""Which system the simulated driver follows: the H200 that was recorded, or one that documents describe.

    cuda_simulator.attach(system="pageable-access")     # or CUDA_SIMULATOR_SYSTEM, or `python -m cuda_simulator --system`

A documented system illustrates what its documents say, and is evidence of nothing: the name of its device says so. What its
documents leave open, it refuses with CUDA_ERROR_NOT_SUPPORTED and a sentence. What they do not touch is as on the H200.

Code asks `current_system()` for a rule, never for a name. `python -m cuda_simulator.systems` prints the rules with their sources.
Not here: what follows from a rule (memory/, device/, calls/).
"""
import os

from .documented import SYSTEMS, TELLING
from .system import MARK, Rule, System

SYSTEM = "CUDA_SIMULATOR_SYSTEM"    # environment variable: the name of a system

_current = None     # of this process, once it was asked for


def by_name():
    """{name: System} of all there are; the first is the recorded one."""
    return {system.name: system for system in SYSTEMS}


def like(attributes):
    """The documented systems that a machine is like, by its attributes: {name: [what is so]}, empty for one as recorded.

    attributes: {name of an attribute, of TELLING: its value}

    A machine may be like one system in some of its attributes, or like two.
    """
    if attributes.get("UNIFIED_ADDRESSING") == 0:       # the others are 0, too, without it
        return {system.name: ["UNIFIED_ADDRESSING is 0"] for system in SYSTEMS if not system.unified_addressing}
    alike = {system.name: [f"{name} is {attributes[name]}" for name, number in TELLING.items()
                           if name in attributes and system.attributes.get(number) == attributes[name]]
             for system in SYSTEMS if not system.recorded and system.unified_addressing}
    return {name: why for name, why in alike.items() if why}


def checked(name):
    """The System of a name; ValueError with the names that there are."""
    systems = by_name()
    if name not in systems:
        raise ValueError(f"There is no system {name!r} ({SYSTEM}, --system, attach(system=...)). There are: {', '.join(systems)}")
    return systems[name]


def current_system():
    """The System of this process. The first who asks decides, by the environment variable; ValueError for one that there is not."""
    global _current
    if _current is None:
        _current = checked(os.environ.get(SYSTEM) or next(iter(by_name())))
    return _current


def choose(name):
    """Make `name` the system of this process and of those that it starts; None leaves it to the variable.

    RuntimeError where the process has another one already.
    """
    if name is not None:
        chosen = checked(name)
        if _current not in (None, chosen):
            raise RuntimeError(f"This process has the system {_current.name} already. Start a new one to have {name}")
        os.environ[SYSTEM] = name
    return current_system()


__all__ = ["MARK", "SYSTEM", "TELLING", "Rule", "System", "by_name", "checked", "choose", "current_system", "like"]
