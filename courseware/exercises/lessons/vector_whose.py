"""Lesson 10, the third step: whose an address is, by the program's book and by the driver."""
from ..exercise import Case, Exercise, Mistake, slip
from . import whose_harness

WHOSE = """
from cuda.bindings import driver as cu

def whose(vector, address):
    offset = address - vector.address
    if 0 <= offset < vector.nbytes:
        for start, nbytes, host in vector.copies:
            if start <= offset < start + nbytes:
                return "vector", offset // 4, host + offset - start
        return "vector", offset // 4, None
    if 0 <= offset < vector.reserved:
        return "reserved", None, None
    if not 0 <= address < 1 << 64:
        return "elsewhere", None, None
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, host = cu.cuPointerGetAttribute(attribute, address)
    return "elsewhere", None, int(host) if error == cu.CUresult.CUDA_SUCCESS else None
"""
PLACES = {"vector": "vector.address", "pinned": "other pinned memory", "device": "other device memory",
          "copy": "the host address of the second copy", "end": "vector.address + vector.nbytes",
          "last": "vector.address + vector.reserved", "number": ""}


def _asked(what, place, offset, expected, hidden=True):
    more = f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
    told = PLACES[place] + more if place != "number" else str(offset)
    return Case(what, (place, offset), expected, hidden, f"whose(vector, {told})")


def _any_address(source):
    """An address in the vector, near one of its borders, or elsewhere."""
    place = source.choice(["vector", "vector", "vector", "end", "last", "pinned", "device", "copy", "number"])
    near = {"vector": (-1, 0, 1, 399, 400, 511, 512, 1023, 1024, 1535, 1536, 1599, 1600, 1663, 1664),
            "pinned": range(256), "device": range(256), "copy": range(512), "end": range(-9, 9), "last": range(-9, 1),
            "number": (-8, -1, 0, 8, 1 << 64, (1 << 64) + 5)}
    offset = source.choice(list(near[place]))
    return _asked("", place, source.choice([offset, source.randrange(1800)]) if place == "vector" else offset, None)


