"""Which CUDA driver this process uses: the machine's own, or the simulated one.

PyCUDA and cuda-bindings ask the system for a library called libcuda.so.1. `attach` decides, once a
process and before they ask, which one they get:

    COURSE_DRIVER=auto        the machine's own where a device answers that the installed packages of CUDA serve, else the
                              simulated one (the default)
    COURSE_DRIVER=real        the machine's own, or an error that says what was looked for
    COURSE_DRIVER=simulated   the simulated one, also on a machine with a GPU

`import course_lib` calls it. Afterwards `attached` says what was chosen and why.

Not here: how a libcuda.so.1 is found and asked (`course_lib.driver.probe`), which drivers and
devices are served (`course_lib.driver.served`), and the simulated driver (the package
cuda_simulator).
"""
import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field

import cuda_simulator
import cuda_without_toolkit
from cuda_simulator import systems

from ..core import tables
from . import probe, served

PROBE_TIMEOUT = 30      # seconds; a driver that wakes a sleeping GPU needs a few


class DriverError(RuntimeError):
    """No driver can be attached; the message says why, and what to do.

    Not an ImportError: a notebook takes that for "course_lib is not installed".
    """


@dataclass(frozen=True)
class Driver:
    """The driver that PyCUDA and cuda-bindings reach in this process."""

    kind: str                               # "real" or "simulated"
    why: str                                # why this one
    library: str                            # path of the libcuda.so.1
    device: str                             # name of device 0
    compute_capability: tuple[int, int]     # of device 0
    cuda_version: tuple[int, int]           # newest CUDA version that the driver speaks
    attributes: Mapping[str, int] = field(default_factory=dict)     # of device 0, those of probe.ATTRIBUTES

    @property
    def simulated(self) -> bool:
        """True for the simulated driver."""
        return self.kind == "simulated"

    @property
    def system(self) -> str:
        """Which systems device 0 is like (docs/systems.md), in words, and by which attribute."""
        alike = [f"like {name} ({', '.join(why)})" for name, why in systems.like(self.attributes).items()]
        return "; ".join(alike) or "as those that were recorded"

    def rows(self) -> Iterator[tuple[str, str]]:
        """What to show of it, as (label, text) pairs."""
        yield "driver", f"{self.kind}, because {self.why}"
        yield "device", f"{self.device}, compute capability {served.dotted(self.compute_capability)}"
        yield "system", self.system + (": docs/systems.md has what is otherwise there" if systems.like(self.attributes) else "")
        yield "CUDA", served.dotted(self.cuda_version)
        yield "library", self.library
        if self.simulated:
            yield "times", "none: the simulated driver answers as CUDA does, and measures nothing"

    def _repr_html_(self) -> str:
        return tables.html(self.rows(), labels=True)


attached: Driver | None = None      # of this process, once attach() has run


def describe() -> str:
    """The attached driver in a few lines of text."""
    return tables.text(attach().rows())


def attach() -> Driver:
    """Attach the driver that COURSE_DRIVER asks for, and return it. The first call decides; later
    ones return that.

    Raises DriverError where it cannot.
    """
    global attached
    if attached is None:
        if choice() not in _ATTACH:
            raise DriverError(f"COURSE_DRIVER={choice()} is not a driver: set it to {', '.join(_ATTACH)}.")
        attached = _ATTACH[choice()]()
    return attached


def choice() -> str:
    """What COURSE_DRIVER says, "auto" where it says nothing."""
    return os.environ.get("COURSE_DRIVER", "").strip().lower() or "auto"


def child_environment() -> dict[str, str]:
    """The environment for a child process that is to use a driver of the same kind. On a GPU the
    child asks the driver anew, since other devices may be visible to it: 0.16 s on an H200."""
    return {**os.environ, "COURSE_DRIVER": attach().kind}


def machine() -> dict | None:
    """What the machine's own driver says of its first device, whichever driver is attached; None
    where no device answers."""
    if attached and not attached.simulated:
        return asdict(attached)
    return _ask_in_a_child(_libraries())[0]


def _attach_auto() -> Driver:
    paths = _libraries()
    if not paths:
        return _simulated("this machine has no libcuda.so.1")
    answer, refusals = _ask_in_a_child(paths)
    if answer is None:
        return _simulated("no device answers: " + _as_text(refusals))
    if refusal := _refusal(answer):
        return _simulated(f"{refusal} (`make doctor` says what to do)")
    return _real(answer, "a device answers")


