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
        ptx.PtxModule(modules.checked(text.split("\0")[0].encode()))
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
    ("/" * (17 << 20), "characters of PTX")])
def test_what_would_take_all_memory_is_refused_before_it_is_built(text, why):
    with pytest.raises(ptx.PtxError, match=why):
        ptx.PtxModule(KERNEL.format(**{**USUAL, "body": text}))
