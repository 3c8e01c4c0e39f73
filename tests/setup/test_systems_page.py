"""docs/systems.md has the rules of the documented systems as the simulated driver follows them, and the attributes that it reports."""
import re
from pathlib import Path

from cuda_simulator import systems
from cuda_simulator.device.device_facts import ATTRIBUTES
from cuda_simulator.systems.__main__ import tables

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "systems.md").read_text()
NUMBERS = {"UNIFIED_ADDRESSING": 41, "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM": 91, "CONCURRENT_MANAGED_ACCESS": 89,
           "PAGEABLE_MEMORY_ACCESS": 88}


def test_it_has_every_rule_with_its_source():
    assert tables() in PAGE


def test_every_section_of_a_documented_system_is_marked():
    assert PAGE.count(f"*{systems.MARK.capitalize()}.*") == len(systems.by_name())      # one for each, and what is not simulated


@pytest.mark.parametrize("attribute", NUMBERS)
def test_the_attributes_side_by_side_are_those_that_each_system_reports(attribute):
    heads, cells = ([cell.strip() for cell in re.search(rf"^\| {start}.*\|$", PAGE, re.MULTILINE)[0].strip("|").split("|")][1:]
                    for start in ("question \\| recorded", attribute + " "))
    for head, cell in zip(heads, cells):
        system = systems.by_name()["h200" if head.startswith("recorded") else head]
        assert int(cell) == {**ATTRIBUTES, **system.attributes}[NUMBERS[attribute]]
