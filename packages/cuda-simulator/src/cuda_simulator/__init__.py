"""A CUDA driver without a GPU: real addresses, real rules, no times.

    import cuda_simulator
    cuda_simulator.attach()         # before PyCUDA or cuda-bindings are imported

From then on libcuda.so.1 is the simulated one in this process, and PyCUDA, cuda-bindings, Numba and whatever else asks
for the CUDA driver run over it unmodified. ``python -m cuda_simulator script.py`` does the same for a whole program, and
``python -m cuda_simulator --doctor`` says what there is.

What is simulated: address spaces first (which address is valid where, what refers to the same bytes, who owns what and
for how long), arithmetic second (kernels, from the PTX that NVIDIA's own compiler writes). What is not: time.

    libcuda/    the stand-in libcuda.so.1, how Python functions get behind its names, and what every call needs
    calls/      the driver API, function by function
    memory/     address spaces: kinds of memory, reservations and mappings, heaps and pools, copies
    device/     contexts, streams, modules, and a kernel that runs
    ptx/        kernels: reading PTX, scheduling threads; ptx/instructions/ has what each instruction does
    over_ptx/   cuda.core and cuda-bindings, mended for a driver that runs PTX alone
    watch.py    traces of threads, and how accesses coalesce
    systems/    the recorded system and those that documents describe: attach(system=...)
    children/   how processes that a program starts attach it by themselves
    examination/ races, barriers, and reads of what nobody wrote: CUDA_SIMULATOR_EXAMINE=1, or `with examine()`

README.md shows its use, and what it does not do.
"""
import os

from .libcuda.stand_in import PATH as STAND_IN, StandInMissing, check_built, is_stand_in, loaded_drivers
from .version import __version__

ASKED = "CUDA_SIMULATOR_ATTACH"     # environment variable: `attach_if_asked` attaches where it is set


class OtherDriverLoaded(RuntimeError):
    """This process has loaded another CUDA driver already, from `path`; the dynamic loader keeps the first of a name."""

    def __init__(self, path):
        super().__init__(f"{path} is already loaded in this process. Start a new one, and attach the simulated driver "
                         "before importing PyCUDA, cuda.bindings or Numba")
        self.path = path


class CannotAttach(RuntimeError):
    """This process may not have what the driver needs."""


def attach(devices=None, system=None):
    """Make this process's libcuda.so.1 the simulated one, and have PyCUDA and Numba compile for it without nvcc.

    devices: how many there are, 1 to 8. It is kept in the environment variable CUDA_SIMULATOR_DEVICES, so processes that this
    one starts have as many. Without it, that variable says how many; without both there is one.

    system: which system the driver follows (systems/): "h200", which was recorded, or one that documents describe. It is kept in
    the environment variable CUDA_SIMULATOR_SYSTEM. Without both it is "h200".

    What the program asks for and is not simulated stands on stderr at its end, unless CUDA_SIMULATOR_QUIET is set.

    Call it before PyCUDA or cuda-bindings load the driver. Idempotent. Raises StandInMissing if the stand-in library is not built,
    CannotAttach if this process may not reserve the addresses of devices, OtherDriverLoaded if the process has another driver
    already, ValueError for a number of devices, of seconds in CUDA_SIMULATOR_KERNEL_SECONDS, of bytes in CUDA_SIMULATOR_MEMORY, or
    a system that cannot be, RuntimeError for another number of devices, or another system, than a driver in use has.
    """
    for path in loaded_drivers():
        if not is_stand_in(path):
            raise OtherDriverLoaded(path)
    check_built()
    import cuda_without_toolkit

    from . import systems
    from .libcuda.results import CallError
    systems.choose(system)      # first: importing the rest asks for it
    try:
        from . import memory  # noqa: F401
        from .memory import allocations  # noqa: F401  (reserves the addresses of devices)
    except CallError as error:
        raise CannotAttach(f"{error.why}: the simulated driver reserves the addresses of its devices, and takes memory only where it is "
                           "touched. Allow this process more addresses (ulimit -v unlimited)") from None
    from . import calls, over_ptx  # noqa: F401  (importing the calls registers them)
    from .device import borrowed, exclusive, execution, memory_size, visible
    from .examination import sources
    from .libcuda import lacking, library, state
    from .memory import address_spaces
    if devices is not None:
        if state.driver.initialized and visible.checked_count(devices) != visible.count():
            raise RuntimeError(f"The simulated driver is in use, with {visible.count()} device(s). Attach it before the program "
                               "initialises CUDA")
        os.environ[visible.COUNT] = str(visible.checked_count(devices))
    visible.count()             # numbers that cannot be are told here, where it is an exception
    execution.kernel_seconds()
    memory_size.total()
    if not systems.current_system().unified_addressing:
        address_spaces.begin_as_told()
    if systems.current_system().pageable_access:
        borrowed.begin()
    if not systems.current_system().concurrent_managed_access:
        exclusive.begin()
    library.attach(in_use=lambda: state.driver.initialized)
    if lacking.tell_at_the_end():
        library.note_missing()
    cuda_without_toolkit.install(STAND_IN, first_device()["compute_capability"], ptx_only=True, remember=sources.remember,
                                 readable=over_ptx.version.lowered)
    over_ptx.install()


