"""What NVIDIA's compute-sanitizer says of the corpus and of the published races: run on a machine with a GPU and the CUDA toolkit.

    python -m tests.examine.sanitizer [kernel ...]      writes sanitizer.json beside this file; of named kernels alone, into it

Each kernel is built with a generic main and run under memcheck, racecheck, synccheck and initcheck, a published one under the first
two. Nothing but Python, nvcc
and compute-sanitizer is needed. `python -m tests.examine.table` then puts the verdicts beside ours.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .corpus import CASES, PUBLISHED, SIZE

VERDICTS = Path(__file__).with_name("sanitizer.json")
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
SECONDS = 30
MAIN = """
#include <cstdio>
#include <cstdlib>
int main()
{
    static int numbers[%(size)d];
    for (int i = 0; i < %(size)d; i++) numbers[i] = i;
    int *a, *b;
    if (cudaMalloc(&a, sizeof numbers) || cudaMalloc(&b, sizeof numbers)) return 9;
    cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    %(fill)s
    k<<<%(grid)d, dim3(%(block)s), %(shared)d>>>(a, b, %(threads)d);
    cudaError_t error = cudaDeviceSynchronize();
    printf("kernel: %%s\\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
"""


def program(case) -> str:
    """The kernel with a main that launches it once."""
    return case.source + MAIN % {"size": SIZE, "grid": case.grid, "block": ", ".join(map(str, case.block)), "shared": case.shared,
                                 "threads": case.threads, "fill": "" if case.unwritten else "cudaMemset(b, 0, sizeof numbers);"}


def first_program(*places) -> str:
    """The first of these programs that is there."""
    for place in places:
        path = shutil.which(place)
        if path:
            return path
    sys.exit(f"none of these is here: {', '.join(places)}")


def build(nvcc, case, folder):
    source, binary = folder / f"{case.name}.cu", folder / case.name
    source.write_text(program(case))
    result = subprocess.run([nvcc, "-std=c++17", "-lineinfo", "-arch=native", "-o", binary, source], capture_output=True, text=True)
    return None if result.returncode == 0 else result.stderr[-1000:]


def verdict(sanitizer, case, tool, folder):
    """What one tool says: how many errors and warnings, and its summary; or that it did not end."""
    result = subprocess.run(["timeout", "-k", "1", str(SECONDS), sanitizer, "--tool", tool, folder / case.name], capture_output=True, text=True)
    if result.returncode in (124, 137):
        return {"errors": None, "warnings": None, "summary": f"not ended after {SECONDS} s"}
    output = result.stdout + result.stderr
    summary = [line.lstrip("= ") for line in output.splitlines() if "SUMMARY" in line]
    hazards = re.search(r"\((\d+) errors?, (\d+) warnings?\)", output)
    errors = re.search(r"ERROR SUMMARY: (\d+) error", output)
    messages = [line.lstrip("= ") for line in output.splitlines() if re.search(r"Error|Warning|hazard|Barrier|Uninitialized", line)]
    return {"errors": int(hazards[1]) if hazards else int(errors[1]) if errors else None,
            "warnings": int(hazards[2]) if hazards else 0,
            "summary": " ".join(summary), "first": messages[:2], "status": result.returncode}


def main():
    folder = Path(tempfile.mkdtemp())
    all_cases = CASES | PUBLISHED
    cases = {name: all_cases[name] for name in sys.argv[1:] or all_cases}
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    nvcc = first_program("nvcc", f"{home}/bin/nvcc")
    sanitizer = first_program("compute-sanitizer", f"{home}/bin/compute-sanitizer", f"{home}/compute-sanitizer/compute-sanitizer")
    ask = lambda *command: subprocess.run(command, capture_output=True, text=True).stdout.strip()  # noqa: E731
    result = {"device": ask("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
              "nvcc": ask(nvcc, "--version").splitlines()[-1], "sanitizer": ask(sanitizer, "--version").splitlines()[-1],
              "kernels": {}}
    with ThreadPoolExecutor(min(os.cpu_count(), 16)) as pool:
        built = dict(zip(cases, pool.map(lambda case: build(nvcc, case, folder), cases.values())))
    print(f"{sum(program is None for program in built.values())} of {len(cases)} built", flush=True)
    jobs = [(name, tool) for name in cases if built[name] is None for tool in (TOOLS if name in CASES else TOOLS[:2])]
    with ThreadPoolExecutor(12) as pool:
        verdicts = pool.map(lambda job: verdict(sanitizer, cases[job[0]], job[1], folder), jobs)
        for (name, tool), outcome in zip(jobs, verdicts):
            result["kernels"].setdefault(name, {})[tool] = outcome
            print(name, tool, outcome["errors"], outcome["warnings"], flush=True)
    result["not built"] = {name: why for name, why in built.items() if why}
    if len(cases) < len(all_cases):
        result["kernels"] = json.loads(VERDICTS.read_text())["kernels"] | result["kernels"]
    VERDICTS.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{len(result['kernels'])} kernels: {VERDICTS}")


if __name__ == "__main__":
    main()
