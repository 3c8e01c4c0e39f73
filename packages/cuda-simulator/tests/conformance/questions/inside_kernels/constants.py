"""Constant memory: an address that the driver tells, who may write there, and when a kernel sees it."""
import ctypes

from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must, name, new_context, read, using
from ...helpers.inside_kernels import SOURCE, at_address, attribute, kernel, own_memory
from ...helpers.kernels import i32
from ...helpers.memory_kinds import make
from ...helpers.pointer_attributes import ATTRIBUTES, get_attribute

HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n"


def constants(module=None):
    """The address of the 16 constants 500, 501, ... of a module."""
    return int(must(cu.cuModuleGetGlobal(module or kernels.module(SOURCE), b"constants"))[0])


def cell(kernel_name, index):
    """constants[index] or variable[index] as a kernel reads it by its name."""
    out = int(must(cu.cuMemAlloc(8)))
    must(kernels.run(kernel(kernel_name), i32(index), out))
    return _int(out)


def _int(address):
    return int.from_bytes(read(address, 4), "little", signed=True)


def put(address, value):
    must(cu.cuMemcpyHtoD(address, int(value).to_bytes(4, "little"), 4))


@question("the driver tells a constant variable's address and size")
def told_address():
    address, size = must(cu.cuModuleGetGlobal(kernels.module(SOURCE), b"constants"))
    yield "size", int(size)
    yield "the kernel reports the same address", own_memory("constant", "address") == int(address)
    yield "aligned to 256", int(address) % 256 == 0


@question("the host reads constants with a copy")
def host_reads():
    return [_int(constants() + 4 * n) for n in (0, 3, 6)]


@question("a constant by its name and by a generic load of its address: the same value")
def by_name_and_address():
    yield "by name", cell("read_constant", 3)
    yield "by address", at_address(constants() + 12, "read")
    yield "in another module's kernel", _int_by_another_kernel(constants() + 12)


def _int_by_another_kernel(address):
    out = make("device").address
    must(kernels.run("peek_int", address, out))
    return _int(out)


@question("what the host copies into a constant, the next kernel sees, by name and by address")
def host_writes():
    put(constants() + 8, 4711)
    yield "by name", cell("read_constant", 2)
    yield "by address", at_address(constants() + 8, "read")
    yield "its neighbour", cell("read_constant", 3)
    must(cu.cuMemsetD32(constants(), 17, 4))
    yield "after a memset", [cell("read_constant", n) for n in (0, 3, 4)]


@question("what the host copies in between two kernels, the second sees: constants are not kept from one to the next")
def between_kernels():
    def turn(value):
        put(constants() + 16, value)
        return cell("read_constant", 4)
    return [turn(value) for value in (1, 2, 3, 4, 5)]


@question("a kernel that writes through a constant's address: the memory changes")
def kernel_writes():
    yield "the kernel", at_address(constants() + 20, "write")
    yield "the host reads", _int(constants() + 20)
    yield "the next kernel, by name", cell("read_constant", 5)
    yield "the next kernel, by address", at_address(constants() + 20, "read")


@question("a kernel that reads a constant by name, then writes through its address")
def write_then_read():
    out = int(must(cu.cuMemAlloc(8)))
    must(kernels.run(kernel("write_then_read_constant"), constants(), i32(1), out))
    yield "by name, before", _int(out)
    yield "by address, after", _int(out + 4)
    yield "in the next kernel", cell("read_constant", 1)


@question("an atomic on a constant's address")
def atomic():
    yield "the kernel", at_address(constants() + 24, "atomic")
    yield "the next kernel, by name", cell("read_constant", 6)


@question("two loads of one module have constants of their own")
def two_modules():
    second_module = must(cu.cuModuleLoadData(kernels.ptx(SOURCE)))
    put(constants(second_module) + 4, 99)
    yield "another address", constants(second_module) != constants()
    yield "not changed here", cell("read_constant", 1)


@question("another context has constants of its own, and may read these by their address")
def two_contexts():
    address = constants()
    with using(new_context()):
        yield "another address", constants() != address
        yield "read by address", at_address(address + 4, "read")


@question("what the driver says of a constant's address is what it says of a device variable's")
def attributes():
    variable = int(must(cu.cuModuleGetGlobal(kernels.module(SOURCE), b"variable"))[0])
    for key in ("MEMORY_TYPE", "HOST_POINTER", "RANGE_SIZE", "IS_MANAGED", "MAPPED"):
        code, value, _ = get_attribute(ATTRIBUTES[key], constants())
        variable_code, variable_value, _ = get_attribute(ATTRIBUTES[key], variable)
        yield key, [name(code), name(variable_code), value == variable_value]


@question("the host can not read constants through their address: segmentation fault")
def host_follows():
    yield "", lambda: ctypes.string_at(constants(), 4).hex()


@question("a module may have 64 KiB of constants in its constant bank, and no more")
def most():
    for size in (65536, 65537, 70000):
        text = (HEAD + f".visible .const .align 4 .b8 c[{size}]; .visible .entry k() {{ ret; }}").encode() + b"\0"
        yield f"{size}", lambda: ask(cu.cuModuleLoadData(text))
        if size == 65536:
            yield "its address is told", lambda: int(must(cu.cuModuleGetGlobal(must(cu.cuModuleLoadData(text)), b"c"))[1])


@question("two modules of 64 KiB of constants each may be loaded at once")
def twice_the_most():
    for label, fill in (("one", 1), ("other", 2)):
        text = (HEAD + f".visible .const .align 4 .b8 c[65536] = {{{fill}}}; .visible .entry k() {{ ret; }}").encode() + b"\0"
        module = must(cu.cuModuleLoadData(text))
        yield label, read(int(must(cu.cuModuleGetGlobal(module, b"c"))[0]), 2).hex()


@question("how many bytes of constants a kernel uses is told for its module")
def constant_size():
    yield "a kernel that reads them", attribute("CONST_SIZE_BYTES", SOURCE, "read_constant") >= 64
    yield "one that does not", attribute("CONST_SIZE_BYTES", SOURCE, "deep") >= 64
    yield "the same for both", attribute("CONST_SIZE_BYTES", SOURCE, "read_constant") == attribute("CONST_SIZE_BYTES", SOURCE, "deep")


@question("a device variable and a constant: the host writes both, kernels see both")
def variable_too():
    address = int(must(cu.cuModuleGetGlobal(kernels.module(SOURCE), b"variable"))[0])
    put(address + 4, 33)
    yield "by name", cell("read_variable", 1)
    yield "by address", at_address(address + 4, "read")
