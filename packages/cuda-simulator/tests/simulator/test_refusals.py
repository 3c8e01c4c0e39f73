"""PTX with one peculiarity each, most of it wrong: what an H200's driver loads, and with which code it refuses the rest.

refusals.jsonl has a text in each line, and the CUresult of cuModuleLoadDataEx (driver 580.159.04, CUDA 13.0; 0 is success). ptxas 13.0
answers alike, but for static shared memory, of which it takes 48 KiB, and for variables in local memory outside of functions. "here" is
what the simulated driver answers instead: 218 for what it does not know or bounds more closely, 0 for the few texts that it takes.
"""
import json
from pathlib import Path

from cuda_simulator import ptx
from cuda_simulator.device import modules
from cuda_simulator.libcuda.results import CallError
from cuda_simulator.ptx import flow

import pytest

KERNEL = """.version {version}
.target {target}
{address}

{head}
.visible .entry k({parameters})
{limits}
{{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .f64 %fd<8>;
{body}
ret;
}}
"""
USUAL = {"version": "8.0", "target": "sm_80", "address": ".address_size 64", "head": "", "parameters": ".param .u64 p", "limits": "", "body": ""}

LINES = Path(__file__).with_name("refusals.jsonl").read_text().splitlines()


def answer(case):
    text = case["text"] if "text" in case else KERNEL.format(**{**USUAL, **case})
    try:
        ptx.PtxModule(modules.checked_ptx(text.split("\0")[0].encode()))
    except ptx.PtxError:
        return 218      # CUDA_ERROR_INVALID_PTX
    except CallError as error:
        return int(error.result)
    return 0


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_ptx_is_loaded_where_an_h200_loads_it_and_refused_with_its_code(line):
    case = json.loads(line)
    assert answer(case) == case.get("here", case["h200"])


@pytest.mark.parametrize("text, why", [
    (".reg .b32 %q<2147483648>;", "more than 1048576 registers"),
    (".global .align 2147483648 .b8 g[4];", "an alignment of 2147483648"),
    ("mov.b32 %r1, " + "(" * 20000 + "1" + ")" * 20000 + ";", "expected an operand"),
    ("/" * (17 << 20), "characters of PTX"),
    (".loc " + "1" * 5000 + " 1 1\n", "more digits, or braces in each other"),
    (".shared .b32 s[1] = " + "{" * 5000 + "1" + "}" * 5000 + ";", "more digits, or braces in each other")])
def test_what_would_take_all_memory_is_refused_before_it_is_built(text, why):
    with pytest.raises(ptx.PtxError, match=why):
        ptx.PtxModule(KERNEL.format(**{**USUAL, "body": text}))


@pytest.mark.parametrize("field", ["version", "target"])
def test_a_header_with_a_number_of_thousands_of_digits_is_refused(field):
    assert answer({field: USUAL[field] + "0" * 5000}) in (218, 222)      # CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION


def test_more_registers_and_branches_than_can_be_followed_are_refused(monkeypatch):
    body = "".join(f"$L{i}: @%p0 bra $L{i};" for i in range(20))
    ptx.PtxModule(KERNEL.format(**{**USUAL, "body": body}))
    monkeypatch.setattr(flow, "MOST_LIVENESS", 40)
    with pytest.raises(ptx.PtxError, match="places where threads can part, and .* registers"):
        ptx.PtxModule(KERNEL.format(**{**USUAL, "body": body}))


def test_a_module_whose_kernels_call_many_functions_each_is_refused_before_they_are_made_ready():
    # Each kernel reaches 2 to the power of 16 instructions: a function counts as 50 more.
    functions = ".func f0() {" + 17 * "membar.gl; " + "ret; }\n" + "".join(f".func f{i}() {{ call f{i - 1}; ret; }}\n" for i in range(1, 1260))
    entries = "".join(f".visible .entry k{i}() {{ call f1259; ret; }}\n" for i in range(5))
    with pytest.raises(ptx.PtxError, match=r"more than 262144 .* load the kernels in several modules\n *k4"):
        ptx.PtxModule(KERNEL.format(**{**USUAL, "head": functions + entries}))


def test_a_name_that_is_declared_in_a_thousand_scopes_stays_short():
    program = ptx.parse(KERNEL.format(**{**USUAL, "body": "{.reg .b32 t;}" * 1000}))
    names = [name for name in program.functions["k"].registers if name.startswith("t")]
    assert len(set(names)) == 1000 and max(map(len, names)) < 8


def test_of_functions_that_call_the_next_one_twice_each_is_looked_at_once():
    # In as many ways as 2 to the power of 60 a call gets to the last one, of which the loop has to know whether it may wait.
    head = "".join(f".func f{i}();" for i in range(61)) + "".join(f".func f{i}() {{ call f{i + 1}; call f{i + 1}; ret; }}" for i in range(60))
    for last_body, waits in (("", False), ("membar.gl;", True)):
        module = ptx.PtxModule(KERNEL.format(**{**USUAL, "head": f"{head} .func f60() {{ {last_body} ret; }}",
                                                "body": "$L: call f0; @%p0 bra $L;"}))
        blocks = module.kernels["k"].linker.codes["k"].blocks
        assert any(block.carried is not None for block in blocks) == waits


def test_a_file_may_be_declared_once_more_by_the_same_name():
    """As in the debug information of numba-cuda 0.30.4, whose own tests load it; with another name an H200 refuses it."""
    assert answer({"head": '.file 1 "a"\n.file 1 "a"'}) == 0
    assert answer({"head": '.file 1 "a"\n.file 1 "b"'}) == 218
