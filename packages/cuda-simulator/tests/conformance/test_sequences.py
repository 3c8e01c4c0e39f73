"""Random sequences of calls answer as recorded on a GPU; the writer and the comparison do what they promise."""
import json

import pytest

from . import known
from .sequences import executor, managed_writer, recording, writer

PARTS = 6       # for as many workers


@pytest.fixture(scope="module")
def recorded():
    if not recording.H200.exists():
        pytest.skip("not recorded yet")
    return recording.load()


@pytest.mark.parametrize("part", range(PARTS))
def test_sequences_answer_as_recorded(part, recorded, ask):
    _, calls, answers = recorded
    calls = {seed: calls[seed] for seed in list(calls)[part::PARTS]}
    compared, differing = recording.compare(calls, answers, ask(recording.run, calls))
    assert compared > 0 and not [str(difference) for difference in differing if known.reason(difference) is None]


def test_a_seed_writes_the_same_sequence_every_time():
    assert writer.write(7, 100) == writer.write(7, 100) != writer.write(8, 100)


def test_a_sequence_is_json_and_as_long_as_asked():
    calls = writer.write(3, 120)
    assert json.loads(json.dumps(calls)) == calls
    assert 120 <= len(calls) < 130


def test_every_function_is_called_within_a_hundred_sequences():
    called = {call[0] for seed in range(100) for call in writer.write(seed, 150)}
    assert len(called) >= 55


def test_a_group_of_sequences_is_mostly_about_managed_memory():
    called = [call[0] for calls in recording.fresh(["managed"]).values() for call in calls]
    about = {"cuMemAllocManaged", "cuMemAdvise", "cuMemPrefetchAsync", "cuMemRangeGetAttribute", "range", "batch", "host write", "host read",
             "cuStreamAttachMemAsync", "managed pool", "cuMemAllocFromPoolAsync", "cuMemPoolDestroy"}
    assert about <= set(called) and sum(call in about for call in called) > len(called) / 2


def test_in_the_group_of_two_processes_each_takes_turns_and_one_is_killed_and_started_again():
    for group, devices in recording.DEVICES.items():
        for calls in recording.fresh([group]).values():
            assert json.loads(json.dumps(calls)) == calls and len(calls) >= 100 and calls[0] == ["start", "there"]
        called = [call for calls in recording.fresh([group]).values() for call in calls]
        assert {f"{process} {device}" for process in ("here", "there") for device in range(devices)} <= {call[1] for call in called}
        assert {"open", "import", "import pool", "import pointer", "kill", "leave", "free", "close", "fill"} <= {call[0] for call in called}
        assert sum(call[0] == "start" for call in called) > len(recording.fresh([group]))


def test_two_processes_take_turns_on_the_attached_driver(ask):
    calls = {3000: recording.fresh(["sharing"])[3000][:40], 3100: recording.fresh(["two devices"])[3100][:40]}
    for seed, answers in ask(recording.run, calls).items():
        assert answers[0] == ["SUCCESS"] and None not in answers, seed
        assert not [answer for answer in answers if "raised" in str(answer)]


def test_no_two_groups_share_a_seed_and_each_writes_its_own():
    seeds_of_group = {group: [seed for first, number, _ in parts for seed in range(first, first + number)]
                      for group, (_, parts) in recording.GROUPS.items()}
    together = {seed for seeds in seeds_of_group.values() for seed in seeds}
    assert sum(map(len, seeds_of_group.values())) == len(together)
    for group, seeds in seeds_of_group.items():
        assert list(recording.of_groups([group], sorted(together))) == seeds
    assert recording.fresh(["managed"])[2000] == managed_writer.write(2000, 150) != writer.write(2000, 150)


def test_calls_that_could_not_be_made_are_not_compared():
    for answer in (executor.UNSET, executor.REUSED):
        assert not recording.is_comparable(answer, ["SUCCESS"]) and not recording.is_comparable(["SUCCESS"], answer)
    assert not recording.is_comparable(None, ["SUCCESS"])
    assert recording.is_comparable(["INVALID_VALUE"], ["SUCCESS"])


def test_a_difference_names_the_documented_rule():
    difference = recording.SequenceDifference(0, 0, [["cuMemAlloc", "none", 0]], ["INVALID_VALUE"], ["SUCCESS"])
    assert "a size of 0" in difference.rule and difference.rule in str(difference)
