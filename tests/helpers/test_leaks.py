"""Nothing leaks: after any sequence of use and misuse the driver's tables are as before, and Python ends in silence."""
import contextlib
import gc
import os
import sys

from course_lib import driver, kernel_heap, kernels, managed, mapped, pinned, pointers, reservation, sharing
from course_lib.core import errors, ownership
from course_lib.core.ownership import Resource
from course_lib.mapped import mailbox
from course_lib.reservation import GrowingBuffer
from courseware import sandbox

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu
from hypothesis import HealthCheck, settings, strategies as some
from hypothesis.stateful import RuleBasedStateMachine, rule

from . import tables

SOURCE = "__global__ void fill(int *data, int value, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = value + i; }"
CHOICE = some.integers(0, 1 << 30)


class UseOfHelpers(RuleBasedStateMachine):
    """Makes, uses, misuses, releases and forgets whatever the helpers give, in any order."""
    kinds = {kernels.Kernels}       # of what was made in any of the orders

    def __init__(self):
        super().__init__()
        gc.collect()
        self.before = tables.now()
        self.size = reservation.granularity()
        self.code = kernels.compile(SOURCE)
        self.objects, self.gone = [], []

    def pick(self, choice, kind=object):
        """One of the objects of this kind, or None."""
        objects = [item for item in self.objects if isinstance(item, kind)]
        return objects[choice % len(objects)] if objects else None

    def remember(self, item, address=None):
        self.kinds.add(type(item))
        self.objects.append(item)
        if address is not None:
            self.gone.append(address)
        return item

    def exportable(self):
        return self.remember(reservation.create(self.size, "device", exportable=True))

    @rule(n=some.integers(0, 5000), flags=some.sets(some.sampled_from(sorted(pinned.ALLOCATE_FLAGS))))
    def allocate(self, n, flags):
        with contextlib.suppress(errors.WrongSize):
            host = pinned.allocate(n, np.int32, flags)
            self.remember(host, host.host_address)

    @rule(n=some.integers(0, 5000), attach=some.sampled_from(["global", "host"]))
    def allocate_managed(self, n, attach):
        with contextlib.suppress(errors.WrongSize):
            memory = managed.allocate(n, np.int32, attach)
            self.remember(memory, memory.address)

    @rule(choice=CHOICE, first=some.integers(0, 5000), n=some.integers(0, 5000), place=some.sampled_from(["device", "host"]))
    def prefetch_and_advise(self, choice, first, n, place):
        if (memory := self.pick(choice, managed.ManagedMemory)) and not memory.released:
            part = memory.address + 4 * first, 4 * n
            with contextlib.suppress(errors.Misuse):
                managed.prefetch(part, place)
                managed.advise(part, managed.ADVICE[choice % 3], place)
                managed.facts(part)

    @rule(n=some.integers(1, 5000), offset=some.integers(0, 40))
    def register(self, n, offset):
        self.remember(pinned.register(np.zeros(n + offset, np.int32)[offset:]))

    @rule(choice=CHOICE)
    def register_again(self, choice):
        if (host := self.pick(choice, pinned.RegisteredMemory)) and not host.released:
            with pytest.raises(errors.WrongOrder):
                pinned.register(host.array)

    @rule(choice=CHOICE, n=some.integers(1, 64))
    def run_a_kernel(self, choice, n):
        if (host := self.pick(choice, (pinned.PinnedMemory, managed.ManagedMemory))) and not host.released and host.nbytes >= 4 * n:
            self.code.fill(1, 32, host, choice % 1000, n)
            cuda.Context.synchronize()
            assert (host.array[:n] == choice % 1000 + np.arange(n)).all()

    @rule(choice=CHOICE)
    def view(self, choice):
        if (host := self.pick(choice, pinned.PinnedMemory)) and not host.released:
            self.objects.append(mapped.as_gpuarray(host.array[1:]) if choice % 2 and len(host.array) > 1 else host.array[::2])

    @rule(sizes=some.lists(some.integers(0, 3000), max_size=4))
    def allocate_in_a_kernel(self, sizes):
        with contextlib.suppress(errors.WrongSize):
            blocks = kernel_heap.allocate(sizes)
            self.remember(blocks, blocks.addresses[0])

    @rule(choice=CHOICE, nbytes=some.integers(0, 3000))
    def bring_out(self, choice, nbytes):
        if (blocks := self.pick(choice, kernel_heap.HeapBlocks)) and not blocks.released:
            with contextlib.suppress(errors.WrongSize):
                kernel_heap.put_in(blocks.addresses[0], bytes(range(256)) * 20 if nbytes > 256 else bytes([nbytes % 256]) * nbytes)
                kernel_heap.bring_out(blocks.addresses[0], nbytes)

    @rule(granules=some.integers(0, 4))
    def reserve(self, granules):
        with contextlib.suppress(errors.WrongSize):
            addresses = reservation.reserve(granules * self.size)
            self.remember(addresses, addresses.start)

    @rule(granules=some.integers(0, 2), where=some.sampled_from(["device", "host"]), exportable=some.booleans())
    def create(self, granules, where, exportable):
        with contextlib.suppress(errors.WrongSize):
            self.remember(reservation.create(granules * self.size, where, exportable))

    @rule(choice=CHOICE)
    def export(self, choice):
        memory = self.pick(choice, reservation.Memory) or self.exportable()
        with contextlib.suppress(errors.Misuse):
            self.remember(sharing.export(memory))

    @rule(choice=CHOICE, granules=some.integers(1, 2))
    def open_a_descriptor(self, choice, granules):
        descriptor = self.pick(choice, sharing.Descriptor) or self.remember(sharing.export(self.exportable()))
        with contextlib.suppress(errors.Misuse):
            opened = sharing.open_descriptor(descriptor, granules * self.size)
            self.remember(opened, opened.device_address)

    @rule(choice=CHOICE, other=CHOICE, offset=some.integers(0, 4))
    def map(self, choice, other, offset):
        addresses, memory = self.pick(choice, reservation.Addresses), self.pick(other, reservation.Memory)
        if addresses and memory:
            with contextlib.suppress(errors.Misuse):
                mapping = addresses.map(memory, offset * self.size)
                if choice % 2:
                    self.objects.append(mapping)

    @rule(choice=CHOICE, rights=some.sampled_from(["none", "read", "readwrite"]), who=some.sampled_from(["device", "host"]))
    def set_access(self, choice, rights, who):
        if mapping := self.pick(choice, reservation.Mapping):
            with contextlib.suppress(errors.Misuse):
                mapping.set_access(rights, who)
                self.objects.append(mapping.array())

    @rule(choice=CHOICE, other=CHOICE)
    def move(self, choice, other):
        mapping, addresses = self.pick(choice, reservation.Mapping), self.pick(other, reservation.Addresses)
        if mapping and addresses:
            with contextlib.suppress(errors.Misuse):
                self.objects.append(mapping.move(addresses))

    @rule(choice=CHOICE)
    def unmap_or_free(self, choice):
        if item := self.pick(choice, (reservation.Mapping, reservation.Addresses)):
            with contextlib.suppress(errors.Misuse):
                item.unmap() if isinstance(item, reservation.Mapping) else item.free()

    @rule(granules=some.lists(some.integers(-1, 3), max_size=5))
    def grow(self, granules):
        buffer = GrowingBuffer(4 * self.size)
        self.remember(buffer, buffer.device_address)
        for n in granules:
            with contextlib.suppress(errors.Misuse):
                buffer.shrink() if n < 0 else buffer.grow(n * self.size)

    @rule()
    def open_a_mailbox(self):
        self.remember(mailbox.Mailbox())

    @rule(choice=CHOICE)
    def fail_in_a_block(self, choice):
        if (item := self.pick(choice, Resource)) and not item.released:
            with pytest.raises(ZeroDivisionError):
                with item:
                    1 // 0

    @rule(choice=CHOICE)
    def release(self, choice):
        if item := self.pick(choice, Resource):
            if item.released:
                with pytest.raises(errors.Released):
                    item.release()
            else:
                item.release()

    @rule(choice=CHOICE)
    def forget(self, choice):
        if (item := self.pick(choice)) is not None:
            self.objects = [kept_item for kept_item in self.objects if kept_item is not item]
            del item
            gc.collect()

    @rule(choice=CHOICE)
    def ask(self, choice):
        if self.gone:
            pointers.facts(self.gone[choice % len(self.gone)])

    def teardown(self):
        self.objects.clear()
        del self.code
        gc.collect()
        cuda.Context.synchronize()
        assert tables.left(self.before) is None
        for address in self.gone:
            assert not pointers.host_pointer_for(address)


