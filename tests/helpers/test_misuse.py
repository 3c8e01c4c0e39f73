"""A table of mistakes. Each gets a Python exception that says what to do instead, and the driver is as it was."""
import contextlib

import course_lib
from course_lib import kernel_heap, kernels, managed, mapped, pinned, pointers, reservation, sharing
from course_lib.core.errors import Released, TooLate, WrongArgument, WrongContext, WrongOrder, WrongPointer, WrongSize
from course_lib.mapped import mailbox
from course_lib.reservation import GrowingBuffer
from courseware import sandbox

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from pycuda.gpuarray import GPUArray

SOURCE = "__global__ void scale(float *data, float factor, int n) { if (threadIdx.x < n) data[threadIdx.x] *= factor; }"
MISUSES = []


class World:
    """What a mistake is made with. All of it is released afterwards."""

    def __init__(self, stack):
        self.enter = stack.enter_context
        self.size = reservation.granularity()

    def host(self, n=8):
        return self.enter(pinned.allocate(n, "float32"))

    def managed(self, n=1000):
        return self.enter(managed.allocate(n, "float32"))

    def code(self):
        return self.enter(kernels.compile(SOURCE))

    def addresses(self, granules=2):
        return self.enter(reservation.reserve(granules * self.size))

    def memory(self, where="device"):
        return self.enter(reservation.create(self.size, where))

    def mapping(self, where="device"):
        return self.addresses().map(self.memory(where))

    def heap(self, *sizes):
        return self.enter(kernel_heap.allocate(list(sizes) or [64]))

    def device(self):
        self.allocation = cuda.mem_alloc(8)
        return int(self.allocation)

    def box(self):
        return self.enter(mailbox.Mailbox())


def released(resource):
    resource.release()
    return resource


@contextlib.contextmanager
def no_context():
    """For the length of a block, no context is current."""
    stack = []
    while (current := cuda.Context.get_current()) is not None:
        stack.append(current)
        cuda.Context.pop()
    try:
        yield
    finally:
        for context in reversed(stack):
            context.push()


def misuse(exception, says):
    """Enter a mistake into the table: a function of a World."""
    def register(mistake):
        MISUSES.append(pytest.param(mistake, exception, says, id=mistake.__name__))
        return mistake
    return register


def enter(name, exception, says, mistake):
    mistake.__name__ = name
    misuse(exception, says)(mistake)


# pinned
enter("allocate_nothing", WrongSize, "1 or more", lambda w: pinned.allocate(0))
enter("allocate_no_rows", WrongSize, "1 or more", lambda w: pinned.allocate((0, 5)))
enter("allocate_negative", WrongSize, "1 or more", lambda w: pinned.allocate((-1, 5)))
enter("allocate_too_much_for_any_address_space", WrongSize, "address space", lambda w: pinned.allocate((1 << 40, 1 << 40)))
enter("allocate_more_than_there_is", cuda.MemoryError, "out of memory", lambda w: pinned.allocate(1 << 46))
enter("allocate_half_elements", WrongArgument, "whole numbers", lambda w: pinned.allocate(2.5))
enter("allocate_objects", WrongArgument, "dtype of numbers", lambda w: pinned.allocate(3, object))
enter("allocate_with_an_unknown_flag", WrongArgument, "portable, devicemap, writecombined", lambda w: pinned.allocate(3, flags="mapped"))
enter("allocate_with_a_number_for_flags", WrongArgument, "by name", lambda w: pinned.allocate(3, flags=2))
enter("allocate_read_only", WrongArgument, "portable, devicemap, writecombined", lambda w: pinned.allocate(3, flags="read_only"))
enter("release_pinned_twice", Released, "released", lambda w: released(pinned.allocate(3)).release())
enter("array_of_released_memory", Released, "Make another", lambda w: released(pinned.allocate(3)).array)
enter("address_of_released_memory", Released, "Make another", lambda w: released(pinned.allocate(3)).device_address)
enter("with_released_memory", Released, "Make another", lambda w: w.enter(released(pinned.allocate(3))))
enter("allocate_without_context", WrongContext, "pycuda.autoinit", lambda w: [w.enter(no_context()), pinned.allocate(3)])
enter("register_a_list", WrongArgument, "np.frombuffer", lambda w: pinned.register([1, 2]))
enter("register_an_empty_array", WrongSize, "empty", lambda w: pinned.register(np.zeros(0)))
enter("register_objects", WrongArgument, "objects", lambda w: pinned.register(np.array([object()])))
enter("register_every_second_element", WrongPointer, "array.base", lambda w: pinned.register(np.zeros(8)[::2]))
enter("register_a_read_only_array", WrongPointer, "read_only", lambda w: pinned.register(np.frombuffer(b"text", np.uint8)))
enter("register_pinned_memory", WrongPointer, "page-locked already", lambda w: pinned.register(w.host().array))
enter("register_ordinary_memory_as_iomemory", WrongPointer, "leave it out", lambda w: pinned.register(np.zeros(8), "iomemory"))
enter("register_with_writecombined", WrongArgument, "read_only", lambda w: pinned.register(np.zeros(8), "writecombined"))


