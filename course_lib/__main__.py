"""The doctor: ``python -m course_lib`` says what the course would run on here, and what is missing.

For each thing that is missing it names the command that mends it. Exit status 0 if the course can run, else 1.
It only looks: nothing is installed, compiled, or kept in a cache.

``python -m course_lib record`` is another matter: it measures this machine's GPU (bandwidth/command.py).
"""
import argparse
import importlib.metadata
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from . import __version__, driver, nvrtc, pycuda_compiler

OLDEST_PYTHON = (3, 10)
CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass
class Finding:
    """One line of the report. `mend` is the command for what is missing; empty where nothing is."""

    label: str
    text: str
    mend: str = ""
    needed: bool = True     # the course cannot run without it


def examine():
    """Yield a Finding for each thing that the course runs on."""
    yield from python()
    yield from attached_driver()
    if driver.attached:     # without one, neither of the two can be told from a broken one
        yield from pycuda()
        yield from cuda_bindings()
    yield from compiler()
    for name, needed in (("numpy", True), ("matplotlib", True), ("ipywidgets", True), ("jupyterlab", False), ("numba", False),
                         ("pyopencl", False)):
        yield package(name, needed)


def python():
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        yield Finding("Python", f"{version}, and the course needs {'.'.join(map(str, OLDEST_PYTHON))} or newer",
                      "make clean setup PYTHON=python3.12")
    else:
        yield Finding("Python", f"{version} ({sys.executable})")
    yield Finding("course_lib", f"{__version__} ({CHECKOUT})")


def attached_driver():
    try:
        for label, text in driver.attach().rows():
            yield Finding(label, text)
    except driver.DriverError as error:
        yield Finding("driver", str(error), "unset COURSE_DRIVER" if driver.choice() != "auto" else install("course_lib"))


def pycuda():
    try:
        import pycuda.driver as cuda
        cuda.init()
        built_for = ".".join(map(str, cuda.get_version()[:2]))
        yield Finding("PyCUDA", f"{_version('pycuda')}, compiled for CUDA {built_for}; reaches {cuda.Device(0).name()}")
    except Exception as error:      # a library that lacks a symbol, a driver that is too old, no PyCUDA at all
        yield Finding("PyCUDA", _failure("pycuda", error), install("pycuda"))


def cuda_bindings():
    try:
        from cuda.bindings import driver as cuda
        result, version = cuda.cuDriverGetVersion()
        if result != 0:
            raise RuntimeError(f"cuDriverGetVersion answers {result.name}")
        yield Finding("cuda-bindings", _version("cuda-bindings"))
    except Exception as error:
        yield Finding("cuda-bindings", _failure("cuda-bindings", error), install("cuda-bindings"))


def compiler():
    try:
        yield Finding("NVRTC", ".".join(map(str, nvrtc.version())))
    except Exception as error:
        yield Finding("NVRTC", _failure("nvidia-cuda-nvrtc", error), install("nvidia-cuda-nvrtc"))
        return
    if not nvrtc.cuda_include_dirs():
        # Kernels without an #include of CUDA's compile all the same.
        yield Finding("CUDA headers", "not found", install("nvidia-cuda-runtime"), needed=False)


def package(name, needed):
    try:
        return Finding(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, "not installed", install(name), needed)


def install(distribution):
    """The command that brings a distribution that is missing or broken."""
    if (CHECKOUT / "Makefile").is_file():
        in_venv = Path(sys.prefix) == CHECKOUT / ".venv"
        return f"cd {CHECKOUT} && " + ("make clean setup" if in_venv else "make doctor")
    return f"{sys.executable} -m pip install --force-reinstall {distribution}"


def _version(distribution):
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def _failure(distribution, error):
    if isinstance(error, ModuleNotFoundError):
        return "not installed"
    return f"{_version(distribution)} does not work: {error}"


def main(arguments=()):
    parser = argparse.ArgumentParser(prog="python -m course_lib", description="What the course would run on here.")
    commands = parser.add_subparsers(dest="command")
    record = commands.add_parser("record", help="measure the bandwidths of this machine's GPU, into a file")
    record.add_argument("--quick", action="store_true", help="fewer sizes and samples: under a minute instead of three")
    record.add_argument("--output", metavar="FILE",
                        help="the file to write (default: named after the device and the day)")
    options = parser.parse_args(arguments)
    return make_recording(options) if options.command == "record" else report()


def make_recording(options):
    try:
        driver.attach()
    except driver.DriverError as error:
        print(f"Nothing is recorded: {error}")
        return 1
    pycuda_compiler.install()
    from .bandwidth import command      # after the driver is attached, for it imports PyCUDA
    return command.record(options.quick, options.output)


def report():
    findings = list(examine())
    missing = [finding for finding in findings if finding.mend]
    can_run = not any(finding.needed for finding in missing)
    width = max(len(finding.label) for finding in findings)
    for finding in findings:
        print(f"{finding.label:{width}}  {finding.text}")
    print("\nThe course can run." if can_run else "\nThe course cannot run yet.")
    for mend, labels in _by_mend(missing).items():
        print(f"To mend {', '.join(labels)}:  {mend}")
    return 0 if can_run else 1


def _by_mend(missing):
    grouped = {}
    for finding in missing:
        grouped.setdefault(finding.mend, []).append(finding.label)
    return grouped


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
