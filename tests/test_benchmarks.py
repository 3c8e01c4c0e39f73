"""The benchmarks can be started: what they import is there, and the quick ones run to their end."""
SLOW = ["bandwidth", "memory"]
# How a line begins that they print, and what says how often they measure.
QUICK = {"memory_map": ("\n200 blocks: draw", "REPETITIONS"), "widgets": ("\nexam ", "ROUNDS")}


def test_every_benchmark_is_known(project_root):
    folder = project_root / "benchmarks"
    assert {".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.rglob("*.py")} == {*SLOW, *QUICK}


def test_what_they_import_is_there_and_the_quick_ones_run(in_new_process):
    ended = in_new_process("\n".join([*(f"import benchmarks.{name}" for name in [*SLOW, *QUICK]),
                                      *(f"benchmarks.{name}.{often} = 1\nbenchmarks.{name}.main()" for name, (_, often) in QUICK.items())]),
                           COURSE_DRIVER="simulated")
    assert ended.returncode == 0 and all(line in ended.stdout for line, _ in QUICK.values()), ended.stderr
