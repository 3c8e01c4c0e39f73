"""Kernels: source in, callable out; arguments are checked before the launch."""
from course_lib import driver, kernels, pinned
from course_lib.core import errors
from course_lib.kernels import layout, signature

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from cuda.bindings import driver as cu

SOURCE = """
struct Pair { double x; int y; };
typedef float real;
#define COUNT int count

__global__ void scale(float *data, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
__global__ void mixed(char a, short b, int c, long long d, float e, double f, bool g, Pair p, real r, double *out) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = p.x; out[8] = p.y; out[9] = r;
}
__global__ void macro(int *out, COUNT) { *out = count; }
__global__ void bytes(const void *from, unsigned char *to) { *to = *(const unsigned char *) from; }
__global__ void shape(int *out) {   // blocks and threads, in all directions
    int n = gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
    if (!threadIdx.x && !threadIdx.y && !threadIdx.z) atomicMax(out, n);
}
__global__ void dynamic(int *out) { extern __shared__ int room[]; room[threadIdx.x] = 1; *out = room[threadIdx.x]; }
"""


@pytest.fixture(scope="module")
def code(context):
    with kernels.compile(SOURCE) as code:
        yield code


def test_repr_shows_the_signature(code):
    assert repr(code.scale) == "<kernel scale(float *data, float factor, int n)>"
    assert repr(code) == "<kernels scale, mixed, macro, bytes, shape, dynamic>" and "scale" in dir(code)


def test_every_way_to_pass_a_pointer(code):
    with pinned.allocate(4, "float32") as host:
        on_device = gpuarray.to_gpu(np.ones(4, "float32"))
        allocation = cuda.to_device(np.ones(4, "float32"))
        for pointer in (host, host.array, host.array[1:], on_device, allocation, int(allocation), np.uint64(int(allocation))):
            code.scale(1, 32, pointer, 2, 3)
        cuda.Context.synchronize()
        assert on_device.get().tolist() == [2, 2, 2, 1]
        assert cuda.from_device(allocation, 4, "float32").tolist() == [8, 8, 8, 1]


def test_none_is_the_null_pointer():
    out = gpuarray.zeros(1, np.uint64)
    with kernels.compile("__global__ void number(const void *pointer, unsigned long long *out) { *out = (unsigned long long) pointer; }") as code:
        for pointer, number in ((out, int(out.gpudata)), (None, 0)):
            code.number(1, 1, pointer, out)
            assert out.get()[0] == number


def test_managed_memory_is_passed_in_place(code):
    array = cuda.managed_empty(3, "float32", mem_flags=cuda.mem_attach_flags.GLOBAL)
    array[:] = 5
    code.scale(1, 3, array, 2, 3)
    cuda.Context.synchronize()
    assert array.tolist() == [10, 10, 10]


def test_numbers_of_every_type(code):
    out = gpuarray.zeros(10, "float64")
    pair = np.zeros((), np.dtype([("x", "f8"), ("y", "i4")], align=True))
    pair["x"], pair["y"] = 7.5, -8
    code.mixed(1, 1, -1, -2, 3, -(2**40), 0.5, 0.25, True, pair[()], np.float32(9.5), out)
    assert out.get().tolist() == [-1, -2, 3, -(2**40), 0.5, 0.25, 1, 7.5, -8, 9.5]
    for ends in ((-(1 << 7), -(1 << 15), -(1 << 31), -(1 << 63)), ((1 << 7) - 1, (1 << 15) - 1, (1 << 31) - 1, (1 << 63) - 1)):
        code.mixed(1, 1, *ends, 1, 2, 0, pair[()], np.float32(9.5), out)
        assert out.get().tolist() == [*map(float, ends), 1, 2, 0, 7.5, -8, 9.5]
    code.mixed(1, 1, np.int8(1), np.int16(2), np.int32(3), np.int64(4), np.float32(5), np.float64(6), np.bool_(False), pair.tobytes(),
               np.float32(9), out)
    assert out.get().tolist() == [1, 2, 3, 4, 5, 6, 0, 7.5, -8, 9]