def kinds_of(base):
    """The classes of course_lib that a Resource is made of: those that nothing is derived from."""
    below = [kind for kind in base.__subclasses__() if kind.__module__.startswith("course_lib.")]
    return set().union(*map(kinds_of, below)) if below else {base}


def test_any_sequence_of_use_and_misuse():
    from hypothesis.stateful import run_state_machine_as_test
    for _ in range(4):      # what 25 orders have left out by chance is in 25 more
        run_state_machine_as_test(UseOfHelpers, settings=settings(max_examples=25, stateful_step_count=40, database=None,
                                                                  suppress_health_check=list(HealthCheck)))
        if not (missing := kinds_of(Resource) - UseOfHelpers.kinds):
            return
    pytest.fail(f"no rule of UseOfHelpers makes {missing}")


END = """
import course_lib, numpy as np, pycuda.autoinit
from course_lib import kernel_heap, kernels, managed, mapped, pinned, pointers, reservation
from course_lib.mapped import mailbox
size = reservation.granularity()
code = kernels.compile(mailbox.SOURCE + '''
__global__ void serve(Mailbox *box) { unsigned long long x; while (mailbox_wait(box, &x)) mailbox_answer(box, x + 1); }''')
host = pinned.allocate(100); view = host.array[3:]; on_device = mapped.as_gpuarray(host.array)
registered = pinned.register(np.zeros(1000))
moving = managed.allocate(1000); part = moving.array[10:]; managed.prefetch(part)
blocks = kernel_heap.allocate([10, 20])
addresses, memory = reservation.reserve(2 * size), reservation.create(size, "host")
mapping = addresses.map(memory); mapping.set_access("readwrite"); mapping.set_access("readwrite", who="host"); array = mapping.array()
buffer = reservation.GrowingBuffer(4 * size); buffer.grow(size)
box = mailbox.Mailbox(); code.serve(1, 1, box); print(box.ask(41))
"""