whose = Exercise(
    id="vector-whose", lesson="10", title="Whose is an address?", name="whose", minutes=25, sandboxed=True,
    run=whose_harness.whose, random_case=_any_address,
    statement="""
Write `whose(vector, address)`. A vector of 4-byte numbers has `address`, `nbytes` (what is mapped), `reserved` (bytes
of addresses), and `copies`, a list of `(offset, nbytes, host address)`: of these bytes the program keeps a copy on
the host. Return `("vector", index, host)` within the mapped part: the number's index, and the host's address of the
same byte, or `None` where there is no copy. Return `("reserved", None, None)` in the rest of the reservation, and
`("elsewhere", None, host)` for every other integer, where `host` is the driver's answer to HOST_POINTER, or `None`.
Fifteen lines are enough.

    # vector.copies == [(0, 400, first), (512, 1024, second), (1600, 64, third)]
    whose(vector, vector.address + 633)             # ("vector", 158, second + 121)
    whose(vector, vector.address + vector.nbytes)   # ("reserved", None, None)
    whose(vector, address of other pinned memory)   # ("elsewhere", None, the same address)
""",
    starter="""
from cuda.bindings import driver as cu

def whose(vector, address):
    '''(where the address lies, the number's index or None, a host address of the byte or None)'''
    ...         # about fifteen lines
""",
    hints=("Count from the vector's first byte: `offset = address - vector.address`. From 0 up to `nbytes` it is "
           "the vector's, up to "
           "`reserved` it is reserved; the first address behind a range does not belong to it.",
           "The driver has no way back for the vector's memory, so your own book, `copies`, answers there. For "
           "everything else ask "
           "the driver (lesson 06), which takes no number below 0 or from 2**64 on."),
    solution=WHOSE,
    mistakes=(
        slip(WHOSE, "0 <= offset < vector.nbytes", "0 <= offset <= vector.nbytes",
             "The address behind the last mapped byte has no memory: it is reserved. Compare with `<`."),
        slip(WHOSE, "0 <= offset < vector.nbytes", "0 <= offset < vector.reserved",
             "Not all that is reserved is mapped: the vector has memory up to `nbytes` only."),
        slip(WHOSE, "    if 0 <= offset < vector.reserved:\n        return \"reserved\", None, None\n", "",
             "Addresses that are reserved and not mapped belong to the vector all the same: say `\"reserved\"`."),
        slip(WHOSE, "0 <= offset < vector.reserved", "0 <= offset <= vector.reserved",
             "The first address behind the reservation is not its own: compare with `<`."),
        slip(WHOSE, "0 <= offset < vector.reserved", "offset < vector.reserved",
             "An address before the vector is not reserved: its offset is negative.",
             WHOSE.replace("0 <= offset < vector.nbytes", "offset < vector.nbytes")),
        slip(WHOSE, "host + offset - start", "host + offset",
             "A copy begins at its own offset: the byte is `offset - start` bytes into it."),
        slip(WHOSE, "host + offset - start", "host",
             "You give where the copy begins: add how far into it the byte is."),
        slip(WHOSE, "start <= offset < start + nbytes", "start <= offset <= start + nbytes",
             "The byte behind a copy is not in it: compare with `<`."),
        slip(WHOSE, "start <= offset < start + nbytes", "start <= offset < nbytes",
             "A copy is given by its offset and its *length*: it ends at `start + nbytes`."),
        Mistake(WHOSE.replace("start <= offset < start", "start <= offset // 4 < start")
                .replace("host + offset - start", "host + offset - 4 * start"),
                "`copies` counts bytes, its offsets as well as its lengths: compare them with `offset`, and not with the "
                "number's index.",
                also=tuple(WHOSE.replace("start <= offset < start", "start <= offset // 4 < start")
                           .replace("host + offset - start", there)
                           for there in ("host + offset - start", "host + offset // 4 - start",
                                         "host + 4 * (offset // 4 - start)"))),
        slip(WHOSE, "0 <= offset < vector.reserved", "0 <= offset < vector.nbytes + vector.reserved",
             "`reserved` counts from the vector's first byte: what is mapped is a part of it."),
        slip(WHOSE, "start <= offset < start + nbytes", "start <= offset",
             "Not every byte behind the start of a copy is in it: look at its length too."),
        slip(WHOSE, "        return \"vector\", offset // 4, None\n", "            return \"vector\", offset // "
                                                                      "4, None\n",
             "You give up after the first copy: the `return` belongs behind the loop."),
        slip(WHOSE, "offset // 4, None", "None, None",
             "A byte without a copy is a byte of a number all the same: give its index.",
             WHOSE.replace('        return "vector", offset // 4, None\n', '        return "elsewhere", None, None\n'),
             WHOSE.replace('        return "vector", offset // 4, None\n', "")),
        slip(WHOSE, "offset // 4", "offset",
             "You give the byte's place. A number has 4 bytes: its index is `offset // 4`.",
             WHOSE.replace("offset // 4", "offset / 4")),
        slip(WHOSE, "    if not 0 <= address < 1 << 64:\n        return \"elsewhere\", None, None\n", "",
             "cuda-bindings cannot ask about a number that is not an address, and raises an OverflowError: answer for "
             "it yourself, "
             "below 0 and from 2**64 on."),
        slip(WHOSE, "int(host) if error == cu.CUresult.CUDA_SUCCESS else None", "int(host)",
             "Where the driver has no answer there is only an error: look at that before you use the host pointer."),
        slip(WHOSE, "    error, host = cu.cuPointerGetAttribute(attribute, address)\n    return \"elsewhere\", "
                    "None, int(host) if "
             "error == cu.CUresult.CUDA_SUCCESS else None", "    return \"elsewhere\", None, None",
             "Other memory may have a host address, which the driver knows: ask it for HOST_POINTER."),
        slip(WHOSE, "int(host) if error == cu.CUresult.CUDA_SUCCESS else None", "address",
             "Not all other memory has a host pointer: device memory has none, and a reader there would crash. "
             "Ask the driver, by `cuPointerGetAttribute`: the plural call gives an address that it does not know back as the host's (lesson 06)."),
        Mistake(WHOSE.replace("    offset = address - vector.address\n", """    offset = address - vector.address
    attribute = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, host = cu.cuPointerGetAttribute(attribute, address)
    if error == cu.CUresult.CUDA_SUCCESS:
        return "vector", offset // 4, int(host)
"""),
                "A host pointer alone does not make the address the vector's: look first whether it lies in the "
                "vector.",
                also=(WHOSE.replace('return "elsewhere", None, int(host) if', 'return "vector", None, int(host) if'),)),
    ),
    cases=(_asked("a byte of which there is a copy", "vector", 633, ("vector", 158, "byte 121 of the second "
                                                                                    "copy"), False),
           _asked("the address behind what is mapped", "end", 0, ("reserved", None, None), False),
           _asked("other pinned memory", "pinned", 0, ("elsewhere", None, "byte 0 of other pinned memory"), False),
           _asked("the vector's first address", "vector", 0, ("vector", 0, "byte 0 of the first copy")),
           _asked("a byte behind the first copy", "vector", 400, ("vector", 100, None)),
           _asked("the last byte of a copy", "vector", 1535, ("vector", 383, "byte 1023 of the second copy")),
           _asked("the first byte of the third copy", "vector", 1600, ("vector", 400, "byte 0 of the third copy")),
           _asked("a byte behind the third copy", "vector", 1664, ("vector", 416, None)),
           _asked("a byte between two copies", "vector", 450, ("vector", 112, None)),
           _asked("the last mapped byte", "end", -1, ("vector", whose_harness.LAST, None)),
           _asked("the last reserved address", "last", -1, ("reserved", None, None)),
           _asked("the address behind the reservation", "last", 0, ("elsewhere", None, None)),
           _asked("the address before the vector", "vector", -1, ("elsewhere", None, None)),
           _asked("a byte in the middle of other pinned memory", "pinned", 77, ("elsewhere", None, "byte 77 of "
                                                                                                   "other pinned "
                                                                                                   "memory")),
           _asked("the host address of a copy", "copy", 5, ("elsewhere", None, "byte 5 of the second copy")),
           _asked("other device memory", "device", 9, ("elsewhere", None, None)),
           _asked("the null pointer", "number", 0, ("elsewhere", None, None)),
           _asked("a number below 0", "number", -1, ("elsewhere", None, None)),
           _asked("a number that is too large", "number", 1 << 64, ("elsewhere", None, None))))
