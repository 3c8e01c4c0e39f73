"""Mapped memory: the device's address of pinned memory, zero-copy views, the mailbox."""

from course_lib import kernels, mapped, pinned, reservation
from course_lib.core import errors
from course_lib.mapped import mailbox

import numpy as np
import pycuda.driver as cuda
import pytest

from .pools import from_host_pool

ECHO = mailbox.SOURCE + """
__global__ void echo(Mailbox *box, unsigned long long add) {
    unsigned long long letter;
    while (mailbox_wait(box, &letter)) mailbox_answer(box, letter + add);
}
__global__ void deaf() { }
"""


def test_an_interior_address_gives_an_interior_address():
    with pinned.allocate(100, "int32") as host:
        base = mapped.device_address(host)
        assert base == host.device_address
        assert mapped.device_address(host.array[10:]) == base + 40
        assert mapped.device_address(host.host_address + 399) == base + 399
        with pytest.raises(errors.WrongPointer):
            mapped.device_address(host.host_address + 400)


def test_an_interior_address_of_virtual_memory_gives_itself_and_not_the_start_of_the_mapping():
    size = reservation.granularity("host")
    with reservation.reserve(size) as addresses, reservation.create(size, "host") as memory:
        addresses.map(memory).set_access("readwrite")
        assert [mapped.device_address(addresses.start + place) for place in (0, 8, size - 1)] == [
            addresses.start + place for place in (0, 8, size - 1)]


def test_a_gpuarray_over_pinned_memory_is_a_view_not_a_copy():
    with pinned.allocate((4, 6), "float32") as host:
        host.array[:] = np.arange(24).reshape(4, 6)
        on_device = mapped.as_gpuarray(host)
        assert on_device.shape == (4, 6) and (on_device.get() == host.array).all()
        on_device.fill(3)
        cuda.Context.synchronize()
        assert (host.array == 3).all()
        del on_device


def test_memory_from_a_pool_on_the_host_is_refused_with_what_to_do():
    with from_host_pool(64) as address, pytest.raises(errors.WrongPointer, match="kernels use the host's own address"):
        mapped.device_address(address)


def test_a_gpuarray_in_fortran_order():
    with pinned.register(np.asfortranarray(np.arange(24.0).reshape(4, 6))) as host:
        assert (mapped.as_gpuarray(host.array).get() == host.array).all()


def test_the_gpuarray_keeps_the_memory():
    host = pinned.allocate(10, "float32")
    host.array[:] = 1
    on_device = mapped.as_gpuarray(host)
    host.release()
    assert on_device.get().sum() == 10


def test_host_and_running_kernel_talk():
    with kernels.compile(ECHO) as code, mailbox.Mailbox() as box:
        code.echo(1, 1, box, 1000)
        assert [box.ask(letter) for letter in (0, 1, 2**63, 77)] == [1000, 1001, 2**63 + 1000, 1077]
        assert repr(box) == "<mailbox, 4 letters answered>"


def test_a_letter_may_be_there_before_the_kernel():
    with kernels.compile(ECHO) as code, mailbox.Mailbox() as box:
        box.post(5)
        code.echo(1, 1, box, 1)
        assert box.wait() == 6


def test_no_answer_is_a_timeout_not_a_hang():
    with mailbox.Mailbox() as box:
        with pytest.raises(TimeoutError, match="was a kernel launched"):
            box.ask(1, timeout=0.05)


def test_an_exception_ends_the_kernel_too():
    with pytest.raises(ZeroDivisionError):
        with kernels.compile(ECHO) as code, mailbox.Mailbox() as box:
            code.echo(1, 1, box, 1)
            1 // 0
    assert box.released


def test_a_forgotten_mailbox_ends_its_kernel():
    with kernels.compile(ECHO) as code:
        box = mailbox.Mailbox()
        code.echo(1, 1, box, 1)
        assert box.ask(1) == 2
        del box    # freeing memory waits for the kernel, which waits for the mailbox to be closed
        cuda.Context.synchronize()
