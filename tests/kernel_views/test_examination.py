"""Examining from a notebook: over the simulated driver, on every machine, and told by the lines of the source."""
import html

from course_lib import driver, kernels
from course_lib.core.errors import WrongArgument
from courseware import kernel_views

import numpy as np
import pycuda.driver as cuda
import pytest

SUM = """
__global__ void neighbours(int *x, int *sum) {
    __shared__ int s[32];
    s[threadIdx.x] = x[threadIdx.x];
    %s
    sum[threadIdx.x] = s[threadIdx.x] + s[(threadIdx.x + 1) %% 32];
}"""


def neighbours(barrier):
    code = kernels.compile(SUM % barrier)
    code.neighbours(1, 32, cuda.to_device(np.arange(32, dtype=np.int32)), cuda.mem_alloc(128))


def leave():
    import os
    os._exit(3)


def follow_null():
    kernels.compile("__global__ void f(int *x) { *x = 1; }").f(1, 1, 0)


def test_a_missing_barrier_is_a_race_at_two_lines_of_the_source():
    report = kernel_views.examine(neighbours, "")
    assert [finding["kind"] for finding in report.findings] == ["race"]
    assert repr(report).startswith("race: thread (") and " at line 6" in repr(report) and " at line 4" in repr(report)
    assert "__sync" in report.findings[0]["remedy"]


def test_the_source_is_shown_with_a_mark_at_each_line_that_is_meant():
    shown = kernel_views.examine(neighbours, "")._repr_html_()
    marked = [line for line in shown.splitlines() if "&#9654;" in line]
    assert len(marked) == 2 and "s[threadIdx.x] = x" in marked[0] and "sum[threadIdx.x]" in marked[1]


def test_a_kernel_with_its_barrier_is_clean():
    report = kernel_views.examine(neighbours, "__syncthreads();")
    assert report.findings == () and report.failed == "" and repr(report) == "Nothing found in 1 launch."


def test_a_function_that_fails_is_told_with_what_was_found_before():
    report = kernel_views.examine(follow_null)
    assert "did not end well" in repr(report) and "illegal memory access" in repr(report)


def test_a_process_that_ends_before_a_kernel_ran_is_not_called_clean():
    assert repr(kernel_views.examine(leave)) == ("Nothing was examined: no kernel ran to its end.\n"
                                            "The function did not end well: ended its process with exit status 3")
    assert repr(kernel_views.examine(int)) == "Nothing found, and no kernel was launched."


