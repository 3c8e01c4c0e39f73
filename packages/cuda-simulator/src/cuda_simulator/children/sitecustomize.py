"""Python imports this as it starts, where children/__init__.py has put this folder into PYTHONPATH.

Nothing is attached yet: that takes longer than many a process lives. It is done before the first library is imported that loads
the driver. Any Python 3 may have to run this file, also one that does not have this package.
"""
import importlib.machinery
import importlib.util
import os
import sys

# The packages that do, or a part of one. "cuda" alone does not, and a .pth file may have imported it by now.
LOAD_THE_DRIVER = "cuda.", "pycuda", "numba.cuda", "numba_cuda"


class AttachFirst:
    """Looks on at imports, and finds nothing itself."""
    has_begun = False

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.startswith(LOAD_THE_DRIVER) and not cls.has_begun:
            cls.has_begun = True     # attaching imports too
            try:
                import cuda_simulator
            except ImportError:
                return
            cuda_simulator.attach_if_asked()


def run_the_hidden_one():
    """Another sitecustomize.py, which Python would have found without this folder."""
    this_folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != this_folder]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is not None:
        sys.modules["sitecustomize"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


sys.meta_path.insert(0, AttachFirst)
run_the_hidden_one()
