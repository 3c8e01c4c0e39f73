"""The exam's listings of lesson 09: inside the kernel. It stands behind the exam, so exam_sitting.py draws them later."""
from .listing import Line, Listing, See, ends

SEVEN = ("09", "Seven things of one kernel")
ASK = ("09", "Forward, back, and a question first")
LEAVES = ("09", "A number that leaves its block")
CONSTANTS = ("09", "Constants have an address")
BANKS = ("09b", "Who shares a bank?")

LISTINGS = (
    Listing("constant-of-two", "09", "whose constant it is", """
source = "__constant__ int table[2] = {3, 1}; __global__ void get(int *out) { out[0] = table[0]; }"
one, two = kernels.compile(source), kernels.compile(source)
out, address = cuda.mem_alloc(4), one.variable("table")[0]
cuda.memcpy_htod(address, np.array([7], np.int32))
one.get(1, 1, out)
print(at(out))                      # 1
two.get(1, 1, out)
print(at(out))                      # 2
""", (
        Line("7", {
            "3": See(*CONSTANTS, "The host's copy changes the constant, and kernels that start after it read what it wrote."),
            ends("LogicError"): See(*CONSTANTS, "The address is one of device memory, and the host may copy to it."),
        }),
        Line("3", {
            "7": See(*SEVEN, "There is one constant for each module, and the source was loaded as two."),
            "1": See(*CONSTANTS, "`table[0]` is the first of the two numbers."),
        }))),

    Listing("letter-of-two", "09", "a number that is kept", '''
code = kernels.compile("""
__global__ void keep(volatile unsigned long long *kept, int first, int *out) {
    __shared__ int mine;
    mine = 10 * first + blockIdx.x;
    if (first) kept[0] = (unsigned long long)&mine;
    else out[blockIdx.x] = *(volatile int *)kept[0];
}""")
kept, out = gpuarray.zeros(1, np.uint64), gpuarray.zeros(2, np.int32)
code.keep(1, 1, kept, 1, out)
code.keep(2, 1, kept, 0, out)
print(forward(int(kept.get()[0])))      # 1
print(out.get().tolist())               # 2
''', (
        Line("INVALID_VALUE", {
            "same": See("01", "Outside the kernel", "Numbers of a window mean something inside a kernel alone: the driver knows no such address."),
            "another": See("01", "Outside the kernel", "The driver knows no such address, so it has no other one for it."),
        }),
        Line("[0, 1]", {
            "[10, 10]": See(*LEAVES, "The block that wrote 10 has ended, and its memory with it: the number was kept, and not the memory."),
            "[0, 0]": See(*SEVEN, "The number is one for both blocks, and leads each of them to its own memory."),
            ends("ILLEGAL_ADDRESS"): See(*LEAVES, "The second launch has as much shared memory as the first, so the number leads somewhere."),
        }))),

    Listing("one-past-the-end", "09", "what a window is", '''
code = kernels.compile("""
__global__ void ask(int which, int *out) {
    __shared__ int s[4];
    int own[4];
    const int *all[] = {s + 4, own + 4, nullptr}, *p = all[which];
    out[0] = __isShared(p);
}""")
out, found = cuda.mem_alloc(4), []
for which in range(3):
    code.ask(1, 1, which, out)
    found.append(at(out))
print(found[0])                     # 1
print(found[1:])                    # 2
''', (
        Line("1", {
            "0": See(*ASK, "The question is about the window, which is longer than what a block has of it."),
            ends("ILLEGAL_ADDRESS"): See(*ASK, "The pointer is asked about, and not followed."),
        }),
        Line("[0, 0]", {
            "[1, 0]": See(*ASK, "Local memory has a window of its own, and its numbers are no shared ones."),
            "[0, 1]": See(*ASK, "Null is outside of every window; the shared window does not begin at 0."),
        }))),

    Listing("every-fourth", "09", "banks of shared memory", '''
def every_fourth():
    code = kernels.compile("""
    __global__ void every_fourth(int *x) {
        __shared__ volatile int s[128];
        s[4 * threadIdx.x] = 1;
        x[threadIdx.x] = s[4 * (threadIdx.x / 4)];
    }""")
    code.every_fourth(1, 32, cuda.mem_alloc(128))
write, read = (access.requests for access in kernel_views.bank_conflicts(every_fourth).accesses)
print(write)                        # 1
print(read)                         # 2
''', (
        Line("4", {
            "32": See(*BANKS, "Every fourth word is in one of 8 banks: 4 words in each, and not 32."),
            "1": See(*BANKS, "Words that are 32 words apart share a bank, such as those of threads 0 and 8."),
        }),
        Line("1", {
            "4": See(*BANKS, "Threads that want the same word share it: 8 words are read, and no two of them lie in one bank."),
            "8": See(*BANKS, "8 words are read, and each lies in another bank: that is one request."),
        })), after="09-banks"),
)
