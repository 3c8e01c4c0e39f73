"""CUDA C++ beside its PTX: which line became which instructions."""
import re

from course_lib import driver, kernels
from course_lib.core.errors import WrongArgument
from courseware import kernel_views
from courseware.kernel_views.listing import NUMBER
from courseware.kernel_views.notation import OPCODES, Notation
from courseware.kernel_views.ptx_text import PtxText

import pytest

PTX = """
.version 9.0            // a comment: .loc 9 9 9
.target sm_90
.address_size 64
.global .align 4 .u32 unused[3] = {1, 2, 3};
.visible .func  (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	.reg .b32 	%r<2>;
	.loc	1 2 0
	ld.param.u32 	%r1, [helper_param_0];
	st.param.b32 	[func_retval0+0], %r1;
	ret;
}
.visible .entry k(
	.param .u64 k_param_0
)
.maxntid 64, 1, 1
{
	.reg .b32 	%r<9>;
	.loc	1 5 0
	.shared .align 4 .b8 _ZZ1kE1s[256];
	ld.param.u64 	%rd1, [k_param_0];
	.loc	1 6 5
	setp.eq.s32 	%p1, %r1, 0;
	@!%p1 bra 	$L__BB0_2;
	.loc	1 7 9
	.loc	2 40 3, function_name $L__info_string0, inlined_at 1 7 9
	.loc	1 3 14, function_name $L__info_string1, inlined_at 2 40 3
	{ // callseq 0, 0
	.param .b32 param0;
	call.uni (retval0),
	helper,
	(
	param0
	);
	} // callseq 0
	.loc	1 0 9
	// begin inline asm
	{ mov.u32 %r2, %laneid; add.u32 %r3, %r2, {%r4, %r5}; }
	// end inline asm
$L__BB0_2:
	.loc	1 8 1
	st.shared.u32 	[_ZZ1kE1s+4], %r3;
	ret;
}
	.file	1 "/some/folder/kernel.cu"
	.file	2 "/usr/include/helper_functions.hpp"
	.section	.debug_str
	{
$L__info_string0:
.b8 116,119,105,99,101,0
	}
"""


@pytest.fixture(scope="module")
def text():
    return PtxText(PTX)


def of(text, function):
    return [(instruction.number, instruction.text, instruction.places) for instruction in text.instructions if instruction.function == function]


# Reading PTX --------------------------------------------------------------------------------------------------------------

def test_each_instruction_has_its_number_and_the_places_that_it_is_from(text):
    inlined = (("kernel.cu", 3), ("helper_functions.hpp", 40), ("kernel.cu", 7))
    assert of(text, "k") == [
        (1, "ld.param.u64 %rd1, [k_param_0];", (("kernel.cu", 5),)),
        (2, "setp.eq.s32 %p1, %r1, 0;", (("kernel.cu", 6),)),
        (3, "@!%p1 bra $L__BB0_2;", (("kernel.cu", 6),)),
        (4, "call.uni (retval0), helper, ( param0 );", inlined),
        (5, "mov.u32 %r2, %laneid;", inlined),                      # line 0: no news
        (6, "add.u32 %r3, %r2, {%r4, %r5};", inlined),
        (0, "$L__BB0_2:", (("kernel.cu", 8),)),                     # of what comes after it
        (7, "st.shared.u32 [_ZZ1kE1s+4], %r3;", (("kernel.cu", 8),)),
        (8, "ret;", (("kernel.cu", 8),))]


def test_a_function_counts_its_own_instructions(text):
    assert [number for number, _, _ in of(text, "helper")] == [1, 2, 3]
    assert text.first_places == {"helper": ("kernel.cu", 2), "k": ("kernel.cu", 5)}


def test_functions_that_are_called_belong_to_a_kernel(text):
    assert text.calls("k") == {"k", "helper"} and text.calls("helper") == {"helper"}


def test_declared_memory_is_kept_and_other_directives_by_their_names(text):
    assert text.memory == {"unused": ".global .align 4 .u32 unused[3];", "_ZZ1kE1s": ".shared .align 4 .b8 _ZZ1kE1s[256];"}
    assert list(text.directives) == [".version", ".target", ".address_size", ".func", ".param", ".reg", ".loc", ".entry", ".file",
                                     ".section"]