@misuse(WrongOrder, "unregister that first")
def register_twice(w):
    array = np.zeros(100)
    w.enter(pinned.register(array))
    pinned.register(array)


@misuse(WrongOrder, "unregister that first")
def register_an_overlapping_part(w):
    array = np.zeros(100)
    w.enter(pinned.register(array[:60]))
    pinned.register(array[50:])


@misuse(Released, "Make another")
def unregister_twice(w):
    host = pinned.register(np.zeros(100))
    host.unregister()
    host.unregister()


# managed
enter("allocate_no_managed_memory", WrongSize, "1 or more", lambda w: managed.allocate(0))
enter("allocate_managed_objects", WrongArgument, "dtype of numbers", lambda w: managed.allocate(3, object))
enter("allocate_more_managed_memory_than_addresses", cuda.MemoryError, "out of memory", lambda w: managed.allocate(1 << 50))
enter("attach_to_a_single_stream_at_once", WrongArgument, "'global' or 'host'", lambda w: managed.allocate(3, attach="single"))
enter("allocate_managed_without_context", WrongContext, "pycuda.autoinit", lambda w: [w.enter(no_context()), managed.allocate(3)])
enter("release_managed_twice", Released, "released", lambda w: released(managed.allocate(3)).release())
enter("prefetch_what_was_released", Released, "Make another", lambda w: managed.prefetch(released(managed.allocate(3))))
enter("prefetch_by_a_stale_address", WrongPointer, "no longer", lambda w: managed.prefetch(stale_managed()))
enter("prefetch_pinned_memory", WrongPointer, "managed.allocate", lambda w: managed.prefetch(w.host()))
enter("prefetch_pageable_memory", WrongPointer, "managed.allocate", lambda w: managed.prefetch(np.zeros(8)))
enter("prefetch_device_memory", WrongPointer, "managed.allocate", lambda w: managed.prefetch((w.device(), 8)))
enter("prefetch_over_the_end", WrongSize, "has 4000 from there on", lambda w: managed.prefetch((w.managed().address, 4001)))
enter("prefetch_no_bytes", WrongSize, "1 byte or more", lambda w: managed.prefetch(w.managed().array[:0]))
enter("prefetch_every_second_element", WrongPointer, "without steps", lambda w: managed.prefetch(w.managed().array[::2]))
enter("prefetch_an_address_alone", WrongArgument, r"\(address, nbytes\)", lambda w: managed.prefetch(w.managed().address))
enter("prefetch_three_numbers", WrongArgument, r"\(address, nbytes\)", lambda w: managed.prefetch((w.managed().address, 8, 8)))
enter("prefetch_a_list", WrongArgument, r"\(address, nbytes\)", lambda w: managed.prefetch([w.managed().address, 8]))
enter("prefetch_half_a_byte", WrongArgument, r"\(address, nbytes\)", lambda w: managed.prefetch((w.managed().address, 0.5)))
enter("pinned_memory_of_empty_texts", WrongSize, "no elements", lambda w: pinned.allocate(3, "S"))
enter("prefetch_to_the_moon", WrongArgument, "'device' or on the 'host'", lambda w: managed.prefetch(w.managed(), to="moon"))
enter("prefetch_in_a_stream_by_number", WrongArgument, "Stream or None", lambda w: managed.prefetch(w.managed(), stream=7))
enter("advise_pinned_memory", WrongPointer, "managed.allocate", lambda w: managed.advise(w.host(), "read_mostly"))
enter("advise_over_the_end", WrongSize, "past the end", lambda w: managed.advise((w.managed().address + 3999, 2), "read_mostly"))
enter("advice_that_is_not_there", WrongArgument, "read_mostly, preferred_location", lambda w: managed.advise(w.managed(), "read_only"))
enter("withdraw_advice_that_is_not_there", WrongArgument, "accessed_by", lambda w: managed.withdraw(w.managed(), "pinned"))
enter("advise_without_context", WrongContext, "autoinit", lambda w: [m := w.managed(), w.enter(no_context()), managed.advise(m, "read_mostly")])
enter("facts_of_device_memory", WrongPointer, "managed.allocate", lambda w: managed.facts((w.device(), 8)))
enter("facts_over_the_end", WrongSize, "past the end", lambda w: managed.facts((w.managed().address, 4001)))
enter("facts_of_too_many_pages", WrongSize, "at most 65536", lambda w: managed.facts(w.enter(managed.allocate(1 << 30))))
enter("forward_call_for_managed_memory", WrongPointer, "is its device address", lambda w: mapped.device_address(w.managed()))


