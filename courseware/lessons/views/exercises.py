"""Exercises of "Two views of one memory": an address is a number, and a table says which byte it stands for."""
from ...exercises.exercise import Case, Exercise, Mistake, change, slip


def _table(source):
    """A table of random pages, most of 12 with an entry; some pages of memory are seen twice."""
    pages = source.sample(range(12), source.randint(4, 10))
    return {page: source.randrange(8) for page in pages}


HOST = {3: 8, 4: 2, 7: 5, 10: 0}           # the CPU's table
translate = Exercise(
    id="translate", title="Follow an address through a table", name="translate", minutes=5,
    statement="""
A table leads from pages of addresses to pages of memory; a page has 16 bytes. Write `translate(table, address)`: it
returns the number of the byte in memory that an address stands for, or `None` where the table has no entry. A byte
keeps its place within its page. Four lines are enough.

    table = {3: 8, 4: 2}            # page 3 of addresses is page 8 of memory
    translate(table, 3 * 16 + 5)    # 8 * 16 + 5 = 133
    translate(table, 5 * 16)        # None
""",
    hints=("An address has two parts: the number of its page, and the place within the page. `divmod` gives both.",
           "The table changes the first part only. Look it up, and put the two together again."),
    mistakes=(
        slip(" + offset", "",
             "You return where the page begins. The byte keeps its place within the page: add the offset."),
        slip("table[page] * 16 + offset", "table[page] * 16 + address - page",
             "The place within the page is what is left of the address without its whole pages, `address % 16`. You "
             "take away the number of the page: page 3 begins at 3 * 16."),
        slip("return table[page] * 16 + offset", "return table[page]",
             "You return the number of the page. The question is for the byte: a page has 16, and the offset counts "
             "too."),
        slip("return None", "return 0", "0 is a byte of memory like any other. For no entry, return `None`.",
             change("return None", "return -1"), """\
def translate(table, address):
    return table.get(address // 16, 0) * 16 + address % 16
"""),
        slip("return None", "return address",
             "Where the table has no entry you return the address itself, as if it were a place in memory. There is "
             "nothing behind it: return `None`."),
        Mistake("def translate(table, address):\n    return table.get(address)\n",
                "You look up the whole address. The table has pages: split the address with `divmod(address, 16)` "
                "first.", also=("def translate(table, address):\n    return table[address]\n",)),
        slip("table[page] * 16 + offset", "table[page] + offset",
             "You add the offset to the number of a page. Page 8 begins at byte 8 * 16: multiply by 16 first."),
        slip("page, offset = divmod", "offset, page = divmod",
             "The two parts are exchanged: `divmod(address, 16)` gives the page first, and then the place within it."),
        slip("divmod(address, 16)", "divmod(address, 4096)",
             "Your pages have another size. In this exercise a page has 16 bytes.", change("16", "4096"),
             change("16", "64")),
        slip("if page not in table:", "if not table.get(page):",
             "Page 0 of memory is a page like any other, but the number 0 counts as false: ask `page not in table`, or "
             "`is None`."),
        slip("table[page] * 16 + offset", "address",
             "You return the address itself. The table says where its page lies in memory: look it up.",
             "def translate(table, address):\n    return address\n"),
        slip("    if page not in table:\n        return None\n", "",
             "A `KeyError` where the table has no entry: look whether the page is in the table first.",
             change("    if page not in table:\n        return None\n", "", "table[page]", "table.get(page)")),
    ),
    cases=(Case("an address inside a page", ({3: 8, 4: 2}, 53), 133),
           Case("a page without an entry", ({3: 8, 4: 2}, 80), None),
           Case("the start of a page", (HOST, 64), 32, True), Case("the last byte of a page", (HOST, 127), 95, True),
           Case("an address before all pages", (HOST, 7), None, True),
           Case("an address that leads to page 0 of memory", ({6: 0}, 100), 4, True),
           Case("a page behind all entries", (HOST, 400), None, True),
           Case("page 0 of the addresses", ({0: 3, 5: 1}, 9), 57, True),
           Case("an empty table", ({}, 40), None, True)),
    random_case=lambda source: (_table(source), source.randrange(12 * 16)))


