"""cudaMalloc and its like inside kernels: calls into a library of the toolkit's, linked by the driver."""
import glob
import os
import sysconfig
from pathlib import Path

import numpy as np
from cuda.bindings import driver as cu

from ...asking import question
from ...helpers import kernels
from ...helpers.calls import Refused, ask, must, outcome, read
from ...helpers.kernels import i32
from ...helpers.memory_kinds import pages

# NVRTC knows cudaMalloc and cudaFree where code is to be linked (relocatable).
SOURCE = r"""
extern "C" {
__global__ void take(size_t size, unsigned long long *out, int *code) {
    void *p = (void *)1;
    code[threadIdx.x] = cudaMalloc(&p, size);
    out[threadIdx.x] = (unsigned long long)p;
}
__global__ void give(unsigned long long *p, int *code) { code[threadIdx.x] = cudaFree((void *)p[threadIdx.x]); }
__global__ void plain_take(size_t size, unsigned long long *out) { out[threadIdx.x] = (unsigned long long)malloc(size); }
__global__ void plain_give(unsigned long long *p) { free((void *)p[threadIdx.x]); }
__global__ void put(unsigned char *p, int value, int n) { for (int i = 0; i < n; i++) p[i] = value + i; }
__global__ void copy(unsigned char *to, const unsigned char *from, int n) { for (int i = 0; i < n; i++) to[i] = from[i]; }
}
"""
LIBRARY = cu.CUjitInputType.CU_JIT_INPUT_LIBRARY


def library():
    """The path of libcudadevrt.a; None where neither pip nor a toolkit has brought it."""
    packages = sysconfig.get_path("purelib")
    places = [*glob.glob(f"{packages}/nvidia/*/lib/libcudadevrt.a"), *glob.glob("/usr/local/cuda*/lib*/libcudadevrt.a"),
              *glob.glob("/usr/local/cuda*/targets/*/lib/libcudadevrt.a"), f"{os.environ.get('CUDA_HOME', '')}/lib64/libcudadevrt.a"]
    return next((place for place in places if Path(place).exists()), None)


def link(text, with_library=True):
    """cuLinkComplete's code and the module, or None."""
    state = must(cu.cuLinkCreate(0, [], []))
    added = [ask(cu.cuLinkAddData(state, cu.CUjitInputType.CU_JIT_INPUT_PTX, text, len(text), b"kernels", 0, [], []))]
    if with_library:
        added.append(ask(cu.cuLinkAddFile(state, LIBRARY, library().encode(), 0, [], [])))
    result = cu.cuLinkComplete(state)
    module = None if int(result[0]) else cu.cuModuleLoadData(result[1])
    return [*added, ask(result), ask(module) if module else None], module and module[1]


@question("a kernel that calls cudaMalloc loads only if it is linked with the device runtime")
def loading():
    text = kernels.ptx(SOURCE, "--relocatable-device-code=true")
    yield "loaded alone", ask(cu.cuModuleLoadData(text))
    yield "linked alone", link(text, with_library=False)[0]
    if library():
        yield "linked with the library", link(text)[0]
        state = must(cu.cuLinkCreate(0, [], []))
        yield "the library alone", [ask(cu.cuLinkAddFile(state, LIBRARY, library().encode(), 0, [], [])), ask(cu.cuLinkComplete(state))]
        state = must(cu.cuLinkCreate(0, [], []))
        data = Path(library()).read_bytes()
        yield "the library as data", ask(cu.cuLinkAddData(state, LIBRARY, data, len(data), b"cudadevrt", 0, [], []))
    state = must(cu.cuLinkCreate(0, [], []))
    yield "a library that is not there", ask(cu.cuLinkAddFile(state, LIBRARY, b"/nonexistent/lib.a", 0, [], []))


@question("cudaMemcpy in a kernel does not compile: it is a function of the host")
def does_not_compile():
    for call in ("cudaMemcpy(p, p, 4, 1)", "cudaMalloc(&p, 4)"):
        try:
            kernels.ptx(f'extern "C" __global__ void k(void *p) {{ {call}; }}')
            yield call, "compiles"
        except Refused as error:
            yield call, "is undefined" in str(error)


@question("cudaMalloc in a kernel takes from the same heap as malloc", alone=True)
def the_same_heap():
    if not library():
        return
    _, module = link(kernels.ptx(SOURCE, "--relocatable-device-code=true"))
    yield "linked", module is not None
    if module is None:
        return
    def run(function, *arguments, block=1):
        return ask(kernels.run(must(cu.cuModuleGetFunction(module, function)), *arguments, block=block))
    cells, codes = int(must(cu.cuMemAlloc(8 * 64))), int(must(cu.cuMemAlloc(4 * 64)))
    def addresses(count):
        return [int(p) for p in np.frombuffer(read(cells, 8 * count), np.uint64)]
    def codes_of(count):
        return [int(c) for c in np.frombuffer(read(codes, 4 * count), np.int32)]
    yield "take", run(b"take", np.uint64(1000), cells, codes, block=8)
    yield "codes", codes_of(8)
    blocks = addresses(8)
    yield "aligned to 16, all different", [all(p and p % 16 == 0 for p in blocks), len(set(blocks)) == 8]
    yield "written by one kernel, read by another", [run(b"put", blocks[3], i32(7), i32(20)), run(b"copy", cells + 256, blocks[3], i32(20))]
    yield "content", read(cells + 256, 20).hex()
    yield "the host's copy", ask(cu.cuMemcpyDtoH(pages(), blocks[0], 16))
    yield "the host's free", ask(cu.cuMemFree(blocks[0]))
    yield "the host's question", ask(cu.cuPointerGetAttribute(cu.CUpointer_attribute(2), blocks[0]))
    yield "freed by free()", run(b"plain_give", cells, block=8)
    yield "too much", [run(b"take", np.uint64(1 << 30), cells, codes), codes_of(1), addresses(1) == [0]]
    yield "nothing", [run(b"take", np.uint64(0), cells, codes), codes_of(1)]
    yield "malloc, freed by cudaFree", [run(b"plain_take", np.uint64(64), cells), run(b"give", cells, codes), codes_of(1)]
    must(cu.cuMemsetD8(cells, 0, 8))
    yield "cudaFree of null", [run(b"give", cells, codes), codes_of(1)]
    yield "the heap's limit after that", ask(cu.cuCtxSetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE, 64 << 20))
    yield "the heap's size", outcome(cu.cuCtxGetLimit(cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE))