def test_an_opcode_is_told_without_its_predicate(text):
    assert [instruction.opcode for instruction in text.instructions if instruction.function == "k"][2:5] == ["bra", "call.uni", "mov.u32"]


# The listing --------------------------------------------------------------------------------------------------------------

SOURCE = """
__device__ float twice(float v) {
    return v + v;
}

__global__ void other(int *x) { *x = 3; }

__global__ void scale(float *data, int n) {
    __shared__ float s[64];
    int i = threadIdx.x;

    if (i < n) {
        s[i] = twice(data[i]);
    }
    __syncthreads();
    data[i] = s[i ^ 1] + sinf(data[i]);
}
"""


@pytest.fixture(scope="module")
def code(context):
    return kernels.compile(SOURCE)


def opcodes(line):
    return [instruction.opcode.split(".")[0] for instruction in line.instructions]


def test_a_line_stands_beside_what_it_became(code):
    lines = {line.number: line for line in kernel_views.source(code.scale).lines}
    assert opcodes(lines[15]) == ["bar"] and lines[15].text == "    __syncthreads();"
    assert {"setp", "bra"} <= set(opcodes(lines[12])) and "st" in opcodes(lines[13]) and opcodes(lines[17])[-1] == "ret"


def test_a_kernels_listing_has_all_its_lines_but_blank_ones_and_no_other_kernels(code):
    assert [line.number for line in kernel_views.source(code.scale).lines] == [3, 8, 9, 10, 12, 13, 14, 15, 16, 17]
    assert [line.number for line in kernel_views.source(code.other).lines] == [6]
    assert [line.number for line in kernel_views.source(code).lines] == [3, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17]


def test_an_inlined_function_keeps_its_line_and_says_where_it_went(code):
    [line] = kernel_views.source(code.scale, line=3).lines
    assert opcodes(line) == ["add"] and "// inlined into line 13" in repr(kernel_views.source(code.scale, line=3))


def test_of_a_line_that_is_in_two_functions_each_instruction_says_in_which(context):
    code = kernels.compile("""__device__ void fill(int *x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = n;
}
__global__ void one(int *x, int n) { fill(x, n); }
__global__ void two(int *x, int n) { fill(x + n, n); }""")
    text = repr(kernel_views.source(code, line=2))
    assert set(re.findall("  // (.*)", text)) == {"inlined into line 4, in one", "inlined into line 5, in two"}
    assert re.findall(r"\$L\w+:(.*)", text) and not any(re.findall(r"\$L\w+:(.*)", text)), "a label is no instruction"
    assert "in one" not in repr(kernel_views.source(code.one, line=2))


@pytest.mark.parametrize("letters, shown", [(60, 60), (61, 56)])
def test_of_a_long_line_the_text_shows_the_begin(context, letters, shown):
    line = "__global__ void k(int *x) { *x = 1; } //".ljust(letters, "-")
    text = repr(kernel_views.source(kernels.compile(line).k, line=1))
    assert line[:shown] + " ..." * (shown < letters) + "  " in text and (line in text) == (shown == letters)


def test_lines_are_counted_alike_where_the_source_says_extern_c_itself(context):
    itself = kernel_views.source(kernels.compile(SOURCE.replace("__global__", 'extern "C" __global__')).scale)
    assert [line.number for line in itself.lines] == [3, 8, 9, 10, 12, 13, 14, 15, 16, 17]


def test_what_a_header_did_is_at_the_line_that_uses_it_with_the_headers_name(context, tmp_path):
    (tmp_path / "mine.h").write_text("\n\n__device__ inline float half_of(float v) { return v / 2; }\n")
    code = kernels.compile('#include "mine.h"\n__global__ void k(float *x) {\n    *x = half_of(*x);\n}', [f"-I{tmp_path}"])
    listing = repr(kernel_views.source(code.k, line=3))
    assert "  // mine.h:3" in listing and str(tmp_path) not in listing


def test_ptx_is_for_the_same_architecture_everywhere(code):
    assert kernel_views.source(code).architecture == "compute_90" and ".target sm_90" in kernel_views.source(code).ptx


