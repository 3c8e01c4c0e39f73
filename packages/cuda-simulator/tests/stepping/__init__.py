"""Threads are followed line by line: tests of cuda_simulator/stepping, over the interpreter of PTX without a driver."""
from cuda_simulator import ptx
from cuda_simulator.examination import sources
from cuda_simulator.stepping.follower import Follower

from ..ptx.cuda import compile, pack, triple
from ..ptx.machine import PtxMachine


def follow(source, block=32, *arguments, thread=0, grid=1, limit=400, options=("--device-debug",)):
    """The steps of a thread in the first block of one launch of kernel k. Arrays are put into device memory."""
    return trace(source, block, *arguments, grid=grid, limit=limit, options=options).threads[thread]


def trace(source, block=32, *arguments, grid=1, limit=400, options=("--device-debug",), max_threads=1024):
    """The LaunchTrace of one launch of kernel k."""
    text, machine = compile(source, "compute_90", options), PtxMachine()
    sources.remember(text.encode(), source)
    module = ptx.load(text)
    machine.variables = machine.load(module)
    kernel = module.kernels["k"]
    values = [machine.array(argument)[0] if hasattr(argument, "dtype") and argument.ndim else argument for argument in arguments]
    follower = Follower(max_threads, limit)
    ptx.run(kernel, triple(grid), triple(block), pack(kernel, values), 0, machine, observer=follower)
    return follower.record
