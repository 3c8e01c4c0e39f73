"""The steps of one thread: each line that it comes to, what is assigned on it, and which memory it touches."""
import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from . import follow

NUMBERS = np.arange(32, dtype=np.int32) * 10


def kernel(body, parameters="int *x", before=""):
    """A kernel whose body begins in line 2 of its text."""
    return f'{before}extern "C" __global__ void k({parameters}) {{\n{body}\n}}\n'


def lines(record):
    return [step.line for step in record.steps]


def assigned(record, *but):
    """[(line, {name: value})] of the steps that assign variables, without those named."""
    steps = [(step.line, {name: value for name, value in step.variables.items() if name not in but}) for step in record.steps]
    return [(line, values) for line, values in steps if values]


def touched(record):
    return [(step.line, access.kind, access.space, access.value) for step in record.steps for access in step.accesses]


# Calculated by hand -------------------------------------------------------------------------------------------------------

FIVE_LINES = kernel("""\
    int i = threadIdx.x;
    int before = x[i];
    int twice = 2 * before;
    if (twice > 50)
        x[i] = twice - 1;""")


def test_a_kernel_of_five_lines_step_by_step():
    record = follow(FIVE_LINES, 32, NUMBERS, thread=3)
    assert lines(record) == [1, 2, 3, 4, 5, 6, 7]
    assert assigned(record, "x") == [(2, {"i": 3}), (3, {"before": 30}), (4, {"twice": 60})]
    assert touched(record) == [(3, "read", "global", 30), (6, "write", "global", 59)]


def test_a_thread_that_does_not_take_the_branch_has_no_step_in_it():
    record = follow(FIVE_LINES, 32, NUMBERS, thread=2)
    assert lines(record) == [1, 2, 3, 4, 5, 7] and touched(record) == [(3, "read", "global", 20)]


def test_a_loop_comes_to_its_line_once_before_each_turn_and_once_after_the_last():
    record = follow(kernel("""\
    int sum = 0;
    for (int k = 0; k < 3; k++)
        sum += x[k];
    x[9] = sum;"""), 1, NUMBERS)
    assert lines(record) == [1, 2, 3, 4, 3, 4, 3, 4, 3, 5, 6]
    assert assigned(record, "x") == [(2, {"sum": 0}), (3, {"k": 0}), (3, {"k": 1}), (4, {"sum": 10}), (3, {"k": 2}), (4, {"sum": 30}),
                                     (3, {"k": 3})]


def test_a_loop_on_one_line_has_a_step_for_each_turn():
    record = follow(kernel("    int n = 3;\n    while (x[n] > 0) n--;\n    x[7] = n;"), 1, NUMBERS)
    assert lines(record) == [1, 2, 3, 3, 3, 3, 4, 5]
    assert [value for _, _, _, value in touched(record)] == [30, 20, 10, 0, 0]


def test_a_call_goes_to_the_function_and_comes_back():
    twice = "__device__ __noinline__ int twice(int v) {\n    int w = v + v;\n    return w;\n}\n"
    record = follow(kernel("    x[1] = twice(x[1]) + 1;", before=twice), 1, NUMBERS)
    assert [(step.line, step.depth) for step in record.steps] == [(5, 0), (6, 0), (1, 1), (2, 1), (3, 1), (6, 0), (7, 0)]
    assert assigned(record, "x") == [(1, {"v": 10}), (2, {"w": 20})]
    assert touched(record) == [(6, "read", "global", 10), (6, "write", "global", 21)]


def test_what_a_function_of_a_header_does_belongs_to_the_line_that_calls_it():
    record = follow(kernel("    int before = atomicAdd(x, 5);\n    x[1] = before;"), 1, NUMBERS + 3)
    assert lines(record) == [1, 2, 3, 4]
    assert touched(record) == [(2, "atomic", "global", 3), (3, "write", "global", 3)] and assigned(record, "x") == [(2, {"before": 3})]


