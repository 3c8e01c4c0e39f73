"""The course's bandwidths beside nvbandwidth's, in one run on one GPU.

    python benchmarks/bandwidth.py

Ours are measured twice, before and after nvbandwidth, so that their own spread shows. nvbandwidth is looked for on the
PATH, or where NVBANDWIDTH says. Its mean is compared with our median, both of 16 copies of 512 MiB.
"""
import os
import re
import shutil
import subprocess
import sys
import time

from course_lib import driver
from courseware import bandwidth
from courseware.bandwidth.measure import plan
from courseware.bandwidth.measure.bench import FULL, Bench
from courseware.bandwidth.measure.measuring import run

# nvbandwidth's test -> ours. Its kernels copy; ours read or write the host's memory, and do nothing else with the link.
TESTS = {
    "host_to_device_memcpy_ce": ("copy sweep", "host to device"),
    "device_to_host_memcpy_ce": ("copy sweep", "device to host"),
    "host_to_device_memcpy_sm": ("kernel access", "read, coalesced"),
    "device_to_host_memcpy_sm": ("kernel access", "write, coalesced"),
}


def ours():
    """{nvbandwidth's name: our Point at 512 MiB}, of pinned memory."""
    jobs = [job for experiment, what in TESTS.values() for job in plan.jobs(FULL, experiment, "pinned", what)]
    with Bench(FULL) as bench:
        measured = run(bench, jobs)
    return {name: measured.find(experiment, what=what)[0].points[-1] for name, (experiment, what) in TESTS.items()}


def theirs():
    """{nvbandwidth's name: GB/s}, empty without nvbandwidth."""
    program = shutil.which(os.environ.get("NVBANDWIDTH", "nvbandwidth"))
    if not program:
        return {}
    one_device = {**os.environ, "CUDA_VISIBLE_DEVICES": "0"}     # its SUM is over all of them
    output = subprocess.run([program, "-t", *TESTS], capture_output=True, text=True, timeout=300, env=one_device).stdout
    return {name: float(value) for name, value in re.findall(r"^SUM (\w+) ([\d.]+)", output, re.MULTILINE)}


def main():
    if driver.attached.simulated:
        sys.exit("The simulated driver has no times: this needs a GPU.")
    print(driver.describe())
    first, peer, second = ours(), theirs(), ours()
    if not peer:
        print("\nnvbandwidth was not found: put it on the PATH, or set NVBANDWIDTH to its path")
    print(f"\n{'GB/s at 512 MiB':26} {'ours':>7} {'again':>7} {'apart':>7} {'nvbandwidth':>12} {'ours to it':>11}")
    for name in TESTS:
        before, after = first[name].median, second[name].median
        beside = f"{peer[name]:12.2f} {before / peer[name] - 1:+11.2%}" if name in peer else ""
        print(f"{name:26} {before:7.2f} {after:7.2f} {abs(before / after - 1):7.2%} {beside}")

    start = time.perf_counter()
    bandwidth.measure("copy sweep", ["pageable", "pinned", "registered", "write-combined"])
    print(f"\nA quick sweep of four kinds of host memory, both directions: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
