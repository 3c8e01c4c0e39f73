"""Processes that a program starts: they attach the simulated driver by themselves, before they import what loads one.

They inherit an environment where ASKED is set and PYTHONPATH begins with this folder, so Python runs its sitecustomize.py as it
starts. They have as many devices, since `cuda_simulator.attach` keeps the number in the environment too.

Not here: processes that ignore PYTHONPATH (-I, -E, -S) or get an environment of their own. `cuda_simulator.attach_if_asked()`
serves those that still have ASKED.
"""
import os

from .. import ASKED

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_CHANGED = (ASKED, "PYTHONPATH", "CUDA_SIMULATOR_DEVICES", "CUDA_SIMULATOR_MEMORY", "CUDA_SIMULATOR_KERNEL_SECONDS",
            "CUDA_SIMULATOR_EXAMINE", "NUMBA_CUDA_DRIVER")      # here, by attach() and by pytest's plugin


class Environment:
    """os.environ, as it was before this process attached the driver and had its children attach it."""

    def __init__(self):
        self._saved = {name: os.environ.get(name) for name in _CHANGED}

    def ask_children(self):
        """From now on, processes that are started attach the driver. Those that are forked have it already."""
        os.environ[ASKED] = "1"
        python_path = os.environ.get("PYTHONPATH", "")
        if _FOLDER not in python_path.split(os.pathsep):
            os.environ["PYTHONPATH"] = f"{_FOLDER}{os.pathsep}{python_path}" if python_path else _FOLDER

    def restore(self):
        """Put back what was there."""
        for name, value in self._saved.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
