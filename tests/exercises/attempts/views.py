"""Attempts at the exercises of "Two views of one memory"."""
from . import change, right, wrong

TWO = "from cuda.bindings import driver as cu, runtime\ndef two_answers(address):\n"
BOTH = TWO + """
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    _, known = runtime.cudaPointerGetAttributes(address)"""
TRANSLATE = "def translate(table, address):\n"
VIEWS = "def views(table, byte):\n"

ATTEMPTS = {
    "two-answers": (
        right("the type first, and then both", BOTH + """
    if known.type == runtime.cudaMemoryType.cudaMemoryTypeUnregistered:
        return None, None
    return device, known.hostPointer or None"""),
        right("success by its name", BOTH + """
    forward = device if error == runtime.cudaError_t.cudaSuccess else None
    back = known.hostPointer if known.type != runtime.cudaMemoryType.cudaMemoryTypeUnregistered else None
    return forward, back if back else None"""),
        right("the second value, which is None where forward refuses", BOTH + """
    return device, known.hostPointer or None if known.type else None"""),
        right("the numbers of error and type", BOTH + """
    forward = back = None
    if error.value == 0:
        forward = device
    if known.type.value != 0 and known.hostPointer != 0:
        back = known.hostPointer
    return forward, back"""),
        right("names as text", BOTH + """
    return (device if error.name == "cudaSuccess" else None,
            known.hostPointer or None if known.type.name != "cudaMemoryTypeUnregistered" else None)"""),
        right("a list", BOTH + """
    answers = [None, None]
    if not error:
        answers[0] = device
    if known.type != 0:
        answers[1] = known.hostPointer or None
    return answers"""),
        right("host memory alone has a host pointer here", BOTH + """
    if known.type == runtime.cudaMemoryType.cudaMemoryTypeHost:
        return device, known.hostPointer
    return None, None"""),
        right("numbers of NumPy", "import numpy as np\n" + BOTH + """
    return (None if error else np.uint64(device)), (np.uint64(known.hostPointer) if known.type and known.hostPointer else None)"""),
        right("the driver's calls", TWO + """
    error, device = cu.cuMemHostGetDevicePointer(address, 0)
    no, host = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    return (None if error else int(device)), (None if no else int(host))"""),
        right("two functions", TWO.replace("two_answers", "forward") + """
    return runtime.cudaHostGetDevicePointer(address, 0)[1]
def back(address):
    known = runtime.cudaPointerGetAttributes(address)[1]
    return known.hostPointer if known.type and known.hostPointer else None
def two_answers(address):
    return forward(address), back(address)"""),
        wrong("the first that comes to mind", "Where there is no answer, return `None`", BOTH + """
    return device, known.hostPointer"""),
        wrong("None for null, and no look at the type", "repeats the number", BOTH + """
    return device, known.hostPointer if known.hostPointer else None"""),
        wrong("the error of back, which never comes", "repeats the number", TWO + """
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    refused, known = runtime.cudaPointerGetAttributes(address)
    return (None if error else device), (None if refused else known.hostPointer or None)"""),
        wrong("device memory is sorted out, and nothing else", "repeats the number", BOTH + """
    if known.type == runtime.cudaMemoryType.cudaMemoryTypeDevice:
        return None, None
    return device, known.hostPointer"""),
        wrong("null alone is unknown", "repeats the number", BOTH + """
    if address == 0:
        return None, None
    return device, known.hostPointer or None"""),
        wrong("the plural call of the driver", "repeats the number", TWO + """
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    _, (host,) = cu.cuPointerGetAttributes(1, [cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER], address)
    return device, int(host) or None"""),
        wrong("the type compared with a text", "A type is no text", BOTH + """
    if known.type == "cudaMemoryTypeUnregistered":
        return None, None
    return device, known.hostPointer or None"""),
        wrong("a type made by its number, and 0 for none", "Where there is no answer", BOTH + """
    return device, known.hostPointer if runtime.cudaMemoryType(0) != known.type else None"""),
        wrong("-1 for none", "", BOTH + """
    return (-1 if error else device), (known.hostPointer or -1 if known.type else -1)"""),
        wrong("0 for none, everywhere", "Where there is no answer, return `None`", BOTH + """
    return (0 if error else device), (known.hostPointer if known.type else 0)"""),
        wrong("a text for none", "", BOTH + """
    return device or "none", known.hostPointer or "none" if known.type else "none\""""),
        wrong("None as text", "without the quotation marks", BOTH + """
    return device or "None", known.hostPointer or "None" if known.type else "None\""""),
        wrong("success compared with a text", "does it compare with a text?", BOTH + """
    return device if error == "cudaSuccess" else None, known.hostPointer or None if known.type else None"""),
        wrong("the error turned round, with an early return", "", BOTH + """
    if not error:
        return None, None
    return device, known.hostPointer or None"""),
        wrong("the type turned round", "You return `None` for the other types", BOTH + """
    back = known.hostPointer if known.type == runtime.cudaMemoryType.cudaMemoryTypeUnregistered else None
    return device, back"""),
        wrong("back first", "Forward's answer comes first", BOTH + """
    return (known.hostPointer or None if known.type else None), device"""),
        wrong("back first, without a look at the type", "Forward's answer comes first", BOTH + """
    return known.hostPointer or None, device"""),
        wrong("forward twice", "you return forward's twice", TWO + """
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    return device, device"""),
        wrong("forward, and the address with it", "in its place", TWO + """
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    if error:
        return None, None
    return address, address"""),
        wrong("forward asked, the address for back", "", TWO + """
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    return (None, None) if error else (device, address - 1)"""),
        wrong("back twice", "in its place", TWO + """
    _, known = runtime.cudaPointerGetAttributes(address)
    host = known.hostPointer or None if known.type else None
    return host, host"""),
        wrong("hostPointer twice", "repeats the number", TWO + """
    host = runtime.cudaPointerGetAttributes(address)[1].hostPointer or None
    return host, host"""),
        wrong("the address, twice", "`address` is what you were asked about", TWO + "    return address, address"),
        wrong("the example, by heart", "the same every time", TWO + "    return None, None"),
        wrong("rounded down to 512", "without rounding", TWO + """
    start = address & ~511
    error, device = runtime.cudaHostGetDevicePointer(start, 0)
    _, known = runtime.cudaPointerGetAttributes(start)
    return device, known.hostPointer or None if known.type else None"""),
        wrong("the first byte's answers", "", BOTH + """
    no, start, size = cu.cuMemGetAddressRange(address)
    if no:
        return None, None
    return runtime.cudaHostGetDevicePointer(int(start), 0)[1], int(start) if known.type and known.hostPointer else None"""),
        wrong("nothing for bytes within", "not for the first alone", BOTH + """
    no, start, size = cu.cuMemGetAddressRange(address)
    if no or int(start) != address:
        return None, None
    return device, known.hostPointer or None if known.type else None"""),
        wrong("hexadecimal", "Return the `int` itself", BOTH + """
    return (hex(device) if device else None), (hex(known.hostPointer) if known.type and known.hostPointer else None)"""),
        wrong("hexadecimal, as the lesson prints it", "Return the `int` itself", BOTH + """
    return (hex(device) if device else None), hex(known.hostPointer)"""),
        wrong("hexadecimal None", "Return the `int` itself", BOTH + "\n    return hex(device), hex(known.hostPointer)"),
        wrong("text", "Return the `int` itself", BOTH + """
    return (str(device) if device else None), (str(known.hostPointer) if known.type and known.hostPointer else None)"""),
        wrong("a pointer of ctypes", "`int(...)` takes the number out", "import ctypes\n" + BOTH + """
    host = known.hostPointer if known.type else None
    return (ctypes.c_void_p(device) if device else None), (ctypes.c_void_p(host) if host else None)"""),
        wrong("the driver's object", "`int(...)` takes the number out", BOTH + """
    return cu.cuMemHostGetDevicePointer(address, 0)[1], known.hostPointer or None if known.type else None"""),
        wrong("floats", "no float", BOTH + """
    return (None if error else float(device)), (float(known.hostPointer) if known.type and known.hostPointer else None)"""),
        wrong("all that CUDA knows", "everything that CUDA knows", BOTH + "\n    return device, known"),
        wrong("both calls, as they are", "A call returns its error first", TWO + """
    return runtime.cudaHostGetDevicePointer(address, 0), runtime.cudaPointerGetAttributes(address)"""),
        wrong("forward's tuple alone", "A call returns its error first", TWO + "    return runtime.cudaHostGetDevicePointer(address, 0)"),
        wrong("devicePointer for back", "You return `devicePointer`", BOTH + """
    return device, known.devicePointer or None"""),
        wrong("devicePointer for forward", "Forward refuses device memory", BOTH + """
    return known.devicePointer or None, (known.hostPointer or None) if known.type else None"""),
        wrong("both from the attributes", "Forward refuses device memory", TWO + """
    _, known = runtime.cudaPointerGetAttributes(address)
    if not known.type:
        return None, None
    return known.devicePointer or None, known.hostPointer or None"""),
        wrong("the error's name", "You return its error", BOTH + """
    return error.name if error else device, known.hostPointer or None if known.type else None"""),
        wrong("what the lesson's loop prints", "You return its error", BOTH + """
    return device if device else error.name, known.hostPointer"""),
        wrong("forward alone", "Return two answers", TWO + """
    error, device = runtime.cudaHostGetDevicePointer(address, 0)
    return device"""),
        wrong("printed", "has no `return` with a value", BOTH + "\n    print(device, known.hostPointer)"),
        wrong("the tuple in a test", "the whole tuple", TWO + """
    forward = address if runtime.cudaHostGetDevicePointer(address, 0) else None
    return forward, forward"""),
        wrong("waits for an exception", "raises nothing where", TWO + """
    try:
        runtime.cudaHostGetDevicePointer(address, 0)
        forward = address
    except Exception:
        forward = None
    _, known = runtime.cudaPointerGetAttributes(address)
    return forward, known.hostPointer or None if known.type else None"""),
        wrong("the result taken whole", "", TWO + """
    known = runtime.cudaPointerGetAttributes(address)
    return runtime.cudaHostGetDevicePointer(address, 0)[1], known.hostPointer or None"""),
    ),
    "translate": (
        wrong("setdefault", "it belongs to the caller", """
def translate(table, address):
    p, r = divmod(address, 16)
    m = table.setdefault(p, None)
    return None if m is None else m * 16 + r"""),
        wrong("takes the entry out of the table", "it changes `table`", change("table[page] * 16", "table.pop(page) * 16")),
        wrong("a float's page", "divide by `//`", TRANSLATE + """
    page = address / 16
    if page in table:
        return table[page] * 16 + address % 16"""),
        right("one line", TRANSLATE + "    return table[address // 16] * 16 + address % 16 if address // 16 in table else None"),
        right("an exception that is caught", TRANSLATE + """
    try:
        return table[address >> 4] << 4 | address & 15
    except KeyError:
        return None"""),
        right("get, and None tested", TRANSLATE + """
    found = table.get(address // 16)
    if found is not None:
        return 16 * found + address % 16"""),
        right("a loop over the table", TRANSLATE + """
    for page, memory in table.items():
        if page * 16 <= address < (page + 1) * 16:
            return memory * 16 + address - page * 16"""),
        right("numbers of NumPy", "import numpy as np\n" + TRANSLATE + """
    page, offset = np.int64(address) // 16, np.int64(address) % 16
    return np.int64(table[int(page)]) * 16 + offset if page in table else None"""),
        wrong("a float, by /", "it is a float", TRANSLATE + """
    page = address // 16
    return table[page] / 1 * 16 + address % 16 if page in table else None"""),
        wrong("pages of 4096 bytes", "has 16 bytes", TRANSLATE + """
    if address // 4096 in table:
        return table[address // 4096] * 4096 + address % 4096"""),
        wrong("pages of 4096 bytes, without a guard", "returns None",
              TRANSLATE + "    return table.get(address // 4096)"),
        wrong("the table is asked for the address", "You look up the whole address", TRANSLATE + """
    if address in table:
        return table[address]
    return None"""),
        wrong("the page alone, with a guard", "The byte keeps its place", TRANSLATE + """
    if address // 16 not in table:
        return None
    return table[address // 16] * 16"""),
        wrong("the number of the page", "You return the number of the page", TRANSLATE + "    return table.get(address // 16)"),
        wrong("0 for no entry", "any number from 0 on may be a byte of memory", TRANSLATE + """
    if address // 16 in table:
        return table[address // 16] * 16 + address % 16
    else:
        return 0"""),
        wrong("a text for no entry", "", TRANSLATE + """
    if address // 16 in table:
        return table[address // 16] * 16 + address % 16
    return 'no entry'"""),
        wrong("the number 0 taken for nothing", "the number 0 counts as false", TRANSLATE + """
    page = table.get(address // 16)
    return page * 16 + address % 16 if page else None"""),
        wrong("no guard", "A `KeyError`", TRANSLATE + "    return table[address // 16] * 16 + address % 16"),
        wrong("no guard, by get", "A `KeyError`", TRANSLATE + "    return table.get(address // 16) * 16 + address % 16"),
        wrong("printed and not returned", "which is right, and returns nothing", TRANSLATE + """
    if address // 16 in table:
        print(table[address // 16] * 16 + address % 16)"""),
        wrong("the offset added to the page", "multiply by 16", TRANSLATE + """
    if address // 16 in table:
        return table[address // 16] + address % 16"""),
        wrong("page and offset exchanged", "exchanged", TRANSLATE + """
    offset, page = divmod(address, 16)
    return table[page] * 16 + offset if page in table else None"""),
        wrong("the page of the address plus the page of memory", "", TRANSLATE + """
    page = address // 16
    return address + table[page] * 16 if page in table else None"""),
        right("bit operations, get with walrus", TRANSLATE + """
    return None if (frame := table.get(address >> 4)) is None else (frame << 4) | (address & 15)"""),
        right("a KeyError that is caught", TRANSLATE + """
    try:
        page = table[int(address // 16)]
    except KeyError:
        return None
    offset = address - (address // 16) * 16
    return page * 16 + offset"""),
        wrong("walks the table backwards", "", TRANSLATE + """
    page, place = divmod(address, 16)
    for a, m in table.items():
        if m == page:
            return a * 16 + place
    return None"""),
        wrong("the address less the page's number", "away the number of the page", TRANSLATE + """
    page = address // 16
    if page not in table:
        return None
    return table[page] * 16 + (address - page)"""),
        wrong("the page is rounded to the nearest, not down", "", TRANSLATE + """
    page = round(address / 16)
    if page not in table:
        return None
    return table[page] * 16 + address % 16"""),
    ),
    "views": (
        wrong("empties the table", "it changes `table`", VIEWS + """
    found = []
    while table:
        page, there = table.popitem()
        if there == byte // 16:
            found.append(page * 16 + byte % 16)
    return sorted(found)"""),
        wrong("a default that is kept", "The default of `found` is made once", """
def views(table, byte, found=[]):
    found += [page * 16 + byte % 16 for page in table if table[page] == byte // 16]
    return sorted(found)"""),
        wrong("addresses up to 224", "", "def views(table, byte):\n    return [a for a in range(224) "
              "if a // 16 in table and table[a // 16] * 16 + a % 16 == byte]"),
        right("a loop", VIEWS + """
    found = []
    for page in table:
        if table[page] == byte // 16:
            found.append(page * 16 + byte % 16)
    found.sort()
    return found"""),
        right("a tuple", VIEWS + "    return tuple(sorted(p * 16 + byte % 16 for p, m in table.items() if m == byte // 16))"),
        right("by trying every address", VIEWS + """
    top = max(table, default=0) * 16 + 16
    return [a for a in range(top) if table.get(a // 16, -1) * 16 + a % 16 == byte]"""),
        right("an array", "import numpy as np\n" + VIEWS + """
    return np.array(sorted(p * 16 + byte % 16 for p, m in table.items() if m == byte // 16), dtype=int)"""),
        right("turned round into lists", VIEWS + """
    back = {}
    for view, memory in sorted(table.items()):
        back.setdefault(memory, []).append(view * 16 + byte % 16)
    return back.get(byte // 16, [])"""),
        wrong("unsorted", "in another order", VIEWS + """
    page, offset = divmod(byte, 16)
    return [view * 16 + offset for view in table if table[view] == page]"""),
        wrong("sort returns None", "`sort` changes what it is called on, and returns None itself", VIEWS + """
    page, offset = divmod(byte, 16)
    found = [view * 16 + offset for view in table if table[view] == page]
    return found.sort()"""),
        wrong("a set", "has no order", VIEWS + "    return {v * 16 + byte % 16 for v in table if table[v] == byte // 16}"),
        wrong("a generator", "can be read only once",
              VIEWS + "    return (v * 16 + byte % 16 for v in sorted(table) if table[v] == byte // 16)"),
        wrong("the inverse dict with a guard", "One view is kept", VIEWS + """
    inverse = {m: v for v, m in table.items()}
    if byte // 16 in inverse:
        return [inverse[byte // 16] * 16 + byte % 16]
    return []"""),
        wrong("the inverse dict by get, with None", "One view is kept", VIEWS + """
    inverse = {m: v for v, m in table.items()}
    view = inverse.get(byte // 16)
    if view is None:
        return []
    return sorted([view * 16 + byte % 16])"""),
        wrong("the first three", "", change("== page)", "== page)[:3]")),
        wrong("the first", "You return one address", VIEWS + """
    for view in sorted(table):
        if table[view] == byte // 16:
            return [view * 16 + byte % 16]
    return []"""),
        wrong("no offset", "where the pages begin", VIEWS + """
    found = []
    for view, memory in table.items():
        if memory == byte // 16:
            found += [view * 16]
    return sorted(found)"""),
        wrong("pages", "You return pages", VIEWS + "    return sorted(v for v, m in table.items() if m == byte // 16)"),
        wrong("forward", "maps addresses to memory", VIEWS + """
    if byte // 16 not in table:
        return []
    return [table[byte // 16] * 16 + byte % 16]"""),
        wrong("the byte of each view", "You return the byte itself", VIEWS + """
    return sorted(m * 16 + byte % 16 for v, m in table.items() if m == byte // 16)"""),
        wrong("a list in a list", "take away one pair of brackets", VIEWS + """
    return [sorted(v * 16 + byte % 16 for v, m in table.items() if m == byte // 16)]"""),
        wrong("without brackets where there is one", "return a list", VIEWS + """
    found = sorted(v * 16 + byte % 16 for v, m in table.items() if m == byte // 16)
    return found[0] if len(found) == 1 else found"""),
        wrong("None where there is none", "None", VIEWS + """
    found = sorted(v * 16 + byte % 16 for v, m in table.items() if m == byte // 16)
    return found or None"""),
        wrong("pages compared with bytes", "You compare a page with a byte",
              VIEWS + "    return sorted(v * 16 for v in table if table[v] == byte)"),
        right("filter and a sort in place", VIEWS + """
    frame, place = divmod(byte, 16)
    found = []
    for page in table:
        if table[page] == frame:
            found.append(16 * page + place)
    found.sort()
    return found"""),
        right("tries every address of the table's pages", VIEWS + """
    every = range(16 * (max(table, default=0) + 1))
    return [a for a in every if a // 16 in table and table[a // 16] * 16 + a % 16 == byte]"""),
    ),
}
