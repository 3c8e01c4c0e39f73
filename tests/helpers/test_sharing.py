"""Memory of one process is opened in another, and that other process ends in all the ways in which one can."""
import contextlib
import ctypes
import gc
import mmap
import os
import signal
import subprocess
import sys
import time

from course_lib import driver, kernels, pinned, reservation, sharing
from course_lib.core.errors import CudaError, NotSupported, Released, WrongArgument, WrongOrder, WrongPointer, WrongSize
from courseware import sandbox, second_process

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu

from . import tables
from .processes import ended, gone

DATA = np.arange(3, 19, dtype=np.int32)
FILL = "__global__ void fill(int *x) { x[threadIdx.x] = 7 * threadIdx.x; }"


@pytest.fixture(scope="module")
def process(context):
    """A process that lives through all tests. What it and this one keep of a GPU's memory they have taken before the first."""
    with second_process.other_process() as process:
        process.keep(tables.use_everything_once)
        share_everything_once(process)
        yield process


@pytest.fixture(autouse=True)
def nothing_is_left(context):
    """As in the other modules, but a GPU's free memory is not compared after each test: the drivers of the other processes, which
    come and go here, take memory of it when they first do something. `test_nothing_is_left_open` compares it."""
    gc.collect()
    before = tables.now()
    yield
    gc.collect()
    assert tables.left(before, free_memory=False) is None


@pytest.fixture
def memory():
    allocation = cuda.mem_alloc(DATA.nbytes)
    cuda.memcpy_htod(int(allocation), DATA)
    yield allocation
    allocation.free()


@pytest.fixture
def exportable():
    size = reservation.granularity()
    with reservation.create(size, exportable=True) as physical, reservation.reserve(size) as addresses:
        addresses.map(physical).set_access("readwrite")
        cuda.memcpy_htod(addresses.start, DATA)
        yield physical


def content(memory):
    numbers = np.zeros(16, np.int32)
    cuda.memcpy_dtoh(numbers, getattr(memory, "device_address", memory))
    return numbers


def filled(memory):
    code = kernels.compile(FILL)
    code.fill(1, 16, memory.device_address)


def facts(memory):
    return memory.device_address, memory.nbytes, memory.released


def close(memory):
    memory.close()


def by_descriptor(fd, nbytes):
    try:
        return sharing.open_descriptor(fd, nbytes)
    finally:
        os.close(fd)


def share_everything_once(process):
    memory = cuda.mem_alloc(DATA.nbytes)
    with reservation.create(reservation.granularity(), exportable=True) as exported, sharing.export(exported) as descriptor:
        for theirs in (process.keep(sharing.open_handle, sharing.export(memory)),
                       process.keep(by_descriptor, exported.nbytes, descriptors=[descriptor])):
            process.run(filled, theirs)
            process.run(close, theirs)
        sharing.open_descriptor(descriptor, exported.nbytes).close()
    memory.free()


def test_an_ipc_handle_opens_the_same_bytes(process, memory):
    theirs = process.keep(sharing.open_handle, sharing.export(memory))
    assert repr(theirs) == "<Opened in the other process>"
    assert (process.run(content, theirs) == DATA).all() and process.run(facts, theirs)[1:] == (DATA.nbytes, False)
    process.run(filled, theirs)
    assert (content(memory) == 7 * np.arange(16)).all()
    process.run(close, theirs)
    with pytest.raises(second_process.OtherFailed, match="Released: this opened memory was released"):
        process.run(content, theirs)


def test_a_handle_of_an_address_inside_opens_the_whole_allocation(process, memory):
    theirs = process.keep(sharing.open_handle, sharing.export(int(memory) + 16))
    assert (process.run(content, theirs) == DATA).all()
    process.run(close, theirs)


def test_an_owner_needs_no_handle(memory):
    with pytest.raises(WrongOrder, match="this process's own"):
        sharing.open_handle(sharing.export(memory))


def test_a_handle_of_freed_memory_opens_nothing(process):
    memory = cuda.mem_alloc(64)
    handle = sharing.export(memory)
    memory.free()
    with pytest.raises(second_process.OtherFailed, match="WrongPointer: the handle opens nothing"):
        process.run(sharing.open_handle, handle)


def made_there():
    allocation = cuda.mem_alloc(DATA.nbytes)
    cuda.memcpy_htod(int(allocation), np.arange(3, 19, dtype=np.int32))
    return allocation


def killed(process):
    """End a process at once: it can give nothing back."""
    with pytest.raises(second_process.OtherEnded, match="SIGKILL"):
        process.run(signal.raise_signal, signal.SIGKILL)


