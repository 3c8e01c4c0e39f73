"""PyCUDA's SourceModule without nvcc.

PyCUDA turns CUDA C++ into a cubin by running nvcc. The simulated driver cannot run a cubin, and a machine
without CUDA's toolkit has no nvcc. `install` replaces the one function of PyCUDA that runs it,
``pycuda.compiler.compile_plain``, by one that uses NVRTC

- always over a driver that takes PTX alone (the simulated one), for PTX;
- over a real driver where nvcc is not found, for a cubin of the device's own architecture, or for PTX where the device is newer
  than NVRTC: its driver compiles that.

PyCUDA's files stay as they are, and PyCUDA is not imported before somebody else does.
"""
import contextlib
import errno
import functools
import inspect
import os
import re
import warnings

from . import after_import, nvcc_options, nvrtc

# hashlib, shutil and tempfile are imported with the first kernel: a process that compiles none starts ten milliseconds sooner.

# The simulated driver reads the PTX of these virtual architectures (they are one dialect).
DIALECT = re.compile(r"(?:sm|compute)_(7[5-9]|8\d|90)$")

# What pycuda.compiler.compile puts before a source; messages then count the lines of the learner's own.
EXTERN_C = 'extern "C" {\n'

# What NVRTC says of a function that is neither __device__ nor __global__, and the line where it stands.
OF_THE_HOST = re.compile(r"^\S.*: error: (?P<text>.*)\n  (?P<line>.*)", re.MULTILINE)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


# `install` sets them: the device that is compiled for, whether its driver takes PTX alone, who is told what was compiled, and what makes
# PTX of a newer NVRTC into such a driver's.
_compute_capability, _ptx_only, _remember, _readable = None, False, None, None
_debugging = False      # compile with -G for such a driver


def install(compute_capability, ptx_only=False, remember=None, readable=None):
    """Replace compile_plain: now if pycuda.compiler is imported already, else as soon as it is.

    compute_capability: of the device, (major, minor);  ptx_only: its driver takes PTX and no machine code
    remember: remember(ptx, source) is told what each output, as bytes, was compiled from
    readable: readable(ptx) is the PTX, as bytes, that such a driver gets in the place of machine code
    """
    global _compute_capability, _ptx_only, _remember, _readable
    _compute_capability, _ptx_only, _remember, _readable = compute_capability, ptx_only, remember, readable
    after_import.do("pycuda.compiler", _replace)


@contextlib.contextmanager
def debugging():
    """Compile with -G meanwhile, for a driver that takes PTX alone: each line of a source keeps its own code, and variables their names."""
    global _debugging
    before, _debugging = _debugging, True
    try:
        yield
    finally:
        _debugging = before


def _replace(module):
    if not hasattr(module.compile_plain, "with_nvcc"):
        with_nvcc = module.compile_plain
        module.compile_plain = functools.wraps(with_nvcc)(functools.partial(compile_plain, with_nvcc=with_nvcc))
        module.compile_plain.with_nvcc = with_nvcc
        # PyCUDA makes the folder of its cache before it compiles, and fails where it cannot.
        module.compile = _with_cache_dir(module.compile)


def _with_cache_dir(compile):
    parameters = inspect.signature(compile)

    @functools.wraps(compile)
    def with_cache_dir(*arguments, **options):
        bound = parameters.bind(*arguments, **options)
        if bound.arguments.get("cache_dir") is None:
            bound.arguments["cache_dir"] = cache_dir()
        return compile(*bound.args, **bound.kwargs)
    return with_cache_dir


def cache_dir():
    """The folder of PyCUDA's compiler cache, chosen as PyCUDA chooses it; False for no cache, or if nobody can write there."""
    if "PYCUDA_DISABLE_CACHE" in os.environ:
        return False
    folder = os.environ.get("PYCUDA_CACHE_DIR")
    try:
        if folder is None:
            import platformdirs
            folder = os.path.join(platformdirs.user_cache_dir("pycuda", "pycuda"), "compiler-cache-v1")
        os.makedirs(folder, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, RuntimeError) as error:        # platformdirs raises RuntimeError for a user who has no home
        return _not_kept(folder or "the user's cache folder", error)
    return folder


def _not_kept(folder, error):
    """Say once that there is no cache, which is no reason to fail; returns False."""
    warnings.warn(f"Compiled kernels cannot be kept in {folder} ({getattr(error, 'strerror', error)}), so each process compiles its "
                  "kernels itself. Set PYCUDA_CACHE_DIR to a folder that can be written.", stacklevel=2)
    return False


