"""For every run of the simulated driver's tests: how they are shared out, and that interrupts arrive."""
import gc
import signal

import pytest

# `make test-simulator &` in a script has interrupts ignored, in all of its processes; then tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Files whose tests share what is costly to make: the findings in all kernels of a corpus; a large header, which a process reads once.
WHOLE = ("examine/test_corpus.py", "ptx/test_counted_barriers.py")
# So that garbage is looked for every 20,000 new objects and not every 700: that was a twelfth of all processor time.
gc.set_threshold(20_000, 50, 100)


def pytest_collection_finish():
    """What is there by now (modules, the tests themselves) stays to the end: no collection of garbage looks through it."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure():
    """What is garbage by now is collected once; what is left ends with the process."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Workers take one test after the other; but the questions of a module of tests/conformance, which are asked together, whole."""
    from xdist.scheduler import LoadScopeScheduling

    class ByTestOrQuestions(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            if file.endswith(WHOLE):
                return file
            return nodeid.rpartition(".")[0] if "::test_answers_as_recorded[" in nodeid else nodeid

    return ByTestOrQuestions(config, log)
