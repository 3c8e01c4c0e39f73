"""SourceModule's compiler without nvcc: what it returns, says, and keeps."""
import os
import re
import resource

import cuda_simulator
from cuda_without_toolkit import nvrtc, pycuda_without_nvcc

import pytest

cuda_simulator.attach()     # for PyCUDA to be imported

KERNEL = 'extern "C" {\n__global__ void set(int *p) { *p = VALUE; }\n}\n'


@pytest.fixture(autouse=True)
def simulated(monkeypatch):
    monkeypatch.setattr(pycuda_without_nvcc, "_ptx_only", True)
    monkeypatch.setattr(pycuda_without_nvcc, "_compute_capability", (9, 0))


@pytest.fixture
def real(simulated, monkeypatch):
    monkeypatch.setattr(pycuda_without_nvcc, "_ptx_only", False)
    monkeypatch.setattr(pycuda_without_nvcc, "_compute_capability", (8, 6))


@pytest.fixture
def compile_error():
    from pycuda.driver import CompileError
    return CompileError


def compile_plain(source, *options, cache_dir=None, keep=False, target="cubin", nvcc="no-such-nvcc"):
    return pycuda_without_nvcc.compile_plain(source, list(options), keep, nvcc, cache_dir, target)


def body(code, *options):
    """The PTX of a kernel with this body."""
    return compile_plain(f'extern "C" {{\n__global__ void f(float *p, int *q) {{ {code} }}\n}}\n', *options).decode()


# What comes out ------------------------------------------------------------------------------------------------------

def test_the_simulated_driver_gets_ptx_of_the_device_with_line_information():
    ptx = compile_plain(KERNEL, "-DVALUE=3", "-arch", "sm_90").decode()
    assert ".target sm_90" in ptx and ".visible .entry set(" in ptx
    assert re.search(r"\.loc\s+1 1 ", ptx)      # file 1, line 1 of what the learner wrote
    assert not ptx.endswith("\0")


def test_the_ptx_of_a_newer_nvrtc_is_made_the_drivers_where_it_stands_for_machine_code(monkeypatch):
    monkeypatch.setattr(pycuda_without_nvcc, "_readable", lambda ptx: b"the driver's")
    assert compile_plain(KERNEL, "-DVALUE=3") == b"the driver's"
    assert compile_plain(KERNEL, "-DVALUE=3", target="ptx").startswith(b"//")


@pytest.mark.parametrize("arch", ["sm_75", "compute_80", "sm_89"])
def test_an_older_architecture_can_be_asked_for(arch):
    assert f".target sm_{arch[-2:]}" in compile_plain(KERNEL, "-DVALUE=3", "-arch", arch).decode()


@pytest.mark.parametrize("arch", ["sm_100", "sm_70", "sm_90a", "nonsense"])
def test_an_architecture_that_the_simulated_driver_does_not_run_is_named(arch, compile_error):
    with pytest.raises(compile_error, match=arch):
        compile_plain(KERNEL, "-DVALUE=3", "-arch", arch)


def test_a_real_driver_without_nvcc_gets_a_cubin_of_its_own_device(real):
    assert compile_plain(KERNEL, "-DVALUE=3")[:4] == b"\x7fELF"
    assert b".target sm_86" in compile_plain(KERNEL, "-DVALUE=3", target="ptx")


def test_a_device_that_is_newer_than_nvrtc_gets_ptx_for_its_driver_to_compile(real, monkeypatch):
    newest = max(nvrtc.architectures())
    monkeypatch.setattr(pycuda_without_nvcc, "_compute_capability", (99, 0))
    assert f".target sm_{newest}\n".encode() in compile_plain(KERNEL, "-DVALUE=3")
    monkeypatch.setattr(nvrtc, "architectures", lambda: [75, 80, 87, 89, 90])
    assert b".target sm_87\n" in compile_plain(KERNEL, "-DVALUE=3", "-arch", "sm_88")
    assert compile_plain(KERNEL, "-DVALUE=3", "-arch", "sm_89")[:4] == b"\x7fELF"


def test_a_device_that_is_older_than_nvrtc_compiles_for_is_named(real, monkeypatch, compile_error):
    monkeypatch.setattr(pycuda_without_nvcc, "_compute_capability", (3, 5))
    with pytest.raises(compile_error):
        compile_plain(KERNEL, "-DVALUE=3")


