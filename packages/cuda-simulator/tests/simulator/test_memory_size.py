"""How much memory a device has: an H200's, or what a variable says, or what this machine can give."""
import os
import subprocess
import sys

from cuda_simulator.device import device_facts, memory_size
from cuda_simulator.libcuda.process_memory import available

import pytest

TOLD = ("import cuda_simulator; cuda_simulator.attach()\nimport pycuda.autoinit, pycuda.driver as cuda\n"
        "print(*cuda.mem_get_info(), cuda.Device(0).total_memory())")


def sizes_from(*command, **environment):
    result = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=600, env={**os.environ, **environment})
    return result, [int(number) for number in result.stdout.split()] if result.returncode == 0 else []


@pytest.mark.parametrize("text, size", [("8G", 8 << 30), ("1.5 g".replace(" ", ""), 3 << 29), ("2048M", 2 << 30), ("4GiB", 4 << 30),
                                        (str(5 << 30), 5 << 30)])
def test_a_size_is_a_number_with_a_unit(monkeypatch, text, size):
    monkeypatch.setenv(memory_size.SIZE, text)
    assert memory_size.total() == size


@pytest.mark.parametrize("text", ["", "much", "-1G", "100M", "900G", "8 potatoes"])
def test_what_is_no_size_or_too_small_or_more_than_an_h200_has_is_refused_with_an_example(monkeypatch, text):
    monkeypatch.setenv(memory_size.SIZE, text)
    with pytest.raises(ValueError, match="a size from 1G to 139G, such as 8G"):
        memory_size.total()


def test_without_the_variable_a_device_has_an_h200s_memory(monkeypatch):
    monkeypatch.delenv(memory_size.SIZE, raising=False)
    assert memory_size.total() == device_facts.TOTAL_MEMORY


def test_a_program_gets_no_more_than_the_variable_says():
    done, (free, total, total_by_driver) = sizes_from("-c", TOLD + "\ntry: cuda.mem_alloc(2 << 30)\nexcept cuda.MemoryError: pass\nelse: print('taken')",
                                      CUDA_SIMULATOR_MEMORY="2G")
    assert total == total_by_driver == 2 << 30 and 0 < free < total and "taken" not in done.stdout


def test_the_command_gives_what_this_machine_can_give_and_its_children_as_much():
    child = TOLD.replace("import cuda_simulator; cuda_simulator.attach()\n", "")
    program = f"import subprocess, sys\n{child}\nsubprocess.run([sys.executable, '-c', {TOLD!r}])"
    environment = {name: value for name, value in os.environ.items() if name != memory_size.SIZE}
    result = subprocess.run([sys.executable, "-m", "cuda_simulator", "-c", program], capture_output=True, text=True, env=environment)
    totals = [int(line.split()[1]) for line in result.stdout.splitlines()]
    assert len(totals) == 2 and totals[0] == totals[1] <= max(available(), 1 << 30), result.stderr


def test_the_command_says_of_a_size_that_cannot_be_what_can():
    done, _ = sizes_from("-m", "cuda_simulator", "-c", "pass", CUDA_SIMULATOR_MEMORY="much")
    assert done.returncode == 1 and "such as 8G" in done.stderr and "Traceback" not in done.stderr