def test_what_is_open_outlives_its_owner_process():
    with second_process.other_process() as owner:
        handle = owner.run(sharing.export, owner.keep(made_there))
        with sharing.open_handle(handle) as opened:
            killed(owner)
            assert (content(opened) == DATA).all()
        with pytest.raises(WrongPointer, match="INVALID_HANDLE"):
            sharing.open_handle(handle)


@pytest.mark.parametrize("make", [
    lambda stack: stack.enter_context(pinned.allocate(64)), lambda stack: np.zeros(4), lambda stack: 0x1000,
    lambda stack: stack.enter_context(reservation.reserve(reservation.granularity()))],
    ids=["pinned", "pageable", "nothing", "reserved"])
def test_other_memory_has_no_ipc_handle(make):
    with contextlib.ExitStack() as stack, pytest.raises(WrongPointer, match="cuMemAlloc"):
        sharing.export(make(stack))


@pytest.mark.parametrize("call, descriptor", [("cuIpcGetMemHandle", False), ("cuMemExportToShareableHandle", True)])
def test_a_call_that_is_refused_for_another_reason_is_not_taken_for_wrong_memory(call, descriptor, exportable, monkeypatch):
    memory = cuda.mem_alloc(64)
    monkeypatch.setattr(cu, call, lambda *arguments: (cu.CUresult.CUDA_ERROR_OUT_OF_MEMORY, None))
    with pytest.raises(CudaError, match="CUDA_ERROR_OUT_OF_MEMORY"):
        sharing.export(exportable if descriptor else memory)
    memory.free()


def test_a_descriptor_opens_the_same_bytes_and_keeps_them(process):
    size = reservation.granularity()
    with reservation.create(size, exportable=True) as exported:
        with reservation.reserve(size) as addresses:
            addresses.map(exported).set_access("readwrite")
            cuda.memcpy_htod(addresses.start, DATA)
            descriptor = sharing.export(exported)
    assert descriptor.nbytes == size and "2097152 bytes" in repr(descriptor)
    with descriptor:
        theirs = process.keep(by_descriptor, size, descriptors=[descriptor])
    assert (process.run(content, theirs) == DATA).all()
    process.run(filled, theirs)
    assert process.run(content, theirs)[3] == 21
    process.run(close, theirs)


def test_a_descriptor_opens_in_its_own_process_too(exportable):
    with sharing.export(exportable) as descriptor:
        with sharing.open_descriptor(descriptor, exportable.nbytes) as again:
            assert (content(again) == DATA).all()
        with pytest.raises(Released):
            _ = again.device_address


def test_a_descriptor_is_closed_once(exportable):
    descriptor = sharing.export(exportable)
    number = descriptor.fileno()
    descriptor.release()
    with pytest.raises(OSError):
        os.fstat(number)
    with pytest.raises(Released, match="this file descriptor was released"):
        descriptor.fileno()
    assert repr(descriptor) == "<file descriptor, closed>"


@pytest.mark.skipif(not driver.attached.simulated, reason="other programs use a GPU's memory meanwhile")
def test_memory_is_given_back_once_when_its_last_holder_is_gone():
    size, before = reservation.granularity(), cuda.mem_get_info()[0]
    with reservation.create(size, exportable=True) as exported:
        descriptor = sharing.export(exported)
    assert cuda.mem_get_info()[0] == before - size, "the descriptor holds it"
    opened = sharing.open_descriptor(descriptor, size)
    assert repr(opened) == f"<opened memory of {size} bytes>"
    descriptor.release()
    assert cuda.mem_get_info()[0] == before - size, "the mapping holds it"
    opened.close()
    assert repr(opened) == "<opened memory, closed>"
    assert cuda.mem_get_info()[0] == before


def test_the_number_of_a_descriptor_is_not_sent_as_a_number(process, exportable):
    with sharing.export(exportable) as descriptor, pytest.raises(WrongArgument, match=r"descriptors=\[...\]"):
        process.run(sharing.open_descriptor, descriptor, exportable.nbytes)
    with sharing.export(exportable) as descriptor, pytest.raises(second_process.OtherFailed, match="send the descriptor itself"):
        process.run(sharing.open_descriptor, descriptor.fileno() + 100, exportable.nbytes)


