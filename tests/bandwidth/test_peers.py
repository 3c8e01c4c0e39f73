"""What is measured of two devices. Where there is one, a process with two simulated ones runs these tests."""
import dataclasses
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

from course_lib import driver
from course_lib.core import errors
from course_lib.core.errors import ask
from courseware import bandwidth
from courseware.bandwidth import files
from courseware.bandwidth.measure import machine, measuring, opener, pair, patterns, peer_ladder, peers, plan, sharing
from courseware.bandwidth.recording import EXPERIMENTS

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu

from . import small
from .test_measuring import Stopped

cuda.init()
ROOT = Path(__file__).resolve().parents[2]
COUNT = cuda.Device.count()
XS = {"peer bandwidth": (64, 4096), "peer latency": (4096, 8192), "sharing cost": (2 << 20,),
      "peer ladder": (1024, 1280)}
ROOM = plan.Room(host=1 << 40, device=1 << 40)
two_devices = pytest.mark.skipif(COUNT < 2, reason="takes two devices")


@pytest.fixture(autouse=True)
def short_chains(monkeypatch):
    monkeypatch.setattr(peers, "STEPS", 40)
    monkeypatch.setattr(peer_ladder, "STEPS", 20)


def jobs(experiment=None, what=None, by=None):
    """The course's own jobs, at sizes that a simulated device manages."""
    return [dataclasses.replace(job, xs=XS[job.experiment]) for job in plan.jobs(small.EFFORT, experiment, what=what, devices=2)
            if by in (None, job.by)]


def measured(chosen, clock=None):
    with pair.Pair(small.EFFORT, clock=clock or small.clock()) as both:
        return measuring.run(both, chosen, room=ROOM)


@pytest.mark.skipif(COUNT > 1, reason="this process has two devices")
def test_in_a_process_with_two_simulated_devices_these_tests_pass():
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", __file__], cwd=ROOT,
                          env={**os.environ, "COURSE_DRIVER": "simulated", "CUDA_SIMULATOR_DEVICES": "2"}, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.search(r"(\d+) skipped", done.stdout)[1]) == 2, "all but the two that want one device run there"


# -- what is measured --------------------------------------------------------------------------------------------------

@two_devices
@pytest.mark.parametrize("experiment", plan.PEERS)
def test_every_experiment_yields_every_point_and_a_file_that_loads(experiment):
    chosen = jobs(experiment)
    recording = measured(chosen)
    assert {job.what for job in chosen} == set(EXPERIMENTS[experiment].whats)
    assert [[point.x for point in one.points] for one in recording.series] == [list(job.xs) for job in chosen]
    assert all(len(point.samples) == small.EFFORT.samples for one in recording.series for point in one.points)
    assert files.from_json(files.to_json(recording)) == recording
    assert recording.machine.devices == 2 and recording.title.startswith("2 ") and set(recording.method) == {experiment, "verified"}


@two_devices
@pytest.mark.parametrize("what, by, times", [("read, 0 to 1", "copy engine", 1), ("write, 1 to 0", "kernel", 1),
                                             ("read, both ways", "kernel", 2), ("write, both ways", "copy engine", 2)])
def test_a_rate_is_the_bytes_of_all_directions_over_seconds(what, by, times):
    one, = measured(jobs("peer bandwidth", what, by)).series
    assert one.points[-1].median == pytest.approx(times * small.EFFORT.count(4096) * 4096 / (small.MILLISECONDS / 1e3) / 1e9, rel=1e-4)


@two_devices
def test_a_latency_is_the_time_of_a_kernel_over_its_reads():
    one, = measured(jobs("peer latency", "device 0 reads device 1")).series
    assert one.points[-1].median == pytest.approx(1e3 * small.MILLISECONDS / peers.STEPS, rel=1e-4)


@two_devices
@pytest.mark.parametrize("what, by, worker", [
    ("read, 0 to 1", "copy engine", 1), ("write, 0 to 1", "copy engine", 0), ("read, 1 to 0", "kernel", 0),
    ("write, 1 to 0", "kernel", 1), ("without access, 0 to 1", "copy engine", 0)])
def test_who_gets_the_data_reads_and_who_has_them_writes(monkeypatch, what, by, worker):
    timed = []

    class Noting(type(small.clock())):
        def on_device(self, stream, *arguments, **options):
            timed.append(stream)
            return super().on_device(stream, *arguments, **options)

        def on_host(self, *arguments, **options):
            timed.append(None)
            return super().on_host(*arguments, **options)
    wound = small.clock()
    with pair.Pair(small.EFFORT, clock=Noting(wound.apart, wound.now)) as both:
        streams = [bench.stream for bench in both.benches]
        measuring.run(both, jobs("peer bandwidth", what, by), room=ROOM)
    assert {one and streams.index(one) for one in timed} == ({None} if what.startswith("without") else {worker})


