"""Programs for the simulated driver, each in a process of its own: a fault or an interrupt then harms no other test."""
import os
import subprocess
import sys
import textwrap

PRELUDE = """
import ctypes, os, signal, sys, threading, time
import numpy as np
import cuda_simulator
cuda_simulator.attach()
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
"""


def run(code, timeout=60, **environment):
    """Run `code` after the imports above; the finished process, with its output as text."""
    return subprocess.run([sys.executable, "-c", PRELUDE + textwrap.dedent(code)], capture_output=True, text=True,
                          timeout=timeout, env={**os.environ, **environment})


def output(code, **options):
    """The output of a program that ends well and says nothing on stderr."""
    done = run(code, **options)
    assert (done.returncode, done.stderr) == (0, ""), f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
