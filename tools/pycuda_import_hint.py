"""Turn one error into a sentence: PyCUDA imported before course_lib on a machine without a driver.

PyCUDA's `_driver` is linked against libcuda.so.1, which such a machine has not; `import course_lib` brings the
simulated one. tools/bootstrap.py copies this file into the virtual environment, where a .pth file has every Python
import it at start. So it imports nothing that Python has not loaded by then, and does nothing until the error happens.
"""
import sys
from importlib.machinery import ExtensionFileLoader, PathFinder


class _Loader(ExtensionFileLoader):
    def create_module(self, spec):
        try:
            return super().create_module(spec)
        except ImportError as error:
            if "libcuda.so.1" not in str(error):
                raise
            raise ImportError("PyCUDA finds no CUDA driver (libcuda.so.1) on this machine. In a lesson, run the set-up cell at its top "
                              "first. Elsewhere, run `import course_lib` before PyCUDA: it brings the simulated driver.",
                              name=spec.name, path=spec.origin) from None


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "pycuda._driver":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is ExtensionFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


sys.meta_path.insert(0, _Finder)
