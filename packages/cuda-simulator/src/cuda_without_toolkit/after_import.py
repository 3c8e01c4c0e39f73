"""Do something to a module of another package as soon as it is imported, whoever imports it.

    after_import.do("pycuda.compiler", replace)     # replace(module) runs now, or once there is such a module

PyCUDA and Numba are mended so (pycuda_without_nvcc.py, numba_without_toolkit.py), and neither is imported before somebody asks
for it. Not here: what is done to them.
"""
import importlib.machinery
import sys


def do(name, action):
    """Call ``action(module)``: now if the module `name` is imported already, else when it has been executed.

    Asked for twice, it is done once to a module that is imported later; one that is here already has to stand it twice.
    """
    if name in sys.modules:
        action(sys.modules[name])
    elif not any(isinstance(finder, _Finder) and finder.awaits == (name, action) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(name, action))


class _Finder:
    """Finds one module as Python would, and has the action done once it is executed."""

    def __init__(self, name, action):
        self.awaits = name, action

    def find_spec(self, name, path=None, target=None):
        awaited, action = self.awaits
        if name != awaited:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            execute = spec.loader.exec_module

            def execute_and_act(module):
                execute(module)
                action(module)
            spec.loader.exec_module = execute_and_act
        return spec