def _two_addresses(source):
    """Half of them lead to one page of memory, and half of those to one byte."""
    host, device = source.choice([(3, 3), (4, 9), (10, 5), (7, source.randrange(13)), (source.randrange(13), 9),
                                  (5, 1)])
    offset = source.randrange(16)
    return host * 16 + offset, device * 16 + source.choice([offset, source.randrange(16)])


same_byte = Exercise(
    id="same-byte", title="Two addresses, one byte?", name="same_byte", minutes=4, random_case=_two_addresses,
    statement="""
The CPU and the GPU each have a table, as in `translate`; here they are called `HOST` and `DEVICE`, and
`in_memory(table, address)` follows one. Write `same_byte(host_address, device_address)`: `True` if both addresses
stand for the same byte of memory, else `False`. Two lines are enough.

    HOST = {3: 8, 4: 2, 7: 5, 10: 0}
    DEVICE = {3: 8, 9: 2, 11: 6, 5: 0}
    same_byte(49, 49)       # True: page 3 leads to page 8 in both
    same_byte(65, 145)      # True: page 4 of the host, page 9 of the device
""",
    hints=("Equal numbers prove nothing, and neither do different ones. Follow both addresses first.",
           "`in_memory` may answer `None`, twice. Two addresses that lead nowhere do not show the same byte."),
    mistakes=(
        Mistake("""\
def same_byte(host_address, device_address):
    return host_address == device_address
""",
                "You compare the addresses. Each is a number in its own table: follow both, and compare where they "
                "lead."),
        slip("one is not None and one == other", "one == other",
             "Two addresses that lead nowhere are taken for the same byte, because `None == None`. Ask for that first."),
        slip("one is not None and one == other", "one is not None and other is not None and one // 16 == other // 16",
             "You compare pages. Two bytes of one page are two bytes: compare the whole result.",
             change("one is not None and one == other",
                    "HOST.get(host_address // 16) == DEVICE.get(device_address // 16)")),
        slip("one is not None and one == other", "bool(one) and one == other",
             "Byte 0 of memory is a byte like the others, but the number 0 counts as false: ask `is not None`."),
        slip("in_memory(DEVICE, device_address)", "in_memory(HOST, device_address)",
             "You take the device's address for one of the host's: the two are compared as they are, or followed "
             "through one table. The GPU uses its own: `in_memory(DEVICE, device_address)`.",
             change("(HOST, host_address)", "(DEVICE, host_address)", "(DEVICE, device_address)",
                    "(HOST, device_address)"),
             change("in_memory(DEVICE, device_address)", "in_memory(HOST, device_address)", "one is not None and ", "")),
        slip("one is not None and one == other", "one is not None and one != other",
             "You ask whether the two bytes differ. `True` is for the same byte: compare with `==`."),
        slip("one is not None and one == other", "one is not None and other is not None",
             "You ask whether both lead somewhere. They have to lead to the same byte: compare."),
    ),
    cases=(Case("equal numbers that lead to one page", (49, 49), True),
           Case("different numbers that lead to one page", (65, 145), True),
           Case("two bytes of one page", (66, 145), False, True),
           Case("equal numbers of which only the host's leads anywhere", (66, 66), False, True),
           Case("two addresses that lead nowhere", (5, 21), False, True),
           Case("equal numbers that lead nowhere", (200, 200), False, True),
           Case("a host address that leads nowhere", (5, 49), False, True),
           Case("two different pages", (113, 177), False, True),
           Case("a byte that only the host sees", (117, 117), False, True),
           Case("byte 0 of memory", (160, 80), True, True)))

