"""Tests of the PTX interpreter alone: without the driver around it, and without what `import cuda_simulator` does."""
import importlib
import sys
import types
from pathlib import Path

import cuda_simulator

FOLDER = Path(cuda_simulator.__file__).parent / "ptx"


def load_alone(name="simulator_alone"):
    """Import the interpreter from a package `name` that has the simulator's folder and has run none of its code."""
    if name not in sys.modules:
        sys.modules[name] = package = types.ModuleType(name)
        package.__path__ = [str(FOLDER.parent)]
    return importlib.import_module(f"{name}.ptx")


interpreter = load_alone()