def test_a_real_driver_with_nvcc_is_left_to_pycuda(real, tmp_path):
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("")
    nvcc.chmod(0o755)
    answer = pycuda_without_nvcc.compile_plain("source", ["-o"], True, str(nvcc), "cache", "ptx",
                                           with_nvcc=lambda *arguments: arguments)
    assert answer == ("source", ["-o"], True, str(nvcc), "cache", "ptx")


def test_a_fat_binary_is_refused(compile_error):
    with pytest.raises(compile_error, match="fat binaries"):
        compile_plain(KERNEL, target="fatbin")


def test_pycudas_own_function_is_replaced_once_pycuda_is_imported(in_new_process):
    result = in_new_process("""
import cuda_simulator, sys
cuda_simulator.attach()
assert "pycuda" not in sys.modules
import pycuda.compiler
import cuda_without_toolkit
cuda_without_toolkit.install(cuda_simulator.STAND_IN, (9, 0), ptx_only=True)    # once more does nothing
replaced = pycuda.compiler.compile_plain
print(replaced.__name__, replaced.with_nvcc.__module__, hasattr(replaced.with_nvcc, "with_nvcc"))
""")
    assert result.stdout.split() == ["compile_plain", "pycuda.compiler", "False"], result.stderr


def test_source_module_runs_without_nvcc(in_new_process, tmp_path):
    result = in_new_process("""
import cuda_simulator, numpy as np
cuda_simulator.attach()
import pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
module = SourceModule("__global__ void add(int *p, int by) { p[threadIdx.x] += by; }")
numbers = np.arange(40, dtype=np.int32)
module.get_function("add")(cuda.InOut(numbers), np.int32(7), block=(40, 1, 1), grid=(1, 1))
print((numbers == np.arange(40) + 7).all())
""", PATH="/nonexistent", XDG_CACHE_HOME=str(tmp_path))
    assert result.stdout.strip() == "True", result.stderr


# Messages ------------------------------------------------------------------------------------------------------------

def test_an_error_names_line_column_and_source_line_of_what_the_learner_wrote(compile_error):
    source = "\n__global__ void f(int *p)\n{\n    *p = x + 1;\n}\n"
    with pytest.raises(compile_error) as caught:
        compile_plain(f'extern "C" {{\n{source}\n}}\n')
    assert caught.value.stderr == ('kernel.cu:4:10: error: identifier "x" is undefined\n'
                                   "      *p = x + 1;\n"
                                   "           ^")
    assert 'identifier "x" is undefined' in str(caught.value)


def test_every_error_is_there_and_no_warning_among_them(compile_error):
    with pytest.raises(compile_error) as caught:
        body("int unused; *q = x; *q = y;")
    assert [message.group() for message in re.finditer(r'identifier ".*"', caught.value.stderr)] == [
        'identifier "x"', 'identifier "y"']
    assert "unused" not in caught.value.stderr.replace("int unused;", "")


def test_a_missing_header_is_named(compile_error):
    with pytest.raises(compile_error, match='cannot open source file "no_such.h"'):
        compile_plain('#include "no_such.h"\n')


def test_a_value_that_nvrtc_does_not_take_is_named(compile_error):
    with pytest.raises(compile_error, match="invalid value for --std"):
        compile_plain(KERNEL, "-DVALUE=3", "-std=c++99")


def test_an_option_that_nobody_knows_is_named(compile_error):
    with pytest.raises(compile_error, match="--funny") as caught:
        compile_plain(KERNEL, "-DVALUE=3", "--funny")
    assert caught.value.stderr == ""        # programs look into it: it is text, also where no compiler said anything


def test_a_warning_is_a_warning_of_python():
    with pytest.warns(UserWarning, match='kernel.cu:1:.*"unused" was declared but never referenced'):
        body("int unused;")


# Headers -------------------------------------------------------------------------------------------------------------

HEADERS = sorted(name for name in os.listdir(nvrtc.DEVICE_HEADERS) if name != "README.md")


@pytest.mark.parametrize("header", [*HEADERS, "cuda_fp16.h", "cooperative_groups.h", "cuda/atomic", "cuda/std/cstdint",
                                    "cuda/std/limits", "cuda_runtime.h", "cuComplex.h", "math_constants.h"])
def test_a_header_compiles_without_a_warning(header, recwarn):
    compile_plain(f'#include <{header}>\nextern "C" __global__ void f(int *p) {{ *p = 1; }}\n')
    assert not recwarn.list


