"""The documented systems: questions written from the documents, each put to a process that follows one system.

The expected answers are the documents', never the simulator's: each test names where it is written.
"""
import atexit
import functools
import json
import os
import select
import subprocess
import sys
import tempfile
import textwrap
from types import SimpleNamespace

IMPORTS = """
import ctypes, json, os, sys
import numpy as np
import cuda_simulator
cuda_simulator.attach()
from cuda.bindings import driver as cu, nvrtc
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
"""
# Starting Python and importing takes a second, a fork of a process that has it a hundredth: the driver is attached there, and never called.
FORKS = IMPORTS + """
nvrtc.nvrtcVersion()
while line := sys.stdin.readline():
    code, *files = json.loads(line)
    child = os.fork()
    if not child:
        for number, file in enumerate(files, 1):
            os.dup2(os.open(file, os.O_WRONLY), number)
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
exec(compile(code, "<string>", "exec"))
"""
PRELUDE = """
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


@functools.cache
def _forking(system):
    """The process that forks for the questions to one system. It ends with this one."""
    process = subprocess.Popen([sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "CUDA_SIMULATOR_SYSTEM": system, "OPENBLAS_NUM_THREADS": "1"})
    atexit.register(process.kill)
    return process


def run(system, code, context=True, kernels=True, **environment):
    """Run `code` as a system, after what is above: .returncode, .stdout and .stderr. With an environment, in a new program."""
    code = "\n".join([PRELUDE, CONTEXT if context else "", KERNELS if kernels else "", textwrap.dedent(code)])
    if environment:
        return subprocess.run([sys.executable, "-c", IMPORTS + code], capture_output=True, text=True, timeout=600,
                              env={**os.environ, "CUDA_SIMULATOR_SYSTEM": system, **environment})
    process = _forking(system)
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        print(json.dumps([code, out.name, err.name]), file=process.stdin, flush=True)
        if not select.select([process.stdout], [], [], 60)[0]:
            process.kill()
            raise TimeoutError(f"no end in 60 seconds: {code}")
        result = SimpleNamespace(returncode=int(process.stdout.readline()), stdout=out.read().decode(), stderr=err.read().decode())
    assert "please report this" not in result.stderr, result.stderr
    return result


def value_of(system, code, **options):
    """What a program prints that ends well: the value of the last line's `print`, by `eval`."""
    result = run(system, code, **options)
    assert result.returncode == 0, result.stderr
    return eval(result.stdout)
