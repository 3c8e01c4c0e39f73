"""Which package may import which: CONTRIBUTING.md has the map, and these tests hold the code to it."""
import ast
import functools
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SIMULATORS = ROOT / "packages" / "cuda-simulator" / "src"

# Package -> where it lies, and which of the others it may import. Those further down know nothing of those above.
PACKAGES = {
    "courseware": (ROOT, {"course_files", "course_lib", "cuda_simulator", "cuda_without_toolkit"}),
    "course_lib": (ROOT, {"cuda_simulator", "cuda_without_toolkit"}),
    "cuda_simulator": (SIMULATORS, {"cuda_without_toolkit"}),
    "cuda_without_toolkit": (SIMULATORS, set()),
    "course_files": (ROOT, set()),
}
MOST_NAMES = 13     # of course_lib: what a student finds at its top

# Room -> the rooms of its package that it may import, beside itself. Rooms stand above what they import.
COURSE_LIB = {
    "core": set(),
    "driver": {"core"},
    "pinned": {"core"},
    "managed": {"core"},
    "pointers": {"core"},
    "reservation": {"core"},
    "kernels": {"core", "pointers"},
    "mapped": {"core", "pinned", "pointers"},
    "kernel_heap": {"core", "pointers", "kernels"},
    "sharing": {"core", "reservation"},
    "__init__": {"driver"},
    "__main__": {"__init__", "driver"},
}
COURSEWARE = {
    "sandbox": set(),
    "notebook": {"sandbox"},
    "second_process": {"sandbox"},
    "kernel_views": {"sandbox"},
    "held_streams": set(),
    "course": set(),
    "bandwidth": {"notebook"},
    "memory_map": {"notebook"},
    "explorers": {"notebook", "bandwidth"},
    "follow": {"sandbox", "memory_map"},
    "predictions": {"notebook", "course"},
    "exercises": {"notebook", "course", "kernel_views", "sandbox"},
    "lessons": {"exercises", "held_streams", "second_process"},
    "progress": {"notebook", "course", "exercises", "predictions"},
    "grading": {"exercises", "notebook", "course"},
    "__init__": {"notebook", "follow"},
    "__main__": {"bandwidth", "grading"},
}
SIMULATOR = {
    "address_space": set(),
    "page_tables": set(),
    "processor_time": set(),
    "version": set(),
    "systems": set(),
    "ptx": {"address_space"},
    "libcuda": {"address_space", "systems"},
    "memory": {"libcuda", "page_tables", "systems"},
    "over_ptx": {"libcuda"},
    "examination": {"libcuda", "memory", "ptx"},
    "device": {"examination", "libcuda", "memory", "processor_time", "ptx", "systems"},
    "calls": {"libcuda", "memory", "device", "examination", "systems"},
    "watch": {"device", "examination", "libcuda", "memory", "ptx"},
    "stepping": {"examination", "memory", "ptx"},
    "__init__": {"libcuda", "calls", "device", "examination", "memory", "over_ptx", "systems", "version"},
    "doctor": {"__init__", "libcuda", "ptx", "systems"},
    "__main__": {"__init__", "children", "doctor"},
    "children": {"__init__"},
    "pytest_plugin": {"__init__", "children", "examination", "libcuda"},
}
ROOMS = {"course_lib": COURSE_LIB, "courseware": COURSEWARE, "cuda_simulator": SIMULATOR}


def modules(package):
    """{dotted name: path} of every module of a package."""
    base = PACKAGES[package][0]
    return {".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__"): path
            for path in (base / package).rglob("*.py")}


MODULES = {name: path for package in PACKAGES for name, path in modules(package).items()}


@functools.cache
def imported_by(name):
    """The modules of the project that a module imports, within its functions too."""
    path, imported = MODULES[name], set()
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[:len(package) - node.level + 1] if node.level else [])
            base = ".".join(filter(None, [start, node.module or ""]))
            imported |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names}
    return (imported & MODULES.keys()) - {name}


def room(name):
    """``course_lib.pinned`` -> ("course_lib", "pinned"); a package's own module is its room "__init__"."""
    package, _, rest = name.partition(".")
    return package, rest.split(".")[0] or "__init__"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_those_below_it(package):
    allowed = PACKAGES[package][1]
    reached = {room(other)[0] for name in modules(package) for other in imported_by(name)} - {package}
    assert reached == allowed


def test_course_lib_knows_the_simulated_driver_in_one_place():
    assert {room(name)[1] for name in modules("course_lib")
            if any(room(other)[0] == "cuda_simulator" for other in imported_by(name))} == {"driver", "__main__"}


def test_course_lib_has_a_dozen_names_at_its_top():
    assert len({room(name)[1] for name in modules("course_lib")}) <= MOST_NAMES


@pytest.mark.parametrize("package, rooms", ROOMS.items())
def test_a_room_imports_only_what_the_map_says(package, rooms):
    wrong, used = [], set()
    for name in modules(package):
        here = room(name)[1]
        for other in imported_by(name):
            if room(other)[0] != package:
                continue
            there = room(other)[1]
            used.add((here, there))
            if here != there and there not in rooms.get(here, ()):
                wrong.append(f"{name} imports {other}")
    assert not wrong
    assert {(here, there) for here, allowed in rooms.items() for there in allowed} <= used, "the map allows what nobody uses"


@pytest.mark.parametrize("package, rooms", ROOMS.items())
def test_every_room_is_on_the_map(package, rooms):
    there = {room(name)[1] for name in modules(package)}
    assert there == rooms.keys(), f"{', '.join(there ^ rooms.keys())}: the table above, and CONTRIBUTING's, have a row for each room, with what it imports"


@pytest.mark.parametrize("rooms", ROOMS.values(), ids=ROOMS)
def test_rooms_stand_above_what_they_import(rooms):
    list(TopologicalSorter(rooms).static_order())


def test_no_two_modules_import_each_other():
    try:
        list(TopologicalSorter({name: imported_by(name) for name in MODULES}).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_two_public_classes_have_one_name():
    """But a learner's: a starter's class is the solution's as well."""
    where = {}
    for name, path in MODULES.items():
        if not {"starters", "solutions"} & set(path.parts):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    where.setdefault(node.name, []).append(name)
    assert not {name: modules for name, modules in where.items() if len(modules) > 1}


@pytest.mark.parametrize("package, rooms", ROOMS.items())
def test_contributing_names_every_room(package, rooms):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    map_ = text[text.index("## The house"):].split("\n## ")[0]
    assert not [name for name in rooms if not name.startswith("__") and f"`{name}" not in map_]
