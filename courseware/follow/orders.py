"""The orders in which a kernel's threads may access memory, and what comes of each.

    >>> from courseware.follow import orders
    >>> def turned():
    ...     import numpy as np, pycuda.driver as cuda
    ...     from course_lib import kernels
    ...     code = kernels.compile('''__global__ void turn(int *x) {
    ...         __shared__ int s[3];
    ...         s[threadIdx.x] = x[threadIdx.x];
    ...         __syncthreads();
    ...         x[threadIdx.x] = s[2 - threadIdx.x];
    ...     }''')
    ...     code.turn(1, 3, cuda.to_device(np.array([10, 20, 30], np.int32)))
    >>> orders(turned)
    With the barrier in line 4: 8,100 orders, and all of them give the same numbers.
    Without a barrier: 34,650 orders, 16,830 of which give wrong numbers. For example, thread 0 reads s[2] before it is written in one of them.

The kernel runs over the simulated driver, compiled with -G, as for a debugger, so that lines keep instructions of their
own. Then every order that the barriers allow is replayed, without a kernel: a read gets what the last write has left.
What is written is what was read last, if it was so in the run that was followed; else it is known only as long as the
thread has read what it read there.

An order here is one access after the other. What the memory of a GPU may do beyond that, such as show two writes to
another thread in the other order, is not in it (CUDA C++ Programming Guide, "Memory Fence Functions").

Not here: the board on which a learner moves accesses (orders_page.py, orders.js).
"""  # noqa: E501 (what the example prints)
import itertools
from dataclasses import dataclass

from course_lib.core.errors import WrongArgument

from .. import sandbox

MOST_THREADS, MOST_ACCESSES, MOST_STATES = 4, 16, 100_000
SPACES = ("shared", "global")
BARRIER = "__syncthreads"
UNKNOWN = None          # a value that nobody can tell


@dataclass(frozen=True)
class Access:
    """One access of a thread. `after` is how often the thread has passed each barrier before: ((line, times), ...)."""

    kind: str           # "read" or "write"
    space: str
    name: str           # as in "s[2]"
    value: object       # in the run that was followed
    copies: bool        # of a write: is it what the thread read last?
    line: int
    after: tuple


def orders(function, *arguments, timeout=60):
    """Replay every order of a small kernel's accesses; returns Orders, which a notebook shows as a board to try them.

    function:  compiles a kernel and launches it once, with one block of 2 to 4 threads. It runs in the sandbox, over
               the simulated driver. Each line with ``__syncthreads()`` is a barrier, which can be taken away on the
               board
    arguments: of the function
    timeout:   in seconds

    Raises WrongArgument for a function that launches no such kernel or does not end well, and where the kernel has an
    atomic access, or a thread more than 16 accesses to shared and global memory.
    """
    if not callable(function):
        raise WrongArgument(f"orders takes a function that launches a kernel, not {type(function).__name__}: pass the "
                            "function itself, and its arguments after it")
    outcome = sandbox.run(_followed, function, arguments, timeout=timeout, simulated=True)
    if not outcome.ok:
        raise WrongArgument(f"there are no orders to replay: the function {outcome.ending}")
    launch = outcome.value
    if launch is None:
        raise WrongArgument("there are no orders to replay: the function launches no kernel")
    if not 1 < launch.block <= MOST_THREADS:
        raise WrongArgument(f"the block of {launch.kernel} has {launch.block} thread{'s' * (launch.block != 1)}, and a "
                            f"board has room for 2 to {MOST_THREADS}")
    lines = launch.source.splitlines()
    return Orders(launch.kernel, launch.source, [_accesses(steps, lines) for steps in launch.threads])


def _followed(function, arguments):
    """In the sandbox: the LaunchTrace (cuda_simulator.stepping) of the function's first launch; None without one."""
    from cuda_simulator.stepping.follower import Follower
    from cuda_simulator.watch import watching
    from cuda_without_toolkit import pycuda_without_nvcc

    import pycuda.driver as cuda
    with watching(Follower(MOST_THREADS)) as follower, pycuda_without_nvcc.debugging():
        function(*arguments)
        cuda.Context.synchronize()
    return follower.record


def _accesses(steps, lines):
    """The accesses of a thread that was followed. lines: of the source"""
    accesses, passed, last_read = [], {}, UNKNOWN
    for step in steps:
        if step.line and BARRIER in lines[step.line - 1]:
            passed[step.line] = passed.get(step.line, 0) + 1
        for access in step.accesses:
            if access.kind == "atomic":
                raise WrongArgument(f"the kernel has an atomic access, to {access.name or access.space}: a board has "
                                    "reads and writes alone")
            if access.space in SPACES:
                name = access.name or f"{access.space} {access.address:#x}"
                copies = access.kind == "write" and access.value == last_read
                after = tuple(passed.items())
                accesses.append(Access(access.kind, access.space, name, access.value, copies, step.line, after))
                last_read = access.value if access.kind == "read" else last_read
    if len(accesses) > MOST_ACCESSES:
        raise WrongArgument(f"a thread of the kernel has {len(accesses)} accesses to shared and global memory, and a "
                            f"board has room for {MOST_ACCESSES}: give it fewer numbers")
    return accesses


