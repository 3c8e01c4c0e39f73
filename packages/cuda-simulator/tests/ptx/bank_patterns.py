"""Patterns in which a warp reads or writes shared memory, or reads constants: regular ones, and random ones that are the same each time.

    python -m tests.ptx.bank_patterns FILE        on a machine with a GPU: how many cycles each takes, as JSON

The cycles are those of 16 warps together, for each access of a warp: with so many, shared memory is never idle, and a conflict-free
request takes one cycle. Of constant memory they are those of one warp, for a round of a loop in which each read waits for the last one.
It needs cuda-bindings and NVRTC.
"""
import json
import random
import sys

WIDTHS = (4, 8, 16)     # bytes for each thread
WARPS, ROUNDS, UNROLLED, TRIES = 16, 64, 16, 3
SHAPES = {
    "pairs": lambda i: i // 2, "fours": lambda i: i // 4, "halves equal": lambda i: i % 16, "quarters equal": lambda i: i % 8,
    "reversed": lambda i: 31 - i, "two addresses": lambda i: i % 2, "two addresses of one bank": lambda i: 32 * (i % 2),
    "four of one bank": lambda i: 32 * (i % 4), "column of 32x33": lambda i: 33 * i, "one lane apart": lambda i: 32 if i == 31 else 0,
}