@pytest.mark.skipif(not driver.attached.simulated, reason="a newer GPU refuses machine code for an older one")
def test_ptx_is_for_the_architecture_that_the_options_name(code):
    older = kernels.compile("__global__ void k(int *x) { *x = N; }", ["-arch=sm_80", "-DN=4"])
    assert ".target sm_80" in kernel_views.source(older.k).ptx and kernel_views.source(older.k).architecture == "compute_80"


def test_debugging_asks_for_no_lines_twice(context):
    assert ".target sm_90, debug" in kernel_views.source(kernels.compile("__global__ void k(int *x) { *x = 1; }", ["-G"])).ptx


def test_memory_that_the_instructions_name_is_told_and_the_rest_only_by_its_directives(code):
    listing = kernel_views.source(code.scale)
    assert any(memory.startswith(".shared") and "[256]" in memory for memory in listing.memory)
    assert repr(listing).splitlines()[-1].startswith("PTX for compute_90, written by NVRTC ") and "(.version, .target," in repr(listing)
    assert kernel_views.source(code.other).memory == ()


def test_the_text_has_the_same_as_the_table_and_a_long_line_is_folded_only_in_the_whole(code):
    whole, of_line = kernel_views.source(code.scale), kernel_views.source(code.scale, line=16)
    assert len(of_line.lines[0].instructions) > 16
    assert "lines of PTX</summary>" in whole._repr_html_() and "lines of PTX</summary>" not in of_line._repr_html_()
    for instruction in of_line.instructions:
        assert instruction.text in repr(of_line) and instruction.text in repr(whole)
    numbers = re.findall(rf"<tr><td {re.escape(NUMBER)}>(\d*)</td>", whole._repr_html_())
    assert numbers == [str(line.number or "") for line in whole.lines] and "16" in numbers


@pytest.mark.parametrize("line, message", [(14, "line 14 of the source became no instruction: these did: 3, 8, 10, 12,"),
                                           (99, "line 99 of the source became no"), ("4", "line='4' is no number of a line"),
                                           ([4.5], "is no number of a line")])
def test_a_line_without_instructions_is_refused_with_those_that_have_some(code, line, message):
    with pytest.raises(WrongArgument) as error:
        kernel_views.source(code.scale, line=line)
    assert message in str(error.value)


def test_what_is_no_kernel_is_refused():
    with pytest.raises(WrongArgument, match="pass code, or code.scale"):
        kernel_views.source(SOURCE)


# The words of PTX ----------------------------------------------------------------------------------------------------------

def words(*ptx):
    functions = "".join(f".entry k{number}() {{ {body} }}" for number, body in enumerate(ptx))
    return [word for word, _, _ in Notation.of(PtxText(functions).instructions).rows]


def test_only_words_that_appear_are_explained():
    assert words("ld.global.f32 %f2, [%rd4];") == ["ld", ".global", ".f32", "%r1, %rd1, %f1", "[%rd1+4]"]
    notation = Notation.of(PtxText(".entry k() { bra $L1; }").instructions)
    assert repr(notation).splitlines()[1].startswith("bra ") and repr(notation).splitlines()[1].split() == " ".join(notation.rows[0]).split()
    assert words("@%p1 bra $L1;") == ["bra", "@%p1, @!%p1"] and words("nonsense.x %y;") == []


def test_an_access_that_names_no_space_is_explained_as_generic():
    assert "no space" in words("ld.u32 %r1, [%rd1];") and "no space" not in words("st.shared.u32 [%rd1], %r1;")


def test_a_notebook_takes_no_label_for_the_beginning_of_a_formula(code):
    """JupyterLab typesets what is between two dollar signs, unless it is in an element of this class."""
    looped = kernel_views.source(kernels.compile("__global__ void f(int *x, int n) { for (int i = 0; i < n; i++) x[x[i]] = i; }").f)
    assert repr(looped).count("$L") > 1
    assert looped._repr_html_().startswith("<div class='mathjax_ignore ")


def test_every_opcode_of_a_kernel_as_lessons_have_them_is_explained(code):
    listing = kernel_views.source(kernels.compile(SOURCE.replace("sinf(data[i])", "atomicAdd(data, 1.0f)")).scale)
    assert {instruction.opcode.split(".")[0] for instruction in listing.instructions if instruction.number} <= OPCODES.keys()
    assert all(meaning and section for _, meaning, section in listing.notation.rows)
    assert "What these words of PTX mean" in listing._repr_html_()
