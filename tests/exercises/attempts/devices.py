"""Attempts at the exercises of "Several devices"."""
from . import right, wrong

READ = "def may_read(reader, memory, rights):\n    device, call = memory\n"

ATTEMPTS = {
    "may-read": (
        right("one expression", READ + """
    return {"cuMemAlloc": reader == device or ("peer", reader, device) in rights, "malloc": reader == device,
            "cuMemAllocAsync": reader == device or ("access", reader) in rights,
            "cuMemCreate": ("access", reader) in rights}[call]"""),
        right("a chain of elifs", READ + """
    if call == "cuMemAlloc":
        if reader == device:
            return True
        for right in rights:
            if right[0] == "peer" and right[1] == reader and right[2] == device:
                return True
        return False
    elif call == "malloc":
        return reader == device
    elif call == "cuMemAllocAsync" and device == reader:
        return True
    else:
        for right in rights:
            if right[0] == "access" and right[1] == reader:
                return True
        return False"""),
        right("what it needs, as a set", READ + """
    enough = set() if reader != device or call == "cuMemCreate" else {"own"}
    if call == "cuMemAlloc":
        enough.add(("peer", reader, device))
    if call in ("cuMemAllocAsync", "cuMemCreate"):
        enough.add(("access", reader))
    return "own" in enough or bool(enough & set(rights))"""),
        right("match", READ + """
    match call:
        case "cuMemAlloc": needed = ("peer", reader, device)
        case "malloc": needed = None
        case _: needed = ("access", reader)
    return call != "cuMemCreate" and reader == device or needed in rights"""),
        wrong("device 0 alone", "", READ + """
    return call == "cuMemAlloc" and ("peer", 0, 1) in rights or reader == device"""),
        wrong("rights not looked at, with an if", "You do not look at the rights", READ + """
    if call == "cuMemCreate":
        return False
    return reader == device"""),
        wrong("whatever was given, by its number", "You accept any right", READ + """
    return reader == device or len(rights) > 0"""),
        wrong("own memory forgotten", "You forget the reader's own memory", READ + """
    if call == "cuMemAlloc":
        return ("peer", reader, device) in rights
    return call != "malloc" and ("access", reader) in rights"""),
        wrong("always", "the same every time", READ + "    return True"),
    ),
}