def stale_managed():
    memory = managed.allocate(3)
    part = memory.address, memory.nbytes
    memory.release()
    return part


# mapped
enter("device_address_of_pageable_memory", WrongPointer, "pinned.register", lambda w: mapped.device_address(np.zeros(3)))
enter("device_address_of_device_memory", WrongPointer, "already", lambda w: mapped.device_address(cuda.mem_alloc(8)))
enter("device_address_of_null", WrongPointer, "null", lambda w: mapped.device_address(0))
enter("device_address_of_a_heap_block", WrongPointer, "a kernel allocated this", lambda w: mapped.device_address(w.heap().addresses[0]))
enter("device_address_of_reserved_addresses", WrongPointer, "map memory there", lambda w: mapped.device_address(w.addresses().start))
enter("device_address_of_text", WrongPointer, "is not an address", lambda w: mapped.device_address("0x10"))
enter("gpuarray_over_pageable_memory", WrongPointer, "pinned.allocate", lambda w: mapped.as_gpuarray(np.zeros(3)))
enter("gpuarray_over_a_part_with_gaps", WrongPointer, "contiguous", lambda w: mapped.as_gpuarray(w.host().array[::2]))
enter("gpuarray_over_a_list", WrongArgument, "NumPy array", lambda w: mapped.as_gpuarray([1, 2]))
enter("one_past_the_end", WrongPointer, "Pinned and registered memory has a device address", lambda w: mapped.device_address(w.host(8).host_address + 32))
enter("wait_before_post", WrongOrder, r"post\(\) first", lambda w: w.box().wait())
enter("post_twice", WrongOrder, r"wait\(\) first", lambda w: [(box := w.box()).post(1), box.post(2)])
enter("post_a_fraction", WrongArgument, "whole number", lambda w: w.box().post(0.5))
enter("post_a_negative_number", WrongArgument, "whole number", lambda w: w.box().post(-1))
enter("post_more_than_a_letter_holds", WrongArgument, "whole number", lambda w: w.box().post(1 << 64))
enter("post_into_a_released_mailbox", Released, "Make another", lambda w: released(mailbox.Mailbox()).post(1))

# kernels
enter("compile_what_does_not_compile", kernels.CompileError, 'identifier "q"', lambda w: kernels.compile("__global__ void f() { q = 1; }"))
enter("compile_with_an_unknown_option", kernels.CompileError, "--nonsense", lambda w: kernels.compile(SOURCE, ["--nonsense"]))
enter("a_kernel_that_is_not_there", AttributeError, "it has scale", lambda w: w.code().scales)
enter("a_variable_that_is_not_there", AttributeError, "no variable", lambda w: w.code().variable("x"))
enter("too_few_arguments", WrongArgument, r"<kernel scale\(float \*data, float factor, int n\)> takes 3 arguments after grid and block, and got 2",
      lambda w: w.code().scale(1, 1, w.host(), 2))
