"""What a fork copies of a process that uses CUDA, and what a new program has."""
import ctypes
import os
import subprocess
import sys
from pathlib import Path

from cuda_simulator.libcuda.stand_in import is_stand_in, loaded_drivers

from cuda.bindings import driver as cu

from ...asking import NOTHING, two_process_question as question
from ...helpers.between import count, fill, host_bytes, host_put, kernel_byte, look, primary_state, take, take_kind
from ...helpers.calls import ask
from ...helpers.processes import OtherProcess
from ...helpers.threads_and_forks import in_fork

ROOT = Path(__file__).parents[4]
PROGRAM = """
from tests.conformance import drivers
drivers.ATTACH["{driver}"]()
from cuda.bindings import driver as cu
codes = [cu.cuInit(0)[0], cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(0)[1])[0], cu.cuMemAlloc(64)[0]]
print(*map(int, codes))
"""


@question("a forked child shares some of the host's memory with its parent and has copies of the rest", alone=True)
def fork_shares():
    for kind in ("pageable", "pinned", "pinned, portable and write-combined", "registered", "managed", "mapped, on the host"):
        take_kind("a", kind)
        host_put("a", 0x11, 16)
        yield f"{kind}: the child writes", in_fork(lambda: host_put("a", 0x22, 4))
        yield f"{kind}: the parent reads", host_bytes("a", 8)
        if kind != "pageable":
            yield f"{kind}: its kernel reads", kernel_byte("a")


@question("after a fork the parent's device still has the pages that it registered", alone=True)
def fork_and_pages():
    for kind in ("pinned", "registered"):
        take_kind("a", kind)
        host_put("a", 0x11, 16)
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(writing)
            os.read(reading, 1)    # it lives until the parent has ended its questions
            os._exit(0)
        host_put("a", 0x33, 4)
        yield f"{kind}: the parent writes after the fork, its kernel reads", kernel_byte("a")
        yield f"{kind}: its kernel writes, the parent reads", [fill("a", 0x50), host_bytes("a")]
        os.close(writing), os.close(reading)
        os.waitpid(pid, 0)


@question("a forked child that ends takes nothing away from its parent", alone=True)
def fork_ends():
    take("a")
    yield "ends at once", [in_fork(lambda: None), look("a"), fill("a", 3)]
    yield "ends as programs do, with its libraries' destructors", [in_fork(lambda: None, ctypes.CDLL(None).exit), look("a"), fill("a", 7), look("a")]
    yield "allocate", take("b")


@question("a new program that is started after cuInit can use CUDA", alone=True)
def new_program():
    take("a")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = PROGRAM.format(driver="simulated" if any(map(is_stand_in, loaded_drivers())) else "machine")
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    yield "cuInit, a context, memory", ran.stdout.split()
    yield "the parent's memory", look("a")


@question("a process forked before cuInit has CUDA to itself, whatever its parent does", needs=NOTHING)
def fork_before():
    process = OtherProcess(None)
    yield "parent", ask(cu.cuInit(0))
    yield "child", process.ask(count)
    yield "child, after its own cuInit", process.ask(primary_state)
