"""Exercises of "Addresses from Python": where an array's elements are, who may go there, and what a number keeps."""
from ...exercises.exercise import Case, Exercise, Mistake, Program, change, slip
from . import harness

read_element = Exercise(
    id="read-element", title="Read one element", name="read_element", minutes=8, sandboxed=True, run=harness.read_element,
    statement="""
Another library hands you an array on the device. It has two dimensions, and all that you know of it is its
`__cuda_array_interface__`. Write `read_element(array, row, column)`, which copies that one element to the host and
returns it. `"data"` is a pair whose first is the address, `"typestr"` a type as NumPy takes it, and `"strides"` the
bytes from one row to the next and from one column to the next, or `None` where the rows follow each other without
gaps. The elements here are 10 * row + column. Five lines are enough.

    read_element(array, 0, 2)       # 2
    read_element(array, 1, 3)       # 13
""",
    hints=('`np.empty(1, interface["typestr"])` has room for one element, and knows its `itemsize`. '
           '`cuda.memcpy_dtoh(to, address)` fills it: an address is a number.',
           "The address is the start, `row` times the first stride, and `column` times the second. Without strides, a "
           "row takes as many bytes as its elements together."),
    mistakes=(
        slip('(interface["shape"][1] * found.itemsize, found.itemsize)', '(interface["shape"][1], 1)',
             "You count elements where bytes are wanted: multiply by the size of an element.",
             change('interface["data"][0] + row * strides[0] + column * strides[1]',
                    "interface['data'][0] + row * interface['shape'][1] + column"),
             change("* found.itemsize, found", "* found.itemsize, 1 or found"), change("[1] * found.itemsize", "[1]")),
        slip('["shape"][1]', '["shape"][0]',
             "From one row to the next it is a whole row: as many elements as there are columns, not rows."),
        slip('interface["strides"] or ', "",
             'You pass over the strides that the array has. Rows may have gaps between them: use `"strides"` unless it '
             'is `None`.'),
        slip(' or (interface["shape"][1] * found.itemsize, found.itemsize)', "",
             '`"strides"` may be `None`: then the rows follow each other without gaps, and you work the strides out '
             'from shape and size.'),
        slip('interface["data"][0] + ', "",
             'You give how far into the array the element is, and nothing is there. Add where the array begins: '
             '`interface["data"][0]`.'),
        slip('interface["data"][0]', 'interface["data"]',
             '`"data"` is a pair: the address, and whether it may only be read. Take the first.'),
        slip('interface["typestr"]', "np.float32",
             'The copy fills an array of another type. What the bytes mean is in `"typestr"`: use it for the array '
             'that they are copied to.', change('interface["typestr"]', '"int32"'),
             change('(1, interface["typestr"])', "1")),
        slip(" + column * strides[1]", " + column * found.itemsize",
             "From one column to the next it is the second stride, and that need not be the size of an element."),
        slip("row * strides[0] + column * strides[1]", "column * strides[0] + row * strides[1]",
             "Rows and columns are exchanged: the first stride is for rows."),
        slip("row * strides[0] + column * strides[1]", "found.itemsize * (row * strides[0] + column * strides[1])",
             "Strides are in bytes already: do not multiply them by the size of an element.",
             change('(interface["shape"][1] * found.itemsize, found.itemsize)', '(interface["shape"][1], 1)',
                    "row * strides[0] + column * strides[1]",
                    "found.itemsize * (row * strides[0] + column * strides[1])")),
        slip("row * strides[0] + column * strides[1]", "(row - 1) * strides[0] + (column - 1) * strides[1]",
             "Rows and columns are counted from 0: row 0 is the first, and nothing is to be taken away."),
        slip('    cuda.memcpy_dtoh(found, interface["data"][0] + row * strides[0] + column * strides[1])\n', "",
             "Nothing is copied: what you return is what happened to be in the host's memory."),
        slip("return found[0]", 'return interface["data"][0] + row * strides[0] + column * strides[1]',
             "You return the address. It leads to device memory: the element has to be copied to the host from there."),
        Mistake(Program("read_element_copies_more.py"),
                "Right, but you copy more than the element. Work out its address, and copy from there what one element "
                "takes."),
    ),
    cases=tuple(Case(what, (shape, kind, strides, row, column), expected, hidden,
                     f"read_element(array, {row}, {column})")
                for what, shape, kind, strides, row, column, expected, hidden in (
        ("an element of the first row of 3 by 5 numbers", (3, 5), "float32", None, 0, 2, 2.0, False),
        ("an element inside 3 by 5 numbers", (3, 5), "float32", None, 1, 3, 13.0, False),
        ("rows of 4 with gaps between them", (7, 4), "float64", (512, 8), 5, 3, 53.0, True),
        ("an array that is stored column by column", (6, 9), "int16", (2, 12), 4, 7, 47, True),
        ("the last row of 8 by 3 bytes", (8, 3), "uint8", None, 7, 1, 71, True),
        ("every second column of an array", (4, 5), "int32", (40, 8), 3, 4, 34, True),
        ("the first element of all", (5, 2), "int64", (64, 8), 0, 0, 0, True))))