def test_a_declaration_that_is_not_understood_is_checked_by_size(code):
    out = gpuarray.zeros(1, "int32")
    code.macro(1, 1, out, np.int32(7))
    assert out.get()[0] == 7
    with pytest.raises(errors.WrongArgument, match="kernel macro, COUNT: pass a NumPy scalar or bytes of 4 bytes, and this has 8"):
        code.macro(1, 1, out, np.int64(7))
    with pytest.raises(errors.WrongArgument, match="COUNT: pass a NumPy scalar or bytes of 4 bytes$"):
        code.macro(1, 1, out, 7)
    with kernels.compile("#define WIDE double wide\n__global__ void half(int *out, WIDE) { *out = wide / 2; }") as wide:
        wide.half(1, 1, out, np.float64(9))
        assert out.get()[0] == 4


def test_a_pointer_to_bytes_takes_any_dtype(code):
    source, target = gpuarray.to_gpu(np.array([513], "int64")), gpuarray.zeros(1, "float32")
    code.bytes(1, 1, source, target)
    assert target.get().view(np.uint8)[0] == 1


@pytest.mark.parametrize("grid, block, product", [(2, 3, 6), ((2, 3), (4, 5), 120), ((1, 2, 3), (2, 2, 2), 48), (1, 1024, 1024), (1, (2, 32, 16), 1024), (np.int64(2), (1,), 2)])
def test_grid_and_block(code, grid, block, product):
    out = gpuarray.zeros(1, "int32")
    code.shape(grid, block, out)
    assert out.get()[0] == product


def test_an_argument_in_the_place_of_the_block(code):
    with pinned.allocate(4) as memory, pytest.raises(errors.WrongArgument, match="takes the grid, the block, and then its own"):
        code.shape(1, memory)


@pytest.mark.parametrize("grid", [(), (1, 1, 1, 1), (1.0,), "1"])
def test_a_grid_is_one_to_three_whole_numbers(code, grid):
    with pytest.raises(errors.WrongArgument, match="is not one to three whole numbers"):
        code.shape(grid, 1, gpuarray.zeros(1, "int32"))


def test_a_kernel_can_have_as_much_dynamic_shared_memory_as_its_attribute_says_and_no_more(code):
    out, most = gpuarray.zeros(1, "int32"), code.dynamic.attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES")
    code.dynamic(1, 8, out, shared=most)
    for shared in (most + 1, -1):
        with pytest.raises(errors.WrongSize, match=f"{shared} bytes of dynamic shared memory: this kernel can have from 0 to {most}"):
            code.dynamic(1, 8, out, shared=shared)


def test_stream_and_shared_memory(code):
    out, stream = gpuarray.zeros(1, "int32"), cuda.Stream()
    code.dynamic(1, 8, out, stream=stream, shared=32)
    stream.synchronize()
    assert out.get()[0] == 1


def test_variables():
    with kernels.compile("__device__ int counter = 5; __global__ void count() { counter++; }") as code:
        address, size = code.variable("counter")
        code.count(1, 1)
        assert size == 4 and cuda.from_device(address, 1, "int32")[0] == 6


def test_extern_c_of_ones_own():
    source = """
    template <typename T> __device__ T twice(T x) { return x + x; }
    extern "C" __global__ void run(int *out) { *out = twice(*out); }"""
    out = gpuarray.to_gpu(np.array([21], "int32"))
    with kernels.compile(source) as code:
        code.run(1, 1, out)
        assert out.get()[0] == 42


def test_options():
    out = gpuarray.zeros(1, "int32")
    with kernels.compile("__global__ void f(int *out) { *out = N; }", ["-DN=12"]) as code:
        code.f(1, 1, out)
        assert out.get()[0] == 12


def test_a_compile_error_names_line_and_text():
    with pytest.raises(kernels.CompileError) as caught:
        kernels.compile("__global__ void f(int *p) {\n    *p = missing;\n}")
    assert 'kernel.cu:2' in str(caught.value) and 'identifier "missing" is undefined' in str(caught.value)
    assert "    *p = missing;" in str(caught.value)


def test_what_cannot_change_is_asked_once_and_not_at_each_launch(code, monkeypatch):
    asked = []
    attribute = cu.cuFuncGetAttribute
    monkeypatch.setattr(cu, "cuFuncGetAttribute", lambda *which: asked.append(which) or attribute(*which))
    out = gpuarray.zeros(1, np.int32)
    for _ in range(3):
        code.shape(2, 32, out)
    assert len(asked) <= 1
    code.dynamic(1, 1, out, shared=64)      # cuFuncSetAttribute can change how much of that there may be
    assert len(asked) <= 3


