"""The exam's listings of lesson 04: the heap that kernels allocate from."""
from .listing import Line, Listing, See, ends

OWNER = ("04", "Who owns it, and how long does it live?")
TO_HOST = ("04", "Try to bring it to the host")
STAGING = ("04", "The staging copy")
LIST = ("04", "A linked list")
NAMES = ("04b", "The runtime's names in a kernel")
FULL = ("04b", "When the heap is full")
LARGER = ("04b", "A larger heap")
WRONG_SIDE = ("01", "Followed on the wrong side")

LISTINGS = (
    Listing("one-byte-of-four", "04", "what the host may do to a heap block", """
with kernel_heap.allocate(16) as block:
    address = block.addresses[0]
    kernels.compile("__global__ void set(int *p) { p[1] = 300; }").set(1, 1, address)
    print(says(cu.cuMemcpyDtoH(np.zeros(4, np.int32), address, 16)))            # 1
    print(says(cu.cuMemsetD8(address + 5, 2, 1)))                               # 2
    print(kernel_heap.bring_out(address, 16).view(np.int32)[1])                 # 3
""", (
        Line("INVALID_VALUE", {
            "SUCCESS": See(
                *TO_HOST, "The driver does not know what a kernel allocates, and refuses to copy from there."),
            "ILLEGAL_ADDRESS": See(*TO_HOST, "The copy is refused before anything is followed, so nothing breaks."),
        }),
        Line("SUCCESS", {
            "INVALID_VALUE": See(
                *TO_HOST, "Of the eight calls there this is one of the two that get through, although the guide "
                "forbids it."),
            "NOT_FOUND": See(*TO_HOST, "A memset looks up the heap as a whole, and not the block: there it got through."),
        }),
        Line("556", {
            "300": See(*STAGING, "The memset that answered SUCCESS did write: the staged number had changed."),
            "2": See(
                *STAGING, "One byte was set, and only that. 300 is 44 and 1 times 256; the second byte becomes "
                "2."),
            "302": See(
                *STAGING, "A memset of bytes writes bytes, and does not add. The second byte of 300 becomes 2."),
        }))),

    Listing("too-much-then-a-little", "04", "malloc that fails", """
source = "__global__ void take(size_t nbytes, void **got) { *got = malloc(nbytes); }"
take, got = kernels.compile(source).take, gpuarray.zeros(2, np.uint64)
take(1, 1, 1 << 40, got)
print(says(cu.cuCtxSynchronize()))                  # 1
take(1, 1, 64, got[1:])
print([int(p) != 0 for p in got.get()])             # 2
""", (
        Line("SUCCESS", {
            "OUT_OF_MEMORY": See(
                *FULL, "A full heap is not an error of the launch, or of any later call. The kernel gets a null "
                       "pointer."),
            "ILLEGAL_ADDRESS": See(*FULL, "That comes from following a null pointer. This kernel follows none."),
        }),
        Line("[False, True]", {
            "[False, False]": See(*FULL, "A request that fails takes nothing: what is free stays free."),
            "[True, True]": See(
                *FULL, "The heap has 8 MiB unless it is set. For a TiB `malloc` returns a null pointer."),
            ends("ILLEGAL_ADDRESS"): See(
                *FULL, "The kernel stores the pointer and does not follow it, so nothing is broken."),
        })), after="04-full"),

    Listing("null-is-followed", "04", "malloc that fails", """
fill = kernels.compile('''__global__ void fill(size_t n, int **kept) {
    *kept = (int *) malloc(n);
    **kept = 1;
}''').fill
kept = gpuarray.zeros(1, np.uint64)
fill(1, 1, 1 << 40, kept)
print(says(cu.cuCtxSynchronize()))      # 1
print(says(cu.cuMemAlloc(16)))          # 2
print(says(cu.cuCtxSynchronize()))      # 3
""", (
        Line("ILLEGAL_ADDRESS", {
            "SUCCESS": See(
                *WRONG_SIDE, "The heap has no TiB, so `malloc` gives a null pointer. A kernel that follows one is stopped, "
                "as in the exercise `follow`."),
            "OUT_OF_MEMORY": See(
                *LIST, "There each node is compared with `NULL`: that is all that a full heap tells, and only the kernel "
                "is told. What breaks is the write through the null pointer."),
        }),
        Line("ILLEGAL_ADDRESS", {
            "SUCCESS": See(
                *WRONG_SIDE, "The error stays: there even a new context gets it. Only a new process helps."),
            "INVALID_VALUE": See(
                *WRONG_SIDE, "Nothing is wrong with this call. It gets the error that the kernel left."),
        }),
        Line("ILLEGAL_ADDRESS", {
            "SUCCESS": See(*WRONG_SIDE, "Asking does not clear the error: it stays with the process."),
            "INVALID_CONTEXT": See(
                *WRONG_SIDE, "The context is there, and CUDA is broken in its process: the call gets the kernel's error."),
        })), breaks=True),

    Listing("when-is-it-too-late", "04", "the heap's size", """
HEAP = cu.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE
cu.cuCtxSetLimit(HEAP, 1 * MiB)
print(kernel_heap.limit() // MiB)                   # 1
kernels.compile("__global__ void nothing() { }").nothing(1, 1)
print(says(cu.cuCtxSetLimit(HEAP, 5 * MiB)))        # 2
kernel_heap.allocate(16).release()
print(says(cu.cuCtxSetLimit(HEAP, 64 * MiB)))       # 3
""", (
        Line("4", {
            "1": See(*LARGER, "Anything below 4 MiB became 4 MiB there."),
            "8": See(*LARGER, "A small size is not ignored: the driver makes 4 MiB of it."),
        }),
        Line("SUCCESS", {
            "INVALID_VALUE": See(
                *LARGER, "The size is fixed from the first launch of a kernel that *uses* the heap. This one "
                "does not."),
            "ILLEGAL_ADDRESS": See(
                *LARGER, "To set a limit follows no address. A call that comes too late is refused with "
                "INVALID_VALUE."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(
                *LARGER, "A kernel has called `malloc`, and its size is fixed for as long as the context lives: "
                "that the block was freed changes nothing."),
            "OUT_OF_MEMORY": See(*LARGER, "64 MiB is not too much; it comes too late."),
        })), after="04-full"),

    Listing("through-the-heap", "04", "a kernel copies", """
through = kernels.compile('''__global__ void through(const int *from, int *to) {
    int *block = (int *) malloc(8);
    if (block == NULL) return;
    memcpy(block, from, 8);
    block[0] += block[1];
    memcpy(to, block, 8);
    free(block);
}''').through
source, target = cuda.pagelocked_zeros(3, np.int32), cuda.pagelocked_zeros(3, np.int32)
source[:] = [3, 4, 5]
through(1, 1, source, target)
cuda.Context.synchronize()
print(target.tolist())      # 1
print(source.tolist())      # 2
""", (
        Line("[7, 4, 0]", {
            "[0, 0, 0]": See(
                *NAMES, "Plain `memcpy` works in a kernel, and pinned memory is a place that it can reach."),
            "[3, 4, 0]": See(*NAMES, "The kernel changes its block before it copies it out."),
            "[7, 4, 5]": See(*NAMES, "`memcpy` copies the bytes that it is told to: 8 are two numbers."),
        }),
        Line("[3, 4, 5]", {
            "[7, 4, 5]": See(
                *STAGING, "The block is a memory of its own. What is changed in the copy does not change what "
                "it was made from."),
            "[0, 0, 5]": See(*STAGING, "A copy leaves what it was made from as it is."),
        })), after="04-memcpy"),

    Listing("three-blocks", "04", "whose a heap block is", """
with kernel_heap.allocate([5, 1, 3]) as blocks:
    a, b, c = blocks.addresses
    kernel_heap.put_in(a, b"hello")
    kernel_heap.put_in(c, b"abc")
    print(says(cu.cuMemFree(b)))                    # 1
    print(forward(b), back(b))                      # 2
    print(bytes(kernel_heap.bring_out(a, 5)))       # 3
""", (
        Line("INVALID_VALUE", {
            "SUCCESS": See(
                *TO_HOST, "What a kernel allocated only a kernel can free: to the host's `cuMemFree` the "
                "address is unknown."),
            "NOT_FOUND": See(*TO_HOST, "`cuMemFree` answers INVALID_VALUE for addresses that it does not know."),
        }),
        Line("INVALID_VALUE INVALID_VALUE", {
            "INVALID_VALUE same": See(
                *TO_HOST, "The plural call, a trap, gives the address itself as the host pointer. The call for a "
                          "single attribute has no answer."),
            "same INVALID_VALUE": See(*TO_HOST, "The forward call has no answer for a heap block."),
            "same same": See(*TO_HOST, "To the driver the address is unknown: neither question has an answer."),
        }),
        Line("b'hello'", {
            r"b'\x00\x00\x00\x00\x00'": See(*STAGING, "The staging copy brings out what is in the block."),
            "b'abclo'": See(
                *OWNER, "Each `malloc` gives a block of its own, and a refused `cuMemFree` gives none of them "
                "away."),
        }))),
)