spy = Exercise(
    id="spy", title="Read somebody else's memory", name="spy", minutes=6, sandboxed=True, run=harness.spy,
    statement="""
A number does not keep memory. Use that. `make_secret()` allocates 1000 bytes of device memory with `cuda.mem_alloc`,
and fills them with a number that it does not tell. `look(address)` lets a kernel read the number at an address. Write
`spy(make_secret, look)`, which returns the secret: keep an address across a free. Both functions are handed to you by
the check, and your function calls them. Five lines are enough.

    spy(make_secret, look)      # 4711, where that is the secret
""",
    hints=("`int(memory)` is the address of an allocation, and `memory.free()` gives the memory back. What does the "
           "driver do with an address that came back, when somebody asks for as much?",
           "The address has to be free when the secret is made, and the size should be the secret's: then it fits for "
           "certain."),
    mistakes=(
        slip("    memory.free()\n", "",
             "The secret lies elsewhere: when it is made, memory of that size has to be free that was yours before. "
             "Allocate it and free it first, and keep the number."),
        slip("    make_secret()\n    return look(address)", """\
    found = look(address)
    make_secret()
    return found""",
             "You look before there is a secret: what you find is what was there before."),
        slip("    make_secret()\n", "",
             "Nobody made a secret: call `make_secret()`, with its parentheses, before you look."),
        slip("mem_alloc(1000)", "mem_alloc(1 << 23)",
             "An allocation of another size leaves a gap of another size, and the secret may go elsewhere: ask for as "
             "much as it needs.", change("mem_alloc(1000)", "mem_alloc(4)")),
        slip("    make_secret()\n    return look(address)", "    return look(int(make_secret()))",
             "`make_secret()` tells nothing, not even where the secret is. You have to know the address before: that "
             "of memory which was yours, and which you have freed."),
    ),
    cases=(Case("memory with nothing beside it", (4711, 0), "the secret", False, "spy(make_secret, look)"),
           Case("memory with another array beside it", (-3, 1), "the secret", True, "spy(make_secret, look)"),
           Case("memory with several arrays beside it", (2**31 - 1, 3), "the secret", True, "spy(make_secret, look)")))