def test_who_closes_a_number_of_this_process_there_does_not_end_the_other():
    def close(number):
        try:
            os.close(number)
        except OSError as error:
            return error.strerror
    with second_process.other_process() as process:      # a socket of this process had each of these numbers when it started
        assert {process.run(close, number) for number in range(process._line.fileno(), process._line.fileno() + 6)} == {"Bad file descriptor"}
        assert process.run(abs, -3) == 3


def test_what_cannot_be_opened_is_told_apart(exportable):
    size = exportable.nbytes
    with reservation.create(size) as private, pytest.raises(WrongPointer, match="exportable=True"):
        sharing.export(private)
    with sharing.export(exportable) as descriptor:
        with pytest.raises(WrongSize, match="another size"):
            sharing.open_descriptor(descriptor, 2 * size)
        with pytest.raises(WrongSize, match="multiples"):
            sharing.open_descriptor(descriptor, 100)
        with pytest.raises(WrongArgument, match="open_descriptor"):
            sharing.open_handle(descriptor)
    for wrong in (-1, True, "3", None):
        with pytest.raises(WrongArgument, match="a number from 0 on"):
            sharing.open_descriptor(wrong, size)
    with open("/dev/null") as file, pytest.raises(WrongPointer, match="not one of exported memory"):
        sharing.open_descriptor(file, size)
    for wrong in (b"short", 0x7f0000000000, "text"):
        with pytest.raises(WrongArgument, match="64 bytes"):
            sharing.open_handle(wrong)
    with reservation.reserve(size) as addresses, pytest.raises(WrongPointer, match="mapping.memory"):
        sharing.export(addresses.map(exportable))


def test_memory_on_the_host_is_not_imported_by_the_helper():
    try:
        exported = reservation.create(reservation.granularity("host"), "host", exportable=True)
    except NotSupported:
        pytest.skip("no virtual memory management for the host")
    with exported, sharing.export(exported) as descriptor, pytest.raises(NotSupported, match="on the host"):
        sharing.open_descriptor(descriptor, exported.nbytes)


def test_a_file_is_host_memory_of_both(process):
    fd = os.memfd_create("shared")
    os.ftruncate(fd, 4096)
    pages = mmap.mmap(fd, 4096)
    def written(fd):
        with mmap.mmap(fd, 4096) as theirs:
            theirs[:3] = b"abc"
        os.close(fd)
    process.run(written, descriptors=[fd])
    os.close(fd)
    assert pages[:4] == b"abc\0"


# -- turns ----------------------------------------------------------------------------------------------------------

def test_the_other_is_a_new_program_with_the_same_driver(process):
    def who():
        return os.getpid(), os.getppid(), driver.attached.kind, cuda.Context.get_device().pci_bus_id()
    pid, parent, kind, bus = process.run(who)
    assert pid == process.pid != os.getpid() == parent
    assert kind == driver.attached.kind and bus == cuda.Context.get_device().pci_bus_id()


def test_what_it_prints_is_printed_here(process, capsys):
    process.run(print, "one")
    process.run(print, "two")
    assert capsys.readouterr().out == "one\ntwo\n"


def test_its_exceptions_are_raised_here(process):
    with pytest.raises(second_process.OtherFailed, match="in the other process: ZeroDivisionError: ") as raised:
        process.run(divmod, 1, 0)
    assert raised.value.name is None and "Traceback" in raised.value.traceback
    with pytest.raises(second_process.OtherFailed) as raised:
        process.run(lambda: cuda.mem_alloc(1 << 60))
    assert raised.value.name == "CUDA_ERROR_OUT_OF_MEMORY"
    assert process.run(abs, -3) == 3, "it lives on"


def test_a_value_that_cannot_leave_is_said(process):
    for make in (lambda: cuda.Stream(), lambda: pinned.allocate(3)):
        with pytest.raises(second_process.OtherFailed, match=r"cannot leave its process.*keep\(\)"):
            process.run(make)
    assert process.run(abs, -3) == 3


def test_a_fault_comes_with_the_drivers_explanation(memory):
    def follow(address):
        kernels.compile(FILL).fill(1, 16, address)
        cuda.Context.synchronize()      # a GPU tells it then
    with second_process.other_process() as process:
        with pytest.raises(second_process.OtherFailed, match="illegal") as raised:
            process.run(follow, 0)
        assert raised.value.name == "CUDA_ERROR_ILLEGAL_ADDRESS"
        assert ("kernel fill" in str(raised.value)) == driver.attached.simulated
    assert (content(memory) == DATA).all(), "this process's context is whole"