def test_compiled_code_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path))
    source = "__global__ void only_here() { }"
    kernels.compile(source).release()
    files = [file for file in tmp_path.iterdir() if file.is_file()]
    assert len(files) == 1
    before = files[0].stat().st_mtime_ns
    kernels.compile(source).release()
    assert [file for file in tmp_path.iterdir()] == files and files[0].stat().st_mtime_ns == before


def test_a_kernel_keeps_its_code():
    out = gpuarray.zeros(1, "float32")
    kernels.compile(SOURCE).scale(1, 1, out, 1, 1)
    cuda.Context.synchronize()


@pytest.mark.parametrize("text, name, dtype, pointee", [
    ("int n", "n", "int32", None), ("unsigned int n", "n", "uint32", None), ("const float * __restrict__ x", "x", None, "float32"),
    ("float x[]", "x", None, "float32"), ("int **rows", "rows", None, None), ("char const *text", "text", None, None),
    ("std::size_t n", "n", "uint64", None), ("long long int_like", "int_like", "int64", None), ("Node *head", "head", None, None),
    ("const volatile uint8_t *p", "p", None, None), ("uint16_t n", "n", "uint16", None), ("struct P p", "p", None, None),
    ("unsigned long long *a", "a", None, "uint64"), ("int8_t n", "n", "int8", None), ("uint8_t n", "n", "uint8", None), ("int16_t n", "n", "int16", None),
    ("int32_t n", "n", "int32", None), ("uint32_t *p", "p", None, "uint32"), ("int64_t n", "n", "int64", None), ("uint64_t n", "n", "uint64", None),
])
def test_reading_declarations(text, name, dtype, pointee):
    [[parameter]] = signature.declared(f"__global__ void f({text}) {{ }}").values()
    assert parameter.name == name and parameter.text == text
    assert parameter.dtype == (dtype and np.dtype(dtype)) and parameter.pointee == (pointee and np.dtype(pointee))
    assert parameter.is_pointer == ("*" in text or "[" in text)


def test_declarations_among_other_text():
    source = """
    // __global__ void in_a_comment(int a) { }
    /* __global__ void in_another(int a) { } */
    __global__ void __launch_bounds__(256) bounded(int a /* the first, */, float b);
    __device__ void no_kernel(int a) { }
    __global__
    void over_lines(
        int a,   // one, two
        int b) { }
    __global__ void nothing() { }
    __global__ void also_nothing(void) { }"""
    kernels_ = signature.declared(source)
    assert {name: [parameter.name for parameter in parameters] for name, parameters in kernels_.items()} == {
        "bounded": ["a", "b"], "over_lines": ["a", "b"], "nothing": [], "also_nothing": []}


def test_a_kernel_tells_its_attributes_and_refuses_others_by_name():
    with kernels.compile("__global__ void f(int *x) { __shared__ int s[25]; s[threadIdx.x] = 1; __syncthreads(); x[0] = s[3]; }") as code:
        assert code.f.attribute("SHARED_SIZE_BYTES") == 100
        assert code.f.attribute("LOCAL_SIZE_BYTES") == 0
        with pytest.raises(errors.WrongArgument, match="no attribute 'SHARED'. There are: MAX_THREADS_PER_BLOCK, SHARED_SIZE_BYTES, "):
            code.f.attribute("SHARED")


PARAMETERS = """
struct Pair { int first; double second; };
struct Small { char a, b, c; };
typedef unsigned long long word;
#define COUNT unsigned short count
template <typename T> struct Holds { T value[3]; };
extern "C" __global__ void nothing() { }
extern "C" __global__ void mixed(char a, Pair p, bool b, Small s, const float *__restrict__ x, word w, float4 q, COUNT,
                                 Holds<short> h, double d, int (*rows)[3], char last) { }
"""


@pytest.mark.parametrize("name, count", [("nothing", 0), ("mixed", 12)])
def test_from_a_driver_that_does_not_tell_sizes_parameters_are_placed_as_from_one_that_does(context, monkeypatch, name, count):
    parameters = getattr(kernels.compile(PARAMETERS), name).parameters
    assert len(parameters) == count
    monkeypatch.setattr(layout, "driver_tells", lambda: False)
    monkeypatch.setattr(layout, "by_driver", None)
    assert getattr(kernels.compile(PARAMETERS), name).parameters == parameters


