"""Which projects' tests are run, where they are published, and what of them is left out, with the reason."""
import importlib.metadata
import importlib.util
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Suite:
    """The tests that one project publishes of itself."""

    project: str                # the distribution
    repository: str             # on GitHub
    tag: str                    # with {} for the version; or a commit
    folder: str                 # in the repository, where its tests are run; "" where the package brings them
    paths: tuple = (".",)       # from there
    left_out: dict = field(default_factory=dict)    # file, folder or test -> why it is not run
    replaced_by: str = ""       # a distribution that, where it is installed, is imported in this one's place
    over: str = ""              # the distribution that runs the kernels, whose version counts: where the project itself is not installed
    options: tuple = ()
    own_simulator: bool = False     # Numba's, NUMBA_ENABLE_CUDASIM=1, in the place of the simulated driver: to compare with

    @property
    def name(self):
        """What its row in the table is called, without the version."""
        over = f" over {self.over}" if self.over else ""
        return self.project + over + ("'s own simulator" if self.own_simulator else "")

    @property
    def version(self):
        """The one that is installed; None where none is, or another takes its place."""
        try:
            if self.replaced_by and importlib.util.find_spec(self.replaced_by):
                return None
            return importlib.metadata.version(self.over or self.project)
        except importlib.metadata.PackageNotFoundError:
            return None

    @property
    def revision(self):
        """The tests' own version, as a part of a folder's name."""
        return self.version if "{}" in self.tag else self.tag[:9]

    def reasons(self):
        """{why: [what is left out for it]}."""
        return {why: [part.rpartition("::")[2] for part, reason in self.left_out.items() if reason == why]
                for why in dict.fromkeys(self.left_out.values())}


NO_DRIVER = "tests another library than the driver"
GRAPHS = "graphs are not simulated"
CHECKPOINTS = "checkpoints of processes are not simulated"
BUILT = "has to be compiled with Cython first"
BIG = "arrays of 2**31 elements and more, which are interpreted for minutes"
CHILDREN = "starts processes; not tried since these attach the driver"

STUMPY = Suite("stumpy", "stumpy-dev/stumpy", "60283ff60ecc0ed8ac0a98fab2aa4b06e3eb1987", ".", tuple(
    f"tests/test_gpu_{name}.py" for name in ("aamp", "aamp_ostinato", "aamp_stimp", "aampdist", "mpdist", "ostinato", "stimp", "stump")))

SUITES = {suite.name: suite for suite in [
    Suite("pycuda", "inducer/pycuda", "v{}", "test", ("test_driver.py", "test_gpuarray.py", "test_cumath.py"),
          left_out={f"test_gpuarray.py::TestGPUArray::test_{benchmark}": BIG
                    for benchmark in ("big_array_elementwise", "big_array_reduction", "big_array_scan", "curand_wrappers_8gb")}),
    Suite("cuda-bindings", "NVIDIA/cuda-python", "v{}", "cuda_bindings/tests",
          left_out={"test_cufile.py": NO_DRIVER, "test_nvjitlink.py": NO_DRIVER, "test_nvvm.py": NO_DRIVER, "cython": BUILT}),
    Suite("cuda-core", "NVIDIA/cuda-python", "cuda-core-v{}", "cuda_core/tests",
          left_out={"graph": GRAPHS, "test_object_protocols.py": GRAPHS, "system": NO_DRIVER, "cython": BUILT,
                    "test_checkpoint.py": CHECKPOINTS}),
    Suite("numba", "numba/numba", "{}", "", ("--pyargs", "numba.cuda.tests.cudadrv", "numba.cuda.tests.cudapy"),
          left_out={"numba/cuda/tests/cudapy/test_caching.py::TestMultiprocessCache": CHILDREN}, replaced_by="numba_cuda"),
    # Its pytest.ini names the tests, which the package brings, and warnings, for which pytest would import Numba too early.
    Suite("numba-cuda", "NVIDIA/numba-cuda", "v{}", "testing", ("-o", "filterwarnings="),
          left_out={"cudapy/test_caching.py::TestMultiprocessCache": CHILDREN}),
    replace(STUMPY, over="numba-cuda"),
    replace(STUMPY, over="numba-cuda", own_simulator=True),
    replace(STUMPY, over="numba-cuda-mlir", options=("-p", "tests.peers.mlir_for_numba")),
]}