follow = Exercise(
    id="follow", title="Who may follow which address?", name="follow", kind="table", minutes=4,
    statement="""
Every address is a number, and anybody may try to follow it. What happens? Put one of `"the value"`, `"SIGSEGV"`,
`"ILLEGAL_ADDRESS"` and `"INVALID_VALUE"` behind each question of the table. Most of it you have seen; try the
rest in the sandbox.
""",
    hints=("Three different things can say no: the operating system ends a process (SIGSEGV), the device ends a kernel "
           "(ILLEGAL_ADDRESS), and a call of the driver looks at its arguments first (INVALID_VALUE).",
           "A kernel's wrong access breaks CUDA for its process: most later calls give the same error, in a new "
           "context too."),
    mistakes=(
        slip('device memory": "SIGSEGV"', 'device memory": "ILLEGAL_ADDRESS"',
             "ILLEGAL_ADDRESS is the device's word. When the host follows an address, no CUDA call is made: the "
             "operating system answers."),
        slip('device memory": "SIGSEGV"', 'device memory": "INVALID_VALUE"',
             "No call is made that could return an error: reading through an address is one instruction of the CPU. "
             "Try it in the sandbox."),
        slip('kernel reads through the null pointer": "ILLEGAL_ADDRESS"',
             'kernel reads through the null pointer": "SIGSEGV"',
             "SIGSEGV is for the process, when the CPU follows an address. Here the device does."),
        slip('after a kernel read through the null pointer": "ILLEGAL_ADDRESS"',
             'after a kernel read through the null pointer": "the value"',
             "The kernel has broken CUDA for its process: most later calls get its error, however innocent."),
        slip('after a kernel read through the null pointer": "ILLEGAL_ADDRESS"',
             'after a kernel read through the null pointer": "INVALID_VALUE"',
             "Nothing is wrong with this call's own arguments. It repeats the error that the kernel left."),
        slip('from the null pointer": "INVALID_VALUE"', 'from the null pointer": "ILLEGAL_ADDRESS"',
             "The copy is not even begun: the driver looks the address up first. Nothing breaks."),
        slip('kernel reads through the address of pinned memory": "the value"',
             'kernel reads through the address of pinned memory": "ILLEGAL_ADDRESS"',
             "Pinned memory is the memory that both may follow: lesson 00's kernel did.",
             *(change('kernel reads through the address of pinned memory": "the value"',
                       f'kernel reads through the address of pinned memory": "{word}"')
               for word in ("SIGSEGV", "INVALID_VALUE"))),
        slip('host reads through the address of pinned memory": "the value"',
             'host reads through the address of pinned memory": "SIGSEGV"',
             "Pinned memory is ordinary memory of the process, and the host reads it as any other. Locked pages stay "
             "where they are.", *(change('host reads through the address of pinned memory": "the value"',
                       f'host reads through the address of pinned memory": "{word}"')
               for word in ("ILLEGAL_ADDRESS", "INVALID_VALUE"))),
        slip('device memory": "SIGSEGV"', 'device memory": "the value"',
             "The host has no way to device memory without a copy: its page table has no entry there. Try it in the "
             "sandbox."),
        slip('kernel reads through the null pointer": "ILLEGAL_ADDRESS",\n',
             'kernel reads through the null pointer": "the value",\n',
             "Nothing is at address 0, on the device as on the host: the read ends the kernel."),
        slip('kernel reads through the null pointer": "ILLEGAL_ADDRESS",\n',
             'kernel reads through the null pointer": "INVALID_VALUE",\n',
             "INVALID_VALUE is a call's answer to its arguments. A kernel that runs makes no call when it reads."),
        slip('after a kernel read through the null pointer": "ILLEGAL_ADDRESS"',
             'after a kernel read through the null pointer": "SIGSEGV"',
             "The process lives on after a kernel's wrong access. What is broken is CUDA in this process, and most "
             "calls say so."),
        slip('from the null pointer": "INVALID_VALUE"', 'from the null pointer": "SIGSEGV"',
             "The host does not follow the address itself: it hands the number to the driver, which looks it up first."),
        slip('from the null pointer": "INVALID_VALUE"', 'from the null pointer": "the value"',
             "No memory is at address 0, so there is nothing to copy. The driver finds that out before it begins."),
    ))

EXERCISES = (read_element, spy, follow)
