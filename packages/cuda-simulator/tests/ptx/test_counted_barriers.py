"""cuda::barrier, which is mbarrier in PTX: who waits for whom, phases, tokens, those who leave, and copies that arrive by themselves."""
import numpy as np
import pytest

from . import interpreter as ptx
from .cuda import kernel, run
from .machine import PtxMachine

BARRIER = "#include <cuda/barrier>\nusing barrier = cuda::barrier<cuda::thread_scope_block>;\n"
EVERYWHERE = pytest.mark.parametrize("architecture", ["compute_75", "compute_80", "compute_90"])


@EVERYWHERE
def test_who_waits_sees_what_the_others_did_before_they_came(architecture):
    source = kernel("""
        __shared__ barrier all;
        __shared__ int s[128];
        int i = threadIdx.x;
        if (i == 0) init(&all, blockDim.x);
        __syncthreads();
        int value = i;
        for (int phase = 0; phase < 5; phase++) {
            s[i] = value;
            all.arrive_and_wait();
            value = s[(i + 1) % 128] + s[(i + 77) % 128];
            all.arrive_and_wait();
        }
        o[blockIdx.x * 128 + i] = value;
        """, "int *o", BARRIER)
    value = np.arange(128)
    for _ in range(5):
        value = np.roll(value, -1) + np.roll(value, -77)
    _, o = run(source, 3, 128, np.zeros(384, np.int32), architecture=architecture)
    assert o.tolist() == value.tolist() * 3


@EVERYWHERE
def test_one_warp_makes_what_another_one_takes(architecture):
    """The example of the CUDA C++ Programming Guide, "Asynchronous Barriers": two barriers for each of two buffers."""
    source = kernel("""
        __shared__ barrier full[2], empty[2];
        __shared__ int buffer[2][32];
        int lane = threadIdx.x % 32;
        if (threadIdx.x < 4) init((threadIdx.x < 2 ? full : empty) + threadIdx.x % 2, 64);
        __syncthreads();
        if (threadIdx.x < 32) {
            for (int n = 0; n < 10; n++) {
                empty[n % 2].arrive_and_wait();
                buffer[n % 2][lane] = 100 * n + lane;
                (void)full[n % 2].arrive();
            }
        } else {
            (void)empty[0].arrive(); (void)empty[1].arrive();
            for (int n = 0; n < 10; n++) {
                full[n % 2].arrive_and_wait();
                o[32 * n + lane] = buffer[n % 2][31 - lane];
                (void)empty[n % 2].arrive();
            }
        }
        """, "int *o", BARRIER)
    _, o = run(source, 1, 64, np.zeros(320, np.int32), architecture=architecture)
    assert o.tolist() == [100 * n + 31 - lane for n in range(10) for lane in range(32)]


@EVERYWHERE
def test_who_leaves_is_not_waited_for_any_more(architecture):
    source = kernel("""
        __shared__ barrier all;
        __shared__ int count;
        if (threadIdx.x == 0) { init(&all, blockDim.x); count = 0; }
        __syncthreads();
        for (int turn = 0; turn < 4; turn++) {
            if (threadIdx.x >= 64 - turn * 7) { all.arrive_and_drop(); return; }
            atomicAdd(&count, 1);
            all.arrive_and_wait();
            if (threadIdx.x == 0) o[turn] = count;
            all.arrive_and_wait();
        }
        """, "int *o", BARRIER)
    _, o = run(source, 1, 64, np.zeros(4, np.int32), architecture=architecture)
    assert o.tolist() == np.cumsum([64, 57, 50, 43]).tolist()


@EVERYWHERE
def test_a_token_is_of_its_phase_and_parities_alternate(architecture):
    source = kernel("""
        __shared__ barrier one;
        if (threadIdx.x) return;
        init(&one, 3);
        auto token = one.arrive(2);
        (void)one.arrive();                 // the phase is over
        one.wait(std::move(token));
        one.wait_parity(0);
        (void)one.arrive(3);
        one.wait_parity(1);
        one.~barrier();
        o[0] = 1;
        """, "int *o", BARRIER)
    _, o = run(source, 1, 32, np.zeros(1, np.int32), architecture=architecture)
    assert o[0] == 1


@EVERYWHERE
def test_copies_come_to_a_barrier_by_themselves(architecture):
    source = kernel("""
        __shared__ barrier all;
        __shared__ alignas(16) int s[256], t[256];
        auto block = cooperative_groups::this_thread_block();
        int i = threadIdx.x;
        if (i == 0) init(&all, blockDim.x);
        block.sync();
        cuda::memcpy_async(block, s, a, cuda::aligned_size_t<16>(1024), all);
        cuda::memcpy_async(t + i, a + i, cuda::aligned_size_t<4>(4), all);
        all.arrive_and_wait();
        o[i] = s[255 - i] * t[i ^ 1];
        """, "const int *a, int *o", BARRIER + "#include <cooperative_groups.h>\n")
    a = np.arange(1, 257, dtype=np.int32)
    _, _, o = run(source, 1, 256, a, np.zeros(256, np.int32), architecture=architecture)
    assert o.tolist() == (a[::-1] * a.reshape(-1, 2)[:, ::-1].ravel()).tolist()


