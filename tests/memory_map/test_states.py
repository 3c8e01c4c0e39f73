"""The map in a process where there is nothing to see, nobody to ask, or a notebook's variables."""
from course_lib import kernels
from courseware import memory_map, sandbox

import pycuda.driver as cuda

NO_CONTEXT = """
from courseware import memory_map
import pycuda.driver as cuda
print(memory_map.look())
cuda.init()
print(memory_map.look(1234)._repr_html_())
"""
NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell('''
from course_lib import pinned
from courseware import memory_map
import numpy as np, pycuda.autoinit, pycuda.driver as cuda
empty = memory_map.look()
second = cuda.mem_alloc(64)
first = pinned.allocate(10)
pageable, number, same, _hidden = np.zeros(10), 12345678, second, cuda.mem_alloc(8)
group = [{"inner": cuda.mem_alloc(16)}, 5]
class Odd:
    def __getattr__(self, name): raise RuntimeError
odd = Odd()
''')
shell.run_cell("print(empty, memory_map.look(), memory_map.look(pageable), memory_map.look(pageable[2:]), sep='\\\\n')")
"""


def test_without_a_context_the_map_says_so(in_new_process):
    result = in_new_process(NO_CONTEXT)
    assert result.stderr == ""
    assert len(result.stdout.splitlines()) == 2
    assert all("There is nothing to ask: " in line and "pycuda.autoinit" in line for line in result.stdout.splitlines())


def test_in_a_broken_context_the_map_says_so():
    def break_it():
        memory = cuda.mem_alloc(16)
        kernels.compile("__global__ void wrong(int *p) { *p = 1; }").wrong(1, 1, 16)
        try:
            cuda.Context.synchronize()
        except cuda.Error:
            print(memory_map.look(memory))
    printed = sandbox.run(break_it).printed
    assert "broken CUDA for this process (CUDA_ERROR_ILLEGAL_ADDRESS)" in printed and "Kernel > Restart" in printed


def test_a_notebooks_variables_are_found_in_their_order(in_new_process):
    result = in_new_process(NOTEBOOK)
    assert result.stderr == ""
    empty, head, *rows, head_again, pageable, _, part = result.stdout.splitlines()
    assert empty.startswith("Nothing to show yet")
    assert [row.split("  ")[0] for row in rows] == ["second, same", "first", "group[0]['inner']"]
    assert pageable.startswith("pageable  pageable memory  80 bytes") and part.startswith("argument 1")


def test_what_no_variable_leads_to_but_a_helper_made_is_shown(in_new_process):
    result = in_new_process("""
from course_lib import pinned
from courseware import memory_map
import pycuda.autoinit
kept = {1: {2: {3: pinned.allocate(50)}}}    # deeper than variables are looked into
print(memory_map.look())""")
    assert result.stderr == "" and result.stdout.splitlines()[1].startswith("(no variable)  pinned memory  50 bytes")
