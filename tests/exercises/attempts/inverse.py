"""Attempts at the exercises of "Your own inverse, and an exam"."""
from . import change, right, wrong

ASK = """from cuda.bindings import driver as cu
def ask(name, address):
    attribute = getattr(cu.CUpointer_attribute, "CU_POINTER_ATTRIBUTE_" + name)
    error, answer = cu.cuPointerGetAttribute(attribute, address)
    return int(answer) if error == cu.CUresult.CUDA_SUCCESS else None
def host_pointer_for(address):
"""
BOOK = """class Book:
    def __init__(self):
        self.views = []
    def add(self, host, device, nbytes, memory):
        view = (host, device, nbytes, memory)
        self.views.append(view)
        return view
    def free(self, view):
        self.views.remove(view)
"""

ATTEMPTS = {
    "host-pointer-for": (
        wrong("the check's own word", "is a text, and an address is asked for", change("return found.hostPointer or", 'return "the same address" if found.hostPointer else')),
        right("one line", ASK + """
    host = ask("HOST_POINTER", address)
    return host if host is not None else "unknown" if ask("MEMORY_TYPE", address) is None else "no host pointer\""""),
        right("the type first", ASK + """
    if ask("MEMORY_TYPE", address) is None:
        return "unknown"
    return ask("HOST_POINTER", address) or "no host pointer\""""),
        right("numbers of NumPy", "import numpy as np\n" + ASK + """
    host = ask("HOST_POINTER", address)
    if host:
        return np.uint64(host)
    if ask("MEMORY_TYPE", address):
        return "no host pointer"
    return "unknown\""""),
        right("CUDA called without ask", ASK + """
    error, host = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER, address)
    if not int(error):
        return int(host)
    error, _ = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT, address)
    error, _ = cu.cuPointerGetAttribute(cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)
    return "unknown" if int(error) else "no host pointer\""""),
        wrong("the address", "You return what you were given", ASK + "    return address"),
        wrong("the address where it is the host's, with a guard for 0", "You return what you were given", ASK + """
    if address == 0:
        return "unknown"
    return address"""),
        wrong("the forward call", "Neither the forward call nor the memory", ASK + """
    error, device = cu.cuMemHostGetDevicePointer(address, 0)
    if int(error) == 0:
        return address
    if ask("MEMORY_TYPE", address) is None:
        return "unknown"
    return "no host pointer\""""),
        wrong("the plural call", "this call returns the address itself", ASK + """
    kind = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, values = cu.cuPointerGetAttributes(1, [kind], address)
    if int(values[0]):
        return int(values[0])
    return "no host pointer" if ask("MEMORY_TYPE", address) is not None else "unknown\""""),
        wrong("the plural call, with a guard for 0", "this call returns the address itself", ASK + """
    if address == 0:
        return "unknown"
    kind = cu.CUpointer_attribute.CU_POINTER_ATTRIBUTE_HOST_POINTER
    error, values = cu.cuPointerGetAttributes(1, [kind], address)
    if int(error) == 0 and int(values[0]):
        return int(values[0])
    return "no host pointer" if ask("MEMORY_TYPE", address) else "unknown\""""),
        wrong("type 2 first", "Managed memory is of type 2", ASK + """
    kind = ask("MEMORY_TYPE", address)
    if kind == 2:
        return "no host pointer"
    if kind == 1:
        return ask("HOST_POINTER", address) or "no host pointer"
    return "unknown\""""),
        wrong("type 2 alone is known", "Only the type unregistered", ASK + """
    host = ask("HOST_POINTER", address)
    if host is not None:
        return host
    return "no host pointer" if ask("MEMORY_TYPE", address) == 2 else "unknown\""""),
        wrong("no unknown", "pageable or only reserved addresses", ASK + """
    host = ask("HOST_POINTER", address)
    return "no host pointer" if host is None else host"""),
        wrong("no unknown but 0", "pageable or only reserved addresses", ASK + """
    if not address:
        return "unknown"
    host = ask("HOST_POINTER", address)
    return "no host pointer" if host is None else host"""),
        wrong("never without a host pointer", "The driver also knows memory", ASK + """
    host = ask("HOST_POINTER", address)
    return "unknown" if host is None else host"""),
        wrong("exchanged", "You exchanged the two words", ASK + """
    host = ask("HOST_POINTER", address)
    if host is not None:
        return host
    return "unknown" if ask("MEMORY_TYPE", address) else "no host pointer\""""),
        wrong("None for unknown", "say `\"unknown\"`", ASK + """
    host = ask("HOST_POINTER", address)
    if host is not None:
        return host
    if ask("MEMORY_TYPE", address):
        return "no host pointer\""""),
        wrong("a word for the host", "the number, and no word", ASK + """
    if ask("HOST_POINTER", address) is not None:
        return "host memory"
    return "no host pointer" if ask("MEMORY_TYPE", address) else "unknown\""""),
        wrong("other words", "letter by letter", ASK + """
    host = ask("HOST_POINTER", address)
    if host is not None:
        return host
    return "No_Host_Pointer" if ask("MEMORY_TYPE", address) else "Unknown\""""),
        wrong("words that are none", "not one of the words", ASK + """
    host = ask("HOST_POINTER", address)
    if host is not None:
        return host
    return "none" if ask("MEMORY_TYPE", address) else "error\""""),
        wrong("the buffer's id", "", ASK + """
    return ask("BUFFER_ID", address) or "unknown\""""),
        wrong("a misspelt attribute", "raises AttributeError", ASK + "    return ask('HOSTPOINTER', address)"),
        right("as the starter asks, the type first", """
from course_lib.pointers import attribute
def host_pointer_for(address):
    if attribute(address, "MEMORY_TYPE") is None:
        return "unknown"
    return attribute(address, "HOST_POINTER") or "no host pointer\""""),
        wrong("arguments in the other order", "there is no pointer attribute", """
from course_lib.pointers import attribute
def host_pointer_for(address):
    return attribute("HOST_POINTER", address) or "unknown\""""),
        wrong("nothing", "no `return` with a value", ASK + "    ask('HOST_POINTER', address)"),
        right("conditional expression in one line", ASK + """
    host, kind = (ask(name, address) for name in ("HOST_POINTER", "MEMORY_TYPE"))
    return host if host is not None else "unknown" if kind is None else "no host pointer\""""),
        wrong("DEVICE_POINTER first", "Ask for the host pointer first", ASK + """
    if ask("MEMORY_TYPE", address) is None:
        return "unknown"
    if ask("DEVICE_POINTER", address) is not None:
        return "no host pointer"
    return address"""),
        right("known by RANGE_SIZE", ASK + """
    host = ask("HOST_POINTER", address)
    if host:
        return host
    if ask("RANGE_SIZE", address) is not None:
        return "no host pointer"
    return "unknown\""""),
    ),
    "address-book": (
        wrong("to_host answers for a host address", "a host address that is no device address", """
class Book:
    def __init__(self): self.views = []
    def add(self, host, device, nbytes, memory):
        view = (host, device, nbytes, memory); self.views.append(view); return view
    def free(self, view): self.views.remove(view)
    def _go(self, a, i, j):
        for v in self.views:
            if v[i] is not None and v[i] <= a < v[i] + v[2]:
                for w in [v] + self.views:
                    if w[3] == v[3] and w[j] is not None: return w[j] + a - v[i]
    def to_device(self, a): return self._go(a, 0, 1)
    def to_host(self, a):
        h = self._go(a, 1, 0)
        return h if h is not None else (a if self._go(a, 0, 1) else None)"""),
        wrong("an address 0 counts as none", "", change("view[given] is not None", "view[given]", "other[wanted] is not None", "other[wanted]")),
        right("dicts", """
class Book:
    def __init__(self):
        self.views = {}
    def add(self, host, device, nbytes, memory):
        self.views[len(self.views), host, device] = view = (host, device, nbytes, memory)
        return view
    def free(self, view):
        key = next(k for k, v in self.views.items() if v == view)
        self.views[key] = (None, None, 0, None)
    def _find(self, address, given, wanted):
        for view in self.views.values():
            if view[given] is not None and address in range(view[given], view[given] + view[2]):
                if view[wanted] is not None:
                    return view[wanted] + address - view[given]
                for other in self.views.values():
                    if other[3] == view[3] and other[wanted] is not None:
                        return other[wanted] + address - view[given]
    def to_device(self, host_address):
        return self._find(host_address, 0, 1)
    def to_host(self, device_address):
        return self._find(device_address, 1, 0)
"""),
        right("objects for views", """
class View:
    def __init__(self, host, device, nbytes, memory):
        self.host, self.device, self.nbytes, self.memory, self.alive = host, device, nbytes, memory, True
class Book:
    def __init__(self):
        self.all = []
    def add(self, *what):
        self.all.append(View(*what))
        return self.all[-1]
    def free(self, view):
        view.alive = False
    def to_device(self, address):
        return self.go(address, "host", "device")
    def to_host(self, address):
        return self.go(address, "device", "host")
    def go(self, address, a, b):
        alive = [v for v in self.all if v.alive]
        for v in alive:
            start = getattr(v, a)
            if start is not None and 0 <= address - start < v.nbytes:
                for w in sorted(alive, key=lambda w: w is not v):
                    if w.memory == v.memory and getattr(w, b) is not None:
                        return getattr(w, b) + address - start
        return None
"""),
        wrong("starts only", "This holds at a view's start only", BOOK + """
    def to_device(self, host_address):
        for h, d, n, m in self.views:
            if h == host_address:
                return d
    def to_host(self, device_address):
        for h, d, n, m in self.views:
            if d == device_address:
                return h
"""),
        wrong("no aliases", "If a view has no other side", BOOK + """
    def to_device(self, a):
        for h, d, n, m in self.views:
            if h is not None and h <= a < h + n:
                return None if d is None else d + a - h
    def to_host(self, a):
        for h, d, n, m in self.views:
            if d is not None and d <= a < d + n:
                return None if h is None else h + a - d
"""),
        wrong("no aliases, no look at None", "", BOOK + """
    def to_device(self, a):
        for h, d, n, m in self.views:
            if h <= a < h + n:
                return d + a - h
    def to_host(self, a):
        for h, d, n, m in self.views:
            if d <= a < d + n:
                return h + a - d
"""),
        wrong("free deletes a name", "A freed view still answers", change("self.views.remove(view)", "del view")),
        wrong("free forgets the memory", "You forget all views of that memory",
              change("self.views.remove(view)", "self.views = [v for v in self.views if v[3] != view[3]]")),
        wrong("free forgets all", "You forget every view", change("self.views.remove(view)", "self.views = []")),
        wrong("free forgets the last", "the view that was added last", change("self.views.remove(view)", "del self.views[-1]")),
        wrong("only free written", "returns None every time", BOOK + """
    def to_device(self, host_address):
        ...
    def to_host(self, device_address):
        ...
"""),
        wrong("to_device only", "is there a way through it without a `return`?", BOOK + """
    def to_device(self, a):
        for h, d, n, m in self.views:
            if h is not None and h <= a < h + n:
                return None if d is None else d + a - h
    def to_host(self, device_address):
        ...
"""),
        wrong("no offset", "You return the view's start", BOOK + """
    def find(self, a, i, j):
        for v in self.views:
            if v[i] is not None and v[i] <= a < v[i] + v[2]:
                return next((w[j] for w in (v, *self.views) if w[3] == v[3] and w[j] is not None), None)
    def to_device(self, a):
        return self.find(a, 0, 1)
    def to_host(self, a):
        return self.find(a, 1, 0)
"""),
        wrong("both ways the same", "`to_host` is given a device address", change("self.other_side(device_address, 1, 0)",
                                                                             "self.to_device(device_address)")),
        wrong("the wrong sign", "has the wrong sign", change("+ address - view[given]", "- address + view[given]")),
        wrong("a function", "wants a Python class", 3),
        right("one helper with side indexes", BOOK + """
    def _cross(self, address, near, far):
        for v in self.views:
            if v[near] is not None and 0 <= address - v[near] < v[2]:
                for w in [v] + self.views:
                    if w[3] == v[3] and w[far] is not None and address - v[near] < w[2]:
                        return w[far] + address - v[near]
        return None
    def to_device(self, a): return self._cross(a, 0, 1)
    def to_host(self, a): return self._cross(a, 1, 0)"""),
        right("no look at the other view's length", BOOK + """
    def _go(self, a, s, t):
        for v in self.views:
            if v[s] is not None and v[s] <= a < v[s] + v[2]:
                if v[t] is not None:
                    return v[t] + a - v[s]
                for w in self.views:
                    if w[3] == v[3] and w[t] is not None:
                        return w[t] + a - v[s]
    def to_device(self, a): return self._go(a, 0, 1)
    def to_host(self, a): return self._go(a, 1, 0)"""),
        wrong("the start of another view", "This holds at a view's start only", BOOK + """
    def _go(self, a, s, t):
        for v in self.views:
            if v[s] is not None and v[s] <= a < v[s] + v[2]:
                if v[t] is not None:
                    return v[t] + a - v[s]
                for w in self.views:
                    if w[3] == v[3] and w[t] is not None:
                        return w[t]
    def to_device(self, a): return self._go(a, 0, 1)
    def to_host(self, a): return self._go(a, 1, 0)"""),
    ),
}