enter("too_many_arguments", WrongArgument, "takes 3 arguments", lambda w: w.code().scale(1, 1, w.host(), 2, 3, 4))
enter("pageable_memory_for_a_kernel", WrongPointer, "gpuarray.to_gpu", lambda w: w.code().scale(1, 1, np.zeros(3, "float32"), 2, 3))
enter("doubles_for_a_float_pointer", WrongArgument, r"kernel scale, float \*data: the array has dtype float64", lambda w: w.code().scale(1, 1, gpuarray.zeros(3, "float64"), 2, 3))
enter("pinned_ints_for_a_float_pointer", WrongArgument, "int8", lambda w: w.code().scale(1, 1, w.enter(pinned.allocate(3, "int8")), 2, 3))
enter("a_fraction_for_a_pointer", WrongArgument, "takes a pointer", lambda w: w.code().scale(1, 1, 2.5, 2, 3))
enter("a_fraction_of_64_bits_for_a_pointer", WrongArgument, "takes a pointer", lambda w: w.code().scale(1, 1, np.float64(5), 2, 3))
enter("a_32_bit_number_for_a_pointer", WrongArgument, "takes a pointer", lambda w: w.code().scale(1, 1, np.int32(5), 2, 3))
enter("a_list_for_a_pointer", WrongArgument, "has no address", lambda w: w.code().scale(1, 1, [1.0], 2, 3))
enter("a_double_for_a_float", WrongArgument, "kernel scale, float factor: float64 is not float32: pass np.float32", lambda w: w.code().scale(1, 1, w.host(), np.float64(2), 3))
enter("a_fraction_for_an_int", WrongArgument, "int32", lambda w: w.code().scale(1, 1, w.host(), 2, 3.0))
enter("an_int_out_of_range", WrongArgument, "2147483647", lambda w: w.code().scale(1, 1, w.host(), 2, 1 << 31))
enter("an_int_below_the_range", WrongArgument, "-2147483648", lambda w: w.code().scale(1, 1, w.host(), 2, -(1 << 31) - 1))
enter("true_for_an_int", WrongArgument, "True is not a number of type int32", lambda w: w.code().scale(1, 1, w.host(), 2, True))
enter("a_long_for_an_int", WrongArgument, "np.int32", lambda w: w.code().scale(1, 1, w.host(), 2, np.int64(3)))
enter("an_array_for_an_int", WrongArgument, "int32", lambda w: w.code().scale(1, 1, w.host(), 2, np.zeros(1, "int32")))
enter("a_list_for_a_pointer_of_a_type_that_is_not_understood", WrongArgument, "NumPy scalar or bytes of 8 bytes$", lambda w: w.enter(
    kernels.compile("#define OUT int *out\n__global__ void f(OUT) { *out = 1; }")).f(1, 1, [1]))
enter("an_empty_grid", WrongSize, "from 1 to", lambda w: w.code().scale(0, 1, w.host(), 2, 3))
enter("a_grid_of_four", WrongArgument, "one to three", lambda w: w.code().scale((1, 1, 1, 1), 1, w.host(), 2, 3))
enter("too_many_threads_in_a_row", WrongSize, "from 1 to 1024", lambda w: w.code().scale(1, 1025, w.host(), 2, 3))
enter("too_many_threads_in_all", WrongSize, "more blocks of fewer threads", lambda w: w.code().scale(1, (32, 64), w.host(), 2, 3))
enter("too_much_shared_memory", WrongSize, "shared memory", lambda w: w.code().scale(1, 1, w.host(), 2, 3, shared=1 << 20))
enter("launch_released_code", Released, "compile", lambda w: [kernel := (code := w.code()).scale, code.release(), kernel(1, 1, 0, 2, 3)])
enter("release_code_twice", Released, "released", lambda w: released(kernels.compile(SOURCE)).release())
enter("compile_without_context", WrongContext, "pycuda.autoinit", lambda w: [w.enter(no_context()), kernels.compile(SOURCE)])
enter("released_memory_for_a_kernel", Released, "Make another", lambda w: w.code().scale(1, 1, released(pinned.allocate(3, "float32")), 2, 3))


@misuse(WrongContext, "compile the source again")
def launch_in_another_context(w):
    kernel = w.code().scale
    other = cuda.Device(0).make_context()
    try:
        kernel(1, 1, 0, 2, 3)
    finally:
        other.pop()
        other.detach()


