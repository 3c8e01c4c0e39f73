"""The exam's listings of lesson 06: the two questions, and what their answers are worth."""
from .listing import Line, Listing, See, ends

RESERVE = ("05", "Reserve: an address without memory")
EXISTS = ("05b", "Where the way back exists")
ELEVEN = ("06", "Eleven addresses")
PLURAL = ("06", "Several attributes in one call")
ARGUMENT = ("06", "Which argument hits only the way back?")
BOOK = ("03c", "Exercises: the address book begins")
WHICH_BYTES = ("02b", "Which bytes?")

LISTINGS = (
    Listing("managed-inside", "06", "managed memory", """
managed = cuda.managed_zeros(4, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
part = managed[2:]
kernels.compile("__global__ void set(int *x) { x[1] = 8; }").set(1, 1, part.ctypes.data)
cuda.Context.synchronize()
managed[0] += 1
print(managed.tolist())             # 1
print(forward(part.ctypes.data))    # 2
print(back(part.ctypes.data))       # 3
""", (
        Line("[1, 0, 0, 8]", {
            "[1, 8, 0, 0]": See(
                "03", "Zero-copy: a kernel works on host memory", "To a kernel an address inside is an address "
                "like any other: it counts on from there."),
            "[1, 0, 0, 0]": See(*ELEVEN, "Managed memory has one address for host and device, and both work there."),
            ends("SIGSEGV"): See(
                *ELEVEN, "Managed memory can be used by the host too: its pages move to whoever touches them."),
        }),
        Line("INVALID_VALUE", {
            "same": See(
                *ELEVEN, "The forward call is for pinned memory. It refuses managed memory, "
                "although the host has it."),
            "another": See(*ELEVEN, "The forward call refuses managed memory."),
        }),
        Line("same", {
            "INVALID_VALUE": See(*ELEVEN, "Managed memory is a kind with a way back and no way forward."),
            "another": See(
                *ELEVEN, "Managed memory has one address for both sides. Where an answer comes, it is the "
                "number that was asked about."),
        }))),

    Listing("from-cell-to-cell", "06", "the four cells", """
addresses = reservation.reserve(2 * MiB)
print(forward(addresses.start), back(addresses.start))              # 1
mapping = addresses.map(reservation.create(2 * MiB))
mapping.set_access("readwrite")
print(forward(addresses.start), back(addresses.start))              # 2
mapping.unmap()
print(forward(addresses.start), back(addresses.start))              # 3
""", (
        Line("INVALID_VALUE INVALID_VALUE", {
            "same INVALID_VALUE": See(*RESERVE, "Both calls refuse an address that is only reserved."),
            "same same": See(*RESERVE, "Both calls refuse an address that is only reserved: nothing is there."),
        }),
        Line("same INVALID_VALUE", {
            "INVALID_VALUE INVALID_VALUE": See(
                *ELEVEN, "Memory mapped on the device is a kind that has a way forward and no way back."),
            "INVALID_VALUE same": See(*ELEVEN, "That is the cell of managed memory. This is the opposite one."),
            "same same": See(*ELEVEN, "The memory is on the device, so there is no host address to come back to."),
        }),
        Line("INVALID_VALUE INVALID_VALUE", {
            "same INVALID_VALUE": See(
                *EXISTS, "The address that the memory has left is reserved only, and both questions are "
                "refused."),
            "same same": See(
                *EXISTS, "The address that the memory has left is reserved only, and both questions are "
                "refused."),
        }))),

    Listing("three-times-plural", "06", "the plural call", """
asked = [cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, HOST_POINTER]
def plural(address):
    error, (kind, host) = cu.cuPointerGetAttributes(2, asked, address)
    return f"{int(kind)} {'null' if not host else 'same' if int(host) == address else 'another'}"
array, device = np.zeros(4, np.int32), cuda.mem_alloc(16)
with pinned.register(array[:2]):
    print(plural(array.ctypes.data + 4))        # 1
    print(plural(array.ctypes.data + 8))        # 2
print(plural(int(device)))                      # 3
""", (
        Line("1 same", {
            "0 same": See(
                *WHICH_BYTES, "The byte is registered, so the driver knows it: memory type 1, on the host."),
            "1 another": See(
                "03b", "The driver's own answer", "The answer for an address inside is that address, not the "
                "start."),
        }),
        Line("0 same", {
            "0 null": See(
                *PLURAL, "The documentation says null. What came back there was the address that was asked "
                "about."),
            "1 same": See(
                *WHICH_BYTES, "The driver answers for exactly the registered bytes. This one is behind them: "
                "type 0, unknown."),
        }),
        Line("2 null", {
            "0 same": See(
                *PLURAL, "Type 0 is for what the driver does not know. It knows this memory: it allocated it."),
            "2 same": See(
                *PLURAL, "Device memory has no host address. It is for *unknown* addresses that the plural call "
                "invents one."),
        }))),

    Listing("who-is-there-now", "06", "an address is given out again", """
BUFFER_ID = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID
def number(address):
    return cu.cuPointerGetAttribute(BUFFER_ID, address)[1]
array = cuda.pagelocked_zeros(MiB, np.int32)
start, inside = array.ctypes.data, array[1000:].ctypes.data
first = number(start)
print(number(inside) == first)          # 1
del array
print(forward(start), back(start))      # 2
array = cuda.pagelocked_zeros(MiB, np.int32)
print(array.ctypes.data == start, number(start) == first)       # 3
""", (
        Line("True", {
            "False": See(*ARGUMENT, "The number is that of an allocation, and every byte of it is in the same one."),
            ends("TypeError"): See(
                "03", "For which bytes?", "Questions about pinned memory are answered for any byte of it."),
        }),
        Line("INVALID_VALUE INVALID_VALUE", {
            "same same": See(*ARGUMENT, "Both calls forgot the address as soon as the memory was freed."),
            "INVALID_VALUE same": See(*ARGUMENT, "Freeing hits both directions alike: no answer forward, none back."),
        }),
        Line("True False", {
            "True True": See(
                *ARGUMENT, "The address was given out again, but an allocation's id never is."),
            "False False": See(
                *ARGUMENT, "A freed address was given out again there, to an allocation of the same size."),
            "False True": See(*ARGUMENT, "It is the other way round: the address comes again, the number never."),
        }))),

    Listing("the-book-remembers", "06", "an address book", """
host = pinned.allocate(16)
start = host.host_address
book = pointers.AddressBook()
view = book.add(host=start, device=host.device_address, nbytes=16)
host.release()
print(forward(start + 3))                           # 1
print(book.to_device(start + 3) - start)            # 2
book.free(view)
print(book.to_host(start + 3) - start)              # 3
""", (
        Line("INVALID_VALUE", {
            "same": See(
                *ARGUMENT, "Both calls forgot the address as soon as the memory was freed. The program's own address"
                           " book means nothing to the driver."),
            "another": See(
                *ARGUMENT, "The memory was freed. Until its address is given out again, there is no answer."),
        }),
        Line("3", {
            "0": See(*BOOK, "An address inside a block leads to the same byte inside."),
            ends("NotInBook"): See(
                *BOOK, "An address book is the program's own notes. Nobody told it that the memory was freed."),
        }),
        Line(ends("Released"), {
            "3": See(
                "06b", "The address book, final", "A view that was freed in the book leads nowhere from then "
                "on."),
            "0": See(
                "06b", "The address book, final", "A view that was freed in the book leads nowhere from then "
                "on."),
        }))),
)
