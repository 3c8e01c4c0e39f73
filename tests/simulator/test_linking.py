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
    found = np.zeros(1, np.uint32)
    cuda.memcpy_dtoh(found, module.get_global(name)[0])
    return int(found[0])

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
