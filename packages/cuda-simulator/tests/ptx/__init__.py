"""Tests of the PTX interpreter alone: it is loaded as a package of its own, without the driver around it."""

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "cuda_simulator" / "ptx"


def load_alone(name="ptx_interpreter"):
    """Import the interpreter under a name of its own, and nothing else of the project."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, FOLDER / "__init__.py",
                                                      submodule_search_locations=[str(FOLDER)])
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


interpreter = load_alone()
