"""The steps of one thread: each line that it comes to, and which memory it touches there."""
import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from . import follow, trace

NUMBERS = np.arange(32, dtype=np.int32) * 10


def kernel(body, parameters="int *x", declarations=""):
    """A kernel whose body begins in line 2 of its text."""
    return f'{declarations}extern "C" __global__ void k({parameters}) {{\n{body}\n}}\n'


def lines(steps):
    return [step.line for step in steps]


def line_accesses(steps):
    return [(step.line, access.kind, access.space, access.value) for step in steps for access in step.accesses]


def accesses(steps, kind=None, space=None):
    return [access for step in steps for access in step.accesses if kind in (None, access.kind) and space in (None, access.space)]


# Calculated by hand -------------------------------------------------------------------------------------------------------

FIVE_LINES = kernel("""\
    int i = threadIdx.x;
    int before = x[i];
    int twice = 2 * before;
    if (twice > 50)
        x[i] = twice - 1;""")


def test_a_kernel_of_five_lines_step_by_step():
    steps = follow(FIVE_LINES, 32, NUMBERS, thread=3)
    assert lines(steps) == [1, 2, 3, 4, 5, 6, 7]
    assert line_accesses(steps) == [(3, "read", "global", 30), (6, "write", "global", 59)]


def test_a_thread_that_does_not_take_the_branch_has_no_step_in_it():
    steps = follow(FIVE_LINES, 32, NUMBERS, thread=2)
    assert lines(steps) == [1, 2, 3, 4, 5, 7] and line_accesses(steps) == [(3, "read", "global", 20)]


def test_a_loop_comes_to_its_line_once_before_each_turn_and_once_after_the_last():
    steps = follow(kernel("""\
    int sum = 0;
    for (int k = 0; k < 3; k++)
        sum += x[k];
    x[9] = sum;"""), 1, NUMBERS)
    assert lines(steps) == [1, 2, 3, 4, 3, 4, 3, 4, 3, 5, 6]
    assert line_accesses(steps)[-1] == (5, "write", "global", 30)


def test_a_loop_on_one_line_has_a_step_for_each_turn():
    steps = follow(kernel("    int n = 3;\n    while (x[n] > 0) n--;\n    x[7] = n;"), 1, NUMBERS)
    assert lines(steps) == [1, 2, 3, 3, 3, 3, 4, 5]
    assert [value for _, _, _, value in line_accesses(steps)] == [30, 20, 10, 0, 0]


def test_a_call_goes_to_the_function_and_comes_back():
    twice = "__device__ __noinline__ int twice(int v) {\n    int w = v + v;\n    return w;\n}\n"
    steps = follow(kernel("    x[1] = twice(x[1]) + 1;", declarations=twice), 1, NUMBERS)
    assert lines(steps) == [5, 6, 1, 2, 3, 6, 7]
    assert line_accesses(steps) == [(6, "read", "global", 10), (6, "write", "global", 21)]


def test_what_a_function_of_a_header_does_belongs_to_the_line_that_calls_it():
    steps = follow(kernel("    int before = atomicAdd(x, 5);\n    x[1] = before;"), 1, NUMBERS + 3)
    assert lines(steps) == [1, 2, 3, 4]
    assert line_accesses(steps) == [(2, "atomic", "global", 3), (3, "write", "global", 3)]


# Values and their types ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("type_, expression, value, text", [
    ("int", "-t", -3, "-3"), ("unsigned", "-t", 2**32 - 3, "4294967293"), ("signed char", "250 + t", -3, "-3"),
    ("unsigned long long", "1ull << (60 + t)", 2**63, "9223372036854775808"), ("float", "t * 0.1f", 3 * np.float32(0.1), "0.3"),
    ("double", "t * 0.1", 3 * 0.1, "0.30000000000000004"), ("bool", "t > 2", True, "True"), ("float", "t / 0.0f", np.inf, "inf")])
def test_a_value_is_shown_as_its_type_has_it(type_, expression, value, text):
    steps = follow(kernel(f"    __shared__ {type_} v;\n    int t = threadIdx.x + 3;\n    v = {expression};\n    *x = (int)v;"), 1, NUMBERS)
    [write] = accesses(steps, "write", "shared")
    assert write.value == pytest.approx(value) and repr(write.value) == text


