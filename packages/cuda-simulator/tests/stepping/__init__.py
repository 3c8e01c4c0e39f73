"""A thread is followed line by line: tests of cuda_simulator/stepping, over the interpreter of PTX without a driver."""
from cuda_simulator import ptx
from cuda_simulator.examination import sources
from cuda_simulator.stepping.follower import Follower

from ..ptx.cuda import compile, pack, triple
from ..ptx.machine import Machine


def follow(source, block=32, *arguments, thread=0, grid=1, of_block=0, launch=1, limit=60, options=("--device-debug",)):
    """The Record of one launch of kernel k. Arrays are put into device memory."""
    text, machine = compile(source, "compute_90", options), Machine()
    sources.remember(text.encode(), source)
    module = ptx.load(text)
    machine.variables = machine.load(module)
    kernel = module.kernels["k"]
    values = [machine.array(argument)[0] if hasattr(argument, "dtype") and argument.ndim else argument for argument in arguments]
    seen = Follower(triple(thread)[:1] + (0, 0) if isinstance(thread, int) else thread, (of_block, 0, 0), launch, limit)
    ptx.run(kernel, triple(grid), triple(block), pack(kernel, values), 0, machine, observer=seen)
    return seen.record
