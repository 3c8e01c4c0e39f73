"""A process follows one system, chosen by attach, by a variable or by the command; who asks is told which, and that it is a document's."""
import os
import re
import subprocess
import sys

from cuda_simulator import systems

import pytest

NAMES = list(systems.by_name())
DOCUMENTED = [name for name, system in systems.by_name().items() if not system.recorded]
NAME = "import pycuda.driver as cuda; cuda.init(); print(cuda.Device(0).name())"


def python(*arguments, **environment):
    variables = {name: value for name, value in os.environ.items() if name != systems.SYSTEM}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=600, env={**variables, **environment})


def test_there_is_one_recorded_system_and_it_is_the_default():
    assert [name for name in NAMES if systems.by_name()[name].recorded] == NAMES[:1] == ["h200"]
    result = python("-c", f"import cuda_simulator; cuda_simulator.attach()\n{NAME}")
    assert result.stdout == "NVIDIA H200 (simulated)\n"


@pytest.mark.parametrize("name", DOCUMENTED)
@pytest.mark.parametrize("way", ["attach", "variable", "command"])
def test_a_documented_system_says_in_its_devices_name_that_it_is_not_recorded(way, name):
    attach = "import cuda_simulator; cuda_simulator.attach({})\n" + NAME
    result = {"attach": lambda: python("-c", attach.format(f"system={name!r}")),
              "variable": lambda: python("-c", attach.format(""), CUDA_SIMULATOR_SYSTEM=name),
              "command": lambda: python("-m", "cuda_simulator", "--system", name, "-c", NAME)}[way]()
    assert result.stdout == f"Simulated: {name} (as documented, not recorded)\n", result.stderr


def test_an_unknown_system_is_refused_with_the_names_that_there_are():
    for result in (python("-m", "cuda_simulator", "--system", "h300", "-c", "pass"),
                   python("-m", "cuda_simulator", "-c", "pass", CUDA_SIMULATOR_SYSTEM="h300")):
        assert result.returncode == 1 and "Traceback" not in result.stderr
        assert "'h300'" in result.stderr and all(name in result.stderr for name in NAMES)


def test_a_process_keeps_its_system():
    result = python("-c", "import cuda_simulator\ncuda_simulator.attach(system='h200')\n"
                        "try: cuda_simulator.attach(system='pageable-access')\nexcept RuntimeError as error: print(error)")
    assert "h200" in result.stdout and "pageable-access" in result.stdout


def test_a_process_that_it_starts_has_the_same_system():
    child = f"import cuda_simulator; cuda_simulator.attach()\n{NAME}"
    result = python("-c", "import cuda_simulator, subprocess, sys; cuda_simulator.attach(system='pageable-access')\n"
                        f"subprocess.run([sys.executable, '-c', {child!r}])")
    assert "pageable-access" in result.stdout


@pytest.mark.parametrize("name", NAMES)
def test_the_doctor_names_the_system_and_the_others(name):
    report = python("-m", "cuda_simulator", "--system", name, "--doctor").stdout
    other_systems = re.search(rf"system +{name}, (?:recorded|as documented, not recorded); others: (.*)", report)[1]
    assert sorted([name, *other_systems.split(", ")]) == sorted(NAMES)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_rule_and_every_refusal_of_a_documented_system_has_its_source(name):
    system = systems.by_name()[name]
    assert system.rules and all(rule.question and rule.answer and rule.source for rule in system.rules)
    assert all(len(why) > 20 for why in system.refused.values())


RECORDED = {"UNIFIED_ADDRESSING": 1, "PAGEABLE_MEMORY_ACCESS": 0, "CONCURRENT_MANAGED_ACCESS": 1, "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM": 1}


def test_a_machine_is_like_a_documented_system_in_which_an_attribute_is_its_own():
    assert systems.like(RECORDED) == {}
    assert systems.like(RECORDED | {"PAGEABLE_MEMORY_ACCESS": 1}) == {"pageable-access": ["PAGEABLE_MEMORY_ACCESS is 1"]}
    assert list(systems.like(RECORDED | {"PAGEABLE_MEMORY_ACCESS": 1, "CONCURRENT_MANAGED_ACCESS": 0})) == ["registered-differs", "pageable-access"]
    assert list(systems.like(dict.fromkeys(RECORDED, 0))) == ["no-unified-addressing"]


@pytest.mark.parametrize("name", NAMES)
def test_each_system_is_like_itself(name):
    alike = systems.like({attribute: systems.by_name()[name].attributes.get(number, RECORDED[attribute])
                          for attribute, number in systems.TELLING.items()})
    assert list(alike) == [name for _ in [name] if name in DOCUMENTED]