def test_parts_of_structs_and_arrays_have_the_names_that_the_source_gives_them():
    steps = follow(kernel("    p[2].y[t & 1] = p[t].n;\n    p->next = p + 1;", "int t",
                          "struct Pair { int n; float y[2]; Pair *next; };\n__device__ Pair p[3];\n"), 1, 1)
    assert [(access.kind, access.name) for access in accesses(steps)] == [("read", "p[1].n"), ("write", "p[2].y[1]"), ("write", "p[0].next")]


def test_what_is_the_threads_own_is_no_access():
    set_it = "__device__ __noinline__ void set(int *p) { *p = 4; }\n"
    steps = follow(kernel("    int v[4];\n    set(v + *x);\n    *x = v[0];", declarations=set_it), 1, NUMBERS)
    assert [(access.kind, access.space) for access in accesses(steps)] == [("read", "global"), ("write", "global")]


@pytest.mark.parametrize("declared, index, name", [
    ("int s[64]", "s[t]", "s[5]"), ("float s[8][9]", "s[t][2]", "s[5][2]"), ("unsigned char s[100]", "s[t]", "s[5]"),
    ("float4 s[8]", "s[t].z", "s[5].z"), ("int other, s", "s", "s"), ("Pair s[16]", "s[t].b", "s + 44 bytes")])
def test_shared_memory_is_named_by_its_declaration_and_where_that_is_not_plain_by_bytes(declared, index, name):
    source = kernel(f"    __shared__ {declared};\n    int t = threadIdx.x;\n    {index} = 7;\n    *x = (int){index};",
                    declarations="struct Pair { int a, b; };\n")
    shared = accesses(follow(source, 8, NUMBERS, thread=5), space="shared")
    assert [(access.kind, access.name, access.value) for access in shared] == [("write", name, 7), ("read", name, 7)]


@pytest.mark.parametrize("line, value", [("f[0] = 7;", 7.0), ("*(int *)f = 7;", 7 * 2.0**-149), ("atomicAdd((int *)f, 1);", 0x40000000),
                                         ("*(float *)i = 2;", 0x40000000)])
def test_a_value_is_shown_as_the_variable_has_it_and_an_atomic_one_as_it_is_used(line, value):
    source = kernel(f"    __shared__ float f[4];\n    __shared__ int i[4];\n    f[0] = 2;\n    {line}\n    *x = f[0] + i[0];")
    assert [access.value for step in follow(source, 1, NUMBERS) if step.line == 5 for access in step.accesses] == [value]


def test_an_address_is_told_within_its_space():
    source = kernel("    __shared__ int s[64];\n    s[threadIdx.x] = 1;\n    *x = s[0];")
    assert [access.address for access in accesses(follow(source, 32, NUMBERS, thread=5), space="shared")] == [20, 0]


def test_constant_and_device_variables_have_their_names_and_spaces():
    steps = follow(kernel("    counter[1] = table[t];", "int t", "__constant__ int table[4] = {5, 6, 7, 8};\n__device__ int counter[2];\n"), 1, 2)
    assert [(access.kind, access.space, access.name, access.value) for access in accesses(steps)] == [("read", "const", "table[2]", 7), ("write", "global", "counter[1]", 7)]


def test_a_vector_is_told_part_by_part():
    source = kernel("    x[t] = y[t];", "int4 *x, const int4 *y, int t")
    steps = follow(source, 1, NUMBERS, NUMBERS, 1, options=("--generate-line-info",))      # one instruction, without -G
    writes = accesses(steps, "write")
    assert [access.value for access in writes] == [40, 50, 60, 70] and [access.address - writes[0].address for access in writes] == [0, 4, 8, 12]


# Which threads, how long ----------------------------------------------------------------------------------------------------

def test_the_threads_of_the_first_block_are_those_of_its_three_axes_in_their_order():
    source = kernel("    x[0] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z + 1000000 * blockIdx.x;")
    launch_trace = trace(source, (4, 3, 5), NUMBERS, grid=7)
    assert launch_trace.block == 60 and [accesses(steps)[0].value for steps in launch_trace.threads[:6]] == [0, 1, 2, 3, 100, 101]
    assert accesses(launch_trace.threads[-1])[0].value == 40203


def test_of_a_block_with_too_many_threads_none_is_followed():
    launch_trace = trace(FIVE_LINES, 5, NUMBERS, max_threads=4)
    assert (launch_trace.block, launch_trace.threads) == (5, [])


