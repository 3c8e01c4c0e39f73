"""The heap inside kernels, and the staging copy."""
from course_lib import kernel_heap, kernels
from course_lib.core import errors

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest

LISTS = """
struct Node { Node *next; int value; int padding; };
__global__ void build(unsigned long long *head, int n, int circle) {
    Node *first = 0, *last = 0;
    for (int i = n; i--; ) {
        Node *node = (Node *) malloc(sizeof(Node));
        node->next = first; node->value = i * i; first = node;
        if (!last) last = node;
    }
    if (circle) last->next = first;
    *head = (unsigned long long) first;
}
__global__ void grow(unsigned long long *addresses, int *sizes) {   // each thread a block of its own length
    int i = threadIdx.x;
    sizes[i] = 3 * i + 1;
    unsigned char *block = (unsigned char *) malloc(sizes[i]);
    for (int j = 0; j < sizes[i]; j++) block[j] = 7 * i + j;
    addresses[i] = (unsigned long long) block;
}
"""


@pytest.fixture(scope="module")
def code(context):
    with kernels.compile(LISTS) as code:
        yield code


def test_the_limit_can_be_set_until_the_heap_is_used(other_context):
    other_context.push()
    try:
        assert kernel_heap.limit() == 8 << 20
        assert kernel_heap.set_limit(16 << 20) == kernel_heap.limit() == 16 << 20
        with kernel_heap.allocate(10 << 20):
            with pytest.raises(errors.TooLate, match="16777216"):
                kernel_heap.set_limit(32 << 20)
    finally:
        cuda.Context.pop()


def test_one_block():
    with kernel_heap.allocate(1000) as blocks:
        data = np.arange(1000, dtype=np.uint8)
        kernel_heap.put_in(blocks.addresses[0], data)
        assert (kernel_heap.bring_out(blocks.addresses[0], 1000) == data).all()
        assert kernel_heap.bring_out(blocks.addresses[0] + 998, 2).tolist() == [230, 231]
        assert repr(blocks) == "<1 kernel heap blocks, 1000 bytes>"
    assert repr(blocks) == "<1 kernel heap blocks, 1000 bytes, released>"


def test_many_blocks_of_different_lengths_from_a_kernel(code):
    addresses, sizes = gpuarray.zeros(40, np.uint64), gpuarray.zeros(40, np.int32)
    code.grow(1, 40, addresses, sizes)
    addresses, sizes = addresses.get().tolist(), sizes.get().tolist()
    out = kernel_heap.bring_out_all(addresses, sizes)
    assert [len(block) for block in out] == sizes
    assert all((block == ((7 * i + np.arange(len(block))) % 256)).all() for i, block in enumerate(out))
    kernel_heap.free(addresses)


def test_a_linked_list(code):
    head = gpuarray.zeros(1, np.uint64)
    code.build(1, 1, head, 10, 0)
    nodes = kernel_heap.bring_out_list(head.get()[0], next_at=0, nbytes=16)
    assert [int(node[8:12].view(np.int32)[0]) for node in nodes] == [i * i for i in range(10)]
    assert kernel_heap.bring_out_list(0, 0, 16) == []
    twins = gpuarray.zeros(1, np.uint64)
    code.build(1, 1, twins, 2, 0)
    assert len(kernel_heap.bring_out_list(twins.get()[0], next_at=0, nbytes=8, most=2)) == 2, "where a node is nothing but its link"


def test_a_circle_is_found(code):
    head = gpuarray.zeros(1, np.uint64)
    code.build(1, 1, head, 4, 1)
    with pytest.raises(errors.WrongSize, match="circle"):
        kernel_heap.bring_out_list(head.get()[0], 0, 16, most=100)


def test_a_kernel_may_be_given_the_address_of_a_block_that_was_released(code):
    kernel_heap.allocate([1] * 40).release()
    addresses, sizes = gpuarray.zeros(40, np.uint64), gpuarray.zeros(40, np.int32)
    code.grow(1, 40, addresses, sizes)
    addresses, sizes = addresses.get().tolist(), sizes.get().tolist()
    assert [len(block) for block in kernel_heap.bring_out_all(addresses, sizes)] == sizes
    kernel_heap.free(addresses)


def test_exhaustion_frees_what_it_got():
    for _ in range(5):
        with pytest.raises(kernel_heap.HeapExhausted, match="8388608"):
            kernel_heap.allocate([1 << 20] * 20)
    with kernel_heap.allocate([1 << 20] * 4):
        pass


def test_more_blocks_than_one_of_a_grid_has_threads():
    with kernel_heap.allocate([1 << 15] * 129) as blocks:
        kernel_heap.put_in(blocks.addresses[128], b"last")
        assert bytes(kernel_heap.bring_out(blocks.addresses[128], 4)) == b"last"
    with kernel_heap.allocate([1 << 15] * 129):     # 8 MiB have room for them a second time only if all were freed
        pass


def test_blocks_are_freed_with_their_object():
    for _ in range(20):
        kernel_heap.allocate(2 << 20)


def test_blocks_of_a_destroyed_context_need_no_freeing():
    context = cuda.Device(0).make_context()
    blocks = kernel_heap.allocate(100)
    cuda.Context.pop()
    context.detach()
    blocks.release()