# kernel_heap
enter("a_limit_of_nothing", WrongSize, "8388608", lambda w: kernel_heap.set_limit(0))
enter("a_limit_that_no_address_has", WrongSize, "number of bytes", lambda w: kernel_heap.set_limit(1 << 63))
enter("a_limit_in_words", WrongSize, "number of bytes", lambda w: kernel_heap.set_limit("8 MiB"))
enter("a_limit_too_late", TooLate, "fresh context", lambda w: [w.heap(), kernel_heap.set_limit(16 << 20)])
enter("a_heap_block_of_nothing", WrongSize, "1 byte or more", lambda w: kernel_heap.allocate(0))
enter("no_heap_blocks", WrongSize, "one or more", lambda w: kernel_heap.allocate([]))
enter("a_heap_block_of_a_text", WrongSize, "one or more", lambda w: kernel_heap.allocate(["8"]))
enter("a_heap_block_that_no_address_has", WrongSize, "one or more", lambda w: kernel_heap.allocate(1 << 63))
enter("bring_out_no_blocks", WrongSize, "0 addresses and 0 sizes", lambda w: kernel_heap.bring_out_all([], []))
enter("a_next_that_is_not_aligned", WrongSize, "at a multiple of 8, inside the 16 bytes", lambda w: kernel_heap.bring_out_list(w.heap(16).addresses[0], 4, 16))
enter("more_than_the_heap", kernel_heap.HeapExhausted, "higher limit", lambda w: kernel_heap.allocate(1 << 30))
enter("release_heap_blocks_twice", Released, "released", lambda w: released(kernel_heap.allocate(64)).release())
enter("bring_out_device_memory", WrongPointer, "needs no staging", lambda w: kernel_heap.bring_out(w.device(), 8))
enter("bring_out_freed_device_memory", WrongPointer, "malloc in a kernel", lambda w: kernel_heap.bring_out(int(cuda.mem_alloc(8)), 8))
enter("bring_out_host_memory", WrongPointer, "as it is", lambda w: kernel_heap.bring_out(w.host().host_address, 8))
enter("bring_out_pageable_memory", WrongPointer, "as it is", lambda w: kernel_heap.bring_out(np.zeros(8), 8))
enter("bring_out_reserved_addresses", WrongPointer, "malloc in a kernel", lambda w: kernel_heap.bring_out(w.addresses().start, 8))
enter("bring_out_null", WrongPointer, "null pointer", lambda w: kernel_heap.bring_out(0, 8))
enter("bring_out_what_nobody_has", WrongPointer, "malloc in a kernel", lambda w: kernel_heap.bring_out(1 << 46, 8))
enter("bring_out_too_much", WrongSize, "the block has 64", lambda w: kernel_heap.bring_out(w.heap().addresses[0], 65))
enter("bring_out_too_much_from_inside", WrongSize, "the block has 60", lambda w: kernel_heap.bring_out(w.heap().addresses[0] + 4, 61))
enter("bring_out_nothing", WrongSize, "1 or more", lambda w: kernel_heap.bring_out(w.heap().addresses[0], 0))
enter("two_addresses_and_one_size", WrongSize, "one size", lambda w: kernel_heap.bring_out_all(w.heap(8, 8).addresses, [8]))
enter("free_heap_blocks_of_an_object", WrongPointer, r"release\(\)", lambda w: kernel_heap.free(w.heap().addresses))
enter("free_device_memory_in_a_kernel", WrongPointer, "not in the kernel heap", lambda w: kernel_heap.free(w.device()))
enter("a_list_whose_links_are_outside", WrongSize, "inside the 16 bytes", lambda w: kernel_heap.bring_out_list(w.heap().addresses[0], 16, 16))


if course_lib.driver.attached.simulated:    # a GPU's driver does not tell a freed block from one that is given out again
    @misuse(WrongPointer, "freed")
    def bring_out_a_freed_block(w):
        blocks = kernel_heap.allocate(64)
        address = blocks.addresses[0]
        blocks.release()
        kernel_heap.bring_out(address, 8)


# sharing
enter("export_pinned_memory", WrongPointer, "cuMemAlloc", lambda w: sharing.export(w.host()))
enter("export_a_reservation", WrongPointer, "cuMemAlloc", lambda w: sharing.export(w.addresses()))
enter("export_a_mapping", WrongPointer, "mapping.memory", lambda w: sharing.export(w.mapping()))
enter("export_what_was_not_created_for_it", WrongPointer, "exportable=True", lambda w: sharing.export(w.memory()))
enter("export_released_memory", Released, "Make another", lambda w: sharing.export(released(reservation.create(w.size))))
enter("export_without_context", WrongContext, "pycuda.autoinit", lambda w: [w.enter(no_context()), sharing.export(4096)])
enter("open_an_address", WrongArgument, "An address is not one", lambda w: sharing.open_handle(w.device()))
enter("open_zeros", WrongPointer, "other bytes", lambda w: sharing.open_handle(bytes(64)))
enter("open_ones_own_memory", WrongOrder, "A handle is for others", lambda w: sharing.open_handle(sharing.export(w.device())))
enter("open_a_negative_descriptor", WrongArgument, "from 0 on", lambda w: sharing.open_descriptor(-1, w.size))
enter("open_a_closed_descriptor", WrongPointer, "not open in this process", lambda w: sharing.open_descriptor(987, w.size))


