"""A recording comes back from its file as it was; a file with anything wrong in it is refused, with the field named."""
import copy
import dataclasses
import json
import re

from course_lib.core import errors
from courseware.bandwidth import files
from courseware.bandwidth.recording import EXPERIMENTS, Interval, LeftOut, Point, Recording, Series, Timeline
from courseware.notebook.palette import LOOKS

import pytest
from hypothesis import given, strategies as st

from . import small

GOOD = json.loads(files.to_json(small.recording()))
NOT_POSITIVE = [float("nan"), float("inf"), float("-inf"), -1, -0.5, 0, True, None, "1", [], {}, 10**400]


def places(value, path=()):
    """The path of every dict, list and single value in parsed JSON."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part_ in inside:
        yield from places(part_, (*path, key))


def written(path):
    """("series", 0, "unit") -> "series[0].unit"."""
    return re.sub(r"^\.", "", "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path))


def with_change(path, change):
    """The good file with `change` made to the dict or list at all but the last of `path`."""
    parsed = copy.deepcopy(GOOD)
    holder = parsed
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return json.dumps(parsed)


def refusal(content):
    with pytest.raises(files.BadRecording) as refused:
        files.from_json(content)
    return str(refused.value)


MAY_BE_MISSING = ("devices", "peer_link", "peer_limit", "l2_bytes")      # of a file from before they were asked for
FIELDS = [path for path in places(GOOD) if path and isinstance(path[-1], str) and path[0] not in ("method", "later")
          and path[-1] not in MAY_BE_MISSING]
FIELDS += [("method",)]
OBJECTS = list(dict.fromkeys(path[:-1] for path in FIELDS))
NUMBERS = [path for path in places(GOOD) if path and path[-1] in ("x", "memory_bytes", "cpu_count", "link_limit",
                                                                             "peer_limit", "devices", "l2_bytes")]


def test_a_recording_comes_back_from_its_file(tmp_path):
    files.save(small.recording(), tmp_path / "one.json")
    assert files.load(tmp_path / "one.json") == small.recording()


numbers = st.floats(min_value=1e-9, max_value=1e12)
sentences = st.text(min_size=1).filter(str.strip)


@st.composite
def series(draw):
    experiment = draw(st.sampled_from(list(EXPERIMENTS)))
    about = EXPERIMENTS[experiment]
    xs = sorted(draw(st.sets(st.integers(1, 1 << 40), max_size=4)))
    points = tuple(Point(x, tuple(draw(st.lists(numbers, min_size=1, max_size=5)))) for x in xs)
    left_out = tuple(LeftOut(x, why) for x, why in draw(st.lists(st.tuples(numbers, sentences), max_size=2)))
    return Series(experiment, draw(st.sampled_from(about.whats)), draw(st.sampled_from(list(LOOKS))),
                  draw(st.sampled_from(["copy engine", "kernel", "CPU", "driver"])),
                  draw(st.none() | st.integers(1, 1 << 30)), about.unit, about.x_unit, points, left_out)


@given(st.lists(series(), max_size=4), st.dictionaries(st.text(), sentences, max_size=3),
       st.lists(st.tuples(numbers, numbers), max_size=3))
def test_any_recording_comes_back(some_series, method, spans):
    intervals = tuple(Interval("stream 1", "kernel", *sorted(span)) for span in spans)
    recording = Recording(1, "0.1.0", "2026-11-21T07:32:00Z", small.MACHINE, method, tuple(some_series),
                          (Timeline("pinned", intervals),))
    assert files.from_json(files.to_json(recording)) == recording


@pytest.mark.parametrize("path", FIELDS, ids=written)
def test_a_missing_field_is_named(path):
    assert refusal(with_change(path, lambda holder, key: holder.pop(key))) == f"{written(path)}: missing"


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: written(path) or "file")
def test_an_unknown_field_is_named(path):
    content = with_change((*path, "colour"), lambda holder, key: holder.update(colour="red"))
    assert refusal(content) == f"{written((*path, 'colour'))}: no such field"


@pytest.mark.parametrize("value", NOT_POSITIVE, ids=repr)
@pytest.mark.parametrize("path", NUMBERS, ids=written)
def test_what_is_no_positive_number_is_refused(path, value):
    if path[-1] in ("link_limit", "peer_limit", "l2_bytes") and value is None:
        return      # one that is not known
    content = with_change(path, lambda holder, key: holder.update({key: value}))
    assert refusal(content).startswith(f"{written(path)}: not a ")


@pytest.mark.parametrize("value", [*NOT_POSITIVE, [], 5], ids=repr)
def test_samples_are_positive_numbers(value):
    content = with_change(("series", 0, "points", 2, "samples"), lambda holder, key: holder.update({key: [1.0, value]}))
    if value == 5:
        assert files.from_json(content).series[0].points[2].samples == (1.0, 5)
    else:
        assert refusal(content) == "series[0].points[2].samples: not a list of positive numbers"


@pytest.mark.parametrize("path, value, sentence", [
    (("schema",), 2, "schema: version 2, and this version of the course reads version 1"),
    (("schema",), "1", "schema: not a positive whole number"),
    (("date",), "yesterday", "date: not a date and time such as 2026-11-21T07:32:00Z"),
    (("date",), "2026-13-01T00:00:00Z", "date: not a date and time such as 2026-11-21T07:32:00Z"),
    (("machine",), [], "machine: not an object of named fields"),
    (("machine", "device"), " ", "machine.device: not a text"),
    (("series",), {}, "series: not a list"),
    (("series", 0, "unit"), "MB/s", "series[0].unit: 'MB/s', and a copy sweep is in 'GB/s'"),
    (("series", 0, "x_unit"), "KiB", "series[0].x_unit: 'KiB', and a copy sweep is in 'bytes'"),
    (("series", 0, "what"), "sideways",
     "series[0].what: 'sideways' is not one of host to device, device to host, device to device"),
    (("series", 0, "by"), "magic", "series[0].by: 'magic' is not one of copy engine, kernel, CPU, driver"),
    (("series", 0, "points", 1, "x"), 4, "series[0].points[1].x: not above the x of the point before"),
    (("series", 0, "points", 0, "samples"), [], "series[0].points[0].samples: not a list of positive numbers"),
    (("timelines", 0, "intervals", 0, "start_ms"), 0.5, "timelines[0].intervals[0].end_ms: before start_ms"),
    (("series", 0, "points", 0, "samples"), "few", "series[0].points[0].samples: not a list of positive numbers"),
    (("timelines", 0, "intervals", 0, "start_ms"), "soon", "timelines[0].intervals[0].start_ms: not a number of 0 or more"),
    (("timelines", 0, "intervals", 0, "start_ms"), -1, "timelines[0].intervals[0].start_ms: not a number of 0 or more"),
    (("method",), "by hand", "method: not an object of named sentences"),
    (("method", "copy sweep"), 5, "method.copy sweep: not a text"),
    (("later",), [], "later: not an object of named dates"),
    (("later", "reuse"), "today", "later.reuse: not a date and time such as 2026-11-21T07:32:00Z"),
    (("later", "overlapping"), "2026-11-22T08:00:00Z", f"later: 'overlapping' is not one of {', '.join(EXPERIMENTS)}"),
], ids=lambda value: written(value) if isinstance(value, tuple) else None)
def test_what_is_wrong_is_said(path, value, sentence):
    assert refusal(with_change(path, lambda holder, key: holder.update({key: value}))) == sentence


@pytest.mark.parametrize("path", [("series", 0, "experiment"), ("series", 0, "memory"), ("timelines", 0, "memory")],
                         ids=written)
def test_a_name_that_nobody_knows_is_refused(path):
    sentence = refusal(with_change(path, lambda holder, key: holder.update({key: "vague"})))
    assert sentence.startswith(f"{written(path)}: 'vague' is not one of ")


@pytest.mark.parametrize("content", ["", "{", "[1, 2", "null", "[]", '"text"', b"\xff\xfe", "[" * 100_000],
                         ids=lambda parameter: str(parameter)[:8])
def test_what_is_no_recording_is_refused(content):
    assert refusal(content).startswith("the file: not ")


@given(st.binary(max_size=200) | st.text(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(sorted(GOOD)), inner), max_leaves=20).map(json.dumps))
def test_nothing_but_bad_recording_is_raised(content):
    refusal(content)


def test_a_refused_file_is_named(tmp_path):
    (tmp_path / "cut.json").write_text(files.to_json(small.recording())[:-20])
    with pytest.raises(files.BadRecording, match=r"cut\.json: the file: not JSON"):
        files.load(tmp_path / "cut.json")
    with pytest.raises(files.BadRecording, match=r"none\.json: cannot be read \(No such file"):
        files.load(tmp_path / "none.json")


# -- a part that is added later ----------------------------------------------------------------------------------------

def part(machine=small.MACHINE, experiment="growth"):
    grown = Series(experiment, EXPERIMENTS[experiment].whats[0], "device", "driver", None, EXPERIMENTS[experiment].unit,
                   EXPERIMENTS[experiment].x_unit, (Point(8, (1.0, 2.0)),), ())
    return Recording(1, "0.1.0", "2026-12-24T18:00:00Z", machine, {experiment: "Later.", "verified": "All."}, (grown,), ())


def test_a_part_that_a_recording_lacks_is_added_with_its_date():
    whole = files.added(small.recording(), part())
    assert whole.series == small.recording().series + part().series and whole.date == small.recording().date
    assert whole.method == {"copy sweep": "By hand.", "growth": "Later.", "verified": "All."}
    assert whole.later == {"reuse": "2026-11-22T08:00:00Z", "growth": "2026-12-24T18:00:00Z"}
    assert whole.dated("growth").title == "Made-up GPU, 2026-12-24"
    assert whole.dated("copy sweep").title == whole.dated(None).title == whole.title == "Made-up GPU, 2026-11-21"
    assert files.from_json(files.to_json(whole)) == whole


def test_a_part_of_another_machine_or_driver_is_not_added():
    another = dataclasses.replace(small.MACHINE, driver="590.2", cpu_count=8)
    with pytest.raises(errors.WrongArgument, match=r"\(driver 580.1 and 590.2; cpu_count 4 and 8\): record all of it"):
        files.added(small.recording(), part(another))


def test_where_no_cpu_takes_part_the_host_may_be_larger():
    larger = dataclasses.replace(small.MACHINE, cpu_count=64, host_memory_bytes=1 << 40)
    whole = files.added(small.recording(), part(larger, "working set"))
    assert whole.find("working set") and whole.machine == small.MACHINE
    with pytest.raises(errors.WrongArgument, match="cpu_count 4 and 64; host_memory_bytes"):
        files.added(small.recording(), part(larger))
    with pytest.raises(errors.WrongArgument, match="driver 580.1 and 590.2"):
        files.added(small.recording(), part(dataclasses.replace(larger, driver="590.2"), "working set"))


def test_the_size_of_l2_is_the_parts_where_it_was_not_asked_and_otherwise_has_to_be_the_same():
    asked, another = (dataclasses.replace(small.MACHINE, l2_bytes=size) for size in (50 << 20, 60 << 20))
    whole = files.added(small.recording(), part(asked))
    assert whole.machine == asked
    with pytest.raises(errors.WrongArgument, match="l2_bytes 52428800 and 62914560"):
        files.added(whole, part(another, "working set"))


def test_nothing_is_added_that_is_there():
    with pytest.raises(errors.WrongArgument, match="the recording has reuse already"):
        files.added(small.recording(), part(experiment="reuse"))


def test_a_file_in_which_nothing_was_added_later_need_not_say_so():
    assert files.from_json(with_change(("later",), lambda holder, key: holder.pop(key))).later == {}


def test_quartiles_of_a_point():
    point = Point(4, (5.0, 1.0, 2.0, 4.0, 3.0))
    assert (point.low, point.median, point.high) == (2.0, 3.0, 4.0)
    assert Point(4, (7.0,)).low == Point(4, (7.0,)).high == 7.0


def test_a_recording_says_in_a_line_what_it_is():
    assert repr(small.recording()) == "<recording of Made-up GPU, 2026-11-21: 2 series, 1 timelines, 1 points left out>"


def test_find_picks_by_all_that_is_given():
    recording = small.recording()
    assert [series.experiment for series in recording.find(memory="pinned")] == ["copy sweep", "reuse"]
    assert recording.find("reuse", memory="pinned", what="copied first, random", by="kernel", nbytes=65536) == recording.series[1:]
    assert recording.find("reuse", memory="device") == ()
    assert recording.timeline("pageable").intervals[0].what == "kernel" and recording.timeline("pinned") is None


def test_recordings_that_come_with_the_course_are_in_order():
    there = files.recordings()
    assert there and list(there) == sorted(there, key=lambda recording: recording.date, reverse=True)
    for recording in there:
        # Of each experiment something, and nothing stopped half-way: worth showing to those who have no GPU.
        wanted = {name for name, experiment in EXPERIMENTS.items() if experiment.devices == 1}
        experiments = {series.experiment for series in recording.series if series.points}
        assert experiments == wanted
        assert len(recording.timelines) == 2 and {"verified", "overlap", *experiments} == set(recording.method)
        assert "simulated" not in recording.machine.device


def test_recordings_of_two_devices_are_apart_from_those_of_one_and_have_all_that_takes_two():
    wanted = {name for name, experiment in EXPERIMENTS.items() if experiment.devices == 2}
    for recording in files.peer_recordings():
        assert {series.experiment for series in recording.series if series.points} == wanted and set(recording.method) == {"verified", *wanted}
        assert recording.machine.devices == 2 and recording not in files.recordings() and "simulated" not in recording.machine.device
    two = dataclasses.replace(small.recording(), machine=dataclasses.replace(small.MACHINE, devices=2))
    assert two.title == "2 Made-up GPU, 2026-11-21" and files.from_json(files.to_json(two)) == two


def test_a_file_in_which_nothing_is_said_of_a_second_device_is_of_one():
    content = with_change(("machine", "devices"), lambda holder, key: [holder.pop(name) for name in MAY_BE_MISSING])
    assert files.from_json(content).machine == small.MACHINE and small.MACHINE.devices == 1


def test_which_recordings_are_of_two_devices_is_told_by_the_machine(monkeypatch):
    single, double = small.recording(), dataclasses.replace(small.recording(), machine=dataclasses.replace(small.MACHINE, devices=2))
    monkeypatch.setattr(files, "_all", lambda: (double, single))
    assert files.recordings() == (single,) and files.peer_recordings() == (double,)
    assert files.devices() == ["Made-up GPU"]
    assert files.recorded("made-up") is single


def test_recorded_finds_a_device_by_part_of_its_name():
    assert files.recorded("h200").machine.device == "NVIDIA H200"
    assert files.recorded("H100").machine.device == "NVIDIA H100 80GB HBM3"
    with pytest.raises(errors.WrongArgument, match="no recording comes from a Voodoo 2: there is NVIDIA H100 80GB HBM3, NVIDIA H200"):
        files.recorded("Voodoo 2")