def test_a_pipeline_of_a_block():
    """cuda::pipeline of four stages, as cuda-bindings' example global_to_shmem_async_copy.py has it."""
    source = kernel("""
        __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 4> state;
        __shared__ int s[4][64];
        auto block = cooperative_groups::this_thread_block();
        auto pipe = cuda::make_pipeline(block, &state);
        int i = threadIdx.x, sum = 0;
        for (int step = 0, ahead = 0; step < 12; step++) {
            for (; ahead < 12 && ahead < step + 4; ahead++) {
                pipe.producer_acquire();
                cuda::memcpy_async(&s[ahead % 4][i], a + 64 * ahead + i, cuda::aligned_size_t<4>(4), pipe);
                pipe.producer_commit();
            }
            pipe.consumer_wait();
            block.sync();
            sum += s[step % 4][63 - i];
            block.sync();
            pipe.consumer_release();
        }
        o[i] = sum;
        """, "const int *a, int *o", "#include <cuda/pipeline>\n#include <cooperative_groups.h>\n")
    a = np.arange(768, dtype=np.int32)
    _, _, o = run(source, 1, 64, a, np.zeros(64, np.int32), architecture="compute_80")
    assert o.tolist() == a.reshape(12, 64)[:, ::-1].sum(0).tolist()


def of_states(body):
    """What one thread's PTX stores: o[0], o[1], ..."""
    text = f"""
        .version 8.0 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 p) {{
        .reg .b64 %o, %s<9>; .reg .b32 %n<9>; .reg .pred %p<9>; .shared .align 8 .b64 bar;
        ld.param.u64 %o, [p];
        {body}
        ret; }}"""
    machine = PtxMachine()
    place, out = machine.array(np.zeros(8, np.int32))
    ptx.run(ptx.load(text).kernels["k"], (1, 1, 1), (1, 1, 1), int(place).to_bytes(8, "little"), 0, machine)
    return out.tolist()


def test_a_state_tells_how_many_were_pending():
    assert of_states("""
        mbarrier.init.shared::cta.b64 [bar], 5;
        mbarrier.arrive.noComplete.shared.b64 %s0, [bar], 2;
        mbarrier.arrive.release.cta.shared::cta.b64 %s1, [bar];
        mbarrier.arrive_drop.shared::cta.b64 %s2, [bar], 2;
        mbarrier.arrive.shared.b64 %s3, [bar];
        mbarrier.pending_count.b64 %n0, %s0; mbarrier.pending_count.b64 %n1, %s1;
        mbarrier.pending_count.b64 %n2, %s2; mbarrier.pending_count.b64 %n3, %s3;
        st.global.u32 [%o], %n0; st.global.u32 [%o + 4], %n1; st.global.u32 [%o + 8], %n2; st.global.u32 [%o + 12], %n3;
        mbarrier.test_wait.shared::cta.b64 %p0, [bar], %s0; selp.u32 %n4, 1, 0, %p0; st.global.u32 [%o + 16], %n4;
        mbarrier.try_wait.acquire.cta.shared::cta.b64 %p1, [bar], %s3, 100; selp.u32 %n5, 1, 0, %p1; st.global.u32 [%o + 20], %n5;
        mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], 0; selp.u32 %n6, 1, 0, %p2; st.global.u32 [%o + 24], %n6;
        mbarrier.test_wait.parity.shared::cta.b64 %p3, [bar], 1; selp.u32 %n7, 1, 0, %p3; st.global.u32 [%o + 28], %n7;
        """) == [5, 3, 2, 3, 1, 0, 1, 0]


def test_bytes_on_their_way_hold_a_phase_up():
    assert of_states("""
        mbarrier.init.shared::cta.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 %s0, [bar], 48;
        mbarrier.test_wait.shared::cta.b64 %p0, [bar], %s0; selp.u32 %n0, 1, 0, %p0; st.global.u32 [%o], %n0;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 32;
        mbarrier.test_wait.shared::cta.b64 %p0, [bar], %s0; selp.u32 %n0, 1, 0, %p0; st.global.u32 [%o + 4], %n0;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;
        mbarrier.test_wait.shared::cta.b64 %p0, [bar], %s0; selp.u32 %n0, 1, 0, %p0; st.global.u32 [%o + 8], %n0;
        """)[:3] == [0, 0, 1]


def test_a_row_goes_to_shared_memory_and_back_at_once():
    source = kernel("""
        __shared__ barrier all;
        __shared__ alignas(16) int s[64];
        int i = threadIdx.x;
        if (i == 0) init(&all, 64);
        __syncthreads();
        barrier::arrival_token token;
        if (i == 0) {
            cuda::device::memcpy_async_tx(s, a, cuda::aligned_size_t<16>(256), all);
            token = cuda::device::barrier_arrive_tx(all, 1, 256);
        } else
            token = all.arrive();
        all.wait(std::move(token));
        s[i] *= 3;
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        __syncthreads();
        if (i == 0) {
            cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, o, s, 256);
            cuda::ptx::cp_async_bulk_commit_group();
            cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
        }
        """, "const int *a, int *o", BARRIER + "#include <cuda/ptx>\n")
    a = np.arange(64, dtype=np.int32)
    _, _, o = run(source, 1, 64, a, np.zeros(64, np.int32), architecture="compute_90")
    assert o.tolist() == (3 * a).tolist()


def test_a_barrier_of_another_block_is_refused_by_name():
    with pytest.raises(ptx.PtxError, match="clusters of blocks are not simulated"):
        of_states("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];")


def test_a_barrier_that_somebody_does_not_come_to_waits_for_ever():
    source = kernel("""
        __shared__ barrier all;
        if (threadIdx.x == 0) init(&all, 64);
        __syncthreads();
        if (threadIdx.x) all.arrive_and_wait();
        """, "int *o", BARRIER)
    with pytest.raises(TimeoutError):
        run(source, 1, 64, np.zeros(1, np.int32), architecture="compute_90", machine=PtxMachine(patience=1))
