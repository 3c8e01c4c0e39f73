"""A launch's parameters are memory with an address of its own, which any kernel may read, as an H200 answers."""
from cuda_simulator.ptx import parameters

import numpy as np
import pytest

from .cuda import kernel, run
from .test_memory import fault_of

REPORT = kernel("""
    unsigned long long p = (unsigned long long)&n;
    asm volatile("" : "+l"(p));
    unsigned long long q = numbers[0] ? numbers[0] : p;
    int of_this_launch;
    asm volatile("{ .reg .pred q; isspacep.param::entry q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(of_this_launch) : "l"(q));
    int by_its_own_space;
    asm volatile("{ .reg .u64 q; cvta.to.param::entry.u64 q, %1; ld.param::entry.s32 %0, [q]; }" : "=r"(by_its_own_space) : "l"(p));
    if (threadIdx.x == 0) {
        numbers[1] = by_its_own_space;
        numbers[2] = *(volatile int *)q;
        numbers[3] = of_this_launch;
    }
    numbers[4 + threadIdx.x] = p;""", "const __grid_constant__ int n, unsigned long long *numbers")


def launch(n, look_at=0, threads=1):
    """What each thread has for the address of n; what lies at `look_at`, or there; and whether that is this launch's parameter."""
    numbers = np.zeros(4 + threads, np.uint64)
    numbers[0] = look_at
    _, report = run(REPORT, 1, threads, n, numbers)
    assert report[1] == n
    return report[4:].tolist(), int(report[2]), bool(report[3])


def test_all_threads_of_a_launch_have_one_address_and_the_next_launch_another():
    addresses, value, own = launch(5, threads=40)
    assert (len(set(addresses)), value, own) == (1, 5, True)
    assert launch(5)[0] != addresses[:1]


def test_an_earlier_launchs_parameters_can_be_read_and_are_not_the_later_ones_own():
    [earlier], _, _ = launch(71)
    [address], value, own = launch(72, look_at=earlier)
    assert (address != earlier, value, own) == (True, 71, False)


def test_a_place_is_given_back_by_every_launch_and_by_one_that_fails():
    free = len(parameters._free)
    for n in range(3):
        launch(n)
    fault_of(kernel("*p = 1;", "int *p"), 1, 1, 0)
    assert len(parameters._free) == free


def test_what_was_given_before_is_gone_when_a_place_is_used_again():
    earlier = parameters.Parameters(b"\xff" * 100, pytest.fail)
    earlier.release()
    while (later := parameters.Parameters(b"\1", pytest.fail)).start != earlier.start:
        later.release()
    later.release()
    assert later.bytes.tolist() == [1] + [0] * len(parameters.PADDING)


def test_a_launch_waits_for_a_place_and_can_be_ended_meanwhile():
    places = [parameters.Parameters(b"", pytest.fail) for _ in range(parameters.PLACES)]
    waited = []

    def wait():
        waited.append(places.pop().release())

    def end():
        raise InterruptedError
    try:
        with pytest.raises(InterruptedError):
            parameters.Parameters(b"", end)
        places.append(parameters.Parameters(b"", wait))
        assert waited == [None]
    finally:
        for place in places:
            place.release()
    assert len(set(parameters._free)) == parameters.PLACES