def test_our_headers_and_libcu_may_be_included_together(recwarn):
    ours = "".join(f"#include <{header}>\n" for header in HEADERS)
    libcu = "".join(f"#include <cuda/std/{header}>\n" for header in ("cstdint", "climits", "cfloat", "cmath", "limits"))
    for includes in ours + libcu, libcu + ours:
        compile_plain(includes + 'extern "C" __global__ void f(uint64_t *p) { *p = UINT64_MAX; }\n')
    assert not recwarn.list


@pytest.mark.parametrize("header", ["pycuda-complex.hpp", "pycuda-helpers.hpp"])
def test_pycudas_own_headers_compile(header, recwarn):
    import pycuda.compiler
    compile_plain(f'#include <{header}>\nextern "C" __global__ void f(pycuda::complex<float> *p) {{ p[0] = p[1] * p[2]; }}\n',
                  "-I" + pycuda.compiler._find_pycuda_include_path())
    assert not recwarn.list


def test_names_that_nvcc_gives_unasked_are_there_and_have_their_values():
    ptx = body("q[0] = INT_MAX; q[1] = CHAR_BIT; p[0] = INFINITY; p[1] = NAN; uint u = 7; q[2] = u; int64_t wide = 1; q[3] = wide;")
    assert {"2147483647", str(0x7f800000), str(0x7fc00000)} <= set(re.findall(r"\d+", ptx))


def test_a_kernel_has_integers_of_128_bits_as_with_nvcc():
    assert "mul.hi.s64" in body("q[0] = (__int128)*(long long *)p * *(long long *)q >> 70;")


CONSTEXPR = "constexpr int tiles(int n, int m) { return (n + m - 1) / m; }\n"


def calling(function, call, *options):
    """The PTX of a kernel that calls a function of the host."""
    return compile_plain(f'extern "C" {{\n{function}__global__ void f(int *p) {{ *p = {call}; }}\n}}\n', *options).decode()


def test_with_nvccs_option_a_kernel_may_call_constexpr_functions_of_the_host(compile_error):
    assert re.search(r"\b13;", calling(CONSTEXPR, "tiles(100, 8)", "--expt-relaxed-constexpr"))
    with pytest.raises(compile_error, match="considered a host function"):
        calling(CONSTEXPR, "tiles(100, 8)")


@pytest.mark.parametrize("options", [[], ["--expt-relaxed-constexpr"]])
def test_a_kernel_that_calls_a_function_without_device_does_not_compile(options, compile_error):
    """Which nvcc refuses as well."""
    with pytest.raises(compile_error, match="considered a host function"):
        calling(CONSTEXPR + "int twice(int x) { return 2 * x; }\n", "twice(*p)", *options)


def test_what_nvrtc_calls_a_host_function_may_be_taken_for_one_of_the_device_as_its_message_says():
    assert "st.global" in calling("int twice(int x) { return 2 * x; }\n", "twice(*p)", "-default-device")


@pytest.mark.parametrize("x, y", [("float", "double"), ("double", "float"), ("int", "int"), ("double", "long long"),
                                  ("unsigned", "float"), ("char", "double")])
def test_pow_takes_numbers_of_two_types_and_its_result_is_a_double_as_with_nvcc(x, y, recwarn):
    compile_plain(f"__device__ void same(double *, double *) {{}}\n__global__ void f({x} *x, {y} *y, double *z) {{\n"
                  "    auto power = pow(*x, *y);\n    same(&power, z);\n    *z = power;\n}\n")
    assert not recwarn.list


def test_a_module_has_the_variables_of_its_source_and_no_other():
    ptx = compile_plain('extern "C" { __device__ int mine; __global__ void f(double *p) { *p = pow(*p, mine++); } }\n').decode()
    assert re.findall(r"^(?:\.visible )?\.global .* (\w+)(?: =.*)?;$", ptx, re.M) == ["mine"]


@pytest.mark.parametrize("x, y", [("float", "float"), ("float", "int")])
def test_pow_of_floats_stays_a_float(x, y):
    compile_plain(f"__device__ void same(float *) {{}}\n__global__ void f({x} *x, {y} *y) {{\n"
                  "    auto power = pow(*x, *y);\n    same(&power);\n}\n")


@pytest.mark.parametrize("name, value", [("INT8_MIN", -128), ("UINT16_MAX", 65535), ("INT32_MIN", -2**31), ("INT64_MAX", 2**63 - 1),
                                         ("SHRT_MIN", -2**15), ("LONG_MIN", -2**63), ("ULLONG_MAX", 2**64 - 1), ("SIZE_MAX", 2**64 - 1)])
def test_a_constant_of_the_headers_is_what_c_says(name, value):
    compile_plain("#include <stdint.h>\n#include <limits.h>\n"
                  f"static_assert({name} {'<' if value < 0 else '>'} 0 && "
                  f"(unsigned long long){name} == {value % 2**64}ULL, \"\");\n")