def contexts_begin(*firsts):
    """Where the contexts that are made from now on begin to count, on a system without unified addressing.

    ``contexts_begin(0x100000, 0x900000)``

    firsts: the first device address of the next context, of the one after it, and so on; all further ones begin as the last. The
    documents do not say whether two contexts use the same numbers: both may be tried. Raises ValueError elsewhere.
    """
    from .memory import address_spaces
    address_spaces.contexts_begin(*firsts)


def fit_to_this_machine():
    """Give a device as much memory as this machine, or its container, has free, and a kernel ten minutes, where CUDA_SIMULATOR_MEMORY
    and CUDA_SIMULATOR_KERNEL_SECONDS say nothing; and have calls that fail say why (libcuda/reasons.py).

    For commands that run programs of others, before they attach. Without it a device has an H200's memory, 140 GiB, and a kernel a minute.
    """
    os.environ.setdefault("CUDA_SIMULATOR_KERNEL_SECONDS", "600")
    from .device import memory_size
    from .libcuda import reasons
    memory_size.fit_to_this_machine()
    reasons.tell_from_now_on()


def attach_if_asked():
    """Attach where the process was started by one that wants it: ``pytest --cuda-simulator`` sets CUDA_SIMULATOR_ATTACH=1.

    It is for processes that do not attach by themselves (children/): with ``python -I``, say. Elsewhere, as on a machine with a GPU,
    it does nothing, and such a process says nothing at its end. Raises what `attach` raises.
    """
    if os.environ.get(ASKED):
        attach()
        from .libcuda import lacking
        lacking.leave_it_to_others()


def examine(seed=1):
    """`with examine() as seen:` examines the kernels that are launched inside; `seen.findings` are the mistakes.

    Races, barriers that not all threads come to, reads of what nobody wrote: examination/ says more.
    """
    from .examination import examine
    return examine(seed)


def shown_devices(two="CUDA_SIMULATOR_DEVICES=2"):
    """What a program gets when it initialises CUDA now: "1", or of several devices which, in words.

    two: what a reader is told to write to have two devices
    """
    from .device import visible
    from .libcuda.results import CallError
    try:
        slots = visible.visible_slots()
    except CallError as error:
        return f"none: {error}"
    total = visible.count()
    numbers = "" if slots == list(range(total)) else f": {', '.join(map(str, slots))} of the machine's {total} ({visible.VISIBLE})"
    return f"{len(slots)}{numbers}" + ("" if total > 1 else f"; {two} gives two")


def first_device():
    """What device 0 is, without initialising the driver: that is left to the program, as with a GPU.

    Returns a dict with its name (``device``), its ``compute_capability``, its ``attributes`` that tell which system it is like, and
    the driver's ``cuda_version``.
    """
    from . import systems
    from .device import device_facts
    from .libcuda.state import DRIVER_VERSION
    return {"device": systems.current_system().device_name(device_facts.NAME),
            "compute_capability": tuple(device_facts.ATTRIBUTES[number] for number in device_facts.COMPUTE_CAPABILITY),
            "attributes": {name: systems.current_system().attributes.get(number, device_facts.ATTRIBUTES[number])
                           for name, number in systems.TELLING.items()},
            "cuda_version": (DRIVER_VERSION // 1000, DRIVER_VERSION % 1000 // 10)}


__all__ = ["ASKED", "STAND_IN", "CannotAttach", "OtherDriverLoaded", "StandInMissing", "__version__", "attach", "attach_if_asked",
           "contexts_begin", "examine", "first_device", "is_stand_in", "loaded_drivers", "shown_devices"]
