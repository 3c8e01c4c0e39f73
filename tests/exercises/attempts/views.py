"""Attempts at the exercises of "Two views of one memory"."""
from . import change, right, wrong

TRANSLATE = "def translate(table, address):\n"
SAME = "HOST, DEVICE = {3: 8, 4: 2, 7: 5, 10: 0}, {3: 8, 9: 2, 11: 6, 5: 0}\ndef in_memory(table, address):\n" \
       "    return table[address // 16] * 16 + address % 16 if address // 16 in table else None\n" \
       "def same_byte(host_address, device_address):\n"
VIEWS = "def views(table, byte):\n"

ATTEMPTS = {
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
    "same-byte": (
        right("both followed, both tested", SAME + """
    one, other = in_memory(HOST, host_address), in_memory(DEVICE, device_address)
    if one is None or other is None:
        return False
    return one == other"""),
        right("by a set", SAME + """
    found = {in_memory(HOST, host_address), in_memory(DEVICE, device_address)}
    return len(found) == 1 and None not in found"""),
        right("by pages and offsets", SAME + """
    if host_address // 16 not in HOST or device_address // 16 not in DEVICE:
        return False
    return HOST[host_address // 16] == DEVICE[device_address // 16] and host_address % 16 == device_address % 16"""),
        right("a truth of NumPy", "import numpy as np\n" + SAME + """
    one, other = in_memory(HOST, host_address), in_memory(DEVICE, device_address)
    return np.bool_(one is not None and one == other)"""),
        wrong("1 and 0", "return `True` or `False`", SAME + """
    one, other = in_memory(HOST, host_address), in_memory(DEVICE, device_address)
    return 1 if one is not None and one == other else 0"""),
        wrong("text", "quotation marks", SAME + """
    one, other = in_memory(HOST, host_address), in_memory(DEVICE, device_address)
    return 'True' if one is not None and one == other else 'False'"""),
        wrong("equal numbers", "You compare the addresses", SAME + "    return host_address == device_address"),
        wrong("equal numbers that lead somewhere", "Which table do you follow each address through?", SAME + """
    if in_memory(HOST, host_address) is None:
        return False
    return host_address == device_address"""),
        wrong("nothing is the same as nothing", "`None == None`", SAME + """
    return in_memory(HOST, host_address) == in_memory(DEVICE, device_address)"""),
        wrong("pages", "You compare pages", SAME + """
    if host_address // 16 in HOST and device_address // 16 in DEVICE:
        return HOST[host_address // 16] == DEVICE[device_address // 16]
    return False"""),
        wrong("byte 0", "counts as false", SAME + """
    one, other = in_memory(HOST, host_address), in_memory(DEVICE, device_address)
    if one and other:
        return one == other
    return False"""),
        wrong("always True", "the same every time", SAME + "    return True"),
        wrong("always False", "the same every time", SAME + "    return False"),
        wrong("the byte and not whether", "", SAME + "    return in_memory(HOST, host_address)"),
        wrong("both lead somewhere", "whether each stands for a byte", SAME + """
    return host_address // 16 in HOST and device_address // 16 in DEVICE"""),
        wrong("turned round", "whether the two bytes differ", SAME + """
    one, other = in_memory(HOST, host_address), in_memory(DEVICE, device_address)
    return one is not None and other is not None and one != other"""),
        wrong("None where it is not so", "", SAME + """
    one, other = in_memory(HOST, host_address), in_memory(DEVICE, device_address)
    if one is not None and one == other:
        return True"""),
        right("set of both without None", SAME + """
    both = {in_memory(HOST, host_address), in_memory(DEVICE, device_address)}
    return len(both) == 1 and None not in both"""),
        right("a generator over all device addresses of the byte", SAME + """
    byte = in_memory(HOST, host_address)
    if byte is None:
        return False
    return any(p * 16 + byte % 16 == device_address for p, f in DEVICE.items() if f == byte // 16)"""),
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