def test_recursion_has_variables_of_its_own_in_each_call():
    depth = "__device__ int down(int n) {\n    if (n == 0)\n        return 100;\n    return n + down(n - 1);\n}\n"
    record = follow(kernel("    *x = down(2);", before=depth), 1, NUMBERS)
    assert assigned(record, "x") == [(1, {"n": 2}), (1, {"n": 1}), (1, {"n": 0})]
    assert touched(record)[-1] == (7, "write", "global", 103)


# Values and their types ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("declaration, value, shown", [
    ("int v = -t;", -3, "-3"), ("unsigned v = -t;", 2**32 - 3, "4294967293"), ("signed char v = 250 + t;", -3, "-3"),
    ("unsigned long long v = 1ull << (60 + t);", 2**63, "9223372036854775808"), ("float v = t * 0.1f;", 3 * np.float32(0.1), "0.3"),
    ("double v = t * 0.1;", 3 * 0.1, "0.30000000000000004"), ("float v = t / 0.0f;", np.inf, "inf")])
def test_a_value_is_shown_as_its_type_has_it(declaration, value, shown):
    record = follow(kernel(f"    int t = threadIdx.x;\n    {declaration}\n    x[t] = (int)v;"), 32, NUMBERS, thread=3)
    [(line, values)] = assigned(record, "x", "t")
    assert line == 3 and values["v"] == pytest.approx(value) and repr(values["v"]) == shown


def test_parts_of_structs_and_arrays_have_the_names_that_the_source_gives_them():
    record = follow(kernel("""\
    Pair p = {1, {2.5f, 3.5f}};
    p.y[t & 1] += 1;
    int a[4] = {t, t, t, t};
    a[t & 3] = p.n;
    *x = a[2];""", "int *x, int t", "struct Pair { int n; float y[2]; };\n"), 1, NUMBERS, 3)
    named = [(step.line, access.kind, access.name, access.value) for step in record.steps for access in step.accesses if step.line in (4, 6, 7)]
    assert named == [(4, "read", "p.y[1]", 3.5), (4, "write", "p.y[1]", 4.5), (6, "read", "p.n", 1), (6, "write", "a[3]", 1),
                     (7, "read", "a[2]", 3), (7, "write", "", 3)]


def test_a_callers_variable_that_is_reached_by_a_pointer_has_the_callers_name():
    set_it = "__device__ __noinline__ void set(int *p) { *p = 4; }\n"
    record = follow(kernel("    int v = 1;\n    set(&v);\n    *x = v;", before=set_it), 1, NUMBERS)
    assert [(step.line, access.name, access.space) for step in record.steps for access in step.accesses if access.kind == "write"][:2] == [
        (3, "v", "local"), (1, "v", "local")]


@pytest.mark.parametrize("declared, index, name", [
    ("int s[64]", "s[t]", "s[5]"), ("float s[8][9]", "s[t][2]", "s[5][2]"), ("unsigned char s[100]", "s[t]", "s[5]"),
    ("float4 s[8]", "s[t].z", "s[5].z"), ("int other, s", "s", "s"), ("Pair s[16]", "s[t].b", "s + 44 bytes")])
def test_shared_memory_is_named_by_its_declaration_and_where_that_is_not_plain_by_bytes(declared, index, name):
    source = kernel(f"    __shared__ {declared};\n    int t = threadIdx.x;\n    {index} = 7;\n    *x = (int){index};",
                    before="struct Pair { int a, b; };\n")
    writes = [access for step in follow(source, 8, NUMBERS, thread=5).steps for access in step.accesses if access.space == "shared"]
    assert [(access.kind, access.name, access.value) for access in writes] == [("write", name, 7), ("read", name, 7)]


@pytest.mark.parametrize("line, value", [("f[0] = 7;", 7.0), ("*(int *)f = 7;", 7 * 2.0**-149), ("atomicAdd((int *)f, 1);", 0x40000000),
                                         ("*(float *)i = 2;", 0x40000000)])