@two_devices
def test_without_access_neither_device_reaches_the_other_and_afterwards_both_do():
    with pair.Pair(small.EFFORT, clock=small.clock()) as both:
        def tries():
            for number, bench in enumerate(both.benches):
                with bench.current():
                    code = cu.cuCtxEnablePeerAccess(both.contexts[1 - number], 0)[0]
                    if not int(code):
                        ask(cu.cuCtxDisablePeerAccess, both.contexts[1 - number])
                    yield code.name
        assert set(tries()) == {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"}
        with both.without_access():
            assert set(tries()) == {"CUDA_SUCCESS"}
        measuring.run(both, jobs("peer bandwidth", "without access, 0 to 1"), room=ROOM)
        assert set(tries()) == {"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"}


@two_devices
def test_a_chain_comes_by_every_line_once_and_back():
    with pair.Pair(small.EFFORT, clock=small.clock()) as both, both.memory(1, 8192) as memory:
        order = peers.chain(memory.address, 8192)
        lines = np.empty((64, 16), np.uint64)
        cuda.memcpy_dtoh(lines, memory.address)
        at, seen = int(order[0]), []
        for _ in range(64):
            seen.append(at)
            at = int(lines[(at - memory.address) // 128, 0])
    assert at == seen[0] and sorted(seen) == list(range(min(seen), min(seen) + 8192, 128))
    assert seen == [int(one) for one in order] and seen != sorted(seen)


# -- what is wrong -----------------------------------------------------------------------------------------------------

def flipped(address):
    byte = np.empty(1, np.uint8)
    cuda.memcpy_dtoh(byte, address)
    cuda.memcpy_htod(address, byte ^ 1)


@two_devices
@pytest.mark.parametrize("what, by", list(itertools.product(EXPERIMENTS["peer bandwidth"].whats[:6], ("copy engine", "kernel"))) + [
    ("without access, 0 to 1", "copy engine")])
def test_a_wrong_byte_is_caught(monkeypatch, what, by):
    """Planted where a reading kernel reads, and elsewhere where the data arrive, just before they are looked at."""
    check, prepare = peers.Flow.check, peers.Flow.prepare
    reading = by == "kernel" and what.startswith("read")

    def meddled(flow, *arguments):
        if reading:
            prepare(flow, *arguments)
            flipped(flow.source.address + 13)
        else:
            flipped(flow.target.address + 13)
            check(flow, *arguments)
    monkeypatch.setattr(peers.Flow, "prepare" if reading else "check", meddled)
    with pytest.raises(patterns.WrongData, match="at byte 12 is not|from byte 12 on are not"):
        measured(jobs("peer bandwidth", what, by))


@two_devices
def test_a_chain_that_leads_elsewhere_is_caught(monkeypatch):
    lay = peers.chain
    monkeypatch.setattr(peers, "chain", lambda *arguments: np.roll(lay(*arguments), 1)[::-1])
    with pytest.raises(patterns.WrongData, match="led elsewhere"):
        measured(jobs("peer latency", "device 1 reads device 0"))


@two_devices
@pytest.mark.parametrize("what", ["open IPC handle, own device", "map, other device"])
def test_the_other_process_notices_other_data(monkeypatch, what):
    send = sharing.Opener.ask
    monkeypatch.setattr(sharing.Opener, "ask", lambda opener, request, *rest: send(opener, {**request, "sample": 10**6}, *rest))
    with pytest.raises(patterns.WrongData, match="in the process that opened the memory the .* words"):
        measured(jobs("sharing cost", what))


@two_devices
@pytest.mark.skipif(not driver.attached.simulated, reason="a GPU's driver follows wrong handles")
def test_a_handle_that_the_driver_refuses_is_left_out_with_what_it_said(monkeypatch):
    send = sharing.Opener.ask
    monkeypatch.setattr(sharing.Opener, "ask", lambda opener, request, *rest: send(opener, {**request, "ipc": "00" * 64}, *rest))
    one, = measured(jobs("sharing cost", "open IPC handle, own device")).series
    assert not one.points and "cuIpcOpenMemHandle answers CUDA_ERROR" in one.left_out[0].why


@two_devices
def test_a_process_that_dies_is_told_of_with_its_last_words(monkeypatch):
    monkeypatch.setattr(sharing, "PROGRAM", "import sys; sys.exit('out of ideas')")
    with pytest.raises(RuntimeError, match="gave no answer: out of ideas"):
        measured(jobs("sharing cost", "map, own device"))


@two_devices
@pytest.mark.parametrize("patience", [1, 2, 3, 5, 8])
def test_stopped_it_keeps_what_was_measured_and_frees_everything(patience):
    def free():
        for number in (0, 1):
            context = cuda.Device(number).make_context()
            yield cuda.mem_get_info()[0]
            context.pop()
            context.detach()
    before = list(free())
    chosen = [*jobs("peer bandwidth", "read, both ways"), *jobs("peer latency", "device 0 reads device 1")]
    recording = measured(chosen, Stopped(patience))
    points = [point for one in recording.series for point in one.points]
    assert len(points) == (patience - 1) // small.EFFORT.samples
    assert {out.why for one in recording.series for out in one.left_out} == {measuring.STOPPED}
    assert list(free()) == before


# -- where it cannot be measured ---------------------------------------------------------------------------------------

@pytest.mark.skipif(not driver.attached.simulated, reason="on a GPU it would be measured")
@pytest.mark.parametrize("experiment", [*plan.PEERS, plan.PEERS])
def test_the_simulated_driver_measures_nothing(experiment):
    with pytest.raises(errors.NotSupported, match=r"^no measurement here: the simulated driver has no times"):
        bandwidth.measure(experiment)
    here = bandwidth.measured_here(experiment)
    assert not here and "has no times" in str(here)


@pytest.mark.skipif(COUNT > 1, reason="takes a machine with one device")
def test_where_there_is_one_device_a_sentence_says_so(monkeypatch):
    monkeypatch.setattr(driver, "attached", dataclasses.replace(driver.attached, kind="real"))
    here = bandwidth.measured_here("peer latency")
    assert not here and str(here).startswith("no measurement here: there is one device, and what one does to another's memory takes two")
    with pytest.raises(errors.NotSupported, match="there is one device"):
        bandwidth.measure("sharing cost")
    with pytest.raises(errors.NotSupported, match="there is one device"), pair.Pair(small.EFFORT):
        pass


@two_devices
def test_devices_that_cannot_reach_each_other_are_not_measured(monkeypatch):
    monkeypatch.setattr(cuda.Device, "can_access_peer", lambda one, other: False)
    assert "cannot reach each other's memory" in pair.why_not()


def test_what_takes_two_devices_is_measured_by_itself():
    of_two = "peer bandwidth, peer latency, peer ladder, sharing cost"
    with pytest.raises(errors.WrongArgument, match=f"measured by itself: {of_two}"):
        bandwidth.measured_here(["copy sweep", "peer latency"])
    assert plan.devices(None) == plan.devices("overlap") == plan.devices("copying") == 1


def test_every_job_has_a_method_and_names_that_recordings_know():
    for job in plan.jobs(small.EFFORT, devices=2):
        assert job.what in EXPERIMENTS[job.experiment].whats and job.experiment in plan.METHOD
        assert job.seconds(job.xs[-1]) > 0 and min(job.needs(job.xs[-1])) >= 0 and list(job.xs) == sorted(set(job.xs))
    assert opener.LOOKED_AT <= min(sharing.SMALLEST, 1 << 20)


# -- the link ----------------------------------------------------------------------------------------------------------

TOPOLOGY = """\t\x1b[4mGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\x1b[0m
GPU0\t X \tNV18\tPHB\t0-31\t0
GPU1\tNV18\t X \tSYS\t0-31\t0
GPU2\tPHB\tSYS\t X \t0-31\t0
"""


@pytest.mark.parametrize("places, link", [((0, 1), ("NVLink, 18 links", 478.1)), ((1, 0), ("NVLink, 18 links", 478.1)),
                                          ((2, 0), ("PCIe (PHB in nvidia-smi topo)", None)), ((0, 7), (None, None))])
def test_the_link_is_what_nvidia_smi_says(monkeypatch, places, link):
    said = {"topo": TOPOLOGY, "nvlink": "GPU 0: H200 (UUID: GPU-1)\n" + "".join(f"\t Link {n}: 26.562 GB/s\n" for n in range(18))}
    monkeypatch.setattr(machine, "_said_by_nvidia_smi", lambda what, *rest: said[what])
    monkeypatch.setattr(machine, "_asked_of_nvidia_smi", lambda device, what: str(device))
    assert machine._peer_link(*places) == link
    said["nvlink"] = ""
    assert machine._peer_link(*places) == (link[0], None)