@pytest.mark.parametrize("ask", [kernel_views.examine, kernel_views.bank_conflicts])
def test_without_a_simulated_driver_nothing_is_examined(ask, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("from cuda_simulator.libcuda import stand_in\n"
                                               "stand_in.PATH = stand_in.PATH.with_name('not_built.so')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(driver.DriverError, match="not_built.so is not built: install cuda-simulator again"):
        ask(neighbours, "")


@pytest.mark.parametrize("ask", [kernel_views.examine, kernel_views.bank_conflicts])
def test_what_is_no_function_is_refused(ask):
    with pytest.raises(WrongArgument, match=f"{ask.__name__} takes a function that launches kernels, not NoneType: pass the function itself"):
        ask(neighbours(""))


@pytest.mark.parametrize("launches, failed, says", [
    (0, "", ["Nothing found, and no kernel was launched."]), (1, "", ["Nothing found in 1 launch."]), (2, "", ["Nothing found in 2 launches."]),
    (2, "KeyError: <x>", ["Nothing found in 2 launches.", "The function did not end well: KeyError: <x>"]),
    (0, "KeyError", ["Nothing was examined: no kernel ran to its end.", "The function did not end well: KeyError"])])
def test_where_nothing_was_found_it_is_said_in_how_many_launches(launches, failed, says):
    report = kernel_views.Examined((), {}, launches, failed)
    assert repr(report) == "\n".join(says) and report._repr_html_() == "".join(f"<p>{html.escape(words)}</p>" for words in says)


def test_a_finding_is_told_with_how_often_it_was_seen():
    seen = {"kind": "race", "message": "two threads write x[0]", "remedy": "Wait.", "kernel": "f", "lines": [("", 2)], "count": 1}
    report = kernel_views.Examined((seen, {**seen, "count": 2}), {"f": "first\nsecond"}, 1)
    assert repr(report) == "race: two threads write x[0]. Wait.\nrace: two threads write x[0] (2 times). Wait."
    shown = report._repr_html_()
    assert "two threads write x[0]</td>" in shown and "two threads write x[0] (2 times)</td>" in shown
    assert shown.count("<pre") == 1 and "&nbsp;   1 first\n&#9654;   2 second</pre>" in shown


# Bank conflicts ------------------------------------------------------------------------------------------------------

def test_a_function_whose_kernel_fails_has_nothing_to_count():
    with pytest.raises(WrongArgument, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
        kernel_views.bank_conflicts(follow_null)


TRANSPOSE = """
__global__ void transpose(const int *x, int *y) {
    __shared__ int tile[32][WIDTH];
    int column = threadIdx.x, row = threadIdx.y;
    tile[row][column] = x[32 * row + column];
    __syncthreads();
    y[32 * row + column] = tile[column][row];
}"""


def transpose(width):
    import pycuda.driver as cuda
    code = kernels.compile(TRANSPOSE, [f"-DWIDTH={width}"])
    code.transpose(1, (32, 32), cuda.mem_alloc(4096), cuda.mem_alloc(4096))


@pytest.mark.parametrize("width, requests", [(32, 32), (33, 1), (34, 2), (36, 4)])
def test_a_column_of_a_tile_has_as_many_conflicts_as_its_width_shares_banks(width, requests):
    write, read_ = kernel_views.bank_conflicts(transpose, width).accesses
    assert (write.access, write.warps, write.requests, write.fewest) == ("write", 32, 32, 32)
    assert (read_.access, read_.warps, read_.requests, read_.fewest) == ("read", 32, 32 * requests, 32)


def test_what_was_counted_is_a_table_of_the_lines_for_one_warp():
    seen = kernel_views.bank_conflicts(transpose, 32)
    table = ["line  access  warps  requests per warp  without conflicts", "5     write   32     1                  1",
             "7     read    32     32                 1"]
    assert [line.rstrip() for line in repr(seen).splitlines()] == table
    assert seen._repr_html_().count("<tr") == len(table) and all(f">{head}<" in seen._repr_html_() for head in table[0].split("  "))


def test_an_unrolled_line_is_one_line():
    def unrolled():
        import pycuda.driver as cuda
        code = kernels.compile("""
            __global__ void unrolled(int *x) {
                __shared__ volatile int s[32];
                #pragma unroll
                for (int i = 0; i < 4; i++) s[(threadIdx.x + i) % 32] = i;
                x[threadIdx.x] = s[threadIdx.x];
            }""")
        code.unrolled(1, 32, cuda.mem_alloc(128))
    assert [(access.line, access.access, access.warps) for access in kernel_views.bank_conflicts(unrolled).accesses] == [(5, "write", 4), (6, "read", 1)]


def spins():
    kernels.compile("__device__ volatile int flag;\n__global__ void wait(int *x) {\n    while (flag == 0) ;\n    *x = 1;\n}").wait(
        1, 1, cuda.to_device(np.zeros(1, np.int32)))


def test_a_kernel_that_spins_is_told_by_its_line_before_the_time_of_the_sandbox_is_up(monkeypatch):
    # The kernel has half a second of a core, which takes longer on a busy machine, and the sandbox a minute of the clock.
    monkeypatch.setenv("CUDA_SIMULATOR_KERNEL_SECONDS", "0.5")
    finding, = kernel_views.examine(spins).findings
    assert finding["kind"] == "endless" and [number for _, number in finding["lines"]] == [3]


def four_readers():
    kernels.compile("""
__global__ void shift(int *x, int *y) {
    int i = threadIdx.x;
    int a = x[(i + 1) & 63];
    int b = x[(i + 2) & 63];
    int c = x[(i + 3) & 63];
    int d = x[(i + 4) & 63];
    y[i] = a + 2 * b + 3 * c + 4 * d;
    x[i] = i;
}""").shift(1, 64, cuda.to_device(np.arange(64, dtype=np.int32)), cuda.mem_alloc(256))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_four_readers_each_is_told_with_what_orders_the_whole_block(seed):
    findings = kernel_views.examine(four_readers, seed=seed).findings
    assert {frozenset(number for _, number in finding["lines"]) for finding in findings} == {frozenset({line, 9}) for line in (4, 5, 6, 7)}
    assert all("__syncthreads()" in finding["remedy"] for finding in findings)


def from_ptx():
    import pycuda.driver as cuda
    code = cuda.module_from_buffer(b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry put()
{
    .shared .align 4 .b8 s[4];
    st.shared.u32 [s], 7;
    ret;
}""")
    code.get_function("put")(block=(32, 1, 1))


def test_of_ptx_that_does_not_say_its_lines_the_line_is_0():
    [access] = kernel_views.bank_conflicts(from_ptx).accesses
    assert (access.line, access.access, access.warps, access.requests) == (0, "write", 1, 1)