# C++ ---------------------------------------------------------------------------------------------------------------------

CPLUSPLUS = """#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
// a __global__ in a comment is no kernel
template <typename T> __device__ T twice(T x) { return x + x; }
template <typename T> __global__ void never(T *x) { *x = 1; }
extern "C" __global__ void named(int *x) { x[1] = 1; }
__global__ void __launch_bounds__(64) count(int *x) {
    cg::this_thread_block().sync();
    cuda::atomic_ref<int, cuda::thread_scope_device>(*x).fetch_add(twice(2));
}"""


def test_headers_of_cplusplus_and_templates_are_compiled_as_they_are():
    code = kernels.compile(CPLUSPLUS)
    with pinned.allocate(2, np.int32) as memory:
        memory.array[:] = 0
        code.count(1, 32, memory)
        code.named(1, 1, memory)
        cuda.Context.synchronize()
        assert memory.array.tolist() == [128, 1]


@pytest.mark.skipif(not driver.attached.simulated, reason="what a GPU's driver writes of it was not asked")
def test_code_that_cannot_be_loaded_is_told_in_the_drivers_words():
    with pytest.raises(kernels.CompileError) as error:
        kernels.compile("extern __device__ int missing(int); __global__ void f(int *x) { *x = missing(1); }", ["-rdc=true"])
    answer, words = str(error.value).split("\n")[:2]
    assert answer.startswith("cuModuleLoadDataEx answers CUDA_ERROR_INVALID_PTX (218)") and "missing" in words and "\0" not in str(error.value)


@pytest.mark.parametrize("source, kernels_of_it", [("__device__ int x;", "none"), ("__global__ void f() { } __global__ void g() { }", "f, g")])
def test_a_kernel_that_the_source_lacks_is_answered_with_those_that_it_has(source, kernels_of_it):
    with pytest.raises(AttributeError, match=f"the source has no kernel other: it has {kernels_of_it}. A kernel"):
        kernels.compile(source).other  # noqa: B018


def test_what_displays_objects_finds_no_kernel_of_its_own_name_in_released_code():
    released = kernels.compile("__global__ void f() { }")
    released.release()
    assert getattr(released, "_repr_html_", None) is None


def test_a_kernel_whose_declaration_is_a_macro_takes_its_arguments_by_size():
    with kernels.compile('#define KERNEL extern "C" __global__ void\nKERNEL put(int *out, int number) { *out = number; }') as code:
        out = gpuarray.zeros(1, "int32")
        code.put(1, 1, int(out.gpudata), np.int32(7))
        assert out.get()[0] == 7 and repr(code.put) == "<kernel put(8 bytes, 4 bytes)>"


def test_a_template_has_no_name_to_be_found_by():
    with pytest.raises(AttributeError, match="A kernel that is a template has no name"):
        kernels.compile(CPLUSPLUS).never  # noqa: B018


def test_a_mistake_in_a_kernel_s_first_line_is_shown_at_its_place():
    with pytest.raises(kernels.CompileError) as error:
        kernels.compile("__global__ void k(int *x, nope y) { x[0] = 1; }")
    first, line, caret = str(error.value).split("\n")[:3]
    assert line.strip().startswith("__global__ void k(") and line[caret.index("^"):].startswith("nope")
    assert f":1:{line.strip().index('nope') + 1}:" in first


def test_of_many_messages_the_first_are_shown():
    with pytest.raises(kernels.CompileError) as error:
        kernels.compile("__global__ void k() {\n" + "".join(f"    a{number} = 1;\n" for number in range(40)) + "}")
    lines = str(error.value).splitlines()
    assert len(lines) == 21 and lines[-1].endswith("more lines)") and '"a0" is undefined' in lines[0]


@pytest.mark.parametrize("room, last", [(0, ""), (-1, "\n(1 more lines)")])
def test_what_is_left_out_of_the_messages_is_counted(monkeypatch, room, last):
    def messages():
        with pytest.raises(kernels.CompileError) as error:
            kernels.compile("__global__ void k() { a = 1; }")
        return str(error.value)
    lines = messages().splitlines()
    monkeypatch.setattr(kernels, "MOST_LINES", len(lines) + room)
    assert messages() == "\n".join(lines[:len(lines) + room]) + last
