"""What the compiler's debug information says of parameters and of the module's variables."""
from cuda_simulator.stepping.variables import SourceType, Unreadable, of_functions

import pytest
from hypothesis import given, settings, strategies as st

from ..ptx.cuda import compile

SOURCE = """
struct Node { int key; float weight[3]; Node *next; };
enum Colour { red, green };
typedef unsigned long long Big;
__device__ double table[2][5];
extern "C" __global__ void k(Node *list, Big big, const char *text, bool yes, Node first, short s, Colour colour) {
    for (int i = 0; i < big; i++)
        table[i & 1][colour] += first.weight[i % 3] + text[i] + s + yes + list->key;
}
"""


@pytest.fixture(scope="module")
def ptx():
    return compile(SOURCE, "compute_90", ("--device-debug",))


@pytest.fixture(scope="module")
def variables(ptx):
    return {variable.name: variable for variable in of_functions(ptx)["k"]}


def test_parameters_are_in_their_order(variables):
    assert list(variables) == ["list", "big", "text", "yes", "first", "s", "colour"]


def test_functions_are_those_that_the_text_has_and_no_type_is_among_them(ptx):
    assert sorted(of_functions(ptx)) == ["", "k"]


def test_a_parameter_without_a_name_has_its_place():
    text = compile('extern "C" __global__ void k(int, int *x) { *x = 1; }', "compute_90", ("--device-debug",))
    assert [variable.name for variable in of_functions(text)["k"]] == ["", "x"]


def test_types_are_those_of_the_source(variables):
    assert [(variables[name].type.kind, variables[name].type.size) for name in ("list", "big", "yes", "first", "s", "colour")] == [
        ("pointer", 8), ("unsigned", 8), ("bool", 1), ("struct", 24), ("signed", 2), ("signed", 4)]
    node = variables["list"].type.of
    assert node.members[2][2].of is node        # a list's node points at another one


def test_members_of_a_class_are_its_data_whatever_else_it_has():
    text = compile("""
        class Several {
        public:
            volatile int count; const unsigned char kind; int &there; Several *__restrict__ next; float many[40]; double last;
            static constexpr int others = 3;
            union { int whole; float real; };
            __device__ int both() const { return count + kind; }
        };
        extern "C" __global__ void k(Several several, int *out) { *out = several.both() + several.there + several.last; }
        """, "compute_90", ("--device-debug",))
    several = of_functions(text)["k"][0].type
    assert several.kind == "struct" and [(name, at, type_.kind, type_.size) for name, at, type_ in several.members] == [
        ("count", 0, "signed", 4), ("kind", 4, "unsigned", 1), ("there", 8, "pointer", 8), ("next", 16, "pointer", 8),
        ("many", 24, "array", 160), ("last", 184, "float", 8)]
    assert several.part(184, 8)[0] == ".last" and several.part(28, 4)[0] == ".many[1]"


@pytest.mark.parametrize("offset, size, name", [(0, 4, ".key"), (8, 4, ".weight[1]"), (16, 8, ".next"), (0, 8, None), (2, 2, None),
                                                (24, 4, None)])
def test_a_part_of_a_struct_has_a_name_where_it_is_a_whole_member(variables, offset, size, name):
    part = variables["first"].type.part(offset, size)
    assert (part and part[0]) == name


def test_a_table_of_the_module_has_two_indices(ptx):
    table, = (variable for variable in of_functions(ptx)[""] if variable.name == "table")
    assert table.type.size == 80 and table.type.part(8 * 7, 8) == ("[1][2]", SourceType("float", 8))
    assert table.symbol == "table"


def test_ptx_without_debug_information_tells_of_no_variable():
    assert not any(of_functions(compile(SOURCE, "compute_90")).values())


def test_another_version_of_dwarf_is_not_guessed_at(ptx):
    start = ptx.index(".debug_info")
    with pytest.raises(Unreadable, match="version"):
        of_functions(ptx[:start] + ptx[start:].replace(".b8 2\n", ".b8 4\n", 1))


@settings(max_examples=60)
@given(st.data())
def test_damaged_debug_information_is_unreadable_or_read_and_nothing_worse(ptx, data):
    lines = ptx.split("\n")
    first = next(number for number, line in enumerate(lines) if ".debug_" in line)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(first, len(lines) - 1))
        if lines[place].startswith(".b"):
            lines[place] = data.draw(st.sampled_from(["", ".b8 255", ".b32 7", ".b64 nowhere"]))
    try:
        of_functions("\n".join(lines))
    except Unreadable:
        pass
