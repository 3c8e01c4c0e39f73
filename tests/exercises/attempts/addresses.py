"""Attempts at the exercises of "Addresses from Python"."""
from . import change, right, wrong

READ = "import numpy as np\nimport pycuda.driver as cuda\ndef read_element(array, row, column):\n"
SPY = "import numpy as np\nimport pycuda.driver as cuda\ndef spy(make_secret, look):\n"
QUESTIONS = ("the host reads through the address of pinned memory", "a kernel reads through the address of pinned memory",
             "the host reads through the address of device memory", "a kernel reads through the null pointer",
             "cuMemAlloc, after a kernel read through the null pointer", "cuMemcpyDtoH from the null pointer")
RIGHT = ("the value", "the value", "SIGSEGV", "ILLEGAL_ADDRESS", "ILLEGAL_ADDRESS", "INVALID_VALUE")


def follow(**changed):
    """The table, with the answers of some questions (q1 to q6) changed."""
    return {question: changed.get(f"q{number}", word)
            for number, (question, word) in enumerate(zip(QUESTIONS, RIGHT), 1)}


ATTEMPTS = {
    "read-element": (
        right("NumPy's strides", READ + """
    known = array.__cuda_array_interface__
    kind, (address, _) = np.dtype(known["typestr"]), known["data"]
    strides = known["strides"] or np.empty(known["shape"], kind).strides
    one = np.zeros((), kind)
    cuda.memcpy_dtoh(one, int(address + np.dot((row, column), strides)))
    return one.item()"""),
        right("from_device", READ + """
    known = array.__cuda_array_interface__
    size = np.dtype(known["typestr"]).itemsize
    strides = known["strides"] or (known["shape"][1] * size, size)
    at = known["data"][0] + sum(a * b for a, b in zip((row, column), strides))
    return cuda.from_device(at, 1, known["typestr"])[0]"""),
        right("the driver's own call", READ + """
    from cuda.bindings import driver as cu
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"] or (known["shape"][1] * found.itemsize, found.itemsize)
    cu.cuMemcpyDtoH(found.ctypes.data, known["data"][0] + row * a + column * b, found.nbytes)
    return found[0]"""),
        right("an array of PyCUDA over that one byte range", READ + """
    from pycuda import gpuarray
    known = array.__cuda_array_interface__
    size = np.dtype(known["typestr"]).itemsize
    a, b = known["strides"] or (known["shape"][1] * size, size)
    return gpuarray.GPUArray(1, known["typestr"], gpudata=known["data"][0] + row * a + column * b).get()[0]"""),
        right("an if", READ + """
    i = array.__cuda_array_interface__
    to = np.empty(1, np.dtype(i["typestr"]))
    if i["strides"] is None:
        away = (row * i["shape"][1] + column) * to.itemsize
    else:
        away = row * i["strides"][0] + column * i["strides"][1]
    cuda.memcpy_dtoh(to, i["data"][0] + away)
    return to[0]"""),
        wrong("an array of one element", "in an array or a list", change("return found[0]", "return found")),
        wrong("a float for whole numbers", "it is a float", change("return found[0]", "return float(found[0])")),
        wrong("the size of an element forgotten", "elements where bytes are wanted", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    cuda.memcpy_dtoh(found, known["data"][0] + row * known["shape"][1] + column)
    return found[0]"""),
        wrong("the size forgotten, strides respected", "elements where bytes are wanted", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"] or (known["shape"][1], 1)
    cuda.memcpy_dtoh(found, known["data"][0] + row * a + column * b)
    return found[0]"""),
        wrong("strides passed over", "You pass over the strides", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    cuda.memcpy_dtoh(found, known["data"][0] + (row * known["shape"][1] + column) * found.itemsize)
    return found[0]"""),
        wrong("no strides: an exception", "may be `None`", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"]
    cuda.memcpy_dtoh(found, known["data"][0] + row * a + column * b)
    return found[0]"""),
        wrong("row and column exchanged", "Rows and columns are exchanged", READ + """
    known = array.__cuda_array_interface__
    found = np.empty(1, known["typestr"])
    a, b = known["strides"] or (known["shape"][1] * found.itemsize, found.itemsize)
    cuda.memcpy_dtoh(found, known["data"][0] + column * a + row * b)
    return found[0]"""),
        wrong("strides times size", "Strides are in bytes already", change("row * strides[0] + column * strides[1]",
                                                                          "(row * strides[0] + column * strides[1]) * found.itemsize")),
        wrong("no copy", "No copy to the host was made", READ + """
    return np.zeros(1, array.__cuda_array_interface__["typestr"])[0]"""),
        wrong("10 * row + column, and no copy", "", READ + """
    return np.array([10 * row + column], array.__cuda_array_interface__["typestr"])[0] + 1"""),
        wrong("get, which it does not have", "raises AttributeError", READ + "    return array.get()[row, column]"),
        wrong("indexed", "raises TypeError", READ + "    return array[row, column]"),
        wrong("all is copied", "you copy more than the element", READ + """
    known = array.__cuda_array_interface__
    if known["strides"]:
        size = np.dtype(known["typestr"]).itemsize
        at = row * known["strides"][0] + column * known["strides"][1]
        all_of_it = np.empty(at + size, np.uint8)
        cuda.memcpy_dtoh(all_of_it, known["data"][0])
        return all_of_it[at:at + size].view(known["typestr"])[0]
    whole = np.empty(known["shape"], known["typestr"])
    cuda.memcpy_dtoh(whole, known["data"][0])
    return whole[row, column]"""),
        wrong("the wrong way", "", change("cuda.memcpy_dtoh(found, ", "cuda.memcpy_htod(").__class__((
            ("cuda.memcpy_dtoh(found, interface[\"data\"][0] + row * strides[0] + column * strides[1])",
             "cuda.memcpy_htod(interface[\"data\"][0] + row * strides[0] + column * strides[1], found)"),))),
        wrong("no return", "no `return` with a value", change("    return found[0]\n", "")),
        right("copies via from_device, strides built", READ + """
    i = array.__cuda_array_interface__
    t = np.dtype(i["typestr"])
    strides = i.get("strides") or (t.itemsize * i["shape"][1], t.itemsize)
    where = i["data"][0] + sum(s * n for s, n in zip(strides, (row, column)))
    return cuda.from_device(where, (1,), t)[0]"""),
        right("reads the whole last row part by bytes", READ + """
    interface = array.__cuda_array_interface__
    size = int(interface["typestr"][2:])
    a, b = (interface["shape"][1] * size, size) if interface["strides"] is None else interface["strides"]
    raw = bytearray(size)
    cuda.memcpy_dtoh(raw, interface["data"][0] + a * row + b * column)
    return np.frombuffer(raw, interface["typestr"]).item()"""),
        wrong("strides taken for numbers of elements", "Strides are in bytes already", READ + """
    interface = array.__cuda_array_interface__
    got = np.empty(1, interface["typestr"])
    strides = interface["strides"]
    if strides is None:
        strides = (interface["shape"][1], 1)
    cuda.memcpy_dtoh(got, interface["data"][0] + (row * strides[0] + column * strides[1]) * got.itemsize)
    return got[0]"""),
        wrong("host dereference", "comes by a copy", """
import numpy as np
import pycuda.driver as cuda

import ctypes
def read_element(array, row, column):
    i = array.__cuda_array_interface__
    t = np.dtype(i["typestr"])
    s = i["strides"] or (i["shape"][1] * t.itemsize, t.itemsize)
    return ctypes.c_int.from_address(i["data"][0] + row * s[0] + column * s[1]).value"""),
    ),
    "spy": (
        right("del", SPY + """
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    del memory
    make_secret()
    return look(address)"""),
        right("no name at all", SPY + """
    address = int(cuda.mem_alloc(1000))
    make_secret()
    return look(address)"""),
        right("the name used again", SPY + """
    memory = cuda.mem_alloc(1000)
    memory = int(memory)
    make_secret()
    return look(memory)"""),
        right("a gpuarray", SPY + """
    from pycuda import gpuarray
    array = gpuarray.empty(250, np.int32)
    address = int(array.gpudata)
    del array
    make_secret()
    return look(address)"""),
        right("to_device", SPY + """
    memory = cuda.to_device(np.zeros(250, np.int32))
    address = int(memory)
    memory.free()
    make_secret()
    return look(address)"""),
        right("two, of which one goes", SPY + """
    one, two = cuda.mem_alloc(1000), cuda.mem_alloc(1000)
    address = int(one)
    one.free()
    make_secret()
    return look(address)"""),
        right("freed by the driver's own call", "from cuda.bindings import driver as cu\n" + SPY + """
    error, address = cu.cuMemAlloc(1000)
    cu.cuMemFree(address)
    make_secret()
    return look(int(address))"""),
        right("a byte within", SPY + """
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    memory.free()
    make_secret()
    return look(address + 400)"""),
        wrong("the place behind its own, guessed", "an address that was a guess", SPY + """
    a = cuda.mem_alloc(1000)
    make_secret()
    return look(int(a) + 1024)"""),
        wrong("the place before its own, guessed", "an address that was a guess", SPY + """
    make_secret()
    mine = cuda.mem_alloc(1000)
    return look(int(mine) - 1024)"""),
        right("a function within", SPY + """
    def place():
        memory = cuda.mem_alloc(1000)
        return int(memory)
    where = place()
    make_secret()
    return look(where)"""),
        wrong("free without parentheses", "that was yours before", change("memory.free()", "memory.free")),
        wrong("freed too late", "that was yours before", SPY + """
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    make_secret()
    memory.free()
    return look(address)"""),
        wrong("del of the number", "that was yours before", SPY + """
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    copy = address
    del address
    make_secret()
    return look(copy)"""),
        wrong("a gpuarray that lives", "that was yours before", SPY + """
    from pycuda import gpuarray
    array = gpuarray.zeros(250, np.int32)
    make_secret()
    return look(int(array.gpudata))"""),
        wrong("del, with another name left", "that was yours before", SPY + """
    memory = kept = cuda.mem_alloc(1000)
    address = int(memory)
    del memory
    make_secret()
    return look(address)"""),
        wrong("looked first", "You look before there is a secret", SPY + """
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    memory.free()
    found = look(address)
    make_secret()
    return found"""),
        wrong("allocated afterwards", "", SPY + """
    make_secret()
    memory = cuda.mem_alloc(1000)
    return look(int(memory))"""),
        wrong("another size", "another size", change("mem_alloc(1000)", "mem_alloc(16 << 20)")),
        wrong("no parentheses behind make_secret", "Nobody made a secret", change("    make_secret()\n", "    make_secret\n")),
        wrong("what make_secret returns", "returns None every time", SPY + """
    memory = cuda.mem_alloc(1000)
    memory.free()
    return make_secret()"""),
        wrong("the address, looked at", "the address that it looked at", SPY + """
    memory = cuda.mem_alloc(1000)
    address = int(memory)
    memory.free()
    make_secret()
    look(address)
    return address"""),
        wrong("look itself", "", SPY + """
    address = int(cuda.mem_alloc(1000))
    make_secret()
    return look"""),
        wrong("no return", "no `return` with a value", change("return look", "look")),
        right("the freed memory itself, which is still a number", SPY + """
    memory = cuda.mem_alloc(1000)
    memory.free()
    make_secret()
    return look(memory)"""),
        wrong("the check's own word", "", SPY + "    make_secret()\n    return 'the secret'"),
        wrong("4711 always", "", SPY + "    return 4711"),
        wrong("4711 with a secret", "", SPY + "    make_secret()\n    return 4711"),
        wrong("pinned memory", "", SPY + """
    array = cuda.pagelocked_empty(250, np.int32)
    address = array.ctypes.data
    del array
    make_secret()
    return look(address)"""),
        wrong("called, and handed over", "the function itself", 4711),
        wrong("no arguments", "keep the starter's first line", "def spy():\n    return 4711"),
        right("int and del in place of free", SPY + """
    bait = cuda.mem_alloc(1000)
    where = int(bait)
    del bait
    make_secret()
    return look(where)"""),
        wrong("bait of another size", "ask for as much", SPY + """
    m = cuda.mem_alloc(4)
    a = int(m)
    m.free()
    make_secret()
    return look(a)"""),
        right("the number of an allocation that is gone", SPY + """
    m = cuda.mem_alloc(1000)
    m.free()
    make_secret()
    return look(int(m))"""),
        wrong("returns make_secret's result as the secret", "returns nothing, not even", SPY + """
    return look(int(make_secret()))"""),
    ),
    "follow": (
        right("as it is asked for", follow()),
        right("small letters", follow(q3="sigsegv", q4="illegal_address")),
        right("blanks", follow(q3="SIGSEGV ", q1=" the value")),
        right("with the driver's prefix", follow(q4="CUDA_ERROR_ILLEGAL_ADDRESS", q6="CUDA_ERROR_INVALID_VALUE")),
        right("with a blank in the word", follow(q5="illegal address", q6="Invalid Value")),
        right("with a question more", follow() | {"my own": 3}),
        wrong("another language", "The options are `\"the value\"`", follow(q3="segmentation fault")),
        wrong("a word that is none", "which is not an option", follow(q6="error")),
        wrong("nothing for one question", "has no answer yet", follow(q4="?")),
        wrong("None", "which is not an option", follow(q4=None)),
        wrong("a list of words", "which is not an option", follow(q4=["SIGSEGV", "ILLEGAL_ADDRESS"])),
        *(wrong(f"{word} for question {number}", says, follow(**{f"q{number}": word})) for number, word, says in (
            (1, "SIGSEGV", "Pinned memory is ordinary memory"), (1, "ILLEGAL_ADDRESS", "Pinned memory is ordinary memory"),
            (1, "INVALID_VALUE", "Pinned memory is ordinary memory"), (2, "ILLEGAL_ADDRESS", "that both may follow"),
            (2, "SIGSEGV", "that both may follow"), (2, "INVALID_VALUE", "that both may follow"),
            (3, "the value", "has no way to device memory"), (3, "ILLEGAL_ADDRESS", "is the device's word"),
            (3, "INVALID_VALUE", "one instruction of the CPU"), (4, "the value", "Nothing is at address 0"),
            (4, "SIGSEGV", "SIGSEGV is for the process"), (4, "INVALID_VALUE", "makes no call"),
            (5, "the value", "has broken CUDA for its process"), (5, "SIGSEGV", "The process lives on"),
            (5, "INVALID_VALUE", "It repeats the error"), (6, "the value", "nothing to copy"),
            (6, "SIGSEGV", "hands the number to the driver"), (6, "ILLEGAL_ADDRESS", "is not even begun"))),
        wrong("all the same", "Pinned memory is ordinary memory", follow(q1="SIGSEGV", q2="SIGSEGV", q4="SIGSEGV", q5="SIGSEGV")),
        wrong("small letters, and wrong", "is the device's word", follow(q3="illegal_address")),
        right("the error's whole name", change('null pointer": "ILLEGAL_ADDRESS",\n    "cuMemAlloc',
                                               'null pointer": "CUDA_ERROR_ILLEGAL_ADDRESS",\n    "cuMemAlloc')),
    ),
}
