"""The exam's listings of lesson 02: pinned and registered memory, and what runs when."""
from .listing import Line, Listing, See, ends

WHO_READS = ("02", "Who reads the memory, and when?")
WHOSE = ("02", "Whose memory is it?")
CHANGES = ("02b", "Pin what exists already")
WHICH_BYTES = ("02b", "Which bytes?")
REFUSES = ("02b", "What it refuses")
SAME_TIME = ("02c", "At the same time")
WHEN_SEEN = ("03", "When does the host see it?")

WAIT = """source = "__global__ void wait(volatile int *go) { while (*go == 0) { } }"
wait = kernels.compile(source).wait"""

LISTINGS = (
    Listing("three-copies-wait", "02", "a copy reads when its turn comes", f"""
{WAIT}
go, host = cuda.pagelocked_zeros(1, np.int32), cuda.pagelocked_zeros(1, np.int32)
pageable, stream = np.zeros(1, np.int32), cuda.Stream()
a, b, c = cuda.mem_alloc(4), cuda.mem_alloc(4), cuda.mem_alloc(4)
wait(1, 1, go, stream=stream)
host[0] = 1
cuda.memcpy_htod_async(a, host, stream)
host[0] = pageable[0] = 2
cuda.memcpy_htod_async(b, host, stream)
cuda.memcpy_htod_async(c, pageable, stream)
host[0] = pageable[0] = 3
go[0] = 1
stream.synchronize()
print(at(a))        # 1
print(at(b))        # 2
print(at(c))        # 3
""", (
        Line("3", {
            "1": See(
                *WHO_READS, "From pinned memory nothing is taken at the call. The copy engine reads when the "
                "copy's turn comes, and by then the array had changed."),
            "2": See(
                *WHO_READS, "Both copies wait behind the kernel, so both read what the array holds when the "
                "kernel ends."),
        }),
        Line("3", {
            "1": See(
                *WHO_READS, "From pinned memory came what the array held when the copy's turn had come, not "
                "what it held before."),
            "2": See(
                *WHO_READS, "From pinned memory nothing is taken at the call: the change after the call arrived "
                "too."),
        }),
        Line("2", {
            "1": See(*WHO_READS, "From pageable memory the call takes the numbers that are there when it is made."),
            "3": See(
                *WHO_READS, "A small copy from pageable memory takes the numbers before the call returns: into "
                "the driver's staging buffer. What changes later does not arrive."),
        }))),

    Listing("two-streams", "02", "what waits for what", f"""
{WAIT}
go, result = cuda.pagelocked_zeros(1, np.int32), cuda.pagelocked_zeros(2, np.int32)
one, other, device = cuda.Stream(), cuda.Stream(), gpuarray.to_gpu(np.array([7], np.int32))
wait(1, 1, go, stream=one)
cuda.memcpy_dtoh_async(result[:1], int(device.ptr), one)
cuda.memcpy_dtoh_async(result[1:], int(device.ptr), other)
other.synchronize()
print(result.tolist())                  # 1
print(one.is_done(), other.is_done())   # 2
go[0] = 1
one.synchronize()
print(result.tolist())                  # 3
""", (
        Line("[0, 7]", {
            "[0, 0]": See(
                *SAME_TIME, "Copies and kernels in different streams can run at the same time: the kernel holds up "
                            "only its own stream."),
            "[7, 0]": See(
                *WHO_READS, "Work given to one stream is done in order: the copy behind the kernel waits for "
                "it."),
            "[7, 7]": See(
                *WHO_READS, "Work given to one stream is done in order: the copy behind the kernel waits for "
                "it."),
        }),
        Line("False True", {
            "False False": See(
                *SAME_TIME, "What is in another stream does not wait for the kernel, and the host has waited "
                "for it."),
            "True True": See(
                *WHEN_SEEN, "A kernel that waits for the host is still running, whatever else the host has waited "
                            "for."),
        }),
        Line("[7, 7]", {
            "[0, 7]": See(
                *WHO_READS, "Once the kernel has ended, the copy's turn comes, and the host waited for the "
                "stream."),
            "[0, 0]": See(
                *WHO_READS, "Once the kernel has ended, the copy's turn comes. What was copied before stays."),
        })), after="02-overlap"),

    Listing("before-and-after", "02", "what waits for what", f"""
{WAIT}
go, stream = cuda.pagelocked_zeros(1, np.int32), cuda.Stream()
before, after = cuda.Event(), cuda.Event()
before.record(stream)
wait(1, 1, go, stream=stream)
after.record(stream)
before.synchronize()
print(before.query(), after.query())    # 1
go[0] = 1
after.synchronize()
go[0] = 0
print(before.query(), after.query())    # 2
""", (
        Line("True False", {
            "False False": See(
                *WHEN_SEEN, "An event shows whether the work *before* it is done. Nothing before this one is "
                            "waiting."),
            "True True": See(
                *WHEN_SEEN, "There `ended.query()` is asked while the kernel runs, and says False: the event "
                "behind a kernel waits for it."),
        }),
        Line("True True", {
            "True False": See(
                *WHEN_SEEN, "The kernel had ended when the host went on from the wait. What the host writes "
                "later starts nothing again."),
            "False True": See(*WHEN_SEEN, "An event that has happened stays so until it is recorded again."),
        }))),

    Listing("two-owners", "02", "a context owns its pinned memory", """
first = cuda.pagelocked_zeros(4, np.int32)
context = cuda.Device(0).make_context()
second = cuda.pagelocked_zeros(4, np.int32)
add = kernels.compile("__global__ void add(int *x) { x[threadIdx.x] += 1; }").add
add(1, 4, first)
context.synchronize()
del add
context.pop()
context.detach()
print(first.tolist())       # 1
print(second.tolist())      # 2
""", (
        Line("[1, 1, 1, 1]", {
            "[0, 0, 0, 0]": See(
                *WHOSE, "Memory that one context has pinned is usable in every context of the device, and the "
                "host sees what a kernel of any wrote there."),
            ends("SIGSEGV"): See(
                *WHOSE, "A context frees what *it* pinned. The first array belongs to the context that lives."),
        }),
        Line(ends("SIGSEGV"), {
            "[0, 0, 0, 0]": See(
                *WHOSE, "The context that owned this memory was destroyed. There the host's read ended the "
                "process."),
            "[1, 1, 1, 1]": See(
                *WHOSE, "The kernel worked on the first array. And the context that owned this one is gone, "
                "with its memory."),
            ends("ILLEGAL_ADDRESS"): See(
                *WHOSE, "No kernel and no CUDA call is involved: the host reads through its own page tables, and the"
                        " system ends its process."),
        })), breaks=True),

    Listing("three-neighbours", "02", "registered bytes", """
array = np.zeros(100, np.uint8)
start = array.ctypes.data
assert says(cu.cuMemHostRegister(start + 10, 10, 0)) == "SUCCESS"
print(says(cu.cuMemHostRegister(start + 20, 10, 0)))    # 1
print(says(cu.cuMemHostRegister(start + 29, 10, 0)))    # 2
cu.cuMemHostUnregister(start + 10)
print(forward(start + 19), forward(start + 20))         # 3
cu.cuMemHostUnregister(start + 20)
""", (
        Line("SUCCESS", {
            "HOST_MEMORY_ALREADY_REGISTERED": See(
                *REFUSES, "The neighbour of a registered range is free to register, even on the same page."),
            "INVALID_VALUE": See(
                *WHICH_BYTES, "Five bytes in the middle of pages were registered there: any address, and any "
                "size from one byte on."),
        }),
        Line("HOST_MEMORY_ALREADY_REGISTERED", {
            "SUCCESS": See(*REFUSES, "No byte can be registered twice. Byte 29 belongs to the second range."),
            "INVALID_VALUE": See(
                *REFUSES, "An overlap has an error of its own: a part that is registered answers "
                "ALREADY_REGISTERED there."),
        }),
        Line("INVALID_VALUE same", {
            "same same": See(
                *WHICH_BYTES, "The driver answers for exactly the registered bytes. That they share a page with "
                "others does not count."),
            "INVALID_VALUE INVALID_VALUE": See(
                *REFUSES, "A registration ends by its first address, and only that one: its neighbour stays."),
        }))),

    Listing("unregister-twice", "02", "how a registration ends", """
array = np.zeros(64, np.int32)
start = array.ctypes.data
assert says(cu.cuMemHostRegister(start, array.nbytes, 0)) == "SUCCESS"
print(says(cu.cuMemHostUnregister(start + 128)))    # 1
print(forward(start + 128))                         # 2
assert says(cu.cuMemHostUnregister(start)) == "SUCCESS"
print(says(cu.cuMemHostUnregister(start)))          # 3
""", (
        Line("INVALID_VALUE", {
            "SUCCESS": See(
                *REFUSES, "A registration ends as it began: by its first address. From its middle it is "
                "refused."),
            "HOST_MEMORY_NOT_REGISTERED": See(
                *REFUSES, "The byte is registered. What is wrong is that it is not the first: INVALID_VALUE."),
        }),
        Line("same", {
            "INVALID_VALUE": See(
                *REFUSES, "A call that is refused changes nothing: the registration goes on, and every byte of "
                "it has an answer."),
            "another": See(
                *WHICH_BYTES, "Where the device uses the host's number, as here, each byte is answered with "
                "itself."),
        }),
        Line("HOST_MEMORY_NOT_REGISTERED", {
            "SUCCESS": See(*REFUSES, "Memory that is no longer registered cannot be unregistered again."),
            "INVALID_VALUE": See(
                *REFUSES, "There is a separate error for memory that is no longer registered: look at the last line "
                          "printed there."),
        }))),

    Listing("registered-in-between", "02", "what registering changes", """
array = np.array([1, 2, 3], np.int32)
before = array.ctypes.data
add = kernels.compile("__global__ void add(int *x) { x[threadIdx.x] += 10; }").add
with pinned.register(array[:2]) as registered:
    add(1, 2, registered)
    cuda.Context.synchronize()
print(array.tolist())               # 1
print(array.ctypes.data == before)  # 2
print(back(before))                 # 3
""", (
        Line("[11, 12, 3]", {
            "[1, 2, 3]": See(
                *CHANGES, "Registering moves nothing: the pages that the array has are locked. So the kernel "
                "wrote into the array itself, and it keeps what was written."),
            "[11, 12, 13]": See(*WHICH_BYTES, "Two numbers were registered, and two threads ran."),
        }),
        Line("True", {
            "False": See(*CHANGES, "Registering changes neither the pointer nor the content."),
            ends("SIGSEGV"): See(*CHANGES, "Unregistering takes back what the driver knows, and the array lives on."),
        }),
        Line("INVALID_VALUE", {
            "same": See(
                *CHANGES, "The way back answers while the array is registered. After that the driver does not know "
                          "it."),
            "another": See(*CHANGES, "After the array was unregistered, the driver does not know it."),
        }))),
)