def test_a_value_is_shown_as_the_variable_has_it_and_an_atomic_one_as_it_is_used(line, value):
    source = kernel(f"    __shared__ float f[4];\n    __shared__ int i[4];\n    f[0] = 2;\n    {line}\n    *x = f[0] + i[0];")
    [accesses] = [step.accesses for step in follow(source, 1, NUMBERS).steps if step.line == 5]
    assert [access.value for access in accesses] == [value]


def test_an_address_is_told_within_its_space():
    source = kernel("    __shared__ int s[64];\n    s[threadIdx.x] = 1;\n    *x = s[0];")
    shared = [access.address for step in follow(source, 32, NUMBERS, thread=5).steps for access in step.accesses if access.space == "shared"]
    assert shared == [20, 0]


def test_constant_and_device_variables_have_their_names_and_spaces():
    record = follow(kernel("    counter[1] = table[t];", "int t", "__constant__ int table[4] = {5, 6, 7, 8};\n__device__ int counter[2];\n"), 1, 2)
    [accesses] = [[(access.kind, access.space, access.name, access.value) for access in step.accesses] for step in record.steps if step.accesses]
    assert accesses == [("read", "const", "table[2]", 7), ("write", "global", "counter[1]", 7)]


def test_what_a_barrier_answers_is_assigned_on_its_line():
    record = follow(kernel("    int n = __syncthreads_count(threadIdx.x < 5);\n    *x = n;"), 64, NUMBERS, thread=40)
    assert assigned(record, "x")[-1] == (2, {"n": 5})


def test_a_vector_is_told_part_by_part():
    source = kernel("    x[t] = y[t];", "int4 *x, const int4 *y, int t")
    record = follow(source, 1, NUMBERS, NUMBERS, 1, options=("--generate-line-info",))      # one instruction, without -G
    writes = [access for step in record.steps for access in step.accesses if access.kind == "write"]
    assert [access.value for access in writes] == [40, 50, 60, 70] and [access.address - writes[0].address for access in writes] == [0, 4, 8, 12]


def test_a_parameter_without_a_name_does_not_shift_the_others():
    record = follow(kernel("    x[n] = 1;", "int, int *x, int n"), 1, 7, NUMBERS, 3)
    assert assigned(record, "x") == [(1, {"n": 3})]


# Which thread, which launch, how long ---------------------------------------------------------------------------------------

def test_a_thread_is_found_in_a_block_of_three_axes_and_a_later_block():
    source = kernel("    int i = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z + 1000000 * blockIdx.x;\n    x[0] = i;")
    record = follow(source, (4, 3, 5), NUMBERS, grid=7, thread=(3, 2, 4), of_block=6)
    assert assigned(record, "x") == [(2, {"i": 6040203})] and record.block == (4, 3, 5) and record.grid == (7, 1, 1)


def test_steps_beyond_the_limit_are_counted():
    source = kernel("    for (int k = 0; k < 100; k++)\n        x[k & 7] += k;")
    record = follow(source, 1, NUMBERS, limit=5)
    assert lines(record) == [1, 2, 3, 2, 3] and record.more_steps == 1 + 201 + 1 - 5


def test_without_debug_information_lines_and_registers_remain():
    record = follow(FIVE_LINES, 32, NUMBERS, thread=3, options=("--generate-line-info",))
    assert not record.named and assigned(record) == [] and 3 in lines(record)
    assert (30 in [access.value for step in record.steps for access in step.accesses])


def test_without_lines_each_instruction_is_a_step():
    record = follow(FIVE_LINES, 32, NUMBERS, thread=3, options=())
    assert set(lines(record)) == {0} and record.steps[-1].text == "ret;" and record.steps[0].text.startswith("ld.param")


# Programs that Hypothesis writes -------------------------------------------------------------------------------------------