def _attach_real() -> Driver:
    paths = _libraries()
    if not paths:
        raise DriverError("COURSE_DRIVER=real, but this machine has no libcuda.so.1: looked for in LD_LIBRARY_PATH, in "
                          f"{probe.LOADER_CACHE}, and in {', '.join(probe.USUAL_FOLDERS)}. Install NVIDIA's driver, or unset "
                          "COURSE_DRIVER to use the simulated one.")
    _refuse_if_simulated()
    answer, refusals = _ask_in_a_child(paths)
    if answer is None:
        raise DriverError(f"COURSE_DRIVER=real, but no device answers: {_as_text(refusals)}. Check that `nvidia-smi` lists a "
                          "GPU; or unset COURSE_DRIVER and restart this process to use the simulated driver.")
    if refusal := _refusal(answer):
        raise DriverError(f"COURSE_DRIVER=real, but {refusal}. `make doctor` says what to do; or unset COURSE_DRIVER and restart "
                          "this process to use the simulated driver.")
    return _real(answer, "COURSE_DRIVER=real")


def _attach_simulated() -> Driver:
    return _simulated("COURSE_DRIVER=simulated")


_ATTACH = {"auto": _attach_auto, "real": _attach_real, "simulated": _attach_simulated}


def _real(answer: dict, why: str) -> Driver:
    _refuse_if_simulated()
    # By its path: where it is outside the loader's folders (WSL), the name alone would not find it.
    ctypes.CDLL(answer["library"], mode=ctypes.RTLD_GLOBAL)
    facts: dict = {key: tuple(value) if isinstance(value, list) else value for key, value in answer.items()}
    cuda_without_toolkit.install(facts["library"], facts["compute_capability"])
    return Driver("real", why, **facts)


def _simulated(why: str) -> Driver:
    try:
        cuda_simulator.attach()
    except cuda_simulator.OtherDriverLoaded as error:
        raise _loaded_before("simulated", error.path) from error
    except cuda_simulator.StandInMissing as error:
        raise DriverError(f"The simulated driver is needed ({why}), but {error}.") from error
    return Driver("simulated", why, str(cuda_simulator.STAND_IN), **cuda_simulator.first_device())


def _libraries() -> list[str]:
    return probe.libraries(left_out=cuda_simulator.is_stand_in)


def _ask_in_a_child(paths: list[str]) -> tuple[dict | None, list[tuple[str, str]]]:
    """probe.first_answer(paths), from a process of its own: no libcuda.so.1 stays loaded in this one, and CUDA is not
    initialized, after which a forked child could not use it."""
    try:
        child = subprocess.run([sys.executable, "-I", "-S", probe.__file__, *paths],
                               capture_output=True, text=True, timeout=PROBE_TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, [(path, f"no answer in {PROBE_TIMEOUT} s") for path in paths]
    try:
        return json.loads(child.stdout)
    except json.JSONDecodeError:
        return None, [(path, f"a process that asked it ended with status {child.returncode}") for path in paths]


def _refuse_if_simulated() -> None:
    """Raise if this process has the simulated driver already: the dynamic loader keeps the first
    library of a name."""
    for path in filter(cuda_simulator.is_stand_in, cuda_simulator.loaded_drivers()):
        raise _loaded_before("real", path)


def _loaded_before(kind: str, path: str) -> DriverError:
    return DriverError(f"The {kind} driver cannot be attached: {path} is already loaded in this process. Restart it (in "
                       "Jupyter: Kernel > Restart), and import course_lib before PyCUDA and cuda.bindings.")


def installed_cuda() -> int | None:
    """The major version of CUDA whose packages are installed: that of cuda-bindings. None without
    it, or for one that served.py does not know."""
    import importlib.metadata  # takes 20 ms, which only a machine with a driver has to spend
    try:
        major = int(importlib.metadata.version("cuda-bindings").split(".")[0])
    except importlib.metadata.PackageNotFoundError:     # the doctor's to say
        return None
    return major if major in served.PACKAGES else None


def _refusal(answer: dict) -> str:
    """Why the installed packages of CUDA cannot serve the driver and device that answered; "" where
    they can."""
    major = installed_cuda()
    why = served.refusal(major, answer["cuda_version"], answer["compute_capability"]) if major else ""
    return f"{answer['device']} is not used: {why}" if why else ""


def _as_text(refusals: list[tuple[str, str]]) -> str:
    return "; ".join(f"{path}: {refusal}" for path, refusal in refusals)
