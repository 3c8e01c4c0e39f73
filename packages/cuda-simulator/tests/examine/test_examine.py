"""Examining: how it is asked for, what it says, and that it changes nothing else."""
import os
import subprocess
import sys
import textwrap

from cuda_simulator.examination.names import kernel_name
from cuda_simulator.examination.numba_arguments import argument_names

import pytest

from ..simulator.programs import output, run

REVERSE = '''
module = SourceModule("""
__global__ void reverse(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    BARRIER
    p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void add(int *p) { p[threadIdx.x] += 1; }
""".replace("BARRIER", barrier))
p = cuda.to_device(np.arange(64, dtype=np.int32))
def launch(name="reverse"):
    module.get_function(name)(p, block=(64, 1, 1))
    cuda.Context.synchronize()
    return cuda.from_device(p, 64, np.int32)
'''
WITHOUT, WITH = 'barrier = ""\n' + REVERSE, 'barrier = "__syncthreads();"\n' + REVERSE


def program(start, code):
    return textwrap.dedent(start) + textwrap.dedent(code)


def test_a_race_is_said_with_both_threads_their_lines_and_the_variable():
    assert output(program(WITHOUT, """
        import cuda_simulator
        with cuda_simulator.examine() as seen:
            launch()
        finding, = seen.findings
        a, b = (thread for block, thread in finding.threads)
        print(finding.kind, finding.kernel, finding.variable, finding.space, a[0] + b[0], sorted(line for _, line in finding.lines))
        print(finding.message)
        print(finding.remedy)
        print(seen.sources["reverse"].splitlines()[finding.lines[0][1] - 1].strip())
    """)) == textwrap.dedent("""\
        race reverse s shared 63 [5, 7]
        thread (63,0,0) reads s[0] at line 7, and thread (0,0,0) writes it at line 5: no __syncthreads() between them
        Put __syncthreads() between the two, at a point that all threads of the block reach.
        p[threadIdx.x] = s[63 - threadIdx.x];
    """)


def test_to_ask_a_report_for_its_findings_changes_none_of_them():
    assert output(program(WITHOUT.replace("s[threadIdx.x] = p[threadIdx.x]", "s[0] = 7"), """
        import cuda_simulator
        from cuda_simulator.examination.session import Session
        add = Session.add
        def asked_before(session, examiner, *rest):
            before = list(map(str, examiner.report.findings()))
            print(before == list(map(str, examiner.report.findings())), "same value" in before[0])
            examiner.report.findings()[0].count += 1
            assert before == list(map(str, examiner.report.findings()))
            add(session, examiner, *rest)
        Session.add = asked_before
        with cuda_simulator.examine() as seen:
            launch()
        print("same value, though" in seen.findings[0].message)
    """)) == "True True\nFalse\n"


def test_what_is_not_examined_is_not_looked_at():
    assert output(program(WITHOUT, """
        import cuda_simulator
        with cuda_simulator.examine() as seen:
            launch("add")
        launch()
        print(seen.findings, seen.launches)
    """)) == "[] 1\n"


def test_a_race_shows_in_the_result_and_the_same_seed_shows_the_same():
    assert output(program(WITHOUT, """
        import cuda_simulator
        def examined(seed):
            cuda.memcpy_htod(p, np.arange(64, dtype=np.int32))
            with cuda_simulator.examine(seed):
                return launch().tolist()
        cuda.memcpy_htod(p, np.arange(64, dtype=np.int32))
        right = launch().tolist() == list(range(63, -1, -1))
        print(right, examined(1) != list(range(63, -1, -1)), examined(1) == examined(1), examined(2) == examined(2))
    """)) == "True True True True\n"


def test_a_kernel_without_mistakes_computes_the_same():
    assert output(program(WITH, """
        import cuda_simulator
        with cuda_simulator.examine() as seen:
            print(launch().tolist() == list(range(63, -1, -1)), seen.findings)
    """)) == "True []\n"


def test_a_process_is_examined_by_an_environment_variable_with_one_line_for_each_mistake():
    result = run(program(WITHOUT, "launch(); launch()"), CUDA_SIMULATOR_EXAMINE="1")
    line, = result.stderr.splitlines()
    assert result.returncode == 0 and line.startswith("finding: race: kernel reverse: thread (")
    assert run(program(WITHOUT, "launch()"), CUDA_SIMULATOR_EXAMINE="0").stderr == ""


