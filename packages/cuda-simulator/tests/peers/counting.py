"""What came of other projects' tests, in groups; the file with the counts, and the tables made from it."""
import collections
import json
import re
from pathlib import Path

from . import suites

COUNTS = Path(__file__).with_name("counts.json")
OUTCOMES = ("passed", "skipped", "xfailed", "failed")
# The group of a failure -> what it is known by: in what the test asked for, as the plugin notes it, or in its last message.
# The first that fits counts.
GROUPS = {
    "machine code (cubin)": r"machine code|ELF_SIZE_MISMATCH",
    "graphs and captured streams": r"\bcu\w*Graph(?!ics)|\bcu\w*Capture",
    "arrays, textures, surfaces": r"\bcu\w*(Array|Tex|Surf|Mipmap)|CUDA arrays",
    "graphics": r"\bcu(GL|EGL|VDPAU|Graphics)",
    "tensor maps, green contexts, multicast": r"\bcu(TensorMap|Green|DevSm|Multicast|\w*DevResource)",
    "PTX that an H200 refuses as well": r"PTX: file \d+ is declared twice",
    "PTX that is not simulated": r"PTX: ",
    "the runtime, libcudart": r"cudaError|Cudart Error|^test_cudart|from cudaGetDeviceCount",
    "files that need cffi, which was not installed": r"No module named 'cffi'",
    "another library, NVML": r'"nvml" is an NVIDIA',
    "lists of names of another cuda-bindings than theirs": r"has members not covered|members, but expected|not covered by _CASES",
    "nvJitLink, in whose place the driver links": r"nvjitlink|nvJitLink|cuLink driver linker",
    "examples that need CuPy, PyTorch, graphs, textures, tensor maps or clusters": r"^example_tests/",
    "other functions, or parts of them": r"\bcu[A-Z]\w*( \(.*)?$|CUDA_ERROR_NOT_SUPPORTED",
    "time": r"assert (0\.0|1\.17\S+) >",
    "waits for the whole grid": r"device runtime \(.*cudaC|defined nowhere: cudaC",
    "a handle for other processes, which this Numba reads from an older cuda-bindings": r"CUipcMemHandle' object has no attribute",
    "processes, which have no driver":
        r"test_ipc\.py|test_ptds|process failed with code|driver library cannot be found|returned non-zero exit status 1",
    "a kernel of more than a minute, and the tests in its context": r"LAUNCH_TIMEOUT|Linker has been closed",
    "compilers of CUDA 13 and Numba itself, before a driver call":
        r"NvvmError|NvrtcError|NVRTC Compil|not found in '//|Signature mismatch",
    "no tests, but taken for some by pytest": r"::test_multiple_hcmp",
    "kernels that launch kernels": r"test_recursive_launch|test_jit_link_module",
    "a PyCUDA compiled without cuRAND": r"get_curand_version",
}
OTHER = "something else"
# A function that tests ask for and do not get -> what becomes of it.
ARRAYS = "no, because an array has no address and no documented layout; textures and surfaces, which read it, are not simulated"
GRAPHS = "no, because a graph is a second way to give every kind of work"
TENSOR_MAPS = "no, because the instructions that use such a map (TMA) are not simulated"
BECOMES = {
    "cuArrayCreate": ARRAYS, "cuArray3DCreate": ARRAYS, "cudaMallocArray": ARRAYS, "cuMipmappedArrayCreate": ARRAYS, "cuTexObjectCreate": ARRAYS,
    "cuGraphCreate": GRAPHS, "cudaGraphCreate": GRAPHS, "cuTensorMapEncodeTiled": TENSOR_MAPS, "cuTensorMapEncodeIm2col": TENSOR_MAPS,
    "cuOccupancyMaxActiveClusters": "no, because clusters are not simulated",
}


def group(test, result):
    """Why a test failed, as far as what it asked for and what it said tell it."""
    texts = [*result["lacks"], result["why"], test]
    return next((name for name, form in GROUPS.items() if any(re.search(form, text) for text in texts)), OTHER)


def counts_of(results):
    """Counts of a suite: outcomes, groups of failures, and what failed without a group, with its last line."""
    failures = {test: result for test, result in results.items() if result["outcome"] not in OUTCOMES[:3]}
    groups = collections.Counter(group(test, result) for test, result in failures.items())
    outcomes = (result["outcome"] if result["outcome"] in OUTCOMES else "failed" for result in results.values())
    skips = (result["why"] for result in results.values() if result["outcome"] == "skipped")
    return {"outcomes": dict(collections.Counter(outcomes)),
            "failed": dict(groups.most_common()),
            "functions": dict(collections.Counter(lack for result in failures.values() for lack in result["lacks"]
                                                  if lack.startswith("cu")).most_common(12)),
            "something else": {test: re.sub(r"/\S*/", "", result["why"]) or result["outcome"] for test, result in failures.items()
                               if group(test, result) == OTHER},    # without the folders of the machine
            "skipped": dict(collections.Counter(skips).most_common(8))}


def table(counts):
    """The table of docs/other-projects.md, a row for each project."""
    rows = ["| tests of | run on | passed | skipped | failed | why they failed |", "|---|---|---|---|---|---|"]
    for name, suite in counts.items():
        number = suite["outcomes"].get
        why = "; ".join(f"{count} {reason}" for reason, count in sorted(suite["failed"].items(), key=lambda pair: -pair[1]))
        part = "" if suite["whole"] else ", the first of them"
        skipped = number("skipped", 0) + number("xfailed", 0)
        rows.append(f"| {name} {suite['version']}{part} | {suite['date']} | {number('passed', 0):,} | {skipped:,} "
                    f"| {number('failed', 0):,} | {why or '-'} |")
    return "\n".join(rows)


def times(counts):
    """A table of the processor time that tests took over one thing and another, Numba's own simulator among them."""
    rows = [f"| {name} {suite['version']} | {suite['date']} | {suite['outcomes'].get('passed', 0)} | {suite['processor seconds']} s |"
            for name, suite in counts.items() if " over " in name and suite["whole"] and "processor seconds" in suite]
    return "\n".join(["| tests of | run on | passed | processor time |", "|---|---|---|---|", *rows])


def missing_functions(counts):
    """A table of the functions that most tests, of all projects, asked for and did not get."""
    functions = collections.Counter()
    for suite in counts.values():
        functions.update({lack.partition(" (")[0]: number for lack, number in suite["functions"].items()})
    functions = sorted(functions.items(), key=lambda pair: (-pair[1], pair[0]))
    return "\n".join(["| function | tests that failed for it | will it come? |", "|---|---|---|",
                      *(f"| `{name}` | {number} | {BECOMES.get(name, 'not decided')} |" for name, number in functions[:10])])


def left_out():
    """What is not run of the suites that were counted, and why: a list in Markdown."""
    return "\n".join(f"- {name}: {', '.join(f'`{part}`' for part in parts)}: {why}" for name in saved_counts()
                     for why, parts in suites.SUITES[name].reasons().items())


def saved_counts():
    return json.loads(COUNTS.read_text()) if COUNTS.exists() else {}


def save(counts):
    COUNTS.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")
