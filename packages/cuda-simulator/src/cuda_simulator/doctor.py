"""What the simulated driver is made of here, and what is missing: ``python -m cuda_simulator --doctor``.

A Diagnosis is one line of the report; other doctors may be made of the same. It only looks: nothing is installed,
compiled, or kept in a cache.
"""
import importlib.metadata
import sys
from dataclasses import dataclass

ABSENT, UNKNOWN = "not installed", "of unknown version"
NVRTC = "nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12"     # the distributions that have it


@dataclass
class Diagnosis:
    """One line of a report. `mend` is the command for what is missing; empty where nothing is."""

    label: str
    text: str
    mend: str = ""
    needed: bool = True     # without it there is nothing to run


def examine(devices=None, system=None):
    """Yield a Diagnosis for each thing that a program over the simulated driver, with so many devices of a system, may need."""
    import cuda_simulator
    try:
        cuda_simulator.attach(devices, system)
    except (cuda_simulator.StandInMissing, cuda_simulator.OtherDriverLoaded) as error:
        yield Diagnosis("simulated driver", str(error), "pip install -e .")
        return
    except ValueError as error:
        yield Diagnosis("simulated driver", str(error), "unset CUDA_SIMULATOR_DEVICES CUDA_SIMULATOR_KERNEL_SECONDS CUDA_SIMULATOR_SYSTEM")
        return
    yield from simulated_driver()
    yield from compiler()
    yield cuda_bindings()
    yield package("numpy", needed=True)
    for optional in (pycuda(needed=False), package("numba", needed=False), package("numba-cuda", needed=False)):
        if optional.text != ABSENT:
            yield optional


def simulated_driver():
    """What is simulated, and how much of CUDA's driver API."""
    import cuda_simulator

    from . import systems
    from .libcuda import library
    from .ptx.instructions import forms
    device = cuda_simulator.first_device()
    yield Diagnosis("device", f"{device['device']}, compute capability {_dotted(device['compute_capability'])}")
    system, other_names = systems.current_system(), [name for name in systems.by_name() if name != systems.current_system().name]
    yield Diagnosis("system", f"{system.name}, {'recorded' if system.recorded else systems.MARK}; others: {', '.join(other_names)}")
    yield Diagnosis("devices", cuda_simulator.shown_devices())
    yield Diagnosis("CUDA", f"{_dotted(device['cuda_version'])}; no times: events order work, and measure nothing")
    yield Diagnosis("library", str(cuda_simulator.STAND_IN))
    simulated, declared = library.coverage()
    yield Diagnosis("driver API", f"{simulated} of {declared} functions; the others answer CUDA_ERROR_NOT_SUPPORTED")
    yield Diagnosis("PTX", f"of sm_75 to sm_90, {sum(map(len, forms.FORMS.values()))} forms of instructions")


def install(distribution):
    """The command that brings a distribution that is missing or broken."""
    return f"{sys.executable} -m pip install --force-reinstall {distribution}"


def pycuda(install=install, needed=True):
    """Is PyCUDA there, and does it reach the attached driver?"""
    try:
        import pycuda.driver as cuda
        cuda.init()
        built_for = _dotted(cuda.get_version()[:2])
        return Diagnosis("PyCUDA", f"{_version('pycuda')}, compiled for CUDA {built_for}; reaches {cuda.Device(0).name()}")
    except Exception as error:      # a library that lacks a symbol, a driver that is too old, no PyCUDA at all
        return Diagnosis("PyCUDA", _failure("pycuda", error), install("pycuda"), needed)


def cuda_bindings(install=install):
    """Are NVIDIA's bindings there, and do they reach the attached driver?"""
    try:
        from cuda.bindings import driver as cuda
        result, version = cuda.cuDriverGetVersion()
        if result != 0:
            raise RuntimeError(f"cuDriverGetVersion answers {result.name}")
        return Diagnosis("cuda-bindings", _version("cuda-bindings"))
    except Exception as error:
        return Diagnosis("cuda-bindings", _failure("cuda-bindings", error), install("'cuda-bindings==13.0.*'"))


def compiler(install=install):
    """Is NVRTC there, and does it find CUDA's headers?"""
    from cuda_without_toolkit import nvrtc
    try:
        version = _dotted(nvrtc.version())
    except Exception as error:
        bindings = isinstance(error, ModuleNotFoundError) and error.name.split(".")[0] == "cuda"    # cuda-bindings calls it
        has_nvrtc = bindings and any(map(_is_installed, NVRTC))
        yield Diagnosis("NVRTC", "not asked, because cuda-bindings is not installed" if has_nvrtc else _failure("nvidia-cuda-nvrtc", error),
                        "" if has_nvrtc else install("'nvidia-cuda-nvrtc==13.0.*'"))
        return
    yield Diagnosis("NVRTC", version)
    if not nvrtc.cuda_include_dirs():
        # Kernels without an #include of CUDA's compile all the same.
        suffix = "-cu12" if version.startswith("12.") else ""
        yield Diagnosis("CUDA headers", "not found", install(f"'nvidia-cuda-runtime{suffix}=={version}.*'"), needed=False)


def package(name, needed, install=install):
    """Is a distribution installed?"""
    version = _version(name)
    return Diagnosis(name, ABSENT, install(name), needed) if version == UNKNOWN else Diagnosis(name, version)


def report(diagnoses, subject):
    """Print diagnoses, and how to mend what is missing; returns the exit status: 1 where something needed is.

    subject: what can run then, or cannot: "The simulated driver"
    """
    diagnoses = list(diagnoses)
    missing = [diagnosis for diagnosis in diagnoses if diagnosis.mend]
    can_run = not any(diagnosis.needed for diagnosis in missing)
    width = max(len(diagnosis.label) for diagnosis in diagnoses)
    for diagnosis in diagnoses:
        print(f"{diagnosis.label:{width}}  {diagnosis.text}")
    print(f"\n{subject} can run." if can_run else f"\n{subject} cannot run yet.")
    for mend in dict.fromkeys(diagnosis.mend for diagnosis in missing):
        print(f"To mend {', '.join(diagnosis.label for diagnosis in missing if diagnosis.mend == mend)}:  {mend}")
    return 0 if can_run else 1


def _is_installed(distribution):
    return _version(distribution) != UNKNOWN


def _version(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return UNKNOWN


def _failure(distribution, error):
    if isinstance(error, ModuleNotFoundError):
        return ABSENT
    return f"{_version(distribution)} does not work: {error}"


def _dotted(version):
    return ".".join(map(str, version))
