"""The exam's listings of lesson 05: addresses without memory, and memory with several addresses."""
from .listing import Line, Listing, See, ends

WEB = ("05", "Found on the web")
RANDOM = ("05", "Who chooses the address?")
MAP = ("05", "Map, and set access")
UNDO = ("05", "Undo")
HELPERS = ("05", "The same with course_lib")
ALIAS = ("05b", "A handle, mapped twice")
MOVED = ("05b", "The same memory, another address")
GROWS = ("05b", "A vector that grows where it is")
EXISTS = ("05b", "Where the way back exists")
ELEVEN = ("06", "Eleven addresses")

LISTINGS = (
    Listing("the-second-half", "05", "a part of a reservation", """
addresses = reservation.reserve(4 * MiB)
half = addresses.map(reservation.create(2 * MiB), offset=2 * MiB)
half.set_access("readwrite")
number = np.array([5], np.int32)
print(half.start - addresses.start == 2 * MiB)                  # 1
print(says(cu.cuMemcpyHtoD(addresses.start, number, 4)))        # 2
print(says(cu.cuMemcpyHtoD(half.start, number, 4)))             # 3
""", (
        Line("True", {
            "False": See(
                *GROWS, "A mapping begins where it is put: there, the second memory begins right behind the "
                "first."),
            ends("WrongOrder"): See(*GROWS, "A reservation may be mapped in parts, each memory at its own place."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(*MAP, "A reservation is addresses without memory. Nothing is mapped at this one."),
            "ILLEGAL_ADDRESS": See(
                *MAP, "A copy that comes too early is refused with INVALID_VALUE, and breaks nothing."),
        }),
        Line("SUCCESS", {
            "INVALID_VALUE": See(
                *MAP, "Memory, a mapping and access are all there: after the last step the copy succeeds."),
            "ILLEGAL_ADDRESS": See(*MAP, "Access was set, so the address may be used by copies and by kernels."),
        }))),

    Listing("mapped-again", "05", "access belongs to a mapping", """
addresses, memory = reservation.reserve(2 * MiB), reservation.create(2 * MiB)
mapping = addresses.map(memory)
mapping.set_access("readwrite")
cuda.memset_d32(mapping.start, 7, 1)
mapping.unmap()
again = addresses.map(memory)
number = np.zeros(1, np.int32)
print(says(cu.cuMemcpyDtoH(number, again.start, 4)))    # 1
again.set_access("readwrite")
print(at(again.start))                                  # 2
""", (
        Line("INVALID_VALUE", {
            "SUCCESS": See(*MAP, "A mapping starts without access for anyone, even where there was another mapping before."),
            "ILLEGAL_ADDRESS": See(
                *MAP, "A copy that comes too early is refused by an error code and breaks nothing."),
        }),
        Line("7", {
            "0": See(
                *MOVED, "The content belongs to the memory. It was there at the new address, and is at the old "
                "one."),
            ends("INVALID_VALUE"): See(*MAP, "Once access is set, the copy succeeds."),
        }))),

    Listing("a-wish-inside", "05", "who chooses an address", """
error, first = cu.cuMemAddressReserve(4 * MiB, 0, 0, 0)
wanted = int(first) + 2 * MiB
error, second = cu.cuMemAddressReserve(2 * MiB, 0, wanted, 0)
print(says((error,)))                                               # 1
print(int(second) == wanted)                                        # 2
print(says(cu.cuMemAddressReserve(3 * MiB, 0, 0, 0)))               # 3
cu.cuMemAddressFree(second, 2 * MiB)
cu.cuMemAddressFree(first, 4 * MiB)
""", (
        Line("SUCCESS", {
            "INVALID_VALUE": See(
                *RANDOM, "What you say is only a hint. An address that is taken is quietly replaced."),
            "OUT_OF_MEMORY": See(*RANDOM, "A wish for addresses that are taken is not an error: you get others."),
        }),
        Line("False", {
            "True": See(*RANDOM, "The wish lies inside a range that is already reserved. You silently get another address."),
            ends("TypeError"): See(*RANDOM, "With SUCCESS an address comes back, and has to be looked at."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(*WEB, "3 MiB is not a multiple of the granularity, 2 MiB: it was refused there."),
            "OUT_OF_MEMORY": See(
                *WEB, "A TiB of addresses was granted there. The trouble with 3 MiB is that it is not a multiple of "
                      "2 MiB."),
        }))),

    Listing("who-holds-the-memory", "05", "what keeps memory alive", """
memory = reservation.create(2 * MiB)
first, second = (reservation.reserve(2 * MiB).map(memory) for _ in range(2))
for mapping in first, second:
    mapping.set_access("readwrite")
cuda.memset_d32(first.start, 3, 1)
memory.release()
left = first.start
first.unmap()
print(at(second.start))                                                 # 1
print(says(cu.cuMemcpyDtoH(np.zeros(1, np.int32), left, 4)))            # 2
""", (
        Line("3", {
            "0": See(*ALIAS, "What was written through the one address is there at the other: it is one memory."),
            ends("INVALID_VALUE"): See(
                *UNDO, "The memory lives as long as a handle *or* a mapping holds it. The second mapping does."),
            ends("LogicError"): See(
                *UNDO, "Releasing gives up the handle, not the memory: a copy succeeded after it."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(*MOVED, "The memory lives, but not at the address that it left: that one leads nowhere."),
            "ILLEGAL_ADDRESS": See(
                *MOVED, "A copy from the address that memory has left is refused with INVALID_VALUE."),
        }))),

    Listing("access-for-one", "05", "access belongs to a mapping", """
set_it = kernels.compile("__global__ void set_it(int *x) { *x = 4; }").set_it
memory = reservation.create(2 * MiB)
first, second = (reservation.reserve(2 * MiB).map(memory) for _ in range(2))
first.set_access("readwrite")
number = np.zeros(1, np.int32)
print(says(cu.cuMemcpyHtoD(first.start, number, 4)))        # 1
print(says(cu.cuMemcpyHtoD(second.start, number, 4)))       # 2
set_it(1, 1, second.start)
print(says(cu.cuCtxSynchronize()))                          # 3
""", (
        Line("SUCCESS", {
            "INVALID_VALUE": See(
                *ALIAS, "A handle may be mapped more than once, and each mapping that has access can be used."),
            "ILLEGAL_ADDRESS": See(
                *ALIAS, "A handle may be mapped more than once, and each mapping that has access can be used."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(
                *MAP, "Each mapping starts without access for anyone. Access to the same memory at another address "
                      "does not help."),
            "ILLEGAL_ADDRESS": See(*MAP, "A copy that comes too early is refused with INVALID_VALUE."),
        }),
        Line("ILLEGAL_ADDRESS", {
            "SUCCESS": See(
                *HELPERS, "A kernel that writes where a mapping gives no access was stopped there, in the sandbox."),
            "INVALID_VALUE": See(
                *HELPERS, "A kernel has no error code to return: it is stopped, and CUDA is broken in its process."),
        })), breaks=True),

    Listing("grow-and-shrink", "05", "growing in place", """
buffer = reservation.GrowingBuffer(most=16 * MiB)
buffer.grow(2 * MiB)
start = buffer.device_address
cuda.memset_d8(start, 1, 2 * MiB)
buffer.grow(4 * MiB)
cuda.memset_d8(start + 2 * MiB - 2, 6, 4)
buffer.shrink()
print(buffer.device_address == start)                       # 1
last = np.zeros(4, np.uint8)
print(says(cu.cuMemcpyDtoH(last, start + 2 * MiB, 4)))      # 2
cuda.memcpy_dtoh(last, start + 2 * MiB - 4)
print(last.tolist())                                        # 3
""", (
        Line("True", {
            "False": See(
                *GROWS, "The addresses were reserved for the most that it may hold. It grows and shrinks where "
                "it is."),
            ends("WrongOrder"): See(
                *GROWS, "`shrink` gives back what the last `grow` added, and the buffer lives on."),
        }),
        Line("INVALID_VALUE", {
            "SUCCESS": See(*GROWS, "`shrink` gave back all that the last `grow` had added: 2 MiB are left."),
            "ILLEGAL_ADDRESS": See(
                *MOVED, "A copy from an address that the memory has left is refused with INVALID_VALUE."),
        }),
        Line("[1, 1, 6, 6]", {
            "[6, 6, 6, 6]": See(*GROWS, "One call wrote over the border of two memories, two bytes on each side."),
            "[1, 1, 1, 1]": See(*GROWS, "The content of what is left stays where it is."),
        }))),

    Listing("three-writers", "05", "two addresses, one memory", """
memory = reservation.create(2 * MiB)
first, second = (reservation.reserve(2 * MiB).map(memory) for _ in range(2))
for mapping in first, second:
    mapping.set_access("readwrite")
add = kernels.compile("__global__ void add(int *x) { *x += 10; }").add
cuda.memset_d32(first.start, 1, 1)
add(1, 1, second)
cuda.memset_d8(first.start + 1, 1, 1)
add(1, 1, first)
print(at(second.start))                                 # 1
print(forward(second.start), back(second.start))        # 2
""", (
        Line("277", {
            "11": See(
                *ALIAS, "What is written through the one address is read through the other. All four wrote to "
                "one memory."),
            "21": See(
                *ALIAS, "The memset of a byte writes too: the second byte of the number becomes 1, which is 256 "
                "more."),
            "22": See(
                "04", "The staging copy", "A memset of a byte writes that byte, and adds nothing: the second "
                "byte counts 256."),
        }),
        Line("same INVALID_VALUE", {
            "INVALID_VALUE INVALID_VALUE": See(
                *EXISTS, "For memory mapped on the device the forward call answers, which is not documented."),
            "same same": See(*EXISTS, "The memory is on the device, where the host has no address."),
            "another INVALID_VALUE": See(
                *EXISTS, "The forward call answers with the start of the mapping that it is asked about. Here that "
                "is the number that it was given."),
        }))),

    Listing("on-the-host", "05", "virtual memory on the host", """
mapping = reservation.reserve(2 * MiB).map(reservation.create(2 * MiB, where="host"))
for who in "device", "host":
    mapping.set_access("readwrite", who=who)
array = mapping.array(np.int32)
array[:3] = [1, 2, 3]
kernels.compile("__global__ void add(int *x) { x[threadIdx.x] += 5; }").add(1, 2, mapping)
cuda.Context.synchronize()
print(array[:3].tolist())                                       # 1
print(array.ctypes.data == mapping.start)                       # 2
print(forward(mapping.start), back(mapping.start))              # 3
""", (
        Line("[6, 7, 3]", {
            "[1, 2, 3]": See(
                *EXISTS, "Host and device work on one memory there: the array shows what the kernel wrote."),
            "[6, 7, 8]": See(*EXISTS, "As many threads run as the launch asks for: two here."),
        }),
        Line("True", {
            "False": See(*EXISTS, "Host and device are given access at one address."),
            ends("SIGSEGV"): See(*EXISTS, "The host was given access, so it may read and write there."),
        }),
        Line("same same", {
            "same INVALID_VALUE": See(
                *EXISTS, "That is so for memory on the device. This one is on the host, and the host has "
                "access."),
            "INVALID_VALUE same": See(
                *ELEVEN, "That is the cell of managed memory. Memory mapped on the host is answered both ways."),
            "INVALID_VALUE INVALID_VALUE": See(
                *EXISTS, "There, both calls are asked about virtual memory on the host, and both have an answer."),
        }))),
)