# reservation
enter("reserve_1024", WrongSize, "the next is 2097152", lambda w: reservation.reserve(1024))
enter("reserve_nothing", WrongSize, "the next is 2097152", lambda w: reservation.reserve(0))
enter("reserve_a_fraction", WrongArgument, "number of bytes", lambda w: reservation.reserve(2.0 * w.size))
enter("reserve_everything", MemoryError, "no free range", lambda w: reservation.reserve(1 << 48))
enter("an_alignment_below_zero", WrongSize, "alignment -2 is not a power of two: the next is 1", lambda w: reservation.reserve(w.size, alignment=-2))
enter("an_alignment_of_three", WrongSize, "next is 4", lambda w: reservation.reserve(w.size, alignment=3))
enter("reserve_at_an_odd_place", WrongSize, "next is 0x200000", lambda w: reservation.reserve(w.size, wanted=4096))
enter("create_4097", WrongSize, "the next is 2097152", lambda w: reservation.create(4097))
enter("create_more_than_there_is", MemoryError, "left", lambda w: reservation.create(1 << 45))
enter("create_on_the_moon", WrongArgument, "'device' or on the 'host'", lambda w: reservation.create(w.size, "moon"))
enter("map_at_an_odd_offset", WrongSize, "next is 2097152", lambda w: w.addresses().map(w.memory(), 4096))
enter("map_before_the_begin", WrongSize, "offset -2097152 is not a multiple of 2097152: the next is 0", lambda w: w.addresses().map(w.memory(), -w.size))
enter("map_beyond_the_end", WrongSize, "reserve more", lambda w: w.addresses(1).map(w.memory(), w.size))
enter("map_over_something", WrongOrder, "unmap that first", lambda w: [(a := w.addresses()).map(w.memory()), a.map(w.memory())])
enter("map_released_memory", Released, "Make another", lambda w: w.addresses().map(released(reservation.create(w.size))))
enter("map_into_freed_addresses", Released, "Make another", lambda w: released(reservation.reserve(w.size)).map(w.memory()))
enter("map_pinned_memory", WrongArgument, r"create\(\)", lambda w: w.addresses().map(w.host()))
enter("move_to_another_mapping", WrongArgument, r"reserve\(", lambda w: w.mapping().move(w.mapping()))
enter("free_addresses_while_mapped", WrongOrder, "unmap it first", lambda w: [(a := w.addresses()).map(w.memory()), a.free()])
enter("free_addresses_twice", Released, "released", lambda w: [(a := w.addresses()).free(), a.free()])
enter("release_memory_twice", Released, "released", lambda w: released(reservation.create(w.size)).release())
enter("unmap_twice", Released, "map the memory again", lambda w: [(m := w.mapping()).unmap(), m.unmap()])
enter("use_an_unmapped_address", Released, "map the memory again", lambda w: [(m := w.mapping()).unmap(), m.start])
enter("an_access_that_there_is_not", WrongArgument, "none, read, readwrite", lambda w: w.mapping().set_access("write"))
enter("host_access_to_device_memory", WrongPointer, "create", lambda w: w.mapping().set_access("read", who="host"))
enter("access_for_somebody_else", WrongArgument, "'device' or on the 'host'", lambda w: w.mapping().set_access("read", who="me"))
enter("array_of_device_memory", WrongPointer, "memcpy_dtoh", lambda w: w.mapping().array())
enter("a_kernel_on_a_mapping_without_access", WrongOrder, "set_access", lambda w: w.code().scale(1, 1, w.mapping(), 2, 3))
enter("a_kernel_on_an_empty_buffer", WrongOrder, "grow", lambda w: w.code().scale(1, 1, w.enter(GrowingBuffer(w.size)), 2, 3))
enter("a_kernel_on_reserved_addresses", WrongOrder, r"map\(memory\)", lambda w: w.code().scale(1, 1, w.addresses(), 2, 3))
enter("a_copy_to_a_mapping_without_access", WrongOrder, "set_access", lambda w: cuda.memcpy_htod(w.mapping(), np.zeros(3)))
enter("pycudas_array_on_an_empty_buffer", WrongOrder, "grow", lambda w: GPUArray(3, "f4", gpudata=w.enter(GrowingBuffer(w.size))).fill(1))
enter("numpys_array_of_device_memory", WrongPointer, "copy it", lambda w: np.asarray(w.mapping()))
enter("numpys_array_of_a_buffer", WrongPointer, "copy it", lambda w: np.asarray(w.enter(GrowingBuffer(w.size))))
enter("array_without_access", WrongOrder, "set_access", lambda w: w.mapping("host").array())
enter("array_of_half_a_number", WrongSize, "not a whole number of .V3", lambda w: [
    (mapping := w.mapping("host")).set_access("readwrite", who="host"), mapping.array("V3")])
