"""The exam's listings of lessons 00 and 01: two views, two memories, and numbers that are followed."""
from .listing import Line, Listing, See, ends

ONE_MEMORY = ("00", "Is it the same memory?")
TWO_MEMORIES = ("00", "Two memories")
TWO_QUESTIONS = ("00", "Two questions")
KERNEL_SEES = ("01", "Is it the address that a kernel uses?")
WINDOW = ("01", "Variables inside a kernel")
KEEPS = ("01", "The number does not keep the memory")
WRONG_SIDE = ("01", "Followed on the wrong side")

LISTINGS = (
    Listing("copy-then-change", "00", "a copy is another memory", """
host = cuda.pagelocked_empty(4, np.int32)
host[:] = [1, 2, 3, 4]
copy = gpuarray.to_gpu(host)
host[0] = 50
add = kernels.compile("__global__ void add(int *x) { x[threadIdx.x] += 10; }").add
add(1, 2, host)
add(1, 2, copy)
cuda.Context.synchronize()
print(host.tolist())            # 1
print(copy.get().tolist())      # 2
""", (
        Line("[60, 12, 3, 4]", {
            "[50, 2, 3, 4]": See(
                *ONE_MEMORY, "The kernel wrote through the device's view, and NumPy saw it: no copy was needed."),
            "[11, 12, 3, 4]": See(
                *TWO_MEMORIES, "The two memories there have nothing to do with each other after the copy: what "
                "the host writes into one stays in that one."),
            "[60, 12, 13, 14]": See(
                *ONE_MEMORY, "As many threads run as the launch asks for, one number for each: four there, two "
                "here."),
        }),
        Line("[11, 12, 3, 4]", {
            "[50, 2, 3, 4]": See(
                *TWO_MEMORIES, "A kernel that gets the address of device memory changes that memory."),
            "[60, 12, 3, 4]": See(
                *TWO_MEMORIES, "A copy is made once. What happens to the one memory after that does not reach "
                "the other."),
        }))),

    Listing("tail-of-an-array", "00", "an address inside", """
host = cuda.pagelocked_zeros(8, np.int32)
tail = host[3:]
put = kernels.compile("__global__ void put(int *x) { x[1] = 9; }").put
put(1, 1, tail)
cuda.Context.synchronize()
print(tail.ctypes.data - host.base.get_device_pointer())    # 1
print(host.tolist().index(9))                               # 2
""", (
        Line("12", {
            "0": See(*KERNEL_SEES, "A slice has an address of its own: that of its first number."),
            "3": See(
                *KERNEL_SEES, "An address counts bytes, not numbers: a slice that skips two numbers begins 8 "
                "bytes further on."),
            "another number in each run": See(
                "00", "One number or two?", "Host and device address of pinned memory are one number, so their "
                "difference is that of two places in one array."),
        }),
        Line("4", {
            "1": See(
                "03", "Zero-copy: a kernel works on host memory", "To a kernel an address inside an array is an "
                "address like any other: it counts on from there."),
            "3": See(
                "03", "Zero-copy: a kernel works on host memory", "The kernel counts from the address that it "
                "is given, and x[1] is the number after that."),
            ends("ILLEGAL_ADDRESS"): See(
                "03", "For which bytes?", "Every byte of pinned memory has a device address, not only the "
                "first."),
        }))),

    Listing("no-way-by-copying", "00", "two questions", """
host = cuda.pagelocked_zeros(4, np.int32)
device = cuda.mem_alloc(16)
cuda.memcpy_htod(device, host)
print(forward(int(device)))                         # 1
print(back(int(device)))                            # 2
print(back(host.base.get_device_pointer() + 4))     # 3
""", (
        Line("INVALID_VALUE", {
            "same": See(
                *TWO_QUESTIONS, "For device memory the forward call has no answer, although kernels use that "
                "address."),
            "another": See(
                *TWO_QUESTIONS, "For device memory the forward call has no answer. A copy connects no "
                "addresses."),
        }),
        Line("INVALID_VALUE", {
            "same": See(*TWO_QUESTIONS, "Device memory has no host address, so there is nothing to answer with."),
            "another": See(
                *TWO_QUESTIONS, "There device memory had no answer, forward or back. A copy changes nothing about "
                "that: it connects no addresses."),
        }),
        Line("same", {
            "another": See(
                "03b", "The driver's own answer", "For byte 12 the answer was byte 12: the number that was "
                "asked about."),
            "INVALID_VALUE": See(
                "03b", "The driver's own answer", "The way back answers for any byte of pinned memory, not only "
                "for the first."),
        }))),

    Listing("a-kernel-brings-it", "00", "kernels reach both memories", """
device = gpuarray.to_gpu(np.array([3, 1, 4], np.int32))
host = cuda.pagelocked_zeros(3, np.int32)
source = "__global__ void add(const int *x, int *y) { y[threadIdx.x] += x[threadIdx.x]; }"
add = kernels.compile(source).add
add(1, 3, device, host)
add(1, 2, device, host)
cuda.Context.synchronize()
print(host.tolist())            # 1
print(device.get().tolist())    # 2
""", (
        Line("[6, 2, 4]", {
            "[0, 0, 0]": See(
                *ONE_MEMORY, "What a kernel writes into pinned memory the host sees. No copy is needed."),
            "[3, 1, 4]": See(
                *ONE_MEMORY, "Each launch works on what is in the memory by then: there, on the numbers that "
                "the host had put in."),
            "[6, 2, 8]": See(
                *ONE_MEMORY, "A launch has as many threads as it asks for. The second one asks for two."),
        }),
        Line("[3, 1, 4]", {
            "[6, 2, 4]": See(*TWO_MEMORIES, "They are two memories. The kernel only reads this one."),
            "[0, 0, 0]": See(*TWO_MEMORIES, "They are two memories, and reading leaves a memory as it is."),
        }))),

    Listing("slice-or-copy", "01", "a slice is no copy", """
numbers = gpuarray.to_gpu(np.array([5, 6, 7], np.int32))
part, other = numbers[1:], numbers.copy()
cuda.memset_d32(numbers.ptr, 0, 2)
print(part.get().tolist())          # 1
print(other.get().tolist())         # 2
print(part.ptr - numbers.ptr)       # 3
""", (
        Line("[0, 7]", {
            "[6, 7]": See(*KERNEL_SEES, "A slice is a second object over the same memory, not a copy of it."),
            "[0, 0]": See(
                *KERNEL_SEES, "The slice begins at the second number, and two numbers were set: the first and "
                "the second of the array."),
        }),
        Line("[5, 6, 7]", {
            "[0, 0, 7]": See(
                *TWO_MEMORIES, "A copy is a memory of its own. What happens to the first does not reach it."),
            "[0, 0, 0]": See(
                *TWO_MEMORIES, "A copy is a memory of its own. What happens to the first does not reach it."),
        }),
        Line("4", {
            "0": See(*KERNEL_SEES, "The address of a slice is that of its first number."),
            "1": See(*KERNEL_SEES, "Addresses count bytes, and a number here has four."),
        }))),

    Listing("somebody-else-s-memory", "01", "a number outlives its memory", """
first = gpuarray.to_gpu(np.array([1, 2], np.int32))
kept = gpuarray.to_gpu(np.array([7, 8], np.int32)).ptr
second = gpuarray.to_gpu(np.array([5, 6], np.int32))
cuda.memset_d32(kept, 9, 1)
print(second.ptr == kept)           # 1
print(second.get().tolist())        # 2
print(first.get().tolist())         # 3
""", (
        Line("True", {
            "False": See(
                *KEEPS, "Nothing kept the array of the second line, so its memory was freed at once, and the "
                "next array of the same size was given the address."),
            ends("INVALID_VALUE"): See(
                *KEEPS, "The driver refused the number only until it was given out again. After that it is a valid "
                        "address, of another array."),
        }),
        Line("[9, 6]", {
            "[5, 6]": See(
                *KEEPS, "Who follows the kept number finds the other array: the number is that array's by now."),
            "[9, 8]": See(
                *KEEPS, "The old values were there only until another array was made. Then they were its "
                "values."),
        }),
        Line("[1, 2]", {
            "[9, 2]": See(
                *KEEPS, "The array that lives on keeps its address. Only the freed one was given out again."),
            "[9, 9]": See(*KEEPS, "The array that lives on keeps its address, and nothing was written there."),
        }))),

    Listing("freed-and-alone", "01", "who stops a wrong address", """
read = kernels.compile("__global__ void read(const int *x, int *y) { *y = *x; }").read
found, big = gpuarray.zeros(1, np.int32), cuda.mem_alloc(8 * MiB)
cuda.memset_d32(int(big), 7, 1)
address = int(big)
big.free()
print(says(cu.cuMemcpyDtoD(int(found.ptr), address, 4)))    # 1
read(1, 1, address, found)
print(found.get().tolist())                                 # 2
""", (
        Line("INVALID_VALUE", {
            "SUCCESS": See(
                *KEEPS, "The driver's copies ask the driver first, and it knows that the memory was freed."),
            "ILLEGAL_ADDRESS": See(
                *KEEPS, "A copy is refused before anything is followed: INVALID_VALUE, and nothing "
                "breaks."),
        }),
        Line(ends("ILLEGAL_ADDRESS"), {
            "[0]": See(
                *WRONG_SIDE, "A kernel that is stopped leaves an error, not an answer of zeros: the next call "
                "that waits for it gets the error."),
            "[7]": See(
                *KEEPS, "There the kernel read on because a neighbour lived in the same piece of 2 MiB. These 8 "
                "MiB were pieces of their own, and nothing lives there any more."),
            ends("SIGSEGV"): See(
                *WRONG_SIDE, "SIGSEGV is the end of a process whose *host* code follows a wrong address. A "
                "kernel is stopped with an error."),
        })), breaks=True),

    Listing("two-loads-of-one-source", "01", "a module's variable", """
source = "__device__ int n; __global__ void up() { n += 5; }"
one, two = kernels.compile(source), kernels.compile(source)
one.up(1, 1)
one.up(1, 1)
address, nbytes = one.variable("n")
print(at(address))                      # 1
print(at(two.variable("n")[0]))         # 2
print(forward(address))                 # 3
""", (
        Line("10", {
            "0": See(
                "01", "Is it the address that a kernel uses?", "Python gets the same address that the kernel uses, "
                                                               "so the copy finds what the kernel wrote."),
            "5": See(
                "04", "Who owns it, and how long does it live?", "A module variable lives as long as the code "
                "is loaded: the second launch goes on from what the first left."),
        }),
        Line("0", {
            "5": See(
                *KERNEL_SEES, "The variable belongs to the compiled code and is allocated with it. This code "
                "was loaded twice, and no kernel of the second load has run."),
            "10": See(
                *KERNEL_SEES, "The variable belongs to the compiled code and is allocated with it. What is "
                "loaded twice has two of them."),
        }),
        Line("INVALID_VALUE", {
            "same": See(
                *WINDOW, "There, both calls are asked about `counter`: the forward call refuses a module variable."),
            "another": See(
                *WINDOW, "There, both calls are asked about `counter`: the forward call refuses a module variable, "
                         "which has one address, on the device."),
        }))),

    Listing("the-neighbour-s-pointer", "01", "windows", """
look = kernels.compile('''__global__ void look(int **kept, int *found) {
    __shared__ int mine;
    mine = 5 + blockIdx.x;
    if (kept[0] == NULL) kept[0] = &mine;
    else { *kept[0] += 10; found[blockIdx.x] = mine; }
}''').look
kept, found = gpuarray.zeros(1, np.uint64), gpuarray.zeros(3, np.int32)
look(1, 1, kept, found)
look(3, 1, kept, found)
print(found.get().tolist())             # 1
print(says(cu.cuMemcpyDtoH(np.zeros(1, np.int32), int(kept.get()[0]), 4)))      # 2
""", (
        Line("[15, 16, 17]", {
            "[5, 6, 7]": See(
                *WINDOW, "Each block found its own variable at the number that block 0 had stored. So each adds "
                "10 to its own."),
            "[15, 6, 7]": See(
                *WINDOW, "The number does not belong to block 0: each block that follows it reaches its own shared "
                         "memory."),
            "[35, 6, 7]": See(
                *WINDOW, "The blocks do not meet at one memory: the shared window leads each to its own."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(*WINDOW, "Outside the kernel such a number means nothing: to the driver it is unknown."),
            "ILLEGAL_ADDRESS": See(
                *KEEPS, "The driver's copies ask the driver first. What it does not know it refuses with "
                "INVALID_VALUE."),
        }))),
)
