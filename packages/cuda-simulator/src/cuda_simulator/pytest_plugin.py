"""``pytest --cuda-simulator``: a project's tests over the simulated driver.

    pytest --cuda-simulator                         one device
    pytest --cuda-simulator-devices 2               two of them
    pytest --cuda-simulator-examine                 kernels are examined for races, barriers, reads of what nobody wrote
    @pytest.mark.no_cuda_simulator("graphs")        skips a test there

The driver is attached before any conftest.py is imported, in each worker of pytest-xdist, and in processes that tests start. A
test that asked for what is not simulated is told so in its report, in its properties (``--junit-xml``), and in the summary, and
so are those that failed because an earlier test broke the CUDA context. What kernels do wrong and a GPU overlooks stands in the
summary too, and as annotations where GitHub runs the tests.

Without the options the plugin imports nothing but pytest, and changes nothing.
"""
import collections
import os
import sys

import cuda_simulator

import pytest

# Properties of a test: once for each thing that it asked for and that is not simulated, for each mistake found in a kernel, for
# the test that broke its context.
LACKS, FINDING, BROKEN = "cuda_simulator_lacks", "cuda_simulator_finding", "cuda_simulator_broken_in"
ANNOTATION = "cuda_simulator_annotation"    # a finding as GitHub's runner takes it from the output
MARK = "no_cuda_simulator"


def pytest_addoption(parser):
    group = parser.getgroup("cuda_simulator", "CUDA driver without a GPU")
    group.addoption("--cuda-simulator", action="store_true", help="run over the simulated CUDA driver: libcuda.so.1 without a GPU")
    group.addoption("--cuda-simulator-devices", metavar="N", help="the same with N devices, 1 to 8")
    group.addoption("--cuda-simulator-examine", action="store_true", help="the same, and kernels are examined for races and other mistakes")


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARK}(reason): skip the test with --cuda-simulator")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Attach before a conftest.py can import PyCUDA, or start what loads a driver."""
    options = early_config.known_args_namespace
    if not (options.cuda_simulator or options.cuda_simulator_examine or options.cuda_simulator_devices is not None):
        return
    from .children import Environment
    early = sorted({"pycuda", "numba.cuda", "cuda.bindings.driver", "cuda.core"} & sys.modules.keys())
    environment = Environment()
    if options.cuda_simulator_examine:
        os.environ["CUDA_SIMULATOR_EXAMINE"] = "1"      # of processes that tests start, too
    cuda_simulator.fit_to_this_machine()
    try:
        cuda_simulator.attach(options.cuda_simulator_devices)
    except (cuda_simulator.StandInMissing, cuda_simulator.OtherDriverLoaded, RuntimeError, ValueError) as error:
        raise pytest.UsageError(f"--cuda-simulator: {error}") from error
    environment.ask_children()
    from .libcuda import lacking, library
    lacking.leave_it_to_others()
    library.note_missing()
    early_config.pluginmanager.register(Attached(environment, early), "cuda_simulator.attached")