def test_steps_beyond_the_limit_are_left_out():
    source = kernel("    for (int k = 0; k < 100; k++)\n        x[k & 7] += k;")
    assert lines(follow(source, 1, NUMBERS, limit=5)) == [1, 2, 3, 2, 3]


def test_without_debug_information_lines_and_values_remain():
    steps = follow(FIVE_LINES, 32, NUMBERS, thread=3, options=("--generate-line-info",))
    assert 3 in lines(steps) and 30 in [access.value for access in accesses(steps)]


def test_without_lines_all_is_one_step():
    assert lines(follow(FIVE_LINES, 32, NUMBERS, thread=3, options=())) == [0]


# Programs that Hypothesis writes -------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c")


@st.composite
def updates(draw):
    """("set", a, "a + b"): a variable depends on what it was, so that no line is needless."""
    name = draw(st.sampled_from(NAMES))
    operand = draw(st.sampled_from([name_ for name_ in (*NAMES, "t") if name_ != name] + ["3", "5", "-7"]))
    return "set", name, f"{name} {draw(st.sampled_from('+-^'))} ({operand})"


@st.composite
def branches(draw, inner):
    left, right = draw(st.permutations((*NAMES, "t")))[:2]
    return ("if", f"{left} {draw(st.sampled_from(['<', '>', '==', '!=']))} {right}", draw(st.lists(inner, min_size=1, max_size=2)),
            draw(st.lists(inner, max_size=2)))


def loops(inner):
    return st.tuples(st.just("for"), st.integers(0, 3), st.lists(inner, min_size=1, max_size=2))


programs = st.lists(st.recursive(updates(), lambda inner: branches(inner) | loops(inner), max_leaves=5), min_size=1, max_size=4)


class WrittenProgram:
    """The text of a program, and the lines that a thread comes to by the rules of C++."""

    def __init__(self, program):
        self.text = ['extern "C" __global__ void k(int *x) {', "int t = threadIdx.x;", "int a = t + 1;", "int b = t + 2;", "int c = t + 3;"]
        self.body = [self.put(statement) for statement in program]
        self.text += ["x[t] = a + b + c;", "}"]

    def put(self, statement):
        """Write a statement; the same with its line."""
        kind, head, *rest = statement
        line = len(self.text) + 1
        if kind == "set":
            self.text.append(f"{head} = {rest[0]};")
            return kind, line, head, rest[0]
        name = f"k{line}"
        self.text.append(f"if ({head}) {{" if kind == "if" else f"for (int {name} = 0; {name} < {head}; {name}++) {{")
        bodies = [[self.put(statement) for statement in rest[0]]]
        if kind == "if" and rest[1]:
            self.text.append("} else {")
            bodies.append([self.put(statement) for statement in rest[1]])
        self.text.append("}")
        return kind, line, head, *bodies

    def run(self, t):
        """(lines, what x[t] is in the end)"""
        values = {"t": t, "a": t + 1, "b": t + 2, "c": t + 3}
        visited = [1, 2, 3, 4, 5]

        def do(body):
            for kind, line, head, *rest in body:
                visited.append(line)
                if kind == "set":
                    values[head] = eval(rest[0], {}, values)
                elif kind == "if":
                    do(rest[0] if eval(head, {}, values) else rest[1] if len(rest) > 1 else [])
                else:
                    for _ in range(head):
                        do(rest[0])
                        visited.append(line)
        do(self.body)
        return [*visited, len(self.text) - 1, len(self.text)], sum(values[name] for name in NAMES)


@settings(max_examples=15)
@given(programs, st.integers(0, 31))
@example([("for", 2, [("if", "a < b", [("set", "a", "a + (b)")], [("set", "b", "b + (a)")])])], 0)    # b's line only moves a
def test_a_thread_comes_to_the_lines_that_cpp_says_and_writes_what_it_says(program, t):
    written_program = WrittenProgram(program)
    steps = follow("\n".join(written_program.text), 32, NUMBERS, thread=t, limit=1000)
    braces = {line for line, text in enumerate(written_program.text[:-1], 1) if text.startswith("}")}
    expected, result = written_program.run(t)
    assert [step.line for step in steps if step.line not in braces] == expected
    assert (accesses(steps)[-1].value - result) % 2**32 == 0