def test_cuda_bindings_are_examined_too():
    code = """
        import cuda_simulator
        cuda_simulator.attach()
        from cuda.bindings import driver, nvrtc
        import numpy as np
        source = b'''extern "C" __global__ void sum(int *p, int *q) { atomicAdd(q, p[threadIdx.x]); }'''
        _, program = nvrtc.nvrtcCreateProgram(source, b"sum.cu", 0, [], [])
        nvrtc.nvrtcCompileProgram(program, 2, [b"--gpu-architecture=compute_90", b"--generate-line-info"])
        _, size = nvrtc.nvrtcGetPTXSize(program)
        ptx = b" " * size
        nvrtc.nvrtcGetPTX(program, ptx)
        driver.cuInit(0)
        driver.cuDevicePrimaryCtxRetain(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
        _, module = driver.cuModuleLoadData(ptx)
        _, kernel = driver.cuModuleGetFunction(module, b"sum")
        (_, p), (_, q) = driver.cuMemAlloc(128), driver.cuMemAlloc(4)
        driver.cuMemsetD32(p, 1, 32)
        values = [np.array(int(one), np.uint64) for one in (p, q)]
        packed = np.array([one.ctypes.data for one in values], np.uint64)
        driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, packed.ctypes.data, 0)
        driver.cuCtxSynchronize()
    """
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                            env={**os.environ, "CUDA_SIMULATOR_EXAMINE": "1"})
    assert result.returncode == 0
    line, = result.stderr.splitlines()
    assert line.startswith("finding: uninitialised: kernel sum: thread (0,0,0) reads element 0 of what parameter 1 points to at "
                           "line 1, which nobody has written")


def test_what_the_host_or_an_earlier_kernel_wrote_is_there_and_freed_memory_is_blank_again():
    assert output("""
        import cuda_simulator
        module = SourceModule("__global__ void copy(int *to, int *from) { to[threadIdx.x] = from[threadIdx.x]; }")
        def copy(to, from_):
            module.get_function("copy")(to, from_, block=(32, 1, 1))
            cuda.Context.synchronize()
        with cuda_simulator.examine() as seen:
            a, b, c = (cuda.mem_alloc(128) for _ in range(3))
            cuda.memset_d8(a, 0, 128)
            copy(b, a)
            copy(c, b)
            print(len(seen.findings))
            c.free()
            c = cuda.mem_alloc(128)
            copy(b, c)
            print([one.kind for one in seen.findings], seen.findings[0].variable)
        other, target = cuda.mem_alloc(128), cuda.mem_alloc(128)
        copy(other, a)          # not examined: nobody knows what it wrote
        with cuda_simulator.examine() as seen:
            copy(target, other)
        print(len(seen.findings))
    """) == "0\n['uninitialised'] from\n0\n"


def test_the_last_block_of_a_large_grid_races_with_the_first():
    """76,800 threads: more than are interpreted at once."""
    assert output("""
        import cuda_simulator
        module = SourceModule('''
            __global__ void ends(int *p, int *q) {
                if (threadIdx.x == 255 && blockIdx.x == 0) p[q[0]] = 7;
                if (threadIdx.x == 33 && blockIdx.x == gridDim.x - 1) q[1] = p[q[0]];
            }''')
        p, q = cuda.to_device(np.zeros(1, np.int32)), cuda.to_device(np.zeros(2, np.int32))
        with cuda_simulator.examine() as seen:
            module.get_function("ends")(p, q, grid=(300, 1), block=(256, 1, 1))
            cuda.Context.synchronize()
        print([(finding.kind, finding.variable, sorted(finding.threads), finding.count) for finding in seen.findings])
    """) == "[('race', 'p', [((0, 0, 0), (255, 0, 0)), ((299, 0, 0), (33, 0, 0))], 1)]\n"


def test_of_more_than_a_hundred_findings_of_a_launch_the_others_are_counted():
    assert output("""
        import cuda_simulator
        lines = "\\n".join(f"p[{number}] = threadIdx.x;" for number in range(103))
        module = SourceModule("__global__ void k(int *p) { " + lines + " }")
        with cuda_simulator.examine() as seen:
            module.get_function("k")(cuda.to_device(np.zeros(103, np.int32)), block=(2, 1, 1))
            cuda.Context.synchronize()
        print(len(seen.findings), seen.left_out)
    """) == "100 3\n"