@pytest.fixture
def ended(in_new_process):
    """Run code to its end in a new process, with the driver and the packages of this one."""
    return lambda code: in_new_process(code, COURSE_DRIVER=driver.attached.kind, PYTHONPATH=os.pathsep.join(sys.path))


@pytest.mark.parametrize("ending", ["", "raise SystemExit(0)", "held = [globals()]", "code.serve(1, 1, box) if False else None"])
def test_the_interpreter_ends_in_silence(ended, ending):
    silent = ended(END + ending)
    assert (silent.stdout, silent.stderr, silent.returncode) == ("42\n", "", 0)


def test_after_a_broken_context_the_interpreter_ends_without_a_crash(ended):
    broken = ended(END + "box.close()\nrisky = kernels.compile('__global__ void f(int *p) { *p = 1; }')\nrisky.f(1, 1, 8)")
    assert (broken.stdout, broken.returncode) == ("42\n", 0) and "Traceback" not in broken.stderr


def test_the_exception_that_is_seen_is_the_one_that_ended_the_block():
    def experiment():
        size = reservation.granularity()
        with kernels.compile("__global__ void f(int *p) { *p = 1; }") as code, pinned.allocate(4), kernel_heap.allocate(4), \
                pinned.register(np.zeros(4)), reservation.reserve(size) as addresses, reservation.create(size) as memory, mailbox.Mailbox():
            addresses.map(memory)
            code.f(1, 1, 8)
            cuda.Context.synchronize()
    outcome = sandbox.run(experiment)
    assert outcome.exception == "LogicError: cuCtxSynchronize failed: an illegal memory access was encountered"
    assert outcome.error == "CUDA_ERROR_ILLEGAL_ADDRESS"


@pytest.mark.parametrize("ends_with, seen", [(None, errors.CudaError), (KeyError, KeyError)])
def test_that_something_cannot_be_given_back_is_seen_where_the_block_ends_well(ends_with, seen):
    with pytest.raises(seen), pinned.register(np.zeros(4)) as memory:
        cu.cuMemHostUnregister(memory.host_address)
        if ends_with:
            raise ends_with


def test_in_a_context_that_is_gone_nothing_is_called_though_another_has_its_handle():
    current, calls = ownership.current_context(), []
    assert ownership.in_context(current, calls.append, "now") is None and calls == ["now"]
    ownership.in_context(ownership.ContextOf(current.handle, current.id + 1), calls.append, "later")
    assert calls == ["now"]


def test_a_destroyed_context_is_not_asked_about_again(monkeypatch):
    context = cuda.Device(0).make_context()
    destroyed = ownership.current_context()
    cuda.Context.pop()
    context.detach()
    assert not destroyed.alive
    monkeypatch.setattr(ownership.cu, "cuCtxGetId", lambda handle: (0, destroyed.id))     # what lies there now may say anything
    assert not destroyed.alive