@pytest.mark.parametrize("end, message", [
    (lambda: os._exit(3), "ended its process with exit status 3"), (lambda: ctypes.string_at(8), "ended by SIGSEGV: a segmentation"),
    (lambda: os.kill(os.getpid(), signal.SIGKILL), "ended by SIGKILL")], ids=["exit", "crash", "kill"])
def test_its_end_is_told(end, message):
    with second_process.other_process() as process:
        with pytest.raises(second_process.OtherEnded, match=message):
            process.run(end)
        with pytest.raises(second_process.OtherEnded, match="start another with other_process"):
            process.run(abs, 3)


def test_a_turn_has_a_limit():
    with second_process.other_process() as process:
        began = time.monotonic()
        with pytest.raises(second_process.OtherEnded, match="stopped after 0.5 seconds"):
            process.run(time.sleep, 60, timeout=0.5)
        assert time.monotonic() - began < 50
        assert gone(process.pid)


def test_who_is_interrupted_gets_no_answer_of_an_earlier_turn():
    def interrupt(number, frame):
        raise KeyboardInterrupt
    with second_process.other_process() as process:
        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            with pytest.raises(KeyboardInterrupt):
                process.run(time.sleep, 60)
        finally:
            signal.signal(signal.SIGALRM, before)
        with pytest.raises(second_process.OtherEnded, match="stopped with the cell"):
            process.run(abs, 3)


def test_it_ends_with_the_block():
    with second_process.other_process() as process:
        pass
    assert gone(process.pid) and process.released
    with pytest.raises(Released, match="start another"):
        process.run(abs, 3)


PARENT = """
import os, signal, threading
import courseware
from courseware import second_process
other = second_process.other_process()
print(other.pid, flush=True)
def spin(parent):
    os.kill(parent, signal.SIGKILL)
    threading.Event().wait()
other.run(spin, os.getpid())
"""


def test_it_dies_with_its_parent_also_in_the_middle_of_a_turn():
    done = subprocess.run([sys.executable, "-c", PARENT], env=driver.child_environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert ended(int(done.stdout))


def test_misuse_of_turns_is_refused(process):
    for call, message in ((lambda: process.run(3), "runs a function, not int"), (lambda: process.run(abs, 3, timeout=0), "no time to run"),
                          (lambda: process.run(abs, cuda.mem_alloc(8)), "DeviceAllocation belongs to this process"),
                          (lambda: process.run(abs, [pinned.allocate(3)]), "PinnedMemory|AllocatedMemory"),
                          (lambda: process.run(abs, descriptors=["a"]), "not a file descriptor"),
                          (lambda: process.run(abs, descriptors=[987]), "not open")):
        with pytest.raises((WrongArgument, WrongSize), match=message):
            call()
    with second_process.other_process() as second:
        list_there = second.keep(list)
        with pytest.raises(WrongArgument, match="is in a different one"):
            process.run(len, list_there)
    assert process.run(abs, -3) == 3


def test_nothing_is_left_open():
    def once():
        with second_process.other_process() as process:
            with reservation.create(reservation.granularity(), exportable=True) as exported, sharing.export(exported) as descriptor:
                process.keep(by_descriptor, exported.nbytes, descriptors=[descriptor])
                with sharing.open_descriptor(descriptor, exported.nbytes):
                    pass
            with sharing.open_handle(process.run(sharing.export, process.keep(made_there))):
                killed(process)
    once()      # what a driver keeps of a GPU's memory after its first use, it keeps once
    before, driver_before = len(os.listdir("/proc/self/fd")), tables.now()
    once()
    assert len(os.listdir("/proc/self/fd")) == before and tables.left(driver_before) is None


# -- a sandbox with several devices -----------------------------------------------------------------------------------

def test_a_sandbox_has_as_many_devices_as_it_is_asked_for():
    def reached():
        first, second = cuda.Context.get_device(), cuda.Device(1)
        return cuda.Device.count() >= 2, first.can_access_peer(second), second.can_access_peer(first)
    assert sandbox.run(reached, devices=2).value == (True, True, True)
    assert sandbox.run(lambda: cuda.Device.count()).value == cuda.Device.count()
    for wrong in (0, "2", True):
        with pytest.raises(WrongArgument, match="1 or more"):
            sandbox.run(reached, devices=wrong)


def test_a_process_that_has_the_devices_keeps_them(monkeypatch):
    def devices_seen():
        inner = sandbox.run(lambda: os.environ.get("CUDA_SIMULATOR_DEVICES"), devices=2)
        return inner.value, int(cu.cuDeviceGetCount()[1])
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "3")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert sandbox.run(devices_seen, simulated=True).value == ("3", 3)