# The cache -----------------------------------------------------------------------------------------------------------

@pytest.fixture
def compilations(monkeypatch):
    """A list that grows by one for each compilation that really happens."""
    compilations_, compile_source = [], nvrtc.compile_source
    monkeypatch.setattr(nvrtc, "compile_source", lambda *arguments: compilations_.append(1) or compile_source(*arguments))
    return compilations_


def test_a_kernel_is_compiled_once(tmp_path, compilations):
    first = compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path))
    assert compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path)) == first
    assert len(compilations) == 1


def test_other_options_are_another_kernel(tmp_path):
    assert compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path)) != compile_plain(KERNEL, "-DVALUE=4", cache_dir=str(tmp_path))


def test_a_changed_header_is_another_kernel(tmp_path, compilations):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "outer.h").write_text('#include "inner.h"\n')
    outputs = set()
    for value in (3, 4, 3):
        (tmp_path / "deep" / "inner.h").write_text(f"#define VALUE {value}\n")
        outputs.add(compile_plain('#include "deep/outer.h"\n' + KERNEL, f"-I{tmp_path}", cache_dir=str(tmp_path)))
    assert len(outputs) == 2 and len(compilations) == 2


def test_headers_whose_search_takes_too_long_are_headers_that_are_not_there(monkeypatch):
    def late(name):
        raise ChildProcessError("Canary probe child process timed out after 10.0 seconds.")
    monkeypatch.setattr("cuda.pathfinder.find_nvidia_header_directory", late)
    assert nvrtc.cuda_include_dirs.__wrapped__() == ()


def test_without_a_cache_nothing_is_kept(tmp_path, compilations, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        compile_plain(KERNEL, "-DVALUE=3", cache_dir=False)
    assert len(compilations) == 2 and not list(tmp_path.iterdir())


def test_what_does_not_compile_is_not_kept(tmp_path, compile_error):
    with pytest.raises(compile_error):
        compile_plain(KERNEL, cache_dir=str(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-1], lambda content: content[:100],
                                    lambda content: bytes(len(content)), lambda content: content.replace(b"ret;", b"bra;")])
def test_a_damaged_file_of_the_cache_is_compiled_again(tmp_path, compilations, damage):
    first = compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path))
    cached, = tmp_path.iterdir()
    cached.write_bytes(damage(cached.read_bytes()))
    for _ in range(2):
        assert compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path)) == first
    assert len(compilations) == 2


@pytest.mark.parametrize("put", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_in_the_cache_is_not_read(tmp_path, put):
    compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path))
    cached, = tmp_path.iterdir()
    cached.unlink()
    put(cached)
    assert b"set(" in compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path))
    assert cached.is_file() and not cached.is_symlink()


@pytest.fixture
def full_disk():
    """No file can have a byte, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_cache_that_cannot_be_written_fails_no_kernel_and_leaves_no_file(tmp_path, full_disk):
    with pytest.warns(match=f"cannot be kept in {tmp_path} "):
        assert b"set(" in compile_plain(KERNEL, "-DVALUE=3", cache_dir=str(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("home, named", [("/proc/no/such", "/proc/no/such/pycuda/"), ("/dev/null", "/dev/null/pycuda/"),
                                         (None, "the user's cache folder")])
def test_a_home_where_nothing_can_be_made_fails_no_kernel(in_new_process, home, named):
    result = in_new_process("""
import os, cuda_simulator
os.getuid = lambda: 2**31 - 7       # whom nobody knows
cuda_simulator.attach()
import pycuda.autoinit
from pycuda.compiler import SourceModule
for by in 1, 2:
    SourceModule(f"__global__ void add(int *p) {{ *p += {by}; }}").get_function("add")
print("compiled")
""", XDG_CACHE_HOME=home, HOME=home)
    assert result.stdout.strip() == "compiled", result.stderr
    assert result.stderr.count(f"Compiled kernels cannot be kept in {named}") == 1


def test_keep_leaves_source_and_output_in_a_folder_that_it_names(capsys):
    output = compile_plain(KERNEL, "-DVALUE=3", keep=True)
    folder = capsys.readouterr().out.strip().removeprefix("*** compiler output in ")
    assert sorted(os.listdir(folder)) == ["kernel.cu", "kernel.ptx"]
    with open(os.path.join(folder, "kernel.ptx"), "rb") as file:
        assert file.read() == output