def test_findings_do_not_become_a_flood():
    result = run("""
        module = SourceModule("__global__ void all(int *p) { p[0] = threadIdx.x; }")
        p = cuda.to_device(np.zeros(1, np.int32))
        for i in range(50):
            module.get_function("all")(p, grid=(100, 1), block=(64, 1, 1))
        cuda.Context.synchronize()
    """, CUDA_SIMULATOR_EXAMINE="1")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("who, waits, said", [
    ("threadIdx.x < 32", 'asm volatile("bar.sync 1, 64;" ::: "memory")', ["waits at barrier", "line 3", "line 5"]),
    ("threadIdx.x == 0", "__syncwarp(3)", ["waits at bar.warp.sync at line 3 for threads of its warp that its mask names and that never come"])])
def test_a_barrier_that_never_completes_says_who_waits_where(who, waits, said):
    result = run(f"""
        module = SourceModule('''__global__ void stuck(int *p) {{
            if ({who})
                {waits};
            else
                asm volatile("bar.sync 2, 64;" ::: "memory");
            *p = 1;
        }}''')
        p = cuda.mem_alloc(4)
        module.get_function("stuck")(p, block=(64, 1, 1))
        try:
            cuda.Context.synchronize()
        except cuda.Error:
            print("the launch has failed")
        os._exit(0)
    """, CUDA_SIMULATOR_EXAMINE="1")
    line, = (row for row in result.stderr.splitlines() if row.startswith("finding: "))
    assert line.startswith("finding: barrier: kernel stuck: thread (")
    assert all(words in line for words in said), line


def test_random_kernels_of_defined_behaviour_are_not_accused_and_compute_the_same():
    """They meet in every way that warps and blocks can; no order of warps and blocks changes what they compute."""
    assert output("""
        from tests.ptx.random_kernels.running import BLOCKS, THREADS, arguments, digest
        from tests.ptx.random_kernels.writer import text
        import contextlib, cuda_simulator, warnings
        warnings.simplefilter("ignore")
        for number in range(0, 1000, 125):
            kernel = SourceModule(text(number), no_extern_c=True).get_function("k")
            digests = set()
            for seed in (None, 1, 2):
                arrays = arguments()
                places = [cuda.to_device(one) for one in arrays]
                with cuda_simulator.examine(seed) if seed else contextlib.nullcontext() as seen:
                    kernel(*places, grid=(BLOCKS, 1), block=(THREADS, 1, 1))
                    cuda.Context.synchronize()
                digests.add(digest([cuda.from_device(place, one.shape, one.dtype) for place, one in zip(places, arrays)]))
                if seen is not None and seen.findings:
                    print(number, *seen.findings)
            if len(digests) > 1:
                print(number, "differs")
    """) == ""


def test_a_kernel_that_follows_freed_memory_is_a_finding_and_its_result_the_hardwares():
    assert output(program(WITH, """
        import cuda_simulator
        freed, at = p, int(cuda.to_device(np.arange(64, dtype=np.int32)))    # freed at once: nobody keeps it
        with cuda_simulator.examine() as seen:
            module.get_function("add")(np.intp(at), block=(32, 1, 1))
            cuda.Context.synchronize()
        for finding in seen.findings:
            print(finding.kind, finding.lines[0][1], finding.count, finding.message)
        stranger = cuda.mem_alloc(256)
        print(int(stranger) == at, cuda.from_device(stranger, 3, np.int32))
    """)) == textwrap.dedent("""\
        freed 9 64 thread (0,0,0) reads p[0] at line 9: 0 bytes into the 256-byte allocation made by cuMemAlloc (device memory), which was freed
        True [1 2 3]
    """)


TALK = """
module = SourceModule('''
struct Box { volatile unsigned posted, letter, answer, answered; };
__global__ void squares(Box *box, int letters) {
    for (int turn = 1; turn <= letters; turn++) {
        while (box->posted != turn) ;
        box->answer = box->letter * box->letter;
        FENCE
        box->answered = turn;
    }
}'''.replace("FENCE", fence))
words = cuda.pagelocked_zeros(4, np.uint32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
import cuda_simulator
with cuda_simulator.examine() as seen:
    module.get_function("squares")(np.intp(words.base.get_device_pointer()), np.int32(4), block=(1, 1, 1))
    for turn, letter in enumerate((7, 9, 11), 1):
        words[1], words[0] = letter, turn
        while words[3] != turn:
            time.sleep(0)
        print(words[2], end=" ")
    words[1], words[0] = 13, 4      # the kernel ends with this one
    cuda.Context.synchronize()
print(words[2], seen.findings)
"""


