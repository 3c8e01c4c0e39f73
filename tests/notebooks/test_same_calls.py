"""What the tables "The same calls elsewhere" name is there: each call of a Python library is looked up in the library that is installed.

Not here: CuPy and PyTorch, which are not installed, and the runtime API of C++.
"""
import importlib
import importlib.util
import inspect
import json
import re

import course_lib  # noqa: F401  (attaches a driver, without which PyCUDA cannot be imported)

import numpy as np
import pytest

from .test_notebooks import NOTEBOOKS

# A library as the tables write it -> where a name is looked up, in this order; and what the tables call things that it has made.
LIBRARIES = {
    "PyCUDA": (["pycuda.driver", "pycuda.gpuarray", "pycuda.driver.Context"],
               {"cuda": "pycuda.driver", "array": "pycuda.gpuarray.GPUArray", "module": "pycuda.driver.Module",
                "k": "pycuda.driver.Function",
                "array.base": "pycuda.driver.PagelockedHostAllocation", "": "pycuda.driver.IPCMemoryHandle"}),
    "cuda-bindings": (["cuda.bindings.driver"], {"cu": "cuda.bindings.driver"}),
    "cuda.core": (["cuda.core", "cuda.core.utils"],
                  {"device": "cuda.core.Device", "buffer": "cuda.core.ManagedBuffer", "code": "cuda.core.ObjectCode",
                   "resource": "cuda.core.DeviceMemoryResource", "view": "cuda.core.utils.StridedMemoryView"}),
    "Numba": (["numba.cuda"],
              {"cuda": "numba.cuda", "numba": "numba", "array": "numba.cuda.cudadrv.devicearray.MappedNDArray",
               "x": "numba.cuda.cudadrv.devicearray.DeviceNDArray", "thing": "numba.cuda.cudadrv.devicearray.DeviceNDArray",
               "handle": "numba.cuda.cudadrv.devicearray.IpcArrayHandle"}),
}


def rows():
    """(notebook, library, code) for each piece of code of each line of a table that speaks of one of the libraries."""
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text())["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        for table in re.findall(r"<b>The same calls elsewhere</b></summary>(.*?)</details>", text, flags=re.DOTALL):
            for library, codes in re.findall(r"^\| ([\w.-]+) \|(.*)\|$", table, flags=re.MULTILINE):
                for code in re.findall(r"`([^`]+)`", codes) if library in LIBRARIES else ():
                    yield path.stem.split("_")[0], library, code


def named(code):
    """The names with a dot, and of what is called, in a piece of code: "f(a.b, c)" has f and a.b."""
    code = re.sub(r'b?"[^"]*"|\.\.\.', "", code)
    inner = []
    while inside := re.search(r"\(([^()]*)\)|\[([^][]*)\]", code):
        inner += [inside[1] if inside[1] is not None else inside[2]]
        code = code[:inside.start()] + ("\0" if inside[1] is not None else "") + code[inside.end():]
    for chain in re.findall(r"[\w.\0]+", code):
        if "." in chain or "\0" in chain:
            yield chain.replace("\0", "")
    for arguments in inner:
        yield from named(arguments.replace("\0", "()"))


@pytest.mark.parametrize("code, names", [
    ("error, p = cu.cuMemAlloc(n)", ["cu.cuMemAlloc"]), ("Resource().allocate(n)", ["Resource.allocate"]),
    ('x.__cuda_array_interface__["data"]', ["x.__cuda_array_interface__"]), ("f(shape, array.base)", ["f", "array.base"]),
    ("g(Buffer.from_handle(address, n), shape)", ["g", "Buffer.from_handle"]), ("p", [])])
def test_names_are_found_in_code(code, names):
    assert list(named(code)) == names


def imported(path):
    """The module, or what is in one, that a dotted name means."""
    names = path.split(".")
    for count in range(len(names), 0, -1):
        try:
            value = importlib.import_module(".".join(names[:count]))
        except ImportError:
            continue
        for name in names[count:]:
            value = getattr(value, name)
        return value
    raise ImportError(path)


def there(library, name):
    """Whether a library has what a table calls `name`."""
    places, variables = LIBRARIES[library]
    for variable in sorted(variables, key=len, reverse=True):
        if name.startswith(variable + "."):
            return _has(imported(variables[variable]), name[len(variable) + 1:])
    if name.startswith("np."):
        return _has(np, name[3:])
    return name == "int" or name in variables or any(_has(imported(place), name) for place in places)


def _has(value, name):
    for attribute in name.split("."):
        if not inspect.isdatadescriptor(value) and not hasattr(value, attribute):    # what a property gives is seen in an object alone
            return False
        value = getattr(value, attribute, value)
    return True


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_a_table_names_is_in_the_library(library):
    module = {"PyCUDA": "pycuda", "cuda-bindings": "cuda.bindings", "cuda.core": "cuda.core"}.get(library, library.lower())
    if not importlib.util.find_spec(module):
        pytest.skip(f"{library} is not installed")
    used = [(notebook, name) for notebook, of_library, code in rows() if of_library == library for name in named(code)]
    assert len(used) >= 8
    assert [f"{notebook}: {name}" for notebook, name in used if not there(library, name)] == []


def test_a_name_that_a_library_has_not_is_found():
    assert there("cuda-bindings", "cu.cuMemAlloc") and not there("cuda-bindings", "cu.cuMemAllocate")


def test_every_table_of_libraries_has_a_line_of_cuda_core():
    for path in NOTEBOOKS:
        text = path.read_text()
        assert ("| cuda-bindings |" in text) <= ("| cuda.core |" in text), path.name
