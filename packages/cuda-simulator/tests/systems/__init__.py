"""The documented systems: questions written from the documents, each put to a process that follows one system.

The expected answers are the documents', never the simulator's: each test names where it is written.
"""
import os
import subprocess
import sys
import textwrap

PRELUDE = """
import ctypes, os, sys
import numpy as np
import cuda_simulator
cuda_simulator.attach()
from cuda.bindings import driver as cu
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
cuda.init()

def ask(function, *arguments):
    'What a call of cuda-bindings answers: its value, or the name of its error.'
    result, *values = function(*arguments)
    return (values[0] if values else "SUCCESS") if int(result) == 0 else result.name.removeprefix("CUDA_ERROR_")

def attribute(name, address):
    answer = ask(cu.cuPointerGetAttribute, getattr(cu.CUpointer_attribute, "CU_POINTER_ATTRIBUTE_" + name), address)
    return answer if isinstance(answer, str) else int(answer)

def device_attribute(name):
    return ask(cu.cuDeviceGetAttribute, getattr(cu.CUdevice_attribute, "CU_DEVICE_ATTRIBUTE_" + name), 0)

def forward(address):
    answer = ask(cu.cuMemHostGetDevicePointer, address, 0)
    return answer if isinstance(answer, str) else int(answer)

def sync():
    try:
        cuda.Context.synchronize()
    except cuda.Error as error:
        print(str(error).split(": ")[1])
"""
KERNELS = """
module = SourceModule('''
__global__ void add(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] += 1; }
__global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void wait_for(volatile int *flag) { while (!*flag) ; }
''')
add, copy, wait_for = (module.get_function(name) for name in ("add", "copy", "wait_for"))
"""
CONTEXT = "import pycuda.autoinit\n"


def run(system, code, context=True, kernels=True, **environment):
    """Run `code` as a system, after what is above; the finished process."""
    parts = [PRELUDE, CONTEXT if context else "", KERNELS if kernels else "", textwrap.dedent(code)]
    return subprocess.run([sys.executable, "-c", "\n".join(parts)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "CUDA_SIMULATOR_SYSTEM": system, **environment})


def told(system, code, **options):
    """What a program prints that ends well: the value of the last line's `print`, by `eval`."""
    done = run(system, code, **options)
    assert done.returncode == 0, done.stderr
    return eval(done.stdout)