def test_a_host_that_talks_to_a_running_kernel_reads_what_a_fence_put_in_order():
    assert output('fence = "__threadfence_system();"\n' + TALK) == "49 81 121 169 []\n"


def test_without_the_fence_the_count_may_come_before_the_answer_that_it_announces():
    for fence in "", "__threadfence();":      # the device's own fence does not speak of the host
        # On a busy machine the host may look so late that all has come.
        assert any(output(f'fence = "{fence}"\n' + TALK) == "0 49 81 169 []\n" for attempt in range(5))


def test_a_single_word_is_seen_by_the_host_after_a_moment_at_the_latest():
    assert output('''
        module = SourceModule("""__global__ void answer(volatile int *mail) {
            while (mail[0] == 0) ;
            mail[1] = 6 * mail[0];
            while (mail[2] == 0) ;
        }""")
        mail = cuda.pagelocked_zeros(3, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
        import cuda_simulator
        with cuda_simulator.examine():
            module.get_function("answer")(np.intp(mail.base.get_device_pointer()), block=(1, 1, 1))
            mail[0] = 7
            while mail[1] == 0:
                time.sleep(0)
            print(mail[1])
            mail[2] = 1
            cuda.Context.synchronize()
    ''') == "42\n"


# Kernels that end before their time ------------------------------------------------------------------------------------

ENDED = """
import cuda_simulator
with cuda_simulator.examine() as seen:
    try:
        KERNEL
        cuda.Context.synchronize()
    except cuda.Error:
        pass
for one in seen.findings:
    print(one.kind, one.lines[0][1], one.element, "|", one.message, flush=True)
os._exit(0)     # past PyCUDA's warnings about the dead context
"""


def findings_of_k(source, launch="(p, block=(64, 1, 1))", **environment):
    """What is found in a kernel `k` of `source`, line by line."""
    setup = f"p = cuda.to_device(np.zeros(128, np.int32))\nkernel = SourceModule('''{source}''').get_function('k')\n"
    return run(setup + ENDED.replace("KERNEL", f"kernel{launch}"), **environment).stdout.splitlines()


def test_an_index_outside_of_shared_memory_is_told_by_its_line_and_element():
    beside = """__global__ void k(int *p) {
        __shared__ int s[64];
        s[threadIdx.x] = 1;
        __syncthreads();
        p[threadIdx.x] = s[(int)threadIdx.x WHERE];
    }"""
    line, = findings_of_k(beside.replace("WHERE", "- 1"))
    assert line == "out-of-bounds 5 s[-1] | thread (0,0,0) reads s[-1] at line 5: outside of the shared memory of its block"
    line, = findings_of_k(beside.replace("WHERE", "+ 1"))
    assert line.startswith("out-of-bounds 5 s[64] | thread (63,0,0) reads s[64] at line 5")


def test_an_index_just_behind_shared_memory_is_found_though_it_ends_no_kernel():
    beside = """__global__ void k(int *p) {
        __shared__ int s[SIZE];
        s[threadIdx.x] = 1;
        __syncthreads();
        p[threadIdx.x] = s[61 - threadIdx.x];
    }"""
    launch = "(p, block=(62, 1, 1))"
    assert findings_of_k(beside.replace("SIZE", "62"), launch) == []
    write, read = findings_of_k(beside.replace("SIZE", "61"), launch)
    where = "outside of the shared memory of its block"
    assert write == f"out-of-bounds 3 s[61] | thread (61,0,0) writes s[61] at line 3: {where}"
    assert read == f"out-of-bounds 5 s[61] | thread (0,0,0) reads s[61] at line 5: {where}"


def test_an_exchange_whose_result_nobody_uses_is_a_write():
    exchange = """__global__ void k(int *p) {
        __shared__ int s[64];
        USE atomicExch(&s[threadIdx.x], 7);
        __syncthreads();
        p[threadIdx.x] += s[63 - threadIdx.x];
    }"""
    assert findings_of_k(exchange.replace("USE", "")) == []
    line, = findings_of_k(exchange.replace("USE", "p[threadIdx.x] = 1 +"))
    assert line.startswith("uninitialised 3 s[") and line.endswith("which no thread of its block has written")