class Attached:
    """The hooks of a run over the simulated driver."""

    def __init__(self, environment, early):
        self._early = early         # modules that another plugin had imported before the driver was there
        from .examination import findings
        self._environment = environment
        self._findings = []         # told of since the last report
        findings.listeners.append(self._findings.append)
        self._broken_in = None      # the test in which a kernel broke CUDA for its process

    def pytest_unconfigure(self):
        from .examination import findings
        findings.listeners.remove(self._findings.append)
        self._environment.restore()

    def pytest_report_header(self):
        device = cuda_simulator.first_device()
        version, capability = (".".join(map(str, device[name])) for name in ("cuda_version", "compute_capability"))
        return [f"cuda simulator: {device['device']}, compute capability {capability}, CUDA {version}, devices: "
                f"{cuda_simulator.shown_devices('--cuda-simulator-devices 2')}",
                "cuda simulator: nvrtcGetCUBIN of cuda-bindings gives PTX", *self._too_early()]

    def _too_early(self):
        if not self._early:
            return []
        return [f"cuda simulator: a plugin imported {', '.join(self._early)} before the driver was attached, and may have found no CUDA: "
                "run python -m cuda_simulator -m pytest"]

    def pytest_collection_modifyitems(self, items):
        for item in items:
            if mark := item.get_closest_marker(MARK):
                why = mark.args[0] if mark.args else mark.kwargs.get("reason", f"marked {MARK}")
                item.add_marker(pytest.mark.skip(reason=f"--cuda-simulator: {why}"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        from .libcuda import lacking
        lacking.take_noted()     # what modules asked for while they were imported is no test's

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        """Before pytest writes the report of a phase: what the test asked for in it, and who broke its context."""
        error = call.excinfo.value if call.excinfo else None
        if lacks := _lacks(error):
            _tell(item, call, LACKS, lacks, "not simulated: " + "; ".join(lacks))
        if findings := list(dict.fromkeys(map(str, self._findings))):
            _tell(item, call, FINDING, findings, "\n".join(f"finding: {finding}" for finding in findings))
        if "GITHUB_ACTIONS" in os.environ:
            item.user_properties += [(ANNOTATION, _annotation(finding, item)) for finding in self._findings]
        self._findings.clear()
        if (fault := _fault()) is None:
            return
        self._broken_in = self._broken_in or item.nodeid
        if error is not None and item.nodeid != self._broken_in:
            _tell(item, call, BROKEN, [self._broken_in], f"a kernel broke CUDA for this process in {self._broken_in} "
                  f"({fault.c_name}); as on a GPU, calls fail until it ends")

    def pytest_terminal_summary(self, terminalreporter):
        """Each thing that is not simulated, and how many tests needed it; mistakes in kernels; tests that broke CUDA for their process."""
        for line in self._too_early():
            terminalreporter.write_line(line)
        tests_of, failed = {name: collections.defaultdict(set) for name in (LACKS, FINDING, BROKEN, ANNOTATION)}, set()
        for kind, reports in terminalreporter.stats.items():
            for report in reports:
                for name, text in getattr(report, "user_properties", ()):
                    if name in tests_of:
                        tests_of[name][text].add(report.nodeid)
                        if kind in ("failed", "error"):
                            failed.add(report.nodeid)
        if tests_of[LACKS]:
            terminalreporter.section("not simulated", sep="-")
            for text, tests in sorted(tests_of[LACKS].items(), key=lambda row: (-len(row[1]), row[0])):
                terminalreporter.line(f"{text}: needed by {len(tests)} of the tests, {len(tests & failed)} failed")
        if tests_of[FINDING]:
            terminalreporter.section("mistakes in kernels", sep="-")
            for text, tests in tests_of[FINDING].items():
                terminalreporter.line(f"{min(tests)}{f' and {len(tests) - 1} more' if len(tests) > 1 else ''}: {text}")
        for line in tests_of[ANNOTATION]:
            terminalreporter.write_line(line)
        if tests_of[BROKEN]:
            terminalreporter.section("CUDA broken by a kernel", sep="-")
            for where, tests in tests_of[BROKEN].items():
                terminalreporter.line(f"in {where}; later tests that failed in that process: {len(tests)}")


def _lacks(error):
    """What was asked for since the last call, and what led to this exception before.

    An exception of a fixture that serves several tests is raised in each of them; what it was about is kept on it.
    """
    from .libcuda import lacking
    lacks = list(dict.fromkeys([*getattr(error, LACKS, ()), *lacking.take_noted()]))
    if lacks and error is not None:
        setattr(error, LACKS, lacks)
    return lacks


def _annotation(finding, item):
    """A finding as a command of GitHub's workflows: at its line where that is in a file of the checkout, else at its test."""
    root = os.environ.get("GITHUB_WORKSPACE", str(item.config.rootpath))
    place = os.path.relpath(finding.path, root) if os.path.isfile(finding.path) else os.pardir
    if place.startswith(os.pardir) or f"{os.sep}site-packages{os.sep}" in place:     # an installed copy is no file of the checkout
        place, line = os.path.relpath(item.path, root), item.location[1] + 1
    else:
        line = finding.lines[0][1]
    place = _escaped(place).replace(":", "%3A").replace(",", "%2C")
    return f"::error file={place},line={line},title=CUDA {finding.kind}::{_escaped(str(finding))}"


def _escaped(text):
    """As actions/toolkit does it (command.ts). What stands before the message has its colons and commas escaped, too."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _fault():
    from .libcuda.state import driver
    return driver.fault


def _tell(item, call, name, values, text):
    """Write it into the test's properties and into the report of this phase."""
    item.user_properties += [(name, value) for value in values if (name, value) not in item.user_properties]
    item.add_report_section(call.when, "cuda simulator", text)
