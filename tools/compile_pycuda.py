"""Compile PyCUDA's sources, as many at a time as there are cores, into a wheel.

The set-up runs it (setup_steps.py) on the archive from PyPI, with the Python that PyCUDA is for, which has setuptools and
NumPy. PyCUDA's own build does everything else, as it is and by its own settings; on its own it would compile one file after
the other.
"""
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import setuptools.build_meta    # brings distutils, which Python itself has no more
from distutils.ccompiler import CCompiler

one_after_the_other = CCompiler.compile


def at_the_same_time(compiler, sources, *arguments, **options):
    def compile_one(source):
        return one_after_the_other(compiler, [source], *arguments, **options)

    # The largest first: it takes a third of the time, and the others find room beside it.
    sources = sorted(sources, key=os.path.getsize, reverse=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        return [object_file for compiled in threads.map(compile_one, sources) for object_file in compiled]


def main(archive, folder):
    archive, folder = Path(archive).resolve(), Path(folder).resolve()
    shutil.unpack_archive(archive, archive.parent)
    os.chdir(archive.parent / archive.name.removesuffix(".tar.gz"))
    CCompiler.compile = at_the_same_time
    setuptools.build_meta.__legacy__.build_wheel(str(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