DEVICE = {3: 8, 9: 2, 11: 6, 5: 0}         # the GPU's table
views = Exercise(
    id="views", title="Back from memory to addresses", name="views", minutes=6,
    statement="""
Now the other way. Write `views(table, byte)`: all addresses that stand for a byte of memory, as a sorted list. The
table is as before. Two lines are enough.

    table = {3: 8, 4: 2, 6: 8}
    views(table, 8 * 16 + 5)        # [53, 101]: pages 3 and 6 both lead to page 8
    views(table, 2 * 16)            # [64]
""",
    hints=("A table is for one direction. For the other, go through all of its entries.",
           "Take every page of addresses whose entry is the byte's page, and add the byte's place within the page."),
    mistakes=(
        Mistake(change("sorted(", "sorted([", "== page)", "== page][:1])"),
                "You return one address. A byte may have several, and they are all as good as the first.",
                also=("""\
def views(table, byte):
    for view in table:
        if table[view] == byte // 16:
            return view * 16 + byte % 16
    return []
""",)),
        slip(" + offset", "", "You return where the pages begin: add the byte's place within its page."),
        slip("view * 16 + offset", "view",
             "You return pages. An address is the page times 16, and the place within it."),
        slip("view * 16 + offset", "view + offset",
             "You add the place to the number of a page. Page 3 begins at address 3 * 16: multiply by 16 first."),
        slip("view * 16 + offset", "page * 16 + offset",
             "You return the byte itself, once for each of its views. Its addresses are in the pages that lead to it: "
             "`view`, not `page`."),
        slip("page, offset = divmod", "offset, page = divmod",
             "The two parts are exchanged: `divmod(byte, 16)` gives the page first, and then the place within it."),
        slip(" if table[view] == page", "",
             "You take every page of the table. Keep to those that lead to the byte's page."),
        slip("table[view] == page", "table[view] == byte",
             "You compare a page with a byte. Split the byte with `divmod(byte, 16)`, and compare pages."),
        Mistake("""\
def views(table, byte):
    page, offset = divmod(byte, 16)
    return [table[page] * 16 + offset] if page in table else []
""",
                "You look the byte's page up in the table as if it were a page of addresses. This table leads from "
                "addresses to memory: look for the entries that lead *to* the page."),
        Mistake("""\
def views(table, byte):
    page, offset = divmod(byte, 16)
    back = {memory: view for view, memory in table.items()}
    return [back[page] * 16 + offset] if page in back else []
""",
                "One view is kept for each page, the last: a dict that is turned round does that. The others are lost. "
                "That is this course in one line.",
                also=("""\
def views(table, byte):
    page, offset = divmod(byte, 16)
    back = {memory: view for view, memory in table.items()}
    return back[page] * 16 + offset if page in back else []
""",
                      """\
def views(table, byte):
    page, offset = divmod(byte, 16)
    back = {memory: view for view, memory in table.items()}
    return [back[page] * 16 + offset]
""")),
    ),
    cases=(Case("a byte with two views", ({3: 8, 4: 2, 6: 8}, 133), [53, 101]),
           Case("a byte with one view", ({3: 8, 4: 2, 6: 8}, 32), [64]),
           Case("a byte with no view", (HOST, 50), [], True),
           Case("three views that are in no order in the table", ({12: 5, 2: 5, 7: 5, 9: 4}, 91), [43, 123, 203], True),
           Case("five views", ({1: 6, 3: 6, 2: 6, 9: 6, 4: 6, 5: 1}, 97), [17, 33, 49, 65, 145], True),
           Case("a table of the device", (DEVICE, 47), [159], True),
           Case("a page of memory whose number is also that of a page of addresses", ({5: 9, 9: 5}, 146), [82], True),
           Case("page 0 of both", ({0: 0, 2: 0}, 3), [3, 35], True), Case("an empty table", ({}, 20), [], True)),
    random_case=lambda source: (_table(source), source.randrange(8 * 16)))

EXERCISES = (translate, same_byte, views)