enter("array_of_objects", WrongSize, "not a whole number of object", lambda w: [
    (mapping := w.mapping("host")).set_access("readwrite", who="host"), mapping.array("O")])
enter("grow_beyond_the_end", WrongSize, "at most", lambda w: w.enter(GrowingBuffer(w.size)).grow(2 * w.size))
enter("grow_by_more_than_is_left", WrongSize, "at most 2097152 can be added", lambda w: [
    (growing := w.enter(GrowingBuffer(2 * w.size))).grow(w.size), growing.grow(2 * w.size)])
enter("grow_by_a_little", WrongSize, "^grow takes multiples .* the next is 2097152", lambda w: w.enter(GrowingBuffer(w.size)).grow(5))
enter("a_buffer_of_a_little", WrongSize, "^GrowingBuffer takes multiples", lambda w: GrowingBuffer(5))
enter("shrink_an_empty_buffer", WrongOrder, "grow", lambda w: w.enter(GrowingBuffer(w.size)).shrink())
enter("use_a_released_buffer", Released, "Make another", lambda w: released(GrowingBuffer(w.size)).grow(w.size))


@misuse(WrongOrder, "delete it")
def unmap_under_an_array(w):
    mapping = w.mapping("host")
    mapping.set_access("readwrite", who="host")
    array = mapping.array()
    mapping.unmap()
    array[0] = 1


@misuse(WrongOrder, "delete it")
def take_access_from_under_an_array(w):
    mapping = w.mapping("host")
    mapping.set_access("readwrite", who="host")
    array = mapping.array()
    mapping.set_access("none", who="host")
    array[0] = 1


# pointers and the sandbox
enter("facts_of_a_fraction", WrongPointer, "is not an address", lambda w: pointers.facts(0.5))
enter("facts_of_a_negative_number", WrongPointer, "is not an address", lambda w: pointers.facts(-8))
enter("facts_without_context", WrongContext, "pycuda.autoinit", lambda w: [w.enter(no_context()), pointers.facts(8)])
enter("an_attribute_that_is_not_there", WrongArgument, "'HOST_POINTER'", lambda w: pointers.attribute(w.host(), "HOSTPOINTER"))
enter("an_attribute_of_text", WrongPointer, "is not an address", lambda w: pointers.attribute("0x10", "HOST_POINTER"))
enter("both_without_context", WrongContext, "pycuda.autoinit", lambda w: [w.enter(no_context()), pointers.both(8)])
enter("both_of_released_memory", Released, "Make another", lambda w: pointers.both(released(pinned.allocate(3))))
enter("facts_of_released_memory", Released, "Make another", lambda w: pointers.facts(released(pinned.allocate(3))))
enter("sandbox_of_a_result", WrongArgument, r"run\(f, x\) instead of run\(f\(x\)\)", lambda w: sandbox.run(5))
enter("sandbox_without_time", WrongSize, "10", lambda w: sandbox.run("1", timeout=0))
enter("sandbox_with_device_memory", WrongArgument, "inside the function", lambda w: sandbox.run(print, cuda.mem_alloc(8)))


@pytest.mark.parametrize("mistake, exception, says", MISUSES)
def test_misuse(mistake, exception, says):
    with contextlib.ExitStack() as stack:
        with pytest.raises(exception, match=says) as caught:
            mistake(World(stack))
    assert type(caught.value).__module__ != "builtins" or exception in (AttributeError, MemoryError)
    # The context is as usable as before.
    assert cuda.from_device(cuda.to_device(np.arange(3)), 3, np.int64).tolist() == [0, 1, 2]


def test_the_table_is_long():
    assert len(MISUSES) >= 60
    assert len({mistake.values[0].__name__ for mistake in MISUSES}) == len(MISUSES)
