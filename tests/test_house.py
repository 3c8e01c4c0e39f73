"""Which package may import which: CONTRIBUTING.md has the map, and these tests hold the code to it."""
import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Room -> what it may import of the project, beside itself. Rooms stand above what they import.
COURSE = {
    "core": set(),
    "driver": {"core", "cuda_simulator"},
    "notebook": {"driver", "sandbox"},
    "kernels": {"core", "pointers", "sandbox", "cuda_simulator"},
    "pinned": {"core"},
    "managed": {"core"},
    "pointers": {"core"},
    "mapped": {"core", "pinned", "pointers"},
    "kernel_heap": {"core", "pointers", "kernels"},
    "reservation": {"core"},
    "held_streams": {"core", "kernels", "pinned", "reservation"},
    "sandbox": {"core", "driver"},
    "sharing": {"core", "driver", "reservation", "sandbox"},
    "bandwidth": {"__init__", "core", "driver", "notebook", "kernels", "pinned", "reservation", "kernel_heap", "cuda_simulator"},
    "memory_map": {"core", "driver", "notebook", "kernels", "pinned", "managed", "pointers", "reservation", "kernel_heap", "cuda_simulator"},
    "predict": {"core", "notebook", "replies"},
    "replies": set(),
    "exercises": {"core", "notebook", "kernels", "pinned", "managed", "reservation", "kernel_heap", "held_streams", "sandbox", "sharing"},
    "explorers": {"core", "notebook", "pinned", "pointers", "reservation", "memory_map", "bandwidth"},
    "progress": {"core", "notebook", "exercises"},
    "grading": {"core", "exercises", "notebook"},
    "questions": {"driver"},
    "__init__": {"driver", "notebook"},
    "__main__": {"__init__", "core", "driver", "bandwidth", "grading", "questions", "cuda_simulator"},
}
SIMULATOR = {
    "ptx": set(),
    "libcuda": {"ptx"},
    "memory": {"libcuda"},
    "toolkit": set(),
    "examination": {"libcuda", "memory", "ptx", "toolkit"},
    "device": {"examination", "libcuda", "memory", "ptx", "toolkit"},
    "calls": {"libcuda", "memory", "device", "examination"},
    "watch": {"libcuda", "ptx"},
    "stepping": {"memory", "ptx", "toolkit"},
    "__init__": {"libcuda", "calls", "device", "examination", "toolkit"},
    "doctor": {"__init__", "libcuda", "ptx", "toolkit"},
    "__main__": {"__init__", "doctor"},
    "children": {"__init__"},
    "pytest_plugin": {"__init__", "children", "examination", "libcuda"},
}


def modules(package):
    """{dotted name: path} of every module of a package."""
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
            for path in (ROOT / package).rglob("*.py")}


MODULES = {**modules("course_lib"), **modules("cuda_simulator")}


def imported_by(name):
    """The modules of the project that a module imports, within its functions too."""
    path, found = MODULES[name], set()
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[:len(package) - node.level + 1] if node.level else [])
            base = ".".join(filter(None, [start, node.module or ""]))
            found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names}
    return (found & MODULES.keys()) - {name}


def room(name):
    """``course_lib.pinned`` -> ("course_lib", "pinned"); a package's own module is its room "__init__"."""
    package, _, rest = name.partition(".")
    return package, rest.split(".")[0] or "__init__"


@pytest.mark.parametrize("package, rooms", [("course_lib", COURSE), ("cuda_simulator", SIMULATOR)])
def test_a_room_imports_only_what_the_map_says(package, rooms):
    wrong, used = [], set()
    for name in modules(package):
        here = room(name)[1]
        for other in imported_by(name):
            there = room(other)[1] if room(other)[0] == package else room(other)[0]
            used.add((here, there))
            if here != there and there not in rooms[here]:
                wrong.append(f"{name} imports {other}")
    assert not wrong
    assert {(here, there) for here, allowed in rooms.items() for there in allowed} <= used, "the map allows what nobody uses"


@pytest.mark.parametrize("package, rooms", [("course_lib", COURSE), ("cuda_simulator", SIMULATOR)])
def test_every_room_is_on_the_map(package, rooms):
    assert {room(name)[1] for name in modules(package)} == rooms.keys()


def test_rooms_stand_above_what_they_import():
    list(TopologicalSorter({here: there - {"cuda_simulator"} for here, there in COURSE.items()}).static_order())
    list(TopologicalSorter(SIMULATOR).static_order())


def test_no_two_modules_import_each_other():
    try:
        list(TopologicalSorter({name: imported_by(name) for name in MODULES}).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("package, rooms", [("course_lib", COURSE), ("cuda_simulator", SIMULATOR)])
def test_contributing_names_every_room(package, rooms):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    told = text[text.index("## The house"):].split("\n## ")[0]
    assert not [name for name in rooms if not name.startswith("__") and f"`{name}" not in told]
