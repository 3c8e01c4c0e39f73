"""Run a program over the simulated driver, as Python itself would run it.

    python -m cuda_simulator script.py [arguments]
    python -m cuda_simulator -m module [arguments]
    python -m cuda_simulator -c "code" [arguments]
    python -m cuda_simulator --doctor               what there is, and what is missing
    python -m cuda_simulator --devices 2 ...        the same with two devices
    python -m cuda_simulator --system NAME ...      the same as a system that documents describe; --doctor lists them

Processes that the program starts with Python attach the driver by themselves (children/). A device has as much memory as this
machine can give, or what CUDA_SIMULATOR_MEMORY says, such as 8G.
"""
import os
import runpy
import sys

import cuda_simulator

from . import doctor
from .children import Environment


def main(arguments):
    """Do what the command line says; returns the exit status, unless the program ends the process itself."""
    options = {"--devices": None, "--system": None}
    while len(arguments) > 1 and arguments[0] in options:
        options[arguments[0]], arguments = arguments[1], arguments[2:]
    devices, system = options.values()
    if arguments == ["--doctor"]:
        return doctor.report(doctor.examine(devices, system), "A program over the simulated driver")
    if arguments in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    is_option = bool(arguments) and arguments[0].startswith("-")
    if not arguments or is_option and (arguments[0] not in ("-m", "-c") or len(arguments) < 2):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if not is_option and not os.path.exists(arguments[0]):
        print(f"There is no file {arguments[0]}. To run a module: python -m cuda_simulator -m {arguments[0]}", file=sys.stderr)
        return 2
    if not is_option and _is_machine_code(arguments[0]):
        print(f"{arguments[0]} is no Python program, and the driver's functions are in Python. Build it as a shared library "
              "(gcc -shared -fPIC) and call it: "
              "python -m cuda_simulator -c 'import ctypes; ctypes.CDLL(\"./program.so\").main()'", file=sys.stderr)
        return 2
    environment = Environment()
    cuda_simulator.fit_to_this_machine()
    try:
        cuda_simulator.attach(devices, system)
    except (cuda_simulator.StandInMissing, cuda_simulator.OtherDriverLoaded, cuda_simulator.CannotAttach, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    environment.ask_children()
    _run(arguments)
    return 0


def _is_machine_code(path):
    if not os.path.isfile(path):        # a folder with a __main__.py
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _run(arguments):
    """What `python` does with these arguments (Using Python, Command line): sys.argv and sys.path[0] as it sets them."""
    how, command = arguments[0], arguments[1:]
    if how == "-m":
        sys.argv, sys.path[0] = command, os.getcwd()
        runpy.run_module(command[0], run_name="__main__", alter_sys=True)
    elif how == "-c":
        sys.argv, sys.path[0] = ["-c", *command[1:]], ""
        exec(compile(command[0], "<string>", "exec"), sys.modules["__main__"].__dict__)
    else:
        sys.argv, sys.path[0] = arguments, os.path.dirname(os.path.abspath(how))
        runpy.run_path(how, run_name="__main__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
