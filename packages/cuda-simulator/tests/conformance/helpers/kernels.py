"""The kernels that questions launch, compiled once per run by NVRTC to PTX for compute_90, or for an older device."""
import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np
from cuda.bindings import driver as cu, nvrtc

from .calls import Refused, must

SOURCE = r"""
extern "C" {
__device__ int counter = 42;
__device__ int zeros[64];
__device__ double pair[2] = {1.5, -2.25};
__constant__ float table[16] = {0, 1, 2, 3};
__device__ char *symbol_address = (char *)&counter;

__global__ void nothing() {}
__global__ void fill(unsigned char *p, int value, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = value + i;
}
__global__ void copy(unsigned char *to, const unsigned char *from, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}
__global__ void peek(const volatile unsigned char *p, unsigned char *out) { *out = *p; }
__global__ void poke(volatile unsigned char *p, int value) { *p = value; }
__global__ void peek_int(const volatile int *p, int *out) { *out = *p; }
__global__ void list_of(int **list, int *nodes, int n) { for (int i = 0; i < n; i++) list[i] = &nodes[2 * i]; }
__global__ void bump() { atomicAdd(&counter, 1); }
__global__ void wait_for(volatile int *flag, volatile int *answer) {
    while (*flag == 0) ;
    *answer = *flag + 1;
    __threadfence_system();
}
__global__ void count_threads(int *out) { atomicAdd(out, 1); }
__global__ void shape(int *out) {
    if (threadIdx.x == 0 && blockIdx.x == 0) { out[0] = gridDim.x; out[1] = blockDim.x; }
}
__global__ void many_parameters(char a, short b, int c, long long d, float e, double f, double *out) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;
}
__global__ void dynamic_shared(int *out, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = n ? s[n - 1] : -1;
}
__global__ void static_shared(int *out) {
    __shared__ int s[1000];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *out = s[7];
}
__global__ void local_array(int *out, int at) {
    volatile int a[100];
    for (int i = 0; i < 100; i++) a[i] = i * at;
    *out = a[at];
}
__global__ void __launch_bounds__(128) bounded(int *out) { *out = blockDim.x; }
__global__ void cube(int *out) { if (threadIdx.x + threadIdx.y + threadIdx.z == 0) *out = blockDim.x * blockDim.y * blockDim.z; }
__global__ void trap() { asm("trap;"); }
__global__ void failing_assert(int x) { assert(x == 1234); }
__global__ void misaligned(char *p) { *(volatile int *)(p + 1) = 1; }
__global__ void print(int x) { printf("thread %d says %d\n", threadIdx.x, x); }

// The heap inside kernels.
__device__ char *kept;
__global__ void heap_take(unsigned long long size, unsigned long long *out) {
    char *p = (char *)malloc(size);
    out[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned long long)p;
}
__global__ void heap_give(unsigned long long *p, int n) { for (int i = 0; i < n; i++) free((void *)p[i]); }
__global__ void heap_keep(int size) { kept = (char *)malloc(size); for (int i = 0; i < size; i++) kept[i] = i; }
__global__ void heap_read_kept(unsigned char *out, int n) { for (int i = 0; i < n; i++) out[i] = kept[i]; }
}
"""

architecture = "compute_90"     # what the recordings have; an older device wants its own (systems/)
_loaded = {}


def ptx(source=SOURCE, *options):
    """PTX text (bytes, with its terminating zero) of CUDA C++; kept on disk for the processes that come after."""
    key = hashlib.sha256(repr((source, architecture, options, nvrtc.nvrtcVersion())).encode()).hexdigest()[:24]
    compiled = Path(tempfile.gettempdir()) / f"conformance-{os.getuid()}-{key}.ptx"
    if compiled.exists():
        return compiled.read_bytes()
    program = _nvrtc_value(nvrtc.nvrtcCreateProgram(source.encode(), b"questions.cu", 0, [], []))
    flags = [f"--gpu-architecture={architecture}".encode(), *(option.encode() for option in options)]
    if int(nvrtc.nvrtcCompileProgram(program, len(flags), flags)[0]):
        log = bytearray(_nvrtc_value(nvrtc.nvrtcGetProgramLogSize(program)))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise Refused(log.decode())
    text = bytearray(_nvrtc_value(nvrtc.nvrtcGetPTXSize(program)))
    _nvrtc_value(nvrtc.nvrtcGetPTX(program, text))
    draft = compiled.with_suffix(f".{os.getpid()}")
    draft.write_bytes(bytes(text))
    draft.replace(compiled)
    return bytes(text)


def _nvrtc_value(result):
    if int(result[0]):
        raise Refused(str(result[0]))
    return result[1] if len(result) > 1 else None


def module(source=SOURCE):
    """The module of a source in the current context, loaded once for each context."""
    context = int(must(cu.cuCtxGetCurrent()))
    if (context, source) not in _loaded:
        _loaded[context, source] = must(cu.cuModuleLoadData(ptx(source)))
    return _loaded[context, source]


def contexts():
    """Those in which kernels were launched."""
    return list({context: None for context, _ in _loaded})


def forget():
    """Contexts were destroyed: their addresses may come again."""
    _loaded.clear()


def kernel(kernel_name, source=SOURCE):
    return must(cu.cuModuleGetFunction(module(source), kernel_name.encode()))


def launch(kernel_name, *arguments, grid=1, block=1, shared=0, stream=0):
    """Launch and return the raw result; arguments are addresses or NumPy scalars."""
    function = kernel(kernel_name) if isinstance(kernel_name, str) else kernel_name
    boxed = [np.array([argument], dtype=getattr(argument, "dtype", np.uint64)) for argument in arguments]
    pointers = np.array([box.ctypes.data for box in boxed], dtype=np.uint64)
    grid = grid if isinstance(grid, tuple) else (grid, 1, 1)
    block = block if isinstance(block, tuple) else (block, 1, 1)
    return cu.cuLaunchKernel(function, *grid, *block, shared, stream, pointers.ctypes.data if boxed else 0, 0)


def run(kernel_name, *arguments, **shape):
    """Launch, wait, and answer with the first code that is not SUCCESS, or with SUCCESS."""
    result = launch(kernel_name, *arguments, **shape)
    return result if int(result[0]) else cu.cuCtxSynchronize()


i32 = np.int32
TINY = """.version 8.0
.target sm_75
.address_size 64
.global .align 4 .u32 answer = 42;
.visible .entry go() { ret; }
"""
BAD = TINY.replace("ret;", "no_such_instruction;")
