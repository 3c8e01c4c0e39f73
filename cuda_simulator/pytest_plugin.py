"""``pytest --cuda-simulator``: a project's tests over the simulated driver.

    pytest --cuda-simulator                         one device
    pytest --cuda-simulator-devices 2               two of them
    @pytest.mark.no_cuda_simulator("graphs")        skips a test there

The driver is attached before any conftest.py is imported, and in each worker of pytest-xdist. A test that asked for what
is not simulated is told so in its report, in its properties (``--junit-xml``), and in the summary.

Without the options the plugin imports nothing but pytest. Processes that tests start attach their own driver.
"""
import collections

import cuda_simulator

import pytest

PROPERTY = "cuda_simulator_lacks"       # of a test: once for each thing that it asked for and that is not simulated
MARK = "no_cuda_simulator"


def pytest_addoption(parser):
    group = parser.getgroup("cuda_simulator", "CUDA driver without a GPU")
    group.addoption("--cuda-simulator", action="store_true", help="run over the simulated CUDA driver: libcuda.so.1 without a GPU")
    group.addoption("--cuda-simulator-devices", metavar="N", help="the same with N devices, 1 to 8")


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARK}(reason): skip the test with --cuda-simulator")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Attach before a conftest.py can import PyCUDA, or start what loads a driver."""
    options = early_config.known_args_namespace
    if not _wanted(options):
        return
    try:
        cuda_simulator.attach(options.cuda_simulator_devices)
    except (cuda_simulator.StandInMissing, cuda_simulator.OtherDriverLoaded, RuntimeError, ValueError) as error:
        raise pytest.UsageError(f"--cuda-simulator: {error}") from error
    from .libcuda import library
    library.note_missing()
    early_config.pluginmanager.register(Attached(), "cuda_simulator.attached")


def _wanted(options):
    return options.cuda_simulator or options.cuda_simulator_devices is not None


class Attached:
    """The hooks of a run over the simulated driver."""

    def pytest_report_header(self):
        device = cuda_simulator.first_device()
        version, capability = (".".join(map(str, device[name])) for name in ("cuda_version", "compute_capability"))
        return (f"cuda simulator: {device['device']}, compute capability {capability}, CUDA {version}, "
                f"devices: {cuda_simulator.shown_devices()}")

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if mark := item.get_closest_marker(MARK):
                why = mark.args[0] if mark.args else mark.kwargs.get("reason", MARK)
                item.add_marker(pytest.mark.skip(reason=f"--cuda-simulator: {why}"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        from .libcuda import lacking
        lacking.taken()     # what modules asked for while they were imported is no test's

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        """Before pytest writes the report of a phase: what the test asked for in it."""
        from .libcuda import lacking
        if lacks := lacking.taken():
            item.user_properties += [(PROPERTY, what) for what in lacks if (PROPERTY, what) not in item.user_properties]
            item.add_report_section(call.when, "cuda simulator", "not simulated: " + "; ".join(lacks))

    def pytest_terminal_summary(self, terminalreporter):
        """Each thing that is not simulated, and how many tests asked for it."""
        asked, failed = collections.defaultdict(set), set()
        for kind, reports in terminalreporter.stats.items():
            for report in reports:
                for name, what in getattr(report, "user_properties", ()):
                    if name == PROPERTY:
                        asked[what].add(report.nodeid)
                        if kind in ("failed", "error"):
                            failed.add(report.nodeid)
        if asked:
            terminalreporter.section("not simulated", sep="-")
            for what, tests in sorted(asked.items(), key=lambda one: (-len(one[1]), one[0])):
                terminalreporter.line(f"{what}: asked for by {len(tests)} of the tests, {len(tests & failed)} failed")
