"""The benchmarks can be started: what they import is there, and the quick ones run to their end."""
import json

import pytest

SLOW = ["bandwidth", "memory", "peer_bandwidth"]
QUICK = {"memory_map": "\n200 blocks: draw", "widgets": "\nexam "}       # and how a line begins that they print


def test_every_benchmark_is_known(project_root):
    folder = project_root / "benchmarks"
    assert {".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.rglob("*.py")} == {*SLOW, *QUICK}


def test_what_they_import_is_there_and_the_quick_ones_run(in_new_process):
    ended = in_new_process("\n".join([*(f"import benchmarks.{name}" for name in [*SLOW, *QUICK]),
                                      *(f"benchmarks.{name}.main()" for name in QUICK)]), COURSE_DRIVER="simulated")
    assert ended.returncode == 0 and all(line in ended.stdout for line in QUICK.values()), ended.stderr


@pytest.mark.parametrize("figures, outcome", [((100, 100), "3 %: yes"), ((100, 96), "3 %: no")])
def test_who_does_the_work_is_told_as_nvbandwidth_tells_it_and_both_of_ours_have_to_be_close(
        figures, outcome, monkeypatch, tmp_path, capsys):
    """nvbandwidth's rows are the devices that do the work, and of several matrices the last has the totals."""
    from courseware.bandwidth.recording import Point

    from benchmarks import peer_bandwidth
    made_up = [{"name": test, "bandwidth_matrix": [["N/A", "1"], ["2", "N/A"]] * (3 if "bidirectional" in test else 1)}
               for test in {test for test, _, _ in peer_bandwidth.tests().values()}]
    made_up[0]["bandwidth_matrix"] += [["N/A", "100"], ["200", "N/A"]]
    program = tmp_path / "nvbandwidth"
    program.write_text(f"#!/bin/sh\necho '{json.dumps({'nvbandwidth': {'testcases': made_up}})}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("NVBANDWIDTH", str(program))
    assert peer_bandwidth.theirs()[made_up[0]["name"]] == [["N/A", "100"], ["200", "N/A"]]
    assert peer_bandwidth.tests()["read, 0 to 1", "kernel"] == ("device_to_device_memcpy_read_sm", 1, 0)
    assert peer_bandwidth.tests()["write, 0 to 1", "kernel"] == ("device_to_device_memcpy_write_sm", 0, 1)
    ours = iter(figures)
    monkeypatch.setattr(peer_bandwidth, "ours", lambda: dict.fromkeys(peer_bandwidth.tests(), Point(1, (next(ours),))))
    monkeypatch.setattr(peer_bandwidth, "theirs", lambda: {
        test: [["N/A", "100"], ["100", "N/A"]] for test, _, _ in peer_bandwidth.tests().values()})
    monkeypatch.setattr(peer_bandwidth.driver, "attached", peer_bandwidth.driver.Driver("real", "", "", "", (9, 0), (13, 0)))
    monkeypatch.setattr(peer_bandwidth.pair, "why_not", lambda: None)
    peer_bandwidth.main()
    assert capsys.readouterr().out.count(outcome) == 6