def compile_plain(source, options, keep, nvcc, cache_dir, target="cubin", *, with_nvcc=None, written=None):
    """pycuda.compiler.compile_plain, without nvcc where that is needed: returns the compiled bytes.

    `written` is what somebody wrote, line by line, where `source` has more. `options` are nvcc's. `keep` leaves source and
    output in a folder whose name is printed. `cache_dir` is the folder of PyCUDA's compiler cache, or false for none. `target` is
    "cubin" or "ptx".
    Raises pycuda.driver.CompileError; its `stderr` holds the compiler's messages.
    """
    import shutil
    if not _ptx_only and with_nvcc is not None and shutil.which(nvcc):
        return with_nvcc(source, options, keep, nvcc, cache_dir, target)
    if target == "fatbin":
        raise _refused("NVRTC makes no fat binaries: use target='cubin'")
    try:
        translated = nvcc_options.translate(options)
        arch = _architecture(translated.arch, target)
    except ValueError as error:
        raise _refused(str(error)) from None
    arguments = [f"--gpu-architecture={arch}", "--device-int128", *translated.options]      # nvcc has __int128 without being asked
    if _ptx_only and "--device-debug" not in arguments:    # so that a fault in a kernel can name its line
        arguments.append("--device-debug" if _debugging else "--generate-line-info")
    source = str(source)
    written = written or source
    if source.startswith(EXTERN_C):
        written = source[len(EXTERN_C):].rpartition("}")[0]     # what the learner wrote, line by line
        source = with_own_lines(source)

    compiler = _with_constexpr if translated.relaxed_constexpr else nvrtc.compile_source
    suffix = ".ptx" if arch.startswith("compute_") else ".cubin"
    cached = cache_dir and os.path.join(cache_dir, _key(source, [*arguments, target, compiler.__name__], translated.include_dirs) + suffix)
    output = _cached_output(cached) if cached else None
    if output is not None:
        _remember_output(output, written)
        return output
    try:
        output, messages = compiler(source, arguments)
    except nvrtc.CompilationFailed as error:
        raise _refused("NVRTC does not compile the kernel", error.messages) from None
    if _ptx_only and _readable is not None and target == "cubin":
        output = _readable(output)
    if messages:
        warnings.warn("The CUDA compiler succeeded, but said the following:\n" + messages, stacklevel=4)
    if keep:
        import tempfile
        folder = tempfile.mkdtemp()
        print(f"*** compiler output in {folder}")
        _write(os.path.join(folder, "kernel.cu"), source.encode())
        _write(os.path.join(folder, "kernel" + suffix), output)
    if cached:
        try:
            _write(cached, _digest(output) + b"\n" + output)
        except OSError as error:
            _not_kept(cache_dir, error)
    _remember_output(output, written)
    return output


def _with_constexpr(source, arguments):
    """nvrtc.compile_source as nvcc's --expt-relaxed-constexpr has it: device code may call constexpr functions of the host.

    NVRTC refuses every function that is not marked for the device, or takes them all for functions of the device. The second is right if
    all that it refuses are constexpr. Another function of the host lacks its __device__, and nvcc refuses it as well.
    """
    try:
        return nvrtc.compile_source(source, arguments)
    except nvrtc.CompilationFailed as error:
        refused = list(OF_THE_HOST.finditer(error.messages))
        if not refused or not all("not allowed in JIT mode" in message["text"] and "constexpr" in message["line"] for message in refused):
            raise
    return nvrtc.compile_source(source, [*arguments, "--device-as-default-execution-space"])


def _refused(why, messages=""):
    """PyCUDA's error. Programs look into its `stderr` for what the compiler said, so it is always a text."""
    from pycuda.driver import CompileError
    return CompileError(why, None, stderr=messages)


def _remember_output(output, source):
    if _remember is not None:
        _remember(output, source)


def with_own_lines(source):
    """A source in EXTERN_C, so that the compiler counts the lines of what is inside."""
    return f"{EXTERN_C}#line 1\n{source[len(EXTERN_C):]}"


def _architecture(architecture, target):
    """NVRTC's --gpu-architecture for a kernel: PTX for the simulated driver or target "ptx", else the device's own, or the PTX
    of the newest that is older than the device."""
    major, minor = _compute_capability
    architecture = architecture or f"sm_{major}{minor}"
    if _ptx_only and not DIALECT.match(architecture):
        raise ValueError(f"the simulated driver runs code for sm_75 to sm_90, not for {architecture}")
    number = re.fullmatch(r"sm_(\d+)", architecture)
    if number and int(number[1]) not in nvrtc.architectures():
        older = [version for version in nvrtc.architectures() if version < int(number[1])]
        architecture = f"compute_{max(older)}" if older else architecture
    return architecture.replace("sm_", "compute_") if _ptx_only or target == "ptx" else architecture


def _key(source, arguments, include_dirs):
    """A name for the output in the cache. It differs from all that nvcc's outputs get, in the same folder."""
    import hashlib
    key = hashlib.sha256()
    for part in ("nvrtc, after a digest", repr(nvrtc.version()), *nvrtc.cuda_include_dirs(), *arguments, source,
                 *_included(source, [*include_dirs, nvrtc.DEVICE_HEADERS])):
        key.update(part.encode())
        key.update(b"\0")
    return key.hexdigest()


def _included(source, folders):
    """The text of every header in `folders`, or beside what includes it, that `source` may include, directly or not.
    CUDA's own headers, which change with their version alone, are left aside."""
    texts = {}
    to_find = [(name, os.getcwd()) for name in INCLUDE.findall(source)]
    while to_find:
        name, beside = to_find.pop()
        for folder in (beside, *folders):
            path = os.path.realpath(os.path.join(folder, name))
            if path not in texts and os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    texts[path] = file.read()
                to_find += [(name, os.path.dirname(path)) for name in INCLUDE.findall(texts[path])]
    return [texts[path] for path in sorted(texts)]


def _cached_output(path):
    """The output in a file of the cache, which begins with the output's digest; None if there is no such file, or if it is damaged."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            digest, _, output = file.read().partition(b"\n")
    except OSError:
        return None
    return output if digest == _digest(output) else None


def _digest(output):
    import hashlib
    return hashlib.sha256(output).hexdigest().encode()


def _write(path, content):
    """Write a whole file or none: another process may be reading, or writing the same."""
    import tempfile
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False) as file:
        try:
            with file:
                file.write(content)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
