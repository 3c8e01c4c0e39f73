"""What two GPUs do to each other, as the course measures it and as nvbandwidth does, in one run.

    python benchmarks/peer_bandwidth.py

Ours are measured twice, before and after nvbandwidth, so that their own spread shows. nvbandwidth is looked for on the PATH,
or where NVBANDWIDTH says. Its tests are device_to_device_memcpy_read_ce, ..._write_sm and so on: medians of 7 samples, each of
16 copies of 512 MiB, as ours are. Its reads are of row from column, its writes of row to column; of both directions at once
its total is compared. Its kernels copy, ours read or write the other device's memory and leave their own alone; its latency is
of 2 MiB, with one thread on each multiprocessor in turn.
"""
import dataclasses
import json
import os
import shutil
import subprocess
import sys

from course_lib import driver
from courseware.bandwidth.measure import pair, plan
from courseware.bandwidth.measure.bench import FULL
from courseware.bandwidth.measure.measuring import run

LARGEST, LATENCY_AT = 512 << 20, 2 << 20
ENGINES = {"copy engine": ("ce", 1), "kernel": ("sm", 3)}       # nvbandwidth's name, and how close ours are to be, in per cent
WITHIN = {by: percent for by, (_, percent) in ENGINES.items()}
LATENCY = "device_to_device_latency_sm"


def tests():
    """{(what, by) of ours: (nvbandwidth's test, row, column)}"""
    found = {}
    for by, (name, _) in ENGINES.items():
        for action in ("read", "write"):
            one_way, both = (f"device_to_device_{way}memcpy_{action}_{name}" for way in ("", "bidirectional_"))
            for source, target in ((0, 1), (1, 0)):
                worker, other = (target, source) if action == "read" else (source, target)
                found[f"{action}, {source} to {target}", by] = one_way, worker, other
            found[f"{action}, both ways", by] = both, 0, 1
    return found


def ours():
    """{(what, by): our Point at 512 MiB}, and of latencies {(what, "latency"): Point}."""
    chosen = [dataclasses.replace(job, xs=(LARGEST,)) for job in plan.jobs(FULL, "peer bandwidth", devices=2)
              if (job.what, job.by) in tests()]
    chosen += [dataclasses.replace(job, xs=(LATENCY_AT,)) for job in plan.jobs(FULL, "peer latency", devices=2)]
    with pair.Pair(FULL) as both:
        measured = run(both, chosen)
    return {(one.what, one.by if one.experiment == "peer bandwidth" else "latency"): one.points[-1] for one in measured.series}


def theirs():
    """{nvbandwidth's test: its last matrix}, which is the total where there are several; empty without nvbandwidth."""
    program = shutil.which(os.environ.get("NVBANDWIDTH", "nvbandwidth"))
    if not program:
        return {}
    names = [*dict.fromkeys(test for test, _, _ in tests().values()), LATENCY]
    said = subprocess.run([program, "-j", "-i", "7", "-t", *names], capture_output=True, text=True, timeout=300).stdout
    try:
        found = json.loads(said)["nvbandwidth"]["testcases"]
    except (ValueError, KeyError):
        sys.exit(f"nvbandwidth gave no figures: {said[-500:]}")
    return {one["name"]: one["bandwidth_matrix"][-2:] for one in found if "bandwidth_matrix" in one}


def main():
    if driver.attached.simulated:
        sys.exit("The simulated driver has no times: this needs two GPUs.")
    if why := pair.why_not():
        sys.exit(f"Nothing is measured: {why}.")
    print(driver.describe())
    first, peer, second = ours(), theirs(), ours()
    if not peer:
        print("\nnvbandwidth was not found: put it on the PATH, or set NVBANDWIDTH to its path")
    print(f"\n{'GB/s at 512 MiB':30} {'ours':>8} {'again':>8} {'apart':>7} {'nvbandwidth':>12} {'ours to it':>11}  within")
    for (what, by), (test, row, column) in tests().items():
        one, other = first[what, by].median, second[what, by].median
        beside = ""
        if test in peer:
            figure = float(peer[test][row][column])
            apart = max(abs(one / figure - 1), abs(other / figure - 1)) * 100
            beside = f"{figure:12.2f} {one / figure - 1:+11.2%}  {WITHIN[by]} %: {'yes' if apart <= WITHIN[by] else 'no'}"
        print(f"{what + ', ' + by:30} {one:8.2f} {other:8.2f} {abs(one / other - 1):7.2%} {beside}")
    print(f"\n{'ns, one read of 2 MiB':30} {'ours':>8} {'again':>8} {'':7} {'nvbandwidth':>12}")
    for (what, by), point in first.items():
        if by == "latency":
            reader, owner = int(what.split()[1]), int(what.split()[4])
            figure = f"{float(peer[LATENCY][reader][owner]):12.0f}" if LATENCY in peer and reader != owner else ""
            print(f"{what:30} {1e3 * point.median:8.0f} {1e3 * second[what, by].median:8.0f} {'':7} {figure}")


if __name__ == "__main__":
    main()
