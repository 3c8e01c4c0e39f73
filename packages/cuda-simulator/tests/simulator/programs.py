"""Programs for the simulated driver, each in a process of its own: a fault or an interrupt then harms no other test.

A process that has imported what all of them import forks one for each, which takes a tenth of the time that a new program needs to
start. It has attached the driver and never calls it: who forks after cuInit has children that cannot use CUDA. A program with
environment variables of its own, which are read while that is imported, is started anew.
"""
import functools
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRELUDE = """
import ctypes, os, signal, sys, threading, time
import numpy as np
import cuda_simulator
cuda_simulator.attach()
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
"""
# What becomes of it is a program's `__main__`, from its first line to the end of the interpreter.
FORKING = PRELUDE.replace("import pycuda.autoinit\n", "") + """
import gc
from cuda.bindings import driver, nvrtc
driver.cuDriverGetVersion()     # looks up all functions of the driver, and needs no cuInit
nvrtc.nvrtcVersion()            # loads it
gc.collect()
gc.freeze()                     # a child that looked through all this for garbage would copy it
from tests.simulator.programs import wait
exec(compile(wait(int(sys.argv[1])), "<string>", "exec"))
"""
NUMBER = struct.Struct("i")     # of a process, and then its status


def run(code, timeout=600, **environment):
    """Run `code` after the imports of PRELUDE; the finished process, with its output as text."""
    program = PRELUDE + textwrap.dedent(code)
    if environment:
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **environment})
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err, tempfile.TemporaryFile("w+") as file:
        file.write(program)
        file.flush()
        status = _run_in_fork([file, out, err], timeout)
        out.seek(0), err.seek(0)
        return subprocess.CompletedProcess(program, status, out.read(), err.read())


def output(code, **options):
    """The output of a program that ends well and says nothing on stderr."""
    result = run(code, **options)
    assert (result.returncode, result.stderr) == (0, ""), f"status {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@functools.cache
def _line():
    """The socket to the process that forks, which ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        subprocess.Popen([sys.executable, "-c", FORKING, str(theirs.fileno())], pass_fds=[theirs.fileno()], cwd=ROOT)
    return ours


def _run_in_fork(files, timeout):
    """Have a program done, of whose files the first is its text; returns its status, as subprocess has it."""
    line = _line()
    socket.send_fds(line, [os.fsencode(os.getcwd())], [file.fileno() for file in files])
    number, = NUMBER.unpack(line.recv(NUMBER.size))
    line.settimeout(timeout)
    try:
        answer = line.recv(NUMBER.size)
    except TimeoutError:
        os.kill(number, signal.SIGKILL)
        line.settimeout(None)
        line.recv(NUMBER.size)
        raise subprocess.TimeoutExpired("a program", timeout) from None
    finally:
        line.settimeout(None)
    return os.waitstatus_to_exitcode(NUMBER.unpack(answer)[0])


def wait(line):
    """Fork a child for each message; returns in the child, with the text of its program."""
    line = socket.socket(fileno=line)
    while True:
        folder, files, *_ = socket.recv_fds(line, 4096, 3)
        if not folder:
            os._exit(0)
        number = os.fork()
        if not number:
            break
        for file in files:
            os.close(file)
        line.send(NUMBER.pack(number))
        line.send(NUMBER.pack(os.waitpid(number, 0)[1]))
    line.close()
    os.chdir(folder)
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    for stream, file in enumerate(files[1:], 1):
        os.dup2(file, stream)
    os.lseek(files[0], 0, os.SEEK_SET)
    with open(files[0], encoding="utf-8") as program:
        text = program.read()
    for file in files[1:]:
        os.close(file)
    return text
