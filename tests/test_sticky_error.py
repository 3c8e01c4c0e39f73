"""After a kernel's fault a notebook says what has happened in whichever cell fails next, and what to do."""
import nbformat
import pytest
from nbclient import NotebookClient

FAULT = """
import courseware, numpy as np, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
add = SourceModule("__global__ void add(int *x) { x[threadIdx.x] += 1; }").get_function("add")
short = cuda.mem_alloc(16)
add(np.intp(8), block=(1, 1, 1))
"""


@pytest.fixture
def stderr_of(monkeypatch):
    """What cells of one notebook write to standard error, each for itself."""
    monkeypatch.setenv("COURSE_DRIVER", "simulated")

    def run(*sources):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        NotebookClient(notebook, timeout=600, allow_errors=True).execute()
        return ["".join(output.text for output in cell.outputs if output.get("name") == "stderr") for cell in notebook.cells]
    return run


def test_the_next_cuda_call_that_fails_is_answered_with_restart(stderr_of):
    _, innocent, harmless = stderr_of(FAULT, "cuda.mem_alloc(4)", "1 / 0")
    for stderr in innocent, harmless:
        assert "broken CUDA for this notebook's process (CUDA_ERROR_ILLEGAL_ADDRESS)" in stderr
        assert "Restart Kernel" in stderr


def test_without_cuda_and_with_a_context_that_is_whole_an_error_is_left_alone(stderr_of):
    _, without_cuda, _, refused, mistake = stderr_of("import courseware", "1 / 0", "import pycuda.autoinit, pycuda.driver as cuda",
                                                     "cuda.mem_alloc(1 << 60)", "undefined")
    assert without_cuda == "" and "Restart" not in refused + mistake


def test_a_cell_that_comes_before_its_turn_says_what_to_run_first_before_the_set_up_cell_too_and_once(stderr_of):
    before, _, after, unknown, attribute = stderr_of("np.zeros(4)", "import courseware", "np.zeros(4)", "numbers[:] = 1", "courseware.undefined")
    assert before.count("If an earlier cell makes `np`") == after.count("If an earlier cell makes `np`") == 1
    assert "If an earlier cell makes `numbers`, run the cells before this one, from the set-up cell on" in unknown and attribute == ""
