"""Examine kernels for mistakes that a run on a GPU overlooks: races, barriers, reads of what nobody wrote.

    >>> from course_lib import kernels
    >>> from courseware import kernel_views
    >>> def reverse():
    ...     import numpy as np, pycuda.driver as cuda
    ...     code = kernels.compile('''
    ...         __global__ void reverse(int *x) {
    ...             __shared__ int s[64];
    ...             s[threadIdx.x] = x[threadIdx.x];
    ...             x[threadIdx.x] = s[63 - threadIdx.x];
    ...         }''')
    ...     code.reverse(1, 64, cuda.to_device(np.arange(64, dtype=np.int32)))
    >>> [race] = kernel_views.examine(reverse).findings
    >>> race["kind"], race["element"], [number for file, number in race["lines"]]
    ('race', 's[0]', [5, 4])

Only a simulation sees every access, so the function runs over the simulated driver, in the sandbox, on every machine.
Not here: how mistakes are found (cuda_simulator/examination/).
"""
import contextlib
import dataclasses
import html
import io
import os

from course_lib.core import tables
from course_lib.core.errors import WrongArgument

from .. import sandbox


def examine(function, *arguments, seed=1, timeout=60):
    """Run a function that launches kernels, and tell what was found in them; returns an Examined.

    function:  runs in the sandbox over the simulated driver, with a context; it compiles and launches its kernels
               itself
    arguments: of the function
    seed:      of the order in which warps and blocks run, as a GPU might choose it; another one is another order
    timeout:   in seconds

    What was found happened in this run: another input may take another branch. Raises WrongArgument for what is not
    one, DriverError where the simulated driver is not built.
    """
    if not callable(function):
        raise WrongArgument(f"examine takes a function that launches kernels, not {type(function).__name__}: pass the "
                            "function itself, and its arguments after it")
    # Without a context of the sandbox's: it would report a fault in the place of what was found.
    outcome = sandbox.run(_examined, function, arguments, seed, timeout / 2,
                          timeout=timeout, context=False, simulated=True)
    findings, sources, launches, failed = outcome.value or ((), {}, 0, None)
    if not failed and not outcome.ok:
        failed = outcome.ending
    return Examined(tuple(findings), sources, launches, failed or "", outcome.printed)


def examine_here(function, *arguments, seed=1):
    """The same in this process, for one of the sandbox's that runs over the simulated driver and may break its
    context."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        findings, sources, launches, failed = _examined(function, arguments, seed)
    return Examined(tuple(findings), sources, launches, failed or "", printed.getvalue())


def _examined(function, arguments, seed, seconds=None):
    """In the sandbox: (findings as dicts, {kernel: its source}, number of launches, how the function failed or None).

    seconds: for one kernel. One that takes longer is stopped while somebody is there to hear at which line it was
    """
    import cuda_simulator
    if seconds:
        os.environ.setdefault("CUDA_SIMULATOR_KERNEL_SECONDS", str(seconds))

    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as cuda
    failed = None
    with cuda_simulator.examine(seed) as report:
        try:
            function(*arguments)
            cuda.Context.synchronize()
        except Exception as error:      # what was found until then is worth telling all the same
            failed = f"{type(error).__name__}: {error}"
    return [dataclasses.asdict(finding) for finding in report.findings], report.sources, report.launches, failed


@dataclasses.dataclass(frozen=True, repr=False)
class Examined:
    """What examining found. A notebook shows it as a table, with the source and the lines that are meant."""

    findings: tuple         # of dicts, with the fields of cuda_simulator.examination.Finding
    sources: dict           # kernel -> its CUDA C++
    launches: int           # how many were examined
    failed: str = ""        # how the function ended, where it did not end well
    printed: str = ""

    def __repr__(self):
        texts = [f"{finding['kind']}: {finding['message']}{_times(finding)}. {finding['remedy']}"
                 for finding in self.findings]
        return "\n".join([*(texts or [self._nothing()]), *filter(None, [self._failure()])])

    def _repr_html_(self):
        if not self.findings:
            return "".join(f"<p>{html.escape(text)}</p>" for text in (self._nothing(), self._failure()) if text)
        rows = [(finding["kind"], finding["message"] + _times(finding), finding["remedy"]) for finding in self.findings]
        kernels = dict.fromkeys(finding["kernel"] for finding in self.findings)
        listings = "".join(self._listing(name) for name in kernels if name in self.sources)
        table = tables.html(rows, head=("kind", "what was seen", "what helps"))
        return f"{table}{listings}<p>{html.escape(self._failure())}</p>"

    def _listing(self, kernel):
        """A kernel's source, with a mark at each line that a finding names."""
        of_kernel = (finding for finding in self.findings if finding["kernel"] == kernel)
        marked = {number for finding in of_kernel for _, number in finding["lines"]}
        lines = (f"{'&#9654;' if number in marked else '&nbsp;'} {number:3} {html.escape(line)}"
                 for number, line in enumerate(self.sources[kernel].splitlines(), 1))
        return (f"<pre tabindex='0' role='group' aria-label='Source of {html.escape(kernel)}' "
                "style='line-height:1.35; white-space:pre; overflow-x:auto'>" + "\n".join(lines) + "</pre>")

    def _nothing(self):
        if not self.launches:
            # Copies on streams are examined as well, so "nothing was examined" would not be so without a kernel.
            return ("Nothing was examined: no kernel ran to its end." if self.failed else
                    "Nothing found, and no kernel was launched.")
        return f"Nothing found in {self.launches} launch{'' if self.launches == 1 else 'es'}."

    def _failure(self):
        return f"The function did not end well: {self.failed}" if self.failed else ""


def _times(finding):
    return f" ({finding['count']} times)" if finding["count"] > 1 else ""