def test_an_address_of_no_memory_is_told_by_its_line_and_what_it_is_near():
    line, = findings_of_k("__global__ void k(int *p) {\n\n\n*p = 1; }", "(np.intp(4), block=(1, 1, 1))")
    assert line.startswith("out-of-bounds 4 ") and line.endswith("4 bytes from a null pointer")


def test_an_address_that_is_askew_is_told_by_its_line():
    line, = findings_of_k("__global__ void k(int *p) {\n*(long long *)(p + 1) = 1; }", "(p, block=(1, 1, 1))")
    assert line.startswith("fault 2 p[") and line.endswith("the address is not a multiple of 8")


def test_a_kernel_that_never_ends_is_told_by_the_line_at_which_it_spins():
    line, = findings_of_k("__global__ void k(volatile int *p) {\nint t = threadIdx.x;\nwhile (p[0] == 0 && blockIdx.x)\n    ;\np[1] = t; }",
                          "(p, grid=(2, 1), block=(1, 1, 1))", CUDA_SIMULATOR_KERNEL_SECONDS="0.2")
    assert line == "endless 3  | thread (0,0,0) of block (1,0,0) was at line 3 when its time was up"


def test_a_kernel_that_ends_itself_is_told_by_its_line():
    line, = findings_of_k("__global__ void k(int *p) {\nif (blockIdx.x == 1)\n    __trap(); }", "(p, grid=(2, 1), block=(1, 1, 1))")
    assert line == "fault 3  | thread (0,0,0) of block (1,0,0) ended the kernel at line 3: trap"


def test_past_the_end_of_what_lives_is_no_old_pointer_though_something_larger_was_there():
    assert output("""
        import cuda_simulator
        kernel = SourceModule("__global__ void k(int *p) { p[200] = 1; }").get_function("k")
        larger = cuda.mem_alloc(4096)
        start = int(larger)
        larger.free()
        smaller = cuda.mem_alloc(512)
        with cuda_simulator.examine() as seen:
            kernel(smaller, block=(1, 1, 1))
            cuda.Context.synchronize()
        finding, = seen.findings
        print(int(smaller) == start, finding.kind, finding.message.partition(": ")[2])
    """) == "True out-of-bounds 288 bytes past the end of the 512-byte allocation made by cuMemAlloc (device memory)\n"


def test_of_two_remedies_for_one_array_the_stronger_one_is_named_and_alone():
    assert output("""
        import cuda_simulator
        kernel = SourceModule('''__global__ void k(int *p) {
            __shared__ int s[64];
            int t = threadIdx.x;
            s[t] = p[t];
            if (t < 32) s[t] += s[t + 32];
            if (t < 16) s[t] += s[t + 16];
            if (t == 0) p[0] = s[0];
        }''').get_function("k")
        p = cuda.to_device(np.zeros(64, np.int32))
        with cuda_simulator.examine() as seen:
            kernel(p, block=(64, 1, 1))
            cuda.Context.synchronize()
        print(sorted(one.apart for one in seen.findings), {one.remedy for one in seen.findings})
    """) == "[0, 1] {'Put __syncthreads() between the two, at a point that all threads of the block reach.'}\n"


@pytest.mark.parametrize("name, source_name", [("_Z3addPi", "add"), ("_ZN6cudapy8__main__3addB2v1B52cIGWyQ", "add"), ("add", "add"), ("_Z", "_Z")])
def test_a_kernel_is_named_as_its_source_names_it(name, source_name):
    assert kernel_name(name) == source_name


def test_numba_s_kernels_have_their_own_names_and_lines():
    pytest.importorskip("numba")
    result = run("""
        from numba import cuda as numba_cuda
        source = '''
        @numba_cuda.jit
        def reverse(x):
            s = numba_cuda.shared.array(64, np.int32)
            t = numba_cuda.threadIdx.x
            s[t] = x[t]
            x[t] = s[63 - t]

        @numba_cuda.jit
        def count(factor, theta, squares):
            theta[0] += factor
            squares[1, 0] += factor
        '''
        import linecache
        text = textwrap.dedent(source)
        linecache.cache["/reverse.py"] = len(text), None, text.splitlines(True), "/reverse.py"
        exec(compile(text, "/reverse.py", "exec"))
        with cuda_simulator.examine() as seen:
            numba_cuda.select_device(0)
            reverse[1, 64](numba_cuda.to_device(np.arange(64, dtype=np.int32)))
            count[1, 64](1, numba_cuda.to_device(np.zeros(2, np.int64)), numba_cuda.to_device(np.zeros((2, 2))))
            numba_cuda.synchronize()
        for finding in seen.findings:
            print(finding.kernel, finding.variable if "shared" in finding.variable else finding.element, sorted({line for _, line in finding.lines}))
    """.replace("from numba", "import textwrap, warnings; warnings.simplefilter('ignore'); import pycuda.autoprimaryctx; from numba", 1))
    assert result.stdout.splitlines() == ["reverse shared.array_1 [6, 7]", "count theta[0] [11]",
                                          "count bytes 16 to 23 of the array squares [12]"], result.stderr


