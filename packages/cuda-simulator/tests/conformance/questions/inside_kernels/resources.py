"""What the driver says of a kernel's needs: shared, local and constant memory, and registers."""
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import ask, must
from ...helpers.inside_kernels import FED, FRAMELESS, HUNGRY, SOURCE, TWO_FRAMES, attribute, frame_source
from ...helpers.kernels import i32

NO_REGISTERS = "the simulated driver gives out no registers of hardware, so none run out"


def shared_source(size, dynamic=False):
    dynamic_part = "extern __shared__ int d[]; *out += d[i];" if dynamic else ""
    return (f'extern "C" __global__ void k(int i, int *out) {{ __shared__ int s[{size}]; s[threadIdx.x] = i; __syncthreads(); '
            f'*out = s[i % {size}]; {dynamic_part} }}')


@question("SHARED_SIZE_BYTES is the static shared memory, and what lies between it and the dynamic")
def shared_size():
    for size in (1, 25, 64, 1000, 12288):
        yield f"{size} ints", attribute("SHARED_SIZE_BYTES", shared_source(size))
    yield "25 ints, and dynamic memory", attribute("SHARED_SIZE_BYTES", shared_source(25, dynamic=True))
    yield "none", attribute("SHARED_SIZE_BYTES", FRAMELESS)


@question("a module of a kernel with more than 48 KiB of static shared memory loads")
def too_much_static():
    yield "48 KiB", lambda: ask(cu.cuModuleLoadData(kernels.ptx(shared_source(12288))))
    yield "4 bytes more", lambda: ask(cu.cuModuleLoadData(kernels.ptx(shared_source(12289))))


@question("LOCAL_SIZE_BYTES is at least the array that is indexed at run time, and a multiple of 8")
def local_size():
    for size in (16, 100, 1000, 4000):
        bytes_ = attribute("LOCAL_SIZE_BYTES", frame_source(size))
        yield f"{size} ints", [bytes_ >= 4 * size, bytes_ < 4 * size + 256, bytes_ % 8 == 0]


@question("an array whose indices the compiler knows needs no local memory")
def no_frame():
    return attribute("LOCAL_SIZE_BYTES", FRAMELESS)


@question("a called function's local array counts too")
def two_frames():
    return attribute("LOCAL_SIZE_BYTES", TWO_FRAMES) >= 384


@question("a kernel that wants more registers than it may have spills into local memory", stricter=NO_REGISTERS)
def spills():
    yield "few registers: local memory", attribute("LOCAL_SIZE_BYTES", HUNGRY) > 0
    yield "few registers: at most 32", attribute("NUM_REGS", HUNGRY) <= 32
    yield "many registers: no local memory", attribute("LOCAL_SIZE_BYTES", FED) == 0
    yield "many registers: more than 90", attribute("NUM_REGS", FED) > 90


@question("how much local memory for how many bytes of an array", varies="the compiler's choice")
def local_sizes():
    for size in (1, 2, 4, 8, 16, 100, 1000):
        yield f"{size} ints", attribute("LOCAL_SIZE_BYTES", frame_source(size))
    yield "spilled", attribute("LOCAL_SIZE_BYTES", HUNGRY)
    yield "registers, few", attribute("NUM_REGS", HUNGRY)
    yield "registers, many", attribute("NUM_REGS", FED)
    yield "a kernel of everything", attribute("LOCAL_SIZE_BYTES", SOURCE, "own")


@question("a thread may have 512 KiB of local memory, and no more")
def most_local():
    for kib in (400, 511, 600):
        yield f"{kib} KiB", lambda: _loads(frame_source(kib * 256))


def _loads(source):
    result = cu.cuModuleLoadData(kernels.ptx(source))
    if int(result[0]):
        return ask(result)
    out = int(must(cu.cuMemAlloc(8)))
    return ask(kernels.run(must(cu.cuModuleGetFunction(result[1], b"k")), i32(3), out))


@question("a kernel with dynamic shared memory of 48 KiB runs; a byte more needs the attribute")
def dynamic_limit():
    f = kernels.kernel("given_shared", SOURCE)
    out = int(must(cu.cuMemAlloc(64)))
    for size in (0, 49152, 49153):
        yield f"{size}", lambda: ask(kernels.run(f, out, i32(0), out, shared=size))
    must(cu.cuFuncSetAttribute(f, cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100_000))
    yield "100000, allowed", lambda: ask(kernels.run(f, out, i32(0), out, shared=100_000))
