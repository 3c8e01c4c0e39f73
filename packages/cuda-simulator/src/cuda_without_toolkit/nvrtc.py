"""Compile CUDA C++ with NVRTC: no nvcc, no host compiler, no GPU.

``compile_source(source, ["--gpu-architecture=compute_90"]) -> (b"// PTX ...", warnings)``

Not here: nvcc's names for options (nvcc_options.py), PyCUDA's way of asking, and its cache (pycuda_without_nvcc.py).
"""
import contextlib
import functools
import os
import re

# Stand-ins for the C headers that NVRTC does not have; its README.md says more.
DEVICE_HEADERS = os.path.join(os.path.dirname(__file__), "device_headers")

# NVRTC's log has a line such as this for each message, then the source line and a caret below the column.
MESSAGE = re.compile(r"^(?P<file>[^()\n]+)\((?P<line>\d+)\): (?P<kind>[a-z ]*(?:error|warning))(?: #\d+(?:-D)?)?: (?P<text>.*)"
                     r"(?:\n(?P<source>  .*)\n(?P<caret> +\^))?", re.MULTILINE)


class CompilationFailed(Exception):
    """The source does not compile. `messages` holds the errors as text, each with file, line, column and source line."""

    def __init__(self, messages):
        super().__init__(messages)
        self.messages = messages


@functools.cache
def version():
    """NVRTC's version as (major, minor)."""
    from cuda.bindings import nvrtc
    return tuple(_checked(nvrtc.nvrtcVersion()))


@functools.cache
def architectures():
    """What NVRTC compiles for, as numbers: 75 is compute capability 7.5. (nvrtcGetSupportedArchs)"""
    from cuda.bindings import nvrtc
    return _checked(nvrtc.nvrtcGetSupportedArchs())[0]


@functools.cache
def cuda_include_dirs():
    """Folders of CUDA's own headers: those of pip's nvidia-cuda-runtime and nvidia-cuda-cccl, or of a toolkit."""
    try:
        from cuda.pathfinder import find_nvidia_header_directory
    except ImportError:     # an older cuda-pathfinder finds libraries alone
        return ()
    folders = []
    for name in ("cudart", "cccl"):
        # It may ask another Python for a toolkit's folder, and gives that ten seconds, which a busy machine exceeds. Kernels without an
        # #include of CUDA's compile all the same.
        with contextlib.suppress(ChildProcessError):
            folders.append(find_nvidia_header_directory(name))
    # Wherever libcu++ and cooperative groups' <nv/target> are: in pip's packages, one folder further down.
    folders += [os.path.join(folder, "cccl") for folder in folders if folder]
    return tuple(dict.fromkeys(folder for folder in folders if folder and os.path.isdir(folder)))


def compile_source(source, options, name="kernel.cu"):
    """Compile CUDA C++ `source`; return the output as bytes, and the warnings as text.

    The output is PTX where `options` ask for a virtual architecture (``--gpu-architecture=compute_90``), and a
    cubin where they ask for a real one (``sm_90``). `name` is what messages call the source.

    Raises CompilationFailed, and RuntimeError where NVRTC itself fails.
    CUDA calls: nvrtcCreateProgram, nvrtcCompileProgram, nvrtcGetPTX or nvrtcGetCUBIN.
    """
    from cuda.bindings import nvrtc
    search = [*cuda_include_dirs(), DEVICE_HEADERS]
    options = [*options, *(f"--include-path={folder}" for folder in search), "--pre-include=nvcc_prelude.h"]
    program, = _checked(nvrtc.nvrtcCreateProgram(source.encode(), name.encode(), 0, [], []))
    try:
        status, = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
        log = _text(program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog).decode("utf-8", "replace")
        if status == nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION:
            raise CompilationFailed(readable(log, "error"))
        if status == nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_OPTION:
            raise CompilationFailed(log.strip("\0 \n"))
        _checked((status,))
        if any(option.startswith("--gpu-architecture=sm_") for option in options):
            return _text(program, _original(nvrtc.nvrtcGetCUBINSize), _original(nvrtc.nvrtcGetCUBIN)), readable(log, "warning")
        # The size counts a closing zero byte, which is no part of the text.
        return _text(program, nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX).rstrip(b"\0"), readable(log, "warning")
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def readable(log, kind):
    """The messages of NVRTC's `log` that are of this kind ("error" or "warning"), as nvcc's users know them:

        kernel.cu:3:21: error: identifier "x" is undefined
          { int unused; p = x + 1; }
                            ^
    """
    messages = []
    for message in MESSAGE.finditer(log):
        if message["kind"].endswith(kind):
            column = f":{len(message['caret']) - 2}" if message["caret"] else ""    # the log indents source lines by two
            source = f"\n{message['source']}\n{message['caret']}" if message["caret"] else ""
            messages.append(f"{message['file']}:{message['line']}{column}: {message['kind']}: {message['text']}{source}")
    # What this does not recognise is shown as it is, rather than lost.
    return "\n".join(messages) or (log.strip("\0 \n") if kind == "error" else "")


def _text(program, size_of, read):
    """What an nvrtcGet... pair of functions gives. cuda-bindings writes into the bytes object it is handed."""
    size, = _checked(size_of(program))
    buffer = bytes(size)
    _checked(read(program, buffer))
    return buffer


def _original(function):
    """cuda-bindings' own function, where the simulated driver has put another in its place."""
    return getattr(function, "of_cuda_bindings", function)


def _checked(answer):
    """The results of a cuda.bindings.nvrtc call, whose first item is its status."""
    status, *results = answer
    if status != 0:
        raise RuntimeError(f"NVRTC answers {status.name}")
    return results