# What numba-cuda and numba-cuda-mlir call `add(x, factor, out, table, z, pair, twice)`, and how many parameters each makes of these arguments.
ARRAY = "5ArrayIfLi{}E1C7mutable7alignedE"
ARGUMENTS = ARRAY.format(1) + "d" + ARRAY.format(1) + ARRAY.format(2) + "10complex1285TupleIxdE8UniTupleIdLi2EE"
NAMES = "the 1st argument", "the 2nd argument", "the 3rd argument", "the array that is the 4th argument"


@pytest.mark.parametrize("kernel, many, out, data", [
    ("_ZN8__main__3addB2v1B4cw51E" + ARGUMENTS, 30, 8, 19), ("_Z3add" + ARGUMENTS, 23, 6, 12)])
def test_a_parameter_of_a_numba_kernel_is_called_by_its_argument(kernel, many, out, data):
    names = argument_names("", kernel, many)
    assert len(names) == many and kernel_name(kernel) == "add"
    assert (names[0], names[out - 1], names[out], names[data]) == NAMES


def test_the_arguments_of_a_numba_kernel_are_counted_in_english():
    names = argument_names("", "_Z3add" + 113 * "d" + ARRAY.format(1), 120)
    assert [names[number - 1].split()[1] for number in (4, 11, 12, 13, 21, 22, 23, 101, 111, 113)] == [
        "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "101st", "111th", "113th"]


@pytest.mark.parametrize("array, called", [
    ("fLi1E1C", "the 1st argument"), ("DhLi1E1C", "the 1st argument"), ("fLi1E1A", "the array that is the 1st argument"),
    ("10complex128Li1E1C", "the array that is the 1st argument"), ("5TupleIxdELi1E1C", "the array that is the 1st argument")])
def test_an_array_is_called_as_its_elements_if_these_are_numbers_side_by_side(array, called):
    assert argument_names("", f"_Z3add5ArrayI{array}7mutable7alignedE", 7)[0] == called


@pytest.mark.parametrize("line, called", [(2, "a"), (5, "x"), (7, "x"), (10, "the 1st argument")])
def test_arguments_have_the_names_of_the_function_at_the_line_that_ptx_tells(tmp_path, line, called):
    source = tmp_path / "kernels.py"
    source.write_text("def add(a, b):\n    pass\n\n\n@jit\ndef add(x, y):\n    pass\n\n\ndef sub(u, v): pass\n")
    kernel = "_Z3add" + ARRAY.format(1) + "d"
    assert argument_names(f'.entry {kernel}()\n.loc 1 {line} 0\n.file 1 "{source}"', kernel, 8)[0] == called


@pytest.mark.parametrize("kernel, many", [
    ("_Z3add" + ARGUMENTS, 24), ("_Z3addPi", 1), ("_Z3add5ArrayIfLi1E1C7mutable", 5), ("_Z3add" + ARRAY.format(1) + "6Struct", 6),
    ("_Z3add5ArrayIfE", 1)])
def test_a_numba_kernel_whose_parameters_are_not_understood_has_no_names(kernel, many):
    assert argument_names("", kernel, many) == ()


def test_a_fault_is_a_finding_in_the_space_of_its_instruction():
    result = run("""
        import cuda_simulator
        module = SourceModule("__global__ void write(int *x) { *x = 1; }")
        with cuda_simulator.examine() as seen:
            module.get_function("write")(np.intp(0), block=(1, 1, 1))
            try:
                cuda.Context.synchronize()
            except cuda.Error:
                pass
        print([finding.space for finding in seen.findings])
    """)
    assert result.stdout == "['global']\n", result.stderr


SCOPES = '''
module = SourceModule("""
#include <cuda/atomic>
extern "C" __global__ void hand_over(int *x, int *flag, int *out) {
    cuda::atomic_ref<int, cuda::SCOPE> told(*flag);
    if (blockIdx.x == 0) {
        *x = 42;
        told.fetch_add(1, cuda::memory_order_acq_rel);
    } else {
        while (told.load(cuda::memory_order_acquire) == 0) ;
        *out = *x;
    }
}
extern "C" __global__ void count(int *x) { cuda::atomic_ref<int, cuda::SCOPE>(*x).fetch_add(1); }
""".replace("SCOPE", scope), no_extern_c=True, options=["-std=c++17"])
x, flag, out = (cuda.to_device(np.zeros(1, np.int32)) for _ in range(3))
import cuda_simulator
with cuda_simulator.examine() as seen:
    module.get_function("hand_over")(x, flag, out, grid=(2, 1), block=(1, 1, 1))
    module.get_function("count")(x, grid=(2, 1), block=(32, 1, 1))
    cuda.Context.synchronize()
print(sorted((one.kernel, one.variable, "the scope is the block" in one.message, "thread_scope_device" in one.remedy) for one in seen.findings))
'''


def test_atomics_of_block_scope_between_two_blocks_are_a_race_that_names_the_scope():
    assert output('scope = "thread_scope_block"' + SCOPES) == textwrap.dedent("""\
        [('count', 'x', True, True), ('hand_over', 'flag', True, True), ('hand_over', 'x', False, False)]
    """)
    assert output('scope = "thread_scope_device"' + SCOPES) == "[]\n"


WAIT_FOR_ALL = '''
module = SourceModule("""
__global__ void wait_for_all(volatile int *came) {
    extern __shared__ char room[];
    atomicAdd((int *)came, 1);
    while (*came < gridDim.x) ;
}""")
import cuda_simulator
with cuda_simulator.examine() as seen:
    module.get_function("wait_for_all")(cuda.to_device(np.zeros(1, np.int32)), grid=(blocks, 1), block=(1, 1, 1), shared=shared)
    try:
        cuda.Context.synchronize()
    except cuda.Error:
        pass
print([one.message.partition(", and ")[2] for one in seen.findings])
'''


def test_a_grid_may_wait_for_all_of_its_blocks_if_the_device_holds_them_at_once():
    assert output("blocks, shared = 2000, 0" + WAIT_FOR_ALL) == "[]\n"


WITH_SHARED = WAIT_FOR_ALL.replace("    module.get", "    module.get_function('wait_for_all').set_attribute("
                                   "cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)\n    module.get")


def test_two_blocks_of_a_multiprocessor_have_half_of_its_shared_memory_each_less_a_kibibyte_for_the_system():
    assert output("blocks, shared = 2 * 132, 113 << 10\n" + WITH_SHARED) == "[]\n"


def test_blocks_that_cannot_begin_while_the_others_wait_for_them_end_the_kernel_long_before_its_time_is_up():
    """With 120 KiB of shared memory for a block, an H200 holds one on each of its 132 multiprocessors."""
    result = run("blocks, shared = 140, 120 << 10\n" + WITH_SHARED, CUDA_SIMULATOR_KERNEL_SECONDS="3600")
    assert result.stdout == "['8 of the 140 blocks cannot begin before others end: the device holds no more at once']\n", result.stderr


def test_threads_that_read_an_allocation_each_are_told_of_those_that_nothing_has_written():
    """One instruction of a warp, with an address in another allocation for each thread."""
    assert output("""
        import cuda_simulator
        module = SourceModule("__global__ void pick(int **from, int *to) { to[threadIdx.x] = *from[threadIdx.x]; }")
        def read(written):
            arrays = [cuda.mem_alloc(4 << 20) for _ in range(4)]
            for number in written:
                cuda.memset_d32(arrays[number], 7, 1)
            pointers = cuda.to_device(np.array(list(map(int, arrays)), np.uint64))
            with cuda_simulator.examine() as seen:
                module.get_function("pick")(pointers, cuda.mem_alloc(16), block=(4, 1, 1))
                cuda.Context.synchronize()
            return [(finding.kind, finding.count) for finding in seen.findings]
        print(read([0, 1, 2, 3]), read([0, 1, 3]), read([1, 2]))
    """) == "[] [('uninitialised', 1)] [('uninitialised', 2)]\n"
