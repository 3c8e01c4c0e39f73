"""PTX texts that become one module: a name without .visible belongs to its text (PTX ISA, Linking Directives: .visible)."""
from .programs import output

# A text has a variable and a function of its own, of the same names in every text, and adds a step to the one by the other.
LINKED = """
from cuda.bindings import driver as cu
HEAD = ".version 8.0\\n.target sm_75\\n.address_size 64\\n"

def text(kernel, start, step):
    return HEAD + f'''
.global .u32 mine = {start};
.visible .global .u32 {kernel}_found;
.func bump()
{{
    .reg .u32 %r; ld.global.u32 %r, [mine]; add.u32 %r, %r, {step}; st.global.u32 [mine], %r; st.global.u32 [{kernel}_found], %r;
    ret;
}}
.visible .entry {kernel}() {{ call bump; ret; }}
'''

def linked(*texts):
    error, state = cu.cuLinkCreate(0, [], [])
    for one in texts:
        error, = cu.cuLinkAddData(state, cu.CUjitInputType.CU_JIT_INPUT_PTX, one.encode() + b"\\0", len(one) + 1, b"", 0, [], [])
        if error:
            return error.name
    error, image, size = cu.cuLinkComplete(state)
    return error.name if error else cuda.module_from_buffer(ctypes.string_at(image, size))

def number(module, name):
    value = np.zeros(1, np.uint32)
    cuda.memcpy_dtoh(value, module.get_global(name)[0])
    return int(value[0])

def found_by(module, kernel):
    module.get_function(kernel)(block=(1, 1, 1))
    return number(module, kernel + "_found")
"""


def test_each_text_uses_its_own_names():
    assert output(LINKED + """
module = linked(text("first", 10, 1), text("second", 500, 7))
print([found_by(module, kernel) for kernel in ("first", "second", "first")])
""") == "[11, 507, 12]\n"


def test_a_name_of_one_text_is_not_taken_for_what_another_offers():
    assert output(LINKED + """
offers = HEAD + ".visible .global .u32 mine = 7000;"
for texts in (text("first", 10, 1), offers), (offers, text("first", 10, 1)):
    module = linked(*texts)
    print(found_by(module, "first"), number(module, "mine"))
""") == "11 7000\n11 7000\n"


def test_what_one_text_keeps_to_itself_does_not_serve_another():
    assert output(LINKED + """
print(linked(text("first", 10, 1), HEAD + ".extern .func bump(); .visible .entry go() { call bump; ret; }"))
""") == "CUDA_ERROR_UNKNOWN\n"


def test_a_visible_name_in_two_texts_is_refused():
    assert output(LINKED + """
print(linked(text("first", 10, 1), text("first", 20, 1)))
""") == "CUDA_ERROR_UNKNOWN\n"


def test_a_name_that_is_weak_or_common_may_be_in_two_texts_and_the_one_that_is_neither_counts():
    assert output(LINKED + """
common, weak, visible = (f"{linkage} .global .u32 shared" for linkage in (".common", ".weak", ".visible"))
for one, other in (common, common), (common, visible + " = 6"), (weak + " = 5", weak + " = 6"), (weak + " = 5", visible + " = 6"):
    for texts in (one, other), (other, one):
        print(number(linked(*(HEAD + text + ";" for text in texts)), "shared"), end=" ")
""") == "0 0 6 6 5 6 6 6 "


def test_a_weak_function_of_two_texts_is_one():
    assert output(LINKED + """
both = ".weak .func (.param .u32 r) seven() { st.param.u32 [r], 7; ret; }"
def user(kernel):
    return HEAD + both + f'''
.visible .global .u32 {kernel}_found;
.visible .entry {kernel}()
{{ .reg .u32 %r; {{ .param .u32 r; call (r), seven; ld.param.u32 %r, [r]; }} st.global.u32 [{kernel}_found], %r; ret; }}
'''
module = linked(user("first"), user("second"))
print(found_by(module, "first"), found_by(module, "second"))
""") == "7 7\n"


def test_a_caller_may_expect_a_result_that_the_function_of_another_text_does_not_give():
    assert output(LINKED + """
caller = '''
.extern .func (.param .b32 r) nothing(.param .b64 at);
.visible .global .u32 go_found;
.visible .entry go()
{ .reg .u64 %a; mov.u64 %a, go_found; cvta.global.u64 %a, %a;
  { .param .b64 at; st.param.b64 [at], %a; .param .b32 r; call (r), nothing, (at); }
  ret; }
'''
callee = ".visible .func nothing(.param .b64 at) { .reg .u64 %a; ld.param.u64 %a, [at]; st.u32 [%a], 42; ret; }"
print(found_by(linked(HEAD + caller, HEAD + callee), "go"))
""") == "42\n"


def test_a_limit_of_registers_holds():
    """Numba's max_registers and cuda.core's max_register_count are options of the linker."""
    assert output(LINKED + """
many = HEAD + ".visible .entry go(.param .u64 p) { .reg .b64 %r<200>; ret; }"
values = [cu.cuLinkCreate(0, [], []), cu.cuLinkCreate(1, [cu.CUjit_option.CU_JIT_MAX_REGISTERS], [38])]
for error, state in values:
    assert not cu.cuLinkAddData(state, cu.CUjitInputType.CU_JIT_INPUT_PTX, many.encode(), len(many), b"", 0, [], [])[0]
    error, image, size = cu.cuLinkComplete(state)
    print(cuda.module_from_buffer(ctypes.string_at(image, size)).get_function("go").num_regs)
""") == "200\n38\n"