NAMES = ("a", "b", "c")


@st.composite
def updates(draw):
    """("set", a, "a + b"): a variable depends on what it was, so that no line is needless."""
    name = draw(st.sampled_from(NAMES))
    other = draw(st.sampled_from([name_ for name_ in (*NAMES, "t") if name_ != name] + ["3", "5", "-7"]))
    return "set", name, f"{name} {draw(st.sampled_from('+-^'))} ({other})"


@st.composite
def branches(draw, inner):
    left, right = draw(st.permutations((*NAMES, "t")))[:2]
    return ("if", f"{left} {draw(st.sampled_from(['<', '>', '==', '!=']))} {right}", draw(st.lists(inner, min_size=1, max_size=2)),
            draw(st.lists(inner, max_size=2)))


def loops(inner):
    return st.tuples(st.just("for"), st.integers(0, 3), st.lists(inner, min_size=1, max_size=2))


programs = st.lists(st.recursive(updates(), lambda inner: branches(inner) | loops(inner), max_leaves=5), min_size=1, max_size=4)


class Written:
    """The text of a program, and what a thread does in it by the rules of C++: [(line, {name: value})]."""

    def __init__(self, program):
        self.text = ['extern "C" __global__ void k(int *x) {', "int t = threadIdx.x;", "int a = t + 1;", "int b = t + 2;", "int c = t + 3;"]
        self.body = [self.put(statement) for statement in program]
        self.text += ["x[t] = a + b + c;", "}"]

    def put(self, statement):
        """Write a statement; the same with its line, and with the name of a loop's variable."""
        what, first, *rest = statement
        line = len(self.text) + 1
        if what == "set":
            self.text.append(f"{first} = {rest[0]};")
            return what, line, first, rest[0]
        name = f"k{line}"
        self.text.append(f"if ({first}) {{" if what == "if" else f"for (int {name} = 0; {name} < {first}; {name}++) {{")
        bodies = [[self.put(statement) for statement in rest[0]]]
        if what == "if" and rest[1]:
            self.text.append("} else {")
            bodies.append([self.put(statement) for statement in rest[1]])
        self.text.append("}")
        return what, line, first if what == "if" else (name, first), *bodies

    def run(self, t):
        values = {"t": t, "a": t + 1, "b": t + 2, "c": t + 3}
        seen = [(1, {}), *((line, {name: value}) for line, (name, value) in enumerate(values.items(), 2))]

        def do(body):
            for what, line, first, *rest in body:
                if what == "set":
                    values[first] = eval(rest[0], {}, values)
                    seen.append((line, {first: values[first]}))
                elif what == "if":
                    seen.append((line, {}))
                    do(rest[0] if eval(first, {}, values) else rest[1] if len(rest) > 1 else [])
                else:
                    name, count = first
                    for turn in range(count):
                        seen.append((line, {name: turn}))
                        do(rest[0])
                    seen.append((line, {name: count}))
        do(self.body)
        return [*seen, (len(self.text) - 1, {}), (len(self.text), {})]


@settings(max_examples=15)
@given(programs, st.integers(0, 31))
@example([("for", 2, [("if", "a < b", [("set", "a", "a + (b)")], [("set", "b", "b + (a)")])])], 0)    # b's line only moves a
def test_a_thread_comes_to_the_lines_that_cpp_says_and_each_value_is_right(program, t):
    written = Written(program)
    record = follow("\n".join(written.text), 32, NUMBERS, thread=t, limit=1000)
    braces = {line for line, text in enumerate(written.text[:-1], 1) if text.startswith("}")}
    steps, expected = [step for step in record.steps if step.line not in braces], written.run(t)
    assert [step.line for step in steps] == [line for line, _ in expected]
    for step, (_, values) in zip(steps, expected):
        assert {name: value for name, value in step.variables.items() if name != "x"}.items() <= values.items()