def _instead(value, expected):
    return "before it is written" if value is UNKNOWN else f"and finds {value!r} instead of {expected!r}"


class Orders:
    """The accesses of a kernel's threads.

    `count` tells what comes of all their orders, with some of its barriers or all.
    """

    def __init__(self, kernel, source, threads):
        self.kernel, self.source, self.threads = kernel, source, threads
        self.barriers = sorted({line for accesses in threads for access in accesses for line, _ in access.after})
        self.initial = self._initial()
        self.final = self._final()

    def segments(self, barriers):
        """For each thread and access, how many of these barriers the thread has passed before it."""
        return [[sum(times for line, times in access.after if line in barriers) for access in accesses]
                for accesses in self.threads]

    def count(self, barriers):
        """(how many orders these barriers allow, how many of them end with wrong numbers, a sentence).

        The sentence is about one of those; "" where there is none.
        """
        segments = self.segments(barriers)
        names = sorted({access.name for accesses in self.threads for access in accesses})
        place = {name: number for number, name in enumerate(names)}
        memory = tuple(self.initial.get(name) for name in names)
        start = ((0,) * len(self.threads), memory, tuple((UNKNOWN, True) for _ in self.threads))
        level = {start: (1, "")}        # state -> (how many orders lead to it, what went wrong first in one of them)
        for _ in range(sum(map(len, self.threads))):
            following = {}
            for (positions, memory, threads), (ways, wrong) in level.items():
                for state, mistake in self._next(positions, memory, threads, segments, place):
                    earlier_ways, first_mistake = following.get(state, (0, ""))
                    following[state] = earlier_ways + ways, first_mistake or wrong or mistake
            level = following
            if len(level) > MOST_STATES:
                return None
        final = tuple(self.final[name] for name in names)
        bad = {state: mistake for state, mistake in level.items() if state[1] != final}
        example = next((mistake for _, mistake in bad.values() if mistake), "")
        return sum(ways for ways, _ in level.values()), sum(ways for ways, _ in bad.values()), example

    def _next(self, positions, memory, threads, segments, place):
        """(state, what went wrong or "") after one more access of each thread that may go on."""
        for number, accesses in enumerate(self.threads):
            if positions[number] == len(accesses) or not self._may(number, positions, segments):
                continue
            access, (last_read, clean) = accesses[positions[number]], threads[number]
            where, mistake = place[access.name], ""
            if access.kind == "read":
                last_read = memory[where]
                if last_read != access.value:
                    clean, mistake = False, f"thread {number} reads {access.name} {_instead(last_read, access.value)}"
                memory_after = memory
            else:
                value = last_read if access.copies else access.value if clean else UNKNOWN
                memory_after = memory[:where] + (value,) + memory[where + 1:]
            moved = positions[:number] + (positions[number] + 1,) + positions[number + 1:]
            yield (moved, memory_after, threads[:number] + ((last_read, clean),) + threads[number + 1:]), mistake

    def _may(self, number, positions, segments):
        """May a thread go on? Not past a barrier that others have not come to."""
        passed = segments[number][positions[number]]
        return all(place == len(mine) or mine[place] >= passed for place, mine in zip(positions, segments))

    def in_step(self):
        """The order in which each thread does one access before any does the next: [(thread, its access's number)]."""
        segments = self.segments(self.barriers)
        every = [(thread, number) for thread, accesses in enumerate(self.threads) for number in range(len(accesses))]
        return sorted(every, key=lambda access: (segments[access[0]][access[1]], access[1], access[0]))

    def _initial(self):
        """{name: value} of what is read before it is written."""
        values, written = {}, set()
        for thread, number in self.in_step():
            access = self.threads[thread][number]
            if access.kind == "write":
                written.add(access.name)
            elif access.name not in written:
                values.setdefault(access.name, access.value)
        return values

    def _final(self):
        values = {access.name: self.initial.get(access.name) for accesses in self.threads for access in accesses}
        for thread, number in self.in_step():
            access = self.threads[thread][number]
            if access.kind == "write":
                values[access.name] = access.value
        return values

    def subsets(self):
        """The sets of barriers that a learner can choose, all of them first."""
        sizes = range(len(self.barriers), -1, -1)
        return [chosen for size in sizes for chosen in itertools.combinations(self.barriers, size)]

    def sentence(self, chosen, tells=True):
        """What comes of all orders with these barriers. tells: one that goes wrong, too"""
        named = "With the barrier in line " + str(chosen[0]) if len(chosen) == 1 else \
            "With the barriers in lines " + " and ".join(map(str, chosen)) if chosen else "Without a barrier"
        counted = self.count(chosen)
        if counted is None:
            return f"{named}: more orders than can be replayed here."
        total, wrong, example = counted
        if not wrong:
            return f"{named}: {total:,} order{'s' * (total > 1)}, and all of them give the same numbers."
        instance = f" For example, {example} in one of them." if tells else ""
        return f"{named}: {total:,} orders, {wrong:,} of which give wrong numbers.{instance}"

    def __repr__(self):
        return "\n".join(map(self.sentence, self.subsets()))

    def _repr_html_(self):
        from . import orders_page
        return orders_page.html(self)
