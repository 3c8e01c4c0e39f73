"""Processes that tests start under ``pytest --cuda-simulator`` have its driver; outside of such a run nothing is changed."""
import os

from cuda_simulator import children

import pytest

COUNT = "from cuda.bindings import driver; driver.cuInit(0); print(driver.cuDeviceGetCount()[1])"
TESTS = f"""
import multiprocessing, os, subprocess, sys
import pytest
from helper import count

COUNT = {COUNT!r}

def child(*arguments, **variables):
    done = subprocess.run([sys.executable, *arguments], env=dict(os.environ, **variables), capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout

def test_subprocess():
    assert child("-c", COUNT) == "2\\n"

def test_subprocess_of_a_subprocess():
    assert child("-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)", COUNT) == "2\\n"

@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_multiprocessing(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(count) == 2

def test_without_cuda_it_costs_little():
    assert child("-c", "import sys; print(len({{'numpy', 'ctypes', 'cuda_simulator'}} & sys.modules.keys()))") == "0\\n"

def test_the_sitecustomize_that_is_hidden(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('mine')")
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(tmp_path)])
    assert child("-c", COUNT, PYTHONPATH=path) == "mine\\n2\\n"

def test_isolated():
    start = f"import sys; sys.path = {{sys.path}}; import cuda_simulator; cuda_simulator.attach_if_asked();"
    assert child("-I", "-c", start + COUNT) == "2\\n"

def test_a_pytest_that_a_test_starts(tmp_path):
    (tmp_path / "test_inner.py").write_text("from helper import count\\ndef test_it(): assert count() == 2")
    path = os.pathsep.join([os.environ["PYTHONPATH"], os.path.dirname(__file__)])
    assert "1 passed" in child("-m", "pytest", "-p", "no:cacheprovider", str(tmp_path), PYTHONPATH=path)
"""
HELPER = """
def count():
    from cuda.bindings import driver
    driver.cuInit(0)
    return driver.cuDeviceGetCount()[1]
"""
SHOW = "import os; print('LEFT', [os.environ.get(name) for name in ('CUDA_SIMULATOR_ATTACH', 'CUDA_SIMULATOR_DEVICES', 'PYTHONPATH')])"


@pytest.fixture
def run(in_new_process, tmp_path):
    """pytest over TESTS, and what it leaves of the environment in its process."""
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "helper.py").write_text(HELPER)

    def run(*options):
        return in_new_process(f"import sys, pytest\n{SHOW}\npytest.main(sys.argv[1:])\n{SHOW}", "-p", "cuda_simulator.pytest_plugin",
                              "-p", "no:cacheprovider", *options, CUDA_SIMULATOR_DEVICES=None, PYTEST_XDIST_WORKER=None,
                              PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")      # of others, whose imports are most of such a run
    return run


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")])
def test_children_attach_by_themselves_and_the_environment_is_restored(run, workers):
    result = run("--cuda-simulator-devices=2", *workers)
    assert "8 passed" in result.stdout, result.stdout
    before, after = [line for line in result.stdout.splitlines() if line.startswith("LEFT")]
    assert before == after and before.startswith("LEFT [None, None,")


def test_attach_if_asked_does_nothing_where_nobody_asks(in_new_process):
    result = in_new_process("import cuda_simulator, sys; cuda_simulator.attach_if_asked(); print('numpy' in sys.modules)",
                            CUDA_SIMULATOR_ATTACH=None)
    assert result.stdout == "False\n", result.stderr


def test_a_python_without_the_package_starts_and_imports_as_ever(in_new_process, tmp_path):
    (tmp_path / "pycuda.py").write_text("")
    folder = os.path.dirname(children.__file__)
    code = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-S', '-c', {START!r}], env={{'PYTHONPATH': {folder!r}}}))"
    result = in_new_process(code)
    assert result.stdout == "True\n" and not result.returncode, result.stderr


START = "import sitecustomize, sys; sys.path.append('.'); import pycuda; print('cuda_simulator' not in sys.modules)"
