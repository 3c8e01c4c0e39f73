"""Builds the stand-in libcuda.so.1 (cuda_simulator/libcuda/stand_in.c), its other name libcuda.so, and the loops over lanes, lanes.so
(cuda_simulator/ptx/lanes.c). Everything else is in pyproject.toml."""
import os

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CompileError, LinkError, PlatformError

STAND_IN = Extension(
    "cuda_simulator.libcuda.libcuda",
    sources=["src/cuda_simulator/libcuda/stand_in.c"],
    depends=["src/cuda_simulator/libcuda/stand_in_names.h"],
    extra_compile_args=["-O2", "-pthread"],
    # The name by which PyCUDA and cuda-bindings look for the driver.
    extra_link_args=["-Wl,-soname,libcuda.so.1", "-pthread"],
)
# The name by which programs open the driver that use ctypes: a library with nothing in it that needs the stand-in. Once it is loaded, the
# dynamic loader finds it by its SONAME.
OTHER_NAME = Extension(
    "cuda_simulator.libcuda.other_name",
    sources=["src/cuda_simulator/libcuda/other_name.c"],
    extra_link_args=["-Wl,-soname,libcuda.so", "-Wl,--no-as-needed"],
)
LANES = Extension(
    "cuda_simulator.ptx.lanes",
    sources=["src/cuda_simulator/ptx/lanes.c"],
    extra_compile_args=["-O3", "-fno-math-errno"],
    libraries=["m"],
)


class BuildLibraries(build_ext):
    """Builds the extensions as plain shared libraries: they are no Python modules, and have no Python in them."""

    def get_ext_filename(self, name):
        return os.path.join(*name.split(".")) + (".so.1" if name.endswith("libcuda") else ".so")

    def build_extension(self, extension):
        if extension is OTHER_NAME:
            extension.extra_link_args = [*extension.extra_link_args, self.get_ext_fullpath(STAND_IN.name)]
        try:
            super().build_extension(extension)
        except (BaseError, CompileError, LinkError, OSError) as error:
            raise PlatformError(f"{error}. The simulated CUDA driver is a library in C, which is compiled as it is installed: that "
                                "takes a C compiler (Debian, Ubuntu: apt install gcc libc6-dev)") from error

    def get_export_symbols(self, extension):
        return []

    def get_libraries(self, extension):
        return extension.libraries      # without Python's own


class AnyPython(bdist_wheel):
    """One wheel for every Python 3 of a platform, for the same reason."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(ext_modules=[STAND_IN, OTHER_NAME, LANES], cmdclass={"build_ext": BuildLibraries, "bdist_wheel": AnyPython})
