"""What is measured becomes a recording; what is wrong, stopped or too large is noticed. Tests wind the clock."""
import dataclasses
import os
import platform
import re
from pathlib import Path

from course_lib import driver
from course_lib.core import errors
from courseware import bandwidth
from courseware.bandwidth import files
from courseware.bandwidth.measure import (
    buffers,
    chase_code,
    growth,
    ladder,
    machine,
    measuring,
    overlap,
    patterns,
    plan,
    reuse,
    translation,
    working_set,
)
from courseware.bandwidth.measure.bench import FULL, QUICK, Bench
from courseware.bandwidth.measure.timing import Clock
from courseware.bandwidth.recording import EXPERIMENTS, SCHEMA

import numpy as np
import pycuda.driver as cuda
import pytest
from cuda.bindings import driver as cu

from . import small

SIMULATED = driver.attached.simulated
SMALLEST = {"growth": (4 << 20,), "reuse": (1, 2), "managed to device": (4096,),
            "latency ladder": (1024, 1280), "clock rate": (1024,),
            "working set": (1024, 1280), "translation reach": (128 << 20, 160 << 20)}
ROOM = plan.Room(host=1 << 40, device=1 << 40)
MIB = 1 << 20
# What the sentences on the method say of numbers that the measurements have.
SAID = [
    ("copy sweep", f"{FULL.count(512 * MIB)} copies of 512 MiB ({QUICK.count(512 * MIB)} in a quick sweep) or up to {FULL.count(4)} smaller ones"),
    ("latency ladder", f"one in each line of {chase_code.LINE} bytes ({chase_code.CONSTANT_LINE} in constant memory)"),
    ("latency ladder", f"{chase_code.WARMING:,} threads of its block"),
    ("latency ladder", f"{ladder.STEPS:,} steps ({ladder.HOST_STEPS:,} in pinned memory)"),
    ("working set", f"a block of {chase_code.THREADS:,} threads"), ("working set", f"about {working_set.READ // MIB} MiB, at least once"),
    ("translation reach", f"one line of {chase_code.LINE} bytes in every 64 KiB, 2 MiB or 32 MiB of x bytes, {translation.STEPS:,} steps"),
    ("translation reach", f"one piece of {translation.PIECE // MIB} MiB"),
    ("overlap", f"{overlap.SLICES} slices of {overlap.SLICE // MIB} MiB")]


@pytest.fixture(autouse=True)
def few_reads(monkeypatch):
    """As many as a simulated device manages."""
    for module, name, value in ((ladder, "STEPS", 20), (ladder, "HOST_STEPS", 20), (translation, "STEPS", 20),
                                (working_set, "READ", 4096),
                                (working_set, "blocks", lambda device: 2)):
        monkeypatch.setattr(module, name, value)


def jobs(experiment=None, memory=None, what=None):
    """The course's own jobs, at sizes that a simulated device manages."""
    for job in plan.jobs(small.EFFORT, experiment, memory, what):
        if job.experiment == "reuse":
            if job.nbytes != reuse.SIZES[1]:
                continue
            job = dataclasses.replace(job, nbytes=4096)
        scattered = job.experiment == "kernel access" and not job.what.endswith("coalesced")
        yield dataclasses.replace(job, xs=SMALLEST.get(job.experiment, (4096,) if scattered else (4, 1024, 4096)))


def measured(*chosen, room=ROOM, clock=None, timelines=()):
    with small.bench(clock) as bench:
        return measuring.run(bench, chosen, timelines, room)


def point(experiment, memory, what):
    """The one series' last point."""
    series, = measured(*jobs(experiment, memory, what)).series
    return series.points[-1]


@pytest.mark.parametrize("experiment", [name for name in EXPERIMENTS if name in plan.METHOD])
def test_every_experiment_yields_every_point_and_a_file_that_loads(experiment):
    chosen = [*jobs(experiment)]
    recording = measured(*chosen)
    assert [[point.x for point in series.points] for series in recording.series] == [list(job.xs) for job in chosen]
    assert all(len(point.samples) == small.EFFORT.samples for series in recording.series for point in series.points)
    assert not any(series.left_out for series in recording.series)
    assert files.from_json(files.to_json(recording)) == recording
    assert set(recording.method) == {experiment, "verified"}


