"""nvcc's options, as NVRTC takes them.

PyCUDA hands a kernel's options over as they would stand on nvcc's command line. NVRTC compiles device code
alone: it has most options of the device compiler under the same long names, and none for the host compiler,
the linker or files, which is why those have nothing to change here and are passed over.

``translate(["-DN=4", "-arch", "sm_90", "-O3"]) -> Translated(["--define-macro=N=4"], arch="sm_90", ...)``
"""
from dataclasses import dataclass, field

# nvcc's short names (nvcc --help), where its name is not the long one already.
SHORT = {
    "I": "include-path", "D": "define-macro", "U": "undefine-macro", "include": "pre-include",
    "arch": "gpu-architecture", "code": "gpu-code", "gencode": "generate-code", "G": "device-debug",
    "lineinfo": "generate-line-info", "dc": "device-c", "rdc": "relocatable-device-code", "w": "disable-warnings",
    "Xptxas": "ptxas-options", "Xcompiler": "compiler-options", "Xlinker": "linker-options", "ccbin": "compiler-bindir",
    "g": "debug", "O": "optimize", "l": "library", "L": "library-path", "m": "machine", "m64": "machine64", "t": "threads",
    "v": "verbose", "k": "keep", "e": "entries", "extra-vec": "extra-device-vectorization",
    "default-device": "device-as-default-execution-space",      # not nvcc's: NVRTC's messages speak of it
}
# Options of one letter may have their value attached: -DN=4, -I/folder, -O3.
ATTACHED = tuple("IDUOlL")

TAKES_VALUE = {"include-path", "define-macro", "undefine-macro", "pre-include", "std", "maxrregcount", "ftz", "prec-div",
               "prec-sqrt", "fmad", "relocatable-device-code", "ptxas-options", "diag-suppress", "diag-error", "diag-warn"}
FLAGS = {"use_fast_math", "device-debug", "generate-line-info", "device-c", "disable-warnings", "restrict",
         "extra-device-vectorization", "device-as-default-execution-space"}

# For the host compiler, the linker, or nvcc itself; --entries leaves out kernels that nobody will launch.
NOT_NVRTC_TAKES_VALUE = {"compiler-options", "linker-options", "compiler-bindir", "optimize", "library", "library-path",
                         "machine", "threads", "cudart", "default-stream", "entries"}
NOT_NVRTC_FLAGS = {"debug", "keep", "verbose", "machine64", "allow-unsupported-compiler", "Wno-deprecated-gpu-targets"}
RELAXED_CONSTEXPR = "expt-relaxed-constexpr"

ARCHITECTURE = {"gpu-architecture", "gpu-code", "generate-code"}


class UnknownOption(ValueError):
    """An option that NVRTC has not, and that is not known to concern the host alone."""


@dataclass
class Translated:
    """What NVRTC is to be told, and what concerns the choice of output."""

    options: list[str] = field(default_factory=list)
    include_dirs: list[str] = field(default_factory=list)     # those of `options`, in order
    arch: str | None = None                                   # "sm_90" or "compute_90"
    relaxed_constexpr: bool = False                           # may device code call constexpr functions of the host?


def translate(options):
    """Translate a list of nvcc's options. Raises UnknownOption, which names the one it does not know."""
    result = Translated()
    remaining = iter(options)
    for option in remaining:
        name, value = _split(option)
        if name in TAKES_VALUE | NOT_NVRTC_TAKES_VALUE | ARCHITECTURE and value is None:
            value = next(remaining, None)
            if value is None:
                raise UnknownOption(f"the option {option} lacks its value")
        if name in ARCHITECTURE:
            # The real architecture says more than the virtual one: -arch compute_80 -code sm_90.
            value = value.split("code=")[-1].strip("[]\"'").split(",")[0]
            if result.arch is None or value.startswith("sm_"):
                result.arch = value
        elif name in TAKES_VALUE:
            result.options.append(f"--{name}={value}")
            if name == "include-path":
                result.include_dirs.append(value)
        elif name in FLAGS and value is None:
            result.options.append(f"--{name}")
        elif name == RELAXED_CONSTEXPR:
            result.relaxed_constexpr = True
        elif name not in NOT_NVRTC_FLAGS | NOT_NVRTC_TAKES_VALUE:
            raise UnknownOption(f"NVRTC has no option {option}")
    return result


def _split(option):
    """``--std=c++17 -> ("std", "c++17")``, ``-DN=4 -> ("define-macro", "N=4")``, ``-G -> ("device-debug", None)``"""
    if not option.startswith("-"):
        raise UnknownOption(f"the option {option} is a file or the value of no option")
    name, equals, value = option.lstrip("-").partition("=")
    full_name = SHORT.get(name, name)
    if full_name in TAKES_VALUE | NOT_NVRTC_TAKES_VALUE | ARCHITECTURE | FLAGS | NOT_NVRTC_FLAGS:
        return full_name, value if equals else None
    if not option.startswith("--") and name[:1] in ATTACHED:
        return SHORT[name[0]], option[2:]
    return name, value if equals else None
