"""A learner watches a kernel that PyCUDA launches."""
from .programs import output

STRIDED = """
from cuda_simulator.watch import Trace, Transactions, watching
strided = SourceModule('''
__global__ void strided(const int *from, int *to, int stride) { to[threadIdx.x] = from[threadIdx.x * stride]; }
''').get_function("strided")
from_, to = cuda.mem_alloc(4 * 32 * 33), cuda.mem_alloc(4 * 32)
"""


def test_a_warp_that_reads_side_by_side_needs_4_sectors_and_one_with_a_stride_needs_32():
    assert output(STRIDED + """
for stride in (1, 2, 8, 33):
    with watching(Transactions()) as seen:
        strided(from_, to, np.int32(stride), block=(32, 1, 1))
        cuda.Context.synchronize()
    read, write = sorted(seen.counts.values(), key=lambda one: one.access)
    print(stride, read.transactions, write.transactions, read.efficiency)
""") == "1 4 4 1.0\n2 8 4 0.5\n8 32 4 0.125\n33 32 4 0.125\n"


def test_a_trace_tells_the_instructions_of_the_chosen_thread_and_nothing_outside_the_block():
    assert output(STRIDED + """
with watching(Trace([((0, 0, 0), (5, 0, 0))])) as seen:
    strided(from_, to, np.int32(1), block=(32, 1, 1))
    cuda.Context.synchronize()
before = len(seen.lines)
strided(from_, to, np.int32(1), block=(32, 1, 1))
cuda.Context.synchronize()
opcodes = [instruction.opcode for block, thread, instruction, registers in seen.lines]
print(opcodes[-1], any(one.startswith("ld.global") for one in opcodes), len(seen.lines) == before)
print({thread for block, thread, *_ in seen.lines})
""") == "st.global.u32 True True\n{(5, 0, 0)}\n"