def test_a_rate_is_bytes_over_seconds():
    """4096 bytes, as often as the effort says, in 2 ms of the device's clock or 0.5 s of the host's."""
    count = small.EFFORT.count(4096)
    on_device = count * 4096 / (small.MILLISECONDS / 1e3) / 1e9
    assert point("copy sweep", "pinned", "device to host").median == pytest.approx(on_device, rel=1e-4)
    assert point("kernel access", "device", "read, coalesced").median == pytest.approx(on_device, rel=1e-4)
    assert point("copy sweep", "pageable", "host to device").median == pytest.approx(
        count // 4 * 4096 / small.SECONDS / 1e9, rel=1e-4)
    assert point("managed to device", "managed", "prefetch").median == pytest.approx(4096 / small.SECONDS / 1e9, rel=1e-4)
    assert point("growth", "device", "reallocate and copy").median == 1e3 * small.SECONDS


# A wrong byte, planted into what was filled just before it is timed, or into every buffer just after.

class Meddler(Clock):
    """A clock that flips a byte of memory around each timed piece of work."""

    def __init__(self, when, offset):
        wound = small.clock()
        super().__init__(wound.apart, wound.now)
        self.when, self.offset, self.filled, self.made_buffers = when, offset, [], []

    def flip(self):
        for buffer in self.filled[-1:] if self.when == "before" else [buffer for buffer in self.made_buffers if buffer.address]:
            if buffer.on_host:
                buffer.words.view(np.uint8)[self.offset % buffer.nbytes] ^= 1
            else:
                byte, address = np.empty(1, np.uint8), buffer.address + self.offset % buffer.nbytes
                cuda.memcpy_dtoh(byte, address)
                cuda.memcpy_htod(address, byte ^ 1)

    def around(self, timed):
        if self.when == "before":
            self.flip()
        seconds = timed()
        if self.when == "after":
            self.flip()
        return seconds

    def on_device(self, *arguments, **options):
        return self.around(lambda: super(Meddler, self).on_device(*arguments, **options))

    def on_host(self, *arguments, **options):
        return self.around(lambda: super(Meddler, self).on_host(*arguments, **options))


@pytest.fixture
def meddler(monkeypatch):
    def make(when, offset):
        clock, fill, make_buffer = Meddler(when, offset), Bench.fill, buffers.Buffer

        def note_filled(bench, buffer, nbytes, sample, **options):
            clock.filled.append(buffer)
            fill(bench, buffer, nbytes, sample, **options)

        def note_made(*arguments):
            clock.made_buffers.append(make_buffer(*arguments))
            return clock.made_buffers[-1]
        monkeypatch.setattr(Bench, "fill", note_filled)
        monkeypatch.setattr(buffers, "Buffer", note_made)
        return clock
    return make


@pytest.mark.parametrize("offset", [0, 1, 2047, 4095])
@pytest.mark.parametrize("when, experiment, memory, what", [
    ("before", "copy sweep", "pinned", "host to device"), ("after", "copy sweep", "pinned", "host to device"),
    ("before", "copy sweep", "pageable", "device to host"), ("after", "copy sweep", "pageable", "device to host"),
    ("after", "copy sweep", "mapped reservation, on the host", "device to host"),
    ("before", "copy sweep", "device", "device to device"),
    ("after", "copy sweep", "mapped reservation", "host to device"),
    ("before", "kernel access", "write-combined", "read, coalesced"),
    ("before", "kernel access", "device", "read, strided"),
    ("before", "kernel access", "pinned", "read, random"), ("after", "kernel access", "pinned", "write, coalesced"),
    ("after", "kernel access", "device", "write, strided"), ("after", "kernel access", "pinned", "write, random"),
    ("before", "growth", "mapped reservation", "in place"), ("before", "growth", "device", "reallocate and copy"),
    ("before", "reuse", "pinned", "read in place, coalesced"), ("before", "reuse", "pinned", "copied first, random"),
    ("before", "managed to device", "managed", "first touch"), ("before", "managed to device", "managed", "read again"),
    ("after", "managed to device", "managed", "prefetch"), ("after", "managed to device", "managed", "prefetch and read"),
    ("after", "managed to device", "managed", "read after a prefetch"),
    ("before", "managed to device", "pinned", "copy and read"), ("before", "managed to device", "pinned", "read in place"),
])
def test_a_wrong_byte_is_caught(meddler, when, experiment, memory, what, offset):
    job, = jobs(experiment, memory, what)
    job = dataclasses.replace(job, xs=job.xs[-1:])
    with pytest.raises(patterns.WrongData, match=f"byte {offset // 4 * 4}( |$)"):
        measured(job, clock=meddler(when, offset))


def test_memory_that_grows_by_a_copy_asks_for_twice_of_what_it_had(monkeypatch):
    asked, allocate = [], cuda.mem_alloc
    monkeypatch.setattr(growth.cuda, "mem_alloc", lambda nbytes: asked.append(nbytes) or allocate(nbytes))
    job, = jobs("growth", "device", "reallocate and copy")
    measured(job)
    assert {(before, after) for before, after in zip(asked[::2], asked[1::2])} == {(nbytes // 2, nbytes) for nbytes in job.xs}


def test_memory_that_grows_in_place_reserves_what_it_grows_to(monkeypatch):
    reserved, make = [], growth.reservation.GrowingBuffer
    monkeypatch.setattr(growth.reservation, "GrowingBuffer", lambda most: reserved.append(most) or make(most))
    job, = jobs("growth", "mapped reservation", "in place")
    measured(job)
    assert set(reserved) == set(job.xs)


@pytest.mark.skipif(not SIMULATED, reason="a GPU's driver does not tell of transactions")
@pytest.mark.parametrize("pattern, times, lanes, efficiency", [
    ("coalesced", 1 + small.EFFORT.count(1), 16, 1), ("strided", 2, 4, 1 / 8), ("random", 2, 4, pytest.approx(1 / 8, rel=0.1))])
@pytest.mark.parametrize("action", ["read", "write"])
def test_scattered_lanes_want_four_bytes_of_each_sector_that_moves_and_others_all(action, pattern, times, lanes, efficiency):
    """Once to warm up, then as often as the effort says, or a quarter of that."""
    from cuda_simulator import watch

    job, = jobs("kernel access", "device", f"{action}, {pattern}")
    with watch.watching(watch.Transactions()) as seen:
        measured(dataclasses.replace(job, xs=[nbytes := 1 << 14]))
    asked = max((cost for cost in seen.counts.values() if cost.access == action), key=lambda cost: cost.requests)
    assert (asked.requests, asked.efficiency) == (small.EFFORT.samples * times * nbytes // lanes // 32, efficiency)
    assert (asked.efficiency > 1 / 8) == (pattern != "strided")


def test_a_system_whose_managed_pages_do_not_move_is_left_out(monkeypatch):
    get, concurrent = cuda.Device.get_attribute, cuda.device_attribute.CONCURRENT_MANAGED_ACCESS
    monkeypatch.setattr(cuda.Device, "get_attribute", lambda device, name: 0 if name == concurrent else get(device, name))
    series, = measured(*jobs("managed to device", "managed", "first touch")).series
    assert not series.points and "CONCURRENT_MANAGED_ACCESS is 0" in series.left_out[0].why


def test_a_kernel_that_works_too_much_is_caught_in_the_timeline(monkeypatch):
    with small.bench() as bench:
        assert len(overlap.timeline(bench, "pinned", 4096).intervals) == 3 * overlap.SLICES
        work = bench.code.work
        monkeypatch.setattr(bench.code, "work", lambda address, nbytes, rounds, stream:
                            work(address, nbytes, rounds + 1, stream))
        for memory in overlap.MEMORY:
            with pytest.raises(patterns.WrongData):
                overlap.timeline(bench, memory, 4096)


def test_what_was_right_is_not_called_wrong_by_the_last_sample():
    words = np.empty(3 * patterns.CHUNK + 5, np.uint32)
    for sample in (1, 2, 2**31):
        patterns.fill(words, sample)
        patterns.check(words, sample)
        assert words[7] == (7 * patterns.STEP + sample * patterns.SEED) % 2**32
        with pytest.raises(patterns.WrongData):
            patterns.check(words, sample + 1)
    words[patterns.CHUNK + 3] += 1
    with pytest.raises(patterns.WrongData, match=f"the word of 4 bytes at byte {4 * (patterns.CHUNK + 3)} is not"):
        patterns.check(words, 2**31)


# Ctrl-C

class StoppedClock(Clock):
    """A clock under which the user loses patience at the n-th timed piece of work."""

    def __init__(self, patience):
        wound = small.clock()
        super().__init__(lambda *events: self.tick() or wound.apart(*events), lambda: self.tick() or wound.now())
        self.patience = patience

    def tick(self):
        self.patience -= 1
        if self.patience == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("patience", [1, 2, 3, 4, 7, 11])
def test_stopped_it_keeps_what_was_measured_and_frees_everything(context, patience):
    free = cuda.mem_get_info()[0]
    chosen = [*jobs("copy sweep", "pinned"), *jobs("host memory cost", "registered", "unregister")]
    recording = measured(*chosen, clock=StoppedClock(patience), timelines=["pinned"])
    points = [point for series in recording.series for point in series.points]
    assert len(points) == (patience - 1) // small.EFFORT.samples
    for job, series in zip(chosen, recording.series):
        assert [*job.xs] == sorted([*(point.x for point in series.points), *(out.x for out in series.left_out)])
        assert {out.why for out in series.left_out} <= {measuring.STOPPED}
    assert recording.timelines == () and files.from_json(files.to_json(recording)) == recording
    assert cuda.mem_get_info()[0] == free


@pytest.mark.parametrize("step", range(1, 5))
def test_stopped_between_two_calls_it_leaves_nothing_on_the_device(context, step):
    free = cuda.mem_get_info()[0]
    measured(*jobs("host memory cost", "device", "free"), clock=StoppedClock(step))
    assert cuda.mem_get_info()[0] == free


def test_the_learners_context_stays_current(context):
    current = errors.ask(cu.cuCtxGetCurrent)
    measured(*jobs("host memory cost", "device", "free"))
    assert int(errors.ask(cu.cuCtxGetCurrent)) == int(current)


class BrokenDevice:
    def make_context(self):
        raise cuda.LogicError("cuCtxCreate failed: an illegal memory access was encountered")


def test_a_process_with_a_broken_context_is_told_to_restart():
    with pytest.raises(errors.WrongContext, match=r"illegal memory access was encountered\).*Kernel > Restart"):
        with Bench(small.EFFORT, device=BrokenDevice()):
            pass


# Memory

def test_what_needs_too_much_memory_is_left_out_with_the_reason():
    chosen = [*jobs("copy sweep", ("pageable", "device"))]
    by_host, _, by_device = measured(*chosen, room=plan.Room(host=1024, device=2048)).series
    assert [point.x for point in by_host.points] == [4, 1024]
    assert by_host.left_out[0].why == ("It needs 4 KiB of the host's memory, and 1 KiB may be taken here: a quarter of "
                                       "what is free.")
    assert [point.x for point in by_device.points] == [4, 1024]    # two buffers on the device
    assert by_device.left_out[0].why.startswith("It needs 8 KiB of the device's memory, and 2 KiB may be taken here: h")


def test_without_any_room_nothing_is_tried():
    tried = []
    chosen = [dataclasses.replace(job, measure=lambda *arguments: tried.append(arguments)) for job in jobs(("copy sweep", "kernel access", "growth"))]
    recording = measured(*chosen, room=plan.Room(0, 0), timelines=["pinned"])
    assert not any(series.points for series in recording.series) and recording.timelines == () and tried == []


def test_a_timeline_has_the_steps_and_the_streams_of_the_recorded_ones():
    timeline, = measured(timelines=["pinned"], room=plan.Room(host=12 * 4096, device=1 << 20)).timelines
    for recording in files.recordings():
        assert [(piece.stream, piece.what) for piece in timeline.intervals] == [
            (piece.stream, piece.what) for piece in recording.timeline("pinned").intervals]


def test_where_memory_is_short_the_timeline_has_smaller_slices():
    room = plan.Room(host=12 * 4096 + 5, device=1 << 20)
    assert len(measured(room=room, timelines=["pinned"]).timelines[0].intervals) == 36


def test_memory_that_the_driver_refuses_is_left_out():
    def refused(bench, job, xs):
        yield [1.0]
        cuda.mem_alloc(1 << 60)
    series, = measured(dataclasses.replace(next(jobs("copy sweep")), measure=refused)).series
    assert [point.x for point in series.points] == [4]
    assert [out.x for out in series.left_out] == [1024, 4096] and "out of memory" in series.left_out[0].why


def test_what_breaks_the_context_ends_the_measurement():
    def broken(bench, job, xs):
        yield [1.0]
        raise errors.CudaError("cuMemcpyHtoD", cu.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS)
    with pytest.raises(errors.CudaError, match="ILLEGAL_ADDRESS"):
        measured(dataclasses.replace(next(jobs("copy sweep")), measure=broken))


@pytest.mark.parametrize("experiment, memory, kinds", [
    (None, None, ["pageable", "pinned"]), ("overlap", "pinned", ["pinned"]), (["copy sweep", "overlap"], ["pageable"], ["pageable"]),
    ("copy sweep", None, []), ("overlap", "device", [])])
def test_a_timeline_is_made_of_each_kind_of_host_memory_that_is_asked_for(experiment, memory, kinds):
    assert sorted(plan.timelines(experiment, memory)) == kinds


def test_a_container_may_have_less_memory_than_the_machine(monkeypatch, tmp_path):
    assert machine.host_memory_free() > 1 << 20
    (tmp_path / "limit").write_text(f"{2 << 30}\n")
    (tmp_path / "used").write_text(f"{(2 << 30) - 4096}\n")
    none, limit, used = (tmp_path / name for name in ("none", "limit", "used"))
    monkeypatch.setattr(machine, "CGROUP", ((none, none), (limit, used)))
    assert machine.host_memory_free() == 4096
    assert plan.Room.here(device_free=10) == plan.Room(1024, 5)
    (tmp_path / "limit").write_text("max\n")
    assert machine.host_memory_free() > 1 << 20


# What can be asked for

@pytest.mark.parametrize("wrong", [{"experiment": "copying"}, {"memory": "texture"}, {"what": "sideways"}])
def test_a_name_that_there_is_not_is_refused_with_those_that_there_are(wrong):
    with pytest.raises(errors.WrongArgument, match="nothing is measured with .*: there is .*, "):
        plan.jobs(small.EFFORT, **wrong)


def test_unknown_memory_is_refused():
    with pytest.raises(errors.WrongArgument, match="no memory called 'texture' to be measured: there is pageable, pin"):
        with buffers.buffer("texture", 4):
            pass


@pytest.mark.skipif(not SIMULATED, reason="on a GPU it would be measured")
def test_the_simulated_driver_measures_nothing_and_names_what_to_look_at():
    message = (r"^no measurement here: the simulated driver has no times; bandwidth\.recordings\(\) has what was recorded on "
               r"NVIDIA H100 80GB HBM3 and NVIDIA H200$")
    for function in (bandwidth.measure, bandwidth.record):
        with pytest.raises(errors.NotSupported, match=message):
            function()
    measured_now = bandwidth.measured_here("copy sweep", memory="pinned")
    assert not measured_now
    with pytest.raises(errors.NotSupported, match=message):
        raise errors.NotSupported(str(measured_now))


@pytest.mark.skipif(SIMULATED, reason="the simulated driver has no times")
def test_a_quick_measurement_of_this_gpu_is_a_recording():
    measured_now = bandwidth.measured_here("copy sweep", memory="pinned", what="host to device")
    assert measured_now and measured_now.find("copy sweep", memory="pinned")[0].points[-1].median > 1


def test_every_job_has_a_method_and_names_that_recordings_know(context):
    for job in plan.jobs(small.EFFORT):
        assert job.what in EXPERIMENTS[job.experiment].whats and job.experiment in plan.METHOD
        assert list(job.xs) == sorted(set(job.xs))
        assert job.seconds(job.xs[-1]) > 0 and min(job.needs(job.xs[-1])) >= 0


@pytest.mark.parametrize("recording", files.recordings(), ids=lambda recording: recording.title)
def test_a_full_measurement_has_the_points_and_the_method_of_the_recordings_that_come_with_the_course(recording):
    full = plan.jobs(FULL)
    recorded = {(series.experiment, series.what, series.memory, series.by, series.nbytes):
                tuple(sorted(point.x for point in (*series.points, *series.left_out))) for series in recording.series}
    planned = {(job.experiment, job.what, job.memory, job.by, job.nbytes): job.xs for job in full}
    assert planned == {series: xs for series, xs in recorded.items() if series[0] in plan.METHOD}
    experiments = {job.experiment for job in full} | {"overlap"}
    assert {name: recording.method[name] for name in experiments} == plan.METHOD
    assert recording.schema == SCHEMA and plan.timelines() == [timeline.memory for timeline in recording.timelines]


@pytest.mark.parametrize("experiment, words", SAID)
def test_the_method_says_how_many_of_what_are_measured(experiment, words):
    assert words in plan.METHOD[experiment]


def test_small_copies_are_repeated_until_a_sample_has_as_many_bytes_as_their_number_allows():
    assert [FULL.count(nbytes) for nbytes in (4, MIB, 2 * MIB, 16 * MIB, 512 * MIB)] == [256, 256, 128, 16, 16]
    assert [QUICK.count(nbytes) for nbytes in (4, 256 << 10, 512 << 10, 16 * MIB, 512 * MIB)] == [256, 256, 128, 4, 4]


def test_a_recording_is_expected_to_take_about_five_minutes_and_a_quick_sweep_of_pinned_memory_less_than_ten_seconds():
    def minutes(*arguments):
        return sum(job.seconds(x) for job in plan.jobs(*arguments) for x in job.xs) / 60
    assert 4.5 < minutes(FULL) < 5.5 and 0.5 < minutes(QUICK) < 1.5 and minutes(QUICK, "copy sweep", "pinned") < 10 / 60


X = 1 << 20


@pytest.mark.parametrize("experiment, memory, host, device", [
    ("copy sweep", "pinned", X, X), ("copy sweep", "mapped reservation", X, X), ("copy sweep", "device", 0, 2 * X),
    ("kernel access", "registered", X, 0), ("kernel access", "device", 0, X),
    ("host memory cost", "pinned", X, 0), ("host memory cost", "device", 0, X), ("growth", "mapped reservation", 0, X),
    ("growth", "device", 0, 2 * X), ("reuse", "pinned", reuse.SIZES[1], reuse.SIZES[1]),
    ("managed to device", "managed", X, X), ("managed to device", "pinned", X, X), ("latency ladder", "pinned", X, 0),
    ("latency ladder", "device", 0, X), ("latency ladder", "shared", 0, X), ("working set", "device", 0, X),
    ("translation reach", "device", 0, X), ("translation reach", "mapped reservation", 0, translation.PIECE)])
def test_a_measurement_takes_memory_for_both_ends_of_a_copy_and_else_where_the_data_are(experiment, memory, host, device):
    assert {job.needs(X) for job in plan.jobs(QUICK, experiment, memory) if job.nbytes in (None, reuse.SIZES[1])} == {(host, device)}


def test_each_kind_of_memory_has_a_time_of_its_own():
    """All jobs are listed before the first is measured: none may take the time of the last."""
    expected = {job.memory: job.seconds(1 << 20) for job in plan.jobs(small.EFFORT, "host memory cost")}
    assert expected["pinned"] == expected["registered"] > 100 * expected["device"]


# -- the machine -------------------------------------------------------------------------------------------------------

@pytest.fixture
def nvidia_smi(monkeypatch, tmp_path):
    """``nvidia_smi(answers)``: a program of that name that answers as an installed driver's does."""
    def install(answers, status=0):
        program = tmp_path / "nvidia-smi"
        program.write_text("#!/bin/sh\ncase $1 in\n" + "".join(f"--query-gpu={what}) echo '{answer}';;\n" for what, answer in answers.items())
                           + f"esac\nexit {status}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
    return install


@pytest.mark.parametrize("generation, width, limit", [   # each way, after the encoding of the lanes
    (1, 16, 4.0), (2, 16, 8.0), (3, 16, 15.8), (4, 8, 15.8), (4, 16, 31.5), (5, 16, 63.0), (6, 16, 121.0)])
def test_the_links_limit_is_that_of_its_generation_and_its_lanes(context, nvidia_smi, generation, width, limit):
    nvidia_smi({"pcie.link.gen.max": generation, "pcie.link.width.max": width, "driver_version": "580.159.04"})
    described = machine.describe(cuda.Device(0))
    assert (described.link, described.link_limit, described.driver) == (f"PCIe {generation}.0 x{width}", limit, "580.159.04")


@pytest.mark.parametrize("answers, status", [({}, 0), ({"pcie.link.gen.max": 5, "pcie.link.width.max": 16}, 9),
                                             ({"pcie.link.gen.max": "[N/A]", "pcie.link.width.max": "[N/A]"}, 0),
                                             ({"pcie.link.gen.max": 7, "pcie.link.width.max": 16}, 0)])
def test_a_link_of_which_nothing_is_known_has_no_limit(context, nvidia_smi, answers, status):
    nvidia_smi(answers, status)
    described = machine.describe(cuda.Device(0))
    assert described.link is described.link_limit is described.driver is None


def test_the_recorded_link_has_the_limit_of_its_kind(context, nvidia_smi):
    for recording in files.recordings():
        generation, width = recording.machine.link.removeprefix("PCIe ").split(".0 x")
        nvidia_smi({"pcie.link.gen.max": generation, "pcie.link.width.max": width})
        assert machine.describe(cuda.Device(0)).link_limit == recording.machine.link_limit


def test_a_recording_says_of_its_machine_what_the_driver_and_the_system_say(context):
    device, described = cuda.Device(0), machine.describe(cuda.Device(0))
    assert (described.device, described.memory_bytes, described.l2_bytes) == (
        device.name(), device.total_memory(), device.get_attribute(cuda.device_attribute.L2_CACHE_SIZE))
    assert described.compute_capability == "{}.{}".format(*device.compute_capability())
    total, = re.findall(r"^MemTotal: +(\d+) kB", Path("/proc/meminfo").read_text(), flags=re.MULTILINE)
    assert described.host_memory_bytes == 1024 * int(total) and described.cpu_count == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("flags, where", [("fpu vme hypervisor lahf_lm", ", in a virtual machine"), ("fpu vme lahf_lm", ""), (None, "")])
def test_a_virtual_machine_is_said_to_be_one(monkeypatch, flags, where):
    monkeypatch.setattr(machine, "_cpuinfo", {"flags": flags}.get)
    monkeypatch.setattr(platform, "release", lambda: "6.12.30-cloud-amd64")
    assert machine.describe(cuda.Device(0)).system == f"Linux 6.12{where}" and machine.describe(cuda.Device(0)).cpu is None
