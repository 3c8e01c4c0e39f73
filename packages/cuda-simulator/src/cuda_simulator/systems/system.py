"""What a system is made of. Not here: which systems there are (documented.py), and which one a process has (__init__.py)."""
from collections.abc import Mapping
from dataclasses import dataclass, field

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
