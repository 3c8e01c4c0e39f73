"""Run other projects' own tests over the simulated driver, count them, and print the tables of docs/other-projects.md.

    python -m tests.peers                       all that are installed, some minutes each
    python -m tests.peers pycuda                one of them
    python -m tests.peers table                 the table of the last counts, and what is left out

Their tests are fetched into .build/peers, at the version that is installed.
"""
import argparse
import datetime
import sys

from . import counting, running, suites


def main(arguments=None):
    parser = argparse.ArgumentParser("python -m tests.peers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*suites.SUITES, "table"], default=[], metavar="name")
    parser.add_argument("--sources", default=running.ROOT / ".build" / "peers",
                        help="a folder; NAME-VERSION in it is not fetched again")
    parser.add_argument("--seconds", type=int, default=1800, help="for one project; what it did not reach by then is not counted")
    parser.add_argument("--test-seconds", type=int, default=300, help="for one test, more on a machine that does much else")
    options = parser.parse_args(arguments)
    counts = counting.saved_counts()
    for name in [] if "table" in options.names else options.names or suites.SUITES:
        suite = suites.SUITES[name]
        if suite.version is None:
            print(f"{name} is not installed: its tests are not run", file=sys.stderr)
            continue
        results, whole, processor = running.results(suite, options.sources, options.seconds, test_seconds=options.test_seconds)
        if not results:
            print(f"{name}: no test was run; {options.sources} has its .log, which says why", file=sys.stderr)
            continue
        counts[name] = {"version": suite.version, "date": datetime.date.today().isoformat(), "whole": whole,
                        "processor seconds": round(processor), **counting.counts_of(results)}
        counting.save(counts)
    print(counting.table(counts), counting.times(counts), counting.left_out(), counting.missing_functions(counts), sep="\n\n")


if __name__ == "__main__":
    main()
