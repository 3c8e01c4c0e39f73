"""Which system the simulated driver follows: the H200 that was recorded, or one that documents describe.

    cuda_simulator.attach(system="pageable-access")     # or CUDA_SIMULATOR_SYSTEM, or `python -m cuda_simulator --system`

A documented system illustrates what its documents say, and is evidence of nothing: the name of its device says so. What its
documents leave open, it refuses with CUDA_ERROR_NOT_SUPPORTED and a sentence. What they do not touch is as on the H200.

Code asks `current()` for a rule, never for a name. `python -m cuda_simulator.systems` prints the rules with their sources.
Not here: what follows from a rule (memory/, device/, calls/).
"""
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

SYSTEM = "CUDA_SIMULATOR_SYSTEM"    # environment variable: the name of a system
MARK = "as documented, not recorded"


@dataclass(frozen=True)
class Rule:
    """One thing that is otherwise there: what is asked, what the document answers, and which document it is."""
    question: str
    answer: str
    source: str


@dataclass(frozen=True)
class System:
    """A system: the device attributes and the rules in which it is not an H200 under Linux with driver 580."""
    name: str
    about: str = ""
    recorded: bool = False
    attributes: Mapping[int, int] = field(default_factory=dict)     # CUdevice_attribute -> value
    refused: Mapping[str, str] = field(default_factory=dict)        # function, without its version -> why there is no answer
    rules: tuple[Rule, ...] = ()
    # What code asks.
    registered_at_host_address: bool = True     # registered and write-combined memory: is the host's number the device's, too?
    concurrent_managed_access: bool = True      # may the host touch managed memory while a kernel runs?
    pageable_access: bool = False               # do kernels follow any address of the host?
    unified_addressing: bool = True             # do host and devices share one range of addresses?

    def device_name(self, recorded_name):
        """What cuDeviceGetName says: `recorded_name`, or that this is a document's system."""
        return recorded_name if self.recorded else f"Simulated: {self.name} ({MARK})"


_current = None     # of this process, once it was asked for


def by_name():
    """{name: System} of all there are; the first is the recorded one."""
    from .documented import SYSTEMS
    return {system.name: system for system in SYSTEMS}


def checked(name):
    """The System of a name; ValueError with the names that there are."""
    systems = by_name()
    if name not in systems:
        raise ValueError(f"There is no system {name!r} ({SYSTEM}, --system, attach(system=...)). There are: {', '.join(systems)}")
    return systems[name]


def current():
    """The system of this process. The first who asks decides, by the environment variable."""
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
    return current()