def patterns(width):
    """{name: the offset in bytes of each of 32 threads} for accesses of `width` bytes."""
    by_name = {f"stride {stride}": [lane * stride * width for lane in range(32)] for stride in range(34)}
    row = 128 // width      # elements in all banks once
    shapes = SHAPES | {"lane i and i+16 one bank": lambda i: i % 16 + row * (i // 16), "even and odd one bank": lambda i: i // 2 + row * (i % 2),
                       "quarters one bank": lambda i: i % 8 + row * (i // 8)}
    by_name |= {name: [shape(lane) * width for lane in range(32)] for name, shape in shapes.items()}
    chance = random.Random(width)
    for number in range(24):
        order = list(range(32))
        chance.shuffle(order)
        by_name[f"permutation {number}"] = [word * width for word in order]
        by_name[f"random {number}"] = [chance.randrange(16384 // width) * width for _ in range(32)]
        by_name[f"random in 512 bytes {number}"] = [chance.randrange(512 // width) * width for _ in range(32)]
    return by_name


def instruction(access, width):
    """One access of `width` bytes at the address `at`, as CUDA C++."""
    names = "abcd"[:width // 4]
    vector = "" if width == 4 else f".v{width // 4}"
    places = ", ".join(f"%{number + (access == 'write')}" for number in range(len(names)))
    if access == "read":
        outputs = ", ".join(f'"=r"({name})' for name in names)
        return (f'asm volatile("ld.volatile.shared{vector}.u32 {{{places}}}, [%{len(names)}];" : {outputs} : "r"(at)); '
                f'sum += {" + ".join(names)};').replace("{%0}", "%0")
    inputs = ", ".join(f'"r"({name})' for name in names)
    return f'asm volatile("st.volatile.shared{vector}.u32 [%0], {{{places}}};" :: "r"(at), {inputs});'.replace("{%1}", "%1")


def kernel(access, width, rounds=ROUNDS, unrolled=UNROLLED):
    """CUDA C++ of a kernel that takes the time of rounds * unrolled accesses of each warp."""
    return f"""
extern "C" __global__ void timed(const int *offsets, long long *out) {{
    extern __shared__ __align__(16) unsigned memory[];
    unsigned a = 0, b = 0, c = 0, d = 0, sum = 0;
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) memory[i] = i;
    unsigned at = (unsigned)__cvta_generic_to_shared(memory) + offsets[threadIdx.x % 32];
    __syncthreads();
    long long first = clock64();
    for (int i = 0; i < {rounds}; i++) {{
        #pragma unroll
        for (int k = 0; k < {unrolled}; k++) {{ {instruction(access, width)} }}
    }}
    long long last = clock64();
    if (sum == 12345) out[0] = a + b + c + d;
    out[1 + 2 * threadIdx.x] = first;
    out[2 + 2 * threadIdx.x] = last;
}}"""


# The patterns of 4 bytes in which constants are read: 1, 2, 4, 8, 16 and 32 different addresses.
OF_CONSTANTS = ("stride 0", "two addresses", "four of one bank", "fours", "pairs", "stride 1")
# The table holds zeros, so the address stays what it is, and the compiler does not know it.
CONSTANTS = f"""
extern "C" __constant__ int table[16384];
extern "C" __global__ void timed(const int *offsets, long long *out) {{
    const int *at = table + offsets[threadIdx.x % 32] / 4;
    int a = 0, sum = 0;
    long long first = clock64();
    for (int i = 0; i < {ROUNDS}; i++) {{
        #pragma unroll
        for (int k = 0; k < {UNROLLED}; k++) {{
            asm volatile("{{ .reg .u64 q; cvta.to.const.u64 q, %1; ld.const.u32 %0, [q]; }}" : "=r"(a) : "l"(at));
            at += a;
            sum += a;
        }}
    }}
    long long last = clock64();
    if (sum == 12345) out[0] = a;
    out[1 + 2 * threadIdx.x] = first;
    out[2 + 2 * threadIdx.x] = last;
}}"""


# Atomics on shared memory: bytes for each thread, and one of them as CUDA C++. `or` and `and` take turns: of one of them alone, the
# assembler makes the same one again and again a single one.
_REDUCE, _FETCH = 'asm volatile("{0} [%0], {3};" :: "r"(at), "{1}"({2}));', 'asm volatile("{0} %0, [%1], {3};" : "={1}"({4}) : "r"(at), "{1}"({2}));'
ATOMICS = {f"red.shared.{operation}": (4, _REDUCE.format(f"red.shared.{operation}", "r", "a", "%1"))
           for operation in ("add.u32", "min.s32", "max.u32", "inc.u32", "dec.u32", "xor.b32")}
ATOMICS |= {f"atom.shared.{operation}": (4, _FETCH.format(f"atom.shared.{operation}", "r", "a", value, "b") + " sum += b;")
            for operation, value in (("add.u32", "%2"), ("exch.b32", "%2"), ("cas.b32", "%2, %2"))}
ATOMICS |= {f"atom.shared.{operation}": (8, "{ unsigned long long q; " + _FETCH.format(f"atom.shared.{operation}", "l", "(unsigned long long)a", value, "q")
                                         + " sum += (unsigned)q; }") for operation, value in (("exch.b64", "%2"), ("cas.b64", "%2, %2"))}
IN_TURN = {"red.shared.or.b32, red.shared.and.b32": (4, 'asm volatile("red.shared.or.b32 [%0], %1; red.shared.and.b32 [%0], %2;" :: "r"(at), '
                                                        '"r"(a + k), "r"(a + 16 - k));')}
# What counts: 1 more, and nobody looks at what was there.
COUNTING = {"red.shared.add.u32 of 1": (4, _REDUCE.format("red.shared.add.u32", "r", "a", "1")),
            "atom.shared.add.u32 of 1, result unused": (4, _FETCH.format("atom.shared.add.u32", "r", "a", "1", "b"))}
NOT_COUNTING = {"atom.shared.add.u32 of 1": (4, _FETCH.format("atom.shared.add.u32", "r", "a", "1", "b") + " sum += b;"),
                "red.shared.add.u32 of 2": (4, _REDUCE.format("red.shared.add.u32", "r", "a", "2"))}
LOOPS = {"red.shared.add.f32": (4, 'asm volatile("red.shared.add.f32 [%0], %1;" :: "r"(at), "f"(1.0f));'),
         "red.shared.add.u64": (8, _REDUCE.format("red.shared.add.u64", "l", "(unsigned long long)a", "%1"))}
ALL_ATOMICS = ATOMICS | IN_TURN | COUNTING | NOT_COUNTING | LOOPS


def atomic_kernel(name, **rounds):
    """CUDA C++ of a kernel that takes the time of atomics, as `kernel` does of loads and stores. The memory holds zeros."""
    source = kernel("read", 4, **rounds).replace(instruction("read", 4), ALL_ATOMICS[name][1])
    return source.replace("memory[i] = i", "memory[i] = 0").replace("unsigned a = 0", "unsigned a = offsets[0] & 1")


def measure():
    """{"device": its name, "cycles": {"read, 4 bytes": {pattern: cycles}, ...}, "atomics": {instruction: {pattern: cycles}},
    "constant memory": {pattern: cycles}}"""
    import numpy as np
    from cuda.bindings import driver as cu

    from ..conformance.helpers import kernels
    from ..conformance.helpers.calls import must, new_context, read
    must(cu.cuInit(0))
    new_context()
    offsets, out = int(must(cu.cuMemAlloc(128))), int(must(cu.cuMemAlloc(8 + 512 * WARPS)))

    def cycles(source, where, warps, shared=0):
        data, tries = np.array(where, np.int32), []
        must(cu.cuMemcpyHtoD(offsets, data.ctypes.data, 128))
        for _ in range(TRIES):
            must(kernels.run(kernels.kernel("timed", source), offsets, out, block=32 * warps, shared=shared))
            times = np.frombuffer(read(out, 8 + 512 * warps), np.int64)[1:].reshape(-1, 2)
            tries.append(int(times[:, 1].max() - times[:, 0].min()) / (ROUNDS * UNROLLED * warps))
        return round(min(tries), 3)

    shared = {f"{access}, {width} bytes": {name: cycles(kernel(access, width), where, WARPS, 40000) for name, where in patterns(width).items()}
              for access in ("read", "write") for width in WIDTHS}
    atomics = {name: {pattern: cycles(atomic_kernel(name), where, WARPS, 40000) for pattern, where in patterns(width).items()}
               for name, (width, _) in ALL_ATOMICS.items()}
    return {"device": must(cu.cuDeviceGetName(100, 0)).split(b"\0")[0].decode(), "cycles": shared, "atomics": atomics,
            "constant memory": {name: cycles(CONSTANTS, patterns(4)[name], 1) for name in OF_CONSTANTS}}


if __name__ == "__main__":
    with open(sys.argv[1], "w") as file:
        json.dump(measure(), file, indent=0)
